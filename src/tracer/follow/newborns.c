/* SPDX-License-Identifier: MIT
 *
 * Newborns: children that stop before their makers' events arrive. */
#include "common/base/time.h"
#include "common/model/event.h"
#include "tracer/follow/follow.h"
#include "tracer/follow/follow_parts.h"
#include "tracer/tracee/procfs.h"
#include "tracer/tracee/table.h"

enum { NEWBORN_NS = 1000000000 };

static void forget(struct follow *follow, size_t index)
{
    follow->newborns[index] = follow->newborns[--follow->newborn_count];
}

/* Without memory, a maker's event may have gone unnoticed, so no child waits for one then. */
bool newborns_keep(struct follow *follow, pid_t tid, struct event event)
{
    pid_t pid, parent;
    if (event.kind != EVENT_TRAP || follow->short_of_memory || follow->newborn_count == FOLLOW_NEWBORNS ||
        !procfs_family(tid, &pid, &parent) || table_process(&follow->table, pid))
        return false;
    follow_take_stop(tid);
    follow->newborns[follow->newborn_count++] = (struct newborn){tid, parent, time_now_ns()};
    return true;
}

/* Adopts newborn INDEX, as a child of ORIGIN if that is known. */
static void welcome(struct follow *follow, size_t index, struct process *origin)
{
    pid_t tid = follow->newborns[index].tid;
    forget(follow, index);
    struct thread *thread = follow_adopt(follow, tid, origin, false);
    enum follow_event_kind kind = thread ? FOLLOW_NEWBORN : FOLLOW_UNFOLLOWED;
    follow_tell(follow,
                (struct follow_event){.kind = kind, .tid = tid, .thread = thread, .stop = {.kind = EVENT_TRAP}});
}

static void welcome_as_it_seems(struct follow *follow, size_t index)
{
    welcome(follow, index, table_process(&follow->table, follow->newborns[index].parent));
}

void follow_welcome(struct follow *follow)
{
    while (follow->newborn_count)
        welcome_as_it_seems(follow, 0);
}

uint64_t newborns_due_ns(const struct follow *follow)
{
    uint64_t first_ns = 0;
    for (size_t i = 0; i < follow->newborn_count; i++)
        if (!first_ns || follow->newborns[i].seen_ns < first_ns)
            first_ns = follow->newborns[i].seen_ns;
    return first_ns ? first_ns + NEWBORN_NS + 1 : 0;
}

/* An event never comes if its thread was killed first. A parent outside of this pid namespace has number 0. */
void newborns_orphaned(struct follow *follow, pid_t maker)
{
    uint64_t now_ns = follow->newborn_count ? time_now_ns() : 0;
    for (size_t i = follow->newborn_count; i-- > 0;)
        if ((maker && follow->newborns[i].parent == maker) || now_ns - follow->newborns[i].seen_ns > NEWBORN_NS)
            welcome_as_it_seems(follow, i);
}

static size_t find(const struct follow *follow, pid_t tid)
{
    size_t i = 0;
    while (i < follow->newborn_count && follow->newborns[i].tid != tid)
        i++;
    return i;
}

bool newborns_told(struct follow *follow, pid_t child, struct process *maker)
{
    size_t index = find(follow, child);
    if (index == follow->newborn_count)
        return false;
    welcome(follow, index, maker);
    return true;
}

void newborns_forget(struct follow *follow, pid_t tid)
{
    size_t index = find(follow, tid);
    if (index < follow->newborn_count)
        forget(follow, index);
}

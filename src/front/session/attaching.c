/* SPDX-License-Identifier: MIT */
#include "front/session/attaching.h"

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/proc.h"
#include "common/base/time.h"
#include "common/model/family.h"
#include "common/text/say.h"
#include "common/text/text.h"
#include "front/doctor/attach.h"
#include "front/doctor/attach_search.h"
#include "front/doctor/refusal.h"
#include "front/session/options.h"
#include "front/session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_CHILDREN = 10000, MOST_PASSES = 100, MOST_NAMES = 3 };

struct attaching {
    struct session *session;
    const struct attach_list *targets;
    struct attach_list attached; /* of the targets */
    struct attach_list tried;    /* number of their descendants */
    size_t children, refused;
    struct error refusal; /* the reason for the first refusal */
    size_t left_out;      /* of the targets */
    struct error reason;  /* the reason for the first of them */
};

static int explain_failure(const struct session *session, pid_t pid, int result, struct error *error)
{
    char what[48];
    snprintf(what, sizeof what, "cannot attach to process %d", (int)pid);
    if (result == -ECHILD && session->ended_early)
        return error_set(error, ECHILD, "%s: %s; try later", what, session->ended_early);
    if (result == -EINTR)
        return error_set(error, EINTR, "%s: a process keeps the tracer waiting, and we were asked to end", what);
    if (result == -ETIMEDOUT)
        return error_set(error, ETIMEDOUT, "%s: it is stuck in execve(); try later", what);
    return refusal_explain(pid, what, result, error);
}

/* Notes that target PID, found by a search, could not be attached because of RESULT. Others may be. */
static void leave_out(struct attaching *attaching, pid_t pid, int result)
{
    bool ended = result == -ESRCH;
    if (!ended && !attaching->left_out)
        attaching->reason = (struct error){0};                            /* do not report the end of another process */
    explain_failure(attaching->session, pid, result, &attaching->reason); /* sets it only once */
    attaching->left_out += !ended;
}

static bool is_fatal(int result)
{
    return result == -ECHILD || result == -EINTR || result == -ENOMEM;
}

static int attach_targets(struct attaching *attaching, struct error *error)
{
    const struct attach_list *targets = attaching->targets;
    for (size_t i = 0; i < targets->count; i++) {
        pid_t pid = targets->items[i];
        int result = session_attach(attaching->session, pid);
        bool failed = result < 0 && result != -EALREADY;
        if (failed && (is_fatal(result) || attach_is_asked(targets, pid)))
            return explain_failure(attaching->session, pid, result, error);
        if (failed)
            leave_out(attaching, pid, result);
        else if (attach_add(&attaching->attached, pid, error) < 0)
            return -ENOMEM;
    }
    if (attaching->attached.count || !attaching->reason.errnum)
        return 0;
    *error = attaching->reason;
    return -error->errnum;
}

/* Returns true if MEMBER is a descendant of a target. Returns false for ptprofil itself, its descendants and its
 * ancestors (a shell, sudo). */
static bool is_wanted(const struct attaching *attaching, const struct family *family,
                      const struct family_member *member)
{
    const struct attach_list *targets = &attaching->attached;
    pid_t self = getpid();
    return member->tracer != attaching->session->tracer && member->pid != self &&
           family_is_below_any(family, member->pid, targets->items, targets->count) &&
           !family_is_below(family, member->pid, self) && !family_is_below(family, self, member->pid);
}

/* Returns 1 if PID is new, 0 if it was tried before, is already traced by us, has ended or must not be traced, or
 * -errno with ERROR set. */
static int attach_child(struct attaching *attaching, pid_t pid, struct error *error)
{
    size_t before = attaching->tried.count;
    if (attach_add(&attaching->tried, pid, error) < 0)
        return -ENOMEM;
    if (attaching->tried.count == before)
        return 0;
    int result = session_attach(attaching->session, pid);
    if (is_fatal(result))
        return explain_failure(attaching->session, pid, result, error);
    if (!result)
        attaching->children++;
    else if (result != -EALREADY && result != -ESRCH && !attach_has_ended(pid) && !attaching->refused++)
        explain_failure(attaching->session, pid, result, &attaching->refusal);
    return !result;
}

/* Returns how many were new, or -errno with ERROR set. */
static int attach_children_now(struct attaching *attaching, struct error *error)
{
    struct family family = {0};
    int count = 0, result = attach_search_family(&family, error);
    for (size_t i = 0; result >= 0 && i < family.count && attaching->tried.count < MOST_CHILDREN; i++) {
        result =
            is_wanted(attaching, &family, &family.items[i]) ? attach_child(attaching, family.items[i].pid, error) : 0;
        count += result > 0;
    }
    family_fini(&family);
    return result < 0 ? result : count;
}

/* Attaches to the descendants of the targets. Children of an attached process are followed. A process that is not
 * attached yet may start others. If a pass finds no new process, all that can be attached are. */
static int attach_children(struct attaching *attaching, struct error *error)
{
    int result = 1;
    for (int pass = 0; result > 0 && pass < MOST_PASSES; pass++)
        result = attach_children_now(attaching, error);
    return result;
}

static void list_targets(const struct attach_list *targets, struct buffer *text)
{
    for (size_t i = 0; i < targets->count && i < MOST_NAMES; i++) {
        char *name = attach_name(targets->items[i]);
        buffer_printf(text, "%s%s (%d)", i ? ", " : "", name ? name : "?", (int)targets->items[i]);
        free(name);
    }
    if (targets->count > MOST_NAMES)
        buffer_printf(text, ", %zu more", targets->count - MOST_NAMES);
}

static void say_attached(const struct attaching *attaching)
{
    const struct session_options *options = attaching->session->options;
    struct buffer text = {0};
    list_targets(&attaching->attached, &text);
    if (attaching->children)
        buffer_printf(&text, " and %zu %s", attaching->children, text_plural(attaching->children, "child", "children"));
    if (options->duration_ns)
        buffer_printf(&text, " for %g s", (double)options->duration_ns / 1e9);
    say_line(stderr, "profiling %s; Ctrl-C ends%s", text.failed ? "?" : text.bytes,
             options->duration_ns ? " it sooner" : "");
    buffer_fini(&text);
}

static void say_refused(const struct attaching *attaching)
{
    if (attaching->left_out)
        say_line(stderr, "%zu %s left out: %s", attaching->left_out,
                 text_plural(attaching->left_out, "process is", "processes are"), attaching->reason.text);
    if (attaching->refused)
        say_line(stderr, "%zu %s left out: %s", attaching->refused,
                 text_plural(attaching->refused, "child is", "children are"), attaching->refusal.text);
    if (attaching->tried.count >= MOST_CHILDREN)
        say_line(stderr, "there are more than %d children: the others are left out", MOST_CHILDREN);
}

int attaching_run(struct session *session, struct error *error)
{
    struct attaching attaching = {.session = session, .targets = &session->options->targets};
    int result = attach_targets(&attaching, error);
    if (!result && session->options->follow)
        result = attach_children(&attaching, error);
    if (!result) {
        if (!session->options->quiet && attaching.targets->count)
            say_attached(&attaching);
        else if (!session->options->quiet)
            say_line(stderr, "waiting for processes; Ctrl-C ends%s", session->options->duration_ns ? " it sooner" : "");
        if (!session->options->again)
            say_refused(&attaching);
    }
    attach_fini(&attaching.attached);
    attach_fini(&attaching.tried);
    return result;
}

/* Returns true if a process was created since the last call, or if that is unknown. */
static bool has_arrivals(struct arrivals *arrivals)
{
    char text[sizeof arrivals->last] = "";
    int fd = proc_open("/proc/loadavg", O_RDONLY);
    ssize_t length = fd < 0 ? -1 : proc_read(fd, text, sizeof text);
    if (fd >= 0)
        close(fd);
    const char *last = length > 0 ? strrchr(text, ' ') : NULL;
    bool changed = !last || strcmp(last, arrivals->last) != 0;
    snprintf(arrivals->last, sizeof arrivals->last, "%s", last ? last : "");
    return changed;
}

void attaching_take_arrivals(struct session *session)
{
    const uint64_t named_ns = 1000000000, soon_ns = 30000000, later_ns = 500000000;
    struct arrivals *arrivals = &session->arrivals;
    uint64_t began_ns = time_now_ns();
    if (!session->options->search_again || began_ns < arrivals->next_ns)
        return;
    if (has_arrivals(arrivals))
        arrivals->until_ns = began_ns + named_ns;
    if (began_ns < arrivals->until_ns)
        attaching_again(session, &(struct error){0});
    uint64_t now_ns = time_now_ns(), pause_ns = session->options->wait ? soon_ns : later_ns;
    uint64_t least_ns = (session->options->wait ? 20 : 200) * (now_ns - began_ns);
    arrivals->next_ns = now_ns + (pause_ns > least_ns ? pause_ns : least_ns);
}

int attaching_again(struct session *session, struct error *error)
{
    struct attach_list found = {0};
    struct attaching attaching = {.session = session, .targets = &found};
    int result = attach_search_again(&found, &session->options->targets, error);
    if (!result)
        attach_targets(&attaching, &(struct error){0});
    if (!result && session->options->follow && attaching.attached.count)
        attach_children(&attaching, &(struct error){0});
    session_begin(session); /* during the wait for an answer, nothing looked at our children */
    attach_fini(&attaching.attached);
    attach_fini(&attaching.tried);
    attach_fini(&found);
    return result;
}

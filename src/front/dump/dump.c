/* SPDX-License-Identifier: MIT */
#include "front/dump/dump.h"

#include "common/base/array.h"
#include "common/base/hash.h"
#include "common/base/proc.h"
#include "common/model/proctext.h"
#include "common/model/wait.h"
#include "front/session/looks.h"
#include "profile/profile/instants.h"
#include "profile/profile/profile.h"
#include "profile/profile/stack.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NS_IN_US = 1000 }; /* times of a profile are in whole microseconds */

void dump_fini(struct dump *dump)
{
    for (size_t i = 0; i < dump->count; i++)
        free(dump->items[i].reason);
    free(dump->items);
    *dump = (struct dump){0};
}

struct dump_thread *dump_find(const struct dump *dump, pid_t pid, pid_t tid)
{
    for (size_t i = 0; i < dump->count; i++)
        if (dump->items[i].tid == tid && dump->items[i].pid == pid)
            return &dump->items[i];
    return NULL;
}

const struct profile_process *dump_process(const struct dump *dump, pid_t pid)
{
    const struct profile_process *found = NULL;
    for (size_t i = 0; i < dump->profile->process_count; i++)
        if (dump->profile->processes[i].pid == pid)
            found = &dump->profile->processes[i];
    return found;
}

/* Reads /proc/PID/task/TID/NAME into TEXT. Returns false if the thread has ended. */
static bool read_file(pid_t pid, pid_t tid, const char *name, char *text, size_t size)
{
    char path[96];
    snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)pid, (int)tid, name);
    int fd = proc_open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? fd : proc_read(fd, text, size);
    if (fd >= 0)
        close(fd);
    return got > 0;
}

/* Sets what /proc shows of THREAD. */
static void read_state(struct dump_thread *thread)
{
    pid_t pid = thread->pid;
    char text[1024];
    struct schedstat times;
    int cpu;
    if (read_file(pid, thread->tid, "stat", text, sizeof text))
        proctext_stat(text, &thread->state, &cpu);
    if (read_file(pid, thread->tid, "schedstat", text, sizeof text) && proctext_schedstat(text, &times))
        thread->ran_ns = times.ran_ns;
    if (read_file(pid, thread->tid, "comm", text, sizeof text)) {
        text[strcspn(text, "\n")] = 0;
        snprintf(thread->name, sizeof thread->name, "%.15s", text);
    }
}

static bool add_thread(struct dump *dump, pid_t pid, pid_t tid)
{
    struct dump_thread thread = {.pid = pid, .tid = tid};
    if (!ARRAY_RESERVE_ONE(dump))
        return false;
    read_state(&thread);
    dump->items[dump->count++] = thread;
    return true;
}

/* The first thread of a process comes first, even if later ones have smaller numbers. */
static int by_tid(const void *one, const void *other)
{
    const struct dump_thread *a = one, *b = other;
    int order = (a->pid > b->pid) - (a->pid < b->pid);
    order = order ? order : (b->tid == b->pid) - (a->tid == a->pid);
    return order ? order : (a->tid > b->tid) - (a->tid < b->tid);
}

static bool add_threads(struct dump *dump, pid_t pid)
{
    char path[64];
    bool added = true;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *folder = proc_opendir(path);
    for (struct dirent *entry; added && folder && (entry = readdir(folder));)
        if (entry->d_name[0] != '.')
            added = add_thread(dump, pid, (pid_t)strtol(entry->d_name, NULL, 10));
    if (folder)
        closedir(folder);
    return added;
}

int dump_read(struct dump *dump, const pid_t *pids, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!add_threads(dump, pids[i]))
            return -ENOMEM;
    if (dump->count)
        qsort(dump->items, dump->count, sizeof *dump->items, by_tid);
    return 0;
}

/* A hash of the frames of SAMPLE. */
static uint64_t stack_hash(const struct profile *profile, const struct profile_sample *sample)
{
    uint64_t hash = hash_bytes(profile->frames + sample->frame_first, sample->frame_count * sizeof *profile->frames);
    return (hash ^ (uint32_t)sample->syscall ^ (uint64_t)sample->cut << 32) | 1;
}

/* Gives each thread the sample that was taken last, in the last look: earlier ones were taken before the interpreter or
 * the whole stack was known. */
static void take_samples(struct dump *dump, const struct looks *looks, uint64_t look_ns)
{
    const struct profile *profile = dump->profile;
    struct instants_reader reader;
    struct instant instant;
    instants_read(&reader, &profile->instants);
    while (instants_next(&reader, &instant)) {
        const struct profile_sample *sample = &profile->samples[instant.sample];
        const struct profile_thread *of = &profile->threads[sample->thread];
        const struct dump_thread wanted = {.pid = profile->processes[of->process].pid, .tid = of->tid};
        struct dump_thread *thread =
            dump->count ? bsearch(&wanted, dump->items, dump->count, sizeof wanted, by_tid) : NULL;
        if (!thread || !instant.count || instant.time_ns + NS_IN_US < look_ns)
            continue;
        thread->sample = sample;
        thread->stack = stack_hash(profile, sample);
        thread->call = looks_find(looks, thread->tid);
        thread->waits = thread->call != NULL;
    }
}

static int waits_rank(const struct dump_thread *thread)
{
    return thread->waits || !thread->sample;
}

static int running_first(const void *one, const void *other)
{
    const struct dump_thread *a = one, *b = other;
    int order = (a->pid > b->pid) - (a->pid < b->pid);
    order = order ? order : waits_rank(a) - waits_rank(b);
    return order ? order : by_tid(a, b);
}

static int waiting_first(const void *one, const void *other)
{
    const struct dump_thread *a = one, *b = other;
    int order = (a->pid > b->pid) - (a->pid < b->pid);
    order = order ? order : waits_rank(b) - waits_rank(a);
    return order ? order : by_tid(a, b);
}

static void compare(struct dump *dump, const struct dump *before)
{
    for (size_t i = 0; i < dump->count; i++) {
        struct dump_thread *thread = &dump->items[i];
        const struct dump_thread *earlier = dump_find(before, thread->pid, thread->tid);
        thread->since_ns = thread->ran_ns - (earlier && earlier->ran_ns <= thread->ran_ns ? earlier->ran_ns : 0);
    }
}

void dump_fill(struct dump *dump, const struct profile *profile, const struct looks *looks, uint64_t look_ns,
               enum dump_sort sort, const struct dump *before)
{
    static int (*const orders[])(const void *, const void *) = {
        [DUMP_BY_TID] = by_tid, [DUMP_RUNNING_FIRST] = running_first, [DUMP_WAITING_FIRST] = waiting_first};
    dump->profile = profile;
    take_samples(dump, looks, look_ns);
    if (before)
        compare(dump, before);
    dump_find_reasons(dump);
    if (dump->count)
        qsort(dump->items, dump->count, sizeof *dump->items, orders[sort]);
}

/* A location has a frame for each of its lines, the function itself last. A recursive call may have the same location
 * several times in a row. */
bool dump_is_inlined(const struct profile *profile, const struct stack *stack, size_t index)
{
    uint32_t location = stack->items[index].location, count = 0, lines = 0;
    if (location != PROFILE_NONE)
        lines = profile->locations[location].line_count;
    while (lines && index-- > 0 && stack->items[index].location == location)
        count++;
    return lines && count % lines < lines - 1;
}

const char *dump_state(const struct dump_thread *thread)
{
    if (thread->sample && thread->sample->syscall == WAIT_STOPPED)
        return "stopped";
    if (thread->sample && !thread->waits)
        return "running";
    switch (thread->state) {
    case 'D':
        return "in uninterruptible sleep";
    case 'T':
    case 't':
        return "stopped";
    case 'R':
        return "running";
    case 'Z':
    case 'X':
        return "ended, a zombie";
    case 0:
        return "ended";
    case 'I':
        return "idle";
    default:
        return "sleeping";
    }
}

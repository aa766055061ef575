/* SPDX-License-Identifier: MIT */
#include "tracer/clock/picker.h"

#include "common/base/array.h"
#include "common/base/proc.h"
#include "common/base/time.h"
#include "common/model/judge.h"
#include "tracer/clock/blockers.h"
#include "tracer/clock/cpu_timer.h"
#include "tracer/tracee/cpu_clock.h"
#include "tracer/tracee/procfs.h"
#include "tracer/tracee/table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    LACK_NS = 8000,          /* before it is learned */
    QUIET_LOOKS = 20,        /* a thread that has not run in this many looks is quiet */
    CROWD_QUIET_LOOKS = 200, /* the same in a process with too many threads to look at all of them on each tick */
    MUCH_NS = 1000000,       /* in a crowd, a thread is looked at more closely after this much CPU time */
    KERNEL_SHARE = 10,       /* this part (1/10) of a thread's time */
    CONTENDED_TICKS = 100,   /* ticks for which other programs are assumed to compete for the CPUs */
    DOUBTFUL_TICKS = 10,     /* the same, after a wait shorter than SHORT_WAIT_NS */
    SHORT_WAIT_NS = 200000,  /* such a wait may only mean that our own thread had to leave the CPU */
    MOST_HERE = 256,         /* how many threads of a process, last seen on a CPU, are looked at, */
    MOST_ELSEWHERE = 128,    /* and the number of all threads, without a match */
    MOST_NEWER = 112,        /* of a part of a process's threads, those created after the one found last */
    MANY = 64,               /* looks at more threads in vain are followed by a rest */
    REST_FACTOR = 4,         /* that is this many times longer, */
    REST_THREADS = 1000,     /* and once more for each of this many threads: a look passes only some of them */
    MOST_RIVALS = 64         /* how many threads that wait for one CPU are looked at closely */
};

const struct clock_thread clock_thread_initial = {.cpu = -1, .busy = true};

void picker_start(struct picker *picker, struct table *table, const volatile sig_atomic_t *news)
{
    memset(picker, 0, sizeof *picker);
    picker->table = table;
    picker->news = news;
    picker->taken_cpu = -1;
    picker->lack_ns = LACK_NS;
    picker->own_sched_fd = procfs_open(getpid(), (pid_t)syscall(SYS_gettid), "sched");
}

void picker_activate(struct process *process, uint64_t now_ns)
{
    process->clock->quiet_ticks = 0;
    process->clock->account.moved_at_ns = now_ns;
    if (process->clock->active)
        return;
    process->clock->active = true;
    cpu_timer_set_far(process);
}

void picker_timer_rang(struct picker *picker, uint64_t now_ns)
{
    for (size_t i = 0; i < picker->table->process_count; i++) {
        struct process *process = picker->table->processes[i];
        if (!process->clock->active && cpu_clock_ns(process) != process->clock->account.seen_ns)
            picker_activate(process, now_ns);
    }
}

bool picker_any(const struct picker *picker, bool asleep)
{
    for (size_t i = 0; i < picker->table->process_count; i++) {
        const struct process *process = picker->table->processes[i];
        if (asleep || process->clock->active)
            return true;
    }
    return false;
}

/* Reads the file NAME of THREAD through descriptor *FD, which is opened at first use and stays open if descriptors
 * are not scarce. */
static bool read_file(const struct thread *thread, int *fd, const char *name, char *text, size_t size)
{
    if (*fd < 0)
        *fd = procfs_open(thread->process->pid, thread->tid, name);
    if (*fd < 0)
        return false;
    bool read = proc_read(*fd, text, size) > 0;
    if (proc_is_last(*fd)) {
        close(*fd);
        *fd = -1;
    }
    return read;
}

bool picker_schedstat(struct thread *thread, struct schedstat *now)
{
    char text[96];
    return read_file(thread, &thread->schedstat_fd, "schedstat", text, sizeof text) && proctext_schedstat(text, now);
}

bool picker_blocked(struct thread *thread, struct blocked *where)
{
    char text[256];
    return read_file(thread, &thread->syscall_fd, "syscall", text, sizeof text) && proctext_blocked(text, where);
}

/* Returns whether THREAD is running or waiting for a CPU, and sets *CPU to that CPU, or to its last one. KNOWN: it was
 * on TAKEN_CPU at its last stop and most likely still is. Then a cheaper file suffices, because the stop shows if this
 * is wrong. */
static bool is_running(struct thread *thread, bool known, int taken_cpu, int *cpu)
{
    char text[1024], state;
    /* A process that is protected does not show this file. */
    if (known && read_file(thread, &thread->syscall_fd, "syscall", text, sizeof text)) {
        *cpu = taken_cpu;
        return !strncmp(text, "running", 7);
    }
    if (!read_file(thread, &thread->stat_fd, "stat", text, sizeof text) || !proctext_stat(text, &state, cpu) ||
        state != 'R')
        return false;
    thread->clock->real_time = proctext_real_time(text);
    return true;
}

/* Returns true if THREAD, which was on the taken CPU, has not gone to sleep there. This is the only file with the state
 * that can be read while the thread executes a program. */
static bool wants_cpu(const struct thread *thread)
{
    char text[256];
    const char *state = procfs_text(thread->process->pid, thread->tid, "status", text, sizeof text) > 0
                            ? strstr(text, "\nState:\t")
                            : NULL;
    return state && state[strlen("\nState:\t")] == 'R';
}

bool picker_works_in_kernel(struct thread *thread)
{
    char text[1024];
    uint64_t user, system;
    return read_file(thread, &thread->stat_fd, "stat", text, sizeof text) && proctext_times(text, &user, &system) &&
           system * KERNEL_SHARE >= user + system;
}

bool picker_faults(struct thread *thread, uint64_t *faults)
{
    char text[1024];
    return read_file(thread, &thread->stat_fd, "stat", text, sizeof text) && proctext_faults(text, faults);
}

static void add_candidate(struct picker *picker, struct candidate candidate)
{
    if (candidate.guessed || candidate.certain)
        candidate.cpu = picker->taken_cpu;
    if (ARRAY_RESERVE_ONE(picker))
        picker->items[picker->count++] = candidate;
}

/* Returns true if THREAD may be on a CPU. RAN: its CPU time since the last look; MOVED: it has been put on a CPU since
 * then. */
static bool may_run(const struct thread *thread, bool moved, uint64_t ran, enum crowd crowd)
{
    if (crowd == CROWD_NONE)
        return moved || thread->clock->busy;
    return moved && (thread->clock->busy || ran >= MUCH_NS);
}

/* Returns true if most ticks can skip THREAD, because nothing has changed in it for some looks. */
static bool is_quiet(const struct thread *thread, enum crowd crowd)
{
    uint32_t looks = thread->process->thread_count > PICKER_THREADS ? CROWD_QUIET_LOOKS : QUIET_LOOKS;
    return thread->clock->account.quiet_looks > looks || crowd == CROWD_TOO_LARGE;
}

uint64_t picker_note(struct picker *picker, struct thread *thread, const struct schedstat *now)
{
    uint64_t waited_ns = thread->clock->account.seen.waited_ns, ran_ns = account_look(&thread->clock->account, now);
    picker->queued_ns += now->waited_ns > waited_ns ? now->waited_ns - waited_ns : 0;
    picker->ran_ns += ran_ns;
    return ran_ns;
}

uint64_t picker_look_at(struct picker *picker, struct thread *thread, enum crowd crowd)
{
    struct clock_thread *own = thread->clock;
    struct schedstat now, before = own->account.seen;
    if (!picker_schedstat(thread, &now))
        return 0;
    uint64_t ran = picker_note(picker, thread, &now);
    picker->looked++;
    /* A displaced thread has just run. Use the cheaper file only for a thread that is not about to sleep: reading it
     * would have to wait for that thread. */
    bool taken = picker->taken_cpu >= 0,
         known = own->place_known && own->cpu == picker->taken_cpu && !account_is_interrupted(&own->account);
    bool wanted = taken ? ran : may_run(thread, ran || now.arrivals != before.arrivals, ran, crowd);
    int64_t unexplained_ns = taken ? account_unexplained(&own->account, &now, picker->taken_ns) : ACCOUNT_UNKNOWN;
    bool certain = wanted && account_has_lost_cpu(unexplained_ns, picker->lack_ns);
    bool guessed = !certain && taken && !known && picker->sees_displaced && thread->process->thread_count == 1;
    bool runs = certain || (wanted && (guessed || is_running(thread, known, picker->taken_cpu, &own->cpu)));
    if (runs || (wanted && ran))
        own->busy = true;
    else if (!taken && is_quiet(thread, crowd))
        own->busy = false;
    bool asked = thread->asked && !taken; /* a tick may meet it again before it stops */
    if (runs && thread->process->image && !thread->process->foreign && !asked && !thread->shielded)
        add_candidate(picker, (struct candidate){.thread = thread,
                                                 .before = now,
                                                 .cpu = own->cpu,
                                                 .guessed = guessed,
                                                 .certain = certain,
                                                 .unexplained_ns = unexplained_ns});
    return ran;
}

void picker_contended(struct picker *picker, uint64_t waited_ns)
{
    uint32_t ticks = waited_ns < SHORT_WAIT_NS ? DOUBTFUL_TICKS : CONTENDED_TICKS;
    if (ticks > picker->contended_ticks)
        picker->contended_ticks = ticks;
}

static bool look_closely(struct thread *thread, struct schedlook *seen)
{
    char text[4096];
    return read_file(thread, &thread->sched_fd, "sched", text, sizeof text) && proctext_sched(text, seen);
}

/* Reads the scheduler's data about a thread of ours. */
static bool look_at_ours(int sched_fd, struct schedlook *seen)
{
    char text[4096];
    return sched_fd >= 0 && proc_read(sched_fd, text, sizeof text) > 0 && proctext_sched(text, seen);
}

/* Finds the thread that one of our threads displaced at BEGAN_NS (scheduler's clock). Its time on the CPU ended when
 * ours began. The candidates may have been on that CPU; a thread that ran later did so on another one. */
static struct candidate *find_until(struct candidate **rivals, size_t count, uint64_t began_ns)
{
    struct schedlook seen;
    for (size_t i = 0; i < count; i++) {
        if (!look_closely(rivals[i]->thread, &seen) || seen.last_ns != began_ns)
            continue;
        if (rivals[i]->guessed && !wants_cpu(rivals[i]->thread))
            continue;
        rivals[i]->certain = true;
        rivals[i]->thread->clock->cpu = rivals[i]->cpu;
        return rivals[i];
    }
    /* None of them: a thread that was expected here may have moved. */
    for (size_t i = 0; i < count; i++)
        rivals[i]->thread->clock->place_known = false;
    return NULL;
}

/* Like find_until, for the caller's own CPU, which the caller took. */
static struct candidate *find_displaced(const struct picker *picker, struct candidate **rivals, size_t count)
{
    struct schedlook own;
    uint64_t ran_ns = time_read_ns(CLOCK_THREAD_CPUTIME_ID); /* reading this clock updates the scheduler's data */
    if (!look_at_ours(picker->own_sched_fd, &own))
        return count == 1 ? rivals[0] : NULL;
    return find_until(rivals, count, own.last_ns - (ran_ns - picker->own_ran_ns));
}

/* Like find_until, for a CPU that a blocker took. The blocker has not been switched out since. */
static struct candidate *find_taken(int blocker_sched_fd, struct candidate **rivals, size_t count)
{
    struct schedlook blocker;
    if (!look_at_ours(blocker_sched_fd, &blocker))
        return count == 1 ? rivals[0] : NULL;
    return find_until(rivals, count, blocker.last_ns);
}

/* Finds the thread that runs on another CPU, among those that run there or wait for it. */
static struct candidate *find_running(struct candidate **rivals, size_t count)
{
    struct schedlook seen;
    for (size_t i = 0; i < count; i++) {
        if (look_closely(rivals[i]->thread, &seen) && picker_schedstat(rivals[i]->thread, &rivals[i]->before) &&
            judge_on_cpu(rivals[i]->before.arrivals, seen.switches))
            return rivals[i];
    }
    return NULL;
}

/* Gathers the candidates on CPU, starting at number FROM. If these are too many, only some of them. */
static size_t gather(struct picker *picker, size_t from, int cpu, struct candidate **rivals)
{
    size_t count = 0, all = picker->count - from;
    picker->random = picker->random * 1664525u + 1013904223u;
    size_t skip = all > MOST_RIVALS ? picker->random % all : 0;
    for (size_t i = 0; i < all && count < MOST_RIVALS; i++) {
        struct candidate *candidate = &picker->items[from + (i + skip) % all];
        if (candidate->cpu == cpu)
            rivals[count++] = candidate;
    }
    return count;
}

/* Returns the number of the first thread of PROCESS to look at, in a process with too many. Threads that take turns
 * often do so in the order of their creation, so the first one is somewhat newer than the thread found last. */
static size_t first_of(const struct process *process)
{
    size_t newer = 0;
    if (process->thread_count <= MOST_ELSEWHERE)
        return 0;
    for (const struct thread *thread = process->threads; thread; thread = thread->next)
        newer += thread->tid > process->clock->near;
    return (newer + process->thread_count - MOST_NEWER) % process->thread_count;
}

static bool is_wanted(const struct thread *thread, int cpu, bool elsewhere)
{
    bool here = thread->clock->cpu == cpu && (thread->clock->busy || thread->process->thread_count == 1);
    return here != elsewhere;
}

/* Returns false if the threads found since the last look explain all CPU time of PROCESS. */
static bool has_unexplained(const struct process *process)
{
    const struct process_account *account = &process->clock->account;
    return process->thread_count == 1 || cpu_clock_ns(process) - account->scanned_ns > account->explained_ns;
}

/* Looks at up to MOST wanted threads of PROCESS. Returns how many. */
static size_t look_at_some(struct picker *picker, struct process *process, int cpu, bool elsewhere, size_t most)
{
    size_t first = first_of(process), looked = 0;
    pid_t began = 0;
    for (int round = 0; round < 2; round++) {
        size_t number = 0;
        for (struct thread *thread = process->threads; thread && looked < most; thread = thread->next) {
            if ((number++ >= first) != (round == 0) || !is_wanted(thread, cpu, elsewhere))
                continue;
            process->clock->account.explained_ns += picker_look_at(picker, thread, CROWD_NONE);
            began = looked++ ? began : thread->tid;
        }
    }
    if (looked == most)
        process->clock->near = began; /* the next look begins with other threads, if this one is in vain */
    return looked;
}

/* Looks at threads that were last seen on CPU. ELSEWHERE: looks instead at the others, if their processes ran. */
static void look_at_cpu(struct picker *picker, int cpu, bool elsewhere)
{
    size_t left = MOST_ELSEWHERE;
    for (size_t i = 0; i < picker->table->process_count && left; i++) {
        struct process *process = picker->table->processes[i];
        if (process->clock->active && !elsewhere)
            look_at_some(picker, process, cpu, false, MOST_HERE);
        else if (process->clock->active && has_unexplained(process))
            left -= look_at_some(picker, process, cpu, true, left);
    }
}

/* Finds the only one of the candidates whose counts show that it has just lost its CPU. That takes no further reads. If
 * several seem to, the scheduler's data decide. */
static struct candidate *find_certain(struct candidate **rivals, size_t count)
{
    struct candidate *found = NULL;
    size_t several = 0;
    for (size_t i = 0; i < count; i++)
        if (rivals[i]->certain) {
            found = rivals[i];
            several++;
        }
    for (size_t i = 0; several > 1 && i < count; i++)
        rivals[i]->certain = false;
    if (several != 1)
        return NULL;
    found->thread->clock->cpu = found->cpu;
    return found;
}

static struct candidate *find(struct picker *picker, const struct blocker *blocker, struct candidate **rivals,
                              size_t count)
{
    struct candidate *certain = find_certain(rivals, count);
    if (!count || certain)
        return certain;
    if (blocker->unavailable)
        return find_running(rivals, count);
    return blocker->own ? find_displaced(picker, rivals, count) : find_taken(blocker->sched_fd, rivals, count);
}

/* Finds the thread of the last tick if it still has the CPU. That is usual even if many threads take turns there, and
 * avoids looking at the others. */
static struct candidate *find_last(struct picker *picker, const struct blocker *blocker)
{
    struct thread *last = blocker->last ? table_thread(picker->table, blocker->last) : NULL;
    struct candidate *only = &picker->items[0];
    if (!blocker->rivalry || !last || last->clock->cpu != blocker->cpu)
        return NULL;
    last->process->clock->account.explained_ns += picker_look_at(picker, last, CROWD_NONE);
    return picker->count == 1 && only->cpu == blocker->cpu ? find(picker, blocker, &only, 1) : NULL;
}

/* Returns true if no thread but CANDIDATE, the only one on its CPU, can have been displaced there. */
static bool is_alone(const struct picker *picker, const struct candidate *candidate)
{
    return !candidate->guessed && !picker->contended_ticks &&
           !account_is_interrupted(&candidate->thread->clock->account);
}

/* Finds the thread among all that are worth a look. */
static struct candidate *find_any(struct picker *picker, struct blocker *blocker)
{
    struct candidate *rivals[MOST_RIVALS], *found;
    picker->count = 0;
    look_at_cpu(picker, blocker->cpu, false);
    size_t here = picker->count, count = gather(picker, 0, blocker->cpu, rivals);
    found = count == 1 && !rivals[0]->certain && is_alone(picker, rivals[0]) ? rivals[0]
                                                                             : find(picker, blocker, rivals, count);
    if (!found) {
        look_at_cpu(picker, blocker->cpu, true);
        size_t come = gather(picker, here, blocker->cpu, rivals);
        found = find(picker, blocker, rivals, come);
        count += come;
    }
    blocker->rivalry = count > 1;
    return found;
}

/* The same, but rests after looks at many threads in vain. */
static struct candidate *find_with_rests(struct picker *picker, struct blocker *blocker)
{
    picker->is_crowd = time_now_ns() < picker->vain_until_ns;
    if (picker->is_crowd)
        return NULL;
    bool many = picker->table->count > MANY; /* reading the clock takes time, too */
    uint64_t before_ns = many ? time_read_ns(CLOCK_THREAD_CPUTIME_ID) : 0;
    size_t before = picker->looked;
    struct candidate *found = find_any(picker, blocker);
    picker->is_crowd = !found && picker->looked - before > MANY;
    if (picker->is_crowd)
        picker->vain_until_ns = time_now_ns() + (time_read_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns) * REST_FACTOR *
                                                    (1 + picker->table->count / REST_THREADS);
    return found;
}

bool picker_choose(struct picker *picker, struct blocker *blocker, struct candidate *chosen)
{
    picker->taken_cpu = blocker->cpu;
    picker->sees_displaced = !blocker->unavailable && (blocker->own ? picker->own_sched_fd : blocker->sched_fd) >= 0;
    picker->count = 0;
    picker->is_crowd = false;
    picker->contended_ticks -= picker->contended_ticks > 0;
    struct candidate *found = find_last(picker, blocker);
    if (!found)
        found = find_with_rests(picker, blocker);
    blocker->last = found ? found->thread->tid : 0;
    if (found) {
        found->thread->process->clock->near = found->thread->tid;
        account_taken(&found->thread->clock->account);
        *chosen = *found;
    }
    return found;
}

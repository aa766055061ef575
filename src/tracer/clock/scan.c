/* SPDX-License-Identifier: MIT */
#include "tracer/clock/scan.h"

#include "common/base/time.h"
#include "common/model/account.h"
#include "common/model/wait.h"
#include "tracer/clock/cpu_timer.h"
#include "tracer/clock/picker.h"
#include "tracer/tracee/cpu_clock.h"
#include "tracer/tracee/table.h"

enum {
    QUIET_TICKS = 20,        /* a process is quiet if it has not run in this many looks */
    QUIET_NS = 100000000,    /* and for this long */
    UNEXPLAINED_NS = 200000, /* CPU time of a process that its busy threads need not explain */
    SCAN_OFTEN_TICKS = 10,   /* after this many full scans in quick succession, every tick makes one for a while */
    SCAN_ALWAYS_TICKS = 100, /* how long that lasts */
    FEW_THREADS = 64,        /* a look at this many is not interrupted and needs no pause after it */
    TOO_MANY_THREADS = 384   /* busy ones */
};

/* If too many threads run now and then, a tick cannot look at all of them: they take turns. */
static enum crowd crowd_of(const struct process *process)
{
    size_t busy = 0;
    if (process->thread_count <= PICKER_THREADS)
        return CROWD_NONE;
    for (const struct thread *thread = process->threads; thread; thread = thread->next)
        busy += thread->clock->busy;
    return busy > TOO_MANY_THREADS ? CROWD_TOO_LARGE : busy > PICKER_THREADS ? CROWD_FULL : CROWD_NONE;
}

/* Returns the thread *NEXT, at which the last look at threads of PROCESS was interrupted, or else the first thread. */
static struct thread *begin_at(const struct picker *picker, const struct process *process, pid_t next)
{
    struct thread *thread = next ? table_thread(picker->table, next) : NULL;
    return thread && thread->process == process ? thread : process->threads;
}

static bool is_enough(const struct picker *picker, size_t looked)
{
    return looked >= PICKER_THREADS || (looked >= FEW_THREADS && picker->news && *picker->news);
}

/* Looks at the BUSY threads of PROCESS, or at the others. Continues where the last look was interrupted. Returns false
 * if it is interrupted again. */
static bool look_at_threads(struct picker *picker, struct process *process, bool busy)
{
    pid_t *next = busy ? &process->clock->next_busy : &process->clock->next_quiet;
    struct thread *thread = begin_at(picker, process, *next);
    enum crowd crowd = crowd_of(process);
    for (size_t looked = 0; thread && !is_enough(picker, looked); thread = thread->next) {
        if (thread->clock->busy != busy)
            continue;
        process->clock->account.explained_ns += picker_look_at(picker, thread, crowd);
        looked++;
    }
    *next = thread ? thread->tid : 0;
    return !thread;
}

/* Returns true if all threads of PROCESS must be looked at: quiet threads, or threads that have ended, used CPU time
 * that busy threads do not explain. If this is often the case, many threads take turns, so each tick looks at all of
 * them for a while. */
static bool needs_scan(struct process *process)
{
    const struct process_account *account = &process->clock->account;
    if (process->clock->next_quiet)
        return true; /* the interrupted one */
    if (process->clock->scan_ticks_left) {
        process->clock->scan_ticks_left--;
        return true;
    }
    if (account->seen_ns - account->scanned_ns <= account->explained_ns + UNEXPLAINED_NS)
        return false;
    process->clock->scans_in_a_row =
        process->clock->ticks_since_scan < SCAN_OFTEN_TICKS ? process->clock->scans_in_a_row + 1 : 0;
    process->clock->ticks_since_scan = 0;
    if (process->clock->scans_in_a_row >= SCAN_OFTEN_TICKS) {
        process->clock->scans_in_a_row = 0;
        process->clock->scan_ticks_left = SCAN_ALWAYS_TICKS;
    }
    return true;
}

/* Most processes have one thread. Its CPU time is the time of the process. */
static bool single_thread_runs(struct picker *picker, struct process *process, uint64_t now_ns)
{
    size_t before = picker->count;
    if (process->threads)
        picker_look_at(picker, process->threads, CROWD_NONE);
    if (picker->count == before)
        return false;
    process->clock->quiet_ticks = 0;
    process->clock->account.moved_at_ns = now_ns;
    return true;
}

/* The clock of PROCESS has moved by NS. Kernel workers (io_uring) may have used that time: they cause no event. Looking
 * for them takes a microsecond for each thread, so it happens only after some CPU time. */
static void note_unfound(struct picker *picker, struct process *process, uint64_t ns)
{
    enum { UNFOUND_NS = 50000000, UNFOUND_NS_EACH = 200000 };
    process->clock->unfound_ns += ns;
    if (process->clock->unfound_ns < UNFOUND_NS + process->thread_count * UNFOUND_NS_EACH)
        return;
    process->clock->unfound_ns = 0;
    picker->unfound = process->pid;
}

static void look_at_process(struct picker *picker, struct process *process, uint64_t now_ns)
{
    bool single = process->thread_count <= 1;
    if (single && single_thread_runs(picker, process, now_ns))
        return;
    uint64_t clock = cpu_clock_ns(process);
    process->clock->quiet_ticks++;
    process->clock->ticks_since_scan++;
    if (clock != process->clock->account.seen_ns) {
        if (crowd_of(process) != CROWD_NONE)
            picker->crowd_ran_ns += clock - process->clock->account.seen_ns;
        note_unfound(picker, process, clock - process->clock->account.seen_ns);
        process->clock->account.seen_ns = clock;
        process->clock->account.moved_at_ns = now_ns;
        process->clock->quiet_ticks = 0;
    } else if (process->clock->has_timer && process->clock->quiet_ticks > QUIET_TICKS &&
               now_ns - process->clock->account.moved_at_ns > QUIET_NS) {
        process->clock->active = false;
        cpu_timer_set_near(process);
        return;
    }
    if (single)
        return;
    look_at_threads(picker, process, true);
    if (!needs_scan(process) || !look_at_threads(picker, process, false))
        return;
    process->clock->account.scanned_ns = process->clock->account.seen_ns;
    process->clock->account.explained_ns = 0;
}

bool scan_look(struct picker *picker, uint64_t now_ns)
{
    const struct table *table = picker->table;
    if (now_ns < picker->paused_until_ns)
        return false;
    uint64_t before_ns = time_read_ns(CLOCK_THREAD_CPUTIME_ID);
    picker->taken_cpu = -1;
    picker->count = picker->looked = 0;
    picker->crowd_ran_ns = 0;
    for (size_t i = 0; i < table->process_count; i++)
        if (table->processes[i]->clock->active)
            look_at_process(picker, table->processes[i], now_ns);
    if (picker->looked > FEW_THREADS)
        picker->paused_until_ns = time_now_ns() + wait_scan_pause(time_read_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns);
    return true;
}

/* SPDX-License-Identifier: MIT
 *
 * Tests of removing what was written into a process, as scripts. The input is what its threads do. The output is
 * whether the stubs are removed, the threads that were not seen to stop, and the longest time that this took.
 *
 * A script has commands, each with ';' behind it. Threads are numbers:
 *   running N       it stops when it is asked to
 *   slow N MS       it stops MS milliseconds later
 *   inside N STOPS  its PC is in a stub at its first STOPS stops
 *   dead N          it has ended, without an event
 *   deep N A MS     it waits uninterruptibly in the kernel at A for MS milliseconds (0: without end)
 *   signal N        a signal of a breakpoint is pending for N, if it is at one (at 3)
 *   shielded N A    it must not be interrupted, and sleeps at A (in the stub: 1)
 *   churn N         at each look at events, N threads end, and N are created
 *   planted         a breakpoint remains until each thread has stopped
 *   alone           the front has died */
#include "tracer/loop/dispatch.h"
#include "tracer/loop/settle.h"
#include "tracer/plant/breakpoints.h"
#include "tracer/tracee/procfs.h"
#include "tracer/tracee/request.h"

#include "common/arch/arch.h"
#include "common/model/proctext.h"
#include "common/wire/channel.h"
#include "common/wire/shared.h"
#include "fake_table.h"
#include "tracer/calls/calls.h"
#include "tracer/loop/state.h"
#include "tracer/loop/tracer.h"
#include "unit.h"
#include "unit_log.h"

#include <stdlib.h>
#include <unistd.h>

enum { FIRST = 5000000, MOST = 64, STUB = 1, ELSEWHERE = 2, BYTE = 3, LEADER = 60 };
#define MS 1000000ull

static struct {
    uint64_t now_ns;
    struct {
        bool asked, dead, signal;
        uint64_t slow_ns, stops_ns, deep_until_ns, woken_until_ns, place;
        unsigned inside;
    } threads[MOST];
    bool planted;
    int churn;
    uint64_t dispatched_ns;
} fake;

static struct tracer tracer;

static int number_of(pid_t tid)
{
    ck_assert(tid >= FIRST && tid < FIRST + MOST);
    return (int)(tid - FIRST);
}

uint64_t __wrap_time_now_ns(void);
uint64_t __wrap_time_now_ns(void)
{
    return fake.now_ns;
}

int __wrap_usleep(useconds_t us);
int __wrap_usleep(useconds_t us)
{
    fake.now_ns += us * 1000ull;
    return 0;
}

int __wrap_request_interrupt(pid_t tid);
int __wrap_request_interrupt(pid_t tid)
{
    int number = number_of(tid);
    if (!fake.threads[number].asked)
        fake.threads[number].stops_ns = fake.now_ns + fake.threads[number].slow_ns;
    fake.threads[number].asked = true;
    return 0;
}

bool __wrap_procfs_is_dead(pid_t pid, pid_t tid);
bool __wrap_procfs_is_dead(pid_t pid, pid_t tid)
{
    (void)pid;
    return fake.threads[number_of(tid)].dead;
}

bool __wrap_procfs_waits_in_kernel(pid_t pid, pid_t tid);
bool __wrap_procfs_waits_in_kernel(pid_t pid, pid_t tid)
{
    (void)pid;
    return fake.now_ns < fake.threads[number_of(tid)].deep_until_ns;
}

bool __wrap_procfs_blocked(pid_t pid, pid_t tid, struct blocked *where);
bool __wrap_procfs_blocked(pid_t pid, pid_t tid, struct blocked *where)
{
    (void)pid;
    *where = (struct blocked){.syscall = 35, .pc = fake.threads[number_of(tid)].place, .sp = 0x8000};
    return true;
}

bool __wrap_procfs_may_wait(pid_t tid, int sig);
bool __wrap_procfs_may_wait(pid_t tid, int sig)
{
    ck_assert_int_eq(sig, SIGILL);
    return fake.threads[number_of(tid)].signal;
}

bool __wrap_procfs_has_signal(pid_t tid);
bool __wrap_procfs_has_signal(pid_t tid)
{
    return fake.now_ns < fake.threads[number_of(tid)].woken_until_ns;
}

const struct breakpoint *__wrap_breakpoints_at(const struct process *process, uint64_t address);
const struct breakpoint *__wrap_breakpoints_at(const struct process *process, uint64_t address)
{
    static const struct breakpoint byte;
    (void)process;
    return address == BYTE ? &byte : NULL;
}

void __wrap_questions_drop(struct tracer *own);
void __wrap_questions_drop(struct tracer *own)
{
    (void)own;
}

void __wrap_dispatch_told(struct tracer *own);
void __wrap_dispatch_told(struct tracer *own)
{
    (void)own;
}

void __wrap_calls_close(struct calls *calls);
void __wrap_calls_close(struct calls *calls)
{
    calls->closing = true;
}

bool __wrap_calls_are_back(const struct calls *calls, const struct process *process);
bool __wrap_calls_are_back(const struct calls *calls, const struct process *process)
{
    (void)process;
    return calls->closing && !fake.planted;
}

bool __wrap_calls_settled(const struct calls *calls, const struct thread *thread, uint64_t pc, uint64_t sp);
bool __wrap_calls_settled(const struct calls *calls, const struct thread *thread, uint64_t pc, uint64_t sp)
{
    (void)calls, (void)sp;
    return pc != STUB && !(pc == BYTE && fake.threads[number_of(thread->tid)].signal);
}

void __wrap_calls_left(const struct calls *calls, struct process *process);
void __wrap_calls_left(const struct calls *calls, struct process *process)
{
    (void)calls, (void)process;
    note("back");
}

static void add_thread(int number)
{
    struct table *table = &tracer.follow.table;
    ck_assert_ptr_nonnull(table_add_thread(table, table->processes[0], FIRST + number));
}

static void stop(int number)
{
    struct thread *thread = table_thread(&tracer.follow.table, FIRST + number);
    if (!fake.threads[number].asked || fake.now_ns < fake.threads[number].stops_ns)
        return;
    fake.threads[number].asked = thread->asked = false;
    memset(&tracer.follow.restart.stopped.registers, 0, sizeof tracer.follow.restart.stopped.registers);
    arch_set_pc(&tracer.follow.restart.stopped.registers, fake.threads[number].inside ? STUB : ELSEWHERE);
    fake.threads[number].inside -= fake.threads[number].inside > 0;
    tracer.follow.restart.stopped.tid = thread->tid;
    settle_stopped(&tracer, thread);
}

/* No new thread lives long enough to stop. */
static void churn(void)
{
    struct table *table = &tracer.follow.table;
    for (int i = 0; i < fake.churn; i++) {
        struct thread *former = table_thread(table, FIRST + i);
        if (former)
            table_remove_thread(table, former);
        add_thread(i);
        settle_born(&tracer, table_thread(table, FIRST + i));
    }
}

bool __wrap_dispatch_all(struct tracer *own);
bool __wrap_dispatch_all(struct tracer *own)
{
    ck_assert_ptr_eq(own, &tracer);
    fake.dispatched_ns = fake.now_ns;
    churn();
    for (int i = fake.churn; i < MOST; i++)
        if (table_thread(&tracer.follow.table, FIRST + i) && !fake.threads[i].dead &&
            fake.now_ns >= fake.threads[i].deep_until_ns)
            stop(i);
    return true;
}

static void run_command(const char *command)
{
    char word[20];
    int number = 0;
    unsigned value = 0, until = 0;
    if (sscanf(command, " %19s %d %u %u", word, &number, &value, &until) < 1)
        return;
    if (!strcmp(word, "alone")) {
        tracer.front = 0;
        return;
    }
    if (!strcmp(word, "planted")) {
        fake.planted = true;
        return;
    }
    if (!strcmp(word, "churn")) {
        fake.churn = number;
        churn();
        return;
    }
    if (!strcmp(word, "signal")) {
        fake.threads[number].signal = true;
        return;
    }
    add_thread(number);
    fake.threads[number].dead = !strcmp(word, "dead");
    fake.threads[number].deep_until_ns = strcmp(word, "deep") ? 0 : until ? fake.now_ns + until * MS : UINT64_MAX;
    fake.threads[number].slow_ns = !strcmp(word, "slow") ? value * MS : 0;
    fake.threads[number].inside = !strcmp(word, "inside") ? value : 0;
    fake.threads[number].place = value;
    table_thread(&tracer.follow.table, FIRST + number)->shielded = !strcmp(word, "shielded");
}

static const struct {
    const char *name, *script, *expected;
    unsigned most_ms;
} scripts[] = {
    {"threads stop once", "running 20; running 21;", "back; ", 100},
    {"one that stands in a stub stops again", "running 20; inside 21 5;", "back; ", 500},
    {"where threads come and go, those that come need not stop", "churn 15; running 20;", "back; ", 100},
    {"unless there may still be something that they meet", "planted; churn 15; running 20;", "", 2000},
    {"the end of a first thread is not told", "dead 20; running 21;", "back; ", 200},
    {"one that is out of reach is looked at", "deep 20 2; running 21;", "back; unstopped 1; ", 200},
    {"one that is frozen at a byte that is back may go on there", "deep 20 3; running 21;", "back; unstopped 1; ", 200},
    {"one that is frozen in a stub keeps it until it is thawed", "deep 20 1 9000;", "stays; back; ", 9100},
    {"and so does one that has a signal to come for a byte", "deep 20 3 9000; signal 20;", "stays; back; ", 9100},
    {"one that must not be interrupted is looked at", "shielded 20 2; running 21;", "back; ", 100},
    {"until it is out", "shielded 20 1; running 21;", "", 2000},
    {"the front does not wait for one that has no CPU", "running 20; slow 21 5000;", "", 2000},
    {"but nobody comes when it is gone", "alone; running 20; slow 21 5000;", "back; ", 6000},
    {"nor when it has stood in a stub for long", "alone; running 20; inside 21 100;", "back; ", 8000},
    {"which may be never left", "alone; running 20; inside 21 1000000;", "", 21000},
};

START_TEST(stubs_are_taken_back_as_the_script_says)
{
    char script[200];
    static struct shared shared;
    struct channel channel = {.shared = &shared, .tracer_socket = -1, .ready = -1};
    struct breakpoints space = {.memory = -1};
    memset(&fake, 0, sizeof fake);
    memset(&tracer, 0, sizeof tracer);
    memset(&shared, 0, sizeof shared);
    log_text[0] = 0;
    fake.now_ns = 1000 * MS;
    tracer.channel = &channel;
    tracer.front = getppid();
    tracer.follow.table.rooms = tracer_rooms;
    tracer.follow.restart.table = &tracer.follow.table;
    table_add_process(&tracer.follow.table, FIRST + LEADER, 1)->breakpoints = &space;
    snprintf(script, sizeof script, "%s", scripts[_i].script);
    for (char *left = NULL, *command = strtok_r(script, ";", &left); command; command = strtok_r(NULL, ";", &left))
        run_command(command);
    settle_all(&tracer);
    if (!log_text[0] && fake.threads[20].deep_until_ns > fake.now_ns) {
        note("stays");
        settle_stragglers(&tracer);
    }
    if (shared.counts.unstopped)
        note("unstopped %u", (unsigned)shared.counts.unstopped);
    ck_assert_msg(!strcmp(log_text, scripts[_i].expected), "%s:\n  %s\nnot\n  %s", scripts[_i].name, log_text,
                  scripts[_i].expected);
    ck_assert_msg(fake.now_ns - 1000 * MS <= scripts[_i].most_ms * MS, "%s: it takes %llu ms", scripts[_i].name,
                  (unsigned long long)(fake.now_ns / MS - 1000));
    fake_table_free(&tracer.follow.table);
}
END_TEST

/* Until until_ms, a thread has a pending stop for a signal, or a signal that it does not take because it is stopped
 * or checks its timeout; and how long the tracer waits for it. */
static const struct {
    unsigned until_ms;
    bool stopped, looks;
    unsigned least_ms, most_ms;
} lasts[] = {
    {0, false, false, 0, 0},   {5, false, false, 5, 6},  {9000, false, false, 20, 21},
    {9000, true, false, 0, 0}, {0, false, true, 20, 21},
};

START_TEST(the_tracer_stays_while_signals_are_on_their_way)
{
    memset(&fake, 0, sizeof fake);
    memset(&tracer, 0, sizeof tracer);
    fake.now_ns = 1000 * MS;
    tracer.follow.table.rooms = tracer_rooms;
    tracer.follow.restart.table = &tracer.follow.table;
    table_add_process(&tracer.follow.table, FIRST + LEADER, 1);
    add_thread(20);
    struct thread *thread = table_thread(&tracer.follow.table, FIRST + 20);
    fake.threads[20].woken_until_ns = fake.now_ns + lasts[_i].until_ms * MS;
    thread->group_stopped = lasts[_i].stopped;
    thread->timeout.look = lasts[_i].looks ? TIMEOUT_LOOKS : TIMEOUT_NOT_YET;
    settle_last(&tracer);
    uint64_t took_ns = fake.now_ns - 1000 * MS;
    ck_assert_uint_ge(took_ns, lasts[_i].least_ms * MS);
    ck_assert_uint_le(took_ns, lasts[_i].most_ms * MS);
    ck_assert_uint_eq(fake.dispatched_ns, fake.now_ns);
    ck_assert(tracer.follow.restart.leaving);
    fake_table_free(&tracer.follow.table);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("loop/settle");
    UNIT_ADD_TABLE(tests, stubs_are_taken_back_as_the_script_says, scripts);
    UNIT_ADD_TABLE(tests, the_tracer_stays_while_signals_are_on_their_way, lasts);
    return unit_end();
}

/* SPDX-License-Identifier: MIT
 *
 * Tests of when breakpoints are replaced by jumps, as scripts. The input is where threads are; the output is which
 * threads are asked to stop, and when jumps are written. The breakpoint is at 1000.
 *
 * A script has commands, each with ';' behind it. Thread numbers are decimal, addresses are hexadecimal:
 *   running N, stopped N A W, asleep N A W, restless N A W, dead N
 *                     the state of thread N; at A, with W on its stack; restless: it ran between two looks
 *   sharer N          N is a running thread of another process that shares the memory
 *   away N, shielded N  it makes a remote call; it must not be interrupted
 *   unread            stacks cannot be read
 *   filtered N        it has a seccomp filter
 *   loader            no jump fits at the breakpoint
 *   no-file           the memory has no descriptor
 *   maker             the parent shares the memory, and is not traced
 *   bystander, gone   a bystander that may share the memory exists; it has ended
 *   more N            N more threads exist, asleep elsewhere
 *   begin             breakpoints were planted
 *   stops N A W       it stops there
 *   ends N */
#include "tracer/follow/jumps.h"
#include "tracer/plant/breakpoints.h"
#include "tracer/tracee/procfs.h"
#include "tracer/tracee/request.h"

#include "fake_table.h"
#include "tracer/follow/follow.h"
#include "unit.h"
#include "unit_log.h"

#include <errno.h>

enum { FIRST = 5000000, BYTE = 0x1000, SP = 0x8000, MOST = 128, MEMORY = 3 };

enum state { RUNNING, STOPPED, ASLEEP, RESTLESS, DEAD };

static struct {
    struct {
        enum state state;
        uint64_t pc, word;
        bool filtered;
    } threads[MOST];
    uint64_t arrivals;
    bool unread, maker;
} fake;

static int number_of(pid_t tid)
{
    ck_assert_int_lt(tid - FIRST, MOST);
    return (int)(tid - FIRST);
}

int __wrap_request_registers(pid_t tid, struct arch_registers *registers);
int __wrap_request_registers(pid_t tid, struct arch_registers *registers)
{
    if (fake.threads[number_of(tid)].state != STOPPED)
        return -ESRCH;
    memset(registers, 0, sizeof *registers);
    registers->user.rip = fake.threads[number_of(tid)].pc;
    registers->user.rsp = SP;
    return 0;
}

int __wrap_request_interrupt(pid_t tid);
int __wrap_request_interrupt(pid_t tid)
{
    note("ask %d", number_of(tid));
    return 0;
}

ssize_t __wrap_procfs_text(pid_t pid, pid_t tid, const char *name, char *text, size_t size);
ssize_t __wrap_procfs_text(pid_t pid, pid_t tid, const char *name, char *text, size_t size)
{
    int number = number_of(tid);
    enum state state = fake.threads[number].state;
    (void)pid;
    if (state == DEAD)
        return -ESRCH;
    if (!strcmp(name, "schedstat")) {
        fake.arrivals += state == RESTLESS;
        return snprintf(text, size, "1 2 %llu\n", (unsigned long long)fake.arrivals);
    }
    ck_assert_str_eq(name, "syscall");
    if (state == RUNNING)
        return snprintf(text, size, "running\n");
    return snprintf(text, size, "35 0x1 0x2 0x3 0x4 0x5 0x6 0x%x 0x%llx\n", SP,
                    (unsigned long long)fake.threads[number].pc);
}

bool __wrap_procfs_is_dead(pid_t pid, pid_t tid);
bool __wrap_procfs_is_dead(pid_t pid, pid_t tid)
{
    (void)pid;
    return fake.threads[number_of(tid)].state == DEAD;
}

bool __wrap_procfs_filtered_as_we(pid_t tid);
bool __wrap_procfs_filtered_as_we(pid_t tid)
{
    return !fake.threads[number_of(tid)].filtered;
}

bool __wrap_procfs_family(pid_t tid, pid_t *process, pid_t *parent);
bool __wrap_procfs_family(pid_t tid, pid_t *process, pid_t *parent)
{
    *process = tid;
    *parent = FIRST;
    return true;
}

bool __wrap_memory_shared(pid_t one, pid_t other);
bool __wrap_memory_shared(pid_t one, pid_t other)
{
    ck_assert(one == FIRST || other == FIRST);
    return fake.maker;
}

int __wrap_frames_have(int fd, pid_t tid, uint64_t sp, bool (*is)(const void *, uint64_t), const void *context);
int __wrap_frames_have(int fd, pid_t tid, uint64_t sp, bool (*is)(const void *, uint64_t), const void *context)
{
    ck_assert(fd == MEMORY && sp == SP);
    return fake.unread ? -EFAULT : is(context, fake.threads[number_of(tid)].word);
}

void __wrap_breakpoints_jump(struct process *process, pid_t tid, struct rescue *rescue);
void __wrap_breakpoints_jump(struct process *process, pid_t tid, struct rescue *rescue)
{
    (void)tid, (void)rescue;
    note("jump");
    process->breakpoints->bytes[0].room = 0;
}

static struct thread *add_thread(struct follow *follow, int number, int leader)
{
    struct process *process = table_process(&follow->table, FIRST + leader);
    struct thread *thread = table_thread(&follow->table, FIRST + number);
    if (!process) {
        struct breakpoints *space = follow->table.processes[0]->breakpoints;
        process = table_add_process(&follow->table, FIRST + leader, FIRST + 1);
        process->breakpoints = space;
    }
    return thread ? thread : table_add_thread(&follow->table, process, FIRST + number);
}

static bool run_state(struct follow *follow, const char *word, int number, uint64_t pc, uint64_t on_stack)
{
    static const char *const names[] = {"running", "stopped", "asleep", "restless", "dead", "sharer"};
    size_t state = 0;
    while (state < UNIT_ROWS(names) && strcmp(word, names[state]))
        state++;
    if (state == UNIT_ROWS(names))
        return false;
    add_thread(follow, number, !strcmp(word, "sharer") ? number : 1);
    fake.threads[number].state = !strcmp(word, "sharer") ? RUNNING : (enum state)state;
    fake.threads[number].pc = pc;
    fake.threads[number].word = on_stack;
    return true;
}

static bool run_flag(struct follow *follow, const char *word, int number)
{
    struct breakpoints *space = follow->table.processes[0]->breakpoints;
    static pid_t bystander = 7;
    struct thread *thread = table_thread(&follow->table, FIRST + number);
    if (!strcmp(word, "away"))
        thread->remote = (struct remote *)&bystander;
    else if (!strcmp(word, "shielded"))
        thread->shielded = true;
    else if (!strcmp(word, "unread"))
        fake.unread = true;
    else if (!strcmp(word, "filtered"))
        fake.threads[number].filtered = true;
    else if (!strcmp(word, "loader"))
        space->bytes[0].room = 0;
    else if (!strcmp(word, "no-file"))
        space->memory = -1;
    else if (!strcmp(word, "maker"))
        fake.maker = true;
    else if (!strcmp(word, "bystander") || !strcmp(word, "gone"))
        follow->bystanders.count = *word == 'b';
    else
        return false;
    return true;
}

/* Sets the thread's registers at this stop. */
static void stop(struct follow *follow, struct thread *thread, uint64_t pc, uint64_t on_stack)
{
    int number = number_of(thread->tid);
    fake.threads[number].state = STOPPED;
    fake.threads[number].pc = pc;
    fake.threads[number].word = on_stack;
    follow->restart.stopped.tid = 0;
    jumps_stopped(follow, thread);
    fake.threads[number].state = RUNNING;
}

static void run_command(struct follow *follow, const char *command)
{
    char word[20];
    int number = 0;
    unsigned long long pc = 0, on_stack = 0;
    if (sscanf(command, " %19s %d %llx %llx", word, &number, &pc, &on_stack) < 1 ||
        run_state(follow, word, number, pc, on_stack) || run_flag(follow, word, number))
        return;
    struct thread *thread = table_thread(&follow->table, FIRST + number);
    if (!strcmp(word, "begin"))
        jumps_begin(follow, follow->table.processes[0]);
    else if (!strcmp(word, "stops"))
        stop(follow, thread, pc, on_stack);
    else if (!strcmp(word, "ends"))
        jumps_ended(follow, thread), table_remove_thread(&follow->table, thread);
    else if (!strcmp(word, "more"))
        for (int i = 0; i < number; i++)
            run_state(follow, "asleep", MOST - 1 - i, 0x500, 0);
    else
        ck_abort_msg("no such command: %s", word);
}

static const struct {
    const char *name, *script, *expected;
} scripts[] = {
    {"a thread that sleeps elsewhere is not asked", "asleep 1 500 0; begin;", "jump; "},
    {"one that is stopped neither", "stopped 1 500 0; begin;", "jump; "},
    {"at the byte itself it is before the jump", "stopped 1 1000 0; begin;", "jump; "},
    {"one that runs is asked, once", "running 1; begin; stops 1 500; stops 1 500;", "ask 1; jump; "},
    {"one that ran between two looks, too", "restless 1 500; begin; stops 1 500;", "ask 1; jump; "},
    {"behind the byte it is waited for", "stopped 1 1001 0; begin; stops 1 1004; stops 1 1006; stops 1 1007;",
     "jump; "},
    {"asleep there, too", "asleep 1 1002; begin; stops 1 fff;", "ask 1; jump; "},
    {"and in a handler that came there", "stopped 1 500 1002; begin; stops 1 600 1004; stops 1 600 1000;", "jump; "},
    {"whose sleep is no way out", "asleep 1 500 1002; begin; stops 1 600 1002; stops 1 600 0;", "ask 1; jump; "},
    {"what cannot be read may be such a one", "unread; stopped 1 500; begin; stops 1 500;", ""},
    {"all are looked at, each once, wherever the others are by then",
     "running 1; asleep 2 500; running 3; begin; stops 3 500; stops 2 500; stops 3 1000; stops 1 500; stops 1 500;",
     "ask 1; ask 3; jump; "},
    {"those of other processes with the memory, too", "asleep 1 500; sharer 9; begin; stops 1 500; stops 9 500;",
     "ask 9; jump; "},
    {"one that has ended is nowhere", "dead 1; asleep 2 500; begin;", "jump; "},
    {"nor one that ends", "asleep 1 500; running 2; begin; ends 2;", "ask 2; jump; "},
    {"one that came later never was there", "running 1; begin; running 2; stops 2 500; stops 1 500;", "ask 1; jump; "},
    {"where a thread makes a call for us is not where its program is", "stopped 1 500; away 1; begin; stops 1 500;",
     ""},
    {"one that must not be interrupted stops by itself", "running 1; shielded 1; begin; stops 1 500;", "jump; "},
    {"strangers with the memory are waited for", "bystander; asleep 1 500; begin; stops 1 500; gone; stops 1 500;",
     "jump; "},
    {"with a maker that has it, it stays a byte", "maker; asleep 1 500; begin; stops 1 500;", ""},
    {"with a filter", "running 1; asleep 2 500; filtered 2; begin; stops 1 500;", ""},
    {"without room", "loader; running 1; begin; stops 1 500;", ""},
    {"without a file to write to", "no-file; running 1; begin; stops 1 500;", ""},
    {"with too many threads", "running 1; more 64; begin; stops 1 500;", ""},
    {"not with one fewer", "running 1; more 63; begin; stops 1 500;", "ask 1; jump; "},
};

START_TEST(bytes_become_jumps_as_the_script_says)
{
    char script[400];
    static struct follow follow;
    static struct rescue rescue;
    struct breakpoints space = {.memory = MEMORY, .count = 1, .bytes = {{.address = BYTE, .room = 0x2000}}};
    memset(&fake, 0, sizeof fake);
    memset(&follow, 0, sizeof follow);
    log_text[0] = 0;
    follow.rescue = &rescue;
    table_add_process(&follow.table, FIRST + 1, FIRST)->breakpoints = &space;
    snprintf(script, sizeof script, "%s", scripts[_i].script);
    for (char *left = NULL, *command = strtok_r(script, ";", &left); command; command = strtok_r(NULL, ";", &left))
        run_command(&follow, command);
    for (size_t i = 0; i < follow.table.count; i++)
        follow.table.threads[i]->remote = NULL;
    fake_table_free(&follow.table);
    ck_assert_msg(!strcmp(log_text, scripts[_i].expected), "%s:\n  %s\nnot\n  %s", scripts[_i].name, log_text,
                  scripts[_i].expected);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("jumps");
    UNIT_ADD_TABLE(tests, bytes_become_jumps_as_the_script_says, scripts);
    return unit_end();
}

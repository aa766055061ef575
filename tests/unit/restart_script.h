/* SPDX-License-Identifier: MIT
 *
 * Tests of restarted system calls as scripts: the input is actions of one thread, the kernel and /proc, the output
 * is a log of how the thread continues. No process is traced: programs that include this file are linked with --wrap
 * for each function that it replaces.
 *
 * A script has commands, each with ';' behind it:
 *   NAME              the thread makes this call, of the table of calls
 *   enters            it executes the system call instruction at its PC
 *   gives R           the kernel returns R, a number or a name, as the call's result
 *   user              the thread has returned to user mode, at its present PC
 *   trap, signal N, group N, syscall   it stops in this way, and continues as logged
 *   at MS             sets the time
 *   tries N           the call is entered again, interrupted and stopped, N times
 *   is FILE                 descriptor 3 is FILE instead of a pipe; tcp: another socket than "socket:[7]"
 *   nonblocking, ring, threads, filtered, shared   properties of the descriptor and the process in /proc
 *   handles N, ignores N               signals
 *   waits MS                the socket's timeout; -1: none
 *   terminal MS             descriptor 3 is a terminal whose reads have this timeout
 *   readonly                the program's memory cannot be written
 *   asleep, elsewhere, held, stopped   the state of the thread while time passes, if it does not run
 *   expire, recall    interrupts calls that are over; calls back the remainders of transfers
 *   leave             tracing is about to end
 *   compat            calls are made by int $0x80
 *   unmarked, forgets, full, gone   the kernel knows no marks; it forgets calls at stops; the rescue notes are full;
 *                           registers cannot be set
 *
 * The log has "enter" with the call (! if it is marked; for transfers, the first byte and the count) and "return"
 * with the result. Each has a * for each rescue note of a remainder that already exists. It also has "go", "to
 * syscall" and "listen", with a signal, and "interrupt", and "empty" with
 * the size of a set of descriptors. */
#ifndef RESTART_SCRIPT_H
#define RESTART_SCRIPT_H

#include "fake_proc.h"

#include "common/arch/syscalls.h"
#include "common/base/time.h"
#include "tracer/follow/follow.h"
#include "tracer/restart/calls.h"
#include "tracer/restart/socket.h"
#include "tracer/restart/terminal.h"
#include "tracer/restart/timeouts.h"
#include "tracer/tracee/request.h"

#include "unit.h"
#include "unit_log.h"

#include <linux/bpf.h>
#include <linux/falloc.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/xattr.h>

enum { TID = 5000010, FD = 3, COUNT = 100, AFTER = 0x401002, SP = 0x7ffc0000 };
enum { BUFFER = 0x1000, PLACE = 0x2000, PACKED = PLACE + 24, PACKED_NOW = PLACE + 40, UNREADABLE = 0x3000 };
enum { SOCKETCALL = 102, RECV = 10 }; /* of the 32-bit table */
enum { STARTED = 500, STACK = 700 };  /* in the thread's stat file */
enum { RESTART = 512, RESTART_UNHANDLED = 514, CONTINUE = 516, MS = 1000000 };

static struct rescue rescue;
static struct {
    struct arch_registers registers;
    uint64_t now_ns, length_ns, terminal_ns, handled, ignored;
    int family, threads, filters;
    bool gone, unmarked, forgets, compat, readonly;
} fake;

static const struct {
    const char *name;
    long number;
    uint64_t first, second, third, fourth, fifth; /* and sixth */
} calls[] = {
    {"write", SYS_write, FD, BUFFER, COUNT, 7, 7},
    {"send", SYS_sendto, FD, BUFFER, COUNT, 0, 0},
    {"send-more", SYS_sendto, FD, BUFFER, COUNT, MSG_MORE, 0},
    {"read", SYS_read, FD, BUFFER, COUNT, 7, 7},
    {"getrandom", SYS_getrandom, BUFFER, COUNT, 0, 7, 7},
    {"ppoll", SYS_ppoll, BUFFER, 1, PLACE, 0, 0},
    {"select", SYS_select, 65, 0, BUFFER, 0, PLACE},
    {"pselect-many", SYS_pselect6, 100000, BUFFER, 0, BUFFER, PLACE},
    {"nanosleep-lost", SYS_nanosleep, UNREADABLE, 0, 0, 0, 0},
    {"nanosleep", SYS_nanosleep, PLACE, 0, 0, 0, 0},
    {"clock_nanosleep", SYS_clock_nanosleep, 1, 0, PLACE, 0, 0},
    {"poll", SYS_poll, BUFFER, 1, 250, 0, 0},
    {"futex", SYS_futex, BUFFER, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, PLACE, 0},
    {"futex-until", SYS_futex, BUFFER, FUTEX_WAIT_BITSET, 0, PLACE, 0},
    {"epoll_wait", SYS_epoll_wait, FD, BUFFER, 1, 250, 0},
    {"epoll_wait-ever", SYS_epoll_wait, FD, BUFFER, 1, UINT32_MAX, 0},
    {"epoll_pwait2", SYS_epoll_pwait2, FD, BUFFER, 1, PLACE, 0},
    {"epoll_pwait2-lost", SYS_epoll_pwait2, FD, BUFFER, 1, UNREADABLE, 0},
    {"io_uring_enter", SYS_io_uring_enter, FD, 0, 1, 1 | 8, PLACE},
    {"semtimedop", SYS_semtimedop, FD, BUFFER, 1, PLACE, 0},
    {"recvfrom", SYS_recvfrom, FD, BUFFER, COUNT, 0, 0},
    {"recvfrom-now", SYS_recvfrom, FD, BUFFER, COUNT, MSG_DONTWAIT, 0},
    {"io_pgetevents", SYS_io_pgetevents, FD, 1, 1, BUFFER, PLACE},
    {"splice", SYS_splice, 9, 0, FD, 0, COUNT},
    {"splice-now", SYS_splice, 9, 0, FD, 0, SPLICE_F_NONBLOCK},
    {"socketcall-recv", SOCKETCALL, RECV, PACKED, 0, 0, 0},
    {"socketcall-recv-now", SOCKETCALL, RECV, PACKED_NOW, 0, 0, 0},
    {"socketcall-lost", SOCKETCALL, RECV, UNREADABLE, 0, 0, 0},
    {"connect", SYS_connect, FD, BUFFER, 16, 0, 0},
    {"fallocate", SYS_fallocate, FD, 0, 0, COUNT, 0},
    {"fallocate-insert", SYS_fallocate, FD, FALLOC_FL_INSERT_RANGE, 0, COUNT, 0},
    {"bpf", SYS_bpf, BPF_PROG_LOAD, BUFFER, COUNT, 0, 0},
};

static const struct {
    const char *name;
    int number;
} results[] = {
    {"EINTR", -EINTR},       {"EAGAIN", -EAGAIN},     {"EPIPE", -EPIPE},
    {"EFAULT", -EFAULT},     {"ETIME", -ETIME},       {"ETIMEDOUT", -ETIMEDOUT},
    {"CONTINUE", -CONTINUE}, {"EALREADY", -EALREADY}, {"EINPROGRESS", -EINPROGRESS},
    {"ENOSYS", -ENOSYS},     {"RESTART", -RESTART},   {"UNHANDLED", -RESTART_UNHANDLED},
};

static const char *result_name(int64_t result)
{
    static char number[24];
    for (size_t i = 0; i < UNIT_ROWS(results); i++)
        if (results[i].number == result)
            return results[i].name;
    snprintf(number, sizeof number, "%lld", (long long)result);
    return number;
}

static int count_notes(void)
{
    int count = 0;
    for (size_t i = 0; i < RESCUE_REMAINDERS; i++)
        if (rescue.remainders[i].tid == TID) {
            count++;
            ck_assert_uint_eq(rescue.remainders[i].identity.started, STARTED);
            ck_assert_uint_eq(rescue.remainders[i].identity.stack, STACK);
        }
    return count;
}

/* Logs how a thread with these registers continues. The rescue note of a remainder must exist before. */
static void note_registers(const struct user_regs_struct *user)
{
    const char *noted = &"**"[2 - count_notes()];
    int number = (int)(uint32_t)user->rax;
    uint64_t at = number == SYS_getrandom ? user->rdi : user->rsi,
             count = number == SYS_getrandom ? user->rsi : user->rdx;
    ck_assert_uint_eq(user->rsp, SP);
    if (user->rip == AFTER)
        note("return %s%s", result_name((int64_t)user->rax), noted);
    else if (at > BUFFER && at < BUFFER + COUNT)
        note("enter %s %d+%d%s%s", arch_syscall_name(number), (int)(at - BUFFER), (int)count,
             number == SYS_sendto && user->r10 == MSG_NOSIGNAL ? " quietly" : "", noted);
    else
        note("enter %s%s%s", arch_syscall_name(number), user->rax >> 32 ? "!" : "", noted);
    ck_assert(user->rip == AFTER || user->rip == AFTER - 2);
}

uint64_t __wrap_time_now_ns(void);
uint64_t __wrap_time_now_ns(void)
{
    return fake.now_ns;
}

int __wrap_uname(struct utsname *name);
int __wrap_uname(struct utsname *name)
{
    *name = (struct utsname){0};
    strcpy(name->release, fake.unmarked ? "5.13.19" : "6.1.0");
    return 0;
}

/* With "forgets", acts as a kernel that forgets calls at stops, such as arm64's. */
bool __wrap_arch_set_handled(struct arch_registers *registers);
bool __wrap_arch_set_handled(struct arch_registers *registers)
{
    if (!fake.forgets || registers->user.rip != AFTER)
        return false;
    registers->user.orig_rax = (unsigned long long)-1;
    return true;
}

ssize_t __wrap_getxattr(const char *path, const char *name, void *value, size_t size);
ssize_t __wrap_getxattr(const char *path, const char *name, void *value, size_t size)
{
    (void)path, (void)name;
    return snprintf(value, size, "%s", fake.family == AF_UNIX ? "UNIX-STREAM" : "TCP");
}

int __wrap_socket_timeout(pid_t pid, pid_t tid, int fd, bool sending, uint64_t *length_ns, int *family);
int __wrap_socket_timeout(pid_t pid, pid_t tid, int fd, bool sending, uint64_t *length_ns, int *family)
{
    (void)sending;
    ck_assert(pid == TID && tid == TID);
    if (fd != FD || !fake.family)
        return -ENOTSOCK;
    *length_ns = fake.length_ns;
    *family = fake.family;
    return 0;
}

bool __wrap_terminal_timeout(pid_t pid, pid_t tid, int fd, uint64_t *length_ns);
bool __wrap_terminal_timeout(pid_t pid, pid_t tid, int fd, uint64_t *length_ns)
{
    ck_assert(pid == TID && tid == TID);
    if (fd != FD || !fake.terminal_ns)
        return false;
    *length_ns = fake.terminal_ns;
    return true;
}

ssize_t __wrap_memory_write(struct memory *memory, pid_t tid, uint64_t address, const void *bytes, size_t size);
ssize_t __wrap_memory_write(struct memory *memory, pid_t tid, uint64_t address, const void *bytes, size_t size)
{
    (void)memory;
    ck_assert(tid == TID && address == BUFFER && size && !*(const char *)bytes);
    note("empty %zu", size);
    return fake.readonly ? -EFAULT : (ssize_t)size;
}

/* At PLACE is a time of 250 ms, and 16 bytes later the address of this time. Behind it are the arguments of recv,
 * twice, in words of 4 bytes. */
int __wrap_memory_read_all(struct memory *memory, pid_t tid, uint64_t address, void *bytes, size_t size);
int __wrap_memory_read_all(struct memory *memory, pid_t tid, uint64_t address, void *bytes, size_t size)
{
    static const int64_t words[] = {0,
                                    250 * MS,
                                    PLACE,
                                    FD | (int64_t)BUFFER << 32,
                                    COUNT,
                                    FD | (int64_t)BUFFER << 32,
                                    COUNT | (int64_t)MSG_DONTWAIT << 32};
    (void)memory, (void)tid;
    if (address < PLACE || address + size > PLACE + sizeof words)
        return -EFAULT;
    memcpy(bytes, (const char *)words + (address - PLACE), size);
    return 0;
}

int __wrap_request_registers(pid_t tid, struct arch_registers *registers);
int __wrap_request_registers(pid_t tid, struct arch_registers *registers)
{
    ck_assert_int_eq(tid, TID);
    *registers = fake.registers;
    registers->by_interrupt = fake.compat;
    return 0;
}

int __wrap_request_set_registers(pid_t tid, const struct arch_registers *registers);
int __wrap_request_set_registers(pid_t tid, const struct arch_registers *registers)
{
    ck_assert_int_eq(tid, TID);
    if (fake.gone)
        return -ESRCH;
    if (memcmp(&fake.registers, registers, sizeof *registers))
        note_registers(&registers->user);
    fake.registers = *registers;
    return 0;
}

int __wrap_request_interrupt(pid_t tid);
int __wrap_request_interrupt(pid_t tid)
{
    ck_assert_int_eq(tid, TID);
    note("interrupt");
    return 0;
}

static int go_on(const char *how, int sig)
{
    sig ? note("%s with %d", how, sig) : note("%s", how);
    return 0;
}

bool __wrap_request_was_killed(pid_t tid);
bool __wrap_request_was_killed(pid_t tid)
{
    (void)tid;
    return false;
}

int __wrap_request_resume(pid_t tid, int sig);
int __wrap_request_resume(pid_t tid, int sig)
{
    (void)tid;
    return go_on("go", sig);
}

int __wrap_request_resume_to_syscall(pid_t tid, int sig);
int __wrap_request_resume_to_syscall(pid_t tid, int sig)
{
    (void)tid;
    return go_on("to syscall", sig);
}

int __wrap_request_listen(pid_t tid);
int __wrap_request_listen(pid_t tid)
{
    (void)tid;
    return go_on("listen", 0);
}

static void say(pid_t pid, const char *name, const char *text)
{
    char path[80];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    fake_proc_say(path, text);
}

static void say_status(void)
{
    char text[300];
    snprintf(text, sizeof text,
             "FDSize:\t256\nThreads:\t%d\nSigIgn:\t%016llx\nSigCgt:\t%016llx\nSeccomp:\t%d\nSeccomp_filters:\t%d\n",
             fake.threads, (unsigned long long)fake.ignored, (unsigned long long)fake.handled, fake.filters ? 2 : 0,
             fake.filters);
    say(TID, "status", text);
}

static void say_descriptor(const char *name, const char *target)
{
    char path[80];
    snprintf(path, sizeof path, "/proc/%d/fd/%s", TID, name);
    fake_proc_link(path, target);
}

/* Writes the thread's syscall file: it sleeps in CALL. */
static void say_asleep(long call)
{
    char path[40], text[120];
    snprintf(path, sizeof path, "task/%d/syscall", TID);
    snprintf(text, sizeof text, "%ld 0x0 0x0 0x0 0x0 0x0 0x0 0x%x 0x%x\n", call, SP, AFTER);
    say(TID, path, text);
}

static void make_call(size_t i)
{
    fake.registers.user = (struct user_regs_struct){
        .orig_rax = (unsigned long long)calls[i].number,
        .rax = (unsigned long long)-ENOSYS,
        .rip = AFTER,
        .rsp = SP,
        .rdi = calls[i].first,
        .rsi = calls[i].second,
        .rdx = calls[i].third,
        .r10 = calls[i].fourth,
        .r8 = calls[i].fifth,
        .r9 = calls[i].fifth,
        .rbx = calls[i].first,
        .rcx = calls[i].second,
    };
}

static void enter(void)
{
    ck_assert_uint_eq(fake.registers.user.rip, AFTER - 2);
    fake.registers.user.rip = AFTER;
    fake.registers.user.orig_rax = fake.registers.user.rax;
    fake.registers.user.rax = (unsigned long long)-ENOSYS;
}

static void give(const char *name)
{
    int64_t result = strtoll(name, NULL, 10);
    for (size_t i = 0; i < UNIT_ROWS(results); i++)
        if (!strcmp(results[i].name, name))
            result = results[i].number;
    fake.registers.user.rax = (unsigned long long)result;
}

static void stop(struct follow *follow, enum event_kind kind, int value)
{
    struct follow_event event = {.kind = FOLLOW_STOPPED, .tid = TID, .stop = {kind, value}};
    event.thread = table_thread(&follow->table, TID);
    follow->restart.stopped.tid = 0;
    follow_answer(follow, &event, (struct follow_action){.sig = kind == EVENT_SIGNAL ? value : 0});
}

/* Enters the interrupted call again and interrupts it, COUNT times. */
static void try_again(struct follow *follow, int count)
{
    int64_t failure = arch_result(&fake.registers);
    for (int i = 0; i < count; i++) {
        stop(follow, EVENT_TRAP, 0);
        enter();
        stop(follow, EVENT_SYSCALL, 0);
        arch_set_result(&fake.registers, failure);
        stop(follow, EVENT_SYSCALL, 0);
    }
    log_text[0] = 0;
}

/* Changes the state. Returns false if WORD is not a state. */
static bool run_state(const char *word, const char *text, int number)
{
    if (!strcmp(word, "at"))
        fake.now_ns = (uint64_t)number * MS;
    else if (!strcmp(word, "waits"))
        fake.length_ns = number < 0 ? TIMEOUT_NONE : (uint64_t)number * MS;
    else if (!strcmp(word, "terminal"))
        fake.terminal_ns = (uint64_t)number * MS, fake.family = AF_UNSPEC;
    else if (!strcmp(word, "readonly"))
        fake.readonly = true;
    else if (!strcmp(word, "is"))
        say_descriptor("3", text), fake.family = !strcmp(text, "socket:[7]") ? AF_UNIX : AF_UNSPEC;
    else if (!strcmp(word, "tcp"))
        say_descriptor("3", "socket:[8]"), fake.family = AF_INET;
    else if (!strcmp(word, "nonblocking"))
        say(TID, "fdinfo/3", "pos:\t0\nflags:\t04001\n");
    else if (!strcmp(word, "ring"))
        say_descriptor("4", "anon_inode:[io_uring]");
    else if (!strcmp(word, "unmarked"))
        fake.unmarked = true;
    else if (!strcmp(word, "compat"))
        fake.compat = true;
    else if (!strcmp(word, "forgets"))
        fake.forgets = true;
    else if (!strcmp(word, "full"))
        for (size_t i = 0; i < RESCUE_REMAINDERS; i++)
            rescue.remainders[i].tid = 1;
    else if (!strcmp(word, "gone"))
        fake.gone = true;
    else
        return false;
    return true;
}

static bool run_status(struct thread *thread, const char *word, int number)
{
    if (!strcmp(word, "handles"))
        fake.handled |= (uint64_t)1 << (number - 1);
    else if (!strcmp(word, "ignores"))
        fake.ignored |= (uint64_t)1 << (number - 1);
    else if (!strcmp(word, "threads"))
        fake.threads = 2;
    else if (!strcmp(word, "filtered"))
        fake.filters = 1;
    else if (!strcmp(word, "shared"))
        thread->process->files_own = false;
    else
        return false;
    say_status();
    return true;
}

static bool run_sleep(struct thread *thread, const char *word)
{
    bool held = !strcmp(word, "held"), stopped = !strcmp(word, "stopped"), elsewhere = !strcmp(word, "elsewhere");
    thread->held |= held;
    thread->group_stopped |= stopped;
    if (elsewhere || !strcmp(word, "asleep"))
        say_asleep(elsewhere ? SYS_pause : arch_syscall(&fake.registers));
    else
        return held || stopped;
    return true;
}

static bool run_stop(struct follow *follow, const char *word, int number)
{
    static const struct {
        const char *word;
        enum event_kind kind;
    } stops[] = {
        {"trap", EVENT_TRAP}, {"signal", EVENT_SIGNAL}, {"group", EVENT_GROUP_STOP}, {"syscall", EVENT_SYSCALL}};
    for (size_t i = 0; i < UNIT_ROWS(stops); i++)
        if (!strcmp(word, stops[i].word)) {
            stop(follow, stops[i].kind, number);
            return true;
        }
    return false;
}

/* Lets the thread or the kernel do something. Returns false if WORD is not a command for that. */
static bool run_thread(const char *word, const char *text)
{
    for (size_t i = 0; i < UNIT_ROWS(calls); i++)
        if (!strcmp(word, calls[i].name)) {
            make_call(i);
            return true;
        }
    if (!strcmp(word, "enters"))
        enter();
    else if (!strcmp(word, "gives"))
        give(text);
    else if (!strcmp(word, "user"))
        fake.registers.user.orig_rax = (unsigned long long)-1;
    else
        return false;
    return true;
}

static void run_own(struct follow *follow, const char *word, int number)
{
    if (!strcmp(word, "tries"))
        try_again(follow, number);
    else if (!strcmp(word, "recall"))
        note("recalls %zu", restart_recall(&follow->restart));
    else if (!strcmp(word, "leave"))
        note("leaves %zu", restart_leave(&follow->restart));
    else if (!strcmp(word, "expire"))
        note("until %llu", (unsigned long long)timeouts_expire(&follow->restart, 0) / MS);
    else
        ck_abort_msg("no such command: %s", word);
}

static void run_command(struct follow *follow, const char *command)
{
    struct thread *thread = table_thread(&follow->table, TID);
    char word[20], text[40] = "";
    ck_assert_int_ge(sscanf(command, "%19s %39s", word, text), 1);
    int number = atoi(text);
    if (!run_thread(word, text) && !run_state(word, text, number) && !run_status(thread, word, number) &&
        !run_sleep(thread, word) && !run_stop(follow, word, number))
        run_own(follow, word, number);
}

static void begin(struct follow *follow)
{
    char stat[100], path[40];
    memset(&fake, 0, sizeof fake);
    log_text[0] = 0;
    memset(&rescue, 0, sizeof rescue);
    fake.length_ns = TIMEOUT_NONE;
    fake.threads = 1;
    fake.now_ns = MS;
    fake_proc_begin();
    say_status();
    say_descriptor("3", "pipe:[7]");
    say(TID, "fdinfo/3", "pos:\t0\nflags:\t01\n");
    say(TID, "fdinfo/9", "pos:\t0\nflags:\t01\n");
    snprintf(path, sizeof path, "task/%d/syscall", TID);
    say(TID, path, "running\n");
    snprintf(stat, sizeof stat, "%d (x) R 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 %d 0 0 0 0 0 %d\n", TID, STARTED, STACK);
    say(TID, "stat", stat);
    say(getpid(), "status", "Seccomp:\t0\nSeccomp_filters:\t0\n");
    struct process *process = table_add_process(&follow->table, TID, 1);
    ck_assert_ptr_nonnull(table_add_thread(&follow->table, process, TID));
    process->files_own = true;
    follow->restart = (struct restart){.table = &follow->table, .rescue = follow->rescue};
}

#endif

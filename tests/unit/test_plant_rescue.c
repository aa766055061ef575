/* SPDX-License-Identifier: MIT
 *
 * Tests of what is restored after the tracer's death, as scripts. The input is notes, the content of /proc, and
 * stops of threads. The output is writes, requests, and remaining notes. Memory is a file of a fake /proc; no
 * process is traced.
 *
 * A script has commands, each with ';' behind it. Processes are decimal numbers, addresses hexadecimal:
 *   process P            process P exists, traced by us
 *   note P A             a breakpoint of P is planted at A, and noted
 *   detour P A S         P's function at A begins with a jump to a stub at S, and this is noted
 *   child P C            C is a child of P, with a copy of its memory
 *   sleeps P A           P is blocked, and will continue at A
 *   sharer P C           C shares the memory of P
 *   half P A             like note, but the tracer died before it made the note
 *   rest P N             P resumes a transfer with 40 of 100 bytes done, and this is noted. N more bytes are done,
 *                        or P is "ahead" of the call, "entering" it, or "elsewhere"
 *   quiet P N            like rest, by another call
 *   byte P A B           the program has byte B at A
 *   another P, exec P    another process has the number; P executes another program
 *   leader-ended P, zombie P, gone P
 *                        the first thread has ended, and P + 1 lives; all have ended; P was reaped
 *   interrupted P        a stop has just interrupted P's system call
 *   refused P, read-only the memory cannot be opened; it cannot be written
 *   untraced P, untraceable P, taken P
 *                        we do not trace it; nobody can; another process has the number when it is asked to stop
 *   stops P trap, signal N, fault N, group N, syscall, ended
 *                        the next wait status of P
 *   at P A               its PC
 *   pending P, asleep P  SIGILL is pending for it, and it is about to run; it does not run
 *   tracer-only          only the tracer of a stopped thread can write memory
 *   again P              P stops each time that it is asked to
 *   all, bytes, let-go, awaited, late P STATUS      the tested calls
 *   left                 logs the remaining notes */
#include "fake_memory.h"

#include "common/arch/detour.h"
#include "common/arch/machine.h"
#include "tracer/tracee/procfs.h"

#include "common/arch/arch.h"
#include "common/arch/registers.h"
#include "common/wire/rescue_notes.h"
#include "unit.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { MOST = 8, SIGILL_SET = 1 << (SIGILL - 1), AFTER = 0x401002, BUFFER = 0x5000, STARTED = 500, STACK = 700 };

static struct {
    int code, status; /* 0: it does not stop */
    bool fault, untraceable, taken, again;
    int sharer_of;
    struct arch_registers registers;
} fakes[MOST];

static int number_of(pid_t tid)
{
    int number = short_pid(tid);
    ck_assert(number > 0 && number < MOST);
    return number;
}

/* Reports the first stop of a thread that was interrupted. A resumed thread does not stop again. */
int __wrap_waitid(idtype_t type, id_t id, siginfo_t *info, int options);
int __wrap_waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    int number = type == P_PID ? number_of((pid_t)id) : 1;
    ck_assert(options & WNOHANG); /* it may be called in a signal handler */
    while (type == P_ALL && number < MOST - 1 && !fakes[number].code)
        number++;
    if (!(options & WNOWAIT)) {
        note("take %d", number);
        return 0;
    }
    info->si_pid = fakes[number].code ? FIRST_PID + number : 0;
    info->si_code = fakes[number].code;
    info->si_status = fakes[number].status;
    return 0;
}

int __wrap_usleep(useconds_t us);
int __wrap_usleep(useconds_t us)
{
    (void)us;
    return 0;
}

int __wrap_request_seize(pid_t tid, bool follow, bool end);
int __wrap_request_seize(pid_t tid, bool follow, bool end)
{
    ck_assert(!follow && !end);
    if (fakes[number_of(tid)].untraceable)
        return -EPERM;
    note("seize %d", number_of(tid));
    return 0;
}

int __wrap_request_interrupt(pid_t tid);
int __wrap_request_interrupt(pid_t tid)
{
    int number = number_of(tid);
    if (fakes[number].untraceable)
        return -ESRCH;
    note("interrupt %d", number);
    memory_is_stopped = true;
    if (fakes[number].taken)
        memory_say_identity(number, 'R', STARTED + 1, STACK, getpid(), 0);
    return 0;
}

static int go_on(const char *how, pid_t tid, int sig)
{
    if (!fakes[number_of(tid)].again)
        fakes[number_of(tid)].code = 0;
    memory_is_stopped = false;
    sig ? note("%s %d with %d", how, number_of(tid), sig) : note("%s %d", how, number_of(tid));
    return 0;
}

int __wrap_request_detach(pid_t tid, int sig);
int __wrap_request_detach(pid_t tid, int sig)
{
    return go_on("detach", tid, sig);
}

int __wrap_request_resume(pid_t tid, int sig);
int __wrap_request_resume(pid_t tid, int sig)
{
    return go_on("resume", tid, sig);
}

bool __wrap_request_is_fault(pid_t tid);
bool __wrap_request_is_fault(pid_t tid)
{
    return fakes[number_of(tid)].fault;
}

int __wrap_request_registers(pid_t tid, struct arch_registers *registers);
int __wrap_request_registers(pid_t tid, struct arch_registers *registers)
{
    *registers = fakes[number_of(tid)].registers;
    return 0;
}

int __wrap_request_set_registers(pid_t tid, const struct arch_registers *registers);
int __wrap_request_set_registers(pid_t tid, const struct arch_registers *registers)
{
    if (arch_pc(registers) == AFTER - ARCH_SYSCALL_BYTES) {
        note("%d enters again", number_of(tid));
        return 0;
    }
    ck_assert_uint_eq(arch_pc(registers), AFTER);
    note("%d returns %lld", number_of(tid), (long long)arch_result(registers));
    return 0;
}

static void note_byte(int number, uint64_t address, bool half)
{
    struct procfs_identity identity;
    ck_assert(procfs_identify(FIRST_PID + number, &identity));
    int made = rescue_note(&rescue, FIRST_PID + number, &identity, address, MEMORY_BYTE, ARCH_BREAKPOINT);
    ck_assert_int_ge(made, 0);
    if (half)
        rescue.notes[made].pid = 0;
    memory_set(number, address, ARCH_BREAKPOINT);
}

static void note_detour_of(int number, uint64_t address, uint64_t stub)
{
    struct procfs_identity identity;
    struct detour detour = {.address = address, .stub = stub, .tail = 0x1800, .call = 1};
    uint8_t code[ARCH_STUB_BYTES], jump[ARCH_JUMP_BYTES];
    memset(detour.original, MEMORY_BYTE, sizeof detour.original);
    ck_assert(procfs_identify(FIRST_PID + number, &identity) && arch_jump(jump, address, stub) &&
              arch_stub(code, stub, detour.call, address, detour.tail, detour.original));
    ck_assert_int_ge(rescue_note_detour(&rescue, FIRST_PID + number, &identity, &detour), 0);
    for (size_t i = 0; i < sizeof jump; i++)
        memory_set(number, address + i, jump[i]);
    for (size_t i = 0; i < sizeof code; i++)
        memory_set(number, stub + i, code[i]);
}

static void make_child(int parent, int number)
{
    char text[100];
    memory_make(number, parent);
    memory_say_stat(number, number, 'R', STARTED + number, STACK);
    snprintf(text, sizeof text, "Tgid:\t%d\nPPid:\t%d\nTracerPid:\t0\n", FIRST_PID + number, FIRST_PID + parent);
    memory_say(number, "status", text);
}

bool __wrap_memory_shared(pid_t one, pid_t other);
bool __wrap_memory_shared(pid_t one, pid_t other)
{
    return fakes[short_pid(one)].sharer_of == short_pid(other);
}

static void make_sharer(int maker, int number)
{
    memory_share(number, maker);
    memory_say_identity(number, 'S', STARTED + number, STACK, 0, 0);
    fakes[number].sharer_of = maker;
}

static void sleep_at(int number, uint64_t address)
{
    char name[60], text[100];
    snprintf(name, sizeof name, "task/%d/syscall", FIRST_PID + number);
    snprintf(text, sizeof text, "35 0x0 0x0 0x0 0x0 0x0 0x0 0x1000 0x%llx\n", (unsigned long long)address);
    memory_say(number, name, text);
    memory_say(number, "syscall", text);
}

/* Sets how far process NUMBER is with the remainder of a transfer. */
static void note_rest(int number, const char *where, bool quietly)
{
    struct procfs_identity identity;
    struct arch_registers before = {
        .user = {.orig_rax = SYS_write, .rax = 40, .rip = AFTER, .rsp = 0x7000, .rdi = 3, .rsi = BUFFER, .rdx = 100}};
    struct arch_registers *now = &fakes[number].registers;
    ck_assert(procfs_identify(FIRST_PID + number, &identity));
    ck_assert_ptr_nonnull(rescue_remainder(&rescue, FIRST_PID + number, &identity, &before, quietly));
    *now = before;
    arch_resume_transfer(now, quietly);
    if (!strcmp(where, "ahead"))
        return;
    now->user.rip = AFTER;
    now->user.orig_rax = now->user.rax;
    now->user.rax = (unsigned long long)(!strcmp(where, "entering") ? -ENOSYS : atoll(where));
    if (!strcmp(where, "elsewhere"))
        now->user.rdi = 4;
}

static void stop(int number, const char *how, int value)
{
    bool fault = !strcmp(how, "fault");
    fakes[number].code = !strcmp(how, "ended") ? CLD_EXITED : CLD_TRAPPED;
    fakes[number].fault = fault;
    fakes[number].status = fault || !strcmp(how, "signal") ? value
                           : !strcmp(how, "group")         ? 128 << 8 | value
                           : !strcmp(how, "syscall")       ? SIGTRAP | 0x80
                                                           : 128 << 8 | SIGTRAP;
}

/* Ends the first thread. Another thread lives, and has the memory. */
static void end_leader(int number)
{
    char name[60];
    memory_say_identity(number, 'Z', STARTED, 0, getpid(), 0);
    memory_say_stat(number, number + 1, 'R', STARTED + 1, STACK);
    snprintf(name, sizeof name, "task/%d/mem", FIRST_PID + number + 1);
    memory_link(number, name, "../../mem");
    memory_share(number + 1, number);
}

/* Changes /proc. Returns false if WORD is not a command for that. */
static bool run_proc(const char *word, int number)
{
    if (!strcmp(word, "process"))
        memory_make(number, 0), memory_say_identity(number, 'R', STARTED, STACK, getpid(), 0);
    else if (!strcmp(word, "another"))
        memory_say_identity(number, 'R', STARTED + 1, STACK, 1, 0);
    else if (!strcmp(word, "exec"))
        memory_say_identity(number, 'R', STARTED, STACK + 1, getpid(), 0);
    else if (!strcmp(word, "untraced"))
        memory_say_identity(number, 'R', STARTED, STACK, 1, SIGILL_SET);
    else if (!strcmp(word, "pending") || !strcmp(word, "asleep"))
        memory_say_identity(number, *word == 'p' ? 'R' : 'S', STARTED, STACK, getpid(), SIGILL_SET);
    else if (!strcmp(word, "leader-ended"))
        end_leader(number);
    else if (!strcmp(word, "zombie"))
        memory_say_identity(number, 'Z', STARTED, 0, getpid(), 0);
    else if (!strcmp(word, "gone"))
        memory_say(number, "stat", "");
    else
        return false;
    return true;
}

static bool run_state(const char *word, int number, const char *text, unsigned value)
{
    uint64_t address = strtoull(text, NULL, 16);
    if (!strcmp(word, "byte"))
        memory_set(number, address, (uint8_t)value);
    else if (!strcmp(word, "refused"))
        memory_link(number, "mem", "mem");
    else if (!strcmp(word, "read-only"))
        memory_read_only = true;
    else if (!strcmp(word, "tracer-only"))
        memory_tracer_only = true;
    else if (!strcmp(word, "untraceable"))
        fakes[number].untraceable = true;
    else if (!strcmp(word, "again"))
        fakes[number].again = true;
    else if (!strcmp(word, "taken"))
        fakes[number].taken = true;
    else if (!strcmp(word, "at"))
        arch_set_pc(&fakes[number].registers, address);
    else if (!strcmp(word, "interrupted"))
        fakes[number].registers.user = (struct user_regs_struct){
            .orig_rax = SYS_epoll_wait, .rax = (unsigned long long)-EINTR, .rip = AFTER, .rsp = 0x7000};
    else if (!strcmp(word, "note") || !strcmp(word, "half"))
        note_byte(number, address, *word == 'h');
    else if (!strcmp(word, "detour"))
        note_detour_of(number, address, value);
    else if (!strcmp(word, "child"))
        make_child(number, atoi(text));
    else if (!strcmp(word, "sharer"))
        make_sharer(number, atoi(text));
    else if (!strcmp(word, "sleeps"))
        sleep_at(number, address);
    else if (!strcmp(word, "rest") || !strcmp(word, "quiet"))
        note_rest(number, text, *word == 'q');
    else
        return false;
    return true;
}

static void show_left(void)
{
    for (size_t i = 0; i < RESCUE_NOTES; i++)
        if (rescue.notes[i].pid)
            note("%d:%llx noted", short_pid(rescue.notes[i].pid), (unsigned long long)rescue.notes[i].address);
    for (size_t i = 0; i < RESCUE_DETOURS; i++)
        if (rescue.detours[i].pid)
            note("%d:%llx has %llx", short_pid(rescue.detours[i].pid),
                 (unsigned long long)rescue.detours[i].detour.address,
                 (unsigned long long)rescue.detours[i].detour.stub);
    for (size_t i = 0; i < RESCUE_REMAINDERS; i++)
        if (rescue.remainders[i].tid)
            note("%d remainders", short_pid(rescue.remainders[i].tid));
}

static void run_tested(const char *word, int number, const char *text)
{
    if (!strcmp(word, "all"))
        note("restored %u", rescue_all(&rescue));
    else if (!strcmp(word, "bytes"))
        rescue_bytes(&rescue);
    else if (!strcmp(word, "let-go"))
        note("let go %u", rescue_let_go(&rescue));
    else if (!strcmp(word, "awaited"))
        note("awaited %u", rescue_awaited(&rescue));
    else if (!strcmp(word, "late"))
        rescue_stopped_late(FIRST_PID + number, atoi(text));
    else if (!strcmp(word, "left"))
        show_left();
    else
        ck_abort_msg("no such command: %s", word);
}

static void run_command(const char *command)
{
    char word[20], text[20] = "";
    int number = 0;
    unsigned value = 0;
    ck_assert_int_ge(sscanf(command, "%19s %d %19s %x", word, &number, text, &value), 1);
    if (!strcmp(word, "stops"))
        stop(number, text, (int)value);
    else if (!run_proc(word, number) && !run_state(word, number, text, value))
        run_tested(word, number, text);
}

static const struct {
    const char *name, *script, *expected;
} scripts[] = {
    {"what was noted is put back", "process 1; process 2; note 1 1010; note 1 1020; note 2 1010; all; left;",
     "write 1:1010=55**; write 1:1020=55*; write 2:1010=55*; restored 3; "},
    {"not what lies there by now", "process 1; note 1 1010; byte 1 1010 c3; all; left;", "restored 0; "},
    {"nor a half-made note's", "process 1; half 1 1010; note 1 1020; all; left;", "write 1:1020=55*; restored 1; "},
    {"nor what is another process by now", "process 1; note 1 1010; another 1; all; left;", "restored 0; "},
    {"or another image", "process 1; note 1 1010; exec 1; all; left;", "restored 0; "},
    {"or is gone", "process 1; note 1 1010; gone 1; all; left;", "restored 0; "},
    {"the memory of one whose first thread has ended", "process 1; note 1 1010; leader-ended 1; all; left;",
     "write 1:1010=55*; restored 1; "},
    {"all have", "process 1; note 1 1010; zombie 1; all; left;", "restored 0; "},

    {"a memory that is refused is changed by tracing", "process 1; note 1 1010; refused 1; stops 1 trap; all; left;",
     "seize 1; interrupt 1; poke 1:1010=55*; detach 1; restored 1; "},
    {"what that stop made fail is entered again",
     "process 1; note 1 1010; refused 1; interrupted 1; stops 1 trap; all; interrupted 1; late 1 133;",
     "seize 1; interrupt 1; poke 1:1010=55*; 1 enters again; detach 1; restored 1; take 1; 1 enters again; detach 1; "},
    {"not for a signal, which may be handled",
     "process 1; note 1 1010; refused 1; interrupted 1; stops 1 signal a; all;",
     "seize 1; interrupt 1; poke 1:1010=55*; detach 1 with 10; restored 1; "},
    {"a signal for it is the program's own", "process 1; note 1 1010; refused 1; stops 1 signal a; all;",
     "seize 1; interrupt 1; poke 1:1010=55*; detach 1 with 10; restored 1; "},
    {"not if the byte made it", "process 1; note 1 1010; refused 1; at 1 1010; stops 1 signal 4; all;",
     "seize 1; interrupt 1; poke 1:1010=55*; detach 1; restored 1; "},
    {"which it did only where the thread stands",
     "process 1; note 1 1010; refused 1; at 1 1011; stops 1 signal 4; all;",
     "seize 1; interrupt 1; poke 1:1010=55*; detach 1 with 4; restored 1; "},
    {"a thread that lives is traced", "process 1; note 1 1010; leader-ended 1; refused 1; stops 2 trap; all; left;",
     "seize 2; interrupt 2; poke 2:1010=55*; detach 2; restored 1; "},
    {"what lies there by now is left by that, too",
     "process 1; note 1 1010; byte 1 1010 c3; refused 1; stops 1 trap; all; left;",
     "seize 1; interrupt 1; detach 1; restored 0; "},
    {"one that cannot be traced", "process 1; note 1 1010; refused 1; untraceable 1; all; left;", "restored 0; "},
    {"one that does not stop", "process 1; note 1 1010; refused 1; all; left;", "seize 1; interrupt 1; restored 0; "},
    {"and does so late", "late 1 133; late 1 10;", "take 1; detach 1; take 1; detach 1 with 10; "},
    {"one that ends meanwhile is left for others to reap", "process 1; note 1 1010; refused 1; stops 1 ended; all;",
     "seize 1; interrupt 1; restored 0; "},
    {"one that is another meanwhile", "process 1; note 1 1010; refused 1; taken 1; stops 1 signal a; all; left;",
     "seize 1; interrupt 1; detach 1 with 10; restored 0; "},
    {"a memory that cannot be written", "process 1; note 1 1010; read-only; stops 1 trap; all;",
     "seize 1; interrupt 1; poke 1:1010=55*; detach 1; restored 1; "},

    {"a jump is put back at once, a stub stays noted", "process 1; detour 1 1010 1d10; bytes; left;",
     "word 1:1010=55*; 1:1010 has 1d10; "},
    {"and is put back if all threads wait elsewhere", "process 1; detour 1 1010 1d10; sleeps 1 777; all; left;",
     "word 1:1010=55*; stub 1:1d10=00*; restored 0; "},
    {"one that runs is looked at",
     "process 1; detour 1 1010 1d10; detour 1 1020 1e50; at 1 777; stops 1 trap; all; left;",
     "word 1:1010=55*; word 1:1020=55*; seize 1; interrupt 1; detach 1; stub 1:1d10=00*; stub 1:1e50=00*; restored "
     "0; "},
    {"its signal is its own", "process 1; detour 1 1010 1d10; at 1 777; stops 1 signal a; all;",
     "word 1:1010=55*; seize 1; interrupt 1; detach 1 with 10; stub 1:1d10=00*; restored 0; "},
    {"so is one of another process that has the memory",
     "process 1; process 3; detour 1 1010 1d10; sleeps 1 777; sharer 1 2; at 2 777; stops 2 trap; all; left;",
     "word 1:1010=55*; seize 2; interrupt 2; detach 2; stub 1:1d10=00*; restored 0; "},
    {"only the tracer may write: it is traced for that",
     "process 1; tracer-only; again 1; detour 1 1010 1d10; sleeps 1 777; stops 1 trap; all; left;",
     "seize 1; interrupt 1; word 1:1010=55*; detach 1; seize 1; interrupt 1; stub 1:1d10=00*; detach 1; restored 0; "},
    {"not a stub that is another image's, or is no more", "process 1; detour 1 1010 1d10; exec 1; all; left;",
     "restored 0; "},
    {"a child's child that nobody has heard of has a copy",
     "process 1; detour 1 1010 1d10; child 1 2; child 2 3; bytes; sleeps 1 777; sleeps 2 777; sleeps 3 777; all; left;",
     "word 1:1010=55*; word 2:1010=55**; word 3:1010=55***; stub 1:1d10=00***; stub 2:1d10=00**; stub 3:1d10=00*; "
     "restored 0; "},
    {"a child with other code there has none",
     "process 1; detour 1 1010 1d10; child 1 2; byte 2 1d20 1; sleeps 1 777; all; left;",
     "word 1:1010=55*; stub 1:1d10=00*; restored 0; "},
    {"nor what lies there by now", "process 1; detour 1 1010 1d10; byte 1 1d10 c3; sleeps 1 777; all; left;",
     "word 1:1010=55*; restored 0; "},
    {"a rest that has not begun is not made", "process 1; rest 1 ahead; stops 1 trap; all; left;",
     "seize 1; interrupt 1; 1 returns 40; detach 1; restored 0; "},
    {"one that is being made is counted", "process 1; rest 1 25; stops 1 signal a; all; left;",
     "seize 1; interrupt 1; 1 returns 65; detach 1 with 10; restored 0; "},
    {"one that failed is not", "process 1; rest 1 -32; stops 1 trap; all;",
     "seize 1; interrupt 1; 1 returns 40; detach 1; restored 0; "},
    {"by another call", "process 1; quiet 1 25; stops 1 trap; all;",
     "seize 1; interrupt 1; 1 returns 65; detach 1; restored 0; "},
    {"a thread that is elsewhere by now is left", "process 1; rest 1 elsewhere; stops 1 trap; all; left;",
     "seize 1; interrupt 1; detach 1; restored 0; "},
    {"one that is another", "process 1; rest 1 ahead; another 1; stops 1 trap; all; left;", "restored 0; "},
    {"bytes come before remainders", "process 1; rest 1 ahead; note 1 1010; stops 1 trap; all; left;",
     "write 1:1010=55*; seize 1; interrupt 1; 1 returns 40; detach 1; restored 1; "},

    {"bytes that can be put back without a stop are no longer noted",
     "process 1; process 2; process 3; note 1 1010; note 1 1020; note 2 1010; note 3 1010; half 3 1020; refused 2; "
     "byte 1 1020 c3; bytes; left;",
     "write 1:1010=55***; write 3:1010=55**; 2:1010 noted; "},
    {"those of another are not touched", "process 1; note 1 1010; another 1; bytes; left;", ""},
    {"those of one that is gone are forgotten", "process 1; note 1 1010; gone 1; bytes; left;", ""},
    {"those of one number and two images", "process 1; note 1 1010; exec 1; note 1 1020; bytes; left;",
     "write 1:1020=55*; "},
    {"what cannot be written stays noted", "process 1; note 1 1010; read-only; bytes; left;", "1:1010 noted; "},

    {"all that are stopped are let go, with their signals",
     "process 1; process 2; process 4; stops 1 trap; stops 2 signal a; stops 4 group 13; let-go;",
     "take 1; detach 1; detach 2 with 10; take 4; detach 4; let go 3; "},
    {"not with that of a byte", "process 1; stops 1 fault 4; let-go;", "take 1; detach 1; let go 1; "},
    {"but with one that was sent", "process 1; stops 1 signal 4; let-go;", "detach 1 with 4; let go 1; "},
    {"one that is still to be told of a byte goes on until then",
     "process 1; pending 1; stops 1 trap; let-go; stops 1 fault 4; let-go;",
     "take 1; resume 1; let go 1; take 1; detach 1; let go 1; "},
    {"remainders end", "process 1; process 2; rest 1 ahead; quiet 2 25; stops 1 trap; stops 2 signal a; let-go; left;",
     "1 returns 40; take 1; detach 1; 2 returns 65; detach 2 with 10; let go 2; "},
    {"not at the entry of their call", "process 1; rest 1 entering; stops 1 syscall; let-go; left;",
     "take 1; detach 1; let go 1; 1 remainders; "},
    {"what meets a byte is awaited",
     "process 1; process 2; process 3; pending 1; asleep 2; sleeps 2 777; untraced 3; awaited;", "awaited 1; "},
    {"also if it is frozen there", "process 1; note 1 1010; bytes; asleep 1; sleeps 1 1010; awaited;",
     "write 1:1010=55*; awaited 1; "},
};

START_TEST(changes_are_undone_as_in_the_scripts)
{
    char script[400];
    int descriptors = memory_count_descriptors();
    memset(fakes, 0, sizeof fakes);
    memory_begin();
    snprintf(script, sizeof script, "%s", scripts[_i].script);
    for (char *left = NULL, *command = strtok_r(script, ";", &left); command; command = strtok_r(NULL, ";", &left))
        run_command(command);
    fake_proc_end();
    ck_assert_msg(!strcmp(log_text, scripts[_i].expected), "%s:\n  %s\nnot\n  %s", scripts[_i].name, log_text,
                  scripts[_i].expected);
    ck_assert_int_eq(memory_count_descriptors(), descriptors);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("rescue");
    UNIT_ADD_TABLE(tests, changes_are_undone_as_in_the_scripts, scripts);
    return unit_end();
}

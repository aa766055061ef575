/* SPDX-License-Identifier: MIT
 *
 * What the events of tracees come to, by scripts: wait statuses and what /proc says go in, what is told and which
 * requests are made comes out. No process is traced.
 *
 * A script has commands, with ';' behind each:
 *   family T P R       /proc says that thread T is of process P, whose parent is R
 *   gone T             /proc knows no T any more
 *   thread P T         T is a thread in P's folder, and of P, whose parent is 1
 *   children T C       C is the child that /proc says thread T has, and has its memory
 *   idle P T           thread T of P is in a call that makes no child; else it may be in one that does
 *   launch P, attach P, ask T (to stop), release T, welcome
 *   hold, let-go, keep the verdict on what comes next: the thread is held; it is let go; the signal is for us
 *   T trap, T signal N, T group N, T fork C, T vfork C, T clone C, T exec F, T exit, T exited, T killed
 *                      T stops so, or ends */
#include "fake_proc.h"

#include "tracee/follow.h"
#include "tracee/request.h"

#include "unit.h"
#include "unit_log.h"

#include <signal.h>
#include <sys/wait.h>

enum { FIRST_TID = 5000000 }; /* there are no such processes */

static struct {
    siginfo_t raw;   /* what a tracee has to say; si_pid 0: nothing */
    pid_t message;   /* of its event */
    pid_t sharer;    /* has the memory of others */
    pid_t seized[8]; /* are traced, and cannot be once more */
    size_t seized_count;
    bool hold, let_go, keep;
} fake;

static int short_tid(pid_t tid)
{
    return tid ? (int)(tid - FIRST_TID) : 0;
}

int __wrap_waitid(idtype_t type, id_t id, siginfo_t *info, int options);
int __wrap_waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    ck_assert(type == P_PID || type == P_ALL);
    if (!(options & WNOWAIT)) {
        note("%s %d", options & WEXITED ? "reap" : "take", short_tid((pid_t)id));
        return 0;
    }
    *info = (siginfo_t){.si_signo = 0};
    if (fake.raw.si_pid && (type == P_ALL || (pid_t)id == fake.raw.si_pid))
        *info = fake.raw;
    fake.raw.si_pid = 0;
    return 0;
}

int __wrap_request_seize(pid_t tid, bool follow);
int __wrap_request_seize(pid_t tid, bool follow)
{
    for (size_t i = 0; i < fake.seized_count; i++)
        if (fake.seized[i] == tid)
            return -EPERM;
    ck_assert_uint_lt(fake.seized_count, UNIT_ROWS(fake.seized));
    fake.seized[fake.seized_count++] = tid;
    note("seize %d%s", short_tid(tid), follow ? " and children" : "");
    return 0;
}

int __wrap_request_interrupt(pid_t tid);
int __wrap_request_interrupt(pid_t tid)
{
    note("interrupt %d", short_tid(tid));
    return 0;
}

static int go_on(const char *how, pid_t tid, int sig)
{
    if (sig)
        note("%s %d with %d", how, short_tid(tid), sig);
    else
        note("%s %d", how, short_tid(tid));
    return 0;
}

int __wrap_request_resume(pid_t tid, int sig);
int __wrap_request_resume(pid_t tid, int sig)
{
    return go_on("resume", tid, sig);
}

int __wrap_request_resume_to_syscall(pid_t tid, int sig);
int __wrap_request_resume_to_syscall(pid_t tid, int sig)
{
    return go_on("resume to syscall", tid, sig);
}

int __wrap_request_listen(pid_t tid);
int __wrap_request_listen(pid_t tid)
{
    return go_on("listen", tid, 0);
}

int __wrap_request_detach(pid_t tid, int sig);
int __wrap_request_detach(pid_t tid, int sig)
{
    return go_on("detach", tid, sig);
}

int __wrap_request_event_message(pid_t tid, pid_t *message);
int __wrap_request_event_message(pid_t tid, pid_t *message)
{
    (void)tid;
    *message = fake.message;
    return 0;
}

/* Nobody is in a system call. */
int __wrap_request_registers(pid_t tid, struct arch_registers *registers);
int __wrap_request_registers(pid_t tid, struct arch_registers *registers)
{
    (void)tid;
    memset(registers, 0, sizeof *registers);
    arch_set_result(registers, 0);
    registers->user.orig_rax = (unsigned long long)-1;
    return 0;
}

int __wrap_request_options(pid_t tid, bool follow, bool end);
int __wrap_request_options(pid_t tid, bool follow, bool end)
{
    (void)follow;
    note("options %d%s", short_tid(tid), end ? " with its end" : "");
    return 0;
}

bool __wrap_memory_shared(pid_t one, pid_t other);
bool __wrap_memory_shared(pid_t one, pid_t other)
{
    return one == fake.sharer || other == fake.sharer;
}

static const char *const names[] = {
    [HAPPENED_ADDED] = "ADDED",
    [HAPPENED_BORN] = "BORN",
    [HAPPENED_THREAD_BORN] = "THREAD",
    [HAPPENED_NEWBORN] = "NEWBORN",
    [HAPPENED_ATTACHED] = "ATTACHED",
    [HAPPENED_EXEC] = "EXEC",
    [HAPPENED_CHILDREN_KNOWN] = "CHILDREN KNOWN",
    [HAPPENED_IMAGE_ENDS] = "IMAGE ENDS",
    [HAPPENED_THREAD_EXITS] = "EXITS",
    [HAPPENED_THREAD_ENDED] = "THREAD ENDED",
    [HAPPENED_PROCESS_ENDED] = "ENDED",
    [HAPPENED_STOPPED] = "STOPPED",
    [HAPPENED_UNFOLLOWED] = "UNFOLLOWED",
};

static void note_happened(const struct happened *happened)
{
    char text[100];
    const struct process *process = happened->process;
    pid_t id = happened->tid ? happened->tid : happened->thread ? happened->thread->tid : process->pid;
    int length = snprintf(text, sizeof text, "%s %d", names[happened->kind], short_tid(id));
    if (happened->origin)
        length += snprintf(text + length, sizeof text - (size_t)length, " of %d", short_tid(happened->origin->pid));
    if (happened->kind == HAPPENED_BORN || happened->kind == HAPPENED_EXEC || happened->kind == HAPPENED_ATTACHED)
        length += snprintf(text + length, sizeof text - (size_t)length, " image %u", process->image);
    if (happened->kind == HAPPENED_EXEC)
        length += snprintf(text + length, sizeof text - (size_t)length, ".%u", process->generation);
    if (happened->sig)
        length += snprintf(text + length, sizeof text - (size_t)length, " for %d", happened->sig);
    if (happened->asked || happened->continued)
        snprintf(text + length, sizeof text - (size_t)length, "%s%s", happened->asked ? " asked" : "",
                 happened->continued ? " continued" : "");
    note("%s", text);
}

static bool may_be_held(const struct happened *happened)
{
    return happened->kind == HAPPENED_EXEC ||
           (happened->kind == HAPPENED_STOPPED && happened->event.kind != EVENT_EXEC);
}

static void tell(struct follow *follow)
{
    struct happened happened;
    while (follow_next(follow, &happened)) {
        note_happened(&happened);
        struct verdict verdict = {
            .sig = fake.keep ? 0 : happened.sig, .hold = fake.hold && may_be_held(&happened), .let_go = fake.let_go};
        uint64_t resumed_ns = follow_answer(follow, &happened, verdict);
        ck_assert(!resumed_ns || happened.asked);
    }
}

static void hear(struct follow *follow, pid_t tid, int code, int status, pid_t message)
{
    fake.raw = (siginfo_t){.si_signo = SIGCHLD};
    fake.raw.si_pid = FIRST_TID + tid;
    fake.raw.si_code = code;
    fake.raw.si_status = status;
    fake.message = message ? FIRST_TID + message : 0;
    ck_assert(follow_hear(follow, 0, false));
    tell(follow);
    fake.hold = fake.let_go = fake.keep = false;
}

static void say_family(pid_t tid, pid_t pid, pid_t parent)
{
    char path[80], text[200];
    snprintf(path, sizeof path, "/proc/%d/status", FIRST_TID + tid);
    snprintf(text, sizeof text, "Tgid:\t%d\nPPid:\t%d\nTracerPid:\t%d\n", FIRST_TID + pid, FIRST_TID + parent,
             (int)getpid());
    fake_proc_say(path, text);
}

static void say_of_thread(pid_t pid, pid_t tid, const char *name, const char *text)
{
    char path[80];
    snprintf(path, sizeof path, "/proc/%d/task/%d/%s", FIRST_TID + pid, FIRST_TID + tid, name);
    fake_proc_say(path, text);
}

/* What a thread of the script does. Returns false if WORD is no such thing. */
static bool run_event(struct follow *follow, pid_t tid, const char *word, int number)
{
    static const struct {
        const char *word;
        int code, event;
        bool sig; /* NUMBER is a signal; else an event message */
    } events[] = {
        {"trap", CLD_TRAPPED, SIGTRAP | 128 << 8, false},
        {"signal", CLD_TRAPPED, 0, true},
        {"group", CLD_TRAPPED, 128 << 8, true},
        {"fork", CLD_TRAPPED, SIGTRAP | 1 << 8, false},
        {"vfork", CLD_TRAPPED, SIGTRAP | 2 << 8, false},
        {"clone", CLD_TRAPPED, SIGTRAP | 3 << 8, false},
        {"exec", CLD_TRAPPED, SIGTRAP | 4 << 8, false},
        {"exit", CLD_TRAPPED, SIGTRAP | 6 << 8, false},
        {"exited", CLD_EXITED, 0, false},
        {"killed", CLD_KILLED, SIGKILL, false},
    };
    for (size_t i = 0; i < UNIT_ROWS(events); i++)
        if (!strcmp(word, events[i].word)) {
            hear(follow, tid, events[i].code, events[i].event | (events[i].sig ? number : 0),
                 events[i].sig ? 0 : number);
            return true;
        }
    return false;
}

/* What /proc says from now on. Returns false if WORD is no such thing. */
static bool run_proc(const char *word, int one, int two, int three)
{
    char text[80];
    if (!strcmp(word, "family")) {
        say_family(one, two, three);
    } else if (!strcmp(word, "gone")) {
        snprintf(text, sizeof text, "/proc/%d/status", FIRST_TID + one);
        fake_proc_hide(text);
    } else if (!strcmp(word, "thread")) {
        say_family(two, one, 1);
        say_of_thread(one, two, "stat", "");
    } else if (!strcmp(word, "idle")) {
        say_of_thread(one, two, "syscall", "34 0x0 0x0 0x0 0x0 0x0 0x0 0x7ffc0000 0x401000\n");
    } else if (!strcmp(word, "children")) {
        snprintf(text, sizeof text, "%d ", FIRST_TID + two);
        say_of_thread(one, one, "children", text);
        fake.sharer = FIRST_TID + two;
    } else {
        return false;
    }
    return true;
}

static void run_own(struct follow *follow, const char *word, pid_t tid)
{
    if (!strcmp(word, "launch"))
        ck_assert_int_eq(follow_launched(follow, FIRST_TID + tid), 0);
    else if (!strcmp(word, "attach"))
        ck_assert_int_eq(follow_attach(follow, FIRST_TID + tid), 0);
    else if (!strcmp(word, "ask"))
        table_thread(&follow->table, FIRST_TID + tid)->asked = true;
    else if (!strcmp(word, "release"))
        follow_release(follow, table_thread(&follow->table, FIRST_TID + tid));
    else if (!strcmp(word, "welcome"))
        follow_welcome(follow);
    else
        ck_abort_msg("no such command: %s", word);
    tell(follow);
}

/* Returns false if WORD is no verdict. */
static bool run_verdict(const char *word)
{
    bool hold = !strcmp(word, "hold"), let_go = !strcmp(word, "let-go"), keep = !strcmp(word, "keep");
    fake.hold |= hold;
    fake.let_go |= let_go;
    fake.keep |= keep;
    return hold || let_go || keep;
}

static void run_command(struct follow *follow, const char *command)
{
    char word[20];
    int one = 0, two = 0, three = 0;
    if (sscanf(command, "%d %19s %d", &one, word, &two) >= 2) {
        if (!run_event(follow, one, word, two))
            ck_abort_msg("no such event: %s", command);
        return;
    }
    ck_assert_int_ge(sscanf(command, "%19s %d %d %d", word, &one, &two, &three), 1);
    if (!run_verdict(word) && !run_proc(word, one, two, three))
        run_own(follow, word, one);
}

static const struct {
    const char *name;
    bool others_only; /* children are not followed, but heard of */
    const char *script, *expected;
} scripts[] = {
    {"a launched command, its first exec, its end", false, "launch 10; 10 exec 10; 10 exit; 10 exited;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; "
     "EXITS 10; resume 10; THREAD ENDED 10; ENDED 10; reap 10; "},
    {"an exec by another thread than the first: the others have ended, and the tid changes", false,
     "launch 10; 10 exec 10; family 12 10 1; 10 clone 12; 12 trap; family 13 10 1; 10 clone 13; ask 12; 10 exec 12;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; THREAD 12; STOPPED 10; "
     "resume 10; "
     "STOPPED 12; resume 12; THREAD 13; STOPPED 10; resume 10; take 10; THREAD ENDED 13; THREAD ENDED 12; IMAGE ENDS "
     "10; "
     "EXEC 10 image 2.1; STOPPED 10; resume 10; "},
    {"a child: its maker's event comes first", false,
     "launch 10; 10 exec 10; family 11 11 10; 10 fork 11; 11 trap; 11 exec 11;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; BORN 11 of 10 image 2; "
     "STOPPED 10; resume 10; STOPPED 11; resume 11; take 11; IMAGE ENDS 11; EXEC 11 image 3.1; STOPPED 11; resume "
     "11; "},
    {"a child that stops before its maker's event is kept until that comes", false,
     "launch 10; 10 exec 10; family 11 11 10; 11 trap; 10 fork 11;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; take 11; "
     "BORN 11 of 10 image 2; NEWBORN 11; resume 11; STOPPED 10; resume 10; "},
    {"whose parent is another than its maker (CLONE_PARENT)", false,
     "launch 10; 10 exec 10; family 11 11 10; 10 fork 11; 11 trap; family 12 12 10; 12 trap; 11 clone 12;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; BORN 11 of 10 image 2; "
     "STOPPED 10; resume 10; STOPPED 11; resume 11; take 12; BORN 12 of 11 image 3; NEWBORN 12; resume 12; STOPPED 11; "
     "resume 11; "},
    {"whose maker is killed before its event", false, "launch 10; 10 exec 10; family 11 11 10; 11 trap; 10 killed;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; take 11; "
     "BORN 11 of 10 image 2; NEWBORN 11; resume 11; THREAD ENDED 10; ENDED 10; reap 10; "},
    {"that is killed while it is kept", false,
     "launch 10; 10 exec 10; family 11 11 10; 11 trap; gone 11; 11 killed; 10 fork 11;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; take 11; reap 11; "
     "STOPPED 10; resume 10; "},
    {"that is kept when all are let go", false, "launch 10; 10 exec 10; family 11 11 10; 11 trap; welcome;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; take 11; "
     "BORN 11 of 10 image 2; NEWBORN 11; resume 11; "},
    {"a vforked child, and its exec", false,
     "launch 10; 10 exec 10; family 11 11 10; 10 vfork 11; 11 trap; 11 exec 11; 10 trap;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; BORN 11 of 10 image 2; "
     "STOPPED 10; resume 10; STOPPED 11; resume 11; take 11; IMAGE ENDS 11; EXEC 11 image 3.1; STOPPED 11; resume 11; "
     "STOPPED 10; resume 10; "},
    {"a leader that ends before its other threads is told of when these have ended", false,
     "launch 10; 10 exec 10; family 12 10 1; 10 clone 12; 12 trap; 12 exited; 10 exited;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; THREAD 12; STOPPED 10; "
     "resume 10; "
     "STOPPED 12; resume 12; THREAD ENDED 12; reap 12; THREAD ENDED 10; ENDED 10; reap 10; "},
    {"a request to stop is answered by any stop that comes first", false,
     "launch 10; 10 exec 10; ask 10; 10 signal 10; 10 trap; ask 10; 10 trap;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; "
     "STOPPED 10 for 10 asked; resume 10 with 10; STOPPED 10; resume 10; STOPPED 10 asked; resume 10; "},
    {"a signal for us is not delivered", false, "launch 10; 10 exec 10; keep; 10 signal 4; 10 signal 4;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; STOPPED 10 for 4; resume 10; "
     "STOPPED 10 for 4; resume 10 with 4; "},
    {"a group-stop lasts, and its end is told", false,
     "launch 10; 10 exec 10; 10 signal 19; 10 group 19; ask 10; 10 group 19; 10 trap; 10 trap;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; STOPPED 10 for 19; "
     "resume 10 with 19; STOPPED 10; listen 10; STOPPED 10 asked; listen 10; STOPPED 10 continued; resume 10; "
     "STOPPED 10; resume 10; "},
    {"a thread that is held stays stopped until it is released", false,
     "launch 10; hold; 10 exec 10; release 10; 10 trap; hold; keep; 10 signal 4; release 10; release 10;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; STOPPED 10; resume 10; "
     "STOPPED 10 for 4; resume 10; "},
    {"a held thread that is killed", false, "launch 10; hold; 10 exec 10; 10 exit; 10 killed;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; EXITS 10; resume 10; THREAD ENDED 10; "
     "ENDED 10; "
     "reap 10; "},
    {"the end of one that nobody knows", false, "launch 10; 10 exec 10; 99 exited;",
     "seize 10 and children; ADDED 10; take 10; EXEC 10 image 1.0; STOPPED 10; resume 10; reap 99; "},
    {"an attached process without children: all threads are looked at again once they were seen", true,
     "thread 20 20; thread 20 21; idle 20 21; attach 20; 20 trap;",
     "seize 20 and children; seize 21 and children; ADDED 20; ATTACHED 21 image 1; interrupt 20; STOPPED 20; resume "
     "20; "
     "CHILDREN KNOWN 20; "},
    {"a child that is not followed runs until it has no share in what is ours", true,
     "thread 20 20; idle 20 20; attach 20; family 30 30 20; 20 fork 30; 30 trap; let-go; 30 trap;",
     "seize 20 and children; ADDED 20; ATTACHED 20 image 1; CHILDREN KNOWN 20; STOPPED 20; resume 20; "
     "UNFOLLOWED 30; resume 30; UNFOLLOWED 30; detach 30; "},
    {"its signal is its own, or for us", true,
     "thread 20 20; idle 20 20; attach 20; family 30 30 20; 30 signal 10; keep; 30 signal 4; let-go; 30 signal 10;",
     "seize 20 and children; ADDED 20; ATTACHED 20 image 1; CHILDREN KNOWN 20; UNFOLLOWED 30 for 10; resume 30 with "
     "10; "
     "UNFOLLOWED 30 for 4; take 30; resume 30; UNFOLLOWED 30 for 10; detach 30 with 10; "},
    {"an exec of one that is not followed ends its tracing", true,
     "thread 20 20; idle 20 20; attach 20; family 30 30 20; 30 trap; 30 exec 30;",
     "seize 20 and children; ADDED 20; ATTACHED 20 image 1; CHILDREN KNOWN 20; UNFOLLOWED 30; resume 30; take 30; "
     "detach 30; "},
    {"a child that has its memory is traced, too, before anything is planted there", true,
     "thread 20 20; idle 20 20; thread 30 30; idle 30 30; children 20 30; attach 20; let-go; 30 trap;",
     "seize 20 and children; ADDED 20; ATTACHED 20 image 1; seize 30 and children; CHILDREN KNOWN 20; UNFOLLOWED 30; "
     "detach 30; "},
    {"and is followed where children are", false,
     "thread 20 20; idle 20 20; thread 30 30; idle 30 30; children 20 30; attach 20; 30 trap;",
     "seize 20 and children; ADDED 20; ATTACHED 20 image 1; seize 30 and children; BORN 30 of 20 image 2; CHILDREN "
     "KNOWN 20; "
     "STOPPED 30; resume 30; "},
    {"an exec of an attached process", true, "thread 20 20; idle 20 20; attach 20; 20 exec 20;",
     "seize 20 and children; ADDED 20; ATTACHED 20 image 1; CHILDREN KNOWN 20; take 20; IMAGE ENDS 20; EXEC 20 image "
     "2.1; "
     "STOPPED 20; resume 20; "},
};

START_TEST(events_come_to_what_the_script_says)
{
    struct follow follow = {.children = !scripts[_i].others_only, .births = true};
    char script[1000];
    memset(&fake, 0, sizeof fake);
    log_text[0] = 0;
    fake_proc_begin();
    ck_assert_int_eq(follow_start(&follow), 0);
    snprintf(script, sizeof script, "%s", scripts[_i].script);
    for (char *rest = NULL, *command = strtok_r(script, ";", &rest); command; command = strtok_r(NULL, ";", &rest))
        run_command(&follow, command + strspn(command, " "));
    fake_proc_end();
    ck_assert_msg(!strcmp(log_text, scripts[_i].expected), "%s:\n  %.1500s\nnot\n  %s", scripts[_i].name, log_text,
                  scripts[_i].expected);
    table_fini(&follow.table);
    free(follow.happenings.items);
    free(follow.makers.items);
    free(follow.bystanders.items);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("follow");
    UNIT_ADD_TABLE(tests, events_come_to_what_the_script_says, scripts);
    return unit_end();
}

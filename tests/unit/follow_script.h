/* SPDX-License-Identifier: MIT
 *
 * Tests of follow/ as scripts: the input is wait statuses and the content of /proc, the output is events and
 * requests. No process is traced: programs that include this file are linked with --wrap for each function that it
 * replaces.
 *
 * A script has commands, each with ';' behind it:
 *   family T P R       /proc says that thread T belongs to process P, whose parent is R
 *   gone T             /proc no longer has T
 *   thread P T         T is a thread in P's folder, and belongs to P, whose parent is 1
 *   dead P             P's first thread, in that folder, has ended; others remain
 *   children T C       /proc names C as the child of thread T, with T's memory
 *   idle P T           thread T of P is in a call that creates no child; otherwise it may be in fork() or clone()
 *   first P CAUGHT     P is process 1 of its pid namespace, and handles the signals of this mask
 *   faults, from N     signals come from the kernel, as for a fault; or from process N, by P's number for it
 *   launch P, attach P, ask T (to stop), release T, welcome, look (do what is due)
 *   later MS, due      time passes; log when the newborn threads have waited long enough
 *   killed             the thread is killed in the stop in which the next event finds it
 *   exits              the thread is killed in the stop in which it is resumed next, and goes to its exit stop
 *   alone              from now on, no end of a process can be awaited
 *   late               the end of processes that were let go becomes known at the next look
 *   hold, let-go, keep the action for the next event: hold the thread; detach it; suppress its signal
 *   T trap, T signal N, T group N, T fork C, T vfork C, T clone C, T exec F, T exit, T exited, T killed
 *                      T stops in this way, or ends */
#ifndef FOLLOW_SCRIPT_H
#define FOLLOW_SCRIPT_H

#include "fake_table.h"
#include "fake_tracees.h"

static const char *const names[] = {
    [FOLLOW_ADDED] = "ADDED",
    [FOLLOW_BORN] = "BORN",
    [FOLLOW_THREAD_BORN] = "THREAD",
    [FOLLOW_NEWBORN] = "NEWBORN",
    [FOLLOW_ATTACHED] = "ATTACHED",
    [FOLLOW_EXEC] = "EXEC",
    [FOLLOW_CHILDREN_KNOWN] = "CHILDREN KNOWN",
    [FOLLOW_IMAGE_ENDS] = "IMAGE ENDS",
    [FOLLOW_THREAD_EXITS] = "EXITS",
    [FOLLOW_THREAD_ENDED] = "THREAD ENDED",
    [FOLLOW_PROCESS_ENDED] = "ENDED",
    [FOLLOW_STOPPED] = "STOPPED",
    [FOLLOW_UNFOLLOWED] = "UNFOLLOWED",
};

static void note_happened(const struct follow_event *event)
{
    char text[100];
    const struct process *process = event->process;
    pid_t id = event->tid ? event->tid : event->thread ? event->thread->tid : process->pid;
    int length = snprintf(text, sizeof text, "%s %d", names[event->kind], short_tid(id));
    if (event->origin)
        length += snprintf(text + length, sizeof text - (size_t)length, " of %d", short_tid(event->origin->pid));
    if (event->kind == FOLLOW_BORN || event->kind == FOLLOW_EXEC || event->kind == FOLLOW_ATTACHED)
        length += snprintf(text + length, sizeof text - (size_t)length, " image %u", process->image);
    if (event->kind == FOLLOW_EXEC)
        length += snprintf(text + length, sizeof text - (size_t)length, ".%u", process->generation);
    if (event->sig)
        length += snprintf(text + length, sizeof text - (size_t)length, " for %d", event->sig);
    if (event->asked || event->continued)
        snprintf(text + length, sizeof text - (size_t)length, "%s%s", event->asked ? " asked" : "",
                 event->continued ? " continued" : "");
    note("%s", text);
    for (size_t i = 0; event->kind == FOLLOW_CHILDREN_KNOWN && i < fake.tracee_count; i++)
        ck_assert(!fake.tracees[i].making);
    fake.begun += event->kind == FOLLOW_ADDED || event->kind == FOLLOW_BORN;
    fake.ended += event->kind == FOLLOW_PROCESS_ENDED;
}

static bool may_be_held(const struct follow_event *event)
{
    return event->kind == FOLLOW_EXEC || (event->kind == FOLLOW_STOPPED && event->stop.kind != EVENT_EXEC);
}

static bool next(struct follow *follow, struct follow_event *event)
{
    fake.inside = true;
    bool told = follow_next(follow, event);
    fake.inside = false;
    return told;
}

static void tell(struct follow *follow)
{
    struct follow_event event;
    while (next(follow, &event)) {
        note_happened(&event);
        struct follow_action action = {
            .sig = fake.keep ? 0 : event.sig, .hold = fake.hold && may_be_held(&event), .let_go = fake.let_go};
        fake.inside = true;
        uint64_t resumed_ns = follow_answer(follow, &event, action);
        fake.inside = false;
        if (resumed_ns && !event.asked)
            ck_abort_msg("it was not asked");
    }
}

/* Executes another program in process PID. One thread survives: FORMER, which gets the first thread's number. */
static void fake_exec(pid_t pid, pid_t former)
{
    for (size_t i = 0; i < fake.tracee_count; i++) {
        struct fake_tracee *other = &fake.tracees[i];
        if (other->pid != pid)
            continue;
        other->making = false;
        other->stopped = other->tid == pid;
        other->dead = other->tid != pid;
        other->traced &= other->tid != former || former == pid;
    }
    tracee(pid)->traced = true;
    if (former != pid)
        forget(former);
    if (fake.sharer == pid)
        fake.sharer = 0;
}

static void fake_event(pid_t tid, int code, int status, pid_t message)
{
    struct fake_tracee *teller = tracee(tid);
    teller->traced = teller->stopped = code == CLD_TRAPPED;
    teller->making = false;
    teller->ending = event_decode(code, status).kind == EVENT_EXIT;
    if (event_decode(code, status).kind == EVENT_EXEC)
        fake_exec(tid, message);
    else if (code == CLD_TRAPPED && message)
        tracee(message)->traced = true;
}

static void hear(struct follow *follow, pid_t tid, int code, int status, pid_t message)
{
    fake.raw = (siginfo_t){.si_signo = SIGCHLD};
    fake.raw.si_pid = FIRST_TID + tid;
    fake.raw.si_code = code;
    fake.raw.si_status = status;
    fake.message = message ? FIRST_TID + message : 0;
    fake_event(FIRST_TID + tid, code, status, fake.message);
    while (fake.raw.si_pid) { /* processes that were let go are reported first */
        fake.inside = true;
        if (!follow_hear(follow, 0))
            ck_abort_msg("nothing is heard");
        tell(follow);
    }
    fake.hold = fake.let_go = fake.keep = false;
}

static void say_family(pid_t tid, pid_t pid, pid_t parent)
{
    char path[80], text[200];
    if (tracee(FIRST_TID + tid)->ending) /* another thread has got its number */
        tracee(FIRST_TID + tid)->dead = tracee(FIRST_TID + tid)->ending = false;
    snprintf(path, sizeof path, "/proc/%d/status", FIRST_TID + tid);
    snprintf(text, sizeof text, "Tgid:\t%d\nPPid:\t%d\nTracerPid:\t%d\n", FIRST_TID + pid, FIRST_TID + parent,
             tracee(FIRST_TID + tid)->dead ? 0 : (int)getpid());
    fake_proc_say(path, text);
    tracee(FIRST_TID + tid)->pid = FIRST_TID + pid;
}

static void say_of_thread(pid_t pid, pid_t tid, const char *name, const char *text)
{
    char path[80];
    snprintf(path, sizeof path, "/proc/%d/task/%d/%s", FIRST_TID + pid, FIRST_TID + tid, name);
    fake_proc_say(path, text);
}

/* Sends an event of thread TID. Returns false if WORD is not an event. */
static bool run_event(struct follow *follow, pid_t tid, const char *word, int number)
{
    static const struct {
        const char *word;
        int code, event;
        bool sig; /* NUMBER is a signal; otherwise it is an event message */
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

/* Changes /proc. Returns false if WORD is not a command for that. */
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
        tracee(FIRST_TID + two)->making = true;
    } else if (!strcmp(word, "dead")) {
        tracee(FIRST_TID + one)->dead = true;
        say_family(one, one, 1);
        say_of_thread(one, one, "stat", "");
    } else if (!strcmp(word, "idle")) {
        say_of_thread(one, two, "syscall", "34 0x0 0x0 0x0 0x0 0x0 0x0 0x7ffc0000 0x401000\n");
        tracee(FIRST_TID + two)->making = false;
    } else if (!strcmp(word, "first")) {
        char whole[300];
        snprintf(text, sizeof text, "/proc/%d/status", FIRST_TID + one);
        snprintf(whole, sizeof whole, "Tgid:\t%d\nNSpid:\t%d\t1\nSigCgt:\t%x\n", FIRST_TID + one, FIRST_TID + one,
                 (unsigned)two);
        fake_proc_say(text, whole);
    } else if (!strcmp(word, "faults")) {
        fake.sender = (struct request_sender){.is_kernel = true};
    } else if (!strcmp(word, "from")) {
        fake.sender = (struct request_sender){.pid = one};
    } else if (!strcmp(word, "children")) {
        snprintf(text, sizeof text, "%d ", FIRST_TID + two);
        say_of_thread(one, one, "children", text);
        fake.sharer = FIRST_TID + two;
    } else {
        return false;
    }
    return true;
}

static void note_due(struct follow *follow)
{
    uint64_t due_ns = follow_expire(follow, 0);
    if (due_ns)
        note("due at %llu ms", (unsigned long long)due_ns / 1000000);
    else
        note("nothing due");
}

/* Calls follow/, or lets time pass. Returns false if memory was exhausted; the script then ends. */
static bool run_own(struct follow *follow, const char *word, int number)
{
    struct thread *thread = table_thread(&follow->table, FIRST_TID + number);
    int result = 0;
    fake.inside = true;
    if (!strcmp(word, "launch"))
        result = follow_launched(follow, FIRST_TID + number);
    else if (!strcmp(word, "attach"))
        result = follow_attach(follow, FIRST_TID + number);
    else if (!strcmp(word, "ask") && thread)
        thread->asked = true;
    else if (!strcmp(word, "release") && thread)
        follow_release(thread);
    else if (!strcmp(word, "welcome"))
        follow_welcome(follow);
    else if (!strcmp(word, "look"))
        fake.late = false, follow_hear(follow, 0);
    else if (!strcmp(word, "later"))
        fake.now_ns += (uint64_t)number * 1000000;
    else if (!strcmp(word, "due"))
        note_due(follow);
    else if (!fake.fails || thread)
        ck_abort_msg("no such command, or no such thread: %s %d", word, number);
    fake.inside = false;
    ck_assert(!result || (fake.fails && result == -ENOMEM));
    tell(follow);
    return !result;
}

/* Sets the action for the next event. Returns false if WORD is not an action. */
static bool run_verdict(const char *word)
{
    bool hold = !strcmp(word, "hold"), let_go = !strcmp(word, "let-go"), keep = !strcmp(word, "keep");
    bool killed = !strcmp(word, "killed"), late = !strcmp(word, "late"), exits = !strcmp(word, "exits"),
         alone = !strcmp(word, "alone");
    fake.hold |= hold;
    fake.let_go |= let_go;
    fake.keep |= keep;
    fake.killed |= killed;
    fake.late |= late;
    fake.exits |= exits;
    fake.alone |= alone;
    return hold || let_go || keep || killed || late || exits || alone;
}

/* Returns false if the script ends there. */
static bool run_command(struct follow *follow, const char *command)
{
    char word[20];
    int one = 0, two = 0, three = 0;
    if (sscanf(command, "%d %19s %d", &one, word, &two) >= 2) {
        if (!run_event(follow, one, word, two))
            ck_abort_msg("no such event: %s", command);
        return true;
    }
    ck_assert_int_ge(sscanf(command, "%19s %d %d %d", word, &one, &two, &three), 1);
    return run_verdict(word) || run_proc(word, one, two, three) || run_own(follow, word, one);
}

static bool run_script(struct follow *follow, const char *text)
{
    char *script = strdup(text);
    bool runs = true;
    ck_assert_ptr_nonnull(script);
    for (char *rest = NULL, *command = strtok_r(script, ";", &rest); command && runs;
         command = strtok_r(NULL, ";", &rest))
        runs = run_command(follow, command + strspn(command, " "));
    free(script);
    return runs;
}

static void end_tracees(struct follow *follow, bool leaders)
{
    for (size_t i = 0; i < fake.tracee_count; i++) {
        struct fake_tracee *tracee = &fake.tracees[i];
        if (tracee->traced && (tracee->tid == tracee->pid) == leaders)
            hear(follow, tracee->tid - FIRST_TID, CLD_EXITED, 0, 0);
    }
}

/* Releases held threads and ends all tracees. Checks that no thread was left stopped, and that the table is empty. */
static void check_end(struct follow *follow)
{
    for (size_t i = 0; i < follow->bystanders.count; i++)
        ck_assert_ptr_null(table_thread(&follow->table, follow->bystanders.items[i]));
    follow_welcome(follow);
    tell(follow);
    for (size_t i = 0; i < follow->table.count; i++)
        follow_release(follow->table.threads[i]);
    for (size_t i = 0; i < fake.tracee_count; i++)
        if (fake.tracees[i].stopped)
            ck_abort_msg("%d is left stopped", short_tid(fake.tracees[i].tid));
    end_tracees(follow, false);
    end_tracees(follow, true);
    while (follow->endings.count) {
        ck_assert(follow_hear(follow, 0));
        tell(follow);
    }
    ck_assert_uint_eq(follow->table.count, 0);
    ck_assert_uint_eq(follow->table.process_count, 0);
    ck_assert_uint_eq(follow->newborn_count, 0);
    ck_assert_uint_eq(follow->bystanders.count, 0);
    ck_assert_uint_eq(fake.begun, fake.ended);
    ck_assert(!follow->children || !fake.left || follow->unreachable);
}

/* Lets allocation FAILS, counted from 1, fail, and all later ones with FAILS_ON. 0: none fails. Returns false if
 * following could not start. */
static bool script_begin(struct follow *follow, bool others_only, size_t fails, bool fails_on)
{
    *follow = (struct follow){.children = !others_only, .births = true};
    memset(&fake, 0, sizeof fake);
    fake.now_ns = 1000000000;
    fake.fails = fails;
    fake.fails_on = fails_on;
    log_text[0] = 0;
    fake_proc_begin();
    fake.inside = true;
    bool begun = follow_start(follow, NULL) == 0;
    fake.inside = false;
    return begun;
}

static void script_end(struct follow *follow)
{
    fake_proc_end();
    fake_table_free(&follow->table);
    free(follow->events.items);
    free(follow->makers.items);
    free(follow->bystanders.items);
    free(follow->endings.items);
}

#endif

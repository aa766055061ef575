/* SPDX-License-Identifier: MIT
 *
 * Tests of calls/ as scripts: the input is what processes with emulated calls do, with their registers, memory and
 * clocks. The output is a log of writes to memory, results of calls, and threads that continue.
 *
 * A command has ';' behind it. Numbers of processes and signals, and results in the log, are decimal. All others are
 * hexadecimal. The memory is described in fake_calls.h.
 *   system NAME, off        the semantics; emulation is off
 *   process P, attached P   process P exists, was attached
 *   put P A WORD...         sets words in its memory
 *   ask P CALL A B C D      it asks by the gate, at 777: for profil, sprofil, pcsample, or nothing
 *   by-mask, no-magic, no-request, lost-request
 *                           the next request uses the other system call; has a wrong magic number in the register; in
 *                           the request; is in unreadable memory
 *   plant P A KIND          the front has found an entry there: of profil, sprofil or the loader
 *   complete P              the front has reported all entries
 *   hit P A B C D E         it hits the breakpoint at A, with arguments B to E
 *   mask P M                its blocked signals
 *   signal P N, handled     it is about to receive signal N; its signals have handlers
 *   ticks P N               its clock has passed N ticks
 *   bill P A, exit P A      it is stopped at A; it is about to end there
 *   fork P C, vfork P C, exec P, end P
 *   stranger P C A N        C, with the memory of P, is not followed, is at A, and about to receive signal N;
 *                           copier: with a copy of the memory
 *   impose KIND, begin P, refused, called P R
 *                           a call is imposed; an image begins; the imposed system call is refused; it returns R
 *   pending, no-room        signals may be pending for threads; breakpoints of a child cannot be stored
 *   close, settled P A      calls_close, calls_settled
 *   counts, owed P          logs the counts; whether the process is owed ticks
 *   compat, no-stack        from here all programs are 32-bit; their stacks are unreadable */
#ifndef SERVE_SCRIPT_H
#define SERVE_SCRIPT_H

#include "common/model/counters.h"
#include "common/wire/command.h"
#include "fake_calls.h"
#include "fake_table.h"
#include "tracer/follow/follow.h"
#include "tracer/plant/breakpoints.h"

/* A command's words, as text and as numbers. */
struct words {
    size_t count;
    const char *text[10];
    uint64_t number[10];
};

static struct thread *thread_of(struct calls *calls, const struct words *words)
{
    return table_thread(&calls->follow->table, FIRST_PID + atoi(words->text[1]));
}

static struct process *appear(struct calls *calls, int number, int parent)
{
    struct process *process = table_add_process(&calls->follow->table, FIRST_PID + number, FIRST_PID + parent);
    ck_assert_ptr_nonnull(table_add_thread(&calls->follow->table, process, FIRST_PID + number));
    process->image = (uint32_t)number;
    if (!parent)
        memset(fakes[number].bytes + CODE, BYTE, CODE_SIZE);
    return process;
}

static struct user_regs_struct *stand(int number, uint64_t pc)
{
    struct user_regs_struct *user = &fakes[number].registers.user;
    *user = (struct user_regs_struct){.orig_rax = (unsigned long long)-1, .rip = pc};
    fakes[number].registers.is_compat = fake.compat;
    return user;
}

static void signal_to(struct calls *calls, struct thread *thread, int sig)
{
    static const char *const answers[] = {
        [CALLS_NOT_OURS] = "not ours", [CALLS_SERVED] = "served", [CALLS_ASKS] = "asks"};
    calls->follow->restart.stopped.tid = 0;
    note("%s", answers[calls_signalled(calls, thread, sig)]);
}

static void ask(struct calls *calls, struct thread *thread, const struct words *words)
{
    static const char *const names[] = {
        [GATE_PROFIL] = "profil", [GATE_SPROFIL] = "sprofil", [GATE_PCSAMPLE] = "pcsample"};
    struct gate_request request = {.magic = GATE_MAGIC + fake.no_request};
    int number = number_of(thread->tid);
    struct user_regs_struct *user = stand(number, AT);
    for (size_t i = GATE_PROFIL; i < UNIT_ROWS(names); i++)
        if (!strcmp(words->text[2], names[i]))
            request.call = i;
    memcpy(request.arguments, words->number + 3, sizeof request.arguments);
    memcpy(bytes_of(thread->tid) + REQUEST, &request, sizeof request);
    user->orig_rax = fake.by_mask ? SYS_rt_sigprocmask : SYS_tgkill;
    user->r8 = (fake.compat ? (uint32_t)GATE_MAGIC : GATE_MAGIC) + fake.no_magic;
    user->r9 = fake.lost_request ? HOLE - 8 : REQUEST;
    signal_to(calls, thread, SIGURG);
    fake.by_mask = fake.no_magic = fake.no_request = fake.lost_request = false;
}

/* Puts the arguments onto the stack, as in a 32-bit function. */
static void stack_arguments(int number, const uint64_t arguments[static ARCH_ARGUMENTS])
{
    struct user_regs_struct *user = &fakes[number].registers.user;
    user->rdi = user->rsi = user->rdx = user->rcx = 0x600d;
    user->rsp = fake.no_stack ? HOLE - 8 : STACK;
    for (size_t i = 0; i < ARCH_ARGUMENTS; i++) {
        uint32_t word = (uint32_t)arguments[i];
        memcpy(fakes[number].bytes + STACK + (i + 1) * sizeof word, &word, sizeof word);
    }
}

static void hit(struct calls *calls, struct thread *thread, const struct words *words)
{
    struct user_regs_struct *user = stand(number_of(thread->tid), words->number[2]);
    user->rdi = words->number[3];
    user->rsi = words->number[4];
    user->rdx = words->number[5];
    user->rcx = words->number[6];
    if (fake.compat)
        stack_arguments(number_of(thread->tid), words->number + 3);
    signal_to(calls, thread, SIGILL);
}

static void plant(struct calls *calls, struct thread *thread, const struct words *words)
{
    struct breakpoint byte = {
        .address = words->number[2], .resume = words->number[2] + 1, .original = BYTE, .planted = ARCH_BREAKPOINT};
    bool complete = !strcmp(words->text[0], "complete");
    if (!complete)
        byte.kind = *words->text[3] == 'p'   ? BREAKPOINT_PROFIL
                    : *words->text[3] == 's' ? BREAKPOINT_SPROFIL
                                             : BREAKPOINT_LOADER;
    calls_entries(calls, thread, &byte, !complete, complete);
}

static void make_child(struct calls *calls, struct process *origin, const struct words *words)
{
    int child = (int)words->number[2], number = number_of(origin->pid);
    memcpy(fakes[child].bytes, bytes_of(origin->pid), END);
    fakes[child].shares = *words->text[0] == 'v' ? number : 0;
    calls_forked(calls, appear(calls, child, number), origin);
}

static void begin_image(struct calls *calls, struct thread *thread)
{
    thread->process->compat = fake.compat;
    note("%s", calls_image_begins(calls, thread) ? "asks" : "does not ask");
    if (calls_imposes(calls, thread->process))
        calls_impose(calls, thread);
    ck_assert(!calls_imposes(calls, thread->process));
}

/* A stop of a process that is not in the table. */
static void meet_stranger(struct calls *calls, const struct words *words)
{
    int number = (int)words->number[2], origin = atoi(words->text[1]), sig = atoi(words->text[4]);
    fakes[number].shares = *words->text[0] == 's' ? origin : 0;
    memcpy(fakes[number].bytes, fakes[origin].bytes, END);
    stand(number, words->number[3]);
    bool let_go = calls_unfollowed(calls, FIRST_PID + number, &sig);
    note("%s with %d", let_go ? "let go" : "kept", sig);
}

/* Changes the state. Returns false if the word is not a state. */
static bool run_state(struct calls *calls, const struct words *words)
{
    const char *word = words->text[0];
    int number = words->count > 1 ? atoi(words->text[1]) : 0;
    if (!strcmp(word, "system"))
        calls->options.semantics = semantics_find(words->text[1]);
    else if (!strcmp(word, "process") || !strcmp(word, "attached"))
        appear(calls, number, 0)->attached = *word == 'a';
    else if (!strcmp(word, "put"))
        memcpy(fakes[number].bytes + words->number[2], words->number + 3, (words->count - 3) * sizeof *words->number);
    else if (!strcmp(word, "ticks"))
        fakes[number].ticks = words->number[2];
    else if (!strcmp(word, "mask"))
        fakes[number].mask = words->number[2];
    else if (!strcmp(word, "impose"))
        calls->options.impose = (struct impose){
            *words->text[1] == 's' ? CALL_PCSAMPLE : CALL_PROFIL, *words->text[1] == 't', 0, 0x100, 0x10000, 4};
    else
        return false;
    return true;
}

static bool run_flag(struct calls *calls, const char *word)
{
    const struct {
        const char *word;
        bool *flag;
    } flags[] = {{"by-mask", &fake.by_mask},           {"no-magic", &fake.no_magic}, {"no-request", &fake.no_request},
                 {"lost-request", &fake.lost_request}, {"handled", &fake.handled},   {"pending", &fake.pending},
                 {"refused", &fake.refused},           {"no-room", &fake.no_room},   {"compat", &fake.compat},
                 {"no-stack", &fake.no_stack}};
    for (size_t i = 0; i < UNIT_ROWS(flags); i++)
        if (!strcmp(word, flags[i].word))
            return *flags[i].flag = true;
    if (!strcmp(word, "off"))
        calls->options.mode = CALLS_OFF;
    return !strcmp(word, "off");
}

/* Lets a thread do something. Returns false if the word is not a command for that. */
static bool run_thread(struct calls *calls, struct thread *thread, const struct words *words)
{
    const char *word = words->text[0];
    if (!strcmp(word, "ask"))
        ask(calls, thread, words);
    else if (!strcmp(word, "hit"))
        hit(calls, thread, words);
    else if (!strcmp(word, "plant") || !strcmp(word, "complete"))
        plant(calls, thread, words);
    else if (!strcmp(word, "signal"))
        stand(number_of(thread->tid), AT), signal_to(calls, thread, atoi(words->text[2]));
    else if (!strcmp(word, "bill"))
        calls_bill(calls, thread, words->number[2], CALLS_MET);
    else if (!strcmp(word, "exit"))
        stand(number_of(thread->tid), words->number[2]), calls_thread_ends(calls, thread);
    else if (!strcmp(word, "begin"))
        begin_image(calls, thread);
    else if (!strcmp(word, "called"))
        calls_called(calls, thread, (int64_t)strtoll(words->text[2], NULL, 16));
    else if (!strcmp(word, "settled"))
        note("%s", calls_settled(calls, thread, words->number[2], 0) ? "settled" : "not settled");
    else
        return false;
    return true;
}

static void run_process(struct calls *calls, struct process *process, const struct words *words)
{
    const char *word = words->text[0];
    if (!strcmp(word, "fork") || !strcmp(word, "vfork"))
        make_child(calls, process, words);
    else if (!strcmp(word, "exec"))
        calls_image_ends(calls, process);
    else if (!strcmp(word, "end"))
        calls_process_ends(calls, process);
    else if (!strcmp(word, "stranger") || !strcmp(word, "copier"))
        meet_stranger(calls, words);
    else if (!strcmp(word, "close"))
        calls_close(calls);
    else if (!strcmp(word, "owed"))
        note("%s", calls_owed(calls, process) ? "owed" : "paid");
    else if (!strcmp(word, "counts"))
        note("%zu active, %llu served, %llu ticks, %llu planted", calls->active, (unsigned long long)counts.served,
             (unsigned long long)counts.ticks, (unsigned long long)counts.planted);
    else
        ck_abort_msg("no such command: %s", word);
}

static void note_news(struct calls *calls)
{
    struct calls_news news;
    if (!calls_take_news(calls, &news))
        return;
    if (news.trouble)
        note("trouble %d", news.trouble);
    for (unsigned i = 0; i < news.update_count; i++)
        note("%s %llx: %llx", news.updates[i].cell ? "cell" : "pc", (unsigned long long)news.updates[i].number,
             (unsigned long long)news.updates[i].value);
    if (news.imposed)
        note("imposed: %d, error %d, %llx+%llx", news.imposition.refusal, news.imposition.error,
             (unsigned long long)news.imposition.arguments.buffer, (unsigned long long)news.imposition.arguments.size);
}

static void run_command(struct calls *calls, char *command)
{
    struct words words = {0};
    for (char *left = NULL, *word = strtok_r(command, " ", &left); word; word = strtok_r(NULL, " ", &left)) {
        ck_assert_uint_lt(words.count, UNIT_ROWS(words.text));
        words.text[words.count] = word;
        words.number[words.count++] = strtoull(word, NULL, 16);
    }
    struct thread *thread = words.count > 1 ? thread_of(calls, &words) : NULL;
    calls->follow->restart.stopped.tid = 0;
    if (!run_state(calls, &words) && !run_flag(calls, words.text[0]) && !run_thread(calls, thread, &words))
        run_process(calls, thread ? thread->process : NULL, &words);
    note_news(calls);
}

/* Returns the log of the script. */
static const char *serve_script(const char *text)
{
    char script[600];
    static struct follow follow;
    struct calls calls = {.options = {.semantics = semantics_find("linux"), .hz = HZ, .mode = CALLS_ON},
                          .follow = &follow,
                          .rescue = &rescue,
                          .counts = &counts};
    memset(fakes, 0, sizeof fakes);
    memset(&fake, 0, sizeof fake);
    memset(&rescue, 0, sizeof rescue);
    memset(&counts, 0, sizeof counts);
    memset(&follow, 0, sizeof follow);
    follow.table.rooms.calls_process.size = sizeof(struct calls_process);
    log_text[0] = 0;
    snprintf(script, sizeof script, "%s", text);
    for (char *left = NULL, *command = strtok_r(script, ";", &left); command; command = strtok_r(NULL, ";", &left))
        run_command(&calls, command);
    for (size_t i = 0; i < follow.table.process_count; i++) {
        breakpoints_leave(follow.table.processes[i], &follow.table, &rescue);
        call_state_fini(&follow.table.processes[i]->calls->state);
    }
    fake_table_free(&follow.table);
    return log_text;
}

#endif

/* SPDX-License-Identifier: MIT
 *
 * A program is followed instruction by instruction, and each call and return is recorded. At each instruction, the
 * unwound stack must have exactly these calls. If libunwind's own ptrace unwinder reaches the first function, it
 * must agree. */
#include "common/base/memory_run.h"
#include "programs/unwind/frame.h"
#include "programs/unwind/unwind.h"
#include "unwind_tracee.h"

enum { STEPS_MOST = 40000, STOCK_EVERY = 64 };

static const struct {
    const char *compiler, *needs;
} ways[] = {
    {"gcc -O2 -Wl,-z,lazy", "gcc"},
    {"gcc -O0 -Wl,-z,lazy -fcf-protection -Wl,-z,ibtplt", "gcc"},
    {"gcc -O2 -static", "gcc"},
    {"gcc -O2 -Wl,-z,lazy -fuse-ld=lld", "ld.lld"},
    {"gcc -O2 -g -fno-asynchronous-unwind-tables", "gcc"},
    /* neither tables nor frame pointers: only symbols */
    {"gcc -O2 -g0 -static -fno-asynchronous-unwind-tables", "gcc"},
    {"musl-gcc -O2 -g0 -static -fno-asynchronous-unwind-tables", "musl-gcc"},
    {"musl-gcc -O0 -g0 -static -fno-asynchronous-unwind-tables -fomit-frame-pointer", "musl-gcc"},
    {"musl-gcc -O1 -static", "musl-gcc"},
};

/* Return addresses of unfinished calls, the innermost last. */
struct calls {
    uint64_t pc[TRACEE_FRAMES];
    size_t count;
};

static uint64_t word_at(const struct tracee *tracee, uint64_t address)
{
    return (uint64_t)ptrace(PTRACE_PEEKDATA, tracee->tid, (void *)(uintptr_t)address, NULL);
}

/* Executes and records one instruction. Returns false if it was the next int3. */
static bool step(struct tracee *tracee, struct calls *calls)
{
    struct user_regs_struct before = tracee->user, *after = &tracee->user;
    siginfo_t information;
    int status;

    ck_assert_int_eq(ptrace(PTRACE_SINGLESTEP, tracee->tid, NULL, NULL), 0);
    ck_assert_int_eq(waitpid(tracee->tid, &status, __WALL), tracee->tid);
    ck_assert_msg(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP, "wait status 0x%x", status);
    ck_assert_int_eq(ptrace(PTRACE_GETSIGINFO, tracee->tid, NULL, &information), 0);
    tracee_copy(tracee, TRACEE_STACK);
    if (after->rsp == before.rsp - 8 && after->rip - before.rip > 15) {
        uint64_t pushed = word_at(tracee, after->rsp);
        if (pushed > before.rip && pushed - before.rip <= 15) {
            ck_assert_uint_lt(calls->count, TRACEE_FRAMES);
            calls->pc[calls->count++] = pushed;
        }
    }
    if (after->rsp > before.rsp && calls->count && after->rip == calls->pc[calls->count - 1] &&
        word_at(tracee, before.rsp) == after->rip)
        calls->count--;
    return information.si_code != SI_KERNEL;
}

/* Returns true if the frames are the thread's PC and the calls. */
static bool is_true(const struct tracee *tracee, const struct calls *calls)
{
    if (tracee->frame_count != calls->count + 1 || tracee->frames[0].pc != tracee->user.rip || tracee->frames[0].call)
        return false;
    for (size_t i = 1; i < tracee->frame_count; i++)
        if (tracee->frames[i].pc != calls->pc[calls->count - i] || !tracee->frames[i].call)
            return false;
    return tracee->end == UNWIND_WHOLE;
}

/* Libunwind guesses without tables. Its accessors misread lld's layout at some addresses, which the kernel chooses at
 * random. */
static bool knows_stock(const char *compiler)
{
    return !strstr(compiler, "-fno-asynchronous-unwind-tables") && !strstr(compiler, "lld");
}

START_TEST(each_instruction_has_the_true_stack)
{
    char name[32];
    size_t wrong = 0, steps = 0;
    struct calls calls = {0};

    if (fixture_lacks(ways[_i].needs))
        return;
    snprintf(name, sizeof name, "steps%d", _i);
    tracee_make(name, ways[_i].compiler);
    struct tracee *tracee = tracee_start(name, "steps", UNWIND_DWARF);
    tracee_copy(tracee, TRACEE_STACK);
    tracee_unwind(tracee, TRACEE_FRAMES);
    for (size_t i = tracee->frame_count - 1; i > 0; i--)
        calls.pc[calls.count++] = tracee->frames[i].pc;
    while (steps < STEPS_MOST && step(tracee, &calls)) {
        steps++;
        tracee_unwind(tracee, TRACEE_FRAMES);
        if (!is_true(tracee, &calls) && wrong++ < 5)
            fprintf(stderr, "%s, step %zu: %s\n", ways[_i].compiler, steps, tracee_text(tracee));
        if (steps % STOCK_EVERY == 0 && knows_stock(ways[_i].compiler))
            ck_assert_msg(tracee_stock_agrees(tracee), "%s, step %zu: libunwind-ptrace differs from %s",
                          ways[_i].compiler, steps, tracee_text(tracee));
    }
    ck_assert_uint_gt(steps, 1000);
    ck_assert_uint_eq(wrong, 0);
    tracee_end(tracee);
}
END_TEST

int main(void)
{
    TCase *tests = fixture_begin("unwind, instruction by instruction");

    if (!tests)
        return 77;
    tcase_set_timeout(tests, 120);
    UNIT_ADD_SOME(tests, each_instruction_has_the_true_stack, ways);
    return fixture_end();
}

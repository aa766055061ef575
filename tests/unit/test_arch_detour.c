/* SPDX-License-Identifier: MIT
 *
 * The stub of a detour, executed where nobody answers: in a page of this program, beside a function that adds up its
 * arguments. */
#include "arch/detour.h"

#include "arch/arch.h"
#include "arch/gate.h"

#include "unit.h"

#include <elf.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#ifdef __aarch64__
#include "detour_arm64.h"
#else
#include "detour_x86_64.h"
#endif

enum { FUNCTION = 0, TAIL = 64, STUB = 256, PAGE = 4096 };

typedef long function_called(long a, long b, long c, long d);

/* What was written is executed. */
static void see_code(uint8_t *page)
{
    __builtin___clear_cache((char *)page, (char *)page + PAGE);
}

static uint8_t *make_for(enum gate_call call)
{
    uint8_t *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(page, MAP_FAILED);
    memcpy(page + FUNCTION, function, sizeof function);
    memcpy(page + TAIL, tail, sizeof tail);
    ck_assert(arch_stub(page + STUB, (uintptr_t)page + STUB, call, (uintptr_t)page + FUNCTION, (uintptr_t)page + TAIL));
    see_code(page);
    return page;
}

static uint8_t *make(void)
{
    return make_for(GATE_PROFIL);
}

static void jump(uint8_t *page)
{
    ck_assert(arch_jump(page + FUNCTION, (uintptr_t)page + FUNCTION, (uintptr_t)page + STUB));
    see_code(page);
}

static long call(const uint8_t *page)
{
    function_called *called = NULL;
    const void *at = page + FUNCTION;
    memcpy(&called, &at, sizeof called);
    return called(1, 20, 300, 4000);
}

START_TEST(a_call_that_nobody_answers_fails)
{
    sigset_t before, after;
    uint8_t *page = make();
    jump(page);
    ck_assert_int_eq(pthread_sigmask(SIG_SETMASK, NULL, &before), 0);
    ck_assert_int_eq(call(page), -ENOSYS);
    ck_assert_int_eq(pthread_sigmask(SIG_SETMASK, NULL, &after), 0);
    ck_assert_mem_eq(&before, &after, 64 / 8);
    ck_assert_int_eq(sigpending(&after), 0);
    ck_assert(!sigismember(&after, SIGURG));
    munmap(page, PAGE);
}
END_TEST

static long seen[5];

static void see(int sig, siginfo_t *info, void *context)
{
    uint64_t magic;
    const struct arch_registers now = shown(context, &magic);
    struct gate_request request = arch_stub_request(&now);
    (void)sig, (void)info;
    ck_assert_uint_eq(magic, GATE_MAGIC);
    seen[0] = (long)request.call;
    for (int i = 0; i < 4; i++)
        seen[i + 1] = (long)request.arguments[i];
}

/* Nobody can read this memory here, but see what the kernel shows of the registers where the signal comes. */
START_TEST(the_request_is_in_registers)
{
    struct sigaction action = {.sa_sigaction = see, .sa_flags = SA_SIGINFO};
    uint8_t *page = make();
    jump(page);
    ck_assert_int_eq(sigaction(SIGURG, &action, NULL), 0);
    ck_assert_int_eq(call(page), -ENOSYS);
    ck_assert_int_eq(seen[0], GATE_PROFIL);
    ck_assert(seen[1] == 1 && seen[2] == 20 && seen[3] == 300 && seen[4] == 4000);
    munmap(page, PAGE);
}
END_TEST

static void check_kept(const uint8_t *at, long result)
{
    uint64_t kept[4];
    ck_assert_int_eq(call_marked(at, kept), result);
    for (unsigned i = 0; i < 4; i++)
        ck_assert_uint_eq(kept[i], 11 + i);
}

/* Whichever way the stub is left. */
START_TEST(the_callers_registers_are_kept)
{
    uint8_t *page = make();
    check_kept(page + STUB, 4321);
    jump(page);
    check_kept(page + FUNCTION, -ENOSYS);
    munmap(page, PAGE);
}
END_TEST

static void *take_back(void *page)
{
    usleep(20000);
    uint64_t word;
    memcpy(&word, function, sizeof word);
    __atomic_store_n((uint64_t *)page, word, __ATOMIC_SEQ_CST);
    see_code(page);
    return NULL;
}

/* The jump may be gone before the stub looks. */
START_TEST(it_is_made_when_the_jump_is_taken_back)
{
    pthread_t other;
    uint8_t *page = make();
    jump(page);
    ck_assert_int_eq(pthread_create(&other, NULL, take_back, page), 0);
    long result = call(page);
    ck_assert_int_eq(pthread_join(other, NULL), 0);
    ck_assert(result == 4321 || result == -ENOSYS); /* half a second is not enough on a machine that stands still */
    ck_assert_int_eq(call(page), 4321);
    munmap(page, PAGE);
}
END_TEST

/* A thread that has come into the stub finds the function as it was: its arguments are its own. */
START_TEST(a_stub_without_a_jump_makes_the_call)
{
    function_called *stub = NULL;
    uint8_t *page = make();
    const void *at = page + STUB;
    memcpy(&stub, &at, sizeof stub);
    ck_assert_int_eq(stub(1, 20, 300, 4000), 4321);
    munmap(page, PAGE);
}
END_TEST

static struct arch_registers registers_of(pid_t child)
{
    struct arch_registers now;
    struct iovec place = {&now.user, sizeof now.user};
    uint64_t address;
    ck_assert_int_eq(ptrace(PTRACE_GETREGSET, child, NT_PRSTATUS, &place), 0);
    ck_assert(arch_registers_received(&now, place.iov_len));
    if (arch_lacks_code(&now, &address))
        arch_set_code(&now, (uint64_t)ptrace(PTRACE_PEEKTEXT, child, address, NULL));
    return now;
}

static bool lets_in(pid_t child, int sig)
{
    uint64_t mask;
    ck_assert_int_eq(ptrace(PTRACE_GETSIGMASK, child, sizeof mask, &mask), 0);
    return !(mask >> (sig - 1) & 1);
}

static void make_the_call(uint8_t *page)
{
    jump(page);
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    raise(SIGSTOP);
    _exit(call(page) == -ENOSYS ? 0 : 1);
}

/* Where another signal than the request's can come, nothing shows a request: it would be taken for that. From one
 * instruction to the next, until the stub waits. */
START_TEST(no_other_signal_is_taken_for_the_request)
{
    uint8_t *page = make();
    uint64_t address;
    unsigned requests = 0;
    int status;
    pid_t child = fork();
    if (child == 0)
        make_the_call(page);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    for (int i = 0; i < 100000; i++) {
        ck_assert_int_eq(ptrace(PTRACE_SINGLESTEP, child, NULL, NULL), 0);
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert(WIFSTOPPED(status));
        struct arch_registers now = registers_of(child);
        ck_assert(!arch_gate(&now, &address) || !lets_in(child, SIGCHLD));
        requests += WSTOPSIG(status) == SIGURG && arch_gate(&now, &address);
        if (arch_syscall(&now) == SYS_nanosleep)
            break;
    }
    ck_assert_uint_eq(requests, 1);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    munmap(page, PAGE);
}
END_TEST

/* The dynamic linker's function does nothing: nobody needs to wait for it. */
START_TEST(the_linkers_is_not_waited_for)
{
    uint8_t *page = make_for(GATE_LOADED);
    unsigned sleeps = 0;
    int status;
    pid_t child = fork();
    if (child == 0)
        make_the_call(page);
    while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
        struct arch_registers now = registers_of(child);
        sleeps += WSTOPSIG(status) == SIGTRAP && arch_syscall(&now) == SYS_nanosleep;
        ck_assert_int_eq(ptrace(PTRACE_SYSCALL, child, NULL, NULL), 0);
    }
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    ck_assert_uint_le(sleeps, 2); /* at its entry and at its end */
    munmap(page, PAGE);
}
END_TEST

START_TEST(what_is_too_far_is_said)
{
    const uint64_t from = 0x80001000, counts_from = from + REACH_BEHIND;
    uint8_t bytes[ARCH_STUB_BYTES];
    ck_assert(arch_jump(bytes, from, counts_from + REACH) && arch_is_jump(bytes));
    ck_assert(!arch_jump(bytes, from, counts_from + REACH + REACH_STEP));
    ck_assert(arch_jump(bytes, from, counts_from - REACH_BACK) && arch_is_jump(bytes));
    ck_assert(!arch_jump(bytes, from, counts_from - REACH_BACK - REACH_STEP));
    ck_assert(!arch_is_jump((const uint8_t *)function));
    ck_assert(!arch_stub(bytes, 0x1000, GATE_PROFIL, 0x200000000, 0x1000));
    ck_assert(!arch_stub(bytes, 0x1000, GATE_PROFIL, 0x1000, 0x200000000));
}
END_TEST

/* What it does is seen where there are 32-bit programs to do it. */
START_TEST(a_narrow_stub_has_its_numbers)
{
    uint8_t bytes[ARCH_STUB_BYTES] = {0};
    bool made = arch_stub_narrow(bytes, 0xf7000010, GATE_SPROFIL, 0xf6543210, 0xf6000000);
    ck_assert_int_eq(made, ARCH_STUB_BYTES_NARROW > 0);
    if (!made)
        return;
    ck_assert_ptr_nonnull(memmem(bytes, sizeof bytes, "\x68\2\0\0\0", 5));
    ck_assert_ptr_nonnull(memmem(bytes, sizeof bytes, "\xb8\x10\x32\x54\xf6", 5));
    ck_assert_ptr_nonnull(memmem(bytes, sizeof bytes, "\xbf\xf4\1\0\0", 5));
    const uint8_t *jump = memmem(bytes, sizeof bytes, "\x5d\x5f\x5e\x5b\xe9", 5);
    ck_assert_ptr_nonnull(jump);
    int32_t distance;
    memcpy(&distance, jump + 5, sizeof distance);
    ck_assert_uint_eq(0xf7000010 + (uint64_t)(jump + 9 - bytes) + (uint64_t)(int64_t)distance, 0xf6000000);
    for (size_t i = ARCH_STUB_BYTES_NARROW; i < sizeof bytes; i++)
        ck_assert_uint_eq(bytes[i], 0);
    ck_assert(!arch_stub_narrow(bytes, 0x1000, GATE_PROFIL, 0x100000000, 0x1000));
    ck_assert(arch_stub_narrow(bytes, 0xf7000010, GATE_LOADED, 0xf6543210, 0xf6000000));
    ck_assert_ptr_nonnull(memmem(bytes, sizeof bytes, "\xbf\1\0\0\0", 5));
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("arch/detour");
    tcase_add_test(tests, a_call_that_nobody_answers_fails);
    tcase_add_test(tests, the_request_is_in_registers);
    tcase_add_test(tests, the_callers_registers_are_kept);
    tcase_add_test(tests, it_is_made_when_the_jump_is_taken_back);
    tcase_add_test(tests, a_stub_without_a_jump_makes_the_call);
    tcase_add_test(tests, no_other_signal_is_taken_for_the_request);
    tcase_add_test(tests, the_linkers_is_not_waited_for);
    tcase_add_test(tests, what_is_too_far_is_said);
    tcase_add_test(tests, a_narrow_stub_has_its_numbers);
    return unit_end();
}

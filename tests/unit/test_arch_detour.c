/* SPDX-License-Identifier: MIT
 *
 * The stub of a detour, executed without a tracer: it is in a page of this program, beside a function that adds up
 * its arguments. */
#include "common/arch/detour.h"

#include "common/arch/arch.h"
#include "common/arch/gate.h"

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

/* Makes written code visible to instruction fetches. */
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
    ck_assert(arch_stub(page + STUB, (uintptr_t)page + STUB, call, (uintptr_t)page + FUNCTION, (uintptr_t)page + TAIL,
                        page + FUNCTION));
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

START_TEST(a_call_that_nobody_answers_is_the_functions_own)
{
    sigset_t before, after;
    uint8_t *page = make();
    jump(page);
    ck_assert_int_eq(pthread_sigmask(SIG_SETMASK, NULL, &before), 0);
    ck_assert_int_eq(call(page), 4321);
    ck_assert_int_eq(pthread_sigmask(SIG_SETMASK, NULL, &after), 0);
    ck_assert_mem_eq(&before, &after, 64 / 8);
    ck_assert_int_eq(sigpending(&after), 0);
    ck_assert(!sigismember(&after, SIGURG));
    munmap(page, PAGE);
}
END_TEST

START_TEST(the_callers_registers_are_kept)
{
    uint8_t *page = make();
    uint64_t kept[4];
    jump(page);
    ck_assert_int_eq(call_marked(page + FUNCTION, kept), 4321);
    for (unsigned i = 0; i < 4; i++)
        ck_assert_uint_eq(kept[i], 11 + i);
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

static void abort_by_signal(int sig)
{
    (void)sig;
    _exit(2);
}

static pid_t start_the_call(uint8_t *page, int caught, int pending)
{
    sigset_t set;
    int status;
    pid_t child = fork();
    if (child) {
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        return child;
    }
    sigemptyset(&set);
    if (pending)
        sigaddset(&set, pending);
    sigprocmask(SIG_BLOCK, &set, NULL);
    if (pending)
        raise(pending);
    for (int sig = 1; sig <= caught; sig++)
        if (sig == SIGURG || sig == SIGWINCH || sig == SIGCHLD || sig == SIGCONT)
            signal(sig, abort_by_signal);
    jump(page);
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    raise(SIGSTOP);
    long result = call(page);
    sigpending(&set);
    _exit(result == 4321 && (!pending || sigismember(&set, pending)) ? 0 : 1);
}

static const struct {
    int caught, pending, sent; /* signals up to CAUGHT have handlers */
} choices[] = {{0, 0, SIGURG},        {SIGCONT, 0, SIGURG},  {SIGURG, 0, SIGWINCH},
               {0, SIGURG, SIGWINCH}, {SIGURG, SIGWINCH, 0}, {SIGWINCH, 0, 0}};

/* The tracer must get the request from registers alone, because it may be unable to read memory. Without a tracer,
 * the signal must be one that the program neither handles nor waits for. */
START_TEST(the_request_is_in_registers)
{
    uint8_t *page = make();
    uint64_t address;
    int status, sent = 0;
    pid_t child = start_the_call(page, choices[_i].caught, choices[_i].pending);
    for (int sig = 0; ptrace(PTRACE_CONT, child, NULL, sig) == 0; sig = 0) {
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        if (!WIFSTOPPED(status))
            break;
        struct arch_registers now = registers_of(child);
        struct gate_request request = arch_stub_request(&now);
        ck_assert(!sent && arch_gate(&now, &address));
        sent = WSTOPSIG(status);
        ck_assert(request.magic == GATE_MAGIC && request.call == GATE_PROFIL);
        ck_assert(request.arguments[0] == 1 && request.arguments[1] == 20 && request.arguments[2] == 300 &&
                  request.arguments[3] == 4000);
    }
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    ck_assert_int_eq(sent, choices[_i].sent);
    munmap(page, PAGE);
}
END_TEST

/* Steps through the stub. Registers may only look like a request where no other signal can arrive; otherwise that
 * signal would be taken for the request. */
START_TEST(no_other_signal_is_taken_for_the_request)
{
    uint8_t *page = make();
    uint64_t address;
    unsigned requests = 0;
    int status = 0;
    pid_t child = start_the_call(page, 0, 0);
    for (int i = 0; i < 100000; i++) {
        ck_assert_int_eq(ptrace(PTRACE_SINGLESTEP, child, NULL, NULL), 0);
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        if (!WIFSTOPPED(status))
            break;
        struct arch_registers now = registers_of(child);
        ck_assert(!arch_gate(&now, &address) || !lets_in(child, SIGCHLD));
        requests += WSTOPSIG(status) == SIGURG && arch_gate(&now, &address);
    }
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    ck_assert_uint_eq(requests, 1);
    munmap(page, PAGE);
}
END_TEST

START_TEST(too_large_distances_are_refused)
{
    uint8_t head[ARCH_HEAD_BYTES] = {0};
    memcpy(head, function, sizeof head < sizeof function ? sizeof head : sizeof function);
    const uint64_t from = 0x80001000, counts_from = from + REACH_BEHIND;
    uint8_t bytes[ARCH_STUB_BYTES];
    ck_assert(arch_jump(bytes, from, counts_from + REACH));
    ck_assert(!arch_jump(bytes, from, counts_from + REACH + REACH_STEP));
    ck_assert(arch_jump(bytes, from, counts_from - REACH_BACK));
    ck_assert(!arch_jump(bytes, from, counts_from - REACH_BACK - REACH_STEP));
    ck_assert(!arch_stub(bytes, 0x1000, GATE_PROFIL, 0x200000000, 0x1000, head));
    ck_assert(!arch_stub(bytes, 0x1000, GATE_PROFIL, 0x1000, 0x200000000, head));
}
END_TEST

/* Only the bytes are checked here; e2e tests run it in 32-bit programs. */
START_TEST(a_compat_stub_has_its_numbers)
{
    const uint8_t head[ARCH_HEAD_BYTES] = {0x55, 0x57, 0xe8, 0x10};
    uint8_t bytes[ARCH_STUB_BYTES] = {0};
    bool made = arch_stub_compat(bytes, 0xf7000010, GATE_SPROFIL, 0xf6543210, 0xf6000000, head);
    ck_assert_int_eq(made, ARCH_STUB_BYTES_COMPAT > 0);
    if (!made)
        return;
    ck_assert_ptr_nonnull(memmem(bytes, sizeof bytes, "\x68\2\0\0\0", 5));
    const uint8_t *jump = memmem(bytes, sizeof bytes, "\x5d\x5f\x5e\x5b\xe9", 5);
    ck_assert_ptr_nonnull(jump);
    int32_t distance;
    memcpy(&distance, jump + 5, sizeof distance);
    ck_assert_uint_eq(0xf7000010 + (uint64_t)(jump + 9 - bytes) + (uint64_t)(int64_t)distance, 0xf6000000);
    /* the call's return address is still the original one */
    jump = memmem(bytes, sizeof bytes, "\x55\x57\x68\x17\x32\x54\xf6\xe9", 8);
    ck_assert_ptr_nonnull(jump);
    memcpy(&distance, jump + 8, sizeof distance);
    ck_assert_uint_eq(0xf7000010 + (uint64_t)(jump + 12 - bytes) + (uint64_t)(int64_t)distance, 0xf6543217 + 0x10);
    for (size_t i = ARCH_STUB_BYTES_COMPAT; i < sizeof bytes; i++)
        ck_assert_uint_eq(bytes[i], 0);
    ck_assert(!arch_stub_compat(bytes, 0x1000, GATE_PROFIL, 0x100000000, 0x1000, head));
}
END_TEST

START_TEST(beginnings_are_made_elsewhere)
{
    uint8_t *page = make(), head[ARCH_HEAD_BYTES] = {0};
    memset(page, 0, PAGE);
    memcpy(page + FUNCTION, heads[_i].code, sizeof heads[_i].code);
    memcpy(page + TAIL, tail, sizeof tail);
    memcpy(head, page + FUNCTION, sizeof head);
    bool made = arch_stub(page + STUB, (uintptr_t)page + STUB, GATE_PROFIL, (uintptr_t)page + FUNCTION,
                          (uintptr_t)page + TAIL, head);
    ck_assert(made == (heads[_i].result > 0));
    jump(page);
    if (made)
        ck_assert_int_eq(call(page), heads[_i].result);
    munmap(page, PAGE);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("arch/detour");
    tcase_add_test(tests, a_call_that_nobody_answers_is_the_functions_own);
    tcase_add_test(tests, the_callers_registers_are_kept);
    UNIT_ADD_TABLE(tests, the_request_is_in_registers, choices);
    tcase_add_test(tests, no_other_signal_is_taken_for_the_request);
    tcase_add_test(tests, too_large_distances_are_refused);
    tcase_add_test(tests, a_compat_stub_has_its_numbers);
    UNIT_ADD_TABLE(tests, beginnings_are_made_elsewhere, heads);
    return unit_end();
}

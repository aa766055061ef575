/* SPDX-License-Identifier: MIT
 *
 * The stub of a detour, executed where nobody answers: in a page of this program, beside a function that adds up its
 * arguments. */
#include "arch/detour.h"

#include "model/gate.h"

#include "unit.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FUNCTION = 0, TAIL = 64, STUB = 256, PAGE = 4096 };

/* lea (%rdi,%rsi), %rax; add %rdx, %rax; mov %ecx, %ecx; add %rcx, %rax; ret */
static const uint8_t function[] = {0x48, 0x8d, 0x04, 0x37, 0x48, 0x01, 0xd0, 0x89, 0xc9, 0x48, 0x01, 0xc8, 0xc3};
static const uint8_t tail[] = {0xc3};

typedef long function_called(long a, long b, long c, long d);

static uint8_t *make(void)
{
    uint8_t *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(page, MAP_FAILED);
    memcpy(page + FUNCTION, function, sizeof function);
    memcpy(page + TAIL, tail, sizeof tail);
    ck_assert(arch_stub(page + STUB, (uintptr_t)page + STUB, GATE_PROFIL, (uintptr_t)page + FUNCTION,
                        (uintptr_t)page + TAIL));
    return page;
}

static void jump(uint8_t *page)
{
    ck_assert(arch_jump(page + FUNCTION, (uintptr_t)page + FUNCTION, (uintptr_t)page + STUB));
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

static void *take_back(void *page)
{
    usleep(20000);
    uint64_t word;
    memcpy(&word, function, sizeof word);
    __atomic_store_n((uint64_t *)page, word, __ATOMIC_SEQ_CST);
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

START_TEST(what_is_too_far_is_said)
{
    uint8_t bytes[ARCH_STUB_BYTES];
    ck_assert(arch_jump(bytes, 0x1000, 0x80001004) && bytes[0] == 0xe9 && bytes[4] == 0x7f);
    ck_assert(!arch_jump(bytes, 0x1000, 0x80001005));
    ck_assert(arch_jump(bytes, 0x80001000, 0x1005) && bytes[4] == 0x80);
    ck_assert(!arch_jump(bytes, 0x80001000, 0x1004));
    ck_assert(!arch_stub(bytes, 0x1000, GATE_PROFIL, 0x200000000, 0x1000));
    ck_assert(!arch_stub(bytes, 0x1000, GATE_PROFIL, 0x1000, 0x200000000));
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("arch/detour");
    tcase_add_test(tests, a_call_that_nobody_answers_fails);
    tcase_add_test(tests, it_is_made_when_the_jump_is_taken_back);
    tcase_add_test(tests, a_stub_without_a_jump_makes_the_call);
    tcase_add_test(tests, what_is_too_far_is_said);
    return unit_end();
}

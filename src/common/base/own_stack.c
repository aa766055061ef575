/* SPDX-License-Identifier: MIT */
#include "common/base/own_stack.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

enum { ENOUGH = 8 << 20 };

static struct {
    int (*run)(int count, char **arguments);
    int count, result;
    char **arguments;
} call;

static void enter(void)
{
    call.result = call.run(call.count, call.arguments);
}

/* The lowest page stays inaccessible, so that too deep recursion ends there. */
static void *map_stack(void)
{
    void *stack =
        mmap(NULL, ENOUGH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED)
        return NULL;
    mprotect(stack, (size_t)getpagesize(), PROT_NONE);
    return stack;
}

/* AddressSanitizer reports a change of the stack as an error. */
#ifdef __SANITIZE_ADDRESS__
enum { MAY_SWITCH = 0 };
#else
enum { MAY_SWITCH = 1 };
#endif

static bool is_small(void)
{
    struct rlimit limit;
    return MAY_SWITCH && getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < ENOUGH;
}

int own_stack_run(int (*run)(int count, char **arguments), int count, char **arguments)
{
    static ucontext_t before, within;
    void *stack = is_small() && getcontext(&within) == 0 ? map_stack() : NULL;
    if (!stack)
        return run(count, arguments);
    call.run = run;
    call.count = count;
    call.arguments = arguments;
    within.uc_stack.ss_sp = stack;
    within.uc_stack.ss_size = ENOUGH;
    within.uc_link = &before;
    makecontext(&within, enter, 0);
    return swapcontext(&before, &within) == 0 ? call.result : run(count, arguments);
}

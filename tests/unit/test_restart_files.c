/* SPDX-License-Identifier: MIT */
#include "tracer/restart/files.h"

#include "common/base/time.h"

#include "unit.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEP_NS = 10000000, TRIES = 100 };

uint64_t __wrap_time_now_ns(void);
uint64_t __wrap_time_now_ns(void)
{
    static uint64_t now_ns;
    return now_ns += STEP_NS;
}

/* Traced processes wait while kcmp compares descriptors, so not every process of the machine may be compared. */
START_TEST(many_are_not_compared_with_all)
{
    int owned = 0;
    pid_t child = fork();
    if (child == 0)
        for (;;)
            pause();
    ck_assert_int_gt(child, 0);
    for (int i = 0; i < TRIES; i++)
        owned += files_are_own(child);
    ck_assert_int_eq(kill(child, SIGKILL), 0);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    ck_assert_int_lt(owned, TRIES); /* 0 if some processes cannot be seen */
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("restart/files");
    tcase_add_test(tests, many_are_not_compared_with_all);
    return unit_end();
}

/* SPDX-License-Identifier: MIT
 *
 * What a unit test program has around its tests. Rules are tested by table: one START_TEST whose _i is the row. */
#ifndef UNIT_H
#define UNIT_H

#include <check.h>
#include <signal.h>
#include <stdlib.h>

#define UNIT_ROWS(table) (sizeof(table) / sizeof *(table))

/* Adds TEST, to be run once for each row of TABLE. */
#define UNIT_ADD_TABLE(tests, test, table) tcase_add_loop_test(tests, test, 0, (int)UNIT_ROWS(table))

/* The same for every third row only, the first included, but with PTPROFIL_TEST_LONG=1 (make check-long) for all: for
 * rows that each take long. */
#define UNIT_ADD_SOME(tests, test, table)                                                                              \
    do {                                                                                                               \
        for (int row = 0; row < (int)UNIT_ROWS(table); row += getenv("PTPROFIL_TEST_LONG") ? 1 : 3)                    \
            tcase_add_loop_test(tests, test, row, row + 1);                                                            \
    } while (0)

/* Signals are to a test, and to what it starts, as they are to most programs, whatever the caller ignores or blocks. */
static inline void unit_hear_signals(void)
{
    struct sigaction now;
    sigset_t none;
    for (int number = 1; number < NSIG; number++)
        if (sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN)
            signal(number, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static SRunner *unit_runner;

/* Begins a program whose tests are of module NAME. Tests are added to what it returns. */
static inline TCase *unit_begin(const char *name)
{
    Suite *suite = suite_create(name);
    TCase *tests = tcase_create(name);
    suite_add_tcase(suite, tests);
    tcase_set_timeout(tests, 60); /* a busy machine is no failure */
    tcase_add_checked_fixture(tests, unit_hear_signals, NULL);
    unit_runner = srunner_create(suite);
    return tests;
}

/* Runs them and returns what main() should. */
static inline int unit_end(void)
{
    srunner_run_all(unit_runner, CK_ENV);
    int failed = srunner_ntests_failed(unit_runner);
    srunner_free(unit_runner);
    return failed ? 1 : 0;
}

#endif

/* SPDX-License-Identifier: MIT
 *
 * Setup of unit test programs. Rules are tested by tables: a START_TEST with the row in _i. */
#ifndef UNIT_H
#define UNIT_H

#include <check.h>
#include <signal.h>
#include <stdlib.h>

#define UNIT_ROWS(table) (sizeof(table) / sizeof *(table))

/* Adds TEST, which runs once for each row of TABLE. */
#define UNIT_ADD_TABLE(tests, test, table) tcase_add_loop_test(tests, test, 0, (int)UNIT_ROWS(table))

/* Adds TEST for every third row, starting with the first; with PTPROFIL_TEST_LONG=1 (make check-long) for all. Use
 * it if each row takes long. */
#define UNIT_ADD_SOME(tests, test, table)                                                                              \
    do {                                                                                                               \
        for (int row = 0; row < (int)UNIT_ROWS(table); row += getenv("PTPROFIL_TEST_LONG") ? 1 : 3)                    \
            tcase_add_loop_test(tests, test, row, row + 1);                                                            \
    } while (0)

/* Resets signals that the caller ignores or blocks, because tests and their children expect the default. */
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

/* Begins the test program of module NAME. Add tests to the result. */
static inline TCase *unit_begin(const char *name)
{
    Suite *suite = suite_create(name);
    TCase *tests = tcase_create(name);
    suite_add_tcase(suite, tests);
    tcase_set_timeout(tests, 60); /* for busy machines */
    tcase_add_checked_fixture(tests, unit_hear_signals, NULL);
    unit_runner = srunner_create(suite);
    return tests;
}

/* Runs the tests. Returns the exit status for main(). */
static inline int unit_end(void)
{
    srunner_run_all(unit_runner, CK_ENV);
    int failed = srunner_ntests_failed(unit_runner);
    srunner_free(unit_runner);
    return failed ? 1 : 0;
}

#endif

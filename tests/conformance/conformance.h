/* SPDX-License-Identifier: MIT
 *
 * A case tests one rule from inside a process that makes the profil calls. Each case runs in a separate process and may
 * start others. It returns if the rule holds; otherwise it ends through one of the functions below. */
#ifndef CONFORMANCE_H
#define CONFORMANCE_H

#include "common/semantics/semantics.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Systems, as bits of enum rule_system. */
#define IN_FREEBSD (SYSTEM_FREEBSD | SYSTEM_FREEBSD_BUILT)
#define IN_BSD (IN_FREEBSD | SYSTEM_DARWIN_CLASSIC)
#define IN_ALL (SYSTEM_EVERY - 1)
#define IN_PROFIL (IN_ALL & ~SYSTEM_DARWIN) /* profil works */
#define IN_SPROFIL (SYSTEM_LINUX | SYSTEM_IRIX)

struct conformance_case {
    const char *id;     /* name of the rule without the system; NULL ends a list */
    unsigned systems;   /* systems that the case is for */
    void (*run)(void);  /* NULL: no process can test it */
    bool oracle;        /* under linux, the C library's own calls keep the rule, too */
    const char *remark; /* names one of several cases of a rule; without RUN, says why the rule cannot be tested */
};

extern const struct conformance_case cases_profil[], cases_cells[], cases_memory[], cases_processes[], cases_threads[],
    cases_sprofil[], cases_sprofil_calls[], cases_pcsample[], cases_pcsample_memory[];

/* The system under test. */
extern const struct semantics *conformance_system;
#define is_in(systems_) ((conformance_system->system & (systems_)) != 0)

/* True if the cases test the C library's own calls, without ptprofil. Their counts are less exact. */
extern bool conformance_oracle;

enum conformance_outcome { OUTCOME_SHOWN, OUTCOME_BROKEN, OUTCOME_OFF_COUNT, OUTCOME_SKIPPED };

/* Ends the calling process with a text for the report. The report keeps the first text of a case's processes.
 * OFF_COUNT: a number of ticks is wrong. A busy machine may be the cause, so the case runs again. */
void conformance_end(enum conformance_outcome outcome, const char *format, ...)
    __attribute__((noreturn, format(printf, 2, 3)));

#define CHECK(condition, ...)                                                                                          \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            conformance_end(OUTCOME_BROKEN, __VA_ARGS__);                                                              \
    } while (0)

/* For conditions that depend on the timing of ticks. */
#define CHECK_COUNT(condition, ...)                                                                                    \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            conformance_end(OUTCOME_OFF_COUNT, __VA_ARGS__);                                                           \
    } while (0)

/* Ends with OFF_COUNT if SEEN is more than TOLERANCE ticks away from EXPECTED. WHAT names it in the report. */
void conformance_ticks(const char *what, uint64_t seen, uint64_t expected, uint64_t tolerance);

/* The usual tolerance: a tick at the beginning and one at the end. */
#define TICKS_EXACT 2

/* Waits for a process of the case. If that failed, ends the calling process in the same way. */
void conformance_reap(pid_t pid);

/* Runs FUNCTION in a child, which then ends. Returns the child's pid without waiting. */
pid_t conformance_fork(void (*function)(void *), void *argument);

/* Executes this program again, to run the continuation NAME and end with status 0. */
void conformance_exec(const char *name) __attribute__((noreturn));

/* Runs the continuation NAME in a process from posix_spawn. Returns its pid. */
pid_t conformance_spawn(const char *name);

struct conformance_continuation {
    const char *name; /* NULL ends a list */
    void (*run)(void);
};
extern const struct conformance_continuation conformance_continuations[];

#endif

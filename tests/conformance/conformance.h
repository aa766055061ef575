/* SPDX-License-Identifier: MIT
 *
 * A case shows one rule of the calls, from inside a process that makes them. It runs in a process of its own, may start
 * others, and ends by returning, if the rule holds, or through one of the functions below. */
#ifndef CONFORMANCE_H
#define CONFORMANCE_H

#include "model/semantics.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Systems, as bits of enum rule_system. */
#define IN_FREEBSD (SYSTEM_FREEBSD | SYSTEM_FREEBSD_BUILT)
#define IN_BSD (IN_FREEBSD | SYSTEM_DARWIN_CLASSIC)
#define IN_ALL (SYSTEM_EVERY - 1)
#define IN_PROFIL (IN_ALL & ~SYSTEM_DARWIN) /* where profil does anything */
#define IN_SPROFIL (SYSTEM_LINUX | SYSTEM_IRIX)

struct conformance_case {
    const char *id;     /* of the rule, without the system; NULL after the last of a list */
    unsigned systems;   /* in which it runs */
    void (*run)(void);  /* NULL: no process can show it */
    bool oracle;        /* under linux the C library's own calls do the same */
    const char *remark; /* what it shows, where a rule has several cases; without RUN, why it cannot be shown */
};

/* The cases, by subject. */
extern const struct conformance_case cases_profil[], cases_cells[], cases_memory[], cases_processes[], cases_threads[],
    cases_sprofil[], cases_sprofil_calls[], cases_pcsample[], cases_pcsample_memory[];

/* Whose rules are tested. */
extern const struct semantics *conformance_system;
#define is_in(systems_) ((conformance_system->system & (systems_)) != 0)

/* True if nobody supervises and the C library's own calls are looked at: their counts are less exact. */
extern bool conformance_oracle;

enum conformance_outcome { OUTCOME_SHOWN, OUTCOME_BROKEN, OUTCOME_OFF_COUNT, OUTCOME_SKIPPED };

/* Ends the calling process, with a text for the report; of several texts of a case's processes the first is taken.
 * OFF_COUNT: a number of ticks is not the expected one, which may be the machine's fault: the case is tried again. */
void conformance_end(enum conformance_outcome outcome, const char *format, ...)
    __attribute__((noreturn, format(printf, 2, 3)));

#define CHECK(condition, ...)                                                                                          \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            conformance_end(OUTCOME_BROKEN, __VA_ARGS__);                                                              \
    } while (0)

/* For what hangs on when ticks come. */
#define CHECK_COUNT(condition, ...)                                                                                    \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            conformance_end(OUTCOME_OFF_COUNT, __VA_ARGS__);                                                           \
    } while (0)

/* Ends with OFF_COUNT if SEEN is more than TOLERANCE ticks away from EXPECTED. WHAT names it in the report. */
void conformance_ticks(const char *what, uint64_t seen, uint64_t expected, uint64_t tolerance);

/* How many ticks may be missing where nothing else is said: those of the beginning and of the end. */
#define TICKS_EXACT 2

/* Waits for a process of the case, and ends as that did unless it ended with status 0. */
void conformance_reap(pid_t pid);

/* Runs FUNCTION in a forked process, which then ends; its parent returns at once, with its pid. */
pid_t conformance_fork(void (*function)(void *), void *argument);

/* Replaces the process by this program, started anew, which runs the continuation NAME and then ends with status 0. */
void conformance_exec(const char *name) __attribute__((noreturn));

/* The same in a new process, made by posix_spawn. Returns its pid. */
pid_t conformance_spawn(const char *name);

struct conformance_continuation {
    const char *name; /* NULL: after the last */
    void (*run)(void);
};
extern const struct conformance_continuation conformance_continuations[];

#endif

/* SPDX-License-Identifier: MIT
 *
 * Questions to the front about the entry points of the profil calls, and the threads that are held until it answers.
 * If the user asked for the calls, a thread is held while the front gets on (model/patience.h). Otherwise, or if the
 * front is stopped, it is held for half a second. */
#ifndef LOOP_QUESTIONS_H
#define LOOP_QUESTIONS_H

#include "common/model/patience.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct command;
struct process;
struct thread;
struct tracer;

enum { QUESTIONS_MOST = 64 };

struct question {
    pid_t pid, tid;
    uint32_t image;
    uint64_t until_ns;
    struct patience patience;
};

struct questions {
    struct question items[QUESTIONS_MOST];
    size_t count;
};

/* Asks for THREAD, which the caller will hold if HOLD and the question was asked. Returns false if it was not: too many
 * are open already, or the front takes none. */
bool questions_ask(struct tracer *tracer, struct thread *thread, bool hold);

/* Asks about PROCESS, which runs, and has a thread. */
void questions_ask_running(struct tracer *tracer, const struct process *process);

/* Handles the front's ANSWER. */
void questions_answered(struct tracer *tracer, const struct command *answer);

/* Releases the threads without an answer in time; a later answer still counts. Returns the monotonic time of the next
 * deadline, or 0 if no question is open. */
uint64_t questions_expire(struct tracer *tracer);

/* Releases all threads, because breakpoints are no longer set. */
void questions_drop(struct tracer *tracer);

#endif

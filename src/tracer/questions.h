/* SPDX-License-Identifier: MIT
 *
 * Questions to the front about the entries of the calls, and the threads that are held until it answers. It may be
 * stopped, or busy: no thread is held for long. */
#ifndef TRACER_QUESTIONS_H
#define TRACER_QUESTIONS_H

#include "wire/command.h"

#include <stdbool.h>
#include <stddef.h>

struct tracer;
struct thread;

enum { QUESTIONS_MOST = 64 };

struct question {
    pid_t pid, tid;
    uint32_t image;
    uint64_t until_ns;
};

struct questions {
    struct question items[QUESTIONS_MOST];
    size_t count;
};

/* Asks for THREAD, which is stopped. Returns false if too many are held already. */
bool questions_ask(struct tracer *tracer, struct thread *thread);

/* The front has answered. */
void questions_answered(struct tracer *tracer, const struct command *answer);

/* Lets go whom it has not answered in time. Returns when to look again, or 0 if nobody is held. */
uint64_t questions_expire(struct tracer *tracer);

/* Lets all go: nothing is planted any more. */
void questions_drop(struct tracer *tracer);

#endif

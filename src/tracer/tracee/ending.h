/* SPDX-License-Identifier: MIT
 *
 * Processes that end after we let them go. At its exit stop a process is detached, so that its parent can wait for it
 * at the moment of its end. It uses more CPU time until then. A thread of ours waits for its end and reads its CPU
 * clock before its parent reaps it. If the parent was quicker, the time is estimated (model/tails.h). */
#ifndef TRACEE_ENDING_H
#define TRACEE_ENDING_H

#include "common/model/tails.h"
#include "tracer/tracee/table.h"

#include <pthread.h>

struct endings {
    struct process **items; /* of base/array.h: processes that were let go and not returned yet */
    size_t count, room;
    struct tails tails;
    int events; /* epoll descriptor of their pidfds; -1: the thread does not run */
    pthread_t reader;
    _Atomic uint32_t *wake; /* borrowed */
    _Atomic uint32_t over;  /* how many of the items have ended */
};

/* Starts the thread. It changes *WAKE (base/wake.h) when a process has ended. Without the thread, every end counts as
 * missed. */
void endings_start(struct endings *endings, _Atomic uint32_t *wake);

/* Notes the state of PROCESS, whose last thread TID is at its exit stop. Returns false if its end cannot be awaited.
 * Then no other program can see it by a pidfd either, unless descriptors are short. */
bool endings_prepare(struct process *process, pid_t tid);

/* The end of PROCESS, after endings_prepare, is not to be awaited. */
void endings_cancel(struct process *process);

/* Awaits the end of PROCESS, after endings_prepare. Its last thread is detached, and it is not in the table any more.
 * Returns false if memory runs out: then its end counts as missed, and it is not returned later. */
bool endings_await(struct endings *endings, struct process *process);

/* Returns true if a process has ended since the last call of endings_next. */
bool endings_any(const struct endings *endings);

/* Returns a process that has ended, with its last CPU times, or NULL. */
struct process *endings_next(struct endings *endings);

#endif

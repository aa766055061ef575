/* SPDX-License-Identifier: MIT
 *
 * Runs a library function that may never end. */
#ifndef BASE_BOUNDED_H
#define BASE_BOUNDED_H

#include <stdbool.h>
#include <stddef.h>

typedef void bounded_work(void *argument);

/* Runs WORK with ARGUMENT, and aborts it once it has used a tenth of a second of CPU time. WORK must not allocate
 * memory or hold anything else that must be released. All calls that take long share a budget of 2 s in a process;
 * after that, no WORK is started. Uses SIGVTALRM in the calling thread. Returns false if WORK did not run to its
 * end. */
bool bounded_run(bounded_work *work, void *argument);

/* As bounded_run, with a stack of SIZE bytes, for work that recurses deeply. Runs WORK in a thread of its own. */
bool bounded_run_deep(bounded_work *work, void *argument, size_t size);

#endif

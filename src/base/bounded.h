/* SPDX-License-Identifier: MIT
 *
 * A library's function that may never end. */
#ifndef BASE_BOUNDED_H
#define BASE_BOUNDED_H

#include <stdbool.h>

typedef void bounded_work(void *argument);

/* Runs WORK with ARGUMENT, and stops it in the middle once it has used a tenth of a second of CPU time. WORK must
 * not allocate memory or hold anything else that would have to be released. All long works of a process share a
 * budget of 2 s; after that none is started. Uses SIGVTALRM in the calling thread. Returns false if WORK did not run
 * to its end. */
bool bounded_run(bounded_work *work, void *argument);

#endif

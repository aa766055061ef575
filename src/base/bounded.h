/* SPDX-License-Identifier: MIT
 *
 * A library's function that may never end. */
#ifndef BASE_BOUNDED_H
#define BASE_BOUNDED_H

#include <stdbool.h>

typedef void bounded_work(void *argument);

/* Does WORK with ARGUMENT, and leaves it in the middle if it has used a tenth of a second of CPU time: it must hold
 * nothing then that would have to be given back, so it must not allocate memory. All works of a process that take long
 * have 2 s together; then none is begun any more. Takes SIGVTALRM of the thread. False if WORK was not done to its
 * end. */
bool bounded_run(bounded_work *work, void *argument);

#endif

/* SPDX-License-Identifier: MIT
 *
 * The samples of a profile thread by thread. */
#ifndef REPORT_BY_THREAD_H
#define REPORT_BY_THREAD_H

#include "record/profile.h"

/* Returns the numbers of the samples, those of a thread together and in their order, to be freed; NULL when there is no
 * memory. */
uint32_t *by_thread(const struct profile *profile);

#endif

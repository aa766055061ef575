/* SPDX-License-Identifier: MIT
 *
 * The CPU time of processes after their last stop, which is mostly spent on freeing their memory. It is read where
 * possible. Where it was not, the processes before show how much to expect. Pure. */
#ifndef MODEL_TAILS_H
#define MODEL_TAILS_H

#include <stdint.h>

/* Sums over tails that were read. Zero before use. */
struct tails {
    double count, pages, ns, pages_pages, pages_ns;
};

/* Notes a process that had PAGES of memory at its last stop, and ran for NS after it. */
void tails_add(struct tails *tails, uint64_t pages, uint64_t ns);

/* Returns how long a process with PAGES of memory is expected to run after its last stop, in nanoseconds; 0 if no tail
 * was read before. */
uint64_t tails_expect(const struct tails *tails, uint64_t pages);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Filters of system calls (seccomp(2)), as programs. */
#ifndef MODEL_FILTER_PROGRAM_H
#define MODEL_FILTER_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

struct sock_filter;
struct seccomp_data;

/* True if the filter of COUNT STEPS lets the call DATA be made, and nothing else happen. A filter that makes no sense
 * does not. */
bool filter_program_allows(const struct sock_filter *steps, size_t count, const struct seccomp_data *data);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Descent of processes. The processes were read one after another, so the data may be inconsistent. Pure. */
#ifndef MODEL_FAMILY_H
#define MODEL_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The name of the process that copies memory for the tracer. Its command line is the tracer's. */
#define FAMILY_COPIER_NAME "pt-copier"

struct family_member {
    pid_t pid, parent;
    pid_t tracer; /* 0: none */
};

/* The processes of a machine, each once. Zeroed, it is empty. */
struct family {
    struct family_member *items; /* owned */
    size_t count, room;
};

/* Sorts FAMILY, which the other functions require. */
void family_sort(struct family *family);

/* Returns true if PID is a descendant of ANCESTOR. */
bool family_is_below(const struct family *family, pid_t pid, pid_t ancestor);

/* Returns true if PID is a descendant of one of COUNT ROOTS, and not a root itself. */
bool family_is_below_any(const struct family *family, pid_t pid, const pid_t *roots, size_t count);

void family_fini(struct family *family);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Children that are not followed, but are traced for now: they have not stopped for the first time, and may have copies
 * of what is planted in the memory of their maker, or they have that memory itself. */
#ifndef FOLLOW_BYSTANDERS_H
#define FOLLOW_BYSTANDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct bystanders { /* of base/array.h; zeroed: none */
    pid_t *items;
    size_t count, room;
};

/* TID is one of them from now on, or is not any more. Adding one that is there, and removing one that is not, does
 * nothing. */
void bystanders_add(struct bystanders *bystanders, pid_t tid);
void bystanders_remove(struct bystanders *bystanders, pid_t tid);
bool bystanders_have(const struct bystanders *bystanders, pid_t tid);

/* Asks each of them to stop, so that it can be let go, and forgets those that are gone. Returns how many are left. */
size_t bystanders_stop(struct bystanders *bystanders);

#endif

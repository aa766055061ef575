/* SPDX-License-Identifier: MIT
 *
 * Bystanders: children that we do not follow, but trace for now. They have not stopped for the first time and may
 * hold copies of our breakpoints, or they share the memory that holds them. */
#ifndef FOLLOW_BYSTANDERS_H
#define FOLLOW_BYSTANDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct bystanders { /* of base/array.h; zeroed: none */
    pid_t *items;
    size_t count, room;
};

/* Add or remove TID. Adding a present TID or removing an absent one does nothing. */
void bystanders_add(struct bystanders *bystanders, pid_t tid);
void bystanders_remove(struct bystanders *bystanders, pid_t tid);
bool bystanders_have(const struct bystanders *bystanders, pid_t tid);

/* Asks each bystander to stop, so that we can detach it. Forgets bystanders that have ended. Returns how many remain.
 */
size_t bystanders_stop(struct bystanders *bystanders);

#endif

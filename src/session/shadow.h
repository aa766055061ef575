/* SPDX-License-Identifier: MIT
 *
 * Copies of the buffers of imposed calls, built from the tracer's reports of each change. So nothing has to be read
 * from a process, which may end at any moment. Their size grows with the number of cells and samples in use, not
 * with that of the buffers. */
#ifndef SESSION_SHADOW_H
#define SESSION_SHADOW_H

#include "base/hash.h"
#include "wire/message.h"

#include <stdbool.h>

/* A cell of a histogram that has changed. */
struct shadow_cell {
    uint64_t number;
    uint64_t value;
};

/* The same PC, stored some times in a row. */
struct shadow_run {
    uint64_t pc, count;
    uint32_t place; /* record_place of it */
};

struct shadow {
    uint32_t image; /* the tracer's number */
    pid_t pid;
    uint32_t generation;
    bool own;              /* something was counted in this image, not only inherited */
    uint64_t offset, size; /* arguments of profil */
    uint32_t scale;
    uint64_t bias;  /* load bias of the file at offset */
    bool is_compat; /* of a 32-bit program */
    struct {
        struct shadow_cell *items;
        size_t count, room;
        struct hash index;
    } cells;
    struct {
        struct shadow_run *items;
        size_t count, room;
    } runs;
};

struct shadows {
    struct shadow *items;
    size_t count, room;
    struct hash index;              /* by image */
    uint64_t refused;               /* images that the call was not imposed on */
    struct message_imposed refusal; /* of one of them, the command's if it is one */
    bool out_of_memory;
};

/* A zeroed set is empty. Frees everything. */
void shadows_fini(struct shadows *shadows);

/* The call was imposed on an image, or could not be. BIAS: of the file that the arguments are about. */
void shadows_imposed(struct shadows *shadows, const struct message_imposed *message, uint64_t bias);

/* A child has begun with a copy of its parent's. */
void shadows_inherited(struct shadows *shadows, const struct message_inherited *message);

/* A buffer has changed. PLACE: of a PC. */
void shadows_update(struct shadows *shadows, const struct message_update *message, uint32_t place);

/* IMAGE has ended, or is no longer watched. Forgets its shadow if nothing was counted, unless it is the command's. */
void shadows_end(struct shadows *shadows, uint32_t image);

/* The shadow of IMAGE, or NULL. Valid until one is added or ends. */
const struct shadow *shadows_find(const struct shadows *shadows, uint32_t image);

/* Sorts shadows by process, generation and image, and the cells of each by number. Afterwards none can be found or
 * updated. */
void shadows_sort(struct shadows *shadows);

/* Why a call was not imposed. Static. */
const char *shadow_refusal(const struct message_imposed *message);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Copies of the buffers of imposed calls, built from the tracer's reports of each change. So no process, which may end
 * at any moment, has to be read. Their size depends on the number of cells and samples in use, not on the size of
 * the buffers. */
#ifndef SESSION_SHADOW_H
#define SESSION_SHADOW_H

#include "common/base/hash.h"
#include "common/wire/message.h"

#include <stdbool.h>

/* A cell of a histogram that has changed. */
struct shadow_cell {
    uint64_t number;
    uint64_t value;
};

/* A PC that was stored several times in a row. */
struct shadow_run {
    uint64_t pc, count;
    uint32_t place; /* record_place of it */
};

struct shadow {
    uint32_t image; /* the tracer's number */
    pid_t pid;
    uint32_t generation;
    bool own;              /* this image has counts of its own, not only inherited ones */
    uint64_t offset, size; /* arguments of profil */
    uint32_t scale;
    uint64_t bias;  /* load bias of the file at offset */
    bool is_compat; /* for a 32-bit program */
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
    uint64_t refused;               /* number of images on which the call could not be imposed */
    struct message_imposed refusal; /* the reason for one of them; for the command's image if possible */
    bool out_of_memory;
};

/* A zeroed set is empty. Frees everything. */
void shadows_fini(struct shadows *shadows);

/* Adds the result of imposing the call on an image. BIAS: load bias of the file that the arguments refer to. */
void shadows_imposed(struct shadows *shadows, const struct message_imposed *message, uint64_t bias);

/* Copies the shadow of a parent for its new child. */
void shadows_inherited(struct shadows *shadows, const struct message_inherited *message);

/* Updates a buffer. PLACE: location of a PC, for pcsample. */
void shadows_update(struct shadows *shadows, const struct message_update *message, uint32_t place);

/* IMAGE has ended, or is no longer traced. Forgets its shadow if nothing was counted, unless it is the command's. */
void shadows_end(struct shadows *shadows, uint32_t image);

/* Returns the shadow of IMAGE, or NULL. Valid until a shadow is added or an image ends. */
const struct shadow *shadows_find(const struct shadows *shadows, uint32_t image);

/* Sorts shadows by process, generation and image, and the cells of each by number. Afterwards they cannot be found or
 * updated. */
void shadows_sort(struct shadows *shadows);

/* Returns a static text that explains why a call was not imposed. */
const char *shadow_refusal(const struct message_imposed *message);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Internal interface between the files of interp. */
#ifndef WALK_INTERP_PARTS_H
#define WALK_INTERP_PARTS_H

#include "common/base/hash.h"
#include "tracer/walk/interp.h"

#include <string.h>

enum {
    INTERP_PAGE = 4096,
    INTERP_PAGES = 64, /* in memory during a walk */
    INTERP_HINTS = 128,
    INTERP_BELOW = 3,        /* pages below a node's that are read with it: they are likely to have its caller's node */
    INTERP_READS_MOST = 600, /* for each walk, */
    INTERP_OBJECT_READS_MOST = 4096, /* and with its objects */
    INTERP_MOST_NS = 3000000,
    INTERP_CHECK_MOST = 256,
    INTERP_OBJECTS_MOST = 65536, /* objects stored for each process */
};

struct interp_object {
    uint64_t address;
    uint64_t check;   /* hash of some bytes, which differs if another object has replaced this one at its address */
    uint64_t seen_ns; /* monotonic time when it was last compared */
    uint64_t born_ns; /* monotonic time when it was last sent */
    uint32_t serial;  /* 0: not an object of that shape */
    uint32_t shape;
};

struct interp_objects {
    struct interp_object *items;
    size_t count, room;
    struct hash index;
};

/* One of the recipes of a process. */
struct interp {
    struct recipe recipe;
    struct interp_objects objects;
    struct interp *next;
};

struct interp_page {
    uint64_t address;
    bool is_absent;                /* it is not in memory */
    uint32_t start, end;           /* the part of it that was read, */
    unsigned char *bytes;          /* its copy in the walk's bytes, */
    uint32_t first, last;          /* and the part that is needed, if LAST is not 0 */
    uint32_t kept_start, kept_end; /* the part that earlier samples needed; 0, 0: none */
    uint32_t unused;               /* see struct interp_kept */
};

/* The stack being copied. */
struct interp_walk {
    const struct recipe *recipe;
    const struct interp_sample *sample;
    struct interp_stack *stack;
    size_t begin;                /* offset in it of the struct recipe_stack that is being copied */
    struct interp_states *known; /* of the thread, by this recipe */
    uint64_t until_ns;           /* monotonic */
    uint64_t until_cpu_ns; /* CPU time of this thread at the limit, once the monotonic limit has passed; otherwise 0 */
    bool is_over;          /* a limit was reached */
    bool is_linking;       /* see struct recipe_stack */
    bool has_own;          /* a state of the thread was found, at OWN_ADDRESS in OWN_GROUP */
    struct interp_page pages[INTERP_PAGES];
    size_t page_count;
    unsigned char hints[INTERP_HINTS]; /* by the last bits of a page's number: its index in PAGES, if that is right */
    unsigned char bytes[INTERP_PAGES * INTERP_PAGE];
    size_t byte_count;
    size_t reads, states, count; /* done, read, and nodes */
    uint64_t state_address, own_address, own_group;
    unsigned char *last; /* node */
    unsigned char state[RECIPE_STATE_MOST];
};

/* Returns the nodes that have been copied. */
static inline unsigned char *interp_nodes(const struct interp_walk *walk)
{
    return walk->stack->bytes + walk->begin + sizeof(struct recipe_stack);
}

static inline uint64_t interp_word(const unsigned char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

/* interp_begin_pages reads the parts of pages that the thread's last samples needed, in one call. interp_keep_pages
 * adds the parts that this sample needed, and drops those that several samples in a row did not need. */
void interp_begin_pages(struct interp_walk *walk);
void interp_keep_pages(struct interp_walk *walk);

/* Copies SIZE bytes at ADDRESS. Reads each page only once in a walk, together with BELOW pages below it. Returns
 * false if a page is not in memory, or if WALK has reached a limit. */
bool interp_get(struct interp_walk *walk, uint64_t address, size_t below, void *bytes, size_t size);

/* The same, if they were read before. */
bool interp_peek(struct interp_walk *walk, uint64_t address, void *bytes, size_t size);

/* The next sample will probably need SIZE bytes at ADDRESS, which were read by other means. */
void interp_expect(struct interp_walk *walk, uint64_t address, size_t size);

/* Counts a read. Returns true if WALK may make it: it makes at most MOST, within its time. Once it may not, it may make
 * no more. */
bool interp_may_read(struct interp_walk *walk, size_t most);

enum { STATES_KEPT = sizeof((struct interp_states){0}.states) / sizeof(uint64_t) };

/* The states of a thread. It has one in each interpreter whose code it runs. */
struct states {
    uint64_t addresses[STATES_KEPT];
    uint64_t firsts[STATES_KEPT]; /* of their nodes, arrays or segments */
    uint64_t links[STATES_KEPT];  /* the newest evaluation's variable; 0: none */
    size_t count;
};

/* Returns true if ADDRESS can be on the thread's stack. */
bool interp_is_on_stack(const struct interp_walk *walk, uint64_t address);

/* Sets STATES to the thread's states with frames. Takes those found last time, or searches all. Other threads change
 * the lists at the same time, so a search can fail although the thread has a state. */
void interp_find_states(struct interp_walk *walk, struct states *states);

/* True if the thread waits for the lock of the language. */
bool interp_waits_for_lock(struct interp_walk *walk);

/* Returns the thread pointer in the state of the thread that has the lock; 0: unknown. */
uint64_t interp_lock_holder(struct interp_walk *walk);

/* Sets the serials of all nodes of the walk's stack, and sends new objects. */
void interp_objects_find(struct interp_objects *objects, struct interp_walk *walk, struct emitter *emitter);

/* Copies OBJECTS to COPY, which is zeroed, as far as memory permits. */
void interp_objects_copy(struct interp_objects *copy, const struct interp_objects *objects);
void interp_objects_fini(struct interp_objects *objects);

#endif

/* SPDX-License-Identifier: MIT
 *
 * How the tracer copies the frames of an interpreted language from a process: a recipe that the front has made for the
 * interpreter that runs there. The tracer follows the links that it names, copies what they lead to, and interprets
 * nothing else. All offsets are in bytes. */
#ifndef WIRE_RECIPE_H
#define WIRE_RECIPE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    RECIPE_PATH_MOST = 4,
    RECIPE_PARTS_MOST = 16,
    RECIPE_STATE_MOST = 4096,     /* bytes of a state */
    RECIPE_NODE_MOST = 128,       /* bytes of a node */
    RECIPE_NODES_MOST = 512,      /* of one stack */
    RECIPE_PART_MOST = 1 << 15,   /* bytes of a part of an object, */
    RECIPE_OBJECT_MOST = 1 << 16, /* and of all parts of one */
};

#define RECIPE_NONE UINT16_MAX /* an offset that the interpreter does not have */

/* How the frames of a thread lie in memory. */
enum recipe_kind {
    RECIPE_LIST,    /* each has the address of its caller */
    RECIPE_ARRAY,   /* one behind the other, the leaf at the lowest address */
    RECIPE_SEGMENTS /* a list of arrays; in each, the leaf has the highest address */
};

/* A part of an object: bytes that a word of an earlier part has the address of. */
struct recipe_part {
    uint16_t from, pointer; /* the number of that part, and the offset of the word in it */
    uint16_t count;         /* the offset of a number of items, 32 bits, that the part has; or RECIPE_NONE */
    uint16_t scale;         /* bytes of an item */
    uint16_t size;          /* bytes without its items; without a count, of all of it */
    uint16_t count_from;    /* the number of the part that has the count: this or an earlier one */
};

/* A part of SIZE bytes without a count. */
#define RECIPE_PART(from_part, pointer_offset, whole_size)                                                             \
    {                                                                                                                  \
        .from = from_part, .pointer = pointer_offset, .count = RECIPE_NONE, .size = whole_size                         \
    }

/* An object that frames have in common, such as the code of a function. */
struct recipe_shape {
    uint16_t pointer; /* offset in a node (or state, see state_object) of the object's address, whose low bits are
                         ignored; RECIPE_NONE: no such object */
    uint16_t size;    /* bytes of its first part */
    uint16_t type;    /* offset of a word that must be type_word, or RECIPE_NONE */
    uint16_t check, check_size; /* bytes that differ in another object: of this one, */
    uint16_t check_pointer;     /* or of what the word at this offset points to; RECIPE_NONE: of this one */
    uint16_t part_count;        /* more parts */
    uint16_t when; /* offset of a byte in the node; only if this byte masked with WHEN_MASK equals WHEN_VALUE does the
                      node have the object; or RECIPE_NONE */
    uint8_t when_mask, when_value;
    uint64_t type_word;
    struct recipe_part parts[RECIPE_PARTS_MOST];
};

/* Where the lock is that a thread holds while it runs the language. */
enum recipe_lock {
    RECIPE_NO_LOCK,       /* none exists, or it is not known */
    RECIPE_LOCK_AT,       /* at the address LOCK */
    RECIPE_LOCK_OF_GROUP, /* a word at the offset LOCK of the thread's group has its address */
    RECIPE_LOCK_QUEUE     /* waiting threads are in a ring, with its head at the offset LOCK of the group */
};

enum { RECIPE_SHAPES = 2, RECIPE_PLACES_MOST = 6 };

/* Where the first node is while the PC of the thread is from START to END: in the register NUMBER; or, IS_STORED, in
 * the word OFFSET bytes behind the address in that register. */
struct recipe_place {
    uint64_t start, end;
    uint32_t number, is_stored;
    int64_t offset;
};

struct recipe {
    uint32_t runtime;        /* the front's number of the runtime; 0: no recipe */
    uint32_t kind;           /* enum recipe_kind */
    uint32_t main_only;      /* 1: only a process's first thread has frames */
    uint32_t begin_is_state; /* 1: BEGIN is the state's own address */

    /* Threads' states are in lists. The heads of these lists are in a list of groups, and a word at this address
     * points to the first group. */
    uint64_t begin;                  /* the address of a word that has the address of the first group */
    uint16_t group_next;             /* of the next group, or RECIPE_NONE */
    uint16_t group_states;           /* of the first link; RECIPE_NONE: the group is itself the state */
    uint16_t state_link;             /* in a state: links lead here, */
    uint16_t state_next;             /* and the next one is here */
    uint16_t state_size;             /* how many bytes of it are read */
    uint16_t state_pointer;          /* in a state: the thread pointer of its thread; or RECIPE_NONE */
    uint16_t state_tid;              /* in a state: the tid of its thread; or RECIPE_NONE */
    uint16_t state_group;            /* in a state: the address of its group; or RECIPE_NONE */
    uint16_t state_object;           /* in a state: the address of an object of the last shape; or RECIPE_NONE */
    uint16_t path_count;             /* at least 1 */
    uint16_t path[RECIPE_PATH_MOST]; /* in a state: the first word; in what that leads to: the next; and so on. The
                                        last one leads to the first node, or to the array's or the segment's head */

    uint16_t node_size, node_next; /* the latter of a list */
    uint16_t node_word;            /* in a node: the address of a word that belongs to it; or RECIPE_NONE */
    uint16_t array_first;          /* in the head: the address of the first node; of a segment: of node 0 */
    uint16_t array_base;           /* of an array, in the head: where the nodes' memory begins, */
    uint16_t array_count;          /* how much that is; of a segment: the number of its leaf, 32 bits, signed */
    uint16_t array_scale;          /* bytes of that unit */
    uint16_t array_tail;           /* bytes at the end of the array that are no nodes */
    uint16_t segment_next;         /* of a segment */
    uint16_t reserved;
    uint64_t lock;
    uint32_t lock_kind; /* enum recipe_lock */
    uint32_t lock_size; /* bytes: a thread waits for the lock if it waits for a futex in these */
    uint32_t lock_link; /* of a queue, in a state: its link in the ring */
    int32_t lock_place; /* enum wait_place of a thread that waits for it */

    /* While an interpreter's function links a variable on its stack, VARIABLE bytes above the stack pointer, to the
     * state, what the first word of the path leads to is not filled in yet. */
    int64_t variable;
    uint64_t place_count; /* 0: no such places are known */
    struct recipe_place places[RECIPE_PLACES_MOST];
    struct recipe_shape shapes[RECIPE_SHAPES];
};

/* The interpreted stack in a capture: this, and COUNT nodes, each after its struct recipe_node. */
struct recipe_stack {
    uint32_t runtime;      /* of the recipe */
    uint32_t count;        /* of nodes, leaf first */
    uint32_t node_size;    /* bytes of each, without its struct recipe_node: see recipe_stored */
    uint32_t end;          /* enum recipe_end */
    uint32_t state_serial; /* of the object that the state refers to; 0: none */
    uint32_t is_linking;   /* 1: the first node was found by a recipe_place: the function at the leaf has none yet */
};

enum recipe_end {
    RECIPE_WHOLE,
    RECIPE_CUT,     /* the stack has more nodes than are copied */
    RECIPE_BROKEN,  /* a link led nowhere */
    RECIPE_NO_STATE /* the thread has none: it does not run the language */
};

struct recipe_node {
    uint64_t address;               /* where it is in the process */
    uint32_t serial[RECIPE_SHAPES]; /* numbers of its objects, see struct message_object; 0: not an object */
};

/* How many bytes of a node are in a capture: behind those of the node itself the word that belongs to it. */
static inline uint32_t recipe_stored(const struct recipe *recipe)
{
    return recipe->node_size + (recipe->node_word == RECIPE_NONE ? 0u : (uint32_t)sizeof(uint64_t));
}

#endif

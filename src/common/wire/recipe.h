/* SPDX-License-Identifier: MIT
 *
 * A recipe: how the tracer copies the frames of an interpreted language from a process. The front makes it for the
 * interpreter that runs there. The tracer only follows the links in it and copies what they lead to. All offsets are in
 * bytes. */
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

#define RECIPE_NONE UINT16_MAX /* for an offset that the interpreter does not have */

/* Layout of a thread's frames in memory. */
enum recipe_kind {
    RECIPE_LIST,    /* each frame has the address of its caller */
    RECIPE_ARRAY,   /* frames follow each other, with the leaf at the lowest address */
    RECIPE_SEGMENTS /* a list of arrays; in each, the leaf has the highest address */
};

/* A part of an object: bytes at the address in a word of an earlier part. */
struct recipe_part {
    uint16_t from, pointer; /* number of that part, and offset of the word in it */
    uint16_t count;         /* offset of a number of items, 32 bits, in the part count_from; or RECIPE_NONE */
    uint16_t scale;         /* bytes of an item */
    uint16_t size;          /* bytes without the items; without a count, all bytes */
    uint16_t count_from;    /* number of the part with the count: this one or an earlier one */
};

/* A part of SIZE bytes without a count. */
#define RECIPE_PART(from_part, pointer_offset, whole_size)                                                             \
    {                                                                                                                  \
        .from = from_part, .pointer = pointer_offset, .count = RECIPE_NONE, .size = whole_size                         \
    }

/* An object to which frames refer, such as the code of a function. */
struct recipe_shape {
    uint16_t pointer; /* offset in a node (or state, see state_object) of the object's address, whose low bits are
                       * ignored; RECIPE_NONE: no such object */
    uint16_t size;    /* bytes of its first part */
    uint16_t type;    /* offset of a word that must equal type_word, or RECIPE_NONE */
    uint16_t check, check_size; /* bytes that differ in another object: in this one, */
    uint16_t check_pointer;     /* or in memory at the address in this word; RECIPE_NONE: in this one */
    uint16_t part_count;        /* additional parts */
    uint16_t when; /* offset of a byte in the node; the node has the object only if this byte, masked with WHEN_MASK,
                    * equals WHEN_VALUE; or RECIPE_NONE */
    uint8_t when_mask, when_value;
    uint64_t type_word;
    struct recipe_part parts[RECIPE_PARTS_MOST];
};

/* Location of the lock that a thread holds while it runs the language. */
enum recipe_lock {
    RECIPE_NO_LOCK,       /* none exists, or it is unknown */
    RECIPE_LOCK_AT,       /* at the address LOCK */
    RECIPE_LOCK_OF_GROUP, /* at the address in the word at offset LOCK of the thread's group */
    RECIPE_LOCK_QUEUE     /* waiting threads are in a ring, whose head is at offset LOCK of the group */
};

enum {
    RECIPE_SHAPES = 2,
    RECIPE_PLACES_MOST = 6,
    RECIPES_MOST = 4 /* of one process: it may run several interpreters */
};

/* Location of the first node while the PC of the thread is from START to END: in register NUMBER. IS_STORED: in the
 * word OFFSET bytes after the address in that register. */
struct recipe_place {
    uint64_t start, end;
    uint32_t number, is_stored;
    int64_t offset;
};

/* The instruction of the first node, if the interpreter keeps its address in register NUMBER while it runs. The
 * register is used only if it points into the instructions of the node's own function: COUNT (32 bits) times SIZE
 * bytes, at the address in the word START. Both are offsets in the object whose address is at OBJECT in the node. SIZE
 * 0: no such register. */
struct recipe_instruction {
    uint16_t number, node; /* node: offset in the node of the word that the register replaces */
    uint16_t object, start, count, size;
    uint16_t reserved[2];
};

struct recipe {
    uint32_t runtime;        /* the front's number for the runtime; 0: no recipe */
    uint32_t kind;           /* enum recipe_kind */
    uint32_t main_only;      /* 1: only a process's first thread has frames */
    uint32_t begin_is_state; /* 1: BEGIN is the address of the state itself */

    /* The states of threads are in lists. The heads of these lists are in a list of groups. The word at BEGIN points to
     * the first group. */
    uint64_t begin;         /* the address of a word that has the address of the first group */
    uint16_t group_next;    /* offset of the next group's address, or RECIPE_NONE */
    uint16_t group_states;  /* offset of the first link; RECIPE_NONE: the group itself is the state */
    uint16_t state_link;    /* offset in a state to which links point, */
    uint16_t state_next;    /* and of the link to the next state */
    uint16_t state_size;    /* bytes of a state that are read */
    uint16_t state_pointer; /* offset in a state of its thread's thread pointer; or RECIPE_NONE */
    uint16_t state_tid;     /* offset in a state of its thread's tid; or RECIPE_NONE */
    uint16_t state_group;   /* offset in a state of its group's address; or RECIPE_NONE */
    uint16_t state_object;  /* offset in a state of the address of an extra object, which has the last shape; or
                               RECIPE_NONE */
    uint16_t path_count;    /* at least 1 */
    uint16_t path[RECIPE_PATH_MOST]; /* offsets: in a state, of the first word; at the address in it, of the next word;
                                      * and so on. The last word points to the first node, or to the head of the array
                                      * or the segment */

    uint16_t node_size, node_next; /* offset of the caller's address; array and segments have none */
    uint16_t node_word;            /* offset in a node of the address of an extra word; or RECIPE_NONE */
    uint16_t array_first;          /* offset in the head of the first node's address; for a segment, of node 0's */
    uint16_t array_base;           /* for an array: offset in the head of the beginning of the nodes' memory, */
    uint16_t array_count;          /* and of its size; for a segment: of its leaf's number, 32 bits, signed */
    uint16_t array_scale;          /* bytes of the unit of that size */
    uint16_t array_tail;           /* bytes at the end of the array that are not nodes */
    uint16_t segment_next;         /* of a segment */
    uint16_t state_stack; /* offset in a state of an address on the stack of the thread that runs its frames, if it has
                           * frames; or RECIPE_NONE */
    uint16_t node_owner;  /* the same by a node: offset of a byte, which is NODE_OWNER_LEAST or more in a node on that
                           * stack; or RECIPE_NONE */
    uint16_t node_owner_least;
    uint16_t link_next;  /* STATE_STACK leads to a variable of the newest evaluation; offset in it of the address of the
                          * caller's variable; or RECIPE_NONE */
    uint16_t node_entry; /* offset in a node of a byte that is not 0 if an evaluation was entered with the node;
                          * RECIPE_NONE: each was */
    struct recipe_instruction instruction;
    uint64_t lock;
    uint32_t lock_kind; /* enum recipe_lock */
    uint32_t lock_size; /* bytes: a thread waits for the lock if it waits for a futex in these bytes */
    uint32_t lock_link; /* for a queue: offset in a state of its link in the ring */
    int32_t lock_place; /* enum wait_place of a thread that waits for the lock */
    /* Offsets from the lock, or from the head of its queue, of the address of its last holder's state, and of a 32-bit
     * number that is 0 while nobody holds it. 0: none */
    int32_t lock_holder, lock_held;

    /* While the interpreter's function links a variable on its stack to the state, the node behind the path's first
     * word is not filled in yet. The variable is VARIABLE bytes above the stack pointer. */
    int64_t variable;
    uint64_t place_count; /* 0: no such places are known */
    struct recipe_place places[RECIPE_PLACES_MOST];
    struct recipe_shape shapes[RECIPE_SHAPES];
};

/* An interpreted stack in a capture, which has one for each recipe. COUNT nodes follow, each after its struct
 * recipe_node. */
struct recipe_stack {
    uint32_t runtime;      /* of the recipe */
    uint32_t count;        /* number of nodes, leaf first */
    uint32_t node_size;    /* bytes of each, without struct recipe_node, see recipe_stored */
    uint32_t end;          /* enum recipe_end */
    uint32_t state_serial; /* serial of the object to which the state refers; 0: none */
    uint32_t is_linking;   /* 1: a recipe_place located the first node, because the function at the leaf has no node
                            * yet */
};

enum recipe_end {
    RECIPE_WHOLE,
    RECIPE_CUT,     /* the stack has more nodes than were copied */
    RECIPE_BROKEN,  /* a link was invalid */
    RECIPE_NO_STATE /* the thread has no state: it does not run the language */
};

struct recipe_node {
    uint64_t address;               /* address of the node in the process */
    uint64_t stack;                 /* an address on the thread's stack, of a variable of its evaluation; 0: unknown */
    uint32_t serial[RECIPE_SHAPES]; /* serials of its objects, see struct message_object; 0: no object */
};

/* Returns the bytes of a node in a capture: the node itself, and then its extra word. */
static inline uint32_t recipe_stored(const struct recipe *recipe)
{
    return recipe->node_size + (recipe->node_word == RECIPE_NONE ? 0u : (uint32_t)sizeof(uint64_t));
}

#endif

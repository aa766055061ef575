/* SPDX-License-Identifier: MIT
 *
 * What the front asks of the tracer. */
#ifndef WIRE_COMMAND_H
#define WIRE_COMMAND_H

#include "wire/recipe.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum breakpoint_kind { BREAKPOINT_PROFIL, BREAKPOINT_SPROFIL, BREAKPOINT_LOADER };

enum { BREAKPOINT_MOST = 32 }; /* in one address space */

/* A breakpoint in the code of a tracee, planted or to plant. With it the instruction faults with SIGILL. */
struct breakpoint {
    enum breakpoint_kind kind;
    uint64_t address; /* of the instruction; the changed byte is its byte ARCH_BREAKPOINT_AT */
    uint64_t resume;  /* where a thread that was served goes on */
    uint64_t room;    /* begin of unused bytes up to the end of a page, within reach of a jump; 0: none */
    uint8_t original, planted;
    bool is_compat; /* 32-bit code */
    int note;       /* the tracer's */
};

enum { CODE_PAGE = 4096, CODE_PAGES = 32 };

/* Commands of the front, datagrams on the socket. The tracer answers COMMAND_LAUNCH and COMMAND_ATTACH with an
 * int32_t: 0 or -errno. */
enum command_type {
    COMMAND_LAUNCH = 1,
    COMMAND_ATTACH,
    COMMAND_CLOSE,
    COMMAND_ENTRIES,
    COMMAND_MAPS,
    COMMAND_CODE,
    COMMAND_DEEPER,
    COMMAND_ON,  /* take samples */
    COMMAND_OFF, /* stop taking samples */
    COMMAND_RECIPE,
};

struct command {
    uint32_t type;
    /* of COMMAND_LAUNCH, COMMAND_ATTACH, COMMAND_CODE, COMMAND_DEEPER and COMMAND_MAPS (its maps are out of date);
     * of COMMAND_ENTRIES: tid of the question */
    pid_t pid;
    /* of COMMAND_DEEPER: at least this much of the thread's stack was needed */
    pid_t tid;
    uint32_t stack_bytes;
    /* or, if not 0: where, on a stack on which that thread handles signals, the pointer to the interrupted one is */
    uint64_t crossed;
    /* of COMMAND_ENTRIES: */
    uint32_t image;
    uint32_t complete; /* the program loads no further libraries */
    uint32_t entry_count;
    struct breakpoint entries[BREAKPOINT_MOST];
    /* of COMMAND_CODE: pages of the process that are wanted, whatever is there: code that it made itself */
    uint32_t page_count;
    uint64_t pages[CODE_PAGES];
    /* of COMMAND_RECIPE: how the frames of the language that image of pid runs are copied */
    struct recipe recipe;
};

#endif

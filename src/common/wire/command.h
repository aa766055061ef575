/* SPDX-License-Identifier: MIT
 *
 * Commands from the front to the tracer. */
#ifndef WIRE_COMMAND_H
#define WIRE_COMMAND_H

#include "common/wire/recipe.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum breakpoint_kind { BREAKPOINT_PROFIL, BREAKPOINT_SPROFIL, BREAKPOINT_LOADER };

enum { BREAKPOINT_MOST = 32 }; /* in an address space */

/* A breakpoint in the code of a tracee, set or to be set. With it, the instruction faults with SIGILL. */
struct breakpoint {
    enum breakpoint_kind kind;
    uint64_t address; /* address of the instruction; the changed byte is its byte ARCH_BREAKPOINT_AT */
    uint64_t resume;  /* address where a served thread continues */
    uint64_t room;    /* beginning of unused bytes up to the end of a page, within reach of a jump; 0: none */
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
    COMMAND_LOOK, /* capture each thread once, answered by MESSAGE_LOOKED; while no samples are taken */
};

struct command {
    uint32_t type;
    /* process for COMMAND_LAUNCH, COMMAND_ATTACH, COMMAND_CODE, COMMAND_DEEPER and COMMAND_MAPS (its maps are out of
     * date); for COMMAND_ENTRIES: tid of the question */
    pid_t pid;
    /* for COMMAND_DEEPER: bytes of the thread's stack that were needed at least */
    pid_t tid;
    uint32_t stack_bytes;
    /* for COMMAND_DEEPER, if not 0: address, on the thread's signal stack, of the pointer to the interrupted stack */
    uint64_t crossed;
    /* of COMMAND_ENTRIES: */
    uint32_t image;
    uint32_t complete; /* the program loads no further libraries */
    uint32_t entry_count;
    struct breakpoint entries[BREAKPOINT_MOST];
    /* for COMMAND_CODE: pages wanted, such as generated code */
    uint32_t page_count;
    uint64_t pages[CODE_PAGES];
    /* for COMMAND_RECIPE: how to copy frames of the language that this image of pid runs */
    struct recipe recipe;
};

#endif

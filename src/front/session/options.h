/* SPDX-License-Identifier: MIT
 *
 * Options of a session: what it profiles, and how. */
#ifndef SESSION_OPTIONS_H
#define SESSION_OPTIONS_H

#include "front/doctor/attach.h"
#include "programs/interp/merge.h"
#include "tracer/calls/options.h"

#include <stdbool.h>
#include <stdint.h>

/* How stacks are unwound. */
enum stacks_mode { STACKS_NONE, STACKS_FRAME_POINTERS, STACKS_DWARF };

/* When samples are taken. Zeroed: from the beginning to the end. */
struct switch_options {
    bool off;            /* sampling begins in the off state: */
    uint64_t delay_ns;   /* off for this time; 0: until it is switched on */
    int signal;          /* signal that switches it on and off; 0: none */
    const char *control; /* FIFO whose lines switch it on and off, or NULL */
};

/* Strings are not owned. */
struct session_options {
    char **command;                    /* ends with NULL; NULL if processes are attached instead */
    struct attach_list targets;        /* these processes; owned */
    bool again;                        /* repetition of a session: skipped processes have been reported before */
    bool search_again;                 /* search for targets again; the end of all targets does not end the session */
    uint32_t rate;                     /* Hz, or RATE_AUTO */
    uint64_t duration_ns;              /* 0: until the command ends */
    struct switch_options switching;   /* when samples are taken */
    bool wall;                         /* also sample waiting threads */
    bool follow;                       /* also profile processes that these start, or have started */
    bool wait;                         /* wait for processes that outlive the command, or for later targets */
    bool names;                        /* read units and containers of processes */
    const char *own_cpus;              /* CPUs for ptprofil itself, in the form of cpus_widen */
    bool quiet;                        /* print only errors */
    uint32_t max_overhead;             /* percent; 0: off */
    uint64_t max_memory;               /* limit in bytes for stacks; 0: none */
    enum stacks_mode stacks;           /* how to unwind stacks */
    enum merge_mode interpreter;       /* how to show frames of interpreted languages */
    uint32_t stack_bytes;              /* maximum bytes of a stack to copy */
    uint32_t stack_deepest;            /* maximum bytes for stacks that turn out to be deeper */
    const struct semantics *semantics; /* operating system whose rules the emulated calls follow */
    uint32_t hz;                       /* ticks of the emulated calls in a second of CPU time */
    enum calls_mode calls;             /* whether to serve the emulated calls */
    bool calls_wanted;                 /* --semantics or --calls=on was given, and not --calls=off */
    struct impose impose;              /* a call to impose on programs */
    bool executes;                     /* a program shows instructions at the end */
    bool opens_browser;                /* a browser shows the page at the end */
    const char *impose_output;         /* where to write its result, or NULL */
};

#endif

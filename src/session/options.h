/* SPDX-License-Identifier: MIT
 *
 * What a session profiles, and how. */
#ifndef SESSION_OPTIONS_H
#define SESSION_OPTIONS_H

#include "calls/options.h"
#include "doctor/attach.h"
#include "interp/merge.h"
#include "session/stacks.h"

#include <stdbool.h>
#include <stdint.h>

/* When samples are taken. Zeroed: from the beginning to the end. */
struct switch_options {
    bool off;            /* sampling begins switched off: */
    uint64_t delay_ns;   /* for this long; 0: until it is switched on */
    int signal;          /* signal to switch it on and off; 0: none */
    const char *control; /* a FIFO whose lines switch it on and off, or NULL */
};

/* Strings are not owned. */
struct session_options {
    char **command;                    /* ends with NULL; NULL when processes are attached instead */
    struct attach_list targets;        /* these processes; owned */
    bool again;                        /* this repeats a session: what is left out has been reported */
    bool search_again;                 /* their searches are made again, and the end of all is not the end */
    uint32_t rate;                     /* Hz, or RATE_AUTO */
    uint64_t duration_ns;              /* 0: until the command ends */
    struct switch_options switching;   /* when samples are taken */
    bool wall;                         /* waiting threads are sampled, too */
    bool follow;                       /* so are the processes that these have started or start */
    bool wait;                         /* for processes that outlive the command */
    const char *own_cpus;              /* CPUs for ptprofil itself, in the form of cpus_widen */
    bool quiet;                        /* nothing is printed but errors */
    uint32_t max_overhead;             /* percent; 0: off */
    uint64_t max_memory;               /* bytes for stacks; 0: any */
    enum stacks_mode stacks;           /* how they are unwound */
    enum merge_mode interpreter;       /* how the frames of interpreted languages are shown */
    uint32_t stack_bytes;              /* most of a stack that is copied */
    uint32_t stack_deepest;            /* the same for stacks that turn out to be deeper */
    const struct semantics *semantics; /* the system whose rules the emulated calls follow */
    uint32_t hz;                       /* ticks of the calls a second of CPU time */
    enum calls_mode calls;             /* whether they are served */
    struct impose impose;              /* a call made on the programs' behalf */
    const char *impose_output;         /* where to write what it leaves, or NULL */
};

#endif

/* SPDX-License-Identifier: MIT
 *
 * Refuses kinds of system calls. For processes that need too many for a list of allowed ones (confine/calls.h). */
#ifndef CONFINE_REFUSE_H
#define CONFINE_REFUSE_H

/* Kinds of calls. */
enum {
    REFUSE_SYSTEM = 1,      /* changes of the machine, and parts of the kernel that are seldom used */
    REFUSE_NETWORK = 2,     /* new sockets, also local ones that have a name */
    REFUSE_PROGRAMS = 4,    /* executing programs */
    REFUSE_PROCESSES = 8,   /* tracing, signals to others, and reaching their memory and files */
    REFUSE_NAMESPACES = 16, /* making namespaces: in a user namespace of its own, a process has all capabilities */
};

/* Makes the calls of KINDS fail with EACCES in this thread, and in threads and children that it creates later, for
 * good. Returns 0 or -errno, as confine_calls. */
int refuse_calls(unsigned kinds);

/* For a child that exchanges data with a server: gives up all capabilities, and all of the above except the network. If
 * the kernel refuses it, the work is done without. */
void refuse_as_client(void);

/* The same for a child that executes a program. It also gives up the network. */
void refuse_as_tool(void);

#endif

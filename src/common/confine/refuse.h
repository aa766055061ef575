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

/* The rights of a child that asks or tells a server: no capabilities, and no calls but those of the network and of
 * files. What the kernel refuses of it does not matter to the work. */
void refuse_as_client(void);

/* The rights of a child that executes a program to read something: the same, without the network. */
void refuse_as_tool(void);

#endif

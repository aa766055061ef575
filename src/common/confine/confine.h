/* SPDX-License-Identifier: MIT
 *
 * Takes rights from the calling process, which should have one thread. The process cannot get them back. Where the
 * kernel or a container refuses a part, the others hold. */
#ifndef CONFINE_CONFINE_H
#define CONFINE_CONFINE_H

#include "common/confine/calls.h"

#include <stdbool.h>
#include <sys/types.h>

/* The parts that can be refused. */
enum confine_part {
    CONFINE_USER,         /* another user, without groups */
    CONFINE_CAPABILITIES, /* fewer capabilities */
    CONFINE_NAMESPACES,   /* an empty network, own mounts and IPC */
    CONFINE_ROOT,         /* a root directory without files */
    CONFINE_LIMITS,       /* of memory, CPU time and descriptors */
    CONFINE_CALLS,        /* a list of allowed system calls */
    CONFINE_PARTS,
};

struct confine {
    uid_t user; /* 0: stay. Only root can change; for others this part is not tried, and not refused. */
    gid_t group;
    uint64_t kept;     /* capabilities to keep: bits 1 << CAP_... */
    bool namespaces;   /* leave the network and the root directory; as an ordinary user in a user namespace */
    uint64_t most_as;  /* bytes of address space; 0: no limit */
    uint64_t most_cpu; /* seconds of CPU time; 0: no limit */
    uint64_t most_fds; /* descriptors; 0: no limit */
    const struct confine_call *calls; /* NULL: all */
    size_t call_count;
};

/* Does what WANTED says, and always: no_new_privs, not dumpable, no core file. Keeps the signal that the process gets
 * when its parent dies. Returns the refused parts, as bits 1 << enum confine_part; 0: none. */
unsigned confine_begin(const struct confine *wanted);

/* Keeps only the capabilities KEPT (see struct confine), also for programs that are executed later. Returns 0 or
 * -errno. */
int confine_capabilities(uint64_t kept);

/* Does confine_capabilities for a process that traces others. Without CAP_SYS_PTRACE it keeps all: the kernel then lets
 * it trace only processes without further capabilities. */
int confine_capabilities_tracing(uint64_t kept);

/* Returns true if AppArmor enforces PROFILE: the text of a process's attr/apparmor/current, without the newline. */
bool confine_is_enforced(const char *profile);

/* Returns what PART is, in words for people: "system call filter". */
const char *confine_name(enum confine_part part);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Breakpoints in the code of tracees, for each address space. A child of vfork or of clone with CLONE_VM shares its
 * parent's breakpoints; a child of fork has copies. */
#ifndef PLANT_BREAKPOINTS_H
#define PLANT_BREAKPOINTS_H

#include "tracer/plant/detours.h"

#include <stdbool.h>

struct process;
struct table;

struct breakpoints {
    pid_t pid;                       /* a process with this address space */
    struct procfs_identity identity; /* of that process */
    int memory;                      /* descriptor of its /proc/PID/mem; -1: changes need a stopped thread */
    unsigned users;
    /* Set by follow/jumps.h. jumps_wanted: breakpoints with room become jumps when all threads have been seen
     * elsewhere. jumps_put_off: an unknown process may share the memory. */
    bool jumps_wanted, jumps_put_off;
    size_t count;
    struct breakpoint bytes[BREAKPOINT_MOST];
    struct detours detours;
};

/* Sets breakpoint BYTE (all but its note is set) in PROCESS if the original byte is there, and notes it in RESCUE.
 * TID: a stopped thread of PROCESS. FREE: no thread can be inside the function, so a detour is made instead if
 * possible and if it has room. Returns 1, 0 if BYTE is set already, or -errno: -ESTALE if another byte is there,
 * -ENOSPC for too many breakpoints. */
int breakpoints_add(struct process *process, pid_t tid, struct rescue *rescue, const struct breakpoint *byte,
                    bool free);

/* Replaces breakpoints of PROCESS that have room by detours. TID is one of its threads. No thread may be behind such
 * a breakpoint, where the jump will be. The breakpoints stay known, since threads may have hit them. */
void breakpoints_jump(struct process *process, pid_t tid, struct rescue *rescue);

/* Returns the breakpoint of PROCESS at ADDRESS, or NULL. Valid until breakpoints are added or lifted. */
const struct breakpoint *breakpoints_at(const struct process *process, uint64_t address);

/* Returns the function with the stub that contains PC in PROCESS, or 0. */
uint64_t breakpoints_function(const struct process *process, uint64_t pc);

/* Remove all breakpoints from the address space of PROCESS, or those of KIND, also for all processes that share it.
 * TID: a stopped thread of it. */
void breakpoints_lift(struct process *process, pid_t tid, struct rescue *rescue);
void breakpoints_lift_kind(struct process *process, pid_t tid, struct rescue *rescue, enum breakpoint_kind kind);

/* Removes them, too, but they stay known: a thread may have hit one without having reported it. If TID is not
 * stopped and the memory has no descriptor, call it again when TID is stopped. */
void breakpoints_restore(struct process *process, pid_t tid, struct rescue *rescue);

/* After that: returns true if all breakpoints and jumps have been removed. */
bool breakpoints_are_back(const struct process *process);

/* After that: breakpoints_hold returns true if thread TID of PROCESS, with PC and SP, is in a stub or may return to
 * one. If this is false for all threads, breakpoints_wipe removes the stubs. */
bool breakpoints_hold(const struct process *process, pid_t tid, uint64_t pc, uint64_t sp);
void breakpoints_wipe(struct process *process, struct rescue *rescue);

/* Removes the copies of PROCESS's breakpoints from TID, which is not followed, and is stopped or asleep with PC and
 * SP. Returns true if TID is in a stub or may return to one; then the stubs stay. */
bool breakpoints_clean(const struct process *process, pid_t tid, uint64_t pc, uint64_t sp);

/* New process CHILD has copies of PARENT's breakpoints or, with SHARED, the same memory. Returns 0 or -errno: then
 * they are unknown, and CHILD must not run. */
int breakpoints_inherit(struct process *child, struct process *parent, bool shared, struct rescue *rescue);

/* PROCESS has left its address space, by exec or death. TABLE: to find other processes that share it. */
void breakpoints_leave(struct process *process, const struct table *table, struct rescue *rescue);

#endif

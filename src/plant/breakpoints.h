/* SPDX-License-Identifier: MIT
 *
 * Bytes planted into the code of tracees, by address space: a child of vfork or of clone with CLONE_VM has the same
 * ones as its parent, a child of fork has copies. */
#ifndef PLANT_BREAKPOINTS_H
#define PLANT_BREAKPOINTS_H

#include "plant/detours.h"
#include "plant/rescue.h"
#include "tracee/table.h"
#include "wire/command.h"

#include <stdbool.h>

struct breakpoints {
    pid_t pid;                       /* of a process that has this address space */
    struct procfs_identity identity; /* its */
    int memory; /* descriptor of its /proc/PID/mem, or -1: then a stopped thread is needed to change it */
    unsigned users;
    /* of follow/jumps.h: bytes that have room are to become jumps, when all threads were seen elsewhere; not while
     * somebody unknown may have the memory */
    bool jumps_wanted, jumps_put_off;
    size_t count;
    struct breakpoint bytes[BREAKPOINT_MOST];
    struct detours detours;
};

/* Plants BYTE (all but its note is set) into PROCESS, whose thread TID is stopped, if the original byte is there, and
 * notes it in RESCUE. With FREE nobody can be in the function: where it has room, a detour is made there instead, if
 * one can be. Returns 1, 0 if it is there already, or -errno: -ESTALE if something else is there, -ENOSPC if there are
 * too many. */
int breakpoints_add(struct process *process, pid_t tid, struct rescue *rescue, const struct breakpoint *byte,
                    bool free);

/* Makes detours where bytes of PROCESS, which has a thread TID, have room. Nobody may be behind one of these bytes,
 * where the jump will be. The bytes go on being known, as threads may have met them. */
void breakpoints_jump(struct process *process, pid_t tid, struct rescue *rescue);

/* The byte that PROCESS has at ADDRESS, or NULL. Valid until bytes are added or lifted. */
const struct breakpoint *breakpoints_at(const struct process *process, uint64_t address);

/* The function whose stub PC of PROCESS is in, or 0. */
uint64_t breakpoints_function(const struct process *process, uint64_t pc);

/* Puts all bytes of PROCESS's address space back, or those of KIND. They are put back for all that share it. TID: a
 * thread of it that is stopped. */
void breakpoints_lift(struct process *process, pid_t tid, struct rescue *rescue);
void breakpoints_lift_kind(struct process *process, pid_t tid, struct rescue *rescue, enum breakpoint_kind kind);

/* The same, but they go on being known: a thread may still be about to say that it has hit one. If TID is not stopped,
 * and the memory has no descriptor, this must be done again when it is. */
void breakpoints_restore(struct process *process, pid_t tid, struct rescue *rescue);

/* After that: true if all bytes are back, and the jumps. */
bool breakpoints_are_back(const struct process *process);

/* After that: true if thread TID of PROCESS, with PC and SP, may still come through a stub; if none may, stubs are
 * taken back. */
bool breakpoints_hold(const struct process *process, pid_t tid, uint64_t pc, uint64_t sp);
void breakpoints_wipe(struct process *process, struct rescue *rescue);

/* TID, which is not followed, has copies of what PROCESS has: they are put back. It is stopped, or sleeps, with PC and
 * SP. Returns true if it is in a stub, which stays. */
bool breakpoints_clean(const struct process *process, pid_t tid, uint64_t pc, uint64_t sp);

/* CHILD, which is new, has copies of PARENT's bytes, or with SHARED the same memory. Returns 0 or -errno: then they are
 * not known, and CHILD must not run. */
int breakpoints_inherit(struct process *child, struct process *parent, bool shared, struct rescue *rescue);

/* PROCESS has left its address space, by exec or death. TABLE: where others are looked for that still have it. */
void breakpoints_leave(struct process *process, const struct table *table, struct rescue *rescue);

#endif

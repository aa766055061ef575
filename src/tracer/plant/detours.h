/* SPDX-License-Identifier: MIT
 *
 * All detours (plant/detour.h) of an address space; belongs to plant/breakpoints.h. A jump can be removed at any
 * time, a stub only when no thread is in it. */
#ifndef PLANT_DETOURS_H
#define PLANT_DETOURS_H

#include "common/wire/command.h"
#include "common/wire/rescue_notes.h"

enum { DETOURS_MOST = 8 };

struct detours {
    size_t count;
    struct {
        struct detour detour;
        bool ended; /* the jump has been removed */
        int note;
    } items[DETOURS_MOST];
};

/* The address space of the detours. MEMORY: its descriptor, as for plant/detour.h; -1: opened for each use. */
struct detours_space {
    pid_t pid;
    int memory;
};

/* Makes a detour for BYTE if that has room. NOW: the byte at its address, the original or the breakpoint. No thread
 * may be between the address and the end of the jump. Returns 0 or -errno, with nothing changed. */
int detours_add(struct detours *detours, struct detours_space space, const struct procfs_identity *identity,
                struct rescue *rescue, const struct breakpoint *byte, uint8_t now);

/* Returns the function with the stub that contains PC, or 0. */
uint64_t detours_function(const struct detours *detours, uint64_t pc);

/* Returns true if the function at ADDRESS has a detour. */
bool detours_have(const struct detours *detours, uint64_t address);

/* Sets COPY to the detours of a process with a copy of ORIGINAL's memory. The copy was made at some time before now. */
void detours_copy(struct detours *copy, const struct detours *original);

/* Remove all jumps, or those for breakpoints of KIND. */
void detours_end(struct detours *detours, struct detours_space space);
void detours_end_kind(struct detours *detours, struct detours_space space, enum breakpoint_kind kind);

/* After that: returns true if no jump is left. */
bool detours_are_back(const struct detours *detours);

/* After that: returns true if thread TID, with PC and SP, is in a stub or may return to one. */
bool detours_hold(const struct detours *detours, struct detours_space space, pid_t tid, uint64_t pc, uint64_t sp);

/* After that: removes the stubs. No thread may be in one or return to one. */
void detours_wipe(struct detours *detours, struct detours_space space, struct rescue *rescue);

/* Removes the copies of DETOURS from the process of thread TID. TID is stopped or asleep, with PC and SP, and is its
 * only thread. FD: its memory, or -1. Returns true if TID is in a stub or may return to one; then the stubs stay. */
bool detours_clean(const struct detours *detours, int fd, pid_t tid, uint64_t pc, uint64_t sp);

/* Forgets detours that went away with their library. */
void detours_forget_lost(struct detours *detours, struct detours_space space, struct rescue *rescue);

/* Notes all detours for PID. FORGET: drops their former notes. */
void detours_note(struct detours *detours, pid_t pid, const struct procfs_identity *identity, struct rescue *rescue,
                  bool forget);

/* The process has left the memory, or the memory is gone: removes the jumps and forgets all detours. */
void detours_leave(struct detours *detours, struct detours_space space, struct rescue *rescue);

#endif

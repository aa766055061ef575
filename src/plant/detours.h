/* SPDX-License-Identifier: MIT
 *
 * The detours of an address space (plant/detour.h), which goes on with its bytes in plant/breakpoints.h. A jump can
 * be taken back at any time; a stub only when nobody is in it. */
#ifndef PLANT_DETOURS_H
#define PLANT_DETOURS_H

#include "plant/rescue.h"
#include "wire/command.h"

enum { DETOURS_MOST = 8 };

struct detours {
    size_t count;
    struct {
        struct detour detour;
        bool ended; /* the jump is no more */
        int note;
    } items[DETOURS_MOST];
};

/* The space that they are in. MEMORY: as plant/detour.h wants it, or -1: then it is opened each time. */
struct detours_space {
    pid_t pid;
    int memory;
};

/* Makes a detour for BYTE, where that has room. NOW: what is at its address, its original or what is planted there.
 * Nobody may be between the address and the end of the jump. Returns 0 or -errno, with nothing changed. */
int detours_add(struct detours *detours, struct detours_space space, const struct procfs_identity *identity,
                struct rescue *rescue, const struct breakpoint *byte, uint8_t now);

/* The function whose stub PC is in, or 0. */
uint64_t detours_function(const struct detours *detours, uint64_t pc);

/* True if the function at ADDRESS has one. */
bool detours_have(const struct detours *detours, uint64_t address);

/* COPY is of a process whose memory was copied, at some time before now, from that of ORIGINAL. */
void detours_copy(struct detours *copy, const struct detours *original);

/* Takes the jumps back; or those for bytes of KIND. */
void detours_end(struct detours *detours, struct detours_space space);
void detours_end_kind(struct detours *detours, struct detours_space space, enum breakpoint_kind kind);

/* After that: true if no jump is left. */
bool detours_are_back(const struct detours *detours);

/* After that: true if thread TID, with PC and SP, may still come through a stub. */
bool detours_hold(const struct detours *detours, struct detours_space space, pid_t tid, uint64_t pc, uint64_t sp);

/* After that, if none may: takes the stubs back, too. */
void detours_wipe(struct detours *detours, struct detours_space space, struct rescue *rescue);

/* Thread TID, with PC and SP, is stopped or asleep, and the only one of a process that has copies of DETOURS: they are
 * taken back there. FD: that memory, or -1. Returns true if it may still come through a stub. */
bool detours_clean(const struct detours *detours, int fd, pid_t tid, uint64_t pc, uint64_t sp);

/* Forgets those whose library is there no more. */
void detours_forget_lost(struct detours *detours, struct detours_space space, struct rescue *rescue);

/* Notes them for PID, and forgets what was noted of them before with FORGET. */
void detours_note(struct detours *detours, pid_t pid, const struct procfs_identity *identity, struct rescue *rescue,
                  bool forget);

/* The memory is left to others, or gone. */
void detours_leave(struct detours *detours, struct detours_space space, struct rescue *rescue);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Tests of breakpoints in address spaces, as scripts. The input is commands and events of processes. The output is
 * writes to memory, known breakpoints, and rescue notes. Memory is a file of a fake /proc.
 *
 * A script has commands, each with ';' behind it. Processes are decimal numbers, addresses hexadecimal:
 *   process P, untraced P    process P exists in /proc and in the table; its memory cannot be opened
 *   add P A, loader P A      plants a breakpoint at A, for a call or for the dynamic linker
 *   add-more P N             plants N breakpoints, from 1100 on
 *   byte P A B               the program has byte B at A
 *   room P A, detour P A     zeros from A on are space for a stub; replaces the breakpoint at A by a
 *                            detour if possible
 *   compat-detour P A        such a detour in 32-bit code, even if the process is taken for a 64-bit one
 *   loader-detour P A        such a detour for the dynamic linker; loader-first P A is like byte-first
 *   byte-first P A, jump P   plants a breakpoint with that space; makes detours where space is
 *   hold P A, wipe P         may a thread at A come through a stub? Removes the stubs
 *   silent P, heard P        accesses to P's memory block; no longer
 *   read-only, writable      memory cannot be written; it can be again
 *   running, stopped         threads cannot be asked to write; they can be again
 *   last, full               memory has one of the last descriptors; no note fits
 *   fork P C, vfork P C      P creates C, with a copy of its memory, or sharing it
 *   lift P, lift-loader P, restore P, leave P
 *   image P                  P executes another program
 *   show P A                 logs the byte there, and whether a breakpoint is known
 *   notes                    logs the processes in the notes */
#include "fake_memory.h"

#include "tracer/plant/breakpoints.h"

#include "common/arch/machine.h"
#include "fake_table.h"
#include "unit.h"

static struct {
    struct table table;
    bool silent, last;
} fake;

bool __wrap_memory_at_hand(struct memory *memory, pid_t tid, uint64_t address);
bool __wrap_memory_at_hand(struct memory *memory, pid_t tid, uint64_t address)
{
    (void)tid, (void)address;
    return !memory->silent_until_ns;
}

bool __wrap_proc_is_last(int fd);
bool __wrap_proc_is_last(int fd)
{
    ck_assert_int_ge(fd, 0);
    return fake.last;
}

/* Returns the start time of process NUMBER, which identifies it. */
static int started_at(int number)
{
    return 100 + number;
}

static struct process *appear(int number, bool traced)
{
    memory_say_identity(number, 'R', started_at(number), 700, traced ? getpid() : 0, 0);
    struct process *process = table_process(&fake.table, FIRST_PID + number);
    return process ? process : table_add_process(&fake.table, FIRST_PID + number, 1);
}

static const char *name_of(int result)
{
    static const char *const names[] = {
        [ESTALE] = "ESTALE", [ENOSPC] = "ENOSPC", [ETIMEDOUT] = "ETIMEDOUT", [EPERM] = "EPERM"};
    return result > 0 ? "planted" : !result ? "there" : names[-result];
}

static int add(struct process *process, uint64_t address, enum breakpoint_kind kind)
{
    struct breakpoint byte = {
        .kind = kind, .address = address, .resume = address + 1, .original = MEMORY_BYTE, .planted = ARCH_BREAKPOINT};
    return breakpoints_add(process, process->pid, &rescue, &byte, true);
}

enum { TAIL = 0x1800 };
static uint64_t room;

static void make_room(int number, uint64_t address)
{
    room = address;
    for (; address < MEMORY_END; address++)
        memory_set(number, address, 0);
}

static int add_detour_of(struct process *process, uint64_t address, bool free, enum breakpoint_kind kind, bool compat)
{
    struct breakpoint byte = {.kind = kind,
                              .address = address,
                              .resume = TAIL,
                              .room = room,
                              .original = MEMORY_BYTE,
                              .planted = ARCH_BREAKPOINT,
                              .is_compat = compat};
    return breakpoints_add(process, process->pid, &rescue, &byte, free);
}

static int add_detour(struct process *process, uint64_t address, bool free, enum breakpoint_kind kind)
{
    return add_detour_of(process, address, free, kind, false);
}

static void add_more(struct process *process, int count)
{
    int result = 0;
    for (int i = 0; i < count; i++)
        result = add(process, 0x1100 + (uint64_t)i, BREAKPOINT_PROFIL);
    log_text[0] = 0;
    note("%s", name_of(result));
}

static void inherit(struct process *process, int child, bool shared)
{
    if (shared)
        memory_share(child, short_pid(process->pid));
    else
        memory_make(child, short_pid(process->pid));
    ck_assert_int_eq(breakpoints_inherit(appear(child, true), process, shared, &rescue), 0);
}

static void show(const struct process *process, uint64_t address)
{
    const struct breakpoint *byte = breakpoints_at(process, address);
    note("%d:%llx is %02x%s", short_pid(process->pid), (unsigned long long)address,
         memory_get(short_pid(process->pid), address) & 0xff, byte ? " known" : "");
    ck_assert(!byte || ((byte->resume == address + 1 || byte->resume == TAIL) && byte->original == MEMORY_BYTE));
}

/* Checks that each note belongs to the process that has this number now. */
static void show_notes(void)
{
    for (size_t i = 0; i < RESCUE_NOTES; i++) {
        const struct rescue_note *of = &rescue.notes[i];
        if (of->pid <= FIRST_PID)
            continue;
        ck_assert_uint_eq(of->identity.started, (uint64_t)started_at(short_pid(of->pid)));
        note("%d:%llx was %02x", short_pid(of->pid), (unsigned long long)of->address, of->original);
    }
    for (size_t i = 0; i < RESCUE_DETOURS; i++) {
        const struct rescue_detour *of = &rescue.detours[i];
        if (of->pid > FIRST_PID)
            note("%d:%llx has %llx", short_pid(of->pid), (unsigned long long)of->detour.address,
                 (unsigned long long)of->detour.stub);
    }
    note("no more");
}

static void fill_rescue(void)
{
    for (size_t i = 0; i < RESCUE_DETOURS; i++)
        rescue.detours[i].pid = 1;
    for (size_t i = 0; i < RESCUE_NOTES; i++)
        if (!rescue.notes[i].pid)
            rescue.notes[i].pid = 1;
}

/* Changes the state. Returns false if WORD is not a state. */
static bool run_state(const char *word, int number, uint64_t address, unsigned value)
{
    struct process *process = table_process(&fake.table, FIRST_PID + number);
    if (!strcmp(word, "process") || !strcmp(word, "untraced"))
        memory_make(number, 0), appear(number, *word == 'p');
    else if (!strcmp(word, "byte"))
        memory_set(number, address, (uint8_t)value);
    else if (!strcmp(word, "room"))
        make_room(number, address);
    else if (!strcmp(word, "silent") || !strcmp(word, "heard"))
        process->memory.silent_until_ns = *word == 's';
    else if (!strcmp(word, "read-only") || !strcmp(word, "writable"))
        memory_read_only = *word == 'r';
    else if (!strcmp(word, "running") || !strcmp(word, "stopped"))
        memory_runs = *word == 'r';
    else if (!strcmp(word, "last"))
        fake.last = true;
    else if (!strcmp(word, "full"))
        fill_rescue();
    else
        return false;
    return true;
}

/* Calls plant/. Returns false if WORD is not a command for that. */
static bool run_asked(const char *word, struct process *process, uint64_t address)
{
    pid_t pid = process ? process->pid : 0;
    if (!strcmp(word, "add"))
        note("%s", name_of(add(process, address, BREAKPOINT_PROFIL)));
    else if (!strcmp(word, "detour"))
        note("%s", name_of(add_detour(process, address, true, BREAKPOINT_PROFIL)));
    else if (!strcmp(word, "byte-first"))
        note("%s", name_of(add_detour(process, address, false, BREAKPOINT_PROFIL)));
    else if (!strcmp(word, "loader-first"))
        note("%s", name_of(add_detour(process, address, false, BREAKPOINT_LOADER)));
    else if (!strcmp(word, "compat-detour"))
        note("%s", name_of(add_detour_of(process, address, true, BREAKPOINT_PROFIL, true)));
    else if (!strcmp(word, "jump"))
        breakpoints_jump(process, pid, &rescue);
    else if (!strcmp(word, "loader"))
        note("%s", name_of(add(process, address, BREAKPOINT_LOADER)));
    else if (!strcmp(word, "loader-detour"))
        note("%s", name_of(add_detour(process, address, true, BREAKPOINT_LOADER)));
    else if (!strcmp(word, "add-more"))
        add_more(process, (int)address);
    else if (!strcmp(word, "lift"))
        breakpoints_lift(process, pid, &rescue);
    else if (!strcmp(word, "lift-loader"))
        breakpoints_lift_kind(process, pid, &rescue, BREAKPOINT_LOADER);
    else if (!strcmp(word, "restore"))
        breakpoints_restore(process, pid, &rescue);
    else if (!strcmp(word, "wipe"))
        breakpoints_wipe(process, &rescue);
    else if (!strcmp(word, "hold"))
        note("%s", breakpoints_hold(process, process->pid, address, MEMORY_PAGE) ? "held" : "free");
    else
        return false;
    return true;
}

static void run_own(const char *word, struct process *process, uint64_t address)
{
    if (!strcmp(word, "fork") || !strcmp(word, "vfork"))
        inherit(process, (int)address, *word == 'v');
    else if (!strcmp(word, "leave"))
        breakpoints_leave(process, &fake.table, &rescue);
    else if (!strcmp(word, "show"))
        show(process, address);
    else if (!strcmp(word, "notes"))
        show_notes();
    else
        ck_abort_msg("no such command: %s", word);
}

static void run_command(const char *command)
{
    char word[20];
    int number = 0;
    unsigned long long address = 0;
    unsigned value = 0;
    ck_assert_int_ge(sscanf(command, "%19s %d %llx %x", word, &number, &address, &value), 1);
    struct process *process = table_process(&fake.table, FIRST_PID + number);
    if (!run_state(word, number, address, value) && !run_asked(word, process, address))
        run_own(word, process, address);
}

static const struct {
    const char *name, *script, *expected;
} scripts[] = {
    {"a byte is noted before it is planted", "process 1; add 1 1010; show 1 1010; notes;",
     "write 1:1010=06*; planted; 1:1010 is 06 known; 1:1010 was 55; no more; "},
    {"it is planted once", "process 1; add 1 1010; add 1 1010;", "write 1:1010=06*; planted; there; "},
    {"not where another byte is", "process 1; byte 1 1010 c3; add 1 1010; show 1 1010; notes;",
     "ESTALE; 1:1010 is c3; no more; "},
    {"nor where nothing is", "process 1; add 1 2000; notes;", "ESTALE; no more; "},
    {"nor where it would have to be waited for", "process 1; silent 1; add 1 1010; notes; heard 1; add 1 1010;",
     "ETIMEDOUT; no more; write 1:1010=06*; planted; "},
    {"nor where nothing can be written", "process 1; read-only; running; add 1 1010; show 1 1010; notes;",
     "EPERM; 1:1010 is 55; no more; "},
    {"where only a request can write, one does", "process 1; read-only; add 1 1010; lift 1; notes;",
     "poke 1:1010=06*; planted; poke 1:1010=55*; no more; "},
    {"nor without a note", "process 1; full; add 1 1010; show 1 1010;", "ENOSPC; 1:1010 is 55; "},
    {"no more than there is room for", "process 1; add-more 1 20; add-more 1 21; show 1 111f; show 1 1120;",
     "ENOSPC; 1:111f is 06 known; 1:1120 is 55; "},
    {"a memory that may not be opened is changed by requests",
     "untraced 1; add 1 1010; byte 1 1011 c3; add 1 1011; lift 1; notes;",
     "poke 1:1010=06*; planted; ESTALE; poke 1:1010=55*; no more; "},
    {"and one whose descriptor would be one of the last", "last; process 1; add 1 1010; lift 1;",
     "poke 1:1010=06*; planted; poke 1:1010=55*; "},
    {"bytes are put back", "process 1; add 1 1010; add 1 1020; lift 1; show 1 1010; show 1 1020; notes;",
     "write 1:1010=06*; planted; write 1:1020=06*; planted; write 1:1020=55*; write 1:1010=55*; 1:1010 is 55; "
     "1:1020 is 55; no more; "},
    {"those of a kind",
     "process 1; add 1 1010; loader 1 1020; loader 1 1030; lift-loader 1; show 1 1010; show 1 1020; notes;",
     "write 1:1010=06*; planted; write 1:1020=06*; planted; write 1:1030=06*; planted; write 1:1030=55*; "
     "write 1:1020=55*; 1:1010 is 06 known; 1:1020 is 55; 1:1010 was 55; no more; "},
    {"what lies there by now is left", "process 1; add 1 1010; byte 1 1010 c3; lift 1; show 1 1010; notes;",
     "write 1:1010=06*; planted; 1:1010 is c3; no more; "},
    {"what must be waited for stays known",
     "process 1; add 1 1010; silent 1; lift 1; show 1 1010; notes; heard 1; lift 1; notes;",
     "write 1:1010=06*; planted; 1:1010 is 06 known; 1:1010 was 55; no more; write 1:1010=55*; no more; "},
    {"so does what cannot be written",
     "process 1; add 1 1010; read-only; running; lift 1; show 1 1010; notes; writable; lift 1; notes;",
     "write 1:1010=06*; planted; 1:1010 is 06 known; 1:1010 was 55; no more; write 1:1010=55*; no more; "},
    {"and what only a stopped thread can change, while none is",
     "untraced 1; add 1 1010; running; restore 1; show 1 1010; notes; stopped; restore 1; notes;",
     "poke 1:1010=06*; planted; 1:1010 is 06 known; 1:1010 was 55; no more; poke 1:1010=55*; no more; "},
    {"what was closed and mapped again is planted again",
     "process 1; add 1 1010; byte 1 1010 55; add 1 1010; show 1 1010; notes;",
     "write 1:1010=06*; planted; write 1:1010=06*; planted; 1:1010 is 06 known; 1:1010 was 55; no more; "},
    {"what was mapped over it is left, and the byte is forgotten",
     "process 1; add 1 1010; byte 1 1010 c3; add 1 1020; show 1 1010; notes;",
     "write 1:1010=06*; planted; write 1:1020=06*; planted; 1:1010 is c3; 1:1020 was 55; no more; "},
    {"not while that cannot be known", "process 1; add 1 1010; silent 1; add 1 1010; show 1 1010;",
     "write 1:1010=06*; planted; there; 1:1010 is 06 known; "},
    {"what is put back may go on being known", "process 1; add 1 1010; restore 1; show 1 1010; notes; restore 1;",
     "write 1:1010=06*; planted; write 1:1010=55*; 1:1010 is 55 known; no more; "},
    {"until it is planted again", "process 1; add 1 1010; restore 1; add 1 1010; show 1 1010; notes;",
     "write 1:1010=06*; planted; write 1:1010=55*; write 1:1010=06*; planted; 1:1010 is 06 known; 1:1010 was 55; "
     "no more; "},

    {"a forked child has copies, with notes of its own",
     "process 1; add 1 1010; fork 1 2; notes; lift 2; show 1 1010; show 2 1010; notes;",
     "write 1:1010=06*; planted; 1:1010 was 55; 2:1010 was 55; no more; write 2:1010=55**; 1:1010 is 06 known; "
     "2:1010 is 55; 1:1010 was 55; no more; "},
    {"and those are known in it", "process 1; add 1 1010; fork 1 2; lift 1; show 1 1010; show 2 1010;",
     "write 1:1010=06*; planted; write 1:1010=55**; 1:1010 is 55; 2:1010 is 06 known; "},
    {"of a process without bytes it has none", "process 1; fork 1 2; add 1 1010; show 2 1010;",
     "write 1:1010=06*; planted; 2:1010 is 55; "},
    {"a vforked one has the same",
     "process 1; add 1 1010; vfork 1 2; notes; add 2 1020; show 1 1020; lift 1; show 2 1010; notes;",
     "write 1:1010=06*; planted; 1:1010 was 55; no more; write 1:1020=06*; planted; 1:1020 is 06 known; "
     "write 1:1020=55*; write 1:1010=55*; 2:1010 is 55; no more; "},
    {"that are put back when the last one leaves",
     "process 1; add 1 1010; vfork 1 2; leave 2; show 2 1010; show 1 1010; notes; leave 1; notes;",
     "write 1:1010=06*; planted; 2:1010 is 06; 1:1010 is 06 known; 1:1010 was 55; no more; write 1:1010=55*; "
     "no more; "},
    {"whoever that is: the notes go on with it",
     "process 1; add 1 1010; vfork 1 2; leave 1; notes; show 2 1010; leave 2; notes;",
     "write 1:1010=06*; planted; 2:1010 was 55; no more; 2:1010 is 06 known; write 1:1010=55*; no more; "},
    {"what is back is not noted then",
     "process 1; add 1 1010; add 1 1020; vfork 1 2; byte 1 1020 c3; restore 1; leave 1; notes;",
     "write 1:1010=06*; planted; write 1:1020=06*; planted; write 1:1010=55*; no more; "},
    {"three of them", "process 1; add 1 1010; vfork 1 2; vfork 2 3; leave 1; leave 2; notes; leave 3; notes;",
     "write 1:1010=06*; planted; 3:1010 was 55; no more; write 1:1010=55*; no more; "},
    {"a child of one of them has a copy",
     "process 1; add 1 1010; vfork 1 2; fork 2 3; leave 2; leave 1; notes; show 3 1010;",
     "write 1:1010=06*; planted; write 1:1010=55**; 3:1010 was 55; no more; 3:1010 is 06 known; "},

    {"who leaves has its bytes put back, for who may have the memory still",
     "process 1; add 1 1010; leave 1; show 1 1010; notes;",
     "write 1:1010=06*; planted; write 1:1010=55*; 1:1010 is 55; no more; "},
    {"not what lies there by now", "process 1; add 1 1010; byte 1 1010 c3; leave 1; show 1 1010; notes;",
     "write 1:1010=06*; planted; 1:1010 is c3; no more; "},
    {"nor what must be waited for", "process 1; add 1 1010; silent 1; leave 1; notes;",
     "write 1:1010=06*; planted; no more; "},
    {"nor where it cannot be written", "process 1; add 1 1010; read-only; running; leave 1; notes;",
     "write 1:1010=06*; planted; no more; "},
    {"nor by requests: the thread has gone", "untraced 1; add 1 1010; leave 1; notes;",
     "poke 1:1010=06*; planted; no more; "},
    {"where there is room, a detour is noted and made: the stub, then the jump",
     "process 1; room 1 1d01; detour 1 1010; detour 1 1010; show 1 1010; notes;",
     "stub 1:1d10=89*; word 1:1010=e9*; planted; there; 1:1010 is e9; 1:1010 has 1d10; no more; "},
    {"who is in a stub is held",
     "process 1; room 1 1d01; detour 1 1010; hold 1 1d0f; hold 1 1d10; hold 1 1e2f; hold 1 1e50;",
     "stub 1:1d10=89*; word 1:1010=e9*; planted; free; held; held; free; "},
    {"the jump goes first, and the stub when nobody is in it",
     "process 1; room 1 1d01; detour 1 1010; wipe 1; restore 1; notes; restore 1; wipe 1; notes; show 1 1d10;",
     "stub 1:1d10=89*; word 1:1010=e9*; planted; word 1:1010=55*; 1:1010 has 1d10; no more; stub 1:1d10=00*; no more; "
     "1:1d10 is 00; "},
    {"the loader's is lifted, others stay",
     "process 1; room 1 1d01; detour 1 1010; loader-detour 1 1020; lift-loader 1; show 1 1010; show 1 1020;",
     "stub 1:1d10=89*; word 1:1010=e9*; planted; stub 1:1e50=89*; word 1:1020=e9*; planted; word 1:1020=55*; "
     "1:1010 is e9; 1:1020 is 55; "},
    {"it is asked for without room: a byte takes its place",
     "process 1; room 1 1d01; loader-detour 1 1020; loader 1 1020; loader 1 1020; show 1 1020;",
     "stub 1:1d10=89*; word 1:1020=e9*; planted; word 1:1020=55*; write 1:1020=06*; planted; there; 1:1020 is 06 "
     "known; "},
    {"so it is with one that was a byte first",
     "process 1; room 1 1d01; loader-first 1 1020; jump 1; loader 1 1020; show 1 1020; notes;",
     "write 1:1020=06*; planted; stub 1:1d10=89*; word 1:1020=e9*; word 1:1020=55*; write 1:1020=06*; planted; 1:1020 "
     "is "
     "06 known; 1:1020 was 55; 1:1020 has 1d10; no more; "},
    {"32-bit code gets a stub of its own kind, and so do others beside it",
     "process 1; room 1 1d01; compat-detour 1 1010; detour 1 1020; hold 1 1dff; hold 1 1e1f; hold 1 1e20; restore 1; "
     "wipe 1; notes;",
     "stub 1:1d10=53*; word 1:1010=e9*; planted; stub 1:1e00=89*; word 1:1020=e9*; planted; held; held; held; "
     "word 1:1010=55*; word 1:1020=55*; stub 1:1e00=00*; stub 1:1d10=00*; no more; "},
    {"two in one room", "process 1; room 1 1d01; detour 1 1010; detour 1 1020;",
     "stub 1:1d10=89*; word 1:1010=e9*; planted; stub 1:1e50=89*; word 1:1020=e9*; planted; "},
    {"a third has none, and gets a byte", "process 1; room 1 1d01; detour 1 1010; detour 1 1020; detour 1 1030;",
     "stub 1:1d10=89*; word 1:1010=e9*; planted; stub 1:1e50=89*; word 1:1020=e9*; planted; write 1:1030=06*; "
     "planted; "},
    {"so does a function whose beginning is in two words", "process 1; room 1 1d01; detour 1 1014; lift 1;",
     "write 1:1014=06*; planted; write 1:1014=55*; "},
    {"where the room is too small", "process 1; room 1 1ef1; detour 1 1010;", "write 1:1010=06*; planted; "},
    {"where something lies in it", "process 1; room 1 1d01; byte 1 1e2f 1; detour 1 1010; notes;",
     "write 1:1010=06*; planted; 1:1010 was 55; no more; "},
    {"where a jump is already", "process 1; room 1 1d01; byte 1 1010 e9; detour 1 1010; notes;", "ESTALE; no more; "},
    {"a copy has copies, and both are noted",
     "process 1; room 1 1d01; detour 1 1010; fork 1 2; notes; restore 2; wipe 2; show 1 1010; show 2 1010; notes;",
     "stub 1:1d10=89*; word 1:1010=e9*; planted; 1:1010 has 1d10; 2:1010 has 1d10; no more; word 2:1010=55**; "
     "stub 2:1d10=00**; 1:1010 is e9; 2:1010 is 55; 1:1010 has 1d10; no more; "},
    {"a copy that was made before the jump was taken back has it still",
     "process 1; room 1 1d01; detour 1 1010; restore 1; byte 1 1010 e9; byte 1 1011 fb; byte 1 1012 c; "
     "byte 1 1013 0; byte 1 1014 0; fork 1 2; restore 2; "
     "wipe 2; notes;",
     "stub 1:1d10=89*; word 1:1010=e9*; planted; word 1:1010=55*; word 2:1010=55**; stub 2:1d10=00**; "
     "1:1010 has 1d10; no more; "},
    {"the memory goes on with another",
     "process 1; room 1 1d01; detour 1 1010; vfork 1 2; leave 1; notes; restore 2; wipe 2; notes;",
     "stub 1:1d10=89*; word 1:1010=e9*; planted; 2:1010 has 1d10; no more; word 1:1010=55*; stub 1:1d10=00*; no "
     "more; "},
    {"a library that was closed took its detour along",
     "process 1; room 1 1d01; detour 1 1010; byte 1 1010 c3; byte 1 1d10 0; add 1 1020; notes;",
     "stub 1:1d10=89*; word 1:1010=e9*; planted; write 1:1020=06*; planted; 1:1020 was 55; no more; "},
    {"but for a stub in another library",
     "process 1; room 1 1d01; detour 1 1010; byte 1 1010 c3; add 1 1020; notes; restore 1; wipe 1; notes;",
     "stub 1:1d10=89*; word 1:1010=e9*; planted; write 1:1020=06*; planted; 1:1020 was 55; 1:1010 has 1d10; no more; "
     "write 1:1020=55*; stub 1:1d10=00*; no more; "},
    {"a byte becomes a jump, goes on being known, and nothing is left of both",
     "process 1; room 1 1d01; byte-first 1 1010; jump 1; show 1 1010; notes; restore 1; wipe 1; show 1 1010; notes;",
     "write 1:1010=06*; planted; stub 1:1d10=89*; word 1:1010=e9*; 1:1010 is e9 known; 1:1010 was 55; 1:1010 has 1d10; "
     "no more; word 1:1010=55*; stub 1:1d10=00*; 1:1010 is 55 known; no more; "},
    {"for threads that have met it, whatever is planted meanwhile",
     "process 1; room 1 1d01; byte-first 1 1010; jump 1; add 1 1020; jump 1; byte-first 1 1010; show 1 1010;",
     "write 1:1010=06*; planted; stub 1:1d10=89*; word 1:1010=e9*; write 1:1020=06*; planted; there; 1:1010 is e9 "
     "known; "},
    {"until its library has gone",
     "process 1; room 1 1d01; byte-first 1 1010; jump 1; byte 1 1010 55; byte 1 1011 55; byte 1 1d10 0; add 1 1020; "
     "show 1 1010; "
     "notes;",
     "write 1:1010=06*; planted; stub 1:1d10=89*; word 1:1010=e9*; write 1:1020=06*; planted; 1:1010 is 55; "
     "1:1020 was 55; no more; "},
    {"it stays a byte where something else is there by now, or lies in the room",
     "process 1; room 1 1d01; byte-first 1 1010; byte 1 1010 c3; jump 1; byte-first 1 1020; byte 1 1e2f 1; jump 1; "
     "notes; lift 1; notes;",
     "write 1:1010=06*; planted; write 1:1020=06*; planted; 1:1020 was 55; no more; write 1:1020=55*; no more; "},
    {"where it is in two words", "process 1; room 1 1d01; byte-first 1 1014; jump 1; lift 1; notes;",
     "write 1:1014=06*; planted; write 1:1014=55*; no more; "},
    {"where nobody is to wait for memory",
     "process 1; room 1 1d01; byte-first 1 1010; silent 1; jump 1; heard 1; notes;",
     "write 1:1010=06*; planted; 1:1010 was 55; no more; "},
    {"a copy that was made before has the byte",
     "process 1; room 1 1d01; byte-first 1 1010; jump 1; fork 1 2; byte 2 1010 06; byte 2 1011 55; byte 2 1012 55; "
     "byte 2 1013 55; byte 2 1014 55; restore 2; wipe 2; show 2 1010; restore 1; wipe 1; notes;",
     "write 1:1010=06*; planted; stub 1:1d10=89*; word 1:1010=e9*; write 2:1010=55**; stub 2:1d10=00**; 2:1010 is 55 "
     "known; "
     "word 1:1010=55*; stub 1:1d10=00*; no more; "},
    {"who has none leaves nothing", "process 1; leave 1; lift 1; restore 1; notes;", "no more; "},
    {"a new image has none, and may have some",
     "process 1; add 1 1010; leave 1; process 1; show 1 1010; add 1 1020; notes;",
     "write 1:1010=06*; planted; write 1:1010=55*; 1:1010 is 55; write 1:1020=06*; planted; 1:1020 was 55; no more; "},
};

/* Lets all processes leave. Checks that notes and descriptors are released. */
static void end(int descriptors)
{
    for (size_t i = 0; i < fake.table.process_count; i++)
        breakpoints_leave(fake.table.processes[i], &fake.table, &rescue);
    for (size_t i = 0; i < RESCUE_NOTES; i++)
        ck_assert_int_le(rescue.notes[i].pid, 1);
    for (size_t i = 0; i < RESCUE_DETOURS; i++)
        ck_assert_int_le(rescue.detours[i].pid, 1);
    fake_table_free(&fake.table);
    fake_proc_end();
    ck_assert_int_eq(memory_count_descriptors(), descriptors);
}

START_TEST(bytes_are_planted_as_the_script_says)
{
    char script[400], log[sizeof log_text];
    int descriptors = memory_count_descriptors();
    memset(&fake, 0, sizeof fake);
    memory_begin();
    snprintf(script, sizeof script, "%s", scripts[_i].script);
    for (char *left = NULL, *command = strtok_r(script, ";", &left); command; command = strtok_r(NULL, ";", &left))
        run_command(command);
    strcpy(log, log_text);
    end(descriptors);
    ck_assert_msg(!strcmp(log, scripts[_i].expected), "%s:\n  %s\nnot\n  %s", scripts[_i].name, log,
                  scripts[_i].expected);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("planted");
    UNIT_ADD_TABLE(tests, bytes_are_planted_as_the_script_says, scripts);
    return unit_end();
}

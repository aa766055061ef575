/* SPDX-License-Identifier: MIT
 *
 * Parses the texts of /proc files. Pure: each function takes a 0-terminated text, trusts nothing in it, and leaves its
 * outputs untouched when it returns false. Formats: proc(5). */
#ifndef MODEL_PROCTEXT_H
#define MODEL_PROCTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* /proc/PID/task/TID/schedstat. */
struct schedstat {
    uint64_t ran_ns;    /* time on a CPU; lags by up to a scheduler tick while the thread runs, exact while it does
                         * not */
    uint64_t waited_ns; /* time runnable but waiting for a CPU, up to its last arrival on one */
    uint64_t arrivals;  /* times that it was put on a CPU */
};
bool proctext_schedstat(const char *text, struct schedstat *parsed);

/* /proc/PID/task/TID/stat: the state letter, and the CPU that it is on, or was on last. The command name may contain
 * anything, even parentheses and spaces. */
bool proctext_stat(const char *text, char *state, int *cpu);

/* The same file: returns the number of threads in the process, or 0 if it cannot be read. */
uint64_t proctext_thread_count(const char *text);

/* The same file: returns true for a thread that the kernel made for itself in a process, as io_uring does. */
bool proctext_is_worker(const char *text);

/* The same file: returns true for a thread that has ended, or ends without a further exit stop: it is beyond that stop,
 * or has SIGKILL pending. */
bool proctext_is_dying(const char *text);

/* The same file: returns the thread's real-time priority, or 0 if it has none or it cannot be read. */
int proctext_real_time(const char *text);

/* The same file: user and system time, as estimated by the scheduler's tick, in an unspecified unit. */
bool proctext_times(const char *text, uint64_t *user, uint64_t *system);

/* The same file: number of page faults, with and without reading from a disk. */
bool proctext_faults(const char *text, uint64_t *faults);

/* The same file: the address at which the process's first stack began, above all its frames; 0 if the kernel does not
 * show it. */
bool proctext_stack_start(const char *text, uint64_t *start);

/* The same file of a process: its start time, in ticks (sysconf(_SC_CLK_TCK)) after the start of the machine. */
bool proctext_start_time(const char *text, uint64_t *ticks);

/* Reads the number after "NAME:" in /proc/PID/status. NAME is without the colon. BASE: 16 for signal masks. */
bool proctext_status_number(const char *text, const char *name, int base, uint64_t *number);

/* Reads all numbers there, separated by blanks, at most MOST of them, into NUMBERS. Returns how many. */
size_t proctext_status_numbers(const char *text, const char *name, int base, uint64_t *numbers, size_t most);

/* /proc/PID/task/TID/status: how often the thread has left its CPU, by itself to sleep, or because another one took it.
 */
struct switches {
    uint64_t voluntary, involuntary;
};
bool proctext_switches(const char *text, struct switches *parsed);

/* /proc/PID/task/TID/sched: the thread's context switches, and when it was last on its CPU, by the kernel's clock of
 * that CPU. A switch reads this clock once. So the thread that leaves was last there in the same nanosecond in which
 * the next one began. Not every kernel has this file. */
struct schedlook {
    uint64_t switches;
    uint64_t last_ns;
};
bool proctext_sched(const char *text, struct schedlook *parsed);

/* /proc/PID/task/TID/syscall of a blocked thread: its system call, or -1, and the PC at which it will continue in user
 * mode. Returns false for a thread that runs or waits for a CPU. */
struct blocked {
    int32_t syscall;
    uint64_t sp, pc;
    uint64_t arguments[6]; /* of the call, if it is in one */
};
bool proctext_blocked(const char *text, struct blocked *parsed);

/* Returns true if the SIZE bytes at WORDS, from /proc/PID/auxv, belong to a 32-bit program: its program headers have
 * the size of that class. */
bool proctext_auxv_is_compat(const void *words, size_t size);

/* Returns true if they belong to an x32 program: a 32-bit program with a vDSO, but without the i386 way to make system
 * calls. */
bool proctext_auxv_is_x32(const void *words, size_t size);

/* Returns the entry point of the program with the SIZE bytes at WORDS as /proc/PID/auxv: an address in its executable,
 * not in the dynamic linker. Returns 0 if unknown. */
uint64_t proctext_auxv_entry(const void *words, size_t size);

/* One line of /proc/PID/maps. PATH points into the text, with the kernel's escapes (\012 for a newline) and without
 * the line's end; it is empty for anonymous memory. */
struct maps_line {
    uint64_t start, end, offset, inode;
    uint32_t device_major, device_minor;
    bool readable, writable, executable, shared;
    const char *path;
    size_t path_length;
};

/* Parses the line at *TEXT, and moves *TEXT past it. Skips malformed and incomplete lines. Returns false at the end of
 * the text. */
bool proctext_maps_next(const char **text, struct maps_line *line);

/* /proc/PID/mountinfo: finds the mount that contains absolute PATH. The deepest mount point above PATH counts; of equal
 * ones, the last. PATH must have no symbolic links. */
struct mount_line {
    char type[16], device[24]; /* of the file system, cut; the device as "MAJOR:MINOR" */
};
bool proctext_mount(const char *text, const char *path, struct mount_line *mount);

/* The same file: returns true if a file system with DEVICE is mounted. */
bool proctext_has_device(const char *text, const char *device);

#endif

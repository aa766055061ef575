/* SPDX-License-Identifier: MIT
 *
 * The texts of /proc files, parsed. Pure: each function sees a 0-terminated text, trusts nothing in it, and leaves
 * its outputs untouched when it returns false. Formats: proc(5). */
#ifndef MODEL_PROCTEXT_H
#define MODEL_PROCTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* /proc/PID/task/TID/schedstat. */
struct schedstat {
    uint64_t ran_ns;    /* time on a CPU; lags by up to a scheduler tick while it runs, exact while it is off */
    uint64_t waited_ns; /* time runnable but waiting for a CPU, up to its last arrival on one */
    uint64_t arrivals;  /* times that it was given a CPU */
};
bool proctext_schedstat(const char *text, struct schedstat *parsed);

/* /proc/PID/task/TID/stat: its state letter and the CPU that it is or was last on. The command name in it may hold
 * anything, parentheses and spaces included. */
bool proctext_stat(const char *text, char *state, int *cpu);

/* The same file: how many threads the process has; 0 if that cannot be read. */
uint64_t proctext_thread_count(const char *text);

/* The same file: true if it is a thread that the kernel made for itself in a process, as io_uring has them. */
bool proctext_is_worker(const char *text);

/* The same file: the thread's real-time priority, 0 if it has none, or if that cannot be read. */
int proctext_real_time(const char *text);

/* The same file: its user and system time, as the scheduler's tick estimates them, in an unspecified unit. */
bool proctext_times(const char *text, uint64_t *user, uint64_t *system);

/* The same file: page faults that it has had, with or without reading from a disk. */
bool proctext_faults(const char *text, uint64_t *faults);

/* From the same file: the address at which the process's first stack began, above all its frames; 0 if the kernel
 * does not show it. */
bool proctext_stack_start(const char *text, uint64_t *start);

/* The same file of a process: when it began, in ticks (sysconf(_SC_CLK_TCK)) since the machine did. */
bool proctext_start_time(const char *text, uint64_t *ticks);

/* The number after "NAME:" in /proc/PID/status, NAME without the colon, in base BASE (16 for signal masks). */
bool proctext_status_number(const char *text, const char *name, int base, uint64_t *number);

/* All numbers there, with blanks between, at most MOST of them, into NUMBERS. Returns how many. */
size_t proctext_status_numbers(const char *text, const char *name, int base, uint64_t *numbers, size_t most);

/* /proc/PID/task/TID/sched: context switches of the thread, and when it last was on its CPU, by the kernel's own
 * clock of that CPU. A switch reads this clock once, so that the thread that leaves was last there in the same
 * nanosecond in which the next one began. Not every kernel has this file. */
struct schedlook {
    uint64_t switches;
    uint64_t last_ns;
};
bool proctext_sched(const char *text, struct schedlook *parsed);

/* /proc/PID/task/TID/syscall of a blocked thread: its system call, or -1, and the PC at which it will continue in
 * user mode. False for a thread that runs or waits for a CPU. */
struct blocked {
    int32_t syscall;
    uint64_t sp, pc;
    uint64_t argument; /* the first, if it is in one */
};
bool proctext_blocked(const char *text, struct blocked *parsed);

/* True if the SIZE bytes at WORDS, from /proc/PID/auxv, are of a 32-bit program: its program headers have the size
 * of that class. */
bool proctext_auxv_is_compat(const void *words, size_t size);

/* True if they are of an x32 program: a 32-bit one that has a vDSO, but not the i386 way to make system calls. */
bool proctext_auxv_is_x32(const void *words, size_t size);

/* Returns the entry point of the program whose /proc/PID/auxv is the SIZE bytes at WORDS: an address in its
 * executable, not in the dynamic linker. 0 if unknown. */
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

/* Parses the line at *TEXT and moves *TEXT behind it. Returns false at the end of the text; a malformed line, or one
 * that is cut off, is skipped. */
bool proctext_maps_next(const char **text, struct maps_line *line);

/* /proc/PID/mountinfo: the type of the file system that absolute PATH is on, by the deepest mount point above it, of
 * equal ones the last; cut to SIZE bytes with its 0. PATH has no symbolic links in it. */
bool proctext_mount_type(const char *text, const char *path, char *type, size_t size);

#endif

/* SPDX-License-Identifier: MIT
 *
 * `ptprofil dump`: what every thread does now, as data. */
#ifndef DUMP_DUMP_H
#define DUMP_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct buffer;
struct error;
struct looks;
struct message_call;
struct profile;
struct profile_process;
struct profile_sample;

/* The order of the threads of a process. */
enum dump_sort { DUMP_BY_TID, DUMP_RUNNING_FIRST, DUMP_WAITING_FIRST };

enum dump_format { DUMP_TEXT, DUMP_JSON };

struct dump_options {
    enum dump_sort sort;
    enum dump_format format;
    uint32_t repeat;      /* number of dumps; 0 or 1: one */
    uint64_t interval_ns; /* between two dumps */
};

struct dump_thread {
    pid_t pid, tid;
    char name[16];
    char state;                          /* as in /proc/PID/task/TID/stat; 0: it has ended since */
    bool waits;                          /* it waited, and was not stopped */
    uint64_t ran_ns;                     /* CPU time that it has used */
    uint64_t since_ns;                   /* the part of it that it has used since the dump before */
    const struct profile_sample *sample; /* its stack; NULL: none */
    const struct message_call *call;     /* what it waits for; NULL: unknown */
    uint64_t stack;                      /* equal for equal stacks of a process; 0: none */
    char *reason;                        /* what it waits for, in words; owned; NULL: unknown */
    pid_t holder;                        /* the thread that has what it waits for; 0: unknown */
    bool deadlocked;                     /* that thread waits, directly or not, for this one */
    size_t walk;                         /* for dump_find_reasons */
};

struct dump {
    const struct profile *profile;
    struct dump_thread *items; /* by process, then in the order asked for */
    size_t count, room;
};

/* Sets DUMP, which is zeroed, to the threads that the COUNT processes PIDS have now, with their states. Returns 0 or
 * -ENOMEM. Call dump_fini in either case. */
int dump_read(struct dump *dump, const pid_t *pids, size_t count);

/* Adds the stacks in PROFILE that the last look in LOOKS has captured. It began at LOOK_NS of the profile's time.
 * BEFORE: the dump before, or NULL. PROFILE and LOOKS are borrowed. Sorts by SORT. */
void dump_fill(struct dump *dump, const struct profile *profile, const struct looks *looks, uint64_t look_ns,
               enum dump_sort sort, const struct dump *before);

void dump_fini(struct dump *dump);

/* Returns the thread TID of process PID, or NULL. */
struct dump_thread *dump_find(const struct dump *dump, pid_t pid, pid_t tid);

/* Returns the image that process PID runs, or NULL. */
const struct profile_process *dump_process(const struct dump *dump, pid_t pid);

/* Write DUMP to STREAM: for people, or as one JSON object in a line of its own. COMPARED: since_ns is known. Return 0,
 * -ENOMEM or -errno. */
int dump_write(const struct dump *dump, bool compared, FILE *stream);
int dump_write_json(const struct dump *dump, bool compared, FILE *stream);

/* Returns the words for the state of THREAD: "running", "sleeping". */
const char *dump_state(const struct dump_thread *thread);

struct stack;

/* Returns true if the frame INDEX of STACK, of PROFILE, is of an inlined call. */
bool dump_is_inlined(const struct profile *profile, const struct stack *stack, size_t index);

/* reason.c: sets the reason and the holder of each thread of DUMP. */
void dump_find_reasons(struct dump *dump);

/* endpoint.c: appends what descriptor FD of process PID is: a file, "pipe:[7] (other end: cat 12)", the addresses of a
 * socket. Appends nothing if that is unknown. *SCANS: how often all processes may still be searched. */
void dump_put_endpoint(struct buffer *text, pid_t pid, int fd, unsigned *scans);

#endif

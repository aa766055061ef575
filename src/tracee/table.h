/* SPDX-License-Identifier: MIT
 *
 * The processes and threads that are traced. Records what is known; decides nothing. */
#ifndef TRACEE_TABLE_H
#define TRACEE_TABLE_H

#include "arch/arch.h"
#include "base/hash.h"
#include "model/address_map.h"
#include "model/timeout.h"
#include "tracee/memory.h"
#include "wire/rescue_notes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct process;
struct breakpoints;
struct remote;

/* Whether the kernel stops a thread once more when it is about to end. */
enum thread_end { THREAD_END_UNTOLD, THREAD_END_TOLD, THREAD_END_UNKNOWN };

/* What the layers above keep of a thread or process: theirs alone. It is made with that, and freed with it. */
struct clock_thread;
struct clock_process;
struct calls_process;
struct tracer_thread;
struct tracer_process;

struct thread {
    pid_t tid;
    struct process *process;
    struct thread *next;                             /* of the same process */
    int schedstat_fd, stat_fd, syscall_fd, sched_fd; /* its files of these names, kept open; -1: not open */
    bool asked;                                      /* to stop, for a sample; the stop has not come */
    bool group_stopped;                              /* by job control */
    bool ended;                                      /* it was reaped, and that is to be told */
    bool held;                                       /* stopped, its stop consumed, until follow_release */
    enum thread_end end;                             /* follows the process's ends_told at each stop */
    bool unseen;                                     /* of follow/jumps.h: it may be where a jump is to be */
    bool mended;                                     /* the registers were changed by arch_mend at its last stop */
    struct arch_registers mend;
    bool spared;              /* it is in a call that is not to be interrupted again, or about to enter that */
    bool spared_inside;       /* it has entered it */
    uint32_t spared_times;    /* that it has begun the call anew */
    uint64_t spared_since_ns; /* monotonic time when it first did */
    struct timeout timeout;   /* of the call that it was last made to enter again */
    int64_t timeout_result;   /* what that call returns when its time is over */
    struct {                  /* where a handler of SIGSYS returns to; sp is 0: nowhere */
        uint64_t pc, sp;
        int call;
    } trapped;
    struct rescue_rest *rest; /* it makes the rest of a transfer, and this is the note of it; NULL: it does not */
    bool rest_entered;        /* it has entered the call for that */
    struct remote *remote;    /* owned; a system call that it makes for us, of tracee/remote.h; NULL: none */
    struct clock_thread *clock;
    struct tracer_thread *own;
};

/* Whether a process is number 1 of its pid namespace. */
enum process_first { PROCESS_FIRST_UNKNOWN, PROCESS_FIRST, PROCESS_NOT_FIRST };

struct process {
    pid_t pid, parent;
    uint32_t image;      /* number of its present image, unique in the run; 0 while nothing of it may be sampled */
    uint32_t generation; /* execs seen */
    bool launching;      /* ours until its first exec: not yet the command */
    bool attached;       /* its present image was running when it was attached */
    bool narrow;         /* the image is a 32-bit program */
    bool files_own;      /* its table of open files was no other thread's since its image began */
    bool ended;          /* that is to be told */
    bool ends_told;      /* its threads are to stop once more before they end: something is to be settled there */
    enum process_first first;
    struct thread *threads;
    size_t thread_count;
    clockid_t cpu_clock;             /* of tracee/cpu_clock.h */
    struct memory memory;            /* of its present image */
    struct breakpoints *breakpoints; /* what is planted in its memory; of plant/breakpoints.h */
    struct address_map map;          /* executable ranges, as last read */
    struct clock_process *clock;
    struct calls_process *calls;
    struct tracer_process *own;
};

/* Room for the state of a layer above: SIZE bytes, which begin as INITIAL, or as 0 if that is NULL. */
struct table_room {
    size_t size;
    const void *initial;
};

struct table_rooms {
    struct table_room clock_thread, tracer_thread, clock_process, calls_process, tracer_process;
};

struct table {
    struct table_rooms rooms; /* set before anything is added */
    struct thread **threads;
    size_t count, room;
    struct hash by_tid;
    struct process **processes;
    size_t process_count, process_room;
    struct hash by_pid;
};

/* A zeroed table is empty. Frees everything; traces nothing and stops nothing. */
void table_fini(struct table *table);

/* The thread or process with that id, or NULL. */
struct thread *table_thread(const struct table *table, pid_t tid);
struct process *table_process(const struct table *table, pid_t pid);

/* Adds one that is not there yet. Return NULL if memory runs out. The table owns them. */
struct process *table_add_process(struct table *table, pid_t pid, pid_t parent);
struct thread *table_add_thread(struct table *table, struct process *process, pid_t tid);

/* THREAD goes on as FORMER, another one of its process, that has ended: what clock/ knows of that is its own from now
 * on. */
void table_take_over(const struct table *table, struct thread *thread, const struct thread *former);

/* Removes a thread; closes its files. Its process stays, even without threads. */
void table_remove_thread(struct table *table, struct thread *thread);

/* Removes a process with all of its threads. */
void table_remove_process(struct table *table, struct process *process);

/* Closes the /proc files that are held open for THREAD. */
void thread_close_files(struct thread *thread);

#endif

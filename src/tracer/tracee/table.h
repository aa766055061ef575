/* SPDX-License-Identifier: MIT
 *
 * The table of traced processes and threads. Records facts; decides nothing. */
#ifndef TRACEE_TABLE_H
#define TRACEE_TABLE_H

#include "common/base/hash.h"
#include "common/model/address_map.h"
#include "common/model/timeout.h"
#include "common/wire/rescue_notes.h"
#include "tracer/tracee/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct process;
struct breakpoints;
struct remote;

/* State of a thread or process for the layers above. It is allocated and freed with the thread or process. */
struct clock_thread;
struct clock_process;
struct calls_process;
struct tracer_thread;
struct tracer_process;

struct thread {
    pid_t tid;
    struct process *process;
    struct thread *next, *newer;                     /* of the same process: the newest one is the first */
    int schedstat_fd, stat_fd, syscall_fd, sched_fd; /* its files of these names, kept open; -1: not open */
    bool asked;                                      /* a stop for a sample was requested and has not come */
    bool group_stopped;                              /* by job control */
    bool ended;                                      /* reaped, but its end is not reported yet */
    bool held;                                       /* stopped, its stop consumed, until follow_release */
    bool unseen;                                     /* of follow/jumps.h: it may be inside a future jump */
    bool restarted;                                  /* arch_restart_call changed the registers at its last stop */
    struct arch_registers restarted_with;
    int64_t restarted_from;     /* the call's result before that */
    bool shielded;              /* in, or about to enter, a call that must not be interrupted again */
    bool shielded_inside;       /* it has entered that call */
    uint32_t shielded_times;    /* how often it has restarted the call */
    uint64_t shielded_since_ns; /* monotonic time of the first restart */
    struct timeout timeout;     /* of the call that was last restarted */
    int64_t timeout_result;     /* the result of that call when its timeout is over */
    struct {                    /* return address of a SIGSYS handler; sp is 0: none */
        uint64_t pc, sp;
        int call;
    } trapped;
    struct rescue_remainder *remainder; /* the note of a transfer with a remainder under way; NULL: none */
    bool remainder_entered;             /* it has entered the call for the remainder */
    struct remote *remote;              /* owned; a system call that it makes for us, of tracee/remote.h; NULL: none */
    struct clock_thread *clock;
    struct tracer_thread *own;
};

/* Whether a process is number 1 of its pid namespace. */
enum process_first { PROCESS_FIRST_UNKNOWN, PROCESS_FIRST, PROCESS_NOT_FIRST };

/* CPU time of a process in nanoseconds. User and system time count in scheduler ticks, so their sum is not ALL_NS. */
struct cpu_times {
    uint64_t all_ns, user_ns, system_ns;
};

/* The end of a process that was let go, of tracee/ending.h. */
struct process_ending {
    int descriptor;                 /* its pidfd; -1: none */
    uint64_t pages;                 /* its memory at the exit stop */
    struct cpu_times stopped, last; /* at the exit stop and at its end */
    _Atomic bool over;              /* it has ended, and LAST is set */
};

struct process {
    pid_t pid, parent;
    uint32_t image;      /* number of its present image, unique in the run; 0: must not be sampled yet */
    uint32_t generation; /* execs seen */
    bool launching;      /* ours until its first exec: not yet the command */
    bool attached;       /* its present image may have run before its breakpoints were set, as if attached */
    bool compat;         /* the image is a 32-bit program */
    bool foreign;        /* the image is a program of a kind that cannot be sampled, as x32 */
    bool files_own;      /* only one thread has used its table of open files since its image began */
    bool ended;          /* its end is reported, or about to be */
    bool let_go;         /* detached at its exit stop, and not in the table any more */
    enum process_first first;
    struct thread *threads;
    size_t thread_count;
    clockid_t cpu_clock; /* of tracee/cpu_clock.h */
    struct process_ending ending;
    const struct cpu_times *ended_times; /* at its end; NULL: not known yet */
    struct memory memory;                /* of its present image */
    struct breakpoints *breakpoints;     /* breakpoints in its memory; of plant/breakpoints.h */
    struct address_map map;              /* executable ranges, as last read */
    struct clock_process *clock;
    struct calls_process *calls;
    struct tracer_process *own;
};

/* Room for the state of a layer above: SIZE bytes, initialized from INITIAL, or to 0 if that is NULL. */
struct table_room {
    size_t size;
    const void *initial;
};

struct table_rooms {
    struct table_room clock_thread, tracer_thread, clock_process, calls_process, tracer_process;
};

/* A zeroed one is empty. */
struct table {
    struct table_rooms rooms; /* set before anything is added */
    struct thread **threads;
    size_t count, room;
    struct hash by_tid;
    struct process **processes;
    size_t process_count, process_room;
    struct hash by_pid;
};

/* Return the thread or process with that id, or NULL. */
struct thread *table_thread(const struct table *table, pid_t tid);
struct process *table_process(const struct table *table, pid_t pid);

/* Add a process or thread that is not in the table yet. Return NULL if memory runs out. The table owns them. */
struct process *table_add_process(struct table *table, pid_t pid, pid_t parent);
struct thread *table_add_thread(struct table *table, struct process *process, pid_t tid);

/* THREAD continues as FORMER, another thread of its process that has ended. THREAD takes over the state that clock/ has
 * for FORMER. */
void table_take_over(const struct table *table, struct thread *thread, const struct thread *former);

/* Removes a thread; closes its files. Its process stays, even without threads. */
void table_remove_thread(struct table *table, struct thread *thread);

/* Takes PROCESS out of the table: its number may be used again. Its threads stay until they are removed. */
void table_take_process(struct table *table, struct process *process);

/* Frees PROCESS, which has no threads and was taken out of the table. */
void table_free_process(struct process *process);

/* Removes a process with all of its threads. */
void table_remove_process(struct table *table, struct process *process);

/* Closes the /proc files that are held open for THREAD. */
void thread_close_files(struct thread *thread);

#endif

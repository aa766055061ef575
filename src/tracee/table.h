/* SPDX-License-Identifier: MIT
 *
 * The processes and threads that are traced. Records what is known; decides nothing. */
#ifndef TRACEE_TABLE_H
#define TRACEE_TABLE_H

#include "arch/arch.h"
#include "base/hash.h"
#include "model/account.h"
#include "model/address_map.h"
#include "model/call_state.h"
#include "model/due.h"
#include "model/faults.h"
#include "model/judge.h"
#include "model/missed.h"
#include "model/timeout.h"
#include "model/wait.h"
#include "tracee/memory.h"
#include "tracee/rescue.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct process;
struct planted;
struct remote;

/* A request to stop a thread for a sample, while its stop has not come. */
struct attempt {
    bool pending;
    bool record;             /* for a capture, not only for a tick of the calls */
    bool late;               /* the tracer took that CPU later than it wanted to */
    bool spoilt;             /* the thread may have run on before it was asked */
    enum judge_place place;
    uint64_t own_ns;         /* for how long its CPU was taken for the tick before it could stop there */
    uint64_t asked_ns;       /* monotonic time of the request */
    struct schedstat before; /* at the tick */
};

/* Whether the kernel stops a thread once more when it is about to end. */
enum thread_end { THREAD_END_UNTOLD, THREAD_END_TOLD, THREAD_END_UNKNOWN };

/* For a while more of a stack is copied than usual. */
struct stack_limit {
    uint32_t bytes;
    uint64_t until_ns; /* monotonic time */
};

struct thread {
    pid_t tid;
    struct process *process;
    struct thread *next; /* of the same process */
    struct thread_account account;
    struct thread_faults faults;
    struct thread_missed missed;
    struct thread_wait wait;
    uint64_t stack_top;        /* where its own data are, above its frames; 0: not known */
    struct stack_limit deep;   /* of its stack when its end is not known */
    struct attempt attempt;
    int schedstat_fd, stat_fd, syscall_fd, sched_fd; /* -1 while not open */
    int cpu;                   /* that it was last seen to run on; -1: none */
    int real_time;             /* its priority, when it was looked at closely last; 0: none */
    bool place_known;          /* its last stop showed that it was on the CPU that was taken for the tick */
    bool busy;                 /* looked at on every tick */
    bool named;                /* its name has been told */
    bool group_stopped;        /* by job control */
    enum thread_end end;       /* follows the process's ends_told at each stop */
    bool settled;              /* while all are let go: it needs nothing more */
    bool held;                 /* stopped, its stop consumed, until follow_release */
    bool mended;               /* the registers were changed by arch_mend at its last stop */
    struct arch_registers mend;
    bool spared;               /* it is in a call that is not to be interrupted again, or about to enter that */
    bool spared_inside;        /* it has entered it */
    uint32_t spared_times;     /* that it has begun the call anew */
    uint64_t spared_since_ns;  /* monotonic time when it first did */
    struct timeout timeout;    /* of the call that it was last made to enter again */
    int64_t timeout_result;    /* what that call returns when its time is over */
    struct rescue_rest *rest;  /* it makes the rest of a transfer, and this is the note of it; NULL: it does not */
    bool rest_entered;         /* it has entered the call for that */
    struct remote *remote;     /* owned; a system call that it makes for us, of tracee/remote.h; NULL: none */
};

struct process {
    pid_t pid, parent;
    uint32_t image;      /* number of its present image, unique in the run; 0 while nothing of it may be sampled */
    uint32_t origin;     /* image that it was forked from; 0: not known */
    uint32_t generation; /* execs seen */
    bool launching;      /* ours until its first exec: not yet the command */
    bool attached;       /* its present image was running when it was attached */
    bool unsupported;    /* the image cannot be sampled: 32-bit */
    bool files_own;      /* its table of open files was no other thread's since its image began */
    struct thread *threads;
    size_t thread_count;
    struct process_account account;
    struct process_faults faults;
    struct process_wait wait;
    struct call_state calls; /* what it has asked of profil and its like */
    bool impose_due;         /* a call is to be made on its behalf before its image runs */
    uint32_t troubles;       /* bits: what has been told of it that does not work */
    bool calls_active;       /* these want ticks, and the process is counted for it */
    bool ends_told;          /* its threads are to stop once more before they end: something is to be settled there */
    struct due calls_due;    /* the next of these */
    int calls_cpu;           /* where a thread of the process, any of those that run, was found last; -1: nowhere */
    struct memory memory;    /* of its present image */
    struct planted *planted; /* what is planted in its memory; of tracee/planted.h */
    struct address_map map;  /* executable ranges, as last read */
    uint64_t stack_start;    /* of its first stack, above all frames; 0: not known */
    struct stack_limit deep; /* of its stacks whose ends are known */
    uint64_t map_read_ns;    /* monotonic time; 0: never for this image */
    uint64_t map_age_ns;     /* after that they are read again */
    uint64_t map_took_ns;    /* to read them */
    bool map_asked;          /* somebody waits for them */
    uint32_t map_misses;     /* PCs of this image that were outside of it */
    clockid_t clock;         /* its CPU clock */
    timer_t alarm;
    bool alarmed;            /* the alarm exists */
    bool active;             /* its clock moved lately: it is looked at on every tick */
    uint32_t quiet_ticks;    /* since its clock moved */
    uint32_t ticks_since_scan, scans_in_a_row;
    uint32_t scan_ticks_left; /* so many threads take turns that all are looked at, for so many ticks */
};

struct table {
    struct thread **threads;
    size_t count, room;
    struct hash by_tid;
    struct process **processes;
    size_t process_count, process_room;
    struct hash by_pid;
};

/* An empty table needs only to be zeroed. Frees everything; traces nothing and stops nothing. */
void table_free(struct table *table);

/* The thread or process with that id, or NULL. */
struct thread *table_thread(const struct table *table, pid_t tid);
struct process *table_process(const struct table *table, pid_t pid);

/* Adds one that is not there yet. Return NULL when there is no memory. The table owns them. */
struct process *table_add_process(struct table *table, pid_t pid, pid_t parent);
struct thread *table_add_thread(struct table *table, struct process *process, pid_t tid);

/* Removes a thread; closes its files. Its process stays, even without threads. */
void table_remove_thread(struct table *table, struct thread *thread);

/* Removes a process with all of its threads. */
void table_remove_process(struct table *table, struct process *process);

/* Closes the /proc files that are held open for THREAD. */
void thread_close_files(struct thread *thread);

#endif

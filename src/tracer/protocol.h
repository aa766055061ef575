/* SPDX-License-Identifier: MIT
 *
 * What front and tracer say to each other. The tracer writes messages into a ring in shared memory, which the front
 * reads when it likes; a second ring is for questions, which must not wait behind them; commands and their answers go
 * over a socket. Both sides are the same program, but the front
 * checks what it reads: what tracees put into messages is a stranger's. */
#ifndef TRACER_PROTOCOL_H
#define TRACER_PROTOCOL_H

#include "arch/arch.h"
#include "base/ring.h"
#include "calls/calls.h"
#include "model/missed.h"
#include "model/quantile.h"
#include "model/runs.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

/* Messages in the rings. Numbers named image are those of MESSAGE_IMAGE. */
enum message_type {
    MESSAGE_IMAGE = 1, /* struct message_image and its command line, as /proc/PID/cmdline has it: a process begins an image */
    MESSAGE_IMAGE_END, /* struct message_image_end */
    MESSAGE_MAPS,      /* struct message_maps and the text of the maps file, executable lines; none: nothing has changed */
    MESSAGE_THREAD,    /* struct message_thread: a thread's name, before its first capture, and again now and then */
    MESSAGE_CAPTURE,   /* struct message_capture, struct memory_run for each part of the stack that was copied, and their bytes */
    MESSAGE_WAITED,    /* struct message_waited: how long a thread has waited where a capture showed it waiting */
    MESSAGE_ENTRIES,   /* struct message_entries and the text of the maps file, as in MESSAGE_MAPS: where are the calls
                          entered? The thread is held until the answer. In the ring of questions, and the only one there */
    MESSAGE_TROUBLE,   /* struct message_trouble: something of a process cannot be done as it should */
    MESSAGE_IMPOSED,   /* struct message_imposed: a call was imposed on an image, or could not be */
    MESSAGE_INHERITED, /* struct message_inherited: a forked child has the imposed call of its parent */
    MESSAGE_UPDATE,    /* struct message_update: an imposed call's buffer has changed */
    MESSAGE_CODE,      /* struct message_code and the bytes: what COMMAND_CODE asked for */
};

/* So long, in all, the tracer waits before it ends for the rests of transfers that proceed. */
#define TRACER_RESTS_NS 30000000000ull

/* The number of the command's first image. */
enum { FIRST_IMAGE = 1 };

/* So much of a command line is told, of a longer one the beginning and the end. */
enum { COMMAND_LINE_END = 2048, COMMAND_LINE_MOST = 3 * COMMAND_LINE_END };

struct message_image {
    uint32_t image, generation;
    pid_t pid, parent;
    uint32_t unsupported; /* 1: a 32-bit program, which is not sampled */
    char comm[16];
};

struct message_image_end {
    uint32_t image;
    uint32_t alive;   /* 1: the process runs on, without us */
    uint64_t cpu_ns;  /* CPU time of the image */
    uint64_t wait_ns; /* time that its threads lived without running, where waiting threads are sampled */
    char comm[16];   /* the name that it had in the end */
};

struct message_maps {
    uint32_t image;
    uint32_t length; /* of the text, which follows and is not 0-terminated */
};

struct message_thread {
    uint32_t image;
    pid_t tid;
    char comm[16];
};

struct message_capture {
    uint32_t image;
    pid_t tid;
    int32_t syscall;     /* that it was caught in, or enum wait_place; -1: user code */
    uint32_t stack_size; /* bytes of stack that follow the runs, at least as many as these have */
    uint64_t weight_ns;  /* CPU time that it stands for, see account_bill */
    uint64_t fault_ns;   /* of that, the kernel's for page faults, see faults_bill; 0 in a system call */
    uint64_t wait_ns, queued_ns; /* time that it waited for anything, and for a CPU, see wait_bill */
    uint64_t time_ns;    /* monotonic */
    uint32_t waiting;    /* 1: it was not stopped, as it waits; of the registers only PC and SP are known */
    uint32_t run_count;
    uint32_t stack_depth; /* if not all of the stack was to be copied: bytes from the stack pointer to its end, or to where
                             the copy ends if that is not known; else 0 */
    uint32_t padding;
    struct arch_registers registers;
};

/* Where the runs of a capture begin, and behind them its stack. */
static inline const struct memory_run *message_runs(const struct message_capture *message)
{
    return (const struct memory_run *)(const void *)(message + 1);
}

static inline const unsigned char *message_stack(const struct message_capture *message)
{
    return (const unsigned char *)(message_runs(message) + message->run_count);
}

/* Follows a capture with waiting set, once or more often. */
struct message_waited {
    uint32_t image;
    pid_t tid;
    uint64_t count;   /* samples that would have shown the same */
    uint64_t wait_ns;
    uint32_t over;    /* 1: it does not wait there any longer */
    uint32_t padding;
};

/* Holds all that the answer needs: what is in the other ring may not have been read yet. */
struct message_entries {
    uint32_t image;
    pid_t pid, tid;
    uint32_t length; /* of the text */
};

enum trouble {
    TROUBLE_CALLS,  /* its calls are not served to the end */
    TROUBLE_STACKS, /* its memory must not be read */
    TROUBLES
};

struct message_trouble {
    uint32_t what; /* enum trouble; told once a process and image */
    uint32_t image;
    pid_t pid;
    int32_t error; /* errno */
    char comm[16];
};

struct message_imposed {
    uint32_t image;
    pid_t pid;
    uint32_t generation;
    uint32_t refusal;      /* enum calls_refusal */
    int32_t error;         /* errno */
    uint32_t scale;        /* this and the rest: arguments of profil */
    uint64_t offset, size;
    char comm[16];
};

struct message_inherited {
    uint32_t image, origin; /* the child's and the parent's */
    pid_t pid;              /* the child's */
    uint32_t generation;
};

struct message_update {
    uint32_t image;
    uint32_t cell;         /* 1: a histogram's */
    uint64_t number;       /* of the cell; else the PC */
    uint64_t value;        /* what the cell now holds; else how many times the PC was stored */
};

/* One for each page that was asked for. */
struct message_code {
    uint32_t image;
    uint32_t length;  /* of the bytes; 0: they cannot be read */
    uint64_t address;
    uint32_t last;    /* 1: all have been answered */
    uint32_t padding;
};

enum { CODE_PAGE = 4096, CODE_PAGES = 32 };

/* Commands of the front, datagrams on the socket. The tracer answers COMMAND_LAUNCH and COMMAND_ATTACH with an
 * int32_t: 0 or -errno. */
enum command_type {
    COMMAND_LAUNCH = 1,
    COMMAND_ATTACH,
    COMMAND_CLOSE,
    COMMAND_ENTRIES,
    COMMAND_MAPS,
    COMMAND_CODE,
    COMMAND_DEEPER,
};

struct command {
    uint32_t type;
    pid_t pid; /* of COMMAND_LAUNCH, COMMAND_ATTACH and COMMAND_MAPS, whose maps are out of date, and of COMMAND_CODE and
                  COMMAND_DEEPER; of COMMAND_ENTRIES: tid of the question */
    /* of COMMAND_DEEPER: so much of the stack of that thread, at least, was needed */
    pid_t tid;
    uint32_t stack_bytes;
    /* of COMMAND_ENTRIES: */
    uint32_t image;
    uint32_t complete; /* no more libraries need to be waited for */
    uint32_t entry_count;
    struct planted_byte entries[PLANTED_MOST];
    /* of COMMAND_CODE: pages of the process that are wanted, whatever is there: code that it made itself */
    uint32_t page_count;
    uint64_t pages[CODE_PAGES];
};

/* Counts that the tracer keeps up to date for the front, which can read them even when the tracer has died. */
struct tracer_counts {
    _Atomic uint64_t stops, samples, lost_full, put_off, lost_messages;
    _Atomic uint64_t remote; /* samples from CPUs on which no thread of ours may sit */
    _Atomic int64_t missed_ns[MISSED_REASONS]; /* see missed_bill */
    _Atomic uint64_t longest_period_ns; /* that the overhead limit brought */
    _Atomic uint32_t processes;         /* traced now */
    _Atomic uint32_t unreachable;       /* children that could not be followed */
    _Atomic uint32_t unstopped;         /* threads that waited in the kernel, and did not stop, at the end */
    struct quantile pauses;
};

/* Shared memory beside the ring. */
struct shared {
    _Atomic uint32_t wake;           /* futex: the tracer sleeps on it; changes whenever there is something to do */
    _Atomic uint32_t commands;       /* commands ever sent */
    _Atomic uint32_t front_notified; /* the front was told that the ring has something for it */
    _Atomic uint32_t front_stopped;  /* the front has stopped itself because the command was stopped */
    _Atomic pid_t command;           /* pid of the command */
    _Atomic uint64_t began_ns;       /* monotonic time of the command's first instruction */
    _Atomic uint32_t rests;          /* transfers whose rest the tracer waits for, before it ends */
    _Atomic uint64_t ended_ns;       /* monotonic time at which sampling ended; 0: not yet */
    struct tracer_counts counts;
    struct calls_counts calls;
    pthread_mutex_t life; /* robust: the tracing thread has it from its beginning to its end */
    struct rescue rescue; /* what to put back if the tracer dies */
};

/* What the front gives the tracer at its start. */
struct tracer_options {
    uint64_t period_ns;
    unsigned max_overhead; /* percent; 0: off */
    bool children;
    bool wall;             /* waiting threads are sampled, too */
    uint32_t stack_bytes;  /* most of the stack that is copied; 0: none */
    uint32_t stack_deepest; /* the same of stacks that prove deeper */
    struct calls_options calls;
};

/* The means that both have. The tracer's ends are closed in the front and the reverse. */
struct channel {
    struct ring ring;
    struct ring questions;
    struct shared *shared;
    int ready;                   /* eventfd: written by the tracer when the front should read the rings */
    int front_socket, tracer_socket;
};

#endif

/* SPDX-License-Identifier: MIT
 *
 * Messages from the tracer to the front. Both are the same program, but the front checks what it reads, because
 * tracees determine what is in a message. */
#ifndef WIRE_MESSAGE_H
#define WIRE_MESSAGE_H

#include "arch/registers.h"
#include "base/memory_run.h"
#include "wire/recipe.h"

#include <stdint.h>
#include <sys/types.h>

/* Messages in the rings. "image" is the number in MESSAGE_IMAGE. */
enum message_type {
    MESSAGE_IMAGE =
        1, /* struct message_image and its command line, as /proc/PID/cmdline has it: a process begins an image */
    MESSAGE_IMAGE_END, /* struct message_image_end */
    MESSAGE_MAPS,   /* struct message_maps and the text of the maps file, executable lines; none: nothing has changed */
    MESSAGE_THREAD, /* struct message_thread: a thread's name, before its first capture, and again now and then */
    MESSAGE_CAPTURE, /* struct message_capture, a struct memory_run for each copied part of the stack, their bytes, and
                        the frames of an interpreted language */
    MESSAGE_WAITED,  /* struct message_waited: how long a thread has waited where a capture showed it waiting */
    MESSAGE_ENTRIES, /* struct message_entries and the text of the maps file, as in MESSAGE_MAPS: where are the calls
                        entered? The thread is held until the answer. Alone in the ring of questions */
    MESSAGE_TROUBLE, /* struct message_trouble: something of a process cannot be done as it should */
    MESSAGE_IMPOSED, /* struct message_imposed: a call was imposed on an image, or could not be */
    MESSAGE_INHERITED, /* struct message_inherited: a forked child has the imposed call of its parent */
    MESSAGE_UPDATE,    /* struct message_update: an imposed call's buffer has changed */
    MESSAGE_CODE,      /* struct message_code and the bytes: what COMMAND_CODE asked for */
    MESSAGE_OBJECT, /* struct message_object and the bytes of its parts: before the first capture that refers to it */
};

/* The number of the command's first image. */
enum { FIRST_IMAGE = 1 };

/* Of a longer command line, the beginning and the end are sent. */
enum { COMMAND_LINE_END = 2048, COMMAND_LINE_MOST = 3 * COMMAND_LINE_END };

struct message_image {
    uint32_t image, generation;
    pid_t pid, parent;
    char comm[16];
    uint32_t has_rank;    /* 1: it is a process of a parallel job */
    uint32_t rank, ranks; /* its number and the number of ranks; 0: unknown */
    uint64_t program;     /* the same number for all images of one executable file, by its path; 0: not known */
    char job[32];         /* the job's number; "": not known. Set without has_rank, too */
};

struct message_image_end {
    uint32_t image;
    uint32_t alive;   /* 1: the process runs on, without us */
    uint64_t cpu_ns;  /* CPU time of the image */
    uint64_t wait_ns; /* time that its threads lived without running, where waiting threads are sampled */
    char comm[16];    /* the name that it had in the end; "?": not known */
};

struct message_maps {
    uint32_t image;
    uint32_t length; /* of the text, which follows and is not 0-terminated */
    uint64_t entry;  /* where the image's program begins; 0: not known */
};

struct message_thread {
    uint32_t image;
    pid_t tid;
    char comm[16];
};

struct message_capture {
    uint32_t image;
    pid_t tid;
    int32_t syscall;             /* the system call where it was sampled, or enum wait_place; -1: user code */
    uint32_t stack_size;         /* bytes of stack that follow the runs, at least as many as these have */
    uint64_t weight_ns;          /* CPU time that it represents, see account_bill */
    uint64_t own_ns;             /* of that, what is not shared with its neighbours, see level_own; may be more */
    uint64_t period_ns;          /* between two samples when it was taken; 0: it is of a waiting thread */
    uint64_t fault_ns;           /* of that, the kernel's for page faults, see faults_bill; 0 in a system call */
    uint64_t wait_ns, queued_ns; /* time that it waited for anything, and for a CPU, see wait_bill */
    uint64_t time_ns;            /* monotonic */
    uint32_t waiting;            /* 1: it was not stopped, as it waits; of the registers only PC and SP are known */
    uint32_t run_count;
    uint32_t stack_depth; /* if only a part of the stack was to be copied: bytes from the stack pointer to the end of
                             the stack, or of the copy if that end is unknown; else 0 */
    uint32_t bare;        /* 1: only the system call is known; the registers are another thread's, or gone */
    uint32_t interp_size; /* bytes behind those of the stack: struct recipe_stack and its nodes; or 0 */
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

/* The copied frames of an interpreted language: interp_size bytes, possibly unaligned. */
static inline const unsigned char *message_interp(const struct message_capture *message)
{
    return message_stack(message) + message->stack_size;
}

/* Follows a capture with waiting set, once or more often. */
struct message_waited {
    uint32_t image;
    pid_t tid;
    uint64_t count; /* samples that would have shown the same */
    uint64_t wait_ns;
    uint64_t time_ns; /* monotonic: until then */
    uint32_t over;    /* 1: it does not wait there any longer */
    uint32_t padding;
};

/* Refers to no earlier message, because the front may not have read that from the other ring yet. */
struct message_entries {
    uint32_t image;
    pid_t pid, tid;
    uint32_t length; /* of the text */
};

enum trouble {
    TROUBLE_CALLS,  /* its calls are not served to the end */
    TROUBLE_STACKS, /* its memory must not be read */
    TROUBLE_KIND,   /* it is not sampled: a program of a kind that is not supported */
    TROUBLES
};

struct message_trouble {
    uint32_t what; /* enum trouble; reported once for each process and image */
    uint32_t image;
    pid_t pid;
    int32_t error; /* errno */
    char comm[16];
};

/* Why a call could not be imposed on an image. */
enum calls_refusal {
    CALLS_IMPOSED,
    CALLS_REFUSED_FILTER, /* a seccomp filter that ptprofil itself does not have may forbid it */
    CALLS_REFUSED_TEXT,   /* it has no mapped file whose code the histogram could cover */
    CALLS_REFUSED_WAY,    /* no system call could be made in it; error says why */
    CALLS_REFUSED_MEMORY, /* mmap failed with error */
    CALLS_REFUSED_CALL    /* the call itself failed with error */
};

struct message_imposed {
    uint32_t image;
    pid_t pid;
    uint32_t generation;
    uint32_t refusal; /* enum calls_refusal */
    int32_t error;    /* errno */
    uint32_t scale;   /* this and the rest: arguments of profil */
    uint64_t offset, size;
    char comm[16];
    uint32_t compat; /* 1: on a 32-bit program */
    uint32_t padding;
};

struct message_inherited {
    uint32_t image, origin; /* the child's and the parent's */
    pid_t pid;              /* the child's */
    uint32_t generation;
};

struct message_update {
    uint32_t image;
    uint32_t cell;   /* 1: a histogram's */
    uint64_t number; /* of the histogram cell; for pcsample the PC */
    uint64_t value;  /* the new content of the cell; for pcsample how many times the PC was stored */
};

/* One for each page that was asked for. */
struct message_code {
    uint32_t image;
    uint32_t length; /* of the bytes; 0: they cannot be read */
    uint64_t address;
    uint32_t last; /* 1: all have been answered */
    uint32_t padding;
};

/* An object that the frames of an interpreted language refer to, by its serial: a number that is never used again. The
 * children of a process refer to its objects, too. */
struct message_object {
    uint32_t serial;
    uint32_t runtime; /* of the recipe */
    uint32_t shape;   /* of the recipe's */
    uint32_t part_count;
    uint64_t address;
    uint32_t sizes[RECIPE_PARTS_MOST + 1]; /* bytes of each part; they lie one behind the other */
    uint32_t padding;
};

#endif

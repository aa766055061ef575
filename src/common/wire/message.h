/* SPDX-License-Identifier: MIT
 *
 * Messages from the tracer to the front. Both are the same program. But the front checks what it reads, because tracees
 * determine the content of messages. */
#ifndef WIRE_MESSAGE_H
#define WIRE_MESSAGE_H

#include "common/arch/registers.h"
#include "common/base/memory_run.h"
#include "common/model/cgroup.h"
#include "common/wire/recipe.h"

#include <stdint.h>
#include <sys/types.h>

/* Messages in the rings. "image" is the number in MESSAGE_IMAGE. */
enum message_type {
    MESSAGE_IMAGE =
        1, /* struct message_image and the command line as in /proc/PID/cmdline: a process begins an image */
    MESSAGE_IMAGE_END, /* struct message_image_end */
    MESSAGE_MAPS,      /* struct message_maps and the executable lines of the maps file; without text: nothing has
                        * changed */
    MESSAGE_THREAD,    /* struct message_thread: a thread's name, before its first capture, and again sometimes */
    MESSAGE_CAPTURE,   /* struct message_capture, a struct memory_run for each copied part of the stack, the bytes of
                        * these parts, and the frames of an interpreted language */
    MESSAGE_WAITED,    /* struct message_waited: how long a thread has waited at the location in its last capture */
    MESSAGE_ENTRIES,   /* struct message_entries and the text of the maps file, as in MESSAGE_MAPS: asks where the calls
                        * begin. The thread is held until the answer. The only message in the ring of questions */
    MESSAGE_TROUBLE,   /* struct message_trouble: something does not work for a process */
    MESSAGE_IMPOSED,   /* struct message_imposed: a call was imposed on an image, or could not be */
    MESSAGE_INHERITED, /* struct message_inherited: a forked child has the imposed call of its parent */
    MESSAGE_UPDATE,    /* struct message_update: an imposed call's buffer has changed */
    MESSAGE_CODE,      /* struct message_code and the bytes: answer to COMMAND_CODE */
    MESSAGE_OBJECT,    /* struct message_object and the bytes of its parts: sent before the first capture that refers to
                        * it */
    MESSAGE_CALL,      /* struct message_call: what a waiting thread waits for, after its capture for COMMAND_LOOK */
    MESSAGE_LOOKED,    /* struct message_looked: all captures for COMMAND_LOOK have been sent */
};

/* The number of the command's first image. */
enum { FIRST_IMAGE = 1 };

/* Only the beginning and the end of a longer command line are sent. */
enum { COMMAND_LINE_END = 2048, COMMAND_LINE_MOST = 3 * COMMAND_LINE_END };

struct message_image {
    uint32_t image, generation;
    pid_t pid, parent;
    char comm[16];
    uint32_t has_rank;         /* 1: it is a process of a parallel job */
    uint32_t rank, ranks;      /* its rank, and the number of ranks; 0: unknown */
    uint64_t program;          /* equal for all images with the same path of their executable file; 0: unknown */
    char job[32];              /* number of the job; "": unknown. Also set without has_rank */
    struct cgroup_names names; /* if requested */
};

struct message_image_end {
    uint32_t image;
    uint32_t alive;   /* 1: the process continues without a tracer */
    uint64_t cpu_ns;  /* CPU time of the image */
    uint64_t wait_ns; /* time that its threads lived without running, if waiting threads are sampled */
    char comm[16];    /* its last name; "?": unknown */
};

struct message_maps {
    uint32_t image;
    uint32_t length; /* length of the text, which follows and has no 0 at its end */
    uint64_t entry;  /* address where the image's program begins; 0: unknown */
};

struct message_thread {
    uint32_t image;
    pid_t tid;
    char comm[16];
};

struct message_capture {
    uint32_t image;
    pid_t tid;
    int32_t syscall;             /* the system call, or enum wait_place, in which it was sampled; -1: user code */
    uint32_t stack_size;         /* bytes of stack after the runs, at least the size of all runs */
    uint64_t weight_ns;          /* CPU time that it represents, see account_bill */
    uint64_t own_ns;             /* part of weight_ns that is not shared with neighbours, see level_own; may be more
                                  * than it */
    uint64_t period_ns;          /* time between two samples at that time; 0: sample of a waiting thread */
    uint64_t fault_ns;           /* part of weight_ns for page faults, see faults_bill; 0 in a system call */
    uint64_t wait_ns, queued_ns; /* time waited for anything, and for a CPU, see wait_bill */
    uint64_t time_ns;            /* monotonic */
    uint32_t waiting;            /* 1: it waits and was not stopped; only PC and SP of the registers are known */
    uint32_t run_count;
    uint32_t stack_depth; /* if only a part of the stack was to be copied: bytes from the stack pointer to the end of
                             the stack, or of the copy if that end is unknown; else 0 */
    uint32_t bare;        /* 1: only the system call is known; the registers are another thread's, or gone */
    uint32_t interp_size; /* bytes behind those of the stack: for each recipe a struct recipe_stack and its nodes; or
                           * 0 */
    struct arch_registers registers;
};

/* message_runs returns the runs of a capture; the stack follows them. */
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

/* Follows a capture with waiting set, once or several times. */
struct message_waited {
    uint32_t image;
    pid_t tid;
    uint64_t count;              /* number of samples that would have shown the same */
    uint64_t wait_ns, queued_ns; /* as in struct message_capture */
    uint64_t time_ns;            /* monotonic: until then */
    uint32_t over;               /* 1: it no longer waits there */
    uint32_t padding;
};

/* It refers to no earlier message, because the front may not have read that from the other ring yet. */
struct message_entries {
    uint32_t image;
    pid_t pid, tid;
    uint32_t length; /* of the text */
};

enum trouble {
    TROUBLE_CALLS,  /* its calls are no longer served */
    TROUBLE_STACKS, /* its memory must not be read */
    TROUBLE_KIND,   /* it is not sampled: this kind of program is not supported */
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
    uint32_t scale;   /* this member and the next two: arguments of profil */
    uint64_t offset, size;
    char comm[16];
    uint32_t compat; /* 1: for a 32-bit program */
    uint32_t padding;
};

struct message_inherited {
    uint32_t image, origin; /* of the child and of the parent */
    pid_t pid;              /* of the child */
    uint32_t generation;
};

struct message_update {
    uint32_t image;
    uint32_t cell;   /* 1: a histogram's */
    uint64_t number; /* number of the histogram cell; for pcsample the PC */
    uint64_t value;  /* new value of the cell; for pcsample how many times the PC was stored */
};

/* Sent once for each requested page. */
struct message_code {
    uint32_t image;
    uint32_t length; /* size of the bytes; 0: they cannot be read */
    uint64_t address;
    uint32_t last; /* 1: the last requested page */
    uint32_t padding;
};

enum { CALL_ARGUMENTS = 6, CALL_WORDS = 8 };

struct message_call {
    uint32_t image;
    pid_t tid;
    int32_t syscall;     /* -1: it waits outside of system calls */
    pid_t holder;        /* the thread that has the language's lock, if it waits for that; 0: unknown */
    uint32_t word_count; /* how many words could be read, of: */
    uint32_t padding;
    uint64_t arguments[CALL_ARGUMENTS];
    uint32_t words[CALL_WORDS]; /* the memory at the futex */
};

struct message_looked {
    uint32_t number; /* of the command, counted from 1 */
    uint32_t missed; /* threads that could not be captured in time */
};

/* An object to which frames of an interpreted language refer by its serial, a number. The children of a process refer
 * to its objects, too. After twice this time, no capture refers to a serial any more: an object that is still needed
 * has been sent again, with another serial. */
#define MESSAGE_OBJECT_VALID_NS UINT64_C(120000000000)

struct message_object {
    uint32_t serial;
    uint32_t runtime; /* of the recipe */
    uint32_t shape;   /* of the recipe's */
    uint32_t part_count;
    uint64_t address;
    uint32_t sizes[RECIPE_PARTS_MOST + 1]; /* bytes of each part; the parts follow each other */
    uint32_t padding;
};

#endif

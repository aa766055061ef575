/* SPDX-License-Identifier: MIT
 *
 * The finished profile, as data. Writers in report/ and stored/ read this and nothing else. It has all names, holds
 * no descriptor and refers to no live process. Indices refer to arrays of the same struct; PROFILE_NONE is no index.
 * All strings end with a 0 and are owned by the profile. Names of files, symbols and commands come from strangers: a
 * writer escapes them for its format. */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include "base/viewer.h"
#include "model/counters.h"
#include "profile/instants.h"
#include "profile/sources.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROFILE_NONE UINT32_MAX

/* The only reason for an early end of sampling that is not an error. */
#define PROFILE_ENDED_DURATION "the duration asked for was over"

/* Names used where no function or file exists: CPU time without a sample, and that of programs without any; the file
 * of system calls; the root of a stack that could not be copied, or followed, further, or that was collapsed. */
#define PROFILE_NAME_UNSAMPLED "[unsampled]"
#define PROFILE_NAME_NO_SAMPLES "[no samples]"
#define PROFILE_NAME_KERNEL "[kernel]"
#define PROFILE_NAME_TRUNCATED "[truncated]"
#define PROFILE_NAME_UNKNOWN "[unknown]"
#define PROFILE_NAME_MERGED "[merged]"

/* Which part of a parallel job (of MPI) a process is. */
struct profile_rank {
    bool known;
    uint32_t number, count; /* count: ranks of the job; 0: not known */
    const char *host, *job; /* NULL: not known; of reasons */
};

/* A process image: what one process ran between two execs. */
struct profile_process {
    pid_t pid;
    uint32_t image;        /* 0 for the first image seen of this pid, 1 after its first exec seen, ... */
    char *comm;            /* the kernel's name of its main thread, at most 15 bytes */
    const char *command;   /* its command line, or NULL: not known; one of reasons */
    uint64_t cpu_ns;       /* CPU time of the image while it was watched: its samples plus unsampled_ns */
    uint64_t unsampled_ns; /* CPU time that no sample represents */
    uint64_t wait_ns;      /* the same for time that its threads lived without running, if wanted */
    uint64_t unsampled_wait_ns;
    uint32_t module; /* its executable, or PROFILE_NONE */
    struct profile_rank rank;
    const char *not_sampled; /* of a stored profile: why it was not sampled at all, or NULL; one of reasons */
};

struct profile_thread {
    uint32_t process;
    pid_t tid; /* 0: represents several threads that have ended, kept together to bound memory */
    char *comm;
    bool estimated; /* it has the time of its process that no sample represents, where that was estimated to be */
};

/* A mapped object. */
struct profile_module {
    char *path;                     /* the full path, or "[vdso]", "[jit]", "[anon]", "[unknown]" */
    const char *name;               /* what a table shows: points into path, after its last slash */
    char *build_id;                 /* lower-case hex, or NULL */
    uint64_t text_start, text_end;  /* ELF virtual addresses of its executable segments; 0, 0 where not an ELF file */
    uint64_t text_offset;           /* where text_start is in the file */
    bool deleted;                   /* the file was already removed or replaced when it was sampled */
    bool executable;                /* the main program of some process, not a library */
    bool is_compat;                 /* of 32-bit programs */
    bool no_symbols;                /* an ELF file without a full symbol table: only exported functions have names */
    struct viewer viewer;           /* the user by whose rights files are opened that it names; not stored */
    bool viewer_named;              /* it is named by that user itself */
    struct profile_sources sources; /* of an interpreted language */
    bool lines_cut;                 /* its debug information was broken, or too much to read: lines are missing */
};

struct profile_function {
    uint32_t module;
    char *name;            /* demangled, whole; "module+0xstart" for a nameless range of stripped code; "name@plt" */
    const char *full_name; /* the full name if NAME is a short one; else NULL; not owned */
    char *linkage_name;    /* as in the symbol table, or NULL if name is not from one */
    uint64_t start, end;   /* ELF virtual addresses; end 0 if unknown; both 0 for functions without an address */
};

/* A place in the source. */
struct profile_line {
    uint32_t function; /* the function of the line: an inlined one, or the location's own */
    uint32_t file;     /* index of files, or PROFILE_NONE */
    uint32_t line;     /* 0: not known */
};

/* A sampled instruction, or a call. */
struct profile_location {
    uint32_t module;
    uint32_t function; /* never PROFILE_NONE: unknown code has a function of that name in the module */
    uint64_t address;  /* ELF virtual address in an ELF module, else the address in the process. For a caller, of the
                          last byte of the call, so that it lies in the call's own line */
    /* Its lines, innermost first: calls inlined into the function come before it, each is a frame of its own; the last
     * is of the function itself. Count 0: nothing is known, the function is the only frame. */
    uint32_t line_first, line_count;
};

/* How a stack ends, root side. */
enum profile_cut {
    PROFILE_WHOLE,     /* it reaches the start of the thread, or stacks were not asked for */
    PROFILE_TRUNCATED, /* the copy of the stack, or the number of frames, ended before: shown as a root "[truncated]" */
    PROFILE_UNKNOWN,   /* no way to a caller was found: shown as a root "[unknown]" */
    PROFILE_MERGED     /* the frames above were not kept, for want of memory: shown as a root "[merged]" */
};

/* Equal captures, added up. A sample's stack is frames[frame_first .. frame_first + frame_count), leaf first, each an
 * index of a location; samples may share them. */
struct profile_sample {
    uint32_t thread;
    uint32_t frame_first, frame_count; /* count is at least 1 */
    int32_t syscall;                   /* number of the system call that the thread was caught in, or enum wait_place;
                                          -1: in user code. It is then the real leaf, shown as a frame "[name]" */
    uint8_t cut;                       /* enum profile_cut: what the stack's root lacks */
    uint64_t count;                    /* samples taken */
    uint64_t cpu_ns;                   /* the CPU time that they represent */
    uint64_t wait_ns;                  /* the time without a CPU that they represent */
    uint64_t period_ns; /* the time between two samples when each of them was taken, added up; 0: unknown */
};

/* A moment that somebody wanted to find again. */
struct profile_mark {
    uint64_t time_ns; /* since the beginning, as of the instants */
    char *text;
};

/* From AT_NS after the beginning on, HZ samples a second were asked for. */
struct profile_rate_change {
    uint64_t at_ns;
    uint32_t hz;
};

enum { PROFILE_RATE_CHANGES = 8 };

/* How good the profile is; see the summary line in ptprofil(1). */
struct profile_quality {
    uint64_t began_ns;  /* real time since 1970 at the beginning of wall_ns; 0: not known */
    uint64_t off_ns;    /* of wall_ns, while sampling was switched off */
    uint64_t wall_ns;   /* from the first instruction of the command, or attaching, to the end */
    uint32_t rate;      /* samples a second of CPU time, or of wall time, as asked for at first */
    uint32_t last_rate; /* the same in the end; of several profiles, the highest of the first and the lowest of the
                           last ones. 0: not known, as of files of others */
    struct profile_rate_change changes[PROFILE_RATE_CHANGES]; /* of one recording's rate */
    size_t change_count;
    bool wall;             /* waiting threads were sampled, too */
    uint32_t lowest_rate;  /* the lowest rate that the overhead limit brought; == rate if it never did */
    unsigned max_overhead; /* the overhead limit in percent; 0: off */
    uint64_t samples;      /* stored in the profile */
    uint64_t due;          /* number of samples that the sampled time would give at the requested rate */
    /* A sample that was due and not taken is represented by the next one of its thread. Missed samples and samples
     * taken add up to due, as far as the reasons are known. */
#define COUNTER(name, number, key, text) uint64_t name;
    QUALITY_COUNTERS(COUNTER)
#undef COUNTER
    uint64_t pause_median_ns; /* of a stop, from the request until the thread was let go */
    uint64_t pause_p99_ns;
    uint64_t supervisor_cpu_ns; /* CPU time of the tracer and of the front while it ran */
    uint32_t signal;            /* the signal that ended the command; 0: none */
    const char *ended_early;    /* why sampling ended before the program did, or NULL; a literal or one of reasons */
};

struct profile {
    struct profile_process *processes; /* in the order of their first appearance: [0] is the command's first image */
    struct profile_thread *threads;
    struct profile_module *modules;
    struct profile_function *functions;
    struct profile_location *locations;
    struct profile_line *lines;
    char **files; /* paths of source files, as the debug information has them */
    uint32_t *frames;
    struct profile_sample *samples;
    uint32_t *places; /* the location of each number of record_place, or PROFILE_NONE */
    size_t process_count, thread_count, module_count, function_count, location_count, frame_count, sample_count,
        place_count;
    size_t base_count; /* number of processes at the beginning that are the base of a comparison */
    size_t line_count, file_count;
    char **reasons; /* texts that other members point to */
    size_t reason_count;
    /* When the samples were taken. The entries of a sample add up to no more than its time; the time of the
     * remainder, and of time without samples, is unknown. Files of other programs have no times. */
    struct instants instants;
    struct profile_mark *marks;
    size_t mark_count;
    size_t without_inlined; /* callers whose inlined calls were dropped for lack of memory; not stored */
    struct profile_quality quality;
    uint64_t whole_ns; /* of what has been cut down to a part: what profile_ns was before; 0: it has not */
    uint64_t *left_ns; /* what each of the options that did it left, together with those before it; or NULL; owned */
    char *command;     /* the command line as it would be typed, or NULL */
    bool estimated;    /* where a program has samples, they represent all of its time: see profile/estimate.h */
};

/* Frees everything that PROFILE holds and PROFILE itself. NULL is allowed. */
void profile_free(struct profile *profile);

/* How many samples PROFILE has: what its entries count. */
uint64_t profile_samples(const struct profile *profile);

/* The CPU time of all processes of PROFILE, [unsampled] included, in nanoseconds; the time that their threads
 * waited; and both together, which is what all formats add up to. */
uint64_t profile_cpu_ns(const struct profile *profile);
uint64_t profile_wait_ns(const struct profile *profile);
uint64_t profile_ns(const struct profile *profile);

/* The estimated part of profile_ns, and its unsampled part. */
uint64_t profile_estimated_ns(const struct profile *profile);
uint64_t profile_all_unsampled_ns(const struct profile *profile);

/* The same for the profile of which PROFILE is a part, or for PROFILE itself: the basis of percentages. */
uint64_t profile_whole_ns(const struct profile *profile);

/* The time that SAMPLE represents, and the unsampled time of PROCESS: running and waiting together. */
static inline uint64_t profile_sample_ns(const struct profile_sample *sample)
{
    return sample->cpu_ns + sample->wait_ns;
}

static inline uint64_t profile_unsampled_ns(const struct profile_process *process)
{
    return process->unsampled_ns + process->unsampled_wait_ns;
}

/* The name for time without a sample. */
const char *profile_unsampled_name(const struct profile *profile);

/* The root frame of a stack with this cut, which must not be PROFILE_WHOLE; and the reverse, PROFILE_WHOLE for any
 * other name. */
const char *profile_cut_name(enum profile_cut cut);
enum profile_cut profile_cut_of(const char *name);

/* The last rate, or the only known one. */
uint32_t profile_last_rate(const struct profile_quality *quality);

/* Adds the times and counts of MORE to SUM; the rest of SUM stays. */
void profile_sample_add(struct profile_sample *sum, const struct profile_sample *more);

/* Returns the part of a module's PATH that tables show: after its last slash. Points into PATH. */
const char *profile_module_name(const char *path);

/* The name of Linux system call NUMBER, or of that enum wait_place, without brackets, or NULL for a number
 * without a name. */
const char *profile_syscall_name(int32_t number);

/* The number of that name, or -1. */
int32_t profile_syscall_number(const char *name);

#endif

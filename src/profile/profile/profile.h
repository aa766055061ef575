/* SPDX-License-Identifier: MIT
 *
 * The finished profile, as data. Writers in report/ and stored/ read only this. It has all names, holds no descriptor
 * and refers to no live process. Indices refer to arrays of the same struct; PROFILE_NONE means no index. All strings
 * end with a 0 and belong to the profile. Names of files, symbols and commands come from strangers: a writer escapes
 * them for its format. */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include "profile/profile/instants.h"
#include "profile/profile/sources.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROFILE_NONE UINT32_MAX

/* The only reason for an early end of sampling that is not an error. */
#define PROFILE_ENDED_DURATION "the duration asked for was over"

/* Names used where no function or file exists. In order: CPU time without a sample, also of programs without any; the
 * file of system calls; the root of a stack that was cut off, that could not be followed further, or that was
 * collapsed. */
#define PROFILE_NAME_UNSAMPLED "[unsampled]"
#define PROFILE_NAME_NO_SAMPLES "[no samples]"
#define PROFILE_NAME_KERNEL "[kernel]"
#define PROFILE_NAME_TRUNCATED "[truncated]"
#define PROFILE_NAME_UNKNOWN "[unknown]"
#define PROFILE_NAME_MERGED "[merged]"

/* Rank of a process in a parallel job (MPI). */
struct profile_rank {
    bool known;
    uint32_t number, count; /* count: number of ranks in the job; 0: unknown */
    const char *host, *job; /* NULL: unknown; texts are in reasons */
};

/* A process image: the program that a process ran between two execs. */
struct profile_process {
    pid_t pid;
    uint32_t image;        /* 0 for the first image seen of this pid, 1 after its first exec, and so on */
    char *comm;            /* the kernel's name of its main thread, at most 15 bytes */
    const char *command;   /* its command line, or NULL: unknown; text is in reasons */
    uint64_t cpu_ns;       /* CPU time of the image while it was watched: its samples plus unsampled_ns */
    uint64_t unsampled_ns; /* CPU time that no sample represents */
    uint64_t wait_ns;      /* the same for time that its threads lived without running, if measured */
    uint64_t unsampled_wait_ns;
    uint32_t module; /* its executable, or PROFILE_NONE */
    struct profile_rank rank;
    const char *unit, *container; /* see struct cgroup_names; NULL: not known; of reasons. Not stored */
    const char *not_sampled;      /* for a stored profile: why it was not sampled at all, or NULL; text is in reasons */
};

struct profile_thread {
    uint32_t process;
    pid_t tid; /* 0: stands for several ended threads, stored together to limit memory */
    char *comm;
    bool estimated; /* it has the estimated part of its process's unsampled time */
};

/* A mapped object. */
struct profile_module {
    char *path;                     /* full path, or "[vdso]", "[jit]", "[anon]", "[unknown]" */
    const char *name;               /* name in tables: the part of path after its last slash */
    char *build_id;                 /* lower-case hex, or NULL */
    uint64_t text_start, text_end;  /* ELF virtual addresses of its executable segments; 0, 0: not an ELF file */
    uint64_t text_offset;           /* offset of text_start in the file */
    bool deleted;                   /* the file was already removed or replaced when it was sampled */
    bool executable;                /* the main program of a process, not a library */
    bool is_compat;                 /* contains code of 32-bit programs */
    bool no_symbols;                /* an ELF file without a full symbol table: only exported functions have names */
    struct viewer viewer;           /* user with whose rights files named by it are opened; not stored */
    bool viewer_named;              /* that user named this module */
    struct profile_sources sources; /* for an interpreted language */
    bool lines_cut;                 /* its debug information was broken or too large, so lines are missing */
};

struct profile_function {
    uint32_t module;
    char *name;            /* demangled and complete; "module+0xstart" for a nameless range of stripped code;
                            * "name@plt" */
    const char *full_name; /* the full name if NAME is a short one, otherwise NULL; not owned */
    char *linkage_name;    /* name in the symbol table; NULL if it does not come from one */
    uint64_t start, end;   /* ELF virtual addresses; end 0: unknown; both 0 for functions without an address */
};

/* A line of the source. */
struct profile_line {
    uint32_t function; /* the function of the line: an inlined one, or the location's own */
    uint32_t file;     /* index of files, or PROFILE_NONE */
    uint32_t line;     /* 0: not known */
};

/* A sampled instruction, or a call instruction. */
struct profile_location {
    uint32_t module;
    uint32_t function; /* never PROFILE_NONE: unknown code has a function "[unknown]" in its module */
    uint64_t address;  /* ELF virtual address in an ELF module, otherwise the address in the process. For a caller, the
                        * last byte of the call instruction, so that it belongs to the call's line */
    /* Its lines, innermost first. Each inlined call is a frame of its own; the last line belongs to the function
     * itself. Count 0: no line is known, and the function is the only frame. */
    uint32_t line_first, line_count;
};

/* How a stack ends on the root side. */
enum profile_cut {
    PROFILE_WHOLE,     /* it reaches the start of the thread, or stacks were not requested */
    PROFILE_TRUNCATED, /* the copy of the stack, or the limit of frames, ended before: shown as a root "[truncated]" */
    PROFILE_UNKNOWN,   /* the caller could not be found: shown as a root "[unknown]" */
    PROFILE_MERGED     /* the frames above were dropped to save memory: shown as a root "[merged]" */
};

/* Equal captures, added up. A sample's stack is frames[frame_first .. frame_first + frame_count), leaf first, each an
 * index of a location. Samples may share them. */
struct profile_sample {
    uint32_t thread;
    uint32_t frame_first, frame_count; /* count is at least 1 */
    int32_t syscall;                   /* number of the thread's system call, or enum wait_place; -1: in user code. If
                                        * it is not -1, it is the leaf, shown as a frame "[name]" */
    uint8_t cut;                       /* enum profile_cut: what is missing at the stack's root */
    uint64_t count;                    /* samples taken */
    uint64_t cpu_ns;                   /* the CPU time that they represent */
    uint64_t wait_ns;                  /* the time without a CPU that they represent */
    uint64_t period_ns;                /* sum of the time between two samples at each of them; 0: unknown */
};

/* A time that the user has marked. */
struct profile_mark {
    uint64_t time_ns; /* time since the beginning, as in the instants */
    char *text;
};

/* From AT_NS after the beginning on, the requested rate was HZ samples a second. */
struct profile_rate_change {
    uint64_t at_ns;
    uint32_t hz;
};

enum { PROFILE_RATE_CHANGES = 8, PROFILE_COUNTERS = 24 };

/* Quality of the profile; see THE SUMMARY LINE in ptprofil-profile(7). */
struct profile_quality {
    uint64_t began_ns;  /* real time since 1970 at the beginning of wall_ns; 0: unknown */
    uint64_t off_ns;    /* part of wall_ns in which sampling was switched off */
    uint64_t wall_ns;   /* from the first instruction of the command, or from attaching, to the end */
    uint32_t rate;      /* requested samples a second of CPU time, or of wall time, at the beginning */
    uint32_t last_rate; /* the same at the end. For several profiles: the highest of the first rates, and the lowest of
                         * the last ones. 0: unknown, for example in other programs' files */
    struct profile_rate_change changes[PROFILE_RATE_CHANGES]; /* the rates of one recording */
    size_t change_count;
    bool wall;             /* waiting threads were sampled, too */
    uint32_t lowest_rate;  /* the lowest rate set by the overhead limit; == rate: it was never lowered */
    unsigned max_overhead; /* the overhead limit in percent; 0: off */
    uint64_t samples;      /* stored in the profile */
    uint64_t due;          /* number of samples that the sampled time would give at the requested rate */
    /* A sample that was due and not taken is represented by the next one of its thread. Samples taken and missed
     * samples add up to due, as far as the reasons are known. */
    uint64_t counters[PROFILE_COUNTERS]; /* by enum quality_counter, model/quality.h */
    uint64_t pause_median_ns;            /* duration of stops, from the request until the thread was resumed */
    uint64_t pause_p99_ns;
    uint64_t supervisor_cpu_ns; /* CPU time of the tracer, and of the front during that time */
    uint32_t signal;            /* the signal that ended the command; 0: none */
    const char *ended_early;    /* why sampling ended before the program did, or NULL; a literal, or text in reasons */
};

struct profile {
    struct profile_process *processes; /* in the order of their first appearance; [0] is the command's first image */
    struct profile_thread *threads;
    struct profile_module *modules;
    struct profile_function *functions;
    struct profile_location *locations;
    struct profile_line *lines;
    char **files; /* paths of source files in the debug information */
    uint32_t *frames;
    struct profile_sample *samples;
    uint32_t *places; /* the location of each number of record_place, or PROFILE_NONE */
    size_t process_count, thread_count, module_count, function_count, location_count, frame_count, sample_count,
        place_count;
    size_t base_count; /* number of processes at the beginning that are the base of a comparison */
    size_t line_count, file_count;
    size_t idle_threads; /* that idle_fold has found */
    char **reasons;      /* texts to which other members point */
    size_t reason_count;
    /* When the samples were taken. The entries of a sample add up to at most its time; the time of the remainder, and
     * of time without samples, is unknown. Files of other programs have no times. */
    struct instants instants;
    struct profile_mark *marks;
    size_t mark_count;
    size_t without_inlined; /* callers whose inlined calls were dropped to save memory; not stored */
    struct profile_quality quality;
    uint64_t whole_ns; /* for a filtered profile: profile_ns before filtering; 0: not filtered */
    uint64_t *left_ns; /* profile_ns after each filter option, applied in order; or NULL; owned */
    char *command;     /* the command line as typed, or NULL */
    bool estimated;    /* samples of a program represent all of its time, see profile/estimate.h */
};

/* Frees PROFILE and everything in it. NULL is allowed. */
void profile_free(struct profile *profile);

/* Returns the number of samples in PROFILE: the sum of their counts. */
uint64_t profile_samples(const struct profile *profile);

/* Return, in nanoseconds, the CPU time of all processes of PROFILE including [unsampled], the waiting time of their
 * threads, and the sum of both, which all formats add up to. */
uint64_t profile_cpu_ns(const struct profile *profile);
uint64_t profile_wait_ns(const struct profile *profile);
uint64_t profile_ns(const struct profile *profile);

/* Return the estimated part and the unsampled part of profile_ns. */
uint64_t profile_estimated_ns(const struct profile *profile);
uint64_t profile_all_unsampled_ns(const struct profile *profile);

/* Returns the time before filtering, or profile_ns if PROFILE was not filtered: the basis of percentages. */
uint64_t profile_whole_ns(const struct profile *profile);

/* Return the time that SAMPLE represents, or the unsampled time of PROCESS: running plus waiting. */
static inline uint64_t profile_sample_ns(const struct profile_sample *sample)
{
    return sample->cpu_ns + sample->wait_ns;
}

static inline uint64_t profile_unsampled_ns(const struct profile_process *process)
{
    return process->unsampled_ns + process->unsampled_wait_ns;
}

/* Returns the name for time without a sample. */
const char *profile_unsampled_name(const struct profile *profile);

/* profile_cut_name returns the root frame of a stack with this cut (not PROFILE_WHOLE). The other function returns the
 * cut for a name, or PROFILE_WHOLE for any other name. */
const char *profile_cut_name(enum profile_cut cut);
enum profile_cut profile_cut_of(const char *name);

/* Returns the last rate, or the only known one. */
uint32_t profile_last_rate(const struct profile_quality *quality);

/* Adds the times and counts of MORE to SUM; the other members of SUM stay. */
void profile_sample_add(struct profile_sample *sum, const struct profile_sample *more);

/* Returns the service that PROCESS belongs to: its systemd unit without ".service", written to the SIZE bytes of TEXT,
 * or else NAME. */
const char *profile_service(const struct profile_process *process, const char *name, char *text, size_t size);

/* Returns the part of a module's PATH that tables show: after its last slash. Points into PATH. */
const char *profile_module_name(const char *path);

/* Returns the name, without brackets, of Linux system call NUMBER or of that enum wait_place; NULL if it has none. */
const char *profile_syscall_name(int32_t number);

/* Returns the number for that name, or -1. */
int32_t profile_syscall_number(const char *name);

#endif

/* SPDX-License-Identifier: MIT
 *
 * The record: the sum of all captures of a run. Its size depends on the number of distinct stacks, threads and images,
 * not on time. If there are very many threads or images, or half of the allowed memory is used, later ones share an
 * entry. If stacks would need more than the allowed memory, only the frames near the leaf are kept. */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include "common/model/address_map.h"
#include "common/model/level.h"
#include "front/record/object.h"
#include "front/record/scripts.h"
#include "profile/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct cgroup_names;
struct unwind_frame;

/* A running image, or the totals of one that has ended. */
struct record_image {
    uint32_t number;  /* the tracer's number; 0 after its end */
    pid_t pid;        /* 0: stands for many images of one name */
    uint32_t members; /* number of ended images that this entry stands for */
    uint32_t place;   /* index of images: the entry that counts its samples and, at the end, its times; mostly its
                       * own */
    uint32_t generation;
    char comm[16];
    uint32_t command;         /* index of commands; HASH_NONE if unknown */
    bool has_rank;            /* it is a process of a parallel job */
    uint32_t rank, ranks;     /* its rank, and the number of ranks; 0: unknown */
    uint32_t job;             /* index of commands; HASH_NONE if unknown */
    uint32_t unit, container; /* indices of commands; HASH_NONE if unknown */
    uint64_t cpu_ns, unsampled_ns, sampled_ns;
    uint64_t wait_ns, unsampled_wait_ns, sampled_wait_ns; /* the same for time without a CPU */
    uint64_t earlier_ns, earlier_wait_ns;                 /* sampled before the last record_renew */
    uint32_t threads;                                     /* number of threads with entries of their own */
    struct address_map map;
    uint32_t *objects;     /* one for each range of the map */
    uint64_t entry;        /* address where its program begins; 0: unknown */
    uint32_t program;      /* object of its executable; HASH_NONE if unknown */
    uint64_t executable;   /* number that stands for its file's path, see procfs_program; 0: unknown */
    bool copies_doubted;   /* memory without a file may soon become a copy of a file's code */
    uint32_t copies_looks; /* looks at such memory so far */
};

struct record_thread {
    uint32_t image; /* index of images */
    pid_t tid;      /* 0: all other threads of that image */
    char comm[16];
    uint32_t levelled; /* number of its levels, from 1 on; 0: none */
};

/* The weights of a thread in a running image. */
struct record_level {
    uint32_t thread; /* index of threads */
    struct level level;
};

/* A code location, reached through another one. */
struct record_node {
    uint32_t parent; /* number of the caller's node; HASH_NONE at the root */
    uint32_t object;
    uint64_t address; /* in the form of the object's kind */
};

struct record_sample {
    uint32_t thread;
    uint32_t leaf; /* node */
    int32_t syscall;
    enum profile_cut cut;
    uint64_t count, cpu_ns, wait_ns;
    uint64_t period_ns; /* see struct profile_sample */
};

/* In place of a PC: a location in the kernel. */
#define RECORD_IN_KERNEL UINT64_MAX

struct record_capture {
    uint32_t image;
    pid_t tid;
    uint64_t time_ns;                  /* monotonic */
    int32_t syscall;                   /* the system call, or enum wait_place, in which it was sampled; -1: none */
    uint64_t weight_ns;                /* CPU time that it represents, see account_bill */
    uint64_t own_ns;                   /* part of weight_ns that is not shared with neighbours, see level_own */
    uint64_t period_ns;                /* time between two samples at that time; 0: unknown, and nothing is shared */
    uint64_t fault_ns;                 /* part of weight_ns for page faults, see faults_bill */
    uint64_t wait_ns, queued_ns;       /* time waited for anything, and for a CPU, see wait_bill */
    bool waiting;                      /* it still waits; record_waited reports how long */
    const struct unwind_frame *frames; /* leaf first */
    size_t frame_count;                /* at least 1 */
    enum profile_cut cut;
};

/* A waiting thread, and the sample that shows where it waits. */
struct record_wait {
    uint32_t image; /* index of images */
    pid_t tid;
    uint32_t sample;
};

/* A time that the user has marked. */
struct record_mark {
    uint64_t time_ns; /* monotonic */
    char *text;       /* owned */
};

struct record {
    struct {
        struct record_image *items;
        size_t count, room;
        struct hash running;
        struct hash places; /* shared entries, by name */
    } images;
    struct {
        uint32_t *items;
        size_t count, room;
    } vacant; /* images whose entries are free */
    struct {
        struct record_thread *items;
        size_t count, room;
        struct hash index;
    } threads;
    struct {
        struct record_node *items;
        size_t count, room;
        struct hash index;
    } nodes;
    struct {
        struct record_sample *items;
        size_t count, room;
        struct hash index;
    } samples;
    struct {
        struct record_wait *items;
        size_t count, room;
        struct hash index;
    } waits;
    struct {
        struct record_level *items;
        size_t count, room;
    } levels;
    size_t kept;              /* samples at the beginning that record_renew has kept */
    struct instants instants; /* monotonic times of the samples, by index; the caller sets its most_bytes */
    uint64_t began_ns;        /* beginning of the profile's time; set by the caller */
    struct {
        struct record_mark *items;
        size_t count, room;
    } marks;
    struct texts commands; /* command lines of images, and the names of their jobs, units and containers */
    uint64_t command_bytes;
    struct objects objects;
    struct scripts scripts; /* functions to which frames of interpreted languages refer */
    bool every_thread;      /* every thread has an entry of its own, however many there are */
    uint64_t most_bytes;    /* memory limit in bytes, see record_bytes; 0: none */
    uint64_t frame_count;   /* of all samples */
    uint64_t sample_count;
    uint64_t period_ns; /* of all samples */
    uint64_t ns;        /* time of all images, running and waiting: at most INT64_MAX, so that no sum of times
                         * overflows */
    bool out_of_memory; /* some data had to be left out */
};

/* Frees everything. The record is empty afterwards. A zeroed record is empty. */
void record_fini(struct record *record);

/* Returns an estimate, rather too high, of the memory for RECORD, its profile and a report. */
uint64_t record_bytes(const struct record *record);

/* Returns the same estimate for one more frame at a node in the stacks of SAMPLES. */
uint64_t record_frame_bytes(uint64_t samples);

/* IMAGE, a number never used before, begins in process PID as its image GENERATION, named COMM. If the record uses half
 * of its memory, IMAGE shares an entry with all others of its name. */
void record_image_begins(struct record *record, uint32_t image, pid_t pid, uint32_t generation, const char *comm);

/* Sets the command line of IMAGE to TEXT. If all command lines together are very large, ignores it. */
void record_image_command(struct record *record, uint32_t image, const char *text);

/* Notes that IMAGE has the same executable file as all images with the number EXECUTABLE. For an image without samples,
 * nothing else identifies the file. */
void record_image_executable(struct record *record, uint32_t image, uint64_t executable);

/* Notes that IMAGE is rank RANK of RANKS (0: unknown) in the parallel job that the batch system calls JOB ("":
 * unknown). */
void record_image_rank(struct record *record, uint32_t image, uint32_t rank, uint32_t ranks, const char *job);

/* IMAGE runs in the unit and the container of NAMES. */
void record_image_names(struct record *record, uint32_t image, const struct cgroup_names *names);

/* Returns IMAGE if it is running, otherwise NULL. Valid until the next image begins. */
const struct record_image *record_running_image(const struct record *record, uint32_t image);

/* IMAGE has ended, or is no longer traced. It used CPU_NS of CPU time, and its threads lived WAIT_NS without running (0
 * if irrelevant). COMM: its last name; "?": unknown. */
void record_image_ends(struct record *record, uint32_t image, uint64_t cpu_ns, uint64_t wait_ns, const char *comm);

/* Returns true if IMAGE generated the code at PC itself: PC is in no mapped file. */
bool record_is_generated(const struct record *record, const struct record_image *image, uint64_t pc);

/* Sets the address ENTRY where the program of IMAGE begins; 0: unknown. Call it before record_maps. */
void record_image_entry(struct record *record, uint32_t image, uint64_t entry);

/* Sets the executable mappings of IMAGE to those in TEXT, lines as in /proc/PID/maps. Opens their files. */
void record_maps(struct record *record, uint32_t image, const char *text);

/* Returns true, a limited number of times, if memory of IMAGE may become a copy of a file's code. The caller then soon
 * calls record_maps_again, which checks it with the last known maps. */
bool record_maps_doubted(struct record *record, uint32_t image);
void record_maps_again(struct record *record, uint32_t image);

/* Sets the name of thread TID of IMAGE to COMM. */
void record_thread_named(struct record *record, uint32_t image, pid_t tid, const char *comm);

/* Returns the number of the function NAME of FILE (NULL: unknown), which begins at FIRST_LINE (0: unknown). LANGUAGE is
 * any number but 0, and MODULE is its name in profiles. Returns HASH_NONE if it cannot be stored. */
uint32_t record_script(struct record *record, uint32_t language, const char *module, const char *name, const char *file,
                       uint32_t first_line);

/* Notes that functions of LANGUAGE belong to process PID, whose user may read their source files. Call it whenever a
 * process may have added functions. */
void record_script_process(struct record *record, uint32_t language, const char *module, pid_t pid);

/* Takes a sample. If the record has reached its size limit, a new stack is cut to a few frames from the leaf and merged
 * with others that have the same frames: PROFILE_MERGED. The time that the thread waited for a CPU, and its time in
 * page faults, become samples of their own, [runnable] and [page fault], with the same stack. */
void record_capture(struct record *record, const struct record_capture *capture);

/* Thread TID of IMAGE, which was waiting at its last capture, has waited there for another WAIT_NS, until monotonic
 * time TIME_NS. COUNT samples would have shown this. After it woke up, it waited QUEUED_NS for a CPU. OVER: the wait
 * has ended. */
void record_waited(struct record *record, uint32_t image, pid_t tid, uint64_t time_ns, uint64_t count, uint64_t wait_ns,
                   uint64_t queued_ns, bool over);

/* Begins the record of the next interval: forgets all samples, and everything about ended images. Running images keep
 * their maps and names, and waiting threads keep the stacks in which they wait. An image's time in earlier intervals is
 * not counted again when it ends, so times add up exactly over all intervals. Ends levels first. To read the old
 * samples with all their time, call record_levels_end before. */
void record_renew(struct record *record);

/* Ends levelling for all threads (INDEX HASH_NONE), or for those of the image with that index: time in the pool goes to
 * their last samples. */
void record_levels_end(struct record *record, uint32_t index);

/* Adds a mark with TEXT at monotonic time TIME_NS. After very many marks, ignores it. */
void record_mark(struct record *record, uint64_t time_ns, const char *text);

/* Returns the load bias of the file whose code contains ADDRESS of IMAGE, or of the next file above; 0 if unknown. */
uint64_t record_bias(const struct record *record, uint32_t image, uint64_t address);

/* Returns the number of the place that PC of IMAGE has now, sampled or not. The profile's places map it to a location.
 * Returns HASH_NONE if it could not be stored. */
uint32_t record_place(struct record *record, uint32_t image, uint64_t pc);

#endif

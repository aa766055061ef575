/* SPDX-License-Identifier: MIT
 *
 * The record: what the captures of a run add up to. Its size follows the number of distinct stacks, threads and
 * images, not time. Of very many threads or images, or when half of the memory that is allowed is taken, the later ones
 * share a place, and of stacks that would need more than that memory only the frames near the leaf are kept. */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include "base/error.h"
#include "base/texts.h"
#include "model/level.h"
#include "profile/instants.h"
#include "record/name_server.h"
#include "record/object.h"
#include "profile/profile.h"
#include "record/scripts.h"
#include "unwind/frame.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A running image, or the totals of one that has ended. */
struct record_image {
    uint32_t number;  /* the tracer's; 0 once it has ended */
    pid_t pid;        /* 0: represents many images of one name */
    uint32_t members; /* how many ended images are counted for this one, if it represents many */
    uint32_t place;   /* index of images: its own, or that which its samples and in the end its times are counted for */
    uint32_t generation;
    char comm[16];
    uint32_t command;     /* number of commands; HASH_NONE if unknown */
    bool has_rank;        /* it is a process of a parallel job */
    uint32_t rank, ranks; /* its number and the number of ranks; 0: unknown */
    uint32_t job;         /* number of commands; HASH_NONE if unknown */
    uint64_t cpu_ns, unsampled_ns, sampled_ns;
    uint64_t wait_ns, unsampled_wait_ns, sampled_wait_ns; /* the same for time without a CPU */
    uint64_t earlier_ns, earlier_wait_ns;                 /* sampled before the last record_renew */
    uint32_t threads;                                     /* how many have a place of their own */
    struct address_map map;
    uint32_t *objects;     /* one for each range of the map */
    uint64_t entry;        /* where its program begins; 0: not known */
    uint32_t program;      /* object of its executable; HASH_NONE if unknown */
    uint64_t executable;   /* a number of its file's path, see procfs_program; 0: not known */
    bool copies_doubted;   /* memory without a file may be about to become a copy of a file's code */
    uint32_t copies_looks; /* looks at such memory so far */
};

struct record_thread {
    uint32_t image; /* index of images */
    pid_t tid;      /* 0: all others of that image */
    char comm[16];
    uint32_t levelled; /* number of levels, from 1 on; 0: it has none */
};

/* The weights of a thread in a running image. */
struct record_level {
    uint32_t thread; /* index of threads */
    struct level level;
};

/* A place in the code that was reached by way of another one. */
struct record_node {
    uint32_t parent; /* the caller; HASH_NONE at the root */
    uint32_t object;
    uint64_t address; /* as the object's kind says */
};

struct record_sample {
    uint32_t thread;
    uint32_t leaf; /* node */
    int32_t syscall;
    enum profile_cut cut;
    uint64_t count, cpu_ns, wait_ns;
    uint64_t period_ns; /* as in struct profile_sample */
};

/* In the place of a PC: somewhere in the kernel. */
#define RECORD_IN_KERNEL UINT64_MAX

struct record_capture {
    uint32_t image;
    pid_t tid;
    uint64_t time_ns;                  /* monotonic */
    int32_t syscall;                   /* the system call where it was sampled, or enum wait_place, or -1 */
    uint64_t weight_ns;                /* CPU time that it represents, see account_bill */
    uint64_t own_ns;                   /* the part of it that is not shared with its neighbours, see level_own */
    uint64_t period_ns;                /* between two samples when it was taken; 0: unknown, and nothing is shared */
    uint64_t fault_ns;                 /* of that, the kernel's for page faults, see faults_bill: not more */
    uint64_t wait_ns, queued_ns;       /* time that it waited for anything, and for a CPU, see wait_bill */
    bool waiting;                      /* it continues to wait; record_waited says how long */
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

/* A moment that somebody wants to find again. */
struct record_mark {
    uint64_t time_ns; /* monotonic */
    char *text;       /* owned */
};

/* Progress of record_profile: NAMED is called at the beginning of each file, PATH, and now and then in between; DONE
 * of COUNT places have names. */
struct record_watch {
    void (*named)(void *of, const char *path, size_t done, size_t count);
    void *of;
};

struct record {
    struct {
        struct record_image *items;
        size_t count, room;
        struct hash running;
        struct hash places; /* places that are shared, by name */
    } images;
    struct {
        uint32_t *items;
        size_t count, room;
    } vacant; /* images whose place can be reused */
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
    struct instants instants; /* monotonic; of the samples by their index; its most_bytes is the caller's to set */
    uint64_t began_ns;        /* when the profile's time begins; set by the caller */
    struct {
        struct record_mark *items;
        size_t count, room;
    } marks;
    struct texts commands; /* the command lines of images, and the numbers of their jobs */
    uint64_t command_bytes;
    struct objects objects;
    struct scripts scripts; /* what frames of interpreted languages refer to */
    uint64_t most_bytes;    /* of memory, see record_bytes; 0: any */
    uint64_t frame_count;   /* of all samples together */
    uint64_t sample_count;
    uint64_t period_ns; /* of all samples */
    uint64_t ns;        /* of all images, running and waiting: at most INT64_MAX, so that no sum of times overflows */
    bool out_of_memory; /* something had to be left out */
    const struct record_watch *watch; /* or NULL */
    struct name_server *names;        /* it looks up names of files; or NULL */
};

/* A zeroed record is empty. Frees everything. */
void record_fini(struct record *record);

/* An estimate, and rather too much, of the memory that RECORD takes and that a profile and a report of it will take. */
uint64_t record_bytes(const struct record *record);

/* The same estimate for one more frame at a node of the stacks of SAMPLES. */
uint64_t record_frame_bytes(uint64_t samples);

/* IMAGE, a number never used before, begins in process PID as its GENERATION-th image, named COMM. Once the record
 * has used half of its memory, images that begin later share a place with all others of their name. */
void record_image_begins(struct record *record, uint32_t image, pid_t pid, uint32_t generation, const char *comm);

/* The command line of IMAGE is TEXT. Once all of them together are very large, new ones are not kept. */
void record_image_command(struct record *record, uint32_t image, const char *text);

/* IMAGE has the same executable file as all images with that number. For an image without samples, nothing else
 * identifies it. */
void record_image_executable(struct record *record, uint32_t image, uint64_t executable);

/* IMAGE is rank RANK of RANKS (0: not known) of a parallel job that the batch system calls JOB ("": not known). */
void record_image_rank(struct record *record, uint32_t image, uint32_t rank, uint32_t ranks, const char *job);

/* Returns IMAGE if it has begun and not ended, else NULL. Valid until the next image begins. */
const struct record_image *record_running_image(const struct record *record, uint32_t image);

/* IMAGE has ended, or is no longer watched. It used CPU_NS of CPU time, and its threads lived WAIT_NS without
 * running (0 if irrelevant). COMM: its last name; "?": unknown. */
void record_image_ends(struct record *record, uint32_t image, uint64_t cpu_ns, uint64_t wait_ns, const char *comm);

/* The program of IMAGE begins at ENTRY; 0: unknown. Call it before record_maps. */
void record_image_entry(struct record *record, uint32_t image, uint64_t entry);

/* Sets the executable mappings of IMAGE to those of TEXT, lines as in /proc/PID/maps. Opens their files. */
void record_maps(struct record *record, uint32_t image, const char *text);

/* Returns true, a limited number of times, if some memory of IMAGE may become a copy of a file's code. The caller
 * then soon calls record_maps_again, which looks at it with the last known maps. */
bool record_maps_doubted(struct record *record, uint32_t image);
void record_maps_again(struct record *record, uint32_t image);

/* Thread TID of IMAGE is called COMM. */
void record_thread_named(struct record *record, uint32_t image, pid_t tid, const char *comm);

/* Returns the number of the function NAME of FILE (NULL: unknown), which begins at FIRST_LINE (0: unknown). LANGUAGE
 * is any number but 0; a profile calls it MODULE. HASH_NONE if it cannot be stored. */
uint32_t record_script(struct record *record, uint32_t language, const char *module, const char *name, const char *file,
                       uint32_t first_line);

/* Functions of LANGUAGE, as above, are from process PID, which is looked at: its user may read their source files. Call
 * it whenever functions may have been added by a process. */
void record_script_process(struct record *record, uint32_t language, const char *module, pid_t pid);

/* Takes a sample. Once the record is as large as it may be, a stack that it does not have yet is cut to a few frames
 * from the leaf, and merged with others that have the same: PROFILE_MERGED. The time that its thread waited for a CPU,
 * and that in page faults, are samples of their own, [runnable] and [page fault], with the same stack. */
void record_capture(struct record *record, const struct record_capture *capture);

/* Thread TID of IMAGE, which was waiting at its last capture, is where it was then for another WAIT_NS, which COUNT
 * samples would have shown, until TIME_NS of monotonic time, and with OVER is so no longer. */
void record_waited(struct record *record, uint32_t image, pid_t tid, uint64_t time_ns, uint64_t count, uint64_t wait_ns,
                   bool over);

/* Begins the record of another interval: forgets all samples, and everything about images that have ended. Running
 * images keep their maps and names, and waiting threads the stacks that they wait in. An image's time in earlier
 * intervals is not counted again when it ends: over all intervals, times add up exactly. Ends levels first; call
 * record_levels_end before the old samples are read, so that they have all their time. */
void record_renew(struct record *record);

/* All threads (INDEX HASH_NONE), or those of the image with that index, take no more samples for now: pooled time of
 * its threads goes to their last samples. */
void record_levels_end(struct record *record, uint32_t index);

/* Keeps that TEXT is about TIME_NS of monotonic time. Of very many marks the later ones are not kept. */
void record_mark(struct record *record, uint64_t time_ns, const char *text);

/* Returns the load bias of the file whose code contains ADDRESS of IMAGE, or is the next above it; 0 if unknown. */
uint64_t record_bias(const struct record *record, uint32_t image, uint64_t address);

/* Returns the number of the place that PC of IMAGE now has, sampled or not; the profile's places have its location.
 * HASH_NONE if it could not be stored. */
uint32_t record_place(struct record *record, uint32_t image, uint64_t pc);

/* Names everything in the record and makes a profile of it, without quality and command. Reads files. Images whose
 * end was not reported are closed. Returns NULL, with ERROR set, if memory runs out. */
struct profile *record_profile(struct record *record, struct error *error);

#endif

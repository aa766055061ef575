/* SPDX-License-Identifier: MIT
 *
 * Internal interface between the files of the record: record.c has images and threads, samples.c has their samples,
 * copies.c and script_sources.c look at their processes. */
#ifndef RECORD_RECORD_PARTS_H
#define RECORD_RECORD_PARTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct address_map;
struct object;
struct objects;
struct record;
struct record_capture;
struct record_image;
struct record_sample;
struct record_wait;

struct record_thread_key {
    uint32_t image; /* index of images */
    pid_t tid;
};

/* Returns the index of the running image NUMBER, or HASH_NONE. */
uint32_t record_image_index(const struct record *record, uint32_t number);

/* Returns the index of thread TID of image INDEX, and adds it if it is new. Returns HASH_NONE if memory runs out. */
uint32_t record_thread_index(struct record *record, uint32_t index, pid_t tid);

/* Returns true if so much of the allowed memory is used that new images and threads share entries. */
bool record_is_scarce(const struct record *record);

/* Forgets the waiting threads of image INDEX. */
void record_forget_waits(struct record *record, uint32_t index);

/* Adds an observation at TIME_NS to the sample WANTED. Returns its number, or HASH_NONE. */
uint32_t record_add_sample(struct record *record, struct record_image *image, const struct record_sample *wanted,
                           uint64_t time_ns);

/* Returns the part of its weight that CAPTURE keeps. OWN_NS stay its own in any case; the rest may go to other samples
 * of THREAD, an index. Call record_levelled when CAPTURE has become sample number SAMPLE, with NS of time. */
uint64_t record_level(struct record *record, uint32_t thread, const struct record_capture *capture, uint64_t own_ns);
void record_levelled(struct record *record, uint32_t thread, const struct record_capture *capture, uint32_t sample,
                     uint64_t ns);

/* Adds a running image with the data in IMAGE. Returns its index, which is also its entry, or HASH_NONE if memory runs
 * out. */
uint32_t record_add_image(struct record *record, const struct record_image *image);

/* Adds WAIT, from BEFORE, to RECORD, as a wait of THREAD of image INDEX there. Keeps its stack as a sample without
 * time. */
void record_keep_wait(struct record *record, const struct record *before, const struct record_wait *wait,
                      uint32_t index, uint32_t thread);

/* Adds MORE to *SUM up to the maximum. Returns how much was added. */
uint64_t record_add_up(uint64_t *sum, uint64_t more);

/* Finds copies in MAP, the mappings of process PID: executable memory without a file that holds a file's code.
 * NUMBERS: the objects of its ranges. Ranges that hold a copy of the surrounding file's code become ranges of that
 * file. BEFORE: the previous map, with the copies found then. Returns true if more ranges may become copies, because
 * the program has not finished copying. */
bool copies_find(struct objects *objects, pid_t pid, const struct address_map *before, struct address_map *map,
                 uint32_t *numbers);

/* Notes that process PID has functions of OBJECT, a language: records who
 * owns their source files. Does nothing if the process has gone. */
void script_sources_learn(struct object *object, pid_t pid);

#endif

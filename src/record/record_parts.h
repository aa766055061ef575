/* SPDX-License-Identifier: MIT
 *
 * What the files of the record share: record.c has images and threads, samples.c has what is sampled of them. */
#ifndef RECORD_RECORD_PARTS_H
#define RECORD_RECORD_PARTS_H

#include "record/record.h"

struct record_thread_key {
    uint32_t image; /* index of images */
    pid_t tid;
};

/* The index of the running image NUMBER, or HASH_NONE. */
uint32_t record_image_index(const struct record *record, uint32_t number);

/* The index of thread TID of image INDEX, which is added if it is new, or HASH_NONE. */
uint32_t record_thread_index(struct record *record, uint32_t index, pid_t tid);

/* True once so much of the allowed memory is used that new images and threads share places. */
bool record_is_scarce(const struct record *record);

/* Forgets the waiting threads of image INDEX. */
void record_forget_waits(struct record *record, uint32_t index);

/* Adds to the sample WANTED what was seen at TIME_NS. Returns its number, or HASH_NONE. */
uint32_t record_add_sample(struct record *record, struct record_image *image, const struct record_sample *wanted,
                           uint64_t time_ns);

/* Returns the part of its weight that CAPTURE keeps. OWN_NS are its own in any case; the rest may go to other samples
 * of THREAD, an index. Call record_levelled when CAPTURE has become sample number SAMPLE and has received NS. */
uint64_t record_level(struct record *record, uint32_t thread, const struct record_capture *capture, uint64_t own_ns);
void record_levelled(struct record *record, uint32_t thread, const struct record_capture *capture, uint32_t sample,
                     uint64_t ns);

/* Adds a running image, with what is known of it. Returns its index, which is also its place, or HASH_NONE if memory
 * runs out. */
uint32_t record_add_image(struct record *record, const struct record_image *image);

/* Adds WAIT, one of BEFORE, to RECORD, as a wait of THREAD of image INDEX there: its stack, as a sample without time.
 */
void record_keep_wait(struct record *record, const struct record *before, const struct record_wait *wait,
                      uint32_t index, uint32_t thread);

/* Adds MORE to *SUM up to the maximum. Returns how much was added. */
uint64_t record_add_up(uint64_t *sum, uint64_t more);

#endif

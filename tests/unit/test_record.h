/* SPDX-License-Identifier: MIT
 *
 * Functions for tests of record/. */
#ifndef TEST_RECORD_H
#define TEST_RECORD_H

#include "front/record/record.h"
#include "programs/unwind/frame.h"

/* Adds a capture of one frame: thread TID of IMAGE at PC. */
static inline void capture_leaf(struct record *record, uint32_t image, pid_t tid, uint64_t pc, int32_t syscall,
                                uint64_t weight_ns)
{
    struct unwind_frame leaf = {.pc = pc};
    struct record_capture capture = {
        .image = image,
        .tid = tid,
        .syscall = syscall,
        .weight_ns = weight_ns,
        .frames = &leaf,
        .frame_count = 1,
    };
    record_capture(record, &capture);
}

/* Returns the leaf of sample INDEX. */
static inline const struct record_node *leaf_of(const struct record *record, size_t index)
{
    return &record->nodes.items[record->samples.items[index].leaf];
}

#endif

/* SPDX-License-Identifier: MIT
 *
 * The file format of gprof: one histogram of one range of addresses. */
#ifndef REPORT_GMON_FILE_H
#define REPORT_GMON_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A bin has 16 bits. More ticks go into another record of that range, and gprof adds the records up. */
enum { GMON_MOST_TICKS = 0xffff };

/* A bin that is not empty. */
struct gmon_bin {
    uint64_t number;
    uint64_t ticks;
};

struct gmon_histogram {
    uint64_t low, high;     /* ELF virtual addresses; the bins share them evenly */
    uint64_t bins;          /* at most UINT32_MAX */
    uint32_t rate;          /* ticks per second */
    bool is_compat;         /* of a 32-bit program: addresses have 4 bytes */
    struct gmon_bin *items; /* by rising number, each below bins */
    size_t count;
};

/* Returns how many records HISTOGRAM needs, at least 1. */
uint64_t gmon_records(const struct gmon_histogram *histogram);

/* Writes HISTOGRAM to STREAM, flushes it, and subtracts the written ticks. Returns 0 or -errno. */
int gmon_write(struct gmon_histogram *histogram, FILE *stream);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Reads tests/vectors/: arguments of the calls and a PC, with the expected results. A file has a line of headings,
 * and then a vector in each line, separated by tabs. */
#ifndef VECTORS_H
#define VECTORS_H

#include "common/semantics/histogram.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VECTORS_HISTOGRAM = 1664, VECTORS_SPROFIL = 764, VECTOR_REGIONS = 8 };

/* Returns an invented address of region NUMBER's buffer. */
static inline uint64_t vector_buffer(size_t number)
{
    return (number + 1) << 32;
}

struct vector {
    char line[512]; /* for messages */
    char system[24], call[16], result[24];
    unsigned width;
    uint64_t pc;
    struct histogram regions[VECTOR_REGIONS];
    size_t count;
};

static inline FILE *vectors_open(const char *name)
{
    char path[4096], heading[512];
    const char *source = getenv("srcdir");
    snprintf(path, sizeof path, "%s/tests/vectors/%s", source ? source : ".", name);
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "no %s: run it in the source tree, or set srcdir", path);
    ck_assert(fgets(heading, sizeof heading, file) != NULL);
    return file;
}

static inline bool vectors_line(FILE *file, struct vector *vector)
{
    memset(vector, 0, sizeof *vector);
    if (!fgets(vector->line, sizeof vector->line, file))
        return false;
    vector->line[strcspn(vector->line, "\n")] = '\0';
    return true;
}

/* Reads the next line of histogram.tsv. Returns false at the end. */
static inline bool vectors_histogram(FILE *file, struct vector *vector)
{
    if (!vectors_line(file, vector))
        return false;
    struct histogram *region = &vector->regions[0];
    region->buffer = vector_buffer(0);
    vector->count = 1;
    int read = sscanf(vector->line, "%23s %15s %u %lx %lx %lx %lx %23s", vector->system, vector->call, &vector->width,
                      &region->scale, &region->offset, &region->size, &vector->pc, vector->result);
    ck_assert_msg(read == 8, "cannot read: %s", vector->line);
    return true;
}

/* Reads the next line of sprofil.tsv. Returns false at the end. */
static inline bool vectors_sprofil(FILE *file, struct vector *vector)
{
    char regions[256];
    if (!vectors_line(file, vector))
        return false;
    int read = sscanf(vector->line, "%23s %u %255s %lx %23s", vector->system, &vector->width, regions, &vector->pc,
                      vector->result);
    ck_assert_msg(read == 5, "cannot read: %s", vector->line);
    for (char *text = strtok(regions, ";"); text; text = strtok(NULL, ";")) {
        struct histogram *region = &vector->regions[vector->count];
        region->buffer = vector_buffer(vector->count++);
        read = sscanf(text, "%lx,%lx,%lx", &region->offset, &region->size, &region->scale);
        ck_assert_msg(read == 3 && vector->count < VECTOR_REGIONS, "cannot read: %s", vector->line);
    }
    return true;
}

#endif

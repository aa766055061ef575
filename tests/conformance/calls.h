/* SPDX-License-Identifier: MIT
 *
 * Wrappers of the profil calls with common checks, and buffers for them. */
#ifndef CALLS_H
#define CALLS_H

#include "spin.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/profil.h>

/* A histogram over the loops: one counter for each loop, by the arithmetic of every system. */
struct counts {
    uint16_t of[SPIN_LOOPS];
};
#define COUNTS_SCALE 0x800 /* SPIN_STRIDE bytes of text a counter */

/* Calls profil with valid arguments. Ends the case unless profil returns 0 and leaves errno alone. */
void calls_profil(void *buffer, size_t size, size_t offset, unsigned scale);

/* Calls profil with arguments that it must refuse with ERROR. */
void calls_profil_refused(void *buffer, size_t size, size_t offset, unsigned scale, int error);

/* Zeroes COUNTS and counts the loops into it. */
void calls_count(struct counts *counts);

/* Counts the loops into COUNTS without zeroing it. */
void calls_count_on(struct counts *counts);

/* Turns profil off in the way that every system accepts. */
void calls_off(void);

/* Watches the ticks that a group of counters gains. */
struct watch {
    const char *what; /* for the report */
    const uint16_t *counters;
    size_t count;
    uint64_t clock;  /* the process's clock at the start */
    uint16_t before; /* the sum of the counters at the start */
};
struct watch watch_begin(const char *what, const uint16_t *counters, size_t count);

/* Compares the ticks with the process's clock since WATCH began. Ends the case with OFF_COUNT if they differ by more
 * than TOLERANCE. Spends some more CPU time in LOOP first if ticks are late. Returns the ticks. */
uint64_t watch_end(const struct watch *watch, enum spin_loop loop, uint64_t tolerance);

/* Watches one counter during MILLISECONDS in LOOP. */
void watch_spin(const char *what, const uint16_t *counter, enum spin_loop loop, unsigned milliseconds);

/* Spends CPU time in LOOP, and ends the case unless COUNTS grows (on) or does not change (off). WHEN is for the
 * report. */
void calls_check_on(struct counts *counts, enum spin_loop loop, const char *when);
void calls_check_off(struct counts *counts, enum spin_loop loop, const char *when);

void calls_sprofil(struct prof *regions, int count, unsigned flags);
void calls_sprofil_refused(struct prof *regions, int count, struct timeval *interval, unsigned flags, int error);

/* Maps COUNT new pages with PROTECTION, as in mmap. The page after them is not mapped. */
void *calls_pages(size_t count, int protection);
size_t calls_page_size(void);

void calls_protect(void *page, int protection);

#endif

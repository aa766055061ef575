/* SPDX-License-Identifier: MIT
 *
 * The calls, as the cases make them: with what they all check, and with buffers that are at hand. */
#ifndef CALLS_H
#define CALLS_H

#include "spin.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/profil.h>

/* One counter a loop: what a histogram over the loops' places counts into, by every system's arithmetic. */
struct counts {
    uint16_t of[SPIN_LOOPS];
};
#define COUNTS_SCALE 0x800 /* SPIN_STRIDE bytes of text a counter */

/* profil with arguments that must be taken: ends the case if it does not return 0, or touches errno. */
void calls_profil(void *buffer, size_t size, size_t offset, unsigned scale);

/* profil with arguments that must be refused with ERROR. */
void calls_profil_refused(void *buffer, size_t size, size_t offset, unsigned scale, int error);

/* Counts the loops into COUNTS, which is zeroed before. */
void calls_count(struct counts *counts);

/* As calls_count, without touching what is in COUNTS. */
void calls_count_on(struct counts *counts);

/* Turns profil off, as every system lets itself be asked to. */
void calls_off(void);

/* A number of ticks to watch: what COUNTERS, COUNT of them, have together more than when it began. */
struct watch {
    const char *what; /* for the report */
    const uint16_t *counters;
    size_t count;
    uint64_t clock;  /* of the process, when it began */
    uint16_t before; /* the sum of the counters then */
};
struct watch watch_begin(const char *what, const uint16_t *counters, size_t count);

/* Ends the case with OFF_COUNT if the ticks are not those that the process's clock has done since WATCH began,
 * TOLERANCE more or less. What is late may still come: so long, but not for long, some more CPU time is spent in LOOP.
 * Returns the ticks. */
uint64_t watch_end(const struct watch *watch, enum spin_loop loop, uint64_t tolerance);

/* Both, with MILLISECONDS in LOOP between them, for one counter. */
void watch_spin(const char *what, const uint16_t *counter, enum spin_loop loop, unsigned milliseconds);

/* Ends the case unless LOOP is counted into COUNTS (or not) when some CPU time is spent there. WHEN is for the
 * report. */
void calls_check_on(struct counts *counts, enum spin_loop loop, const char *when);
void calls_check_off(struct counts *counts, enum spin_loop loop, const char *when);

/* sprofil, as calls_profil. */
void calls_sprofil(struct prof *regions, int count, unsigned flags);
void calls_sprofil_refused(struct prof *regions, int count, struct timeval *interval, unsigned flags, int error);

/* New pages of zeros, COUNT of them, with PROTECTION as for mmap; behind them follows one that is not mapped. */
void *calls_pages(size_t count, int protection);
size_t calls_page_size(void);

/* Changes the protection of one page. */
void calls_protect(void *page, int protection);

#endif

/* SPDX-License-Identifier: MIT
 *
 * How much of a limited resource each program has used. A program that uses up its share leaves the others theirs.
 * Pure. */
#ifndef FILES_SHARES_H
#define FILES_SHARES_H

#include <stdbool.h>
#include <stdint.h>

/* What one has used, or its limit. */
struct share {
    uint64_t in_vain;  /* times that we waited in vain */
    uint64_t bytes;    /* of copies */
    uint64_t spent_ns; /* time that we waited */
};

/* How many programs have shares of their own (others have one together), and how many shares all may use in sum. */
enum { SHARES_PROGRAMS = 64, SHARES_SUM = 8 };

/* Zero it before the first use. */
struct shares {
    struct {
        uint64_t program;
        struct share used;
    } items[SHARES_PROGRAMS];
    unsigned count;
    struct share sum;
};

/* Returns true if the program with the name WHO, any text, has used up a part of MOST, or all together SHARES_SUM times
 * that. */
bool shares_are_over(struct shares *shares, const char *who, const struct share *most);

/* Adds USED to what the program with the name WHO has used. */
void shares_use(struct shares *shares, const char *who, const struct share *used);

#endif

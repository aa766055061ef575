/* SPDX-License-Identifier: MIT
 *
 * Internal interface between the files of the doctor. */
#ifndef DOCTOR_DOCTOR_PARTS_H
#define DOCTOR_DOCTOR_PARTS_H

#include "common/base/buffer.h"

#include <stdbool.h>
#include <sys/types.h>

enum doctor_verdict {
    DOCTOR_FINE,
    DOCTOR_NOTE, /* works, but less well than possible */
    DOCTOR_BAD   /* sampling is impossible */
};

/* Zero it before the first use. */
struct doctor {
    struct buffer text; /* the finding */
    bool bad;           /* something was */
};

/* Adds a line about SUBJECT. */
void doctor_tell(struct doctor *doctor, enum doctor_verdict verdict, const char *subject, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Checks process PID. */
void doctor_process(struct doctor *doctor, pid_t pid);

#endif

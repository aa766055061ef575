/* SPDX-License-Identifier: MIT
 *
 * What the parts of the doctor have in common. */
#ifndef DOCTOR_DOCTOR_PARTS_H
#define DOCTOR_DOCTOR_PARTS_H

#include "base/buffer.h"

#include <stdbool.h>
#include <sys/types.h>

enum doctor_verdict {
    DOCTOR_FINE,
    DOCTOR_NOTE, /* less than there could be */
    DOCTOR_BAD   /* no sampling */
};

/* Zero it before the first use. */
struct doctor {
    struct buffer text; /* the finding */
    bool bad;           /* something was */
};

/* Adds a line about SUBJECT. */
void doctor_tell(struct doctor *doctor, enum doctor_verdict verdict, const char *subject, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Looks at process PID. */
void doctor_process(struct doctor *doctor, pid_t pid);

#endif

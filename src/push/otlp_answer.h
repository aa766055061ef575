/* SPDX-License-Identifier: MIT
 *
 * What a server of OTLP answers. Its messages are untrusted. */
#ifndef PUSH_OTLP_ANSWER_H
#define PUSH_OTLP_ANSWER_H

#include "push/queue.h"

#include <stddef.h>
#include <stdint.h>

struct otlp_answer {
    uint64_t rejected; /* profiles that the server does not want, although it has taken the request */
    char text[256];    /* why, or what else it says; as it came; empty: nothing */
};

/* What an answer with HTTP STATUS (0: none) means. OTLP names the statuses after which a request is sent again. */
enum push_result otlp_result_of(long status);

/* Reads the SIZE bytes of BODY of an answer with STATUS, of which the end may be missing, into ANSWER. */
void otlp_answer_read(struct otlp_answer *answer, long status, const unsigned char *body, size_t size);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Reads answers of OTLP servers. Their messages are untrusted. */
#ifndef PUSH_OTLP_ANSWER_H
#define PUSH_OTLP_ANSWER_H

#include <stddef.h>
#include <stdint.h>

struct otlp_answer {
    uint64_t rejected; /* number of profiles that the server rejected, although it accepted the request */
    char text[256];    /* the reason, or another text of the server, unchanged; empty: none */
};

/* Returns the result of a request with the HTTP STATUS (0: no answer). OTLP lists the statuses after which a request is
 * sent again. */
enum push_result otlp_result_of(long status);

/* Parses the SIZE bytes of BODY, from an answer with STATUS, into ANSWER. The end of BODY may be missing. */
void otlp_answer_read(struct otlp_answer *answer, long status, const unsigned char *body, size_t size);

#endif

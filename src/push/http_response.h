/* SPDX-License-Identifier: MIT
 *
 * The answer of an HTTP/1.1 server, as far as it has come; RFC 9112. Pure: the text is a stranger's. */
#ifndef PUSH_HTTP_RESPONSE_H
#define PUSH_HTTP_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum http_progress {
    HTTP_MORE,  /* something is missing */
    HTTP_DONE,  /* it is complete */
    HTTP_BROKEN /* it is no answer, or ended before its end */
};

struct http_response {
    long status;
    uint64_t retry_ns; /* of Retry-After; 0: none */
    size_t body, size; /* where the body begins in the text, and how long it is, as far as it has come */
};

/* Reads TEXT of LENGTH bytes, of which ENDED tells that no more will come, into RESPONSE. Interim answers (100
 * Continue) are skipped. The parts of a chunked body are moved together once it is complete, or ENDED. NOW_S is the
 * time in seconds since 1970, for a date in Retry-After. */
enum http_progress http_response_read(char *text, size_t length, bool ended, uint64_t now_s,
                                      struct http_response *response);

#endif

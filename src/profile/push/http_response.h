/* SPDX-License-Identifier: MIT
 *
 * Parses the received part of an HTTP/1.1 server's answer (RFC 9112). Pure. The text is untrusted. */
#ifndef PUSH_HTTP_RESPONSE_H
#define PUSH_HTTP_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum http_progress {
    HTTP_MORE,  /* something is missing */
    HTTP_DONE,  /* it is complete */
    HTTP_BROKEN /* it is not an answer, or incomplete at its end */
};

struct http_response {
    long status;
    uint64_t retry_ns; /* of Retry-After; 0: none */
    size_t body, size; /* offset of the body in the text, and its received bytes */
};

/* Parses TEXT of LENGTH bytes into RESPONSE. ENDED: the server has closed the connection. Interim answers (100
 * Continue) are skipped. The chunks of a chunked body are joined once it is complete, or ENDED. NOW_S is the time in
 * seconds since 1970, for a date in Retry-After. */
enum http_progress http_response_read(char *text, size_t length, bool ended, uint64_t now_s,
                                      struct http_response *response);

#endif

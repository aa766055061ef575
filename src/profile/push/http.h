/* SPDX-License-Identifier: MIT
 *
 * HTTP by libcurl, which is loaded only in the process that sends. Without libcurl, as in the static program,
 * http_plain.c replaces it. */
#ifndef PUSH_HTTP_H
#define PUSH_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct error;
struct http;

/* True if this ptprofil uses libcurl. */
bool http_has_library(void);

/* Returns the reason why requests to URL (http:// or https://) are impossible; NULL if they are possible. Static. */
const char *http_missing(const char *url);

/* Loads the library. HEADERS: lines for all requests, or NULL. Returns 0 with *HTTP set, or -errno with ERROR set. */
int http_open(struct http **http, const char *headers, struct error *error);
void http_close(struct http *http);

/* Type of a request's body: Content-Type, and Content-Encoding or NULL. Static. */
struct http_content {
    const char *type, *encoding;
};

/* Destination of a request: URL, through a connection to the Unix SOCKET if that is not NULL. */
struct http_place {
    const char *url, *socket;
};

enum { HTTP_BODY_MOST = 2048 };

/* The result of a request. */
struct http_answer {
    size_t number;             /* the request's */
    long status;               /* 0: none */
    bool cut;                  /* it was longer than was read */
    uint64_t retry_ns;         /* asked for by the server; 0: nothing */
    char text[480];            /* the server's text, or why it did not answer */
    const unsigned char *body; /* BODY_SIZE bytes, not more than HTTP_BODY_MOST: the beginning of what it said. Valid */
    size_t body_size;          /* until the next request with this number */
};

/* Begins to POST SIZE BYTES of CONTENT to PLACE. They must stay until the answer with this NUMBER, of which no other
 * request is under way. Returns 0 or -errno. */
int http_post(struct http *http, size_t number, const struct http_place *place, struct http_content content,
              const char *bytes, size_t size);

/* POSTs TEXT to URL and waits up to SECONDS. WHOLE gets the answer, at most MOST bytes, and ANSWER the result. Returns
 * 0, -E2BIG, -ENOMEM, or without libcurl -ENOTSUP. */
int http_ask(struct http *http, const char *url, const char *text, unsigned seconds, size_t most, struct buffer *whole,
             struct http_answer *answer);

/* Works until something happens, FD can be read, or TIMEOUT_MS is over. */
void http_work(struct http *http, int fd, int timeout_ms);

/* Returns an answer that has come, or false. */
bool http_next(struct http *http, struct http_answer *answer);

#endif

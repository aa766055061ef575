/* SPDX-License-Identifier: MIT
 *
 * A build without libcurl. */
#include "push/http.h"

#include <errno.h>

bool http_is_built(void)
{
    return false;
}

int http_open(struct http **http, const char *headers, struct error *error)
{
    (void)headers;
    *http = NULL;
    return error_set(error, ENOTSUP, "this ptprofil was built without libcurl");
}

void http_close(struct http *http)
{
    (void)http;
}

int http_post(struct http *http, size_t number, const char *url, struct http_content content, const char *bytes,
              size_t size)
{
    (void)http, (void)number, (void)url, (void)content, (void)bytes, (void)size;
    return -ENOTSUP;
}

void http_work(struct http *http, int fd, int timeout_ms)
{
    (void)http, (void)fd, (void)timeout_ms;
}

bool http_next(struct http *http, struct http_answer *answer)
{
    (void)http, (void)answer;
    return false;
}

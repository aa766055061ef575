/* SPDX-License-Identifier: MIT */
#include "profile/push/http.h"

#include "common/base/buffer.h"
#include "common/base/error.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY "libcurl.so.4"
#define OTHER_LIBRARY "libcurl-gnutls.so.4"

enum { REQUESTS = 8, CONNECT_MS = 5000, REQUEST_MS = 30000, ANSWER_MOST = 65536 };

/* A request, and the received part of its answer. */
struct request {
    CURL *easy;
    struct curl_slist *headers;
    char *text; /* the beginning of the answer */
    size_t room, length, received;
    struct buffer *whole; /* gets all of it, or NULL */
    size_t most;          /* a longer answer is ended */
};

struct http {
    void *library;
    CURLM *multi;
    char *lines; /* headers for all requests, ended by zeros; an empty one is the last */
    struct request requests[REQUESTS];
#define FUNCTIONS(X)                                                                                                   \
    X(curl_global_init)                                                                                                \
    X(curl_easy_init)                                                                                                  \
    X(curl_easy_setopt)                                                                                                \
    X(curl_easy_getinfo)                                                                                               \
    X(curl_easy_strerror)                                                                                              \
    X(curl_easy_cleanup)                                                                                               \
    X(curl_slist_append)                                                                                               \
    X(curl_slist_free_all)                                                                                             \
    X(curl_multi_init)                                                                                                 \
    X(curl_multi_add_handle)                                                                                           \
    X(curl_multi_remove_handle)                                                                                        \
    X(curl_multi_perform)                                                                                              \
    X(curl_multi_poll)                                                                                                 \
    X(curl_multi_info_read)                                                                                            \
    X(curl_multi_cleanup)
#undef curl_easy_setopt
#undef curl_easy_getinfo
#define DECLARE(name) __typeof__(name) *name;
    struct {
        FUNCTIONS(DECLARE)
    } call;
#undef DECLARE
};

bool http_has_library(void)
{
    return true;
}

const char *http_missing(const char *url)
{
    (void)url;
    return NULL;
}

static int load(struct http *http, struct error *error)
{
    http->library = dlopen(LIBRARY, RTLD_NOW);
    if (!http->library)
        http->library = dlopen(OTHER_LIBRARY, RTLD_NOW);
    if (!http->library)
        return error_set(error, ENOENT, "libcurl is not installed (on Debian the package libcurl4)");
#define LOAD(name)                                                                                                     \
    http->call.name = (__typeof__(name) *)dlsym(http->library, #name);                                                 \
    if (!http->call.name)                                                                                              \
        return error_set(error, ENOENT, "libcurl is too old: it has no " #name);
    FUNCTIONS(LOAD)
#undef LOAD
    http->call.curl_global_init(CURL_GLOBAL_DEFAULT);
    http->multi = http->call.curl_multi_init();
    return http->multi ? 0 : error_set(error, ENOMEM, "out of memory");
}

int http_open(struct http **http, const char *headers, struct error *error)
{
    *http = calloc(1, sizeof **http);
    if (!*http)
        return error_set(error, ENOMEM, "out of memory");
    size_t length = headers ? strlen(headers) : 0;
    (*http)->lines = calloc(1, length + 2);
    if (!(*http)->lines)
        return error_set(error, ENOMEM, "out of memory");
    char *to = (*http)->lines;
    for (const char *at = headers; at && *at; at += strspn(at, "\r\n")) {
        size_t line = strcspn(at, "\r\n");
        memcpy(to, at, line);
        to += line + (line > 0);
        at += line;
    }
    return load(*http, error);
}

static void end_request(struct http *http, struct request *request)
{
    if (!request->easy)
        return;
    http->call.curl_multi_remove_handle(http->multi, request->easy);
    http->call.curl_easy_cleanup(request->easy);
    http->call.curl_slist_free_all(request->headers);
    *request = (struct request){0};
}

void http_close(struct http *http)
{
    if (!http)
        return;
    for (size_t i = 0; i < REQUESTS && http->multi; i++)
        end_request(http, &http->requests[i]);
    if (http->multi)
        http->call.curl_multi_cleanup(http->multi);
    free(http->lines);
    free(http);
}

/* Keeps the beginning of an answer. Ends the transfer of an endless answer. */
static size_t receive(char *bytes, size_t size, size_t count, void *of)
{
    struct request *request = of;
    size_t length = size * count, kept = request->room - request->length;
    kept = length < kept ? length : kept;
    memcpy(request->text + request->length, bytes, kept);
    request->length += kept;
    request->received += length;
    if (request->received > request->most || (request->whole && !buffer_append(request->whole, bytes, length)))
        return 0;
    return length;
}

static bool add_header(struct http *http, struct request *request, const char *line)
{
    struct curl_slist *headers = http->call.curl_slist_append(request->headers, line);
    if (headers)
        request->headers = headers;
    return headers;
}

static bool add_headers(struct http *http, struct request *request, struct http_content content)
{
    char line[80];
    snprintf(line, sizeof line, "Content-Type: %s", content.type);
    bool added = add_header(http, request, line) && add_header(http, request, "Expect:");
    snprintf(line, sizeof line, "Content-Encoding: %s", content.encoding ? content.encoding : "");
    if (content.encoding)
        added = added && add_header(http, request, line);
    for (const char *at = http->lines; added && *at; at += strlen(at) + 1)
        added = add_header(http, request, at);
    return added;
}

int http_post(struct http *http, size_t number, const struct http_place *place, struct http_content content,
              const char *bytes, size_t size)
{
    static char texts[REQUESTS][HTTP_BODY_MOST];
    struct request *request = &http->requests[number];
    CURL *easy = number < REQUESTS ? http->call.curl_easy_init() : NULL;
    if (!easy)
        return -ENOMEM;
    *request = (struct request){.easy = easy, .text = texts[number], .room = sizeof texts[number], .most = ANSWER_MOST};
    bool added = add_headers(http, request, content);
#define SET(option, value) http->call.curl_easy_setopt(easy, option, value)
    SET(CURLOPT_URL, place->url);
    if (place->socket)
        SET(CURLOPT_UNIX_SOCKET_PATH, place->socket);
#if LIBCURL_VERSION_NUM >= 0x075500
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
#endif
    SET(CURLOPT_POSTFIELDS, bytes);
    SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size);
    SET(CURLOPT_HTTPHEADER, request->headers);
    SET(CURLOPT_USERAGENT, "ptprofil");
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    SET(CURLOPT_TIMEOUT_MS, (long)REQUEST_MS);
    SET(CURLOPT_WRITEFUNCTION, receive);
    SET(CURLOPT_WRITEDATA, request);
#undef SET
    if (added && http->call.curl_multi_add_handle(http->multi, easy) == CURLM_OK)
        return 0;
    end_request(http, request);
    return -ENOMEM;
}

void http_work(struct http *http, int fd, int timeout_ms)
{
    struct curl_waitfd more = {.fd = fd, .events = CURL_WAIT_POLLIN};
    int running;
    http->call.curl_multi_perform(http->multi, &running);
    http->call.curl_multi_poll(http->multi, &more, fd >= 0, timeout_ms, NULL);
    http->call.curl_multi_perform(http->multi, &running);
}

/* Returns the length of TEXT without the newlines at its end. */
static int length_of(const char *text, size_t length)
{
    while (length && text[length - 1] == '\n')
        length--;
    return (int)length;
}

static void describe(struct http *http, const struct request *request, CURLcode code, struct http_answer *answer)
{
    curl_off_t retry = 0;
    answer->cut = request->received > request->most;
    http->call.curl_easy_getinfo(request->easy, CURLINFO_RESPONSE_CODE, &answer->status);
    http->call.curl_easy_getinfo(request->easy, CURLINFO_RETRY_AFTER, &retry);
    answer->retry_ns = retry > 0 && retry < 1000000 ? (uint64_t)retry * 1000000000u : 0;
    if (code != CURLE_OK && code != CURLE_WRITE_ERROR)
        answer->status = 0; /* it broke off */
    if (answer->status) {
        snprintf(answer->text, sizeof answer->text, "HTTP status %ld%s%.*s", answer->status,
                 request->length ? ": " : "", length_of(request->text, request->length), request->text);
        answer->body = (const unsigned char *)request->text;
        answer->body_size = request->length;
    } else {
        snprintf(answer->text, sizeof answer->text, "%s", http->call.curl_easy_strerror(code));
    }
}

bool http_next(struct http *http, struct http_answer *answer)
{
    int left;
    const CURLMsg *message;
    while ((message = http->call.curl_multi_info_read(http->multi, &left))) {
        if (message->msg != CURLMSG_DONE)
            continue;
        for (size_t i = 0; i < REQUESTS; i++) {
            if (http->requests[i].easy != message->easy_handle)
                continue;
            *answer = (struct http_answer){.number = i};
            describe(http, &http->requests[i], message->data.result, answer);
            end_request(http, &http->requests[i]);
            return true;
        }
    }
    return false;
}

int http_ask(struct http *http, const char *url, const char *text, unsigned seconds, size_t most, struct buffer *whole,
             struct http_answer *answer)
{
    const struct http_place place = {url, NULL};
    const struct http_content content = {"text/plain; charset=utf-8", NULL};
    struct request *request = &http->requests[0];
    int result = http_post(http, 0, &place, content, text, strlen(text));
    if (result < 0)
        return result;
    request->whole = whole;
    request->most = most;
    http->call.curl_easy_setopt(request->easy, CURLOPT_TIMEOUT_MS, (long)seconds * 1000);
    while (!http_next(http, answer))
        http_work(http, -1, 1000);
    return whole->failed ? -ENOMEM : answer->cut ? -E2BIG : 0;
}

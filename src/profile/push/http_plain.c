/* SPDX-License-Identifier: MIT
 *
 * Without libcurl: one connection for each request, unencrypted. For the static program, which cannot load a library;
 * Debian has no static libcurl that can be linked, as its Kerberos has none. */
#include "profile/push/http.h"

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/time.h"
#include "profile/push/http_response.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define NS_IN_MS UINT64_C(1000000)
#define CONNECT_NS (5000 * NS_IN_MS)
#define REQUEST_NS (30000 * NS_IN_MS)

enum { REQUESTS = 8, ANSWER_MOST = 16384, HOST_MOST = 256 };

enum state { FREE, CONNECTING, SENDING, RECEIVING, ENDED };

struct request {
    enum state state;
    int fd;
    struct addrinfo *addresses, *address; /* all, and the one that is tried */
    struct buffer head;
    const char *bytes; /* the body; not owned */
    size_t size, sent; /* SENT: of the head and the body */
    char answer[ANSWER_MOST];
    size_t length;
    uint64_t connect_ns, until_ns; /* when it gives up */
    const char *why;               /* it did; static */
    struct http_response response;
};

struct http {
    struct request requests[REQUESTS];
    char *lines; /* headers for all requests, each ended by CR LF */
};

const char *http_missing(const char *url)
{
    if (!strncmp(url, "https://", 8))
        return "https needs libcurl, without which this ptprofil was built; send to a proxy such as Alloy or a "
               "Collector";
    if (memchr(url, '@', strcspn(url + 7, "/") + 7))
        return "a user in a URL needs libcurl, without which this ptprofil was built; use --push-headers";
    return NULL;
}

bool http_has_library(void)
{
    return false;
}

int http_open(struct http **http, const char *headers, struct error *error)
{
    struct buffer lines = {0};
    *http = calloc(1, sizeof **http);
    for (const char *at = headers; at && *at; at += strspn(at, "\r\n")) {
        size_t line = strcspn(at, "\r\n");
        if (line)
            buffer_printf(&lines, "%.*s\r\n", (int)line, at);
        at += line;
    }
    bool failed = !*http || lines.failed || !buffer_append(&lines, "", 1);
    if (*http)
        (*http)->lines = lines.bytes;
    else
        buffer_fini(&lines);
    return failed ? error_set(error, ENOMEM, "out of memory") : 0;
}

static void drop_connection(struct request *request)
{
    if (request->fd >= 0)
        close(request->fd);
    request->fd = -1;
}

static void end(struct request *request, const char *why)
{
    drop_connection(request);
    request->why = why;
    request->state = ENDED;
}

static void release(struct request *request)
{
    if (request->state == FREE)
        return;
    drop_connection(request);
    if (request->addresses)
        freeaddrinfo(request->addresses);
    request->addresses = NULL;
    buffer_fini(&request->head);
    request->state = FREE;
}

void http_close(struct http *http)
{
    if (!http)
        return;
    for (size_t i = 0; i < REQUESTS; i++)
        release(&http->requests[i]);
    free(http->lines);
    free(http);
}

/* Begins to connect to ADDRESS. Returns false with errno set if that fails at once. */
static bool begin_connection(struct request *request, int family, const struct sockaddr *address, socklen_t size)
{
    drop_connection(request);
    request->fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (request->fd < 0 || (connect(request->fd, address, size) < 0 && errno != EINPROGRESS))
        return false;
    request->state = CONNECTING;
    request->connect_ns = time_now_ns() + CONNECT_NS;
    return true;
}

/* Tries the next address, if one is left. */
static void connect_next(struct request *request)
{
    while (request->address) {
        const struct addrinfo *address = request->address;
        request->address = address->ai_next;
        if (begin_connection(request, address->ai_family, address->ai_addr, address->ai_addrlen))
            return;
    }
    end(request, "cannot connect");
}

static void connect_socket(struct request *request, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        end(request, "the path of the socket is too long");
        return;
    }
    memcpy(address.sun_path, path, strlen(path));
    if (!begin_connection(request, AF_UNIX, (struct sockaddr *)&address, sizeof address))
        end(request, strerror(errno));
}

/* HOST is NAME, NAME:PORT, [ADDRESS] or [ADDRESS]:PORT. */
static void connect_host(struct request *request, const char *host)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG};
    char name[HOST_MOST];
    const char *inner = *host == '[' ? host + 1 : host;
    size_t length = strcspn(inner, *host == '[' ? "]" : ":");
    const char *port = strrchr(inner + length, ':');
    snprintf(name, sizeof name, "%.*s", (int)length, inner);
    int result = getaddrinfo(name, port ? port + 1 : "80", &hints, &request->addresses);
    if (result) {
        end(request, gai_strerror(result));
        return;
    }
    request->address = request->addresses;
    connect_next(request);
}

int http_post(struct http *http, size_t number, const struct http_place *place, struct http_content content,
              const char *bytes, size_t size)
{
    struct request *request = &http->requests[number];
    char host[HOST_MOST];
    if (number >= REQUESTS || strncmp(place->url, "http://", 7) != 0)
        return -EINVAL;
    size_t length = strcspn(place->url + 7, "/");
    const char *path = place->url + 7 + length;
    snprintf(host, sizeof host, "%.*s", (int)length, place->url + 7);
    release(request);
    request->fd = -1;
    request->bytes = bytes;
    request->size = size;
    request->sent = request->length = 0;
    request->why = NULL;
    request->until_ns = time_now_ns() + REQUEST_NS;
    buffer_printf(&request->head,
                  "POST %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: ptprofil\r\nAccept: */*\r\nConnection: close\r\n"
                  "Content-Type: %s\r\nContent-Length: %zu\r\n%s%s%s%s\r\n",
                  *path ? path : "/", host, content.type, size, content.encoding ? "Content-Encoding: " : "",
                  content.encoding ? content.encoding : "", content.encoding ? "\r\n" : "", http->lines);
    request->state = CONNECTING;
    if (request->head.failed) {
        release(request);
        return -ENOMEM;
    }
    if (place->socket)
        connect_socket(request, place->socket);
    else
        connect_host(request, host);
    return 0;
}

int http_ask(struct http *http, const char *url, const char *text, unsigned seconds, size_t most, struct buffer *whole,
             struct http_answer *answer)
{
    (void)http, (void)url, (void)text, (void)seconds, (void)most, (void)whole, (void)answer;
    return -ENOTSUP;
}

static void go_on_connecting(struct request *request)
{
    int failed = 0;
    socklen_t size = sizeof failed;
    if (getsockopt(request->fd, SOL_SOCKET, SO_ERROR, &failed, &size) < 0)
        failed = errno;
    if (!failed)
        request->state = SENDING;
    else if (request->address)
        connect_next(request);
    else
        end(request, strerror(failed));
}

static void go_on_sending(struct request *request)
{
    size_t head = request->head.length;
    bool in_head = request->sent < head;
    const char *from = in_head ? request->head.bytes + request->sent : request->bytes + (request->sent - head);
    size_t left = in_head ? head - request->sent : request->size - (request->sent - head);
    ssize_t sent = send(request->fd, from, left, MSG_NOSIGNAL | (in_head ? MSG_MORE : 0));
    if (sent < 0 && errno != EAGAIN && errno != EINTR)
        request->state = RECEIVING; /* a server may have answered before it had read everything */
    if (sent > 0)
        request->sent += (size_t)sent;
    if (request->sent == head + request->size)
        request->state = RECEIVING;
}

static void go_on_receiving(struct request *request)
{
    ssize_t got = recv(request->fd, request->answer + request->length, ANSWER_MOST - request->length, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got > 0)
        request->length += (size_t)got;
    bool ended = got <= 0;
    enum http_progress progress =
        http_response_read(request->answer, request->length, ended, (uint64_t)time(NULL), &request->response);
    /* The beginning of a very long answer is enough. */
    if (progress == HTTP_DONE || (progress == HTTP_MORE && request->length == ANSWER_MOST && request->response.status))
        end(request, NULL);
    else if (progress == HTTP_BROKEN || request->length == ANSWER_MOST)
        end(request, got < 0 ? strerror(errno) : request->length ? "not an answer of HTTP" : "no answer");
}

static void go_on(struct request *request, short events)
{
    uint64_t now_ns = time_now_ns();
    if (events && request->state == CONNECTING)
        go_on_connecting(request);
    else if (events && request->state == SENDING)
        go_on_sending(request);
    else if (events && request->state == RECEIVING)
        go_on_receiving(request);
    if (request->state == CONNECTING && now_ns > request->connect_ns && request->address)
        connect_next(request);
    else if ((request->state == CONNECTING && now_ns > request->connect_ns) ||
             (request->state != ENDED && now_ns > request->until_ns))
        end(request, "it takes too long");
}

void http_work(struct http *http, int fd, int timeout_ms)
{
    struct pollfd polls[REQUESTS + 1] = {{.fd = fd, .events = POLLIN}};
    uint64_t now_ns = time_now_ns(), wait_ns = (uint64_t)timeout_ms * NS_IN_MS;
    for (size_t i = 0; i < REQUESTS; i++) {
        const struct request *request = &http->requests[i];
        bool open = request->state != FREE && request->state != ENDED;
        uint64_t until_ns = request->state == CONNECTING ? request->connect_ns : request->until_ns;
        polls[i + 1] =
            (struct pollfd){.fd = open ? request->fd : -1, .events = request->state == RECEIVING ? POLLIN : POLLOUT};
        if (request->state == ENDED)
            wait_ns = 0;
        else if (open && until_ns - now_ns < wait_ns)
            wait_ns = until_ns > now_ns ? until_ns - now_ns : 0;
    }
    if (poll(polls, REQUESTS + 1, (int)((wait_ns + NS_IN_MS - 1) / NS_IN_MS)) < 0)
        return;
    for (size_t i = 0; i < REQUESTS; i++)
        if (http->requests[i].state != FREE && http->requests[i].state != ENDED)
            go_on(&http->requests[i], polls[i + 1].revents);
}

bool http_next(struct http *http, struct http_answer *answer)
{
    for (size_t i = 0; i < REQUESTS; i++) {
        struct request *request = &http->requests[i];
        const struct http_response *response = &request->response;
        if (request->state != ENDED)
            continue;
        *answer = (struct http_answer){.number = i};
        if (request->why) {
            snprintf(answer->text, sizeof answer->text, "%s", request->why);
        } else {
            size_t shown = response->size < sizeof answer->text ? response->size : sizeof answer->text;
            answer->status = response->status;
            answer->retry_ns = response->retry_ns;
            answer->body = (const unsigned char *)request->answer + response->body;
            answer->body_size = response->size < HTTP_BODY_MOST ? response->size : HTTP_BODY_MOST;
            snprintf(answer->text, sizeof answer->text, "HTTP status %ld%s%.*s", response->status, shown ? ": " : "",
                     (int)shown, request->answer + response->body);
        }
        release(request);
        return true;
    }
    return false;
}

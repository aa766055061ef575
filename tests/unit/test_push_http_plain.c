/* SPDX-License-Identifier: MIT
 *
 * Requests to servers in child processes. Each server handles one request. */
#include "profile/push/http.h"

#include "common/base/error.h"
#include "unit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BODY = 3 << 20, TURNS = 600, TURN_MS = 100 };

/* A server. PIPE gets the received data. */
struct server {
    int listening, pipe;
    pid_t child;
    char url[80], path[40];
};

/* Reads a request with a body of SIZE bytes, answers it with TEXT, and reports its head. */
static void serve(const struct server *server, int out, size_t size, const char *text)
{
    static char request[BODY + 4096];
    size_t length = 0;
    int fd = accept(server->listening, NULL, NULL);
    const char *end = NULL;
    while (!end || length < (size_t)(end + 4 - request) + size) {
        ssize_t got = read(fd, request + length, sizeof request - length);
        if (got <= 0)
            break;
        length += (size_t)got;
        end = memmem(request, length, "\r\n\r\n", 4);
    }
    size_t head = end ? (size_t)(end + 4 - request) : 0;
    if (write(fd, text, strlen(text)) < 0 || write(out, request, head) < 0)
        _exit(1);
    for (size_t i = 0; i < length - head; i++)
        if (request[head + i] != (char)(i * 7))
            _exit(2);
    _exit(0);
}

static void start(struct server *server, bool by_path, size_t size, const char *text)
{
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_un named = {.sun_family = AF_UNIX};
    socklen_t length = sizeof any;
    int ends[2];
    snprintf(server->path, sizeof server->path, "/tmp/http-plain.%d", (int)getpid());
    memcpy(named.sun_path, server->path, sizeof server->path);
    unlink(server->path);
    server->listening = socket(by_path ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (by_path)
        ck_assert_int_eq(bind(server->listening, (struct sockaddr *)&named, sizeof named), 0);
    else
        ck_assert_int_eq(bind(server->listening, (struct sockaddr *)&any, sizeof any), 0);
    ck_assert_int_eq(listen(server->listening, 1), 0);
    getsockname(server->listening, (struct sockaddr *)&any, &length);
    snprintf(server->url, sizeof server->url, "http://127.0.0.1:%d/a/b", by_path ? 1 : ntohs(any.sin_port));
    ck_assert_int_eq(pipe(ends), 0);
    server->pipe = ends[0];
    server->child = fork();
    if (!server->child)
        serve(server, ends[1], size, text);
    close(ends[1]);
}

/* Ends SERVER, and copies the head of its received request to HEAD. */
static void finish(struct server *server, char head[4096])
{
    int status;
    close(server->listening);
    ssize_t length = read(server->pipe, head, 4095);
    head[length > 0 ? length : 0] = 0;
    close(server->pipe);
    ck_assert_int_eq(waitpid(server->child, &status, 0), server->child);
    ck_assert_int_eq(status, 0);
    unlink(server->path);
}

static struct http_answer post(struct http *http, const struct http_place *place, const char *encoding, size_t size)
{
    struct http_content content = {"application/x", encoding};
    struct http_answer answer = {.number = 99};
    char *bytes = malloc(size + 1);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (char)(i * 7);
    ck_assert_int_eq(http_post(http, 3, place, content, bytes, size), 0);
    for (int i = 0; i < TURNS && !http_next(http, &answer); i++)
        http_work(http, -1, TURN_MS);
    ck_assert_uint_eq(answer.number, 3);
    ck_assert(!http_next(http, &(struct http_answer){0}));
    free(bytes);
    return answer;
}

static struct http *open_with(const char *headers)
{
    struct error error = {0};
    struct http *http;
    ck_assert_int_eq(http_open(&http, headers, &error), 0);
    return http;
}

static const struct {
    bool by_path;
    size_t size;
    const char *encoding, *answer;
    long status;
    const char *text;
} rows[] = {
    {false, 5, NULL, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, "HTTP status 200: ok"},
    {false, 0, "gzip", "HTTP/1.1 204 No Content\r\n\r\n", 204, "HTTP status 204"},
    {false, BODY, "gzip", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\no\r\n1\r\nk\r\n0\r\n\r\n", 200,
     "HTTP status 200: ok"},
    {true, 70000, NULL, "HTTP/1.1 503 x\r\nRetry-After: 9\r\n\r\nlater", 503, "HTTP status 503: later"},
    {false, 5, NULL, "", 0, "no answer"},
    {false, 5, NULL, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok", 0, "not an answer of HTTP"},
    {false, 5, NULL, "hello", 0, "not an answer of HTTP"},
};

START_TEST(requests_are_answered)
{
    struct server server;
    char head[4096], line[80];
    start(&server, rows[_i].by_path, rows[_i].size, rows[_i].answer);
    struct http *http = open_with("X-One: 1\r\n\nX-Two: 2");
    struct http_place place = {server.url, rows[_i].by_path ? server.path : NULL};
    struct http_answer answer = post(http, &place, rows[_i].encoding, rows[_i].size);
    finish(&server, head);
    ck_assert_int_eq(answer.status, rows[_i].status);
    ck_assert_str_eq(answer.text, rows[_i].text);
    ck_assert_uint_eq(answer.retry_ns, rows[_i].status == 503 ? 9000000000 : 0);
    ck_assert(!strncmp(head, "POST /a/b HTTP/1.1\r\nHost: 127.0.0.1:", 36));
    snprintf(line, sizeof line, "\r\nContent-Length: %zu\r\n", rows[_i].size);
    ck_assert_ptr_nonnull(strstr(head, line));
    ck_assert_ptr_nonnull(strstr(head, "\r\nX-One: 1\r\nX-Two: 2\r\n\r\n"));
    ck_assert_int_eq(strstr(head, "\r\nContent-Encoding: gzip\r\n") != NULL, rows[_i].encoding != NULL);
    http_close(http);
}
END_TEST

START_TEST(no_server_is_an_error)
{
    const struct http_place places[] = {{"http://127.0.0.1:1/", NULL},
                                        {"http://localhost:1/", NULL},
                                        {"http://[::1]:1/", NULL},
                                        {"http://127.0.0.1:port/", NULL},
                                        {"http://h/", "/tmp/no/such/socket"}};
    struct http *http = open_with(NULL);
    struct http_answer answer = post(http, &places[_i], NULL, 5);
    ck_assert_int_eq(answer.status, 0);
    ck_assert_str_ne(answer.text, "");
    http_close(http);
}
END_TEST

START_TEST(urls_for_libcurl_are_known)
{
    ck_assert_ptr_nonnull(http_missing("https://host/a"));
    ck_assert_ptr_nonnull(http_missing("http://me:word@host/a"));
    ck_assert_ptr_null(http_missing("http://host/a@b"));
    ck_assert(!http_has_library());
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("push/http_plain");
    signal(SIGPIPE, SIG_IGN);
    UNIT_ADD_TABLE(tests, requests_are_answered, rows);
    tcase_add_loop_test(tests, no_server_is_an_error, 0, 5);
    tcase_add_test(tests, urls_for_libcurl_are_known);
    return unit_end();
}

/* SPDX-License-Identifier: MIT */
#include "profile/push/http_response.h"

#include "unit.h"

#include <stdlib.h>
#include <string.h>

#define OK "HTTP/1.1 200 OK\r\n"
#define NOW 1793000000 /* Mon, 26 Oct 2026 07:33:20 GMT */

static const struct {
    const char *text;
    enum http_progress open, ended; /* while more may come, and at the connection's end */
    long status;
    const char *body; /* at the end */
    uint64_t retry_s;
} rows[] = {
    {OK "Content-Length: 2\r\n\r\nab", HTTP_DONE, HTTP_DONE, 200, "ab", 0},
    {OK "content-length:2\r\n\r\nabc", HTTP_DONE, HTTP_DONE, 200, "ab", 0},
    {OK "Content-Length: 3\r\n\r\nab", HTTP_MORE, HTTP_BROKEN, 200, "ab", 0},
    {OK "Content-Length: 0\r\n\r\n", HTTP_DONE, HTTP_DONE, 200, "", 0},
    {OK "\r\nuntil the end", HTTP_MORE, HTTP_DONE, 200, "until the end", 0},
    {"HTTP/1.0 404 Not Found\r\nServer: x\r\n\r\n", HTTP_MORE, HTTP_DONE, 404, "", 0},
    {"HTTP/1.1 204 \r\n\r\n", HTTP_DONE, HTTP_DONE, 204, "", 0},
    {"HTTP/1.1 204\r\n\r\n", HTTP_DONE, HTTP_DONE, 204, "", 0},
    {"HTTP/1.1 100 Continue\r\n\r\n" OK "Content-Length: 1\r\n\r\na", HTTP_DONE, HTTP_DONE, 200, "a", 0},
    {"HTTP/1.1 100 Continue\r\n\r\n", HTTP_MORE, HTTP_BROKEN, 0, "", 0},
    {OK "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n", HTTP_DONE, HTTP_DONE, 200,
     "ab0123456789", 0},
    {OK "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", HTTP_DONE, HTTP_DONE, 200, "", 0},
    {OK "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n5\r\ncd", HTTP_MORE, HTTP_BROKEN, 200, "abcd", 0},
    {OK "Transfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n", HTTP_BROKEN, HTTP_BROKEN, 200, NULL, 0},
    {OK "Transfer-Encoding: chunked\r\n\r\nx\r\n", HTTP_BROKEN, HTTP_BROKEN, 200, NULL, 0},
    {OK "Transfer-Encoding: chunked\r\n\r\nfffffffff\r\n", HTTP_BROKEN, HTTP_BROKEN, 200, NULL, 0},
    {OK "Transfer-Encoding: chunked\r\n\r\nffffffff\r\nab", HTTP_MORE, HTTP_BROKEN, 200, "ab", 0},
    {"HTTP/1.1 503 x\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n", HTTP_DONE, HTTP_DONE, 503, "", 7},
    {"HTTP/1.1 503 x\r\nRetry-After: Mon, 26 Oct 2026 07:34:20 GMT\r\nContent-Length: 0\r\n\r\n", HTTP_DONE, HTTP_DONE,
     503, "", 60},
    {"HTTP/1.1 503 x\r\nRetry-After: Mon, 26 Oct 2020 07:34:20 GMT\r\nContent-Length: 0\r\n\r\n", HTTP_DONE, HTTP_DONE,
     503, "", 0},
    {"HTTP/1.1 503 x\r\nRetry-After: soon\r\nContent-Length: 0\r\n\r\n", HTTP_DONE, HTTP_DONE, 503, "", 0},
    {"HTTP/1.1 503 x\r\nRetry-After: 99999999999999999999\r\nContent-Length: 0\r\n\r\n", HTTP_DONE, HTTP_DONE, 503, "",
     0},
    {OK "Content-Length: -1\r\n\r\n", HTTP_BROKEN, HTTP_BROKEN, 0, NULL, 0},
    {OK "Content-Length: 99999999999999999999\r\n\r\n", HTTP_BROKEN, HTTP_BROKEN, 0, NULL, 0},
    {OK "no colon\r\n\r\n", HTTP_BROKEN, HTTP_BROKEN, 0, NULL, 0},
    {"HTTP/1.1 abc\r\n\r\n", HTTP_BROKEN, HTTP_BROKEN, 0, NULL, 0},
    {"HTTP/1.1\r\n\r\n", HTTP_BROKEN, HTTP_BROKEN, 0, NULL, 0},
    {"HTTP/2 200\r\n\r\n", HTTP_BROKEN, HTTP_BROKEN, 0, NULL, 0},
    {"SSH-2.0-x\r\n", HTTP_BROKEN, HTTP_BROKEN, 0, NULL, 0},
    {"HTT", HTTP_MORE, HTTP_BROKEN, 0, NULL, 0},
    {"", HTTP_MORE, HTTP_BROKEN, 0, NULL, 0},
};

static char *copy_of(const char *text, size_t length)
{
    char *exact = malloc(length + 1); /* of the exact size, for the sanitizers */
    ck_assert_ptr_nonnull(exact);
    memcpy(exact + 1, text, length);
    return exact;
}

START_TEST(answers_follow_the_table)
{
    size_t length = strlen(rows[_i].text);
    for (int ended = 0; ended < 2; ended++) {
        struct http_response response;
        char *exact = copy_of(rows[_i].text, length);
        enum http_progress progress = http_response_read(exact + 1, length, ended, NOW, &response);
        ck_assert_int_eq(progress, ended ? rows[_i].ended : rows[_i].open);
        ck_assert_int_eq(response.status, rows[_i].status);
        ck_assert_uint_eq(response.retry_ns, rows[_i].retry_s * 1000000000);
        if (rows[_i].body && (ended || progress == HTTP_DONE)) {
            ck_assert_uint_eq(response.size, strlen(rows[_i].body));
            ck_assert_mem_eq(exact + 1 + response.body, rows[_i].body, response.size);
        }
        free(exact);
    }
}
END_TEST

/* Of any prefix of the response, nothing beyond it is read, and it is never taken for complete. */
START_TEST(parts_are_not_taken_for_the_whole)
{
    size_t length = strlen(rows[_i].text);
    for (size_t part = 0; part < length; part++) {
        struct http_response response;
        char *exact = copy_of(rows[_i].text, part);
        enum http_progress progress = http_response_read(exact + 1, part, false, NOW, &response);
        ck_assert(progress != HTTP_DONE || rows[_i].open == HTTP_DONE);
        ck_assert(progress != HTTP_BROKEN || rows[_i].open == HTTP_BROKEN);
        ck_assert_uint_le(response.body + response.size, part);
        free(exact);
    }
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("push/http_response");
    UNIT_ADD_TABLE(tests, answers_follow_the_table, rows);
    UNIT_ADD_TABLE(tests, parts_are_not_taken_for_the_whole, rows);
    return unit_end();
}

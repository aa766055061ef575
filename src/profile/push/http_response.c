/* SPDX-License-Identifier: MIT */
#include "profile/push/http_response.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define NS_IN_S UINT64_C(1000000000)

enum { RETRY_MOST_S = 1000000, DIGITS_MOST = 15, NO_LENGTH = -1 };

/* The head of an answer. */
struct head {
    long status;
    long long length; /* of the body, or NO_LENGTH */
    bool chunked;
    uint64_t retry_s;
};

/* Parses TEXT of LENGTH bytes as a decimal number; blanks around it are ignored. Returns false if it is not a number,
 * or very large. */
static bool read_number(const char *text, size_t length, long long *number)
{
    size_t at = 0, digits = 0;
    while (at < length && (text[at] == ' ' || text[at] == '\t'))
        at++;
    for (*number = 0; at < length && isdigit((unsigned char)text[at]); at++, digits++)
        if (digits < DIGITS_MOST)
            *number = *number * 10 + (text[at] - '0');
    while (at < length && (text[at] == ' ' || text[at] == '\t'))
        at++;
    return digits && digits < DIGITS_MOST && at == length;
}

/* Returns a date such as "Wed, 21 Oct 2026 07:28:00 GMT" in seconds since 1970; 0 if TEXT is not a date. The names are
 * English, as ptprofil sets no locale but LC_CTYPE. */
static uint64_t read_date(const char *text, size_t length)
{
    char date[40];
    struct tm time = {0};
    snprintf(date, sizeof date, "%.*s", (int)length, text);
    time_t seconds = strptime(date, " %a, %d %b %Y %H:%M:%S GMT", &time) ? timegm(&time) : 0;
    return seconds > 0 ? (uint64_t)seconds : 0;
}

static uint64_t read_retry(const char *text, size_t length, uint64_t now_s)
{
    long long seconds;
    if (!read_number(text, length, &seconds)) {
        uint64_t at_s = read_date(text, length);
        seconds = at_s > now_s ? (long long)(at_s - now_s) : 0;
    }
    return seconds < RETRY_MOST_S ? (uint64_t)seconds : 0;
}

static bool is_name(const char *line, size_t name, const char *wanted)
{
    return name == strlen(wanted) && !strncasecmp(line, wanted, name);
}

/* A line NAME: VALUE. */
static bool read_field(struct head *head, const char *line, size_t length, uint64_t now_s)
{
    const char *colon = memchr(line, ':', length);
    if (!colon || colon == line)
        return false;
    size_t name = (size_t)(colon - line), size = length - name - 1;
    const char *value = colon + 1;
    if (is_name(line, name, "Content-Length"))
        return read_number(value, size, &head->length);
    if (is_name(line, name, "Retry-After"))
        head->retry_s = read_retry(value, size, now_s);
    if (is_name(line, name, "Transfer-Encoding"))
        head->chunked = size >= 7 && !strncasecmp(value + size - 7, "chunked", 7);
    return true;
}

/* Parses the head at the beginning of TEXT. Its size includes the empty line. */
static enum http_progress read_head(const char *text, size_t length, uint64_t now_s, struct head *head, size_t *size)
{
    static const char begin[] = "HTTP/1.";
    size_t known = sizeof begin - 1;
    *head = (struct head){.length = NO_LENGTH};
    if (memcmp(text, begin, length < known ? length : known) != 0)
        return HTTP_BROKEN;
    const char *end = memmem(text, length, "\r\n\r\n", 4);
    if (!end)
        return HTTP_MORE;
    *size = (size_t)(end - text) + 4;
    const char *line = text + strcspn(text, "\r");
    if (line - text < 12 || text[8] != ' ' || !isdigit((unsigned char)text[9]) || !isdigit((unsigned char)text[10]) ||
        !isdigit((unsigned char)text[11]))
        return HTTP_BROKEN;
    head->status = (text[9] - '0') * 100 + (text[10] - '0') * 10 + (text[11] - '0');
    for (line += 2; line < end; line += 2) {
        const char *next = memmem(line, (size_t)(end + 2 - line), "\r\n", 2);
        if (!read_field(head, line, (size_t)(next - line), now_s))
            return HTTP_BROKEN;
        line = next;
    }
    return HTTP_DONE;
}

/* Reads the size of the chunk at *AT, and moves *AT to its bytes. */
static enum http_progress read_chunk_size(const char *text, size_t length, size_t *at, size_t *size)
{
    const char *end = memmem(text + *at, length - *at, "\r\n", 2);
    size_t digits = 0;
    if (!end)
        return length - *at > 1024 ? HTTP_BROKEN : HTTP_MORE;
    for (*size = 0; isxdigit((unsigned char)text[*at + digits]); digits++) {
        char digit = text[*at + digits];
        if (digits == 8)
            return HTTP_BROKEN;
        *size = *size * 16 +
                (size_t)(isdigit((unsigned char)digit) ? digit - '0' : tolower((unsigned char)digit) - 'a' + 10);
    }
    *at = (size_t)(end - text) + 2;
    return digits ? HTTP_DONE : HTTP_BROKEN;
}

/* Finds out if all chunks were received (HTTP_DONE). With MOVE, joins the received chunks at the beginning of the body.
 */
static enum http_progress read_chunks(char *text, size_t length, bool move, struct http_response *response)
{
    size_t at = response->body, size, to = response->body;
    enum http_progress progress;
    while ((progress = read_chunk_size(text, length, &at, &size)) == HTTP_DONE && size) {
        size_t come = size < length - at ? size : length - at;
        if (move)
            memmove(text + to, text + at, come);
        to += come;
        if (length - at < size + 2) {
            progress = HTTP_MORE;
            break;
        }
        if (memcmp(text + at + size, "\r\n", 2) != 0)
            return HTTP_BROKEN;
        at += size + 2;
    }
    response->size = to - response->body;
    return progress;
}

enum http_progress http_response_read(char *text, size_t length, bool ended, uint64_t now_s,
                                      struct http_response *response)
{
    struct head head;
    size_t size = 0, begin = 0;
    enum http_progress progress;
    *response = (struct http_response){0};
    while ((progress = read_head(text + begin, length - begin, now_s, &head, &size)) == HTTP_DONE && head.status < 200)
        begin += size;
    if (progress != HTTP_DONE)
        return ended ? HTTP_BROKEN : progress;
    response->status = head.status;
    response->retry_ns = head.retry_s * NS_IN_S;
    response->body = begin + size;
    response->size = length - response->body;
    if (head.status == 204 || head.status == 304 || (!head.chunked && !head.length))
        response->size = 0;
    else if (head.chunked) {
        progress = read_chunks(text, length, false, response);
        if (progress == HTTP_DONE || ended)
            read_chunks(text, length, true, response);
    } else if (head.length != NO_LENGTH && response->size < (unsigned long long)head.length) {
        progress = HTTP_MORE;
    } else if (head.length != NO_LENGTH) {
        response->size = (size_t)head.length;
    } else if (!ended) {
        progress = HTTP_MORE; /* until the connection ends */
    }
    return progress == HTTP_MORE && ended ? HTTP_BROKEN : progress;
}

/* SPDX-License-Identifier: MIT */
#include "profile/push/sender.h"

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/socket.h"
#include "common/base/time.h"
#include "common/confine/refuse.h"
#include "common/text/say.h"
#include "common/text/text.h"
#include "profile/push/http.h"
#include "profile/push/message.h"
#include "profile/push/otlp_answer.h"
#include "profile/push/queue.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define NS_IN_MS UINT64_C(1000000)
#define LAST_NS (5000 * NS_IN_MS)      /* at the end */
#define OLDEST_NS (3600000 * NS_IN_MS) /* what Pyroscope takes */

enum { QUEUE_BYTES = 16 << 20, GIVE_MS = 5000, END_MS = 15000, LONGEST_MS = 60000 };

/* The work of the process. */
struct work {
    int socket;
    const struct push_options *options;
    const char *headers;
    struct http *http;
    struct push_queue queues[PUSH_TARGETS_MOST];
    /* The user knows that the server cannot be reached; refuses requests; rejects a part of one. */
    bool outage_reported[PUSH_TARGETS_MOST], refusal_reported[PUSH_TARGETS_MOST], part_reported[PUSH_TARGETS_MOST];
    uint64_t rejected[PUSH_TARGETS_MOST]; /* rejected profiles of requests that were otherwise accepted */
    bool closed;
    uint64_t last_ns; /* when to give up, once it is closed */
};

/* Returns the contents of the file FD, at most MOST bytes, and closes it. The caller frees them. */
static char *read_and_close(int fd, size_t most, size_t *size)
{
    struct stat about;
    char *bytes = NULL;
    bool fits = fstat(fd, &about) == 0 && about.st_size > 0 && (size_t)about.st_size <= most;
    *size = fits ? (size_t)about.st_size : 0;
    if (fits)
        bytes = malloc(*size);
    if (bytes && pread(fd, bytes, *size, 0) != (ssize_t)*size) {
        free(bytes);
        bytes = NULL;
    }
    close(fd);
    return bytes;
}

/* Receives a request from the other processes. Returns false if none waits. */
static bool receive_request(struct work *work)
{
    uint32_t target = 0;
    int fd = -1;
    size_t size;
    ssize_t got = socket_receive_once(work->socket, &target, sizeof target, &fd, MSG_DONTWAIT);
    if (got < 0)
        return got == -EINTR;
    work->closed |= got == 0;
    if (fd < 0)
        return got > 0;
    char *bytes = read_and_close(fd, QUEUE_BYTES, &size);
    if (bytes && target < work->options->target_count)
        push_queue_add(&work->queues[target], bytes, size, time_now_ns());
    else if (target < work->options->target_count)
        work->queues[target].counts.dropped++;
    return true;
}

static void post_next(struct work *work, size_t i)
{
    const struct push_target *target = &work->options->targets[i];
    const struct push_item *item = push_queue_begin(&work->queues[i], time_now_ns());
    const struct http_place place = {target->endpoint, target->socket};
    if (item && http_post(work->http, i, &place, message_content(target->protocol), item->bytes, item->size) < 0)
        push_queue_end(&work->queues[i], PUSH_AGAIN, 0, 0, time_now_ns());
}

/* The server's text is untrusted, and so it is cleaned. */
static void report(const struct work *work, size_t i, const char *what, const char *text)
{
    struct buffer clean = {0};
    text_clean(&clean, text ? text : "", say_utf8());
    say_line(stderr, "%s %s%s%s", work->options->targets[i].shown, what, text ? ": " : "",
             clean.bytes ? clean.bytes : "");
    buffer_fini(&clean);
}

/* Reports the contents of an OTLP server's ANSWER. */
static void report_otlp_message(struct work *work, size_t i, struct http_answer *answer)
{
    struct otlp_answer read;
    otlp_answer_read(&read, answer->status, answer->body, answer->body_size);
    bool taken = otlp_result_of(answer->status) == PUSH_SENT;
    if (!taken && answer->status)
        snprintf(answer->text, sizeof answer->text, "HTTP status %ld%s%.200s", answer->status, *read.text ? ": " : "",
                 read.text);
    if (!taken || (!read.rejected && !*read.text))
        return;
    work->rejected[i] += read.rejected;
    if (!work->part_reported[i])
        report(work, i, read.rejected ? "rejects some profiles" : "warns", *read.text ? read.text : NULL);
    work->part_reported[i] = true;
}

static void end_request(struct work *work, struct http_answer *answer)
{
    size_t i = answer->number;
    uint32_t random = 0;
    bool otlp = work->options->targets[i].protocol == PUSH_OTLP;
    enum push_result result = otlp ? otlp_result_of(answer->status) : push_result_of(answer->status);
    if (otlp)
        report_otlp_message(work, i, answer);
    if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0)
        random = (uint32_t)time_now_ns();
    push_queue_end(&work->queues[i], result, answer->retry_ns, random, time_now_ns());
    if (result == PUSH_REFUSED && !work->refusal_reported[i]) {
        report(work, i, "refuses profiles", answer->text);
        work->refusal_reported[i] = true;
    } else if (result != PUSH_SENT && result != PUSH_REFUSED && !work->outage_reported[i]) {
        report(work, i, "does not take profiles now, which are kept and sent later", answer->text);
        work->outage_reported[i] = true;
    } else if (result == PUSH_SENT && work->outage_reported[i]) {
        report(work, i, "takes profiles again", NULL);
        work->outage_reported[i] = false;
    }
}

static uint64_t due_ns(const struct work *work)
{
    uint64_t due_ns = work->closed ? work->last_ns : UINT64_MAX;
    for (size_t i = 0; i < work->options->target_count; i++) {
        uint64_t one_ns = push_queue_due_ns(&work->queues[i]);
        due_ns = one_ns < due_ns ? one_ns : due_ns;
    }
    return due_ns;
}

static bool is_empty(const struct work *work)
{
    for (size_t i = 0; i < work->options->target_count; i++)
        if (work->queues[i].count)
            return false;
    return true;
}

static int wait_ms(const struct work *work)
{
    uint64_t now_ns = time_now_ns(), until_ns = due_ns(work);
    uint64_t left_ms = until_ns > now_ns ? (until_ns - now_ns) / NS_IN_MS + 1 : 0;
    return left_ms < LONGEST_MS ? (int)left_ms : LONGEST_MS;
}

static void work_once(struct work *work)
{
    struct http_answer answer;
    bool was_closed = work->closed;
    while (!work->closed && receive_request(work))
        ;
    if (work->closed && !was_closed) {
        work->last_ns = time_now_ns() + LAST_NS;
        for (size_t i = 0; i < work->options->target_count; i++)
            if (!work->queues[i].failures)
                work->queues[i].next_ns = 0;
    }
    for (size_t i = 0; i < work->options->target_count; i++)
        post_next(work, i);
    http_work(work->http, work->closed ? -1 : work->socket, wait_ms(work));
    while (http_next(work->http, &answer))
        end_request(work, &answer);
}

static void report_losses(const struct work *work)
{
    for (size_t i = 0; i < work->options->target_count; i++) {
        const struct push_queue *queue = &work->queues[i];
        const struct push_counts *counts = &queue->counts;
        if (push_lost(counts) + queue->count)
            say_line(stderr,
                     "%s: %llu requests sent, %llu lost (%llu refused, %llu for lack of room, %llu too old, %zu at "
                     "the end)",
                     work->options->targets[i].shown, (unsigned long long)counts->sent,
                     (unsigned long long)(push_lost(counts) + queue->count), (unsigned long long)counts->refused,
                     (unsigned long long)counts->dropped, (unsigned long long)counts->expired, queue->count);
        if (work->rejected[i])
            say_line(stderr, "%s: %llu profiles rejected, in requests that it took", work->options->targets[i].shown,
                     (unsigned long long)work->rejected[i]);
    }
}

static int child_main(void *argument)
{
    struct work *work = argument;
    struct error error = {0};
    int kept[] = {work->socket, STDERR_FILENO};
    for (size_t i = 0; i < work->options->target_count; i++)
        work->queues[i] = (struct push_queue){.most_bytes = QUEUE_BYTES, .oldest_ns = OLDEST_NS};
    if (!child_keep(kept, 2, false) || dup2(kept[1], STDERR_FILENO) < 0) {
        error_set(&error, errno, "the process that sends cannot start: %s", strerror(errno));
    } else {
        work->socket = kept[0];
        refuse_as_client();
        http_open(&work->http, work->headers, &error);
    }
    send(work->socket, &error, sizeof error, MSG_NOSIGNAL);
    if (error.errnum)
        return 1;
    while (!work->closed || (!is_empty(work) && time_now_ns() < work->last_ns))
        work_once(work);
    report_losses(work);
    http_close(work->http);
    return 0;
}

int sender_start(struct sender *sender, const struct push_options *options, const char *headers, struct error *error)
{
    const struct timeval patience = {GIVE_MS / 1000, 0};
    struct error answer = {0};
    int pair[2];
    *sender = (struct sender){.socket = -1};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return error_system(error, errno, "--push: cannot start to send");
    struct work work = {.socket = pair[1], .options = options, .headers = headers};
    int result = child_start(&sender->child, "pt-sender", child_main, &work);
    close(pair[1]);
    if (result < 0) {
        close(pair[0]);
        return error_system(error, -result, "--push: cannot start to send");
    }
    sender->socket = pair[0];
    setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (recv(pair[0], &answer, sizeof answer, 0) == sizeof answer && !answer.errnum)
        return 0;
    answer.text[sizeof answer.text - 1] = 0;
    sender_end(sender);
    return error_set(error, EIO, "--push: %s", *answer.text ? answer.text : "the process that sends has ended");
}

int sender_give(const struct sender *sender, size_t target, const void *bytes, size_t size)
{
    uint32_t number = (uint32_t)target;
    int fd = memfd_create("ptprofil-push", MFD_CLOEXEC);
    struct iovec part = {&number, sizeof number};
    if (fd < 0)
        return -errno;
    int result = write(fd, bytes, size) == (ssize_t)size ? 0 : -ENOSPC;
    ssize_t sent = result ? 0 : socket_send_once(sender->socket, &part, 1, fd, 0);
    close(fd);
    return sent < 0 ? (int)sent : result;
}

void sender_end(struct sender *sender)
{
    struct pollfd ended = {.fd = sender->child.fd, .events = POLLIN};
    if (sender->socket < 0)
        return;
    close(sender->socket);
    sender->socket = -1;
    poll(&ended, 1, END_MS);
    if (!child_kill(&sender->child, GIVE_MS))
        child_leave(&sender->child);
}

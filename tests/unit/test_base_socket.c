/* SPDX-License-Identifier: MIT */
#include "common/base/socket.h"

#include "common/base/buffer.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LARGE = 3 << 20, NO_FD = -1 };

static int ends[2];

static void make_pair(void)
{
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
}

/* The lowest free descriptor. It changes if a function leaves one open. */
static int next_descriptor(void)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    close(fd);
    return fd;
}

static void send_greeting(int fd)
{
    char one[] = "good ", other[] = "morning";
    struct iovec parts[] = {{one, 5}, {NULL, 0}, {other, 7}};
    ck_assert(socket_send_parts(ends[0], parts, 3, fd));
}

START_TEST(a_descriptor_comes_with_the_bytes)
{
    char text[13] = "";
    int pipes[2], got = NO_FD;
    make_pair();
    ck_assert_int_eq(pipe(pipes), 0);
    send_greeting(pipes[1]);
    ck_assert(socket_receive(ends[1], text, 12, &got));
    ck_assert_str_eq(text, "good morning");
    ck_assert_int_ge(got, 0);
    ck_assert_int_eq(fcntl(got, F_GETFD), FD_CLOEXEC);
    ck_assert_int_eq(write(got, "x", 1), 1);
    ck_assert_int_eq(read(pipes[0], text, 1), 1);
    ck_assert_int_eq(text[0], 'x');
}
END_TEST

START_TEST(unexpected_descriptors_are_closed)
{
    char text[13] = "";
    int got = NO_FD;
    make_pair();
    int before = next_descriptor();
    send_greeting(ends[0]);
    ck_assert(socket_receive(ends[1], text, 12, NULL));
    ck_assert_str_eq(text, "good morning");
    ck_assert_int_eq(next_descriptor(), before);
    send_greeting(-1);
    ck_assert(socket_receive(ends[1], text, 12, &got));
    ck_assert_int_eq(got, NO_FD);
}
END_TEST

START_TEST(one_call_sends_and_receives_what_there_is)
{
    char byte = 'a';
    struct iovec part = {&byte, 1};
    int got = NO_FD;
    make_pair();
    ck_assert_int_eq(socket_receive_once(ends[1], &byte, 1, &got, MSG_DONTWAIT), -EAGAIN);
    ck_assert_int_eq(socket_send_once(ends[0], &part, 1, ends[0], MSG_DONTWAIT), 1);
    ck_assert_int_eq(socket_receive_once(ends[1], &byte, 1, &got, MSG_DONTWAIT), 1);
    ck_assert_int_ge(got, 0);
    close(got);
    close(ends[0]);
    ck_assert_int_eq(socket_receive_once(ends[1], &byte, 1, NULL, 0), 0);
    ck_assert_int_eq(socket_send_once(ends[1], &part, 1, -1, 0), -EPIPE);
}
END_TEST

/* The message exceeds the socket's buffer, so it is sent and received in parts. */
START_TEST(large_messages_are_whole)
{
    struct buffer buffer = {0};
    unsigned char *bytes = malloc(LARGE);
    int status;
    make_pair();
    for (size_t i = 0; i < LARGE; i++)
        bytes[i] = (unsigned char)(i * 2654435761u >> 13);
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (!pid) {
        struct iovec parts[] = {{bytes, 1}, {bytes + 1, LARGE - 2}, {bytes + LARGE - 1, 1}};
        _exit(!socket_send_parts(ends[0], parts, 3, -1) || !socket_send(ends[0], bytes, LARGE));
    }
    for (int i = 0; i < 2; i++) {
        ck_assert(socket_receive_buffer(ends[1], &buffer, LARGE));
        ck_assert_uint_eq(buffer.length, LARGE);
        ck_assert_int_eq(memcmp(buffer.bytes, bytes, LARGE), 0);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    buffer_fini(&buffer);
    free(bytes);
}
END_TEST

START_TEST(an_end_is_a_failure)
{
    struct buffer buffer = {0};
    char bytes[4];
    make_pair();
    ck_assert(socket_send(ends[0], "abc", 3));
    ck_assert(socket_send(ends[0], NULL, 0));
    close(ends[0]);
    ck_assert(!socket_receive(ends[1], bytes, sizeof bytes, NULL));
    ck_assert(!socket_receive_buffer(ends[1], &buffer, UINT64_MAX));
    ck_assert(!socket_send(ends[1], bytes, sizeof bytes));
    ck_assert(socket_receive(ends[1], bytes, 0, NULL));
    buffer_fini(&buffer);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("base/socket");
    tcase_add_test(tests, a_descriptor_comes_with_the_bytes);
    tcase_add_test(tests, unexpected_descriptors_are_closed);
    tcase_add_test(tests, one_call_sends_and_receives_what_there_is);
    tcase_add_test(tests, large_messages_are_whole);
    tcase_add_test(tests, an_end_is_a_failure);
    return unit_end();
}

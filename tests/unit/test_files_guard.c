/* SPDX-License-Identifier: MIT */
#include "programs/files/guard.h"

#include "common/base/socket.h"
#include "common/confine/calls.h"
#include "programs/files/fetch.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct confine_call calls[] = {
    {.number = SYS_exit_group},
    {.number = SYS_rt_sigreturn},
    {.number = SYS_recvmsg},
    {.number = SYS_sendmsg},
    {.number = SYS_openat, .action = CONFINE_TRAP},
    {.number = SYS_readlinkat, .action = CONFINE_TRAP},
#ifdef SYS_open
    {.number = SYS_open, .action = CONFINE_TRAP},
    {.number = SYS_readlink, .action = CONFINE_TRAP},
#endif
};

static const char place[] = "/real/path/of/it";

/* Answers one question with RESULT, or a descriptor if that is 0. Returns false if none comes. */
static bool answer(int socket, int result, char *path)
{
    struct fetch_question question = {0};
    struct fetch_reply reply = {.result = result};
    if (socket_receive_once(socket, &question, sizeof question, NULL, 0) <= 0)
        return false;
    ck_assert_uint_eq(question.kind, FETCH_OF_LIBRARY);
    strcpy(path, question.path);
    strcpy(reply.place, place);
    struct iovec part = {&reply, sizeof reply.result + sizeof place};
    ck_assert_int_gt(socket_send_once(socket, &part, 1, result ? -1 : STDIN_FILENO, 0), 0);
    return true;
}

enum { MANY = 100 };

static const struct {
    const char *path;
    int directory, flags, answer;
    int status; /* of the opening: an errno, or MANY for a descriptor with the right link */
    bool asked;
} opens[] = {
    {"/any/file", AT_FDCWD, O_RDONLY, 0, MANY, true},
    {"/any/file", AT_FDCWD, O_RDONLY | O_CLOEXEC, 0, MANY, true},
    {"file", AT_FDCWD, O_RDONLY, 0, MANY, true},
    {"/any/file", 3, O_RDONLY, 0, MANY, true},
    {"/any/file", AT_FDCWD, O_RDONLY, -ENOENT, ENOENT, true},
    {"file", 3, O_RDONLY, 0, EACCES, false},
    {"/any/file", AT_FDCWD, O_PATH, 0, EACCES, false},
    {"/any/file", AT_FDCWD, O_WRONLY, 0, EACCES, false},
    {"/any/file", AT_FDCWD, O_RDWR, 0, EACCES, false},
    {"/any/file", AT_FDCWD, O_RDONLY | O_CREAT, 0, EACCES, false},
    {"/any/file", AT_FDCWD, O_RDONLY | O_TRUNC, 0, EACCES, false},
};

/* The links of open files have the name that came with them. */
static bool has_link(int fd)
{
    char link[64], target[4096] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    return syscall(SYS_readlinkat, AT_FDCWD, link, target, sizeof target) == (long)strlen(place) &&
           !strcmp(target, place) && syscall(SYS_readlinkat, AT_FDCWD, "/proc", target, sizeof target) < 0 &&
           errno == EINVAL;
}

static int open_one(int socket, const char *path, int directory, int flags)
{
    fetch_begin(socket);
    if (guard_prepare() < 0 || confine_calls(calls, UNIT_ROWS(calls)) < 0)
        return 1;
    guard_begin();
    int fd = (int)syscall(SYS_openat, directory, path, flags, 0600);
    return fd < 0 ? errno : has_link(fd) ? MANY : 2;
}

START_TEST(files_are_fetched)
{
    char path[PATH_MAX] = "";
    int pair[2], status;
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    pid_t pid = fork();
    if (pid == 0) {
        close(pair[0]);
        _exit(open_one(pair[1], opens[_i].path, opens[_i].directory, opens[_i].flags));
    }
    close(pair[1]);
    ck_assert_int_eq(answer(pair[0], opens[_i].answer, path), opens[_i].asked);
    ck_assert_str_eq(path, opens[_i].asked ? opens[_i].path : "");
    close(pair[0]);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), opens[_i].status);
}
END_TEST

/* Replies that no honest process sends. */
START_TEST(a_reply_without_a_file_is_an_error)
{
    int pair[2];
    const struct fetch_reply replies[] = {{.result = 0}, {.result = -EACCES}};
    char byte = 0;
    struct iovec parts[] = {
        {(void *)(uintptr_t)&replies[0], sizeof replies[0]}, {(void *)(uintptr_t)&replies[1], 5}, {&byte, 1}};
    const int results[] = {-EIO, -EACCES, -EIO};
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    ck_assert(!fetch_is_needed());
    fetch_begin(pair[0]);
    ck_assert(fetch_is_needed());
    for (int i = 0; i < 3; i++) {
        ck_assert_int_gt(socket_send_once(pair[1], &parts[i], 1, -1, 0), 0);
        ck_assert_int_eq(fetch_open(FETCH_HERE, "/x"), results[i]);
    }
    ck_assert_str_eq(fetch_place(pair[0]), "");
    ck_assert_str_eq(fetch_place(-1), "");
    close(pair[1]);
    ck_assert_int_eq(fetch_open(FETCH_HERE, "/x"), -EIO);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("files/guard");
    UNIT_ADD_TABLE(tests, files_are_fetched, opens);
    tcase_add_test(tests, a_reply_without_a_file_is_an_error);
    return unit_end();
}

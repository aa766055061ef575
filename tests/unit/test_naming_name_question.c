/* SPDX-License-Identifier: MIT */
#include "front/naming/name_question.h"

#include "common/base/socket.h"
#include "unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* What is sent: sizes that the question announces, the texts, and the number of offsets that follow. */
static const struct {
    const char *name;
    uint32_t path_size, root_size, place_size, count;
    const char *path, *root, *place;
    uint32_t offsets;
    bool has_place, fits;
} questions[] = {
    {"usual", 5, 1, 0, 2, "/a/b", "", "", 2, false, true},
    {"with its place", 5, 1, 3, 2, "/a/b", "", "/c", 2, true, true},
    {"without offsets", 5, 2, 0, 0, "/a/b", "r", "", 0, false, true},
    {"a place that nobody reads", 5, 1, UINT32_MAX, 2, "/a/b", "", "", 2, false, true},
    {"no path", 0, 1, 0, 2, "", "", "", 2, false, false},
    {"no root", 5, 0, 0, 2, "/a/b", "", "", 2, false, false},
    {"no place", 5, 1, 0, 2, "/a/b", "", "", 2, true, false},
    {"a path without an end", 4, 1, 0, 2, "/a/b", "", "", 2, false, false},
    {"a root without an end", 5, 1, 0, 2, "/a/b", "r", "", 2, false, false},
    {"a place without an end", 5, 1, 2, 2, "/a/b", "", "/c", 2, true, false},
    {"too long a path", NAME_TEXT_MOST + 1, 1, 0, 2, "/a/b", "", "", 2, false, false},
    {"too long a root", 5, UINT32_MAX, 0, 2, "/a/b", "", "", 2, false, false},
    {"too long a place", 5, 1, PATH_MAX + 1, 2, "/a/b", "", "/c", 2, true, false},
    {"too many offsets", 5, 1, 0, NAME_ASKED_MOST + 1, "/a/b", "", "", 2, false, false},
    {"too few offsets", 5, 1, 0, 3, "/a/b", "", "", 2, false, false},
    {"the end before the path", 9, 1, 0, 2, "/a/b", "", "", 0, false, false},
};

static void send_text(int socket, const char *text, uint32_t size)
{
    size_t length = strlen(text) + 1;
    ck_assert(socket_send(socket, text, size < length ? size : length));
}

START_TEST(a_question_must_make_sense)
{
    const uint64_t offsets[] = {7, 8};
    struct name_asked *asked = calloc(1, sizeof *asked);
    struct name_question question = {
        .path_size = questions[_i].path_size,
        .root_size = questions[_i].root_size,
        .place_size = questions[_i].place_size,
        .count = questions[_i].count,
    };
    struct iovec part = {&question, sizeof question};
    int pair[2], fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    ck_assert(socket_send_parts(pair[1], &part, 1, fd));
    send_text(pair[1], questions[_i].path, question.path_size);
    send_text(pair[1], questions[_i].root, question.root_size);
    if (questions[_i].has_place)
        send_text(pair[1], questions[_i].place, question.place_size);
    ck_assert(socket_send(pair[1], offsets, questions[_i].offsets * sizeof *offsets));
    close(pair[1]);
    bool fits = name_question_receive(asked, pair[0], questions[_i].has_place);
    ck_assert_msg(fits == questions[_i].fits, "%s", questions[_i].name);
    ck_assert_int_ge(asked->fd, 0);
    if (fits) {
        ck_assert_str_eq(asked->path, questions[_i].path);
        ck_assert_str_eq(asked->root, questions[_i].root);
        ck_assert_str_eq(asked->place, questions[_i].place);
        ck_assert(!question.count || asked->offsets.items[1] == offsets[1]);
    }
    close(asked->fd);
    ck_assert(!name_question_receive(asked, pair[0], false)); /* the other side is gone */
    free(asked->offsets.items);
    free(asked);
    close(pair[0]);
    close(fd);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("naming/name_question");
    UNIT_ADD_TABLE(tests, a_question_must_make_sense, questions);
    return unit_end();
}

/* SPDX-License-Identifier: MIT
 *
 * The relay and those that ask, with a reader that a stranger's file rules. */
#include "front/naming/name_wire.h"

#include "common/base/buffer.h"
#include "common/base/child.h"
#include "common/base/socket.h"
#include "front/naming/name_answer.h"
#include "front/naming/name_server.h"
#include "front/record/object.h"
#include "profile/profile/builder.h"
#include "profile/profile/profile.h"
#include "programs/files/fetch.h"
#include "unit.h"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static enum conduct {
    HONEST,
    DIES,
    DIES_OF_LINES,
    ANNOUNCES_TOO_MUCH,
    ANSWERS_NONSENSE,
    ASKS_FOR_FILES,
    ASKS_WRONGLY,
} conduct;

/* Receives the beginning of the question, and leaves the rest. */
static struct name_question question_of(int socket)
{
    struct name_question question = {0};
    int fd = -1;
    socket_receive(socket, &question, sizeof question, &fd);
    return question;
}

static void answer(int socket, uint64_t size, const char *bytes, size_t length)
{
    const struct name_reply reply = {.size = size};
    socket_send(socket, &reply, sizeof reply);
    socket_send(socket, bytes, length);
}

/* Dies if any file can be opened that is no ELF file. */
static void ask_for_files(int socket)
{
    static const char *const paths[] = {"/etc/passwd", "/proc/self/maps", "/dev/zero", "/",
                                        "/proc/self/exe/../../etc/passwd"};
    fetch_begin(socket);
    for (size_t i = 0; i < UNIT_ROWS(paths); i++)
        for (uint32_t kind = FETCH_BELOW_ROOT; kind <= FETCH_OF_SERVER + 1; kind++)
            if (fetch_open((enum fetch_kind)kind, paths[i]) >= 0)
                _exit(1);
}

int __real_name_keeper_serve(void *argument);
int __wrap_name_keeper_serve(void *argument);
int __wrap_name_keeper_serve(void *argument)
{
    const struct name_reader *reader = argument;
    switch (conduct) {
    case DIES:
        question_of(reader->questions);
        return 0;
    case DIES_OF_LINES: {
        struct name_question question;
        if (recv(reader->questions, &question, sizeof question, MSG_PEEK) == sizeof question && !question.without_lines)
            return 0;
        break;
    }
    case ANNOUNCES_TOO_MUCH:
        question_of(reader->questions);
        answer(reader->questions, UINT64_MAX, "abc", 3);
        return 0;
    case ANSWERS_NONSENSE:
        question_of(reader->questions);
        answer(reader->questions, 3, "abc", 3);
        return 0;
    case ASKS_FOR_FILES:
        ask_for_files(reader->files);
        break;
    case ASKS_WRONGLY:
        socket_send(reader->files, "?", 1);
        question_of(reader->questions);
        pause();
        return 0;
    default:
        break;
    }
    return __real_name_keeper_serve(argument);
}

static const struct {
    enum conduct conduct;
    bool sense, cut;
} rows[] = {
    {HONEST, true, false},
    {DIES, false, false},
    {DIES_OF_LINES, true, true},
    {ANNOUNCES_TOO_MUCH, false, false},
    {ANSWERS_NONSENSE, false, false},
    {ASKS_FOR_FILES, true, false},
    {ASKS_WRONGLY, false, false},
};

/* Asks about this program. Sets what is expected in the row. */
static void ask(struct name_server *server, const char *path, bool sense, bool cut)
{
    struct object object = {.kind = OBJECT_FILE, .path = (char *)(uintptr_t)path, .root = (char[]){""}};
    struct buffer bytes = {0};
    struct name_answer answer = {0};
    struct builder builder;
    uint64_t offset = 0x1000;
    object.fd = open(path, O_RDONLY | O_CLOEXEC);
    builder_init(&builder);
    ck_assert_int_eq(name_server_ask(server, &object, &offset, 1, &bytes), true);
    ck_assert_int_eq(name_answer_read(&answer, bytes.bytes, bytes.length, 1, &builder,
                                      &(struct profile_module){.path = object.path}),
                     sense);
    ck_assert_int_eq(sense && builder.profile->modules[answer.module].lines_cut, cut);
    name_answer_free(&answer);
    profile_free(builder_finish(&builder));
    buffer_fini(&bytes);
    close(object.fd);
}

START_TEST(lies_cost_names_only)
{
    struct name_server server;
    conduct = rows[_i].conduct;
    ck_assert_int_eq(name_server_start(&server, 0, false), 0);
    for (int i = 0; i < 3; i++)
        ask(&server, "/proc/self/exe", rows[_i].sense, rows[_i].cut);
    ck_assert(!name_server_is_gone(&server));
    name_server_end(&server);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("naming/relay");
    UNIT_ADD_TABLE(tests, lies_cost_names_only, rows);
    return unit_end();
}

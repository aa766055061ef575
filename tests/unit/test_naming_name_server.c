/* SPDX-License-Identifier: MIT
 *
 * The name server is asked about this program itself, and about copies of it. */
#include "front/naming/name_server.h"

#include "front/naming/ahead.h"
#include "front/naming/name_answer.h"
#include "front/naming/name_wire.h"
#include "front/naming/naming.h"

#include "elf_fixtures.h"
#include "profile/profile/builder.h"
#include "test_record.h"
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MUCH = 1 << 30 };

__attribute__((noinline)) static int known_function(int number)
{
    __asm__ volatile("" : "+r"(number));
    return number;
}

static inline __attribute__((always_inline)) int inlined_function(int number)
{
    return known_function(number + getpid()) * 3;
}

__attribute__((noinline)) static int calling_function(int number)
{
    return inlined_function(number) + getppid();
}

/* A record of this process, with samples in its functions, the C library and the vDSO. */
static struct record record_of_us(void)
{
    struct record record = {0};
    struct buffer maps = {0};
    ck_assert_int_eq(buffer_read_path(&maps, "/proc/self/maps", 1 << 20), 0);
    record_image_begins(&record, 1, getpid(), 0, "us");
    record_maps(&record, 1, maps.bytes);
    buffer_fini(&maps);
    for (uint64_t at = 0; at < 40; at++) {
        capture_leaf(&record, 1, 1, (uint64_t)(uintptr_t)known_function + at, -1, 1000);
        capture_leaf(&record, 1, 1, (uint64_t)(uintptr_t)calling_function + at, -1, 1000);
        capture_leaf(&record, 1, 1, (uint64_t)(uintptr_t)strtol + at, -1, 1000);
    }
    capture_leaf(&record, 1, 1, 8, -1, 1000); /* not mapped */
    return record;
}

static void print_text(struct buffer *text, const char *name)
{
    buffer_printf(text, "%s ", name ? name : "-");
}

/* Returns all that is known about the locations of PROFILE. Free with free(). */
static char *places_of(const struct profile *profile)
{
    struct buffer text = {0};
    for (size_t i = 0; i < profile->sample_count; i++) {
        const struct profile_location *place = &profile->locations[profile->frames[profile->samples[i].frame_first]];
        const struct profile_module *module = &profile->modules[place->module];
        const struct profile_function *function = &profile->functions[place->function];
        print_text(&text, module->path);
        print_text(&text, module->build_id);
        print_text(&text, function->name);
        print_text(&text, function->linkage_name);
        buffer_printf(&text, "%d%d%d%d %lx-%lx %lx %lx-%lx", module->executable, module->no_symbols, module->lines_cut,
                      module->is_compat, module->text_start, module->text_end, place->address, function->start,
                      function->end);
        for (uint32_t j = 0; j < place->line_count; j++) {
            const struct profile_line *line = &profile->lines[place->line_first + j];
            buffer_printf(&text, " %s:%s:%u", profile->functions[line->function].name,
                          line->file == PROFILE_NONE ? "-" : profile->files[line->file], line->line);
        }
        buffer_puts(&text, "\n");
    }
    return text.bytes;
}

/* Returns the locations of a record of this process, with names from SERVER, which may be NULL. Free with free(). */
static char *places_by(struct name_server *server)
{
    struct error error = {0};
    struct record record = record_of_us();
    struct profile *profile = naming_profile(&record, server, NULL, &error);
    ck_assert_ptr_nonnull(profile);
    char *places = places_of(profile);
    profile_free(profile);
    record_fini(&record);
    return places;
}

static void start(struct name_server *server, uint64_t most_bytes)
{
    ck_assert_int_eq(name_server_start(server, most_bytes, true), 0);
}

/* Returns the first child of process PID, or 0. */
static pid_t child_of(pid_t pid)
{
    char path[96];
    struct buffer text = {0};
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
    ck_assert_int_eq(buffer_read_path(&text, path, 4096), 0);
    pid_t child = (pid_t)atol(text.bytes ? text.bytes : "0");
    buffer_fini(&text);
    return child;
}

/* Returns the process that reads files, a child of the server's process. */
static pid_t reader_of(const struct name_server *server)
{
    return child_of(server->child.pid);
}

/* Returns 1 if the reader has PATH open, 0 if not, and -1 if this user cannot see that. */
static int keeps(const struct name_server *server, const char *path)
{
    char folder[64], name[384], target[4096];
    int found = 0;
    snprintf(folder, sizeof folder, "/proc/%d/fd", (int)reader_of(server));
    DIR *list = opendir(folder);
    if (!list) {
        ck_assert_int_eq(errno, EACCES);
        return -1;
    }
    for (const struct dirent *entry; (entry = readdir(list));) {
        snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
        ssize_t length = readlink(name, target, sizeof target - 1);
        target[length > 0 ? length : 0] = 0;
        found |= !strcmp(target, path);
    }
    closedir(list);
    return found;
}

/* Expects that the reader has PATH open, or not. */
static void expect_kept(const struct name_server *server, const char *path, bool kept)
{
    int seen = keeps(server, path);
    ck_assert(seen < 0 || seen == kept);
}

START_TEST(names_are_the_same_each_time)
{
    struct name_server server;
    char *expected = places_by(NULL), *got;
    ck_assert_ptr_nonnull(strstr(expected, "known_function"));
    start(&server, _i ? MUCH : 0); /* all files are kept, or none */
    for (int round = 0; round < 3; round++) {
        got = places_by(&server);
        ck_assert_str_eq(got, expected);
        ck_assert_int_ge(server.connection, 0);
        name_server_hang_up(&server);
        free(got);
    }
    ck_assert_uint_gt(server.cpu_ns, 0);
    name_server_end(&server);
    free(expected);
    ck_assert_int_gt(calling_function(3), 0);
}
END_TEST

static void copy_self(int to)
{
    int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat about;
    ck_assert(from >= 0 && fstat(from, &about) == 0 && ftruncate(to, 0) == 0 && lseek(to, 0, SEEK_SET) == 0);
    for (off_t at = 0; at < about.st_size;)
        ck_assert_int_gt(sendfile(to, from, &at, (size_t)(about.st_size - at)), 0);
    close(from);
}

/* Returns the name of the one place in BYTES, an answer about OBJECT. */
static char *name_of_answer(const struct buffer *bytes, const struct object *object)
{
    struct builder builder;
    struct name_answer answer = {0};
    builder_init(&builder);
    ck_assert(name_answer_read(&answer, bytes->bytes, bytes->length, 1, &builder,
                               &(struct profile_module){.path = object->path}));
    char *name = strdup(builder.profile->functions[answer.places.items[0].function].name);
    name_answer_free(&answer);
    profile_free(builder_finish(&builder));
    return name;
}

static char *name_at(struct name_server *server, const struct object *object, uint64_t offset)
{
    struct buffer bytes = {0};
    ck_assert(name_server_ask(server, object, &offset, 1, &bytes));
    char *name = name_of_answer(&bytes, object);
    buffer_fini(&bytes);
    return name;
}

static uint64_t offset_of_known_function(void)
{
    struct record record = record_of_us();
    uint64_t offset = record.nodes.items[0].address; /* of the first sample */
    record_fini(&record);
    return offset;
}

/* Returns the name of the function at the offset of known_function in OBJECT. */
static char *name_in(struct name_server *server, const struct object *object)
{
    return name_at(server, object, offset_of_known_function());
}

/* A file that is overwritten, and another file at the same path, have their own names. */
START_TEST(names_are_not_stale)
{
    struct name_server server;
    const char *path = fixture_path("mapped");
    struct object object = {.kind = OBJECT_FILE, .path = (char *)(uintptr_t)path, .root = (char[]){""}};
    object.fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
    ck_assert_int_ge(object.fd, 0);
    copy_self(object.fd);
    start(&server, MUCH);
    char *name = name_in(&server, &object);
    ck_assert_str_eq(name, "known_function");
    expect_kept(&server, path, true);
    free(name);
    if (_i) {
        close(object.fd);
        unlink(path);
        object.fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    }
    ck_assert_int_eq(ftruncate(object.fd, 100), 0); /* it is no longer an ELF file */
    name = name_in(&server, &object);
    ck_assert_str_ne(name, "known_function");
    free(name);
    copy_self(object.fd);
    name = name_in(&server, &object);
    ck_assert_str_eq(name, "known_function");
    free(name);
    close(object.fd);
    unlink(path);
    name_server_end(&server);
}
END_TEST

/* Waits until the reader has PATH open. */
static void await_tables(const struct name_server *server, const char *path)
{
    enum { TRIES = 50000 };
    int tries = 0;
    while (!reader_of(server) || !keeps(server, path)) {
        ck_assert_int_lt(tries++, TRIES);
        usleep(1000);
    }
}

START_TEST(tables_are_read_before_the_question)
{
    struct naming_ahead ahead = NAMING_AHEAD_NONE;
    struct record record = {0};
    struct error error = {0};
    char *expected = places_by(NULL), program[4096] = "";
    ck_assert_int_gt(readlink("/proc/self/exe", program, sizeof program - 1), 0);
    naming_ahead_turn(&ahead, &record);
    ck_assert_int_eq(ahead.server.socket, -1); /* it does not run for nothing */
    record = record_of_us();
    naming_ahead_turn(&ahead, &record);
    ck_assert_uint_eq(ahead.count, 2); /* this program and the C library */
    naming_ahead_turn(&ahead, &record);
    ck_assert_uint_eq(ahead.count, 2);
    await_tables(&ahead.server, program);
    struct profile *profile = naming_profile(&record, &ahead.server, NULL, &error);
    char *got = places_of(profile);
    ck_assert_str_eq(got, expected);
    ck_assert_int_ge(ahead.server.connection, 0);
    naming_ahead_end(&ahead);
    profile_free(profile);
    record_fini(&record);
    free(got);
    free(expected);
}
END_TEST

START_TEST(files_beyond_the_bound_are_not_kept)
{
    struct name_server server;
    const char *path = fixture_path("mapped");
    struct object object = {.kind = OBJECT_FILE, .path = (char *)(uintptr_t)path, .root = (char[]){""}};
    object.fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
    copy_self(object.fd);
    start(&server, 0);
    char *name = name_in(&server, &object);
    ck_assert_str_eq(name, "known_function");
    expect_kept(&server, path, false);
    free(name);
    close(object.fd);
    unlink(path);
    name_server_end(&server);
}
END_TEST

/* A map of generated code may get more lines, or others, between two questions. */
START_TEST(a_map_of_generated_code_is_read_each_time)
{
    static const char *const maps[] = {"1000 10 first\n", "1000 10 first\n2000 10 second\n", "1000 10 other\n"};
    static const struct {
        int map;
        uint64_t address;
        const char *name;
    } steps[] = {{0, 0x1008, "first"}, {0, 0x2008, "[jit]"}, {1, 0x2008, "second"},
                 {1, 0x1008, "first"}, {2, 0x1008, "other"}, {2, 0x2008, "[jit]"}};
    struct name_server server;
    const char *path = fixture_path("map");
    struct object object = {.kind = OBJECT_JIT, .path = (char[]){""}, .root = (char[]){""}};
    object.fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
    ck_assert_int_ge(object.fd, 0);
    start(&server, MUCH);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const char *text = maps[steps[i].map];
        ck_assert(ftruncate(object.fd, 0) == 0 && pwrite(object.fd, text, strlen(text), 0) == (ssize_t)strlen(text));
        char *name = name_at(&server, &object, steps[i].address);
        ck_assert_str_eq(name, steps[i].name);
        expect_kept(&server, path, false);
        free(name);
    }
    close(object.fd);
    unlink(path);
    name_server_end(&server);
}
END_TEST

/* Waits until more of the answer can be received. */
static void wait_for_more(const struct name_server *server)
{
    struct pollfd news = {.fd = server->connection, .events = POLLIN};
    ck_assert_int_eq(poll(&news, 1, 50000), 1);
}

START_TEST(nobody_waits_for_an_answer_that_comes_late)
{
    struct name_server server;
    const char *path = fixture_path("mapped");
    struct object object = {.kind = OBJECT_FILE, .path = (char *)(uintptr_t)path, .root = (char[]){""}};
    uint64_t offset = offset_of_known_function();
    object.fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    start(&server, MUCH);
    for (int i = 0; i < 2; i++) { /* the second time, the process has the names and the connection */
        struct buffer answer = {0};
        int result;
        ck_assert_int_eq(i, server.connection >= 0);
        if (i)
            kill(reader_of(&server), SIGSTOP);
        ck_assert(name_server_send(&server, &object, &offset, 1, false));
        if (i) {
            ck_assert_int_eq(name_server_receive(&server, &answer), -EAGAIN);
            kill(reader_of(&server), SIGCONT);
        }
        while ((result = name_server_receive(&server, &answer)) == -EAGAIN)
            wait_for_more(&server);
        ck_assert_int_eq(result, 0);
        char *name = name_of_answer(&answer, &object);
        ck_assert_str_eq(name, "known_function");
        free(name);
        buffer_fini(&answer);
    }
    close(object.fd);
    name_server_end(&server);
}
END_TEST

static const struct {
    const char *name;
    uint64_t size;   /* that the reply announces */
    size_t parts[5]; /* that arrive, in bytes, with the reply's 16; the end is a 0 */
    bool ends;       /* the other side closes the connection then */
    int result;      /* of the last name_server_receive */
    size_t length;   /* of what it appended */
} arrivals[] = {
    {"nothing", 6, {0}, false, -EAGAIN, 0},
    {"a part of the reply", 6, {7}, false, -EAGAIN, 7},
    {"the reply only", 6, {16}, false, -EAGAIN, 16},
    {"a part of the answer", 6, {16, 3}, false, -EAGAIN, 19},
    {"everything at once", 6, {22}, false, 0, 6},
    {"everything in parts", 6, {1, 14, 3, 4}, false, 0, 6},
    {"everything, and then the end", 6, {16, 6}, true, 0, 6},
    {"an empty answer", 0, {16}, false, 0, 0},
    {"no more than was announced", 6, {22, 10}, false, 0, 6},
    {"the end before anything", 6, {0}, true, -EPIPE, 0},
    {"the end in the reply", 6, {7}, true, -EPIPE, 7},
    {"the end in the answer", 6, {16, 3}, true, -EPIPE, 19},
    {"too much is announced", 1 << 30, {16}, false, -EPIPE, 16},
    {"as much as a number can say", UINT64_MAX, {16}, false, -EPIPE, 16},
};

START_TEST(an_answer_arrives_in_any_parts)
{
    const struct name_reply reply = {.size = arrivals[_i].size, .cpu_ns = 5};
    struct name_server server = NAME_SERVER_NONE;
    struct buffer answer = {0}, bytes = {0};
    int pair[2], result = -EAGAIN;
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    server.connection = pair[0];
    buffer_append(&bytes, &reply, sizeof reply);
    buffer_puts(&bytes, "answer and more.");
    for (size_t i = 0, at = 0; arrivals[_i].parts[i]; at += arrivals[_i].parts[i], i++) {
        ck_assert_int_gt(send(pair[1], bytes.bytes + at, arrivals[_i].parts[i], 0), 0);
        if (result == -EAGAIN)
            result = name_server_receive(&server, &answer);
    }
    if (arrivals[_i].ends)
        close(pair[1]);
    if (result == -EAGAIN)
        result = name_server_receive(&server, &answer);
    ck_assert_int_eq(result, arrivals[_i].result);
    ck_assert_uint_eq(answer.length, arrivals[_i].length);
    ck_assert_int_eq(server.connection >= 0, result != -EPIPE);
    ck_assert_uint_eq(server.cpu_ns, result ? 0 : 5);
    if (!result)
        ck_assert(!memcmp(answer.bytes, "answer", answer.length));
    buffer_fini(&answer);
    buffer_fini(&bytes);
    name_server_end(&server);
    if (!arrivals[_i].ends)
        close(pair[1]);
}
END_TEST

/* The other side reads nothing, and its socket is full. */
START_TEST(a_question_without_room_is_not_waited_for)
{
    static uint64_t offsets[1 << 17];
    struct name_server server = NAME_SERVER_NONE;
    struct object object = {.kind = OBJECT_FILE, .path = (char[]){"x"}, .root = (char[]){""}, .fd = -1};
    int pair[2], asked = 0;
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    server.connection = pair[0];
    while (name_server_send(&server, &object, offsets, 512, false))
        ck_assert_int_lt(asked++, 1000000);
    ck_assert_int_gt(asked, 0);
    ck_assert_int_eq(server.connection, -1);
    ck_assert(!name_server_send(&server, &object, offsets, 1, false)); /* no process takes connections */
    close(pair[1]);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    server.connection = pair[0];
    ck_assert(!name_server_send(&server, &object, offsets, 1 << 17, false));
    ck_assert_int_eq(server.connection, -1); /* a part of it was sent */
    close(pair[1]);
}
END_TEST

START_TEST(a_reader_that_dies_is_replaced)
{
    struct name_server server;
    char *expected = places_by(NULL), *got;
    start(&server, MUCH);
    got = places_by(&server);
    ck_assert_str_eq(got, expected);
    free(got);
    pid_t reader = reader_of(&server);
    ck_assert_int_gt(reader, 0);
    kill(reader, SIGKILL);
    got = places_by(&server); /* if the server noticed the change in time or not */
    ck_assert_str_eq(got, expected);
    free(got);
    got = places_by(&server);
    ck_assert_str_eq(got, expected);
    ck_assert(reader_of(&server) > 0 && reader_of(&server) != reader);
    free(got);
    free(expected);
    name_server_end(&server);
}
END_TEST

START_TEST(an_ended_server_is_harmless)
{
    struct name_server server;
    char *expected = places_by(NULL), *got;
    start(&server, MUCH);
    kill(server.child.pid, SIGKILL);
    got = places_by(&server);
    ck_assert_str_eq(got, expected);
    ck_assert_int_eq(server.connection, -1);
    free(got);
    free(expected);
    name_server_end(&server);
    name_server_end(&server);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("naming/name_server");
    tcase_add_loop_test(tests, names_are_the_same_each_time, 0, 2);
    tcase_add_loop_test(tests, names_are_not_stale, 0, 2);
    tcase_add_test(tests, tables_are_read_before_the_question);
    tcase_add_test(tests, files_beyond_the_bound_are_not_kept);
    tcase_add_test(tests, a_map_of_generated_code_is_read_each_time);
    tcase_add_test(tests, nobody_waits_for_an_answer_that_comes_late);
    UNIT_ADD_TABLE(tests, an_answer_arrives_in_any_parts, arrivals);
    tcase_add_test(tests, a_question_without_room_is_not_waited_for);
    tcase_add_test(tests, a_reader_that_dies_is_replaced);
    tcase_add_test(tests, an_ended_server_is_harmless);
    return unit_end();
}

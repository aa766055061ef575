/* SPDX-License-Identifier: MIT
 *
 * The name server is asked about this program itself, and about copies of it. */
#include "front/naming/name_server.h"

#include "front/naming/name_answer.h"
#include "front/naming/naming.h"

#include "elf_fixtures.h"
#include "test_record.h"
#include "unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
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
    ck_assert_int_eq(name_server_start(server, most_bytes), 0);
}

/* Returns the process that reads files, a child of the server's process. */
static pid_t reader_of(const struct name_server *server)
{
    char path[96];
    struct buffer text = {0};
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)server->child.pid, (int)server->child.pid);
    ck_assert_int_eq(buffer_read_path(&text, path, 4096), 0);
    pid_t pid = (pid_t)atol(text.bytes ? text.bytes : "0");
    buffer_fini(&text);
    return pid;
}

/* Returns true if the reader has PATH open. */
static bool keeps(const struct name_server *server, const char *path)
{
    char folder[64], name[384], target[4096];
    bool found = false;
    snprintf(folder, sizeof folder, "/proc/%d/fd", (int)reader_of(server));
    DIR *list = opendir(folder);
    ck_assert_ptr_nonnull(list);
    for (const struct dirent *entry; (entry = readdir(list));) {
        snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
        ssize_t length = readlink(name, target, sizeof target - 1);
        target[length > 0 ? length : 0] = 0;
        found |= !strcmp(target, path);
    }
    closedir(list);
    return found;
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

/* Returns the name of the function at the offset of known_function in OBJECT. */
static char *name_in(struct name_server *server, const struct object *object)
{
    struct buffer bytes = {0};
    struct builder builder;
    struct name_answer answer = {0};
    struct record record = record_of_us();
    uint64_t offset = record.nodes.items[0].address; /* of the first sample */
    record_fini(&record);
    ck_assert(name_server_ask(server, object, &offset, 1, &bytes));
    builder_init(&builder);
    ck_assert(name_answer_read(&answer, bytes.bytes, bytes.length, 1, &builder,
                               &(struct profile_module){.path = object->path}));
    char *name = strdup(builder.profile->functions[answer.places.items[0].function].name);
    name_answer_free(&answer);
    profile_free(builder_finish(&builder));
    buffer_fini(&bytes);
    return name;
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
    ck_assert(keeps(&server, path));
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
    ck_assert(!keeps(&server, path));
    free(name);
    close(object.fd);
    unlink(path);
    name_server_end(&server);
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
    tcase_add_test(tests, files_beyond_the_bound_are_not_kept);
    tcase_add_test(tests, a_reader_that_dies_is_replaced);
    tcase_add_test(tests, an_ended_server_is_harmless);
    return unit_end();
}

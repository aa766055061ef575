/* SPDX-License-Identifier: MIT
 *
 * What the process that reads strangers' files finds in programs made by the compiler. */
#include "front/naming/name_server.h"

#include "common/base/buffer.h"
#include "front/naming/name_answer.h"
#include "front/naming/name_unpack.h"
#include "front/record/object.h"
#include "nested_fixture.h"
#include "profile/profile/builder.h"
#include "programs/elf/sections.h"

#include <sys/inotify.h>

/* What an answer has about all bytes of a program's code. */
struct found {
    unsigned named, readable, lines, calls; /* numbers of bytes */
    bool cut;
};

/* Returns the offsets of all bytes of code in the file FD, to be freed. */
static uint64_t *offsets_of(int fd, uint32_t *count)
{
    struct elf_file *file;
    uint64_t start, end;
    ck_assert_int_eq(elf_file_open(fd, &file, NULL), 0);
    elf_file_text_range(file, &start, &end);
    uint64_t *offsets = malloc((end - start) * sizeof *offsets);
    for (*count = 0; start < end; start++)
        if (elf_file_offset_of_vaddr(file, start, &offsets[*count]))
            ++*count;
    elf_file_close(file);
    return offsets;
}

static struct found count_found(const struct name_answer *answer, const struct builder *builder)
{
    const struct profile *profile = builder->profile;
    struct found found = {.cut = profile->modules[answer->module].lines_cut};
    for (size_t i = 0; i < answer->places.count; i++) {
        const struct profile_location *place = &answer->places.items[i];
        const struct profile_line *inner = place->line_count ? &answer->lines.items[place->line_first] : NULL;
        found.named += strcmp(profile->functions[place->function].name, "[unknown]") != 0;
        found.readable += !strcmp(profile->functions[place->function].name, "outer::inner(int)");
        found.calls += place->line_count > 1;
        found.lines += inner && inner->line && inner->file != PROFILE_NONE &&
                       strstr(builder->files.items[inner->file], "/nested.c") != NULL;
    }
    return found;
}

/* Asks SERVER about the program NAME. Returns false without an answer. */
static bool ask(struct name_server *server, const char *name, struct found *found)
{
    struct buffer bytes = {0};
    struct builder builder;
    struct name_answer answer = {0};
    struct object object = {.kind = OBJECT_FILE, .path = (char *)(uintptr_t)fixture_path(name), .root = (char[]){""}};
    uint32_t count;
    object.fd = open(object.path, O_RDONLY | O_CLOEXEC);
    ck_assert_int_ge(object.fd, 0);
    uint64_t *offsets = offsets_of(object.fd, &count);
    bool answered = name_server_ask(server, &object, offsets, count, &bytes);
    builder_init(&builder);
    if (answered) {
        ck_assert(name_answer_read(&answer, bytes.bytes, bytes.length, count, &builder,
                                   &(struct profile_module){.path = object.path}));
        *found = count_found(&answer, &builder);
    }
    name_answer_free(&answer);
    profile_free(builder_finish(&builder));
    buffer_fini(&bytes);
    free(offsets);
    close(object.fd);
    return answered;
}

static struct found find(const char *name)
{
    struct name_server server;
    struct found found = {0};
    ck_assert_int_eq(name_server_start(&server, 0, false), 0);
    ck_assert(ask(&server, name, &found));
    name_server_end(&server);
    return found;
}

#ifdef HAVE_LIBDW
/* The entries are in a separate file. If it is missing or invalid, lines are found, but no calls. */
static const struct {
    const char *steps;
    bool calls;
} splits[] = {
    {":", true},
    {"rm file.dwo", false},
    {"rm file.dwo && mkfifo file.dwo", false},
    {"rm file.dwo && mkdir file.dwo", false},
    {"mkfifo ../file.dwo", true}, /* the FIFO is tried first, and skipped */
    {"echo nothing >file.dwo", false},
    {"gcc -g -O1 -gsplit-dwarf -c ../nested.c -o file.o", false},
};

static void make_split(const char *steps)
{
    fixture_run("rm -rf split file.dwo && mkdir split && cd split && gcc -g -O2 -gsplit-dwarf -c ../nested.c "
                "-o file.o && "
                "gcc file.o -o ../program && %s",
                steps);
}

START_TEST(entries_that_were_split_off_are_found)
{
    make_split(splits[_i].steps);
    struct found found = find("program");
    ck_assert_uint_gt(found.lines, 50);
    ck_assert_int_eq(found.calls > 50, splits[_i].calls);
    ck_assert(!found.cut);
}
END_TEST

/* If a sandbox forbids the filters that opening other files requires, only the program's own entries are used. */
static const struct {
    const char *options;
    bool calls;
} sandboxed[] = {{"-gdwarf-5", true}, {"-gdwarf-4", true}, {"-gsplit-dwarf", false}};

START_TEST(lines_are_there_without_filters)
{
    fixture_run("gcc -g -O2 %s nested.c -o program", sandboxed[_i].options);
    fixture_refuse_filters(EPERM);
    struct found found = find("program");
    ck_assert_uint_gt(found.lines, 50);
    ck_assert_int_eq(found.calls > 50, sandboxed[_i].calls);
}
END_TEST

/* Such a file must not be opened before it was checked. inotify on an empty file detects this. */
START_TEST(entries_are_not_opened_before_they_were_looked_at)
{
    char events[4096];
    make_split(": >file.dwo");
    int notices = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    ck_assert_int_ge(inotify_add_watch(notices, fixture_path("split/file.dwo"), IN_OPEN | IN_ACCESS), 0);
    close(open(fixture_path("split/file.dwo"), O_PATH | O_CLOEXEC));
    bool noticed = read(notices, events, sizeof events) > 0; /* before Linux 5.19, O_PATH counted as opening */
    ck_assert_uint_gt(find("program").lines, 50);
    ck_assert(noticed || read(notices, events, sizeof events) < 0);
    close(notices);
}
END_TEST

#ifndef __SANITIZE_ADDRESS__ /* AddressSanitizer has no memory limit */

/* A table of files, each in a directory with a name of one megabyte: their paths need a terabyte. */
static const char greedy_s[] = ".globl victim\n"
                               ".text\n"
                               "victim: .fill 64, 1, 0x90\n"
                               ".section .debug_abbrev, \"\", @progbits\n"
                               ".byte 1, 0x11, 0, 0x11, 1, 0x12, 7, 0x10, 0x17, 0, 0, 0\n"
                               ".section .debug_info, \"\", @progbits\n"
                               ".long info_end - info\n"
                               "info: .short 4\n"
                               ".long 0\n"
                               ".byte 8, 1\n"
                               ".quad victim, 64\n"
                               ".long 0\n"
                               "info_end:\n"
                               ".section .debug_line, \"\", @progbits\n"
                               ".long line_end - line\n"
                               "line: .short 4\n"
                               ".long program - header\n"
                               "header: .byte 1, 1, 1, -5, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1\n"
                               ".fill 1000000, 1, 97\n"
                               ".byte 0, 0\n"
                               ".rept 1000000\n .byte 98, 0, 1, 0, 0\n .endr\n"
                               ".byte 0\n"
                               "program: .byte 0, 9, 2\n"
                               ".quad victim\n"
                               ".byte 1, 2, 64, 0, 1, 1\n"
                               "line_end:\n"
                               ".section .note.GNU-stack, \"\", @progbits\n";

/* Its names, and those of others, remain. */
START_TEST(a_file_that_wants_all_memory_loses_its_lines)
{
    struct name_server server;
    struct found greedy, other;
    fixture_write("greedy.s", greedy_s, sizeof greedy_s - 1);
    fixture_run("gcc greedy.s -x c - -rdynamic -o greedy <<'END'\nint main(void) { return 0; }\nEND\n");
    fixture_run("gcc -g -O2 nested.c -o program");
    ck_assert_int_eq(name_server_start(&server, 0, false), 0);
    for (int i = 0; i < 2; i++) {
        ck_assert(ask(&server, "greedy", &greedy));
        ck_assert_uint_gt(greedy.named, 50);
        ck_assert(greedy.cut);
        ck_assert(ask(&server, "program", &other));
        ck_assert_uint_gt(other.lines, 50);
        ck_assert(!other.cut);
    }
    name_server_end(&server);
}
END_TEST
#endif
#endif

/* The demangler has a timer, and for long names a thread. */
START_TEST(mangled_names_become_readable)
{
    char pointers[3001], text[4096];
    memset(pointers, 'P', sizeof pointers - 1);
    pointers[sizeof pointers - 1] = 0;
    int length = snprintf(text, sizeof text,
                          "int deep(void) __asm__(\"_Z4deep%si\");\n"
                          "int deep(void) { return 1; }\n"
                          "int plain(void) __asm__(\"_ZN5outer5innerEi\");\n"
                          "int plain(void) { return 2; }\n"
                          "int main(void) { return plain() + deep(); }\n",
                          pointers);
    fixture_write("mangled.c", text, (size_t)length);
    fixture_run("gcc -g mangled.c -o program");
    struct found found = find("program");
    ck_assert_uint_gt(found.named, 20);
    ck_assert_uint_gt(found.readable, 10);
    ck_assert(!found.cut);
}
END_TEST

/* Changes of the compressed .debug_frame in a file: SHIFT is added to the byte AT of the section. */
static const struct {
    const char *options;
    long at;
    int shift;
    bool unpacks;
} tables[] = {
    {"-Wl,--compress-debug-sections=zlib", 0, 0, true},
    {"-Wl,--compress-debug-sections=none", 0, 0, false},   /* the front reads it */
    {"-Wl,--compress-debug-sections=zlib", 0, 1, false},   /* another type than zlib's */
    {"-Wl,--compress-debug-sections=zlib", 8, -1, false},  /* more than it claims */
    {"-Wl,--compress-debug-sections=zlib", 8, 1, false},   /* less */
    {"-Wl,--compress-debug-sections=zlib", 15, 1, false},  /* it claims too much for any memory */
    {"-Wl,--compress-debug-sections=zlib", 11, 17, false}, /* more than is taken, and less than memory has */
    {"-Wl,--compress-debug-sections=zlib", 30, 85, false}, /* damaged */
};

static void make_table(const char *options, long at, int shift)
{
    Elf64_Shdr header;
    fixture_run("(echo .cfi_sections .debug_frame; for i in 1 2 3 4 5 6 7 8; do "
                "printf 'f%%d: .cfi_startproc\\n.cfi_def_cfa_offset 32\\nret\\n.cfi_endproc\\n' $i; done) >table.s && "
                "gcc -nostdlib -shared %s -o table.so table.s",
                options);
    struct fixture file = fixture_open("table.so", NULL);
    struct elf_sections sections;
    ck_assert_int_eq(elf_sections_open(&sections, file.file, NULL), 0);
    ck_assert(elf_sections_header(&sections, elf_sections_find(&sections, 0, ".debug_frame"), &header));
    elf_sections_close(&sections);
    fixture_close(&file);
    int fd = open(fixture_path("table.so"), O_RDWR | O_CLOEXEC);
    uint8_t byte = 0;
    ck_assert_int_eq(pread(fd, &byte, 1, (off_t)header.sh_offset + at), 1);
    byte = (uint8_t)(byte + shift);
    ck_assert_int_eq(pwrite(fd, &byte, 1, (off_t)header.sh_offset + at), 1);
    close(fd);
}

START_TEST(a_compressed_unwind_table_is_unpacked)
{
    size_t size = 1, expected_size;
    make_table(tables[_i].options, tables[_i].at, tables[_i].shift);
    int fd = open(fixture_path("table.so"), O_RDONLY | O_CLOEXEC);
    uint8_t *table = name_unpack(fd, 1 << 20, &size);
    ck_assert_int_eq(table != NULL, tables[_i].unpacks);
    ck_assert_int_eq(size > 0, tables[_i].unpacks);
    if (table) {
        fixture_run(
            "objcopy --decompress-debug-sections table.so plain.so && "
            "objcopy -O binary --only-section=.debug_frame --set-section-flags .debug_frame=alloc plain.so table");
        uint8_t *expected = fixture_read("table", &expected_size);
        ck_assert_uint_eq(size, expected_size);
        ck_assert_mem_eq(table, expected, size);
        ck_assert_ptr_null(name_unpack(fd, size - 1, &size));
        free(expected);
    }
    free(table);
    close(fd);
    ck_assert_ptr_null(name_unpack(-1, 1 << 20, &size));
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
}
END_TEST

START_TEST(no_process_is_left_behind)
{
    fixture_run("gcc -g -O1 nested.c -o program");
    ck_assert_uint_gt(find("program").named, 50);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    ck_assert_int_eq(errno, ECHILD);
}
END_TEST

int main(void)
{
    TCase *tests = fixture_begin("naming/reader");
    if (!tests)
        return 77;
    tcase_add_unchecked_fixture(tests, nested_write, NULL);
    tcase_set_timeout(tests, 120);
#ifdef HAVE_LIBDW
    UNIT_ADD_TABLE(tests, entries_that_were_split_off_are_found, splits);
    UNIT_ADD_TABLE(tests, lines_are_there_without_filters, sandboxed);
    tcase_add_test(tests, entries_are_not_opened_before_they_were_looked_at);
#ifndef __SANITIZE_ADDRESS__
    tcase_add_test(tests, a_file_that_wants_all_memory_loses_its_lines);
#endif
#endif
    tcase_add_test(tests, mangled_names_become_readable);
    UNIT_ADD_TABLE(tests, a_compressed_unwind_table_is_unpacked, tables);
    tcase_add_test(tests, no_process_is_left_behind);
    return fixture_end();
}

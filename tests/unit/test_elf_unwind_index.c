/* SPDX-License-Identifier: MIT
 *
 * An index finds the records of a file's tables by address, with or without a search table. */
#include "programs/elf/unwind_index.h"

#include "elf_fixtures.h"

#include "common/base/error.h"
#include "programs/elf/file.h"
#include "programs/elf/sections.h"
#include "programs/elf/unwind_place.h"
#include "programs/elf/unwind_table.h"

static const char source[] = "#include <stdio.h>\n"
                             "__attribute__((noinline)) int f(int x) { return printf(\"%d\", x) + 1; }\n"
                             "int main(int argc, char **argv) { return f(argc) + (argv[0] == 0); }\n";

static const struct {
    const char *command, *needs;
    bool has_header;
} files[] = {
    {"gcc -O1", "gcc", true},
    {"gcc -O1 -static", "gcc", false},
    {"gcc -O1 -static-pie -fPIE", "gcc", true},
    {"gcc -O1 -s -Wl,--no-eh-frame-hdr", "gcc", false},
    {"gcc -O1 -fuse-ld=lld", "ld.lld", true},
    {"gcc -O1 -fuse-ld=gold", "ld.gold", true},
};

struct question {
    struct elf_unwind_index *index;
    const struct elf_file *file;
    size_t count;
};

static void must_find(struct elf_unwind_index *index, uint64_t vaddr, uint64_t start, uint64_t end)
{
    struct elf_unwind_found found;

    ck_assert_msg(elf_unwind_index_find(index, vaddr, &found), "nothing at %#lx", vaddr);
    ck_assert_uint_eq(found.record.start, start);
    ck_assert_uint_eq(found.record.end, end);
    ck_assert_uint_eq(found.common->return_register, 16);
}

static bool ask(void *owner, uint64_t start, uint64_t end, uint64_t offset)
{
    struct question *question = owner;

    (void)offset;
    if (!elf_file_is_text(question->file, start))
        return true;
    must_find(question->index, start, start, end);
    must_find(question->index, end - 1, start, end);
    question->count++;
    return true;
}

START_TEST(each_record_is_found_by_its_addresses)
{
    char name[32];
    struct error error = {0};
    struct elf_sections sections;
    struct elf_unwind_place place;
    struct elf_unwind_found found;
    uint64_t start, end;

    if (fixture_lacks(files[_i].needs))
        return;
    snprintf(name, sizeof name, "file%d", _i);
    fixture_write("source.c", source, sizeof source - 1);
    ck_assert_int_eq(fixture_try("%s -o %s source.c", files[_i].command, name), 0);
    struct fixture program = fixture_open(name, NULL);
    ck_assert_int_eq(elf_file_unwind_header(program.file, &start, &end), files[_i].has_header);
    ck_assert_int_eq(elf_sections_open(&sections, program.file, &error), 0);
    ck_assert(elf_unwind_place(program.file, &sections, &place));
    elf_sections_close(&sections);

    uint8_t *bytes = malloc((size_t)(place.end - place.start));
    struct question question = {.index = elf_unwind_index_new(program.file, NULL, NULL), .file = program.file};
    ck_assert(bytes && question.index);
    ck_assert_int_eq(elf_file_read(program.file, place.start, bytes, (size_t)(place.end - place.start)), 0);
    ck_assert(elf_unwind_table_walk(bytes, (size_t)(place.end - place.start), place.start, ELF_UNWIND_EH_FRAME, false,
                                    ask, &question));
    ck_assert_uint_ge(question.count, 3);
    ck_assert(!elf_unwind_index_find(question.index, 0, &found));
    ck_assert(!elf_unwind_index_find(question.index, UINT64_MAX, &found));
    free(bytes);
    elf_unwind_index_free(question.index);
    fixture_close(&program);
}
END_TEST

START_TEST(records_of_one_file_have_different_keys)
{
    struct elf_unwind_found found;
    struct elf_symbol f, main;

    fixture_write("source.c", source, sizeof source - 1);
    fixture_run("gcc -O1 -o keys source.c");
    struct fixture program = fixture_open("keys", NULL);
    struct elf_unwind_index *index = elf_unwind_index_new(program.file, NULL, NULL);
    ck_assert(fixture_find(&program, "f", ELF_SYMBOL_FUNCTION, &f));
    ck_assert(fixture_find(&program, "main", ELF_SYMBOL_FUNCTION, &main));
    ck_assert(elf_unwind_index_find(index, f.start, &found));
    uint64_t key = found.key;
    ck_assert(elf_unwind_index_find(index, main.start, &found));
    ck_assert_uint_ne(found.key, key);
    ck_assert(elf_unwind_index_find(index, f.end - 1, &found));
    ck_assert_uint_eq(found.key, key);
    elf_unwind_index_free(index);
    elf_unwind_index_free(NULL);
    fixture_close(&program);
}
END_TEST

/* Looks up FUNCTION in file NAME with an index limited to ROOM. Returns the memory that the index uses. */
static uint64_t taken_of(const char *name, const char *function, uint64_t room, bool *found)
{
    struct fixture program = fixture_open(name, NULL);
    struct elf_unwind_found record;
    struct elf_symbol symbol;
    uint64_t left = room;
    struct elf_unwind_index *index = elf_unwind_index_new(program.file, NULL, &left);
    ck_assert_ptr_nonnull(index);
    ck_assert(fixture_find(&program, function, ELF_SYMBOL_FUNCTION, &symbol));
    ck_assert_uint_eq(left, room);
    *found = elf_unwind_index_find(index, symbol.start, &record);
    uint64_t taken = room - left;
    ck_assert_uint_le(taken, room);
    elf_unwind_index_free(index);
    ck_assert_uint_eq(left, room);
    fixture_close(&program);
    return taken;
}

static void make_many(void)
{
    fixture_write("source.c", source, sizeof source - 1);
    fixture_run("{ for i in $(seq 1000); do echo \"void g$i(void) {}\"; done; cat source.c; } >many.c && "
                "gcc -O1 -o many many.c");
}

START_TEST(tables_take_what_room_there_is)
{
    bool found;
    make_many();
    uint64_t taken = taken_of("many", "main", UINT64_MAX / 2, &found);
    ck_assert(found);
    ck_assert_uint_ge(taken, 1000 * 16);
    ck_assert_uint_eq(taken_of("many", "main", taken, &found), taken);
    ck_assert(found);
    ck_assert_uint_eq(taken_of("many", "main", taken - 1, &found), 0);
    ck_assert(!found);
}
END_TEST

/* The file's search table repeats its first line, as a hole in the file would. */
START_TEST(equal_lines_are_one)
{
    uint64_t start, end, offset;
    size_t size, count, lines;
    bool found;
    make_many();
    struct fixture program = fixture_open("many", NULL);
    uint8_t *bytes = fixture_read("many", &size);
    ck_assert(elf_file_unwind_header(program.file, &start, &end) &&
              elf_file_offset_of_vaddr(program.file, start, &offset));
    ck_assert((lines = elf_unwind_table_lines(bytes + offset, (size_t)(end - start), &count)) && count > 1000);
    struct elf_unwind_line *table = (struct elf_unwind_line *)(void *)(bytes + offset + lines);
    for (size_t i = 1; i < count; i++)
        memcpy(&table[i], &table[0], sizeof *table);
    fixture_write("equal", bytes, size);
    free(bytes);
    fixture_close(&program);
    ck_assert_uint_le(taken_of("equal", "main", UINT64_MAX / 2, &found), 16);
    ck_assert(!found);
}
END_TEST

int main(void)
{
    TCase *tests = fixture_begin("elf/unwind_index");

    if (!tests)
        return 77;
    tcase_set_timeout(tests, 60);
    UNIT_ADD_TABLE(tests, each_record_is_found_by_its_addresses, files);
    tcase_add_test(tests, records_of_one_file_have_different_keys);
    tcase_add_test(tests, tables_take_what_room_there_is);
    tcase_add_test(tests, equal_lines_are_one);
    return fixture_end();
}

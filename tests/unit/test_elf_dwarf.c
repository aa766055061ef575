/* SPDX-License-Identifier: MIT
 *
 * Malformed debug information, decoded in this process. The result has fewer lines, and the sanitizers report
 * nothing. Check limits the time of each test. */
#include "programs/elf/dwarf.h"

#include "elf_fixtures.h"

#include "common/base/error.h"
#include "common/base/hash.h"
#include "programs/elf/file.h"
#include "programs/elf/sections.h"

#include <errno.h>

static const char sample[] =
    "volatile int sink;\n"
    "static inline __attribute__((always_inline)) int inner(int x) { for (int i = 0; i < x; i++) sink += i; "
    "return sink; }\n"
    "static inline __attribute__((always_inline)) int middle(int x) { return inner(x) + inner(x + 1); }\n"
    "int main(int argc, char **argv) { (void)argv; return middle(argc) + inner(sink); }\n";

static const char *const victims[] = {"four", "five", "lists"};

static void set_up(void)
{
    fixture_write("sample.c", sample, sizeof sample - 1);
    fixture_run("gcc -g -O2 -gdwarf-4 sample.c -o four && gcc -g -O2 -gdwarf-5 sample.c -o five");
    if (fixture_try("clang -g -O2 -gdwarf-5 -ffunction-sections sample.c -o lists") != 0) /* it has indirect forms */
        fixture_run("gcc -g -O2 -gdwarf-5 -ffunction-sections sample.c -o lists");
}

/* Looks up lines of some of the code. */
static void ask(const struct elf_file *file, uint64_t random)
{
    struct elf_line chain[ELF_LINES_MAX];
    struct elf_dwarf *dwarf;
    struct error error = {0};
    uint64_t start, end;

    if (elf_dwarf_new(file, file, random & 1 ? file : NULL, &dwarf, &error) < 0) {
        ck_assert_ptr_null(dwarf);
        ck_assert_int_ne(error.errnum, 0);
        return;
    }
    elf_file_text_range(file, &start, &end);
    for (uint64_t at = start, step = (end - start) / 64 + 1; at < end; at += step) {
        size_t count = elf_dwarf_find(dwarf, at, chain);
        if (count > ELF_LINES_MAX || (count && chain[count - 1].function))
            ck_abort_msg("a wrong answer at %#llx", (unsigned long long)at);
        for (size_t i = 0; i + 1 < count; i++)
            if (!chain[i].function)
                ck_abort_msg("a call without a name at %#llx", (unsigned long long)at);
    }
    elf_dwarf_free(dwarf);
}

static void try_image(const uint8_t *bytes, size_t size, uint64_t random)
{
    struct elf_file *file;
    ck_assert_int_eq(elf_file_from_memory(bytes, size, &file, NULL), 0);
    ask(file, random);
    elf_file_close(file);
}

struct span {
    size_t start, size;
};

/* Finds the offsets of sections with debug information in the image. Returns their number. */
static size_t find_spans(const uint8_t *bytes, size_t size, struct span spans[16])
{
    struct elf_sections sections;
    struct elf_file *file;
    Elf64_Shdr header;
    size_t count = 0;
    ck_assert_int_eq(elf_file_from_memory(bytes, size, &file, NULL), 0);
    ck_assert_int_eq(elf_sections_open(&sections, file, NULL), 0);
    for (size_t i = 1; i < sections.count && count < 16; i++)
        if (elf_sections_header(&sections, i, &header) && header.sh_size &&
            strncmp(elf_sections_name(&sections, i), ".debug_", 7) == 0)
            spans[count++] = (struct span){header.sh_offset, header.sh_size};
    elf_sections_close(&sections);
    elf_file_close(file);
    ck_assert_uint_gt(count, 3);
    return count;
}

static void change(uint8_t *bytes, size_t size, uint64_t random)
{
    uint64_t value = random & 4 ? UINT64_MAX : random >> (random >> 3 & 63);
    size_t width = 1 + (random >> 60) % 8;
    switch (random & 3) {
    case 0:
        *bytes ^= (uint8_t)(1 << (random >> 8 & 7));
        break;
    case 1:
        *bytes = (uint8_t)(random >> 8);
        break;
    default:
        memcpy(bytes, &value, width < size ? width : size);
    }
}

START_TEST(changed_debug_information_is_harmless)
{
    struct span spans[16];
    size_t size;
    uint8_t *bytes = fixture_read(victims[_i], &size), *changed = malloc(size);
    size_t count = find_spans(bytes, size, spans);
    uint64_t random = (uint64_t)_i;

    ck_assert_ptr_nonnull(changed);
    for (int round = 0; round < 1500; round++) {
        memcpy(changed, bytes, size);
        for (uint64_t changes = 1 + (random >> 20) % 8; changes; changes--) {
            random = hash_number(random + 1);
            const struct span *span = &spans[random % count];
            size_t at = (random >> 16) % span->size;
            random = hash_number(random + 1);
            change(changed + span->start + at, span->size - at, random);
        }
        try_image(changed, size, random >> 7);
    }
    free(changed);
    free(bytes);
}
END_TEST

/* Hand-written entries for 64 bytes of code. Abbreviations: 1 unit, 2 function, 3 inlined call of the entry at
 * "origin", 4 an entry that refers to "next", 5 a block, 6 a function with the ranges at "ranges". */
static const char frame_s[] = ".globl victim\n"
                              ".text\n"
                              "victim: .fill 64, 1, 0x90\n"
                              "victim_end:\n"
                              ".section .debug_abbrev, \"\", @progbits\n"
                              ".byte 1, 0x11, 1, 0x11, 1, 0x12, 7, 0, 0\n"
                              ".byte 2, 0x2e, 1, 0x11, 1, 0x12, 7, 0, 0\n"
                              ".byte 3, 0x1d, 1, 0x31, 0x13, 0x11, 1, 0x12, 7, 0x59, 0x0b, 0, 0\n"
                              ".byte 4, 0x2e, 0, 0x31, 0x13, 0, 0\n"
                              ".byte 5, 0x0b, 1, 0, 0\n"
                              ".byte 6, 0x2e, 0, 0x55, 0x17, 0, 0\n"
                              ".byte 0\n"
                              ".section .debug_info, \"\", @progbits\n"
                              "begin: .long end - start\n"
                              "start: .short 4\n"
                              ".long 0\n"
                              ".byte 8\n"
                              ".macro pcs\n"
                              ".quad victim, victim_end - victim\n"
                              ".endm\n"
                              ".byte 1\n"
                              "pcs\n";

static const struct {
    const char *entries;
    size_t frames; /* at the code */
    uint32_t call_line;
} made[] = {
    /* valid, but without names */
    {".byte 2\n pcs\n .byte 3\n .long origin - begin\n pcs\n .byte 7, 0, 0\n origin: .byte 4\n .long origin "
     "- begin\n .byte 0\n",
     2, 7},
    /* a call of itself */
    {".byte 2\n pcs\n origin: .byte 3\n .long origin - begin\n pcs\n .byte 7, 0, 0, 0\n", 2, 7},
    /* entries that refer to each other */
    {".byte 2\n pcs\n .byte 3\n .long one - begin\n pcs\n .byte 7, 0, 0\n"
     "one: .byte 4\n .long two - begin\n two: .byte 4\n .long one - begin\n .byte 0\n",
     2, 7},
    /* a name outside of the section */
    {".byte 2\n pcs\n .byte 3\n .long 0x7fffffff\n pcs\n .byte 7, 0, 0, 0\n", 2, 7},
    /* a call outside of any function */
    {".byte 3\n .long 0\n pcs\n .byte 7, 0, 0\n", 0, 0},
    /* blocks nested too deep: their content is skipped */
    {".byte 2\n pcs\n .fill 100000, 1, 5\n .byte 3\n .long 0\n pcs\n .byte 7, 0\n .fill 100000, 1, 0\n .byte "
     "0, 0\n",
     0, 0},
    /* such blocks without ends */
    {".byte 2\n pcs\n .fill 100000, 1, 5\n", 0, 0},
    /* functions that share a long list of ranges */
    {".rept 20000\n .byte 6\n .long 0\n .endr\n .byte 0\n"
     ".section .debug_ranges, \"\", @progbits\n .rept 20000\n .quad victim, victim_end\n .endr\n .quad 0, 0\n"
     ".section .debug_info\n",
     0, 0},
};

START_TEST(invalid_entries_are_harmless)
{
    struct elf_line chain[ELF_LINES_MAX];
    struct elf_dwarf *dwarf;
    struct elf_symbol symbol;
    FILE *source = fopen(fixture_path("made.s"), "we");
    fprintf(source, "%s%send:\n.section .note.GNU-stack, \"\", @progbits\n", frame_s, made[_i].entries);
    fclose(source);
    fixture_run("gcc made.s -x c - -o made <<'END'\nint main(void) { return 0; }\nEND\n");
    struct fixture program = fixture_open("made", NULL);
    ck_assert(fixture_find(&program, "victim", ELF_SYMBOL_FUNCTION, &symbol));
    ck_assert_int_eq(elf_dwarf_new(program.file, program.file, NULL, &dwarf, NULL), 0);
    ck_assert_uint_eq(elf_dwarf_find(dwarf, symbol.start + 8, chain), made[_i].frames);
    if (made[_i].frames) {
        ck_assert_str_eq(chain[0].function, "");
        ck_assert_ptr_null(chain[0].file);
        ck_assert_uint_eq(chain[1].line, made[_i].call_line);
    }
    elf_dwarf_free(dwarf);
    fixture_close(&program);
}
END_TEST

/* The section is huge, and mostly a hole in the file. It would take too long to read. */
START_TEST(debug_information_without_end_is_left)
{
    struct error error = {0};
    struct elf_file *file;
    struct elf_dwarf *dwarf;
    size_t size;
    uint8_t *bytes = fixture_read("five", &size);
    Elf64_Ehdr header;
    FILE *image = fopen(fixture_path("holes"), "w+e");

    ck_assert_ptr_nonnull(image);
    memcpy(&header, bytes, sizeof header);
    for (size_t i = 1; i < header.e_shnum; i++) {
        Elf64_Shdr section;
        uint8_t *at = bytes + header.e_shoff + i * sizeof section;
        memcpy(&section, at, sizeof section);
        if (section.sh_flags & SHF_ALLOC || section.sh_type != SHT_PROGBITS)
            continue;
        section.sh_size = UINT64_C(1) << 39;
        memcpy(at, &section, sizeof section);
    }
    ck_assert_uint_eq(fwrite(bytes, 1, size, image), size);
    ck_assert_int_eq(fflush(image), 0);
    ck_assert_int_eq(ftruncate(fileno(image), (off_t)1 << 40), 0);
    ck_assert_int_eq(elf_file_open(fileno(image), &file, NULL), 0);
    ck_assert_int_eq(elf_dwarf_new(file, file, NULL, &dwarf, &error), -E2BIG);
    ck_assert_ptr_null(dwarf);
    elf_file_close(file);
    fclose(image);
    free(bytes);
}
END_TEST

int main(void)
{
    TCase *tests = fixture_begin("elf/dwarf");
    if (!tests)
        return 77;
    tcase_add_unchecked_fixture(tests, set_up, NULL);
    tcase_set_timeout(tests, 120);
    UNIT_ADD_TABLE(tests, changed_debug_information_is_harmless, victims);
    UNIT_ADD_TABLE(tests, invalid_entries_are_harmless, made);
    tcase_add_test(tests, debug_information_without_end_is_left);
    return fixture_end();
}

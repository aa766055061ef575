/* SPDX-License-Identifier: MIT
 *
 * Malformed ELF files. They are refused or give less, and the sanitizers report nothing. Check limits the time of
 * each test. */
#include "elf_fixtures.h"

#include "common/base/error.h"
#include "common/base/hash.h"
#include "common/names/demangle.h"
#include "programs/elf/file.h"

#include <elf.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>

static const char sample[] =
    "#include <stdio.h>\n"
    "#include <unistd.h>\n"
    "__attribute__((noinline)) static int hidden(int x) { volatile int s = x; return s + 1; }\n"
    "int implementation(int x) { return x + 2; }\n"
    "static __typeof(implementation) *resolve_chosen(void) { return implementation; }\n"
    "int chosen(int x) __attribute__((ifunc(\"resolve_chosen\")));\n"
    "int main(int argc, char **argv) { printf(\"%s %d\\n\", *argv, hidden(argc) + chosen(argc)); return "
    "!getpid(); }\n";

/* Each has parts that the others lack. */
static const char *const victims[] = {"plain", "linked", "packed"};

static void set_up(void)
{
    fixture_write("sample.c", sample, sizeof sample - 1);
    fixture_run("gcc -O1 -fcf-protection -Wl,-z,ibtplt -o plain sample.c");
    fixture_run("objcopy --only-keep-debug plain linked.debug && strip -o bare plain && "
                "objcopy --add-gnu-debuglink=linked.debug bare linked");
    if (fixture_try("objcopy --strip-debug linked.debug small && xz small && "
                    "objcopy --add-section .gnu_debugdata=small.xz bare packed") != 0)
        fixture_run("cp bare packed");
}

/* Calls every function with FILE, with addresses derived from RANDOM. */
static void ask_all(const struct elf_file *file, const struct elf_debug_search *search, uint64_t random)
{
    struct elf_symbols *symbols;
    struct elf_symbol symbol;
    struct error error = {0};
    uint64_t start, end, vaddr;
    uint8_t bytes[32];
    size_t size;

    elf_file_build_id(file, &size);
    ck_assert_uint_le(size, ELF_BUILD_ID_MAX);
    elf_file_is_program(file);
    elf_file_unwind_header(file, &start, &end);
    elf_file_text_range(file, &start, &end);
    for (int i = 0; i < 16; i++) {
        random = hash_number(random + 1);
        elf_file_vaddr_of_offset(file, random >> (random & 63), &vaddr);
        elf_file_read(file, start + (random & 0xffff), bytes, sizeof bytes);
    }
    if (elf_symbols_new(file, search, &symbols, &error) < 0) {
        ck_assert_ptr_null(symbols);
        ck_assert_int_ne(error.errnum, 0);
        return;
    }
    for (uint64_t at = start, step = (end - start) / 256 + 1, i = 0; i < 256; at += step, i++) {
        if (!elf_symbols_find(symbols, at, &symbol))
            continue;
        if (symbol.start > at || symbol.end <= at || (symbol.name && !*symbol.name))
            ck_abort_msg("a wrong answer at %#llx", (unsigned long long)at);
        if (symbol.name)
            free(demangle_name(symbol.name));
    }
    elf_symbols_free(symbols);
}

/* Reads the image from a buffer of its exact size, or from a file. */
static void try_image(const uint8_t *bytes, size_t size, uint64_t random)
{
    struct elf_debug_search search = {.directory = fixture_directory, .root = random & 2 ? "/" : NULL};
    struct error error = {0};
    struct elf_file *file;
    int fd = -1, status;

    if (random & 1) {
        fd = memfd_create("image", MFD_CLOEXEC);
        ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
        status = elf_file_open(fd, &file, &error);
    } else
        status = elf_file_from_memory(bytes, size, &file, &error);
    ck_assert_int_eq(file == NULL, status < 0);
    ck_assert_int_eq(error.errnum, -status);
    if (file)
        ask_all(file, &search, random);
    elf_file_close(file);
    if (fd >= 0)
        close(fd);
}

START_TEST(truncated_files_are_harmless)
{
    size_t size;
    uint8_t *bytes = fixture_read(victims[_i], &size);
    /* each length in the headers, which are at both ends, and some of the others */
    for (size_t cut = 0; cut < size; cut += cut < 1024 || size - cut < 2048 ? 1 : 37)
        try_image(bytes, cut, cut);
    free(bytes);
}
END_TEST

/* Returns an offset in the ELF header, the program headers, the section headers, or anywhere. */
static size_t place_of(const uint8_t *bytes, size_t size, uint64_t random)
{
    Elf64_Ehdr header;
    uint64_t pick = random >> 8;
    memcpy(&header, bytes, sizeof header);
    switch (random & 7) {
    case 0:
        return pick % sizeof header;
    case 1:
        return header.e_phoff + pick % (header.e_phnum * sizeof(Elf64_Phdr));
    case 2:
    case 3:
        return header.e_shoff + pick % (header.e_shnum * sizeof(Elf64_Shdr));
    default:
        return pick % size;
    }
}

static void change(uint8_t *bytes, size_t size, size_t at, uint64_t random)
{
    uint64_t value = random & 4 ? UINT64_MAX : random >> (random >> 3 & 63);
    size_t width = 1 + (random >> 60) % 8;

    switch (random & 3) {
    case 0:
        bytes[at] ^= (uint8_t)(1 << (random >> 8 & 7));
        break;
    case 1:
        bytes[at] = (uint8_t)(random >> 8);
        break;
    default:
        memcpy(bytes + at, &value, width < size - at ? width : size - at);
    }
}

START_TEST(changed_files_are_harmless)
{
    size_t size;
    uint8_t *bytes = fixture_read(victims[_i], &size), *changed = malloc(size);
    uint64_t random = (uint64_t)_i;

    ck_assert_ptr_nonnull(changed);
    for (int round = 0; round < 3000; round++) {
        memcpy(changed, bytes, size);
        for (uint64_t changes = 1 + (random >> 20) % 6; changes; changes--) {
            random = hash_number(random + 1);
            size_t at = place_of(bytes, size, random);
            random = hash_number(random + 1);
            change(changed, size, at, random);
        }
        try_image(changed, size, random >> 7);
    }
    free(changed);
    free(bytes);
}
END_TEST

/* A file with holes that claims more sections than fit into memory. */
START_TEST(counts_without_end_are_refused)
{
    struct error error = {0};
    struct elf_file *file;
    size_t size;
    uint8_t *bytes = fixture_read("plain", &size);
    Elf64_Ehdr header;
    Elf64_Shdr first = {.sh_size = UINT64_C(1) << 34};
    int fd = memfd_create("holes", MFD_CLOEXEC);

    memcpy(&header, bytes, sizeof header);
    header.e_shnum = 0;
    memcpy(bytes, &header, sizeof header);
    memcpy(bytes + header.e_shoff, &first, sizeof first);
    ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
    ck_assert_int_eq(ftruncate(fd, (off_t)1 << 41), 0);
    ck_assert_int_eq(elf_file_open(fd, &file, &error), -ENOEXEC);
    ck_assert_ptr_null(file);
    close(fd);
    free(bytes);
}
END_TEST

/* Sets the header of section INDEX in IMAGE. */
static void set_section(uint8_t *image, size_t index, const Elf64_Shdr *section)
{
    Elf64_Ehdr header;
    memcpy(&header, image, sizeof header);
    memcpy(image + header.e_shoff + index * sizeof *section, section, sizeof *section);
}

/* Tables of these types fill a file of 1 TiB, which is mostly a hole. */
static const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM, SHT_RELA, SHT_NOTE, SHT_GNU_versym, SHT_STRTAB, SHT_PROGBITS};

START_TEST(tables_without_end_are_left)
{
    struct error error = {0};
    struct elf_file *file;
    size_t size;
    uint8_t *bytes = fixture_read("plain", &size);
    Elf64_Ehdr header;
    int fd = memfd_create("holes", MFD_CLOEXEC);

    memcpy(&header, bytes, sizeof header);
    for (size_t i = 1; i < header.e_shnum; i++) {
        Elf64_Shdr section;
        memcpy(&section, bytes + header.e_shoff + i * sizeof section, sizeof section);
        if (section.sh_type != types[_i])
            continue;
        section.sh_size = (UINT64_C(1) << 40) / 48 * 24;
        set_section(bytes, i, &section);
    }
    ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
    ck_assert_int_eq(ftruncate(fd, (off_t)1 << 40), 0);
    ck_assert_int_eq(elf_file_open(fd, &file, &error), 0);
    ask_all(file, NULL, 1);
    elf_file_close(file);
    close(fd);
    free(bytes);
}
END_TEST

/* A million symbols at one address have suffixes of one long string as names. */
START_TEST(names_that_share_their_bytes_do_not_add_up)
{
    enum { SYMBOLS = 1 << 20, STRING = 15000 };
    struct elf_file *file;
    size_t size, whole;
    uint8_t *bytes = fixture_read("bare", &size);
    Elf64_Ehdr header;
    Elf64_Shdr text = {0};
    size_t text_index = 0;

    memcpy(&header, bytes, sizeof header);
    for (size_t i = 1; i < header.e_shnum; i++) {
        memcpy(&text, bytes + header.e_shoff + i * sizeof text, sizeof text);
        if ((text.sh_flags & SHF_EXECINSTR) && text.sh_size > 64 && (text_index = i))
            break;
    }
    ck_assert_uint_gt(header.e_shnum, 3);
    ck_assert_uint_ne(text_index, 0);
    whole = size + STRING + SYMBOLS * sizeof(Elf64_Sym);
    bytes = realloc(bytes, whole);
    ck_assert_ptr_nonnull(bytes);
    memset(bytes + size, 'x', STRING);
    bytes[size + STRING - 1] = 0;
    for (size_t i = 0; i < SYMBOLS; i++) {
        Elf64_Sym symbol = {
            .st_name = (uint32_t)(i % (STRING / 2)),
            .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
            .st_shndx = (uint16_t)text_index,
            .st_value = text.sh_addr + i % 64,
            .st_size = i % 97,
        };
        memcpy(bytes + size + STRING + i * sizeof symbol, &symbol, sizeof symbol);
    }
    set_section(bytes, 1, &(Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = size, .sh_size = STRING});
    set_section(bytes, 2,
                &(Elf64_Shdr){.sh_type = SHT_SYMTAB,
                              .sh_link = 1,
                              .sh_offset = size + STRING,
                              .sh_size = SYMBOLS * sizeof(Elf64_Sym),
                              .sh_entsize = sizeof(Elf64_Sym)});
    ck_assert_int_eq(elf_file_from_memory(bytes, whole, &file, NULL), 0);
    ask_all(file, NULL, 1);
    elf_file_close(file);
    free(bytes);
}
END_TEST

/* Sections of each kind, all in one hole of the file. */
static const struct {
    const char *name;
    uint32_t type;
    uint64_t flags, entry;
} holes[] = {
    {".plt", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 16},
    {".rela.dyn", SHT_RELA, SHF_ALLOC, sizeof(Elf64_Rela)},
};

/* Returns the header of section NAME in the ELF file at BYTES. */
static Elf64_Shdr section_called(const uint8_t *bytes, const char *name)
{
    Elf64_Ehdr header;
    Elf64_Shdr names, section;
    memcpy(&header, bytes, sizeof header);
    memcpy(&names, bytes + header.e_shoff + header.e_shstrndx * sizeof names, sizeof names);
    for (size_t i = 0; i < header.e_shnum; i++) {
        memcpy(&section, bytes + header.e_shoff + i * sizeof section, sizeof section);
        if (strcmp((const char *)bytes + names.sh_offset + section.sh_name, name) == 0)
            return section;
    }
    ck_abort_msg("no section %s", name);
}

/* Writes the file with MANY more sections of this kind, each with SIZE bytes of a hole. */
static void write_holes(const char *name, size_t kind, unsigned many, uint64_t size)
{
    size_t length;
    uint8_t *bytes = fixture_read("plain", &length);
    FILE *file = fopen(fixture_path(name), "we");
    Elf64_Ehdr header;
    Elf64_Shdr section = section_called(bytes, holes[kind].name);
    ck_assert_ptr_nonnull(file);
    memcpy(&header, bytes, sizeof header);
    uint64_t table = header.e_shoff, count = header.e_shnum;
    header.e_shoff = length + size;
    header.e_shnum = (Elf64_Half)(count + many);
    memcpy(bytes, &header, sizeof header);
    ck_assert_uint_eq(fwrite(bytes, 1, length, file), length);
    ck_assert_int_eq(fseek(file, (long)header.e_shoff, SEEK_SET), 0);
    ck_assert_uint_eq(fwrite(bytes + table, sizeof section, count, file), count);
    section.sh_type = holes[kind].type;
    section.sh_flags = holes[kind].flags;
    section.sh_entsize = holes[kind].entry;
    section.sh_offset = length;
    section.sh_size = size;
    for (unsigned i = 0; i < many; i++)
        ck_assert_uint_eq(fwrite(&section, sizeof section, 1, file), 1);
    ck_assert_int_eq(fclose(file), 0);
    free(bytes);
}

static long most_memory_kb(void)
{
    struct rusage usage;
    ck_assert_int_eq(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

/* Symbols outside of the hole are still found. */
START_TEST(sections_over_a_hole_do_not_add_up)
{
    struct elf_symbol symbol;
    write_holes("holes", (size_t)_i, 32, UINT64_C(48) << 20);
    long before = most_memory_kb();
    struct fixture opened = fixture_open("holes", NULL);
    ck_assert(fixture_find(&opened, "printf@plt", ELF_SYMBOL_PLT, &symbol));
    ck_assert_int_lt(most_memory_kb() - before, 512 << 10);
    fixture_close(&opened);
}
END_TEST

int main(void)
{
    TCase *tests = fixture_begin("elf/hostile");
    if (!tests)
        return 77;
    tcase_add_unchecked_fixture(tests, set_up, NULL);
    tcase_set_timeout(tests, 120);
    UNIT_ADD_TABLE(tests, truncated_files_are_harmless, victims);
    UNIT_ADD_TABLE(tests, changed_files_are_harmless, victims);
    tcase_add_test(tests, counts_without_end_are_refused);
    UNIT_ADD_TABLE(tests, tables_without_end_are_left, types);
    UNIT_ADD_TABLE(tests, sections_over_a_hole_do_not_add_up, holes);
    tcase_add_test(tests, names_that_share_their_bytes_do_not_add_up);
    return fixture_end();
}

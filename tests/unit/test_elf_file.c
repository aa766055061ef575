/* SPDX-License-Identifier: MIT */
#include "programs/elf/file.h"

#include "common/base/error.h"
#include "elf_fixtures.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* A program that prints the address of main, and the start and offset of its mapping. */
static const char teller[] = "#include <stdio.h>\n"
                             "int main(void)\n"
                             "{\n"
                             "    unsigned long here = (unsigned long)main, start, end, offset;\n"
                             "    char line[4096], mode[8];\n"
                             "    FILE *maps = fopen(\"/proc/self/maps\", \"r\");\n"
                             "    while (fgets(line, sizeof line, maps))\n"
                             "        if (sscanf(line, \"%lx-%lx %7s %lx\", &start, &end, mode, &offset) == 4 &&\n"
                             "            here >= start && here < end)\n"
                             "            printf(\"%lx %lx %lx\\n\", here, start, offset);\n"
                             "    return 0;\n"
                             "}\n";

static const struct {
    const char *compiler, *needs;
} ways[] = {
    {"gcc -pie -fPIE", "gcc"},
    {"gcc -no-pie", "gcc"},
    {"gcc -static", "gcc"},
    {"gcc -static-pie -fPIE", "gcc"},
    {"gcc -Wl,-z,noseparate-code", "gcc"},
    {"gcc -no-pie -Wl,-Ttext-segment=0x10000000", "gcc"},
    {"gcc -fuse-ld=lld", "ld.lld"},
    {"gcc -fuse-ld=lld -no-pie", "ld.lld"},
    {"gcc -fuse-ld=lld -Wl,-z,separate-code", "ld.lld"},
    {"gcc -fuse-ld=lld -Wl,-z,noseparate-code", "ld.lld"},
    {"gcc -fuse-ld=lld -static", "ld.lld"},
    {"gcc -fuse-ld=gold", "ld.gold"},
    {"musl-gcc", "musl-gcc"},
    {"musl-gcc -static", "musl-gcc"},
};

/* The kernel maps the file as elf_file computes. */
START_TEST(an_address_in_a_running_program_is_found)
{
    uint64_t here, start, offset, vaddr, text_start, text_end, text_offset;
    struct elf_symbol symbol;
    uint8_t bytes[16];

    if (fixture_lacks(ways[_i].needs))
        return;
    fixture_run("%s -O1 -o teller%d teller.c && ./teller%d >told%d", ways[_i].compiler, _i, _i, _i);
    char name[32];
    snprintf(name, sizeof name, "told%d", _i);
    FILE *told = fopen(fixture_path(name), "re");
    ck_assert_int_eq(fscanf(told, "%" SCNx64 " %" SCNx64 " %" SCNx64, &here, &start, &offset), 3);
    fclose(told);

    snprintf(name, sizeof name, "teller%d", _i);
    struct fixture program = fixture_open(name, NULL);
    ck_assert(elf_file_vaddr_of_offset(program.file, here - start + offset, &vaddr));
    ck_assert(elf_file_offset_of_vaddr(program.file, vaddr, &text_offset));
    ck_assert_uint_eq(text_offset, here - start + offset);
    ck_assert(!elf_file_offset_of_vaddr(program.file, UINT64_MAX, &text_offset));
    ck_assert(elf_symbols_find(program.symbols, vaddr, &symbol));
    ck_assert_str_eq(symbol.name, "main");
    ck_assert_uint_eq(symbol.start, vaddr);
    ck_assert(elf_file_is_program(program.file));
    ck_assert(elf_file_is_text(program.file, vaddr));
    elf_file_text_range(program.file, &text_start, &text_end);
    ck_assert_uint_le(text_start, vaddr);
    ck_assert_uint_gt(text_end, vaddr);
    ck_assert_int_eq(elf_file_read(program.file, vaddr, bytes, sizeof bytes), 0);
    fixture_close(&program);
}
END_TEST

START_TEST(a_library_is_no_program)
{
    fixture_run("echo 'int f(void) { return 1; }' >f.c && gcc -shared -fPIC -Wl,-soname,libf.so -o libf.so f.c");
    struct fixture library = fixture_open("libf.so", NULL);
    ck_assert(!elf_file_is_program(library.file));
    fixture_close(&library);
}
END_TEST

START_TEST(the_build_id_is_read)
{
    static const uint8_t expected[] = {0xab, 0xcd, 0xef, 0x01};
    size_t size;
    fixture_run("gcc -Wl,--build-id=0xabcdef01 -g -o identified teller.c && "
                "gcc -Wl,--build-id=none -o anonymous teller.c && "
                "objcopy --only-keep-debug identified identified.debug");
    struct fixture program = fixture_open("identified", NULL);
    const uint8_t *id = elf_file_build_id(program.file, &size);
    ck_assert_uint_eq(size, sizeof expected);
    ck_assert_mem_eq(id, expected, size);
    fixture_close(&program);

    program = fixture_open("identified.debug", NULL);
    ck_assert_ptr_nonnull(elf_file_build_id(program.file, &size));
    ck_assert_uint_eq(size, sizeof expected);
    fixture_close(&program);

    program = fixture_open("anonymous", NULL);
    ck_assert_ptr_null(elf_file_build_id(program.file, &size));
    ck_assert_uint_eq(size, 0);
    fixture_close(&program);
}
END_TEST

START_TEST(a_deleted_file_is_still_read)
{
    struct error error = {0};
    struct elf_file *file;
    struct elf_symbols *symbols;
    fixture_run("cp teller0 gone 2>/dev/null || gcc -o gone teller.c");
    int fd = open(fixture_path("gone"), O_RDONLY | O_CLOEXEC);
    fixture_run("rm gone");
    ck_assert_int_eq(elf_file_open(fd, &file, &error), 0);
    ck_assert_int_eq(elf_symbols_new(file, NULL, &symbols, &error), 0);
    ck_assert(elf_symbols_has_full_table(symbols));
    elf_symbols_free(symbols);
    elf_file_close(file);
    close(fd);
}
END_TEST

START_TEST(the_vdso_is_read_from_memory)
{
    const uint8_t *image = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
    struct error error = {0};
    struct elf_file *file;
    struct elf_symbols *symbols;
    struct elf_symbol symbol;
    uint64_t start, end, vaddr;
    bool found = false;

    if (!image) {
        fprintf(stderr, "skipped what needs a vDSO: there is none\n");
        return;
    }
    ck_assert_int_eq(elf_file_from_memory(image, 8192, &file, &error), 0);
    elf_file_text_range(file, &start, &end);
    ck_assert_uint_lt(start, end);
    ck_assert(elf_file_vaddr_of_offset(file, start, &vaddr));
    ck_assert_int_eq(elf_symbols_new(file, NULL, &symbols, &error), 0);
    for (uint64_t at = start; at < end; at++)
        found |= elf_symbols_find(symbols, at, &symbol) && symbol.name && strstr(symbol.name, "clock_gettime");
    ck_assert(found);
    ck_assert(!elf_file_is_program(file));
    elf_symbols_free(symbols);
    elf_file_close(file);
}
END_TEST

/* A header with one changed field. */
static const struct {
    size_t at, size;
    uint64_t value;
    int status;
    const char *text; /* a part of the message */
} headers[] = {
    {EI_MAG3, 1, 'f', -ENOEXEC, "not an ELF file"},
    {EI_CLASS, 1, ELFCLASS32, -ENOTSUP, "32-bit ELF file for another machine"}, /* x32 */
    {EI_CLASS, 1, 7, -ENOEXEC, "damaged"},
    {EI_DATA, 1, ELFDATA2MSB, -ENOTSUP, "another machine"},
    {offsetof(Elf64_Ehdr, e_machine), 2, EM_AARCH64, -ENOTSUP, "another machine"},
    {offsetof(Elf64_Ehdr, e_type), 2, ET_REL, -ENOTSUP, "neither a program nor a library"},
    {offsetof(Elf64_Ehdr, e_type), 2, ET_CORE, -ENOTSUP, "neither a program nor a library"},
    {offsetof(Elf64_Ehdr, e_phnum), 2, 0xffff, -ENOEXEC, "program headers"},
    {offsetof(Elf64_Ehdr, e_phentsize), 2, 1, -ENOEXEC, "program headers"},
    {offsetof(Elf64_Ehdr, e_phoff), 8, UINT64_MAX, -ENOEXEC, "damaged"},
    {offsetof(Elf64_Ehdr, e_type), 2, ET_DYN, 0, ""},
};

START_TEST(headers_follow_the_table)
{
    Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC,
        .e_machine = EM_X86_64,
        .e_version = EV_CURRENT,
        .e_ehsize = sizeof header,
        .e_phoff = sizeof header,
        .e_phnum = 1,
        .e_phentsize = sizeof(Elf64_Phdr),
    };
    struct {
        Elf64_Ehdr header;
        Elf64_Phdr segment;
    } image = {header, {.p_type = PT_LOAD, .p_flags = PF_X, .p_filesz = 1, .p_memsz = 1}};
    struct elf_file *file;
    struct error error = {0};

    memcpy((char *)&image + headers[_i].at, &headers[_i].value, headers[_i].size);
    ck_assert_int_eq(elf_file_from_memory(&image, sizeof image, &file, &error), headers[_i].status);
    ck_assert_int_eq(file == NULL, headers[_i].status != 0);
    ck_assert_int_eq(error.errnum, -headers[_i].status);
    ck_assert_msg(strstr(error.text, headers[_i].text) != NULL, "%s", error.text);
    elf_file_close(file);
}
END_TEST

struct segment {
    uint64_t flags, offset, vaddr, file_size, memory_size;
};

static const struct {
    struct segment segments[3];
    uint64_t offset;
    bool found;
    uint64_t vaddr;
} places[] = {
    /* two segments have the byte: the executable one */
    {{{PF_R, 0, 0x1000, 0x900, 0x900}, {PF_X, 0x800, 0x3800, 0x100, 0x100}}, 0x880, true, 0x3880},
    {{{PF_R, 0, 0x1000, 0x900, 0x900}, {PF_X, 0x900, 0x3900, 0x100, 0x100}}, 0x880, true, 0x3880},
    {{{PF_R, 0, 0x1000, 0x900, 0x900}}, 0x880, true, 0x1880},
    /* two executable segments share the page: the one with the byte */
    {{{PF_X, 0, 0x1000, 0x900, 0x900}, {PF_X, 0x900, 0x3900, 0x100, 0x100}}, 0x980, true, 0x3980},
    /* in a segment's page, but outside of the segment; beyond its pages */
    {{{PF_X, 0x1100, 0x5100, 0x10, 0x10}}, 0x1000, true, 0x5000},
    {{{PF_X, 0x1100, 0x5100, 0x10, 0x10}}, 0x1fff, true, 0x5fff},
    {{{PF_X, 0x1100, 0x5100, 0x10, 0x10}}, 0x2000, false, 0},
    {{{PF_X, 0x1100, 0x5100, 0x10, 0x10}}, 0xfff, false, 0},
    /* only in memory; with an overflow; larger in the file than in memory */
    {{{PF_X, 0, 0x1000, 0, 0x1000}}, 0, false, 0},
    {{{PF_X, 0x1000, UINT64_MAX - 8, 0x10, 0x10}}, 0x1004, false, 0},
    {{{PF_X, UINT64_MAX - 8, 0x1000, 0x10, 0x10}}, UINT64_MAX - 4, false, 0},
    {{{PF_X, 0x1000, 0x1000, 0x20, 0x10}}, 0x1004, false, 0},
    {{{PF_X, UINT64_MAX - 0x10, 0x1000, 0x10, 0x10}}, UINT64_MAX - 4, true, 0x1000 + 12},
};

START_TEST(offsets_follow_the_table)
{
    struct {
        Elf64_Ehdr header;
        Elf64_Phdr segments[3];
    } image = {.header = {
                   .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                   .e_type = ET_DYN,
                   .e_machine = EM_X86_64,
                   .e_version = EV_CURRENT,
                   .e_ehsize = sizeof(Elf64_Ehdr),
                   .e_phoff = sizeof(Elf64_Ehdr),
                   .e_phnum = 3,
                   .e_phentsize = sizeof(Elf64_Phdr),
               }};
    uint64_t vaddr = 77;
    uint8_t byte;
    struct elf_file *file;

    for (size_t i = 0; i < 3; i++) {
        const struct segment *segment = &places[_i].segments[i];
        image.segments[i] = (Elf64_Phdr){
            .p_type = segment->memory_size ? PT_LOAD : PT_NULL,
            .p_flags = (uint32_t)segment->flags,
            .p_offset = segment->offset,
            .p_vaddr = segment->vaddr,
            .p_filesz = segment->file_size,
            .p_memsz = segment->memory_size,
        };
    }
    ck_assert_int_eq(elf_file_from_memory(&image, sizeof image, &file, NULL), 0);
    ck_assert_int_eq(elf_file_vaddr_of_offset(file, places[_i].offset, &vaddr), places[_i].found);
    ck_assert_uint_eq(vaddr, places[_i].found ? places[_i].vaddr : 77);
    ck_assert_int_lt(elf_file_read(file, UINT64_MAX, &byte, 1), 0);
    elf_file_close(file);
}
END_TEST

START_TEST(other_files_are_refused)
{
    struct error error = {0};
    struct elf_file *file;
    int ends[2];

    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(elf_file_open(ends[0], &file, &error), -EINVAL);
    ck_assert_ptr_null(file);
    ck_assert_int_eq(elf_file_open(-1, &file, NULL), -EBADF);
    int directory = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ck_assert_int_eq(elf_file_open(directory, &file, NULL), -EINVAL);
    int empty = memfd_create("empty", MFD_CLOEXEC);
    ck_assert_int_eq(elf_file_open(empty, &file, NULL), -ENOEXEC);
    ck_assert_int_eq(elf_file_from_memory("", 0, &file, NULL), -ENOEXEC);
    elf_file_close(NULL);
    close(ends[0]);
    close(ends[1]);
    close(directory);
    close(empty);
}
END_TEST

/* The file is truncated after it was opened. Reading returns less, without SIGBUS. */
START_TEST(a_file_may_shrink)
{
    struct error error = {0};
    struct elf_file *file;
    struct elf_symbols *symbols;
    struct elf_symbol symbol;
    uint64_t start, end;
    uint8_t byte;

    fixture_run("gcc -o shrinking teller.c");
    int fd = open(fixture_path("shrinking"), O_RDWR | O_CLOEXEC);
    ck_assert_int_eq(elf_file_open(fd, &file, &error), 0);
    elf_file_text_range(file, &start, &end);
    ck_assert_int_eq(ftruncate(fd, 4096), 0);
    ck_assert_int_eq(elf_file_read(file, end - 1, &byte, 1), -EIO);
    if (elf_symbols_new(file, NULL, &symbols, &error) == 0) {
        elf_symbols_find(symbols, start, &symbol);
        elf_symbols_free(symbols);
    }
    ck_assert_int_eq(ftruncate(fd, 0), 0);
    error = (struct error){0};
    ck_assert_int_lt(elf_symbols_new(file, NULL, &symbols, &error), 0);
    ck_assert_ptr_null(symbols);
    ck_assert_int_ne(error.errnum, 0);
    elf_file_close(file);
    close(fd);
}
END_TEST

static void set_up(void)
{
    fixture_write("teller.c", teller, sizeof teller - 1);
}

int main(void)
{
    TCase *tests = fixture_begin("elf/file");
    if (!tests)
        return 77;
    tcase_add_unchecked_fixture(tests, set_up, NULL);
    tcase_set_timeout(tests, 60);
    UNIT_ADD_TABLE(tests, an_address_in_a_running_program_is_found, ways);
    tcase_add_test(tests, a_library_is_no_program);
    tcase_add_test(tests, the_build_id_is_read);
    tcase_add_test(tests, a_deleted_file_is_still_read);
    tcase_add_test(tests, the_vdso_is_read_from_memory);
    UNIT_ADD_TABLE(tests, headers_follow_the_table, headers);
    UNIT_ADD_TABLE(tests, offsets_follow_the_table, places);
    tcase_add_test(tests, other_files_are_refused);
    tcase_add_test(tests, a_file_may_shrink);
    return fixture_end();
}

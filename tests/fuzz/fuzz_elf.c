/* SPDX-License-Identifier: MIT
 *
 * Reads the input as an ELF file. Its first byte chooses memory or a file descriptor as the source, and
 * whether to search for a separate debug file. */
#include "programs/elf/entries.h"
#include "programs/elf/symbols.h"
#include "programs/elf/unwind_index.h"

#include "common/base/error.h"
#include "fuzz.h"
#include "programs/elf/file.h"
#include "programs/elf/inflate.h"

enum { PLACES = 128, IN_MEMORY = 1, SEARCHED = 2 };

static void ask_places(const struct elf_file *file)
{
    uint64_t start, end, vaddr;
    uint8_t bytes[32];
    size_t size;

    elf_file_build_id(file, &size);
    FUZZ_EXPECT(size <= ELF_BUILD_ID_MAX);
    elf_file_is_program(file);
    elf_file_unwind_header(file, &start, &end);
    elf_file_text_range(file, &start, &end);
    FUZZ_EXPECT(start <= end);
    for (uint64_t offset = 0; offset < UINT64_C(1) << 60; offset = offset * 3 + 1) {
        elf_file_vaddr_of_offset(file, offset, &vaddr);
        elf_file_offset_of_vaddr(file, start + offset, &vaddr);
        elf_file_read(file, start + offset, bytes, sizeof bytes);
    }
}

static void ask_symbols(const struct elf_file *file, bool is_searched, uint64_t start, uint64_t step)
{
    static const char *const nowhere[] = {"/nowhere/debug", NULL};
    const struct elf_debug_search search = {.directory = "/nowhere", .debug_directories = nowhere};
    struct elf_symbols *symbols;
    struct elf_symbol symbol;
    struct error error = {0};

    if (elf_symbols_new(file, is_searched ? &search : NULL, &symbols, &error) < 0) {
        FUZZ_EXPECT(!symbols && error.errnum);
        return;
    }
    elf_symbols_has_full_table(symbols);
    for (uint64_t at = start, i = 0; i < PLACES; at += step, i++)
        if (elf_symbols_find(symbols, at, &symbol)) {
            FUZZ_EXPECT(symbol.start <= at && at < symbol.end);
            FUZZ_EXPECT(!symbol.name == (symbol.kind == ELF_SYMBOL_RANGE) && (!symbol.name || *symbol.name));
        }
    elf_symbols_free(symbols);
}

static void ask_unwind(const struct elf_file *file, uint64_t start, uint64_t step)
{
    struct elf_unwind_index *index = elf_unwind_index_new(file, elf_inflate_debug_frame, NULL);
    struct elf_unwind_found found;
    volatile uint8_t seen; /* keeps the reads, so that the sanitizer checks each byte */

    FUZZ_EXPECT(index);
    (void)seen;
    for (uint64_t at = start, i = 0; i < PLACES; at += step, i++)
        if (elf_unwind_index_find(index, at, &found)) {
            FUZZ_EXPECT(found.record.start <= at && at < found.record.end);
            for (size_t byte = 0; byte < found.record.code_size; byte++)
                seen = found.record.code[byte];
        }
    elf_unwind_index_free(index);
}

static void ask_all(const struct elf_file *file, bool is_searched)
{
    struct elf_entries entries;
    uint64_t start, end;

    elf_file_text_range(file, &start, &end);
    ask_places(file);
    ask_symbols(file, is_searched, start, (end - start) / PLACES + 1);
    ask_unwind(file, start, (end - start) / PLACES + 1);
    elf_entries_find(file, &entries);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct cursor input = fuzz_input(bytes, size);
    uint64_t flags = cursor_number(&input, 1);
    bool in_memory = flags & IN_MEMORY;
    struct error error = {0};
    struct elf_file *file;
    size_t left = cursor_left(&input);
    int fd = in_memory ? -1 : fuzz_file(input.at, left);
    int status = in_memory ? elf_file_from_memory(input.at, left, &file, &error) : elf_file_open(fd, &file, &error);

    FUZZ_EXPECT(!file == (status < 0) && error.errnum == -status);
    if (file)
        ask_all(file, flags & SEARCHED);
    elf_file_close(file);
    if (fd >= 0)
        close(fd);
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * The front reads an interpreter: its file, the objects of its frames, and the frames. The input starts with the data
 * section of the file. Messages follow, each a byte of type and its content. */
#include "front/naming/naming.h"
#include "front/session/mixed.h"
#include "profile/report/report.h"

#include "common/base/error.h"
#include "common/model/address_map.h"
#include "common/wire/command.h"
#include "common/wire/message.h"
#include "front/record/record.h"
#include "fuzz.h"
#include "fuzz_no_names.h"
#include "profile/profile/profile.h"

#include <elf.h>

enum {
    IMAGE = 1,
    RUNTIME = 1,
    SERIALS = 48,
    MESSAGES = 64,
    PLACE = 0x10000, /* offset of the data in the file, and its address in memory */
    DATA_SIZE = 2048,
    SYMBOL_STEP = 128,
    MOST_SYMBOLS = 8,
    CODE_SIZE = 0x1000, /* size of the evaluation function, which starts at offset 0 */
    PARTS_SIZE = 4096,
};

enum { ANY_RUNTIME = 1, ANY_SIZE = 2, ANY_SERIAL = 4 };

#define PYTHON_SYMBOLS "_PyRuntime", "PyCode_Type", "_PyEval_EvalFrameDefault"

/* A version of an interpreter that has a layout, with the file content that identifies the version. */
static const struct variant {
    enum { PYTHON, PERL, RUBY, PHP } language;
    const char *symbols[MOST_SYMBOLS];
    size_t version;   /* index of the symbol that holds the version */
    uint8_t said[24]; /* bytes at that symbol */
    const char *rodata;
} variants[] = {
    {PYTHON, {PYTHON_SYMBOLS, "PyCode_NewWithPosOnlyArgs"}, 3, {0}, ""}, /* 3.8 */
    {PYTHON, {PYTHON_SYMBOLS, "PyCode_NewWithPosOnlyArgs", "PyThreadState_GetInterpreter", "Py_NewRef"}, 3, {0}, ""},
    {PYTHON, {PYTHON_SYMBOLS, "Py_Version"}, 3, {0xf0, 2, 11, 3}, ""},
    {PYTHON, {PYTHON_SYMBOLS, "Py_Version"}, 3, {0xf0, 2, 12, 3}, ""},
    {PYTHON, {PYTHON_SYMBOLS, "Py_Version"}, 3, {0xf0, 2, 13, 3}, ""},
    {PERL,
     {"Perl_runops_standard", "PL_curinterp", "PL_thr_key", "PL_subversion", "PL_revision", "PL_version"},
     4,
     {5},
     ""},
    {RUBY, {"rb_vm_exec", "ruby_single_main_ractor", "ruby_version"}, 2, "3.1.2", ""},
    {PHP, {"execute_ex", "executor_globals"}, 2, {0}, "X-Powered-By: PHP/8.2.1 (and so on, as long as it has to be)"},
};

static size_t put(uint8_t *bytes, size_t at, const void *what, size_t size)
{
    memcpy(bytes + at, what, size);
    return at + size;
}

/* Returns an ELF file with the symbols of VARIANT and the content DATA. */
static int make_file(const struct variant *variant, const uint8_t data[DATA_SIZE])
{
    enum { NONE, CODE, RODATA, SYMBOLS, NAMES, SECTIONS };
    static const char section_names[] = "\0.text\0.rodata\0.symtab\0.strtab";
    static uint8_t bytes[PLACE + DATA_SIZE + 8192];
    Elf64_Sym symbols[MOST_SYMBOLS + 1] = {{0}};
    Elf64_Shdr sections[SECTIONS] = {{0}};
    char names[512] = {0};
    size_t count = 1, used = 1, at = PLACE + DATA_SIZE;
    for (; count <= MOST_SYMBOLS && variant->symbols[count - 1]; count++) {
        symbols[count] = (Elf64_Sym){.st_name = (Elf64_Word)used, .st_shndx = CODE};
        symbols[count].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
        symbols[count].st_value = PLACE + (count - 1) * SYMBOL_STEP;
        symbols[count].st_size = count == 1 ? DATA_SIZE : SYMBOL_STEP;
        used = put((uint8_t *)names, used, variant->symbols[count - 1], strlen(variant->symbols[count - 1]) + 1);
    }
    size_t evaluation = variant->language == PYTHON ? 3 : 1;
    symbols[evaluation].st_value = 0;
    symbols[evaluation].st_size = CODE_SIZE;
    memset(bytes, 0, sizeof bytes);
    put(bytes, PLACE, data, DATA_SIZE);
    put(bytes, PLACE + variant->version * SYMBOL_STEP, variant->said, variant->said[0] ? sizeof variant->said : 0);
    if (variant->language == PERL)
        bytes[PLACE + (variant->version + 1) * SYMBOL_STEP] = 36;
    sections[CODE] = (Elf64_Shdr){.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_size = PLACE};
    sections[CODE].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
    sections[RODATA] = (Elf64_Shdr){.sh_name = 7,
                                    .sh_type = SHT_PROGBITS,
                                    .sh_flags = SHF_ALLOC,
                                    .sh_addr = at,
                                    .sh_offset = at,
                                    .sh_size = strlen(variant->rodata)};
    at = (put(bytes, at, variant->rodata, strlen(variant->rodata)) + 8) & ~(size_t)7;
    sections[SYMBOLS] = (Elf64_Shdr){.sh_name = 15,
                                     .sh_type = SHT_SYMTAB,
                                     .sh_offset = at,
                                     .sh_link = NAMES,
                                     .sh_size = count * sizeof *symbols,
                                     .sh_entsize = sizeof *symbols,
                                     .sh_info = 1};
    at = put(bytes, at, symbols, count * sizeof *symbols);
    sections[NAMES] =
        (Elf64_Shdr){.sh_name = 23, .sh_type = SHT_STRTAB, .sh_offset = at + sizeof section_names, .sh_size = used};
    at = (put(bytes, at + sizeof section_names, names, used) + 8) & ~(size_t)7;
    const Elf64_Phdr segment = {
        .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = sizeof bytes, .p_memsz = sizeof bytes};
    const Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_DYN,
        .e_machine = EM_X86_64,
        .e_version = EV_CURRENT,
        .e_phoff = sizeof header,
        .e_shoff = at,
        .e_ehsize = sizeof header,
        .e_phentsize = sizeof segment,
        .e_phnum = 1,
        .e_shentsize = sizeof *sections,
        .e_shnum = SECTIONS,
        .e_shstrndx = NAMES,
    };
    put(bytes, at, sections, sizeof sections);
    put(bytes, put(bytes, 0, &header, sizeof header), &segment, sizeof segment);
    return fuzz_file(bytes, sizeof bytes);
}

/* Passes an object as the tracer copies it: its parts, with sizes from the input. */
static void give_object(struct cursor *input, struct mixed *mixed)
{
    struct message_object message = {.runtime = RUNTIME, .address = PLACE};
    uint64_t how = cursor_number(input, 1);
    size_t all = 0;
    message.serial = (uint32_t)fuzz_below(input, 1, SERIALS);
    message.shape = (uint32_t)fuzz_below(input, 1, RECIPE_SHAPES + 1);
    message.part_count = (uint32_t)fuzz_below(input, 1, RECIPE_PARTS_MOST + 3);
    if (how & ANY_RUNTIME)
        message.runtime = (uint32_t)cursor_number(input, 4);
    if (how & ANY_SERIAL)
        message.serial = (uint32_t)cursor_number(input, 2);
    for (size_t i = 0; i < message.part_count && i < RECIPE_PARTS_MOST + 1; i++)
        all += message.sizes[i] = (uint32_t)fuzz_below(input, 2, how & ANY_SIZE ? UINT16_MAX : PARTS_SIZE / 4);
    size_t there = all;
    uint8_t *parts = fuzz_copy(input, &there);
    size_t size = how & ANY_SIZE ? there : all; /* pad a short input with zeros */
    uint8_t *exact = calloc(1, sizeof message + size);
    FUZZ_EXPECT(exact);
    memcpy(exact, &message, sizeof message);
    memcpy(exact + sizeof message, parts, there);
    interpreters_object(&mixed->interpreters, (struct message_object *)(void *)exact, size);
    free(parts);
    free(exact);
}

/* Makes frames with PCs in the evaluation function, elsewhere in the interpreter, or outside of it. */
static size_t make_natives(struct cursor *input, struct unwind_frame *frames, size_t most)
{
    size_t count = fuzz_below(input, 1, most) + 1;
    for (size_t i = 0; i < count; i++)
        frames[i] = (struct unwind_frame){.pc = PLACE + fuzz_below(input, 1, 5) * CODE_SIZE / 2, .call = i > 0};
    return count;
}

/* Merging must keep all frames outside of the interpreter, in order, and invent none. CUT: the stack ends after the
 * last copied script frame, because the frames between it and its callers are missing. */
static void look_at(const struct record_capture *before, const struct record_capture *after, size_t scripts, bool cut)
{
    size_t at = 0;
    FUZZ_EXPECT(after->frame_count >= 1 && after->frame_count <= MIXED_MOST);
    FUZZ_EXPECT(after->frame_count <= before->frame_count + scripts + 1);
    for (size_t i = 0; i < before->frame_count; i++) {
        uint64_t address = before->frames[i].pc - before->frames[i].call;
        if (address >= PLACE && address < PLACE + CODE_SIZE * 2)
            continue;
        while (at < after->frame_count && (after->frames[at].language || after->frames[at].pc != before->frames[i].pc))
            at++;
        if (cut && at == after->frame_count)
            return;
        FUZZ_EXPECT(at++ < after->frame_count);
    }
}

static void give_capture(struct cursor *input, struct mixed *mixed, struct record *record)
{
    struct unwind_frame frames[24];
    const struct recipe *recipe = &mixed->interpreters.runtimes.items[0].about.recipe;
    uint64_t how = cursor_number(input, 1);
    struct recipe_stack about = {.runtime = RUNTIME, .node_size = recipe_stored(recipe)};
    about.count = (uint32_t)fuzz_below(input, 1, 12);
    about.end = (uint32_t)fuzz_below(input, 1, RECIPE_NO_STATE + 2);
    about.state_serial = (uint32_t)fuzz_below(input, 1, SERIALS);
    if (how & ANY_RUNTIME)
        about.runtime = (uint32_t)cursor_number(input, 4);
    if (how & ANY_SIZE) {
        about.node_size = (uint32_t)cursor_number(input, 4);
        about.count = (uint32_t)cursor_number(input, 4);
    }
    size_t size = (size_t)(how & ANY_SIZE ? cursor_number(input, 2)
                                          : about.count * (sizeof(struct recipe_node) + about.node_size));
    size_t there = size, whole = sizeof(struct message_capture) + sizeof about + size;
    uint8_t *nodes = fuzz_copy(input, &there), *exact = calloc(1, whole);
    FUZZ_EXPECT(exact);
    struct message_capture *message = (struct message_capture *)(void *)exact;
    *message = (struct message_capture){.image = IMAGE, .tid = 1, .interp_size = (uint32_t)(sizeof about + size)};
    memcpy(exact + sizeof *message, &about, sizeof about);
    memcpy(exact + sizeof *message + sizeof about, nodes, there);
    for (size_t i = 0; !(how & (ANY_SIZE | ANY_SERIAL)) && i < about.count; i++) {
        uint8_t *node = exact + sizeof *message + sizeof about + i * (sizeof(struct recipe_node) + about.node_size);
        uint32_t serials[RECIPE_SHAPES] = {node[8] % SERIALS, node[12] % SERIALS};
        memcpy(node + offsetof(struct recipe_node, serial), serials, sizeof serials);
    }
    struct record_capture capture = {.image = IMAGE, .tid = 1, .syscall = -1, .weight_ns = 1, .frames = frames};
    capture.frame_count = make_natives(input, frames, sizeof frames / sizeof *frames);
    capture.cut = (enum profile_cut)fuzz_below(input, 1, PROFILE_MERGED);
    const struct record_capture before = capture;
    if (interpreters_is_sound(message)) {
        mixed_merge(mixed, record, message, &capture);
        bool merged = capture.frames != frames;
        look_at(&before, &capture, merged ? mixed->stack.count : 0, merged && mixed->stack.is_cut);
        record_capture(record, &capture);
    }
    free(nodes);
    free(exact);
}

/* Resolving names and writing reports must work on any record. */
static void finish(struct record *record)
{
    struct error error = {0};
    struct profile *profile = naming_profile(record, NULL, NULL, &error);
    struct report_options options = REPORT_OPTIONS_DEFAULT;
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    FUZZ_EXPECT(profile && stream);
    options.by = REPORT_BY_LINE;
    FUZZ_EXPECT(report_flat_write(profile, &options, stream) == 0 && report_json_write(profile, &options, stream) == 0);
    fclose(stream);
    free(text);
    profile_free(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct cursor input = fuzz_input(bytes, size);
    const struct variant *variant = &variants[fuzz_below(&input, 1, sizeof variants / sizeof *variants)];
    struct mixed *mixed = calloc(1, sizeof *mixed);
    struct record *record = calloc(1, sizeof *record);
    struct address_range range = {.start = PLACE, .end = PLACE + 2 * CODE_SIZE};
    uint8_t data[DATA_SIZE] = {0};
    FUZZ_EXPECT(mixed && record);
    mixed->interpreters.mode = (enum merge_mode)fuzz_below(&input, 1, MERGE_OFF + 1);
    size_t there = fuzz_below(&input, 2, DATA_SIZE);
    uint8_t *said = fuzz_copy(&input, &there);
    memcpy(data, said, there);
    free(said);
    int fd = make_file(variant, data);
    record_image_begins(record, IMAGE, 1, 0, "fuzzed");
    interpreters_map(&mixed->interpreters, IMAGE, 1, 0, fd, &range);
    struct command command;
    while (interpreters_next_command(&mixed->interpreters, &command))
        ;
    for (int i = 0; i < MESSAGES && cursor_left(&input) && mixed->interpreters.runtimes.count; i++)
        if (cursor_number(&input, 1) % 2)
            give_capture(&input, mixed, record);
        else
            give_object(&input, mixed);
    finish(record);
    interpreters_image_ends(&mixed->interpreters, IMAGE);
    mixed_fini(mixed);
    record_fini(record);
    close(fd);
    free(mixed);
    free(record);
    return 0;
}

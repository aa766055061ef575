/* SPDX-License-Identifier: MIT
 *
 * Ruby 3.1. A function's lines are its table of entries; SPLIT bytes into it begins the index from instructions to
 * entries. */
#include "programs/interp/runtime.h"

#include "common/model/wait.h"
#include "programs/elf/file.h"
#include "programs/elf/lookup.h"
#include "programs/interp/text.h"

#include <stdio.h>

enum symbol { RACTOR, RUBY_VERSION, EXECUTE, EXECUTE_COLD, SYMBOLS };

/* Ruby 3.1, on 64-bit machines. */
enum {
    RACTOR_THREADS = 0x130, /* rb_ractor_t.threads.set */
    RACTOR_QUEUE = 0x180,   /* threads.gvl.waitq */
    QUEUE_OWNER = -48,      /* threads.gvl.owner, from there */
    THREAD_SIZE = 88,       /* rb_thread_t, as far as it matters; it begins with its link */
    THREAD_RACTOR = 24,
    THREAD_CONTEXT = 40,
    THREAD_POINTER = 80,
    THREAD_LINK = 104, /* native_thread_data.node.gvl, in the queue while it waits for the GVL */
    CONTEXT_STACK = 0, /* rb_execution_context_t */
    CONTEXT_STACK_SIZE = 8,
    CONTEXT_FRAME = 16,
    FRAME_SIZE = 64, /* rb_control_frame_t */
    FRAME_INSTRUCTION = 0,
    FRAME_CODE = 16,
    FRAME_ENVIRONMENT = 32,
    FLAG_FINISH = 0x20, /* VM_FRAME_FLAG_FINISH, in the first word of the environment */
    MAGIC_MASK = 0x7fff0001,
    MAGIC_DUMMY = 0x79990001, /* VM_FRAME_MAGIC_DUMMY: the frame that a program begins with, which runs nothing */
    CODE_SIZE = 24,           /* rb_iseq_t */
    CODE_BODY = 16,
    BODY_SIZE = 152, /* rb_iseq_constant_body, as far as it matters */
    BODY_INSTRUCTION_COUNT = 4,
    BODY_INSTRUCTIONS = 8,
    BODY_PATH = 64,
    BODY_LABEL = 80,
    BODY_FIRST_LINE = 88,
    BODY_LINES = 120,
    BODY_LINE_COUNT = 136,
    BODY_LINE_INDEX = 144,
    LINE_SIZE = 12, /* iseq_insn_info_entry */
    OBJECT_SIZE = 40,
    OBJECT_LENGTH = 16, /* RString */
    OBJECT_ADDRESS = 24,
    OBJECT_EMBEDDED = 16, /* RString's bytes, and RArray's items: path and real path */
    TYPE_MASK = 0x1f,
    TYPE_STRING = 5,
    TYPE_ARRAY = 7,
    STRING_NOT_EMBEDDED = 1 << 13,
    EMBEDDED_LENGTH_SHIFT = 14,
    EMBEDDED_LENGTH_MASK = 0x1f,
    TEXT_MOST = 512,
    INDEX_SIZE = 128, /* succ_index_table of short code; beyond that, each word of code has at most one byte */
};

enum {
    PART_CODE,
    PART_BODY,
    PART_LINES,
    PART_LINE_INDEX,
    PART_LABEL,
    PART_LABEL_TEXT,
    PART_PATH,
    PART_PATH_TEXT,
    PART_REAL_PATH, /* if the path is an array; */
    PART_REAL_PATH_TEXT,
    PART_SHORT_PATH, /* the real one may be nil */
    PART_SHORT_PATH_TEXT,
};

static const struct recipe recipe_3_1 = {
    .kind = RECIPE_ARRAY,
    .group_next = RECIPE_NONE,
    .group_states = RACTOR_THREADS,
    .state_size = THREAD_SIZE,
    .state_pointer = THREAD_POINTER,
    .state_tid = RECIPE_NONE,
    .state_group = THREAD_RACTOR,
    .state_object = RECIPE_NONE,
    .state_stack = RECIPE_NONE,
    .node_owner = RECIPE_NONE,
    .link_next = RECIPE_NONE,
    .path_count = 1,
    .path = {THREAD_CONTEXT},
    .node_size = FRAME_SIZE,
    .node_word = FRAME_ENVIRONMENT,
    .array_first = CONTEXT_FRAME,
    .array_base = CONTEXT_STACK,
    .array_count = CONTEXT_STACK_SIZE,
    .array_scale = 8,
    .lock = RACTOR_QUEUE,
    .lock_kind = RECIPE_LOCK_QUEUE,
    .lock_link = THREAD_LINK,
    .lock_place = WAIT_GVL,
    .lock_holder = QUEUE_OWNER,
    .shapes = {{.pointer = FRAME_CODE,
                .size = CODE_SIZE,
                .type = RECIPE_NONE,
                .when = RECIPE_NONE,
                .check = BODY_PATH,
                .check_size = BODY_LINES + 8 - BODY_PATH,
                .check_pointer = CODE_BODY,
                .part_count = 11,
                .parts = {RECIPE_PART(PART_CODE, CODE_BODY, BODY_SIZE),
                          {PART_BODY, BODY_LINES, BODY_LINE_COUNT, LINE_SIZE, 0, PART_BODY},
                          {PART_BODY, BODY_LINE_INDEX, BODY_INSTRUCTION_COUNT, 1, INDEX_SIZE, PART_BODY},
                          RECIPE_PART(PART_BODY, BODY_LABEL, OBJECT_SIZE),
                          RECIPE_PART(PART_LABEL, OBJECT_ADDRESS, TEXT_MOST),
                          RECIPE_PART(PART_BODY, BODY_PATH, OBJECT_SIZE),
                          RECIPE_PART(PART_PATH, OBJECT_ADDRESS, TEXT_MOST),
                          RECIPE_PART(PART_PATH, OBJECT_EMBEDDED + 8, OBJECT_SIZE),
                          RECIPE_PART(PART_REAL_PATH, OBJECT_ADDRESS, TEXT_MOST),
                          RECIPE_PART(PART_PATH, OBJECT_EMBEDDED, OBJECT_SIZE),
                          RECIPE_PART(PART_SHORT_PATH, OBJECT_ADDRESS, TEXT_MOST)}},
               {.pointer = RECIPE_NONE}},
};

static bool find(const struct elf_file *file, struct interp_runtime *runtime)
{
    struct elf_lookup symbols[SYMBOLS] = {
        [RACTOR] = {.name = "ruby_single_main_ractor"},
        [RUBY_VERSION] = {.name = "ruby_version"},
        [EXECUTE] = {.name = "rb_vm_exec"},
        [EXECUTE_COLD] = {.name = "rb_vm_exec.cold*"},
    };
    char version[8] = "";
    unsigned major, minor, patch;
    elf_lookup(file, symbols, SYMBOLS);
    if (!symbols[RUBY_VERSION].is_found)
        return false;
    size_t size = symbols[RUBY_VERSION].size < sizeof version ? (size_t)symbols[RUBY_VERSION].size : sizeof version - 1;
    if (elf_file_read(file, symbols[RUBY_VERSION].vaddr, version, size) < 0 ||
        sscanf(version, "%1u.%2u.%2u", &major, &minor, &patch) != 3)
        return true;
    snprintf(runtime->version, sizeof runtime->version, "%u.%u.%u", major, minor, patch);
    runtime->minor = (uint16_t)minor;
    if (major != 3 || minor != 1 || !symbols[RACTOR].is_found || !symbols[EXECUTE].is_found)
        return true;
    runtime->layout = "by the table of its minor version";
    runtime->recipe = recipe_3_1;
    runtime->recipe.begin = symbols[RACTOR].vaddr;
    for (size_t i = EXECUTE; i <= EXECUTE_COLD; i++)
        interp_add_evaluation(runtime, &symbols[i]);
    return true;
}

/* A frame without Ruby code is a C function, or the end of the stack. */
static void read_frame(const struct interp_runtime *runtime, const struct interp_node *node, struct interp_frame *frame)
{
    (void)runtime;
    uint64_t flags = interp_number(node->bytes, node->size, FRAME_SIZE, 8);
    bool is_dummy = (flags & MAGIC_MASK) == MAGIC_DUMMY;
    frame->instruction = interp_number(node->bytes, node->size, FRAME_INSTRUCTION, 8);
    frame->is_frame = !is_dummy && frame->instruction && interp_number(node->bytes, node->size, FRAME_CODE, 8);
    frame->is_entry = frame->is_frame && flags & FLAG_FINISH;
}

static uint64_t type_of(const struct interp_parts *parts, size_t part)
{
    return interp_part_number(parts, part, 0, 8) & TYPE_MASK;
}

/* Writes the string object PART to TEXT. Its bytes may be in the next part. Returns false if it is not a string. */
static bool read_text(const struct interp_parts *parts, size_t part, char text[INTERP_NAME_MOST])
{
    uint64_t flags = interp_part_number(parts, part, 0, 8);
    if (type_of(parts, part) != TYPE_STRING)
        return false;
    if (flags & STRING_NOT_EMBEDDED)
        return interp_part_text(parts, part + 1, 0, interp_part_number(parts, part, OBJECT_LENGTH, 8), text);
    return interp_part_text(parts, part, OBJECT_EMBEDDED, flags >> EMBEDDED_LENGTH_SHIFT & EMBEDDED_LENGTH_MASK, text);
}

static bool read_function(const struct interp_parts *parts, struct interp_function *function)
{
    size_t size, index_size;
    const unsigned char *body = interp_part(parts, PART_BODY, &size);
    function->code.start = interp_number(body, size, BODY_INSTRUCTIONS, 8);
    function->lines.first_line = (uint32_t)(interp_number(body, size, BODY_FIRST_LINE, 8) >> 1); /* a Fixnum */
    function->lines.bytes = interp_part(parts, PART_LINES, &size);
    interp_part(parts, PART_LINE_INDEX, &index_size);
    function->lines.split = size;
    function->lines.size = size + index_size;
    if (type_of(parts, PART_PATH) != TYPE_ARRAY)
        read_text(parts, PART_PATH, function->file);
    else if (!read_text(parts, PART_REAL_PATH, function->file))
        read_text(parts, PART_SHORT_PATH, function->file);
    return read_text(parts, PART_LABEL, function->name);
}

/* Returns how many entries begin at word POSITION of the code or before it. The index has the first 54 words in groups
 * of nine, with seven bits for each group, and later words in blocks of 512. */
static uint32_t rank_of(const unsigned char *index, size_t size, uint64_t position)
{
    enum { NEAR = 54, GROUP = 9, GROUP_BITS = 7, BLOCK = 512, BLOCK_SIZE = 80, BLOCKS = 48, RANKS = 8, BITS = 16 };
    if (position < NEAR)
        return interp_number(index, size, position / GROUP * 8, 8) >> position % GROUP * GROUP_BITS & 0x7f;
    uint64_t block = BLOCKS + (position - NEAR) / BLOCK * BLOCK_SIZE, bit = (position - NEAR) % BLOCK, small = bit / 64;
    uint64_t ranks = interp_number(index, size, block + RANKS, 8);
    uint64_t bits = interp_number(index, size, block + BITS + small * 8, 8);
    uint64_t rank = interp_number(index, size, block, 4) + (small ? ranks >> (small - 1) * 9 & 0x1ff : 0);
    return (uint32_t)rank + (uint32_t)__builtin_popcountll(bits << (63 - bit % 64));
}

/* Returns the line of the running instruction, which is the one before the frame's instruction. */
static uint32_t find_line(const struct interp_runtime *runtime, const struct interp_lines *lines, uint64_t instruction)
{
    (void)runtime;
    uint64_t position = instruction / 8;
    size_t entries = lines->split / LINE_SIZE;
    if (position)
        position--;
    if (!entries || position > UINT32_MAX)
        return 0;
    uint32_t rank = entries == 1 ? 1 : rank_of(lines->bytes + lines->split, lines->size - lines->split, position);
    return rank ? (uint32_t)interp_number(lines->bytes, lines->split, (uint64_t)(rank - 1) * LINE_SIZE, 4) : 0;
}

const struct interp_rules ruby_rules = {
    .name = "Ruby",
    .module = "[ruby]",
    .frame_type = "ruby",
    .program = "ruby",
    .symbol = "ruby_version",
    .is_compiled = true,
    .find = find,
    .read_frame = read_frame,
    .read_function = read_function,
    .find_line = find_line,
};

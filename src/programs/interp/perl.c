/* SPDX-License-Identifier: MIT
 *
 * Perl 5.36, built with threads, as Debian's is. */
#include "programs/interp/runtime.h"

#include "programs/elf/file.h"
#include "programs/elf/lookup.h"
#include "programs/interp/text.h"

#include <stdio.h>

enum symbol { CURRENT, THREAD_KEY, REVISION, PERL_VERSION_NUMBER, SUBVERSION, RUN, SYMBOLS };

/* Perl 5.36 with threads, by offsetof from its headers. */
enum {
    STATE_LINE = 208,  /* interpreter.Icurcop */
    STATE_STACK = 224, /* Icurstackinfo */
    STACK_CONTEXTS = 8,
    STACK_PREVIOUS = 16,
    STACK_LAST = 32,
    CONTEXT_SIZE = 104, /* PERL_CONTEXT */
    CONTEXT_TYPE = 0,
    CONTEXT_LINE = 16,   /* blk_oldcop */
    CONTEXT_RETURN = 48, /* blk_sub.retop */
    CONTEXT_SUB = 72,    /* blk_sub.cv */
    TYPE_MASK = 0xf,
    TYPE_SORT = 0,
    TYPE_SUB = 9,
    TYPE_EVAL = 11,
    EVAL_OF_TEXT = 0x20, /* CXp_REAL: of a text or a file, no block */
    SUB_OR_EVAL_MASK = 0xd,
    HEAD_SIZE = 24, /* SV: sv_any, and */
    HEAD_FLAGS = 12,
    KIND_MASK = 0xff,
    KIND_SUB = 13, /* SVt_PVCV */
    SUB_SIZE = 96, /* XPVCV, as far as it matters */
    SUB_PACKAGE = 32,
    SUB_START = 40,
    SUB_NAME = 56,
    SUB_FILE = 64,
    SUB_FLAGS = 92,
    SUB_IS_NAMED = 0x8000, /* the name is a HEK, else in a glob */
    GLOB_SIZE = 48,        /* XPVGV */
    GLOB_NAME = 32,
    GLOB_PACKAGE = 40,
    STASH_SIZE = 64, /* XPVHV and xpvhv_aux, as far as it matters */
    STASH_NAME = 32,
    STASH_NAMES = 60, /* xhv_name_count: then STASH_NAME leads to the addresses of them */
    KEY_LENGTH = 4,   /* HEK */
    KEY_TEXT = 8,
    KEY_MOST = 280,
    LINE_SIZE = 56, /* COP */
    LINE_OPERATION = 32,
    LINE_OPERATION_MASK = 0x1ff,
    OPERATION_LINE = 195, /* OP_NEXTSTATE, and OP_DBSTATE behind it */
    LINE_NUMBER = 36,
    LINE_FILE = 48,
    FILE_MOST = 512,
};

enum { SHAPE_SUB, SHAPE_LINE };

/* The parts of a sub. */
enum {
    PART_HEAD,
    PART_SUB,
    PART_NAME, /* of a glob its head */
    PART_GLOB,
    PART_GLOB_NAME,
    PART_PACKAGE_HEAD,
    PART_PACKAGE,
    PART_PACKAGE_NAME,
    PART_PACKAGE_NAMES,
    PART_FILE,
    PART_START,
    PART_OWN_PACKAGE_HEAD,
    PART_OWN_PACKAGE,
    PART_OWN_PACKAGE_NAME,
    PART_OWN_PACKAGE_NAMES,
};

static const struct recipe recipe_5_36 = {
    .kind = RECIPE_SEGMENTS,
    .main_only = 1,
    .group_next = RECIPE_NONE,
    .group_states = RECIPE_NONE,
    .state_size = STATE_STACK + 8,
    .node_word = RECIPE_NONE,
    .state_pointer = RECIPE_NONE,
    .state_tid = RECIPE_NONE,
    .state_group = RECIPE_NONE,
    .state_object = STATE_LINE,
    .state_stack = RECIPE_NONE,
    .node_owner = RECIPE_NONE,
    .link_next = RECIPE_NONE,
    .path_count = 1,
    .path = {STATE_STACK},
    .node_size = CONTEXT_SIZE,
    .array_first = STACK_CONTEXTS,
    .array_count = STACK_LAST,
    .segment_next = STACK_PREVIOUS,
    .shapes = {{.pointer = CONTEXT_SUB,
                .size = HEAD_SIZE,
                .type = RECIPE_NONE,
                .when = CONTEXT_TYPE,
                .when_mask = TYPE_MASK,
                .when_value = TYPE_SUB,
                .check = SUB_PACKAGE,
                .check_size = SUB_FLAGS + 4 - SUB_PACKAGE,
                .check_pointer = 0,
                .part_count = 14,
                .parts = {RECIPE_PART(PART_HEAD, 0, SUB_SIZE), RECIPE_PART(PART_SUB, SUB_NAME, KEY_MOST),
                          RECIPE_PART(PART_NAME, 0, GLOB_SIZE), RECIPE_PART(PART_GLOB, GLOB_NAME, KEY_MOST),
                          RECIPE_PART(PART_GLOB, GLOB_PACKAGE, HEAD_SIZE),
                          RECIPE_PART(PART_PACKAGE_HEAD, 0, STASH_SIZE),
                          RECIPE_PART(PART_PACKAGE, STASH_NAME, KEY_MOST), RECIPE_PART(PART_PACKAGE_NAME, 0, KEY_MOST),
                          RECIPE_PART(PART_SUB, SUB_FILE, FILE_MOST), RECIPE_PART(PART_SUB, SUB_START, LINE_SIZE),
                          RECIPE_PART(PART_SUB, SUB_PACKAGE, HEAD_SIZE),
                          RECIPE_PART(PART_OWN_PACKAGE_HEAD, 0, STASH_SIZE),
                          RECIPE_PART(PART_OWN_PACKAGE, STASH_NAME, KEY_MOST),
                          RECIPE_PART(PART_OWN_PACKAGE_NAME, 0, KEY_MOST)}},
               {.pointer = CONTEXT_LINE,
                .size = LINE_SIZE,
                .type = RECIPE_NONE,
                .when = CONTEXT_TYPE,
                .when_mask = SUB_OR_EVAL_MASK,
                .when_value = TYPE_SUB & SUB_OR_EVAL_MASK,
                .check = LINE_OPERATION,
                .check_size = LINE_SIZE - LINE_OPERATION,
                .check_pointer = RECIPE_NONE,
                .part_count = 1,
                .parts = {RECIPE_PART(0, LINE_FILE, FILE_MOST)}}},
};

static uint8_t byte_at(const struct elf_file *file, const struct elf_lookup *symbol)
{
    uint8_t byte = 0;
    return symbol->is_found && elf_file_read(file, symbol->vaddr, &byte, 1) == 0 ? byte : 0;
}

static bool find(const struct elf_file *file, struct interp_runtime *runtime)
{
    struct elf_lookup symbols[SYMBOLS] = {
        [CURRENT] = {.name = "PL_curinterp"},     [THREAD_KEY] = {.name = "PL_thr_key"},
        [REVISION] = {.name = "PL_revision"},     [PERL_VERSION_NUMBER] = {.name = "PL_version"},
        [SUBVERSION] = {.name = "PL_subversion"}, [RUN] = {.name = "Perl_runops_standard"},
    };
    elf_lookup(file, symbols, SYMBOLS);
    if (!symbols[RUN].is_found)
        return false;
    uint8_t revision = byte_at(file, &symbols[REVISION]), version = byte_at(file, &symbols[PERL_VERSION_NUMBER]);
    runtime->minor = version;
    runtime->has_places = true;
    if (revision)
        snprintf(runtime->version, sizeof runtime->version, "%u.%u.%u", revision, version,
                 byte_at(file, &symbols[SUBVERSION]));
    if (revision != 5 || version != 36 || !symbols[CURRENT].is_found || !symbols[THREAD_KEY].is_found)
        return true;
    runtime->layout = "by the table of its version, with threads";
    runtime->recipe = recipe_5_36;
    runtime->recipe.begin = symbols[CURRENT].vaddr;
    interp_add_evaluation(runtime, &symbols[RUN]);
    return true;
}

/* A block that sort calls becomes a mark: perl runs it by a separate call, and it is not a sub. A context without its
 * sub is one that begins or ends: only its caller's line counts. */
static void read_frame(const struct interp_runtime *runtime, const struct interp_node *node, struct interp_frame *frame)
{
    (void)runtime;
    uint64_t context = interp_number(node->bytes, node->size, CONTEXT_TYPE, 1), type = context & TYPE_MASK;
    bool is_text = type == TYPE_EVAL && context & EVAL_OF_TEXT;
    frame->is_frame = (type == TYPE_SUB && interp_number(node->bytes, node->size, CONTEXT_SUB, 8)) || is_text;
    frame->is_entry =
        type == TYPE_SORT || (type == TYPE_SUB && !interp_number(node->bytes, node->size, CONTEXT_RETURN, 8));
    frame->caller = type == TYPE_SUB || is_text ? node->serials[SHAPE_LINE] : 0;
    frame->has_no_function = is_text;
}

/* Writes the HEK that is PART to TEXT. False if it is not a HEK. */
static bool read_key(const struct interp_parts *parts, size_t part, char text[INTERP_NAME_MOST])
{
    uint64_t length = interp_part_number(parts, part, KEY_LENGTH, 4);
    return interp_part_text(parts, part, KEY_TEXT, length > INT32_MAX ? 0 : length, text);
}

/* Writes the name of the package with the body PART, which its names follow. */
static bool read_package(const struct interp_parts *parts, size_t part, char text[INTERP_NAME_MOST])
{
    return read_key(parts, interp_part_number(parts, part, STASH_NAMES, 4) ? part + 2 : part + 1, text);
}

static bool read_line(const struct interp_parts *parts, size_t part, struct interp_function *function)
{
    size_t size;
    const unsigned char *bytes = interp_part(parts, part, &size);
    uint64_t operation = interp_number(bytes, size, LINE_OPERATION, 2) & LINE_OPERATION_MASK;
    if (operation == OPERATION_LINE || operation == OPERATION_LINE + 1 || parts->shape == SHAPE_LINE)
        function->lines.first_line = (uint32_t)interp_number(bytes, size, LINE_NUMBER, 4);
    return size == LINE_SIZE;
}

static bool read_function(const struct interp_parts *parts, struct interp_function *function)
{
    char name[INTERP_NAME_MOST], package[INTERP_NAME_MOST];
    if (parts->shape == SHAPE_LINE) {
        interp_part_text(parts, 1, 0, FILE_MOST, function->file);
        return read_line(parts, 0, function);
    }
    if ((interp_part_number(parts, PART_HEAD, HEAD_FLAGS, 4) & KIND_MASK) != KIND_SUB)
        return false;
    bool named = interp_part_number(parts, PART_SUB, SUB_FLAGS, 4) & SUB_IS_NAMED;
    if (!read_key(parts, named ? PART_NAME : PART_GLOB_NAME, name))
        return false;
    bool has_package = read_package(parts, named ? PART_OWN_PACKAGE : PART_PACKAGE, package);
    interp_part_text(parts, PART_FILE, 0, FILE_MOST, function->file);
    read_line(parts, PART_START, function);
    return interp_set_name(function, name, has_package && strcmp(package, "main") != 0 ? package : NULL);
}

const struct interp_rules perl_rules = {
    .name = "Perl",
    .module = "[perl]",
    .frame_type = "perl",
    .program = "perl",
    .symbol = "Perl_runops_standard",
    .find = find,
    .read_frame = read_frame,
    .read_function = read_function,
};

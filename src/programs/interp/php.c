/* SPDX-License-Identifier: MIT
 *
 * PHP 8.2 without thread safety (NTS): a process has one interpreter. */
#include "programs/interp/runtime.h"

#include "common/arch/machine.h"
#include "programs/elf/lookup.h"
#include "programs/elf/sections.h"
#include "programs/interp/text.h"

#include <stdio.h>

enum symbol { GLOBALS, EXECUTE, EXECUTE_COLD, SYMBOLS };

/* PHP 8.2, by offsetof from its headers. */
enum {
    GLOBALS_CURRENT = 488, /* zend_executor_globals.current_execute_data */
    FRAME_SIZE = 80,       /* zend_execute_data */
    FRAME_INSTRUCTION = 0,
    FRAME_FUNCTION = 24,
    FRAME_INFO = 40, /* This.u1.type_info */
    FRAME_BACK = 48,
    INFO_TOP = 1 << 17,    /* ZEND_CALL_TOP */
    INSTRUCTION_SIZE = 32, /* zend_op */
    INSTRUCTION_LINE = 24,
    FUNCTION_SIZE = 168, /* of zend_op_array, as far as it matters */
    FUNCTION_TYPE = 0,
    FUNCTION_NAME = 8,
    FUNCTION_CLASS = 16,
    FUNCTION_INSTRUCTION_COUNT = 80,
    FUNCTION_INSTRUCTIONS = 88,
    FUNCTION_FILE = 152,
    FUNCTION_LINE = 160,
    TYPE_INTERNAL = 1,
    TYPE_USER = 2,
    TYPE_EVAL = 4,
    CLASS_NAME = 8,
    STRING_LENGTH = 16,
    STRING_TEXT = 24,
    TEXT_MOST = 560,
};

enum { SHAPE_FUNCTION, SHAPE_INSTRUCTION };

enum { PART_FUNCTION, PART_NAME, PART_CLASS, PART_CLASS_NAME, PART_FILE };

static const struct recipe recipe_8_2 = {
    .kind = RECIPE_LIST,
    .main_only = 1,
    .begin_is_state = 1,
    .group_next = RECIPE_NONE,
    .group_states = RECIPE_NONE,
    .state_size = GLOBALS_CURRENT + 8,
    .node_word = RECIPE_NONE,
    .state_pointer = RECIPE_NONE,
    .state_tid = RECIPE_NONE,
    .state_group = RECIPE_NONE,
    .state_object = RECIPE_NONE,
    .state_stack = RECIPE_NONE,
    .node_owner = RECIPE_NONE,
    .link_next = RECIPE_NONE,
    .path_count = 1,
    .path = {GLOBALS_CURRENT},
    .node_size = FRAME_SIZE,
    .node_next = FRAME_BACK,
    .instruction = {.number = ARCH_PHP_INSTRUCTION,
                    .node = FRAME_INSTRUCTION,
                    .object = FRAME_FUNCTION,
                    .start = FUNCTION_INSTRUCTIONS,
                    .count = FUNCTION_INSTRUCTION_COUNT,
                    .size = INSTRUCTION_SIZE},
    .shapes = {{.pointer = FRAME_FUNCTION,
                .size = FUNCTION_SIZE,
                .type = RECIPE_NONE,
                .when = RECIPE_NONE,
                .check = FUNCTION_INSTRUCTIONS,
                .check_size = FUNCTION_SIZE - FUNCTION_INSTRUCTIONS,
                .check_pointer = RECIPE_NONE,
                .part_count = 4,
                .parts = {RECIPE_PART(PART_FUNCTION, FUNCTION_NAME, TEXT_MOST),
                          RECIPE_PART(PART_FUNCTION, FUNCTION_CLASS, CLASS_NAME + 8),
                          RECIPE_PART(PART_CLASS, CLASS_NAME, TEXT_MOST),
                          RECIPE_PART(PART_FUNCTION, FUNCTION_FILE, TEXT_MOST)}},
               {.pointer = FRAME_INSTRUCTION,
                .size = INSTRUCTION_SIZE,
                .type = RECIPE_NONE,
                .when = RECIPE_NONE,
                .check = INSTRUCTION_LINE,
                .check_size = 4,
                .check_pointer = RECIPE_NONE}},
};

/* The version is nowhere but in a header of HTTP that PHP sends. */
static bool find_version(const struct elf_file *file, struct interp_runtime *runtime)
{
    static const char before[] = "X-Powered-By: PHP/";
    char text[sizeof before + 24];
    unsigned major, minor, patch;
    if (!elf_sections_find_text(file, ".rodata", before, text, sizeof text) ||
        sscanf(text + sizeof before - 1, "%1u.%2u.%3u", &major, &minor, &patch) != 3)
        return false;
    snprintf(runtime->version, sizeof runtime->version, "%u.%u.%u", major, minor, patch);
    runtime->minor = (uint16_t)minor;
    return major == 8;
}

static bool find(const struct elf_file *file, struct interp_runtime *runtime)
{
    struct elf_lookup symbols[SYMBOLS] = {
        [GLOBALS] = {.name = "executor_globals"},
        [EXECUTE] = {.name = "execute_ex"},
        [EXECUTE_COLD] = {.name = "execute_ex.cold*"},
    };
    elf_lookup(file, symbols, SYMBOLS);
    if (!symbols[EXECUTE].is_found)
        return false;
    if (!find_version(file, runtime) || runtime->minor != 2 || !symbols[GLOBALS].is_found)
        return true;
    runtime->layout = "by the table of its minor version";
    runtime->recipe = recipe_8_2;
    runtime->recipe.begin = symbols[GLOBALS].vaddr;
    for (size_t i = EXECUTE; i <= EXECUTE_COLD; i++)
        interp_add_evaluation(runtime, &symbols[i]);
    return true;
}

/* The instruction in a frame may be one that ran before, or one that another function left in this memory: the virtual
 * machine stores it only before it may leave the function. So it counts only if it is in the frame's function. */
static void read_frame(const struct interp_runtime *runtime, const struct interp_node *node, struct interp_frame *frame)
{
    (void)runtime;
    frame->instruction = interp_number(node->bytes, node->size, FRAME_INSTRUCTION, 8);
    frame->place = node->serials[SHAPE_INSTRUCTION];
    frame->is_frame = interp_number(node->bytes, node->size, FRAME_FUNCTION, 8) != 0;
    frame->is_entry = interp_number(node->bytes, node->size, FRAME_INFO, 4) & INFO_TOP;
}

/* Writes the zend_string that is PART to TEXT. False if it is not a zend_string. */
static bool read_text(const struct interp_parts *parts, size_t part, char text[INTERP_NAME_MOST])
{
    return interp_part_text(parts, part, STRING_TEXT, interp_part_number(parts, part, STRING_LENGTH, 8), text);
}

static bool read_function(const struct interp_parts *parts, struct interp_function *function)
{
    char name[INTERP_NAME_MOST], class_name[INTERP_NAME_MOST];
    size_t size;
    const unsigned char *bytes = interp_part(parts, 0, &size);
    if (parts->shape == SHAPE_INSTRUCTION) {
        function->lines.first_line = (uint32_t)interp_number(bytes, size, INSTRUCTION_LINE, 4);
        return true;
    }
    uint64_t type = interp_number(bytes, size, FUNCTION_TYPE, 1);
    if (type != TYPE_INTERNAL && type != TYPE_USER && type != TYPE_EVAL)
        return false;
    if (type != TYPE_INTERNAL) {
        function->lines.first_line = (uint32_t)interp_number(bytes, size, FUNCTION_LINE, 4);
        function->code.start = interp_number(bytes, size, FUNCTION_INSTRUCTIONS, 8);
        function->code.end =
            function->code.start + INSTRUCTION_SIZE * interp_number(bytes, size, FUNCTION_INSTRUCTION_COUNT, 4);
        read_text(parts, PART_FILE, function->file);
    }
    if (!read_text(parts, PART_NAME, name))
        return interp_set_name(function, type == TYPE_INTERNAL ? "{fiber}" : "<main>", NULL);
    return interp_set_name(function, name, read_text(parts, PART_CLASS_NAME, class_name) ? class_name : NULL);
}

const struct interp_rules php_rules = {
    .name = "PHP",
    .module = "[php]",
    .frame_type = "php",
    .program = "php",
    .symbol = "execute_ex",
    .is_compiled = true,
    .find = find,
    .read_frame = read_frame,
    .read_function = read_function,
};

/* SPDX-License-Identifier: MIT
 *
 * CPython, from 3.8. */
#include "programs/interp/runtime.h"

#include "common/arch/code.h"
#include "common/model/wait.h"
#include "programs/elf/file.h"
#include "programs/elf/lookup.h"
#include "programs/interp/python_layouts.h"
#include "programs/interp/python_lines.h"
#include "programs/interp/text.h"

#include <stdio.h>
#include <stdlib.h>

enum symbol { RUNTIME, PY_VERSION, CODE_TYPE, EVAL, EVAL_COLD, NEW_IN_10, NEW_IN_9, NEW_IN_8, SYMBOLS };

enum {
    FINAL = 0xf, /* the release level of final versions, whose layout no longer changes */
    OWNER_GENERATOR = 1,
    OWNERS_OF_CODE = 3, /* enum _frameowner: from this one on, a frame is not a Python frame */
    TEXT_MOST = 560,    /* bytes of a name or path, with its header */
    FRESH_ENDED_LEVEL = 4,
    GIL_HOLDER = 8, /* struct _gil_runtime_state.last_holder */
    GIL_HELD = 16,  /* .locked */
};

/* The parts of a code object that are copied besides itself. */
enum { PART_CODE, PART_NAME, PART_FILE, PART_LINES };

/* Returns the minor version of a Python before 3.11, by functions that are new in each version; 0 if it is unknown. */
static uint16_t minor_by_functions(const struct elf_lookup *symbols)
{
    return symbols[NEW_IN_10].is_found ? 10 : symbols[NEW_IN_9].is_found ? 9 : symbols[NEW_IN_8].is_found ? 8 : 0;
}

/* Sets the version of RUNTIME. Since 3.11 the interpreter's memory contains it. Returns false if it is not known
 * exactly. */
static bool find_version(const struct elf_file *file, const struct elf_lookup *symbols, struct interp_runtime *runtime)
{
    uint64_t version = 0;
    if (!symbols[PY_VERSION].is_found) {
        runtime->minor = minor_by_functions(symbols);
        if (runtime->minor)
            snprintf(runtime->version, sizeof runtime->version, "3.%u", runtime->minor);
        return runtime->minor != 0;
    }
    if (elf_file_read(file, symbols[PY_VERSION].vaddr, &version, sizeof version) < 0 || version >> 24 != 3)
        return false;
    runtime->minor = (uint16_t)(version >> 16 & 0xff);
    snprintf(runtime->version, sizeof runtime->version, "3.%u.%u%s", runtime->minor, (unsigned)(version >> 8 & 0xff),
             (version >> FRESH_ENDED_LEVEL & 0xf) == FINAL ? "" : " (not final)");
    return (version >> FRESH_ENDED_LEVEL & 0xf) == FINAL;
}

static struct recipe recipe_of(const struct python_layout *layout, const struct elf_lookup *symbols)
{
    const struct recipe_part text = {.from = PART_CODE, .count = RECIPE_NONE, .size = TEXT_MOST};
    struct recipe recipe = {
        .kind = RECIPE_LIST,
        .begin = symbols[RUNTIME].vaddr + layout->runtime_groups,
        .group_next = layout->group_next,
        .group_states = layout->group_states,
        .state_link = 0,
        .state_size = 400,
        .state_pointer = layout->state_pointer,
        .state_tid = layout->state_tid,
        .state_group = layout->state_group,
        .state_object = RECIPE_NONE,
        .state_stack = layout->state_stack,
        .node_owner = layout->state_stack == RECIPE_NONE ? layout->frame_owner : RECIPE_NONE,
        .node_owner_least = OWNERS_OF_CODE,
        .link_next = layout->link_next,
        .node_entry = layout->frame_entry,
        .path_count = layout->path_count,
        .path = {layout->path[0], layout->path[1]},
        .node_size = layout->frame_size,
        .node_next = layout->frame_back,
        .node_word = RECIPE_NONE,
        .shapes = {{.pointer = layout->frame_code,
                    .size = layout->code_size,
                    .type = layout->type,
                    .check = layout->check,
                    .check_size = layout->check_size,
                    .check_pointer = RECIPE_NONE,
                    .part_count = 3,
                    .when = RECIPE_NONE,
                    .type_word = symbols[CODE_TYPE].vaddr,
                    .parts = {text,
                              text,
                              {.from = PART_CODE,
                               .pointer = layout->code_lines,
                               .count = layout->bytes_count,
                               .count_from = PART_LINES,
                               .scale = 1,
                               .size = layout->bytes_size}}},
                   {.pointer = RECIPE_NONE}},
    };
    recipe.shapes[0].parts[0].pointer = layout->code_name;
    recipe.shapes[0].parts[1].pointer = layout->code_file;
    recipe.state_next = layout->state_next;
    if (layout->gil_size) {
        bool is_static = layout->minor < 12;
        recipe.lock_kind = is_static ? RECIPE_LOCK_AT : RECIPE_LOCK_OF_GROUP;
        recipe.lock = layout->gil + (is_static ? symbols[RUNTIME].vaddr : 0);
        recipe.lock_size = layout->gil_size;
        recipe.lock_place = WAIT_GIL;
        recipe.lock_holder = GIL_HOLDER;
        recipe.lock_held = GIL_HELD;
    }
    return recipe;
}

/* In 3.11 and 3.12, the evaluation function stores the address of a struct on its own stack in the thread's state, and
 * then the frame in that struct. In between, the previous struct has the newest frame. */
static void find_linking(const struct elf_file *file, const struct python_layout *layout, uint64_t vaddr,
                         struct interp_runtime *runtime)
{
    enum { BEGINNING = 256 };
    uint8_t code[BEGINNING];
    struct arch_linking linking;
    struct recipe *recipe = &runtime->recipe;
    if (layout->path_count != 2 || elf_file_read(file, vaddr, code, sizeof code) < 0 ||
        !arch_find_linking(code, sizeof code, (uint8_t)layout->path[0], (uint8_t)layout->path[1], &linking))
        return;
    runtime->linking = (struct interp_range){vaddr + linking.part.start, vaddr + linking.part.end};
    recipe->variable = linking.variable;
    recipe->place_count = linking.count;
    for (size_t i = 0; i < linking.count; i++) {
        const struct arch_place *place = &linking.places[i];
        recipe->places[i] = (struct recipe_place){.start = vaddr + place->part.start,
                                                  .end = vaddr + place->part.end,
                                                  .number = place->number,
                                                  .is_stored = place->is_stored,
                                                  .offset = place->offset};
    }
}

static void use_layout(struct interp_runtime *runtime, const struct python_layout *layout,
                       const struct elf_lookup *symbols)
{
    runtime->recipe = recipe_of(layout, symbols);
    runtime->at = (struct interp_layout){
        .code = layout->frame_code,
        .instruction = layout->frame_instruction,
        .entry = layout->frame_entry,
        .owner = layout->frame_owner,
        .first_line = layout->code_first_line,
        .code_start = layout->code_start,
        .text_size = layout->text_size,
        .wide_text_size = layout->wide_text_size,
        .lines = layout->bytes_size,
    };
    for (size_t i = EVAL; i <= EVAL_COLD; i++)
        interp_add_evaluation(runtime, &symbols[i]);
}

static bool find(const struct elf_file *file, struct interp_runtime *runtime)
{
    struct elf_lookup symbols[SYMBOLS] = {
        [RUNTIME] = {.name = "_PyRuntime"},
        [PY_VERSION] = {.name = "Py_Version"},
        [CODE_TYPE] = {.name = "PyCode_Type"},
        [EVAL] = {.name = "_PyEval_EvalFrameDefault"},
        [EVAL_COLD] = {.name = "_PyEval_EvalFrameDefault.cold*"},
        [NEW_IN_10] = {.name = "Py_NewRef"},
        [NEW_IN_9] = {.name = "PyThreadState_GetInterpreter"},
        [NEW_IN_8] = {.name = "PyCode_NewWithPosOnlyArgs"},
    };
    struct python_layout described;
    const struct python_layout *layout = NULL;
    elf_lookup(file, symbols, SYMBOLS);
    if (!symbols[RUNTIME].is_found || !symbols[CODE_TYPE].is_found || !symbols[EVAL].is_found)
        return false;
    if (!find_version(file, symbols, runtime))
        return true;
    if (python_layout_read(file, runtime->minor, symbols[RUNTIME].vaddr, symbols[RUNTIME].size, &described)) {
        layout = &described;
        runtime->layout = "as the interpreter itself describes it";
    } else if ((layout = python_layout_row(runtime->minor)) != NULL) {
        runtime->layout = "by the table of its minor version";
    }
    if (layout)
        use_layout(runtime, layout, symbols);
    if (layout)
        find_linking(file, layout, symbols[EVAL].vaddr, runtime);
    return true;
}

static void read_frame(const struct interp_runtime *runtime, const struct interp_node *node, struct interp_frame *frame)
{
    const struct interp_layout *at = &runtime->at;
    const unsigned char *bytes = node->bytes;
    size_t size = node->size;
    uint64_t owner = at->owner == RECIPE_NONE ? 0 : interp_number(bytes, size, at->owner, 1);
    frame->is_generator = owner == OWNER_GENERATOR;
    frame->is_frame = owner < OWNERS_OF_CODE;
    if (at->entry != RECIPE_NONE)
        frame->is_entry = interp_number(bytes, size, at->entry, 1);
    else
        frame->is_entry = at->owner == RECIPE_NONE || !frame->is_frame;
    frame->is_on_stack = !frame->is_frame;
    if (runtime->minor < 11) {
        frame->instruction = interp_number(bytes, size, at->instruction, 4);
        if (runtime->minor == 10)
            frame->instruction *= 2; /* it counts code units there */
    } else {
        uint64_t code = interp_number(bytes, size, at->code, 8) & ~(uint64_t)7;
        frame->instruction = interp_number(bytes, size, at->instruction, 8) - code - at->code_start;
        frame->is_fresh = (int64_t)frame->instruction < 0;
    }
}

/* Writes PART, a str object, to TEXT. Returns false if it is not a str. */
static bool read_text(const struct interp_parts *parts, size_t part, char text[INTERP_NAME_MOST])
{
    enum { LENGTH = 16, STATE = 32, KIND_SHIFT = 2, KIND_MASK = 7, COMPACT = 1 << 5, ASCII = 1 << 6 };
    size_t size, header = parts->runtime->at.text_size, width = 1;
    const unsigned char *bytes = interp_part(parts, part, &size);
    uint64_t length = interp_number(bytes, size, LENGTH, 8), state = interp_number(bytes, size, STATE, 4);
    if (size <= header || !(state & COMPACT))
        return false;
    if (!(state & ASCII)) {
        header = parts->runtime->at.wide_text_size;
        width = state >> KIND_SHIFT & KIND_MASK;
    }
    if ((width != 1 && width != 2 && width != 4) || size <= header)
        return false;
    uint64_t room = (size - header) / width;
    interp_utf8(text, bytes + header, (size_t)(length < room ? length : room), width);
    return length > 0;
}

static bool read_function(const struct interp_parts *parts, struct interp_function *function)
{
    const struct interp_layout *at = &parts->runtime->at;
    size_t size;
    const unsigned char *code = interp_part(parts, PART_CODE, &size);
    function->lines.first_line = (uint32_t)interp_number(code, size, at->first_line, 4);
    const unsigned char *lines = interp_part(parts, PART_LINES, &size);
    if (size > at->lines) {
        function->lines.bytes = lines + at->lines;
        function->lines.size = size - at->lines;
    }
    return read_text(parts, PART_NAME, function->name) && read_text(parts, PART_FILE, function->file);
}

static uint32_t find_line(const struct interp_runtime *runtime, const struct interp_lines *lines, uint64_t instruction)
{
    if (runtime->minor >= 11)
        return python_lines_11(lines->first_line, lines->bytes, lines->size, instruction);
    if (runtime->minor == 10)
        return python_lines_10(lines->first_line, lines->bytes, lines->size, instruction);
    return python_lines_8(lines->first_line, lines->bytes, lines->size, instruction);
}

const struct interp_rules python_rules = {
    .name = "Python",
    .module = "[python]",
    .frame_type = "cpython",
    .program = "python",
    .symbol = "_PyRuntime",
    .shows_entries = true,
    .find = find,
    .read_frame = read_frame,
    .read_function = read_function,
    .find_line = find_line,
};

/* SPDX-License-Identifier: MIT */
#include "programs/interp/python_layouts.h"

#include "common/wire/recipe.h"
#include "programs/elf/file.h"

#include <string.h>

#define NONE RECIPE_NONE

/* What never changed up to 3.12. */
#define ALWAYS                                                                                                         \
    .group_next = 0, .state_next = 8, .state_group = 16, .type = 8, .bytes_count = 16, .bytes_size = 32, .gil_size = 208

/* 3.8, 3.9 and 3.10: frames are objects, and each frame has its own call of the evaluation function. */
#define OLD(number, lasti, gil_offset, stack, link)                                                                    \
    {                                                                                                                  \
        ALWAYS, .minor = number, .runtime_groups = 32, .group_states = 8, .state_pointer = 176, .state_tid = NONE,     \
                .path = {24}, .path_count = 1, .frame_size = 112, .frame_back = 24, .frame_code = 32,                  \
                .frame_instruction = lasti, .gil = gil_offset, .state_stack = stack, .link_next = link,                \
                .frame_entry = NONE, .frame_owner = NONE, .code_size = 176, .code_first_line = 40, .code_file = 104,   \
                .code_name = 112, .code_lines = 120, .code_start = 0, .check = 40, .check_size = 88, .text_size = 48,  \
                .wide_text_size = 72,                                                                                  \
    }

/* Offsets from each version's headers; tests/interp/python-offsets compares them with offsetof. */
static const struct python_layout rows[] = {
    OLD(8, 104, 1152, NONE, NONE),
    OLD(9, 104, 352, NONE, NONE),
    OLD(10, 96, 352, 48, 8),
    {
        ALWAYS,
        .minor = 11,
        .runtime_groups = 40,
        .group_states = 16,
        .state_pointer = 152,
        .state_tid = 160,
        .gil = 360,
        .state_stack = 56,
        .link_next = 16,
        .path = {56, 8},
        .path_count = 2,
        .frame_size = 72,
        .frame_back = 48,
        .frame_code = 32,
        .frame_instruction = 56,
        .frame_entry = 68,
        .frame_owner = 69,
        .code_size = 192,
        .code_first_line = 72,
        .code_file = 112,
        .code_name = 128,
        .code_lines = 136,
        .code_start = 184,
        .check = 72,
        .check_size = 72,
        .text_size = 48,
        .wide_text_size = 72,
    },
    {
        ALWAYS,
        .minor = 12,
        .runtime_groups = 40,
        .group_states = 72,
        .state_pointer = 136,
        .state_tid = 144,
        .gil = 384,
        .state_stack = 56,
        .link_next = NONE,
        .path = {56, 0},
        .path_count = 2,
        .frame_size = 72,
        .frame_back = 8,
        .frame_code = 0,
        .frame_instruction = 56,
        .frame_entry = NONE,
        .frame_owner = 70,
        .code_size = 200,
        .code_first_line = 68,
        .code_file = 112,
        .code_name = 128,
        .code_lines = 136,
        .code_start = 192,
        .check = 68,
        .check_size = 76,
        .text_size = 40,
        .wide_text_size = 56,
    },
};

const struct python_layout *python_layout_row(uint16_t minor)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].minor == minor)
            return &rows[i];
    return NULL;
}

/* The needed numbers of struct _Py_DebugOffsets, by their index in it: behind the cookie, it consists of 64-bit
 * numbers. Those of 3.14 have higher indices, because it describes more members of the interpreter's state and of a
 * frame. */
enum number {
    DESCRIBED_VERSION,
    FREE_THREADED,
    RUNTIME_GROUPS,
    GROUP_NEXT,
    GROUP_STATES,
    GIL,
    STATE_NEXT,
    STATE_GROUP,
    STATE_FRAME,
    STATE_POINTER,
    STATE_TID,
    FRAME_SIZE,
    FRAME_BACK,
    FRAME_CODE,
    FRAME_INSTRUCTION,
    FRAME_OWNER,
    CODE_SIZE,
    CODE_FILE,
    CODE_NAME,
    CODE_LINES,
    CODE_FIRST_LINE,
    CODE_START,
    OBJECT_TYPE,
    BYTES_COUNT,
    BYTES_SIZE,
    TEXT_SIZE,
    NUMBERS
};

enum { PLACES_MOST = 128 }; /* numbers that are read */

static const uint8_t places_13[NUMBERS] = {
    [DESCRIBED_VERSION] = 0, [FREE_THREADED] = 1,  [RUNTIME_GROUPS] = 4,     [GROUP_NEXT] = 7,
    [GROUP_STATES] = 8,      [GIL] = 13,           [STATE_NEXT] = 20,        [STATE_GROUP] = 21,
    [STATE_FRAME] = 22,      [STATE_POINTER] = 23, [STATE_TID] = 24,         [FRAME_SIZE] = 27,
    [FRAME_BACK] = 28,       [FRAME_CODE] = 29,    [FRAME_INSTRUCTION] = 30, [FRAME_OWNER] = 32,
    [CODE_SIZE] = 33,        [CODE_FILE] = 34,     [CODE_NAME] = 36,         [CODE_LINES] = 37,
    [CODE_FIRST_LINE] = 38,  [CODE_START] = 42,    [OBJECT_TYPE] = 44,       [BYTES_COUNT] = 64,
    [BYTES_SIZE] = 65,       [TEXT_SIZE] = 69,
};

static const uint8_t places_14[NUMBERS] = {
    [DESCRIBED_VERSION] = 0, [FREE_THREADED] = 1,  [RUNTIME_GROUPS] = 4,     [GROUP_NEXT] = 7,
    [GROUP_STATES] = 8,      [GIL] = 14,           [STATE_NEXT] = 23,        [STATE_GROUP] = 24,
    [STATE_FRAME] = 25,      [STATE_POINTER] = 26, [STATE_TID] = 27,         [FRAME_SIZE] = 30,
    [FRAME_BACK] = 31,       [FRAME_CODE] = 32,    [FRAME_INSTRUCTION] = 33, [FRAME_OWNER] = 35,
    [CODE_SIZE] = 38,        [CODE_FILE] = 39,     [CODE_NAME] = 41,         [CODE_LINES] = 42,
    [CODE_FIRST_LINE] = 43,  [CODE_START] = 47,    [OBJECT_TYPE] = 50,       [BYTES_COUNT] = 74,
    [BYTES_SIZE] = 75,       [TEXT_SIZE] = 79,
};

/* Sets the location of the GIL, if its structure is a known one. */
static void set_gil(struct python_layout *layout, const uint64_t *at, uint8_t place)
{
    enum { OWN = 1, LOCKED = 3, BLOCKER = 4 }; /* places behind: of the GIL in the interpreter's state, its members */
    if (!place || at[place] >= RECIPE_NONE || at[place + LOCKED] - at[place + OWN] != 16 ||
        at[place + BLOCKER] - at[place + OWN] != 8)
        return;
    layout->gil = (uint16_t)at[place];
    layout->gil_size = 208;
}

static bool fits(uint64_t offset)
{
    return offset < RECIPE_STATE_MOST;
}

/* Sets LAYOUT from the numbers at AT. Returns false if one of them is impossible. */
static bool set_layout(struct python_layout *layout, const uint64_t *at, const uint8_t places[NUMBERS])
{
    for (size_t i = STATE_NEXT; i < NUMBERS; i++)
        if (!fits(at[places[i]]))
            return false;
    uint64_t fields = at[places[CODE_FIRST_LINE]], code_size = at[places[CODE_START]];
    uint64_t last = at[places[CODE_LINES]] + sizeof(uint64_t);
    if (at[places[RUNTIME_GROUPS]] >= RECIPE_NONE || at[places[GROUP_NEXT]] >= RECIPE_NONE ||
        at[places[GROUP_STATES]] >= RECIPE_NONE || fields >= last || last - fields > 128)
        return false;
#define AT(name) (uint16_t) at[places[name]]
    *layout = (struct python_layout){
        .minor = layout->minor,
        .runtime_groups = AT(RUNTIME_GROUPS),
        .group_next = AT(GROUP_NEXT),
        .group_states = AT(GROUP_STATES),
        .state_next = AT(STATE_NEXT),
        .state_group = AT(STATE_GROUP),
        .state_pointer = AT(STATE_POINTER),
        .state_tid = AT(STATE_TID),
        .state_stack = NONE,
        .link_next = NONE,
        .path = {AT(STATE_FRAME)},
        .path_count = 1,
        .frame_size = (uint16_t)(at[places[FRAME_OWNER]] / 8 * 8 + 8),
        .frame_back = AT(FRAME_BACK),
        .frame_code = AT(FRAME_CODE),
        .frame_instruction = AT(FRAME_INSTRUCTION),
        .frame_entry = NONE,
        .frame_owner = AT(FRAME_OWNER),
        .code_size = (uint16_t)code_size,
        .code_first_line = AT(CODE_FIRST_LINE),
        .code_file = AT(CODE_FILE),
        .code_name = AT(CODE_NAME),
        .code_lines = AT(CODE_LINES),
        .code_start = AT(CODE_START),
        .check = (uint16_t)fields,
        .check_size = (uint16_t)(last - fields),
        .type = AT(OBJECT_TYPE),
        .text_size = AT(TEXT_SIZE),
        .wide_text_size = (uint16_t)(at[places[TEXT_SIZE]] + 16), /* utf8_length and utf8 */
        .bytes_count = AT(BYTES_COUNT),
        .bytes_size = AT(BYTES_SIZE),
    };
#undef AT
    set_gil(layout, at, places[GIL]);
    return true;
}

bool python_layout_read(const struct elf_file *file, uint16_t minor, uint64_t vaddr, uint64_t size,
                        struct python_layout *layout)
{
    static const char cookie[8] = "xdebugpy";
    char found[sizeof cookie];
    uint64_t at[PLACES_MOST];
    const uint8_t *places = minor == 13 ? places_13 : minor == 14 ? places_14 : NULL;
    layout->minor = minor;
    /* without a GIL, code is copied for each thread, and objects begin with other members */
    return places && size >= sizeof cookie + sizeof at && !elf_file_read(file, vaddr, found, sizeof found) &&
           !memcmp(found, cookie, sizeof cookie) && !elf_file_read(file, vaddr + sizeof cookie, at, sizeof at) &&
           at[places[DESCRIBED_VERSION]] >> 16 == (0x300u | minor) && !at[places[FREE_THREADED]] &&
           set_layout(layout, at, places);
}

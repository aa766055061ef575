/* SPDX-License-Identifier: MIT
 *
 * Unwinds with unwind tables, through libunwind. Each step starts from the registers alone. Code has object numbers
 * instead of addresses, so the rules found for an instruction serve all processes. libunwind's own cache is not used:
 * it needs two system calls a frame. libunwind reads all its data through the accessors of this file. */
#include "common/arch/machine.h"
#include "common/base/hash.h"
#include "programs/elf/file.h"
#include "programs/elf/unwind_index.h"
#include "programs/unwind/instructions.h"
#include "programs/unwind/object.h"
#include "programs/unwind/rules.h"
#include "programs/unwind/walk.h"

#include <libunwind.h>

#include <stdlib.h>

enum {
    ROWS = 32768,
    SWITCHING_MOST = 1024, /* bytes of a function that may switch stacks; such functions have some hundred */
};

/* Limits on reads: tables can be long and have endless loops. */
enum {
    READS_TO_FIND = 100000, /* a row, once */
    READS_TO_APPLY = 600,   /* a row, each time; rows of the C library's signal frames need some hundred */
    READS_A_STACK = 20000,  /* on average: a stack leaves unused reads to later stacks */
    READS_KEPT = 2000000,   /* most reads saved up: first stacks have to find all rows of a large program */
};

/* Exported and used by libunwind's own libraries; no header declares it. */
int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t space, unw_word_t ip, unw_dyn_info_t *table,
                                       unw_proc_info_t *found, int need_unwind_info, void *argument);

/* The rule of the unwind table for one instruction. */
struct row {
    uint64_t number; /* of the instruction; 0: nothing is kept here */
    enum {
        ROW_NONE,
        ROW_BROKEN,
        ROW_LAST,     /* Go code that has no caller */
        ROW_SWITCHED, /* Go code that has switched to another stack */
        ROW_STATE,
        ROW_SIGNAL
    } kind;      /* the last two have a state; ROW_SIGNAL: a signal handler returns to this code */
    void *state; /* for unw_apply_reg_state, with the length that libunwind reported; NULL: not yet */
};

struct unwind_dwarf {
    unw_addr_space_t space;
    struct row *rows; /* by a hash of the number */
    unsigned reads;   /* reads that are left */
};

/* State of one step, for the accessors. */
struct dwarf_step {
    struct unwind_dwarf *dwarf;
    const struct unwind_walk *walk;
    struct unwind_object *object;
    uint64_t vaddr, number; /* of the instruction */
    const struct unwind_rules *rules;
    struct row *row; /* to be filled */
    unsigned reads;  /* left for the present operation */
    bool is_outside; /* it needed bytes that were not copied */
    bool is_below;   /* the last word that it needed was below the stack pointer */
};

static int find_rules(unw_addr_space_t space, unw_word_t ip, unw_proc_info_t *found, int need_unwind_info,
                      void *argument)
{
    const struct dwarf_step *step = argument;
    unw_dyn_info_t table = {.format = UNW_INFO_FORMAT_IP_OFFSET};
    if (!step->rules)
        return -UNW_ENOINFO;
    table.start_ip = unwind_object_number(step->object, step->rules->start);
    table.end_ip = unwind_object_number(step->object, step->rules->end);
    table.u.rti.segbase = table.u.rti.table_data = unwind_object_rules_number(step->object, step->rules->place);
    table.u.rti.table_len = UNWIND_RULES_LINE / sizeof(unw_word_t);
    return UNW_OBJ(dwarf_search_unwind_table)(space, ip, &table, found, need_unwind_info, argument);
}

static void put_unwind_info(unw_addr_space_t space, unw_proc_info_t *info, void *argument)
{
    (void)space;
    (void)info;
    (void)argument;
}

static int get_dynamic_list(unw_addr_space_t space, unw_word_t *list, void *argument)
{
    (void)space;
    (void)list;
    (void)argument;
    return -UNW_ENOINFO;
}

/* Reads a word of the stack. libunwind reads 8 bytes even for a 32-bit thread, and then uses the half that it needs.
 * So the upper half of an address is ignored, and the upper half of a value is meaningless. */
static bool read_stack(const struct unwind_walk *walk, uint64_t address, uint64_t *value)
{
    if (walk->word == sizeof *value)
        return unwind_walk_read(walk, address, value);
    address = (uint32_t)address;
    return unwind_stack_read(walk->stack, address, sizeof *value, value) || unwind_walk_read(walk, address, value);
}

static int access_memory(unw_addr_space_t space, unw_word_t address, unw_word_t *value, int write, void *argument)
{
    struct dwarf_step *step = argument;
    uint64_t sp = step->walk->registers.value[UNWIND_SP];
    (void)space;
    if (write || !step->reads || !step->dwarf->reads)
        return -UNW_EINVAL;
    step->reads--;
    step->dwarf->reads--;
    if (unwind_object_read_rules(step->object, address, value) || read_stack(step->walk, address, value))
        return 0;
    step->is_below = address < sp && sp - address <= ARCH_RED_ZONE;
    step->is_outside |= unwind_is_address(address);
    return -UNW_EINVAL;
}

static int access_register(unw_addr_space_t space, unw_regnum_t number, unw_word_t *value, int write, void *argument)
{
    const struct dwarf_step *step = argument;
    (void)space;
    if (write || number < 0 || number >= UNWIND_REGISTERS)
        return -UNW_EBADREG;
    if (number == UNWIND_PC) {
        *value = step->number;
        return 0;
    }
    return unwind_get(&step->walk->registers, (enum unwind_register)number, value) ? 0 : -UNW_EBADREG;
}

static int access_float(unw_addr_space_t space, unw_regnum_t number, unw_fpreg_t *value, int write, void *argument)
{
    (void)space;
    (void)number;
    (void)value;
    (void)write;
    (void)argument;
    return -UNW_EBADREG;
}

static int resume(unw_addr_space_t space, unw_cursor_t *cursor, void *argument)
{
    (void)space;
    (void)cursor;
    (void)argument;
    return -UNW_EINVAL;
}

static int get_name(unw_addr_space_t space, unw_word_t address, char *name, size_t size, unw_word_t *offset,
                    void *argument)
{
    (void)space;
    (void)address;
    (void)name;
    (void)size;
    (void)offset;
    (void)argument;
    return -UNW_ENOINFO;
}

bool unwind_has_dwarf(void)
{
    return true;
}

#define TEXT_OF(number) #number
#define DOTTED(major, minor, extra) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(extra)

const char *unwind_version(void)
{
    return DOTTED(UNW_VERSION_MAJOR, UNW_VERSION_MINOR, UNW_VERSION_EXTRA);
}

struct unwind_dwarf *unwind_dwarf_new(void)
{
    static unw_accessors_t accessors = {
        .find_proc_info = find_rules,
        .put_unwind_info = put_unwind_info,
        .get_dyn_info_list_addr = get_dynamic_list,
        .access_mem = access_memory,
        .access_reg = access_register,
        .access_fpreg = access_float,
        .resume = resume,
        .get_proc_name = get_name,
    };
    struct unwind_dwarf *dwarf = calloc(1, sizeof *dwarf);
    if (!dwarf)
        return NULL;
    dwarf->space = unw_create_addr_space(&accessors, 0);
    dwarf->rows = calloc(ROWS, sizeof *dwarf->rows);
    dwarf->reads = READS_KEPT;
    if (dwarf->space && dwarf->rows)
        return dwarf;
    unwind_dwarf_free(dwarf);
    return NULL;
}

void unwind_dwarf_begin(struct unwind_dwarf *dwarf)
{
    dwarf->reads = dwarf->reads < READS_KEPT - READS_A_STACK ? dwarf->reads + READS_A_STACK : READS_KEPT;
}

void unwind_dwarf_forget(struct unwind_dwarf *dwarf, const struct unwind_object *object)
{
    for (size_t i = 0; i < ROWS; i++) {
        struct row *row = &dwarf->rows[i];
        if (!row->number || !unwind_object_has(object, row->number))
            continue;
        free(row->state);
        *row = (struct row){0};
    }
}

void unwind_dwarf_free(struct unwind_dwarf *dwarf)
{
    if (!dwarf)
        return;
    if (dwarf->space)
        unw_destroy_addr_space(dwarf->space);
    for (size_t i = 0; dwarf->rows && i < ROWS; i++)
        free(dwarf->rows[i].state);
    free(dwarf->rows);
    free(dwarf);
}

/* libunwind calls it for each row of a function's table, until one call returns less than 0. */
static int keep_row(void *argument, void *state, size_t size, unw_word_t start, unw_word_t end)
{
    struct dwarf_step *step = argument;
    void *copy;
    if (step->number < start || step->number >= end)
        return 0;
    copy = realloc(step->row->state, size);
    if (!copy)
        return -UNW_ENOMEM;
    memcpy(copy, state, size);
    step->row->state = copy;
    step->row->kind = step->rules->is_signal ? ROW_SIGNAL : ROW_STATE;
    return -UNW_ESTOPUNWIND;
}

/* Returns true if the function has switched to another stack before the instruction of STEP. */
static bool has_switched(const struct dwarf_step *step)
{
    uint8_t code[SWITCHING_MOST];
    uint64_t start = step->rules ? step->rules->start : 0, end;
    if (!step->rules && !unwind_object_bounds(step->object, step->vaddr, &start, &end))
        return false;
    uint64_t size = step->vaddr - start;
    return size <= sizeof code && elf_file_read(step->object->file, start, code, (size_t)size) == 0 &&
           unwind_code_switches_stack(code, (size_t)size);
}

/* Sets ROW if the instruction of STEP is in Go code from which no table leads to a caller. */
static bool ends_go(const struct dwarf_step *step, struct row *row)
{
    enum elf_go_code code = step->object->tables ? elf_unwind_index_go(step->object->tables, step->vaddr) : ELF_GO_NONE;
    if (code == ELF_GO_NONE || (code != ELF_GO_LAST && !has_switched(step)))
        return false;
    row->kind = code == ELF_GO_CALLED ? ROW_SWITCHED : ROW_LAST;
    return true;
}

/* Returns the row for the instruction of STEP. Searches the tables if the row is not known yet. */
static struct row *find_row(const struct unwind_dwarf *dwarf, struct dwarf_step *step)
{
    struct row *row = &dwarf->rows[hash_number(step->number) % ROWS];
    unw_cursor_t cursor;
    if (row->number == step->number)
        return row;
    row->number = step->number;
    row->kind = ROW_NONE;
    step->row = row;
    step->rules = unwind_object_rules(step->object, step->vaddr);
    if (ends_go(step, row) || !step->rules)
        return row;
    row->kind = ROW_BROKEN;
    step->reads = READS_TO_FIND;
    if (unw_init_remote(&cursor, dwarf->space, step) == 0)
        unw_reg_states_iterate(&cursor, keep_row, step);
    if (row->kind == ROW_BROKEN && !dwarf->reads)
        row->number = 0; /* another stack may find it */
    return row;
}

/* Applies ROW at CURSOR. Returns more than 0 if it found a caller, 0 if no caller exists, or less if it failed. */
static int apply_row(unw_cursor_t *cursor, struct dwarf_step *step, struct row *row)
{
    step->reads = READS_TO_APPLY;
    int status = unw_init_remote(cursor, step->dwarf->space, step);
    if (status >= 0)
        status = unw_apply_reg_state(cursor, row->state);
    if (!step->reads)
        row->kind = ROW_BROKEN;
    return status;
}

/* Reads register NUMBER of the caller. A value below the stack pointer was popped by an epilogue, so the register has
 * it again. */
static bool read_register(unw_cursor_t *cursor, struct dwarf_step *step, int number, uint64_t *value)
{
    unw_word_t word;
    step->is_below = false;
    if (unw_get_reg(cursor, number, &word) == 0) {
        *value = word;
        return true;
    }
    return step->is_below && unwind_get(&step->walk->registers, (enum unwind_register)number, value);
}

/* Reads the caller's registers. After a call only the registers that a function must preserve are valid. Code that a
 * signal interrupted has all of them (ALL). */
static void read_registers(unw_cursor_t *cursor, struct dwarf_step *step, bool all, struct unwind_registers *caller)
{
    uint64_t wanted = all ? UINT64_MAX : UINT64_C(1) << UNWIND_SP, value;
    *caller = (struct unwind_registers){0};
    for (int i = 0; i < UNWIND_KEPT; i++)
        wanted |= UINT64_C(1) << unwind_kept[i];
    wanted &= ~(UINT64_C(1) << UNWIND_LINK); /* the caller's own calls have changed this register */
    for (int i = 0; i < UNWIND_REGISTERS; i++)
        if ((wanted >> i & 1) && read_register(cursor, step, i, &value))
            unwind_set(caller, (enum unwind_register)i, step->walk->word == 4 ? (uint32_t)value : value);
    if (read_register(cursor, step, UNWIND_LINK, &value))
        unwind_set(caller, UNWIND_PC, step->walk->word == 4 ? (uint32_t)value : unwind_plain(value));
}

enum unwind_step unwind_dwarf_step(struct unwind_dwarf *dwarf, struct unwind_walk *walk)
{
    struct dwarf_step step = {.dwarf = dwarf, .walk = walk};
    struct unwind_registers caller;
    struct row *row;
    unw_cursor_t cursor;
    uint64_t sp;
    int status;
    step.object = unwind_walk_object(walk, &step.vaddr);
    if (!step.object || !unwind_object_numbered(step.object, step.vaddr) ||
        !unwind_get(&walk->registers, UNWIND_SP, &sp))
        return UNWIND_STEP_NONE;
    step.number = unwind_object_number(step.object, step.vaddr);
    row = find_row(dwarf, &step);
    if (row->kind == ROW_NONE || row->kind == ROW_BROKEN)
        return row->kind == ROW_NONE ? UNWIND_STEP_NONE : UNWIND_STEP_LOST;
    if (row->kind == ROW_LAST || row->kind == ROW_SWITCHED)
        return row->kind == ROW_LAST ? UNWIND_STEP_END : UNWIND_STEP_OUTSIDE;
    if (row->kind == ROW_SIGNAL && UNWIND_LINK != UNWIND_PC) /* where a call returns to is not where it was */
        return UNWIND_STEP_NONE;
    status = apply_row(&cursor, &step, row);
    walk->image->weak_end = status == 0 && step.reads < READS_TO_APPLY; /* else the table says it */
    if (status <= 0)
        return status == 0 ? UNWIND_STEP_END : step.is_outside ? UNWIND_STEP_OUTSIDE : UNWIND_STEP_LOST;
    walk->is_signal = row->kind == ROW_SIGNAL;
    read_registers(&cursor, &step, walk->is_signal, &caller);
    walk->registers = caller;
    walk->by_table = true;
    return UNWIND_STEP_TAKEN;
}

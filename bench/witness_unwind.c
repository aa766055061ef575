/* SPDX-License-Identifier: MIT */
#include "witness.h"

#include "common/base/memory_run.h"
#include "common/model/address_map.h"
#include "programs/elf/inflate.h"
#include "programs/unwind/frame.h"
#include "programs/unwind/unwind.h"

#include <elf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <libunwind-ptrace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <unistd.h>

enum {
    RETURN_ADDRESS = 16, /* in DWARF's numbers of registers */
    ENTRY_LENGTH = 64,   /* of a program's first function, which is assembly */
    MAPPINGS_MOST = 1024,
};

struct witness {
    pid_t pid;
    char *maps;          /* the text of its maps */
    uint64_t entries[2]; /* of the program and of its dynamic linker */
    struct unwinder *unwinder;
    struct unwind_image *image;
    struct unwind_mapping mappings[MAPPINGS_MOST];
    int files[MAPPINGS_MOST];
    size_t count;
    unw_addr_space_t space;
    Dwfl *dwfl;
};

static char *read_text(pid_t pid, const char *name, size_t *size)
{
    enum { MOST = 1 << 20 };
    char path[64], *text = malloc(MOST + 1);
    int fd;
    ssize_t got;

    *size = 0;
    snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    while (text && fd >= 0 && (got = read(fd, text + *size, MOST - *size)) > 0)
        *size += (size_t)got;
    if (fd >= 0)
        close(fd);
    if (text)
        text[*size] = '\0';
    return text;
}

/* Where the ELF file that PID has mapped at BASE is entered. */
static uint64_t entry_at(pid_t pid, uint64_t base)
{
    Elf64_Ehdr header;
    struct iovec local = {&header, sizeof header}, remote = {(void *)(uintptr_t)base, sizeof header};

    return process_vm_readv(pid, &local, 1, &remote, 1, 0) == sizeof header ? base + header.e_entry : 0;
}

static void find_entries(struct witness *witness)
{
    size_t size;
    uint64_t pair[2];
    char *vector = read_text(witness->pid, "auxv", &size);

    for (size_t i = 0; vector && i + sizeof pair <= size; i += sizeof pair) {
        memcpy(pair, vector + i, sizeof pair);
        if (pair[0] == AT_ENTRY)
            witness->entries[0] = pair[1];
        if (pair[0] == AT_BASE && pair[1])
            witness->entries[1] = entry_at(witness->pid, pair[1]);
    }
    free(vector);
}

static bool start_ours(struct witness *witness)
{
    struct address_map map = {0};

    witness->unwinder = unwind_new(UNWIND_DWARF, elf_inflate_debug_frame);
    witness->image = witness->unwinder ? unwind_image_new(witness->unwinder) : NULL;
    if (!witness->image || !address_map_parse(&map, witness->maps, MAPPINGS_MOST))
        return false;
    for (size_t i = 0; i < map.count; i++) {
        const struct address_range *range = &map.items[i];
        struct unwind_object *object = NULL;
        int file = *range->path == '/' ? open(range->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
        if (strcmp(range->path, "[vdso]") == 0)
            object = unwind_object_new_vdso(witness->unwinder, false);
        else if (file >= 0)
            object = unwind_object_new(witness->unwinder, file);
        witness->files[witness->count] = file;
        witness->mappings[witness->count++] = (struct unwind_mapping){range->start, range->end, range->offset, object};
    }
    address_map_fini(&map);
    return unwind_image_map(witness->image, witness->mappings, witness->count);
}

static bool start_elfutils(struct witness *witness)
{
    static char nowhere[] = "/nonexistent",
                *path = nowhere; /* tables of the files themselves, as the others have them */
    static const Dwfl_Callbacks callbacks = {
        .find_elf = dwfl_linux_proc_find_elf,
        .find_debuginfo = dwfl_standard_find_debuginfo,
        .debuginfo_path = &path,
    };

    witness->dwfl = dwfl_begin(&callbacks);
    return witness->dwfl && dwfl_linux_proc_report(witness->dwfl, witness->pid) == 0 &&
           dwfl_report_end(witness->dwfl, NULL, NULL) == 0 &&
           dwfl_linux_proc_attach(witness->dwfl, witness->pid, true) == 0;
}

struct witness *witness_new(pid_t pid)
{
    struct witness *witness = calloc(1, sizeof *witness);
    size_t size;

    if (!witness)
        return NULL;
    witness->pid = pid;
    witness->maps = read_text(pid, "maps", &size);
    find_entries(witness);
    witness->space = unw_create_addr_space(&_UPT_accessors, 0);
    if (size && witness->space && start_ours(witness) && start_elfutils(witness))
        return witness;
    witness_free(witness);
    return NULL;
}

void witness_free(struct witness *witness)
{
    if (!witness)
        return;
    unwind_image_free(witness->image);
    for (size_t i = 0; i < witness->count; i++) {
        unwind_object_free(witness->mappings[i].object);
        if (witness->files[i] >= 0)
            close(witness->files[i]);
    }
    unwind_free(witness->unwinder);
    if (witness->space)
        unw_destroy_addr_space(witness->space);
    if (witness->dwfl)
        dwfl_end(witness->dwfl);
    free(witness->maps);
    free(witness);
}

bool witness_is_current(const struct witness *witness)
{
    size_t size;
    char *maps = read_text(witness->pid, "maps", &size);
    bool same = maps && strcmp(maps, witness->maps) == 0;

    free(maps);
    return same;
}

pid_t witness_pid(const struct witness *witness)
{
    return witness->pid;
}

/* Returns the row of the unwind table for the code at PC, which the caller frees, or NULL. */
static Dwarf_Frame *table_at(const struct witness *witness, uint64_t pc)
{
    Dwfl_Module *module = dwfl_addrmodule(witness->dwfl, pc);
    Dwarf_Addr bias = 0;
    Dwarf_CFI *table = module ? dwfl_module_eh_cfi(module, &bias) : NULL;
    Dwarf_Frame *frame;

    return table && dwarf_cfi_addrframe(table, pc - bias, &frame) == 0 ? frame : NULL;
}

bool witness_has_table(const struct witness *witness, uint64_t pc)
{
    Dwarf_Frame *frame = table_at(witness, pc);

    free(frame);
    return frame != NULL;
}

/* True if a thread begins at the function that PC is in. */
static bool is_first(const struct witness *witness, uint64_t pc)
{
    Dwarf_Frame *frame = table_at(witness, pc);
    Dwarf_Op memory[3], *operations;
    size_t count;
    bool none = false;

    if (frame && dwarf_frame_register(frame, RETURN_ADDRESS, memory, &operations, &count) == 0)
        none = count == 0 && operations == memory;
    free(frame);
    for (size_t i = 0; i < 2; i++)
        none |= witness->entries[i] && pc - witness->entries[i] < ENTRY_LENGTH;
    return none;
}

/* The first frame's PC is no return address: only if it is the only one. */
static void judge(const struct witness *witness, struct witness_stack *stack)
{
    stack->whole = stack->count && is_first(witness, stack->pcs[stack->count - 1] - (stack->count > 1));
}

static bool unwind_ours(struct witness *witness, pid_t tid, struct witness_stack *stack)
{
    static const char *const ends[] = {
        [UNWIND_WHOLE] = "whole", [UNWIND_TRUNCATED] = "truncated", [UNWIND_UNKNOWN] = "unknown"};
    static unsigned char bytes[WITNESS_STACK];
    struct unwind_frame frames[WITNESS_FRAMES];
    struct unwind_registers registers;
    struct user_regs_struct user;
    enum unwind_end end;

    if (ptrace(PTRACE_GETREGS, tid, NULL, &user) != 0)
        return false;
    struct iovec local = {bytes, sizeof bytes}, remote = {(void *)(uintptr_t)user.rsp, sizeof bytes};
    ssize_t copied = process_vm_readv(tid, &local, 1, &remote, 1, 0);
    struct memory_run run = {user.rsp, copied < 0 ? 0 : (size_t)copied};
    struct unwind_stack copy = {&run, 1, bytes};
    unwind_registers_set(&registers, &user, false);
    stack->count = unwind_capture(witness->image, &registers, &copy, frames, WITNESS_FRAMES, &end);
    for (size_t i = 0; i < stack->count; i++)
        stack->pcs[i] = frames[i].pc;
    stack->end = ends[end];
    stack->whole = end == UNWIND_WHOLE;
    return true;
}

static bool unwind_stock(struct witness *witness, pid_t tid, struct witness_stack *stack)
{
    void *thread = _UPT_create(tid);
    unw_cursor_t cursor;
    unw_word_t pc;
    int status;

    stack->end = "";
    if (!thread)
        return false;
    status = unw_init_remote(&cursor, witness->space, thread) == 0 ? 1 : -1;
    while (status > 0 && stack->count < WITNESS_FRAMES) {
        if (unw_get_reg(&cursor, UNW_REG_IP, &pc) != 0 || !pc)
            break;
        stack->pcs[stack->count++] = pc;
        status = unw_step(&cursor);
    }
    _UPT_destroy(thread);
    if (status < 0)
        stack->end = unw_strerror(status);
    judge(witness, stack);
    return true;
}

static int take_frame(Dwfl_Frame *frame, void *argument)
{
    struct witness_stack *stack = argument;
    Dwarf_Addr pc;

    if (stack->count == WITNESS_FRAMES || !dwfl_frame_pc(frame, &pc, NULL))
        return DWARF_CB_ABORT;
    stack->pcs[stack->count++] = pc;
    return DWARF_CB_OK;
}

bool witness_unwind(struct witness *witness, pid_t tid, struct witness_stacks *stacks)
{
    memset(stacks, 0, sizeof *stacks);
    if (!unwind_ours(witness, tid, &stacks->ours) || !unwind_stock(witness, tid, &stacks->stock))
        return false;
    stacks->elfutils.end =
        dwfl_getthread_frames(witness->dwfl, tid, take_frame, &stacks->elfutils) < 0 ? dwfl_errmsg(-1) : "";
    judge(witness, &stacks->elfutils);
    return true;
}

void witness_name(const struct witness *witness, uint64_t pc, bool call, char *text, size_t size)
{
    Dwfl_Module *module = dwfl_addrmodule(witness->dwfl, pc - call);
    const char *path = module ? dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL) : NULL;
    const char *name = module ? dwfl_module_addrname(module, pc - call) : NULL;
    const char *slash = path ? strrchr(path, '/') : NULL;
    Dwarf_Addr start = 0;

    if (module)
        dwfl_module_info(module, NULL, &start, NULL, NULL, NULL, NULL, NULL);
    snprintf(text, size, "%s+0x%lx%s%s",
             slash  ? slash + 1
             : path ? path
                    : "?",
             pc - start, name ? " " : "", name ? name : "");
}

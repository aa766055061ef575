/* SPDX-License-Identifier: MIT
 *
 * A program stopped by ptrace, with the data for the unwinder. */
#ifndef UNWIND_TRACEE_H
#define UNWIND_TRACEE_H

#include "programs/unwind/unwind.h"

#include "common/base/memory_run.h"
#include "elf_fixtures.h"
#include "programs/elf/inflate.h"
#include "programs/unwind/frame.h"

#include <errno.h>
#include <libunwind-ptrace.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

enum { TRACEE_PARTS = 64, TRACEE_STACK = 1 << 16, TRACEE_FRAMES = 256 };

/* One executable mapping. */
struct tracee_part {
    uint64_t start, end, offset;
    char path[256];
    struct fixture fixture; /* file NULL: not mapped from a file */
    struct unwind_object *object;
};

struct tracee {
    pid_t pid, tid; /* TID is the stopped thread */
    struct unwinder *unwinder;
    struct unwind_image *image;
    struct tracee_part parts[TRACEE_PARTS];
    size_t count;
    /* the last capture */
    struct user_regs_struct user;
    struct unwind_registers registers;
    unsigned char bytes[TRACEE_STACK];
    struct memory_run copied;
    struct unwind_stack stack;
    struct unwind_frame frames[TRACEE_FRAMES];
    size_t frame_count;
    enum unwind_end end;
};

/* Compiles tests/targets/stacks.c as program NAME with the command COMPILER. */
static inline void tracee_make(const char *name, const char *compiler)
{
    const char *source = getenv("srcdir");
    char directory[4096];

    ck_assert_ptr_nonnull(realpath(source ? source : ".", directory));
    fixture_run("%s -std=gnu17 -fno-optimize-sibling-calls -pthread -o %s '%s/tests/targets/stacks.c'", compiler, name,
                directory);
}

/* Runs all threads, passing on their signals, until one stops at an int3. */
static inline void tracee_go_on(struct tracee *tracee)
{
    int status, signal = 0;
    siginfo_t information;
    pid_t tid = tracee->tid;

    for (;;) {
        ck_assert_int_eq(ptrace(PTRACE_CONT, tid, NULL, signal), 0);
        do
            tid = waitpid(-1, &status, __WALL);
        while (tid > 0 && (WIFEXITED(status) || WIFSIGNALED(status)) && tid != tracee->pid);
        ck_assert_msg(tid > 0 && WIFSTOPPED(status), "it ended: wait status 0x%x", status);
        signal = status >> 16 ? 0 : WSTOPSIG(status);
        if (signal == SIGSTOP) /* a new thread's first stop */
            signal = 0;
        if (signal == SIGTRAP && ptrace(PTRACE_GETSIGINFO, tid, NULL, &information) == 0 &&
            information.si_code == SI_KERNEL)
            break;
    }
    tracee->tid = tid;
}

/* Opens the file of the mapping in LINE. */
static inline void tracee_add(struct tracee *tracee, const char *line)
{
    struct tracee_part *part = &tracee->parts[tracee->count];
    char permissions[8];

    *part = (struct tracee_part){0};
    ck_assert_int_ge(
        sscanf(line, "%lx-%lx %7s %lx %*s %*s %255s", &part->start, &part->end, permissions, &part->offset, part->path),
        4);
    if (permissions[2] != 'x')
        return;
    ck_assert_uint_lt(++tracee->count, TRACEE_PARTS);
    if (*part->path == '/') {
        part->fixture = fixture_open_path(part->path, NULL);
        part->object = unwind_object_new(tracee->unwinder, part->fixture.fd);
        ck_assert_ptr_nonnull(part->object);
    } else if (strcmp(part->path, "[vdso]") == 0) {
        part->object = unwind_object_new_vdso(tracee->unwinder, false);
        ck_assert_ptr_nonnull(part->object);
    }
}

static inline void tracee_unmap(struct tracee *tracee)
{
    ck_assert(unwind_image_map(tracee->image, NULL, 0));
    for (size_t i = 0; i < tracee->count; i++) {
        unwind_object_free(tracee->parts[i].object);
        if (tracee->parts[i].fixture.file)
            fixture_close(&tracee->parts[i].fixture);
    }
    tracee->count = 0;
}

/* Reads its mappings. */
static inline void tracee_map(struct tracee *tracee)
{
    struct unwind_mapping mappings[TRACEE_PARTS];
    char path[64], line[1024];

    tracee_unmap(tracee);
    snprintf(path, sizeof path, "/proc/%d/maps", tracee->pid);
    FILE *maps = fopen(path, "re");
    ck_assert_ptr_nonnull(maps);
    while (fgets(line, sizeof line, maps))
        tracee_add(tracee, line);
    fclose(maps);
    for (size_t i = 0; i < tracee->count; i++)
        mappings[i] = (struct unwind_mapping){tracee->parts[i].start, tracee->parts[i].end, tracee->parts[i].offset,
                                              tracee->parts[i].object};
    ck_assert(unwind_image_map(tracee->image, mappings, tracee->count));
}

/* Starts program NAME of the fixtures with one argument and runs it to its first int3. */
static inline struct tracee *tracee_start(const char *name, const char *argument, enum unwind_mode mode)
{
    struct tracee *tracee = calloc(1, sizeof *tracee);
    int status;

    ck_assert_ptr_nonnull(tracee);
    tracee->pid = tracee->tid = fork();
    ck_assert_int_ge(tracee->pid, 0);
    if (tracee->pid == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        execl(fixture_path(name), name, argument, (char *)NULL);
        _exit(127);
    }
    ck_assert_int_eq(waitpid(tracee->pid, &status, 0), tracee->pid);
    ck_assert_msg(WIFSTOPPED(status), "%s was not started: wait status 0x%x", name, status);
    ck_assert_int_eq(ptrace(PTRACE_SETOPTIONS, tracee->pid, NULL, PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL), 0);
    tracee_go_on(tracee);
    tracee->unwinder = unwind_new(mode, elf_inflate_debug_frame);
    ck_assert_ptr_nonnull(tracee->unwinder);
    tracee->image = unwind_image_new(tracee->unwinder);
    ck_assert_ptr_nonnull(tracee->image);
    tracee_map(tracee);
    return tracee;
}

static inline void tracee_end(struct tracee *tracee)
{
    kill(tracee->pid, SIGKILL);
    while (waitpid(-1, NULL, __WALL) > 0)
        continue;
    tracee_unmap(tracee);
    unwind_image_free(tracee->image);
    unwind_free(tracee->unwinder);
    free(tracee);
}

/* Copies at most SIZE bytes of the stack, and the registers. */
static inline void tracee_copy(struct tracee *tracee, size_t size)
{
    ssize_t copied = -1;

    ck_assert_int_eq(ptrace(PTRACE_GETREGS, tracee->tid, NULL, &tracee->user), 0);
    unwind_registers_set(&tracee->registers, &tracee->user, false);
    while (copied < 0 && size) { /* the stack may end before */
        struct iovec local = {tracee->bytes, size}, remote = {(void *)(uintptr_t)tracee->user.rsp, size};
        copied = process_vm_readv(tracee->pid, &local, 1, &remote, 1, 0);
        if (copied < 0)
            size /= 2;
    }
    tracee->copied = (struct memory_run){tracee->user.rsp, copied < 0 ? 0 : (size_t)copied};
    tracee->stack = (struct unwind_stack){&tracee->copied, 1, tracee->bytes};
}

static inline void tracee_unwind(struct tracee *tracee, size_t most)
{
    tracee->frame_count =
        unwind_capture(tracee->image, &tracee->registers, &tracee->stack, tracee->frames, most, &tracee->end);
    ck_assert_uint_ge(tracee->frame_count, 1);
    ck_assert_uint_le(tracee->frame_count, most);
}

/* Returns the name of FRAME's function; "-" if unknown. */
static inline const char *tracee_name(const struct tracee *tracee, const struct unwind_frame *frame)
{
    static char name[256];
    uint64_t address = frame->pc - frame->call, vaddr;
    struct elf_symbol symbol;

    for (size_t i = 0; i < tracee->count; i++) {
        const struct tracee_part *part = &tracee->parts[i];
        if (address < part->start || address >= part->end || !part->fixture.file)
            continue;
        if (elf_file_vaddr_of_offset(part->fixture.file, address - part->start + part->offset, &vaddr) &&
            elf_symbols_find(part->fixture.symbols, vaddr, &symbol) && symbol.name) {
            snprintf(name, sizeof name, "%s", symbol.name);
            return name;
        }
    }
    return "-";
}

/* Returns true if FRAME is in the vDSO. */
static inline bool tracee_in_vdso(const struct tracee *tracee, const struct unwind_frame *frame)
{
    for (size_t i = 0; i < tracee->count; i++)
        if (strcmp(tracee->parts[i].path, "[vdso]") == 0)
            return frame->pc >= tracee->parts[i].start && frame->pc < tracee->parts[i].end;
    return false;
}

/* Returns all frames, for messages; valid until the next call. */
static inline const char *tracee_text(const struct tracee *tracee)
{
    static char text[16384];
    size_t length = 0;

    *text = 0;
    for (size_t i = 0; i < tracee->frame_count && length < sizeof text - 300; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%#lx %s", i ? ", " : "",
                                   tracee->frames[i].pc, tracee_name(tracee, &tracee->frames[i]));
    snprintf(text + length, sizeof text - length, "; end %d", tracee->end);
    return text;
}

/* Compares with libunwind-ptrace, which reads the stopped thread itself and ignores the vDSO. Returns false if it
 * reaches the last of our frames by different ones. */
static inline bool tracee_stock_agrees(const struct tracee *tracee)
{
    unw_addr_space_t space = unw_create_addr_space(&_UPT_accessors, 0);
    void *thread = _UPT_create(tracee->tid);
    unw_word_t pcs[TRACEE_FRAMES];
    unw_cursor_t cursor;
    size_t count = 0, same = 0;

    ck_assert(space && thread);
    ck_assert_int_eq(unw_init_remote(&cursor, space, thread), 0);
    do
        ck_assert_int_eq(unw_get_reg(&cursor, UNW_REG_IP, &pcs[count++]), 0);
    while (count < TRACEE_FRAMES && unw_step(&cursor) > 0);
    _UPT_destroy(thread);
    unw_destroy_addr_space(space);
    if (pcs[count - 1] != tracee->frames[tracee->frame_count - 1].pc || tracee_in_vdso(tracee, &tracee->frames[0]))
        return true;
    while (same < count && same < tracee->frame_count && pcs[same] == tracee->frames[same].pc)
        same++;
    return same == count && same == tracee->frame_count;
}

#endif

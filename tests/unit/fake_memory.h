/* SPDX-License-Identifier: MIT
 *
 * Processes of a fake /proc with memory: a file with one readable page. Writes are logged, with a * for each rescue
 * note that already has the original byte of that address. Programs that include this file are linked with --wrap
 * for the functions that it and fake_proc.h replace. */
#ifndef FAKE_MEMORY_H
#define FAKE_MEMORY_H

#include "fake_proc.h"
#include "unit_log.h"

#include "common/wire/rescue_notes.h"
#include "tracer/plant/rescue.h"
#include "tracer/tracee/request.h"

enum { FIRST_PID = 5000000, MEMORY_PAGE = 0x1000, MEMORY_END = 0x2000, MEMORY_BYTE = 0x55 };

static struct rescue rescue;
static bool memory_read_only, memory_runs;         /* writes fail; requests to threads fail, because none is stopped */
static bool memory_tracer_only, memory_is_stopped; /* only the tracer of a stopped thread can write; one is stopped */

static inline int short_pid(pid_t pid)
{
    return pid ? (int)(pid - FIRST_PID) : 0;
}

static inline void memory_say(int number, const char *name, const char *text)
{
    char path[100];
    snprintf(path, sizeof path, "/proc/%d/%s", FIRST_PID + number, name);
    fake_proc_say(path, text);
}

/* Sets the stat file of thread THREAD of process NUMBER. */
static inline void memory_say_stat(int number, int thread, char state, int started, int stack)
{
    char path[40], text[300];
    snprintf(path, sizeof path, "task/%d/stat", FIRST_PID + thread);
    snprintf(text, sizeof text,
             "%d (x) %c 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 %d 0 0 0 0 0 %d 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
             FIRST_PID + thread, state, started, stack);
    memory_say(number, path, text);
    if (thread == number)
        memory_say(number, "stat", text);
}

/* Sets the identity of process NUMBER, its tracer and its pending signals. STATE is a letter of /proc. */
static inline void memory_say_identity(int number, char state, int started, int stack, pid_t tracer, unsigned pending)
{
    char text[200];
    memory_say_stat(number, number, state, started, stack);
    snprintf(text, sizeof text, "Tgid:\t%d\nPPid:\t1\nTracerPid:\t%d\nSigPnd:\t%016x\n", FIRST_PID + number,
             (int)tracer, pending);
    memory_say(number, "status", text);
}

static inline FILE *memory_open(int number, const char *mode)
{
    char path[60];
    snprintf(path, sizeof path, "/proc/%d/memory", FIRST_PID + number);
    return fopen(fake_proc_path(path), mode);
}

static inline void memory_put_bytes(int number, uint64_t address, const void *bytes, size_t size)
{
    FILE *file = memory_open(number, "r+");
    ck_assert_ptr_nonnull(file);
    ck_assert(!fseek(file, (long)address, SEEK_SET) && fwrite(bytes, 1, size, file) == size && !fclose(file));
}

static inline size_t memory_get_bytes(int number, uint64_t address, void *bytes, size_t size)
{
    FILE *file = memory_open(number, "r");
    size_t got = file && !fseek(file, (long)address, SEEK_SET) ? fread(bytes, 1, size, file) : 0;
    if (file)
        fclose(file);
    return got;
}

static inline void memory_set(int number, uint64_t address, uint8_t byte)
{
    memory_put_bytes(number, address, &byte, 1);
}

/* Returns -1 if the address cannot be read. */
static inline int memory_get(int number, uint64_t address)
{
    uint8_t byte;
    return memory_get_bytes(number, address, &byte, 1) ? byte : -1;
}

/* Makes NAME, in the folder of process NUMBER, a link to TARGET. */
static inline void memory_link(int number, const char *name, const char *target)
{
    char path[100];
    snprintf(path, sizeof path, "/proc/%d/%s", FIRST_PID + number, name);
    fake_proc_link(path, target);
}

/* Gives process NUMBER new memory, a copy of LIKE's if LIKE is not 0. */
static inline void memory_make(int number, int like)
{
    uint8_t page[MEMORY_END - MEMORY_PAGE];
    memset(page, MEMORY_BYTE, sizeof page);
    ck_assert(!like || memory_get_bytes(like, MEMORY_PAGE, page, sizeof page) == sizeof page);
    memory_say(number, "memory", "");
    memory_put_bytes(number, MEMORY_PAGE, page, sizeof page);
    memory_link(number, "mem", "memory");
}

/* Lets process NUMBER share the memory of process OTHER. */
static inline void memory_share(int number, int other)
{
    char target[60];
    snprintf(target, sizeof target, "../%d/memory", FIRST_PID + other);
    memory_link(number, "memory", target);
    memory_link(number, "mem", target);
}

static inline void note_write(const char *how, int number, uint64_t address, uint8_t byte)
{
    size_t notes = 0;
    for (size_t i = 0; i < RESCUE_NOTES; i++)
        notes += rescue.notes[i].pid && rescue.notes[i].address == address;
    note("%s %d:%llx=%02x%.*s", how, number, (unsigned long long)address, byte, (int)notes, "********");
}

/* Logs the write of a detour, a jump at a function or a stub, with a * for each rescue note that already has it. */
static inline void note_detour(int number, uint64_t address, const uint8_t *bytes, size_t size)
{
    size_t notes = 0;
    for (size_t i = 0; i < RESCUE_DETOURS; i++) {
        const struct rescue_detour *of = &rescue.detours[i];
        notes += of->pid && (of->detour.address == address || of->detour.stub == address);
    }
    note("%s %d:%llx=%02x%.*s", size == 8 ? "word" : "stub", number, (unsigned long long)address, bytes[0], (int)notes,
         "********");
}

/* Returns the process that owns the memory behind FD: the first of those that share it. */
static inline int memory_owner(int fd)
{
    char link[40], path[400];
    int pid = 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    ck_assert_int_gt(length, (ssize_t)strlen(fake_proc_root));
    path[length] = 0;
    ck_assert_int_eq(sscanf(path + strlen(fake_proc_root), "/proc/%d/memory", &pid), 1);
    return short_pid(pid);
}

ssize_t __real_pwrite(int fd, const void *bytes, size_t size, off_t at);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t size, off_t at);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t size, off_t at)
{
    if (memory_read_only || (memory_tracer_only && !memory_is_stopped))
        return -1;
    if (size == 1)
        note_write("write", memory_owner(fd), (uint64_t)at, *(const uint8_t *)bytes);
    else
        note_detour(memory_owner(fd), (uint64_t)at, bytes, size);
    return __real_pwrite(fd, bytes, size, at);
}

int __wrap_request_change_byte(pid_t tid, uint64_t address, uint8_t from, uint8_t to);
int __wrap_request_change_byte(pid_t tid, uint64_t address, uint8_t from, uint8_t to)
{
    int number = short_pid(tid), now = memory_get(number, address);
    if (now < 0 || memory_runs)
        return now < 0 ? -EIO : -ESRCH;
    if (now != from)
        return -ESTALE;
    if (from != to) {
        note_write("poke", number, address, to);
        memory_set(number, address, to);
    }
    return 0;
}

static inline int memory_count_descriptors(void)
{
    int count = 0;
    for (int fd = 0; fd < 100; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

static inline void memory_begin(void)
{
    log_text[0] = 0;
    memory_read_only = memory_runs = memory_tracer_only = memory_is_stopped = false;
    memset(&rescue, 0, sizeof rescue);
    fake_proc_begin();
}

#endif

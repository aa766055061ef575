/* SPDX-License-Identifier: MIT */
#include "tracer/loop/maps.h"

#include "common/base/buffer.h"
#include "common/base/time.h"
#include "common/model/address_map.h"
#include "common/model/proctext.h"
#include "common/wire/emit.h"
#include "common/wire/message.h"
#include "tracer/follow/follow.h"
#include "tracer/loop/ahead.h"
#include "tracer/loop/state.h"
#include "tracer/loop/tracer.h"
#include "tracer/tracee/memory.h"
#include "tracer/tracee/procfs.h"
#include "tracer/tracee/table.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum {
    MAPS_LIMIT = 1 << 20,        /* maximum bytes about executable ranges in a maps file, */
    MAPS_READ = 64 << 20,        /* and in total */
    MAPS_PART = 1 << 14,         /* bytes of one read; more than any line has */
    MAPS_RANGES = 8192,          /* executable ranges */
    MAPS_AGE_NS = 1000000000,    /* longest time between two reads of the maps */
    MAPS_FIRST_AGE_NS = 1000000, /* first time between two reads: programs load their libraries at their beginning */
    MAPS_SHARE = 1000,           /* reads for the front may take one part in this many of the time */
    MAPS_OWN_SHARE = 20,         /* and all reads together, because the thread is stopped during them */
    MISSES_BETWEEN_READS = 16,   /* PCs outside of recently read maps before another read */
    CHECK_SHARE = 100,           /* comparisons with the present mappings may take one part in this many of the time */
    DOUBTS_MOST = 8,             /* after this many wrong comparisons, do not trust this kernel's answers */
};

/* A program that has unmapped a file's code will probably do so again within this time. */
#define ALIVE_NS UINT64_C(10000000000)

const struct buffer *maps_text(struct tracer *tracer, const struct process *process)
{
    struct buffer *text = &tracer->text;
    text->length = 0;
    for (size_t i = 0; i < process->map.count; i++) {
        const struct address_range *range = &process->map.items[i];
        buffer_printf(text, "%lx-%lx r-xp %lx %x:%x %lu %s\n", range->start, range->end, range->offset,
                      range->device_major, range->device_minor, range->inode, range->path);
    }
    return text;
}

static void send_maps(struct tracer *tracer, const struct process *process)
{
    const struct buffer *text = maps_text(tracer, process);
    struct message_maps message = {process->image, (uint32_t)text->length, process->own->entry};
    emit_message(&tracer->emitter, MESSAGE_MAPS, &message, sizeof message, text->bytes, text->length, true);
}

/* The front may hold captures back until it gets an answer. A message without text means that the maps have not
 * changed as far as we know. */
static void send_same(struct tracer *tracer, struct process *process)
{
    const struct message_maps message = {.image = process->image};
    if (process->own->map_asked)
        emit_message(&tracer->emitter, MESSAGE_MAPS, &message, sizeof message, NULL, 0, true);
    process->own->map_asked = false;
}

static void find_stack(struct process *process)
{
    char text[1024];
    process->own->stack_start = 0;
    if (procfs_text(process->pid, 0, "stat", text, sizeof text) > 0)
        proctext_stack_start(text, &process->own->stack_start);
}

/* True if the line from AT to END describes an executable range. */
static bool is_executable(const char *at, const char *end)
{
    enum { EXECUTABLE = 3 };
    const char *blank = memchr(at, ' ', (size_t)(end - at));
    return blank && end - blank > EXECUTABLE && blank[EXECUTABLE] == 'x';
}

/* Appends the lines of executable ranges in PART, which ends with a newline. Returns false if there is no more room. */
static bool add_lines(struct buffer *text, const char *part, const char *end)
{
    for (const char *at = part, *next; at < end; at = next) {
        next = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
        size_t length = (size_t)(next - at);
        if (is_executable(at, next) && (text->length + length > MAPS_LIMIT || !buffer_append(text, at, length)))
            return false;
    }
    return true;
}

/* Reads the lines of executable ranges from FD into TEXT. A process may have very many other ranges, mostly below
 * its libraries. */
static int read_text(struct buffer *text, int fd)
{
    char part[MAPS_PART];
    size_t held = 0;
    ssize_t got;
    text->length = 0;
    for (off_t at = 0; at < MAPS_READ; at += got) {
        do
            got = pread(fd, part + held, sizeof part - held, at);
        while (got < 0 && errno == EINTR);
        if (got <= 0)
            return got ? -errno : 0;
        held += (size_t)got;
        const char *newline = memrchr(part, '\n', held);
        size_t whole = newline ? (size_t)(newline + 1 - part) : held == sizeof part ? held : 0;
        if (newline && !add_lines(text, part, newline + 1))
            return -E2BIG;
        memmove(part, part + whole, held -= whole);
    }
    return -E2BIG;
}

/* True if the kernel can answer what is mapped at one address. */
static bool tells_single(struct process *process, pid_t tid)
{
    struct address_range range;
    int result = memory_next_text(&process->memory, tid, 0, &range);
    return (result == 0 || result == -ENOENT) && process->own->map_doubts < DOUBTS_MOST;
}

/* Reads the maps. Returns false if they cannot be read, or have not changed. */
static bool read_new(struct tracer *tracer, struct process *process, pid_t tid, bool first)
{
    struct address_map fresh = {0};
    uint64_t began_ns = time_now_ns();
    int fd = procfs_open(process->pid, tid, "maps");
    if (fd < 0)
        return false;
    int result = read_text(&tracer->text, fd);
    close(fd);
    process->own->map_took_ns = time_now_ns() - began_ns;
    if ((result < 0 && result != -E2BIG) || !tracer->text.length ||
        !address_map_parse(&fresh, tracer->text.bytes, MAPS_RANGES))
        return false;
    if (!first && address_map_equal(&fresh, &process->map)) {
        address_map_fini(&fresh);
        return false;
    }
    if (!first && address_map_lacks(&fresh, &process->map) && !tells_single(process, tid))
        process->own->map_alive_ns = began_ns + ALIVE_NS;
    address_map_fini(&process->map);
    process->map = fresh;
    return true;
}

/* Returns true if the file code mapped at ADDRESS, or next above it, is still the code of RANGE (NULL: none). Also
 * returns true if the kernel cannot answer. */
static bool is_still(struct process *process, pid_t tid, uint64_t address, const struct address_range *range)
{
    struct address_range now;
    int result = memory_next_text(&process->memory, tid, address, &now);
    return result == -ENOENT ? !range : result < 0 || (range && address_range_same(&now, range));
}

/* True if all files are still mapped where the maps say. Ranges without a file do not count. */
static bool all_are_still(struct process *process, pid_t tid)
{
    uint64_t from = 0;
    for (size_t i = 0; i < process->map.count; i++) {
        const struct address_range *range = &process->map.items[i];
        if (!range->inode)
            continue;
        if (!is_still(process, tid, from, range))
            return false;
        from = range->end;
    }
    return process->map.count >= MAPS_RANGES || is_still(process, tid, from, NULL);
}

/* True if the file at PC is still mapped there. */
static bool is_still_at(struct process *process, pid_t tid, uint64_t pc)
{
    const struct address_range *range = address_map_find(&process->map, pc);
    return !range || !range->inode || is_still(process, tid, pc, range);
}

static bool is_check_due(const struct process *process, uint64_t now_ns)
{
    return now_ns - process->own->map_checked_ns >= process->own->map_check_ns * CHECK_SHARE;
}

static bool check_all(struct process *process, pid_t tid, uint64_t now_ns)
{
    uint64_t began_ns = time_now_ns();
    bool outdated = !all_are_still(process, tid);
    process->own->map_checked_ns = now_ns;
    process->own->map_check_ns = time_now_ns() - began_ns;
    return outdated;
}

/* Returns true if a library may have been closed, and another one opened at its address, since the maps were read.
 * Callers may be in it, too. But comparing all files takes a microsecond each, so mostly only PC is checked. AHEAD:
 * what was compared while the thread was on its way to its stop; NULL: nothing. */
static bool is_outdated(struct process *process, pid_t tid, uint64_t pc, uint64_t now_ns, const struct ahead *ahead)
{
    if (process->own->map_doubts >= DOUBTS_MOST)
        return false;
    if (ahead && pc >= ahead->maps_start && pc < ahead->maps_end)
        return ahead->maps_outdated;
    return is_check_due(process, now_ns) ? check_all(process, tid, now_ns) : !is_still_at(process, tid, pc);
}

static uint64_t least_age_ns(const struct process *process)
{
    return process->own->map_took_ns * MAPS_OWN_SHARE;
}

void maps_read(struct tracer *tracer, struct process *process, pid_t tid, uint64_t now_ns)
{
    bool first = !process->own->map_read_ns;
    if (first) {
        address_map_fini(&process->map); /* it belongs to an earlier image */
        process->own->entry = procfs_entry(process->pid);
    }
    process->own->map_read_ns = now_ns;
    process->own->map_age_ns = first || !process->own->map_age_ns ? MAPS_FIRST_AGE_NS : 2 * process->own->map_age_ns;
    if (process->own->map_age_ns > MAPS_AGE_NS)
        process->own->map_age_ns = MAPS_AGE_NS;
    if (first && tracer->options.stack_bytes)
        find_stack(process);
    bool is_new = read_new(tracer, process, tid, first);
    if (process->own->map_age_ns < least_age_ns(process))
        process->own->map_age_ns = least_age_ns(process);
    if (!is_new) {
        send_same(tracer, process);
        return;
    }
    process->own->map_asked = false;
    process->own->map_doubts = 0;
    send_maps(tracer, process);
}

void maps_expire(struct process *process)
{
    process->own->map_asked = true;
    uint64_t age_ns = process->own->map_took_ns * MAPS_SHARE;
    if (age_ns < process->own->map_age_ns)
        process->own->map_age_ns = age_ns;
}

void maps_answer(struct tracer *tracer, struct process *process, uint64_t now_ns)
{
    if (process->own->map_asked && process->threads && now_ns - process->own->map_read_ns >= process->own->map_age_ns)
        maps_read(tracer, process, procfs_living_thread(process->pid), now_ns);
}

/* Older kernels cannot say what is mapped at one address. On these, the maps of a program that maps and unmaps files
 * are read more often. */
static uint64_t age_ns(const struct process *process, uint64_t now_ns)
{
    uint64_t short_ns = process->own->map_took_ns * CHECK_SHARE;
    bool alive = now_ns < process->own->map_alive_ns && short_ns < process->own->map_age_ns;
    return alive ? short_ns : process->own->map_age_ns;
}

void maps_look_ahead(const struct thread *thread, uint64_t now_ns, struct ahead *ahead)
{
    struct process *process = thread->process;
    const struct address_range *range = address_map_find(&process->map, thread->own->last_pc);
    uint64_t old_ns = now_ns - process->own->map_read_ns;
    if (!process->own->map_read_ns || process->own->map_doubts >= DOUBTS_MOST || old_ns < least_age_ns(process))
        return;
    if (is_check_due(process, now_ns)) {
        ahead->maps_outdated = check_all(process, thread->tid, now_ns);
        ahead->maps_start = 0;
        ahead->maps_end = UINT64_MAX;
    } else if (range) {
        ahead->maps_outdated = !is_still_at(process, thread->tid, thread->own->last_pc);
        ahead->maps_start = range->start;
        ahead->maps_end = range->end;
    }
}

void maps_update(struct tracer *tracer, struct thread *thread, uint64_t pc, uint64_t now_ns)
{
    struct process *process = thread->process;
    const struct ahead *ahead = tracer->ahead.tid == thread->tid ? &tracer->ahead : NULL;
    uint64_t old_ns = now_ns - process->own->map_read_ns;
    bool fresh = process->own->map_read_ns && old_ns < age_ns(process, now_ns);
    bool outdated = fresh && old_ns >= least_age_ns(process) && is_outdated(process, thread->tid, pc, now_ns, ahead);
    if (fresh && !outdated &&
        (address_map_find(&process->map, pc) || process->own->map_misses++ % MISSES_BETWEEN_READS ||
         old_ns < least_age_ns(process)))
        return;
    process->own->map_doubts += outdated;
    if (!fresh) /* the names of threads are as old as the maps */
        for (struct thread *other = process->threads; other; other = other->next)
            other->own->named = false;
    if (!fresh)
        follow_find_workers(&tracer->follow, process);
    maps_read(tracer, process, thread->tid, now_ns);
}

/* SPDX-License-Identifier: MIT */
#include "tracer/maps.h"

#include "base/time.h"
#include "tracee/procfs.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum {
    MAPS_LIMIT = 1 << 20,        /* bytes of a maps file that are about executable ranges, */
    MAPS_READ = 64 << 20,        /* and of all of it */
    MAPS_PART = 1 << 14,         /* that are read at once: more than a line has */
    MAPS_RANGES = 8192,          /* executable ranges */
    MAPS_AGE_NS = 1000000000,    /* the maps are read again after so long, */
    MAPS_FIRST_AGE_NS = 1000000, /* and at first after so long, as programs load their libraries when they begin */
    MAPS_SHARE = 1000,           /* of the time may go into it when somebody asks for them again and again */
    MAPS_OWN_SHARE = 20,         /* or in any case: the thread is stopped meanwhile */
    MISSES_BETWEEN_READS = 16,   /* PCs outside of what the maps just said */
};

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

/* The front may keep captures until it hears: without a text, the maps are as far as we know what they were. */
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

/* The line from AT to END is of an executable range. */
static bool is_executable(const char *at, const char *end)
{
    enum { EXECUTABLE = 3 };
    const char *blank = memchr(at, ' ', (size_t)(end - at));
    return blank && end - blank > EXECUTABLE && blank[EXECUTABLE] == 'x';
}

/* Appends those of the lines in PART, which is ended by a newline, that count. False if there is no more room. */
static bool take_lines(struct buffer *text, const char *part, const char *end)
{
    for (const char *at = part, *next; at < end; at = next) {
        next = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
        size_t length = (size_t)(next - at);
        if (is_executable(at, next) && (text->length + length > MAPS_LIMIT || !buffer_append(text, at, length)))
            return false;
    }
    return true;
}

/* Reads into TEXT what FD says of executable ranges. A process may have very many others, mostly below its libraries.
 */
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
        if (newline && !take_lines(text, part, newline + 1))
            return -E2BIG;
        memmove(part, part + whole, held -= whole);
    }
    return -E2BIG;
}

/* Returns false if they cannot be read, or are what they were. */
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
    address_map_fini(&process->map);
    process->map = fresh;
    return true;
}

static uint64_t least_age_ns(const struct process *process)
{
    return process->own->map_took_ns * MAPS_OWN_SHARE;
}

void maps_read(struct tracer *tracer, struct process *process, pid_t tid, uint64_t now_ns)
{
    bool first = !process->own->map_read_ns;
    if (first) {
        address_map_fini(&process->map); /* it was another image's */
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
    send_maps(tracer, process);
}

void maps_expire(struct process *process)
{
    process->own->map_asked = true;
    uint64_t age_ns = process->own->map_took_ns * MAPS_SHARE;
    if (age_ns < process->own->map_age_ns)
        process->own->map_age_ns = age_ns;
}

void maps_update(struct tracer *tracer, struct thread *thread, uint64_t pc, uint64_t now_ns)
{
    struct process *process = thread->process;
    uint64_t old_ns = now_ns - process->own->map_read_ns;
    bool fresh = process->own->map_read_ns && old_ns < process->own->map_age_ns;
    if (fresh && (address_map_find(&process->map, pc) || process->own->map_misses++ % MISSES_BETWEEN_READS ||
                  old_ns < least_age_ns(process)))
        return;
    if (!fresh) /* the names of threads are as old */
        for (struct thread *other = process->threads; other; other = other->next)
            other->own->named = false;
    maps_read(tracer, process, thread->tid, now_ns);
}

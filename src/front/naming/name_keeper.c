/* SPDX-License-Identifier: MIT
 *
 * The process that reads names: it parses strangers' files. It keeps their tables, and what was found in them. */
#include "front/naming/name_wire.h"

#include "common/base/child.h"
#include "common/base/hash.h"
#include "common/base/socket.h"
#include "front/naming/name_answer.h"
#include "front/naming/name_question.h"
#include "front/naming/place_tables.h"
#include "front/record/object.h"
#include "profile/profile/builder.h"
#include "profile/profile/profile.h"
#include "programs/elf/inflate.h"
#include "programs/elf/lines.h"
#include "programs/elf/unwind_place.h"
#include "programs/files/fetch.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* How many files are kept, and for how many connections without a question about them. */
enum { MOST_KEPT = 64, UNUSED_MOST = 16 };

/* Debug information is read ahead if all its files together have at most this many bytes: it takes several times as
 * many in memory until the questions come. */
enum { AHEAD_BYTES = 32 << 20 };

struct known_place {
    uint64_t offset;
    uint32_t location; /* of the builder */
};

struct kept {
    uint32_t used; /* number of the last connection that asked for it; 0: this place is free */
    struct object object;
    struct stat file; /* what it was when it was opened */
    struct builder builder;
    struct place_tables tables;
    struct {
        struct known_place *items;
        size_t count, room;
        struct hash index;
    } known;
    bool is_ahead; /* it was read ahead: it stays, because to close it would delay the next answer */
    bool without_lines;
};

struct keeper {
    uint64_t most_bytes;
    int relay;           /* questions come from there */
    int memory;          /* /proc/self/statm */
    uint32_t connection; /* of the last answer */
    struct kept kept[MOST_KEPT];
    struct kept other; /* not kept beyond an answer */
    struct name_asked asked;
    struct buffer answer;
    uint64_t ahead_bytes; /* of files with debug information that was read ahead */
};

static void forget_file(struct kept *kept)
{
    if (!kept->used)
        return;
    place_tables_close(&kept->tables);
    profile_free(builder_finish(&kept->builder));
    if (kept->object.fd >= 0)
        close(kept->object.fd);
    free(kept->object.path);
    free(kept->object.root);
    free(kept->known.items);
    hash_fini(&kept->known.index);
    *kept = (struct kept){0};
}

/* A file that is written again in its place has another time of change. */
static bool is_same_file(const struct stat *one, const struct stat *other)
{
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino && one->st_size == other->st_size &&
           one->st_mtim.tv_sec == other->st_mtim.tv_sec && one->st_mtim.tv_nsec == other->st_mtim.tv_nsec &&
           one->st_ctim.tv_sec == other->st_ctim.tv_sec && one->st_ctim.tv_nsec == other->st_ctim.tv_nsec;
}

/* Debug files are looked for by the path and the root, with the viewer's rights. */
static bool is_asked_for(const struct keeper *keeper, const struct kept *kept)
{
    return kept->used && (uint32_t)kept->object.kind == keeper->asked.question.kind &&
           kept->without_lines == keeper->asked.question.without_lines &&
           kept->object.viewer.user == keeper->asked.question.viewer.user &&
           kept->object.viewer.group == keeper->asked.question.viewer.group &&
           !strcmp(kept->object.path, keeper->asked.path) && !strcmp(kept->object.root, keeper->asked.root);
}

/* Sets *SIZE to the address space of this process. Returns the part of its memory that is not of files, in bytes. */
static uint64_t measure_memory(const struct keeper *keeper, uint64_t *size)
{
    char text[256] = "";
    unsigned long long pages = 0, resident = 0, shared = 0;
    uint64_t page = (uint64_t)getpagesize();
    ssize_t got = pread(keeper->memory, text, sizeof text - 1, 0);
    if (got > 0)
        sscanf(text, "%llu %llu %llu", &pages, &resident, &shared);
    *size = pages * page;
    return resident > shared ? (resident - shared) * page : 0;
}

#ifdef __SANITIZE_ADDRESS__ /* its shadow memory takes more */
static void limit_memory(const struct keeper *keeper, const struct kept *kept)
{
    (void)keeper;
    (void)kept;
}
#else
/* Debug information takes a multiple of its size in memory. A small file gets little. */
static void limit_memory(const struct keeper *keeper, const struct kept *kept)
{
    enum { TIMES = 16 };
    const uint64_t least = UINT64_C(1) << 30;
    struct rlimit limit;
    uint64_t size, files = (uint64_t)kept->file.st_size;
    measure_memory(keeper, &size);
    files += kept->tables.lines ? elf_lines_size(kept->tables.lines) : 0;
    if (getrlimit(RLIMIT_AS, &limit) < 0)
        return;
    size += least + files * TIMES;
    limit.rlim_cur = size < limit.rlim_max ? size : limit.rlim_max;
    setrlimit(RLIMIT_AS, &limit);
}
#endif

static void open_kept(struct keeper *keeper, struct kept *kept, const struct stat *file)
{
    kept->used = keeper->asked.question.connection;
    kept->without_lines = keeper->asked.question.without_lines;
    kept->file = *file;
    kept->object = (struct object){
        .kind = (enum object_kind)keeper->asked.question.kind,
        .path = strdup(keeper->asked.path),
        .root = strdup(keeper->asked.root),
        .fd = keeper->asked.fd,
        .deleted = keeper->asked.question.deleted,
        .viewer = keeper->asked.question.viewer,
    };
    keeper->asked.fd = -1;
    fetch_note_place(kept->object.fd, keeper->asked.place);
    builder_init(&kept->builder);
    limit_memory(keeper, kept);
    if (kept->object.path && kept->object.root && !kept->builder.failed)
        place_tables_open(&kept->tables, &kept->builder, &kept->object, !kept->without_lines);
    else
        kept->builder.failed = true;
}

/* Returns the question's file, with its earlier tables if it has not changed since they were read. Generated code is
 * read for the offsets of one question only. */
static struct kept *file_of_question(struct keeper *keeper)
{
    struct stat file = {0};
    struct kept *free_place = &keeper->other;
    if (keeper->asked.fd >= 0 && fstat(keeper->asked.fd, &file) < 0)
        return NULL;
    for (size_t i = 0; i < MOST_KEPT && keeper->asked.question.kind != OBJECT_JIT; i++) {
        struct kept *kept = &keeper->kept[i];
        if (is_asked_for(keeper, kept) && is_same_file(&kept->file, &file)) {
            kept->used = keeper->asked.question.connection;
            return kept;
        }
        free_place = kept->used ? free_place : kept;
    }
    open_kept(keeper, free_place, &file);
    place_tables_read_map(&free_place->tables, &free_place->object, keeper->asked.offsets.items,
                          keeper->asked.question.count);
    return free_place;
}

static bool is_known(const void *owner, uint32_t number, const void *key)
{
    return ((const struct kept *)owner)->known.items[number].offset == *(const uint64_t *)key;
}

/* Returns the location of OFFSET in the builder, or PROFILE_NONE. */
static uint32_t locate_offset(struct kept *kept, uint64_t offset)
{
    uint32_t number = hash_find(&kept->known.index, hash_number(offset), is_known, kept, &offset);
    if (number != HASH_NONE)
        return kept->known.items[number].location;
    struct known_place place = {offset, PROFILE_NONE};
    if (!kept->builder.failed)
        place.location = place_tables_location(&kept->tables, offset);
    if (place.location != PROFILE_NONE && HASH_APPEND(&kept->known, hash_number(offset), &place) == HASH_NONE)
        place.location = PROFILE_NONE;
    return place.location;
}

/* Looks up all offsets of the question, which become numbers of locations. */
static bool locate_all(struct keeper *keeper, struct kept *kept, uint32_t *locations)
{
    for (uint32_t i = 0; i < keeper->asked.question.count; i++) {
        locations[i] = locate_offset(kept, keeper->asked.offsets.items[i]);
        if (locations[i] == PROFILE_NONE)
            return false;
    }
    return true;
}

/* Drops this file if it exceeds the limit. Dropping older ones instead would make every interval reread all of them.
 * Also drops a file without further lines, so that they begin anew. */
static void stay_within_bounds(struct keeper *keeper, struct kept *kept)
{
    uint64_t size;
    bool ends =
        kept == &keeper->other || kept->builder.failed || (kept->tables.lines && elf_lines_gave_up(kept->tables.lines));
    if (kept->is_ahead || (!ends && measure_memory(keeper, &size) <= keeper->most_bytes))
        return;
    forget_file(kept);
    malloc_trim(0);
}

/* Looks up the names, and writes the answer. Returns false on failure. */
static bool look_up(struct keeper *keeper)
{
    struct kept *kept = file_of_question(keeper);
    uint32_t *locations = kept ? hash_numbers(keeper->asked.question.count) : NULL;
    size_t known = kept ? kept->known.count : 0;
    if (kept)
        limit_memory(keeper, kept);
    bool found = locations && locate_all(keeper, kept, locations) &&
                 name_answer_write(&keeper->answer, &kept->builder, kept->tables.module, kept->tables.no_lines,
                                   locations, keeper->asked.question.count);
    free(locations);
    if (kept && (!found || kept->known.count > known || kept == &keeper->other || !keeper->most_bytes))
        stay_within_bounds(keeper, kept);
    return found;
}

/* Reads the tables of the question's file, so that the next question about it is answered soon. The answer is empty. */
static bool read_ahead(struct keeper *keeper)
{
    const struct name_reply nothing = {0};
    struct kept *kept = file_of_question(keeper);
    if (kept == &keeper->other) {
        forget_file(kept);
    } else if (kept) {
        kept->is_ahead = true;
        limit_memory(keeper, kept);
        keeper->ahead_bytes += elf_lines_begin(kept->tables.lines, AHEAD_BYTES - keeper->ahead_bytes);
    }
    return kept && socket_send(keeper->relay, &nothing, sizeof nothing);
}

/* Forgets files without questions. Returns false if the libraries do not give their memory back. */
static bool tidy_up(struct keeper *keeper)
{
    uint64_t size;
    for (size_t i = 0; i < MOST_KEPT; i++)
        if (keeper->kept[i].used + UNUSED_MOST < keeper->asked.question.connection)
            forget_file(&keeper->kept[i]);
    return !keeper->most_bytes || measure_memory(keeper, &size) <= keeper->most_bytes + keeper->most_bytes / 2;
}

/* Sends the unwind table of the question's file, or nothing if it cannot be unpacked. */
static bool send_table(const struct keeper *keeper)
{
    size_t size = 0;
    uint8_t *table = elf_inflate_debug_frame(keeper->asked.fd, ELF_UNWIND_TABLE_MAX, &size);
    struct name_reply reply = {.size = size};
    struct iovec parts[] = {{&reply, sizeof reply}, {table, size}};
    bool sent = socket_send_parts(keeper->relay, parts, table ? 2 : 1, -1);
    free(table);
    return sent;
}

static bool answer_question(struct keeper *keeper)
{
    struct name_reply reply = {0};
    keeper->answer.length = 0;
    if (keeper->asked.question.what == NAME_AHEAD)
        return read_ahead(keeper);
    if (keeper->asked.question.what == NAME_UNWIND_TABLE)
        return send_table(keeper);
    if (!buffer_append(&keeper->answer, &reply, sizeof reply) || !look_up(keeper))
        return false;
    if (keeper->asked.question.connection != keeper->connection)
        reply.cpu_ns = !tidy_up(keeper);
    keeper->connection = keeper->asked.question.connection;
    reply.size = keeper->answer.length - sizeof reply;
    memcpy(keeper->answer.bytes, &reply, sizeof reply);
    return socket_send(keeper->relay, keeper->answer.bytes, keeper->answer.length);
}

static void serve(struct keeper *keeper)
{
    while (name_question_receive(&keeper->asked, keeper->relay, true)) {
        bool answered = answer_question(keeper);
        if (keeper->asked.fd >= 0)
            close(keeper->asked.fd);
        if (!answered)
            return;
    }
}

int name_keeper_serve(void *argument)
{
    const struct name_reader *reader = argument;
    struct keeper *keeper = calloc(1, sizeof *keeper);
    int sockets[] = {reader->questions, reader->files};
    if (!keeper || !child_keep(sockets, 2, false))
        return 1;
    keeper->most_bytes = reader->most_bytes;
    keeper->relay = sockets[0];
    keeper->memory = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    fetch_begin(sockets[1]);
    name_confine(reader);
    serve(keeper);
    return 0;
}

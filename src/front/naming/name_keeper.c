/* SPDX-License-Identifier: MIT
 *
 * The process that reads names. It keeps the tables of files, and what was found in them. */
#include "front/naming/name_wire.h"

#include "common/base/array.h"
#include "common/base/hash.h"
#include "common/base/proc.h"
#include "common/base/socket.h"
#include "common/base/time.h"
#include "front/naming/name_answer.h"
#include "front/naming/place_names.h"
#include "front/record/object.h"
#include "profile/profile/builder.h"
#include "profile/profile/profile.h"
#include "programs/elf/lines.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
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
    uint64_t used; /* number of the last connection that asked for it; 0: this place is free */
    struct object object;
    struct stat file; /* what it was when it was opened */
    struct builder builder;
    struct place_names names;
    struct {
        struct known_place *items;
        size_t count, room;
        struct hash index;
    } known;
    bool is_ahead;        /* it was read ahead: it stays, because to close it would delay the next answer */
    uint64_t lines_bytes; /* memory of the process that reads its lines */
};

struct keeper {
    uint64_t most_bytes;
    int connection;
    uint64_t connections;
    struct kept kept[MOST_KEPT];
    struct kept other; /* not kept beyond an answer */
    /* the question */
    struct name_question question;
    int fd;
    char path[NAME_TEXT_MOST], root[NAME_TEXT_MOST];
    struct {
        uint64_t *items;
        size_t count, room;
    } offsets;
    struct buffer answer;
    uint64_t ahead_bytes; /* of files with debug information that was read ahead */
    uint64_t told_ns;     /* CPU time that the replies so far have reported */
};

static bool receive_question(struct keeper *keeper)
{
    struct name_question *question = &keeper->question;
    keeper->fd = -1;
    if (!socket_receive(keeper->connection, question, sizeof *question, &keeper->fd) ||
        question->count > NAME_ASKED_MOST || !question->path_size || question->path_size > NAME_TEXT_MOST ||
        !question->root_size || question->root_size > NAME_TEXT_MOST)
        return false;
    while (keeper->offsets.room < question->count) {
        keeper->offsets.count = keeper->offsets.room;
        if (!ARRAY_RESERVE_ONE(&keeper->offsets))
            return false;
    }
    return socket_receive(keeper->connection, keeper->path, question->path_size, &keeper->fd) &&
           socket_receive(keeper->connection, keeper->root, question->root_size, &keeper->fd) &&
           socket_receive(keeper->connection, keeper->offsets.items, question->count * sizeof *keeper->offsets.items,
                          &keeper->fd);
}

static void forget_file(struct kept *kept)
{
    if (!kept->used)
        return;
    place_names_close(&kept->names);
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
    return kept->used && (uint32_t)kept->object.kind == keeper->question.kind &&
           kept->object.viewer.user == keeper->question.viewer.user &&
           kept->object.viewer.group == keeper->question.viewer.group && !strcmp(kept->object.path, keeper->path) &&
           !strcmp(kept->object.root, keeper->root);
}

static void open_kept(struct keeper *keeper, struct kept *kept, const struct stat *file)
{
    kept->used = keeper->connections;
    kept->file = *file;
    kept->object = (struct object){
        .kind = (enum object_kind)keeper->question.kind,
        .path = strdup(keeper->path),
        .root = strdup(keeper->root),
        .fd = keeper->fd,
        .deleted = keeper->question.deleted,
        .viewer = keeper->question.viewer,
    };
    keeper->fd = -1;
    builder_init(&kept->builder);
    if (kept->object.path && kept->object.root && !kept->builder.failed)
        place_names_open(&kept->names, &kept->builder, &kept->object);
    else
        kept->builder.failed = true;
}

/* Returns the question's file, with its earlier tables if it has not changed since they were read. Generated code is
 * read for the offsets of one question only. */
static struct kept *file_of_question(struct keeper *keeper)
{
    struct stat file = {0};
    struct kept *free_place = &keeper->other;
    if (keeper->fd >= 0 && fstat(keeper->fd, &file) < 0)
        return NULL;
    for (size_t i = 0; i < MOST_KEPT && keeper->question.kind != OBJECT_JIT; i++) {
        struct kept *kept = &keeper->kept[i];
        if (is_asked_for(keeper, kept) && is_same_file(&kept->file, &file)) {
            kept->used = keeper->connections;
            return kept;
        }
        free_place = kept->used ? free_place : kept;
    }
    open_kept(keeper, free_place, &file);
    place_names_read_map(&free_place->names, &free_place->object, keeper->offsets.items, keeper->question.count);
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
        place.location = place_names_location(&kept->names, offset, UINT64_MAX);
    if (place.location != PROFILE_NONE && HASH_APPEND(&kept->known, hash_number(offset), &place) == HASH_NONE)
        place.location = PROFILE_NONE;
    return place.location;
}

/* Looks up all offsets of the question, which become numbers of locations. */
static bool locate_all(struct keeper *keeper, struct kept *kept, uint32_t *locations)
{
    for (uint32_t i = 0; i < keeper->question.count; i++) {
        locations[i] = locate_offset(kept, keeper->offsets.items[i]);
        if (locations[i] == PROFILE_NONE)
            return false;
    }
    return true;
}

static uint64_t bytes_of_others(const struct keeper *keeper)
{
    uint64_t bytes = keeper->other.lines_bytes;
    for (size_t i = 0; i < MOST_KEPT; i++)
        bytes += keeper->kept[i].lines_bytes;
    return bytes;
}

/* Drops this file if it exceeds the limit. Dropping older ones instead would make every interval reread all of them.
 * Also drops it if its process that reads lines cannot continue, so that a new one starts. */
static void stay_within_bounds(struct keeper *keeper, struct kept *kept)
{
    bool ends = kept == &keeper->other || kept->builder.failed;
    if (kept->is_ahead)
        return;
    if (kept->names.lines) {
        ends |= elf_lines_is_worn(kept->names.lines);
        kept->lines_bytes = elf_lines_bytes(kept->names.lines);
    }
    if (!ends && proc_private_bytes(getpid()) + bytes_of_others(keeper) <= keeper->most_bytes)
        return;
    forget_file(kept);
    malloc_trim(0);
}

/* Looks up the names, and writes the answer. Returns false if there is none. */
static bool look_up(struct keeper *keeper)
{
    struct kept *kept = file_of_question(keeper);
    uint32_t *locations = kept ? hash_numbers(keeper->question.count) : NULL;
    size_t known = kept ? kept->known.count : 0;
    bool found =
        locations && locate_all(keeper, kept, locations) &&
        name_answer_write(&keeper->answer, &kept->builder, kept->names.module, locations, keeper->question.count);
    free(locations);
    if (kept && (!found || kept->known.count > known || kept == &keeper->other))
        stay_within_bounds(keeper, kept);
    return found;
}

/* Reads the tables of the question's file, so that the next question about it is answered soon. Its debug information
 * is read by another process in the meantime. */
static bool read_ahead(struct keeper *keeper)
{
    struct kept *kept = file_of_question(keeper);
    if (kept == &keeper->other) {
        forget_file(kept);
    } else if (kept) {
        kept->is_ahead = true;
        keeper->ahead_bytes += elf_lines_begin(kept->names.lines, AHEAD_BYTES - keeper->ahead_bytes);
    }
    return kept != NULL;
}

static bool answer_question(struct keeper *keeper)
{
    struct name_reply reply = {0};
    keeper->answer.length = 0;
    if (!keeper->question.count)
        return read_ahead(keeper);
    if (!buffer_append(&keeper->answer, &reply, sizeof reply) || !look_up(keeper))
        return false;
    reply.size = keeper->answer.length - sizeof reply;
    uint64_t cpu_ns = time_read_ns(CLOCK_PROCESS_CPUTIME_ID);
    reply.cpu_ns = cpu_ns - keeper->told_ns;
    keeper->told_ns = cpu_ns;
    memcpy(keeper->answer.bytes, &reply, sizeof reply);
    return socket_send(keeper->connection, keeper->answer.bytes, keeper->answer.length);
}

static void serve_connection(struct keeper *keeper)
{
    keeper->connections++;
    while (receive_question(keeper) && answer_question(keeper))
        if (keeper->fd >= 0)
            close(keeper->fd);
    if (keeper->fd >= 0)
        close(keeper->fd);
    for (size_t i = 0; i < MOST_KEPT; i++)
        if (keeper->kept[i].used + UNUSED_MOST < keeper->connections)
            forget_file(&keeper->kept[i]);
    free(keeper->offsets.items);
    memset(&keeper->offsets, 0, sizeof keeper->offsets);
    buffer_fini(&keeper->answer);
    close(keeper->connection);
}

int name_keeper_serve(int control, uint64_t most_bytes)
{
    struct keeper *keeper = calloc(1, sizeof *keeper);
    char byte;
    if (!keeper)
        return 1;
    keeper->most_bytes = most_bytes;
    for (;;) {
        keeper->connection = -1;
        if (!socket_receive(control, &byte, sizeof byte, &keeper->connection))
            return 0;
        if (keeper->connection >= 0)
            serve_connection(keeper);
        if (proc_private_bytes(getpid()) > most_bytes + most_bytes / 2)
            return 1; /* memory that the libraries do not give back */
    }
}

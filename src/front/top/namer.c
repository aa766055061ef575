/* SPDX-License-Identifier: MIT */
#include "front/top/namer.h"

#include "common/base/array.h"
#include "common/base/socket.h"
#include "front/top/namer_wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ANSWER_MOST = 64 << 20, TAKEN_AT_ONCE = 65536 };

/* Reads names, in the child. */
static int read_names(void *argument)
{
    int socket = *(const int *)argument;
    if (!child_keep(&socket, 1, true))
        return 1;
    namer_serve(socket);
    return 0;
}

int namer_start(struct namer *namer)
{
    int pair[2];
    *namer = (struct namer){.socket = -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return -errno;
    int result = child_start(&namer->child, "pt-names", read_names, &pair[1]);
    close(pair[1]);
    if (result < 0)
        close(pair[0]);
    else
        namer->socket = pair[0];
    return result;
}

static const char *module_of(const struct record *record, uint32_t object)
{
    const char *path = record->objects.items[object].path;
    return path && *path ? profile_module_name(path) : PROFILE_NAME_UNKNOWN;
}

/* Gives up: marks the requested places, from INDEX on, as unknown for good. */
static void give_up(struct namer *namer, size_t index, struct places *places, const struct record *record)
{
    for (; index < namer->asked_count; index++) {
        const char *module = module_of(record, places->places.items[namer->asked[index]].object);
        uint32_t function = places_function(places, PROFILE_NAME_UNKNOWN, module, true);
        if (function != HASH_NONE)
            places_set(places, namer->asked[index], &function, 1);
    }
    namer->asked_count = 0;
    namer->answer.length = 0;
}

static int by_address(const void *one, const void *other, void *of)
{
    const struct places_item *items = of;
    uint64_t a = items[*(const uint32_t *)one].address, b = items[*(const uint32_t *)other].address;
    return a < b ? -1 : a > b;
}

/* Sends QUESTION, and after it the texts of OBJECT and the ADDRESSES. This does not block: the other side has nothing
 * else to read, and a socket holds more. */
static bool send_question(const struct namer *namer, const struct namer_question *question, const struct object *object,
                          const uint64_t *addresses)
{
    struct iovec parts[] = {{(void *)(uintptr_t)question, sizeof *question},
                            {object->path ? object->path : (char[]){""}, question->path_size},
                            {object->root ? object->root : (char[]){""}, question->root_size},
                            {(void *)(uintptr_t)addresses, question->count * sizeof *addresses}};
    size_t count = sizeof parts / sizeof *parts, size = 0;
    for (size_t i = 0; i < count; i++)
        size += parts[i].iov_len;
    return socket_send_once(namer->socket, parts, count, object->fd, MSG_DONTWAIT) == (ssize_t)size;
}

static uint32_t size_of_text(const char *text)
{
    return text ? (uint32_t)strlen(text) + 1 : 1;
}

/* Names functions of interpreted languages, whose names are in RECORD. */
static void name_scripts(struct namer *namer, struct places *places, const struct record *record)
{
    char name[2048];
    for (size_t i = 0; i < namer->asked_count; i++) {
        const struct places_item *item = &places->places.items[namer->asked[i]];
        scripts_name(&record->scripts, scripts_number_of(item->address), name, sizeof name);
        uint32_t function = places_function(places, name, module_of(record, item->object), true);
        if (function != HASH_NONE)
            places_set(places, namer->asked[i], &function, 1);
    }
    namer->asked_count = 0;
}

void namer_ask(struct namer *namer, struct places *places, const struct record *record)
{
    uint64_t addresses[NAMER_ASKED];
    if (namer->asked_count || !(namer->asked_count = places_pick(places, namer->asked, NAMER_ASKED)))
        return;
    qsort_r(namer->asked, namer->asked_count, sizeof *namer->asked, by_address, places->places.items);
    for (size_t i = 0; i < namer->asked_count; i++)
        addresses[i] = places->places.items[namer->asked[i]].address;
    uint32_t number = places->places.items[namer->asked[0]].object;
    const struct object *object = &record->objects.items[number];
    if (object->kind == OBJECT_SCRIPT) {
        name_scripts(namer, places, record);
        return;
    }
    struct namer_question question = {
        .object = number,
        .kind = object->kind,
        .count = (uint32_t)namer->asked_count,
        .path_size = size_of_text(object->path),
        .root_size = size_of_text(object->root),
        .deleted = object->deleted,
    };
    if (question.path_size <= NAMER_TEXT_MOST && question.root_size <= NAMER_TEXT_MOST && namer->socket >= 0 &&
        send_question(namer, &question, object, addresses))
        return;
    give_up(namer, 0, places, record);
}

/* Takes two texts, each with its 0, in SIZE bytes. */
static bool take_function(struct namer *namer, struct places *places, const struct namer_entry *entry,
                          const char *texts)
{
    size_t first = strnlen(texts, entry->size);
    if (first + 1 >= entry->size || strnlen(texts + first + 1, entry->size - first - 1) != entry->size - first - 2 ||
        !ARRAY_RESERVE_ONE(&namer->functions))
        return false;
    uint32_t function = places_function(places, texts, texts + first + 1, entry->fixed);
    if (function == HASH_NONE)
        return false;
    namer->functions.items[namer->functions.count++] = function;
    return true;
}

static bool take_place(struct namer *namer, struct places *places, const struct namer_entry *entry, const char *bytes,
                       uint32_t place)
{
    uint32_t functions[NAMER_FRAMES_MOST], count = entry->size / (uint32_t)sizeof *functions;
    if (!count || count > NAMER_FRAMES_MOST || entry->size % sizeof *functions)
        return false;
    memcpy(functions, bytes, entry->size);
    for (uint32_t i = 0; i < count; i++) {
        if (functions[i] >= namer->functions.count)
            return false;
        functions[i] = namer->functions.items[functions[i]];
    }
    return places_set(places, place, functions, count);
}

static bool take_entry(struct namer *namer, struct places *places, const struct namer_entry *entry, const char *bytes,
                       size_t *taken)
{
    if (entry->type == NAMER_FUNCTION)
        return take_function(namer, places, entry, bytes);
    if (entry->type != NAMER_PLACE || *taken == namer->asked_count ||
        !take_place(namer, places, entry, bytes, namer->asked[*taken]))
        return false;
    ++*taken;
    return true;
}

/* Takes the whole answer, and sets *TAKEN to the number of its places. Returns false if a part of it made no sense. */
static bool take_answer(struct namer *namer, struct places *places, size_t *taken)
{
    const struct buffer *answer = &namer->answer;
    struct namer_entry entry;
    for (size_t at = sizeof(uint32_t); at < answer->length; at += entry.size) {
        if (answer->length - at < sizeof entry)
            return false;
        memcpy(&entry, answer->bytes + at, sizeof entry);
        at += sizeof entry;
        if (entry.size > answer->length - at || !take_entry(namer, places, &entry, answer->bytes + at, taken))
            return false;
    }
    return *taken == namer->asked_count;
}

/* Reads what has arrived. Returns false if nothing more will arrive. */
static bool read_answer(struct namer *namer)
{
    char bytes[TAKEN_AT_ONCE];
    ssize_t got;
    while ((got = recv(namer->socket, bytes, sizeof bytes, MSG_DONTWAIT)) > 0)
        if (namer->answer.length + (size_t)got > ANSWER_MOST || !buffer_append(&namer->answer, bytes, (size_t)got))
            return false;
    return got < 0 && (errno == EAGAIN || errno == EINTR);
}

bool namer_take(struct namer *namer, struct places *places, const struct record *record)
{
    uint32_t size = 0;
    if (namer->socket < 0)
        return false;
    bool there = read_answer(namer);
    if (namer->answer.length >= sizeof size)
        memcpy(&size, namer->answer.bytes, sizeof size);
    bool whole = namer->answer.length >= sizeof size && namer->answer.length - sizeof size >= size;
    if (!whole && there)
        return false;
    size_t taken = 0;
    bool sense = whole && namer->answer.length - sizeof size == size && take_answer(namer, places, &taken);
    give_up(namer, taken, places, record);
    if (!there || !sense)
        namer_end(namer);
    return true;
}

void namer_end(struct namer *namer)
{
    if (namer->socket >= 0)
        close(namer->socket);
    child_kill(&namer->child, 0);
    free(namer->functions.items);
    buffer_fini(&namer->answer);
    *namer = (struct namer){.socket = -1};
}

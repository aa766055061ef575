/* SPDX-License-Identifier: MIT
 *
 * The process that reads names. It keeps the last few requested objects open. */
#include "front/top/namer_wire.h"

#include "common/base/array.h"
#include "common/base/buffer.h"
#include "common/base/socket.h"
#include "common/text/names.h"
#include "front/naming/place_names.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_OPEN = 8, MOST_ADDRESSES = 4096 };

struct server {
    int socket;
    struct builder builder;
    struct server_object {
        struct object object; /* its texts are owned */
        uint32_t number;
        uint64_t used; /* 0: this slot is free */
        struct place_names names;
    } open[MOST_OPEN];
    uint64_t uses;
    struct {
        uint32_t *items;
        size_t count, room;
    } told; /* the front's numbers for the builder's functions; or NONE */
    uint32_t told_count;
    struct buffer answer;
    /* the question */
    struct namer_question question;
    int fd;
    char path[NAMER_TEXT_MOST], root[NAMER_TEXT_MOST];
    uint64_t addresses[MOST_ADDRESSES];
};

static bool receive(struct server *server, void *bytes, size_t size)
{
    return socket_receive(server->socket, bytes, size, &server->fd);
}

static bool receive_question(struct server *server)
{
    struct namer_question *question = &server->question;
    server->fd = -1;
    if (!receive(server, question, sizeof *question) || question->count > MOST_ADDRESSES || !question->path_size ||
        question->path_size > NAMER_TEXT_MOST || !question->root_size || question->root_size > NAMER_TEXT_MOST)
        return false;
    return receive(server, server->path, question->path_size) && receive(server, server->root, question->root_size) &&
           receive(server, server->addresses, question->count * sizeof *server->addresses);
}

static void close_object(struct server_object *open)
{
    if (open->used) {
        place_names_close(&open->names);
        if (open->object.fd >= 0)
            close(open->object.fd);
        free(open->object.path);
        free(open->object.root);
    }
    *open = (struct server_object){0};
}

/* Returns the slot of the requested object, or otherwise the least recently used slot. */
static struct server_object *place_for(struct server *server)
{
    struct server_object *oldest = &server->open[0];
    for (size_t i = 0; i < MOST_OPEN; i++) {
        struct server_object *open = &server->open[i];
        if (open->used && open->number == server->question.object)
            return open;
        if (open->used < oldest->used)
            oldest = open;
    }
    return oldest;
}

/* A JIT map may have been replaced or extended since. */
static struct server_object *open_object(struct server *server)
{
    struct server_object *open = place_for(server);
    bool again = open->used && open->number == server->question.object && server->question.kind != OBJECT_JIT;
    if (!again) {
        close_object(open);
        open->number = server->question.object;
        open->object = (struct object){
            .kind = (enum object_kind)server->question.kind,
            .path = strdup(server->path),
            .root = strdup(server->root),
            .fd = server->fd,
            .deleted = server->question.deleted,
        };
        place_names_open(&open->names, &server->builder, &open->object);
    } else if (server->fd >= 0) {
        close(server->fd);
    }
    open->used = ++server->uses;
    place_names_read_map(&open->names, &open->object, server->addresses, server->question.count);
    return open;
}

static void add_entry(struct server *server, struct namer_entry entry, const void *bytes, size_t size)
{
    entry.size = (uint32_t)size;
    buffer_append(&server->answer, &entry, sizeof entry);
    buffer_append(&server->answer, bytes, size);
}

/* Returns the front's number of FUNCTION, and sends the function if it is new to the front. */
static uint32_t number_of(struct server *server, uint32_t function)
{
    const struct profile *profile = server->builder.profile;
    const struct profile_function *about = &profile->functions[function];
    struct buffer texts = {0};
    while (server->told.count <= function && ARRAY_RESERVE_ONE(&server->told))
        server->told.items[server->told.count++] = PROFILE_NONE;
    if (server->told.count <= function)
        return PROFILE_NONE;
    if (server->told.items[function] != PROFILE_NONE)
        return server->told.items[function];
    const char *module = profile->modules[about->module].name;
    buffer_append(&texts, about->name, strlen(about->name) + 1);
    buffer_append(&texts, module, strlen(module) + 1);
    bool fixed = names_stay(about->name, about->linkage_name != NULL);
    add_entry(server, (struct namer_entry){.type = NAMER_FUNCTION, .fixed = fixed}, texts.bytes, texts.length);
    server->answer.failed |= texts.failed;
    buffer_fini(&texts);
    return server->told.items[function] = server->told_count++;
}

/* Adds the functions at LOCATION. */
static void add_place(struct server *server, uint32_t location)
{
    const struct profile *profile = server->builder.profile;
    const struct profile_location *about = &profile->locations[location];
    uint32_t numbers[NAMER_FRAMES_MOST],
        count = about->line_count < NAMER_FRAMES_MOST ? about->line_count : NAMER_FRAMES_MOST;
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = number_of(server, profile->lines[about->line_first + i].function);
    if (!count)
        numbers[count++] = number_of(server, about->function);
    add_entry(server, (struct namer_entry){.type = NAMER_PLACE}, numbers, count * sizeof *numbers);
}

static bool send_answer(struct server *server)
{
    uint32_t size = (uint32_t)(server->answer.length - sizeof size);
    memcpy(server->answer.bytes, &size, sizeof size);
    return socket_send(server->socket, server->answer.bytes, server->answer.length);
}

static bool answer(struct server *server)
{
    const uint32_t size_comes_here = 0;
    struct server_object *open = open_object(server);
    server->answer.length = 0;
    buffer_append(&server->answer, &size_comes_here, sizeof size_comes_here);
    for (uint32_t i = 0; i < server->question.count; i++) {
        uint32_t location = server->builder.failed
                                ? PROFILE_NONE
                                : place_names_location(&open->names, server->addresses[i], UINT64_MAX);
        if (location == PROFILE_NONE)
            return false;
        add_place(server, location);
    }
    return !server->answer.failed && send_answer(server);
}

void namer_serve(int socket)
{
    struct server *server = calloc(1, sizeof *server);
    if (!server)
        return;
    server->socket = socket;
    builder_init(&server->builder);
    while (receive_question(server) && answer(server))
        continue;
}

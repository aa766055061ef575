/* SPDX-License-Identifier: MIT */
#include "front/naming/ahead.h"

#include "front/record/record.h"

static bool is_asked(const struct naming_ahead *ahead, uint32_t object)
{
    for (size_t i = 0; i < ahead->count; i++)
        if (ahead->objects[i] == object)
            return true;
    return false;
}

/* Starts the process if it does not run yet. It keeps no file beyond the answer about it, except those read ahead. */
static bool ask(struct naming_ahead *ahead, const struct object *object)
{
    if (!ahead->count && name_server_start(&ahead->server, 0, false) < 0)
        return false;
    return name_server_read_ahead(&ahead->server, object);
}

void naming_ahead_turn(struct naming_ahead *ahead, const struct record *record)
{
    for (; !ahead->over && ahead->nodes < record->nodes.count; ahead->nodes++) {
        uint32_t number = record->nodes.items[ahead->nodes].object;
        const struct object *object = &record->objects.items[number];
        if (object->kind != OBJECT_FILE || object->fd < 0 || is_asked(ahead, number))
            continue;
        bool asked = ask(ahead, object);
        ahead->objects[ahead->count++] = number;
        ahead->over = !asked || ahead->count == NAMING_AHEAD_MOST;
    }
}

void naming_ahead_end(struct naming_ahead *ahead)
{
    name_server_end(&ahead->server);
}

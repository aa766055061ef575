/* SPDX-License-Identifier: MIT */
#include "front/top/namer.h"

#include "front/naming/place_names.h"
#include "front/top/places.h"
#include "profile/profile/builder.h"

#include <errno.h>
#include <stdlib.h>

/* The process keeps much, because reading the tables of a large program again would take longer than a slot of the live
 * view. It looks at its memory and at unused files after each connection. */
enum { MOST_BYTES = 1 << 30, QUESTIONS_OF_CONNECTION = 256 };

static const char *module_of(const struct record *record, uint32_t object)
{
    const char *path = record->objects.items[object].path;
    return path && *path ? profile_module_name(path) : PROFILE_NAME_UNKNOWN;
}

/* Gives the requested places, from INDEX on, names for good that no file has. */
static void name_fixed(struct namer *namer, size_t index, struct places *places, const struct record *record)
{
    char script[2048];
    for (; index < namer->asked_count; index++) {
        const struct places_item *item = &places->places.items[namer->asked[index]];
        const char *name = PROFILE_NAME_UNKNOWN;
        if (record->objects.items[item->object].kind == OBJECT_SCRIPT) {
            scripts_name(&record->scripts, scripts_number_of(item->address), script, sizeof script);
            name = script;
        }
        uint32_t function = places_function(places, name, module_of(record, item->object), true);
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

static bool send_question(struct namer *namer, const struct places *places, const struct object *object)
{
    uint64_t addresses[NAMER_ASKED];
    for (size_t i = 0; i < namer->asked_count; i++)
        addresses[i] = places->places.items[namer->asked[i]].address;
    if (++namer->questions % QUESTIONS_OF_CONNECTION == 0)
        name_server_hang_up(&namer->server);
    while (!name_server_send(&namer->server, object, addresses, (uint32_t)namer->asked_count, false)) {
        if (namer->restarts == NAMER_RESTARTS)
            return false;
        namer->restarts++;
        name_server_end(&namer->server);
        name_server_start(&namer->server, MOST_BYTES, false);
    }
    return true;
}

void namer_start(struct namer *namer)
{
    *namer = (struct namer){0};
    name_server_start(&namer->server, MOST_BYTES, false);
}

void namer_ask(struct namer *namer, struct places *places, const struct record *record)
{
    if (namer->asked_count || !(namer->asked_count = places_pick(places, namer->asked, NAMER_ASKED)))
        return;
    qsort_r(namer->asked, namer->asked_count, sizeof *namer->asked, by_address, places->places.items);
    const struct object *object = &record->objects.items[places->places.items[namer->asked[0]].object];
    if (object->kind == OBJECT_SCRIPT || !send_question(namer, places, object))
        name_fixed(namer, 0, places, record);
}

int namer_socket(const struct namer *namer)
{
    return namer->asked_count ? namer->server.connection : -1;
}

/* Takes the names in the answer. Returns the number of requested places, from the first on, that have names now. */
static size_t take_names(struct namer *namer, struct places *places, const struct record *record)
{
    const struct object *object = &record->objects.items[places->places.items[namer->asked[0]].object];
    const struct buffer *answer = &namer->answer;
    struct place_names names;
    size_t taken = 0;
    if (!places->known.profile)
        builder_init(&places->known);
    if (place_names_take(&names, &places->known, object, answer->bytes, answer->length, namer->asked_count))
        for (; taken < namer->asked_count; taken++) {
            uint32_t location = place_names_location(&names, 0, UINT64_MAX);
            if (location == PROFILE_NONE || !places_set_location(places, namer->asked[taken], location))
                break;
        }
    place_names_close(&names);
    return taken;
}

bool namer_take(struct namer *namer, struct places *places, const struct record *record)
{
    int result = namer->asked_count ? name_server_receive(&namer->server, &namer->answer) : -EAGAIN;
    if (result == -EAGAIN)
        return false;
    size_t taken = result < 0 ? 0 : take_names(namer, places, record);
    if (result < 0)
        name_server_end(&namer->server); /* an answer without sense is about one file */
    name_fixed(namer, taken, places, record);
    return true;
}

void namer_end(struct namer *namer)
{
    name_server_end(&namer->server);
    buffer_fini(&namer->answer);
    *namer = (struct namer){.server = NAME_SERVER_NONE};
}

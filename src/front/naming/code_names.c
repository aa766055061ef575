/* SPDX-License-Identifier: MIT */
#include "front/naming/code_names.h"

#include "common/base/buffer.h"
#include "front/naming/name_answer.h"
#include "front/naming/name_server.h"
#include "front/record/object.h"
#include "profile/code/origin.h"
#include "profile/profile/builder.h"

/* Adds the places of the answer in BYTES to BUILDER. Returns false if it makes no sense. */
static bool take(struct builder *builder, const struct buffer *bytes, const struct origin *origin, size_t count,
                 uint32_t *locations, int *no_lines)
{
    struct name_answer answer = {0};
    const struct profile_module like = {.path = origin->module->path};
    bool taken = name_answer_read(&answer, bytes->bytes, bytes->length, count, builder, &like);
    *no_lines = answer.no_lines;
    for (size_t i = 0; taken && i < count; i++)
        locations[i] = name_answer_next(&answer, builder, UINT64_MAX);
    name_answer_free(&answer);
    return taken && !builder->failed;
}

static struct profile *find(void *of, const struct origin *origin, const uint64_t *offsets, size_t count,
                            uint32_t *locations, int *no_lines)
{
    const struct object object = {
        .kind = origin->fd >= 0 ? OBJECT_FILE : OBJECT_VDSO,
        .path = origin->path,
        .root = (char *)(uintptr_t)origin->root,
        .fd = origin->fd,
        .viewer = origin->viewer,
    };
    enum { MOST_KEPT = 1 << 30 }; /* bytes of tables, for the next function of the file */
    struct name_server *server = of;
    struct buffer bytes = {0};
    struct builder builder;
    if (server->socket < 0)
        name_server_start(server, MOST_KEPT, false);
    bool asked = count <= UINT32_MAX && name_server_ask(server, &object, offsets, (uint32_t)count, &bytes);
    if (!asked) {
        buffer_fini(&bytes);
        return NULL;
    }
    builder_init(&builder);
    bool taken = !builder.failed && take(&builder, &bytes, origin, count, locations, no_lines);
    buffer_fini(&bytes);
    struct profile *profile = builder_finish(&builder);
    if (taken)
        return profile;
    profile_free(profile);
    return NULL;
}

struct code_names code_names_of(struct name_server *server)
{
    return (struct code_names){find, server};
}

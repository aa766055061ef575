/* SPDX-License-Identifier: MIT */
#include "profile/push/message.h"

#include "common/base/array.h"
#include "common/base/protobuf.h"
#include "common/text/text.h"
#include "profile/push/otlp_dictionary.h"
#include "profile/push/pieces.h"
#include "profile/stored/pack.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum {
    REQUEST_MOST = 2 << 20,
    SAMPLE_MOST = 20,
    CONTAINER_MOST = 80,
    PROCESSES_MOST = 16,
    CGROUP_MOST = 4096,
    ID_SIZE = 16
};

/* The measured values: CPU time and wall time. */
enum { CPU, WALL, KINDS };

static const char *const kinds[KINDS] = {[CPU] = "cpu", [WALL] = "wall"};

/* The nanoseconds of a stack. */
struct values {
    uint64_t ns[KINDS];
};

struct writer {
    const struct profile *profile;
    const struct push_about *about;
    message_taker *take;
    void *of;
    struct otlp_dictionary dictionary;
    struct buffer resources; /* that are complete */
    struct {
        struct values *items; /* for each stack of the dictionary, the current resource's values */
        size_t count, room;
    } stacks;
    size_t sample_count; /* of the request */
};

static void put_attribute(struct buffer *resource, const char *key, size_t length, const char *value)
{
    struct buffer clean = {0}, any = {0}, pair = {0};
    text_clean(&clean, value, true);
    protobuf_put_bytes(&any, OTLP_STRING, clean.bytes, clean.length);
    protobuf_put_bytes(&pair, OTLP_KEY, key, length);
    protobuf_put_bytes(&pair, OTLP_VALUE, any.bytes, any.length);
    protobuf_put_bytes(resource, OTLP_RESOURCE_ATTRIBUTE, pair.bytes, pair.length);
    resource->failed |= clean.failed || any.failed || pair.failed;
    buffer_fini(&clean);
    buffer_fini(&any);
    buffer_fini(&pair);
}

/* What a label is called as an attribute. */
static const struct {
    const char *label, *attribute;
} names[] = {
    {"service_name", "service.name"},
    {"process", "process.executable.name"},
    {"hostname", "host.name"},
    {"container_id", "container.id"},
    {"unit", "unit"},
    {"rank", "rank"},
};

/* Writes the attribute for LABEL, unless --push-label sets it. */
static void put_own(struct buffer *resource, const struct push_options *options, size_t name, const char *value)
{
    if (value && *value && !push_has_label(options, names[name].label))
        put_attribute(resource, names[name].attribute, strlen(names[name].attribute), value);
}

static void put_given(struct buffer *resource, const struct push_label *label)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (push_label_is(label, names[i].label)) {
            put_attribute(resource, names[i].attribute, strlen(names[i].attribute), label->value);
            return;
        }
    put_attribute(resource, label->name, label->name_length, label->value);
}

static void put_resource(struct buffer *out, const struct writer *writer, const struct profile_process *like)
{
    const struct push_options *options = writer->about->options;
    struct buffer resource = {0};
    char service[64], rank[16];
    snprintf(rank, sizeof rank, "%u", like->rank.number);
    const char *const own[] = {message_service(writer->about, like, service, sizeof service),
                               like->comm,
                               writer->about->host,
                               like->container,
                               like->unit,
                               like->rank.known ? rank : NULL};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        put_own(&resource, options, i, own[i]);
    for (size_t i = 0; i < options->label_count; i++)
        put_given(&resource, &options->labels[i]);
    protobuf_put_bytes(out, OTLP_RESOURCE, resource.bytes, resource.length);
    out->failed |= resource.failed;
    buffer_fini(&resource);
}

/* Adds the Profile of KIND to SCOPE, if it has any time. */
static void put_profile(struct buffer *scope, struct writer *writer, size_t kind)
{
    const struct profile_quality *quality = &writer->profile->quality;
    struct buffer profile = {0};
    unsigned char id[ID_SIZE];
    for (size_t i = 0; i < writer->stacks.count; i++) {
        struct otlp_sample sample = {i, &writer->stacks.items[i].ns[kind], 1};
        if (*sample.values)
            protobuf_put_message(&profile, OTLP_SAMPLE, &otlp_sample_layout, &sample);
    }
    if (!profile.length)
        return;
    struct otlp_value_type type = {otlp_dictionary_text(&writer->dictionary, kinds[kind]),
                                   otlp_dictionary_text(&writer->dictionary, "nanoseconds")};
    struct otlp_value_type period = {otlp_dictionary_text(&writer->dictionary, kinds[quality->wall ? WALL : CPU]),
                                     type.unit};
    struct otlp_profile message = {&type, &period, quality->began_ns, quality->wall_ns,
                                   quality->rate ? 1000000000 / quality->rate : 0};
    protobuf_put(&profile, &otlp_profile_layout, &message);
    if (getrandom(id, sizeof id, GRND_NONBLOCK) == sizeof id)
        protobuf_put_bytes(&profile, OTLP_PROFILE_ID, id, sizeof id);
    protobuf_put_bytes(scope, OTLP_PROFILE, profile.bytes, profile.length);
    scope->failed |= profile.failed;
    buffer_fini(&profile);
}

/* Completes the current resource, for processes like LIKE, if it has samples. */
static void end_resource(struct writer *writer, const struct profile_process *like)
{
    struct buffer resource = {0}, scope = {0}, library = {0};
    if (!writer->stacks.count)
        return;
    protobuf_put_bytes(&library, OTLP_SCOPE_NAME, "ptprofil", strlen("ptprofil"));
    protobuf_put_bytes(&library, OTLP_SCOPE_VERSION, PACKAGE_VERSION, strlen(PACKAGE_VERSION));
    protobuf_put_bytes(&scope, OTLP_SCOPE, library.bytes, library.length);
    for (size_t i = 0; i < KINDS; i++)
        put_profile(&scope, writer, i);
    writer->stacks.count = 0;
    put_resource(&resource, writer, like);
    protobuf_put_bytes(&resource, OTLP_SCOPE_PROFILES, scope.bytes, scope.length);
    protobuf_put_bytes(&writer->resources, OTLP_RESOURCE_PROFILES, resource.bytes, resource.length);
    writer->resources.failed |= library.failed || scope.failed || resource.failed;
    buffer_fini(&library);
    buffer_fini(&scope);
    buffer_fini(&resource);
}

/* Passes the request on if it is not empty, and begins the next one. */
static int end_request(struct writer *writer)
{
    struct buffer *body = &writer->resources;
    char *bytes;
    size_t size;
    if (!body->length && !body->failed)
        return 0;
    protobuf_put_bytes(body, OTLP_DICTIONARY, writer->dictionary.bytes.bytes, writer->dictionary.bytes.length);
    body->failed |= writer->dictionary.bytes.failed;
    otlp_dictionary_fini(&writer->dictionary);
    writer->sample_count = 0;
    int result = pack_bytes(body, &bytes, &size);
    if (!result)
        result = writer->take(writer->of, bytes, size);
    free(bytes);
    return !otlp_dictionary_init(&writer->dictionary, writer->profile) && !result ? -ENOMEM : result;
}

static bool is_full(const struct writer *writer)
{
    size_t samples = writer->stacks.count * KINDS * SAMPLE_MOST;
    return writer->sample_count >= PIECES_SAMPLES ||
           writer->resources.length + samples + writer->dictionary.bytes.length > REQUEST_MOST;
}

/* Adds time of STACK to the current resource, for processes like LIKE. */
static int put_sample(struct writer *writer, const struct profile_process *like, uint64_t stack, uint64_t cpu_ns,
                      uint64_t all_ns)
{
    struct values *items = writer->stacks.items;
    if (stack >= writer->stacks.count) {
        if (!array_reserve_((void **)&writer->stacks.items, &writer->stacks.room, stack + 1, sizeof *items))
            return -ENOMEM;
        items = writer->stacks.items;
        memset(items + writer->stacks.count, 0, (stack + 1 - writer->stacks.count) * sizeof *items);
        writer->stacks.count = stack + 1;
    }
    items[stack].ns[CPU] += cpu_ns;
    items[stack].ns[WALL] += writer->profile->quality.wall ? all_ns : 0;
    writer->sample_count++;
    if (!is_full(writer))
        return 0;
    end_resource(writer, like);
    return end_request(writer);
}

static int put_series(void *of, const struct pieces_series *series)
{
    struct writer *writer = of;
    int result = 0;
    if (series->unsampled_ns + series->unsampled_wait_ns)
        result = put_sample(writer, series->like, otlp_dictionary_unsampled(&writer->dictionary), series->unsampled_ns,
                            series->unsampled_ns + series->unsampled_wait_ns);
    for (size_t i = 0; i < series->count && !result; i++) {
        const struct profile_sample *sample = &series->samples[i];
        if (profile_sample_ns(sample))
            result = put_sample(writer, series->like, otlp_dictionary_stack(&writer->dictionary, sample),
                                sample->cpu_ns, profile_sample_ns(sample));
    }
    end_resource(writer, series->like);
    return result;
}

int otlp_write(const struct profile *profile, const struct push_about *about, message_taker *take, void *of)
{
    struct writer writer = {.profile = profile, .about = about, .take = take, .of = of};
    int result = -ENOMEM;
    if (otlp_dictionary_init(&writer.dictionary, profile)) {
        result = pieces_each(profile, put_series, &writer);
        if (!result)
            result = end_request(&writer);
        otlp_dictionary_fini(&writer.dictionary);
    }
    free(writer.stacks.items);
    buffer_fini(&writer.resources);
    return result;
}

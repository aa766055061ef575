/* SPDX-License-Identifier: MIT
 *
 * Pyroscope: PushRequest.series = 1 of labels = 1 (name = 1, value = 2) and samples = 2 (raw_profile = 1, ID = 2), by
 * its api/push/v1/push.proto. Parca: WriteRawRequest as JSON, by its proto/parca/profilestore/v1alpha1. */
#include "profile/push/message.h"

#include "common/base/protobuf.h"
#include "common/base/time.h"
#include "common/text/json.h"
#include "common/text/text.h"
#include "profile/profile/profile.h"
#include "profile/push/http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { PUSH_SERIES = 1, SERIES_LABELS = 1, SERIES_SAMPLES = 2 };
enum { LABEL_NAME = 1, LABEL_VALUE = 2, RAW_PROFILE = 1, RAW_ID = 2 };

/* The output for labels: an entry of a series, or text. */
struct labels {
    struct buffer *out;
    enum push_protocol protocol;
    bool some;
};

/* Appends VALUE to OUT as valid UTF-8, without invisible characters, and "unknown" if it is empty. Otherwise servers
 * may refuse the profile. */
static void clean_value(struct buffer *out, const char *value)
{
    text_clean(out, value, true);
    if (!out->length)
        buffer_puts(out, "unknown");
    out->failed |= !buffer_append(out, "", 1);
}

static void put_pair(struct labels *labels, const char *name, size_t length, const char *value)
{
    struct buffer pair = {0};
    if (labels->protocol == PUSH_PYROSCOPE) {
        protobuf_put_bytes(&pair, LABEL_NAME, name, length);
        protobuf_put_bytes(&pair, LABEL_VALUE, value, strlen(value));
        protobuf_put_bytes(labels->out, SERIES_LABELS, pair.bytes, pair.length);
    } else {
        buffer_printf(&pair, "%.*s", (int)length, name);
        buffer_puts(labels->out, labels->some ? ",{" : "{");
        json_text(labels->out, "name", pair.bytes);
        json_text(labels->out, "value", value);
        buffer_puts(labels->out, "}");
    }
    labels->some = true;
    labels->out->failed |= pair.failed;
    buffer_fini(&pair);
}

static void put_label(struct labels *labels, const char *name, size_t length, const char *value)
{
    struct buffer clean = {0};
    clean_value(&clean, value);
    if (!clean.failed)
        put_pair(labels, name, length, clean.bytes);
    labels->out->failed |= clean.failed;
    buffer_fini(&clean);
}

const char *message_service(const struct push_about *about, const struct profile_process *like, char *text, size_t size)
{
    return about->service ? about->service : profile_service(like, like->comm, text, size);
}

static void put_labels(struct labels *labels, const struct push_about *about, const struct profile_process *like)
{
    const struct push_options *options = about->options;
    char service[64], rank[16];
    snprintf(rank, sizeof rank, "%u", like->rank.number);
    const struct {
        const char *name, *value; /* NULL: not known */
    } own[] = {{"__name__", about->kind},
               {"service_name", message_service(about, like, service, sizeof service)},
               {"process", like->comm},
               {"hostname", about->host},
               {"unit", like->unit},
               {"container_id", like->container},
               {"rank", like->rank.known ? rank : NULL}};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (own[i].value && !push_has_label(options, own[i].name))
            put_label(labels, own[i].name, strlen(own[i].name), own[i].value);
    for (size_t i = 0; i < options->label_count; i++)
        put_label(labels, options->labels[i].name, options->labels[i].name_length, options->labels[i].value);
}

/* Makes a random UUID. */
static void make_id(char id[37])
{
    struct {
        uint32_t a;
        uint16_t b, c, d, e;
        uint32_t f;
    } number = {0};
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) < 0)
        number.a = (uint32_t)time_now_ns();
    snprintf(id, 37, "%08x-%04x-4%03x-%04x-%04x%08x", number.a, number.b, number.c & 0xfff,
             (number.d & 0x3fff) | 0x8000, number.e, number.f);
}

static void put_protobuf(struct buffer *body, const struct push_about *about, const struct profile_process *like,
                         const void *bytes, size_t size)
{
    struct buffer series = {0}, sample = {0};
    struct labels labels = {&series, PUSH_PYROSCOPE, false};
    char id[37];
    make_id(id);
    put_labels(&labels, about, like);
    protobuf_put_bytes(&sample, RAW_PROFILE, bytes, size);
    protobuf_put_bytes(&sample, RAW_ID, id, strlen(id));
    protobuf_put_bytes(&series, SERIES_SAMPLES, sample.bytes, sample.length);
    protobuf_put_bytes(body, PUSH_SERIES, series.bytes, series.length);
    body->failed |= series.failed || sample.failed;
    buffer_fini(&series);
    buffer_fini(&sample);
}

static void put_json(struct buffer *body, const struct push_about *about, const struct profile_process *like,
                     const void *bytes, size_t size)
{
    struct labels labels = {body, PUSH_PARCA, false};
    buffer_puts(body, body->length ? "," : "{\"series\":[");
    buffer_puts(body, "{\"labels\":{\"labels\":[");
    put_labels(&labels, about, like);
    buffer_puts(body, "]},\"samples\":[{\"rawProfile\":\"");
    buffer_base64(body, bytes, size);
    buffer_puts(body, "\"}]}");
}

void message_put(struct buffer *body, enum push_protocol protocol, const struct push_about *about,
                 const struct profile_process *like, const void *bytes, size_t size)
{
    if (protocol == PUSH_PYROSCOPE)
        put_protobuf(body, about, like, bytes, size);
    else
        put_json(body, about, like, bytes, size);
}

void message_end(struct buffer *body, enum push_protocol protocol)
{
    if (protocol == PUSH_PARCA)
        buffer_puts(body, "]}");
}

struct http_content message_content(enum push_protocol protocol)
{
    static const struct http_content contents[] = {[PUSH_PYROSCOPE] = {"application/proto", NULL},
                                                   [PUSH_PARCA] = {"application/json", NULL},
                                                   [PUSH_OTLP] = {"application/x-protobuf", "gzip"},
                                                   [PUSH_CLICKHOUSE] = {"application/x-ndjson", "gzip"}};
    return contents[protocol];
}

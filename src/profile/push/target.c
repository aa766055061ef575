/* SPDX-License-Identifier: MIT */
#include "profile/push/target.h"

#include "common/base/buffer.h"
#include "common/base/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

static const struct {
    const char *prefix;
    enum push_protocol protocol;
    const char *path; /* NULL: the database is in the address */
} protocols[] = {
    {"pyroscope+", PUSH_PYROSCOPE, "/push.v1.PusherService/Push"},
    {"parca+", PUSH_PARCA, "/api/profiles/writeraw"},
    {"otlp+", PUSH_OTLP, "/v1development/profiles"},
    {"clickhouse+", PUSH_CLICKHOUSE, NULL},
};

int push_read_headers(const char *path, struct buffer *text, struct error *error)
{
    enum { MOST = 65536 };
    int result = path ? buffer_read_path(text, path, MOST) : 0;
    return result < 0 ? error_system(error, -result, "--push-headers: cannot read '%s'", path) : 0;
}

void push_options_fini(struct push_options *options)
{
    for (size_t i = 0; i < options->target_count; i++) {
        free(options->targets[i].shown);
        free(options->targets[i].endpoint);
    }
    options->target_count = 0;
}

const char *target_host(const char *url)
{
    const char *host = !strncmp(url, "http://", 7) ? url + 7 : !strncmp(url, "https://", 8) ? url + 8 : NULL;
    if (!host || !*host || strchr("/:@?#", *host) || strpbrk(host, "?# \t\r\n"))
        return NULL;
    return host;
}

char *target_without_password(const char *text, const char *host)
{
    size_t length = strcspn(host, "/");
    const char *at = memchr(host, '@', length);
    char *shown = NULL;
    if (!at)
        return strdup(text);
    return asprintf(&shown, "%.*s***%s", (int)(host - text), text, at) < 0 ? NULL : shown;
}

void target_put_address(struct buffer *out, const char *url, size_t length)
{
    const char *host = target_host(url), *end = url + length, *slash = memrchr(host, '/', (size_t)(end - host));
    const char *database = slash ? slash + 1 : end;
    buffer_append(out, url, (size_t)((slash ? slash : end) - url));
    buffer_puts(out, "/?");
    if (database < end)
        buffer_puts(out, "database=");
    for (const char *at = database; at < end; at++)
        buffer_printf(out, *at == '&' || *at == '+' ? "%%%02X" : "%c", (unsigned char)*at);
    if (database < end)
        buffer_puts(out, "&");
}

/* Returns the address to which rows are sent, or NULL if memory runs out. */
static char *insert_url(const char *url, size_t length)
{
    struct buffer out = {0};
    target_put_address(&out, url, length);
    buffer_puts(&out, "query=INSERT%20INTO%20ptprofil_rows%20FORMAT%20JSONEachRow");
    if (!out.failed)
        return out.bytes;
    buffer_fini(&out);
    return NULL;
}

/* Sets the address of TARGET from URL: http(s)://, or unix:SOCKET. PATH is the protocol's path, or NULL. Returns false
 * if URL has another form. */
static bool find_place(struct push_target *target, const char *url, const char *path)
{
    const char *host = target_host(url), *socket = strncmp(url, "unix:/", 6) ? NULL : url + 5;
    size_t end = strlen(url);
    if (socket && path && strlen(socket) < sizeof((struct sockaddr_un *)0)->sun_path) {
        target->shown = strdup(target->text);
        target->socket = socket;
        target->endpoint = asprintf(&target->endpoint, "http://localhost%s", path) < 0 ? NULL : target->endpoint;
        return true;
    }
    if (!host)
        return false;
    while (url[end - 1] == '/')
        end--;
    target->shown = target_without_password(target->text, host);
    if (!path)
        target->endpoint = insert_url(url, end);
    else
        target->endpoint = asprintf(&target->endpoint, "%.*s%s", (int)end, url, path) < 0 ? NULL : target->endpoint;
    return true;
}

int push_add_target(struct push_options *options, const char *option, const char *text, struct error *error)
{
    struct push_target *target = &options->targets[options->target_count];
    if (options->target_count == PUSH_TARGETS_MOST)
        return error_set(error, EINVAL, "%s: more than %d servers", option, PUSH_TARGETS_MOST);
    for (size_t i = 0; i < sizeof protocols / sizeof *protocols; i++) {
        size_t length = strlen(protocols[i].prefix);
        *target = (struct push_target){.protocol = protocols[i].protocol, .text = text};
        if (strncmp(text, protocols[i].prefix, length) != 0 || !find_place(target, text + length, protocols[i].path))
            continue;
        options->target_count++;
        return target->shown && target->endpoint ? 0 : error_set(error, ENOMEM, "out of memory");
    }
    return error_set(error, EINVAL,
                     "%s: '%s' is not a server such as pyroscope+http://HOST:4040, parca+http://HOST:7070, "
                     "otlp+http://HOST:4318 or clickhouse+http://HOST:8123/DATABASE (or +https, or +unix:/SOCKET)",
                     option, text);
}

bool push_label_is(const struct push_label *label, const char *name)
{
    return strlen(name) == label->name_length && !memcmp(name, label->name, label->name_length);
}

bool push_has_label(const struct push_options *options, const char *name)
{
    for (size_t i = 0; i < options->label_count; i++)
        if (push_label_is(&options->labels[i], name))
            return true;
    return false;
}

bool push_is_label(const char *name, size_t length)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", digits[] = "0123456789";
    if (!length || strchr(digits, *name) || (length > 1 && name[0] == '_' && name[1] == '_'))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!name[i] || (!strchr(letters, name[i]) && !strchr(digits, name[i])))
            return false;
    return true;
}

int push_add_label(struct push_options *options, const char *option, const char *text, struct error *error)
{
    const char *equals = strchr(text, '=');
    if (!equals || !push_is_label(text, (size_t)(equals - text)) || !equals[1] || strlen(equals + 1) > PUSH_VALUE_MOST)
        return error_set(error, EINVAL,
                         "%s: '%s' is not NAME=VALUE; a name has letters, digits and underscores, and a value at most "
                         "%d bytes",
                         option, text, PUSH_VALUE_MOST);
    if (options->label_count == PUSH_LABELS_MOST)
        return error_set(error, EINVAL, "%s: more than %d labels", option, PUSH_LABELS_MOST);
    options->labels[options->label_count++] = (struct push_label){text, (size_t)(equals - text), equals + 1};
    return 0;
}

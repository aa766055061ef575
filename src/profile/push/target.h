/* SPDX-License-Identifier: MIT
 *
 * The options of --push: servers to which profiles are sent, and labels of the profiles. */
#ifndef PUSH_TARGET_H
#define PUSH_TARGET_H

#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct error;

enum push_protocol {
    PUSH_PYROSCOPE,  /* push.v1.PusherService/Push, a Protocol Buffers message; Grafana Alloy accepts it, too */
    PUSH_PARCA,      /* WriteRaw, the same as JSON */
    PUSH_OTLP,       /* profiles of OpenTelemetry, which are in development: see push/otlp_format.h */
    PUSH_CLICKHOUSE, /* INSERT of rows as lines of JSON */
};

struct push_target {
    enum push_protocol protocol;
    const char *text;   /* as given; not owned */
    char *shown;        /* the same without a password; owned */
    char *endpoint;     /* where to POST; owned */
    const char *socket; /* the Unix socket to connect to, in `text`, or NULL: by TCP */
};

/* A label for all profiles. Not owned: NAME is NAME_LENGTH bytes of an argument. */
struct push_label {
    const char *name;
    size_t name_length;
    const char *value;
};

enum { PUSH_TARGETS_MOST = 8, PUSH_LABELS_MOST = 16, PUSH_VALUE_MOST = 128 };

/* Zero it before the first use. */
struct push_options {
    struct push_target targets[PUSH_TARGETS_MOST];
    size_t target_count;
    struct push_label labels[PUSH_LABELS_MOST];
    size_t label_count;
    const char *headers; /* a file with a header for requests in each line, or NULL */
};

/* Reads the file PATH of --push-headers into an empty TEXT; NULL: none. Returns 0, or -errno with ERROR set. */
int push_read_headers(const char *path, struct buffer *text, struct error *error);

void push_options_fini(struct push_options *options);

/* Adds the target TEXT, PROTOCOL+http://HOST[:PORT][/PREFIX] or +https, or PROTOCOL+unix:/SOCKET, which must live as
 * long as OPTIONS. Returns 0, or -EINVAL or -ENOMEM with ERROR, which begins with OPTION, set. */
int push_add_target(struct push_options *options, const char *option, const char *text, struct error *error);

/* Returns where the host begins in URL, or NULL if it is not one of http or https without a query. */
const char *target_host(const char *url);

/* Returns TEXT with *** in place of the user and password before an @. The caller frees it. NULL if memory runs out. */
char *target_without_password(const char *text, const char *host);

/* Appends the address of the database that the LENGTH bytes of URL name, http://HOST/PREFIX/DATABASE, up to where
 * further parameters begin: http://HOST/PREFIX/?database=DATABASE&. */
void target_put_address(struct buffer *out, const char *url, size_t length);

/* Adds the label TEXT, NAME=VALUE, with the same results. */
int push_add_label(struct push_options *options, const char *option, const char *text, struct error *error);

/* Returns true if LABEL is called NAME. */
bool push_label_is(const struct push_label *label, const char *name);

/* True if OPTIONS have a label NAME. */
bool push_has_label(const struct push_options *options, const char *name);

/* Returns true if all servers accept the LENGTH bytes of NAME as the name of a label, and it is not reserved. */
bool push_is_label(const char *name, size_t length);

#endif

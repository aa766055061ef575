/* SPDX-License-Identifier: MIT
 *
 * The bodies of requests, in the form of each protocol. Pyroscope and Parca: several parts of a profile with their
 * labels. OTLP and databases: a whole profile, in as many requests as it needs. */
#ifndef PUSH_MESSAGE_H
#define PUSH_MESSAGE_H

#include "profile/push/target.h"

struct buffer;
struct http_content;
struct profile;
struct profile_process;

/* Data that all parts of one profile share. */
struct push_about {
    const struct push_options *options;
    const char *kind;    /* the name of the profile for servers: "process_cpu", "wall" */
    const char *service; /* of the processes; NULL: their unit; without a unit, their name */
    const char *host;
};

/* Returns the name of the service of processes like LIKE. It may be in TEXT, which has SIZE bytes. */
const char *message_service(const struct push_about *about, const struct profile_process *like, char *text,
                            size_t size);

/* Appends a part of SIZE BYTES to BODY, which may have other parts. The part is for processes with the name, unit,
 * container and rank of LIKE. Sets `failed` of BODY if memory runs out. */
void message_put(struct buffer *body, enum push_protocol protocol, const struct push_about *about,
                 const struct profile_process *like, const void *bytes, size_t size);

/* Completes BODY, which has at least one part. */
void message_end(struct buffer *body, enum push_protocol protocol);

/* Receives a request: SIZE BYTES, compressed by gzip. Returns 0, or -errno, which ends the conversion. */
typedef int message_taker(void *of, const void *bytes, size_t size);

/* Calls TAKE with OF for each OTLP request of PROFILE with the labels of ABOUT. The processes of one name are one
 * resource, with a Profile for CPU time and, if waiting threads were sampled, another one for wall time. Each stack has
 * one value, in nanoseconds. A request does not depend on others, and has less than 4 MiB unpacked. Returns 0, -ENOMEM,
 * or the result of TAKE. */
int otlp_write(const struct profile *profile, const struct push_about *about, message_taker *take, void *of);

/* The same for a database: rows as lines of JSON, about 4 MiB at most, unpacked. */
int row_message_each(const struct profile *profile, const struct push_about *about, message_taker *take, void *of);

/* What the requests consist of. */
struct http_content message_content(enum push_protocol protocol);

#endif

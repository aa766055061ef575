/* SPDX-License-Identifier: MIT
 *
 * The body of a request: several parts of a profile with their labels, in the form of a protocol. */
#ifndef PUSH_MESSAGE_H
#define PUSH_MESSAGE_H

#include "common/base/buffer.h"
#include "profile/profile/profile.h"
#include "profile/push/http.h"
#include "profile/push/target.h"

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

/* What the requests consist of. */
struct http_content message_content(enum push_protocol protocol);

#endif

/* SPDX-License-Identifier: MIT */
#include "profile/push/push.h"

#include "common/base/error.h"
#include "profile/push/http.h"
#include "profile/push/message.h"
#include "profile/push/pieces.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

enum { REQUEST_MOST = 4 << 20 };

/* Collects the parts of a profile into requests for one target. */
struct filling {
    const struct push *push;
    size_t target;
    struct push_about about;
    struct buffer body;
};

int push_begin(struct push *push, const struct push_options *options, struct error *error)
{
    struct buffer headers = {0};
    *push = (struct push){.options = options, .sender = {.socket = -1}};
    if (!options->target_count)
        return 0;
    int result = push_read_headers(options->headers, &headers, error);
    if (!result)
        result = sender_start(&push->sender, options, headers.bytes, error);
    buffer_fini(&headers);
    return result;
}

/* Passes the current request to the sending process. */
static int flush(struct filling *filling)
{
    enum push_protocol protocol = filling->push->options->targets[filling->target].protocol;
    if (!filling->body.length)
        return 0;
    message_end(&filling->body, protocol);
    int result = filling->body.failed
                     ? -ENOMEM
                     : sender_give(&filling->push->sender, filling->target, filling->body.bytes, filling->body.length);
    buffer_fini(&filling->body);
    return result;
}

static int take_part(void *of, const struct profile_process *like, const void *bytes, size_t size)
{
    struct filling *filling = of;
    int result = filling->body.length + size > REQUEST_MOST ? flush(filling) : 0;
    message_put(&filling->body, filling->push->options->targets[filling->target].protocol, &filling->about, like, bytes,
                size);
    return result;
}

static bool is_of(const struct push *push, size_t target, unsigned kinds)
{
    return kinds & (push->options->targets[target].protocol == PUSH_CLICKHOUSE ? PUSH_KEEPS : PUSH_SHOWS);
}

static int take_request(void *of, const void *bytes, size_t size)
{
    struct filling *filling = of;
    return sender_give(&filling->push->sender, filling->target, bytes, size);
}

static int send_to(struct filling *filling, const struct profile *profile)
{
    if (filling->push->options->targets[filling->target].protocol == PUSH_OTLP)
        return otlp_write(profile, &filling->about, take_request, filling);
    if (filling->push->options->targets[filling->target].protocol == PUSH_CLICKHOUSE)
        return row_message_each(profile, &filling->about, take_request, filling);
    int result = pieces_cut(profile, take_part, filling);
    return result ? result : flush(filling);
}

int push_profile(const struct push *push, unsigned kinds, const struct profile *profile, struct error *error)
{
    struct utsname machine = {.nodename = ""};
    const char *service = getenv("OTEL_SERVICE_NAME");
    int result = 0;
    uname(&machine);
    for (size_t i = 0; i < push->options->target_count && !result; i++) {
        if (!is_of(push, i, kinds))
            continue;
        struct filling filling = {.push = push, .target = i};
        filling.about = (struct push_about){push->options, profile->quality.wall ? "wall" : "process_cpu",
                                            service && *service ? service : NULL, machine.nodename};
        result = send_to(&filling, profile);
        buffer_fini(&filling.body);
        if (result < 0)
            error_system(error, -result, "cannot send to %s", push->options->targets[i].shown);
    }
    return result;
}

void push_end(struct push *push)
{
    sender_end(&push->sender);
}

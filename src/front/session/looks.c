/* SPDX-License-Identifier: MIT */
#include "front/session/looks.h"

#include "common/base/array.h"
#include "common/base/time.h"
#include "common/wire/command.h"
#include "front/session/intake.h"
#include "front/session/session.h"
#include "front/session/session_parts.h"

#include <errno.h>
#include <stdlib.h>

enum { LOOKS_MOST = 6, TURN_MS = 100 };

void looks_fini(struct looks *looks)
{
    free(looks->calls.items);
    *looks = (struct looks){0};
}

bool looks_call(struct looks *looks, const struct message_call *message)
{
    if (message->word_count > CALL_WORDS)
        return false;
    if (ARRAY_RESERVE_ONE(&looks->calls))
        looks->calls.items[looks->calls.count++] = *message;
    return true;
}

const struct message_call *looks_find(const struct looks *looks, pid_t tid)
{
    for (size_t i = looks->calls.count; i-- > 0;)
        if (looks->calls.items[i].tid == tid)
            return &looks->calls.items[i];
    return NULL;
}

/* Asks for a look, and waits for its end. Returns as looks_run. */
static int look(struct session *session, struct looks *looks)
{
    struct stacks *stacks = &session->intake->stacks;
    looks->asked++;
    looks->calls.count = 0;
    looks->began_ns = time_now_ns();
    stacks->unwound = stacks->limited = stacks->deepest = 0; /* only the last look counts */
    session_command_tracer(session, COMMAND_LOOK, 0);
    while (looks->done != looks->asked) {
        if (!session->tracer)
            return -ECHILD;
        if (session->asked_to_end || !session_goes_on(session))
            return session->asked_to_end ? -EINTR : 0;
        session_turn(session, NULL, 0, TURN_MS);
    }
    return 0;
}

int looks_run(struct session *session)
{
    struct looks *looks = &session->intake->looks;
    uint32_t requests;
    int result = 0, count = 0;
    do {
        requests = looks->requests;
        result = look(session, looks);
    } while (!result && looks->requests != requests && ++count < LOOKS_MOST);
    return result;
}

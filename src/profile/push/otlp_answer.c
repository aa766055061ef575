/* SPDX-License-Identifier: MIT */
#include "profile/push/otlp_answer.h"

#include "common/base/cursor.h"
#include "common/base/protobuf.h"
#include "profile/push/otlp_format.h"
#include "profile/push/queue.h"

#include <string.h>

enum push_result otlp_result_of(long status)
{
    if (status >= 200 && status < 300)
        return PUSH_SENT;
    if (status == 0 || status == 429 || status == 503)
        return PUSH_AGAIN;
    return status == 502 || status == 504 ? PUSH_FAILED : PUSH_REFUSED;
}

/* Like protobuf_next, but returns the beginning of a text or message if its end is missing. */
static bool next(struct cursor *cursor, struct protobuf_entry *entry)
{
    if (protobuf_next(cursor, entry))
        return true;
    if (!cursor->failed || !entry->is_bytes || cursor->at >= cursor->end)
        return false;
    entry->bytes = cursor->at;
    entry->size = (size_t)(cursor->end - cursor->at);
    cursor->at = cursor->end;
    return true;
}

static void take_text(struct otlp_answer *answer, const struct protobuf_entry *entry)
{
    size_t length = entry->size < sizeof answer->text - 1 ? entry->size : sizeof answer->text - 1;
    if (!entry->is_bytes)
        return;
    memcpy(answer->text, entry->bytes, length);
    answer->text[length] = 0;
}

static void read_partial_success(struct otlp_answer *answer, const struct protobuf_entry *message)
{
    struct cursor cursor = {.at = message->bytes, .end = message->bytes + message->size};
    struct protobuf_entry entry;
    while (message->is_bytes && next(&cursor, &entry)) {
        if (entry.number == OTLP_REJECTED && !entry.is_bytes && entry.value <= INT64_MAX)
            answer->rejected = entry.value;
        else if (entry.number == OTLP_ERROR_MESSAGE)
            take_text(answer, &entry);
    }
}

void otlp_answer_read(struct otlp_answer *answer, long status, const unsigned char *body, size_t size)
{
    struct cursor cursor = {.at = body, .end = body + size};
    struct protobuf_entry entry;
    bool taken = otlp_result_of(status) == PUSH_SENT;
    *answer = (struct otlp_answer){0};
    while (size && next(&cursor, &entry)) {
        if (taken && entry.number == OTLP_PARTIAL_SUCCESS)
            read_partial_success(answer, &entry);
        else if (!taken && entry.number == OTLP_STATUS_MESSAGE)
            take_text(answer, &entry);
    }
}

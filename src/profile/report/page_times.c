/* SPDX-License-Identifier: MIT
 *
 * The timestamps of the page's samples, in few bytes. */
#include "profile/report/page.h"

#include "common/text/json.h"
#include "profile/profile/instants.h"
#include "profile/profile/profile.h"

/* Returns the time up to which the entries are complete; 0: all are. */
static uint64_t encode(struct buffer *bytes, const struct profile *profile, const struct page_rows *rows, size_t most)
{
    struct instants_reader reader;
    struct instant instant;
    uint64_t last_us = 0;
    size_t count = 0;
    instants_read(&reader, &profile->instants);
    while (instants_next(&reader, &instant)) {
        instant.sample = rows->numbers[instant.sample];
        if (instant.sample == HASH_NONE)
            continue;
        if (count++ == most)
            return instant.time_ns ? instant.time_ns : 1;
        if (!instants_encode(bytes, &instant, &last_us))
            bytes->failed = true;
    }
    return profile->instants.until_ns;
}

static void put_marks(struct buffer *out, const struct profile *profile)
{
    json_open(json_line(out), "markNs", '[');
    for (size_t i = 0; i < profile->mark_count; i++)
        json_number(out, NULL, profile->marks[i].time_ns);
    buffer_puts(out, "]");
    json_open(json_line(out), "markText", '[');
    for (size_t i = 0; i < profile->mark_count; i++)
        json_text(out, NULL, profile->marks[i].text);
    buffer_puts(out, "]");
}

void page_times_put(struct buffer *out, const struct profile *profile, const struct page_rows *rows, size_t most)
{
    struct buffer bytes = {0};
    if (!profile->instants.count)
        return;
    uint64_t until_ns = encode(&bytes, profile, rows, most);
    json_plain(json_line(out), "times", "{\"instants\":\"");
    buffer_base64(out, bytes.bytes, bytes.length);
    buffer_printf(out, "\",\"untilNs\":%llu", (unsigned long long)until_ns);
    put_marks(out, profile);
    buffer_puts(out, "}");
    out->failed |= bytes.failed;
    buffer_fini(&bytes);
}

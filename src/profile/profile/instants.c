/* SPDX-License-Identifier: MIT
 *
 * An entry has three or four numbers, with seven bits a byte: the index of the sample, with the entry's kind in the
 * lowest two bits; the microseconds since the entry before, possibly negative; nanoseconds; and the count unless it is
 * 1. */
#include "profile/profile/instants.h"

enum { IS_WAIT = 1, HAS_COUNT = 2, FLAG_BITS = 2, MOST_ENTRY = 4 * 10, MICROSECOND = 1000 };

void instants_fini(struct instants *instants)
{
    buffer_fini(&instants->bytes);
    *instants = (struct instants){.count = 0};
}

static size_t put_number(unsigned char *at, uint64_t number)
{
    size_t length = 0;
    for (; number > 0x7f; number >>= 7)
        at[length++] = (unsigned char)(number | 0x80);
    at[length++] = (unsigned char)number;
    return length;
}

/* Maps a small step in either direction to a small number, and back. Arithmetic wraps, so this works for any step. */
static uint64_t folded(uint64_t step)
{
    return step >> 63 ? ~(step << 1) : step << 1;
}

static uint64_t unfolded(uint64_t number)
{
    return number & 1 ? ~(number >> 1) : number >> 1;
}

bool instants_encode(struct buffer *bytes, const struct instant *instant, uint64_t *last_us)
{
    unsigned char entry[MOST_ENTRY];
    uint64_t time_us = instant->time_ns / MICROSECOND;
    uint64_t flags = (instant->wait_ns ? IS_WAIT : 0) | (instant->count != 1 ? HAS_COUNT : 0);
    size_t length = put_number(entry, (uint64_t)instant->sample << FLAG_BITS | flags);
    length += put_number(entry + length, folded(time_us - *last_us));
    length += put_number(entry + length, instant->wait_ns ? instant->wait_ns : instant->cpu_ns);
    if (flags & HAS_COUNT)
        length += put_number(entry + length, instant->count);
    *last_us = time_us;
    return buffer_append(bytes, entry, length);
}

bool instants_decode(struct cursor *cursor, struct instant *instant, uint64_t *last_us)
{
    if (!cursor_left(cursor))
        return false;
    uint64_t head = cursor_leb128(cursor);
    uint64_t time_us = *last_us + unfolded(cursor_leb128(cursor));
    uint64_t ns = cursor_leb128(cursor);
    *instant = (struct instant){.time_ns = time_us * MICROSECOND, .sample = (uint32_t)(head >> FLAG_BITS), .count = 1};
    if (head & HAS_COUNT)
        instant->count = cursor_leb128(cursor);
    *(head & IS_WAIT ? &instant->wait_ns : &instant->cpu_ns) = ns;
    if (head >> FLAG_BITS > UINT32_MAX || time_us > UINT64_MAX / MICROSECOND)
        cursor->failed = true;
    *last_us = time_us;
    return !cursor->failed;
}

void instants_lack(struct instants *instants, uint64_t time_ns)
{
    uint64_t until_ns = time_ns ? time_ns : 1;
    if (!instants->until_ns || until_ns < instants->until_ns)
        instants->until_ns = until_ns;
}

static void add_entry(struct instants *instants, const struct instant *instant)
{
    size_t before = instants->bytes.length;
    uint64_t last_us = instants->last_us;
    if (instants->full)
        return;
    bool fits = !instants->most_bytes || before + MOST_ENTRY <= instants->most_bytes;
    if (!fits || !instants_encode(&instants->bytes, instant, &last_us)) {
        instants->bytes.failed = false;
        instants->full = true;
        instants_lack(instants, instant->time_ns);
        return;
    }
    instants->last_us = last_us;
    instants->count++;
}

void instants_add(struct instants *instants, const struct instant *instant)
{
    struct instant cpu = *instant, wait = *instant;
    cpu.wait_ns = wait.cpu_ns = 0;
    wait.count = cpu.cpu_ns ? 0 : wait.count;
    if (cpu.cpu_ns || (cpu.count && !wait.wait_ns))
        add_entry(instants, &cpu);
    if (wait.wait_ns)
        add_entry(instants, &wait);
}

void instants_delay(struct instants *instants, uint64_t delay_ns)
{
    uint64_t delay_us = delay_ns / MICROSECOND;
    instants->begin_us += delay_us;
    instants->last_us += delay_us;
    if (instants->until_ns)
        instants->until_ns += delay_ns;
}

void instants_read(struct instants_reader *reader, const struct instants *instants)
{
    static const uint8_t nothing[1];
    const uint8_t *begin = instants->bytes.length ? (const uint8_t *)instants->bytes.bytes : nothing;
    *reader = (struct instants_reader){.cursor = {.at = begin, .end = begin + instants->bytes.length},
                                       .last_us = instants->begin_us};
}

bool instants_next(struct instants_reader *reader, struct instant *instant)
{
    return instants_decode(&reader->cursor, instant, &reader->last_us);
}

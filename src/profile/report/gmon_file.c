/* SPDX-License-Identifier: MIT */
#include "profile/report/gmon_file.h"

#include "common/base/buffer.h"
#include "common/text/text.h"

enum { CHUNK = 1 << 16, TAG_HISTOGRAM = 0, BIN_BYTES = 2 };

static void put_number(struct buffer *out, uint64_t value, unsigned bytes)
{
    for (; bytes; bytes--, value >>= 8) {
        unsigned char byte = value & 0xff;
        buffer_append(out, &byte, 1);
    }
}

static void put_file_header(struct buffer *out)
{
    buffer_puts(out, "gmon");
    put_number(out, 1, 4);
    put_number(out, 0, 8);
    put_number(out, 0, 4);
}

static void put_record_header(struct buffer *out, const struct gmon_histogram *histogram)
{
    static const char dimension[15] = "seconds";
    put_number(out, TAG_HISTOGRAM, 1);
    put_number(out, histogram->low, histogram->is_compat ? 4 : 8);
    put_number(out, histogram->high, histogram->is_compat ? 4 : 8);
    put_number(out, histogram->bins, 4);
    put_number(out, histogram->rate, 4);
    buffer_append(out, dimension, sizeof dimension);
    buffer_puts(out, "s");
}

/* Appends empty bins, and writes OUT when it is large. */
static int put_empty(struct buffer *out, uint64_t bins, FILE *stream)
{
    static const char zeros[CHUNK];
    int result = 0;
    for (uint64_t left = bins * BIN_BYTES; left && !result;) {
        size_t some = left < sizeof zeros ? (size_t)left : sizeof zeros;
        buffer_append(out, zeros, some);
        left -= some;
        result = text_write_full(out, stream);
    }
    return result ? result : text_write_full(out, stream);
}

/* Appends the bins, each with as many ticks as it can hold, and subtracts these. */
static int put_record(struct buffer *out, struct gmon_histogram *histogram, FILE *stream)
{
    int result = 0;
    uint64_t at = 0;
    put_record_header(out, histogram);
    for (size_t i = 0; i < histogram->count && !result; i++) {
        struct gmon_bin *bin = &histogram->items[i];
        uint64_t ticks = bin->ticks < GMON_MOST_TICKS ? bin->ticks : GMON_MOST_TICKS;
        bin->ticks -= ticks;
        result = put_empty(out, bin->number - at, stream);
        put_number(out, ticks, BIN_BYTES);
        at = bin->number + 1;
    }
    if (!result)
        result = put_empty(out, histogram->bins - at, stream);
    return result;
}

uint64_t gmon_records(const struct gmon_histogram *histogram)
{
    uint64_t fullest = 1;
    for (size_t i = 0; i < histogram->count; i++)
        if (histogram->items[i].ticks > fullest)
            fullest = histogram->items[i].ticks;
    return (fullest + GMON_MOST_TICKS - 1) / GMON_MOST_TICKS;
}

int gmon_write(struct gmon_histogram *histogram, FILE *stream)
{
    struct buffer out = {0};
    uint64_t records = gmon_records(histogram);
    int result = 0;
    put_file_header(&out);
    for (; records && !result; records--)
        result = put_record(&out, histogram, stream);
    return text_end(&out, stream, result);
}

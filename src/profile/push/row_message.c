/* SPDX-License-Identifier: MIT */
#include "profile/push/message.h"

#include "common/base/buffer.h"
#include "common/text/json.h"
#include "profile/stored/db_rows.h"
#include "profile/stored/pack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BODY_MOST = 4 << 20 }; /* unpacked */

struct filling {
    struct buffer rows;
    message_taker *take;
    void *of;
};

static int flush(struct filling *filling)
{
    char *bytes;
    size_t size;
    if (!filling->rows.length)
        return 0;
    int result = pack_bytes(&filling->rows, &bytes, &size);
    if (!result)
        result = filling->take(filling->of, bytes, size);
    free(bytes);
    return result;
}

static int take_row(void *of, const char *line, size_t length)
{
    struct filling *filling = of;
    int result = filling->rows.length + length > BODY_MOST ? flush(filling) : 0;
    buffer_append(&filling->rows, line, length);
    return filling->rows.failed ? -ENOMEM : result;
}

/* Labels with the name of a column set it. The others become an array. */
static void take_labels(const struct push_options *options, struct db_rows_about *about, struct buffer *labels)
{
    buffer_puts(labels, "[");
    for (size_t i = 0; i < options->label_count; i++) {
        const struct push_label *label = &options->labels[i];
        struct buffer pair = {0};
        if (push_label_is(label, "service_name"))
            about->service = label->value;
        else if (push_label_is(label, "hostname"))
            about->host = label->value;
        else if (push_label_is(label, "process"))
            about->process = label->value;
        else if (buffer_printf(&pair, "%.*s=%s", (int)label->name_length, label->name, label->value))
            json_text(labels, NULL, pair.bytes);
        labels->failed |= pair.failed;
        buffer_fini(&pair);
    }
    buffer_puts(labels, "]");
}

int row_message_each(const struct profile *profile, const struct push_about *about, message_taker *take, void *of)
{
    struct db_rows_about rows = {.service = about->service, .host = about->host};
    struct filling filling = {.take = take, .of = of};
    struct buffer labels = {0};
    take_labels(about->options, &rows, &labels);
    rows.labels = labels.bytes;
    int result = labels.failed ? -ENOMEM : db_rows_each(profile, &rows, take_row, &filling);
    if (!result)
        result = flush(&filling);
    buffer_fini(&filling.rows);
    buffer_fini(&labels);
    return result;
}

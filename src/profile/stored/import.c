/* SPDX-License-Identifier: MIT */
#include "profile/stored/import.h"

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "profile/profile/builder.h"
#include "profile/stored/perf_script.h"

#include <errno.h>

enum { MOST_BYTES = 512 << 20 }; /* unpacked */

int import_read(struct builder *into, int fd, struct buffer *note, struct error *error)
{
    struct buffer bytes = {0}, unread = {0};
    int result = into->failed ? error_set(error, ENOMEM, "out of memory") : gunzip_read(&bytes, fd, MOST_BYTES, error);
    note = note ? note : &unread;
    note->length = 0;
    if (!result)
        result = perf_script_is_text(&bytes) ? perf_script_read(into, &bytes, note, error)
                                             : stored_read(into, &bytes, error);
    buffer_fini(&bytes);
    buffer_fini(&unread);
    return result;
}

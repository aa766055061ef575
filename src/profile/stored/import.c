/* SPDX-License-Identifier: MIT */
#include "profile/stored/import.h"

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "profile/profile/builder.h"
#include "profile/stored/perf_script.h"

#include <errno.h>
#include <string.h>

enum { MOST_BYTES = 512 << 20 }; /* unpacked */

/* Files that people take for stored profiles, by their first bytes. */
static const struct {
    const char *begin, *what;
} others[] = {
    {"PERFILE2", "is a file of 'perf record'; say: perf script -F +pid -i FILE | ptprofil report -"},
    {"2ELIFREP", "is a file of 'perf record' from a machine with another byte order; use 'perf script -F +pid' there"},
    {"gmon\1", "is a profile for gprof; say: gprof PROGRAM FILE"},
    {"\177ELF", "is a program, a library or a core file, not a stored profile"},
    {"<!DOCTYPE html", "is a page; open it in a browser"},
};

static int refuse_others(const struct buffer *bytes, struct error *error)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        size_t length = strlen(others[i].begin);
        if (bytes->length >= length && !memcmp(bytes->bytes, others[i].begin, length))
            return error_set(error, EBADMSG, "%s", others[i].what);
    }
    return 0;
}

int import_read(struct builder *into, int fd, struct buffer *note, struct error *error)
{
    struct buffer bytes = {0}, unread = {0};
    int result = into->failed ? error_set(error, ENOMEM, "out of memory") : gunzip_read(&bytes, fd, MOST_BYTES, error);
    note = note ? note : &unread;
    note->length = 0;
    if (!result)
        result = refuse_others(&bytes, error);
    if (!result)
        result = perf_script_is_text(&bytes) ? perf_script_read(into, &bytes, note, error)
                                             : stored_read(into, &bytes, error);
    buffer_fini(&bytes);
    buffer_fini(&unread);
    return result;
}

/* SPDX-License-Identifier: MIT */
#include "front/outputs/output_name.h"

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "profile/report/report.h"
#include "programs/files/planted.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Returns the rank in the initial environment of this process (/proc/self/environ). */
static struct rank own_rank(void)
{
    struct buffer text = {0};
    for (char *const *one = environ; one && *one; one++)
        buffer_append(&text, *one, strlen(*one) + 1);
    struct rank rank = rank_of(text.bytes, text.failed ? 0 : text.length);
    buffer_fini(&text);
    return rank;
}

struct output_name output_name_own(void)
{
    static struct utsname machine;
    bool known = uname(&machine) == 0 && *machine.nodename && !strchr(machine.nodename, '/');
    return (struct output_name){
        .rank = own_rank(), .host = known ? machine.nodename : "localhost", .pid = getpid(), .time = time(NULL)};
}

static void put_rank(struct buffer *path, const struct rank *rank)
{
    char most[16];
    int digits = rank->count ? snprintf(most, sizeof most, "%u", (unsigned)rank->count - 1) : 1;
    buffer_printf(path, "%0*u", digits, (unsigned)rank->number);
}

static void put_time(struct buffer *path, const struct output_name *name)
{
    char text[32] = "";
    struct tm parts;
    if (gmtime_r(&name->time, &parts))
        strftime(text, sizeof text, "%Y%m%dT%H%M%S", &parts);
    buffer_puts(path, text);
    if (name->exact)
        buffer_printf(path, ".%03u", name->ms);
    buffer_puts(path, "Z");
}

/* Appends the replacement of %LETTER. Returns false, with ERROR set, if it is unknown. */
static bool put_part(struct buffer *path, const struct output_name *name, char letter, struct error *error)
{
    const struct rank *rank = &name->rank;
    static const char outside[] =
        "-o, --output: %%%c is not known here: no launcher of parallel jobs (mpirun, srun) started this "
        "ptprofil; leave it out, or write 'mpirun ptprofil ...'";
    switch (letter) {
    case 'r':
        put_rank(path, rank);
        return rank->known || (error_set(error, EINVAL, outside, letter), false);
    case 'n':
        buffer_printf(path, "%u", (unsigned)rank->count);
        return rank->count || (error_set(error, EINVAL, outside, letter), false);
    case 'j':
        buffer_puts(path, rank->job);
        return *rank->job ||
               (error_set(error, EINVAL, "-o, --output: %%j: this is not a job of a batch system"), false);
    case 'h':
        buffer_puts(path, name->host);
        return true;
    case 'p':
        buffer_printf(path, "%d", (int)name->pid);
        return true;
    case 't':
        put_time(path, name);
        return true;
    case '%':
        buffer_puts(path, "%");
        return true;
    default:
        error_set(
            error, EINVAL,
            "-o, --output: a percent sign in a file name is followed by r (rank), n (ranks), h (host), j (job), p "
            "(process), t (time), or another percent sign");
        return false;
    }
}

bool output_name_has(const char *pattern, char letter)
{
    for (const char *at = pattern; (at = strchr(at, '%')) && at[1]; at += 2)
        if (at[1] == letter)
            return true;
    return false;
}

char *output_name_expand(const struct output_name *name, const char *pattern, const struct report_format *format,
                         struct error *error)
{
    struct buffer path = {0};
    const struct rank *rank = &name->rank;
    bool standard = !strcmp(pattern, "-"), good = true;
    bool apart =
        !standard && rank->known && rank->count > 1 && !output_name_has(pattern, 'r') && !output_name_has(pattern, 'p');
    const char *end = pattern + strlen(pattern), *ending = apart ? end - report_format_ending(format, pattern) : end;
    for (const char *at = pattern; good && at <= end; at++) {
        if (apart && at == ending) {
            buffer_puts(&path, ".");
            put_rank(&path, rank);
        }
        if (at == end)
            break;
        if (*at == '%')
            good = put_part(&path, name, *++at, error);
        else
            buffer_append(&path, at, 1);
    }
    if (good && !path.failed && path.bytes)
        return path.bytes;
    if (good)
        error_set(error, ENOMEM, "out of memory");
    buffer_fini(&path);
    return NULL;
}

static int make_folder(const char *folder, struct error *error)
{
    if (mkdir(folder, 0777) == 0)
        return 0;
    if (errno != EEXIST)
        return error_system(error, errno, "cannot make the folder '%s'", folder);
    if (!planted_is_folder(folder))
        return 0;
    return error_set(error, EACCES,
                     "cannot use the folder '%s': another user made it, or a part of its path, below a folder like "
                     "/tmp; choose another name",
                     folder);
}

/* Returns true if the LENGTH bytes of PATH are the name of an existing folder. */
static bool is_folder(const char *path, size_t length)
{
    char *folder = strndup(path, length ? length : 1);
    bool is = folder && access(folder, F_OK) == 0;
    free(folder);
    return is;
}

int output_name_folders(const char *pattern, const char *path, struct error *error)
{
    const char *part = strchr(pattern, '%'), *slash = strrchr(path, '/');
    char folder[4096];
    int result = 0;
    if (!slash || !part)
        return 0;
    if (!strchr(part, '/') && is_folder(path, (size_t)(slash - path)))
        return 0;
    for (const char *at = path; !result && (at = strchr(at, '/')); at++) {
        int length = snprintf(folder, sizeof folder, "%.*s", (int)(at - path), path);
        if (length > 0 && length < (int)sizeof folder)
            result = make_folder(folder, error);
    }
    return result;
}

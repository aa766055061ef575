/* SPDX-License-Identifier: MIT */
#include "front/doctor/attach.h"

#include "common/base/array.h"
#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/reader.h"
#include "common/model/proctext.h"
#include "front/doctor/attach_search.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_LIMIT = 65536 };

void attach_fini(struct attach_list *list)
{
    free(list->items);
    free(list->asked);
    for (size_t i = 0; i < list->search_count; i++)
        free(list->searches[i].text);
    *list = (struct attach_list){0};
}

int attach_add(struct attach_list *list, pid_t pid, struct error *error)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i] == pid)
            return 0;
    if (!ARRAY_RESERVE_ONE(list))
        return error_set(error, ENOMEM, "out of memory");
    list->items[list->count++] = pid;
    return 0;
}

bool attach_read(pid_t pid, const char *name, struct buffer *text)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    int result = buffer_read_path(text, path, TEXT_LIMIT);
    return (!result || result == -E2BIG) && text->length;
}

bool attach_read_in_time(struct reader *reader, pid_t pid, const char *name, struct buffer *text)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    int result = reader_read(reader, path, TEXT_LIMIT, text);
    return (!result || result == -E2BIG) && text->length;
}

/* Returns the process of thread PID. Returns PID itself if it is a process or does not exist. */
static pid_t process_of(pid_t pid)
{
    struct buffer text = {0};
    uint64_t process = (uint64_t)pid;
    if (attach_read(pid, "status", &text))
        proctext_status_number(text.bytes, "Tgid", 10, &process);
    buffer_fini(&text);
    return (pid_t)process;
}

static int add_pid(struct attach_list *list, const char *text, struct error *error)
{
    char *end;
    errno = 0;
    long pid = strtol(text, &end, 10);
    if (errno || !isdigit((unsigned char)*text) || pid < 1 || pid > INT_MAX || *end)
        return error_set(error, EINVAL,
                         "-p, --pid: '%s' is not a PID; --name takes names, and -p patterns of names, too ('a*')",
                         text);
    pid_t process = process_of((pid_t)pid);
    if (process != pid)
        return error_set(error, EINVAL, "-p, --pid: %ld is a thread of process %d: give that number", pid,
                         (int)process);
    pid_t *asked = realloc(list->asked, (list->asked_count + 1) * sizeof *asked);
    if (!asked)
        return error_set(error, ENOMEM, "out of memory");
    list->asked = asked;
    list->asked[list->asked_count++] = process;
    return attach_add(list, process, error);
}

bool attach_is_asked(const struct attach_list *list, pid_t pid)
{
    for (size_t i = 0; i < list->asked_count; i++)
        if (list->asked[i] == pid)
            return true;
    return false;
}

/* Returns the end of the item that begins at TEXT. Sets *NEXT to the beginning of the next item, or to NULL. Items are
 * separated by commas, blanks and newlines, so the output of pgrep is a list. */
static const char *end_of_item(const char *text, const char **next)
{
    static const char blanks[] = " \t\n";
    const char *end = text + strcspn(text, ", \t\n"), *at = end + strspn(end, blanks);
    if (*at == ',') {
        at++;
        *next = at + strspn(at, blanks);
    } else
        *next = *at ? at : NULL;
    return end;
}

int attach_add_pids(struct attach_list *list, const char *text, struct error *error)
{
    struct error missing = {0};
    for (const char *at = text + strspn(text, " \t\n"), *next; at; at = next) {
        char *one = strndup(at, (size_t)(end_of_item(at, &next) - at));
        if (!one)
            return error_set(error, ENOMEM, "out of memory");
        int result =
            one[strcspn(one, "*?[")] ? attach_search_name(list, "-p, --pid", one, error) : add_pid(list, one, error);
        free(one);
        if (result && result != -ESRCH)
            return result;
        if (!missing.errnum) /* it may be waited for, as the others; another item's error comes before it */
            missing = *error;
        *error = (struct error){0};
    }
    *error = missing;
    return -missing.errnum;
}

/* Returns the state letter of PID as in ps(1), or 0 if it cannot be read. */
static char state_of(pid_t pid)
{
    struct buffer text = {0};
    char state = 0;
    int cpu;
    bool read = attach_read(pid, "stat", &text) && proctext_stat(text.bytes, &state, &cpu);
    buffer_fini(&text);
    return read ? state : 0;
}

bool attach_is_stopped(pid_t pid)
{
    return state_of(pid) == 'T';
}

bool attach_has_ended(pid_t pid)
{
    char state = state_of(pid);
    return !state || state == 'Z' || state == 'X';
}

bool attach_read_name(pid_t pid, struct buffer *text)
{
    bool read = attach_read(pid, "comm", text);
    if (read)
        text->bytes[--text->length] = 0; /* removes the newline that the kernel adds */
    return read;
}

char *attach_name(pid_t pid)
{
    struct buffer text = {0};
    attach_read_name(pid, &text);
    return text.bytes;
}

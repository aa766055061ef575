/* SPDX-License-Identifier: MIT */
#include "front/attach.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/proc.h"
#include "model/proctext.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_LIMIT = 65536, ANCESTORS_LIMIT = 4096 };

void attach_fini(struct attach_list *list)
{
    free(list->items);
    *list = (struct attach_list){0};
}

static int add(struct attach_list *list, pid_t pid, struct error *error)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i] == pid)
            return 0;
    if (!ARRAY_RESERVE_ONE(list))
        return error_set(error, ENOMEM, "out of memory");
    list->items[list->count++] = pid;
    return 0;
}

/* Reads /proc/PID/NAME; TEXT is emptied first. False when there is nothing to read. */
static bool read_file(pid_t pid, const char *name, struct buffer *text)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    int result = buffer_read_path(text, path, TEXT_LIMIT);
    return (!result || result == -E2BIG) && text->length;
}

/* The process that PID is a thread of; PID itself if it is a process, or is not there. */
static pid_t process_of(pid_t pid)
{
    struct buffer text = {0};
    uint64_t process = (uint64_t)pid;
    if (read_file(pid, "status", &text))
        proctext_status_number(text.bytes, "Tgid", 10, &process);
    buffer_free(&text);
    return (pid_t)process;
}

int attach_add_pids(struct attach_list *list, const char *text, struct error *error)
{
    for (const char *at = text;; at++) {
        char *end;
        errno = 0;
        long pid = strtol(at, &end, 10);
        if (errno || !isdigit((unsigned char)*at) || pid < 1 || pid > INT_MAX || (*end && *end != ','))
            return error_set(error, EINVAL, "-p, --pid: '%s' is not a process number, nor several with commas between",
                             text);
        pid_t process = process_of((pid_t)pid);
        if (process != pid)
            return error_set(error, EINVAL, "-p, --pid: %ld is a thread of process %d: give that number", pid, (int)process);
        int result = add(list, process, error);
        if (result < 0 || !*end)
            return result;
        at = end;
    }
}

/* The last part of the path that a command line begins with. */
static const char *program_of(const char *command_line)
{
    const char *slash = strrchr(command_line, '/');
    return slash ? slash + 1 : command_line;
}

static bool is_called(pid_t pid, const char *name, struct buffer *text)
{
    if (read_file(pid, "cmdline", text) && !strcmp(program_of(text->bytes), name))
        return true;
    if (!read_file(pid, "comm", text))
        return false;
    text->bytes[text->length - 1] = 0; /* the newline that the kernel adds */
    return !strcmp(text->bytes, name);
}

int attach_add_name(struct attach_list *list, const char *name, struct error *error)
{
    struct buffer text = {0};
    size_t before = list->count;
    int result = proc_prove(error);
    list->by_name = true;
    DIR *directory = proc_opendir("/proc/.");
    const struct dirent *entry;
    while (!result && directory && (entry = readdir(directory))) {
        pid_t pid = (pid_t)atoi(entry->d_name);
        if (pid > 0 && pid != getpid() && is_called(pid, name, &text))
            result = add(list, pid, error);
    }
    if (directory)
        closedir(directory);
    buffer_free(&text);
    if (!result && list->count == before)
        return error_set(error, ESRCH, "--name: no process is called '%s'", name);
    return result;
}

/* The state of PID as ps(1) has it; 0 when it cannot be read. */
static char state_of(pid_t pid)
{
    struct buffer text = {0};
    char state = 0;
    int cpu;
    bool read = read_file(pid, "stat", &text) && proctext_stat(text.bytes, &state, &cpu);
    buffer_free(&text);
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

/* The parent of PID; 0 when it has none here, or it cannot be read. */
static pid_t parent_of(pid_t pid)
{
    struct buffer text = {0};
    uint64_t parent = 0;
    if (!read_file(pid, "status", &text) || !proctext_status_number(text.bytes, "PPid", 10, &parent))
        parent = 0;
    buffer_free(&text);
    return (pid_t)parent;
}

bool attach_is_above_us(pid_t pid)
{
    pid_t at = getpid();
    for (unsigned i = 0; i < ANCESTORS_LIMIT && at > 0 && at != pid; i++)
        at = parent_of(at);
    return at == pid;
}

char *attach_name(pid_t pid)
{
    struct buffer text = {0};
    if (read_file(pid, "comm", &text))
        text.bytes[text.length - 1] = 0; /* the newline that the kernel adds */
    return text.bytes;
}

char *attach_command_line(pid_t pid)
{
    struct buffer text = {0};
    if (!read_file(pid, "cmdline", &text)) {
        buffer_free(&text);
        return NULL;
    }
    for (size_t i = 0; i + 1 < text.length; i++)
        if (!text.bytes[i])
            text.bytes[i] = ' ';
    return text.bytes;
}

/* SPDX-License-Identifier: MIT */
#include "front/attach.h"

#include "base/array.h"
#include "base/buffer.h"
#include "model/permission.h"
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
#include <sys/stat.h>
#include <unistd.h>

enum { TEXT_LIMIT = 65536, CAPABILITY_PTRACE = 19 };

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

int attach_add_pids(struct attach_list *list, const char *text, struct error *error)
{
    for (const char *at = text;; at++) {
        char *end;
        errno = 0;
        long pid = strtol(at, &end, 10);
        if (errno || !isdigit((unsigned char)*at) || pid < 1 || pid > INT_MAX || (*end && *end != ','))
            return error_set(error, EINVAL, "-p, --pid: '%s' is not a process number, nor several with commas between",
                             text);
        int result = add(list, (pid_t)pid, error);
        if (result < 0 || !*end)
            return result;
        at = end;
    }
}

/* Reads /proc/PID/NAME; TEXT is emptied first. False when there is nothing to read. */
static bool read_file(pid_t pid, const char *name, struct buffer *text)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    text->length = 0;
    int result = buffer_read_file(text, fd, TEXT_LIMIT);
    close(fd);
    return (!result || result == -E2BIG) && text->length;
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
    text->bytes[strcspn(text->bytes, "\n")] = 0;
    return !strcmp(text->bytes, name);
}

int attach_add_name(struct attach_list *list, const char *name, struct error *error)
{
    struct buffer text = {0};
    size_t before = list->count;
    int result = 0;
    list->by_name = true;
    DIR *directory = opendir("/proc");
    const struct dirent *entry;
    while (directory && !result && (entry = readdir(directory))) {
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

/* Four numbers after "Uid:": real, effective, saved, file system. */
static void read_users(const char *status, struct permission_facts *facts)
{
    unsigned real, effective, saved;
    const char *line = strstr(status, "\nUid:");
    if (!line || sscanf(line + 5, "%u %u %u", &real, &effective, &saved) != 3)
        return;
    facts->user = real;
    facts->ids_differ = real != effective || real != saved;
}

static void read_process(pid_t pid, struct permission_facts *facts, struct buffer *text)
{
    char path[40], state;
    struct stat about;
    uint64_t number;
    int cpu;
    snprintf(path, sizeof path, "/proc/%d", (int)pid);
    facts->exists = stat(path, &about) == 0;
    facts->user = about.st_uid;
    if (read_file(pid, "stat", text) && proctext_stat(text->bytes, &state, &cpu))
        facts->zombie = state == 'Z' || state == 'X';
    if (!read_file(pid, "status", text))
        return;
    read_users(text->bytes, facts);
    facts->protected = facts->exists && about.st_uid != facts->user;
    facts->kernel_thread = !facts->zombie && !proctext_status_number(text->bytes, "VmSize", 10, &number);
    if (proctext_status_number(text->bytes, "TracerPid", 10, &number))
        facts->tracer = (pid_t)number;
}

static bool same_namespace(pid_t pid)
{
    char path[40], ours[64], theirs[64];
    snprintf(path, sizeof path, "/proc/%d/ns/user", (int)pid);
    ssize_t own = readlink("/proc/self/ns/user", ours, sizeof ours), other = readlink(path, theirs, sizeof theirs);
    return own < 0 || other < 0 || (own == other && !memcmp(ours, theirs, (size_t)own));
}

static void read_ours(struct permission_facts *facts, struct buffer *text)
{
    uint64_t number;
    facts->own_user = geteuid();
    facts->yama = -1;
    if (read_file(getpid(), "status", text)) {
        facts->capable =
            proctext_status_number(text->bytes, "CapEff", 16, &number) && (number >> CAPABILITY_PTRACE & 1);
        facts->filtered = proctext_status_number(text->bytes, "Seccomp", 10, &number) && number;
    }
    int fd = open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC);
    char digit;
    if (fd >= 0 && read(fd, &digit, 1) == 1 && isdigit((unsigned char)digit))
        facts->yama = digit - '0';
    if (fd >= 0)
        close(fd);
}

static int explain_tracer(pid_t pid, pid_t tracer, struct buffer *text, struct error *error)
{
    bool named = read_file(tracer, "comm", text);
    if (named)
        text->bytes[strcspn(text->bytes, "\n")] = 0;
    return error_set(error, EPERM,
                     "cannot attach to process %d: it is traced already, by %s (process %d), and a process can have one "
                     "tracer only; end that one first",
                     (int)pid, named ? text->bytes : "another program", (int)tracer);
}

static const char *const advice[] = {
    [PERMISSION_GONE] = "there is no such process",
    [PERMISSION_ZOMBIE] = "it has ended, and only waits for its parent to ask for its status",
    [PERMISSION_KERNEL_THREAD] = "it is a thread of the kernel's own, which nobody can trace",
    [PERMISSION_YAMA_NOBODY] = "/proc/sys/kernel/yama/ptrace_scope is 3: nobody may trace until the next boot",
    [PERMISSION_YAMA_ADMIN] = "/proc/sys/kernel/yama/ptrace_scope is 2: only root may trace; use sudo",
    [PERMISSION_OTHER_NAMESPACE] = "it is in another user namespace; run ptprofil as root outside of it, or inside "
                                   "(nsenter -U)",
    [PERMISSION_OTHER_USER] = "it belongs to another user; run ptprofil as that user, or with sudo",
    [PERMISSION_PRIVILEGED] = "it runs with the rights of several users (set-user-id); use sudo",
    [PERMISSION_PROTECTED] = "it has protected itself (PR_SET_DUMPABLE), or its program may not be read; use sudo",
    [PERMISSION_YAMA_CHILDREN] = "/proc/sys/kernel/yama/ptrace_scope is 1: only a parent may trace. Start it with "
                                 "'ptprofil -- COMMAND', use sudo, or set ptrace_scope to 0",
    [PERMISSION_FILTERED] = "a seccomp filter forbids ptrace here, as in many containers: it needs one that allows "
                            "ptrace (docker run --cap-add=SYS_PTRACE)",
    [PERMISSION_MODULE] = "a security module of the kernel refuses it (AppArmor, SELinux's deny_ptrace, Landlock), or "
                          "the capability SYS_PTRACE is missing in this container",
};

int attach_explain(pid_t pid, int result, struct error *error)
{
    struct buffer text = {0};
    struct permission_facts facts = {.error = -result};
    read_process(pid, &facts, &text);
    read_ours(&facts, &text);
    facts.same_namespace = same_namespace(pid);
    enum permission_reason reason = permission_judge(&facts);
    if (reason == PERMISSION_TRACED)
        explain_tracer(pid, facts.tracer, &text, error);
    else if (reason == PERMISSION_OTHER_ERROR)
        error_system(error, -result, "cannot attach to process %d", (int)pid);
    else
        error_set(error, -result, "cannot attach to process %d: %s", (int)pid, advice[reason]);
    buffer_free(&text);
    return result;
}

/* SPDX-License-Identifier: MIT */
#include "front/doctor/attach_search.h"

#include "common/arch/gate.h"
#include "common/base/array.h"
#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/proc.h"
#include "common/base/reader.h"
#include "common/model/cgroup.h"
#include "common/model/family.h"
#include "common/model/proctext.h"
#include "front/doctor/attach.h"
#include "programs/interp/languages.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ID_SIZE = 256 };

struct search {
    struct reader reader;
    const char *wanted;
    bool (*fits)(struct search *search, pid_t pid, struct buffer *text);
    char container[ID_SIZE], another[ID_SIZE]; /* IDs of the containers found; empty: none */
};

/* Returns true for a tracer of another ptprofil: two tracers that meet each other's would wait for each other forever.
 * Also for its helper, because that tracer would wait for the helper while we stop it. */
static bool is_sampler(const char *status)
{
    static const char tracer[] = "Name:\t" GATE_TRACER_NAME "\n", copier[] = "Name:\t" FAMILY_COPIER_NAME "\n";
    return !strncmp(status, tracer, sizeof tracer - 1) || !strncmp(status, copier, sizeof copier - 1);
}

/* Returns true if PID can be profiled. Kernel threads and ended processes have no memory. A process whose first thread
 * has ended may still have other threads. */
static bool is_fit(pid_t pid, struct buffer *text)
{
    uint64_t number;
    return attach_read(pid, "status", text) && !is_sampler(text->bytes) &&
           (proctext_status_number(text->bytes, "VmSize", 10, &number) ||
            (proctext_status_number(text->bytes, "Threads", 10, &number) && number > 1));
}

static int add_fitting(struct attach_list *list, struct search *search, struct error *error)
{
    struct buffer text = {0};
    int result = proc_prove(error);
    size_t before = list->count;
    DIR *directory = result < 0 ? NULL : proc_opendir("/proc/.");
    const struct dirent *entry;
    while (!result && directory && (entry = readdir(directory))) {
        pid_t pid = (pid_t)atoi(entry->d_name);
        if (pid > 0 && pid != getpid() && search->fits(search, pid, &text) && is_fit(pid, &text))
            result = attach_add(list, pid, error);
    }
    if (directory)
        closedir(directory);
    buffer_fini(&text);
    reader_end(&search->reader);
    return !result && list->count == before ? -ESRCH : result;
}

static void keep(struct attach_list *list, enum attach_kind kind, const char *option, const char *text)
{
    char *copy = list->search_count < ATTACH_SEARCHES_MOST ? strdup(text) : NULL;
    if (copy)
        list->searches[list->search_count++] = (struct attach_searched){kind, option, copy};
}

/* Returns the last part of the path at the beginning of a command line. */
static const char *program_of(const char *command_line)
{
    const char *slash = strrchr(command_line, '/');
    return slash ? slash + 1 : command_line;
}

static bool is_called(const char *name, const char *wanted)
{
    return !strcmp(name, wanted) || !fnmatch(wanted, name, 0);
}

/* Returns true if a program called NAME is an interpreter that runs the file in its command line. */
static bool is_interpreter(const char *name)
{
    static const char *const patterns[] = {"pypy*",  "node",  "nodejs", "deno",    "bun",    "lua*",
                                           "tclsh*", "wish*", "guile*", "Rscript", "sh",     "bash",
                                           "dash",   "ash",   "ksh*",   "zsh",     "busybox"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (!fnmatch(patterns[i], name, 0))
            return true;
    return interp_is_program(name);
}

/* Returns the script or module of an interpreter: the first word that is not an option in the command line TEXT. Each
 * word there ends with a 0. Returns NULL if all are options. */
static const char *script_of(const struct buffer *text)
{
    for (size_t at = strlen(text->bytes) + 1; at < text->length; at += strlen(text->bytes + at) + 1)
        if (text->bytes[at] && text->bytes[at] != '-')
            return program_of(text->bytes + at);
    return NULL;
}

/* Processes whose command line did not arrive in time. Later searches do not wait for them again. */
static struct {
    pid_t pid;
    uint64_t began; /* see proctext_start_time; 0: unused */
} late[64];
static size_t late_count;

static uint64_t begin_of(pid_t pid, struct buffer *text)
{
    uint64_t ticks;
    return attach_read(pid, "stat", text) && proctext_start_time(text->bytes, &ticks) ? ticks : 0;
}

static bool is_late(pid_t pid, struct buffer *text)
{
    bool found = false;
    for (size_t i = 0; i < sizeof late / sizeof *late; i++)
        found |= late[i].began && late[i].pid == pid && late[i].began == begin_of(pid, text);
    return found;
}

static bool read_command_line(struct search *search, pid_t pid, struct buffer *text)
{
    unsigned in_vain = search->reader.in_vain;
    if (is_late(pid, text))
        return false;
    bool read = attach_read_in_time(&search->reader, pid, "cmdline", text);
    if (search->reader.in_vain == in_vain)
        return read;
    size_t number = late_count++ % (sizeof late / sizeof *late);
    late[number].pid = pid;
    late[number].began = begin_of(pid, text);
    return false;
}

/* Mostly the kernel's name decides, which never waits for the process. */
static bool fits_name(struct search *search, pid_t pid, struct buffer *text)
{
    if (attach_read_name(pid, text) && is_called(text->bytes, search->wanted))
        return true;
    bool read = read_command_line(search, pid, text);
    const char *program = read ? program_of(text->bytes) : "";
    const char *script = read && is_interpreter(program) ? script_of(text) : NULL;
    return (read && is_called(program, search->wanted)) || (script && is_called(script, search->wanted));
}

int attach_search_name(struct attach_list *list, const char *option, const char *name, struct error *error)
{
    struct search search = {.wanted = name, .fits = fits_name};
    keep(list, ATTACH_NAME, option, name);
    int result = add_fitting(list, &search, error);
    if (result == -ESRCH)
        error_set(error, ESRCH, "%s: no process is called '%s'", option, name);
    return result;
}

static bool fits_cgroup(struct search *search, pid_t pid, struct buffer *text)
{
    return attach_read(pid, "cgroup", text) && cgroup_is_in(text->bytes, search->wanted);
}

int attach_search_cgroup(struct attach_list *list, const char *path, struct error *error)
{
    struct search search = {.wanted = path, .fits = fits_cgroup};
    keep(list, ATTACH_CGROUP, NULL, path);
    int result = *path ? add_fitting(list, &search, error) : -ESRCH;
    if (result == -ESRCH)
        error_set(error, ESRCH,
                  "--cgroup: no process is in the control group '%s'; /proc/PID/cgroup shows the one of a process, and "
                  "systemd-cgls shows all",
                  path);
    return result;
}

static bool fits_container(struct search *search, pid_t pid, struct buffer *text)
{
    char found[ID_SIZE];
    if (!attach_read(pid, "cgroup", text) || !cgroup_container(text->bytes, search->wanted, found, sizeof found))
        return false;
    if (!*search->container)
        memcpy(search->container, found, sizeof found);
    else if (strcmp(search->container, found) != 0)
        memcpy(search->another, found, sizeof found);
    return true;
}

int attach_search_container(struct attach_list *list, const char *id, struct error *error)
{
    struct search search = {.wanted = id, .fits = fits_container};
    keep(list, ATTACH_CONTAINER, NULL, id);
    int result = add_fitting(list, &search, error);
    if (result == -ESRCH)
        return error_set(
            error, ESRCH,
            "--container: no process is in a container '%s': give its ID, or the beginning of it, as 'docker "
            "ps' or 'podman ps' show it; the names that these give are not known to the kernel",
            id);
    if (!result && *search.another)
        return error_set(error, EINVAL, "--container: '%s' is the beginning of several: %s, %s", id, search.container,
                         search.another);
    return result;
}

int attach_search_again(struct attach_list *list, const struct attach_list *before, struct error *error)
{
    int result = 0;
    for (size_t i = 0; i < before->search_count && (!result || result == -ESRCH); i++) {
        const struct attach_searched *search = &before->searches[i];
        struct error unimportant = {0};
        if (search->kind == ATTACH_NAME)
            result = attach_search_name(list, search->option, search->text, &unimportant);
        else if (search->kind == ATTACH_CGROUP)
            result = attach_search_cgroup(list, search->text, &unimportant);
        else
            result = attach_search_container(list, search->text, &unimportant);
        if (result && result != -ESRCH)
            *error = unimportant;
    }
    return result == -ESRCH ? 0 : result;
}

static bool read_member(pid_t pid, struct family_member *member, struct buffer *text)
{
    uint64_t parent, tracer;
    if (!attach_read(pid, "status", text) || is_sampler(text->bytes) ||
        !proctext_status_number(text->bytes, "PPid", 10, &parent) ||
        !proctext_status_number(text->bytes, "TracerPid", 10, &tracer))
        return false;
    *member = (struct family_member){pid, (pid_t)parent, (pid_t)tracer};
    return true;
}

int attach_search_family(struct family *family, struct error *error)
{
    struct buffer text = {0};
    struct family_member member;
    int result = 0;
    DIR *directory = proc_opendir("/proc/.");
    const struct dirent *entry;
    while (!result && directory && (entry = readdir(directory))) {
        pid_t pid = (pid_t)atoi(entry->d_name);
        if (pid <= 0 || !read_member(pid, &member, &text))
            continue;
        if (ARRAY_RESERVE_ONE(family))
            family->items[family->count++] = member;
        else
            result = error_set(error, ENOMEM, "out of memory");
    }
    if (directory)
        closedir(directory);
    buffer_fini(&text);
    family_sort(family);
    return result;
}

/* SPDX-License-Identifier: MIT */
#include "programs/elf/debuginfod.h"

#include "common/base/child.h"
#include "common/confine/refuse.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The client library of elfutils. It is loaded at run time, because few users need it and it depends on many other
 * libraries. */
#define LIBRARY "libdebuginfod.so.1"
typedef void *begin_client(void);
typedef int find_debug_file(void *client, const unsigned char *id, int size, char **path);

/* Seconds without progress after which a server is given up, unless the user has set another number. */
#define PATIENCE "10"

/* Exit statuses of the process that asks. */
enum { FOUND, NOT_THERE, NO_SERVER };

static void *symbol(void *library, const char *name)
{
    return library ? dlsym(library, name) : NULL;
}

/* The question, and where to write the answer. */
struct question {
    const uint8_t *id;
    size_t size;
    int out;
};

/* Returns the exit status. */
static int fetch_file(const struct question *question)
{
    void *library = dlopen(LIBRARY, RTLD_NOW);
    begin_client *begin = (begin_client *)symbol(library, "debuginfod_begin");
    find_debug_file *find = (find_debug_file *)symbol(library, "debuginfod_find_debuginfo");
    void *client = begin && find ? begin() : NULL;
    char *path = NULL;
    int fd;
    if (!client)
        return NO_SERVER;
    fd = find(client, question->id, (int)question->size, &path);
    if (fd < 0 || !path)
        return fd == -ENOENT || fd == -E2BIG ? NOT_THERE : NO_SERVER;
    return write(question->out, path, strlen(path)) == (ssize_t)strlen(path) ? FOUND : NO_SERVER;
}

/* Ends the process on the signals that ptprofil blocks for itself. Signals that stop a process stay blocked: nobody
 * would continue it. */
static void let_signals_end_it(void)
{
    static const int ending[] = {SIGINT, SIGQUIT, SIGHUP, SIGTERM};
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        signal(ending[i], SIG_DFL);
        sigaddset(&set, ending[i]);
    }
    sigaddset(&set, SIGALRM); /* the library's own */
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* Runs in a process of its own. So nothing of the library stays in ours, and Ctrl-C ends only the download. */
static int live(void *argument)
{
    let_signals_end_it();
    setenv("DEBUGINFOD_TIMEOUT", PATIENCE, 0);
    refuse_as_client();
    return fetch_file(argument);
}

/* Reads from FD until its end. Returns the text, which the caller frees, or NULL if it is empty or too long. */
static char *read_path(int fd)
{
    char path[PATH_MAX];
    size_t length = 0;
    ssize_t got;
    while (length < sizeof path && (got = read(fd, path + length, sizeof path - length)) != 0) {
        if (got < 0 && errno != EINTR)
            break;
        length += got > 0 ? (size_t)got : 0;
    }
    return length && length < sizeof path ? strndup(path, length) : NULL;
}

char *elf_debuginfod_find(const uint8_t *id, size_t size)
{
    static bool gave_up;
    const char *urls = getenv("DEBUGINFOD_URLS");
    char *path = NULL;
    struct child child;
    int ends[2], status = -1;
    if (gave_up || !urls || !*urls || !size || size > INT_MAX || pipe2(ends, O_CLOEXEC) < 0)
        return NULL;
    struct question question = {id, size, ends[1]};
    bool started = child_start(&child, "pt-debuginfod", live, &question) == 0;
    close(ends[1]);
    if (started) {
        path = read_path(ends[0]);
        status = child_wait(&child);
    }
    close(ends[0]);
    gave_up = status != FOUND && status != NOT_THERE;
    return path;
}

const char *elf_debuginfod_state(void)
{
    void *library = dlopen(LIBRARY, RTLD_LAZY);
    if (library)
        dlclose(library);
    return library ? "installed" : "not installed";
}

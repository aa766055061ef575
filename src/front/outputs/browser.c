/* SPDX-License-Identifier: MIT */
#include "front/outputs/browser.h"

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_MS = 2000, STATUS_NOT_RUN = 127 };

static const char user_variable[] = "SUDO_UID";

/* Whom sudo was called by. */
struct caller {
    uid_t user;
    gid_t group;
};

static bool number_of(const char *name, unsigned *number)
{
    const char *text = getenv(name);
    if (!text || !*text || strspn(text, "0123456789") != strlen(text))
        return false;
    errno = 0;
    unsigned long long value = strtoull(text, NULL, 10);
    *number = (unsigned)value;
    return !errno && value < UINT_MAX; /* which means none */
}

static bool has_caller(struct caller *caller)
{
    return geteuid() == 0 && number_of(user_variable, &caller->user) && number_of("SUDO_GID", &caller->group) &&
           caller->user;
}

char *browser_new_page(struct error *error)
{
    const char *top = getenv("TMPDIR");
    struct buffer path = {0};
    buffer_printf(&path, "%s/ptprofil-XXXXXX", top && *top == '/' ? top : "/tmp");
    if (path.failed)
        error_set(error, ENOMEM, "out of memory");
    else if (!mkdtemp(path.bytes))
        error_system(error, errno, "--open: cannot make a folder in '%s'", top && *top == '/' ? top : "/tmp");
    else if (buffer_puts(&path, "/profile.html"), !path.failed)
        return path.bytes;
    buffer_fini(&path);
    return NULL;
}

/* Returns the folder of a new page; the caller frees it. */
static char *folder_of(const char *page)
{
    return strndup(page, (size_t)(strrchr(page, '/') - page));
}

void browser_drop_page(const char *page)
{
    char *folder = folder_of(page);
    if (folder)
        rmdir(folder);
    free(folder);
}

/* The folder is given last: until then, nobody else can replace the page. */
void browser_give_page(const char *page)
{
    struct caller caller;
    char *folder = has_caller(&caller) ? folder_of(page) : NULL;
    const char *const paths[] = {page, folder};
    for (size_t i = 0; folder && i < sizeof paths / sizeof *paths; i++)
        if (lchown(paths[i], caller.user, caller.group) < 0)
            break;
    free(folder);
}

void browser_put_address(struct buffer *text, const char *path)
{
    buffer_puts(text, "file://");
    for (; *path; path++)
        if (strchr("/-._~", *path) || (*path >= '0' && *path <= '9') || (*path >= 'a' && *path <= 'z') ||
            (*path >= 'A' && *path <= 'Z'))
            buffer_printf(text, "%c", *path);
        else
            buffer_printf(text, "%%%02X", (unsigned char)*path);
}

/* Sets the variables by which programs find the files of the user. */
static void set_home(const struct caller *caller)
{
    char folder[48];
    FILE *users = fopen("/etc/passwd", "re");
    struct passwd *user = NULL;
    while (users && (user = fgetpwent(users)) && user->pw_uid != caller->user)
        ;
    if (user) {
        setenv("HOME", user->pw_dir, 1);
        setenv("USER", user->pw_name, 1);
        setenv("LOGNAME", user->pw_name, 1);
    }
    snprintf(folder, sizeof folder, "/run/user/%u", (unsigned)caller->user);
    if (access(folder, X_OK) == 0)
        setenv("XDG_RUNTIME_DIR", folder, 1);
}

/* Gives up root's rights for good. */
static bool become(const struct caller *caller)
{
    set_home(caller);
    return setgroups(0, NULL) == 0 && setresgid(caller->group, caller->group, caller->group) == 0 &&
           setresuid(caller->user, caller->user, caller->user) == 0;
}

/* Becomes PROGRAM, which shows ADDRESS, in a session of its own: the keys of our terminal do not end it. */
static _Noreturn void become_browser(const char *program, const char *address)
{
    char *const arguments[] = {(char *)program, (char *)address, NULL};
    struct caller caller;
    sigset_t none;
    sigemptyset(&none);
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setsid();
    int nowhere = open("/dev/null", O_RDWR);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        dup2(nowhere, fd);
    close_range(STDERR_FILENO + 1, UINT_MAX, 0);
    const char *user = geteuid() == 0 ? getenv(user_variable) : NULL;
    bool is_called = user && strcmp(user, "0"); /* by another user, whose number may be unusable */
    if (is_called ? has_caller(&caller) && become(&caller) : true)
        execvp(program, arguments);
    _exit(STATUS_NOT_RUN);
}

/* Returns true if PROGRAM was started, and has not failed after a moment. */
static bool runs(const char *program, const char *address)
{
    int status = 0;
    pid_t pid = fork();
    if (!pid)
        become_browser(program, address);
    struct pollfd end = {.fd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1, .events = POLLIN};
    bool ended = end.fd >= 0 && poll(&end, 1, PATIENCE_MS) == 1 && waitpid(pid, &status, 0) == pid;
    if (end.fd >= 0)
        close(end.fd);
    return pid > 0 && (!ended || (WIFEXITED(status) && !WEXITSTATUS(status)));
}

static bool any_runs(char *programs, const char *address)
{
    for (char *next, *program = strtok_r(programs, ":", &next); program; program = strtok_r(NULL, ":", &next))
        if (runs(program, address))
            return true;
    return false;
}

/* Returns why ADDRESS cannot be shown, or NULL if it is shown. */
static const char *show(const char *address)
{
    const char *browser = getenv("BROWSER");
    char *list = browser && *browser ? strdup(browser) : NULL;
    bool shown = list && any_runs(list, address);
    free(list);
    if (shown)
        return NULL;
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY"))
        return browser && *browser ? "no program of $BROWSER does it" : "there is no display, and BROWSER is not set";
    return runs("xdg-open", address) ? NULL
           : browser                 ? "neither a program of $BROWSER nor xdg-open does it"
                                     : "xdg-open failed";
}

int browser_show(const char *path, struct error *error)
{
    struct buffer address = {0};
    char *place = realpath(path, NULL);
    if (place)
        browser_put_address(&address, place);
    free(place);
    const char *why = !address.length || address.failed ? "it cannot be found" : show(address.bytes);
    buffer_fini(&address);
    if (!why)
        return 0;
    return error_set(error, ENOENT, "--open: cannot show '%s': %s; open it in a browser yourself", path, why);
}

/* SPDX-License-Identifier: MIT
 *
 * Opens libraries while it runs, and calls each one's profil. FreeBSD refuses the arguments and the C library does
 * not, so the result shows who answered. The program does not refer to profil, unless it is compiled with
 * OWN_PROFIL, and then to its own.
 *
 *   call_loader served|unserved [-k] [-m] [-n TIMES] LIBRARY     LIBRARY calls the C library's
 *   call_loader own LIBRARY      LIBRARY calls one of its own
 *   call_loader exe              calls the program's own (OWN_PROFIL)
 * -m: by dlmopen, TIMES times, in a namespace with its own C library. -k: it then kills its tracer, and opens
 * LIBRARY while the front, which would restore the code, is stopped. */
#include "target.h"

#include <dlfcn.h>
#include <sys/time.h>

enum { SIZE = 4096, REFUSED_SCALE = 65537, RETURNED_BY_OWN = 4711 };
typedef int plugin_profil_function(unsigned short *cells, size_t size, unsigned scale);

static unsigned short cells[SIZE];

#ifdef OWN_PROFIL
__attribute__((noinline, visibility("default"))) int profil(unsigned short *buffer, size_t size, size_t offset,
                                                            unsigned scale)
{
    CHECK(buffer == cells && size == 1 && offset == 2 && scale == REFUSED_SCALE);
    return RETURNED_BY_OWN;
}

static void call_own(void)
{
    for (int i = 0; i < 1000; i++) {
        errno = EDOM;
        CHECK(profil(cells, 1, 2, REFUSED_SCALE) == RETURNED_BY_OWN && errno == EDOM);
    }
}
#else
static void call_own(void)
{
    die("compiled without a profil");
}
#endif

static void expect(const char *who, int result)
{
    int error = errno;
    if (strcmp(who, "served") == 0 && result == -1 && error == EINVAL)
        return;
    if (strcmp(who, "unserved") == 0 && result == 0)
        return;
    if (strcmp(who, "own") == 0 && result == RETURNED_BY_OWN && error == ENOTTY)
        return;
    die("not %s: profil returns %d, errno %d", who, result, error);
}

/* Another namespace has another errno. */
static int *errno_of(void *library)
{
    int *(*location)(void) = NULL;
    *(void **)&location = dlsym(library, "__errno_location");
    CHECK(location);
    return location();
}

static void open_and_call(const char *who, const char *path, bool namespace)
{
    plugin_profil_function *call = NULL;
    void *library = namespace ? dlmopen(LM_ID_NEWLM, path, RTLD_NOW) : dlopen(path, RTLD_NOW);
    if (!library)
        die("%s", dlerror());
    *(void **)&call = dlsym(library, "plugin_profil");
    CHECK(call);
    *errno_of(library) = 0;
    int result = call(cells, sizeof cells, REFUSED_SCALE);
    errno = *errno_of(library);
    expect(who, result);
    call(cells, sizeof cells, 0);
    call(NULL, 0, 0);
    CHECK(dlclose(library) == 0);
}

/* Waits until the front has noticed it. */
static void kill_and_open(const char *path)
{
    pid_t tracer = tracer_pid();
    uint64_t bound = monotonic_ns() + 20 * SECOND_NS;
    CHECK(kill(getppid(), SIGSTOP) == 0 && tracer > 0 && kill(tracer, SIGKILL) == 0);
    void *library = dlopen(path, RTLD_NOW);
    CHECK(library && kill(getppid(), SIGCONT) == 0 && dlclose(library) == 0);
    while (kill(tracer, 0) == 0 && monotonic_ns() < bound)
        nap_ms(1);
}

int main(int argc, char **argv)
{
    bool namespace = false, kills = false;
    int option, times = 1;
    target_begin();
    CHECK(argc > 1);
    while ((option = getopt(argc - 1, argv + 1, "kmn:")) >= 0)
        switch (option) {
        case 'k':
            kills = true;
            break;
        case 'm':
            namespace
            = true;
            break;
        case 'n':
            times = atoi(optarg);
            break;
        default:
            return 98;
        }
    if (strcmp(argv[1], "exe") == 0) {
        call_own();
        return 0;
    }
    CHECK(optind + 2 == argc);
    while (times-- > 0)
        open_and_call(argv[1], argv[optind + 1], namespace);
    if (kills)
        kill_and_open(argv[optind + 1]);
    puts("call_loader: as expected");
    return 0;
}

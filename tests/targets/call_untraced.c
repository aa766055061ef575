/* SPDX-License-Identifier: MIT
 *
 * Calls profil and sprofil in children that are not reported to a tracer: with a copy of this process's memory, with
 * shared memory, and after vfork. Each call must work like the C library's own, and loading a library must work.
 * With -DFILTERS the program also needs prctl. */
#include "target.h"

#include <dlfcn.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/profil.h>
#include <sys/syscall.h>
#include <sys/time.h>

enum { STACK_BYTES = 1 << 18 };

static unsigned short cells[256], *none;

/* With shared memory, the C library's sprofil would free its memory twice. */
static bool call_sprofil(void)
{
    struct prof region = {cells, sizeof cells, 0, 2};
    struct timeval interval;
    return sprofil(&region, 1, &interval, PROF_USHORT) == 0 && sprofil(NULL, 0, NULL, 0) == 0;
}

/* Returns the time that this thread has waited for a CPU. */
static int64_t waited_ns(void)
{
    char text[64] = "";
    long long ran_ns, waited_ns = 0;
    int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && read(fd, text, sizeof text - 1) > 0)
        sscanf(text, "%lld %lld", &ran_ns, &waited_ns);
    close(fd);
    return waited_ns;
}

static int call(void *copied)
{
    int64_t waited = waited_ns();
    uint64_t since_ns = monotonic_ns();
    bool works = profil(cells, sizeof cells, 0, 2) == 0 && profil(none, 0, 0, 0) == 0 && (!copied || call_sprofil());
    int64_t took_ns = (int64_t)(monotonic_ns() - since_ns);
    bool quick = took_ns - (waited_ns() - waited) < (int64_t)(400 * MILLISECOND_NS);
    bool loaded = !copied || dlopen("libutil.so.1", RTLD_NOW);
    _exit((works ? 0 : 1) | (quick ? 0 : 2) | (loaded ? 0 : 4));
}

static void check(const char *kind, pid_t pid)
{
    int status;
    CHECK(pid > 0 && waitpid(pid, &status, __WALL) == pid);
    if (status)
        die("%s: status %x", kind, (unsigned)status);
}

static pid_t by_clone3(uint64_t flags)
{
    struct clone_args arguments = {.flags = flags | CLONE_UNTRACED, .exit_signal = SIGCHLD};
    pid_t pid = (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments);
    if (pid == 0)
        call("");
    return pid;
}

int main(void)
{
    static char stack[STACK_BYTES] __attribute__((aligned(16)));
    target_begin();
#ifdef FILTERS
    CHECK(prctl(PR_SET_NAME, "filters") == 0);
#endif
    CHECK(profil(cells, sizeof cells, 0, 2) == 0 && profil(none, 0, 0, 0) == 0);
    check("a copy", by_clone3(0));
    check("the memory", clone(call, stack + STACK_BYTES, CLONE_VM | CLONE_UNTRACED, NULL));
    check("the memory, for a while",
          clone(call, stack + STACK_BYTES, CLONE_VM | CLONE_VFORK | CLONE_UNTRACED | SIGCHLD, NULL));
    check("vforked", clone(call, stack + STACK_BYTES, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL));
    pid_t pid = fork();
    if (pid == 0)
        call("");
    check("forked", pid);
    return 0;
}

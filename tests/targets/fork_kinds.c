/* SPDX-License-Identifier: MIT
 *
 * One child of each kind. Each works in a function of its own that the profile must show, and the parent checks all
 * that it can see of it:
 *
 *     fork_kinds fork|vfork|clone_vm|posix_spawn|thread|untraced|reparented|all [CPU_MS] */
#include "target.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>

DEFINE_SPIN(in_parent, 0x101)
DEFINE_SPIN(in_fork_child, 0x102)
DEFINE_SPIN(in_vfork_child, 0x103)
DEFINE_SPIN(in_clone_vm_child, 0x104)
DEFINE_SPIN(in_spawned_child, 0x105)
DEFINE_SPIN(in_thread, 0x106)
DEFINE_SPIN(in_untraced_child, 0x107)
DEFINE_SPIN(in_orphan, 0x108)

extern char **environ;

static unsigned milliseconds = 100;
static int shared_with_child;

static void kind_fork(void)
{
    int mine = 1;
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        mine = 2;
        spin_cpu_ms(in_fork_child, milliseconds);
        _exit(mine + 20);
    }
    spin_cpu_ms(in_parent, milliseconds / 4);
    CHECK_EXITED(pid, 22);
    CHECK(mine == 1);
}

static void kind_vfork(void)
{
    volatile int mine = 1;
    pid_t pid = vfork();
    CHECK(pid >= 0);
    if (pid == 0) {
        spin_cpu_ms(in_vfork_child, milliseconds);
        mine = 2;
        _exit(23);
    }
    CHECK(mine == 2); /* the parent slept until then */
    CHECK_EXITED(pid, 23);
}

static int clone_vm_child(void *argument)
{
    spin_cpu_ms(in_clone_vm_child, milliseconds);
    *(int *)argument = 4;
    return 24;
}

static char *new_stack(void)
{
    char *stack = mmap(NULL, 1 << 18, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    CHECK(stack != MAP_FAILED);
    return stack + (1 << 18);
}

static void kind_clone_vm(void)
{
    pid_t pid = clone(clone_vm_child, new_stack(), CLONE_VM | CLONE_FILES | SIGCHLD, &shared_with_child);
    CHECK(pid >= 0);
    spin_cpu_ms(in_parent, milliseconds / 4);
    CHECK_EXITED(pid, 24);
    CHECK(shared_with_child == 4);
}

static void kind_posix_spawn(void)
{
    char cpu_ms[16];
    char *arguments[] = {(char *)"fork_kinds", (char *)"spawned", cpu_ms, NULL};
    pid_t pid;
    snprintf(cpu_ms, sizeof cpu_ms, "%u", milliseconds);
    CHECK(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, arguments, environ) == 0);
    CHECK_EXITED(pid, 25);
    CHECK(posix_spawn(&pid, "/nonexistent/file", NULL, NULL, arguments, environ) == ENOENT);
}

static void *thread_work(void *unused)
{
    (void)unused;
    spin_cpu_ms(in_thread, milliseconds);
    return &shared_with_child;
}

static void kind_thread(void)
{
    pthread_t thread;
    void *result;
    CHECK(pthread_create(&thread, NULL, thread_work, NULL) == 0);
    CHECK(pthread_join(thread, &result) == 0 && result == &shared_with_child);
}

static int untraced_child(void *unused)
{
    (void)unused;
    spin_cpu_ms(in_untraced_child, milliseconds);
    return tracer_pid() == 0 ? 26 : 1;
}

static void kind_untraced(void)
{
    pid_t pid = clone(untraced_child, new_stack(), CLONE_UNTRACED | SIGCHLD, NULL);
    CHECK(pid >= 0);
    CHECK_EXITED(pid, 26);
}

/* The parent of a grandchild ends first; this process is its subreaper. */
static void kind_reparented(void)
{
    CHECK(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        if (fork() == 0) {
            spin_cpu_ms(in_orphan, milliseconds);
            _exit(28);
        }
        _exit(27);
    }
    CHECK_EXITED(pid, 27);
    int status;
    CHECK(waitpid(-1, &status, 0) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 28);
}

static const struct {
    const char *name;
    void (*run)(void);
} kinds[] = {
    {"fork", kind_fork},
    {"vfork", kind_vfork},
    {"clone_vm", kind_clone_vm},
    {"posix_spawn", kind_posix_spawn},
    {"thread", kind_thread},
    {"untraced", kind_untraced},
    {"reparented", kind_reparented},
};

int main(int argc, char **argv)
{
    bool known = false;
    target_begin();
    if (argc > 2)
        milliseconds = (unsigned)atoi(argv[2]);
    if (argc > 1 && strcmp(argv[1], "spawned") == 0) {
        spin_cpu_ms(in_spawned_child, milliseconds);
        return 25;
    }
    for (size_t i = 0; argc > 1 && i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(argv[1], kinds[i].name) == 0 || strcmp(argv[1], "all") == 0) {
            kinds[i].run();
            known = true;
        }
    }
    CHECK(known);
    CHECK(waitpid(-1, NULL, __WALL) == -1 && errno == ECHILD); /* it has only its own children */
    puts("fork_kinds: as expected");
    return 0;
}

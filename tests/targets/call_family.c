/* SPDX-License-Identifier: MIT
 *
 * Children of every kind call profil together with their parent. No process may crash, and each call must return 0.
 *
 *     call_family fork|vfork|exec|spawn|clone_vm|thread_fork|all [-u] [-z] [-s SECONDS | -n ROUNDS] [-r READY]
 *     call_family daemon -r READY -o END [-s SECONDS]
 * -u: children are not followed; processes that share this process's memory may get ENOSYS. -z: calls only profil(0,
 * 0, 0, 0), which is also harmless in the C library if the call is not served. daemon: a daemon continues to call
 * for SECONDS, and then writes "ok" to END if its code equals its files again. */
#include "own_text.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <sys/profil.h>

extern char **environ;

enum { AT_ONCE = 8, CELLS = 64, STATUS_OF_CHILD = 33, STACK_BYTES = 1 << 16, WIDE = 65536 };

static unsigned short cells[CELLS];
static unsigned short *volatile none; /* the declaration of profil forbids NULL */
static uint64_t end_ns = UINT64_MAX;
static long rounds = 40;
static bool may_be_refused, only_off;
static const char *ready, *end_file;

static void check(int result)
{
    if (result != 0 && (result != -1 || errno != ENOSYS || !may_be_refused))
        die("profil returns %d, errno %d", result, errno);
}

static void call_off(void)
{
    check(profil(none, 0, 0, 0));
}

static void call_on(void)
{
    if (only_off)
        call_off();
    else
        check(profil(cells, sizeof cells, (size_t)(uintptr_t)call_on, WIDE));
}

__attribute__((noreturn)) static void be_child(void)
{
    call_on();
    call_off();
    _exit(STATUS_OF_CHILD);
}

static void round_of_forks(void)
{
    pid_t children[AT_ONCE];
    for (int i = 0; i < AT_ONCE; i++) {
        children[i] = fork();
        CHECK(children[i] >= 0);
        if (children[i] == 0)
            be_child();
        call_on();
    }
    for (int i = 0; i < AT_ONCE; i++)
        CHECK_EXITED(children[i], STATUS_OF_CHILD);
}

/* The child shares the parent's memory, and the parent sleeps. */
static void round_of_vforks(void)
{
    pid_t pid = vfork();
    CHECK(pid >= 0);
    if (pid == 0)
        be_child();
    CHECK_EXITED(pid, STATUS_OF_CHILD);
    call_on();
}

static void round_of_execs(void)
{
    char *const arguments[] = {(char *)"call_family", (char *)"child", only_off ? (char *)"-z" : NULL, NULL};
    pid_t pid = vfork();
    CHECK(pid >= 0);
    if (pid == 0) {
        call_on();
        execv("/proc/self/exe", arguments);
        _exit(127);
    }
    CHECK_EXITED(pid, STATUS_OF_CHILD);
    call_off();
}

static void round_of_spawns(void)
{
    char *const arguments[] = {(char *)"call_family", (char *)"child", only_off ? (char *)"-z" : NULL, NULL};
    pid_t pid;
    CHECK(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, arguments, environ) == 0);
    call_on();
    CHECK_EXITED(pid, STATUS_OF_CHILD);
}

static int clone_child(void *unused)
{
    (void)unused;
    for (int i = 0; i < 20; i++)
        call_on();
    call_off();
    return STATUS_OF_CHILD;
}

/* Both share the memory, and run at the same time. */
static void round_of_clones(void)
{
    static char stacks[2][STACK_BYTES] __attribute__((aligned(64)));
    pid_t children[2];
    for (int i = 0; i < 2; i++) {
        children[i] = clone(clone_child, stacks[i] + STACK_BYTES, CLONE_VM | CLONE_FILES | SIGCHLD, NULL);
        CHECK(children[i] >= 0);
    }
    for (int i = 0; i < 20; i++)
        call_on();
    CHECK_EXITED(children[0], STATUS_OF_CHILD);
    call_off();
    CHECK_EXITED(children[1], STATUS_OF_CHILD);
}

static void *call_while(void *over)
{
    while (!atomic_load((atomic_bool *)over)) {
        call_on();
        call_off();
    }
    return NULL;
}

/* Forks while other threads are inside a call. */
static void round_of_thread_forks(void)
{
    pthread_t threads[2];
    atomic_bool over = false;
    for (int i = 0; i < 2; i++)
        CHECK(pthread_create(&threads[i], NULL, call_while, &over) == 0);
    round_of_forks();
    over = true;
    for (int i = 0; i < 2; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
}

static const struct {
    const char *name;
    void (*round)(void);
} kinds[] = {
    {"fork", round_of_forks},   {"vfork", round_of_vforks},    {"exec", round_of_execs},
    {"spawn", round_of_spawns}, {"clone_vm", round_of_clones}, {"thread_fork", round_of_thread_forks},
};

static void run(const char *kind)
{
    bool known = false;
    announce(ready);
    for (long i = 0; i < rounds && monotonic_ns() < end_ns; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (strcmp(kind, kinds[k].name) == 0 || strcmp(kind, "all") == 0) {
                kinds[k].round();
                known = true;
            }
    CHECK(known || rounds == 0);
}

static void leave_daemon(void)
{
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid != 0) {
        CHECK(wait_for_file(ready, 30));
        return;
    }
    target_begin(); /* a child does not inherit the alarm */
    CHECK(setsid() >= 0);
    announce(ready);
    while (monotonic_ns() < end_ns) {
        call_on();
        round_of_forks();
    }
    CHECK(own_text_returns(30));
    write_file(end_file, "ok\n");
}

int main(int argc, char **argv)
{
    int option;
    target_begin();
    CHECK(argc > 1);
    while ((option = getopt(argc - 1, argv + 1, "uzs:n:r:o:")) >= 0)
        switch (option) {
        case 'u':
            may_be_refused = true;
            break;
        case 'z':
            only_off = true;
            break;
        case 's':
            end_ns = monotonic_ns() + (uint64_t)(atof(optarg) * 1e9);
            rounds = INT32_MAX;
            break;
        case 'n':
            rounds = atol(optarg);
            break;
        case 'r':
            ready = optarg;
            break;
        case 'o':
            end_file = optarg;
            break;
        default:
            return 98;
        }
    if (strcmp(argv[1], "child") == 0)
        be_child();
    if (strcmp(argv[1], "daemon") == 0) {
        CHECK(ready && end_file);
        leave_daemon();
        return 0;
    }
    run(argv[1]);
    CHECK(waitpid(-1, NULL, __WALL) == -1 && errno == ECHILD);
    puts("call_family: as expected");
    return 0;
}

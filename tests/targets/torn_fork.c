/* SPDX-License-Identifier: MIT
 *
 * A child whose creator ends before a tracer could learn of the child: while a thread is stopped for its fork event,
 * another thread of the process calls exec.
 *
 *     torn_fork READY GO
 * READY gets the pid. The child is created when GO exists, and exists before the process stops at its exec, or is
 * untraced. The executed program ends with status 0 when the child has run and ended. */
#include "target.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>

static int ends[2];
static atomic_int maker;
static atomic_bool made, go;

static void *make_child(void *unused)
{
    maker = (int)syscall(SYS_gettid);
    while (!go)
        nap_ms(1);
    if (fork() == 0) {
        CHECK(write(ends[1], "x", 1) == 1);
        _exit(0);
    }
    made = true;
    for (;;)
        pause();
    return unused;
}

static char state_of_maker(void)
{
    char path[80], text[200] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", maker);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    CHECK(fd >= 0 && read(fd, text, sizeof text - 1) > 0 && close(fd) == 0);
    const char *behind_name = strrchr(text, ')');
    CHECK(behind_name && behind_name[1] == ' ');
    return behind_name[2];
}

static int await_child(void)
{
    char said;
    CHECK(read(STDIN_FILENO, &said, 1) == 1 && said == 'x');
    CHECK(read(STDIN_FILENO, &said, 1) == 0);
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    target_begin();
    if (argc == 1)
        return await_child();
    CHECK(argc == 3 && pipe2(ends, O_CLOEXEC) == 0 && dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
    CHECK(pthread_create(&thread, NULL, make_child, NULL) == 0);
    while (!maker)
        nap_ms(1);
    announce(argv[1]);
    while (access(argv[2], F_OK) != 0)
        nap_ms(1);
    go = true;
    while (!made && state_of_maker() != 't')
        nap_ms(1);
    execl("/proc/self/exe", "torn_fork", (char *)NULL);
    CHECK(!"exec");
}

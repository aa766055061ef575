/* SPDX-License-Identifier: MIT
 *
 * A child that shares this process's memory calls profil after this process has ended:
 *
 *     call_heir FILE
 * The child writes "ok" to FILE if it survives. */
#include "target.h"

#include <sched.h>
#include <sys/profil.h>

enum { STACK_BYTES = 1 << 16, MOST_MS = 10000 };

static unsigned short cells[64];
static const char *file;

static int heir(void *maker)
{
    pid_t *parent = maker;
    for (int i = 0; i < MOST_MS && getppid() == *parent; i++)
        usleep(1000);
    profil(cells, sizeof cells, 0, 2); /* no tracer that knows this process serves the call */
    FILE *stream = fopen(file, "w");
    if (!stream || fputs("ok\n", stream) < 0 || fclose(stream) != 0)
        _exit(1);
    _exit(0);
}

int main(int argc, char **argv)
{
    static char stack[STACK_BYTES] __attribute__((aligned(16)));
    static pid_t self;
    target_begin();
    CHECK(argc == 2);
    file = argv[1];
    self = getpid();
    profil(cells, sizeof cells, 0, 2);
    CHECK(clone(heir, stack + STACK_BYTES, CLONE_VM | SIGCHLD, &self) > 0);
    _exit(0);
}

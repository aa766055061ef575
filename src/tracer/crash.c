/* SPDX-License-Identifier: MIT */
#include "tracer/crash.h"

#include <signal.h>
#include <unistd.h>

enum {
    ROUNDS = 3000, /* in which what had just met a byte comes to its stop: it may have no CPU for long */
    LOOKS = 20,    /* in each of them */
    PAUSE_US = 500,
    STACK_BYTES = 1 << 16,
};

#define STUBS_NS 3000000000ull /* on a busy machine, where a thread has to wait for its CPU */

/* Handlers cannot be given more. */
static struct rescue *noted;

/* Returns how many have been found stopped. */
static unsigned let_go(void)
{
    unsigned count = 0;
    for (int i = 0; i < LOOKS; i++) {
        count += rescue_let_go(noted);
        usleep(PAUSE_US);
    }
    return count;
}

/* Nothing is trusted here but the notes, in memory that is shared, and the kernel. A second fault ends it. Stubs that
 * are not empty soon harm nobody, and are left to the front: nobody but this lets go who stops meanwhile. */
static void handle(int sig)
{
    unsigned left = 1;
    rescue_bytes(noted);
    for (int i = 0; left && i < ROUNDS; i++) {
        left = rescue_awaited(noted);
        left += let_go();
    }
    rescue_children(noted);
    rescue_stubs(noted, STUBS_NS);
    let_go(); /* what has stopped meanwhile */
    raise(sig);
}

void crash_prepare(struct rescue *rescue)
{
    static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP, SIGXCPU};
    static unsigned char bytes[STACK_BYTES];
    const stack_t stack = {.ss_sp = bytes, .ss_size = sizeof bytes};
    struct sigaction action = {.sa_handler = handle, .sa_flags = (int)(SA_ONSTACK | SA_RESETHAND)}, before;
    noted = rescue;
    if (sigaltstack(&stack, NULL) < 0)
        return;
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
        if (sigaction(deadly[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL) /* not a sanitizer's */
            sigaction(deadly[i], &action, NULL);
}

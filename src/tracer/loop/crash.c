/* SPDX-License-Identifier: MIT */
#include "tracer/loop/crash.h"

#include "tracer/plant/rescue.h"

#include <signal.h>
#include <unistd.h>

enum {
    ROUNDS = 3000, /* rounds of waiting for threads that have hit a breakpoint, because they may get no CPU for long */
    LOOKS = 20,    /* in each round */
    PAUSE_US = 500,
    STACK_BYTES = 1 << 16,
};

#define STUBS_NS 3000000000ull /* on a busy machine a thread waits long for its CPU */

/* Global: a signal handler gets no argument. */
static struct rescue *noted;

/* Returns how many threads were found stopped. */
static unsigned let_go(void)
{
    unsigned count = 0;
    for (int i = 0; i < LOOKS; i++) {
        count += rescue_let_go(noted);
        usleep(PAUSE_US);
    }
    return count;
}

/* Handles a fatal signal. Trusts only the kernel and the notes, which are in shared memory. A second fault ends the
 * handler. A stub that is in use for long is harmless, so the front removes it: only this handler can detach threads
 * that stop in the meantime. */
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
    let_go(); /* threads that have stopped in the meantime */
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
        if (sigaction(deadly[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL) /* skip handlers of a sanitizer */
            sigaction(deadly[i], &action, NULL);
}

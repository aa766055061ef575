/* SPDX-License-Identifier: MIT
 *
 * Calls pcsample very often, from every context where it may be called, during the service. Each call must be
 * served, and preserve errno, the callee-saved registers, handlers, and masks.
 *
 *     pcsample_calls registers|blocked|handler|threads CALLS */
#include "target.h"

#include <pcsample.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

enum { THREADS = 6, ROOM = 1000 };

static uintptr_t samples[ROOM];
static atomic_bool done;
static _Atomic long handled, stray;

static void call(void)
{
    errno = EDOM;
    long stored = pcsample(samples, ROOM);
    if (stored < 0 || stored > ROOM || errno != EDOM)
        die("pcsample: %ld, errno %d", stored, errno);
}

static void fail_to_call(void)
{
    errno = 0;
    CHECK(pcsample(samples, -1) == -1 && errno == EINVAL);
}

static void call_in_handler(int signal)
{
    int saved = errno;
    (void)signal;
    call();
    handled++;
    errno = saved;
}

static void note_stray(int signal)
{
    (void)signal;
    stray++;
}

static void install(int signal, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    CHECK(sigaction(signal, &action, NULL) == 0);
}

/* Calls pcsample(samples, room) with a pattern in each callee-saved register. KEPT[I] is the register's value
 * before, and gets its value afterwards. Returns the call's result. */
enum { KEPT_REGISTERS = 5 };
long call_and_keep(uintptr_t *array, long room, uint64_t kept[KEPT_REGISTERS]);
__asm__(".text\n"
        ".type call_and_keep, @function\n"
        "call_and_keep:\n"
        "    push %rbp\n"
        "    push %rbx\n"
        "    push %r12\n"
        "    push %r13\n"
        "    push %r14\n"
        "    push %r15\n"
        "    push %rdx\n"
        "    mov 0(%rdx), %rbp\n"
        "    mov 8(%rdx), %rbx\n"
        "    mov 16(%rdx), %r12\n"
        "    mov 24(%rdx), %r13\n"
        "    mov 32(%rdx), %r14\n"
        "    mov %rdx, %r15\n"
        "    call pcsample@PLT\n"
        "    pop %rdx\n"
        "    mov %rbp, 0(%rdx)\n"
        "    mov %rbx, 8(%rdx)\n"
        "    mov %r12, 16(%rdx)\n"
        "    mov %r13, 24(%rdx)\n"
        "    mov %r14, 32(%rdx)\n"
        "    cmp %rdx, %r15\n" /* the sixth */
        "    je 1f\n"
        "    ud2\n"
        "1:  pop %r15\n"
        "    pop %r14\n"
        "    pop %r13\n"
        "    pop %r12\n"
        "    pop %rbx\n"
        "    pop %rbp\n"
        "    ret\n"
        ".size call_and_keep, . - call_and_keep\n");

static void try_registers(long calls)
{
    for (long i = 0; i < calls; i++) {
        uint64_t kept[KEPT_REGISTERS];
        for (uint64_t k = 0; k < KEPT_REGISTERS; k++)
            kept[k] = (uint64_t)i * 0x9e3779b97f4a7c15u + k;
        long stored = call_and_keep(samples, ROOM, kept);
        CHECK(stored >= 0 && stored <= ROOM);
        for (uint64_t k = 0; k < KEPT_REGISTERS; k++)
            CHECK(kept[k] == (uint64_t)i * 0x9e3779b97f4a7c15u + k);
    }
}

static void try_blocked(long calls)
{
    sigset_t all, before, after;
    CHECK(sigfillset(&all) == 0 && sigdelset(&all, SIGALRM) == 0);
    CHECK(sigprocmask(SIG_SETMASK, &all, NULL) == 0 && sigprocmask(SIG_SETMASK, NULL, &before) == 0);
    while (calls--) {
        call();
        fail_to_call();
        CHECK(sigprocmask(SIG_SETMASK, NULL, &after) == 0 && memcmp(&before, &after, 8) == 0);
    }
}

/* Sends signals to the thread that called try_handler, with numbers below those that may carry a call. */
static void *disturb(void *thread)
{
    while (!done)
        CHECK(pthread_kill(*(pthread_t *)thread, SIGUSR1) == 0);
    return NULL;
}

static void try_handler(long calls)
{
    pthread_t self = pthread_self(), other;
    install(SIGUSR1, call_in_handler);
    CHECK(pthread_create(&other, NULL, disturb, &self) == 0);
    for (long i = 0; i < calls || handled < calls; i++)
        call();
    done = true;
    CHECK(pthread_join(other, NULL) == 0);
}

static void *call_as_thread(void *argument)
{
    long calls = *(long *)argument;
    try_registers(calls);
    try_blocked(calls);
    return NULL;
}

/* All threads call at once, in a program that handles every signal that may carry a call. */
static void try_threads(long calls)
{
    pthread_t threads[THREADS];
    install(SIGURG, note_stray);
    install(SIGWINCH, note_stray);
    install(SIGCHLD, note_stray);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, call_as_thread, &calls) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(stray == 0);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*function)(long calls);
    } trials[] = {
        {"registers", try_registers}, {"blocked", try_blocked}, {"handler", try_handler}, {"threads", try_threads}};
    CHECK(argc == 3);
    target_begin();
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++)
        if (!strcmp(argv[1], trials[i].name)) {
            trials[i].function(atol(argv[2]));
            puts("pcsample_calls: all were served");
            return 0;
        }
    die("no such trial: %s", argv[1]);
}

/* SPDX-License-Identifier: MIT
 *
 * A program that handles SIGILL, SIGTRAP and SIGSEGV, and causes such faults all the time, while its threads call
 * profil: in the same thread, in others, and in the handlers. Each fault must arrive unchanged, no others may
 * arrive, and handlers and masks must not change.
 *
 *     call_faults [SECONDS]
 * It continues until each kind has occurred, even if that takes longer. */
#include "target.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/profil.h>
#include <ucontext.h>

#ifndef SA_RESTORER
#define SA_RESTORER 0x04000000
#endif

enum { FAULTERS = 3, CALLERS = 2, LEAST_CALLS = 100, LEAST_ROUNDS = 11 };

/* The faulting instructions, and where a thread continues after each. */
extern const char ud2_at[], after_ud2[], int3_at[], after_int3[], read_at[], after_read[];
__asm__(".text\n"
        ".type faults, @function\n"
        "faults:\n"
        "ud2_at: ud2\n"
        "after_ud2:\n"
        "int3_at: int3\n"
        "after_int3:\n"
        "    xor %eax, %eax\n"
#ifdef __i386__
        "read_at: mov (%eax), %eax\n"
#else
        "read_at: mov (%rax), %eax\n"
#endif
        "after_read: ret\n"
        ".size faults, . - faults\n");
void faults(void);

#ifdef __i386__
enum { REG_PC = REG_EIP };
#else
enum { REG_PC = REG_RIP };
#endif

static _Thread_local volatile int seen[65];
static unsigned short cells[64];
static atomic_bool over;
static _Atomic long calls, rounds;

static void call_profil(void)
{
    int before = errno;
    CHECK(profil(cells, sizeof cells, (size_t)(uintptr_t)call_profil, 65536) == 0 && errno == before);
    calls++;
}

static void handle(int sig, siginfo_t *info, void *context)
{
    greg_t *pc = &((ucontext_t *)context)->uc_mcontext.gregs[REG_PC];
    uintptr_t at = (uintptr_t)*pc;
    if (sig == SIGILL && at == (uintptr_t)ud2_at && info->si_code == ILL_ILLOPN && info->si_addr == ud2_at)
        *pc = (greg_t)(uintptr_t)after_ud2;
    else if (sig == SIGTRAP && at == (uintptr_t)after_int3 && info->si_code == SI_KERNEL)
        *pc = (greg_t)(uintptr_t)after_int3;
    else if (sig == SIGSEGV && at == (uintptr_t)read_at && info->si_code == SEGV_MAPERR && !info->si_addr)
        *pc = (greg_t)(uintptr_t)after_read;
    else
        die("signal %d, code %d, address %p, at 0x%lx is none of the program's own", sig, info->si_code, info->si_addr,
            (unsigned long)at);
    seen[sig]++;
    call_profil();
}

/* A breakpoint causes SIGILL. If this is blocked, as in its own handler without SA_NODEFER, the kernel resets the
 * handler. The manual page tells programs not to block it, as the only restriction. */
static int flags_of(int sig)
{
    return sig == SIGILL ? SA_SIGINFO | SA_NODEFER : SA_SIGINFO;
}

static void install(sigset_t *blocked)
{
    static const int signals[] = {SIGILL, SIGTRAP, SIGSEGV};
    sigemptyset(blocked);
    sigaddset(blocked, SIGUSR1);
    CHECK(pthread_sigmask(SIG_SETMASK, blocked, NULL) == 0);
    for (size_t i = 0; i < 3; i++) {
        struct sigaction action = {.sa_sigaction = handle, .sa_flags = flags_of(signals[i])};
        sigaddset(&action.sa_mask, SIGUSR2);
        CHECK(sigaction(signals[i], &action, NULL) == 0);
    }
}

static void check_signals(const sigset_t *blocked)
{
    static const int signals[] = {SIGILL, SIGTRAP, SIGSEGV};
    struct sigaction action;
    sigset_t now;
    CHECK(pthread_sigmask(SIG_SETMASK, NULL, &now) == 0 && memcmp(&now, blocked, 8) == 0);
    for (size_t i = 0; i < 3; i++)
        CHECK(sigaction(signals[i], NULL, &action) == 0 && action.sa_sigaction == handle &&
              (action.sa_flags & ~SA_RESTORER) == flags_of(signals[i]) && sigismember(&action.sa_mask, SIGUSR2) == 1 &&
              sigismember(&action.sa_mask, SIGUSR1) == 0);
}

static void *fault_often(void *blocked)
{
    for (int i = 1; !over; i++) {
        faults();
        if (seen[SIGILL] != i || seen[SIGTRAP] != i || seen[SIGSEGV] != i)
            die("round %d: %d SIGILL, %d SIGTRAP, %d SIGSEGV", i, seen[SIGILL], seen[SIGTRAP], seen[SIGSEGV]);
        call_profil();
        check_signals(blocked);
        rounds++;
    }
    return NULL;
}

static void *call_often(void *blocked)
{
    while (!over) {
        call_profil();
        check_signals(blocked);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[FAULTERS + CALLERS];
    sigset_t blocked;
    target_begin();
    install(&blocked);
    for (int i = 0; i < FAULTERS + CALLERS; i++)
        CHECK(pthread_create(&threads[i], NULL, i < FAULTERS ? fault_often : call_often, &blocked) == 0);
    nap_ms(argc > 1 ? (unsigned)(atof(argv[1]) * 1000) : 500);
    while (calls < LEAST_CALLS || rounds < LEAST_ROUNDS)
        nap_ms(1);
    over = true;
    for (int i = 0; i < FAULTERS + CALLERS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    printf("calls %ld\nrounds %ld\n", calls, rounds);
    return 0;
}

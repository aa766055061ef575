/* SPDX-License-Identifier: MIT
 *
 * Signals of every origin, each with its siginfo, and with the mask and stack of its handler: faults, the program's
 * own traps, timers, children, signals to one thread, to oneself, and stops of a child. */
#include "target.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static sigjmp_buf back;
static volatile siginfo_t seen;
static volatile sig_atomic_t count;
static volatile bool on_alternate_stack;
static char alternate_stack[65536];

static void note(int signal, siginfo_t *info, void *unused)
{
    char here;
    (void)unused;
    (void)signal;
    *(siginfo_t *)&seen = *info;
    on_alternate_stack = &here >= alternate_stack && &here < alternate_stack + sizeof alternate_stack;
    count++;
}

static void note_and_jump(int signal, siginfo_t *info, void *context)
{
    note(signal, info, context);
    siglongjmp(back, 1);
}

static void install(int signal, void (*handler)(int, siginfo_t *, void *), int flags)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};
    CHECK(sigaction(signal, &action, NULL) == 0);
    memset((void *)&seen, 0, sizeof seen);
    count = 0;
}

static void faults(void)
{
    stack_t stack = {.ss_sp = alternate_stack, .ss_size = sizeof alternate_stack};
    CHECK(sigaltstack(&stack, NULL) == 0);
    char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(page != MAP_FAILED);
    for (int i = 1; i <= 100; i++) {
        install(SIGSEGV, note_and_jump, SA_ONSTACK);
        if (sigsetjmp(back, 1) == 0) {
            *(volatile char *)(page + i) = 1;
            die("a write to a read-only page went through");
        }
        CHECK(count == 1 && on_alternate_stack);
        CHECK(seen.si_signo == SIGSEGV && seen.si_code == SEGV_ACCERR && seen.si_addr == page + i);
    }
#ifdef __aarch64__ /* arm64 has no division faults */
    install(SIGILL, note_and_jump, 0);
    if (sigsetjmp(back, 1) == 0)
        __asm__ volatile("udf #0");
    CHECK(count == 1 && seen.si_code == ILL_ILLOPC);

    install(SIGTRAP, note_and_jump, 0);
    if (sigsetjmp(back, 1) == 0)
        __asm__ volatile("brk #0");
    CHECK(count == 1 && seen.si_signo == SIGTRAP && seen.si_code == TRAP_BRKPT);
#else
    install(SIGFPE, note_and_jump, 0);
    if (sigsetjmp(back, 1) == 0) {
        volatile int zero = 0, one = 1;
        one = one / zero;
        die("a division by zero went through");
    }
    CHECK(count == 1 && seen.si_code == FPE_INTDIV && !on_alternate_stack);

    install(SIGILL, note_and_jump, 0);
    if (sigsetjmp(back, 1) == 0)
        __asm__ volatile("ud2");
    CHECK(count == 1 && seen.si_code == ILL_ILLOPN);

    /* the program's own breakpoint is delivered to it */
    install(SIGTRAP, note, 0);
    __asm__ volatile("int3");
    CHECK(count == 1 && seen.si_signo == SIGTRAP && seen.si_code == SI_KERNEL);
#endif
}

static void sent(void)
{
    install(SIGUSR1, note, 0);
    CHECK(kill(getpid(), SIGUSR1) == 0);
    CHECK(count == 1 && seen.si_code == SI_USER && seen.si_pid == getpid());
    CHECK(syscall(SYS_tgkill, getpid(), gettid(), SIGUSR1) == 0);
    CHECK(count == 2 && seen.si_code == SI_TKILL && seen.si_pid == getpid());

    /* SIGTRAP and job control signals, sent like any other signal */
    const int plain[] = {SIGTRAP, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, SIGURG, SIGWINCH, SIGXCPU, SIGIO, SIGSYS};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        install(plain[i], note, 0);
        CHECK(kill(getpid(), plain[i]) == 0);
        CHECK(count == 1 && seen.si_signo == plain[i] && seen.si_code == SI_USER && seen.si_pid == getpid());
    }

    /* blocked, pending, and delivered when unblocked; standard signals merge into one */
    sigset_t set, pending, mask;
    install(SIGUSR2, note, 0);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    CHECK(sigprocmask(SIG_BLOCK, &set, &mask) == 0);
    for (int i = 0; i < 5; i++)
        CHECK(raise(SIGUSR2) == 0);
    CHECK(sigpending(&pending) == 0 && sigismember(&pending, SIGUSR2) == 1 && count == 0);
    CHECK(sigprocmask(SIG_SETMASK, &mask, NULL) == 0);
    CHECK(count == 1);

    /* SA_RESETHAND, and an ignored signal that must not interrupt a sleep */
    install(SIGUSR1, note, (int)SA_RESETHAND);
    CHECK(raise(SIGUSR1) == 0 && count == 1);
    struct sigaction now;
    CHECK(sigaction(SIGUSR1, NULL, &now) == 0 && now.sa_handler == SIG_DFL);
}

static void timers(void)
{
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 5};
    struct itimerspec every = {{0, 2000000}, {0, 2000000}};
    install(SIGRTMIN + 5, note, 0);
    event.sigev_value.sival_int = 4711;
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    CHECK(timer_settime(timer, 0, &every, NULL) == 0);
    uint64_t end = monotonic_ns() + 20 * SECOND_NS;
    while (count < 50) {
        pause();
        CHECK(monotonic_ns() < end);
        CHECK(seen.si_code == SI_TIMER && seen.si_value.sival_int == 4711);
    }
    CHECK(timer_delete(timer) == 0);
}

/* Waits for SIGCHLD of CHILD in sigtimedwait, and checks its siginfo. */
static void expect_news(const sigset_t *set, pid_t child, int code, int status)
{
    struct timespec bound = {20, 0};
    siginfo_t info;
    CHECK(sigtimedwait(set, &info, &bound) == SIGCHLD);
    if (info.si_code != code || info.si_pid != child || info.si_status != status)
        die("SIGCHLD with code %d, pid %d, status %d instead of %d, %d, %d", info.si_code, info.si_pid, info.si_status,
            code, child, status);
}

/* The child has a process group of its own. In an orphaned group, terminal stops would be ignored. */
static pid_t start_waiting_child(void)
{
    int ready[2];
    char byte;
    CHECK(pipe(ready) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        for (int signal = SIGTSTP; signal <= SIGTTOU; signal++)
            CHECK(sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL) == 0);
        CHECK(write(ready[1], "r", 1) == 1);
        for (target_begin();;)
            pause();
    }
    CHECK(read(ready[0], &byte, 1) == 1 && close(ready[0]) == 0 && close(ready[1]) == 0);
    CHECK(setpgid(child, child) == 0);
    return child;
}

static void stops_of_a_child(void)
{
    sigset_t set, mask;
    int status;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    CHECK(sigprocmask(SIG_BLOCK, &set, &mask) == 0);
    pid_t child = start_waiting_child();
    const int stopping[] = {SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU};
    for (size_t i = 0; i < 20; i++) {
        int signal = stopping[i % 4];
        CHECK(kill(child, signal) == 0);
        expect_news(&set, child, CLD_STOPPED, signal);
        CHECK(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status) && WSTOPSIG(status) == signal);
        CHECK(waitpid(child, &status, WUNTRACED | WNOHANG) == 0); /* it stays stopped */
        CHECK(kill(child, SIGCONT) == 0);
        expect_news(&set, child, CLD_CONTINUED, SIGCONT);
        CHECK(waitpid(child, &status, WCONTINUED) == child && WIFCONTINUED(status));
    }
    CHECK(kill(child, SIGTERM) == 0);
    expect_news(&set, child, CLD_KILLED, SIGTERM);
    status = reap(child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);

    /* killed while stopped */
    child = start_waiting_child();
    CHECK(kill(child, SIGSTOP) == 0);
    expect_news(&set, child, CLD_STOPPED, SIGSTOP);
    CHECK(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
    CHECK(kill(child, SIGKILL) == 0);
    expect_news(&set, child, CLD_KILLED, SIGKILL);
    status = reap(child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    CHECK(sigprocmask(SIG_SETMASK, &mask, NULL) == 0);
}

static void *take_one(void *unused)
{
    sigset_t set;
    int signal;
    (void)unused;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN + 6);
    CHECK(sigwait(&set, &signal) == 0 && signal == SIGRTMIN + 6);
    return NULL;
}

static void to_a_thread(void)
{
    sigset_t set;
    pthread_t thread;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN + 6);
    CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    for (int i = 0; i < 20; i++) {
        CHECK(pthread_create(&thread, NULL, take_one, NULL) == 0);
        CHECK(pthread_kill(thread, SIGRTMIN + 6) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
    }
}

int main(void)
{
    target_begin();
    faults();
    sent();
    timers();
    stops_of_a_child();
    to_a_thread();
    puts("siginfo: all as sent");
    return 0;
}

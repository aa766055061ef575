/* SPDX-License-Identifier: MIT
 *
 * Another process sends signals of several kinds to one that works: three queued real-time signals with values, one
 * of them to a thread, and two standard ones. Each standard signal is sent again when the previous one was handled.
 * All must be handled once, those of a kind in order, each with its siginfo.
 *
 *     signal_mix [COUNT [READY OVER]]
 * COUNT signals come, and more until the file OVER exists. */
#include "target.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>

DEFINE_SPIN(spin_beside_mix, 0x1f3)

enum { KINDS = 5, MOST_WAITING = 200, QUIET_S = 60 };

struct kind {
    int signal; /* offset from the first real-time signal, or a standard signal */
    bool queued, to_thread;
    int code; /* si_code */
    atomic_int sent, handled;
};

static const struct kind kinds_alone[KINDS] = {
    {.signal = 2, .queued = true, .code = SI_QUEUE},
    {.signal = 5, .queued = true, .code = SI_QUEUE},
    {.signal = 3, .queued = true, .to_thread = true, .code = SI_QUEUE},
    {.signal = SIGUSR1, .code = SI_USER},
    {.signal = SIGUSR2, .to_thread = true, .code = SI_TKILL},
};

static struct kind *kinds; /* in shared memory */
static atomic_int *complete;
static pid_t sender, receiver;

static void handle(int signal, siginfo_t *info, void *unused)
{
    struct kind *kind = kinds;
    int saved = errno;
    (void)unused;
    while (kind->signal != signal)
        kind++;
    int number = atomic_load(&kind->handled);
    if (info->si_signo != signal || info->si_code != kind->code || info->si_pid != sender || info->si_uid != getuid() ||
        info->si_errno != 0 || (kind->queued && info->si_value.sival_int != number))
        die("signal %d, number %d: code %d, from %d, value %d", signal, number, info->si_code, (int)info->si_pid,
            info->si_value.sival_int);
    atomic_store(&kind->handled, number + 1);
    errno = saved;
}

/* Returns false if the queue is full. */
static bool send_one(struct kind *kind)
{
    siginfo_t info = {.si_signo = kind->signal, .si_code = kind->code, .si_pid = getpid(), .si_uid = getuid()};
    info.si_value.sival_int = kind->sent;
    long result;
    if (kind->queued && kind->to_thread)
        result = syscall(SYS_rt_tgsigqueueinfo, receiver, receiver, kind->signal, &info);
    else if (kind->queued)
        result = sigqueue(receiver, kind->signal, info.si_value);
    else if (kind->to_thread)
        result = syscall(SYS_tgkill, receiver, receiver, kind->signal);
    else
        result = kill(receiver, kind->signal);
    CHECK(result == 0 || errno == EAGAIN);
    if (result == 0)
        atomic_fetch_add(&kind->sent, 1);
    return result == 0;
}

/* In the child: waits for a byte on FD, because the parent must know its pid before the first signal. */
static void send_all(int fd, int count, const char *over)
{
    uint64_t random = SEED_OF_SPIN, progress_ns = monotonic_ns();
    char go;
    CHECK(read(fd, &go, 1) == 1);
    for (int done = 0; done < count || (over && access(over, F_OK) != 0);) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        struct kind *kind = &kinds[random % KINDS];
        int waiting = kind->sent - kind->handled, sent = waiting < (kind->queued ? MOST_WAITING : 1) && send_one(kind);
        done += sent;
        if (sent)
            progress_ns = monotonic_ns();
        else
            sched_yield();
        if (monotonic_ns() - progress_ns > QUIET_S * SECOND_NS)
            die("signal %d: %d were sent, %d handled", kind->signal, kind->sent, kind->handled);
    }
    atomic_store(complete, 1);
    _exit(0);
}

static bool has_ended(pid_t pid)
{
    siginfo_t info = {.si_pid = 0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid;
}

static bool all_came(void)
{
    for (int i = 0; i < KINDS; i++)
        if (kinds[i].handled != kinds[i].sent)
            return false;
    return true;
}

/* Signals may be slow, but must continue to arrive. */
static void await_all(void)
{
    uint64_t progress_ns = monotonic_ns();
    for (int before = -1; !all_came();) {
        int now = 0;
        for (int i = 0; i < KINDS; i++)
            now += kinds[i].handled;
        if (now != before)
            progress_ns = monotonic_ns();
        before = now;
        CHECK(monotonic_ns() - progress_ns < QUIET_S * SECOND_NS);
    }
}

static void install(void)
{
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_RESTART};
    for (int i = 0; i < KINDS; i++)
        sigaddset(&action.sa_mask, kinds[i].signal);
    for (int i = 0; i < KINDS; i++)
        CHECK(sigaction(kinds[i].signal, &action, NULL) == 0);
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 10000, ends[2];
    target_begin();
    kinds =
        mmap(NULL, sizeof kinds_alone + sizeof *complete, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(kinds != MAP_FAILED && pipe(ends) == 0);
    memcpy(kinds, kinds_alone, sizeof kinds_alone);
    complete = (atomic_int *)(kinds + KINDS);
    for (int i = 0; i < KINDS; i++)
        if (kinds[i].queued)
            kinds[i].signal += SIGRTMIN;
    install();
    receiver = getpid();
    sender = fork();
    CHECK(sender >= 0);
    if (sender == 0) {
        sender = getpid();
        send_all(ends[0], count, argc > 3 ? argv[3] : NULL);
    }
    CHECK(write(ends[1], "g", 1) == 1);
    announce(argc > 2 ? argv[2] : NULL);
    while (!*complete && !has_ended(sender))
        spin_beside_mix(20000);
    await_all();
    CHECK_EXITED(sender, 0);
    spin_cpu_ms(spin_beside_mix, 5); /* a duplicate would come now */
    CHECK(all_came());
    printf("signal_mix:");
    for (int i = 0; i < KINDS; i++)
        printf(" %d", kinds[i].handled);
    printf("\n");
    return 0;
}

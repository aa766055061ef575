/* SPDX-License-Identifier: MIT
 *
 * A process in a state that shows afterwards if it was disturbed:
 *
 *     states KIND READY RELEASE [THREADS]
 * A child enters the state (the list of kinds is at the end) with signals pending, timers armed, and some signals
 * handled, ignored and blocked. READY then gets its pid. When the file RELEASE exists, this process, its parent,
 * releases it. Its sleep must return the usual result, no signal may have come, and nothing may have changed. Then
 * the status is 0. */
#include "own_text.h"
#include "target.h"

#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/ptrace.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>

DEFINE_SPIN(states_work, 0xc01)

enum { LONG_SECONDS = 1000, QUEUED = 3, THREADS = 40, CHURN_ROUNDS = 20000 };

#define SIGNAL_QUEUED (SIGRTMIN + 2)
#define SIGNAL_AWAITED (SIGRTMIN + 3)
#define SIGNAL_WAKING (SIGRTMIN + 4)

/* The objects that a sleeper waits for; its parent signals them. */
struct place {
    int pipe[2], pair[2], listener, semaphore;
    struct sockaddr_un address;
    socklen_t address_size;
};

/* Shared by both processes. */
static struct shared {
    _Atomic int released, word;
    struct timespec left; /* of a sleep: the kernel may write it more than once */
} * shared;

struct kind {
    const char *name;
    void (*stay)(struct place *place);                 /* in the child, until it is released */
    void (*release)(struct place *place, pid_t child); /* in the parent */
};

static const struct kind *find_kind(const char *name);
static timer_t timer;
static volatile sig_atomic_t handled, woken;
static unsigned thread_count = THREADS;
static atomic_uint living; /* of the churning threads */

static void handle(int signal)
{
    if (signal == SIGNAL_WAKING)
        woken++;
    else
        handled++;
}

static void set_up_signals(void)
{
    /* not SIGPROF: ptprofil does not serve calls of a process that handles it */
    static const int counted[] = {SIGHUP, SIGURG, SIGTRAP, SIGILL, SIGSEGV, SIGCHLD, SIGIO};
    struct sigaction action = {.sa_handler = handle};
    sigset_t set;
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        CHECK(sigaction(counted[i], &action, NULL) == 0);
    CHECK(sigaction(SIGNAL_WAKING, &action, NULL) == 0);
    CHECK(signal(SIGUSR2, SIG_IGN) != SIG_ERR && signal(SIGWINCH, SIG_IGN) != SIG_ERR);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGNAL_QUEUED);
    sigaddset(&set, SIGNAL_AWAITED);
    CHECK(sigprocmask(SIG_SETMASK, &set, NULL) == 0);
    CHECK(kill(getpid(), SIGUSR1) == 0);
    CHECK(syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGTERM) == 0);
    for (int i = 0; i < QUEUED; i++)
        CHECK(sigqueue(getpid(), SIGNAL_QUEUED, (union sigval){.sival_int = i}) == 0);
}

static void set_up_timers(void)
{
    struct itimerval interval = {.it_value.tv_sec = LONG_SECONDS};
    struct itimerspec value = {.it_value.tv_sec = LONG_SECONDS};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGIO};
    CHECK(setitimer(ITIMER_PROF, &interval, NULL) == 0 && setitimer(ITIMER_VIRTUAL, &interval, NULL) == 0);
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 && timer_settime(timer, 0, &value, NULL) == 0);
}

static void check_timers(void)
{
    struct itimerspec value;
    for (int which = ITIMER_REAL; which <= ITIMER_PROF; which++) {
        struct itimerval interval;
        CHECK(getitimer(which, &interval) == 0 && interval.it_value.tv_sec > 0 && interval.it_interval.tv_sec == 0);
    }
    CHECK(timer_gettime(timer, &value) == 0 && value.it_value.tv_sec > 0);
}

/* Called in the thread that set them up. */
static void check_pending(void)
{
    const struct timespec now = {0, 0};
    sigset_t pending, set;
    siginfo_t info;
    CHECK(sigpending(&pending) == 0 && sigismember(&pending, SIGUSR1) && sigismember(&pending, SIGTERM));
    sigemptyset(&set);
    sigaddset(&set, SIGNAL_QUEUED);
    for (int i = 0; i < QUEUED; i++)
        CHECK(sigtimedwait(&set, &info, &now) == SIGNAL_QUEUED && info.si_code == SI_QUEUE &&
              info.si_value.sival_int == i && info.si_pid == getpid());
    CHECK(sigtimedwait(&set, &info, &now) < 0 && errno == EAGAIN);
    sigaddset(&set, SIGTERM);
    CHECK(sigtimedwait(&set, &info, &now) == SIGTERM && info.si_pid == getpid());
}

static void check_all(bool first_thread)
{
    struct sigaction action;
    sigset_t mask;
    CHECK(handled == 0);
    CHECK(sigprocmask(SIG_BLOCK, NULL, &mask) == 0);
    for (int signal = 1; signal < NSIG; signal++)
        CHECK(sigismember(&mask, signal) <= 0 || signal == SIGUSR1 || signal == SIGTERM || signal == SIGNAL_QUEUED ||
              signal == SIGNAL_AWAITED);
    CHECK(sigaction(SIGTRAP, NULL, &action) == 0 && action.sa_handler == handle);
    CHECK(sigaction(SIGILL, NULL, &action) == 0 && action.sa_handler == handle);
    if (first_thread)
        check_pending();
    check_timers();
    CHECK(own_text_differences() == 0);
}

static void stay_in_read(struct place *place)
{
    char byte;
    CHECK(read(place->pipe[0], &byte, 1) == 1);
}

static void write_byte(struct place *place, pid_t child)
{
    (void)child;
    CHECK(write(place->pipe[1], "x", 1) == 1);
}

static void stay_in_poll(struct place *place)
{
    struct pollfd wanted = {.fd = place->pipe[0], .events = POLLIN};
    CHECK(poll(&wanted, 1, LONG_SECONDS * 1000) == 1 && wanted.revents == POLLIN);
}

static void stay_in_select(struct place *place)
{
    fd_set set;
    FD_ZERO(&set);
    FD_SET(place->pipe[0], &set);
    CHECK(select(place->pipe[0] + 1, &set, NULL, NULL, NULL) == 1);
}

static void stay_in_epoll(struct place *place)
{
    int fd = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = 77};
    CHECK(fd >= 0 && epoll_ctl(fd, EPOLL_CTL_ADD, place->pipe[0], &event) == 0);
    CHECK(epoll_wait(fd, &event, 1, LONG_SECONDS * 1000) == 1 && event.data.u32 == 77);
}

/* The remaining time and the elapsed time must add up. */
static void stay_in_nanosleep(struct place *place)
{
    struct timespec wanted = {LONG_SECONDS, 0}, *left = &shared->left;
    uint64_t began = monotonic_ns();
    (void)place;
    CHECK(nanosleep(&wanted, left) < 0 && errno == EINTR && woken == 1);
    uint64_t slept = monotonic_ns() - began, rest = (uint64_t)left->tv_sec * SECOND_NS + (uint64_t)left->tv_nsec;
    CHECK(slept + rest >= LONG_SECONDS * SECOND_NS && rest < LONG_SECONDS * SECOND_NS);
}

static void stay_in_pause(struct place *place)
{
    (void)place;
    CHECK(pause() < 0 && errno == EINTR && woken == 1);
}

static void wake_by_signal(struct place *place, pid_t child)
{
    (void)place;
    CHECK(kill(child, SIGNAL_WAKING) == 0);
}

static void stay_in_futex(struct place *place)
{
    (void)place;
    CHECK(syscall(SYS_futex, &shared->word, FUTEX_WAIT, 0, NULL, NULL, 0) == 0 && shared->word == 1);
}

static void wake_futex(struct place *place, pid_t child)
{
    (void)place;
    (void)child;
    shared->word = 1;
    CHECK(syscall(SYS_futex, &shared->word, FUTEX_WAKE, 1, NULL, NULL, 0) == 1);
}

static void stay_in_sigtimedwait(struct place *place)
{
    struct timespec bound = {LONG_SECONDS, 0};
    siginfo_t info;
    sigset_t set;
    (void)place;
    sigemptyset(&set);
    sigaddset(&set, SIGNAL_AWAITED);
    CHECK(sigtimedwait(&set, &info, &bound) == SIGNAL_AWAITED && info.si_value.sival_int == 4711 &&
          info.si_pid == getppid());
}

static void send_awaited(struct place *place, pid_t child)
{
    (void)place;
    CHECK(sigqueue(child, SIGNAL_AWAITED, (union sigval){.sival_int = 4711}) == 0);
}

static void stay_in_semop(struct place *place)
{
    struct sembuf operation = {.sem_num = 0, .sem_op = -1};
    CHECK(semop(place->semaphore, &operation, 1) == 0);
}

static void raise_semaphore(struct place *place, pid_t child)
{
    struct sembuf operation = {.sem_num = 0, .sem_op = 1};
    (void)child;
    CHECK(semop(place->semaphore, &operation, 1) == 0);
}

static void stay_in_accept(struct place *place)
{
    CHECK(accept(place->listener, NULL, NULL) >= 0);
}

static void connect_to_it(struct place *place, pid_t child)
{
    (void)child;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(fd >= 0 && connect(fd, (struct sockaddr *)&place->address, place->address_size) == 0);
}

static void stay_in_recv(struct place *place)
{
    struct timeval bound = {LONG_SECONDS, 0};
    char byte;
    CHECK(setsockopt(place->pair[0], SOL_SOCKET, SO_RCVTIMEO, &bound, sizeof bound) == 0);
    CHECK(recv(place->pair[0], &byte, 1, 0) == 1);
}

static void send_byte(struct place *place, pid_t child)
{
    (void)child;
    CHECK(send(place->pair[1], "x", 1, 0) == 1);
}

/* The handler of SIGCHLD must not run. */
static void stay_in_wait4(struct place *place)
{
    CHECK(signal(SIGCHLD, SIG_DFL) != SIG_ERR);
    pid_t child = fork();
    CHECK(child >= 0);
    if (!child) {
        stay_in_read(place);
        _exit(5);
    }
    int status;
    CHECK(wait4(child, &status, 0, NULL) == child && WIFEXITED(status) && WEXITSTATUS(status) == 5);
}

static void stay_in_io_getevents(struct place *place)
{
    aio_context_t context = 0;
    struct iocb request = {.aio_lio_opcode = IOCB_CMD_POLL, .aio_fildes = (unsigned)place->pipe[0], .aio_buf = POLLIN};
    struct iocb *requests = &request;
    struct io_event event;
    CHECK(syscall(SYS_io_setup, 1, &context) == 0 && syscall(SYS_io_submit, context, 1, &requests) == 1);
    CHECK(syscall(SYS_io_getevents, context, 1, 1, &event, NULL) == 1 && (event.res & POLLIN));
}

static void set_released(struct place *place, pid_t child)
{
    (void)place;
    (void)child;
    shared->released = 1;
}

static void stay_running(struct place *place)
{
    const uint64_t rounds = 20000, expected = states_work(rounds);
    (void)place;
    while (!shared->released)
        CHECK(states_work(rounds) == expected);
}

static void stay_stopped_by(int signal)
{
    CHECK(setpgid(0, 0) == 0 && raise(signal) == 0);
}

static void stay_stopped(struct place *place)
{
    (void)place;
    stay_stopped_by(SIGSTOP);
}

static void stay_suspended(struct place *place)
{
    (void)place;
    stay_stopped_by(SIGTSTP);
}

static void let_continue(struct place *place, pid_t child)
{
    (void)place;
    CHECK(kill(child, SIGCONT) == 0);
}

static void stay_traced(struct place *place)
{
    stay_running(place);
    CHECK(tracer_pid() == getppid());
}

static void stay_in_vfork(struct place *place)
{
    CHECK(signal(SIGCHLD, SIG_DFL) != SIG_ERR);
    pid_t child = vfork();
    CHECK(child >= 0);
    if (!child) {
        char byte;
        _exit(syscall(SYS_read, place->pipe[0], &byte, 1) == 1 ? 6 : 7);
    }
    CHECK_EXITED(child, 6);
}

/* A sleep of this kind, in a thread. */
struct sleeper {
    const struct kind *kind;
    struct place *place;
};

static void *sleep_as(void *about)
{
    const struct sleeper *sleeper = about;
    sleeper->kind->stay(sleeper->place);
    return NULL;
}

static const char *const sleeping[] = {"read", "poll", "select", "epoll_wait", "futex", "semop", "accept", "recv"};
enum { SLEEPERS = sizeof sleeping / sizeof *sleeping };
static struct sleeper sleepers[SLEEPERS];

static void make_place(struct place *place, const struct kind *kind)
{
    CHECK(pipe2(place->pipe, O_CLOEXEC) == 0);
    CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, place->pair) == 0);
    place->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    place->address.sun_family = AF_UNIX;
    place->address_size = sizeof place->address;
    CHECK(place->listener >= 0 && bind(place->listener, (struct sockaddr *)&place->address, sizeof(sa_family_t)) == 0 &&
          getsockname(place->listener, (struct sockaddr *)&place->address, &place->address_size) == 0 &&
          listen(place->listener, 1) == 0);
    place->semaphore = kind->stay == stay_in_semop ? semget(IPC_PRIVATE, 1, 0600) : -1;
    CHECK(place->semaphore >= 0 || kind->stay != stay_in_semop);
}

static void remove_semaphore(const struct place *place)
{
    if (place->semaphore >= 0)
        semctl(place->semaphore, 0, IPC_RMID);
}

static void make_sleepers(void)
{
    static struct place places[SLEEPERS];
    for (size_t i = 0; i < SLEEPERS; i++) {
        sleepers[i] = (struct sleeper){find_kind(sleeping[i]), &places[i]};
        make_place(&places[i], sleepers[i].kind);
    }
}

static void stay_in_all(struct place *place)
{
    pthread_t threads[SLEEPERS];
    for (size_t i = 0; i < SLEEPERS; i++)
        CHECK(pthread_create(&threads[i], NULL, sleep_as, &sleepers[i]) == 0);
    stay_running(place);
    for (size_t i = 0; i < SLEEPERS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
}

static void release_all(struct place *place, pid_t child)
{
    for (size_t i = 0; i < SLEEPERS; i++)
        sleepers[i].kind->release(sleepers[i].place, child);
    set_released(place, child);
}

/* Detached at creation: pthread_detach may free another thread's stack, if its caller is stopped for long enough
 * (glibc 19951). */
static void create_detached(void *(*function)(void *))
{
    pthread_attr_t attributes;
    pthread_t thread;
    CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, 1 << 16) == 0 &&
          pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0);
    CHECK(pthread_create(&thread, &attributes, function, NULL) == 0);
}

/* Each thread creates its successor. */
static void *live_shortly(void *unused)
{
    CHECK(states_work(CHURN_ROUNDS) != 0);
    if (shared->released) {
        living--;
        return unused;
    }
    create_detached(live_shortly);
    return unused;
}

static void stay_churning(struct place *place)
{
    (void)place;
    living = thread_count;
    for (unsigned i = 0; i < thread_count; i++)
        create_detached(live_shortly);
    while (living)
        nap_ms(1);
}

static void *outlive_the_leader(void *place)
{
    stay_running(place);
    check_all(false);
    _exit(0);
}

static void stay_without_leader(struct place *place)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, outlive_the_leader, place) == 0);
    pthread_exit(NULL);
}

static const struct kind kinds[] = {
    {"running", stay_running, set_released},
    {"read", stay_in_read, write_byte},
    {"poll", stay_in_poll, write_byte},
    {"select", stay_in_select, write_byte},
    {"epoll_wait", stay_in_epoll, write_byte},
    {"nanosleep", stay_in_nanosleep, wake_by_signal},
    {"pause", stay_in_pause, wake_by_signal},
    {"futex", stay_in_futex, wake_futex},
    {"sigtimedwait", stay_in_sigtimedwait, send_awaited},
    {"semop", stay_in_semop, raise_semaphore},
    {"accept", stay_in_accept, connect_to_it},
    {"recv", stay_in_recv, send_byte},
    {"wait4", stay_in_wait4, write_byte},
    {"io_getevents", stay_in_io_getevents, write_byte},
    {"all", stay_in_all, release_all}, /* as threads of one process, beside one that works */
    {"stopped", stay_stopped, let_continue},
    {"suspended", stay_suspended, let_continue}, /* like Ctrl-Z */
    {"traced", stay_traced, set_released},
    {"vfork", stay_in_vfork, write_byte},
    {"leaderless", stay_without_leader, set_released},
    {"churning", stay_churning, set_released}, /* threads that create others and end, THREADS at a time */
};

static const struct kind *find_kind(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, name))
            return &kinds[i];
    die("no such kind: %s", name);
}

/* The full test takes longer. */
static unsigned begin_long_life(void)
{
    unsigned seconds = getenv("PTPROFIL_TEST_FULL") ? 10 * TARGET_LIFE_SECONDS : TARGET_LIFE_SECONDS;
    target_begin();
    alarm(seconds);
    return seconds;
}

static void become(const struct kind *kind, struct place *place, const char *ready)
{
    begin_long_life();
    set_up_signals();
    set_up_timers();
    announce(ready);
    kind->stay(place);
    check_all(true);
    _exit(0);
}

int main(int argc, char **argv)
{
    static struct place place;
    CHECK(argc >= 4);
    const struct kind *kind = find_kind(argv[1]);
    unsigned life = begin_long_life();
    if (argc > 4)
        thread_count = (unsigned)atoi(argv[4]);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED);
    make_place(&place, kind);
    if (kind->stay == stay_in_all)
        make_sleepers();
    pid_t child = fork();
    CHECK(child >= 0);
    if (!child)
        become(kind, &place, argv[2]);
    if (kind->stay == stay_traced)
        CHECK(ptrace(PTRACE_SEIZE, child, NULL, NULL) == 0);
    CHECK(wait_for_file(argv[3], life));
    kind->release(&place, child);
    CHECK_EXITED(child, 0);
    remove_semaphore(&place);
    for (size_t i = 0; i < SLEEPERS && sleepers[i].place; i++)
        remove_semaphore(sleepers[i].place);
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * System calls that a stop, or a signal without a handler, would end with EINTR without restarts. A thread or
 * process of its own repeats each of these calls. Another one sends signals that are ignored or have no effect to
 * the sleepers. After these it randomly sends nothing, a handled signal, or the event that the call waits for. A
 * call must fail with EINTR if the handled signal came, and only then. It may end only at its timeout, or with its
 * event. In a storm, ignored signals are endless and more frequent than the timeouts, and the calls must still end.
 *
 *     interruptions [storm] threads|processes [SECONDS [CALL...]] */
#include "target.h"

#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <linux/time_types.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>

/* A call that lasts LONG_MS has missed its end. */
enum { LONG_MS = 30000, SHORT_MS = 4, COARSE_MS = 20, STORM_MS = 40, FIRST_MS = 500 };

enum { WAKING = 40 /* a real-time signal */ };

/* In the last case, the event comes at about the time of the timeout; if the timeout is first, the event is for the
 * next call. */
enum ending { TIMES_OUT, IS_INTERRUPTED, IS_WOKEN, IS_WOKEN_OR_NOT, ENDINGS };

struct waiter;

struct kind {
    const char *name;
    void (*prepare)(struct waiter *waiter);
    /* Waits for TIMEOUT_MS. Returns the call's result, and sets errno. */
    long (*wait)(struct waiter *waiter, unsigned timeout_ms);
    void (*wake)(struct waiter *waiter); /* called by the sender; NULL: impossible */
    long timed_out;                      /* the result of a timeout: -1, with one of two errors, or 0 */
    int error;
    bool forever; /* it has no timeout */
    bool coarse;  /* its timeout is in ticks of the kernel's clock, and the first tick is incomplete */
};

/* In shared memory. */
struct waiter {
    const struct kind *kind;
    atomic_int tid;
    pid_t pid;
    int fd, other_fd, id;
    atomic_int round;         /* even: not in the call */
    _Atomic uint32_t ending;  /* chosen by the waiter */
    _Atomic uint64_t late_ns; /* the latest end of the present call */
    uint64_t storm_ns;        /* time of the next signal of the storm */
    atomic_int handled;       /* number of handled signals */
    atomic_int busy;          /* the sender is sending to this waiter */
    int told;                 /* the last round in which the sender did so */
    atomic_ulong seen[ENDINGS];
    unsigned long early; /* coarse timeouts that ended early */
};

static struct waiter *waiters;
static atomic_int *over, *calm; /* no further call; no further storm */
static bool threads, storm;
static __thread struct waiter *self;

static void handle(int signal)
{
    (void)signal;
    atomic_fetch_add(&self->handled, 1);
}

static uint64_t draw(void)
{
    static __thread uint64_t x;
    if (!x)
        x = SEED_OF_SPIN ^ monotonic_ns() ^ (uint64_t)gettid() << 40;
    x ^= x << 13;
    x ^= x >> 7;
    return x ^= x << 17;
}

static struct timespec span(unsigned ms)
{
    return (struct timespec){ms / 1000, (long)(ms % 1000) * 1000000};
}

/* Newer calls use 64-bit times, in 32-bit programs, too. */
static struct __kernel_timespec long_span(unsigned ms)
{
    return (struct __kernel_timespec){ms / 1000, (long long)(ms % 1000) * 1000000};
}

static void prepare_epoll(struct waiter *waiter)
{
    struct epoll_event event = {.events = EPOLLIN};
    waiter->other_fd = eventfd(0, EFD_NONBLOCK);
    waiter->fd = epoll_create1(0);
    CHECK(waiter->fd >= 0 && waiter->other_fd >= 0);
    CHECK(epoll_ctl(waiter->fd, EPOLL_CTL_ADD, waiter->other_fd, &event) == 0);
}

/* Takes the event that woke the call, which must exist once. */
static long take_event(const struct waiter *waiter, long result)
{
    int saved = errno;
    uint64_t count;
    if (result == 1)
        CHECK(read(waiter->other_fd, &count, sizeof count) == sizeof count && count == 1);
    errno = saved;
    return result;
}

static long wait_epoll(struct waiter *waiter, unsigned ms)
{
    struct epoll_event event;
    return take_event(waiter, epoll_wait(waiter->fd, &event, 1, (int)ms));
}

static long wait_epoll_pwait(struct waiter *waiter, unsigned ms)
{
    struct epoll_event event;
    sigset_t none;
    sigemptyset(&none);
    return take_event(waiter, epoll_pwait(waiter->fd, &event, 1, (int)ms, &none));
}

#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif

static long wait_epoll_pwait2(struct waiter *waiter, unsigned ms)
{
    struct epoll_event event;
    struct __kernel_timespec bound = long_span(ms);
    return take_event(waiter, syscall(SYS_epoll_pwait2, waiter->fd, &event, 1, &bound, NULL, 0));
}

static void wake_epoll(struct waiter *waiter)
{
    const uint64_t one = 1;
    CHECK(write(waiter->other_fd, &one, sizeof one) == sizeof one);
}

static void send_signal(struct waiter *waiter, int signal)
{
    if (threads)
        CHECK(syscall(SYS_tgkill, waiter->pid, waiter->tid, signal) == 0 || (errno == ESRCH && atomic_load(over)));
    else
        CHECK(kill(waiter->pid, signal) == 0);
}

static sigset_t waking_set(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, WAKING);
    return set;
}

static void prepare_signal(struct waiter *waiter)
{
    sigset_t set = waking_set();
    (void)waiter;
    CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
}

static long wait_sigtimedwait(struct waiter *waiter, unsigned ms)
{
    sigset_t set = waking_set();
    struct timespec bound = span(ms);
    siginfo_t info;
    (void)waiter;
    int result = sigtimedwait(&set, &info, &bound);
    return result == WAKING ? 1 : result;
}

static long wait_sigwaitinfo(struct waiter *waiter, unsigned ms)
{
    sigset_t set = waking_set();
    siginfo_t info;
    (void)waiter;
    (void)ms;
    int result = sigwaitinfo(&set, &info);
    return result == WAKING ? 1 : result;
}

static void wake_signal(struct waiter *waiter)
{
    send_signal(waiter, WAKING);
}

static void prepare_semaphore(struct waiter *waiter)
{
    waiter->id = semget(IPC_PRIVATE, 1, 0600);
    CHECK(waiter->id >= 0);
}

static long wait_semtimedop(struct waiter *waiter, unsigned ms)
{
    struct timespec bound = span(ms);
    struct sembuf operation = {.sem_op = -1};
    return semtimedop(waiter->id, &operation, 1, &bound) == 0 ? 1 : -1;
}

static long wait_semop(struct waiter *waiter, unsigned ms)
{
    struct sembuf operation = {.sem_op = -1};
    (void)ms;
    return semop(waiter->id, &operation, 1) == 0 ? 1 : -1;
}

static void wake_semaphore(struct waiter *waiter)
{
    struct sembuf operation = {.sem_op = 1};
    CHECK(semop(waiter->id, &operation, 1) == 0);
}

static void prepare_aio(struct waiter *waiter)
{
    (void)waiter;
}

static long wait_aio(struct waiter *waiter, unsigned ms)
{
    static aio_context_t context; /* of this process only */
    struct timespec bound = span(ms);
    struct io_event event;
    (void)waiter;
    CHECK(context || syscall(SYS_io_setup, 1, &context) == 0);
    return syscall(SYS_io_getevents, context, 1, 1, &event, &bound);
}

/* The kernel itself restarts this call. */
static long wait_aio_with_mask(struct waiter *waiter, unsigned ms)
{
    static aio_context_t context;
    struct timespec bound = span(ms);
    struct io_event event;
    (void)waiter;
    CHECK(context || syscall(SYS_io_setup, 1, &context) == 0);
    return syscall(SYS_io_pgetevents, context, 1, 1, &event, &bound, NULL);
}

static void prepare_socket(struct waiter *waiter)
{
    int pair[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    waiter->fd = pair[0];
    waiter->other_fd = pair[1];
}

static void set_timeout(int fd, int option, unsigned ms)
{
    struct timeval bound = {ms / 1000, ms % 1000 * 1000};
    CHECK(setsockopt(fd, SOL_SOCKET, option, &bound, sizeof bound) == 0);
}

static long wait_recv(struct waiter *waiter, unsigned ms)
{
    char byte;
    set_timeout(waiter->fd, SO_RCVTIMEO, ms);
    return recv(waiter->fd, &byte, 1, 0);
}

static long wait_read(struct waiter *waiter, unsigned ms)
{
    char byte;
    set_timeout(waiter->fd, SO_RCVTIMEO, ms);
    return read(waiter->fd, &byte, 1);
}

static long wait_recvmmsg(struct waiter *waiter, unsigned ms)
{
    char byte;
    struct iovec place = {&byte, 1};
    struct mmsghdr message = {.msg_hdr = {.msg_iov = &place, .msg_iovlen = 1}};
    set_timeout(waiter->fd, SO_RCVTIMEO, ms);
    return recvmmsg(waiter->fd, &message, 1, 0, NULL);
}

static long wait_preadv2(struct waiter *waiter, unsigned ms)
{
    char byte;
    struct iovec place = {&byte, 1};
    set_timeout(waiter->fd, SO_RCVTIMEO, ms);
    return preadv2(waiter->fd, &place, 1, -1, 0);
}

static long wait_splice(struct waiter *waiter, unsigned ms)
{
    static __thread int ends[2];
    char byte;
    CHECK(ends[1] || pipe(ends) == 0);
    set_timeout(waiter->fd, SO_RCVTIMEO, ms);
    long result = splice(waiter->fd, NULL, ends[1], NULL, 1, 0);
    int error = errno;
    CHECK(result != 1 || read(ends[0], &byte, 1) == 1);
    errno = error;
    return result;
}

static void wake_reader(struct waiter *waiter)
{
    CHECK(write(waiter->other_fd, "x", 1) == 1);
}

static char full[1 << 16];

static void fill(const struct waiter *waiter, unsigned ms)
{
    while (send(waiter->fd, full, sizeof full, MSG_DONTWAIT) > 0)
        ;
    set_timeout(waiter->fd, SO_SNDTIMEO, ms);
}

static long wait_send(struct waiter *waiter, unsigned ms)
{
    fill(waiter, ms);
    return send(waiter->fd, full, 1, 0);
}

static long wait_sendmmsg(struct waiter *waiter, unsigned ms)
{
    struct iovec place = {full, 1};
    struct mmsghdr message = {.msg_hdr = {.msg_iov = &place, .msg_iovlen = 1}};
    fill(waiter, ms);
    return sendmmsg(waiter->fd, &message, 1, 0);
}

static long wait_pwritev2(struct waiter *waiter, unsigned ms)
{
    struct iovec place = {full, 1};
    fill(waiter, ms);
    return pwritev2(waiter->fd, &place, 1, -1, 0);
}

/* Before Linux 6.5, sendfile put some more bytes into a full socket. */
static void fill_by_file(const struct waiter *waiter, int file)
{
    CHECK(fcntl(waiter->fd, F_SETFL, O_NONBLOCK) == 0);
    while (sendfile(waiter->fd, file, &(off_t){0}, sizeof full) > 0)
        ;
    CHECK(fcntl(waiter->fd, F_SETFL, 0) == 0);
}

static long wait_sendfile(struct waiter *waiter, unsigned ms)
{
    static __thread int file;
    off_t offset = 0;
    CHECK(file || (file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC)) > 0);
    fill(waiter, ms);
    fill_by_file(waiter, file);
    long result = sendfile(waiter->fd, file, &offset, 1);
    CHECK(offset == (result == 1));
    return result;
}

static void wake_writer(struct waiter *waiter)
{
    char taken[1 << 16];
    while (recv(waiter->other_fd, taken, sizeof taken, MSG_DONTWAIT) > 0)
        ;
}

static void prepare_listener(struct waiter *waiter)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    waiter->fd = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(waiter->fd >= 0);
    CHECK(bind(waiter->fd, (struct sockaddr *)&name, sizeof name.sun_family) == 0); /* the kernel chooses a name */
    CHECK(listen(waiter->fd, 8) == 0);
}

static long wait_accept(struct waiter *waiter, unsigned ms)
{
    set_timeout(waiter->fd, SO_RCVTIMEO, ms);
    int fd = accept(waiter->fd, NULL, NULL);
    if (fd < 0)
        return -1;
    close(fd);
    return 1;
}

static int connect_to(const struct waiter *waiter, int flags, unsigned ms)
{
    struct sockaddr_un name;
    socklen_t size = sizeof name;
    int fd = socket(AF_UNIX, SOCK_STREAM | flags, 0);
    CHECK(fd >= 0 && getsockname(waiter->fd, (struct sockaddr *)&name, &size) == 0);
    if (ms)
        set_timeout(fd, SO_SNDTIMEO, ms);
    int result = connect(fd, (struct sockaddr *)&name, size), error = errno;
    close(fd);
    errno = error;
    return result;
}

static void wake_listener(struct waiter *waiter)
{
    CHECK(connect_to(waiter, 0, 0) == 0);
}

/* Connects to a listener whose queue is full. */
static long wait_connect(struct waiter *waiter, unsigned ms)
{
    while (connect_to(waiter, SOCK_NONBLOCK, 0) == 0)
        ;
    return connect_to(waiter, 0, ms) == 0 ? 1 : -1;
}

static void wake_connect(struct waiter *waiter)
{
    int fd = accept(waiter->fd, NULL, NULL);
    CHECK(fd >= 0 && close(fd) == 0);
}

/* Opens a listener with a full queue, so that no further connection is accepted. Returns -1 if impossible. */
static int open_busy(void)
{
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof name;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), taker = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool busy = fd >= 0 && bind(fd, (struct sockaddr *)&name, size) == 0 && listen(fd, 0) == 0 &&
                getsockname(fd, (struct sockaddr *)&name, &size) == 0 &&
                connect(taker, (struct sockaddr *)&name, size) == 0;
    if (!busy && fd >= 0)
        close(fd);
    return busy ? fd : -1;
}

static void prepare_busy(struct waiter *waiter)
{
    waiter->fd = open_busy();
    CHECK(waiter->fd >= 0);
}

static long wait_connect_tcp(struct waiter *waiter, unsigned ms)
{
    struct sockaddr_in name;
    socklen_t size = sizeof name;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(fd >= 0 && getsockname(waiter->fd, (struct sockaddr *)&name, &size) == 0);
    set_timeout(fd, SO_SNDTIMEO, ms);
    int result = connect(fd, (struct sockaddr *)&name, size), error = errno;
    close(fd);
    errno = error;
    return result;
}

/* Opens a ring that supports timeouts. Returns -1 if impossible. */
static int open_ring(void)
{
    struct io_uring_params parameters = {.flags = 0};
    int fd = (int)syscall(SYS_io_uring_setup, 1, &parameters);
    if (fd < 0 || (parameters.features & IORING_FEAT_EXT_ARG))
        return fd;
    close(fd);
    return -1;
}

static void prepare_ring(struct waiter *waiter)
{
    waiter->fd = open_ring();
    CHECK(waiter->fd >= 0);
}

static long wait_ring(struct waiter *waiter, unsigned ms)
{
    struct __kernel_timespec bound = long_span(ms);
    struct io_uring_getevents_arg argument = {.ts = (uint64_t)(uintptr_t)&bound};
    return syscall(SYS_io_uring_enter, waiter->fd, 0, 1, IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG, &argument,
                   sizeof argument);
}

/* The queues of a ring of one entry. */
struct ring {
    struct io_uring_params parameters;
    char *requests, *results;
    struct io_uring_sqe *entries;
};

static void *map_ring(int fd, size_t size, off_t what)
{
    void *place = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, what);
    CHECK(place != MAP_FAILED);
    return place;
}

static struct ring *ring_of(struct waiter *waiter)
{
    static __thread struct ring ring;
    struct io_uring_params *parameters = &ring.parameters;
    if (ring.entries)
        return &ring;
    waiter->fd = (int)syscall(SYS_io_uring_setup, 1, parameters);
    CHECK(waiter->fd >= 0);
    ring.requests = map_ring(waiter->fd, parameters->sq_off.array + 4, IORING_OFF_SQ_RING);
    ring.results = map_ring(waiter->fd, parameters->cq_off.cqes + 2 * sizeof(struct io_uring_cqe), IORING_OFF_CQ_RING);
    ring.entries = map_ring(waiter->fd, sizeof *ring.entries, IORING_OFF_SQES);
    return &ring;
}

/* Submits a request and waits for LEAST results. Returns true if that many came, and takes all. */
static bool submit_and_wait(struct waiter *waiter, struct ring *ring, const struct io_uring_sqe *request,
                            unsigned least, unsigned ms)
{
    struct __kernel_timespec bound = long_span(ms);
    struct io_uring_getevents_arg argument = {.ts = (uint64_t)(uintptr_t)&bound};
    unsigned *head = (unsigned *)(ring->results + ring->parameters.cq_off.head);
    _Atomic unsigned *tail = (_Atomic unsigned *)(ring->results + ring->parameters.cq_off.tail);
    *ring->entries = *request;
    atomic_fetch_add((_Atomic unsigned *)(ring->requests + ring->parameters.sq_off.tail), 1);
    CHECK(syscall(SYS_io_uring_enter, waiter->fd, 1, least, IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG, &argument,
                  sizeof argument) == 1);
    unsigned count = *tail - *head;
    atomic_store((_Atomic unsigned *)head, *tail);
    return count >= least;
}

/* The call's result does not show how its wait ended. */
static long unfinished(const struct waiter *waiter, int handled, int timed_out)
{
    errno = atomic_load(&waiter->handled) != handled ? EINTR : timed_out;
    return -1;
}

static void prepare_eventfd(struct waiter *waiter)
{
    waiter->other_fd = eventfd(0, EFD_NONBLOCK);
    CHECK(waiter->other_fd >= 0);
}

/* Returns a copy of SIZE BYTES in memory that the kernel cannot write to. */
static void *constant(const void *bytes, size_t size)
{
    static __thread char *page;
    enum { PAGE = 65536 };
    if (!page)
        page = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(page != MAP_FAILED && mprotect(page, PAGE, PROT_READ | PROT_WRITE) == 0);
    memcpy(page, bytes, size);
    CHECK(mprotect(page, PAGE, PROT_READ) == 0);
    return page;
}

static long wait_ppoll(struct waiter *waiter, unsigned ms)
{
    struct timespec bound = span(ms);
    struct pollfd wanted = {waiter->other_fd, POLLIN, 0};
    return take_event(waiter, syscall(SYS_ppoll, &wanted, 1, constant(&bound, sizeof bound), NULL, 8));
}

/* At the end of the timeout, the kernel empties the set. */
static long check_set(const struct waiter *waiter, const fd_set *set, long result)
{
    int error = errno;
    CHECK(result < 0 || FD_ISSET(waiter->other_fd, set) == result);
    errno = error;
    return take_event(waiter, result);
}

static long wait_pselect(struct waiter *waiter, unsigned ms)
{
    struct timespec bound = span(ms);
    fd_set set;
    FD_ZERO(&set);
    FD_SET(waiter->other_fd, &set);
    return check_set(
        waiter, &set,
        syscall(SYS_pselect6, waiter->other_fd + 1, &set, NULL, NULL, constant(&bound, sizeof bound), NULL));
}

#ifdef SYS__newselect
#define SELECT SYS__newselect
#elif defined SYS_select
#define SELECT SYS_select
#endif

#ifdef SELECT
static long wait_select(struct waiter *waiter, unsigned ms)
{
    struct timeval bound = {ms / 1000, ms % 1000 * 1000};
    fd_set set;
    FD_ZERO(&set);
    FD_SET(waiter->other_fd, &set);
    return check_set(waiter, &set,
                     syscall(SELECT, waiter->other_fd + 1, &set, NULL, NULL, constant(&bound, sizeof bound)));
}
#endif

static void prepare_sleep(struct waiter *waiter)
{
    (void)waiter;
}

/* If a handler interrupts them, these fail with EFAULT because the kernel cannot write the remaining time. */
static long sleep_result(long result)
{
    if (result < 0 && errno == EFAULT)
        errno = EINTR;
    return result;
}

static long wait_nanosleep(struct waiter *waiter, unsigned ms)
{
    struct timespec bound = span(ms);
    (void)waiter;
    return sleep_result(syscall(SYS_nanosleep, &bound, constant(&bound, sizeof bound)));
}

static long wait_clock_nanosleep(struct waiter *waiter, unsigned ms)
{
    struct timespec bound = span(ms);
    (void)waiter;
    return sleep_result(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &bound, (void *)8));
}

static long wait_ring_submitting(struct waiter *waiter, unsigned ms)
{
    struct ring *ring = ring_of(waiter);
    const struct io_uring_sqe wanted = {
        .opcode = IORING_OP_POLL_ADD, .fd = waiter->other_fd, .poll_events = POLLIN, .user_data = 1};
    const struct io_uring_sqe cancel = {.opcode = IORING_OP_POLL_REMOVE, .addr = 1};
    int handled = atomic_load(&waiter->handled);
    if (submit_and_wait(waiter, ring, &wanted, 1, ms))
        return take_event(waiter, 1);
    long result = unfinished(waiter, handled, ETIME);
    int error = errno;
    submit_and_wait(waiter, ring, &cancel, 2, LONG_MS);
    errno = error;
    return result;
}

static bool is_ring_wait(const struct kind *kind)
{
    return kind->wait == wait_ring || kind->wait == wait_ring_submitting;
}

static void await_readable(aio_context_t context, int fd)
{
    struct iocb request = {.aio_lio_opcode = IOCB_CMD_POLL, .aio_fildes = (uint32_t)fd, .aio_buf = POLLIN};
    struct iocb *list = &request;
    CHECK(syscall(SYS_io_submit, context, 1, &list) == 1);
}

/* Only one of two events exists. */
static long wait_aio_for_two(struct waiter *waiter, unsigned ms)
{
    static aio_context_t context; /* of this process only */
    static bool second_awaited;
    struct timespec bound = span(ms);
    struct io_event events[2];
    int handled = atomic_load(&waiter->handled);
    if (!context) {
        CHECK(syscall(SYS_io_setup, 4, &context) == 0);
        waiter->fd = eventfd(1, 0);
    }
    await_readable(context, waiter->fd);
    if (!second_awaited)
        await_readable(context, waiter->other_fd);
    long count = syscall(SYS_io_getevents, context, 2, 2, events, &bound);
    CHECK(count == 1 || count == 2);
    second_awaited = count == 1;
    return count == 2 ? take_event(waiter, 1) : unfinished(waiter, handled, ETIME);
}

/* Returns true if the kernel supports the call, and permits it. */
static bool is_here(const struct kind *kind)
{
    if (kind->wait == wait_epoll_pwait2)
        return syscall(SYS_epoll_pwait2, -1, NULL, 0, NULL, NULL, 0) == 0 || errno != ENOSYS;
    int fd = is_ring_wait(kind) ? open_ring() : kind->wait == wait_connect_tcp ? open_busy() : 0;
    if (fd > 0)
        close(fd);
    return fd >= 0;
}

static const struct kind kinds[] = {
    {"epoll_wait", prepare_epoll, wait_epoll, wake_epoll, 0, 0, false, false},
    {"epoll_pwait", prepare_epoll, wait_epoll_pwait, wake_epoll, 0, 0, false, false},
    {"epoll_pwait2", prepare_epoll, wait_epoll_pwait2, wake_epoll, 0, 0, false, false},
    {"sigtimedwait", prepare_signal, wait_sigtimedwait, wake_signal, -1, EAGAIN, false, false},
    {"sigwaitinfo", prepare_signal, wait_sigwaitinfo, wake_signal, -1, EAGAIN, true, false},
    {"semtimedop", prepare_semaphore, wait_semtimedop, wake_semaphore, -1, EAGAIN, false, false},
    {"semop", prepare_semaphore, wait_semop, wake_semaphore, -1, EAGAIN, true, false},
    {"io_getevents", prepare_aio, wait_aio, NULL, 0, 0, false, false},
    {"io_pgetevents", prepare_aio, wait_aio_with_mask, NULL, 0, 0, false, false},
    {"ppoll", prepare_eventfd, wait_ppoll, wake_epoll, 0, 0, false, false},
    {"pselect", prepare_eventfd, wait_pselect, wake_epoll, 0, 0, false, false},
#ifdef SELECT
    {"select", prepare_eventfd, wait_select, wake_epoll, 0, 0, false, false},
#endif
    {"nanosleep", prepare_sleep, wait_nanosleep, NULL, 0, 0, false, false},
    {"clock_nanosleep", prepare_sleep, wait_clock_nanosleep, NULL, 0, 0, false, false},
    {"recv", prepare_socket, wait_recv, wake_reader, -1, EAGAIN, false, true},
    {"read", prepare_socket, wait_read, wake_reader, -1, EAGAIN, false, true},
    {"recvmmsg", prepare_socket, wait_recvmmsg, wake_reader, -1, EAGAIN, false, true},
    {"preadv2", prepare_socket, wait_preadv2, wake_reader, -1, EAGAIN, false, true},
    {"splice", prepare_socket, wait_splice, wake_reader, -1, EAGAIN, false, true},
    {"sendmmsg", prepare_socket, wait_sendmmsg, wake_writer, -1, EAGAIN, false, true},
    {"pwritev2", prepare_socket, wait_pwritev2, wake_writer, -1, EAGAIN, false, true},
    {"sendfile", prepare_socket, wait_sendfile, wake_writer, -1, EAGAIN, false, true},
    {"io_uring_enter", prepare_ring, wait_ring, NULL, -1, ETIME, false, false},
    {"io_uring_submit", prepare_eventfd, wait_ring_submitting, wake_epoll, -1, ETIME, false, false},
    {"io_getevents_two", prepare_eventfd, wait_aio_for_two, wake_epoll, -1, ETIME, false, false},
    {"send", prepare_socket, wait_send, wake_writer, -1, EAGAIN, false, true},
    {"accept", prepare_listener, wait_accept, wake_listener, -1, EAGAIN, false, true},
    {"connect", prepare_listener, wait_connect, wake_connect, -1, EAGAIN, false, true},
    {"connect_tcp", prepare_busy, wait_connect_tcp, NULL, -1, EINPROGRESS, false, true},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static bool is_emulated(void) /* see tests/vm */
{
    return access("/run/machine", F_OK) == 0;
}

static bool is_early(uint64_t took_ns, unsigned timeout_ms)
{
    return took_ns / MILLISECOND_NS + 1 < timeout_ms;
}

/* In a virtual machine, the kernel's clock can tick late, and a coarse timeout then ends early even without signals.
 * report() checks that this is rare. */
static bool has_timed_out(const struct kind *kind, long result, int error, uint64_t took_ns, unsigned timeout_ms)
{
    return result != 1 && result == kind->timed_out && (!kind->error || error == kind->error) &&
           (kind->coarse || !is_early(took_ns, timeout_ms));
}

static void judge(struct waiter *waiter, enum ending ending, long result, int error, bool handled, uint64_t took_ns,
                  unsigned timeout_ms)
{
    const struct kind *kind = waiter->kind;
    bool interrupted = result == -1 && error == EINTR, woken = result == 1;
    bool timed_out = has_timed_out(kind, result, error, took_ns, timeout_ms);
    /* a handler before or after the call does not end it */
    bool right = ending == IS_INTERRUPTED ? interrupted : ending >= IS_WOKEN ? woken : timed_out;
    if (right && (handled || !interrupted)) {
        atomic_fetch_add(&waiter->seen[ending], 1);
        waiter->early += timed_out && ending == TIMES_OUT && is_early(took_ns, timeout_ms);
        return;
    }
    die("%s: %ld (%s) after %.3f ms of %u, when it was to be %s; %s signal was handled", kind->name, result,
        result < 0 ? strerror(error) : "no error", (double)took_ns / 1e6, timeout_ms,
        ending == IS_INTERRUPTED ? "interrupted"
        : ending >= IS_WOKEN     ? "woken"
                                 : "timed out",
        handled ? "a" : "no");
}

/* Some calls take their own event when they make room for the next wait. They have one ending at a time. */
static enum ending choose_ending(const struct kind *kind)
{
    enum ending ending = (enum ending)(draw() % ENDINGS);
    if (ending == IS_WOKEN_OR_NOT && (kind->forever || kind->wake == wake_writer || kind->wake == wake_connect))
        ending = IS_WOKEN;
    if ((ending >= IS_WOKEN && !kind->wake) || (ending == TIMES_OUT && kind->forever))
        ending = kind->forever ? IS_INTERRUPTED : TIMES_OUT;
    return ending;
}

/* A storm has no pause as long as the first timeout. */
static unsigned choose_timeout(const struct waiter *waiter, enum ending ending)
{
    const struct kind *kind = waiter->kind;
    if (ending == IS_INTERRUPTED || ending == IS_WOKEN)
        return LONG_MS;
    if (storm && ending == TIMES_OUT && !waiter->seen[TIMES_OUT])
        return FIRST_MS;
    if (storm)
        return STORM_MS / 2 + (unsigned)(draw() % (STORM_MS / 2));
    return (unsigned)(draw() % (kind->coarse ? COARSE_MS : SHORT_MS)) + 1;
}

static void wait_once(struct waiter *waiter)
{
    const struct kind *kind = waiter->kind;
    enum ending ending = choose_ending(kind);
    unsigned timeout_ms = choose_timeout(waiter, ending);
    atomic_store(&waiter->ending, ending);
    int before = atomic_load(&waiter->handled);
    uint64_t began_ns = monotonic_ns();
    atomic_store(&waiter->late_ns, began_ns + LONG_MS * MILLISECOND_NS);
    atomic_fetch_add(&waiter->round, 1);
    long result = kind->wait(waiter, timeout_ms);
    int error = errno;
    uint64_t took_ns = monotonic_ns() - began_ns;
    if (ending == IS_WOKEN_OR_NOT && has_timed_out(kind, result, error, took_ns, timeout_ms)) {
        result = kind->wait(waiter, LONG_MS);
        error = errno;
    }
    atomic_fetch_add(&waiter->round, 1);
    while (atomic_load(&waiter->busy))
        usleep(10);
    judge(waiter, ending, result, error, atomic_load(&waiter->handled) != before, took_ns, timeout_ms);
}

static void *wait_on(void *argument)
{
    self = argument;
    if (threads)
        self->kind->prepare(self);
    atomic_store(&self->tid, gettid());
    while (!atomic_load(over))
        wait_once(self);
    return NULL;
}

static bool sleeps(const struct waiter *waiter)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)waiter->pid, (int)waiter->tid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[got < 0 ? 0 : got] = 0;
    const char *end = strrchr(text, ')');
    return end && end[1] == ' ' && end[2] == 'S';
}

static void pause_a_little(void)
{
    struct timespec nap = {0, (long)(draw() % 200000)};
    if (draw() % 2)
        nanosleep(&nap, NULL);
}

static void send_unhandled(struct waiter *waiter)
{
    static const int unhandled[] = {SIGCHLD, SIGWINCH, SIGUSR2, SIGURG};
    send_signal(waiter, unhandled[draw() % 4]);
}

/* WAITER is in its call. Sends signals without a handler, and then the event that ends the call. */
static void disturb(struct waiter *waiter)
{
    enum ending ending = (enum ending)atomic_load(&waiter->ending);
    for (uint64_t count = draw() % 4; count; count--) {
        send_unhandled(waiter);
        pause_a_little();
    }
    if (ending == IS_WOKEN_OR_NOT)
        usleep((useconds_t)(draw() % ((storm ? STORM_MS : SHORT_MS) * 1000)));
    if (ending == IS_INTERRUPTED)
        send_signal(waiter, SIGUSR1);
    if (ending >= IS_WOKEN)
        waiter->kind->wake(waiter);
}

/* Sends a signal each 0.1 to 5 ms, at random intervals. An emulated machine is too slow for that: there, a thread
 * gets the next signal when it sleeps again. */
static void *send_storm(void *unused)
{
    enum { LEAST_NS = 100000, MOST_NS = 5000000 };
    bool waits = is_emulated();
    while (!atomic_load(calm)) {
        for (size_t i = 0; i < KINDS; i++) {
            struct waiter *waiter = &waiters[i];
            uint64_t now_ns = monotonic_ns();
            if (!waiter->kind || !atomic_load(&waiter->tid) || now_ns < waiter->storm_ns || (waits && !sleeps(waiter)))
                continue;
            send_unhandled(waiter);
            waiter->storm_ns = now_ns + LEAST_NS + (MOST_NS - LEAST_NS) / (1 + draw() % 50);
        }
        usleep(50);
    }
    return unused;
}

static void check_late(const struct waiter *waiter, int round)
{
    uint64_t late_ns = atomic_load(&waiter->late_ns);
    if (round % 2 && monotonic_ns() > late_ns + SECOND_NS && atomic_load(&waiter->round) == round)
        die("%s: does not end", waiter->kind->name);
}

/* During a storm, only timeouts are expected. */
static bool has_shown_all(void)
{
    bool shown = true;
    for (size_t i = 0; i < KINDS && storm; i++)
        shown = shown && (!waiters[i].kind || waiters[i].kind->forever || atomic_load(&waiters[i].seen[TIMES_OUT]));
    return shown;
}

static void send_to_all(uint64_t end_ns)
{
    for (bool last = false; !last;) {
        last = monotonic_ns() > end_ns && has_shown_all();
        if (last)
            atomic_store(over, 1);
        size_t dealt = 0;
        for (size_t i = 0; i < KINDS; i++) {
            struct waiter *waiter = &waiters[i];
            int round = atomic_load(&waiter->round);
            if (waiter->kind)
                check_late(waiter, round);
            if (!waiter->kind || round % 2 == 0 || round == waiter->told || !sleeps(waiter))
                continue;
            atomic_store(&waiter->busy, 1);
            if (atomic_load(&waiter->round) == round) {
                waiter->told = round;
                disturb(waiter);
                dealt++;
            }
            atomic_store(&waiter->busy, 0);
        }
        if (!dealt)
            usleep(50);
    }
}

static bool has_ended(const struct waiter *waiter, pthread_t id)
{
    siginfo_t info = {.si_pid = 0};
    if (threads)
        return pthread_tryjoin_np(id, NULL) == 0;
    return waitid(P_PID, (id_t)waiter->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid;
}

/* The last calls must also end. */
static void end_all(const pthread_t *ids)
{
    uint64_t end_ns = monotonic_ns() + 40 * SECOND_NS;
    for (size_t i = 0; i < KINDS; i++) {
        if (!waiters[i].kind)
            continue;
        while (!has_ended(&waiters[i], ids[i])) {
            CHECK(monotonic_ns() < end_ns);
            send_to_all(0);
            usleep(100);
        }
        if (!threads)
            CHECK_EXITED(waiters[i].pid, 0);
        if (waiters[i].kind->wake == wake_semaphore)
            semctl(waiters[i].id, 0, IPC_RMID);
    }
}

static void begin(struct waiter *waiter, pthread_t *id)
{
    if (threads) {
        waiter->pid = getpid();
        CHECK(pthread_create(id, NULL, wait_on, waiter) == 0);
        return;
    }
    /* both processes use what is prepared before the fork */
    waiter->kind->prepare(waiter);
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        target_begin();
        wait_on(waiter);
        _exit(0);
    }
    waiter->pid = pid;
}

static void report(void)
{
    enum { FEW = 5 };
    unsigned long sums[ENDINGS] = {0}, coarse = 0, early = 0;
    for (size_t i = 0; i < KINDS; i++) {
        for (int ending = 0; ending < ENDINGS; ending++)
            sums[ending] += waiters[i].seen[ending];
        coarse += waiters[i].kind && waiters[i].kind->coarse ? waiters[i].seen[TIMES_OUT] : 0;
        early += waiters[i].early;
    }
    if (early > FEW + coarse / 10)
        die("%lu of %lu timeouts of sockets ended early", early, coarse);
    printf("%lu timed out, %lu interrupted, %lu woken, %lu woken when they timed out\n", sums[TIMES_OUT],
           sums[IS_INTERRUPTED], sums[IS_WOKEN], sums[IS_WOKEN_OR_NOT]);
    CHECK(sums[IS_INTERRUPTED] > 0);
}

static bool is_wanted(const struct kind *kind, char *const *names)
{
    bool any = !*names;
    for (; *names; names++)
        any = any || strcmp(*names, kind->name) == 0;
    return any && is_here(kind);
}

int main(int argc, char **argv)
{
    pthread_t ids[KINDS], sender;
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    target_begin();
    storm = argc > 1 && strcmp(argv[1], "storm") == 0;
    argc -= storm;
    argv += storm;
    threads = argc < 2 || strcmp(argv[1], "threads") == 0;
    uint64_t end_ns = monotonic_ns() + (uint64_t)((argc > 2 ? atof(argv[2]) : 1) * 1e9);
    waiters = mmap(NULL, sizeof *waiters * KINDS + 2 * sizeof *over, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                   -1, 0);
    CHECK(waiters != MAP_FAILED);
    over = (atomic_int *)(waiters + KINDS);
    calm = over + 1;
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0 && signal(SIGUSR2, SIG_IGN) != SIG_ERR);
    for (size_t i = 0; i < KINDS; i++) {
        if (!is_wanted(&kinds[i], argc > 3 ? argv + 3 : argv + argc))
            continue;
        waiters[i].kind = &kinds[i];
        begin(&waiters[i], &ids[i]);
    }
    if (storm)
        CHECK(pthread_create(&sender, NULL, send_storm, NULL) == 0);
    send_to_all(end_ns);
    atomic_store(calm, 1);
    if (storm)
        CHECK(pthread_join(sender, NULL) == 0); /* before a thread's number can be reused */
    end_all(ids);
    report();
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * A 64-bit program that makes system calls by int $0x80, like 32-bit programs. Signals without a handler arrive
 * during the calls. No call may fail, end early, or transfer less than requested. Exits with status 77 if the kernel
 * does not have these calls. */
#include "target.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/socket.h>

#ifdef __x86_64__

/* Numbers of i386, and of socketcall and ipc. */
enum {
    CALL_GETPID = 20,
    CALL_READ = 3,
    CALL_WRITE = 4,
    CALL_SOCKETS = 102,
    CALL_IPC = 117,
    CALL_SIGTIMEDWAIT = 177,
    CALL_GETRANDOM = 355,
    CALL_EPOLL_PWAIT = 319
};
enum { SEMTIMEDOP = 4, RECV = 10 };
enum { ROUNDS = 25, BOUND_MS = 9, STORM_US = 700, TRANSFER = 3 << 20 };

static char *low; /* memory below 4 GiB */

static long call(long number, long a, long b, long c, long d, long e, long f)
{
    long result;
    __asm__ volatile("push %%rbp\n    mov %7, %%rbp\n    int $0x80\n    pop %%rbp"
                     : "=a"(result)
                     : "0"(number), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e), "r"(f)
                     : "r8", "r9", "r10", "r11", "memory");
    return (int)result;
}

static long at(size_t offset)
{
    return (long)(uintptr_t)(low + offset);
}

static void set_words(size_t offset, const int32_t *words, size_t count)
{
    memcpy(low + offset, words, count * sizeof *words);
}

static int epoll, semaphores, sockets[2];

static long by_epoll(void)
{
    return call(CALL_EPOLL_PWAIT, epoll, at(0), 1, BOUND_MS, 0, 8);
}

static long by_semaphore(void)
{
    const struct sembuf down = {.sem_op = -1};
    const int32_t bound[] = {0, BOUND_MS * 1000000};
    memcpy(low, &down, sizeof down);
    set_words(64, bound, 2);
    return call(CALL_IPC, SEMTIMEDOP, semaphores, 1, 0, at(0), at(64));
}

static long by_signal(void)
{
    const int32_t bound[] = {0, BOUND_MS * 1000000}, set[] = {1 << (SIGUSR1 - 1), 0};
    set_words(0, set, 2);
    set_words(64, bound, 2);
    return call(CALL_SIGTIMEDWAIT, at(0), 0, at(64), 8, 0, 0);
}

static long by_socket(void)
{
    return call(CALL_READ, sockets[0], at(0), 1, 0, 0, 0);
}

static long by_packed_socket(void)
{
    const int32_t arguments[] = {sockets[0], (int32_t)at(64), 1, 0};
    set_words(0, arguments, 4);
    return call(CALL_SOCKETS, RECV, at(0), 0, 0, 0, 0);
}

static const struct {
    const char *name;
    long (*wait)(void);
    long timed_out;
} kinds[] = {{"epoll_pwait", by_epoll, 0},
             {"semtimedop", by_semaphore, -EAGAIN},
             {"rt_sigtimedwait", by_signal, -EAGAIN},
             {"read", by_socket, -EAGAIN},
             {"recv", by_packed_socket, -EAGAIN}};

static void prepare(void)
{
    const struct timeval bound = {0, BOUND_MS * 1000};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    low = mmap(NULL, TRANSFER, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    epoll = epoll_create1(0);
    semaphores = semget(IPC_PRIVATE, 1, 0600);
    CHECK(low != MAP_FAILED && epoll >= 0 && semaphores >= 0 && !sigprocmask(SIG_BLOCK, &set, NULL));
    CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
    CHECK(!setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &bound, sizeof bound));
}

static pid_t begin_storm(void)
{
    pid_t maker = getpid(), pid = fork();
    CHECK(pid >= 0);
    if (pid)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (kill(maker, SIGWINCH) == 0)
        usleep(STORM_US);
    _exit(0);
}

static void wait_often(size_t kind)
{
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t since_ns = monotonic_ns();
        long result = kinds[kind].wait();
        if (result != kinds[kind].timed_out || monotonic_ns() - since_ns < BOUND_MS * MILLISECOND_NS)
            die("%s, round %d: result %ld after %lu us", kinds[kind].name, i, result,
                (unsigned long)((monotonic_ns() - since_ns) / 1000));
    }
}

/* The reader is slower than the writer. */
static void write_all(void)
{
    int pipes[2], status;
    CHECK(pipe(pipes) == 0);
    pid_t reader = fork();
    CHECK(reader >= 0);
    if (reader == 0) {
        close(pipes[1]);
        while (read(pipes[0], low, 1 << 16) > 0)
            usleep(500);
        _exit(0);
    }
    close(pipes[0]);
    CHECK(call(CALL_WRITE, pipes[1], at(0), TRANSFER, 0, 0, 0) == TRANSFER);
    close(pipes[1]);
    CHECK(waitpid(reader, &status, 0) == reader && status == 0);
}

/* Without support in the kernel, the instruction faults. */
static bool are_known(void)
{
    int status;
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0)
        _exit(call(CALL_GETPID, 0, 0, 0, 0, 0, 0) != getpid());
    CHECK(waitpid(pid, &status, 0) == pid);
    return status == 0;
}

int main(void)
{
    target_begin();
    if (!are_known())
        return 77;
    prepare();
    pid_t storm = begin_storm();
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        wait_often(i);
    write_all();
    for (int i = 0; i < ROUNDS; i++)
        CHECK(call(CALL_GETRANDOM, at(0), TRANSFER, 0, 0, 0, 0) == TRANSFER);
    kill(storm, SIGKILL);
    semctl(semaphores, 0, IPC_RMID);
    return 0;
}

#else

int main(void)
{
    return 77;
}

#endif

/* SPDX-License-Identifier: MIT
 *
 * A 32-bit program sends more than fits by socketcall, which has its arguments in memory. After the kernel has read
 * them, this memory blocks. Ignored signals end the call early unless it is resumed. Then it works for 300 ms of CPU
 * time in work_after. Ends with status 77, and prints the reason, if such memory is unavailable. Built by the test
 * that uses it. */
#include "fuse_memory.h"

#include <linux/sockios.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

enum { SEND = 9, BYTES = 4 << 20, WORK_MS = 300, SIGNAL_EVERY_MS = 5, SIGNALS = 20 };

DEFINE_SPIN(work_after, 0x7061)

static int ends[2];
static char *arguments;
static pid_t sender;
static atomic_bool over;

static size_t queued(void)
{
    int count = 0;
    CHECK(ioctl(ends[1], SIOCINQ, &count) == 0);
    return (size_t)count;
}

/* The file's content has been read before. */
static void take_away(void)
{
    int fd = open("mounted/file", O_RDONLY | O_CLOEXEC);
    CHECK(fd >= 0);
    CHECK(madvise(arguments, FUSE_PAGE, MADV_DONTNEED) == 0);
    CHECK(posix_fadvise(fd, 0, FUSE_SIZE, POSIX_FADV_DONTNEED) == 0);
    close(fd);
}

static void *interrupt_and_receive(void *unused)
{
    static char bytes[1 << 16];
    while (!queued())
        nap_ms(1);
    take_away();
    for (int i = 0; i < SIGNALS && !over; i++) {
        CHECK(syscall(SYS_tgkill, getpid(), sender, SIGWINCH) == 0);
        nap_ms(SIGNAL_EVERY_MS);
    }
    while (read(ends[1], bytes, sizeof bytes) > 0)
        ;
    return unused;
}

int main(void)
{
    static uint32_t page[FUSE_PAGE / sizeof(uint32_t)];
    static char bytes[BYTES];
    pthread_t receiver;
    target_begin();
    sender = gettid();
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    page[0] = (uint32_t)ends[0];
    page[1] = (uint32_t)(uintptr_t)bytes;
    page[2] = sizeof bytes;
    arguments = fuse_memory(page);
    CHECK(pthread_create(&receiver, NULL, interrupt_and_receive, NULL) == 0);
    long sent = syscall(SYS_socketcall, SEND, arguments);
    over = true;
    CHECK(sent > 0 && sent <= BYTES);
    CHECK(shutdown(ends[0], SHUT_WR) == 0);
    CHECK(pthread_join(receiver, NULL) == 0);
    spin_cpu_ms(work_after, WORK_MS);
    printf("sent %ld\n", sent);
    fflush(stdout);
    _exit(0);
}

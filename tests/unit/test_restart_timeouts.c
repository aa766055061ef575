/* SPDX-License-Identifier: MIT
 *
 * The location of calls' relative timeouts, the mark that distinguishes a restarted call from the next one, and the
 * options of sockets and terminals. */
#include "common/arch/arch.h"
#include "common/model/timeout.h"
#include "tracer/restart/socket.h"
#include "tracer/restart/terminal.h"

#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <termios.h>
#include <unistd.h>

enum { FD = 3, ADDRESS = 0x7000, EXT = 1 | 8 };

static struct arch_registers registers_of(long number, long result)
{
    struct arch_registers registers;
    memset(&registers, 0, sizeof registers);
    registers.user.orig_rax = (unsigned long long)number;
    registers.user.rax = (unsigned long long)result;
    registers.user.rip = 0x555555554002;
    registers.user.rsp = 0x7fffffffe000;
    return registers;
}

/* The arguments from the third on. The first is FD, the second FD + 1. */
static const struct {
    long number;
    uint64_t third, fourth, fifth;
    struct arch_timeout timeout;
} timeouts[] = {
    {SYS_epoll_wait, 1, 250, 0, {.place = ARCH_TIMEOUT_VALUE, .milliseconds = 250}},
    {SYS_epoll_wait, 1, (uint64_t)-1, 0, {.place = ARCH_NO_TIMEOUT, .milliseconds = -1}},
    {SYS_epoll_wait, 1, 0xffffffff, 0, {.place = ARCH_NO_TIMEOUT, .milliseconds = -1}}, /* the argument is an int */
    {SYS_epoll_pwait, 1, 0x700000001, 0, {.place = ARCH_TIMEOUT_VALUE, .milliseconds = 1}},
    {SYS_epoll_pwait2, 1, ADDRESS, 0, {.place = ARCH_TIMEOUT_AT, .address = ADDRESS}},
    {SYS_epoll_pwait2, 1, 0, 0, {.place = ARCH_NO_TIMEOUT}},
    {SYS_io_getevents, 1, 1, ADDRESS, {.place = ARCH_TIMEOUT_AT, .address = ADDRESS}},
    {SYS_io_pgetevents, 1, 1, ADDRESS, {.place = ARCH_TIMEOUT_AT, .address = ADDRESS}},
    {SYS_semtimedop, 1, ADDRESS, 0, {.place = ARCH_TIMEOUT_AT, .address = ADDRESS, .result = -EAGAIN}},
    {SYS_semop, 1, ADDRESS, 0, {.place = ARCH_NO_TIMEOUT}},
    {SYS_rt_sigtimedwait, ADDRESS, 8, 0, {.place = ARCH_TIMEOUT_AT, .address = ADDRESS, .result = -EAGAIN}},
    {SYS_rt_sigtimedwait, 0, 8, 0, {.place = ARCH_NO_TIMEOUT, .result = -EAGAIN}},
    {SYS_io_uring_enter,
     1,
     EXT,
     ADDRESS,
     {.place = ARCH_TIMEOUT_POINTER_AT, .address = ADDRESS + 16, .result = -ETIME}},
    {SYS_io_uring_enter, 1, EXT, 0, {.place = ARCH_NO_TIMEOUT, .result = -ETIME}},
    {SYS_io_uring_enter, 1, 1, ADDRESS, {.place = ARCH_NO_TIMEOUT, .result = -ETIME}},        /* a mask of signals */
    {SYS_io_uring_enter, 1, 8, ADDRESS, {.place = ARCH_NO_TIMEOUT, .result = -ETIME}},        /* it does not wait */
    {SYS_io_uring_enter, 1, EXT | 32, ADDRESS, {.place = ARCH_NO_TIMEOUT, .result = -ETIME}}, /* an absolute time */
    {SYS_io_uring_enter, 1, EXT | 64, ADDRESS, {.place = ARCH_NO_TIMEOUT, .result = -ETIME}}, /* an offset */
    {SYS_recvfrom, 0, 0, 0, {ARCH_TIMEOUT_OF_SOCKET, .receives = FD, .sends = -1, .result = -EAGAIN}},
    {SYS_recvmsg, 0, 0, 0, {ARCH_TIMEOUT_OF_SOCKET, .receives = FD, .sends = -1, .result = -EAGAIN}},
    {SYS_recvmmsg, 0, 0, ADDRESS, {ARCH_TIMEOUT_OF_SOCKET, .receives = FD, .sends = -1, .result = -EAGAIN}},
    {SYS_read, 0, 0, 0, {ARCH_TIMEOUT_OF_SOCKET, .receives = FD, .sends = -1, .result = -EAGAIN}},
    {SYS_readv, 0, 0, 0, {ARCH_TIMEOUT_OF_SOCKET, .receives = FD, .sends = -1, .result = -EAGAIN}},
    {SYS_preadv2, 0, 0, 0, {ARCH_TIMEOUT_OF_SOCKET, .receives = FD, .sends = -1, .result = -EAGAIN}},
    {SYS_accept, 0, 0, 0, {ARCH_TIMEOUT_OF_SOCKET, .receives = FD, .sends = -1, .result = -EAGAIN}},
    {SYS_accept4, 0, 0, 0, {ARCH_TIMEOUT_OF_SOCKET, .receives = FD, .sends = -1, .result = -EAGAIN}},
    {SYS_sendto, 0, 0, 0, {ARCH_TIMEOUT_OF_SOCKET, .receives = -1, .sends = FD, .result = -EAGAIN}},
    {SYS_sendmsg, 0, 0, 0, {ARCH_TIMEOUT_OF_SOCKET, .receives = -1, .sends = FD, .result = -EAGAIN}},
    {SYS_sendmmsg, 0, 0, 0, {ARCH_TIMEOUT_OF_SOCKET, .receives = -1, .sends = FD, .result = -EAGAIN}},
    {SYS_write, 0, 0, 0, {ARCH_TIMEOUT_OF_SOCKET, .receives = -1, .sends = FD, .result = -EAGAIN}},
    {SYS_writev, 0, 0, 0, {ARCH_TIMEOUT_OF_SOCKET, .receives = -1, .sends = FD, .result = -EAGAIN}},
    {SYS_pwritev2, 0, 0, 0, {ARCH_TIMEOUT_OF_SOCKET, .receives = -1, .sends = FD, .result = -EAGAIN}},
    {SYS_sendfile, 0, 0, 0, {ARCH_TIMEOUT_OF_SOCKET, .receives = -1, .sends = FD, .result = -EAGAIN}},
    {SYS_splice, 9, 0, 0, {ARCH_TIMEOUT_OF_SOCKET, .receives = FD, .sends = 9, .result = -EAGAIN}},
    {SYS_connect, 0, 0, 0, {ARCH_TIMEOUT_OF_SOCKET, .receives = -1, .sends = FD, .connects = true, .result = -EAGAIN}},
    {SYS_poll, 250, 1, 1, {.place = ARCH_TIMEOUT_VALUE, .milliseconds = 250}},
    {SYS_nanosleep, 1, 1, 1, {.place = ARCH_TIMEOUT_AT, .address = FD}},
    {SYS_clock_nanosleep, ADDRESS, 1, 1, {.place = ARCH_TIMEOUT_AT, .address = ADDRESS}},
    {SYS_futex, 1, ADDRESS, 1, {.place = ARCH_NO_TIMEOUT}}, /* of another operation */
    {SYS_ppoll, ADDRESS, 1, 1, {.place = ARCH_TIMEOUT_AT, .address = ADDRESS}},
    {SYS_pselect6, 1, 1, ADDRESS, {.place = ARCH_TIMEOUT_AT, .address = ADDRESS}},
    {SYS_pselect6, 1, 1, 0, {.place = ARCH_NO_TIMEOUT}},
    {SYS_select, 1, 1, ADDRESS, {.place = ARCH_TIMEOUT_AT, .address = ADDRESS, .in_microseconds = true}},
    {-1, 1, 1, 1, {.place = ARCH_NO_TIMEOUT}},
};

START_TEST(places_follow_the_table)
{
    const struct arch_timeout *expected = &timeouts[_i].timeout;
    struct arch_registers registers = registers_of(timeouts[_i].number, -EINTR);
    registers.user.rdi = FD;
    registers.user.rsi = FD + 1;
    registers.user.rdx = timeouts[_i].third;
    registers.user.r10 = timeouts[_i].fourth;
    registers.user.r8 = timeouts[_i].fifth;
    struct arch_timeout seen = arch_timeout(&registers);
    ck_assert_int_eq(seen.place, expected->place);
    ck_assert_int_eq(seen.milliseconds, expected->milliseconds);
    ck_assert_uint_eq(seen.address, expected->address);
    ck_assert_int_eq(seen.receives, expected->receives);
    ck_assert_int_eq(seen.sends, expected->sends);
    ck_assert(seen.connects == expected->connects);
    ck_assert(seen.in_microseconds == expected->in_microseconds);
    if (expected->place != ARCH_NO_TIMEOUT)
        ck_assert_int_eq(seen.result, expected->result);
}
END_TEST

static const long marked_calls[] = {0, SYS_write, SYS_epoll_wait, SYS_connect, 462};

/* The registers at the end of a call that was entered with the mark. */
static struct arch_registers marked(long number, long result)
{
    struct arch_registers restarted = registers_of(number, -EINTR), registers = registers_of(number, result);
    restarted.user.rax = (unsigned long long)number;
    arch_mark(&restarted);
    registers.user.orig_rax = restarted.user.rax;
    return registers;
}

START_TEST(a_mark_changes_no_number)
{
    long number = marked_calls[_i];
    struct arch_registers registers = marked(number, -EINTR), plain = registers_of(number, -EINTR);
    ck_assert(arch_is_marked(&registers) && !arch_is_marked(&plain));
    ck_assert_int_eq(arch_syscall(&registers), number);
    ck_assert_uint_eq(arch_unmarked(registers.user.orig_rax), (uint64_t)number);
    ck_assert_uint_eq(arch_unmarked((uint64_t)number), (uint64_t)number);
    struct arch_registers outside = registers_of(-1, 0);
    ck_assert(!arch_is_marked(&outside));
    ck_assert_uint_eq(arch_unmarked(UINT64_MAX), UINT64_MAX);
}
END_TEST

/* If a marked call is restarted, the new call has no mark yet. The restart can be undone as without a mark. */
START_TEST(marked_calls_are_restarted_as_others)
{
    struct arch_registers registers = marked(SYS_epoll_wait, -EINTR);
    const struct arch_registers before = registers;
    ck_assert(arch_restart_call(&registers));
    ck_assert_int_eq(arch_result(&registers), SYS_epoll_wait);
    arch_mark(&registers);
    struct arch_registers restarted = registers;
    ck_assert(arch_undo_restart(&registers, &restarted));
    ck_assert(!memcmp(&registers, &before, sizeof before));
    registers = marked(SYS_sendfile, -512); /* the kernel restarts it */
    restarted = registers_of(SYS_sendfile, -EINTR);
    ck_assert(arch_restart_call(&restarted));
    arch_mark(&restarted);
    ck_assert(arch_undo_restart(&registers, &restarted));
    ck_assert_int_eq(arch_result(&registers), -EINTR);
}
END_TEST

/* The remainder of a marked transfer is the same call. */
START_TEST(the_remainder_of_a_marked_write_is_a_write)
{
    for (int quietly = 0; quietly < 2; quietly++) {
        struct arch_registers registers = marked(SYS_write, 40);
        int fd = -1;
        registers.user.rdi = FD;
        registers.user.rdx = 100;
        registers.user.r10 = registers.user.r8 = registers.user.r9 = 0x77;
        ck_assert_int_eq(arch_transfer(&registers, &fd), ARCH_WRITE);
        arch_resume_transfer(&registers, quietly);
        ck_assert_int_eq(arch_result(&registers), quietly ? SYS_sendto : SYS_write);
        ck_assert_uint_eq(registers.user.r10, quietly ? MSG_NOSIGNAL : 0x77);
        ck_assert_uint_eq(registers.user.r9, quietly ? 0 : 0x77);
    }
}
END_TEST

START_TEST(a_thread_waits_again_where_it_was_sent)
{
    struct arch_registers restarted = registers_of(SYS_epoll_wait, -EINTR);
    const uint64_t pc = restarted.user.rip, sp = restarted.user.rsp;
    ck_assert(arch_restart_call(&restarted));
    arch_mark(&restarted);
    ck_assert(arch_waits_again(&restarted, SYS_epoll_wait, pc, sp));
    ck_assert(!arch_waits_again(&restarted, SYS_read, pc, sp));
    ck_assert(!arch_waits_again(&restarted, -1, pc, sp));
    ck_assert(!arch_waits_again(&restarted, SYS_epoll_wait, pc - 2, sp));
    ck_assert(!arch_waits_again(&restarted, SYS_epoll_wait, pc, sp + 8));
}
END_TEST

static const struct {
    bool marked;
    long number, result;
    bool enters, still;
} ends[] = {
    {true, SYS_connect, -EALREADY, false, true}, {false, SYS_connect, -EALREADY, false, false},
    {true, SYS_connect, -ENOSYS, true, false},   {true, SYS_connect, 0, false, false},
    {true, SYS_connect, -EISCONN, false, false}, {true, SYS_connect, -EINTR, false, false},
    {true, SYS_sendto, -EALREADY, false, false},
};

START_TEST(ends_of_connecting_follow_the_table)
{
    struct arch_registers registers =
        ends[_i].marked ? marked(ends[_i].number, ends[_i].result) : registers_of(ends[_i].number, ends[_i].result);
    ck_assert(arch_enters_call(&registers) == ends[_i].enters);
    ck_assert(arch_connects_still(&registers) == ends[_i].still);
}
END_TEST

static const struct {
    int family, type;
    bool set;
    int result;
} sockets[] = {
    {AF_UNIX, SOCK_STREAM, true, 0}, {AF_UNIX, SOCK_STREAM, false, 0}, {AF_UNIX, SOCK_DGRAM, true, 0},
    {AF_INET, SOCK_STREAM, true, 0}, {AF_INET, SOCK_DGRAM, false, 0},  {-1, 0, false, -ENOTSOCK}, /* not a socket */
    {-2, 0, false, -ENOTSOCK},                                                                    /* no descriptor */
};

/* Sockets of this process. Timeouts are in jiffies: one and two seconds are whole numbers of them. */
START_TEST(sockets_are_asked)
{
    const struct timeval one = {1, 0}, two = {2, 0};
    uint64_t receiving = 77, sending = 77;
    int family = 77, fd = sockets[_i].family < 0 ? eventfd(0, 0) : socket(sockets[_i].family, sockets[_i].type, 0);
    ck_assert_int_ge(fd, 0);
    if (sockets[_i].set)
        ck_assert(!setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &one, sizeof one) &&
                  !setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &two, sizeof two));
    if (sockets[_i].family == -2)
        close(fd);
    int result = socket_timeout(getpid(), gettid(), fd, false, &receiving, &family);
    int next = dup(0); /* the first call opens /proc, which stays open */
    close(next);
    ck_assert_int_eq(result, sockets[_i].result);
    ck_assert_int_eq(socket_timeout(getpid(), gettid(), fd, true, &sending, &family), sockets[_i].result);
    ck_assert_int_eq(family, result ? 77 : sockets[_i].family);
    ck_assert_uint_eq(receiving, result ? 77 : sockets[_i].set ? 1000000000 : TIMEOUT_NONE);
    ck_assert_uint_eq(sending, result ? 77 : sockets[_i].set ? 2000000000 : TIMEOUT_NONE);
    ck_assert_int_eq(dup(0), next); /* no descriptor was left open */
}
END_TEST

static const struct {
    uint64_t descriptors;
    bool by_interrupt; /* as 32-bit programs do */
    uint32_t bytes;
} sets[] = {{0, false, 0}, {1, false, 8}, {64, false, 8}, {65, false, 16}, {1, true, 4}, {33, true, 8}};

START_TEST(sets_have_whole_words)
{
    struct arch_registers registers = registers_of(SYS_select, -EINTR);
    registers.user.rdi = sets[_i].descriptors;
    registers.user.rsi = ADDRESS;
    registers.user.r10 = ADDRESS + 1;
    if (sets[_i].by_interrupt) {
        registers.by_interrupt = 1;
        registers.user.orig_rax = 142; /* _newselect */
        registers.user.rbx = sets[_i].descriptors;
        registers.user.rcx = ADDRESS;
        registers.user.rsi = ADDRESS + 1;
    }
    struct arch_timeout seen = arch_timeout(&registers);
    ck_assert_uint_eq(seen.set_bytes, sets[_i].bytes);
    ck_assert_uint_eq(seen.sets[0], ADDRESS);
    ck_assert_uint_eq(seen.sets[2], ADDRESS + 1);
}
END_TEST

/* The first select of the 32-bit table has its arguments in memory. */
START_TEST(an_old_select_has_no_known_timeout)
{
    struct arch_registers registers = registers_of(82, -EINTR);
    registers.by_interrupt = 1;
    registers.user.rdi = registers.user.rbx = ADDRESS;
    struct arch_timeout seen = arch_timeout(&registers);
    ck_assert_int_eq(seen.place, ARCH_NO_TIMEOUT);
    ck_assert_uint_eq(seen.sets[0], 0);
}
END_TEST

static const struct {
    unsigned char least, tenths;
    bool whole_lines, has;
} modes[] = {{0, 3, false, true}, {0, 0, false, false}, {1, 3, false, false}, {0, 3, true, false}};

START_TEST(terminals_are_asked)
{
    uint64_t length_ns = 77;
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    ck_assert(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    int fd = open(ptsname(master), O_RDWR | O_NOCTTY);
    struct termios mode;
    ck_assert(fd >= 0 && tcgetattr(fd, &mode) == 0);
    cfmakeraw(&mode);
    mode.c_cc[VMIN] = modes[_i].least;
    mode.c_cc[VTIME] = modes[_i].tenths;
    if (modes[_i].whole_lines)
        mode.c_lflag |= ICANON;
    ck_assert(tcsetattr(fd, TCSANOW, &mode) == 0);
    bool has = terminal_timeout(getpid(), gettid(), fd, &length_ns);
    ck_assert(has == modes[_i].has);
    ck_assert_uint_eq(length_ns, has ? 300000000 : 77);
    ck_assert(!terminal_timeout(getpid(), gettid(), master, &length_ns));
    close(fd);
    close(master);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("restart/timeouts");
    UNIT_ADD_TABLE(tests, places_follow_the_table, timeouts);
    UNIT_ADD_TABLE(tests, a_mark_changes_no_number, marked_calls);
    tcase_add_test(tests, marked_calls_are_restarted_as_others);
    tcase_add_test(tests, the_remainder_of_a_marked_write_is_a_write);
    tcase_add_test(tests, a_thread_waits_again_where_it_was_sent);
    UNIT_ADD_TABLE(tests, ends_of_connecting_follow_the_table, ends);
    UNIT_ADD_TABLE(tests, sockets_are_asked, sockets);
    UNIT_ADD_TABLE(tests, sets_have_whole_words, sets);
    tcase_add_test(tests, an_old_select_has_no_known_timeout);
    UNIT_ADD_TABLE(tests, terminals_are_asked, modes);
    return unit_end();
}

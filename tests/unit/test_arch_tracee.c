/* SPDX-License-Identifier: MIT */
#include "common/arch/arch.h"

#include "unit.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/falloc.h>
#include <linux/vt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

/* The registers of a thread stopped in system call NUMBER, which returned RESULT. Each other register has a
 * different value, so that any change shows. */
static struct arch_registers registers_of(long number, long result)
{
    struct arch_registers registers;
    unsigned char *bytes = (unsigned char *)&registers;
    for (size_t i = 0; i < sizeof registers; i++)
        bytes[i] = (unsigned char)(i * 7 + 1);
    registers.is_compat = registers.by_interrupt = registers.is_ahead = registers.is_unpacked = 0;
    registers.user.orig_rax = (unsigned long long)number;
    registers.user.rax = (unsigned long long)result;
    registers.user.rip = 0x555555554002;
    registers.user.rsp = 0x7fffffffe000;
    return registers;
}

static bool same(const struct arch_registers *one, const struct arch_registers *other)
{
    return !memcmp(one, other, sizeof *one);
}

START_TEST(pc_and_sp_are_read)
{
    struct arch_registers registers = registers_of(0, 0);
    ck_assert_uint_eq(arch_pc(&registers), 0x555555554002);
    ck_assert_uint_eq(arch_sp(&registers), 0x7fffffffe000);
}
END_TEST

static const struct {
    size_t size;
    bool known;
} sizes[] = {
    {sizeof(struct user_regs_struct), true},
    {0, false},
    {17 * 4, true}, /* i386 */
    {sizeof(struct user_regs_struct) - 1, false},
    {sizeof(struct user_regs_struct) + 8, false},
};

START_TEST(sizes_follow_the_table)
{
    struct arch_registers registers = {0};
    ck_assert(arch_registers_received(&registers, sizes[_i].size) == sizes[_i].known);
    ck_assert_uint_eq(registers.is_compat, sizes[_i].size == 17 * 4);
}
END_TEST

static const struct {
    long orig_rax;
    int number;
} calls[] = {
    {0, 0},
    {1, 1},
    {SYS_epoll_wait, 232},
    {462, 462},
    {(1 << 20) - 1, (1 << 20) - 1},
    {-1, -1}, /* user code */
    {-2, -1},
    {-514, -1},
    {1 << 20, -1}, /* a number beyond every kernel's table */
    {0x40000000, -1},
    {0x100000000, -1}, /* 0, truncated to 32 bits */
    {0xffffffff, -1},
    {INT64_MIN, -1},
    {INT64_MAX, -1},
};

START_TEST(system_calls_follow_the_table)
{
    struct arch_registers registers = registers_of(calls[_i].orig_rax, -EINTR);
    ck_assert_int_eq(arch_syscall(&registers), calls[_i].number);
}
END_TEST

/* Calls that fail with EINTR at a stop and may be entered again. Others may not: a second close() would close
 * another thread's new file, a second nanosleep() would sleep twice. */
static const int repeatable[] = {
    SYS_epoll_wait,   SYS_epoll_pwait,    SYS_epoll_pwait2, SYS_rt_sigtimedwait, SYS_semop,      SYS_semtimedop,
    SYS_io_getevents, SYS_io_pgetevents,  SYS_recvfrom,     SYS_recvmsg,         SYS_sendto,     SYS_sendmsg,
    SYS_accept,       SYS_accept4,        SYS_read,         SYS_readv,           SYS_write,      SYS_writev,
    SYS_connect,      SYS_recvmmsg,       SYS_sendmmsg,     SYS_splice,          SYS_sendfile,   SYS_preadv2,
    SYS_pwritev2,     SYS_io_uring_enter, SYS_swapoff,      SYS_creat,           SYS_stat,       SYS_lstat,
    SYS_access,       SYS_readlink,       SYS_getdents,     SYS_chmod,           SYS_chown,      SYS_lchown,
    SYS_fstat,        SYS_newfstatat,     SYS_statx,        SYS_faccessat,       SYS_faccessat2, SYS_readlinkat,
    SYS_getdents64,   SYS_fchmod,         SYS_fchmodat,     SYS_fchown,          SYS_fchownat,   SYS_utimensat,
    SYS_truncate,     SYS_ftruncate,      SYS_statfs,       SYS_fstatfs,         SYS_getxattr,   SYS_lgetxattr,
    SYS_fgetxattr,    SYS_listxattr,      SYS_llistxattr,   SYS_flistxattr,      SYS_chdir,      SYS_execve,
    SYS_lseek,        SYS_pread64,        SYS_preadv,       SYS_pwrite64,        SYS_pwritev,    SYS_fsync,
    SYS_fdatasync,    SYS_ppoll,          SYS_pselect6,     SYS_select,
};

static bool is_repeatable(int number)
{
    for (size_t i = 0; i < UNIT_ROWS(repeatable); i++)
        if (repeatable[i] == number)
            return true;
    return false;
}

/* Tries every number, including those that are not calls. */
START_TEST(only_repeatable_calls_are_restarted)
{
    unsigned restarted = 0;
    for (int number = -600; number < 2000; number++) {
        const struct arch_registers before = registers_of(number, -EINTR);
        struct arch_registers registers = before, expected = before;
        bool wanted = is_repeatable(number);
        if (wanted) {
            expected.user.rip = 0x555555554000; /* the call's own instruction */
            expected.user.rax = (unsigned long long)number;
            expected.is_ahead = 1;
        }
        if (arch_restart_call(&registers) != wanted || !same(&registers, &expected))
            ck_abort_msg("system call %d was wrongly %s", number, wanted ? "left" : "restarted");
        restarted += wanted;
    }
    ck_assert_uint_eq(restarted, UNIT_ROWS(repeatable));
}
END_TEST

/* Calls that may be restarted only with certain arguments. */
static const struct {
    long number, first, second, third, result;
    bool restarted;
    unsigned starts_over; /* number of times that it may be restarted */
} by_arguments[] = {
    {SYS_ioctl, 3, TCSBRK, 1, -EINTR, true, 0},
    {SYS_ioctl, 3, TCSBRK, 0, -EINTR, false, 0}, /* it has sent a part of the break */
    {SYS_ioctl, 3, TCSBRK, 0x100000000, -EINTR, false, 0},
    {SYS_ioctl, 3, TCSBRK, 1, -EAGAIN, false, 0},
    {SYS_ioctl, 3, TCSETSW, 0x1000, -EINTR, true, 0},
    {SYS_ioctl, 3, TCSETAW, 0x1000, -EINTR, true, 0},
    {SYS_ioctl, 3, TCSETSF, 0x1000, -EINTR, false, 0}, /* it would discard input that has arrived since */
    {SYS_ioctl, 3, TCSETAF, 0x1000, -EINTR, false, 0},
    {SYS_ioctl, 3, VT_WAITACTIVE, 2, -EINTR, true, 0},
    {SYS_ioctl, 3, 0, 0, -EINTR, false, 0},
    {SYS_bpf, BPF_PROG_LOAD, 0x1000, 120, -EAGAIN, true, 20},
    {SYS_bpf, BPF_PROG_LOAD, 0x1000, 120, -EINTR, false, 20},
    {SYS_bpf, BPF_PROG_LOAD, 0x1000, 120, 3, false, 20},
    {SYS_bpf, BPF_PROG_TEST_RUN, 0x1000, 120, -EAGAIN, false, 20},
    {SYS_bpf, BPF_PROG_TEST_RUN, 0x1000, 120, -EINTR, false, 20},
    {SYS_fallocate, 3, 0, 0, -EINTR, true, 10000},
    {SYS_fallocate, 3, FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE, 0, -EINTR, true, 10000},
    {SYS_fallocate, 3, FALLOC_FL_COLLAPSE_RANGE, 0, -EINTR, false, 10000},
    {SYS_fallocate, 3, FALLOC_FL_INSERT_RANGE, 0, -EINTR, false, 10000},
    {SYS_swapoff, 0x1000, 0, 0, -EINTR, true, 10000},
    {SYS_open, 0x1000, O_CREAT | O_TRUNC, 0, -EINTR, true, 0},
    {SYS_open, 0x1000, O_CREAT | O_EXCL, 0, -EINTR, false, 0}, /* the file may exist now */
    {SYS_openat, 3, 0x1000, O_CREAT | O_TRUNC, -EINTR, true, 0},
    {SYS_openat, 3, 0x1000, O_CREAT | O_EXCL, -EINTR, false, 0},
    {SYS_mkdir, 0x1000, 0, 0, -EINTR, false, 0},
    {SYS_unlinkat, 3, 0x1000, 0, -EINTR, false, 0},
    {SYS_renameat2, 3, 0x1000, 3, -EINTR, false, 0},
    {SYS_epoll_wait, 3, 0x1000, 1, -EINTR, true, 0},
    {SYS_nanosleep, 0x1000, 8, 0, -EFAULT, true, 0}, /* the remaining time cannot be written */
    {SYS_clock_nanosleep, 1, 0, 0x1000, -EFAULT, true, 0},
    {SYS_ppoll, 0x1000, 1, 0x1000, -EFAULT, false, 0},
};

START_TEST(arguments_decide_about_restarts)
{
    struct arch_registers before = registers_of(by_arguments[_i].number, by_arguments[_i].result);
    before.user.rdi = (unsigned long long)by_arguments[_i].first;
    before.user.rsi = (unsigned long long)by_arguments[_i].second;
    before.user.rdx = (unsigned long long)by_arguments[_i].third;
    struct arch_registers registers = before;
    ck_assert_uint_eq(arch_starts_over(&before), by_arguments[_i].starts_over);
    ck_assert(arch_restart_call(&registers) == by_arguments[_i].restarted);
    if (!by_arguments[_i].restarted) {
        ck_assert(same(&registers, &before));
        return;
    }
    const struct arch_registers restarted = registers;
    ck_assert(!same(&registers, &before));
    ck_assert(arch_undo_restart(&registers, &restarted));
    ck_assert(same(&registers, &before));
}
END_TEST

/* Calls that the kernel is about to restart. */
static const struct {
    long number, result;
    bool restarts;
} restarting[] = {
    {SYS_read, -511, false}, {SYS_read, -512, true},    {SYS_read, -513, true}, {SYS_read, -514, true},
    {SYS_read, -516, true},  {SYS_read, -517, false},   {SYS_read, 1, false},   {SYS_read, -EINTR, false},
    {-1, -512, false},       {SYS_getppid, -512, true},
};

START_TEST(calls_that_are_restarted_are_known)
{
    struct arch_registers registers = registers_of(restarting[_i].number, restarting[_i].result);
    ck_assert(arch_restarts(&registers) == restarting[_i].restarts);
}
END_TEST

static const int never_again[] = {SYS_close, SYS_nanosleep,     SYS_clock_nanosleep, SYS_futex, SYS_pause, SYS_poll,
                                  SYS_wait4, SYS_rt_sigsuspend, SYS_mkdir,           SYS_ioctl, SYS_bpf};

START_TEST(calls_that_must_not_be_repeated_are_left)
{
    const struct arch_registers before = registers_of(never_again[_i], -EINTR);
    struct arch_registers registers = before;
    ck_assert(!arch_restart_call(&registers));
    ck_assert(same(&registers, &before));
}
END_TEST

/* With any other result the call is over, or the kernel restarts it. The exception is a call with a timeout. */
static const long results[] = {0, 1, 4, 100, -1, -EINTR + 1, -EINTR - 1, -EAGAIN, -512, -513, -514, -516, 0xfffffffc};

START_TEST(only_interrupted_calls_are_restarted)
{
    for (size_t i = 0; i < UNIT_ROWS(repeatable); i++) {
        const struct arch_registers before = registers_of(repeatable[i], results[_i]);
        struct arch_registers registers = before;
        bool restarted = repeatable[i] == SYS_io_pgetevents && results[_i] == -514;
        ck_assert(arch_restart_call(&registers) == restarted);
        ck_assert(same(&registers, &before) == !restarted);
    }
}
END_TEST

/* The kernel then has the call's number, and decides about the restart. */
START_TEST(the_kernel_restarts_what_is_left_to_it)
{
    struct arch_registers registers = registers_of(SYS_epoll_wait, -EINTR);
    struct arch_registers expected = registers_of(SYS_epoll_wait, -514);
    ck_assert(arch_leave_restart(&registers));
    ck_assert(same(&registers, &expected));
    struct arch_registers before = registers_of(-1, SYS_epoll_wait), ahead = before;
    ck_assert(!arch_leave_restart(&ahead));
    ck_assert(same(&ahead, &before));
}
END_TEST

START_TEST(a_mend_can_be_taken_back)
{
    const struct arch_registers before = registers_of(repeatable[_i], -EINTR);
    struct arch_registers registers = before;
    ck_assert(arch_restart_call(&registers));
    struct arch_registers restarted = registers;
    ck_assert(arch_undo_restart(&registers, &restarted));
    ck_assert(same(&registers, &before));
    ck_assert(!arch_undo_restart(&registers, &restarted)); /* a second time */
    ck_assert(same(&registers, &before));
}
END_TEST

/* The signal arrived when the thread was back at the call's instruction: it is no longer in a call. */
START_TEST(a_restart_is_undone_in_user_code)
{
    struct arch_registers restarted = registers_of(SYS_epoll_wait, -EINTR);
    ck_assert(arch_restart_call(&restarted));
    struct arch_registers registers = restarted;
    registers.user.orig_rax = (unsigned long long)-1;
    ck_assert(arch_undo_restart(&registers, &restarted));
    ck_assert_int_eq(arch_result(&registers), -EINTR);
    ck_assert_uint_eq(arch_pc(&registers), 0x555555554002);
    ck_assert_int_eq(arch_syscall(&registers), -1);
}
END_TEST

static const struct {
    long number, result;
    bool back;
} restarts[] = {
    {SYS_sendfile, -512, true}, {SYS_splice, -512, true},    {SYS_sendfile, -513, false},
    {SYS_sendfile, 1, false},   {SYS_recvfrom, -512, false},
};

/* The kernel is about to restart the call, because the stop woke the thread. */
START_TEST(restarts_follow_the_table)
{
    const struct arch_registers failed = registers_of(restarts[_i].number, -EINTR);
    struct arch_registers restarted = failed, registers = registers_of(restarts[_i].number, restarts[_i].result);
    const struct arch_registers before = registers;
    ck_assert(arch_restart_call(&restarted));
    ck_assert(arch_undo_restart(&registers, &restarted) == restarts[_i].back);
    ck_assert(same(&registers, restarts[_i].back ? &failed : &before));
    registers = before;
    registers.user.rsp -= 8;
    ck_assert(!arch_undo_restart(&registers, &restarted));
}
END_TEST

/* The difference between the registers at a stop and those of the restarted call. */
enum change { PC, RAX, ORIG_RAX, SP, ENTERED_AGAIN };

static const enum change changes[] = {PC, RAX, ORIG_RAX, SP, ENTERED_AGAIN};

START_TEST(other_registers_have_nothing_to_undo)
{
    struct arch_registers restarted = registers_of(SYS_epoll_wait, -EINTR);
    ck_assert(arch_restart_call(&restarted));
    struct arch_registers registers = restarted;
    switch (changes[_i]) {
    case PC:
        registers.user.rip++;
        break;
    case RAX:
        registers.user.rax++;
        break;
    case ORIG_RAX:
        registers.user.orig_rax = SYS_read;
        break;
    case SP:
        registers.user.rsp -= 8;
        break;
    case ENTERED_AGAIN:
        registers = registers_of(SYS_epoll_wait, 1);
        break;
    }
    const struct arch_registers before = registers;
    ck_assert(!arch_undo_restart(&registers, &restarted));
    ck_assert(same(&registers, &before));
}
END_TEST

enum { MOST = 0x7ffff000 };

/* Interrupted transfers, and whether a remainder is missing. */
static const struct {
    long number;
    uint64_t count, flags;
    long result;
    enum arch_transfer transfer;
} transfers[] = {
    {SYS_write, 100, 0, 40, ARCH_WRITE},
    {SYS_write, 100, 0x7777, 99, ARCH_WRITE}, /* write has no flags */
    {SYS_write, 100, 0, 100, ARCH_WHOLE},
    {SYS_write, 100, 0, 101, ARCH_WHOLE},
    {SYS_write, 100, 0, 0, ARCH_WHOLE},
    {SYS_write, 100, 0, -EINTR, ARCH_WHOLE},
    {SYS_write, 100, 0, -512, ARCH_WHOLE},
    {SYS_write, 0, 0, 1, ARCH_WHOLE},
    {SYS_write, UINT64_MAX, 0, 1, ARCH_WRITE},
    {SYS_write, UINT64_MAX, 0, MOST, ARCH_WHOLE}, /* the kernel transfers no more at once */
    {SYS_write, UINT64_MAX, 0, MOST - 1, ARCH_WRITE},
    {SYS_sendto, 100, 0, 40, ARCH_WRITE},
    {SYS_sendto, 100, MSG_NOSIGNAL, 40, ARCH_WRITE},
    {SYS_sendto, 100, MSG_DONTWAIT, 40, ARCH_WHOLE},
    {SYS_sendto, 100, MSG_OOB, 40, ARCH_WHOLE},
    {SYS_sendto, 100, MSG_NOSIGNAL | MSG_DONTWAIT, 40, ARCH_WHOLE},
    {SYS_read, 100, 0, 40, ARCH_READ},
    {SYS_pread64, 100, 0, 40, ARCH_READ},
    {SYS_getrandom, 100, 0, 40, ARCH_RANDOM},
    {SYS_getrandom, 100, 0, 100, ARCH_WHOLE},
    {SYS_writev, 100, 0, 40, ARCH_WHOLE},
    {SYS_readv, 100, 0, 40, ARCH_WHOLE},
    {SYS_sendmsg, 100, 0, 40, ARCH_WHOLE},
    {SYS_recvfrom, 100, 0, 40, ARCH_WHOLE},
    {SYS_sendfile, 100, 0, 40, ARCH_WHOLE},
    {SYS_splice, 100, 0, 40, ARCH_WHOLE},
    {-1, 100, 0, 40, ARCH_WHOLE}, /* user code */
};

static struct arch_registers transfer_of(long number, uint64_t count, uint64_t flags, long result)
{
    struct arch_registers registers = registers_of(number, result);
    bool random = number == SYS_getrandom;
    registers.user.rdi = random ? 0x10000 : 7;
    registers.user.rsi = random ? count : 0x10000;
    registers.user.rdx = random ? 0 : count;
    registers.user.r10 = flags;
    return registers;
}

START_TEST(cut_transfers_follow_the_table)
{
    struct arch_registers registers =
        transfer_of(transfers[_i].number, transfers[_i].count, transfers[_i].flags, transfers[_i].result);
    int fd = -1;
    ck_assert_int_eq(arch_transfer(&registers, &fd), transfers[_i].transfer);
    if (transfers[_i].transfer == ARCH_WRITE || transfers[_i].transfer == ARCH_READ)
        ck_assert_int_eq(fd, 7);
}
END_TEST

/* The result register has the call's own number: that many bytes were transferred, or the call is about to be
 * entered again. The code before and at the PC shows which. */
static const struct {
    long number;
    uint64_t code;
    enum arch_transfer transfer;
} numbers[] = {
    {SYS_write, 0x9090050f, ARCH_WRITE},     {SYS_write, 0x050f9090, ARCH_WHOLE},
    {SYS_write, 0x050f050f, ARCH_WHOLE},                                 /* ambiguous */
    {SYS_write, 0x90909090, ARCH_WHOLE},     {SYS_write, 0, ARCH_WHOLE}, /* the code cannot be read */
    {SYS_sendto, 0x050f9090, ARCH_WHOLE},    {SYS_pread64, 0x9090050f, ARCH_READ},
    {SYS_pread64, 0x050f9090, ARCH_WHOLE},   {SYS_getrandom, 0x9090050f, ARCH_RANDOM},
    {SYS_getrandom, 0x050f9090, ARCH_WHOLE},
};

START_TEST(a_number_is_no_count_before_the_call)
{
    struct arch_registers registers = transfer_of(numbers[_i].number, 1000, 0, numbers[_i].number);
    uint64_t address;
    int fd;
    ck_assert(arch_lacks_code(&registers, &address));
    ck_assert_uint_eq(address, arch_pc(&registers) - ARCH_SYSCALL_BYTES);
    arch_set_code(&registers, numbers[_i].code);
    ck_assert_int_eq(arch_transfer(&registers, &fd), numbers[_i].transfer);
    registers = transfer_of(numbers[_i].number, 1000, 0, numbers[_i].number + 1);
    ck_assert(arch_lacks_code(&registers, &address));
    arch_set_code(&registers, numbers[_i].code);
    ck_assert_int_ne(arch_transfer(&registers, &fd), ARCH_WHOLE);
}
END_TEST

/* A transfer of 100 bytes with 40 done, and the end of its remainder. */
static const struct {
    long number;
    bool quietly;
    long enters; /* the number of the call that resumes it */
    long result; /* of the remainder */
    long sum;
    bool cut; /* the remainder was interrupted, too */
} remainders[] = {
    {SYS_write, false, SYS_write, 60, 100, false},
    {SYS_write, false, SYS_write, 59, 99, true},
    {SYS_write, false, SYS_write, 1, 41, true},
    {SYS_write, false, SYS_write, 0, 40, false},
    {SYS_write, false, SYS_write, -EPIPE, 40, false},
    {SYS_write, false, SYS_write, -EAGAIN, 40, false},
    {SYS_write, false, SYS_write, -EFAULT, 40, false},
    {SYS_write, false, SYS_write, -EINTR, 40, true},
    {SYS_write, false, SYS_write, -511, 40, false},
    {SYS_write, false, SYS_write, -512, 40, true},
    {SYS_write, false, SYS_write, -516, 40, true},
    {SYS_write, false, SYS_write, -517, 40, false},
    {SYS_write, true, SYS_sendto, 60, 100, false},
    {SYS_write, true, SYS_sendto, -512, 40, true},
    {SYS_sendto, true, SYS_sendto, 60, 100, false},
    {SYS_read, false, SYS_read, 60, 100, false},
    {SYS_getrandom, false, SYS_getrandom, 60, 100, false},
    {SYS_getrandom, false, SYS_getrandom, 10, 50, true},
};

static void check_arguments(const struct arch_registers *ahead, long number, bool quietly)
{
    bool random = number == SYS_getrandom;
    ck_assert_uint_eq(random ? ahead->user.rdi : ahead->user.rsi, 0x10000 + 40);
    ck_assert_uint_eq(random ? ahead->user.rsi : ahead->user.rdx, 60);
    if (quietly)
        ck_assert_uint_eq(ahead->user.r10, MSG_NOSIGNAL);
    if (quietly && number == SYS_write)
        ck_assert(!ahead->user.r8 && !ahead->user.r9);
}

START_TEST(rests_follow_the_table)
{
    const bool quietly = remainders[_i].quietly;
    const struct arch_registers before = transfer_of(remainders[_i].number, 100, 0, 40);
    struct arch_registers now = before, expected = before;
    ck_assert_int_eq(arch_remainder(&before, &before, quietly), ARCH_REMAINDER_ELSEWHERE);
    arch_resume_transfer(&now, quietly);
    check_arguments(&now, remainders[_i].number, quietly);
    ck_assert_uint_eq(arch_pc(&now), 0x555555554000);
    ck_assert_int_eq(arch_result(&now), remainders[_i].enters);
    ck_assert_int_eq(arch_remainder(&now, &before, quietly), ARCH_REMAINDER_AHEAD);
    now.user.orig_rax = (unsigned long long)-1; /* in user mode, on its way to the call */
    ck_assert_int_eq(arch_remainder(&now, &before, quietly), ARCH_REMAINDER_AHEAD);
    now.user.orig_rax = (unsigned long long)remainders[_i].enters;
    now.user.rip += 2;
    now.user.rax = (unsigned long long)remainders[_i].result;
    ck_assert_int_eq(arch_remainder(&now, &before, quietly), ARCH_REMAINDER_INSIDE);
    ck_assert(arch_sum(&now, &before) == remainders[_i].cut);
    expected.user.rax = (unsigned long long)remainders[_i].sum;
    ck_assert(same(&now, &expected));
    ck_assert_int_eq(arch_remainder(&now, &before, quietly), ARCH_REMAINDER_ELSEWHERE);
}
END_TEST

enum { RING_WAITS = 1, LIST = 0x20000 };

/* Waits for events. The second argument is the number of requests to submit, or of events to wait for. */
static const struct {
    long number;
    uint64_t second, third, fourth;
    long result;
    enum arch_transfer transfer;
    uint64_t rest[3]; /* arguments of the call that waits for the remainder */
} waits[] = {
    {SYS_io_uring_enter, 1, 1, RING_WAITS, 1, ARCH_EVENTS, {0, 1, RING_WAITS}},
    {SYS_io_uring_enter, 3, 2, RING_WAITS | 8, 3, ARCH_EVENTS, {0, 2, RING_WAITS | 8}},
    {SYS_io_uring_enter, 0x700000003, 2, RING_WAITS, 3, ARCH_EVENTS, {0, 2, RING_WAITS}}, /* the argument is an int */
    {SYS_io_uring_enter, 3, 2, RING_WAITS, 2, ARCH_WHOLE, {0}}, /* a request failed, so it did not wait */
    {SYS_io_uring_enter, 3, 0, RING_WAITS, 3, ARCH_WHOLE, {0}},
    {SYS_io_uring_enter, 3, 0x700000000, RING_WAITS, 3, ARCH_WHOLE, {0}},
    {SYS_io_uring_enter, 3, 2, 2, 3, ARCH_WHOLE, {0}},
    {SYS_io_uring_enter, 0, 2, RING_WAITS, 0, ARCH_WHOLE, {0}},
    {SYS_io_uring_enter, 1, 2, RING_WAITS, -EINTR, ARCH_WHOLE, {0}},
    {SYS_io_getevents, 4, 8, LIST, 1, ARCH_EVENTS, {3, 7, LIST + 32}},
    {SYS_io_pgetevents, 4, 8, LIST, 3, ARCH_EVENTS, {1, 5, LIST + 96}},
    {SYS_io_getevents, 4, 8, LIST, 4, ARCH_WHOLE, {0}},
    {SYS_io_getevents, 4, 8, LIST, 6, ARCH_WHOLE, {0}},
    {SYS_io_getevents, 4, 8, LIST, 0, ARCH_WHOLE, {0}},
    {SYS_io_getevents, 4, 8, LIST, -EINTR, ARCH_WHOLE, {0}},
};

static struct arch_registers wait_of(size_t i)
{
    struct arch_registers registers = registers_of(waits[i].number, waits[i].result);
    registers.user.rdi = 7;
    registers.user.rsi = waits[i].second;
    registers.user.rdx = waits[i].third;
    registers.user.r10 = waits[i].fourth;
    return registers;
}

START_TEST(cut_waits_follow_the_table)
{
    const struct arch_registers before = wait_of((size_t)_i);
    struct arch_registers now = before;
    int fd;
    ck_assert_int_eq(arch_transfer(&before, &fd), waits[_i].transfer);
    if (waits[_i].transfer == ARCH_WHOLE)
        return;
    arch_resume_transfer(&now, false);
    ck_assert_uint_eq(now.user.rdi, 7);
    ck_assert_uint_eq(now.user.rsi, waits[_i].rest[0]);
    ck_assert_uint_eq(now.user.rdx, waits[_i].rest[1]);
    ck_assert_uint_eq(now.user.r10, waits[_i].rest[2]);
    ck_assert_int_eq(arch_remainder(&now, &before, false), ARCH_REMAINDER_AHEAD);
    ck_assert_int_eq(arch_result(&now), waits[_i].number);
}
END_TEST

/* The end of a resumed wait: events, a timeout, or an interruption, which does not end it. */
static const struct {
    size_t wait; /* index into the table above */
    long result, sum;
    bool cut;
} ends_of_waits[] = {
    {1, 0, 3, false}, {1, -ETIME, 3, false}, {1, -EINTR, 3, true}, {9, 3, 4, false},        {9, 1, 2, true},
    {9, 0, 1, false}, {9, -EINTR, 1, true},  {10, -514, 3, true},  {10, -EINVAL, 3, false},
};

START_TEST(ends_of_waits_follow_the_table)
{
    const struct arch_registers before = wait_of(ends_of_waits[_i].wait);
    struct arch_registers now = before, expected = before;
    arch_resume_transfer(&now, false);
    now.user.rip = before.user.rip;
    now.user.rax = (unsigned long long)ends_of_waits[_i].result;
    ck_assert(arch_sum(&now, &before) == ends_of_waits[_i].cut);
    expected.user.rax = (unsigned long long)ends_of_waits[_i].sum;
    ck_assert(same(&now, &expected));
}
END_TEST

/* A remainder is limited to the size that the kernel transfers at once. */
START_TEST(a_large_remainder_is_bounded)
{
    struct arch_registers registers = transfer_of(SYS_write, UINT64_MAX, 0, 4096);
    arch_resume_transfer(&registers, false);
    ck_assert_uint_eq(registers.user.rdx, MOST - 4096);
}
END_TEST

/* Registers of another call, of the same call at another PC, or with other arguments, do not belong to the
 * remainder. */
START_TEST(other_registers_are_not_in_the_remainder)
{
    const struct arch_registers before = transfer_of(SYS_write, 100, 0, 40);
    struct arch_registers inside = before;
    arch_resume_transfer(&inside, false);
    inside.user.rip += 2;
    for (int i = 0; i < 6; i++) {
        struct arch_registers now = inside;
        unsigned long long *const changed[] = {&now.user.rip, &now.user.rsp, &now.user.rdi,
                                               &now.user.rsi, &now.user.rdx, &now.user.orig_rax};
        ck_assert_int_eq(arch_remainder(&now, &before, false), ARCH_REMAINDER_INSIDE);
        ++*changed[i];
        ck_assert_int_eq(arch_remainder(&now, &before, false), ARCH_REMAINDER_ELSEWHERE);
    }
}
END_TEST

#define SYSCALL "\x0f\x05"

/* Code with system call instructions, as in the vDSO. */
static const struct {
    const char *code;
    size_t size;
    int64_t offset; /* of the chosen instruction; -1: none */
    enum arch_back back;
} sites[] = {
#define CODE(bytes) bytes, sizeof(bytes) - 1
    {CODE(""), -1, ARCH_NO_WAY_BACK},
    {CODE("\x0f"), -1, ARCH_NO_WAY_BACK},
    {CODE("\x90\x0f\x06\x05\x0f"), -1, ARCH_NO_WAY_BACK},
    {CODE(SYSCALL), 0, ARCH_NO_WAY_BACK},
    {CODE("\x90" SYSCALL "\x90\x90"), 1, ARCH_NO_WAY_BACK},
    {CODE(SYSCALL "\xc3"), 0, ARCH_BACK_BY_RETURN},
    {CODE(SYSCALL "\x5d\xc3"), 0, ARCH_BACK_BY_FRAME},
    {CODE(SYSCALL "\xc9\xc3"), 0, ARCH_BACK_BY_LEAVE},
    {CODE(SYSCALL "\xc9\x31\xd2\x31\xf6\x45\x31\xc0\x45\x31\xdb\xc3"), 0, ARCH_BACK_BY_LEAVE},
    {CODE(SYSCALL "\x31\xff\xc3"), 0, ARCH_BACK_BY_RETURN},
    {CODE(SYSCALL "\x31\xd2\x5d\xc3"), 0, ARCH_NO_WAY_BACK}, /* the frame is still on the stack */
    {CODE(SYSCALL "\x31\xd1\xc3"), 0, ARCH_NO_WAY_BACK},     /* two registers are involved */
    {CODE(SYSCALL "\x31\xe4\xc3"), 0, ARCH_NO_WAY_BACK},     /* it changes the stack pointer */
    {CODE(SYSCALL "\x31\xed\xc3"), 0, ARCH_NO_WAY_BACK},     /* it changes the frame pointer */
    {CODE(SYSCALL "\x31\x12\xc3"), 0, ARCH_NO_WAY_BACK},     /* it writes to memory */
    {CODE(SYSCALL "\x45\x31\xe4\xc3"), 0, ARCH_BACK_BY_RETURN},
    {CODE(SYSCALL "\x5d\x5d\xc3"), 0, ARCH_NO_WAY_BACK},
    {CODE(SYSCALL "\xc9"), 0, ARCH_NO_WAY_BACK}, /* truncated */
    {CODE(SYSCALL "\x31"), 0, ARCH_NO_WAY_BACK},
    {CODE(SYSCALL "\x45"), 0, ARCH_NO_WAY_BACK},
    {CODE(SYSCALL "\x90" SYSCALL "\x90" SYSCALL "\xc3" SYSCALL "\x5d\xc3"), 6, ARCH_BACK_BY_RETURN},
#undef CODE
};

START_TEST(sites_follow_the_table)
{
    struct arch_site site = {.address = 1};
    char *code = malloc(sites[_i].size + 1); /* of the exact size, for the sanitizers */
    ck_assert_ptr_nonnull(code);
    memcpy(code, sites[_i].code, sites[_i].size);
    char *exact = realloc(code, sites[_i].size ? sites[_i].size : 1);
    bool found = arch_find_site((const unsigned char *)exact, sites[_i].size, 0x1000, &site);
    free(exact);
    ck_assert(found == (sites[_i].offset >= 0));
    ck_assert_uint_eq(site.address, found ? 0x1000 + (uint64_t)sites[_i].offset : 1);
    ck_assert_int_eq(site.back, sites[_i].back);
}
END_TEST

static const struct arch_call some_call = {.number = SYS_mmap, .arguments = {1, 2, 3, 4, 5, 6}};

/* Changes the registers as the instructions behind the site do. */
static void come_back(struct arch_registers *registers, const struct arch_site *site, const struct arch_trail *trail)
{
    if (site->back == ARCH_BACK_BY_LEAVE)
        registers->user.rsp = registers->user.rbp;
    if (site->back != ARCH_BACK_BY_RETURN) {
        ck_assert_uint_eq(registers->user.rsp, trail->address);
        registers->user.rbp = trail->words[0];
        registers->user.rsp += 8;
    }
    ck_assert_uint_eq(registers->user.rsp, trail->address + 8);
    registers->user.rip = trail->words[1];
    registers->user.rsp += 8;
}

static const enum arch_back ways[] = {ARCH_BACK_BY_RETURN, ARCH_BACK_BY_FRAME, ARCH_BACK_BY_LEAVE, ARCH_NO_WAY_BACK};

START_TEST(a_thread_that_was_sent_comes_back)
{
    const struct arch_site site = {.address = 0x7ffff7fc1234, .back = ways[_i]};
    struct arch_registers before = registers_of(SYS_execve, 0), sent = before;
    struct arch_trail trail;
    arch_trail(&before, &trail);
    arch_send(&sent, &site, &some_call);
    ck_assert_uint_eq(arch_pc(&sent), site.address);
    ck_assert_uint_eq(sent.user.rax, SYS_mmap);
    ck_assert_int_eq(arch_syscall(&sent), -1);
    const uint64_t arguments[] = {sent.user.rdi, sent.user.rsi, sent.user.rdx,
                                  sent.user.r10, sent.user.r8,  sent.user.r9};
    ck_assert_mem_eq(arguments, some_call.arguments, sizeof arguments);
    if (site.back != ARCH_NO_WAY_BACK)
        come_back(&sent, &site, &trail);
    else
        sent.user.rip = before.user.rip;
    ck_assert_uint_eq(sent.user.rip, before.user.rip);
    ck_assert_uint_eq(sent.user.rsp, before.user.rsp);
    ck_assert_uint_eq(sent.user.rbp, before.user.rbp);
    ck_assert_uint_eq(sent.user.rbx, before.user.rbx);
    ck_assert_uint_eq(sent.user.r15, before.user.r15);
}
END_TEST

START_TEST(the_entry_is_that_of_the_call)
{
    const struct arch_site site = {.address = 0x1000};
    struct arch_registers registers = registers_of(SYS_mmap, -ENOSYS);
    registers.user.rip = 0x1002;
    ck_assert(arch_enters(&registers, &site, &some_call));
    registers.user.rip = 0x1003;
    ck_assert(!arch_enters(&registers, &site, &some_call));
    registers = registers_of(SYS_munmap, -ENOSYS);
    registers.user.rip = 0x1002;
    ck_assert(!arch_enters(&registers, &site, &some_call));
    ck_assert_int_eq(arch_result(&registers), -ENOSYS);
}
END_TEST

START_TEST(a_blocked_thread_is_moved)
{
    struct arch_registers registers;
    memset(&registers, 0xff, sizeof registers);
    arch_set_blocked(&registers, 0x401000, 0x7ffc0, false);
    ck_assert_uint_eq(arch_pc(&registers), 0x401000);
    ck_assert_uint_eq(arch_sp(&registers), 0x7ffc0);
    ck_assert_int_eq(arch_syscall(&registers), -1);
    ck_assert_uint_eq(registers.user.rbp, 0);
}
END_TEST

/* Words that contain their own address: word AT, and the following AGAIN words. */
static const struct {
    int at, again;
    bool found;
} headers[] = {
    {0, 2, true},   {5, 2, true},  {13, 2, true}, {14, 2, false},
    {5, 0, false},  {5, 1, false}, /* an empty list's
                                    * head */
    {-1, 0, false},
};

START_TEST(the_thread_pointer_is_found_on_the_stack)
{
    enum { WORDS = 16 };
    const uint64_t start = 0x7f0000001000;
    for (size_t odd = 0; odd < 8; odd += 4) { /* a stack pointer can be misaligned */
        unsigned char bytes[WORDS * 8 + 8] = {0};
        size_t first = (8 - odd) % 8;
        for (int i = 0; i <= 2; i++) {
            uint64_t own = start + odd + first + 8 * (uint64_t)headers[_i].at;
            if (headers[_i].at >= 0 && (i == 0 || i == headers[_i].again) && headers[_i].at + i < WORDS)
                memcpy(bytes + first + 8 * (size_t)(headers[_i].at + i), &own, sizeof own);
        }
        uint64_t expected = headers[_i].found ? start + odd + first + 8 * (uint64_t)headers[_i].at : 0;
        ck_assert_uint_eq(arch_find_thread_pointer(bytes, first + 8 * WORDS, start + odd), expected);
    }
    ck_assert_uint_eq(arch_find_thread_pointer("", 0, start), 0);
}
END_TEST

/* A thread stopped in user code: its flags, and the code at its PC. */
static const struct {
    uint64_t flags;
    size_t size;
    const char *code;
    bool compat;
    enum arch_fault fault;
} faults[] = {
    {0x246, 3, "\xc6\x07\x01", false, ARCH_FAULT_NO},
    {0x10246, 3, "\xc6\x07\x01", false, ARCH_FAULT_YES},         /* movb $1,(%rdi) */
    {0x10246, 0, "", false, ARCH_FAULT_YES},                     /* not read */
    {0x10246, 1, "\xf3", false, ARCH_FAULT_YES},                 /* cut short */
    {0x246, 2, "\xf3\xaa", false, ARCH_FAULT_NO},                /* rep stosb */
    {0x10246, 2, "\xf3\xaa", false, ARCH_FAULT_UNKNOWN},         /* the same */
    {0x10246, 3, "\xf3\x48\xa5", false, ARCH_FAULT_UNKNOWN},     /* rep movsq */
    {0x10246, 3, "\x66\xf3\xab", false, ARCH_FAULT_UNKNOWN},     /* rep stosw */
    {0x10246, 3, "\x67\xf3\xa4", false, ARCH_FAULT_UNKNOWN},     /* rep movsb (%esi),(%edi) */
    {0x10246, 2, "\xf2\xae", false, ARCH_FAULT_UNKNOWN},         /* repnz scasb */
    {0x10246, 2, "\xf3\xa6", true, ARCH_FAULT_UNKNOWN},          /* repz cmpsb, of a 32-bit program */
    {0x10246, 1, "\xaa", false, ARCH_FAULT_YES},                 /* stosb */
    {0x10246, 4, "\xf3\x0f\x7f\x07", false, ARCH_FAULT_YES},     /* movdqu %xmm0,(%rdi) */
    {0x10246, 4, "\xf2\x0f\x11\x07", false, ARCH_FAULT_YES},     /* movsd %xmm0,(%rdi) */
    {0x10246, 5, "\x62\xf1\xfe\x48\x7f", false, ARCH_FAULT_YES}, /* the beginning of an instruction of AVX-512 */
};

START_TEST(faults_follow_the_table)
{
    struct arch_registers registers = registers_of(-1, 0);
    registers.user.eflags = faults[_i].flags;
    registers.is_compat = faults[_i].compat;
    ck_assert_int_eq(arch_fault(&registers, (const uint8_t *)faults[_i].code, faults[_i].size), faults[_i].fault);
    ck_assert(faults[_i].fault != ARCH_FAULT_NO || !arch_fault_lacks_code(&registers));
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("arch/tracee");
    UNIT_ADD_TABLE(tests, faults_follow_the_table, faults);
    tcase_add_test(tests, pc_and_sp_are_read);
    UNIT_ADD_TABLE(tests, sizes_follow_the_table, sizes);
    UNIT_ADD_TABLE(tests, system_calls_follow_the_table, calls);
    tcase_add_test(tests, only_repeatable_calls_are_restarted);
    UNIT_ADD_TABLE(tests, arguments_decide_about_restarts, by_arguments);
    UNIT_ADD_TABLE(tests, calls_that_are_restarted_are_known, restarting);
    UNIT_ADD_TABLE(tests, calls_that_must_not_be_repeated_are_left, never_again);
    UNIT_ADD_TABLE(tests, only_interrupted_calls_are_restarted, results);
    tcase_add_test(tests, the_kernel_restarts_what_is_left_to_it);
    UNIT_ADD_TABLE(tests, a_mend_can_be_taken_back, repeatable);
    tcase_add_test(tests, a_restart_is_undone_in_user_code);
    UNIT_ADD_TABLE(tests, restarts_follow_the_table, restarts);
    UNIT_ADD_TABLE(tests, other_registers_have_nothing_to_undo, changes);
    UNIT_ADD_TABLE(tests, cut_transfers_follow_the_table, transfers);
    UNIT_ADD_TABLE(tests, a_number_is_no_count_before_the_call, numbers);
    UNIT_ADD_TABLE(tests, rests_follow_the_table, remainders);
    UNIT_ADD_TABLE(tests, cut_waits_follow_the_table, waits);
    UNIT_ADD_TABLE(tests, ends_of_waits_follow_the_table, ends_of_waits);
    tcase_add_test(tests, a_large_remainder_is_bounded);
    tcase_add_test(tests, other_registers_are_not_in_the_remainder);
    UNIT_ADD_TABLE(tests, sites_follow_the_table, sites);
    UNIT_ADD_TABLE(tests, a_thread_that_was_sent_comes_back, ways);
    tcase_add_test(tests, the_entry_is_that_of_the_call);
    tcase_add_test(tests, a_blocked_thread_is_moved);
    UNIT_ADD_TABLE(tests, the_thread_pointer_is_found_on_the_stack, headers);
    return unit_end();
}

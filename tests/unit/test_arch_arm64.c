/* SPDX-License-Identifier: MIT
 *
 * Restarting calls on arm64, where registers at a stop lack the call's number and, after its end, its first
 * argument. Skipped on other processors. */
#ifdef __aarch64__
#include "common/arch/arch.h"

#include "unit.h"

#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>

enum { AT = 0x400000, SP = 0x7ffc0, NUMBER = 8, FD = 3, OTHER = 0x1234, COUNT = 100 };
enum { MAKE_CALL = 0xd4000001, RESTART_UNHANDLED = 514 };
#define TAG (UINT64_C(1) << 56)

/* Registers at a stop: BEHIND the instruction at AT with RESULT in x0, or before it. ORIGINAL is the kernel's copy
 * of the first argument. */
static struct arch_registers stopped(long number, bool behind, uint64_t x0, uint64_t original)
{
    struct arch_registers registers = {0};
    uint64_t address;
    for (int i = 0; i < 31; i++)
        registers.user.regs[i] = 0x100 + (unsigned)i;
    registers.user.regs[0] = x0;
    registers.user.regs[NUMBER] = (unsigned long long)number;
    registers.user.sp = SP;
    registers.user.pc = behind ? AT + 4 : AT;
    ck_assert(arch_registers_received(&registers, sizeof registers.user));
    ck_assert(arch_lacks_code(&registers, &address));
    ck_assert_uint_eq(address, arch_pc(&registers) - 4);
    arch_set_code(&registers, behind ? MAKE_CALL : (uint64_t)MAKE_CALL << 32);
    if (arch_lacks_argument(&registers))
        arch_set_argument(&registers, original);
    return registers;
}

/* Calls that a stop has ended, or that the kernel is about to restart. */
static const struct {
    const char *name;
    long number;
    int64_t x0;
    uint64_t original;
    bool behind, restarts, continues, waited, lacks;
} rows[] = {
    {"failed", SYS_epoll_pwait, -EINTR, FD, true, true, false, false, true},
    {"failed otherwise", SYS_epoll_pwait, -EBADF, FD, true, false, false, false, false},
    {"not to be repeated", SYS_close, -EINTR, FD, true, false, false, false, false},
    {"put back", SYS_io_pgetevents, OTHER, OTHER, false, true, false, true, true},
    {"before the first time", SYS_io_pgetevents, OTHER, FD, false, false, false, false, true},
    {"continued", SYS_nanosleep, OTHER, OTHER, false, false, true, true, true},
    {"not yet made", SYS_nanosleep, OTHER, FD, false, false, false, false, true},
    {"restarted by the kernel alone", SYS_ppoll, OTHER, OTHER, false, false, false, false, false},
    {"nobody tells", SYS_recvfrom, -EINTR, (uint64_t)-EINTR, true, false, false, false, true},
};

START_TEST(stops_follow_the_table)
{
    struct arch_registers before = stopped(rows[_i].number, rows[_i].behind, (uint64_t)rows[_i].x0, rows[_i].original);
    struct arch_registers now = before;
    ck_assert_msg(arch_lacks_argument(&before) == rows[_i].lacks, "%s", rows[_i].name);
    ck_assert_msg(arch_continues(&before) == rows[_i].continues, "%s", rows[_i].name);
    ck_assert_msg(arch_may_have_waited(&before) == rows[_i].waited, "%s", rows[_i].name);
    ck_assert_msg(arch_restart_call(&now) == rows[_i].restarts, "%s", rows[_i].name);
    if (rows[_i].continues)
        arch_enter_anew(&now);
    if (!rows[_i].restarts && !rows[_i].continues)
        return;
    ck_assert_uint_eq(arch_pc(&now), AT);
    ck_assert_uint_eq(now.user.regs[0], rows[_i].original);
    ck_assert(!arch_may_have_waited(&now)); /* it has not run since */
    ck_assert(arch_undo_restart(&before, &now) != rows[_i].behind);
    const struct arch_registers restarted = now;
    ck_assert(arch_undo_restart(&now, &restarted));
    ck_assert_int_eq(arch_result(&now), rows[_i].number == SYS_nanosleep ? -EFAULT : -EINTR); /* see call_failure */
    ck_assert_uint_eq(arch_pc(&now), AT + 4);
}
END_TEST

/* Waits that the kernel continues by restart_syscall. */
static const struct {
    long number;
    uint64_t second, fourth;
    bool continued;
} waits[] = {
    {SYS_nanosleep, 0, 0, true},
    {SYS_clock_nanosleep, 0, 0, true},
    {SYS_clock_nanosleep, TIMER_ABSTIME, 0, false},
    {SYS_futex, FUTEX_WAIT, 0x1000, true},
    {SYS_futex, FUTEX_WAIT | FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME, 0x1000, true},
    {SYS_futex, FUTEX_WAIT_BITSET, 0x1000, true},
    {SYS_futex, FUTEX_WAIT, 0, false},
    {SYS_futex, FUTEX_WAKE, 0x1000, false},
    {SYS_ppoll, 1, 0, false},
    {SYS_restart_syscall, 0, 0, false},
};

START_TEST(continued_waits_follow_the_table)
{
    struct arch_registers registers = stopped(waits[_i].number, false, OTHER, OTHER);
    registers.user.regs[1] = waits[_i].second;
    registers.user.regs[3] = waits[_i].fourth;
    if (arch_lacks_argument(&registers))
        arch_set_argument(&registers, OTHER);
    ck_assert(arch_continues(&registers) == waits[_i].continued);
}
END_TEST

/* The kernel compares the PC; at another one it enters the call anew. */
START_TEST(the_kernel_does_not_continue_what_is_entered_anew)
{
    struct arch_registers registers = stopped(SYS_nanosleep, false, OTHER, OTHER);
    arch_enter_anew(&registers);
    arch_mark(&registers);
    struct arch_registers sent = registers, back;
    arch_registers_sent(&sent);
    ck_assert_uint_eq(sent.user.pc, AT | TAG);
    back = sent;
    ck_assert(arch_registers_received(&back, sizeof back.user));
    ck_assert_uint_eq(arch_pc(&back), AT);
    ck_assert(back.is_ahead);
    arch_set_pc(&back, AT + 8);
    arch_registers_sent(&back);
    ck_assert_uint_eq(back.user.pc, AT + 8);
}
END_TEST

START_TEST(a_call_that_was_left_is_not_found)
{
    for (int behind = 0; behind < 2; behind++) {
        struct arch_registers registers = stopped(SYS_io_pgetevents, behind, behind ? (uint64_t)-EINTR : OTHER, OTHER);
        arch_set_result(&registers, 0);
        arch_leave_call(&registers);
        ck_assert_uint_eq(arch_pc(&registers), AT + 4);
        ck_assert_int_eq(arch_syscall(&registers), -1);
        uint64_t address;
        ck_assert(!arch_lacks_code(&registers, &address));
        ck_assert_uint_eq((uint32_t)registers.user.regs[NUMBER], SYS_io_pgetevents);
    }
}
END_TEST

START_TEST(the_end_of_a_sockets_timeout_is_seen)
{
    struct arch_timeout timeout;
    struct arch_registers registers = stopped(SYS_recvfrom, true, (uint64_t)-EAGAIN, FD);
    ck_assert(arch_timed_out(&registers, &timeout));
    ck_assert_int_eq(timeout.receives, FD);
    arch_enter_anew(&registers);
    ck_assert_uint_eq(arch_pc(&registers), AT);
    ck_assert_uint_eq(registers.user.regs[0], FD);
    registers = stopped(SYS_recvfrom, true, (uint64_t)-EAGAIN, FD);
    registers.user.regs[3] = MSG_DONTWAIT;
    ck_assert(!arch_timed_out(&registers, &timeout));
    registers = stopped(SYS_getppid, true, (uint64_t)-EAGAIN, FD);
    ck_assert(!arch_timed_out(&registers, &timeout));
}
END_TEST

/* A later stop, where a handler has returned to, must not find the call that the signal interrupted. */
START_TEST(handled_interruptions_are_marked)
{
    static const struct {
        uint32_t number;
        bool behind;
        int64_t x0;
        bool marked;
    } cases[] = {
        {SYS_epoll_pwait, true, -EINTR, true},
        {SYS_io_pgetevents, false, OTHER, true},
        {SYS_nanosleep, false, OTHER, false},
        {SYS_epoll_pwait, true, 1, false},
    };
    for (size_t i = 0; i < UNIT_ROWS(cases); i++) {
        struct arch_registers registers = stopped(cases[i].number, cases[i].behind, (uint64_t)cases[i].x0, OTHER);
        ck_assert(arch_set_handled(&registers) == cases[i].marked);
        ck_assert_uint_eq((uint32_t)registers.user.regs[NUMBER], cases[i].number);
        ck_assert((registers.user.regs[NUMBER] >> 32 != 0) == cases[i].marked);
    }
}
END_TEST

START_TEST(a_remainder_is_entered_with_the_descriptor)
{
    int fd = -1;
    struct arch_registers before = stopped(SYS_write, true, 40, FD), now;
    before.user.regs[1] = 0x10000;
    before.user.regs[2] = COUNT;
    ck_assert_int_eq(arch_transfer(&before, &fd), ARCH_WRITE);
    ck_assert_int_eq(fd, FD);
    now = before;
    arch_resume_transfer(&now, false);
    ck_assert_uint_eq(now.user.regs[0], FD);
    ck_assert_uint_eq(now.user.regs[1], 0x10000 + 40);
    ck_assert_uint_eq(now.user.regs[2], COUNT - 40);
    ck_assert_int_eq(arch_remainder(&now, &before, false), ARCH_REMAINDER_AHEAD);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("arch/arm64");
    UNIT_ADD_TABLE(tests, stops_follow_the_table, rows);
    UNIT_ADD_TABLE(tests, continued_waits_follow_the_table, waits);
    tcase_add_test(tests, the_kernel_does_not_continue_what_is_entered_anew);
    tcase_add_test(tests, a_call_that_was_left_is_not_found);
    tcase_add_test(tests, the_end_of_a_sockets_timeout_is_seen);
    tcase_add_test(tests, handled_interruptions_are_marked);
    tcase_add_test(tests, a_remainder_is_entered_with_the_descriptor);
    return unit_end();
}
#else
int main(void)
{
    return 77;
}
#endif

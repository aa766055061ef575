/* SPDX-License-Identifier: MIT
 *
 * Threads of 32-bit programs, and int $0x80. */
#include "common/arch/arch.h"
#include "common/arch/syscalls.h"

#include "unit.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>

enum { EBX, ECX, EDX, ESI, EDI, EBP, EAX, DS, ES, FS, GS, ORIG_EAX, EIP, CS, EFLAGS, ESP, SS, WORDS };

enum { PC = 0xf7fc75e9u, SP = 0xffffd5f0u };

/* A thread at the end of i386 call NUMBER, which has returned RESULT. */
static struct arch_registers at_end(uint32_t number, int32_t result, const uint32_t arguments[3])
{
    struct arch_registers registers = {0};
    uint32_t words[WORDS] = {[EAX] = (uint32_t)result,
                             [ORIG_EAX] = number,
                             [EIP] = PC,
                             [ESP] = SP,
                             [EBP] = 6,
                             [ESI] = 0xfffffff4u,
                             [EDI] = 5};
    words[EBX] = arguments[0];
    words[ECX] = arguments[1];
    words[EDX] = arguments[2];
    memcpy(&registers.user, words, sizeof words);
    ck_assert(arch_registers_received(&registers, sizeof words));
    return registers;
}

/* A thread of a 64-bit program at the end of a call by int $0x80. */
static struct arch_registers at_end_of_interrupt(uint32_t number, int32_t result, const uint32_t arguments[3])
{
    struct arch_registers registers = {.user = {.rax = (unsigned long long)result,
                                                .orig_rax = number,
                                                .rip = 0x555555554002,
                                                .rsp = 0x7fffffffe000,
                                                .rbx = arguments[0],
                                                .rcx = 0x700000000 | arguments[1],
                                                .rdx = arguments[2],
                                                .rsi = number == 117 ? 0 : 0xfffffff4u,
                                                .rdi = 5,
                                                .rbp = 6,
                                                .r10 = 77,
                                                .r12 = 78}};
    uint64_t address;
    ck_assert(arch_registers_received(&registers, sizeof registers.user));
    ck_assert(arch_lacks_code(&registers, &address));
    ck_assert_uint_eq(address, 0x555555554000);
    arch_set_code(&registers, 0x9090909090900f05u ^ (0x80cd ^ 0x0f05)); /* before the PC: int $0x80 */
    return registers;
}

static void words_of(struct arch_registers registers, uint32_t words[static WORDS])
{
    struct user_regs_struct whole = {0};
    arch_registers_put(&whole, &registers);
    const uint64_t values[WORDS] = {whole.rbx, whole.rcx, whole.rdx,    whole.rsi, whole.rdi, whole.rbp,
                                    whole.rax, whole.ds,  whole.es,     whole.fs,  whole.gs,  whole.orig_rax,
                                    whole.rip, whole.cs,  whole.eflags, whole.rsp, whole.ss};
    for (int i = 0; i < WORDS; i++)
        words[i] = (uint32_t)values[i];
}

START_TEST(registers_come_back_as_they_were)
{
    struct arch_registers registers = {0};
    uint32_t words[WORDS], back[WORDS];
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = 0x80000001u + i * 0x1010101u;
    memcpy(&registers.user, words, sizeof words);
    ck_assert(arch_registers_received(&registers, sizeof words));
    ck_assert_uint_eq(arch_pc(&registers), words[EIP]);
    ck_assert_uint_eq(arch_sp(&registers), words[ESP]);
    words_of(registers, back);
    for (int i = 0; i < WORDS; i++) {
        bool is_segment = i == CS || i == DS || i == ES || i == FS || i == GS || i == SS;
        ck_assert_uint_eq(back[i], is_segment ? 0 : words[i]);
    }
}
END_TEST

/* Only 64-bit code sees the upper halves of the registers. They must survive a change by the tracer. */
START_TEST(only_what_is_changed_is_put)
{
    const uint32_t arguments[] = {3, 0x8000, 100};
    struct arch_registers registers = at_end(256, -EINTR, arguments);
    const struct user_regs_struct before = {.rax = (unsigned long long)-EINTR,
                                            .rbx = 0x500000003,
                                            .rcx = 0x8000,
                                            .rdx = 100,
                                            .rsi = 0xfffffff4,
                                            .rdi = 5,
                                            .rbp = 6,
                                            .r8 = 8,
                                            .r15 = 15,
                                            .rsp = SP,
                                            .rip = PC,
                                            .orig_rax = 256,
                                            .cs = 0x23,
                                            .ds = 0x28,
                                            .fs_base = 0x7ffff7d8a740};
    struct user_regs_struct whole = before, expected = before;
    arch_registers_put(&whole, &registers);
    ck_assert(memcmp(&whole, &before, sizeof whole) == 0);
    ck_assert(arch_restart_call(&registers));
    arch_registers_put(&whole, &registers);
    expected.rax = 256;
    expected.rip = PC - 2;
    ck_assert(memcmp(&whole, &expected, sizeof whole) == 0);
    registers.user.r13 = UINT64_MAX;
    arch_registers_put(&whole, &registers);
    ck_assert_uint_eq(whole.rdi, UINT32_MAX);
}
END_TEST

/* i386 numbers with the first argument, and the call's name. */
static const struct {
    uint32_t number, first;
    const char *name;
} calls[] = {
    {3, 0, "read"},        {7, 0, "wait4"},         {54, 0, "ioctl"},       {102, 3, "connect"},
    {102, 10, "recvfrom"}, {102, 21, "socketcall"}, {117, 1, "semop"},      {117, 0x10004, "semtimedop"},
    {117, 5, "ipc"},       {142, 0, "select"},      {192, 0, "mmap"},       {197, 0, "fstat"},
    {239, 0, "sendfile"},  {252, 0, "exit_group"},  {256, 0, "epoll_wait"}, {407, 0, "clock_nanosleep"},
    {414, 0, "ppoll"},     {422, 0, "futex"},       {98, 0, "profil"},
};

START_TEST(calls_go_by_native_numbers)
{
    struct arch_registers registers = at_end(calls[_i].number, 0, (const uint32_t[]){calls[_i].first, 0, 0});
    const char *name = arch_syscall_name(arch_syscall(&registers));
    ck_assert_ptr_nonnull(name);
    ck_assert_str_eq(name, calls[_i].name);
    ck_assert_int_eq(arch_syscall_number(name), arch_syscall(&registers));
}
END_TEST

START_TEST(numbers_that_nobody_knows)
{
    const uint32_t none[3] = {0};
    struct arch_registers registers = at_end(UINT32_MAX, 0, none);
    ck_assert_int_eq(arch_syscall(&registers), -1);
    registers = at_end(5000, 0, none);
    ck_assert_int_ge(arch_syscall(&registers), 0);
    ck_assert_ptr_null(arch_syscall_name(arch_syscall(&registers)));
    ck_assert_int_eq(arch_syscall_of(INT32_MAX, true), -1);
    ck_assert_int_eq(arch_syscall_of(-1, true), -1);
    ck_assert_int_eq(arch_syscall_of(3, false), 3);
}
END_TEST

/* A call that failed, and whether it is entered again. */
static const struct {
    uint32_t number, first;
    int32_t result;
    bool restarted;
} failures[] = {
    {256, 0, -EINTR, true},                            /* epoll_wait */
    {117, 1, -EINTR, true},                            /* semop */
    {420, 0, -EINTR, true},                            /* semtimedop */
    {102, 10, -EINTR, true},                           /* recv */
    {3, 0, -EINTR, true},                              /* read */
    {421, 0, -EINTR, true},                            /* rt_sigtimedwait */
    {3, 0, -EAGAIN, false},   {29, 0, -EINTR, false},  /* pause */
    {117, 11, -EINTR, false}, {240, 0, -EINTR, false}, /* futex */
};

START_TEST(failures_follow_the_table)
{
    struct arch_registers registers =
        at_end(failures[_i].number, failures[_i].result, (const uint32_t[]){failures[_i].first, 2, 3});
    const struct arch_registers before = registers;
    uint32_t words[WORDS];
    ck_assert(arch_restart_call(&registers) == failures[_i].restarted);
    words_of(registers, words);
    ck_assert_uint_eq(words[EIP], failures[_i].restarted ? PC - 2 : PC);
    ck_assert_uint_eq(words[EAX], failures[_i].restarted ? failures[_i].number : (uint32_t)failures[_i].result);
    ck_assert_uint_eq(words[EBX], failures[_i].first);
    ck_assert_uint_eq(words[ESI], 0xfffffff4u);
    if (!failures[_i].restarted)
        return;
    /* state before the call was entered, which a handler prevented */
    struct arch_registers now = {0};
    memcpy(&now.user, words, sizeof words);
    ck_assert(arch_registers_received(&now, sizeof words));
    struct arch_registers restarted = registers;
    arch_mark(&restarted);
    ck_assert(arch_undo_restart(&now, &restarted));
    ck_assert(arch_pc(&now) == PC && arch_result(&now) == arch_result(&before));
}
END_TEST

START_TEST(the_kernel_restarts_by_the_same_results)
{
    struct arch_registers registers = at_end(3, -512, (const uint32_t[]){0, 0, 0});
    ck_assert(arch_restarts(&registers));
    registers = at_end(3, -517, (const uint32_t[]){0, 0, 0});
    ck_assert(!arch_restarts(&registers));
}
END_TEST

/* The result register has 4, write's number: write returned 4, or is about to be entered again. Only the code at the
 * PC shows which. */
START_TEST(a_number_is_no_count_before_the_call)
{
    const uint32_t arguments[] = {7, 0x1000, 100};
    struct arch_registers registers = at_end(4, 4, arguments);
    uint64_t address;
    int fd;
    ck_assert(arch_lacks_code(&registers, &address));
    ck_assert_uint_eq(address, PC - 2);
    arch_set_code(&registers, 0x909080cd);
    ck_assert(arch_transfer(&registers, &fd) == ARCH_WRITE);
    arch_set_code(&registers, 0x80cd9090);
    ck_assert(arch_transfer(&registers, &fd) == ARCH_WHOLE);
    registers = at_end(4, 5, arguments);
    ck_assert(arch_lacks_code(&registers, &address));
    arch_set_code(&registers, 0x909080cd);
    ck_assert(arch_transfer(&registers, &fd) == ARCH_WRITE);
    registers = at_end_of_interrupt(4, 4, arguments);
    ck_assert(arch_transfer(&registers, &fd) == ARCH_WRITE);
    arch_set_code(&registers, 0x80cd9090);
    ck_assert(arch_transfer(&registers, &fd) == ARCH_WHOLE);
}
END_TEST

START_TEST(the_remainder_of_a_transfer_is_entered)
{
    const bool quietly = _i;
    const uint32_t arguments[] = {7, 0x1000, 100};
    struct arch_registers before = at_end(4, 30, arguments), ahead = before, now;
    uint32_t words[WORDS];
    int fd;
    ck_assert(arch_transfer(&before, &fd) == ARCH_WRITE);
    ck_assert_int_eq(fd, 7);
    arch_resume_transfer(&ahead, quietly);
    words_of(ahead, words);
    ck_assert_uint_eq(words[EBX], 7);
    ck_assert_uint_eq(words[ECX], 0x1000 + 30);
    ck_assert_uint_eq(words[EDX], 70);
    ck_assert_uint_eq(words[EAX], quietly ? 369 : 4);
    ck_assert_uint_eq(words[EIP], PC - 2);
    if (quietly)
        ck_assert(words[ESI] == MSG_NOSIGNAL && !words[EDI] && !words[EBP]);
    memset(&now, 0, sizeof now);
    memcpy(&now.user, words, sizeof words);
    ck_assert(arch_registers_received(&now, sizeof words));
    ck_assert(arch_remainder(&now, &before, quietly) == ARCH_REMAINDER_AHEAD);
    /* at the call's end */
    words[ORIG_EAX] = words[EAX];
    words[EAX] = 50;
    words[EIP] = PC;
    memcpy(&now.user, words, sizeof words);
    ck_assert(arch_registers_received(&now, sizeof words));
    ck_assert(arch_remainder(&now, &before, quietly) == ARCH_REMAINDER_INSIDE);
    ck_assert(arch_sum(&now, &before));
    words_of(now, words);
    ck_assert_uint_eq(words[EAX], 80);
    ck_assert(words[EBX] == 7 && words[ECX] == 0x1000 && words[EDX] == 100 && words[ESI] == 0xfffffff4u);
}
END_TEST

/* socketcall has its arguments in memory. */
START_TEST(packed_arguments_are_not_known)
{
    struct arch_registers registers = at_end(102, 30, (const uint32_t[]){9, 0x1000, 100}); /* send */
    int fd;
    ck_assert(arch_transfer(&registers, &fd) == ARCH_WHOLE);
}
END_TEST

/* The remainder of a send by socketcall is resumed by a call of its own. The descriptor equals send's number in
 * socketcall. */
START_TEST(the_remainder_of_a_send_is_entered)
{
    const uint32_t packed[ARCH_PACKED_MOST] = {9, 0x5000, 100, MSG_NOSIGNAL};
    struct arch_registers before = at_end(102, 30, (const uint32_t[]){9, 0x1000, 77}), ahead, now = {0};
    uint32_t words[WORDS];
    uint64_t address;
    int fd;
    ck_assert_uint_eq(arch_lacks_packed(&before, &address), 4);
    ck_assert_uint_eq(address, 0x1000);
    arch_set_packed(&before, packed);
    ck_assert(arch_transfer(&before, &fd) == ARCH_WRITE);
    ck_assert_int_eq(fd, 9);
    ahead = before;
    arch_resume_transfer(&ahead, false);
    words_of(ahead, words);
    ck_assert(words[EAX] == 369 && words[EBX] == 9 && words[ECX] == 0x5000 + 30 && words[EDX] == 70);
    ck_assert(words[ESI] == MSG_NOSIGNAL && !words[EDI] && !words[EBP] && words[EIP] == PC - 2);
    memcpy(&now.user, words, sizeof words);
    ck_assert(arch_registers_received(&now, sizeof words));
    ck_assert_uint_eq(arch_lacks_packed(&now, &address), 0);
    ck_assert(arch_remainder(&now, &before, false) == ARCH_REMAINDER_AHEAD);
    words[ORIG_EAX] = words[EAX];
    words[EAX] = 70;
    words[EIP] = PC;
    memcpy(&now.user, words, sizeof words);
    ck_assert(arch_registers_received(&now, sizeof words));
    ck_assert(arch_remainder(&now, &before, false) == ARCH_REMAINDER_INSIDE);
    ck_assert(!arch_sum(&now, &before));
    words_of(now, words);
    ck_assert(words[EAX] == 100 && words[EBX] == 9 && words[ECX] == 0x1000 && words[EDX] == 77);
    ck_assert_uint_eq(words[ORIG_EAX], 102);
}
END_TEST

/* Calls with a timeout. Older calls have words of 4 bytes. */
static const struct {
    uint32_t number, arguments[3];
    int place;
    bool is_short;
    uint64_t address, descriptor_at;
    int receives, sends;
    uint64_t flags_at;
} timeouts[] = {
    {256, {1, 2, 3}, ARCH_NO_TIMEOUT, true, 0, 0, 0, 0, 0}, /* epoll_wait without a timeout: esi is negative */
    {177, {1, 2, 0x1000}, ARCH_TIMEOUT_AT, true, 0x1000, 0, 0, 0, 0},
    {421, {1, 2, 0x1000}, ARCH_TIMEOUT_AT, false, 0x1000, 0, 0, 0, 0},
    {117, {4, 1, 2}, ARCH_TIMEOUT_AT, true, 6, 0, 0, 0, 0}, /* semtimedop: in ebp */
    {420, {1, 2, 3}, ARCH_TIMEOUT_AT, false, 0xfffffff4u, 0, 0, 0, 0},
    {3, {9, 2, 3}, ARCH_TIMEOUT_OF_SOCKET, true, 0, 0, 9, -1, 0},
    {102, {10, 0x2000, 3}, ARCH_TIMEOUT_OF_SOCKET, true, 0, 0x2000, 10, -1, 0x200c},
    {102, {16, 0x2000, 3}, ARCH_TIMEOUT_OF_SOCKET, true, 0, 0x2000, -1, 16, 0x2008},
    {102, {3, 0x2000, 3}, ARCH_TIMEOUT_OF_SOCKET, true, 0, 0x2000, -1, 3, 0},
};

static void check_timeout(struct arch_registers registers, int _i)
{
    struct arch_timeout timeout = arch_timeout(&registers);
    ck_assert(!arch_takes_mark(&registers) && !arch_is_marked(&registers));
    ck_assert_int_eq((int)timeout.place, timeouts[_i].place);
    ck_assert(timeout.is_short == timeouts[_i].is_short);
    ck_assert_uint_eq(timeout.address, timeouts[_i].address);
    ck_assert_uint_eq(timeout.descriptor_at, timeouts[_i].descriptor_at);
    ck_assert_uint_eq(timeout.flags_at, timeouts[_i].flags_at);
    ck_assert_int_eq(timeout.receives, timeouts[_i].receives);
    ck_assert_int_eq(timeout.sends, timeouts[_i].sends);
}

START_TEST(timeouts_follow_the_table)
{
    check_timeout(at_end(timeouts[_i].number, -EINTR, timeouts[_i].arguments), _i);
    check_timeout(at_end_of_interrupt(timeouts[_i].number, -EINTR, timeouts[_i].arguments), _i);
}
END_TEST

/* At the beginning of a handler, orig_eax still has the call's number, but eax has the signal's. */
START_TEST(the_signal_of_a_handler_is_no_result)
{
    enum { SIGNAL = 10, BEHIND = 0x909080cd, AT = 0x80cd9090, ELSEWHERE = 0x9090050f };
    static const struct {
        uint64_t words;
        int result;
        enum arch_transfer transfer;
    } cases[] = {
        {BEHIND, SIGNAL, ARCH_WRITE}, {AT, SIGNAL, ARCH_WHOLE}, {ELSEWHERE, SIGNAL, ARCH_WHOLE},
        {0, SIGNAL, ARCH_WHOLE},      {BEHIND, 4, ARCH_WRITE},  {AT, 4, ARCH_WHOLE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint32_t arguments[] = {7, 0x1000, 100};
        struct arch_registers registers = at_end(4, cases[i].result, arguments);
        uint64_t address;
        int fd;
        ck_assert(arch_lacks_code(&registers, &address));
        arch_set_code(&registers, cases[i].words);
        ck_assert_msg(arch_transfer(&registers, &fd) == cases[i].transfer, "%zu", i);
    }
}
END_TEST

/* The instruction before the PC identifies the table, or for a restarted call the instruction at the PC. */
START_TEST(the_instruction_selects_the_table)
{
    const uint32_t arguments[] = {7, 0x1000, 100};
    struct arch_registers before = at_end_of_interrupt(4, 30, arguments), ahead = before, again;
    int fd;
    ck_assert_int_eq(arch_syscall(&before), SYS_write);
    ck_assert(arch_transfer(&before, &fd) == ARCH_WRITE);
    ck_assert_int_eq(fd, 7);
    arch_resume_transfer(&ahead, false);
    ck_assert(ahead.user.rcx == 0x1000 + 30 && ahead.user.rdx == 70 && ahead.user.rax == 4);
    ck_assert(ahead.user.r10 == 77 && ahead.user.r12 == 78 && ahead.user.rip == before.user.rip - 2);
    ck_assert(arch_remainder(&ahead, &before, false) == ARCH_REMAINDER_AHEAD);
    again = ahead;
    arch_set_code(&again, 0x80cd9090);
    ck_assert_int_eq(arch_syscall(&again), SYS_write);
    arch_set_code(&again, 0x050f9090);
    ck_assert_int_eq(arch_syscall(&again), 4);
    again = at_end_of_interrupt(256, -EINTR, arguments);
    ck_assert(arch_restart_call(&again));
    ck_assert(again.user.rax == 256 && again.user.rip == before.user.rip - 2);
}
END_TEST

START_TEST(a_connection_that_is_being_made)
{
    struct arch_registers registers = at_end(102, -EALREADY, (const uint32_t[]){3, 0x2000, 0});
    ck_assert(arch_connects_still(&registers));
    registers = at_end(362, -EALREADY, (const uint32_t[]){3, 0x2000, 0});
    ck_assert(arch_connects_still(&registers));
    registers = at_end(362, -EINPROGRESS, (const uint32_t[]){3, 0x2000, 0});
    ck_assert(!arch_connects_still(&registers));
}
END_TEST

/* Call numbers and edi: whether this is a request, and whether it unblocks signals. */
static const struct {
    uint32_t number, edi;
    bool asks, unblocks;
} requests[] = {
    {270, (uint32_t)GATE_MAGIC, true, false},
    {175, (uint32_t)GATE_MAGIC, true, true},
    {175, (uint32_t)GATE_MAGIC + 1, false, true},
    {175, (uint32_t)(GATE_MAGIC >> 32), false, true},
    {270, 0, false, false},
    {4, (uint32_t)GATE_MAGIC, false, false},
};

START_TEST(requests_follow_the_table)
{
    struct arch_registers registers = at_end(requests[_i].number, 0, (const uint32_t[]){1, 0x1000, 0});
    uint32_t words[WORDS], answered[WORDS];
    uint64_t address = 0;
    words_of(registers, words);
    words[EDI] = requests[_i].edi;
    words[EBP] = 0xfffed008u;
    memcpy(&registers.user, words, sizeof words);
    ck_assert(arch_registers_received(&registers, sizeof words));
    ck_assert(arch_gate(&registers, &address) == requests[_i].asks);
    if (!requests[_i].asks)
        return;
    ck_assert_uint_eq(address, 0xfffed008u);
    ck_assert(arch_gate_unblocks(&registers) == requests[_i].unblocks);
    arch_gate_answer(&registers, -ENOSYS);
    words_of(registers, answered);
    words[EDI] = (uint32_t)GATE_SERVED;
    words[EAX] = (uint32_t)-ENOSYS;
    ck_assert(memcmp(words, answered, sizeof words) == 0);
}
END_TEST

/* vDSO code: the offset of a usable system call, and how it returns. */
static const struct {
    const char *code;
    size_t size;
    int64_t offset; /* -1: none */
    enum arch_back back;
} sites[] = {
#define WAY "\xcd\x80\x5d\x5a\x59\xc3"
#define CODE(bytes) bytes, sizeof(bytes) - 1
    {CODE("\x51\x52\x55\x89\xcd\x0f\x05" WAY), 7, ARCH_BACK_BY_POPS},
    {CODE("\xb8\x77\0\0\0\xcd\x80\x90" WAY), 8, ARCH_BACK_BY_POPS},
    {CODE("\x90\xcd\x80\x90\xcd\x80"), 1, ARCH_NO_WAY_BACK},
    {CODE("\xcd\x80\x5d\x59\x5a\xc3"), 0, ARCH_NO_WAY_BACK}, /* pops in another order */
    {CODE("\xcd\x80\x5d\x5a\x59"), 0, ARCH_NO_WAY_BACK},
    {CODE("\x0f\x05\xc3"), -1, ARCH_NO_WAY_BACK},
    {CODE("\xcd"), -1, ARCH_NO_WAY_BACK},
    {CODE(""), -1, ARCH_NO_WAY_BACK},
#undef CODE
};

START_TEST(sites_follow_the_table)
{
    struct arch_site site = {.address = 1};
    bool found = arch_find_site_compat((const unsigned char *)sites[_i].code, sites[_i].size, 0xf7fc5000, &site);
    ck_assert(found == (sites[_i].offset >= 0));
    ck_assert_uint_eq(site.address, found ? 0xf7fc5000 + (uint64_t)sites[_i].offset : 1);
    ck_assert_int_eq(site.back, sites[_i].back);
}
END_TEST

/* The return code is pop %ebp, pop %edx, pop %ecx and ret. */
START_TEST(a_thread_that_was_sent_comes_back)
{
    const struct arch_site site = {.address = 0xf7fc55e7, .back = _i ? ARCH_NO_WAY_BACK : ARCH_BACK_BY_POPS};
    const struct arch_call call = {.number = SYS_mmap, .arguments = {0, 0x2000, 3, 0x4022, UINT64_MAX, 0}};
    struct arch_registers registers = at_end(11, 0, (const uint32_t[]){1, 0xecececec, 0xedededed});
    struct arch_trail trail;
    uint32_t words[WORDS], stack[4];
    arch_trail(&registers, &trail);
    arch_send(&registers, &site, &call);
    ck_assert_int_eq(arch_syscall(&registers), -1);
    words_of(registers, words);
    ck_assert(words[EIP] == 0xf7fc55e7 && words[EAX] == 192 && words[ORIG_EAX] == UINT32_MAX); /* mmap2 */
    ck_assert(!words[EBX] && words[ECX] == 0x2000 && words[EDX] == 3 && words[ESI] == 0x4022);
    ck_assert(words[EDI] == UINT32_MAX && !words[EBP]);
    ck_assert_uint_eq(words[ESP], _i ? SP : SP - sizeof stack);
    ck_assert_uint_eq(trail.address, SP - sizeof stack);
    memcpy(stack, trail.words, sizeof stack);
    ck_assert(stack[0] == 6 && stack[1] == 0xedededed && stack[2] == 0xecececec && stack[3] == PC);
}
END_TEST

START_TEST(the_entry_is_that_of_the_call)
{
    const struct arch_site site = {.address = PC - 2};
    const struct arch_call call = {.number = SYS_mmap};
    struct arch_registers registers = at_end(192, -ENOSYS, (const uint32_t[]){1, 2, 3});
    ck_assert(arch_enters(&registers, &site, &call));
    registers = at_end(91, -ENOSYS, (const uint32_t[]){1, 2, 3});
    ck_assert(!arch_enters(&registers, &site, &call));
}
END_TEST

/* At a function's first instruction, arguments are behind the return address. */
START_TEST(arguments_are_on_the_stack)
{
    struct arch_registers registers = at_end(UINT32_MAX, 0, (const uint32_t[]){1, 2, 3});
    uint64_t address = 0;
    ck_assert(arch_arguments_stacked(&registers, &address));
    ck_assert_uint_eq(address, SP + 4);
    registers.is_compat = 0;
    ck_assert(!arch_arguments_stacked(&registers, &address));
}
END_TEST

/* A frame of a handler with this handler's saved registers, in 32-bit words: PC and SP at these words. */
static struct arch_registers at_handler(bool info, uint32_t frame[static ARCH_HANDLER_BYTES / 4])
{
    enum { PLAIN = 2, WITH_INFO = 41, SAVED_SP = 7, SAVED_PC = 14, SIGNAL = 10, GETPPID = 64 };
    struct arch_registers registers = {0};
    uint32_t saved = info ? WITH_INFO : PLAIN;
    uint32_t words[WORDS] = {[EAX] = SIGNAL,
                             [ORIG_EAX] = GETPPID,
                             [EIP] = PC + 0x1000,
                             [ESP] = SP - 0x400,
                             [EDX] = info ? SP - 0x400 + 16 : 0,
                             [ECX] = info ? SP - 0x400 + 144 : 0};
    memcpy(&registers.user, words, sizeof words);
    ck_assert(arch_registers_received(&registers, sizeof words));
    memset(frame, 0, ARCH_HANDLER_BYTES);
    frame[saved + SAVED_SP] = SP;
    frame[saved + SAVED_PC] = PC;
    return registers;
}

START_TEST(an_entered_handler_is_left)
{
    uint32_t frame[ARCH_HANDLER_BYTES / 4];
    struct arch_registers registers = at_handler(_i, frame);
    size_t size = arch_enters_handler(&registers);
    ck_assert(size > 0 && size <= sizeof frame);
    arch_leave_handler(&registers, frame);
    ck_assert_uint_eq(arch_pc(&registers), PC);
    ck_assert_uint_eq(arch_sp(&registers), SP);
    ck_assert_int_eq(arch_syscall(&registers), SYS_getppid);
    registers = at_handler(_i, frame);
    registers.user.orig_rax = (unsigned long long)-1; /* it has been in user code since */
    ck_assert_uint_eq(arch_enters_handler(&registers), 0);
    registers = at_handler(_i, frame);
    registers.user.rax = 4711; /* the handler's own call has a result */
    ck_assert_uint_eq(arch_enters_handler(&registers), 0);
}
END_TEST

/* A handler that makes a call at once has the same registers, except that rcx has the address behind the call. */
START_TEST(a_call_of_the_handler_is_its_own)
{
    struct arch_registers registers = {.user = {.orig_rax = SYS_sched_yield,
                                                .rdi = 10,
                                                .rsp = 0x7fffffffe000,
                                                .rsi = 0x7fffffffe000 + 312,
                                                .rdx = 0x7fffffffe000 + 8,
                                                .rip = 0x555555554007,
                                                .rcx = 0x7ffff7ec0007}};
    ck_assert_uint_gt(arch_enters_handler(&registers), 0);
    registers.user.rcx = registers.user.rip;
    ck_assert_uint_eq(arch_enters_handler(&registers), 0);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("arch/i386");
    tcase_add_test(tests, registers_come_back_as_they_were);
    tcase_add_test(tests, only_what_is_changed_is_put);
    UNIT_ADD_TABLE(tests, calls_go_by_native_numbers, calls);
    tcase_add_test(tests, numbers_that_nobody_knows);
    UNIT_ADD_TABLE(tests, failures_follow_the_table, failures);
    tcase_add_test(tests, the_kernel_restarts_by_the_same_results);
    tcase_add_test(tests, a_number_is_no_count_before_the_call);
    tcase_add_loop_test(tests, the_remainder_of_a_transfer_is_entered, 0, 2);
    tcase_add_test(tests, the_remainder_of_a_send_is_entered);
    tcase_add_test(tests, packed_arguments_are_not_known);
    UNIT_ADD_TABLE(tests, timeouts_follow_the_table, timeouts);
    tcase_add_test(tests, the_signal_of_a_handler_is_no_result);
    tcase_add_loop_test(tests, an_entered_handler_is_left, 0, 2);
    tcase_add_test(tests, a_call_of_the_handler_is_its_own);
    tcase_add_test(tests, the_instruction_selects_the_table);
    tcase_add_test(tests, the_signal_of_a_handler_is_no_result);
    tcase_add_test(tests, a_connection_that_is_being_made);
    UNIT_ADD_TABLE(tests, requests_follow_the_table, requests);
    tcase_add_test(tests, arguments_are_on_the_stack);
    UNIT_ADD_TABLE(tests, sites_follow_the_table, sites);
    tcase_add_loop_test(tests, a_thread_that_was_sent_comes_back, 0, 2);
    tcase_add_test(tests, the_entry_is_that_of_the_call);
    return unit_end();
}

/* SPDX-License-Identifier: MIT
 *
 * What a stopped thread's registers and system calls mean. A folder beside this file implements it for each
 * architecture. */
#ifndef ARCH_ARCH_H
#define ARCH_ARCH_H

#include "arch/machine.h"
#include "arch/registers.h"
#include "arch/gate.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* REGISTERS hold the NT_PRSTATUS of a stopped thread, of SIZE bytes. Converts those of a 32-bit thread to the native
 * form. Returns false if SIZE is of neither. */
bool arch_registers_received(struct arch_registers *registers, size_t size);

/* Changes REGISTERS of a native thread, a copy, to the form in which the kernel is to have them. */
void arch_registers_sent(struct arch_registers *registers);

/* Some calls have their arguments in memory. If REGISTERS show such a call and its arguments are needed, sets
 * *ADDRESS to them and returns their number of 4-byte words, at most ARCH_PACKED_MOST; else returns 0.
 * arch_set_packed adds them. */
enum { ARCH_PACKED_MOST = 6 };
size_t arch_lacks_packed(const struct arch_registers *registers, uint64_t *address);
void arch_set_packed(struct arch_registers *registers, const uint32_t words[static ARCH_PACKED_MOST]);

/* The reverse, for a 32-bit thread: changes WHOLE, the thread's registers as the kernel has them (ARCH_GET_WHOLE),
 * to those of REGISTERS. Registers unknown to 32-bit code, and segments, stay unchanged. A native thread's registers
 * have the kernel's form already. */
void arch_registers_put(struct user_regs_struct *whole, const struct arch_registers *registers);

/* Returns the number for call NUMBER as /proc shows it for a thread; COMPAT: of a 32-bit program. Everywhere else,
 * calls of 32-bit programs have the numbers of the corresponding native calls. */
int32_t arch_syscall_of(int32_t number, bool compat);

/* True if the registers alone do not show whether a system call was just left or is about to be entered again. Then
 * pass the two 4-byte words at *ADDRESS to arch_set_code. */
bool arch_lacks_code(struct arch_registers *registers, uint64_t *address);
void arch_set_code(struct arch_registers *registers, uint64_t words);

/* On processors where a call's result replaces its first argument: true if that argument will be needed because the
 * call may have to be restarted. arch_set_argument supplies it. */
bool arch_lacks_argument(const struct arch_registers *registers);
void arch_set_argument(struct arch_registers *registers, uint64_t argument);

/* The address at which the thread will next execute in user mode, and its stack pointer. */
uint64_t arch_pc(const struct arch_registers *registers);
uint64_t arch_sp(const struct arch_registers *registers);

/* The general register NUMBER, as instructions number them, below ARCH_GENERAL (arch/machine.h). */
uint64_t arch_general(const struct arch_registers *registers, unsigned number);

/* Where a thread keeps what is its own; C libraries put it above the frames of a stack that they made. */
uint64_t arch_thread_pointer(const struct arch_registers *registers);

/* Finds that in SIZE BYTES of a stack, which begin at ADDRESS: there the word that is its own address, twice. 0 if it
 * is not there, or the C library does it otherwise. */
uint64_t arch_find_thread_pointer(const void *bytes, size_t size, uint64_t address);

/* Sets the known registers of a blocked thread that has not been stopped: PC and SP. COMPAT: of a 32-bit program. */
void arch_set_blocked(struct arch_registers *registers, uint64_t pc, uint64_t sp, bool compat);

/* The system call that the thread was stopped in, or -1 if it was in user code: see arch_syscall_of. */
int arch_syscall(const struct arch_registers *registers);

/* A stop makes some system calls fail with EINTR (or EAGAIN) though no handler ran; the kernel restarts the others. If
 * REGISTERS show such a failure of such a call (ptrace-stop on the way out of it), changes them so that the call is
 * entered again, and returns true. Calls that must never be repeated are not touched. */
bool arch_restart_call(struct arch_registers *registers);

/* How often the call that REGISTERS show is worth to be entered again in a row, however long that takes, if it begins
 * from its start then, or nearly, and so should not be interrupted once more; 0: it does not begin so. */
unsigned arch_starts_over(const struct arch_registers *registers);

/* True if the kernel is going to restart the call. */
bool arch_restarts(const struct arch_registers *registers);

/* True if the kernel is going to continue the call by another one, restart_syscall, which a filter of system calls may
 * forbid though it allows the call itself. */
bool arch_continues(const struct arch_registers *registers);

/* Changes REGISTERS so that the call itself is entered again, after arch_continues or arch_timed_out. Its timeout
 * restarts. */
void arch_enter_anew(struct arch_registers *registers);

/* On processors where a restarted call looks the same before it is entered again and after that was interrupted, too:
 * true if it may have been interrupted, so that its timeout may be over. */
bool arch_may_have_waited(const struct arch_registers *registers);

/* Undoes a restart when a handler turns out to run: the call fails with EINTR, as it should. Returns false if
 * REGISTERS are not those that the restart of RESTARTED (after arch_restart_call) left. Then the call's own instruction
 * may have been reached, but was not executed, or the kernel will execute it again. */
bool arch_undo_restart(struct arch_registers *registers, const struct arch_registers *restarted);

/* A handler is about to run that will return to where REGISTERS are. Where that would look like a call's end that a
 * stop has brought about: changes them so that it does not, and returns true. */
bool arch_set_handled(struct arch_registers *registers);

/* True if system call NUMBER makes processes or threads. */
bool arch_forks(int32_t number);

/* A call that is entered again can be marked, so that it is known for the same when it is interrupted again: the mark
 * goes with it through the kernel, where nobody else looks at it, and is gone when the call returns. arch_mark changes
 * what arch_restart_call left. arch_is_marked: of a thread that was stopped in, or on the way out of, a call. */
void arch_mark(struct arch_registers *restarted);
bool arch_takes_mark(
    const struct arch_registers *registers); /* false: the thread's registers have no room for a mark */
bool arch_is_marked(const struct arch_registers *registers);

/* False if this kernel treats a marked call as one that does not exist. */
bool arch_marks_hold(void);

/* The number of a call without the mark. */
uint64_t arch_unmarked(uint64_t number);

/* True if a thread that is asleep in call NUMBER, and will go on at PC with SP, is where entering RESTARTED leads. */
bool arch_waits_again(const struct arch_registers *restarted, int number, uint64_t pc, uint64_t sp);

/* For a thread stopped at the entry or end of a call (system-call-stop). arch_enters_call: true at the entry. The
 * other: true at the end of a call that was marked, or would be if marks were possible, and that has waited for a
 * connection in progress until its timeout. */
bool arch_enters_call(const struct arch_registers *registers);
bool arch_connects_still(const struct arch_registers *registers);

/* Location of the relative timeout of the call that a thread was stopped in, if the call starts again with the whole
 * timeout. */
struct arch_timeout {
    enum {
        ARCH_NO_TIMEOUT,
        ARCH_TIMEOUT_VALUE,      /* milliseconds */
        ARCH_TIMEOUT_AT,         /* a struct timespec at address */
        ARCH_TIMEOUT_POINTER_AT, /* the word at address points to the timeout, or is 0 */
        ARCH_TIMEOUT_OF_SOCKET,  /* the receive or send timeout of the descriptor that is a socket */
    } place;
    int milliseconds;
    uint64_t address;
    bool is_short;          /* seconds and nanoseconds have 4 bytes each, not 8 */
    int receives, sends;    /* descriptors; -1: none */
    uint64_t descriptor_at; /* location of the only descriptor, in 4 bytes; 0: it is known */
    uint64_t flags_at; /* location of the call's flags (MSG_DONTWAIT), in 4 bytes; 0: it has none, or they are known */
    bool connects;
    int64_t result; /* result at the end of the timeout; that of connect depends on the socket, too */
};
struct arch_timeout arch_timeout(const struct arch_registers *registers);

/* True if the call has just ended as it does after a socket's whole timeout, and its flags, if they are known, do not
 * forbid it to wait. Then sets *TIMEOUT to that of arch_timeout. */
bool arch_timed_out(const struct arch_registers *registers, struct arch_timeout *timeout);

/* REGISTERS show the end of an interrupted call, of a thread in a stop from which it goes on to its next signal. Leaves
 * the call to the kernel, which restarts it, or lets it fail with EINTR if a handler runs. Returns false, without a
 * change, on architectures whose kernel decides this before the stop. */
bool arch_leave_restart(struct arch_registers *registers);

/* The call's result is final: later stops on the way out are not attributed to the call. */
void arch_leave_call(struct arch_registers *registers);

/* A transfer that returned less than was asked for. If that was a stop's doing, the call can be entered again for the
 * rest, and its result is the sum. */
enum arch_transfer {
    ARCH_WHOLE,  /* nothing is missing, or the transfer cannot be resumed */
    ARCH_WRITE,  /* write, send, sendto: to *FD */
    ARCH_READ,   /* read, pread: from *FD; of use only where the position does not count */
    ARCH_RANDOM, /* getrandom */
    ARCH_EVENTS, /* io_getevents, io_pgetevents, io_uring_enter: some of the awaited events are missing, or all */
};
enum arch_transfer arch_transfer(const struct arch_registers *registers, int *fd);

/* Changes REGISTERS, for which arch_transfer reported a remainder, so that the call is entered for the remainder.
 * QUIETLY: a socket whose failure must not cause a signal: another call, sendto, sends the remainder. */
void arch_resume_transfer(struct arch_registers *registers, bool quietly);

/* Where a thread with the registers NOW is. BEFORE: its registers before arch_resume_transfer. */
enum arch_remainder {
    ARCH_REMAINDER_ELSEWHERE, /* neither */
    ARCH_REMAINDER_AHEAD,     /* the rest has not been entered */
    ARCH_REMAINDER_INSIDE,    /* at the end of the rest's call, or in it */
};
enum arch_remainder arch_remainder(const struct arch_registers *now, const struct arch_registers *before, bool quietly);

/* NOW shows the end of the rest's call: makes it the end of the whole. Returns true if the rest, too, was cut:
 * something of it is missing, and it did not fail. */
bool arch_sum(struct arch_registers *now, const struct arch_registers *before);

/* A request of libpcsample (arch/gate.h): true if REGISTERS show that the thread is in a system call that carries one;
 * *ADDRESS is where its thread left it. */
bool arch_gate(const struct arch_registers *registers, uint64_t *address);

/* The request of a thread that makes it in a stub (arch/detour.h), where it is in registers. */
struct gate_request arch_stub_request(const struct arch_registers *registers);

/* Answers it: the call returns RESULT, or fails with -RESULT. */
void arch_gate_answer(struct arch_registers *registers, int64_t result);

/* True if that system call briefly unblocked the signal. */
bool arch_gate_unblocks(const struct arch_registers *registers);

/* The first arguments of a C function, for a thread at its first instruction. */
enum { ARCH_ARGUMENTS = 4 };
void arch_arguments(const struct arch_registers *registers, uint64_t arguments[static ARCH_ARGUMENTS]);

/* True, with *ADDRESS set, if they are not in registers but in memory, words of 4 bytes one after the other. */
bool arch_arguments_stacked(const struct arch_registers *registers, uint64_t *address);

/* Makes the thread continue at PC, outside of any system call. */
void arch_set_pc(struct arch_registers *registers, uint64_t pc);

/* Sets the result of a system call as the kernel does: RESULT, or failure with -RESULT. */
void arch_set_result(struct arch_registers *registers, int64_t result);

/* The value that a system call has just returned. */
int64_t arch_result(const struct arch_registers *registers);

/* A system call to be made by a thread that was sent to an instruction that makes one. */
struct arch_call {
    int number;
    uint64_t arguments[6];
};

/* Such an instruction. Behind some of them the code soon returns to its caller. */
enum arch_back { ARCH_NO_WAY_BACK, ARCH_BACK_BY_RETURN, ARCH_BACK_BY_FRAME, ARCH_BACK_BY_LEAVE, ARCH_BACK_BY_POPS };
struct arch_site {
    uint64_t address;
    enum arch_back back;
};

/* Finds a site in the SIZE bytes of CODE at ADDRESS: the first with a way back, else the first. Returns false, with
 * SITE unchanged, if none exists. */
bool arch_find_site(const unsigned char *code, size_t size, uint64_t address, struct arch_site *site);
bool arch_find_site_compat(const unsigned char *code, size_t size, uint64_t address, struct arch_site *site);

/* Words that a way back reads below the stack pointer: they are written to ADDRESS. */
struct arch_trail {
    uint64_t address, words[2];
};

/* Makes a thread with REGISTERS, which is not in a system call, go to SITE and make CALL. If SITE has a way back and
 * TRAIL has been written, an undisturbed thread returns to where it was by itself. Only registers that functions
 * need not preserve have changed then, as far as the instructions do not clear them. */
void arch_send(struct arch_registers *registers, const struct arch_site *site, const struct arch_call *call);
void arch_trail(const struct arch_registers *registers, struct arch_trail *trail);

/* True if a thread sent to SITE is about to enter CALL in the kernel (system-call-entry-stop). */
bool arch_enters(const struct arch_registers *registers, const struct arch_site *site, const struct arch_call *call);

#endif

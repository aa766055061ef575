/* SPDX-License-Identifier: MIT
 *
 * Interprets the registers and system calls of stopped threads. A folder beside this file implements it for each
 * architecture. */
#ifndef ARCH_ARCH_H
#define ARCH_ARCH_H

#include "common/arch/gate.h"
#include "common/arch/machine.h"
#include "common/arch/registers.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* REGISTERS hold the NT_PRSTATUS of a stopped thread, SIZE bytes long. Converts the registers of a 32-bit thread to the
 * native form. Returns false if SIZE fits neither form. */
bool arch_registers_received(struct arch_registers *registers, size_t size);

/* Changes REGISTERS, a copy of a native thread's registers, to the form in which the kernel takes them. */
void arch_registers_sent(struct arch_registers *registers);

/* Some calls have their arguments in memory. If REGISTERS show such a call and its arguments are needed, sets *ADDRESS
 * to them and returns their number of 4-byte words, at most ARCH_PACKED_MOST. Otherwise returns 0. Pass the words to
 * arch_set_packed. */
enum { ARCH_PACKED_MOST = 6 };
size_t arch_lacks_packed(const struct arch_registers *registers, uint64_t *address);
void arch_set_packed(struct arch_registers *registers, const uint32_t words[static ARCH_PACKED_MOST]);

/* Reverses arch_registers_received for a 32-bit thread: changes WHOLE, the thread's registers in the kernel's form
 * (ARCH_GET_WHOLE), to the values in REGISTERS. Registers unknown to 32-bit code, and segments, stay unchanged. A
 * native thread's registers have the kernel's form already. */
void arch_registers_put(struct user_regs_struct *whole, const struct arch_registers *registers);

/* Returns ptprofil's number for system call NUMBER, as /proc shows it. COMPAT: it is the number of a 32-bit program.
 * Everywhere else, calls of 32-bit programs have the numbers of the corresponding native calls. */
int32_t arch_syscall_of(int32_t number, bool compat);

/* Returns true if the registers alone do not show whether the thread has left a system call or is about to enter it
 * again. Then pass the two 4-byte words at *ADDRESS to arch_set_code. */
bool arch_lacks_code(struct arch_registers *registers, uint64_t *address);
void arch_set_code(struct arch_registers *registers, uint64_t words);

/* For processors where the result of a call replaces its first argument. Returns true if the argument is needed because
 * the call may have to be restarted. Pass it to arch_set_argument. */
bool arch_lacks_argument(const struct arch_registers *registers);
void arch_set_argument(struct arch_registers *registers, uint64_t argument);

/* Return the address at which the thread will continue in user mode, and its stack pointer. */
uint64_t arch_pc(const struct arch_registers *registers);
uint64_t arch_sp(const struct arch_registers *registers);

/* Returns a general register. NUMBER: as in instructions, below ARCH_GENERAL (arch/machine.h). */
uint64_t arch_general(const struct arch_registers *registers, unsigned number);

/* Returns the address of the thread's own data. C libraries put these data above the frames of a stack that they
 * allocated. */
uint64_t arch_thread_pointer(const struct arch_registers *registers);

/* Finds that address in SIZE BYTES of a stack, which begin at ADDRESS. The word there contains its own address, twice.
 * Returns 0 if it is not there, or if the C library has another layout. */
uint64_t arch_find_thread_pointer(const void *bytes, size_t size, uint64_t address);

/* Sets the known registers, PC and SP, of a blocked thread that was not stopped. COMPAT: it belongs to a 32-bit
 * program. */
void arch_set_blocked(struct arch_registers *registers, uint64_t pc, uint64_t sp, bool compat);

/* Returns the system call that the thread was stopped in, or -1 if it was in user code. See arch_syscall_of. */
int arch_syscall(const struct arch_registers *registers);

/* Was a thread, stopped in user code, in a page fault until the stop? Some processors mark the state that they save at
 * a page fault. x86 has a flag for this, RF, but not every emulator sets it. Some x86 processors also set it if they
 * interrupt an instruction that repeats, as in memset. */
enum arch_fault {
    ARCH_FAULT_UNKNOWN,
    ARCH_FAULT_NO, /* or the processor has no such mark */
    ARCH_FAULT_YES,
};

/* Returns the answer for REGISTERS. CODE: the SIZE bytes at the PC, or none unless arch_fault_lacks_code. */
enum arch_fault arch_fault(const struct arch_registers *registers, const uint8_t *code, size_t size);
bool arch_fault_lacks_code(const struct arch_registers *registers);
enum { ARCH_INSTRUCTION_MOST = 15 /* bytes */ };

/* A stop makes some system calls fail with EINTR (or EAGAIN) though no handler ran; the kernel restarts the others. If
 * REGISTERS show such a failure on the way out of the call, changes them so that the thread enters the call again, and
 * returns true. Does not touch calls that must never be repeated. */
bool arch_restart_call(struct arch_registers *registers);

/* Returns how many times in a row the call in REGISTERS may be restarted, whatever time that takes, if each restart
 * begins from (nearly) its start. Such a call should not be interrupted again. Returns 0 for other calls. */
unsigned arch_starts_over(const struct arch_registers *registers);

/* Returns true if the kernel is going to restart the call. */
bool arch_restarts(const struct arch_registers *registers);

/* Returns true if the kernel is going to continue the call by another call, restart_syscall. A filter may forbid that
 * call even if it allows the first one. */
bool arch_continues(const struct arch_registers *registers);

/* Changes REGISTERS so that the thread enters the call itself again, after arch_continues or arch_timed_out. Its
 * timeout restarts. */
void arch_enter_anew(struct arch_registers *registers);

/* On some processors, a restarted call looks the same before it is entered again and after it was interrupted again.
 * Returns true if it may have been interrupted, so that its timeout may be over. */
bool arch_may_have_waited(const struct arch_registers *registers);

/* Undoes a restart because a handler will run: the call fails, mostly with EINTR (see call_failure). RESTARTED: the
 * registers after arch_restart_call. Returns false if REGISTERS are different. If they are equal, the thread may have
 * reached the call's instruction, but has not executed it, or the kernel will execute it again. */
bool arch_undo_restart(struct arch_registers *registers, const struct arch_registers *restarted);

/* Returns true if a thread has been interrupted in a read that the kernel is going to restart, and has not put before
 * the call yet. A terminal's read (VTIME) would begin its timeout again. arch_undo_read: after arch_undo_restart of
 * such a call, lets the kernel decide whether the read fails or is restarted after the handler. */
bool arch_reads_again(const struct arch_registers *registers);
void arch_undo_read(struct arch_registers *registers, const struct arch_registers *restarted);

/* A handler is about to run that will return to the state in REGISTERS. If that state looks like the end of an
 * interrupted call, changes REGISTERS so that it does not, and returns true. */
bool arch_set_handled(struct arch_registers *registers);

/* A signal has interrupted a system call, and the thread has not executed an instruction of the handler yet. Then
 * arch_enters_handler returns how many bytes at the stack pointer to pass to arch_leave_handler, at most
 * ARCH_HANDLER_BYTES. Otherwise it returns 0. arch_leave_handler sets REGISTERS to those of the interrupted code, but
 * the system call stays. */
enum { ARCH_HANDLER_BYTES = 256 };
size_t arch_enters_handler(const struct arch_registers *registers);
void arch_leave_handler(struct arch_registers *registers, const void *frame);

/* Returns true if system call NUMBER makes processes or threads. */
bool arch_forks(int32_t number);

/* Marks on calls. A marked call that is interrupted again is recognized as the same call. The kernel carries the mark
 * without looking at it, and it is gone when the call returns. arch_mark changes the registers after arch_restart_call.
 * arch_is_marked takes the registers of a thread stopped in, or on the way out of, a call. */
void arch_mark(struct arch_registers *restarted);
bool arch_takes_mark(const struct arch_registers *registers); /* false: the kernel would drop or misread it */
bool arch_is_marked(const struct arch_registers *registers);

/* Returns the number of a call without its mark. */
uint64_t arch_unmarked(uint64_t number);

/* Returns true if a thread sleeps in the call that RESTARTED enters. It sleeps in call NUMBER, and will continue at PC
 * with SP. */
bool arch_waits_again(const struct arch_registers *restarted, int number, uint64_t pc, uint64_t sp);

/* For a thread stopped at the entry or end of a call (system-call-stop). arch_enters_call returns true at the entry.
 * arch_connects_still returns true at the end of a restarted connect() whose connection is still in progress
 * (EALREADY). */
bool arch_enters_call(const struct arch_registers *registers);
bool arch_connects_still(const struct arch_registers *registers);

/* The relative timeout of the call that a thread was stopped in, if a restarted call waits for the whole timeout
 * again. */
struct arch_timeout {
    enum {
        ARCH_NO_TIMEOUT,
        ARCH_TIMEOUT_VALUE,      /* milliseconds */
        ARCH_TIMEOUT_AT,         /* a struct timespec at address */
        ARCH_TIMEOUT_POINTER_AT, /* the word at address points to the timeout, or is 0 */
        ARCH_TIMEOUT_OF_SOCKET,  /* the receive or send timeout of the socket behind the descriptor */
    } place;
    int milliseconds;
    uint64_t address;
    bool is_short;        /* seconds and nanoseconds have 4 bytes each, not 8 */
    bool in_microseconds; /* instead of nanoseconds */
    uint64_t sets[3];     /* addresses of select's sets of descriptors, which the end of the timeout empties; 0: none */
    uint32_t set_bytes;   /* size of each; the kernel takes at most as many as there is room for open files */
    int receives, sends;  /* descriptors; -1: none */
    uint64_t descriptor_at; /* location of the only descriptor, in 4 bytes; 0: it is in the register */
    uint64_t flags_at;      /* location of the call's flags (MSG_DONTWAIT), in 4 bytes; 0: it has none, or they are in a
                             * register */
    bool connects;
    int64_t result; /* result at the end of the timeout; for connect, it also depends on the socket */
};
struct arch_timeout arch_timeout(const struct arch_registers *registers);

/* Returns true if the call has just ended as after a socket's whole timeout, and its known flags do not forbid waiting.
 * Then sets *TIMEOUT to the result of arch_timeout. */
bool arch_timed_out(const struct arch_registers *registers, struct arch_timeout *timeout);

/* REGISTERS show the end of an interrupted call, in a stop after which the thread continues to its next signal. Leaves
 * the call to the kernel: it restarts the call, or lets it fail with EINTR if a handler runs. Returns false, without a
 * change, on architectures whose kernel decides this before the stop. */
bool arch_leave_restart(struct arch_registers *registers);

/* Makes the call's result final: later stops on the way out are not attributed to the call. */
void arch_leave_call(struct arch_registers *registers);

/* A transfer that returned less than requested. If a stop caused that, the thread can enter the call again for the
 * remainder, and its result is the sum. */
enum arch_transfer {
    ARCH_WHOLE,  /* nothing is missing, or the transfer cannot be resumed */
    ARCH_WRITE,  /* write, send, sendto: to *FD */
    ARCH_READ,   /* read, pread: from *FD; useful only if the position does not matter */
    ARCH_RANDOM, /* getrandom */
    ARCH_EVENTS, /* io_getevents, io_pgetevents, io_uring_enter: some or all of the awaited events are missing */
};
enum arch_transfer arch_transfer(const struct arch_registers *registers, int *fd);

/* arch_transfer has reported a remainder for REGISTERS. Changes them so that the thread enters the call for the
 * remainder. QUIETLY: use sendto, so that a failure of the socket causes no signal. */
void arch_resume_transfer(struct arch_registers *registers, bool quietly);

/* Location of a thread with registers NOW. BEFORE: its registers before arch_resume_transfer. */
enum arch_remainder {
    ARCH_REMAINDER_ELSEWHERE, /* neither */
    ARCH_REMAINDER_AHEAD,     /* before the call for the remainder */
    ARCH_REMAINDER_INSIDE,    /* in the call for the remainder, or at its end */
};
enum arch_remainder arch_remainder(const struct arch_registers *now, const struct arch_registers *before, bool quietly);

/* NOW shows the end of the call for the remainder: changes it to the end of the whole transfer. Returns true if a part
 * is still missing and the call for the remainder did not fail. */
bool arch_sum(struct arch_registers *now, const struct arch_registers *before);

/* Returns true if REGISTERS show a system call that carries a request of libpcsample (arch/gate.h), and sets *ADDRESS
 * to the request. */
bool arch_gate(const struct arch_registers *registers, uint64_t *address);

/* Returns the request of a thread in a stub (arch/detour.h), where the request is in registers. */
struct gate_request arch_stub_request(const struct arch_registers *registers);

/* Answers the request: the call returns RESULT, or fails with -RESULT. */
void arch_gate_answer(struct arch_registers *registers, int64_t result);

/* Returns true if that system call briefly unblocked the signal. */
bool arch_gate_unblocks(const struct arch_registers *registers);

/* Gets the first arguments of a C function. The thread is at the function's first instruction. */
enum { ARCH_ARGUMENTS = 4 };
void arch_arguments(const struct arch_registers *registers, uint64_t arguments[static ARCH_ARGUMENTS]);

/* Returns true, with *ADDRESS set, if the arguments are in memory, in consecutive words of 4 bytes. */
bool arch_arguments_stacked(const struct arch_registers *registers, uint64_t *address);

/* Makes the thread continue at PC, outside of any system call. */
void arch_set_pc(struct arch_registers *registers, uint64_t pc);

/* Sets the result of a system call as the kernel does: RESULT, or failure with -RESULT. */
void arch_set_result(struct arch_registers *registers, int64_t result);

/* The value that a system call has just returned. */
int64_t arch_result(const struct arch_registers *registers);

/* A system call that a thread makes at a system call instruction we send it to. */
struct arch_call {
    int number;
    uint64_t arguments[6];
};

/* A site: an address with a system call instruction. After some of them, the code soon returns to its caller (a way
 * back). */
enum arch_back { ARCH_NO_WAY_BACK, ARCH_BACK_BY_RETURN, ARCH_BACK_BY_FRAME, ARCH_BACK_BY_LEAVE, ARCH_BACK_BY_POPS };
struct arch_site {
    uint64_t address;
    enum arch_back back;
};

/* Finds a site in the SIZE bytes of CODE at ADDRESS, preferably the first one with a way back; otherwise the first one.
 * Returns false, with SITE unchanged, if none exists. */
bool arch_find_site(const unsigned char *code, size_t size, uint64_t address, struct arch_site *site);
bool arch_find_site_compat(const unsigned char *code, size_t size, uint64_t address, struct arch_site *site);

/* Words that a way back reads below the stack pointer. Write them to ADDRESS. */
struct arch_trail {
    uint64_t address, words[2];
};

/* Sends a thread with REGISTERS, which is not in a system call, to SITE to make CALL. If SITE has a way back and TRAIL
 * is written, the thread returns by itself to where it was. Only registers that functions need not preserve have
 * changed then, unless the instructions at SITE clear others. */
void arch_send(struct arch_registers *registers, const struct arch_site *site, const struct arch_call *call);
void arch_trail(const struct arch_registers *registers, struct arch_trail *trail);

/* Returns true if a thread sent to SITE is about to enter CALL in the kernel (system-call-entry-stop). */
bool arch_enters(const struct arch_registers *registers, const struct arch_site *site, const struct arch_call *call);

#endif

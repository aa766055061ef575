/* SPDX-License-Identifier: MIT
 *
 * The ptrace requests: nothing else in ptprofil calls ptrace(). All return 0 or -errno; -ESRCH from a thread that was
 * stopped means that it has been killed meanwhile, which is news and not an error. */
#ifndef TRACEE_REQUEST_H
#define TRACEE_REQUEST_H

#include "arch/arch.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Begins to trace running thread TID, without stopping it. With FOLLOW its children are traced from their first
 * instruction; without it only its threads are. -ETIMEDOUT after a fiftieth of a second, to be tried again: its process
 * is in an exec, which may be waiting for a tracee of ours that has ended to be reaped. */
int request_seize(pid_t tid, bool follow);

/* Asks running thread TID to stop; does not wait. Any stop that comes first is the answer. */
int request_interrupt(pid_t tid);

/* Of a stopped thread: runs on, with signal SIG delivered if not 0 (only at a signal-delivery-stop). */
int request_resume(pid_t tid, int sig);

/* The same until the thread enters a system call, or leaves the one that it is in: it stops there. */
int request_resume_to_syscall(pid_t tid, int sig);

/* Of a thread in group-stop: stays stopped, as job control wants it, and reports what comes next. */
int request_listen(pid_t tid);

/* Of a stopped thread: ends the tracing, with signal SIG delivered if not 0. */
int request_detach(pid_t tid, int sig);

/* Of a thread stopped at an event: its message, a pid or tid. */
int request_event_message(pid_t tid, pid_t *message);

/* Of a stopped thread: reads or writes its registers. -ENOTSUP if they are of no kind that is known. What they lack of
 * code is added. */
int request_registers(pid_t tid, struct arch_registers *registers);
/* True if the signal that TID is about to be given was raised by an instruction of its own, not sent. */
bool request_is_fault(pid_t tid);

/* Where the signal that TID is about to be given comes from. Returns 0 or -errno. */
struct request_sender {
    bool is_kernel;
    pid_t pid; /* else, of the process that sent it, in TID's namespace; 0: it has none there */
};
int request_sender(pid_t tid, struct request_sender *sender);

int request_set_registers(pid_t tid, const struct arch_registers *registers);

/* Of a stopped thread, if its architecture needs that (ARCH_CALL_REGISTERS): the system call NUMBER that the kernel
 * takes it to be in, -1 for none. At the entry of a call, setting it changes the call. */
int request_call(pid_t tid, int *number);
int request_set_call(pid_t tid, int number);

/* Of a stopped thread: reads or writes its mask of blocked signals; bit N - 1 stands for signal N. */
int request_signal_mask(pid_t tid, uint64_t *mask);
int request_set_signal_mask(pid_t tid, uint64_t mask);

/* Of a stopped thread: the byte at ADDRESS becomes TO, whatever its protection, if it is FROM. -ESTALE if it is not. */
int request_change_byte(pid_t tid, uint64_t address, uint8_t from, uint8_t to);

/* Of a stopped thread: from now on, with FOLLOW, its children are traced from their first instruction, else only its
 * threads are; with END it stops once more when it is about to end. What it makes has the same. */
int request_options(pid_t tid, bool follow, bool end);

#endif

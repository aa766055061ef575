/* SPDX-License-Identifier: MIT
 *
 * The ptrace requests. No other code of ptprofil calls ptrace(). All return 0 or -errno. -ESRCH from a stopped thread
 * means that it has been killed since, which is an event and not an error. */
#ifndef TRACEE_REQUEST_H
#define TRACEE_REQUEST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct arch_registers;

/* Begins to trace running thread TID, without stopping it. FOLLOW: its children are traced from their first
 * instruction; otherwise only its threads are. END: it stops once more when it is about to end, for any reason, while
 * its process still has its memory. Its children and threads inherit both. Returns -ETIMEDOUT after 20 ms: its process
 * is in an exec, which may be waiting for us to reap a tracee. Try again. */
int request_seize(pid_t tid, bool follow, bool end);

/* Asks running thread TID to stop; does not wait. The next stop of any kind is the answer. */
int request_interrupt(pid_t tid);

/* Returns true if thread TID, which has stopped, was killed since. Then it is at its exit stop, or on the way there. If
 * it were resumed for the earlier stop now, it could skip the exit stop. */
bool request_was_killed(pid_t tid);

/* Resumes stopped thread TID, with signal SIG delivered if not 0 (only at a signal-delivery-stop). */
int request_resume(pid_t tid, int sig);

/* Like request_resume, but the thread stops when it enters a system call, or leaves its present one. */
int request_resume_to_syscall(pid_t tid, int sig);

/* Leaves thread TID in its group-stop, as job control demands, but reports the next event. */
int request_listen(pid_t tid);

/* Stops tracing stopped thread TID, with signal SIG delivered if not 0. */
int request_detach(pid_t tid, int sig);

/* Sets *MESSAGE to the pid or tid that belongs to the event at which TID is stopped. */
int request_event_message(pid_t tid, pid_t *message);

/* Read or write the registers of stopped thread TID. Reading adds the code that they lack. -ENOTSUP if their kind is
 * unknown. */
int request_registers(pid_t tid, struct arch_registers *registers);

/* Adds to REGISTERS of stopped thread TID the code that they lack. */
void request_code(pid_t tid, struct arch_registers *registers);
/* Returns true if the signal that TID is about to receive was raised by its own instruction, not sent. */
bool request_is_fault(pid_t tid);

/* The sender of the signal that TID is about to receive. Returns 0 or -errno. */
struct request_sender {
    bool is_kernel;
    pid_t pid; /* otherwise: number of the sending process in TID's namespace; 0: it has none there */
};
int request_sender(pid_t tid, struct request_sender *sender);

int request_set_registers(pid_t tid, const struct arch_registers *registers);

/* Returns the signal that stopped thread TID is about to receive, whose siginfo belongs to the program. Returns 0 at
 * any other stop, whose siginfo ends with the stop. */
int request_signal(pid_t tid);

/* Sets *ARGUMENT to the first argument of the last system call of stopped thread TID, even if its register has another
 * value by now. The kernel shows it only at the stop of a seccomp filter, and decides by the stop's siginfo. So the
 * siginfo is changed for a moment. If the tracer dies in that moment, a signal is delivered with a wrong si_code.
 * Returns 0, or -errno: then *ARGUMENT is unchanged. */
int request_argument(pid_t tid, uint64_t *argument);

/* Returns the thread pointer of stopped thread TID, which has REGISTERS; 0: unknown. */
uint64_t request_thread_pointer(pid_t tid, const struct arch_registers *registers);

/* Returns an address in the C library's descriptor of thread TID, whether it is stopped or not. Its list of robust
 * mutexes is there, which every thread of the GNU C library has. 0: unknown. (This asks the kernel, but not by ptrace.)
 */
uint64_t request_descriptor(pid_t tid);

/* Get or set the mask of blocked signals of stopped thread TID; bit N - 1 is signal N. */
int request_signal_mask(pid_t tid, uint64_t *mask);
int request_set_signal_mask(pid_t tid, uint64_t mask);

/* Reads SIZE bytes at ADDRESS of stopped thread TID into BYTES, whatever their page protection. Returns 0 or -errno;
 * -EIO if some cannot be read, and -ESRCH if TID is not a stopped tracee of the caller. */
int request_read(pid_t tid, uint64_t address, void *bytes, size_t size);

/* Changes the byte at ADDRESS of stopped thread TID to TO, whatever its page protection. Returns -ESTALE, and
 * changes nothing, if the byte is not FROM. */
int request_change_byte(pid_t tid, uint64_t address, uint8_t from, uint8_t to);

/* From now on, children of stopped thread TID are traced from their first instruction, and the ends of all of them are
 * reported, as by request_seize with FOLLOW and END. */
int request_follow(pid_t tid);

#endif

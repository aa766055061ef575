/* SPDX-License-Identifier: MIT
 *
 * The meaning of Linux's system calls, which is the same on all architectures. Used by the folders beside this file,
 * which know where a thread has the arguments. */
#ifndef ARCH_CALL_H
#define ARCH_CALL_H

#include "common/arch/registers.h"

#include <stdbool.h>
#include <stdint.h>

struct arch_call;
struct arch_timeout;

/* Negated results with which the kernel ends an interrupted call that it is going to restart. */
enum { ERESTARTSYS = 512, ERESTARTNOHAND = 514, ERESTART_RESTARTBLOCK = 516, ERESTART_LAST = 516 };

/* Return, or change, argument NUMBER (from 0) of the call in REGISTERS. Each architecture implements both. */
uint64_t call_argument(const struct arch_registers *registers, int number);
void call_set_argument(struct arch_registers *registers, int number, uint64_t value);

/* Sets the arguments to those of CALL. */
void call_set_arguments(struct arch_registers *registers, const struct arch_call *call);

/* Returns the error with which an interrupted call fails. */
int64_t call_failure(const struct arch_registers *registers);

/* Return true if the call failed because it was interrupted and can be entered again (call_was_interrupted), or if its
 * first argument does not forbid that (call_is_repeatable). */
bool call_was_interrupted(const struct arch_registers *registers);
bool call_is_repeatable(const struct arch_registers *registers);

/* True if RESULT makes the kernel restart the call. */
bool call_is_restarted(int64_t result);

/* call_transfer returns the kind of a transfer, whatever its result. call_is_short returns true if it returned less
 * than requested. */
enum arch_transfer call_transfer(const struct arch_registers *registers);
bool call_is_short(const struct arch_registers *registers);

/* Changes the arguments of a transfer to those of its remainder, after DONE bytes. QUIETLY: to arguments of sendto,
 * which sends without a signal. */
void call_leave_remainder(struct arch_registers *registers, uint64_t done, bool quietly);

/* The kernel reads the number of a call from the lower half of its register. So the upper half can hold a mark. */
#define CALL_MARK ((uint64_t)0x70747066)
uint64_t call_marked(uint64_t number);
bool call_is_marked(uint64_t number);

/* Returns the timeout by the call's arguments, as arch_timeout. */
struct arch_timeout call_timeout(const struct arch_registers *registers);

/* Returns the size of each set of descriptors of select(), which has words of WORD bytes. */
uint32_t call_set_bytes(const struct arch_registers *registers, uint32_t word);

/* For a call with its arguments in memory, in words of 4 bytes at ARGUMENTS_AT: sets the fields of *TIMEOUT that this
 * concerns. */
void call_pack_timeout(const struct arch_registers *registers, struct arch_timeout *timeout, uint64_t arguments_at);

/* As arch_timed_out. */
bool call_timed_out(const struct arch_registers *registers, struct arch_timeout *timeout);

#endif

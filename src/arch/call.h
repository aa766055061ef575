/* SPDX-License-Identifier: MIT
 *
 * What Linux's system calls mean is the same on all architectures, once it is known where a thread has their arguments.
 * For the folders beside this file. */
#ifndef ARCH_CALL_H
#define ARCH_CALL_H

#include "arch/registers.h"

#include <stdbool.h>
#include <stdint.h>

struct arch_call;
struct arch_timeout;

/* The results, negated, that a signal or a stop makes the kernel give a call that it is going to restart. */
enum { ERESTARTSYS = 512, ERESTARTNOHAND = 514, ERESTART_RESTARTBLOCK = 516, ERESTART_LAST = 516 };

/* Argument NUMBER, from 0, of the call that REGISTERS show; changes it. Each architecture implements the two. */
uint64_t call_argument(const struct arch_registers *registers, int number);
void call_set_argument(struct arch_registers *registers, int number, uint64_t value);

/* Puts the arguments of CALL there. */
void call_set_arguments(struct arch_registers *registers, const struct arch_call *call);

/* Returns the error that the call fails with when it is interrupted. */
int64_t call_failure(const struct arch_registers *registers);

/* True if it has failed so, and can be entered again; the second if its first argument does not forbid it. */
bool call_was_interrupted(const struct arch_registers *registers);
bool call_is_repeatable(const struct arch_registers *registers);

/* True if RESULT makes the kernel restart the call. */
bool call_is_restarted(int64_t result);

/* A transfer's kind, whatever it has returned; true if it has returned less than was asked for. */
enum arch_transfer call_transfer(const struct arch_registers *registers);
bool call_is_short(const struct arch_registers *registers);

/* Changes the arguments of a transfer of which DONE bytes are done to those of its remainder. QUIETLY: to those of
 * sendto, which sends without a signal. */
void call_leave_remainder(struct arch_registers *registers, uint64_t done, bool quietly);

/* The kernel takes the number of a call from the lower half of its register. So the upper half can carry a mark. */
#define CALL_MARK ((uint64_t)0x70747066)
uint64_t call_marked(uint64_t number);
bool call_is_marked(uint64_t number);

/* As arch_timeout, by the arguments. */
struct arch_timeout call_timeout(const struct arch_registers *registers);

/* The arguments of the call of REGISTERS are at ARGUMENTS_AT, in words of 4 bytes, not in registers: sets the fields of
 * *TIMEOUT for that. */
void call_pack_timeout(const struct arch_registers *registers, struct arch_timeout *timeout, uint64_t arguments_at);

/* As arch_timed_out. */
bool call_timed_out(const struct arch_registers *registers, struct arch_timeout *timeout);

#endif

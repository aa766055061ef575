/* SPDX-License-Identifier: MIT
 *
 * What breaks a system call of ours that waits, and may wait for us: a signal, again and again until it is over. */
#ifndef PLANT_BREAKER_H
#define PLANT_BREAKER_H

#include <stdbool.h>
#include <signal.h>

/* Whoever waits so must handle it, without restarting calls. */
#define BREAKER_SIGNAL SIGUSR2

/* False if there is nothing that could send it. */
bool breaker_have(void);

/* From now on it comes every 20 ms, or not any more. One at a time, and not from several threads. */
void breaker_run(bool runs);

#endif

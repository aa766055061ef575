/* SPDX-License-Identifier: MIT
 *
 * Breaks our own system calls that wait too long: sends this process a signal again and again until the call is
 * over. The wait may even be for us. */
#ifndef PLANT_BREAKER_H
#define PLANT_BREAKER_H

#include <signal.h>
#include <stdbool.h>

/* A caller must have a handler for it that does not restart calls. */
#define BREAKER_SIGNAL SIGUSR2

/* Returns false if the timer that sends it cannot be made. */
bool breaker_have(void);

/* Sends the signal every 20 ms if RUNS; otherwise stops. Not nested, and only from one thread. */
void breaker_run(bool runs);

#endif

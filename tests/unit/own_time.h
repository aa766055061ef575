/* SPDX-License-Identifier: MIT
 *
 * A fake clock for tests of timeouts: each query advances it by one millisecond, however busy the machine is. Sleeps
 * until a time of this clock return at once. Programs that include this file are linked with --wrap=time_now_ns. */
#ifndef OWN_TIME_H
#define OWN_TIME_H

#include "common/base/time.h"

#include <unistd.h>

enum { OWN_TIME_STEP_US = 1000 };

uint64_t __wrap_time_now_ns(void);
uint64_t __wrap_time_now_ns(void)
{
    static uint64_t now_us;
    usleep(OWN_TIME_STEP_US);
    return (now_us += OWN_TIME_STEP_US) * 1000;
}

#endif

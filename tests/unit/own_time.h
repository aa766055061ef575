/* SPDX-License-Identifier: MIT
 *
 * A time of the test's own, for tests of what gives up after some time. A millisecond passes each time that it is asked
 * for, and takes no less: however long the machine stands still meanwhile, or is busy with others, it is one. A program
 * that includes this is linked with --wrap=time_now_ns. Sleeps until such a time are over at once. */
#ifndef OWN_TIME_H
#define OWN_TIME_H

#include "base/time.h"

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

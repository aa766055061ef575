/* SPDX-License-Identifier: MIT
 *
 * Switches sampling on and off while programs run: after a delay, by a signal, by a FIFO. */
#ifndef SESSION_SWITCHING_H
#define SESSION_SWITCHING_H

#include "front/session/control.h"

#include <stdint.h>

struct channel;
struct record;
struct switch_options;

/* Zero it before the first use. */
struct switching {
    bool open;
    struct control control;
    struct channel *channel;
    struct record *record;
    int timer; /* timerfd of the delay, or -1 */
    bool off;
    uint64_t since_ns; /* monotonic time since which it is off; 0: since the beginning */
    uint64_t off_ns;   /* total time that it was off before that */
    uint32_t complaints;
};

/* Opens what OPTIONS name, before any program runs. Returns 0, or -errno with ERROR set. Close it in either case. */
int switching_open(struct switching *switching, const struct switch_options *options, struct error *error);

/* Starts the delay, now that the programs run. Sends switches through CHANNEL, and marks them in RECORD. Returns 0, or
 * -errno with ERROR set. */
int switching_start(struct switching *switching, const struct switch_options *options, struct channel *channel,
                    struct record *record, struct error *error);

/* Handle the end of the delay, or the signal. If sampling is switched before the end of the delay, the delay ends. */
void switching_delayed(struct switching *switching);
void switching_toggle(struct switching *switching);

/* Executes the commands received. Returns true if one requested the end. */
bool switching_obey(struct switching *switching);

/* Returns how long sampling was off between BEGAN_NS and ENDED_NS of monotonic time. */
uint64_t switching_off_ns(const struct switching *switching, uint64_t began_ns, uint64_t ended_ns);

void switching_close(struct switching *switching);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Sampling is switched on and off while programs run: after a delay, by a signal, by a FIFO. */
#ifndef SESSION_SWITCHING_H
#define SESSION_SWITCHING_H

#include "session/control.h"
#include "session/options.h"
#include "record/record.h"
#include "wire/channel.h"

/* Needs to be zeroed. */
struct switching {
    bool open;
    struct control control;
    struct channel *channel;
    struct record *record;
    int timer; /* timerfd of the delay, or -1 */
    bool off;
    uint64_t since_ns; /* monotonic time from which on it is off; 0: from the beginning */
    uint64_t off_ns;   /* total time that it was off before */
    uint32_t complaints;
};

/* Opens what OPTIONS name, before anything runs. Returns 0, or -errno with ERROR set; close it in either case. */
int switching_open(struct switching *switching, const struct switch_options *options, struct error *error);

/* The programs run: starts the delay. Sends switches through CHANNEL, and marks them in RECORD. Returns 0, or -errno
 * with ERROR set. */
int switching_start(struct switching *switching, const struct switch_options *options, struct channel *channel,
                    struct record *record, struct error *error);

/* The delay is over; the signal came. Whatever switches it before that ends the delay. */
void switching_delayed(struct switching *switching);
void switching_toggle(struct switching *switching);

/* Takes the commands that have come. Returns true if the end was asked for. */
bool switching_obey(struct switching *switching);

/* How long sampling was off between BEGAN_NS and ENDED_NS of monotonic time. */
uint64_t switching_off_ns(const struct switching *switching, uint64_t began_ns, uint64_t ended_ns);

void switching_close(struct switching *switching);

#endif

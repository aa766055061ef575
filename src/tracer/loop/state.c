/* SPDX-License-Identifier: MIT */
#include "tracer/loop/state.h"

#include "tracer/calls/calls.h"
#include "tracer/clock/state.h"
#include "tracer/tracee/table.h"

const struct table_rooms tracer_rooms = {
    .clock_thread = {sizeof(struct clock_thread), &clock_thread_initial},
    .tracer_thread = {sizeof(struct tracer_thread), NULL},
    .clock_process = {sizeof(struct clock_process), NULL},
    .calls_process = {sizeof(struct calls_process), NULL},
    .tracer_process = {sizeof(struct tracer_process), NULL},
};

/* SPDX-License-Identifier: MIT
 *
 * What all commands that run a session do before and after it. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "front/outputs/verdict.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct attach_list;
struct error;
struct options;

/* Exit statuses. */
enum {
    STATUS_UNFIT = 1,
    STATUS_FAILED = VERDICT_FAILED,
    STATUS_NOT_EXECUTABLE = 126,
    STATUS_NOT_FOUND = 127,
};

/* Reports ERROR. Returns STATUS_FAILED. */
int run_failed(const struct error *error);

/* Reports that the command in OPTIONS cannot be executed because of FAILED, an errno. Returns the exit status. */
int run_not_executed(const struct options *options, int failed);

/* Warns of stopped processes. They are attached, too, because they may continue later. */
void run_warn_of_stopped(const struct attach_list *targets);

/* Sets SET to the signals that ask for the end of everything. */
void run_ending_signals(sigset_t *set);

/* Waits until monotonic time UNTIL_NS. Returns true if a signal of SET, all blocked, came, except SIGCHLD. */
bool run_wait_until(const sigset_t *set, uint64_t until_ns);

/* Returns the command in OPTIONS as one line, or NULL. The caller frees it. */
char *run_command_line(const struct options *options);

#endif

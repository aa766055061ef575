/* SPDX-License-Identifier: MIT */
#include "front/cli/duty.h"

#include "common/base/time.h"
#include "front/cli/run.h"
#include "front/doctor/attach_search.h"
#include "front/outputs/intervals.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Searches processes again, and sets the targets of OPTIONS, a copy, to the found ones. Returns 0, -ESRCH if none was
 * found, or -errno with ERROR set. */
static int find_targets(struct options *options, const struct attach_list *before, struct error *error)
{
    options->session.targets = (struct attach_list){0};
    int result = attach_search_again(&options->session.targets, before, error);
    for (size_t i = 0; !result && i < before->asked_count; i++)
        if (!attach_has_ended(before->asked[i]))
            result = attach_add(&options->session.targets, before->asked[i], error);
    return result || options->session.targets.count ? result : -ESRCH;
}

/* Waits for the end of CHILD. Returns true if the end was asked for; a signal that did not come from the terminal is
 * passed on. */
static bool wait_for_child(const sigset_t *set, pid_t child, int *status)
{
    bool asked = false;
    while (waitpid(child, status, WNOHANG) == 0) {
        siginfo_t info;
        int got = sigwaitinfo(set, &info);
        if (got <= 0 || got == SIGCHLD)
            continue;
        asked = true;
        if (info.si_code <= 0)
            kill(child, SIGINT);
    }
    return asked;
}

/* Runs a period in a child, so that nothing of it stays. Returns its status, and sets *ASKED if the end was asked for.
 */
static int run_period(const struct options *options, duty_run *run, char *title, size_t title_size, const sigset_t *set,
                      bool *asked)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        sigprocmask(SIG_UNBLOCK, set, NULL);
        _exit(run(options, title, title_size));
    }
    if (child > 0)
        *asked = wait_for_child(set, child, &status);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

int duty_repeat(const struct options *options, duty_run *run, char *title, size_t title_size, struct error *error)
{
    const struct attach_list *targets = &options->session.targets;
    uint64_t now_ns = time_now_ns(), total_ns = options->session.duration_ns;
    uint64_t next_ns = now_ns, end_ns = total_ns ? now_ns + total_ns : UINT64_MAX;
    bool asked = false, found = true;
    struct interval_helpers helpers;
    sigset_t set;
    int status = 0;
    if (interval_helpers_start(&helpers, &options->intervals, options->session.max_memory, error) < 0)
        return -error->errnum;
    run_ending_signals(&set);
    sigaddset(&set, SIGCHLD); /* which arrives at the end of a period */
    sigprocmask(SIG_BLOCK, &set, NULL);
    for (bool first = true; !asked && !status && found && next_ns < end_ns; first = false) {
        struct options copy = *options;
        copy.helpers = &helpers;
        copy.session.duration_ns = options->duty_ns;
        copy.session.again = !first;
        if (!find_targets(&copy, targets, &(struct error){0}))
            status = run_period(&copy, run, title, title_size, &set, &asked);
        else
            found = targets->search_count > 0;
        attach_fini(&copy.session.targets);
        if (!first)
            status = 0; /* the processes have ended since, which is not a failure */
        next_ns += options->duty_period_ns;
        asked = asked || status || !found || run_wait_until(&set, next_ns < end_ns ? next_ns : end_ns);
    }
    interval_helpers_end(&helpers);
    return status;
}

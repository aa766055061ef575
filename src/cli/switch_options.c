/* SPDX-License-Identifier: MIT */
#include "cli/switch_options.h"

#include "text/duration.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

bool switch_options_has(int option)
{
    return option >= SWITCH_DELAY && option <= SWITCH_CONTROL;
}

static int parse_delay(struct switch_options *options, const char *text, struct error *error)
{
    uint64_t ns = 0;
    bool forever = !strcmp(text, "forever");
    if (!forever && !duration_parse(text, strlen(text), &ns))
        return error_set(error, EINVAL, "--delay: '%s' is neither a time, such as 3s, 250ms or 1.5m, nor 'forever'",
                         text);
    options->off = forever || ns;
    options->delay_ns = ns;
    return 0;
}

/* The number of the signal that TEXT names, or 0. */
static int signal_of(const char *text)
{
    const char *name = strncmp(text, "SIG", 3) ? text : text + 3;
    char *end;
    if (!strcmp(name, "USR1"))
        return SIGUSR1;
    if (!strcmp(name, "USR2"))
        return SIGUSR2;
    if (!strcmp(name, "RTMIN"))
        return SIGRTMIN;
    bool of_real_time = !strncmp(name, "RTMIN+", 6);
    const char *digits = of_real_time ? name + 6 : name;
    long number = isdigit((unsigned char)*digits) ? strtol(digits, &end, 10) : -1;
    if (number < 0 || *end || number > SIGRTMAX)
        return 0;
    number += of_real_time ? SIGRTMIN : 0;
    bool known = number == SIGUSR1 || number == SIGUSR2 || (number >= SIGRTMIN && number <= SIGRTMAX);
    return known ? (int)number : 0;
}

static int parse_toggle(struct switch_options *options, const char *text, struct error *error)
{
    options->signal = signal_of(text);
    if (!options->signal)
        return error_set(
            error, EINVAL,
            "--toggle: '%s' is not one of USR1, USR2, RTMIN, RTMIN+1 ...: other signals have a meaning of their own",
            text);
    return 0;
}

static int parse_control(struct switch_options *options, const char *text, struct error *error)
{
    if (!*text)
        return error_set(error, EINVAL, "--control: the name of the FIFO is empty");
    options->control = text;
    return 0;
}

int switch_options_take(struct switch_options *options, int option, const char *argument, struct error *error)
{
    switch (option) {
    case SWITCH_DELAY:
        return parse_delay(options, argument, error);
    case SWITCH_TOGGLE:
        return parse_toggle(options, argument, error);
    default:
        return parse_control(options, argument, error);
    }
}

int switch_options_check(const struct switch_options *options, struct error *error)
{
    if (options->off && !options->delay_ns && !options->signal && !options->control)
        return error_set(error, EINVAL,
                         "--delay=forever: nothing would ever be sampled; say what switches it on: --toggle=SIGNAL or "
                         "--control=FIFO");
    return 0;
}

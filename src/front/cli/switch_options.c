/* SPDX-License-Identifier: MIT
 *
 * Options for when samples are taken. */
#include "front/cli/options.h"

#include "common/base/error.h"
#include "common/text/duration.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

int switch_take_delay(struct options *options, const struct option_given *given)
{
    uint64_t ns = 0;
    bool forever = !strcmp(given->text, "forever");
    if (!forever && !duration_parse(given->text, strlen(given->text), &ns))
        return option_refuse(given, "'%s' is neither a time, such as 3s, 250ms or 1.5m, nor 'forever'", given->text);
    options->session.switching.off = forever || ns;
    options->session.switching.delay_ns = ns;
    return 0;
}

/* Returns the number of the signal named TEXT, or 0. */
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

int switch_take_toggle(struct options *options, const struct option_given *given)
{
    options->session.switching.signal = signal_of(given->text);
    if (!options->session.switching.signal)
        return option_refuse(given,
                             "'%s' is not one of USR1, USR2, RTMIN, RTMIN+1 ...: ptprofil uses other signals itself",
                             given->text);
    return 0;
}

int switch_take_control(struct options *options, const struct option_given *given)
{
    if (!*given->text)
        return option_refuse(given, "the name of the FIFO is empty");
    options->session.switching.control = given->text;
    return 0;
}

int switch_options_check(const struct switch_options *options, struct error *error)
{
    if (options->off && !options->delay_ns && !options->signal && !options->control)
        return error_set(error, EINVAL,
                         "--delay=forever: nothing would ever be sampled; add --toggle=SIGNAL or "
                         "--control=FIFO");
    return 0;
}

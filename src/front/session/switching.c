/* SPDX-License-Identifier: MIT */
#include "front/session/switching.h"

#include "common/base/error.h"
#include "common/base/time.h"
#include "common/text/say.h"
#include "common/wire/channel.h"
#include "common/wire/command.h"
#include "common/wire/shared.h"
#include "front/record/record.h"
#include "front/session/options.h"

#include <stdio.h>
#include <unistd.h>

enum { MOST_COMPLAINTS = 20, MOST_COMMANDS = 1000 /* commands at a time, because other events must be handled, too */ };

int switching_open(struct switching *switching, const struct switch_options *options, struct error *error)
{
    *switching = (struct switching){.open = true, .control = {.descriptor = -1}, .timer = -1, .off = options->off};
    return options->control ? control_open(&switching->control, options->control, error) : 0;
}

int switching_start(struct switching *switching, const struct switch_options *options, struct channel *channel,
                    struct record *record, struct error *error)
{
    switching->channel = channel;
    switching->record = record;
    if (!options->delay_ns)
        return 0;
    switching->timer = time_alarm(options->delay_ns);
    return switching->timer < 0 ? error_system(error, -switching->timer, "cannot make a timer") : 0;
}

static void switch_to(struct switching *switching, bool on)
{
    uint64_t now_ns = time_now_ns(), since_ns = switching->since_ns;
    if (switching->off == !on)
        return;
    channel_command(switching->channel, &(struct command){.type = on ? COMMAND_ON : COMMAND_OFF});
    record_mark(switching->record, now_ns, on ? "[sampling on]" : "[sampling off]");
    if (on)
        switching->off_ns = switching_off_ns(switching, atomic_load(&switching->channel->shared->began_ns), now_ns);
    switching->since_ns = on ? since_ns : now_ns;
    switching->off = !on;
}

static void end_delay(struct switching *switching)
{
    if (switching->timer >= 0)
        close(switching->timer);
    switching->timer = -1;
}

void switching_delayed(struct switching *switching)
{
    end_delay(switching);
    switch_to(switching, true);
}

void switching_toggle(struct switching *switching)
{
    end_delay(switching);
    switch_to(switching, switching->off);
}

static void say_unknown(struct switching *switching, const char *text)
{
    if (switching->complaints++ < MOST_COMPLAINTS)
        say_line(stderr, "--control: unknown command '%.80s': commands are on, off, mark TEXT, end%s", text,
                 switching->complaints == MOST_COMPLAINTS ? "; further ones are not reported" : "");
}

bool switching_obey(struct switching *switching)
{
    enum control_kind kind;
    const char *text;
    for (int i = 0; i < MOST_COMMANDS && control_next(&switching->control, &kind, &text); i++) {
        if (kind == CONTROL_ON || kind == CONTROL_OFF) {
            end_delay(switching);
            switch_to(switching, kind == CONTROL_ON);
        } else if (kind == CONTROL_MARK) {
            record_mark(switching->record, time_now_ns(), text);
        } else if (kind == CONTROL_UNKNOWN) {
            say_unknown(switching, text);
        } else if (kind == CONTROL_END) {
            return true;
        }
    }
    return false;
}

uint64_t switching_off_ns(const struct switching *switching, uint64_t began_ns, uint64_t ended_ns)
{
    uint64_t since_ns = switching->since_ns ? switching->since_ns : began_ns;
    bool counts = switching->off && since_ns && ended_ns > since_ns;
    return switching->off_ns + (counts ? ended_ns - since_ns : 0);
}

void switching_close(struct switching *switching)
{
    if (!switching->open)
        return;
    end_delay(switching);
    control_close(&switching->control);
    switching->open = false;
}

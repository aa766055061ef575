/* SPDX-License-Identifier: MIT */
#include "front/session/session_parts.h"

#include "common/arch/gate.h"
#include "common/base/error.h"
#include "common/base/time.h"
#include "common/base/wake.h"
#include "common/text/say.h"
#include "common/text/text.h"
#include "common/wire/channel.h"
#include "common/wire/command.h"
#include "common/wire/shared.h"
#include "front/naming/ahead.h"
#include "front/session/attaching.h"
#include "front/session/intake.h"
#include "front/session/jobcontrol.h"
#include "front/session/progress.h"
#include "front/session/rescuer.h"
#include "front/session/senders.h"
#include "front/session/session.h"
#include "front/session/stacks.h"
#include "front/session/switching.h"
#include "programs/interp/interpreters.h"
#include "tracer/loop/start.h"
#include "tracer/plant/rescue.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CLOSE_PATIENCE_MS = 3000, LAST_TIME_NS = 100000000, TURN_NS = 2000000, OWN_NEWS = 5, NS_IN_MS = 1000000 };

/* Returns the meaning of the tracer's end. LOST: not by exit status 0. SIG: the signal that ended it; 0: none did. */
static const char *tracer_death(bool lost, int sig)
{
    if (!lost)
        return "the tracer was told to end";
    return sig == TRACER_GIVE_UP_SIGNAL ? "a process kept the tracer waiting for its memory" : "the tracer was killed";
}

static void close_tracer(struct session *session)
{
    if (session->closing)
        return;
    session->closing = true;
    session_command_tracer(session, COMMAND_CLOSE, 0);
}

static void tracer_ended(struct session *session)
{
    int status;
    rescuer_end(&session->rescuer, session->channel.shared);
    wait4(session->tracer, &status, 0, &session->tracer_usage);
    session->tracer = 0;
    session->ended_ns = time_now_ns();
    if (session->closing)
        return;
    session->tracer_lost = status != 0;
    session->ended_early = tracer_death(session->tracer_lost, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

static void command_changed(struct session *session, const siginfo_t *info)
{
    if (info->si_code == CLD_STOPPED) {
        jobcontrol_mirror_stop(&session->jobcontrol, session->channel.shared, info->si_status, session->tracer > 0);
    } else if (info->si_code != CLD_CONTINUED) {
        if (session->tracer && !session->closing)
            wake_wait(&session->channel.shared->command_over, 0, time_now_ns() + LAST_TIME_NS);
        waitpid(info->si_pid, &session->command_status, 0);
        session->command_ended = true;
        session->jobcontrol.command = 0;
        senders_end(&session->jobcontrol.senders);
    }
}

/* Continues a stopped tracer: its tracees must not be held. */
static void tracer_changed(struct session *session, const siginfo_t *info)
{
    if (info->si_code == CLD_STOPPED)
        kill(session->tracer, SIGCONT);
    else if (info->si_code != CLD_CONTINUED)
        tracer_ended(session);
}

static void children_changed(struct session *session)
{
    siginfo_t info;
    for (;;) {
        info.si_pid = 0;
        if (waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WCONTINUED | WNOHANG | WNOWAIT) < 0 || !info.si_pid)
            return;
        if (info.si_code == CLD_TRAPPED) {
            rescue_stopped_late(info.si_pid, info.si_status);
            continue;
        }
        bool ended = info.si_code != CLD_STOPPED && info.si_code != CLD_CONTINUED;
        if (!ended)
            waitid(P_PID, (id_t)info.si_pid, &(siginfo_t){0}, WSTOPPED | WCONTINUED | WNOHANG);
        if (info.si_pid == session->tracer)
            tracer_changed(session, &info);
        else if (info.si_pid == session->jobcontrol.command)
            command_changed(session, &info);
        else if (ended)
            waitpid(info.si_pid, NULL, 0); /* an orphan, because we are the first process of a pid namespace */
    }
}

static void hear_tracer(struct session *session)
{
    uint64_t count;
    if (read(session->channel.ready, &count, sizeof count) < 0 && errno != EAGAIN)
        return;
    atomic_store(&session->channel.shared->front_notified, 0);
    session->behind = true;
}

/* Takes messages for a limited time: unwinding may be slower than samples arrive, and other events must be handled,
 * too. */
static void take_messages(struct session *session)
{
    struct command command;
    for (uint64_t until_ns = time_now_ns() + TURN_NS; session->behind && time_now_ns() < until_ns;)
        session->behind = intake_next(session->intake, &session->channel.ring);
    while (stacks_next_command(&session->intake->stacks, &command) ||
           interpreters_next_command(&session->intake->mixed.interpreters, &command)) {
        channel_command(&session->channel, &command);
        session->intake->looks.requests++;
    }
    if (session->ahead)
        naming_ahead_turn(session->ahead, session->record);
}

const char *session_command_line(const struct session *session)
{
    const char *first = session->intake->first_command;
    return session->command_line ? session->command_line : *first ? first : NULL;
}

int session_attach(struct session *session, pid_t pid)
{
    session_command_tracer(session, COMMAND_ATTACH, pid);
    siginfo_t info = {0};
    int result = session_tracer_answer(session);
    if (result == -ECHILD && waitid(P_PID, (id_t)session->tracer, &info, WEXITED | WNOWAIT) == 0)
        session->ended_early = tracer_death(info.si_status != 0, info.si_code == CLD_EXITED ? 0 : info.si_status);
    if (result != -ECHILD && result != -EINTR && !session->rescuer.running)
        rescuer_start(&session->rescuer, session->channel.shared);
    session->behind = true;
    take_messages(session);
    return result;
}

static void end_early(struct session *session, const char *why)
{
    if (session->options->command)
        session->ended_early = why;
    close_tracer(session);
}

static void take_all_messages(struct session *session)
{
    uint64_t until_ns = time_now_ns() + LAST_TIME_NS;
    session->behind = true;
    do
        take_messages(session);
    while (session->behind && time_now_ns() < until_ns);
}

/* DELAYED: the delay is over. COMMANDED: the FIFO has something. */
static void take_switches(struct session *session, bool delayed, bool commanded)
{
    struct switching *switching = &session->switching;
    if (session->closing)
        return;
    if (delayed)
        switching_delayed(switching);
    for (; session->jobcontrol.toggled; session->jobcontrol.toggled--)
        switching_toggle(switching);
    if (commanded && switching_obey(switching))
        end_early(session, "it was asked for (--control)");
    if (!switching->off && !session->timed && session_start_duration(session, &(struct error){0}) < 0)
        end_early(session, "no timer could be made for its duration");
}

void session_turn(struct session *session, struct pollfd *more, size_t count, int timeout_ms)
{
    struct pollfd news[OWN_NEWS + SESSION_MORE] = {
        {.fd = session->jobcontrol.descriptor, .events = POLLIN},
        {.fd = session->channel.ready, .events = POLLIN},
        {.fd = session->timer, .events = POLLIN},
        {.fd = session->switching.timer, .events = POLLIN},
        {.fd = session->switching.control.descriptor, .events = POLLIN},
    };
    for (size_t i = 0; i < count; i++)
        news[OWN_NEWS + i] = more[i];
    int got = poll(news, OWN_NEWS + count, session->behind ? 0 : timeout_ms);
    for (size_t i = 0; i < count; i++)
        more[i].revents = got < 0 ? 0 : news[OWN_NEWS + i].revents;
    if (got < 0)
        return;
    if (news[1].revents)
        hear_tracer(session);
    take_messages(session);
    if (news[0].revents)
        take_all_messages(session); /* a sender that is gone is known by its messages */
    if (news[2].revents) {
        close(session->timer);
        session->timer = -1;
        end_early(session, PROFILE_ENDED_DURATION);
    }
    session->jobcontrol.senders.tracer = session->tracer;
    if (news[0].revents && jobcontrol_read(&session->jobcontrol, &session->asked_to_end))
        children_changed(session);
    if (session->jobcontrol.out_of_time && session->tracer)
        end_early(session, "ptprofil's own limit of CPU time (ulimit -t) is reached");
    take_switches(session, news[3].revents, news[4].revents);
}

static bool daemons_wanted(const struct session *session)
{
    return session->options->wait && session->tracer && !session->asked_to_end &&
           atomic_load(&session->channel.shared->counts.processes) > 0;
}

/* Returns true while sampling must go on for attached processes: until all have ended and no search is repeated, a
 * request to end comes, or the duration is over. */
static bool targets_wanted(const struct session *session)
{
    return !session->closing && session->tracer && !session->asked_to_end &&
           (session->options->search_again || atomic_load(&session->channel.shared->counts.processes) > 0);
}

/* Ends the tracer. It may first wait for the remainders of transfers, unless a second request to end comes. */
static void await_tracer(struct session *session)
{
    enum { LOOK_MS = 50 };
    const uint64_t patience_ns = CLOSE_PATIENCE_MS * 1000000ull;
    uint64_t until_ns = time_now_ns() + patience_ns, last_ns = until_ns + TRACER_TRANSFERS_NS;
    uint32_t remainders, told = 0;
    close_tracer(session);
    while (session->tracer && time_now_ns() < until_ns && time_now_ns() < last_ns &&
           !atomic_load(&session->channel.shared->stragglers)) {
        session->asked_to_end = false;
        session_turn(session, NULL, 0, LOOK_MS);
        if ((remainders = atomic_load(&session->channel.shared->remainders)))
            until_ns = time_now_ns() + patience_ns;
        if (remainders && !told)
            say_line(stderr, "waiting up to %d s for %u transfer(s) in progress; Ctrl-C cuts them short",
                     (int)(TRACER_TRANSFERS_NS / 1000000000u), (unsigned)remainders);
        told |= remainders;
        if (session->asked_to_end)
            session_command_tracer(session, COMMAND_CLOSE, 0);
    }
}

/* Leaves the tracer running, because it no longer needs us. Ending it would harm the frozen threads for which it
 * waits. */
static void leave_tracer(struct session *session, uint32_t stragglers)
{
    say_line(stderr, "%u %s cannot be let go: a process named " GATE_TRACER_NAME " stays until %s thawed",
             (unsigned)stragglers,
             text_plural(stragglers, "thread is frozen where it", "threads are frozen where they"),
             text_plural(stragglers, "it is", "they are"));
    session->tracer = 0;
    session->ended_ns = time_now_ns();
}

void session_begin(struct session *session)
{
    children_changed(session);
}

bool session_goes_on(const struct session *session)
{
    if (!session->options->command)
        return targets_wanted(session);
    return !session->closing && session->tracer && !session->command_ended;
}

void session_await_command(struct session *session)
{
    while (session->options->command && !session->command_ended)
        session_turn(session, NULL, 0, -1);
}

void session_end(struct session *session)
{
    await_tracer(session);
    children_changed(session); /* the tracer may have ended while we were busy */
    uint32_t stragglers = atomic_load(&session->channel.shared->stragglers);
    if (session->tracer && stragglers)
        leave_tracer(session, stragglers);
    else if (session->tracer)
        session_end_tracer(session);
    while (intake_next(session->intake, &session->channel.ring))
        ;
    intake_end(session->intake);
}

/* Returns the milliseconds until UNTIL_NS or the next line of PROGRESS, for poll(2), at most an hour. */
static int wait_ms(uint64_t until_ns, const struct progress *progress)
{
    enum { LONGEST_MS = 3600000 };
    uint64_t now_ns = time_now_ns(), left_ms = now_ns >= until_ns ? 0 : (until_ns - now_ns) / NS_IN_MS + 1;
    int most_ms = progress_wait_ms(progress);
    if (most_ms < 0 || most_ms > LONGEST_MS)
        most_ms = LONGEST_MS;
    return left_ms < (uint64_t)most_ms ? (int)left_ms : most_ms;
}

/* Returns true until all that session_run waits for is over. */
static bool is_running(const struct session *session)
{
    if (!session->options->command)
        return targets_wanted(session);
    return !session->command_ended || daemons_wanted(session);
}

bool session_run(struct session *session, uint64_t until_ns, int news)
{
    struct progress *progress = &session->progress;
    struct pollfd more = {.fd = news, .events = POLLIN};
    session_begin(session);
    if (!session->options->command && !progress->began_ns)
        progress_begin(progress, session->options);
    while (is_running(session)) {
        bool before_daemons = session->options->command && !session->command_ended;
        attaching_take_arrivals(session);
        session_turn(session, &more, 1, wait_ms(time_earlier(session->arrivals.next_ns, until_ns), progress));
        if (before_daemons)
            session->asked_to_end = false;
        progress_show(progress, atomic_load(&session->channel.shared->counts.samples), session->intake->record);
        if (more.revents || time_now_ns() >= until_ns)
            return true;
    }
    progress_end(progress);
    session->asked_to_end = false;
    session_end(session);
    return false;
}

struct shadows *session_shadows(struct session *session)
{
    return &session->intake->shadows;
}

void session_renew(struct session *session, const struct session_since *since)
{
    intake_renew(session->intake);
    session->since = *since;
    atomic_store(&session->channel.shared->counts.longest_period_ns, 0);
}

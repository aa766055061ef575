/* SPDX-License-Identifier: MIT */
#include "tracer/loop/tracer.h"

#include "common/base/cpus.h"
#include "common/base/time.h"
#include "common/base/wake.h"
#include "common/wire/channel.h"
#include "common/wire/command.h"
#include "common/wire/shared.h"
#include "tracer/clock/cpu_timer.h"
#include "tracer/loop/crash.h"
#include "tracer/loop/dispatch.h"
#include "tracer/loop/due.h"
#include "tracer/loop/image.h"
#include "tracer/loop/maps.h"
#include "tracer/loop/settle.h"
#include "tracer/loop/stack.h"
#include "tracer/loop/switch.h"
#include "tracer/loop/tick.h"
#include "tracer/loop/times.h"
#include "tracer/loop/waits.h"
#include "tracer/plant/breaker.h"
#include "tracer/tracee/procfs.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    ENDING_NS = 20000000, /* for processes that were let go */
    CLOSING_TRIES = 500   /* milliseconds for the front to make room for the last messages */
};

/* State that signal handlers share with the loop. A process has one tracer, and handlers get no argument. */
static struct tracer *handlers_tracer;
static volatile sig_atomic_t timer_rang;

static void handle_signal(int sig, siginfo_t *info, void *context)
{
    int saved = errno;
    (void)context;
    if (sig == SIGCHLD)
        news_hint(&handlers_tracer->news, info->si_pid);
    else if (sig == SIGTERM || (sig == SIGCONT && getppid() != handlers_tracer->front))
        handlers_tracer->terms++;
    else if (sig == CPU_TIMER_SIGNAL)
        timer_rang = 1;
    /* The futex need not be woken: the signal itself ends the sleep, and the changed word prevents a new one. */
    atomic_fetch_add(&handlers_tracer->channel->shared->wake, 1);
    errno = saved;
}

static void set_signals(struct tracer *tracer)
{
    static const int ignored[] = {SIGINT, SIGQUIT, SIGHUP, SIGPIPE, SIGTSTP, SIGTTIN, SIGTTOU};
    const int handled[] = {SIGCHLD, SIGTERM, SIGCONT, TICKER_BREAK_SIGNAL, CPU_TIMER_SIGNAL, BREAKER_SIGNAL};
    struct sigaction action;
    sigset_t none;

    handlers_tracer = tracer;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_IGN;
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        sigaction(ignored[i], &action, NULL);
    action.sa_flags = SA_SIGINFO;
    action.sa_sigaction = handle_signal;
    for (size_t i = 0; i < sizeof handled / sizeof *handled; i++)
        sigaction(handled[i], &action, NULL);
    signal(SIGALRM, SIG_DFL); /* ends the tracer, see tracee/memory.c */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* The signal of the front's death also continues a stopped tracer: nobody else would, and its tracees stay stopped. */
static void follow_front(struct tracer *tracer)
{
    prctl(PR_SET_PDEATHSIG, SIGCONT, 0, 0, 0);
    if (getppid() != tracer->front)
        tracer->terms++;
}

static void expire_maps(struct tracer *tracer, pid_t pid)
{
    struct process *process = table_process(&tracer->follow.table, pid);
    if (process)
        maps_expire(process);
}

/* Answers with the readable part of each page: the front waits for the last page. */
static void send_code(struct tracer *tracer, const struct command *command)
{
    struct process *process = table_process(&tracer->follow.table, command->pid);
    if (!process || process->image != command->image || command->page_count > CODE_PAGES)
        return; /* the end of its image has been reported, which ends the front's wait */
    pid_t tid = procfs_living_thread(process->pid);
    for (uint32_t i = 0; i < command->page_count; i++) {
        unsigned char bytes[CODE_PAGE];
        struct message_code message = {
            .image = command->image, .address = command->pages[i], .last = i + 1 == command->page_count};
        ssize_t got = memory_read_present(&process->memory, tid, message.address, bytes, sizeof bytes);
        message.length = got == sizeof bytes ? sizeof bytes : 0;
        emit_message(&tracer->emitter, MESSAGE_CODE, &message, sizeof message, bytes, message.length, message.last);
    }
}

/* Ignored if the image has ended. */
static void use_recipe(struct tracer *tracer, const struct command *command)
{
    struct process *process = table_process(&tracer->follow.table, command->pid);
    if (!process || process->image != command->image || !interp_is_sound(&command->recipe))
        return;
    process->own->interp = interp_add(process->own->interp, &command->recipe);
    for (struct thread *thread = process->threads; thread; thread = thread->next)
        waits_look_again(tracer, thread);
}

/* Begins to trace the process that COMMAND names, and answers with the result. */
static void trace(struct tracer *tracer, const struct command *command)
{
    int32_t answer;
    if (command->type == COMMAND_LAUNCH) {
        atomic_store(&tracer->channel->shared->command, command->pid);
        answer = follow_launched(&tracer->follow, command->pid);
    } else {
        answer = follow_attach(&tracer->follow, command->pid);
    }
    dispatch_told(tracer);
    if (send(tracer->channel->tracer_socket, &answer, sizeof answer, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
        tracer->closing++;
}

static void obey(struct tracer *tracer, const struct command *command)
{
    switch (command->type) {
    case COMMAND_LAUNCH:
    case COMMAND_ATTACH:
        trace(tracer, command);
        break;
    case COMMAND_CLOSE:
        tracer->closing++;
        break;
    case COMMAND_ENTRIES:
        questions_answered(tracer, command);
        break;
    case COMMAND_MAPS:
        expire_maps(tracer, command->pid);
        break;
    case COMMAND_CODE:
        send_code(tracer, command);
        break;
    case COMMAND_RECIPE:
        use_recipe(tracer, command);
        break;
    case COMMAND_ON:
    case COMMAND_OFF:
        switch_sampling(tracer, command->type == COMMAND_ON);
        break;
    case COMMAND_LOOK:
        look_begin(tracer);
        break;
    case COMMAND_DEEPER:
        if (stack_deeper(tracer, command->pid, command->tid, command->stack_bytes, command->crossed))
            waits_look_again(tracer, table_thread(&tracer->follow.table, command->tid));
        break;
    }
}

void tracer_obey(struct tracer *tracer)
{
    struct command command;
    uint32_t sent = atomic_load(&tracer->channel->shared->commands);
    if (sent == tracer->commands_seen)
        return;
    tracer->commands_seen = sent;
    while (recv(tracer->channel->tracer_socket, &command, sizeof command, MSG_DONTWAIT) == sizeof command)
        obey(tracer, &command);
}

static void begin(struct tracer *tracer, struct channel *channel, const struct tracer_options *options)
{
    memset(tracer, 0, sizeof *tracer);
    tracer->channel = channel;
    tracer->front = getppid(); /* if it has died before, nothing is ever attached */
    tracer->options = *options;
    tracer->off = options->off;
    tracer->emitter.channel = channel;
    tracer->follow.table.rooms = tracer_rooms;
    tracer->follow.children = options->children;
    tracer->follow.rescue = &channel->shared->rescue;
    tracer->follow.births = options->calls.mode != CALLS_OFF; /* children have copies of breakpoints */
    tracer->calls = (struct calls){
        .options = options->calls,
        .follow = &tracer->follow,
        .rescue = &channel->shared->rescue,
        .counts = &channel->shared->calls,
    };
    pace_begin(tracer);
    set_signals(tracer);
    follow_front(tracer);
    crash_prepare(&channel->shared->rescue);
    cpus_widen(options->own_cpus); /* session_start has checked the list */
    if (follow_start(&tracer->follow, &channel->shared->wake) < 0 ||
        clock_start(&tracer->clock, &tracer->follow.table, &channel->shared->wake, &tracer->news.waiting,
                    tracer->pace.period_ns) < 0)
        _exit(1);
}

/* Reports the processes that were let go and have not ended yet. Most end within a millisecond. */
static void end_let_go(struct tracer *tracer)
{
    struct endings *endings = &tracer->follow.endings;
    uint64_t until_ns = time_now_ns() + ENDING_NS;
    while (endings->count && time_now_ns() < until_ns && !tracer->terms) {
        uint32_t seen = atomic_load(&tracer->channel->shared->wake);
        if (!endings_any(endings))
            wake_wait(&tracer->channel->shared->wake, seen, until_ns);
        dispatch_all(tracer);
    }
    for (size_t i = 0; i < endings->count; i++)
        if (endings->items[i]->image)
            image_ends(tracer, endings->items[i], IMAGE_EXITS);
}

/* Ends the tracer. Undoes nothing else in the tracees: our exit detaches them wherever they are, and they continue. */
static void end(struct tracer *tracer)
{
    clock_park(&tracer->clock);
    settle_all(tracer);
    end_let_go(tracer);
    for (size_t i = 0; i < tracer->follow.table.process_count; i++)
        if (tracer->follow.table.processes[i]->image)
            image_ends(tracer, tracer->follow.table.processes[i], IMAGE_LEFT);
    atomic_store(&tracer->channel->shared->counts.unreachable, (uint32_t)tracer->follow.unreachable);
    for (int i = 0; i < CLOSING_TRIES && tracer->emitter.waiting.length && !tracer->terms; i++) {
        dispatch_all(tracer);
        usleep(1000);
        emit_retry(&tracer->emitter);
    }
    tracer->emitter.closed = true;
    atomic_store(&tracer->channel->shared->ended_ns, time_now_ns());
    settle_remainders(tracer);
    settle_stragglers(tracer);
    settle_last(tracer);
}

/* If waiting threads are sampled, all are watched: they may run for too short a time for a timer. */
static enum clock_wanted wanted(const struct tracer *tracer)
{
    if (tracer->off)
        return tracer->calls.active ? CLOCK_RUNNING : CLOCK_NONE;
    return tracer->options.wall ? CLOCK_ALL : CLOCK_RUNNING;
}

/* Sleeps until there is work, at UNTIL_NS at the latest (monotonic; 0: never). */
static void sleep_until(struct tracer *tracer, uint32_t seen, uint64_t until_ns)
{
    uint64_t waits_ns = tracer->options.wall ? tracer->waits_due_ns : 0;
    due_plan_look(tracer);
    clock_sleep(&tracer->clock, wanted(tracer), time_earlier(waits_ns, tracer->calls_astray_ns), seen, until_ns);
}

void tracer_run(struct channel *channel, const struct tracer_options *options)
{
    static struct tracer tracer;
    pthread_mutex_lock(&channel->shared->life);
    begin(&tracer, channel, options);
    while (!tracer.closing && !tracer.terms) {
        uint32_t seen = atomic_load(&channel->shared->wake);
        tracer_obey(&tracer);
        if (timer_rang) {
            timer_rang = 0;
            picker_timer_rang(&tracer.clock.picker, time_now_ns());
        }
        tick_serve(&tracer);
        times_look(&tracer);
        uint64_t until_ns = time_earlier(news_hear(&tracer), questions_expire(&tracer));
        until_ns = look_serve(&tracer, follow_expire(&tracer.follow, until_ns));
        if (!tracer.closing)
            sleep_until(&tracer, seen, until_ns);
    }
    end(&tracer);
}

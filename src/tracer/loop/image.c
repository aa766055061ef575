/* SPDX-License-Identifier: MIT */
#include "tracer/loop/image.h"

#include "common/base/time.h"
#include "common/model/cgroup.h"
#include "common/model/rank.h"
#include "common/wire/channel.h"
#include "common/wire/shared.h"
#include "tracer/loop/times.h"
#include "tracer/loop/waits.h"
#include "tracer/tracee/copier.h"
#include "tracer/tracee/cpu_clock.h"
#include "tracer/tracee/memory.h"
#include "tracer/tracee/procfs.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

_Static_assert(sizeof((struct message_image *)0)->job == RANK_JOB_SIZE, "a job's number fits into its message");

enum { LONGEST = 1 << 17 };

/* Begins the accounts. CPU time used so far does not belong to the new image. */
static void begin_accounts(struct tracer *tracer, struct process *process)
{
    struct schedstat now;
    uint64_t now_ns = time_now_ns();
    process->clock->account.began_ns = process->clock->account.seen_ns = cpu_clock_ns(process);
    process->clock->account.billed_ns = 0;
    times_begin(tracer, process);
    for (struct thread *thread = process->threads; thread; thread = thread->next)
        if (picker_schedstat(thread, &now)) {
            account_look(&thread->clock->account, &now);
            thread->clock->account.billed_ns = now.ran_ns;
            waits_begin(tracer, thread, now_ns, &now);
        }
}

static void read_at_once(struct buffer *text, pid_t pid, const char *name)
{
    int fd = procfs_open(pid, 0, name);
    if (fd < 0)
        return;
    int result = buffer_read_file(text, fd, LONGEST);
    close(fd);
    if (result < 0 && result != -E2BIG)
        text->length = 0;
}

static void read_in_time(struct buffer *text, pid_t pid, const char *name)
{
    static char words[LONGEST];
    const struct copy copy = {.tid = pid, .bytes = words, .size = sizeof words, .words = name};
    ssize_t got = copier_in_time(&copy);
    if (got > 0)
        buffer_append(text, words, (size_t)got);
}

/* Reads /proc/PID/NAME of PROCESS, "cmdline" or "environ". The text is in the process's memory and may be anything. The
 * read waits while a thread changes the memory map: forever, if it maps a file of a server that does not answer. That
 * cannot happen if all threads with this memory are stopped. When a process begins, its only thread is stopped. No
 * other process has the memory, unless it is shared with the maker. */
static void read_words(struct buffer *text, const struct process *process, const char *name)
{
    text->length = 0;
    if (process->attached || memory_shared(process->pid, process->parent))
        read_in_time(text, process->pid, name);
    else
        read_at_once(text, process->pid, name);
}

static void read_rank(struct buffer *text, const struct process *process, struct message_image *message)
{
    read_words(text, process, "environ");
    struct rank rank = rank_of(text->bytes, text->length);
    message->has_rank = rank.known;
    message->rank = rank.number;
    message->ranks = rank.count;
    memcpy(message->job, rank.job, sizeof rank.job);
}

/* Omits the middle of a long command line. */
static void read_command_line(struct buffer *text, const struct process *process)
{
    read_words(text, process, "cmdline");
    if (text->length <= COMMAND_LINE_MOST)
        return;
    memmove(text->bytes + COMMAND_LINE_MOST - COMMAND_LINE_END, text->bytes + text->length - COMMAND_LINE_END,
            COMMAND_LINE_END);
    text->length = COMMAND_LINE_MOST;
}

/* Reads the unit and the container. */
static void read_names(struct buffer *text, const struct process *process, struct message_image *message)
{
    text->length = 0;
    read_at_once(text, process->pid, "cgroup");
    if (text->length)
        cgroup_find_names(text->bytes, &message->names);
}

void image_set_interp(struct process *process, struct interp *interp)
{
    interp_free(process->own->interp);
    process->own->interp = interp;
}

void image_report_trouble(struct tracer *tracer, struct process *process, enum trouble what, int error)
{
    struct message_trouble message = {.what = what, .image = process->image, .pid = process->pid, .error = error};
    uint32_t reported = (uint32_t)1 << what;
    if (process->own->troubles & reported)
        return;
    process->own->troubles |= reported;
    procfs_comm(process->pid, process->pid, message.comm);
    emit_message(&tracer->emitter, MESSAGE_TROUBLE, &message, sizeof message, NULL, 0, false);
}

void image_begins(struct tracer *tracer, struct process *process, struct thread *thread, bool fresh)
{
    struct shared *shared = tracer->channel->shared;

    if (fresh)
        begin_accounts(tracer, process);
    else
        times_begin_forked(tracer, thread);
    if (tracer->off)
        account_off(&process->clock->account, process->clock->account.began_ns);
    if (!atomic_load(&shared->began_ns))
        atomic_store(&shared->began_ns, time_now_ns());
    process->own->wait = (struct process_wait){.clock_ns = UINT64_MAX};
    process->own->map_read_ns = 0;
    process->own->map_misses = 0;
    process->own->map_asked = false;
    thread->clock->busy = true;
    thread->own->named = false;
    thread->own->stack_top = 0;
    thread->own->interp = (struct interp_thread){0};
    image_set_interp(process, NULL);
    process->own->troubles = 0;
    picker_activate(process, time_now_ns());
    struct message_image message = {
        .image = process->image,
        .generation = process->generation,
        .pid = process->pid,
        .parent = process->parent,
        .program = procfs_program(process->pid),
    };
    procfs_comm(process->pid, process->pid, message.comm); /* threads can have other names */
    read_rank(&tracer->text, process, &message);
    if (tracer->options.names)
        read_names(&tracer->text, process, &message);
    read_command_line(&tracer->text, process);
    emit_message(&tracer->emitter, MESSAGE_IMAGE, &message, sizeof message, tracer->text.bytes, tracer->text.length,
                 false);
    if (process->foreign)
        image_report_trouble(tracer, process, TROUBLE_KIND, ENOTSUP);
}

void image_exits(struct process *process, pid_t tid)
{
    struct process_exit *now = &process->own->exit;
    if (now->known)
        return;
    now->known = true;
    now->tid = tid;
    procfs_comm(process->pid, process->pid, now->comm);
    now->faults = times_faults(process);
}

void image_ends(struct tracer *tracer, struct process *process, enum image_end end)
{
    struct message_image_end message = {.image = process->image, .alive = end == IMAGE_LEFT, .comm = "?"};
    if (end != IMAGE_LEFT)
        times_end(tracer, process, end == IMAGE_EXITS ? process->own->exit.faults : times_faults(process));
    message.cpu_ns = account_image(&process->clock->account, cpu_clock_ns(process));
    if (tracer->options.wall)
        message.wait_ns = waits_image_ends(tracer, process, message.cpu_ns);
    if (end == IMAGE_EXITS)
        memcpy(message.comm, process->own->exit.comm, sizeof message.comm);
    else if (end == IMAGE_LEFT)
        procfs_comm(process->pid, process->pid, message.comm);
    emit_message(&tracer->emitter, MESSAGE_IMAGE_END, &message, sizeof message, NULL, 0, false);
}

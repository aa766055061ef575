/* SPDX-License-Identifier: MIT */
#include "tracer/loop/impose.h"

#include "common/base/time.h"
#include "tracer/loop/image.h"
#include "tracer/loop/maps.h"
#include "tracer/tracee/procfs.h"

static void tell_imposition(struct tracer *tracer, const struct process *process, const struct calls_imposition *what)
{
    struct message_imposed message = {
        .image = process->image,
        .pid = process->pid,
        .generation = process->generation,
        .refusal = what->refusal,
        .error = what->error,
        .scale = (uint32_t)what->arguments.scale,
        .offset = what->arguments.offset,
        .size = what->arguments.size,
        .compat = process->compat,
    };
    procfs_comm(process->pid, process->pid, message.comm);
    emit_message(&tracer->emitter, MESSAGE_IMPOSED, &message, sizeof message, NULL, 0, false);
}

static void tell_update(struct tracer *tracer, struct thread *thread, const struct calls_update *update)
{
    struct message_update message = {thread->process->image, update->cell, update->number, update->value};
    if (!update->cell)
        maps_update(tracer, thread, update->number, time_now_ns()); /* so that the front can name it */
    emit_message(&tracer->emitter, MESSAGE_UPDATE, &message, sizeof message, NULL, 0, false);
}

void impose_tell(struct tracer *tracer, struct thread *thread)
{
    struct calls_news news;
    if (!calls_take_news(&tracer->calls, &news))
        return;
    if (news.imposed)
        tell_imposition(tracer, thread->process, &news.imposition);
    for (unsigned i = 0; i < news.update_count; i++)
        tell_update(tracer, thread, &news.updates[i]);
    if (news.trouble)
        image_report_trouble(tracer, thread->process, TROUBLE_CALLS, news.trouble);
}

void impose_begin(struct tracer *tracer, struct thread *thread)
{
    struct process *process = thread->process;
    if (process->foreign || !calls_imposes(&tracer->calls, process))
        return;
    if (!process->own->map_read_ns)
        maps_read(tracer, process, thread->tid, time_now_ns());
    calls_impose(&tracer->calls, thread);
    impose_tell(tracer, thread);
}

void impose_forked(struct tracer *tracer, const struct process *process)
{
    struct message_inherited message = {process->image, process->own->origin, process->pid, process->generation};
    if (process->calls->state.imposed)
        emit_message(&tracer->emitter, MESSAGE_INHERITED, &message, sizeof message, NULL, 0, false);
}

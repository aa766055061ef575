/* SPDX-License-Identifier: MIT */
#include "tracer/impose.h"

#include "base/wake.h"
#include "tracee/procfs.h"
#include "tracer/maps.h"

void impose_look(void *owner, struct thread *thread)
{
    maps_read(owner, thread->process, thread->tid, wake_now());
}

void impose_told(void *owner, const struct process *process, const struct calls_imposition *what)
{
    struct tracer *tracer = owner;
    struct message_imposed message = {
        .image = process->image,
        .pid = process->pid,
        .generation = process->generation,
        .refusal = what->refusal,
        .error = what->error,
        .scale = (uint32_t)what->arguments.scale,
        .offset = what->arguments.offset,
        .size = what->arguments.size,
    };
    procfs_comm(process->pid, process->pid, message.comm);
    emit_message(&tracer->emitter, MESSAGE_IMPOSED, &message, sizeof message, NULL, 0, false);
}

void impose_updated(void *owner, struct process *process, pid_t tid, const struct calls_update *update)
{
    struct tracer *tracer = owner;
    struct thread *thread = table_thread(&tracer->follow.table, tid);
    struct message_update message = {process->image, update->cell, update->number, update->value};
    if (thread && !update->cell)
        maps_update(tracer, thread, update->number, wake_now()); /* the front is to name it */
    emit_message(&tracer->emitter, MESSAGE_UPDATE, &message, sizeof message, NULL, 0, false);
}

void impose_forked(struct tracer *tracer, const struct process *process)
{
    struct message_inherited message = {process->image, process->origin, process->pid, process->generation};
    if (process->calls.imposed)
        emit_message(&tracer->emitter, MESSAGE_INHERITED, &message, sizeof message, NULL, 0, false);
}

/* SPDX-License-Identifier: MIT
 *
 * A dump as JSON, for programs. ptprofil-dump(1) explains each member. */
#include "common/text/json.h"
#include "common/base/buffer.h"
#include "common/model/wait.h"
#include "common/text/text.h"
#include "front/dump/dump.h"
#include "profile/profile/profile.h"
#include "profile/profile/stack.h"

#include <errno.h>

enum { FORM = 1 }; /* changes if a member gets another meaning */

static void put_frame(struct buffer *out, const struct profile *profile, const struct stack *stack, size_t index)
{
    const struct stack_frame *frame = &stack->items[index];
    buffer_puts(json_line(out), "{");
    json_text(out, "function", frame->name);
    json_text(out, "module", frame->module);
    json_text(out, "file", frame->file);
    if (frame->line)
        json_number(out, "line", frame->line);
    if (frame->location != PROFILE_NONE) {
        json_number(out, "address", profile->locations[frame->location].address);
        json_plain(out, "inlined", dump_is_inlined(profile, stack, index) ? "true" : "false");
    }
    buffer_puts(out, "}");
}

static bool put_stack(struct buffer *out, const struct profile *profile, const struct dump_thread *thread,
                      struct stack *stack)
{
    json_open(out, "frames", '[');
    if (thread->sample) {
        if (!stack_of(stack, profile, thread->sample))
            return false;
        for (size_t i = thread->sample->syscall >= 0; i < stack->count; i++)
            put_frame(out, profile, stack, i);
    }
    buffer_puts(out, "]");
    return true;
}

static bool put_thread(struct buffer *out, const struct dump *dump, const struct dump_thread *thread, bool compared,
                       struct stack *stack)
{
    const struct profile_sample *sample = thread->sample;
    bool in_call = sample && sample->syscall >= 0 && sample->syscall < WAIT_FIRST;
    buffer_puts(json_line(out), "{");
    json_number(out, "tid", (uint64_t)thread->tid);
    json_text(out, "name", thread->name);
    json_text(out, "state", dump_state(thread));
    json_text(out, "call", in_call ? profile_syscall_name(sample->syscall) : NULL);
    json_text(out, "waits_for", thread->reason);
    if (thread->holder)
        json_number(out, "holder", (uint64_t)thread->holder);
    json_plain(out, "deadlock", thread->deadlocked ? "true" : "false");
    json_number(out, "cpu_ns", thread->ran_ns);
    if (compared)
        json_number(out, "cpu_ns_since", thread->since_ns);
    json_plain(out, "whole", sample && sample->cut == PROFILE_WHOLE ? "true" : "false");
    bool put = put_stack(out, dump->profile, thread, stack);
    buffer_puts(out, "}");
    return put;
}

/* Appends a process. FIRST: number of its first thread. Returns the number of the thread after its last one. */
static size_t put_process(struct buffer *out, const struct dump *dump, size_t first, bool compared, struct stack *stack,
                          int *result)
{
    pid_t pid = dump->items[first].pid;
    const struct profile_process *process = dump_process(dump, pid);
    size_t i = first;
    buffer_puts(json_line(out), "{");
    json_number(out, "pid", (uint64_t)pid);
    json_text(out, "name", process ? process->comm : NULL);
    json_text(out, "command", process ? process->command : NULL);
    json_open(out, "threads", '[');
    for (; i < dump->count && dump->items[i].pid == pid; i++)
        if (!put_thread(out, dump, &dump->items[i], compared, stack))
            *result = -ENOMEM;
    buffer_puts(out, "]}");
    return i;
}

int dump_write_json(const struct dump *dump, bool compared, FILE *stream)
{
    struct buffer out = {0};
    struct stack stack = {0};
    int result = 0;
    buffer_puts(&out, "{");
    json_number(&out, "version", FORM);
    json_open(&out, "processes", '[');
    for (size_t i = 0; i < dump->count;)
        i = put_process(&out, dump, i, compared, &stack, &result);
    buffer_puts(&out, "]}\n");
    stack_fini(&stack);
    return text_end(&out, stream, result);
}

/* SPDX-License-Identifier: MIT
 *
 * A dump for people: a heading for each stack with the threads that have it, then its frames, innermost first. */
#include "common/base/buffer.h"
#include "common/model/wait.h"
#include "common/text/say.h"
#include "common/text/text.h"
#include "front/dump/dump.h"
#include "profile/profile/profile.h"
#include "profile/profile/stack.h"

#include <errno.h>
#include <string.h>

enum { LISTED_MOST = 12 }; /* threads with one stack that are listed */

struct writer {
    const struct dump *dump;
    bool compared, utf8;
    struct buffer out;
    struct stack stack;
};

/* Returns true if THREAD has the heading of FIRST: the same stack and state, for the same reason. */
static bool is_alike(const struct dump_thread *first, const struct dump_thread *thread)
{
    bool same_reason =
        !first->reason || !thread->reason ? first->reason == thread->reason : !strcmp(first->reason, thread->reason);
    return first->pid == thread->pid && first->stack && first->stack == thread->stack && same_reason &&
           first->deadlocked == thread->deadlocked && !strcmp(dump_state(first), dump_state(thread));
}

static bool is_first(const struct dump *dump, size_t index)
{
    for (size_t i = index; i-- > 0 && dump->items[i].pid == dump->items[index].pid;)
        if (is_alike(&dump->items[i], &dump->items[index]))
            return false;
    return true;
}

static void put_name(struct writer *writer, const struct dump_thread *thread)
{
    buffer_printf(&writer->out, "%d \"", (int)thread->tid);
    text_clean(&writer->out, thread->name, writer->utf8);
    buffer_puts(&writer->out, "\"");
}

/* Appends the threads that have the stack of number INDEX. Returns how many. */
static size_t put_threads(struct writer *writer, size_t index)
{
    const struct dump *dump = writer->dump;
    const struct dump_thread *first = &dump->items[index];
    size_t count = 0, listed = 0;
    for (size_t i = index; i < dump->count && dump->items[i].pid == first->pid; i++)
        count += i == index || is_alike(first, &dump->items[i]);
    if (count == 1)
        buffer_puts(&writer->out, "thread ");
    else
        buffer_printf(&writer->out, "%zu threads: ", count);
    put_name(writer, first);
    for (size_t i = index + 1; i < dump->count && dump->items[i].pid == first->pid; i++) {
        if (!is_alike(first, &dump->items[i]) || ++listed > LISTED_MOST)
            continue;
        buffer_puts(&writer->out, ", ");
        if (strcmp(first->name, dump->items[i].name) != 0)
            put_name(writer, &dump->items[i]);
        else
            buffer_printf(&writer->out, "%d", (int)dump->items[i].tid);
    }
    if (listed > LISTED_MOST)
        buffer_printf(&writer->out, ", %zu more", listed - LISTED_MOST);
    return count;
}

/* Appends what THREAD does. ALONE: no other thread has its heading. */
static void put_state(struct writer *writer, const struct dump_thread *thread, bool alone)
{
    struct buffer *out = &writer->out;
    int32_t place = thread->sample ? thread->sample->syscall : -1;
    buffer_printf(out, ": %s", dump_state(thread));
    if (place >= 0 && place < WAIT_FIRST)
        buffer_printf(out, " in %s", profile_syscall_name(place) ? profile_syscall_name(place) : "an unknown call");
    if (thread->reason) {
        buffer_puts(out, thread->waits ? ", waits for " : ", ");
        text_clean(out, thread->reason, writer->utf8);
    }
    if (thread->deadlocked)
        buffer_puts(out, " (deadlock)");
    if (alone) {
        buffer_puts(out, "; CPU ");
        text_duration(out, thread->ran_ns);
    }
    if (alone && writer->compared && thread->since_ns) {
        buffer_puts(out, ", ");
        text_duration(out, thread->since_ns);
        buffer_puts(out, " since the dump before");
    } else if (alone && writer->compared) {
        buffer_puts(out, ", has not run since the dump before");
    }
    buffer_puts(out, "\n");
}

static void put_frame(struct writer *writer, size_t number, const struct stack_frame *frame, bool is_inlined)
{
    struct buffer *out = &writer->out;
    buffer_printf(out, "  #%-2zu ", number);
    text_clean(out, frame->name, writer->utf8);
    if (is_inlined)
        buffer_puts(out, " [inlined]");
    if (frame->file) {
        buffer_puts(out, "  ");
        text_clean(out, frame->file, writer->utf8);
        if (frame->line)
            buffer_printf(out, ":%u", (unsigned)frame->line);
    } else if (frame->location != PROFILE_NONE) {
        buffer_puts(out, "  in ");
        text_clean(out, frame->module, writer->utf8);
    }
    buffer_puts(out, "\n");
}

static bool put_stack(struct writer *writer, const struct dump_thread *thread)
{
    struct stack *stack = &writer->stack;
    if (!thread->sample) {
        if (thread->state && thread->state != 'Z' && thread->state != 'X')
            buffer_puts(&writer->out, "  no stack: the thread could not be captured in time\n");
        return true;
    }
    if (!stack_of(stack, writer->dump->profile, thread->sample))
        return false;
    size_t first = thread->sample->syscall >= 0;
    for (size_t i = first; i < stack->count; i++) {
        bool is_inlined = dump_is_inlined(writer->dump->profile, stack, i);
        put_frame(writer, i - first, &stack->items[i], is_inlined);
    }
    return true;
}

/* Appends the heading of a process. FIRST: number of its first thread. */
static void put_process(struct writer *writer, size_t first)
{
    const struct dump *dump = writer->dump;
    pid_t pid = dump->items[first].pid;
    const struct profile_process *process = dump_process(dump, pid);
    size_t count = 0;
    while (first + count < dump->count && dump->items[first + count].pid == pid)
        count++;
    buffer_printf(&writer->out, "%sprocess %d \"", first ? "\n" : "", (int)pid);
    text_clean(&writer->out, process ? process->comm : "?", writer->utf8);
    buffer_printf(&writer->out, "\", %zu %s", count, text_plural(count, "thread", "threads"));
    if (process && process->command) {
        buffer_puts(&writer->out, ": ");
        text_clean(&writer->out, process->command, writer->utf8);
    }
    buffer_puts(&writer->out, "\n");
}

static int put_all(struct writer *writer, FILE *stream)
{
    const struct dump *dump = writer->dump;
    int result = 0;
    for (size_t i = 0; i < dump->count && !result; i++) {
        const struct dump_thread *thread = &dump->items[i];
        if (!i || thread->pid != dump->items[i - 1].pid)
            put_process(writer, i);
        if (!is_first(dump, i))
            continue;
        buffer_puts(&writer->out, "\n");
        size_t count = put_threads(writer, i);
        put_state(writer, thread, count == 1);
        result = put_stack(writer, thread) ? text_write_full(&writer->out, stream) : -ENOMEM;
    }
    return result;
}

int dump_write(const struct dump *dump, bool compared, FILE *stream)
{
    struct writer writer = {.dump = dump, .compared = compared, .utf8 = say_utf8()};
    int result = put_all(&writer, stream);
    stack_fini(&writer.stack);
    return text_end(&writer.out, stream, result);
}

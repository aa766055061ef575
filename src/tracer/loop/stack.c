/* SPDX-License-Identifier: MIT */
#include "tracer/loop/stack.h"

#include "common/arch/arch.h"
#include "common/arch/machine.h"
#include "common/base/ring.h"
#include "common/base/time.h"
#include "common/model/runs.h"
#include "common/wire/channel.h"
#include "common/wire/message.h"
#include "tracer/loop/ahead.h"
#include "tracer/loop/state.h"
#include "tracer/loop/tracer.h"
#include "tracer/tracee/memory.h"
#include "tracer/tracee/table.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum {
    SPAN_KNOWN = 8 << 20,   /* if the end of a stack is within this distance, the stack is searched to its end, with all
                             * holes */
    SPAN_UNKNOWN = 1 << 20, /* a stack with unknown end is searched this far beyond the copied size */
};

#define DEEP_NS UINT64_C(10000000000) /* larger copies end this long after they were last needed */

/* The thread's own data, or the arguments of a process, are above its first frame. */
uint64_t stack_end(const struct thread *thread, uint64_t sp)
{
    uint64_t top = 0, size = SPAN_KNOWN;
    const uint64_t tops[] = {thread->process->own->stack_start, thread->own->stack_top};
    for (size_t i = 0; i < sizeof tops / sizeof *tops; i++)
        if (tops[i] > sp && tops[i] - sp < size) {
            top = tops[i];
            size = top - sp;
        }
    return top;
}

/* Returns how many bytes of a stack with limit DEEP are copied. More than usual only while the front keeps up. */
static uint64_t most_of(const struct tracer *tracer, const struct stack_limit *deep, uint64_t now_ns)
{
    const struct ring *ring = &tracer->channel->ring;
    uint32_t usual = tracer->options.stack_bytes;
    bool deeper = usual < deep->bytes && now_ns < deep->until_ns;
    return deeper && ring_filled(ring) < ring->room / 4 ? deep->bytes : usual;
}

/* Doubles the limit until it is at least BYTES, or the maximum. Returns true if the limit is higher than before. */
static bool grow(const struct tracer *tracer, struct stack_limit *deep, uint64_t bytes, uint64_t now_ns)
{
    uint64_t most = tracer->options.stack_deepest, grown = tracer->options.stack_bytes;
    while (grown < bytes && grown < most)
        grown *= 2;
    if (grown > most)
        grown = most;
    bool is_higher = grown > deep->bytes || now_ns >= deep->until_ns;
    if (is_higher)
        deep->bytes = (uint32_t)grown;
    deep->until_ns = now_ns + DEEP_NS;
    return is_higher;
}

/* Adds OTHERS to RUNS if they lie below or above all RUNS and there is room. */
static void add_runs(struct runs *runs, const struct runs *others)
{
    uint64_t start = runs->count ? runs->items[0].start : UINT64_MAX;
    uint64_t end = runs->count ? runs->items[runs->count - 1].start + runs->items[runs->count - 1].size : 0;
    bool before =
        others->count && others->items[others->count - 1].start + others->items[others->count - 1].size <= start;
    bool behind = others->count && others->items[0].start >= end;
    if ((!before && !behind) || runs->count + others->count > RUNS_MOST)
        return;
    if (before)
        memmove(&runs->items[others->count], runs->items, runs->count * sizeof *runs->items);
    memcpy(before ? runs->items : &runs->items[runs->count], others->items, others->count * sizeof *others->items);
    runs->count += others->count;
    runs->bytes += others->bytes;
}

/* THREAD may be handling a signal on a signal stack, at SP. If so, adds the interrupted stack to RUNS. */
static void find_interrupted(const struct tracer *tracer, struct thread *thread, uint64_t sp, struct runs *runs)
{
    enum { HANDLER_MOST = 1 << 20 }; /* bytes of a signal stack */
    struct process *process = thread->process;
    uint64_t at = thread->own->crossed, other = 0, usual = tracer->options.stack_bytes;
    size_t word = process->compat ? 4 : sizeof other;
    struct runs more;
    if (at < sp || at - sp >= HANDLER_MOST ||
        memory_read_present(&process->memory, thread->tid, at, &other, word) != (ssize_t)word ||
        other <= ARCH_RED_ZONE || other % word)
        return;
    uint64_t top = stack_end(thread, other);
    memory_find(&process->memory, thread->tid, other, ARCH_RED_ZONE, top ? top : other + usual, usual, &more);
    add_runs(runs, &more);
}

void stack_look_ahead(const struct tracer *tracer, const struct thread *thread, struct ahead *ahead)
{
    enum { PAGES_BESIDE = 4 }; /* the thread may have called or returned since */
    uint64_t sp = thread->own->last_sp, most = tracer->options.stack_bytes, top = stack_end(thread, sp);
    uint64_t beside = PAGES_BESIDE * (uint64_t)getpagesize() + ARCH_RED_ZONE, end = sp + most + beside;
    if (!most || sp < beside || end < sp)
        return;
    memory_look(&thread->process->memory, thread->tid, sp - beside, top && top < end ? top : end, &ahead->pages);
}

static uint32_t find_usual(struct tracer *tracer, struct thread *thread, uint64_t sp, uint64_t now_ns,
                           struct runs *runs)
{
    struct process *process = thread->process;
    const struct memory_pages *pages = tracer->ahead.tid == thread->tid ? &tracer->ahead.pages : NULL;
    uint64_t below = sp > ARCH_RED_ZONE ? ARCH_RED_ZONE : sp, top = stack_end(thread, sp);
    struct stack_limit *deep = top ? &process->own->deep : &thread->own->deep;
    uint64_t usual = tracer->options.stack_bytes, most = most_of(tracer, deep, now_ns), span = most + SPAN_UNKNOWN;
    uint64_t end = top ? top : span < UINT64_MAX - sp ? sp + span : UINT64_MAX;
    runs_begin(runs, sp, sp, 0);
    tracer->stack_grows = false;
    if (!most)
        return 0;
    memory_find_known(&process->memory, thread->tid, sp, below, end, most, pages, runs);
    if (top && most > usual && runs->limited) { /* the stack is cut in any case, so more bytes would not help */
        runs->bytes = runs_cut(runs->items, runs->count, 0, UINT64_MAX, usual + below);
        tracer->stack_grows = grow(tracer, deep, most + 1, now_ns);
    } else if (top && runs->bytes > usual + below) {
        deep->until_ns = now_ns + DEEP_NS;
    }
    return !runs->limited ? 0 : top ? (uint32_t)(top - sp) : (uint32_t)most;
}

uint32_t stack_find(struct tracer *tracer, struct thread *thread, uint64_t sp, uint64_t now_ns, struct runs *runs)
{
    uint32_t depth = find_usual(tracer, thread, sp, now_ns, runs);
    if (thread->own->crossed && tracer->options.stack_bytes)
        find_interrupted(tracer, thread, sp, runs);
    return depth;
}

bool stack_deeper(struct tracer *tracer, pid_t pid, pid_t tid, uint64_t bytes, uint64_t crossed)
{
    struct process *process = table_process(&tracer->follow.table, pid);
    struct thread *thread = table_thread(&tracer->follow.table, tid);
    uint64_t now_ns = time_now_ns();
    bool is_more = crossed && thread && thread->own->crossed != crossed;
    if (is_more)
        thread->own->crossed = crossed;
    if (!process || !tracer->options.stack_bytes || !bytes)
        return is_more;
    is_more |= grow(tracer, &process->own->deep, bytes, now_ns);
    if (thread && thread->process == process)
        is_more |= grow(tracer, &thread->own->deep, bytes, now_ns);
    return is_more;
}

/* The red zone may be in an unreadable page: the guard page of the stack. */
ssize_t stack_copy(struct thread *thread, uint64_t sp, struct runs *runs, void *place)
{
    struct memory *memory = &thread->process->memory;
    unsigned char *bytes = (unsigned char *)place + runs->count * sizeof *runs->items;
    uint64_t page = sp - sp % (uint64_t)getpagesize();
    ssize_t got = memory_read_runs(memory, thread->tid, runs, bytes);
    if (got == -EFAULT && runs->items[0].start < page) {
        runs->bytes = runs_cut(runs->items, runs->count, page, UINT64_MAX, runs->bytes);
        got = memory_read_runs(memory, thread->tid, runs, bytes);
    }
    if (got < 0)
        runs->bytes = runs_cut(runs->items, runs->count, 0, 0, 0);
    memcpy(place, runs->items, runs->count * sizeof *runs->items);
    return got;
}

void stack_trim(struct thread *thread, struct message_capture *message)
{
    struct memory_run *runs = (struct memory_run *)(void *)(message + 1);
    const unsigned char *bytes = message_stack(message);
    uint64_t sp = arch_sp(&message->registers);
    for (size_t i = 0; i < message->run_count && !thread->own->stack_top; bytes += runs[i++].size) {
        uint64_t below = sp > runs[i].start ? sp - runs[i].start : 0;
        if (below < runs[i].size)
            thread->own->stack_top =
                arch_find_thread_pointer(bytes + below, (size_t)(runs[i].size - below), runs[i].start + below);
    }
    if (thread->own->stack_top <= sp)
        return;
    uint32_t size = (uint32_t)runs_cut(runs, message->run_count, 0, thread->own->stack_top, message->stack_size);
    if (size < message->stack_size)
        message->stack_depth = 0;
    message->stack_size = size;
}

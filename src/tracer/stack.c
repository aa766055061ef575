/* SPDX-License-Identifier: MIT */
#include "tracer/stack.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum {
    SPAN_KNOWN = 8 << 20,   /* a stack that ends nearer than this is looked through to its end, holes and all */
    SPAN_UNKNOWN = 1 << 20, /* of one that may end anywhere, so much more than is copied */
};

/* Where the stack from SP on ends: above its first frame are a thread's own data, and the arguments of a process. */
static uint64_t end_of(const struct thread *thread, uint64_t sp, uint64_t most)
{
    uint64_t size = SPAN_KNOWN;
    const uint64_t tops[] = {thread->process->stack_start, thread->stack_top};
    for (size_t i = 0; i < sizeof tops / sizeof *tops; i++)
        if (tops[i] > sp && tops[i] - sp < size)
            size = tops[i] - sp;
    if (size == SPAN_KNOWN)
        size = SPAN_UNKNOWN + most;
    return size < UINT64_MAX - sp ? sp + size : UINT64_MAX;
}

void stack_find(struct tracer *tracer, struct thread *thread, uint64_t sp, struct runs *runs)
{
    uint64_t below = sp < ARCH_RED_ZONE ? sp : ARCH_RED_ZONE, most = tracer->options.stack_bytes;
    uint64_t end = end_of(thread, sp, most);
    runs_begin(runs, sp, sp, 0);
    if (most)
        memory_find(&thread->process->memory, thread->tid, sp - below, end, most + below, runs);
}

/* The red zone may lie in a page that cannot be read: what protects a stack from growing too far was a part of it once. */
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
    for (size_t i = 0; i < message->run_count && !thread->stack_top; bytes += runs[i++].size) {
        uint64_t below = sp > runs[i].start ? sp - runs[i].start : 0;
        if (below < runs[i].size)
            thread->stack_top =
                arch_find_thread_pointer(bytes + below, (size_t)(runs[i].size - below), runs[i].start + below);
    }
    if (thread->stack_top > sp)
        message->stack_size = (uint32_t)runs_cut(runs, message->run_count, 0, thread->stack_top, message->stack_size);
}

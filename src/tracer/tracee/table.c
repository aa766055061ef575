/* SPDX-License-Identifier: MIT */
#include "tracer/tracee/table.h"

#include "common/base/array.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool thread_has_tid(const void *owner, uint32_t number, const void *key)
{
    const struct table *table = owner;
    return table->threads[number]->tid == *(const pid_t *)key;
}

static bool process_has_pid(const void *owner, uint32_t number, const void *key)
{
    const struct table *table = owner;
    return table->processes[number]->pid == *(const pid_t *)key;
}

static uint64_t hash_of(pid_t id)
{
    return hash_number((uint64_t)id);
}

static uint32_t thread_number(const struct table *table, pid_t tid)
{
    return hash_find(&table->by_tid, hash_of(tid), thread_has_tid, table, &tid);
}

static uint32_t process_number(const struct table *table, pid_t pid)
{
    return hash_find(&table->by_pid, hash_of(pid), process_has_pid, table, &pid);
}

struct thread *table_thread(const struct table *table, pid_t tid)
{
    uint32_t number = thread_number(table, tid);
    return number == HASH_NONE ? NULL : table->threads[number];
}

struct process *table_process(const struct table *table, pid_t pid)
{
    uint32_t number = process_number(table, pid);
    return number == HASH_NONE ? NULL : table->processes[number];
}

/* Returns the bytes that ROOM needs, rounded up so that another room may follow. */
static size_t span(const struct table_room *room)
{
    const size_t unit = _Alignof(max_align_t);
    return (room->size + unit - 1) / unit * unit;
}

/* Returns ROOM, made at *PLACE, and moves *PLACE behind it. */
static void *furnish(const struct table_room *room, char **place)
{
    void *begun = *place;
    if (!room->size)
        return NULL;
    if (room->initial)
        memcpy(begun, room->initial, room->size);
    *place += span(room);
    return begun;
}

/* Returns a zeroed object of SIZE bytes followed by ROOMS bytes, and sets *PLACE to these; NULL if memory runs out. */
static void *make(size_t size, size_t rooms, char **place)
{
    const struct table_room owner = {.size = size};
    char *made = calloc(1, span(&owner) + rooms);
    *place = made ? made + span(&owner) : NULL;
    return made;
}

struct process *table_add_process(struct table *table, pid_t pid, pid_t parent)
{
    const struct table_rooms *rooms = &table->rooms;
    char *place;
    struct process *process =
        make(sizeof *process, span(&rooms->clock_process) + span(&rooms->calls_process) + span(&rooms->tracer_process),
             &place);
    if (!process ||
        !array_reserve_((void **)&table->processes, &table->process_room, table->process_count + 1,
                        sizeof *table->processes) ||
        !hash_add(&table->by_pid, hash_of(pid), (uint32_t)table->process_count)) {
        free(process);
        return NULL;
    }
    process->pid = pid;
    process->parent = parent;
    process->clock = furnish(&rooms->clock_process, &place);
    process->calls = furnish(&rooms->calls_process, &place);
    process->own = furnish(&rooms->tracer_process, &place);
    table->processes[table->process_count++] = process;
    return process;
}

struct thread *table_add_thread(struct table *table, struct process *process, pid_t tid)
{
    const struct table_rooms *rooms = &table->rooms;
    char *place;
    struct thread *thread = make(sizeof *thread, span(&rooms->clock_thread) + span(&rooms->tracer_thread), &place);
    if (!thread || !array_reserve_((void **)&table->threads, &table->room, table->count + 1, sizeof *table->threads) ||
        !hash_add(&table->by_tid, hash_of(tid), (uint32_t)table->count)) {
        free(thread);
        return NULL;
    }
    thread->tid = tid;
    thread->process = process;
    thread->schedstat_fd = thread->stat_fd = thread->syscall_fd = thread->sched_fd = -1;
    thread->clock = furnish(&rooms->clock_thread, &place);
    thread->own = furnish(&rooms->tracer_thread, &place);
    thread->next = process->threads;
    if (thread->next)
        thread->next->newer = thread;
    process->threads = thread;
    process->thread_count++;
    table->threads[table->count++] = thread;
    return thread;
}

void table_take_over(const struct table *table, struct thread *thread, const struct thread *former)
{
    if (thread != former && table->rooms.clock_thread.size)
        memcpy(thread->clock, former->clock, table->rooms.clock_thread.size);
}

static void close_file(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void thread_close_files(struct thread *thread)
{
    close_file(&thread->schedstat_fd);
    close_file(&thread->stat_fd);
    close_file(&thread->syscall_fd);
    close_file(&thread->sched_fd);
}

void table_remove_thread(struct table *table, struct thread *thread)
{
    *(thread->newer ? &thread->newer->next : &thread->process->threads) = thread->next;
    if (thread->next)
        thread->next->newer = thread->newer;
    thread->process->thread_count--;
    thread_close_files(thread);

    uint32_t hole = thread_number(table, thread->tid), last = (uint32_t)--table->count;
    hash_remove(&table->by_tid, hash_of(thread->tid), hole);
    if (hole != last) {
        table->threads[hole] = table->threads[last];
        hash_renumber(&table->by_tid, hash_of(table->threads[hole]->tid), last, hole);
    }
    rescue_forget_remainder(thread->remainder);
    free(thread->remote);
    free(thread);
}

void table_take_process(struct table *table, struct process *process)
{
    uint32_t hole = process_number(table, process->pid), last = (uint32_t)--table->process_count;
    hash_remove(&table->by_pid, hash_of(process->pid), hole);
    if (hole != last) {
        table->processes[hole] = table->processes[last];
        hash_renumber(&table->by_pid, hash_of(table->processes[hole]->pid), last, hole);
    }
}

void table_free_process(struct process *process)
{
    memory_forget(&process->memory);
    address_map_fini(&process->map);
    free(process);
}

void table_remove_process(struct table *table, struct process *process)
{
    while (process->threads)
        table_remove_thread(table, process->threads);
    table_take_process(table, process);
    table_free_process(process);
}

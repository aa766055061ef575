/* SPDX-License-Identifier: MIT
 *
 * Profiles made by hand. */
#ifndef TEST_PROFILE_H
#define TEST_PROFILE_H

#include "common/model/quality.h"
#include "common/model/wait.h"
#include "profile/profile/profile.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

/* Few items have no room to spare, so that sanitizers find reads behind them. To copy many items for each new one would
 * take minutes under the sanitizers. */
static inline void *made_room(void *items, size_t count, size_t size)
{
    enum { FEW = 256 };
    if (count > FEW && malloc_usable_size(items) >= count * size)
        return items;
    items = realloc(items, (count > FEW ? 2 : 1) * count * size);
    if (!items)
        abort();
    return items;
}

static inline struct profile *make_profile(const char *command)
{
    struct profile *profile = made_room(NULL, 1, sizeof *profile);
    memset(profile, 0, sizeof *profile);
    profile->command = command ? strdup(command) : NULL;
    profile->quality.rate = profile->quality.last_rate = profile->quality.lowest_rate = 100;
    profile->quality.max_overhead = 25;
    return profile;
}

static inline uint32_t make_process(struct profile *profile, pid_t pid, uint32_t image, const char *comm)
{
    struct profile_process *process;
    profile->processes = made_room(profile->processes, profile->process_count + 1, sizeof *profile->processes);
    process = &profile->processes[profile->process_count];
    *process = (struct profile_process){.pid = pid, .image = image, .comm = strdup(comm), .module = PROFILE_NONE};
    return (uint32_t)profile->process_count++;
}

static inline uint32_t make_thread(struct profile *profile, uint32_t process, pid_t tid, const char *comm)
{
    struct profile_thread *thread;
    profile->threads = made_room(profile->threads, profile->thread_count + 1, sizeof *profile->threads);
    thread = &profile->threads[profile->thread_count];
    *thread = (struct profile_thread){.process = process, .tid = tid, .comm = strdup(comm)};
    return (uint32_t)profile->thread_count++;
}

static inline uint32_t make_module(struct profile *profile, const char *path, uint64_t start, uint64_t end)
{
    struct profile_module *module;
    profile->modules = made_room(profile->modules, profile->module_count + 1, sizeof *profile->modules);
    module = &profile->modules[profile->module_count];
    *module = (struct profile_module){.path = strdup(path), .text_start = start, .text_end = end};
    const char *slash = strrchr(module->path, '/');
    module->name = slash ? slash + 1 : module->path;
    return (uint32_t)profile->module_count++;
}

/* Makes a function and a location in it. Returns the location's index. */
static inline uint32_t make_frame(struct profile *profile, uint32_t module, const char *name, uint64_t address)
{
    profile->functions = made_room(profile->functions, profile->function_count + 1, sizeof *profile->functions);
    profile->locations = made_room(profile->locations, profile->location_count + 1, sizeof *profile->locations);
    profile->functions[profile->function_count] = (struct profile_function){.module = module, .name = strdup(name)};
    profile->locations[profile->location_count] = (struct profile_location){
        .module = module, .function = (uint32_t)profile->function_count++, .address = address};
    return (uint32_t)profile->location_count++;
}

/* Adds a line to LOCATION, behind its others: in the function of the location OF, in FILE (NULL: unknown). Add all
 * lines of one location before those of the next. */
static inline void add_line(struct profile *profile, uint32_t location, uint32_t of, const char *file, uint32_t number)
{
    struct profile_location *place = &profile->locations[location];
    uint32_t known = PROFILE_NONE;
    for (uint32_t i = 0; file && i < profile->file_count; i++)
        if (!strcmp(profile->files[i], file))
            known = i;
    if (file && known == PROFILE_NONE) {
        profile->files = made_room(profile->files, profile->file_count + 1, sizeof *profile->files);
        known = (uint32_t)profile->file_count++;
        profile->files[known] = strdup(file);
    }
    profile->lines = made_room(profile->lines, profile->line_count + 1, sizeof *profile->lines);
    if (!place->line_count++)
        place->line_first = (uint32_t)profile->line_count;
    profile->lines[profile->line_count++] =
        (struct profile_line){.function = profile->locations[of].function, .file = known, .line = number};
}

/* Adds COUNT samples with CPU_NS in all, and a stack of DEPTH locations, leaf first. SYSCALL -1: in user code. */
static inline void add_stack(struct profile *profile, uint32_t thread, int32_t syscall, uint64_t count, uint64_t cpu_ns,
                             const uint32_t *stack, size_t depth)
{
    profile->frames = made_room(profile->frames, profile->frame_count + depth, sizeof *profile->frames);
    profile->samples = made_room(profile->samples, profile->sample_count + 1, sizeof *profile->samples);
    memcpy(profile->frames + profile->frame_count, stack, depth * sizeof *stack);
    profile->samples[profile->sample_count++] = (struct profile_sample){
        .thread = thread,
        .frame_first = (uint32_t)profile->frame_count,
        .frame_count = (uint32_t)depth,
        .syscall = syscall,
        .count = count,
        .cpu_ns = cpu_ns,
    };
    profile->frame_count += depth;
    profile->processes[profile->threads[thread].process].cpu_ns += cpu_ns;
    profile->quality.samples += count;
    profile->quality.due += count;
}

#define ADD_STACK(profile, thread, syscall, count, cpu_ns, ...)                                                        \
    add_stack(profile, thread, syscall, count, cpu_ns, (const uint32_t[]){__VA_ARGS__},                                \
              sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static inline void add_mark(struct profile *profile, uint64_t time_ns, const char *text)
{
    profile->marks = made_room(profile->marks, profile->mark_count + 1, sizeof *profile->marks);
    profile->marks[profile->mark_count++] = (struct profile_mark){time_ns, strdup(text)};
}

static inline void add_unsampled(struct profile *profile, uint32_t process, uint64_t cpu_ns)
{
    profile->processes[process].unsampled_ns += cpu_ns;
    profile->processes[process].cpu_ns += cpu_ns;
}

/* Two compilers, their shell, and a program without samples. */
static inline struct profile *make_example(void)
{
    struct profile *profile = make_profile("sh -c 'gcc -O2 -c a.c && gcc -O2 -c b.c'");
    uint32_t shell = make_process(profile, 4100, 0, "sh");
    uint32_t first = make_process(profile, 4101, 1, "cc1");
    uint32_t second = make_process(profile, 4102, 1, "cc1");
    uint32_t old = make_process(profile, 4103, 0, "old");
    uint32_t shell_thread = make_thread(profile, shell, 4100, "sh");
    uint32_t first_thread = make_thread(profile, first, 4101, "cc1");
    uint32_t helper_thread = make_thread(profile, first, 0, "worker");
    uint32_t second_thread = make_thread(profile, second, 4102, "cc1");
    uint32_t dash = make_module(profile, "/usr/bin/dash", 0x4000, 0x18000);
    uint32_t compiler = make_module(profile, "/usr/lib/gcc/x86_64-linux-gnu/12/cc1", 0x401000, 0x1a00000);
    uint32_t libc = make_module(profile, "/usr/lib/x86_64-linux-gnu/libc.so.6", 0x26000, 0x17b000);
    profile->modules[dash].executable = profile->modules[compiler].executable = true;
    uint32_t shell_main = make_frame(profile, dash, "main", 0x5000);
    uint32_t wait = make_frame(profile, libc, "__wait3", 0x30000);
    uint32_t main = make_frame(profile, compiler, "main", 0x402000);
    uint32_t walk = make_frame(profile, compiler,
                               "walk_tree_1(tree_node**, tree_node* (*)(tree_node**, int*, "
                               "void*), void*, hash_set<tree_node*>*)",
                               0x600000);
    uint32_t hash = make_frame(profile, compiler, "ht_lookup_with_hash", 0x700000);
    uint32_t copy = make_frame(profile, libc, "__memmove_avx_unaligned_erms", 0x50000);
    uint32_t nowhere = make_frame(profile, libc, "read", 0x51000);

    ADD_STACK(profile, shell_thread, 61, 1, 4000000, wait, shell_main);
    ADD_STACK(profile, first_thread, -1, 210, 2100000000, walk, main);
    ADD_STACK(profile, first_thread, -1, 32, 321000000, hash, walk, main);
    ADD_STACK(profile, helper_thread, -1, 9, 90000000, copy, main);
    ADD_STACK(profile, second_thread, -1, 101, 1010000000, walk, walk, main);
    ADD_STACK(profile, second_thread, 0, 7, 68000000, nowhere, main);
    ADD_STACK(profile, second_thread, 9999, 1, 9000000, nowhere, main);
    add_unsampled(profile, shell, 1500000);
    add_unsampled(profile, first, 3000000);
    profile->processes[first].command =
        "/usr/lib/gcc/x86_64-linux-gnu/12/cc1 -quiet -O2 -g -fno-plt source/a.c -o /tmp/a.s";
    profile->processes[second].command =
        "/usr/lib/gcc/x86_64-linux-gnu/12/cc1 -quiet -O2 -g -fno-plt source/b.c -o /tmp/b.s";
    profile->processes[old].not_sampled = "32-bit program";
    profile->quality.due += 4;
    profile->quality.counters[QUALITY_lost_waiting] = 3;
    profile->quality.counters[QUALITY_lost_late] = 1;
    profile->quality.wall_ns = 3700000000;
    profile->quality.counters[QUALITY_stops] = 365;
    profile->quality.pause_median_ns = 5200;
    profile->quality.pause_p99_ns = 18400;
    profile->quality.supervisor_cpu_ns = 21000000;
    return profile;
}

/* Adds WAIT_NS of waiting to sample NUMBER. */
static inline void add_waiting(struct profile *profile, size_t number, uint64_t wait_ns)
{
    profile->samples[number].wait_ns += wait_ns;
    profile->processes[profile->threads[profile->samples[number].thread].process].wait_ns += wait_ns;
}

/* The example, sampled by wall time: one sample ran and waited, others only waited. */
static inline struct profile *make_waiting_example(void)
{
    struct profile *profile = make_example();
    profile->quality.wall = true;
    profile->quality.counters[QUALITY_put_off] = 12;
    add_waiting(profile, 0, 3600000000);
    add_waiting(profile, 5, 132000000);
    ADD_STACK(profile, 1, WAIT_FOR_CPU, 0, 0, profile->frames[profile->samples[1].frame_first]);
    add_waiting(profile, profile->sample_count - 1, 700000001);
    profile->processes[1].unsampled_wait_ns += 40000000;
    profile->processes[1].wait_ns += 40000000;
    return profile;
}

#endif

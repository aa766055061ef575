/* SPDX-License-Identifier: MIT
 *
 * Makes a large stored profile, to see what reading it takes: `stored SAMPLES STACKS FILE`. Each sample is an
 * entry of its own, of one of several threads, taken a millisecond after the one before; the stacks have 20 frames, of
 * 5,000 functions in 50 files. The same numbers give the same file. */
#include "profile/profile/builder.h"
#include "profile/report/report.h"

#include <stdio.h>
#include <stdlib.h>

enum { MODULES = 50, FUNCTIONS = 5000, LOCATIONS = 4 * FUNCTIONS, DEPTH = 20 };

static uint64_t state = 88172645463325252u;

/* A number below LIMIT; the small ones are more frequent, as a few functions are hot in real programs. */
static uint32_t pick(uint32_t limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    uint64_t one = state % limit, other = (state >> 32) % limit;
    return (uint32_t)(one * other / limit);
}

static void add_code(struct builder *builder)
{
    char path[64], name[128], file[64];
    for (uint32_t i = 0; i < LOCATIONS; i++) {
        uint32_t function = i / 4;
        snprintf(path, sizeof path, "/usr/lib/x86_64-linux-gnu/libnumber%u.so.1", function % MODULES);
        snprintf(name, sizeof name, "name::space::of::some::Class%u<int, std::string>::method(int, char const*)",
                 function);
        snprintf(file, sizeof file, "/usr/src/project/src/part%u.cc", function % 500);
        struct profile_module module = {.path = path, .text_start = 0x1000, .text_end = 0x1000000};
        struct profile_function like = {.module = builder_module(builder, &module), .name = name};
        like.start = 0x1000 + function * 0x100;
        struct profile_line line = {builder_function(builder, &like), builder_file(builder, file), 1 + i % 1000};
        struct profile_location location = {
            .module = like.module, .function = line.function, .address = like.start + i % 4 * 16, .line_count = 1};
        builder_location(builder, &location, &line);
    }
}

static void make_stacks(uint32_t (*stacks)[DEPTH], uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t frame = 0; frame < DEPTH; frame++) {
            /* the outer half is shared with the stack before it, mostly */
            bool shared = i && frame >= DEPTH / 2 && pick(10);
            stacks[i][frame] = shared ? stacks[i - 1][frame] : pick(LOCATIONS);
        }
}

static void add_samples(struct builder *builder, uint32_t samples, uint32_t (*stacks)[DEPTH], uint32_t count)
{
    char comm[] = "program", worker[32];
    uint32_t process = builder_process(
        builder, &(struct profile_process){.pid = 1000, .comm = comm, .unsampled_ns = 5000000, .module = PROFILE_NONE});
    for (uint32_t i = 0; i < samples; i++) {
        snprintf(worker, sizeof worker, "worker-%u", i / count);
        struct profile_thread thread = {.process = process, .tid = (pid_t)(1000 + i / count), .comm = worker};
        struct profile_sample sample = {.thread = builder_thread(builder, &thread),
                                        .frame_count = DEPTH,
                                        .count = 1,
                                        .cpu_ns = 10000000 + pick(1000)};
        sample.syscall = i % count % 10 ? -1 : (int32_t)(i % count % 300);
        struct instant instant = {.sample = builder_sample(builder, &sample, stacks[i % count]),
                                  .time_ns = i * UINT64_C(1000000),
                                  .count = 1,
                                  .cpu_ns = sample.cpu_ns};
        instants_add(&builder->profile->instants, &instant);
    }
}

static int write_file(const struct profile *profile, const char *path)
{
    struct report_options options = REPORT_OPTIONS_FULL;
    FILE *stream = fopen(path, "w");
    int result = stream ? report_format_by_name("pprof")->write(profile, &options, stream) : -1;
    if (!stream || fclose(stream) != 0 || result < 0) {
        fprintf(stderr, "stored: cannot write %s\n", path);
        return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    uint32_t samples = argc == 4 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
    uint32_t count = argc == 4 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    uint32_t(*stacks)[DEPTH] = count ? calloc(count, sizeof *stacks) : NULL;
    struct builder builder;
    if (!samples || !stacks) {
        fprintf(stderr, "usage: stored SAMPLES STACKS FILE\n");
        return 2;
    }
    builder_init(&builder);
    add_code(&builder);
    make_stacks(stacks, count);
    add_samples(&builder, samples, stacks, count);
    struct profile *profile = builder_finish(&builder);
    int status = profile ? write_file(profile, argv[3]) : 1;
    profile_free(profile);
    free(stacks);
    return status;
}

/* SPDX-License-Identifier: MIT */
#include "profile/profile/estimate.h"

#include "common/base/buffer.h"
#include "test_profile.h"
#include "unit.h"

enum { MOST = 8 };

/* A process without a name ends the list of processes, a sample without a function ends the list of samples. */
struct process {
    const char *comm, *module;
    uint64_t unsampled_ns;
    pid_t pid; /* 0: of several processes */
};

struct sample {
    unsigned process;
    pid_t tid;
    const char *function;
    uint64_t count, cpu_ns, period_ns;
};

struct scene {
    const char *about;
    struct process processes[MOST];
    struct sample samples[MOST];
    const char *functions; /* the time of each function in the end, and the time without a function */
};

/* Periods are 10, so a process or thread of 1000 is a long one. */
static const struct scene scenes[] = {
    {"nothing is without samples: nothing changes",
     {{"job", "/bin/job", 0, 1}},
     {{0, 1, "a", 1, 3, 10}, {0, 1, "b", 1, 12, 10}},
     "a 3 b 12 - 0"},
    {"each sample of short processes stands for as much",
     {{"job", "/bin/job", 1, 1}, {"job", "/bin/job", 4, 2}, {"job", NULL, 5, 3}, {"job", NULL, 5, 4}},
     {{0, 1, "a", 1, 4, 10}, {1, 2, "b", 1, 1, 10}},
     "a 10 b 10 - 0"},
    {"the first sample of a thread stands for a period, too",
     {{"job", "/bin/job", 10, 1}},
     {{0, 1, "a", 1, 1, 10}, {0, 1, "b", 4, 39, 40}},
     "a 10 b 40 - 0"},
    {"a sample that was taken at a lower rate stands for more",
     {{"job", "/bin/job", 5, 1}, {"job", "/bin/job", 50, 2}, {"job", NULL, 55, 3}},
     {{0, 1, "a", 1, 0, 10}, {1, 2, "b", 1, 0, 100}},
     "a 10 b 100 - 0"},
    {"a long process is known by its own samples, short ones by theirs",
     {{"job", "/bin/job", 3, 1}, {"job", "/bin/job", 3, 2}, {"job", NULL, 5, 3}},
     {{0, 1, "a", 200, 2000, 2000}, {1, 2, "b", 1, 2, 10}},
     "a 2003 b 10 - 0"},
    {"short ones without samples are taken for what the long one did",
     {{"job", "/bin/job", 0, 1}, {"job", NULL, 4, 2}},
     {{0, 1, "a", 90, 900, 900}, {0, 1, "b", 30, 300, 300}},
     "a 903 b 301 - 0"},
    {"programs without samples stay as they are",
     {{"job", "/bin/job", 5, 1}, {"other", NULL, 7, 2}},
     {{0, 1, "a", 1, 5, 10}},
     "a 10 - 7"},
    {"what has another name and little time is the program's",
     {{"job", "/bin/job", 5, 1}, {"worker", "/bin/job", 7, 2}},
     {{0, 1, "a", 1, 5, 10}},
     "a 17 - 0"},
    {"workers that each have a name of their own stand for each other",
     {{"w1", "/bin/job", 1, 1}, {"w2", "/bin/job", 1, 2}, {"w3", "/bin/job", 10, 3}},
     {{0, 1, "a", 1, 8, 10}, {1, 2, "b", 1, 0, 10}},
     "a 10 b 10 - 0"},
    {"what has another name and much time is known by its own samples",
     {{"job", "/bin/job", 100, 0}, {"worker", "/bin/job", 150, 0}},
     {{0, 0, "a", 10, 100, 100}, {1, 0, "b", 5, 50, 50}},
     "a 200 b 200 - 0"},
    {"other files of the same name stand for each other, if each has little time",
     {{"conftest", "/1/conftest", 5, 1}, {"conftest", "/2/conftest", 7, 2}},
     {{0, 1, "a", 1, 3, 10}},
     "a 15 - 0"},
    {"threads of a server, most of which have no sample",
     {{"server", "/bin/server", 980, 1}},
     {{0, 1, "a", 1, 1, 10}, {0, 2, "b", 2, 9, 20}, {0, 3, "b", 1, 10, 10}},
     "a 250 b 750 - 0"},
    {"what a long thread lacks is not its short neighbour's",
     {{"job", "/bin/job", 500, 1}},
     {{0, 1, "a", 199, 1990, 1990}, {0, 2, "b", 1, 10, 10}},
     "a 2450 b 50 - 0"},
};

static uint32_t module_called(struct profile *profile, const char *path)
{
    for (uint32_t i = 0; path && i < profile->module_count; i++)
        if (!strcmp(profile->modules[i].path, path))
            return i;
    return path ? make_module(profile, path, 0, 100) : PROFILE_NONE;
}

static uint32_t thread_called(struct profile *profile, uint32_t process, pid_t tid)
{
    for (uint32_t i = 0; i < profile->thread_count; i++)
        if (profile->threads[i].process == process && profile->threads[i].tid == tid)
            return i;
    return make_thread(profile, process, tid, "t");
}

static uint32_t frame_called(struct profile *profile, const char *name)
{
    for (uint32_t i = 0; i < profile->location_count; i++)
        if (!strcmp(profile->functions[profile->locations[i].function].name, name))
            return i;
    return make_frame(profile, module_called(profile, "/code"), name, profile->location_count);
}

static void put_sample(struct profile *profile, const struct sample *sample)
{
    uint32_t thread = thread_called(profile, sample->process, sample->tid);
    ADD_STACK(profile, thread, -1, sample->count, sample->cpu_ns, frame_called(profile, sample->function));
    profile->samples[profile->sample_count - 1].period_ns = sample->period_ns;
    instants_add(&profile->instants,
                 &(struct instant){1000 * profile->sample_count, (uint32_t)profile->sample_count - 1, sample->count,
                                   sample->cpu_ns, 0});
}

static struct profile *staged(const struct scene *scene)
{
    struct profile *profile = make_profile("job");
    for (size_t i = 0; i < MOST && scene->processes[i].comm; i++) {
        const struct process *process = &scene->processes[i];
        uint32_t made = make_process(profile, process->pid, 0, process->comm);
        profile->processes[made].module = module_called(profile, process->module);
        add_unsampled(profile, made, process->unsampled_ns);
    }
    for (size_t i = 0; i < MOST && scene->samples[i].function; i++)
        put_sample(profile, &scene->samples[i]);
    return profile;
}

static uint64_t function_ns(const struct profile *profile, const char *name)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < profile->sample_count; i++) {
        const struct profile_location *leaf = &profile->locations[profile->frames[profile->samples[i].frame_first]];
        if (!strcmp(profile->functions[leaf->function].name, name))
            sum += profile_sample_ns(&profile->samples[i]);
    }
    return sum;
}

static void put_functions(struct buffer *out, const struct profile *profile)
{
    for (size_t i = 0; i < profile->function_count; i++)
        buffer_printf(out, "%s %llu ", profile->functions[i].name,
                      (unsigned long long)function_ns(profile, profile->functions[i].name));
    buffer_printf(out, "- %llu", (unsigned long long)profile_all_unsampled_ns(profile));
}

START_TEST(time_goes_where_samples_are)
{
    struct profile *profile = staged(&scenes[_i]);
    struct buffer text = {0};
    ck_assert_int_eq(estimate_apply(profile), 0);
    put_functions(&text, profile);
    ck_assert_msg(!strcmp(text.bytes, scenes[_i].functions), "%s: %s, not %s", scenes[_i].about, text.bytes,
                  scenes[_i].functions);
    buffer_fini(&text);
    profile_free(profile);
}
END_TEST

static uint64_t random_state;

static uint64_t random_below(uint64_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (random_state >> 33) % limit;
}

static void add_any_process(struct profile *profile)
{
    static const char *const comms[] = {"sh", "cc1", "as", "ld"}, *const modules[] = {"/bin/sh", "/bin/cc1", NULL};
    uint32_t process =
        make_process(profile, random_below(9) ? (pid_t)profile->process_count + 1 : 0, 0, comms[random_below(4)]);
    profile->processes[process].module = module_called(profile, modules[random_below(3)]);
    profile->processes[process].not_sampled = random_below(20) ? NULL : "it is another's";
    add_unsampled(profile, process, random_below(4) ? random_below(INT64_MAX / 1000000) >> random_below(40) : 0);
    profile->processes[process].unsampled_wait_ns = random_below(3) ? 0 : random_below(1000000);
    profile->processes[process].wait_ns += profile->processes[process].unsampled_wait_ns;
}

static void add_any_sample(struct profile *profile)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    struct sample sample = {(unsigned)random_below(profile->process_count),
                            (pid_t)random_below(3),
                            names[random_below(4)],
                            random_below(3),
                            random_below(50000000),
                            random_below(30000000)};
    put_sample(profile, &sample);
    uint64_t wait_ns = random_below(2) ? random_below(10000000) : 0;
    add_waiting(profile, profile->sample_count - 1, wait_ns);
    if (wait_ns)
        instants_add(&profile->instants, &(struct instant){1000 * profile->sample_count,
                                                           (uint32_t)profile->sample_count - 1, 0, 0, wait_ns});
}

struct figures {
    uint64_t cpu_ns, wait_ns, count;
};

/* Returns the sampled time of each process, or thread, and its time without samples. */
static struct figures *figures_of(const struct profile *profile, bool by_thread)
{
    struct figures *figures = calloc(profile->process_count + profile->thread_count, sizeof *figures);
    for (size_t i = 0; i < profile->process_count && !by_thread; i++) {
        figures[i].cpu_ns = profile->processes[i].unsampled_ns;
        figures[i].wait_ns = profile->processes[i].unsampled_wait_ns;
    }
    for (size_t i = 0; i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        struct figures *of = &figures[by_thread ? sample->thread : profile->threads[sample->thread].process];
        of->cpu_ns += sample->cpu_ns;
        of->wait_ns += sample->wait_ns;
        of->count += sample->count;
    }
    return figures;
}

static void check_times(const struct profile *profile)
{
    struct figures *sums = calloc(profile->sample_count + 1, sizeof *sums);
    struct instants_reader reader;
    struct instant instant;
    instants_read(&reader, &profile->instants);
    while (instants_next(&reader, &instant)) {
        ck_assert_uint_lt(instant.sample, profile->sample_count);
        sums[instant.sample].cpu_ns += instant.cpu_ns;
        sums[instant.sample].wait_ns += instant.wait_ns;
        sums[instant.sample].count += instant.count;
    }
    for (size_t i = 0; i < profile->sample_count; i++) {
        ck_assert_uint_le(sums[i].cpu_ns, profile->samples[i].cpu_ns);
        ck_assert_uint_le(sums[i].wait_ns, profile->samples[i].wait_ns);
        ck_assert_uint_le(sums[i].count, profile->samples[i].count);
    }
    free(sums);
}

/* Exact to the nanosecond, for random profiles. */
START_TEST(measured_times_stay)
{
    random_state = (uint64_t)_i;
    struct profile *profile = make_profile("any");
    size_t samples = random_below(60);
    for (size_t i = 0, processes = 1 + random_below(40); i < processes; i++)
        add_any_process(profile);
    for (size_t i = 0; i < samples; i++)
        add_any_sample(profile);
    size_t threads = profile->thread_count;
    struct figures *processes_before = figures_of(profile, false), *threads_before = figures_of(profile, true);
    ck_assert_int_eq(estimate_apply(profile), 0);
    struct figures *processes = figures_of(profile, false), *of_threads = figures_of(profile, true);
    for (size_t i = 0; i < profile->process_count; i++) {
        ck_assert_uint_eq(profile->processes[i].cpu_ns, processes[i].cpu_ns);
        ck_assert_uint_eq(profile->processes[i].wait_ns, processes[i].wait_ns);
        ck_assert_mem_eq(&processes[i], &processes_before[i], sizeof *processes);
    }
    ck_assert_mem_eq(of_threads, threads_before, threads * sizeof *of_threads);
    for (size_t i = threads; i < profile->thread_count; i++)
        ck_assert(profile->threads[i].estimated && !of_threads[i].count);
    check_times(profile);
    struct figures *before[] = {processes_before, threads_before, processes, of_threads};
    for (size_t i = 0; i < UNIT_ROWS(before); i++)
        free(before[i]);
    profile_free(profile);
}
END_TEST

/* Processes that run one after the other on one CPU. Each begins in "start", continues in "work", and ends in "end". */
static const struct run {
    const char *about;
    unsigned processes;
    double lengths[4]; /* in periods, repeated; 0: none */
    double start, end; /* shares of a process's time */
    double missed;     /* share of the ticks */
} runs[] = {
    {"half a period each", 600, {0.5}, 0.2, 0.2, 0},
    {"five periods each", 200, {5}, 0.2, 0.2, 0},
    {"of different lengths", 300, {0.1, 0.9, 2, 7}, 0.3, 0.1, 0},
    {"long ones among short ones", 60, {0.3, 0.1, 150, 0.5}, 0.2, 0.3, 0},
    {"a long one, and its end", 20, {130}, 0.1, 0.1, 0},
    {"a third of the ticks is missed", 400, {3, 0.5}, 0.2, 0.2, 0.33},
};

enum { PERIOD_NS = 1000000, RUNS = 200 };

static double length_of(const struct run *run, unsigned process)
{
    size_t lengths = 0;
    while (lengths < 4 && run->lengths[lengths] > 0)
        lengths++;
    return run->lengths[process % lengths] * PERIOD_NS;
}

struct world {
    struct profile *profile;
    const struct run *run;
    double now_ns, tick_ns, period_ns; /* period_ns is the start of the next tick's period */
    double truth[3], seen[3];          /* of start, work and end */
};

static double random_part(void)
{
    return (double)random_below(1 << 30) / (1 << 30);
}

static unsigned part_of(const struct run *run, double at_ns, double length_ns)
{
    return at_ns < run->start * length_ns ? 0 : at_ns < (1 - run->end) * length_ns ? 1 : 2;
}

static void run_process(struct world *world, unsigned number)
{
    static const char *const names[] = {"start", "work", "end"};
    const struct run *run = world->run;
    double length_ns = (double)(uint64_t)length_of(run, number), billed_ns = 0;
    uint32_t process = make_process(world->profile, (pid_t)number + 1, 0, "job");
    world->profile->processes[process].module = module_called(world->profile, "/bin/job");
    for (; world->tick_ns < world->now_ns + length_ns;
         world->period_ns += PERIOD_NS, world->tick_ns = world->period_ns + random_part() * PERIOD_NS) {
        if (world->tick_ns < world->now_ns || random_part() < run->missed)
            continue;
        double at_ns = (double)(uint64_t)(world->tick_ns - world->now_ns);
        put_sample(world->profile, &(struct sample){process, (pid_t)number + 1, names[part_of(run, at_ns, length_ns)],
                                                    1, (uint64_t)(at_ns - billed_ns), PERIOD_NS});
        billed_ns = at_ns;
    }
    add_unsampled(world->profile, process, (uint64_t)(length_ns - billed_ns));
    world->truth[0] += run->start * length_ns;
    world->truth[1] += (1 - run->start - run->end) * length_ns;
    world->truth[2] += run->end * length_ns;
    world->now_ns += length_ns;
}

/* Runs WORLD again. Sets PARTS to the estimated share of each function, and *SAMPLES to their number. */
static void live(struct world *world, double parts[3], double *samples)
{
    static const char *const names[] = {"start", "work", "end"};
    world->profile = make_profile("run");
    world->tick_ns = random_part() * PERIOD_NS;
    for (unsigned i = 0; i < world->run->processes; i++)
        run_process(world, i);
    *samples = (double)profile_samples(world->profile);
    ck_assert_int_eq(estimate_apply(world->profile), 0);
    for (size_t i = 0; i < 3; i++)
        parts[i] = (double)function_ns(world->profile, names[i]) / (double)profile_ns(world->profile);
    profile_free(world->profile);
}

/* The shares have no bias, and their variance is that of random samples. */
START_TEST(shares_are_the_true_ones)
{
    double sums[3] = {0}, squares[3] = {0}, truth[3] = {0}, samples = 0;
    random_state = 1;
    for (unsigned i = 0; i < RUNS; i++) {
        struct world world = {.run = &runs[_i]};
        double parts[3], taken;
        live(&world, parts, &taken);
        samples += taken / RUNS;
        for (size_t part = 0; part < 3; part++) {
            truth[part] = world.truth[part] / world.now_ns;
            sums[part] += parts[part] / RUNS;
            squares[part] += parts[part] * parts[part] / RUNS;
        }
    }
    for (size_t part = 0; part < 3; part++) {
        double variance = squares[part] - sums[part] * sums[part], chance = truth[part] * (1 - truth[part]) / samples;
        double off = sums[part] - truth[part];
        ck_assert_msg(off * off < 0.01 * 0.01, "%s: part %zu has %.3f, not %.3f", runs[_i].about, part, sums[part],
                      truth[part]);
        ck_assert_msg(variance < 1.5 * 1.5 * chance, "%s: part %zu has a variance of %.2g, %.1f samples of %.2g",
                      runs[_i].about, part, variance, samples, chance);
    }
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("profile/estimate");
    UNIT_ADD_TABLE(tests, time_goes_where_samples_are, scenes);
    tcase_add_loop_test(tests, measured_times_stay, 0, 300);
    UNIT_ADD_TABLE(tests, shares_are_the_true_ones, runs);
    return unit_end();
}

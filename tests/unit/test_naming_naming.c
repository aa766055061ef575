/* SPDX-License-Identifier: MIT */
#include "front/naming/naming.h"

#include "programs/elf/lines.h"

#include "common/base/error.h"
#include "programs/elf/file.h"
#include "programs/unwind/frame.h"
#include "test_record.h"
#include "unit.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Two functions to find in this program. */
__attribute__((noinline, used)) int named_for_the_test(int x);
__attribute__((noinline, used)) int named_for_the_test(int x)
{
    return x * 3 + getpid();
}

__attribute__((noinline, used)) int another_for_the_test(int x);
__attribute__((noinline, used)) int another_for_the_test(int x)
{
    return x * 5 + getppid();
}

/* This function is inlined into another one. */
static inline __attribute__((always_inline)) int inlined_for_the_test(int x)
{
    return x * 7 + getpid();
}

__attribute__((noinline, used)) int around_for_the_test(int x);
__attribute__((noinline, used)) int around_for_the_test(int x)
{
    return inlined_for_the_test(x + getppid()) * 11;
}

static uint64_t address_of(int (*function)(int))
{
    return (uint64_t)(uintptr_t)function;
}

static char *own_maps(void)
{
    static char text[1 << 16];
    FILE *file = fopen("/proc/self/maps", "r");
    ck_assert_ptr_nonnull(file);
    size_t got = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[got] = 0;
    return text;
}

/* A record of this process, as image 1. */
static struct record record_of_us(void)
{
    struct record record = {0};
    record_image_begins(&record, 1, getpid(), 0, "us");
    record_image_entry(&record, 1, getauxval(AT_ENTRY)); /* libraries may have lower addresses */
    record_maps(&record, 1, own_maps());
    return record;
}

static struct profile *profile_of(struct record *record)
{
    struct error error = {0};
    struct profile *profile = naming_profile(record, NULL, NULL, &error);
    ck_assert_ptr_nonnull(profile);
    ck_assert_int_eq(error.errnum, 0);
    return profile;
}

/* Checks the promises of profile.h, and that the profile has all of the record. */
static void expect_sound(const struct profile *profile, const struct record *record)
{
    uint64_t wrong = 0, count = 0, sampled = 0, of_processes = 0;
    for (size_t i = 0; i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        wrong += sample->thread >= profile->thread_count || sample->frame_count < 1;
        wrong += sample->frame_first + sample->frame_count > profile->frame_count;
        count += sample->count;
        sampled += sample->cpu_ns;
    }
    for (size_t i = 0; i < profile->frame_count; i++)
        wrong += profile->frames[i] >= profile->location_count;
    for (size_t i = 0; i < profile->location_count; i++) {
        const struct profile_location *location = &profile->locations[i];
        wrong += location->module >= profile->module_count || location->function >= profile->function_count ||
                 profile->functions[location->function].module != location->module;
        wrong += location->line_count &&
                 (location->line_first + location->line_count > profile->line_count ||
                  profile->lines[location->line_first + location->line_count - 1].function != location->function);
    }
    for (size_t i = 0; i < profile->line_count; i++) {
        const struct profile_line *line = &profile->lines[i];
        wrong += line->function >= profile->function_count;
        wrong += line->file >= profile->file_count && line->file != PROFILE_NONE;
    }
    for (size_t i = 0; i < profile->function_count; i++)
        wrong += !profile->functions[i].name || !*profile->functions[i].name;
    for (size_t i = 0; i < profile->thread_count; i++)
        wrong += profile->threads[i].process >= profile->process_count;
    for (size_t i = 0; i < profile->process_count; i++)
        of_processes += profile->processes[i].cpu_ns - profile->processes[i].unsampled_ns;
    ck_assert_uint_eq(wrong, 0);
    ck_assert_uint_eq(count, record->sample_count);
    ck_assert_uint_eq(sampled, of_processes);
}

static const struct profile_location *location_of(const struct profile *profile, size_t sample)
{
    return &profile->locations[profile->frames[profile->samples[sample].frame_first]];
}

static const struct profile_function *function_of(const struct profile *profile, size_t sample)
{
    return &profile->functions[location_of(profile, sample)->function];
}

static const struct profile_module *module_of(const struct profile *profile, size_t sample)
{
    return &profile->modules[location_of(profile, sample)->module];
}

START_TEST(an_empty_record_is_an_empty_profile)
{
    struct record record = {0};
    struct profile *profile = profile_of(&record);
    ck_assert_uint_eq(profile->process_count, 0);
    ck_assert_uint_eq(profile->sample_count, 0);
    ck_assert_uint_eq(profile_cpu_ns(profile), 0);
    expect_sound(profile, &record);
    profile_free(profile);
    record_fini(&record);
}
END_TEST

/* With many processes, each thread still belongs to its own one, and no CPU time is lost. */
START_TEST(many_processes_have_names)
{
    enum { COUNT = 12000, AT_ONCE = 60, LAST = COUNT - 5 };
    struct record record = {0};
    uint64_t cpu = 0;
    for (uint32_t i = 1; i <= COUNT; i++) {
        char name[16];
        snprintf(name, sizeof name, i % 50 && i < LAST ? "many" : "s%u", i);
        record_image_begins(&record, i, (pid_t)i, 0, name);
        if (i % 50 == 0 || i >= LAST)
            capture_leaf(&record, i, (pid_t)i, 0x10, -1, 5);
        if (i > AT_ONCE)
            record_image_ends(&record, i - AT_ONCE, 7, 0, "?");
        cpu += 7;
    }
    for (uint32_t i = COUNT - AT_ONCE + 1; i <= COUNT; i++)
        record_image_ends(&record, i, 7, 0, "?"); /* leaves unused entries among others */
    struct profile *profile = profile_of(&record);
    ck_assert_uint_lt(profile->process_count, COUNT / 2 + 500);
    ck_assert_uint_eq(profile_cpu_ns(profile), cpu);
    size_t wrong = 0;
    for (size_t i = 0; i < profile->thread_count; i++) {
        const struct profile_thread *thread = &profile->threads[i];
        wrong += profile->processes[thread->process].pid != thread->tid ||
                 strcmp(profile->processes[thread->process].comm, thread->comm);
    }
    ck_assert_uint_eq(profile->thread_count, COUNT / 50 + COUNT - LAST);
    ck_assert_uint_eq(wrong, 0);
    expect_sound(profile, &record);
    profile_free(profile);
    record_fini(&record);
}
END_TEST

START_TEST(our_own_functions_have_their_names)
{
    struct record record = record_of_us();
    capture_leaf(&record, 1, 100, address_of(named_for_the_test), -1, 10);
    struct profile *profile = profile_of(&record);
    char path[4096] = "";
    ck_assert_int_gt(readlink("/proc/self/exe", path, sizeof path - 1), 0);
    ck_assert_uint_eq(profile->sample_count, 1);
    const struct profile_function *function = function_of(profile, 0);
    ck_assert_str_eq(function->name, "named_for_the_test");
    ck_assert_str_eq(function->linkage_name, "named_for_the_test");
    ck_assert_uint_eq(location_of(profile, 0)->address, function->start);
    ck_assert_uint_gt(function->end, function->start);
    const struct profile_module *module = module_of(profile, 0);
    ck_assert_str_eq(module->path, path);
    ck_assert_str_eq(module->name, strrchr(path, '/') + 1);
    ck_assert(module->executable);
    ck_assert(!module->deleted);
    ck_assert(!module->no_symbols);
    ck_assert_uint_ge(function->start, module->text_start);
    ck_assert_uint_le(function->end, module->text_end);
    expect_sound(profile, &record);
    profile_free(profile);
    record_fini(&record);
}
END_TEST

static bool has_lines(void)
{
    struct elf_file *file;
    struct elf_lines *lines = NULL;
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    ck_assert_int_eq(elf_file_open(fd, &file, NULL), 0);
    elf_lines_new(file, NULL, &lines, NULL);
    bool found = lines != NULL;
    elf_lines_free(lines);
    elf_file_close(file);
    close(fd);
    return found;
}

/* Some address in the function has the inlined call, with a line of both functions. The file exists once. */
START_TEST(lines_and_inlined_calls_have_names)
{
    if (!has_lines()) {
        fprintf(stderr, "skipped what needs libdw, and this program to be compiled with -g\n");
        return;
    }
    struct record record = record_of_us();
    for (unsigned i = 0; i < 32; i++)
        capture_leaf(&record, 1, 100, address_of(around_for_the_test) + i, -1, 10);
    struct profile *profile = profile_of(&record);
    unsigned inlined = 0, files = 0;
    for (size_t i = 0; i < profile->sample_count; i++) {
        const struct profile_location *location = location_of(profile, i);
        const struct profile_line *lines = &profile->lines[location->line_first];
        if (location->line_count != 2 || strcmp(function_of(profile, i)->name, "around_for_the_test") != 0)
            continue;
        const struct profile_function *inner = &profile->functions[lines[0].function];
        ck_assert_str_eq(inner->name, "inlined_for_the_test");
        ck_assert_str_eq(inner->linkage_name, "inlined_for_the_test");
        ck_assert_uint_eq(inner->module, location->module);
        ck_assert(inner->start == 0 && inner->end == 0);
        ck_assert_uint_lt(lines[0].line, lines[1].line);
        ck_assert_uint_eq(lines[0].file, lines[1].file);
        inlined++;
    }
    ck_assert_uint_gt(inlined, 0);
    for (size_t i = 0; i < profile->file_count; i++)
        files += strstr(profile->files[i], "/test_naming_naming.c") != NULL;
    ck_assert_uint_eq(files, 1);
    expect_sound(profile, &record);
    profile_free(profile);
    record_fini(&record);
}
END_TEST

/* Captures the beginning of NUMBER's function, called from 32 addresses in around_for_the_test, each with this
 * number of stacks. */
static void capture_callers(struct record *record, unsigned stacks)
{
    struct record_capture capture = {.image = 1, .tid = 100, .syscall = -1, .weight_ns = 10, .frame_count = 3};
    for (unsigned i = 0; i < 32 * stacks; i++) {
        const struct unwind_frame frames[] = {
            {.pc = address_of(named_for_the_test) + 1},
            {.pc = address_of(around_for_the_test) + i % 32 + 1, .call = true},
            {.pc = address_of(another_for_the_test) + i / 32, .call = true},
        };
        capture.frames = frames;
        record_capture(record, &capture);
    }
}

static size_t count_lines_of_callers(const struct profile *profile)
{
    size_t count = 0;
    for (size_t i = 0; i < profile->location_count; i++)
        if (!strcmp(profile->functions[profile->locations[i].function].name, "around_for_the_test"))
            count += profile->locations[i].line_count == 2;
    return count;
}

/* Inlined calls of callers count as memory. Those at leaves are always kept. */
static const struct {
    unsigned percent; /* of the memory that stacks use; 0: any */
    bool leaves, all, none;
} limits[] = {
    {0, false, true, false},   {1000, false, true, false}, {102, false, false, false},
    {100, false, false, true}, {100, true, true, false},
};

START_TEST(inlined_calls_are_kept_while_there_is_memory)
{
    struct record record = record_of_us(), whole = record_of_us();
    if (!has_lines()) {
        fprintf(stderr, "skipped what needs libdw, and this program to be compiled with -g\n");
        return;
    }
    capture_callers(&whole, 8);
    capture_callers(&record, 8);
    for (unsigned i = 0; limits[_i].leaves && i < 32; i++) {
        capture_leaf(&whole, 1, 100, address_of(around_for_the_test) + i, -1, 10);
        capture_leaf(&record, 1, 100, address_of(around_for_the_test) + i, -1, 10);
    }
    record.most_bytes = record_bytes(&record) * limits[_i].percent / 100;
    struct profile *all = profile_of(&whole), *profile = profile_of(&record);
    size_t most = count_lines_of_callers(all), kept = count_lines_of_callers(profile);
    ck_assert_uint_gt(most, 2);
    ck_assert_uint_eq(all->without_inlined, 0);
    ck_assert_uint_eq(profile->without_inlined, most - kept);
    ck_assert(!limits[_i].all || kept == most);
    ck_assert(!limits[_i].none || !kept);
    ck_assert(limits[_i].all || limits[_i].none || (kept && kept < most));
    expect_sound(profile, &record);
    profile_free(all);
    profile_free(profile);
    record_fini(&record);
    record_fini(&whole);
}
END_TEST

/* A requested address is named without a sample, and adds nothing to the profile. */
START_TEST(places_are_named)
{
    struct record record = record_of_us();
    uint64_t pc = address_of(named_for_the_test) + 2;
    uint32_t place = record_place(&record, 1, pc), nowhere = record_place(&record, 1, 16);
    ck_assert_uint_eq(record_place(&record, 1, pc), place);
    ck_assert_uint_ne(record_place(&record, 1, address_of(another_for_the_test)), place);
    ck_assert_uint_eq(record_place(&record, 99, pc), HASH_NONE);
    struct profile *profile = profile_of(&record);
    ck_assert_uint_lt(place, profile->place_count);
    const struct profile_location *location = &profile->locations[profile->places[place]];
    ck_assert_str_eq(profile->functions[location->function].name, "named_for_the_test");
    ck_assert_uint_eq(location->address - profile->functions[location->function].start, 2);
    ck_assert_uint_eq(location->address, pc - record_bias(&record, 1, pc));
    ck_assert_str_eq(profile->modules[profile->locations[profile->places[nowhere]].module].name, "[unknown]");
    ck_assert_uint_eq(profile->sample_count, 0);
    profile_free(profile);
    record_fini(&record);
}
END_TEST

START_TEST(the_bias_is_that_of_the_linker)
{
    Dl_info info;
    struct record record = record_of_us();
    uint64_t pc = address_of(named_for_the_test);
    ck_assert_int_ne(dladdr((void *)(uintptr_t)pc, &info), 0);
    uint64_t base = (uint64_t)(uintptr_t)info.dli_fbase, bias = record_bias(&record, 1, pc);
    ck_assert(bias == base || (bias == 0 && base < 1 << 30));   /* a PIE or not */
    uint64_t first = record.images.items[0].map.items[0].start; /* of a library, if stacks are unlimited */
    ck_assert_uint_eq(record_bias(&record, 1, 0), record_bias(&record, 1, first)); /* the first one above it */
    ck_assert_uint_ne(record_bias(&record, 1, address_of((int (*)(int))(uintptr_t)dlsym(RTLD_DEFAULT, "abs"))), bias);
    ck_assert_uint_eq(record_bias(&record, 1, UINT64_MAX), 0);
    ck_assert_uint_eq(record_bias(&record, 99, pc), 0);
    record_fini(&record);
}
END_TEST

START_TEST(a_function_and_a_place_are_there_once)
{
    struct record record = record_of_us();
    uint64_t one = address_of(named_for_the_test), other = address_of(another_for_the_test);
    record_thread_named(&record, 1, 101, "worker");
    capture_leaf(&record, 1, 100, one, -1, 1);
    capture_leaf(&record, 1, 100, one + 1, -1, 2);
    capture_leaf(&record, 1, 101, one, -1, 4);
    capture_leaf(&record, 1, 101, one, 7, 8);
    capture_leaf(&record, 1, 101, other, -1, 16);
    capture_leaf(&record, 1, 100, other, -1, 32);
    capture_leaf(&record, 1, 100, other, -1, 64);
    struct profile *profile = profile_of(&record);
    ck_assert_uint_eq(profile->module_count, 1);
    ck_assert_uint_eq(profile->function_count, 2);
    ck_assert_uint_eq(profile->location_count, 3);
    ck_assert_uint_eq(profile->sample_count, 6);
    ck_assert_uint_eq(profile_cpu_ns(profile), 127);
    uint64_t of_one = 0, in_call = 0, of_worker = 0;
    for (size_t i = 0; i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        of_one += strcmp(function_of(profile, i)->name, "named_for_the_test") ? 0 : sample->cpu_ns;
        in_call += sample->syscall == 7 ? sample->cpu_ns : 0;
        of_worker += strcmp(profile->threads[sample->thread].comm, "worker") ? 0 : sample->cpu_ns;
    }
    ck_assert_uint_eq(of_one, 15);
    ck_assert_uint_eq(in_call, 8);
    ck_assert_uint_eq(of_worker, 28);
    expect_sound(profile, &record);
    profile_free(profile);
    record_fini(&record);
}
END_TEST

/* Each object is one module, whatever the order of samples in them. */
START_TEST(a_module_is_there_once)
{
    struct record record = record_of_us();
    uint64_t ours = address_of(named_for_the_test), library = (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, "getpid");
    capture_leaf(&record, 1, 100, ours, -1, 1);
    for (uint64_t i = 0; i < 3; i++) {
        capture_leaf(&record, 1, 100, 0x10 + i, -1, 1); /* not mapped */
        capture_leaf(&record, 1, 100, library + i, -1, 1);
        capture_leaf(&record, 1, 100, ours + i, -1, 1);
    }
    struct profile *profile = profile_of(&record);
    ck_assert_uint_eq(profile->module_count, 3);
    ck_assert_uint_eq(profile->sample_count, 9);
    size_t programs = 0;
    for (size_t i = 0; i < profile->module_count; i++)
        programs += profile->modules[i].executable;
    ck_assert_uint_eq(programs, 1);
    ck_assert(profile->modules[profile->processes[0].module].executable);
    expect_sound(profile, &record);
    profile_free(profile);
    record_fini(&record);
}
END_TEST

START_TEST(a_program_without_samples_is_no_module)
{
    struct record record = record_of_us();
    capture_leaf(&record, 1, 100, 0x10, -1, 1);
    struct profile *profile = profile_of(&record);
    ck_assert_uint_eq(profile->module_count, 1);
    ck_assert_uint_eq(profile->processes[0].module, PROFILE_NONE);
    profile_free(profile);
    record_fini(&record);
}
END_TEST

START_TEST(an_image_without_samples_has_the_program_of_others)
{
    struct record record = record_of_us();
    capture_leaf(&record, 1, 100, address_of(named_for_the_test), -1, 1);
    record_image_executable(&record, 1, 42);
    for (uint32_t image = 2; image < 5; image++) {
        record_image_begins(&record, image, 70 + (pid_t)image, 0, "another name");
        record_image_executable(&record, image, image == 2 ? 42 : image == 3 ? 43 : 0);
        record_image_ends(&record, image, 10, 0, "?");
    }
    struct profile *profile = profile_of(&record);
    ck_assert_uint_eq(profile->process_count, 4);
    ck_assert_uint_ne(profile->processes[0].module, PROFILE_NONE);
    ck_assert_uint_eq(profile->processes[1].module, profile->processes[0].module);
    ck_assert_uint_eq(profile->processes[2].module, PROFILE_NONE);
    ck_assert_uint_eq(profile->processes[3].module, PROFILE_NONE);
    profile_free(profile);
    record_fini(&record);
}
END_TEST

/* No process has this number, but each thread needs a process, even if the tracer's data is wrong. */
START_TEST(a_process_without_a_number_is_kept)
{
    struct record record = {0};
    record_image_begins(&record, 1, 0, 0, "none");
    capture_leaf(&record, 1, 100, 0x10, -1, 0);
    struct profile *profile = profile_of(&record);
    ck_assert_uint_eq(profile->process_count, 1);
    ck_assert_uint_eq(profile->thread_count, 1);
    ck_assert_uint_eq(profile->threads[0].process, 0);
    ck_assert_uint_eq(profile->sample_count, 1);
    profile_free(profile);
    record_fini(&record);
}
END_TEST

START_TEST(processes_and_threads_have_names)
{
    struct record record = record_of_us();
    capture_leaf(&record, 1, 100, 0x10, -1, 40);
    record_image_ends(&record, 1, 100, 0, "ended");
    record_image_begins(&record, 2, 77, 3, "runs");
    capture_leaf(&record, 2, 77, 0x10, -1, 5); /* no message reports its end */
    record_image_begins(&record, 3, 78, 0, "old");
    record_image_ends(&record, 3, 30, 0, "?");
    struct profile *profile = profile_of(&record);
    ck_assert_uint_eq(profile->process_count, 3);
    const struct profile_process *process = profile->processes;
    ck_assert_int_eq(process[0].pid, getpid());
    ck_assert_str_eq(process[0].comm, "ended");
    ck_assert_uint_eq(process[0].cpu_ns, 100);
    ck_assert_uint_eq(process[0].unsampled_ns, 60);
    ck_assert_ptr_null(process[0].not_sampled);
    ck_assert_int_eq(process[1].pid, 77);
    ck_assert_uint_eq(process[1].image, 3);
    ck_assert_uint_eq(process[1].cpu_ns, 5);
    ck_assert_uint_eq(process[1].unsampled_ns, 0);
    ck_assert_str_eq(process[2].comm, "old");
    ck_assert_uint_eq(process[2].unsampled_ns, 30);
    ck_assert_uint_eq(profile->thread_count, 2);
    ck_assert_uint_eq(profile->threads[1].process, 1);
    ck_assert_int_eq(profile->threads[1].tid, 77);
    ck_assert_uint_eq(profile_cpu_ns(profile), 135);
    expect_sound(profile, &record);
    profile_free(profile);
    record_fini(&record);
}
END_TEST

static const struct {
    const char *line;
    const char *module;
} nameless[] = {
    {"", "[unknown]"},
    {"1000-2000 r-xp 0 00:00 0 \n", "[anon]"},
    {"1000-2000 r-xp 0 00:00 0 [heap]\n", "[anon]"},
    {"1000-2000 r-xp 0 08:01 7 /no/such/file\n", "/no/such/file"},
    {"1000-2000 r-xp 0 08:01 7 /no/such/file (deleted)\n", "/no/such/file"},
    {"1000-2000 r-xp 0 08:01 7 /no/such\\012file\n", "/no/such\nfile"},
};

START_TEST(places_without_names_have_a_module)
{
    struct record record = {0};
    record_image_begins(&record, 1, 0x3fffffff, 0, "x"); /* not a process */
    record_maps(&record, 1, nameless[_i].line);
    capture_leaf(&record, 1, 1, 0x1234, -1, 10);
    capture_leaf(&record, 1, 1, 0x1238, -1, 10);
    struct profile *profile = profile_of(&record);
    ck_assert_uint_eq(profile->module_count, 1);
    ck_assert_uint_eq(profile->function_count, 1);
    ck_assert_uint_eq(profile->location_count, 2);
    ck_assert_str_eq(profile->modules[0].path, nameless[_i].module);
    ck_assert_ptr_null(profile->modules[0].build_id);
    ck_assert(!profile->modules[0].executable);
    ck_assert_uint_eq(profile->functions[0].start, 0);
    ck_assert_uint_eq(profile->functions[0].end, 0);
    expect_sound(profile, &record);
    profile_free(profile);
    record_fini(&record);
}
END_TEST

START_TEST(the_vdso_has_its_names)
{
    unsigned long vdso = getauxval(AT_SYSINFO_EHDR);
    if (!vdso)
        return;
    struct record record = record_of_us();
    capture_leaf(&record, 1, 100, vdso + 0x700, -1, 10);
    struct profile *profile = profile_of(&record);
    ck_assert_str_eq(module_of(profile, 0)->path, "[vdso]");
    ck_assert_str_eq(module_of(profile, 0)->name, "[vdso]");
    ck_assert_uint_gt(module_of(profile, 0)->text_end, 0);
    ck_assert(!module_of(profile, 0)->executable);
    expect_sound(profile, &record);
    profile_free(profile);
    record_fini(&record);
}
END_TEST

START_TEST(code_of_a_jit_has_the_names_of_its_map)
{
    char path[64];
    struct record record = {0};
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    unlink(path); /* from an earlier process with this number */
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs("1000 10 lower\n1010 20 js: upper (a.js:3)\n", file);
    fclose(file);
    record_image_begins(&record, 1, getpid(), 0, "jit");
    record_maps(&record, 1, "1000-2000 r-xp 0 00:00 0 \n3000-4000 r-xp 0 00:00 0 \n");
    unlink(path);
    capture_leaf(&record, 1, 1, 0x1000, -1, 10);
    capture_leaf(&record, 1, 1, 0x102f, -1, 20);
    capture_leaf(&record, 1, 1, 0x1030, -1, 40); /* in no mapping */
    struct profile *profile = profile_of(&record);
    ck_assert_uint_eq(profile->sample_count, 3);
    uint64_t lower = 0, upper = 0, neither = 0;
    for (size_t i = 0; i < 3; i++) {
        const char *name = function_of(profile, i)->name;
        uint64_t *sum = !strcmp(name, "lower") ? &lower : !strcmp(name, "js: upper (a.js:3)") ? &upper : &neither;
        *sum += profile->samples[i].cpu_ns;
        ck_assert_str_eq(module_of(profile, i)->path, "[jit]");
    }
    ck_assert_uint_eq(lower, 10);
    ck_assert_uint_eq(upper, 20);
    ck_assert_uint_eq(neither, 40);
    expect_sound(profile, &record);
    profile_free(profile);
    record_fini(&record);
}
END_TEST

static void copy_program(const char *path)
{
    struct stat about;
    int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
    ck_assert_int_ge(from, 0);
    ck_assert_int_ge(to, 0);
    ck_assert_int_eq(fstat(from, &about), 0);
    for (off_t at = 0; at < about.st_size;)
        ck_assert_int_gt(sendfile(to, from, &at, (size_t)(about.st_size - at)), 0);
    close(from);
    close(to);
}

/* Writes the maps line of our own code, with PATH as its file. */
static void line_of_copy(const char *path, char *line, size_t size)
{
    struct address_map map = {0};
    struct stat about;
    ck_assert(address_map_parse(&map, own_maps(), SIZE_MAX));
    const struct address_range *range = address_map_find(&map, address_of(named_for_the_test));
    ck_assert_ptr_nonnull(range);
    ck_assert_int_eq(stat(path, &about), 0);
    snprintf(line, size, "%lx-%lx r-xp %08lx %02x:%02x %lu %s\n", (unsigned long)range->start,
             (unsigned long)range->end, (unsigned long)range->offset, major(about.st_dev), minor(about.st_dev),
             (unsigned long)about.st_ino, path);
    address_map_fini(&map);
}

/* Adds a sample in a copy of this program, in a new file at PATH, a template of mkstemp. */
static void sample_copy(struct record *record, char *path)
{
    char line[300];
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    copy_program(path);
    record_image_begins(record, 1, getpid(), 0, "copy");
    line_of_copy(path, line, sizeof line);
    record_maps(record, 1, line);
    capture_leaf(record, 1, 1, address_of(named_for_the_test), -1, 10);
}

/* A program's file is replaced while it runs. Names come from the original file. */
START_TEST(a_replaced_file_gives_its_own_names)
{
    char path[] = "/tmp/names.XXXXXX";
    struct record record = {0};
    sample_copy(&record, path);
    ck_assert_int_eq(unlink(path), 0);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    ck_assert_int_eq(write(fd, "#!/bin/sh\n", 10), 10);
    close(fd);

    struct profile *profile = profile_of(&record);
    unlink(path);
    ck_assert_str_eq(function_of(profile, 0)->name, "named_for_the_test");
    ck_assert_str_eq(module_of(profile, 0)->path, path);
    ck_assert(!module_of(profile, 0)->deleted); /* the file existed when it was sampled */
    expect_sound(profile, &record);
    profile_free(profile);
    record_fini(&record);
}
END_TEST

/* An untrusted user's file can change after it was mapped. */
static const size_t cuts[] = {0, 1, 63, 64, 1000, 5000};

START_TEST(a_file_that_was_cut_is_no_harm)
{
    char path[] = "/tmp/names.XXXXXX";
    struct record record = {0};
    sample_copy(&record, path);
    ck_assert_int_eq(truncate(path, (off_t)cuts[_i]), 0);
    struct profile *profile = profile_of(&record);
    unlink(path);
    ck_assert_str_eq(module_of(profile, 0)->path, path);
    expect_sound(profile, &record);
    profile_free(profile);
    record_fini(&record);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("naming/naming");
    tcase_set_timeout(tests, 30);
    tcase_add_test(tests, an_empty_record_is_an_empty_profile);
    tcase_add_test(tests, many_processes_have_names);
    tcase_add_test(tests, our_own_functions_have_their_names);
    tcase_add_test(tests, lines_and_inlined_calls_have_names);
    UNIT_ADD_TABLE(tests, inlined_calls_are_kept_while_there_is_memory, limits);
    tcase_add_test(tests, places_are_named);
    tcase_add_test(tests, the_bias_is_that_of_the_linker);
    tcase_add_test(tests, a_function_and_a_place_are_there_once);
    tcase_add_test(tests, a_module_is_there_once);
    tcase_add_test(tests, a_program_without_samples_is_no_module);
    tcase_add_test(tests, an_image_without_samples_has_the_program_of_others);
    tcase_add_test(tests, a_process_without_a_number_is_kept);
    tcase_add_test(tests, processes_and_threads_have_names);
    UNIT_ADD_TABLE(tests, places_without_names_have_a_module, nameless);
    tcase_add_test(tests, the_vdso_has_its_names);
    tcase_add_test(tests, code_of_a_jit_has_the_names_of_its_map);
    tcase_add_test(tests, a_replaced_file_gives_its_own_names);
    UNIT_ADD_TABLE(tests, a_file_that_was_cut_is_no_harm, cuts);
    return unit_end();
}

/* SPDX-License-Identifier: MIT
 *
 * Reads a stored profile, compressed or plain. The two bytes before it choose how to write it. The harness writes it
 * in every format, alone and compared with itself, and reads the stored format again. */
#include "profile/profile/filter.h"
#include "profile/report/report.h"
#include "profile/stored/import.h"
#include "profile/stored/writers.h"

#include "common/base/error.h"
#include "fuzz.h"
#include "profile/profile/builder.h"
#include "profile/profile/instants.h"
#include "profile/profile/profile.h"

#include <errno.h>

static struct profile *read_profile(int fd, int times)
{
    struct builder builder;
    struct error error = {0};
    int status = 0;

    builder_init(&builder);
    for (int i = 0; i < times && !status; i++) {
        FUZZ_EXPECT(lseek(fd, 0, SEEK_SET) == 0);
        status = import_read(&builder, fd, NULL, &error);
    }
    struct profile *profile = builder_finish(&builder);
    FUZZ_EXPECT(error.errnum == -status && (!status || *error.text));
    if (!status)
        return profile;
    profile_free(profile);
    return NULL;
}

/* Samples with timestamps must not add up to more than the profile. */
static void check_times(const struct profile *profile)
{
    struct instants_reader reader;
    struct instant instant;
    uint64_t ns = 0, count = 0;

    for (instants_read(&reader, &profile->instants); instants_next(&reader, &instant); count++) {
        FUZZ_EXPECT(instant.sample < profile->sample_count);
        ns += instant.cpu_ns + instant.wait_ns;
    }
    FUZZ_EXPECT(count == profile->instants.count && ns <= profile_ns(profile));
}

static void check(const struct profile *profile)
{
    FUZZ_EXPECT(profile);
    check_times(profile);
    for (size_t i = 0; i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        FUZZ_EXPECT(sample->thread < profile->thread_count && sample->frame_count);
        FUZZ_EXPECT((uint64_t)sample->frame_first + sample->frame_count <= profile->frame_count);
    }
    for (size_t i = 0; i < profile->frame_count; i++)
        FUZZ_EXPECT(profile->frames[i] < profile->location_count);
}

static void write_parts(const struct report_format *format, const struct profile *profile, FILE *stream)
{
    struct report_parts parts;

    FUZZ_EXPECT(report_parts_init(&parts, profile) == 0);
    for (size_t i = 0; i < parts.count && i < 4; i++)
        format->write_module(profile, parts.items[i].module, stream);
    report_parts_fini(&parts);
}

/* Storing a profile must not lose CPU time. */
static void read_again(const struct profile *profile, const char *bytes, size_t size)
{
    int fd = fuzz_file(bytes, size);
    struct profile *again = read_profile(fd, 1);

    FUZZ_EXPECT(again && profile_cpu_ns(again) == profile_cpu_ns(profile));
    profile_free(again);
    close(fd);
}

static void write_as(const struct report_format *format, const struct profile *profile,
                     const struct report_options *options)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&bytes, &size);
    int status = 0;

    FUZZ_EXPECT(stream);
    if (format->write_module)
        write_parts(format, profile, stream);
    else
        status = report_write(format, profile, options, stream);
    if (format->write == report_annotate_write && status == -ENODATA)
        status = 0; /* needs a chosen function */
    FUZZ_EXPECT(fclose(stream) == 0 && !status);
    if (format->write == stored_pprof_write && !options->base)
        read_again(profile, bytes, size);
    free(bytes);
}

static void write_all(const struct profile *profile, const struct profile *base, uint64_t choice)
{
    struct report_options options = {
        .by = choice % (REPORT_BY_SYSCALL + 1),
        .sort = choice & 1 ? REPORT_SORT_TOTAL : REPORT_SORT_SELF,
        .width = choice & 8 ? 0 : 20 + (choice >> 4 & 127),
        .max_rows = choice & 0x400 ? 10 : 0,
        .bottom_up = choice & 0x800,
        .color = choice & 0x1000,
        .utf8 = choice & 0x2000,
    };

    for (const struct report_format *format = report_formats; format->name; format++) {
        options.base = NULL;
        write_as(format, profile, &options);
        options.base = base;
        if (format->compares)
            write_as(format, profile, &options);
    }
}

static void filter(struct profile *profile, uint64_t choice)
{
    struct filter filter = {0};

    if (choice & 0x4000)
        FUZZ_EXPECT(filter_add_pattern(&filter.focus, "--focus", "a", NULL) == 0);
    if (choice & 0x8000)
        FUZZ_EXPECT(filter_add_name(&filter.modules, "--module", "[kernel]", NULL) == 0);
    struct filter_stretch stretch = {{.ns = choice % 97 * 1000000}, {.ns = choice * 1000000 + 1}};
    if (choice & 0x100)
        FUZZ_EXPECT(filter_add_stretch(&filter.between, stretch, NULL) == 0);
    FUZZ_EXPECT(filter_apply(&filter, profile) == 0);
    filter_fini(&filter);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct cursor input = fuzz_input(bytes, size);
    uint64_t choice = cursor_number(&input, 2);
    int fd = fuzz_file(input.at, cursor_left(&input));
    struct profile *profile = read_profile(fd, 1), *twice = profile ? read_profile(fd, 2) : NULL;

    if (profile) {
        check(profile);
        filter(profile, choice);
        check(profile);
        write_all(profile, twice ? twice : profile, choice);
    }
    profile_free(profile);
    profile_free(twice);
    close(fd);
    return 0;
}

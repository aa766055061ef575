/* SPDX-License-Identifier: MIT
 *
 * Reads the input as output of perf script. Lines must lie within the input. A profile that was read must be
 * consistent, and must read the same after it was written as perf script output. */
#include "profile/report/report.h"
#include "profile/stored/perf_line.h"
#include "profile/stored/perf_script.h"
#include "profile/stored/writers.h"

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "fuzz.h"
#include "profile/profile/builder.h"
#include "profile/profile/profile.h"

static void read_lines(struct perf_text text)
{
    const char *end = text.at + text.length;
    struct perf_text line;
    struct perf_head head;
    struct perf_frame frame;

    while (perf_line_next(&text, &line)) {
        FUZZ_EXPECT(line.at + line.length <= end && text.at <= end);
        if (perf_line_head(line, &head))
            FUZZ_EXPECT(head.event.at + head.event.length <= line.at + line.length && head.rest.at >= line.at);
        if (perf_line_frame(line, &frame))
            FUZZ_EXPECT(frame.name.length && frame.object.at + frame.object.length < line.at + line.length);
    }
}

static struct profile *read_profile(const struct buffer *bytes)
{
    struct builder builder;
    struct buffer note = {0};
    struct error error = {0};

    builder_init(&builder);
    int status = perf_script_read(&builder, bytes, &note, &error);
    struct profile *profile = builder_finish(&builder);
    FUZZ_EXPECT(profile && error.errnum == -status && (!status || *error.text));
    buffer_fini(&note);
    if (!status)
        return profile;
    profile_free(profile);
    return NULL;
}

static void check(const struct profile *profile)
{
    uint64_t ns = 0;
    for (size_t i = 0; i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        FUZZ_EXPECT(sample->thread < profile->thread_count && sample->frame_count);
        FUZZ_EXPECT((uint64_t)sample->frame_first + sample->frame_count <= profile->frame_count);
        ns += profile_sample_ns(sample);
    }
    for (size_t i = 0; i < profile->process_count; i++)
        ns += profile_unsampled_ns(&profile->processes[i]);
    FUZZ_EXPECT(ns == profile_ns(profile) && ns <= INT64_MAX);
}

static void write_again(const struct profile *profile)
{
    struct report_options options = REPORT_OPTIONS_FULL;
    struct buffer bytes = {0};
    FILE *stream = open_memstream(&bytes.bytes, &bytes.length);

    FUZZ_EXPECT(stream && stored_perf_write(profile, &options, stream) == 0 && fclose(stream) == 0);
    struct profile *again = bytes.length ? read_profile(&bytes) : NULL;
    FUZZ_EXPECT(bytes.length ? again && profile_ns(again) == profile_ns(profile) : !profile_ns(profile));
    profile_free(again);
    free(bytes.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct cursor input = fuzz_input(bytes, size);
    uint8_t *copy = fuzz_copy(&input, &size);
    struct buffer text = {.bytes = (char *)copy, .length = size};

    read_lines((struct perf_text){text.bytes, text.length});
    struct profile *profile = read_profile(&text);
    if (profile) {
        check(profile);
        write_again(profile);
    }
    profile_free(profile);
    free(copy);
    return 0;
}

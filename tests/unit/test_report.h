/* SPDX-License-Identifier: MIT
 *
 * Functions for tests of report/: a handmade profile, and a writer's output. */
#ifndef TEST_REPORT_H
#define TEST_REPORT_H

#include "profile/report/report.h"
#include "profile/stored/import.h"

#include "common/base/error.h"
#include "profile/profile/builder.h"
#include "test_profile.h"
#include "unit.h"

#include <sys/mman.h>
#include <unistd.h>

struct output {
    char *bytes; /* followed by a 0; free with free() */
    size_t size;
};

/* Returns PROFILE in FORMAT, or its object MODULE if the format has a file for each. */
static inline struct output output_of(const struct report_format *format, const struct profile *profile,
                                      uint32_t module)
{
    struct report_options options = REPORT_OPTIONS_FULL;
    struct output output = {0};
    FILE *stream = open_memstream(&output.bytes, &output.size);
    ck_assert_ptr_nonnull(stream);
    ck_assert_int_eq(
        format->write ? format->write(profile, &options, stream) : format->write_module(profile, module, stream), 0);
    fclose(stream);
    return output;
}

/* Returns the uncompressed content of OUTPUT. */
static inline struct output unpacked(const struct output *output)
{
    struct buffer plain = {0};
    struct error error = {0};
    int fd = memfd_create("packed", MFD_CLOEXEC);
    ck_assert_int_eq(write(fd, output->bytes, output->size), (ssize_t)output->size);
    ck_assert_int_eq(lseek(fd, 0, SEEK_SET), 0);
    ck_assert_msg(gunzip_read(&plain, fd, 64 << 20, &error) == 0, "%s", error.text);
    close(fd);
    return (struct output){plain.bytes, plain.length};
}

/* Returns the profile in OUTPUT, a stored one. */
static inline struct profile *stored_profile(const struct output *output)
{
    struct builder builder;
    struct error error = {0};
    int fd = memfd_create("stored", MFD_CLOEXEC);
    ck_assert_int_eq(write(fd, output->bytes, output->size), (ssize_t)output->size);
    ck_assert_int_eq(lseek(fd, 0, SEEK_SET), 0);
    builder_init(&builder);
    ck_assert_msg(import_read(&builder, fd, NULL, &error) == 0, "%s", error.text);
    close(fd);
    struct profile *profile = builder_finish(&builder);
    ck_assert_ptr_nonnull(profile);
    return profile;
}

/* Returns the text that WRITER writes. Free with free(). */
static inline char *written(report_writer *writer, const struct profile *profile, struct report_options options)
{
    struct output output = {0};
    FILE *stream = open_memstream(&output.bytes, &output.size);
    ck_assert_ptr_nonnull(stream);
    ck_assert_int_eq(writer(profile, &options, stream), 0);
    fclose(stream);
    ck_assert_uint_eq(strlen(output.bytes), output.size);
    return output.bytes;
}

static inline void expect_full_disk_told(report_writer *writer)
{
    struct profile *profile = make_example();
    struct report_options options = REPORT_OPTIONS_FULL;
    FILE *stream = fopen("/dev/full", "w");
    ck_assert_ptr_nonnull(stream);
    ck_assert_int_lt(writer(profile, &options, stream), 0);
    fclose(stream);
    profile_free(profile);
}

#endif

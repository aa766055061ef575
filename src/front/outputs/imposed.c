/* SPDX-License-Identifier: MIT */
#include "front/outputs/imposed.h"

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/semantics/call_state.h"
#include "common/text/text.h"
#include "common/wire/message.h"
#include "front/outputs/file.h"
#include "front/session/options.h"
#include "front/session/shadow.h"
#include "profile/profile/profile.h"
#include "profile/report/gmon_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char text_suffix[] = ".txt";

static bool is_array(const struct imposed *imposed)
{
    return imposed->options->impose.kind == CALL_PCSAMPLE;
}

static int set_failure(const char *path, int result, struct error *error)
{
    return error_system(error, -result, "cannot write the output '%s' of imposed calls", path);
}

/* Returns the name of a file of SHADOW, the AGAIN-th with its process number and generation. The caller frees it.
 * Returns NULL if memory runs out. */
static char *name_of(const struct imposed *imposed, const struct shadow *shadow, size_t again, const char *suffix)
{
    struct buffer name = {0};
    buffer_puts(&name, imposed->options->impose_output);
    if (shadow && shadow->image != FIRST_IMAGE) {
        buffer_printf(&name, ".%d", (int)shadow->pid);
        if (shadow->generation)
            buffer_printf(&name, ".%u", (unsigned)shadow->generation);
        if (again)
            buffer_printf(&name, "-%zu", again + 1);
    }
    buffer_puts(&name, suffix);
    if (name.failed)
        buffer_fini(&name);
    return name.bytes;
}

static int open_first(struct imposed *imposed, struct file *file, const char *suffix, struct error *error)
{
    char *path = name_of(imposed, NULL, 0, suffix);
    int result = path ? file_open(file, path) : error_set(error, ENOMEM, "out of memory");
    if (path && result < 0)
        set_failure(path, result, error);
    free(path);
    return result;
}

int imposed_open(struct imposed *imposed, const struct session_options *options, struct error *error)
{
    *imposed = (struct imposed){.options = options, .file.fd = -1, .text.fd = -1};
    if (options->impose.kind == CALL_NONE)
        return 0;
    int result = open_first(imposed, &imposed->file, "", error);
    if (!result && is_array(imposed) && file_is_regular(&imposed->file))
        result = open_first(imposed, &imposed->text, text_suffix, error);
    return result;
}

static int write_histogram(const struct imposed *imposed, const struct shadow *shadow, FILE *stream)
{
    struct gmon_histogram file = {
        .bins = shadow->size / sizeof(uint16_t), .rate = imposed->options->hz, .is_compat = shadow->is_compat};
    file.low = shadow->offset >= shadow->bias ? shadow->offset - shadow->bias : shadow->offset;
    file.high = file.low + text_scaled(file.bins * sizeof(uint16_t), 1 << 16, shadow->scale);
    file.items = calloc(shadow->cells.count + 1, sizeof *file.items);
    if (!file.items)
        return -ENOMEM;
    for (size_t i = 0; i < shadow->cells.count; i++)
        if (shadow->cells.items[i].number < file.bins)
            file.items[file.count++] = (struct gmon_bin){shadow->cells.items[i].number, shadow->cells.items[i].value};
    int result = gmon_write(&file, stream);
    free(file.items);
    return result;
}

static void put_pc(struct buffer *out, uint64_t pc, bool is_compat)
{
    unsigned char bytes[sizeof pc];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(pc >> 8 * i);
    buffer_append(out, bytes, is_compat ? sizeof(uint32_t) : sizeof bytes);
}

static void put_name(struct buffer *out, const struct shadow_run *run, const struct profile *profile)
{
    uint32_t place = run->place < profile->place_count ? profile->places[run->place] : PROFILE_NONE;
    buffer_printf(out, "0x%016lx\t", run->pc);
    if (place == PROFILE_NONE) {
        buffer_puts(out, "[unknown]\t[unknown]\n");
        return;
    }
    const struct profile_location *location = &profile->locations[place];
    const struct profile_function *function = &profile->functions[location->function];
    text_clean(out, function->name, true);
    if (function->start && location->address >= function->start)
        buffer_printf(out, "+0x%lx", location->address - function->start);
    buffer_puts(out, "\t");
    text_clean(out, profile->modules[location->module].name, true);
    buffer_puts(out, "\n");
}

/* Writes the array or, with PROFILE, its text. */
static int write_array(const struct shadow *shadow, const struct profile *profile, FILE *stream)
{
    struct buffer out = {0};
    int result = 0;
    for (size_t i = 0; i < shadow->runs.count; i++)
        for (uint64_t left = shadow->runs.items[i].count; left && !result; left--) {
            if (profile)
                put_name(&out, &shadow->runs.items[i], profile);
            else
                put_pc(&out, shadow->runs.items[i].pc, shadow->is_compat);
            result = text_write_full(&out, stream);
        }
    return text_end(&out, stream, result);
}

/* Writes one file of SHADOW. FIRST: the command's file, which is open; otherwise NULL. */
static int write_file(const struct imposed *imposed, const struct shadow *shadow, size_t again, struct file *first,
                      const struct profile *profile, struct error *error)
{
    struct file other = {.fd = -1}, *file = shadow->image == FIRST_IMAGE ? first : &other;
    char *path = name_of(imposed, shadow, again, profile ? text_suffix : "");
    if (!path)
        return error_set(error, ENOMEM, "out of memory");
    int result = file == &other ? file_open(&other, path) : 0;
    FILE *stream = result < 0 ? NULL : file_begin(file);
    if (stream)
        result = file_finish(file, stream,
                             is_array(imposed) ? write_array(shadow, profile, stream)
                                               : write_histogram(imposed, shadow, stream));
    else if (!result)
        result = -errno;
    if (result < 0)
        set_failure(path, result, error);
    free(path);
    return result;
}

static int write_shadow(struct imposed *imposed, const struct shadow *shadow, size_t again,
                        const struct profile *profile, struct error *error)
{
    int result = write_file(imposed, shadow, again, &imposed->file, NULL, error);
    bool described = is_array(imposed) && (shadow->image != FIRST_IMAGE || imposed->text.fd >= 0);
    int text = described ? write_file(imposed, shadow, again, &imposed->text, profile, error) : 0;
    return result ? result : text;
}

static int explain_nothing(const struct imposed *imposed, const struct shadows *shadows, struct error *error)
{
    const struct message_imposed *refusal = &shadows->refusal;
    return error_set(error, ENODATA, "nothing is written to '%s': no call was imposed on the command%s%s",
                     imposed->options->impose_output, refusal->image == FIRST_IMAGE ? ": " : "",
                     refusal->image == FIRST_IMAGE ? shadow_refusal(refusal) : "");
}

int imposed_write(struct imposed *imposed, struct shadows *shadows, const struct profile *profile, struct error *error)
{
    if (imposed->options->impose.kind == CALL_NONE)
        return 0;
    bool regular = file_is_regular(&imposed->file); /* no other files can be made beside a device */
    int first = shadows_find(shadows, FIRST_IMAGE) ? 0 : explain_nothing(imposed, shadows, error);
    size_t again = 0;
    shadows_sort(shadows);
    for (size_t i = 0; i < shadows->count; i++) {
        const struct shadow *shadow = &shadows->items[i];
        bool same = i && shadow->pid == shadow[-1].pid && shadow->generation == shadow[-1].generation;
        again = same ? again + 1 : 0; /* the process number was reused */
        if (shadow->image != FIRST_IMAGE && (!shadow->own || !regular))
            continue;
        int result = write_shadow(imposed, shadow, again, profile, error);
        first = first ? first : result;
    }
    return first;
}

void imposed_close(struct imposed *imposed)
{
    file_end(&imposed->file, true);
    file_end(&imposed->text, true);
}

/* SPDX-License-Identifier: MIT */
#include "profile/report/table_collect.h"

#include "common/base/buffer.h"
#include "common/base/hash.h"
#include "profile/profile/label.h"
#include "profile/profile/mpi.h"
#include "profile/profile/noise.h"
#include "profile/profile/profile.h"
#include "profile/report/table_rows.h"
#include "profile/report/wait_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct collecting {
    struct table_rows *rows;
    const struct profile *profile;
    enum report_by by;
    unsigned split;   /* bits of table_split */
    struct mpi mpi;   /* for REPORT_BY_MPI */
    uint32_t *places; /* the row of each function, module, process or thread, or of each line and then each location
                         without lines; HASH_NONE: not needed yet */
};

/* Makes a place for each part that can be a row. */
static bool make_places(struct collecting *collecting)
{
    const struct profile *profile = collecting->profile;
    const size_t counts[] = {
        [REPORT_BY_FUNCTION] = profile->function_count,
        [REPORT_BY_MODULE] = profile->module_count,
        [REPORT_BY_PROCESS] = profile->process_count,
        [REPORT_BY_PROGRAM] = profile->process_count,
        [REPORT_BY_COMMAND] = profile->process_count,
        [REPORT_BY_THREAD] = profile->thread_count,
        [REPORT_BY_LINE] = profile->line_count + profile->location_count,
        [REPORT_BY_FILE] = profile->line_count + profile->location_count,
        [REPORT_BY_SYSCALL] = 0,
        [REPORT_BY_RANK] = profile->process_count,
        [REPORT_BY_MPI] = profile->function_count,
    };
    collecting->places = hash_numbers(counts[collecting->by]);
    return collecting->places != NULL;
}

/* Returns the row of part INDEX, with the texts NAME and DETAIL. */
static struct table_row *row_of_part(struct collecting *collecting, uint32_t index, const char *name,
                                     const char *detail)
{
    uint32_t *place = &collecting->places[index];
    if (*place != HASH_NONE)
        return &collecting->rows->items[*place];
    struct table_row *row = table_rows_get(collecting->rows, name, detail);
    if (row)
        *place = (uint32_t)(row - collecting->rows->items);
    return row;
}

static struct table_row *row_of_function(struct collecting *collecting, uint32_t index)
{
    const struct profile_function *function = &collecting->profile->functions[index];
    return row_of_part(collecting, index, function->name, collecting->profile->modules[function->module].name);
}

static struct table_row *row_of_module(struct collecting *collecting, uint32_t index)
{
    const struct profile_module *module = &collecting->profile->modules[index];
    return row_of_part(collecting, index, module->name, module->name == module->path ? "" : module->path);
}

static struct table_row *row_of_process(struct collecting *collecting, uint32_t index)
{
    const struct profile_process *process = &collecting->profile->processes[index];
    if (collecting->by == REPORT_BY_RANK)
        return row_of_part(collecting, index, label_rank(&process->rank).text,
                           process->rank.host ? process->rank.host : "");
    bool command = collecting->by == REPORT_BY_COMMAND && process->command;
    bool number = collecting->by == REPORT_BY_PROCESS && (collecting->split & TABLE_SPLIT_NUMBERS);
    return row_of_part(collecting, index, command ? process->command : process->comm,
                       number ? label_process(process).text : "");
}

static struct table_row *row_of_thread(struct collecting *collecting, uint32_t index)
{
    const struct profile *profile = collecting->profile;
    const struct profile_thread *thread = &profile->threads[index];
    bool numbers = collecting->split & TABLE_SPLIT_NUMBERS;
    if (thread->estimated)
        return row_of_part(collecting, index, PROFILE_NAME_UNSAMPLED,
                           numbers ? label_process(&profile->processes[thread->process]).text : "");
    return row_of_part(collecting, index, thread->comm, numbers ? label_thread(profile, thread).text : "");
}

static struct table_row *row_of_line(struct collecting *collecting, uint32_t index)
{
    const struct profile *profile = collecting->profile;
    const struct profile_line *line = &profile->lines[index];
    const char *function = profile->functions[line->function].name;
    const char *file = line->file == PROFILE_NONE ? "" : profile->files[line->file];
    struct buffer place = {0};
    if (collecting->places[index] != HASH_NONE || !*file)
        return row_of_part(collecting, index, LABEL_NO_LINE, function);
    buffer_puts(&place, file);
    if (line->line)
        buffer_printf(&place, ":%u", (unsigned)line->line);
    struct table_row *row = place.failed ? NULL : row_of_part(collecting, index, place.bytes, function);
    buffer_fini(&place);
    return row;
}

static struct table_row *row_of_file(struct collecting *collecting, uint32_t index)
{
    const struct profile *profile = collecting->profile;
    const struct profile_line *line = &profile->lines[index];
    const char *file = line->file == PROFILE_NONE ? "" : profile->files[line->file];
    return row_of_part(collecting, index, *file ? file : LABEL_NO_FILE,
                       profile->modules[profile->functions[line->function].module].name);
}

/* Returns the row of the innermost line of location INDEX, or of its file. */
static struct table_row *row_of_inner_line(struct collecting *collecting, uint32_t index)
{
    const struct profile *profile = collecting->profile;
    const struct profile_location *location = &profile->locations[index];
    if (collecting->by == REPORT_BY_FILE)
        return location->line_count ? row_of_file(collecting, location->line_first)
                                    : row_of_part(collecting, (uint32_t)profile->line_count + index, LABEL_NO_FILE,
                                                  profile->modules[profile->functions[location->function].module].name);
    return location->line_count ? row_of_line(collecting, location->line_first)
                                : row_of_part(collecting, (uint32_t)profile->line_count + index, LABEL_NO_LINE,
                                              profile->functions[location->function].name);
}

/* Returns the innermost function of LOCATION. */
static uint32_t inner_function(const struct profile *profile, const struct profile_location *location)
{
    return location->line_count ? profile->lines[location->line_first].function : location->function;
}

static struct table_row *row_of_mpi_call(struct collecting *collecting, const struct profile_sample *sample)
{
    char name[MPI_NAME_SIZE] = "";
    uint32_t call = mpi_call_of(&collecting->mpi, collecting->profile, sample);
    if (call == PROFILE_NONE)
        return table_rows_get(collecting->rows, mpi_is_io(sample) ? "[I/O]" : "[computing]", "");
    mpi_kind_of(collecting->profile->functions[call].name, name);
    return row_of_part(collecting, call, name, "");
}

static struct wait_frame wait_frame_of(const struct wait_stack *stack, uint32_t number)
{
    const struct profile *profile = stack->of;
    const struct profile_sample *sample = stack->sample;
    const struct profile_location *frame = &profile->locations[profile->frames[sample->frame_first + number]];
    return (struct wait_frame){profile->functions[frame->function].name, frame->module,
                               profile->modules[frame->module].executable};
}

static struct table_row *row_of_syscall(struct collecting *collecting, const struct profile_sample *sample)
{
    struct buffer name = {0};
    if (collecting->by != REPORT_BY_FUNCTION || !(collecting->split & TABLE_SPLIT_CALLERS))
        return table_rows_get(collecting->rows, label_syscall(sample->syscall).text, LABEL_KERNEL);
    struct wait_stack stack = {wait_frame_of, collecting->profile, sample, sample->frame_count};
    wait_text_put(&name, &stack, sample->syscall);
    struct table_row *row = name.failed ? NULL : table_rows_get(collecting->rows, name.bytes, LABEL_KERNEL);
    buffer_fini(&name);
    return row;
}

/* Returns the row that SAMPLE belongs to, or NULL if memory runs out. */
static struct table_row *row_of_sample(struct collecting *collecting, const struct profile_sample *sample)
{
    const struct profile *profile = collecting->profile;
    uint32_t index = profile->frames[sample->frame_first];
    const struct profile_location *leaf = &profile->locations[index];
    bool in_syscall = label_in_syscall(sample);
    switch (collecting->by) {
    case REPORT_BY_FUNCTION:
        break;
    case REPORT_BY_MODULE:
        return in_syscall ? table_rows_get(collecting->rows, LABEL_KERNEL, "")
                          : row_of_module(collecting, leaf->module);
    case REPORT_BY_PROCESS:
    case REPORT_BY_PROGRAM:
    case REPORT_BY_COMMAND:
    case REPORT_BY_RANK:
        return row_of_process(collecting, profile->threads[sample->thread].process);
    case REPORT_BY_MPI:
        return row_of_mpi_call(collecting, sample);
    case REPORT_BY_THREAD:
        return row_of_thread(collecting, sample->thread);
    case REPORT_BY_LINE:
    case REPORT_BY_FILE:
        if (!in_syscall)
            return row_of_inner_line(collecting, index);
        break;
    case REPORT_BY_SYSCALL:
        return table_rows_get(collecting->rows,
                              in_syscall                         ? label_syscall(sample->syscall).text
                              : label_in_kernel(profile, sample) ? LABEL_KERNEL
                                                                 : "(user code)",
                              "");
    }
    return in_syscall ? row_of_syscall(collecting, sample) : row_of_function(collecting, inner_function(profile, leaf));
}

/* Adds SAMPLE to a caller's row, once: it is sample NUMBER, counted from 1. */
static bool add_caller(struct table_row *row, const struct profile_sample *sample, uint64_t number)
{
    if (row && row->touched != number) {
        row->below_ns += profile_sample_ns(sample);
        row->below_samples += sample->count;
    }
    if (row)
        row->touched = number;
    return row != NULL;
}

static bool add_callers_at(struct collecting *collecting, uint32_t index, const struct profile_sample *sample,
                           uint64_t number)
{
    const struct profile *profile = collecting->profile;
    const struct profile_location *location = &profile->locations[index];
    if (collecting->by == REPORT_BY_MODULE)
        return add_caller(row_of_module(collecting, location->module), sample, number);
    bool by_function = collecting->by == REPORT_BY_FUNCTION;
    if (!location->line_count)
        return add_caller(by_function ? row_of_function(collecting, location->function)
                                      : row_of_inner_line(collecting, index),
                          sample, number);
    for (uint32_t i = location->line_first; i < location->line_first + location->line_count; i++) {
        struct table_row *row = by_function ? row_of_function(collecting, profile->lines[i].function)
                                : collecting->by == REPORT_BY_LINE ? row_of_line(collecting, i)
                                                                   : row_of_file(collecting, i);
        if (!add_caller(row, sample, number))
            return false;
    }
    return true;
}

static bool add_sample(struct collecting *collecting, const struct profile_sample *sample, uint64_t number)
{
    struct table_row *row = row_of_sample(collecting, sample);
    if (!row)
        return false;
    row->samples += sample->count;
    *(label_in_kernel(collecting->profile, sample) ? &row->system_ns : &row->user_ns) += sample->cpu_ns;
    row->waiting_ns += sample->wait_ns;
    if (collecting->profile->threads[sample->thread].estimated)
        row->estimated_ns += profile_sample_ns(sample);
    row->touched = number;
    bool added = true;
    for (uint32_t i = 0; i < sample->frame_count && added && report_by_has_total(collecting->by); i++)
        added = add_callers_at(collecting, collecting->profile->frames[sample->frame_first + i], sample, number);
    return added;
}

/* Returns the row of PROCESS's program, which has no samples. */
static struct table_row *row_of_unknown_program(struct collecting *collecting, const struct profile_process *process)
{
    struct buffer name = {0};
    buffer_printf(&name, "%s %s", PROFILE_NAME_NO_SAMPLES, process->comm);
    struct table_row *row = name.failed ? NULL : table_rows_get(collecting->rows, name.bytes, "");
    buffer_fini(&name);
    return row;
}

static struct table_row *row_of_unsampled(struct collecting *collecting, uint32_t index)
{
    const struct profile_process *process = &collecting->profile->processes[index];
    bool of_process = collecting->by == REPORT_BY_THREAD && (collecting->split & TABLE_SPLIT_NUMBERS);
    if (collecting->by == REPORT_BY_PROGRAM && collecting->profile->estimated)
        return row_of_unknown_program(collecting, process);
    if (report_by_is_of_processes(collecting->by))
        return row_of_process(collecting, index);
    return table_rows_get(collecting->rows, profile_unsampled_name(collecting->profile),
                          of_process ? label_process(process).text : "");
}

/* Adds unsampled time: to its process in a table of processes, otherwise to one common row. A process without any
 * time has a row, too, because it shows that the process ran. */
static bool add_unsampled(struct collecting *collecting, uint32_t index)
{
    const struct profile_process *process = &collecting->profile->processes[index];
    if (!profile_unsampled_ns(process) && collecting->by != REPORT_BY_PROCESS)
        return true;
    struct table_row *row = row_of_unsampled(collecting, index);
    if (row) {
        row->unsampled_ns += process->unsampled_ns;
        row->waiting_ns += process->unsampled_wait_ns;
    }
    return row != NULL;
}

int table_collect(struct table_rows *rows, const struct profile *profile, enum report_by by, unsigned split)
{
    struct collecting collecting = {.rows = rows, .profile = profile, .by = by, .split = split};
    bool added = make_places(&collecting) && (by != REPORT_BY_MPI || !mpi_init(&collecting.mpi, profile));
    for (size_t i = 0; i < profile->sample_count && added; i++)
        added = add_sample(&collecting, &profile->samples[i], i + 1);
    for (size_t i = 0; i < profile->process_count && added; i++)
        added = add_unsampled(&collecting, (uint32_t)i);
    free(collecting.places);
    mpi_fini(&collecting.mpi);
    return added ? 0 : -ENOMEM;
}

/* Adds the base's numbers to ROWS, from the rows of BASE with equal texts. */
static int add_base(struct table_rows *rows, const struct profile *base, enum report_by by, unsigned split)
{
    struct table_rows before = {0};
    int result = table_collect(&before, base, by, split);
    for (size_t i = 0; i < before.count && !result; i++) {
        struct table_row *row = table_rows_get(rows, before.items[i].name, before.items[i].detail);
        if (!row) {
            result = -ENOMEM;
            break;
        }
        row->base_ns = table_row_ns(&before.items[i]);
        row->base_total_ns = table_row_total_ns(&before.items[i]);
        row->base_samples = before.items[i].samples;
        row->base_total_samples = before.items[i].samples + before.items[i].below_samples;
    }
    table_rows_fini(&before);
    return result;
}

int table_collect_sorted(struct table_rows *rows, const struct profile *profile, enum report_by by,
                         const struct report_options *options, unsigned split)
{
    unsigned common = options->base ? split & ~(unsigned)TABLE_SPLIT_NUMBERS : split;
    int result = table_collect(rows, profile, by, common);
    if (!result && options->base)
        result = add_base(rows, options->base, by, common);
    if (options->base) {
        struct noise noise = noise_of(profile, options->base);
        if (!report_by_is_of_processes(by) &&
            by != REPORT_BY_THREAD) /* CPU time of processes and threads is measured, not sampled */
            table_rows_judge(rows, &noise);
        table_rows_sort_by_change(rows);
    } else if (options->sort == REPORT_SORT_TOTAL)
        table_rows_sort_by_total(rows);
    else
        table_rows_sort(rows);
    return result;
}

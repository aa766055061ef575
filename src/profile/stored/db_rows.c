/* SPDX-License-Identifier: MIT
 *
 * Stacks are arrays from the root to the leaf, as in folded stacks. `batch` and `row` identify a row, so that a
 * receiver can drop duplicates. */
#include "profile/stored/db_rows.h"

#include "common/base/buffer.h"
#include "common/text/json.h"
#include "common/text/text.h"
#include "profile/profile/instants.h"
#include "profile/profile/merge.h"
#include "profile/profile/profile.h"
#include "profile/profile/stack.h"
#include "profile/stored/writers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct rows {
    const struct profile *profile;
    const struct db_rows_about *about;
    db_row_receiver *receive;
    void *of;
    struct buffer line;
    struct stack stack;
    uint64_t batch;
    uint32_t count;
};

/* Returns a digest that is the same in each run (FNV-1a, 64 bits). */
static uint64_t digest(uint64_t sum, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    return sum;
}

/* Returns a number that identifies a profile. Two profiles of a host do not begin in the same nanosecond with the same
 * times. */
static uint64_t batch_of(const struct profile *profile, const struct db_rows_about *about)
{
    const char *texts[] = {about->service, about->process, about->host, about->labels};
    uint64_t numbers[] = {profile->quality.began_ns, profile->quality.wall_ns, profile_cpu_ns(profile),
                          profile_wait_ns(profile), profile_samples(profile)};
    uint64_t sum = digest(UINT64_C(0xcbf29ce484222325), numbers, sizeof numbers);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        sum = digest(sum, texts[i] ? texts[i] : "", texts[i] ? strlen(texts[i]) + 1 : 1);
    return sum;
}

static const char *path_of(const struct profile *profile, const struct stack_frame *frame)
{
    return frame->location == PROFILE_NONE ? frame->module
                                           : profile->modules[profile->locations[frame->location].module].path;
}

enum column { FUNCTIONS, MODULES, FILES, LINES };

static void put_column(struct rows *rows, const char *key, enum column column)
{
    struct buffer *line = &rows->line;
    json_open(line, key, '[');
    for (size_t i = rows->stack.count; i-- > 0;) {
        const struct stack_frame *frame = &rows->stack.items[i];
        if (column == FUNCTIONS)
            json_text(line, NULL, frame->name);
        else if (column == MODULES)
            json_text(line, NULL, path_of(rows->profile, frame));
        else if (column == FILES)
            json_text(line, NULL, frame->file ? frame->file : "");
        else
            json_number(line, NULL, frame->line);
    }
    buffer_puts(line, "]");
}

static void put_head(struct rows *rows, const struct profile_process *process)
{
    const struct profile_quality *quality = &rows->profile->quality;
    const struct db_rows_about *about = rows->about;
    const struct profile_rank *rank = &process->rank;
    const char *name = about->process ? about->process : process->comm;
    struct buffer *line = &rows->line;
    char service[64];
    buffer_puts(line, "{");
    json_number(line, "time_ns", quality->began_ns);
    json_number(line, "duration_ns", quality->wall_ns);
    json_text(line, "clock", quality->wall ? "wall" : "cpu");
    json_number(line, "hz", quality->rate);
    json_text(line, "service",
              about->service ? about->service : profile_service(process, name, service, sizeof service));
    json_text(line, "host", about->host ? about->host : rank->host ? rank->host : "");
    json_plain(line, "labels", about->labels ? about->labels : "[]");
    json_text(line, "process", name);
    json_text(line, "job", rank->job ? rank->job : "");
    if (rank->known)
        json_number(line, "rank", rank->number);
    else
        json_plain(line, "rank", "-1");
}

static void put_row(struct rows *rows, const struct profile_process *process, const struct profile_sample *sample)
{
    struct buffer *line = &rows->line;
    line->length = 0;
    put_head(rows, process);
    put_column(rows, "functions", FUNCTIONS);
    put_column(rows, "modules", MODULES);
    put_column(rows, "files", FILES);
    put_column(rows, "lines", LINES);
    json_number(line, "count", sample->count);
    json_number(line, "period_ns", sample->period_ns);
    json_number(line, "cpu_ns", sample->cpu_ns);
    json_number(line, "wait_ns", sample->wait_ns);
    json_number(line, "batch", rows->batch);
    json_number(line, "row", rows->count);
    buffer_puts(line, "}\n");
}

/* Removes half of the frames of the stack, at its root. */
static void shorten(struct stack *stack)
{
    stack->count = (stack->count + 1) / 2;
    stack->items[stack->count - 1] = (struct stack_frame){
        .name = PROFILE_NAME_MERGED, .module = "", .function = PROFILE_NONE, .location = PROFILE_NONE};
}

/* Passes on the row of the present stack. */
static int give(struct rows *rows, const struct profile_process *process, const struct profile_sample *sample)
{
    put_row(rows, process, sample);
    while (rows->line.length > DB_ROW_MOST_BYTES && rows->stack.count > 1) {
        shorten(&rows->stack);
        put_row(rows, process, sample);
    }
    rows->count++;
    return rows->line.failed ? -ENOMEM : rows->receive(rows->of, rows->line.bytes, rows->line.length);
}

static int give_unsampled(struct rows *rows, const struct profile_process *process)
{
    const struct profile *profile = rows->profile;
    const struct profile_sample sample = {.cpu_ns = process->unsampled_ns, .wait_ns = process->unsampled_wait_ns};
    struct stack_frame frame = {
        .name = PROFILE_NAME_UNSAMPLED, .module = "", .function = PROFILE_NONE, .location = PROFILE_NONE};
    if (process->module != PROFILE_NONE)
        frame.module = profile->modules[process->module].path;
    const struct stack kept = rows->stack;
    rows->stack = (struct stack){.items = &frame, .count = 1};
    int result = profile_sample_ns(&sample) ? give(rows, process, &sample) : 0;
    rows->stack = kept;
    return result;
}

static int give_sample(struct rows *rows, const struct profile_sample *sample)
{
    if (!stack_of(&rows->stack, rows->profile, sample))
        return -ENOMEM;
    return give(rows, label_process_of(rows->profile, sample), sample);
}

/* Makes equal what rows do not distinguish: processes with the same name and rank, their threads, and addresses. */
static void even_out(struct profile *profile)
{
    for (size_t i = 0; i < profile->process_count; i++) {
        struct profile_process *process = &profile->processes[i];
        process->pid = 0;
        process->image = 0;
        process->command = NULL;
    }
    for (size_t i = 0; i < profile->thread_count; i++) {
        struct profile_thread *thread = &profile->threads[i];
        *thread = (struct profile_thread){.process = thread->process, .comm = profile->processes[thread->process].comm};
    }
    for (size_t i = 0; i < profile->location_count; i++)
        profile->locations[i].address = 0;
}

static void *copy_of(const void *items, size_t count, size_t size)
{
    void *copy = malloc(count * size + 1);
    if (copy && count)
        memcpy(copy, items, count * size);
    return copy;
}

/* Returns PROFILE with equal rows added up, which the caller frees, or NULL if memory runs out. */
static struct profile *added_up(const struct profile *profile)
{
    struct profile copy = *profile, *result = NULL;
    copy.processes = copy_of(profile->processes, profile->process_count, sizeof *profile->processes);
    copy.threads = copy_of(profile->threads, profile->thread_count, sizeof *profile->threads);
    copy.locations = copy_of(profile->locations, profile->location_count, sizeof *profile->locations);
    copy.instants = (struct instants){0};
    copy.mark_count = 0;
    if (copy.processes && copy.threads && copy.locations) {
        even_out(&copy);
        result = merge_with_base(NULL, &copy);
    }
    free(copy.processes);
    free(copy.threads);
    free(copy.locations);
    return result;
}

int db_rows_each(const struct profile *profile, const struct db_rows_about *about, db_row_receiver *receive, void *of)
{
    struct profile *sum = added_up(profile);
    struct rows rows = {.profile = sum, .about = about, .receive = receive, .of = of};
    int result = sum ? 0 : -ENOMEM;
    if (sum)
        rows.batch = batch_of(sum, about);
    for (size_t i = 0; !result && i < sum->process_count; i++)
        result = give_unsampled(&rows, &sum->processes[i]);
    for (size_t i = 0; !result && i < sum->sample_count; i++)
        result = give_sample(&rows, &sum->samples[i]);
    stack_fini(&rows.stack);
    buffer_fini(&rows.line);
    profile_free(sum);
    return result;
}

/* Writes rows to a stream. */
struct output {
    struct buffer bytes;
    FILE *stream;
};

static int write_row(void *of, const char *line, size_t length)
{
    struct output *output = of;
    buffer_append(&output->bytes, line, length);
    return text_write_full(&output->bytes, output->stream);
}

int stored_db_rows_write(const struct profile *profile, const struct report_options *options, FILE *stream)
{
    const struct db_rows_about about = {0};
    struct output output = {.stream = stream};
    (void)options;
    return text_end(&output.bytes, stream, db_rows_each(profile, &about, write_row, &output));
}

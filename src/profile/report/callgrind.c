/* SPDX-License-Identifier: MIT
 *
 * The format of valgrind's callgrind, for KCachegrind, QCachegrind and callgrind_annotate: the cost of each function by
 * line and by instruction, and the cost of each call. The events are CPU time in nanoseconds and samples.
 *
 * Readers compute the inclusive cost of a function as the sum of the calls to it. So each sample's cost counts at
 * the outermost call of each of its functions; an inner, recursive call is listed without a cost. A function
 * "process NAME" calls the first function of each thread, so that every function has a caller. Calls are not
 * counted: calls= is the number of samples that show the call. */
#include "profile/report/report.h"

#include "common/base/buffer.h"
#include "common/text/text.h"
#include "profile/profile/distinct.h"
#include "profile/profile/frames.h"
#include "profile/profile/profile.h"
#include "profile/profile/stack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Location in a function where time was spent, or a call was made. */
struct place {
    uint64_t address;
    const char *file; /* NULL: unknown */
    uint32_t line;
};

struct cost {
    uint32_t frame;
    uint32_t callee; /* function that was called; HASH_NONE: time of the function itself */
    struct place place;
    uint64_t calls, touched; /* number of samples that show the call, and the last stack that did */
    uint64_t ns, count;
};

struct costs {
    struct cost *items;
    size_t count, room;
    struct hash index;
    struct frames frames;
    struct stack stack;
    uint64_t stacks; /* number of stacks added, including the current one */
};

/* Each name is written once, then referred to by its number, within each kind. */
struct names {
    struct texts objects, files, functions;
    struct buffer clean;
};

static bool same_file(const char *left, const char *right)
{
    return left == right || (left && right && !strcmp(left, right));
}

static bool is_cost(const void *owner, uint32_t number, const void *key)
{
    const struct cost *cost = &((const struct costs *)owner)->items[number], *wanted = key;
    return cost->frame == wanted->frame && cost->callee == wanted->callee &&
           cost->place.address == wanted->place.address && cost->place.line == wanted->place.line &&
           same_file(cost->place.file, wanted->place.file);
}

/* Returns the cost of FRAME itself, or of its calls of CALLEE, at PLACE. Valid until the next call; NULL if memory
 * runs out. */
static struct cost *cost_at(struct costs *costs, uint32_t frame, uint32_t callee, struct place place)
{
    struct cost wanted = {.frame = frame, .callee = callee, .place = place};
    uint64_t value = hash_number(hash_number((uint64_t)frame << 32 | callee) ^ hash_number(place.address) ^ place.line);
    if (frame == HASH_NONE)
        return NULL;
    uint32_t number = HASH_INTERN(costs, value, is_cost, costs, &wanted);
    return number == HASH_NONE ? NULL : &costs->items[number];
}

static struct place place_of(const struct profile *profile, const struct stack_frame *frame)
{
    if (frame->location == PROFILE_NONE)
        return (struct place){0};
    return (struct place){profile->locations[frame->location].address, frame->file, frame->line};
}

static bool add_self(struct costs *costs, uint32_t frame, struct place place, uint64_t count, uint64_t ns)
{
    struct cost *cost = cost_at(costs, frame, HASH_NONE, place);
    if (!cost)
        return false;
    cost->count += count;
    cost->ns += ns;
    return true;
}

/* Adds a call from the current stack. */
static bool add_call(struct costs *costs, uint32_t frame, struct place place, uint32_t callee, uint64_t count,
                     uint64_t ns)
{
    struct cost *cost = callee == HASH_NONE ? NULL : cost_at(costs, frame, callee, place);
    if (!cost)
        return false;
    if (cost->touched != costs->stacks)
        cost->calls += count ? count : 1;
    cost->touched = costs->stacks;
    if (costs->frames.items[callee].touched != costs->stacks) {
        cost->count += count;
        cost->ns += ns;
    }
    costs->frames.items[callee].touched = costs->stacks;
    return true;
}

static uint32_t process_frame(struct costs *costs, const struct profile_process *process)
{
    struct buffer name = {0};
    buffer_puts(&name, "process ");
    buffer_puts(&name, process->comm);
    uint32_t number = name.failed ? HASH_NONE : frames_number(&costs->frames, PROFILE_NONE, name.bytes, "");
    buffer_fini(&name);
    return number;
}

static int add_stack(struct costs *costs, const struct profile *profile, const struct profile_sample *sample)
{
    if (!stack_of(&costs->stack, profile, sample))
        return -ENOMEM;
    costs->stacks++;
    uint32_t at = process_frame(costs, label_process_of(profile, sample));
    struct place place = {0};
    for (size_t i = costs->stack.count; i--;) {
        const struct stack_frame *frame = &costs->stack.items[i];
        uint32_t callee = frames_number(&costs->frames, frame->function, frame->name, frame->module);
        if (!add_call(costs, at, place, callee, sample->count, profile_sample_ns(sample)))
            return -ENOMEM;
        at = callee;
        place = place_of(profile, frame);
    }
    return add_self(costs, at, place, sample->count, profile_sample_ns(sample)) ? 0 : -ENOMEM;
}

static int add_unsampled(struct costs *costs, const struct profile_process *process)
{
    struct place nowhere = {0};
    uint64_t ns = profile_unsampled_ns(process);
    if (!ns)
        return 0;
    costs->stacks++;
    uint32_t caller = process_frame(costs, process);
    uint32_t callee = frames_number(&costs->frames, PROFILE_NONE, profile_unsampled_name(costs->frames.profile), "");
    bool added = add_call(costs, caller, nowhere, callee, 0, ns) && add_self(costs, callee, nowhere, 0, ns);
    return added ? 0 : -ENOMEM;
}

static int by_place(const void *left, const void *right)
{
    const struct cost *a = left, *b = right;
    if (a->frame != b->frame)
        return a->frame < b->frame ? -1 : 1;
    if (a->callee != b->callee) /* a function's own cost comes before its calls, because HASH_NONE + 1 is 0 */
        return a->callee + 1 < b->callee + 1 ? -1 : 1;
    if (a->place.address != b->place.address)
        return a->place.address < b->place.address ? -1 : 1;
    return a->place.line < b->place.line ? -1 : a->place.line > b->place.line;
}

static int collect(struct costs *costs, const struct profile *profile)
{
    struct distinct distinct;
    int result = distinct_init(&distinct, profile);
    if (!result)
        result = frames_init(&costs->frames, profile);
    for (size_t i = 0; i < distinct.count && !result; i++)
        result = add_stack(costs, profile, &distinct.items[i]);
    for (size_t i = 0; i < profile->process_count && !result; i++)
        result = add_unsampled(costs, &profile->processes[i]);
    distinct_fini(&distinct);
    if (!result && costs->count)
        qsort(costs->items, costs->count, sizeof *costs->items, by_place);
    return result;
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " ")] == '\0';
}

/* Appends "KEY=(NUMBER) NAME", without the name if it was written before. NAME is NULL if unknown. */
static void put_name(struct buffer *out, struct names *names, const char *key, struct texts *known, const char *name)
{
    names->clean.length = 0;
    text_clean(&names->clean, name ? name : "???", true);
    const char *shown = names->clean.bytes;
    if (shown && is_blank(shown))
        shown = "[unnamed]";
    size_t before = known->count;
    uint32_t number = shown ? texts_add(known, shown) : HASH_NONE;
    if (number == HASH_NONE) {
        out->failed = true;
        return;
    }
    buffer_printf(out, "%s=(%u)", key, number + 1);
    if (number == before) {
        buffer_puts(out, " ");
        buffer_puts(out, shown);
    }
    buffer_puts(out, "\n");
}

static void put_cost(struct buffer *out, const struct cost *cost)
{
    buffer_printf(out, "0x%llx %u %llu %llu\n", (unsigned long long)cost->place.address, cost->place.line,
                  (unsigned long long)cost->ns, (unsigned long long)cost->count);
}

static const char *object_of(const struct frames_item *item)
{
    return *item->path ? item->path : NULL;
}

static void put_function(struct buffer *out, struct names *names, const struct frames_item *item)
{
    buffer_puts(out, "\n");
    put_name(out, names, "ob", &names->objects, object_of(item));
    put_name(out, names, "fl", &names->files, item->file);
    put_name(out, names, "fn", &names->functions, item->name);
}

static void put_call(struct buffer *out, struct names *names, const struct frames_item *callee, uint64_t calls)
{
    put_name(out, names, "cob", &names->objects, object_of(callee));
    put_name(out, names, "cfi", &names->files, callee->file);
    put_name(out, names, "cfn", &names->functions, callee->name);
    buffer_printf(out, "calls=%llu 0x%llx %u\n", (unsigned long long)calls, (unsigned long long)callee->start,
                  callee->line);
}

/* Writes a zero cost for a function without any of its own: readers report a source file without a cost as broken. */
static void put_no_cost(struct buffer *out, const struct frames_item *item)
{
    buffer_printf(out, "0x%llx %u 0 0\n", (unsigned long long)item->start, item->line);
}

static int put_costs(struct buffer *out, struct names *names, const struct costs *costs, FILE *stream)
{
    const char *file = NULL;
    int result = 0;
    for (size_t i = 0; i < costs->count && !result; i++) {
        const struct cost *cost = &costs->items[i];
        const struct frames_item *item = &costs->frames.items[cost->frame];
        if (!i || cost->frame != cost[-1].frame) {
            put_function(out, names, item);
            file = item->file;
            if (cost->callee != HASH_NONE)
                put_no_cost(out, item);
        }
        const char *here = cost->place.file ? cost->place.file : item->file;
        if (!same_file(here, file))
            put_name(out, names, same_file(here, item->file) ? "fe" : "fi", &names->files, file = here);
        if (cost->callee != HASH_NONE)
            put_call(out, names, &costs->frames.items[cost->callee], cost->calls);
        put_cost(out, cost);
        result = text_write_full(out, stream);
    }
    return result;
}

static void put_head(struct buffer *out, const struct profile *profile)
{
    buffer_puts(out, "# callgrind format\nversion: 1\ncreator: ptprofil\n");
    if (profile->process_count)
        buffer_printf(out, "pid: %d\n", (int)profile->processes[0].pid);
    if (profile->command) {
        buffer_puts(out, "cmd: ");
        text_clean(out, profile->command, true);
        buffer_puts(out, "\n");
    }
    const char *time = profile->quality.wall ? "Wall_ns" : "CPU_ns";
    buffer_printf(out, "positions: instr line\nevent: %s : %s time in nanoseconds\n", time,
                  profile->quality.wall ? "Running and waiting" : "CPU");
    buffer_printf(out, "event: Samples : Samples\nevents: %s Samples\n", time);
}

static void put_total(struct buffer *out, const char *key, const struct profile *profile)
{
    buffer_printf(out, "%s: %llu %llu\n", key, (unsigned long long)profile_ns(profile),
                  (unsigned long long)profile_samples(profile));
}

static int put_all(const struct profile *profile, const struct costs *costs, FILE *stream)
{
    struct buffer out = {0};
    struct names names = {0};
    put_head(&out, profile);
    put_total(&out, "summary", profile);
    int result = put_costs(&out, &names, costs, stream);
    buffer_puts(&out, "\n");
    put_total(&out, "totals", profile);
    texts_fini(&names.objects);
    texts_fini(&names.files);
    texts_fini(&names.functions);
    buffer_fini(&names.clean);
    return text_end(&out, stream, result);
}

int report_callgrind_write(const struct profile *profile, const struct report_options *options, FILE *stream)
{
    (void)options;
    struct costs costs = {0};
    int result = collect(&costs, profile);
    if (!result)
        result = put_all(profile, &costs, stream);
    frames_fini(&costs.frames);
    stack_fini(&costs.stack);
    hash_fini(&costs.index);
    free(costs.items);
    return result;
}

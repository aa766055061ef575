/* SPDX-License-Identifier: MIT */
#include "profile/stored/stored_values.h"

#include "common/model/quality.h"
#include "profile/profile/merge.h"

#include <string.h>

#define SECOND UINT64_C(1000000000)

enum { MOST_SIGNAL = 64 };

static struct pprof_value_type read_type(struct stored_code *code, const struct protobuf_entry *field)
{
    struct pprof_value_type type = {0};
    stored_unpack(code, &pprof_value_type_layout, field, "a type of values", &type);
    return type;
}

static void set_rates(struct profile_quality *quality, const struct pprof_quality *known)
{
    if (known->n_rates)
        quality->last_rate = (uint32_t)known->rates[0];
    for (size_t i = 1; i + 1 < known->n_rates && quality->change_count < PROFILE_RATE_CHANGES; i += 2)
        quality->changes[quality->change_count++] =
            (struct profile_rate_change){known->rates[i], (uint32_t)known->rates[i + 1]};
}

static void read_quality(struct stored_values *values, struct stored_code *code, const struct protobuf_entry *field)
{
    struct pprof_quality known;
    if (!stored_unpack(code, &pprof_quality_layout, field, "its quality", &known))
        return;
    values->has_quality = true;
    values->ended_early = known.ended_early;
    values->command = known.command;
    values->instants_until_ns = known.instants_until_ns;
    values->quality = (struct profile_quality){
        .rate = (uint32_t)known.rate,
        .wall = known.wall != 0,
        .lowest_rate = (uint32_t)known.lowest_rate,
        .max_overhead = (unsigned)known.max_overhead,
        .samples = known.samples,
        .due = known.due,
        .off_ns = known.off_ns,
        .signal = known.signal <= MOST_SIGNAL ? (uint32_t)known.signal : 0,
#define COUNTER(name, number, key, text) .counters[QUALITY_##name] = known.name,
        QUALITY_COUNTERS(COUNTER)
#undef COUNTER
            .pause_median_ns = known.pause_median_ns,
        .pause_p99_ns = known.pause_p99_ns,
        .supervisor_cpu_ns = known.supervisor_cpu_ns,
    };
    set_rates(&values->quality, &known);
}

void stored_values_read(struct stored_values *values, struct stored_code *code, const struct protobuf_entry *field)
{
    switch (field->number) {
    case PPROF_SAMPLE_TYPE:
        if (values->count >= STORED_MOST_TYPES)
            stored_broken(code, "it has more than %d types of values", STORED_MOST_TYPES);
        else
            values->types[values->count++] = read_type(code, field);
        break;
    case PPROF_PERIOD_TYPE:
        values->period_type = read_type(code, field);
        break;
    case PPROF_QUALITY:
        read_quality(values, code, field);
        break;
    case PPROF_TIME:
        values->began_ns = (int64_t)field->value;
        break;
    case PPROF_DURATION:
        values->duration_ns = (int64_t)field->value;
        break;
    case PPROF_PERIOD:
        values->period = (int64_t)field->value;
        break;
    case PPROF_DEFAULT_TYPE:
        values->default_type = (int64_t)field->value;
        break;
    }
}

/* Returns the nanoseconds in a unit, or 0 if it is not a unit of time. */
static uint64_t unit_ns(struct stored_code *code, int64_t unit)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {
        {"nanoseconds", 1}, {"microseconds", 1000}, {"milliseconds", 1000000}, {"seconds", SECOND},
        {"ns", 1},          {"us", 1000},           {"ms", 1000000},           {"s", SECOND},
    };
    const char *name = stored_text(code, unit);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(name, units[i].name))
            return units[i].ns;
    return 0;
}

static bool is_called(struct stored_code *code, int64_t text, const char *name)
{
    return !strcmp(stored_text(code, text), name);
}

/* Chooses among the types that are times: "cpu", then the profile's own default, then the last one. */
static int choose_time(const struct stored_values *values, struct stored_code *code)
{
    int chosen = -1, rank = 0;
    for (size_t i = 0; i < values->count; i++) {
        int64_t type = values->types[i].type;
        int its_rank = is_called(code, type, "cpu") ? 3 : values->default_type && type == values->default_type ? 2 : 1;
        if (!unit_ns(code, values->types[i].unit) || its_rank < rank)
            continue;
        chosen = (int)i;
        rank = its_rank;
    }
    return chosen;
}

static bool is_type(const struct stored_values *values, struct stored_code *code, size_t index, const char *type,
                    const char *unit)
{
    return is_called(code, values->types[index].type, type) && is_called(code, values->types[index].unit, unit);
}

/* Returns true if this is a file of ours. pprof keeps the types of the values, and drops everything that it does not
 * know. */
static bool is_own(const struct stored_values *values, struct stored_code *code)
{
    return values->has_quality || (values->count >= 3 && is_type(values, code, 0, "samples", "count") &&
                                   is_type(values, code, 1, "cpu", "nanoseconds") &&
                                   is_type(values, code, values->count - 1, "period", "nanoseconds"));
}

/* Chooses the value called NAME, but only in our own files: in other programs' files it may mean anything. */
static int choose_own(const struct stored_values *values, struct stored_code *code, const char *name)
{
    for (size_t i = 0; i < values->count && is_own(values, code); i++)
        if (is_type(values, code, i, name, "nanoseconds"))
            return (int)i;
    return -1;
}

/* Chooses "samples", or the first type with the unit "count". */
static int choose_samples(const struct stored_values *values, struct stored_code *code)
{
    int chosen = -1;
    for (size_t i = 0; i < values->count; i++) {
        if (!is_called(code, values->types[i].unit, "count"))
            continue;
        if (is_called(code, values->types[i].type, "samples"))
            return (int)i;
        if (chosen < 0)
            chosen = (int)i;
    }
    return chosen;
}

/* Reports that no value is a time, and lists the values. */
static void no_times(const struct stored_values *values, struct stored_code *code)
{
    struct buffer list = {0};
    for (size_t i = 0; i < values->count; i++)
        buffer_printf(&list, "%s%.40s (%.40s)", i ? ", " : "", stored_text(code, values->types[i].type),
                      stored_text(code, values->types[i].unit));
    stored_unfit(code, "holds no times, and nothing else is shown here: its values are %.200s",
                 list.bytes ? list.bytes : "?");
    buffer_fini(&list);
}

void stored_values_choose(struct stored_values *values, struct stored_code *code)
{
    uint64_t period_unit = unit_ns(code, values->period_type.unit);
    values->time = choose_time(values, code);
    values->wall = values->quality.wall ? choose_own(values, code, "wall") : -1;
    values->period_value = choose_own(values, code, "period");
    values->samples = choose_samples(values, code);
    values->time_unit = values->time < 0 ? 0 : unit_ns(code, values->types[values->time].unit);
    if (values->period > 0 && period_unit && (uint64_t)values->period <= INT64_MAX / period_unit)
        values->period_ns = (uint64_t)values->period * period_unit;
    if (!values->count)
        stored_broken(code, "no sample types");
    else if (values->time < 0 && (values->samples < 0 || !values->period_ns))
        no_times(values, code);
}

/* Returns value INDEX of SAMPLE. */
static uint64_t value_of(struct stored_code *code, const struct pprof_sample *sample, int index)
{
    if (sample->value[index] < 0)
        stored_unfit(code, "has negative values: it is the difference of two profiles, and can only be viewed; give "
                           "report --diff the two profiles themselves");
    return (uint64_t)sample->value[index];
}

static uint64_t times(struct stored_code *code, uint64_t value, uint64_t factor)
{
    if (factor && value > INT64_MAX / factor)
        stored_broken(code, "it has a value of more than can be true");
    return value * factor;
}

void stored_values_of(const struct stored_values *values, struct stored_code *code, const struct pprof_sample *sample,
                      struct profile_sample *value)
{
    if (sample->n_value != values->count) {
        stored_broken(code, "a sample has %zu values, not %zu", sample->n_value, values->count);
        return;
    }
    uint64_t time = values->time < 0 ? 0 : value_of(code, sample, values->time);
    uint64_t wall = values->wall < 0 ? 0 : value_of(code, sample, values->wall);
    value->period_ns = values->period_value < 0 ? 0 : value_of(code, sample, values->period_value);
    value->count = values->samples < 0 ? 0 : value_of(code, sample, values->samples);
    if (code->result)
        return;
    value->cpu_ns =
        values->time < 0 ? times(code, value->count, values->period_ns) : times(code, time, values->time_unit);
    value->wait_ns = wall > value->cpu_ns ? wall - value->cpu_ns : 0;
    if (values->samples < 0)
        value->count = values->period_ns ? value->cpu_ns / values->period_ns : 0;
}

/* Returns the known quality of a profile from another program. */
static struct profile_quality quality_of_others(const struct stored_values *values, uint64_t samples)
{
    uint64_t rate = values->period_ns && values->period_ns <= SECOND ? SECOND / values->period_ns : 0;
    uint32_t known = rate <= UINT32_MAX ? (uint32_t)rate : 0;
    return (struct profile_quality){.rate = known, .lowest_rate = known, .samples = samples, .due = samples};
}

void stored_values_finish(struct stored_values *values, struct stored_code *code, uint64_t samples)
{
    struct profile_quality *quality = &values->quality;
    const char *early = stored_text(code, values->ended_early), *command = stored_text(code, values->command);
    if (!values->has_quality)
        *quality = quality_of_others(values, samples);
    quality->ended_early = *early ? early : NULL;
    quality->began_ns = values->began_ns > 0 ? (uint64_t)values->began_ns : 0;
    quality->wall_ns = values->duration_ns > 0 ? (uint64_t)values->duration_ns : 0;
    if (!code->result)
        merge_quality(code->into, quality, *command ? command : NULL);
}

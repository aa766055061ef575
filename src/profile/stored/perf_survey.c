/* SPDX-License-Identifier: MIT */
#include "profile/stored/perf_survey.h"

#include <stdlib.h>
#include <string.h>

static bool has_id(const void *owner, uint32_t number, const void *key)
{
    return ((const struct perf_survey *)owner)->items[number].id == *(const pid_t *)key;
}

static uint32_t find_id(const struct perf_survey *survey, pid_t id)
{
    return hash_find(&survey->index, hash_number((uint64_t)id), has_id, survey, &id);
}

/* Returns NULL if memory runs out. */
static struct perf_id *id_of(struct perf_survey *survey, pid_t id)
{
    const struct perf_id added = {.id = id};
    uint32_t number = HASH_INTERN(survey, hash_number((uint64_t)id), has_id, survey, &added);
    return number == HASH_NONE ? NULL : &survey->items[number];
}

/* True if EVENT has NAME before its modifiers, as in "cpu-clock:u". */
static bool is_called(struct perf_text event, const char *name)
{
    const char *colon = event.length ? memchr(event.at, ':', event.length) : NULL;
    if (colon)
        event.length = (size_t)(colon - event.at);
    return perf_text_is(event, name);
}

/* Chooses the first event that counts time, or the first event if none does. */
static void choose(struct perf_survey *survey, struct perf_text text)
{
    struct perf_text line;
    struct perf_head head;
    while (!survey->clock && perf_line_next(&text, &line)) {
        if (!perf_line_head(line, &head))
            continue;
        survey->wall = is_called(head.event, PERF_WALL_CLOCK);
        survey->clock = survey->wall || is_called(head.event, PERF_CPU_CLOCK) || is_called(head.event, "task-clock");
        if (survey->clock || !survey->event.length)
            survey->event = head.event;
    }
}

bool perf_survey_has(const struct perf_survey *survey, const struct perf_head *head)
{
    return head->event.length == survey->event.length && !memcmp(head->event.at, survey->event.at, head->event.length);
}

static bool name_process(struct perf_survey *survey, const struct perf_head *head)
{
    struct perf_id *process = id_of(survey, head->pid);
    if (!process)
        return false;
    if (!process->comm.length || (head->pid == head->tid && !process->first))
        process->comm = head->comm;
    process->first |= head->pid == head->tid;
    return true;
}

static bool count_sample(struct perf_survey *survey, const struct perf_head *head)
{
    struct perf_id *thread = id_of(survey, head->tid);
    if (!thread)
        return false;
    if (thread->last_ns && head->time_ns > thread->last_ns)
        quantile_add(&survey->between, head->time_ns - thread->last_ns);
    thread->last_ns = head->time_ns;
    if (!survey->samples++ || head->time_ns < survey->first_ns)
        survey->first_ns = head->time_ns;
    if (head->time_ns > survey->last_ns)
        survey->last_ns = head->time_ns;
    survey->clock &= head->told;
    uint64_t period = head->period ? head->period : 1;
    survey->periods = period > INT64_MAX - survey->periods ? INT64_MAX : survey->periods + period;
    return name_process(survey, head);
}

static void read_comment(struct perf_survey *survey, struct perf_text line)
{
    static const char command[] = "# cmdline : ";
    if (line.length >= sizeof command && !memcmp(line.at, command, sizeof command - 1))
        survey->command = (struct perf_text){line.at + sizeof command - 1, line.length - (sizeof command - 1)};
}

bool perf_survey_make(struct perf_survey *survey, struct perf_text text)
{
    struct perf_text line;
    struct perf_head head;
    memset(survey, 0, sizeof *survey);
    choose(survey, text);
    while (perf_line_next(&text, &line)) {
        if (line.length && *line.at == '#')
            read_comment(survey, line);
        else if (!perf_line_head(line, &head))
            continue;
        else if (!perf_survey_has(survey, &head))
            survey->others++;
        else if (!count_sample(survey, &head))
            return false;
    }
    survey->wall &= survey->clock;
    return true;
}

void perf_survey_fini(struct perf_survey *survey)
{
    free(survey->items);
    hash_fini(&survey->index);
}

struct perf_text perf_survey_comm(const struct perf_survey *survey, pid_t pid)
{
    uint32_t found = find_id(survey, pid);
    return found == HASH_NONE ? (struct perf_text){"", 0} : survey->items[found].comm;
}

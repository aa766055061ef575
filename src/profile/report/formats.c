/* SPDX-License-Identifier: MIT
 *
 * The table of output formats, and of kinds of rows (--by). */
#include "profile/report/report.h"

#include "profile/profile/timeline.h"
#include "profile/stored/writers.h"

#include <string.h>

static const char *const flat_endings[] = {".txt", NULL};
static const char *const tree_endings[] = {".tree", NULL};
static const char *const annotate_endings[] = {".annotate", NULL};
static const char *const folded_endings[] = {".folded", NULL};
static const char *const pprof_endings[] = {".pb.gz", NULL};
static const char *const html_endings[] = {".html", NULL};
static const char *const svg_endings[] = {".svg", NULL};
static const char *const speedscope_endings[] = {".speedscope.json", NULL};
static const char *const firefox_endings[] = {".json.gz", NULL};
static const char *const callgrind_endings[] = {".callgrind", "callgrind.out*", NULL};
static const char *const json_endings[] = {".json", NULL};
static const char *const csv_endings[] = {".csv", NULL};
static const char *const rows_endings[] = {".rows", NULL};
static const char *const perf_endings[] = {".perf", NULL};
static const char *const gmon_endings[] = {".gmon", NULL};

const struct report_format report_formats[] = {
    {.name = "flat",
     .summary = "table of functions",
     .endings = flat_endings,
     .write = report_flat_write,
     .short_names = true,
     .compares = true},
    {.name = "tree",
     .summary = "tree of calls",
     .endings = tree_endings,
     .write = report_tree_write,
     .short_names = true},
    {.name = "folded",
     .summary = "stacks, for flame graphs",
     .endings = folded_endings,
     .write = report_folded_write,
     .compares = true},
    {.name = "html",
     .summary = "page with a flame graph, for browsers",
     .endings = html_endings,
     .write = report_html_write,
     .short_names = true,
     .compares = true},
    {.name = "svg",
     .summary = "flame graph as a picture",
     .endings = svg_endings,
     .write = report_svg_write,
     .short_names = true},
    {.name = "speedscope",
     .summary = "stacks by thread, for speedscope",
     .endings = speedscope_endings,
     .write = report_speedscope_write,
     .short_names = true,
     .timed = true},
    {.name = "firefox",
     .summary = "samples over time, for the Firefox Profiler",
     .endings = firefox_endings,
     .write = report_firefox_write,
     .binary = true,
     .timed = true},
    {.name = "callgrind",
     .summary = "costs and calls, for KCachegrind and callgrind_annotate",
     .endings = callgrind_endings,
     .write = report_callgrind_write},
    {.name = "pprof",
     .summary = "stored profile, for ptprofil report and pprof",
     .endings = pprof_endings,
     .write = stored_pprof_write,
     .binary = true,
     .compares = true},
    {.name = "json",
     .summary = "all rows and the summary, for programs",
     .endings = json_endings,
     .write = report_json_write,
     .compares = true},
    {.name = "csv",
     .summary = "all rows, for programs and spreadsheets",
     .endings = csv_endings,
     .write = report_csv_write,
     .compares = true},
    {.name = "rows",
     .summary = "a line of JSON for each stack, for databases",
     .endings = rows_endings,
     .write = stored_db_rows_write},
    {.name = "perf-script",
     .summary = "samples as perf script prints them, for tools that read these",
     .endings = perf_endings,
     .write = stored_perf_write,
     .timed = true},
    {.name = "annotate",
     .summary = "source and instructions of a function",
     .endings = annotate_endings,
     .write = report_annotate_write,
     .short_names = true},
    {.name = "gmon",
     .summary = "histogram, for gprof",
     .endings = gmon_endings,
     .write_module = report_gmon_write,
     .binary = true},
    {.name = NULL},
};

uint64_t report_timed_until_ns(const struct profile *profile)
{
    return timeline_until_ns(profile, TIMELINE_MOST_INSTANTS);
}

static const struct {
    const char *name, *detail;
} by_names[] = {
    [REPORT_BY_FUNCTION] = {"function", "module"},
    [REPORT_BY_MODULE] = {"module", "path"},
    [REPORT_BY_PROCESS] = {"process", "process_id"},
    [REPORT_BY_PROGRAM] = {"program", NULL},
    [REPORT_BY_COMMAND] = {"command", NULL},
    [REPORT_BY_THREAD] = {"thread", "thread_id"},
    [REPORT_BY_LINE] = {"line", "function"},
    [REPORT_BY_FILE] = {"file", "module"},
    [REPORT_BY_SYSCALL] = {"syscall", NULL},
    [REPORT_BY_RANK] = {"rank", "host"},
    [REPORT_BY_MPI] = {"mpi", NULL},
};

const char *report_by_name(enum report_by by)
{
    return by < sizeof by_names / sizeof *by_names ? by_names[by].name : NULL;
}

const char *report_by_detail(enum report_by by)
{
    return by < sizeof by_names / sizeof *by_names ? by_names[by].detail : NULL;
}

bool report_by_is_of_processes(enum report_by by)
{
    return by == REPORT_BY_PROCESS || by == REPORT_BY_PROGRAM || by == REPORT_BY_COMMAND || by == REPORT_BY_RANK;
}

bool report_by_has_total(enum report_by by)
{
    return by == REPORT_BY_FUNCTION || by == REPORT_BY_MODULE || by == REPORT_BY_LINE || by == REPORT_BY_FILE;
}

const struct report_format *report_format_by_name(const char *name)
{
    for (const struct report_format *format = report_formats; format->name; format++)
        if (!strcmp(name, format->name))
            return format;
    return NULL;
}

/* Returns the length of the part of NAME that matches PATTERN, 0 if none. A name that is only an ending matches,
 * too: "-o .folded". */
static size_t match(const char *name, const char *pattern)
{
    size_t length = strlen(pattern), name_length = strlen(name);
    if (pattern[length - 1] == '*')
        return strncmp(name, pattern, length - 1) ? 0 : length - 1;
    return name_length >= length && !strcmp(name + name_length - length, pattern) ? length : 0;
}

size_t report_format_ending(const struct report_format *format, const char *file)
{
    const char *slash = strrchr(file, '/');
    size_t best = 0;
    for (const char *const *ending = format->endings; *ending; ending++) {
        size_t length = (*ending)[strlen(*ending) - 1] == '*' ? 0 : match(slash ? slash + 1 : file, *ending);
        best = length > best ? length : best;
    }
    return best;
}

const struct report_format *report_format_by_file(const char *file)
{
    const char *slash = strrchr(file, '/');
    const char *name = slash ? slash + 1 : file;
    const struct report_format *best = NULL;
    size_t best_length = 0;

    for (const struct report_format *format = report_formats; format->name; format++)
        for (const char *const *ending = format->endings; *ending; ending++) {
            size_t length = match(name, *ending);
            if (length > best_length) {
                best = format;
                best_length = length;
            }
        }
    return best;
}

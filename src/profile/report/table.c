/* SPDX-License-Identifier: MIT */
#include "profile/report/table.h"

#include "common/base/buffer.h"
#include "common/text/text.h"
#include "common/text/words.h"
#include "profile/profile/profile.h"
#include "profile/report/table_collect.h"
#include "profile/report/table_layout.h"
#include "profile/report/table_rows.h"

#include <string.h>

/* Cuts the name of a function. For a system call with its caller, cuts the end, which means least. */
static void cut_function(struct buffer *out, const char *clean, unsigned columns, unsigned pad, bool utf8)
{
    bool waits = clean[0] == '[' && strstr(clean, "] ");
    (waits ? text_cut_end : text_cut_name)(out, clean, columns, pad, utf8);
}

bool table_is_wall(const struct profile *profile, const struct report_options *options)
{
    return profile->quality.wall || (options->base && options->base->quality.wall);
}

struct table_form table_form_by(enum report_by by)
{
    static const struct {
        const char *name, *detail;
        text_cutter *cut, *cut_detail;
    } titles[] = {
        [REPORT_BY_FUNCTION] = {"function", "module", cut_function, text_cut_end},
        [REPORT_BY_MODULE] = {"module", "path", text_cut_end, text_cut},
        [REPORT_BY_PROCESS] = {"process", "pid", text_cut, text_cut},
        [REPORT_BY_THREAD] = {"thread", "pid/tid", text_cut, text_cut},
        [REPORT_BY_PROGRAM] = {"program", NULL, text_cut, NULL},
        [REPORT_BY_COMMAND] = {"command", NULL, words_cut, NULL},
        [REPORT_BY_LINE] = {"line", "function", text_cut_path, text_cut_name},
        [REPORT_BY_FILE] = {"file", "module", text_cut_path, text_cut_end},
        [REPORT_BY_SYSCALL] = {"system call", NULL, text_cut, NULL},
        [REPORT_BY_MPI] = {"MPI call", NULL, text_cut_end, NULL},
        [REPORT_BY_RANK] = {"rank", "host", text_cut, text_cut},
    };
    return (struct table_form){
        .name_title = titles[by].name,
        .detail_title = titles[by].detail,
        .cut = titles[by].cut,
        .cut_detail = titles[by].cut_detail,
        .rest_hint = "-n all shows them",
        .brief = by == REPORT_BY_LINE || by == REPORT_BY_COMMAND, /* names need the width more */
    };
}

/* Returns the time that is 100 %: in a comparison, the larger side. */
static uint64_t whole_of(const struct profile *profile, const struct profile *base)
{
    uint64_t whole = profile_whole_ns(profile), before = base ? profile_whole_ns(base) : 0;
    return whole > before ? whole : before;
}

void table_put_filled(struct buffer *out, struct table_rows *rows, const struct profile *profile, enum report_by by,
                      struct table_form form, const struct report_options *options)
{
    form.rows = rows;
    form.whole_ns = whole_of(profile, options->base);
    form.compare = options->base != NULL;
    if (form.compare && (by == REPORT_BY_PROCESS || by == REPORT_BY_THREAD))
        form.detail_title = NULL;
    form.total = report_by_has_total(by);
    form.by_total = form.total && options->sort == REPORT_SORT_TOTAL;
    form.waiting = table_is_wall(profile, options);
    form.unsampled = report_by_is_of_processes(by) && !form.brief;
    table_layout_put(out, &form, options);
}

int table_fill(struct table_rows *rows, const struct profile *profile, enum report_by by,
               const struct report_options *options)
{
    return table_collect_sorted(rows, profile, by, options,
                                TABLE_SPLIT_NUMBERS | (table_is_wall(profile, options) ? TABLE_SPLIT_CALLERS : 0));
}

int table_put(struct buffer *out, const struct profile *profile, enum report_by by, struct table_form form,
              const struct report_options *options)
{
    struct table_rows rows = {0};
    int result = table_fill(&rows, profile, by, options);
    if (!result)
        table_put_filled(out, &rows, profile, by, form, options);
    table_rows_fini(&rows);
    return result;
}

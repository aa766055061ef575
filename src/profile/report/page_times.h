/* SPDX-License-Identifier: MIT
 *
 * The timestamps of the page's samples, in few bytes. */
#ifndef REPORT_PAGE_TIMES_H
#define REPORT_PAGE_TIMES_H

#include "profile/report/page_rows.h"

/* Later entries beyond this number are omitted; they would need more than some ten megabytes. */
#define PAGE_MOST_INSTANTS 1000000

/* Appends the member "times" of a JSON object, with a comma before it, to OUT: the first MOST timestamps of PROFILE,
 * encoded by profile/instants.h with row numbers of ROWS as samples, in base64. Also the time up to which they are
 * complete, if that is not the end, and the marks. Appends nothing if PROFILE has no timestamps. */
void page_times_put(struct buffer *out, const struct profile *profile, const struct page_rows *rows, size_t most);

#endif

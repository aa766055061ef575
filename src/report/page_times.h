/* SPDX-License-Identifier: MIT
 *
 * When the samples of the page were taken, in few bytes. */
#ifndef REPORT_PAGE_TIMES_H
#define REPORT_PAGE_TIMES_H

#include "report/page_rows.h"

/* More entries than this are left out, the later ones: some ten megabytes. */
#define PAGE_MOST_INSTANTS 1000000

/* Appends the member "times" of a JSON object, with a comma before it, to OUT: the first MOST instants of PROFILE, of
 * which "sample" is now a number in ROWS, as profile/instants.h encodes them, in base64; up to when they are whole, if
 * that is not the end; and its marks. Nothing at all if it has no instants. */
void page_times_put(struct buffer *out, const struct profile *profile, const struct page_rows *rows, size_t most);

#endif

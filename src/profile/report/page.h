/* SPDX-License-Identifier: MIT
 *
 * The page that shows a flame graph: the parts before and after the data. The build makes page.c from
 * data/page.html, its style and its scripts, with data/embed.awk. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

extern const char page_head[], page_tail[];

#endif

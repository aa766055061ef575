/* SPDX-License-Identifier: MIT
 *
 * The page that shows a flame graph, from data/page.html with its style and its scripts put in: what stands
 * before the data, and what stands behind it. data/embed.awk makes page.c of them when ptprofil is built. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

extern const char page_head[], page_tail[];

#endif

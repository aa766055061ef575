/* SPDX-License-Identifier: MIT
 *
 * The pages of the manual, and `ptprofil help TOPIC`, which shows one with man(1). */
#ifndef CLI_MANUAL_H
#define CLI_MANUAL_H

struct error;

struct manual_page {
    const char *topic; /* such as "limits" */
    const char *name;  /* of the page, such as "ptprofil-limits" */
    const char *section;
};

/* The last has topic NULL. */
extern const struct manual_page manual_pages[];

/* Returns the page about TOPIC, or NULL. */
const struct manual_page *manual_find(const char *topic);

/* Returns the topic that WORD is, or of which it is a misspelling; or NULL. */
const char *manual_nearest(const char *word);

/* Shows PAGE: man replaces this program. Returns only if that fails: -errno, with ERROR set. */
int manual_show(const struct manual_page *page, struct error *error);

#endif

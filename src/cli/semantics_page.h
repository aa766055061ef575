/* SPDX-License-Identifier: MIT
 *
 * What `ptprofil semantics` prints: the rules of the calls, from the table that the code follows. */
#ifndef CLI_SEMANTICS_PAGE_H
#define CLI_SEMANTICS_PAGE_H

#include "model/semantics.h"

#include <stdio.h>

/* Writes the rules of SEMANTICS (NULL: of all systems and pcsample) to OUT. Each rule begins a line with its full
 * name, and its continuation lines are indented. No line exceeds 80 columns. */
void semantics_page_write(const struct semantics *semantics, FILE *out);

#endif

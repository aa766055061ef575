/* SPDX-License-Identifier: MIT
 *
 * The output of `ptprofil semantics`, `ptprofil schema` and `ptprofil version`. */
#ifndef CLI_PAGES_H
#define CLI_PAGES_H

#include <stdio.h>

struct semantics;

/* Writes the rules of SEMANTICS (NULL: of all systems and pcsample) to OUT, from the table that the code follows. Each
 * rule begins a line with its full name, and its continuation lines are indented. No line exceeds 80 columns. */
void pages_semantics(const struct semantics *semantics, FILE *out);

/* Writes the statements that make the tables of ClickHouse, see clickhouse_schema, to OUT. */
void pages_schema(const char *cluster, FILE *out);

/* version.c: writes the version, and for each library its purpose and version, or that ptprofil was built without it.
 */
void version_write(FILE *stream);

#endif

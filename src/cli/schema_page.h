/* SPDX-License-Identifier: MIT
 *
 * What `ptprofil schema` prints. */
#ifndef CLI_SCHEMA_PAGE_H
#define CLI_SCHEMA_PAGE_H

#include <stdio.h>

/* Writes the statements that make the tables of ClickHouse, see clickhouse_schema, to OUT. */
void schema_page_write(const char *cluster, FILE *out);

#endif

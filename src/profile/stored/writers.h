/* SPDX-License-Identifier: MIT
 *
 * Writers of formats that stored/ also reads, or that databases read. Comments at their definitions describe them. */
#ifndef STORED_WRITERS_H
#define STORED_WRITERS_H

#include "profile/profile/writer.h"

report_writer stored_perf_write;
report_writer stored_pprof_write;
report_writer stored_db_rows_write;

/* Writes PROFILE for other programs' servers: without command lines, process and thread numbers, and fields that only
 * ptprofil reads. PROFILE has no base. Returns as a report_writer. */
int stored_pprof_write_bare(const struct profile *profile, FILE *stream);

#endif

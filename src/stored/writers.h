/* SPDX-License-Identifier: MIT
 *
 * Writers of what stored/ reads, too, or a database reads. What each does with the profile is said where it is defined.
 */
#ifndef STORED_WRITERS_H
#define STORED_WRITERS_H

#include "profile/writer.h"

report_writer stored_perf_write;
report_writer stored_pprof_write;
report_writer stored_rows_write;

/* Writes PROFILE for the servers of others: without command lines, process and thread numbers, and what only ptprofil
 * reads. It has no base. Returns as a report_writer. */
int stored_pprof_write_bare(const struct profile *profile, FILE *stream);

#endif

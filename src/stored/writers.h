/* SPDX-License-Identifier: MIT
 *
 * Writers of what stored/ reads, too. What each does with the profile is said where it is defined. */
#ifndef STORED_WRITERS_H
#define STORED_WRITERS_H

#include "profile/writer.h"

report_writer stored_perf_write;
report_writer stored_pprof_write;

#endif

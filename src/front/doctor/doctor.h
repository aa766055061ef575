/* SPDX-License-Identifier: MIT
 *
 * `ptprofil doctor`: finds out what this machine, and a process, allow. Stops and changes nothing. */
#ifndef DOCTOR_DOCTOR_H
#define DOCTOR_DOCTOR_H

#include <stdbool.h>
#include <stdio.h>

struct attach_list;

/* Writes the findings to STREAM, one line for each subject, for the machine and each of TARGETS. Returns true if
 * sampling would work: for all TARGETS if given, otherwise for commands that ptprofil starts. */
bool doctor_run(const struct attach_list *targets, FILE *stream);

#endif

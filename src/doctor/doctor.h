/* SPDX-License-Identifier: MIT
 *
 * `ptprofil doctor`: what this machine, and a process, allow. Nothing is stopped or changed. */
#ifndef DOCTOR_DOCTOR_H
#define DOCTOR_DOCTOR_H

#include "doctor/attach.h"

#include <stdio.h>

/* Writes the findings to STREAM, one line a subject, for the machine and each of TARGETS. Returns true if sampling
 * would work: of all TARGETS if given, else of commands that ptprofil starts. */
bool doctor_run(const struct attach_list *targets, FILE *stream);

#endif

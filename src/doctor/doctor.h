/* SPDX-License-Identifier: MIT
 *
 * `ptprofil doctor`: what this machine, and a process, allow. Nothing is stopped or changed. */
#ifndef DOCTOR_DOCTOR_H
#define DOCTOR_DOCTOR_H

#include "doctor/attach.h"

#include <stdio.h>

/* Writes what was found to STREAM, one line a subject: of the machine, and of each of TARGETS. Returns true if sampling
 * would work: of what ptprofil starts, or of all TARGETS if there are any. */
bool doctor_run(const struct attach_list *targets, FILE *stream);

#endif

/* SPDX-License-Identifier: MIT
 *
 * The output files of imposed calls: FILE for the command's first image, FILE.PID for other processes, and
 * FILE.PID.GENERATION from the second image of a process on. The counts of profil are written in the format of gprof,
 * with the addresses of the ELF file. For pcsample, the array is written, 8 bytes for each PC, little-endian, and
 * FILE.txt with a line for each. If FILE is not a regular file, for example a device, only FILE is written. */
#ifndef OUTPUTS_IMPOSED_H
#define OUTPUTS_IMPOSED_H

#include "front/outputs/file.h"

struct error;
struct profile;
struct session_options;
struct shadows;

struct imposed {
    const struct session_options *options;
    struct file file, text;
};

/* Opens the command's files for writing, without changing their content. Returns 0, also if nothing is imposed, or
 * -errno with ERROR set. */
int imposed_open(struct imposed *imposed, const struct session_options *options, struct error *error);

/* Writes everything in SHADOWS, whose order changes. PROFILE names the PCs. Continues after a failure. Returns 0, or
 * the first -errno with ERROR set. */
int imposed_write(struct imposed *imposed, struct shadows *shadows, const struct profile *profile, struct error *error);

/* Closes the files. Removes files that were created and not written. */
void imposed_close(struct imposed *imposed);

#endif

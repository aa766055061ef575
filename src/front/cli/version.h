/* SPDX-License-Identifier: MIT
 *
 * The output of `ptprofil --version`. */
#ifndef CLI_VERSION_H
#define CLI_VERSION_H

#include <stdio.h>

/* Writes the version, and for each library its purpose and version, or that ptprofil was built without it. */
void version_write(FILE *stream);

#endif

/* SPDX-License-Identifier: MIT
 *
 * What `ptprofil --version` prints. */
#ifndef CLI_VERSION_H
#define CLI_VERSION_H

#include <stdio.h>

/* The version, and then for each library what it is for, and which one is at work, or that ptprofil was built without
 * it. */
void version_write(FILE *stream);

#endif

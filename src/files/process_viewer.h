/* SPDX-License-Identifier: MIT */
#ifndef FILES_PROCESS_VIEWER_H
#define FILES_PROCESS_VIEWER_H

#include "base/viewer.h"

/* The user by whose rights the process whose folder in /proc is FOLDER opens files. Ours, all 0, if the process has
 * gone or has ours. */
struct viewer process_viewer(const char *folder);

#endif

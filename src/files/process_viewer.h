/* SPDX-License-Identifier: MIT */
#ifndef FILES_PROCESS_VIEWER_H
#define FILES_PROCESS_VIEWER_H

#include "base/viewer.h"

/* Returns the user that opens files for the process with folder FOLDER in /proc. Returns all 0 (our user) if the
 * process has gone or has our user. */
struct viewer process_viewer(const char *folder);

#endif

/* SPDX-License-Identifier: MIT */
#ifndef FILES_PROCESS_VIEWER_H
#define FILES_PROCESS_VIEWER_H

#include <stdbool.h>

struct viewer;

/* Sets VIEWER to the user that opens files for the process with folder FOLDER in /proc; to all 0 if that is our user.
 * Returns false, with VIEWER all 0, if the process has gone. */
bool process_viewer_find(const char *folder, struct viewer *viewer);

/* Returns the user that opens files for the process with folder FOLDER in /proc. Returns all 0 (our user) if the
 * process has gone or has our user. */
struct viewer process_viewer(const char *folder);

#endif

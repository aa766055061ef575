/* SPDX-License-Identifier: MIT */
#ifndef FILES_PROCESS_FOLDER_H
#define FILES_PROCESS_FOLDER_H

#include <sys/types.h>

enum { PROCESS_FOLDER_SIZE = 24 };

/* Sets FOLDER to the folder in /proc that shows the files as process PID sees them: its own, or the folder of
 * another thread if its first thread has ended. */
void process_folder(pid_t pid, char folder[static PROCESS_FOLDER_SIZE]);

#endif

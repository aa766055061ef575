/* SPDX-License-Identifier: MIT */
#ifndef FILES_PROCESS_FOLDER_H
#define FILES_PROCESS_FOLDER_H

#include <sys/types.h>

enum { PROCESS_FOLDER_SIZE = 24 };

/* The folder of /proc by which what process PID sees can be reached: its own, or where its first thread has ended, that
 * of another thread. */
void process_folder(pid_t pid, char folder[static PROCESS_FOLDER_SIZE]);

#endif

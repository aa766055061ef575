/* SPDX-License-Identifier: MIT
 *
 * gVisor: a kernel in user space that some containers run on. It has ptrace, but not all of what sampling reads. */
#ifndef DOCTOR_GVISOR_H
#define DOCTOR_GVISOR_H

#include <stdbool.h>

struct buffer;

/* True if a kernel with this RELEASE, as uname has it, and this LOG, as dmesg shows it, is gVisor. LOG may be empty. */
bool gvisor_is(const char *release, const char *log);

/* True if this process runs on gVisor. */
bool gvisor_is_here(void);

/* Sets TEXT to what of sampling's needs is missing, for a list: what the process folder FOLDER lacks ("/proc/self"),
 * and process_vm_readv if HAS_MEMORY is false. Empty if nothing is. */
void gvisor_lacks(const char *folder, bool has_memory, struct buffer *text);

#endif

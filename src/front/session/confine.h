/* SPDX-License-Identifier: MIT
 *
 * Gives up the rights of the front that only its start needs. */
#ifndef SESSION_CONFINE_H
#define SESSION_CONFINE_H

struct session_options;

/* Confines this process, its later threads and its children, for good, to what a session with OPTIONS needs after its
 * start. The command must have been forked, and has everything that this process had. If the kernel refuses a part, the
 * other part holds. Returns the refused parts, as bits 1 << enum confine_part. */
unsigned confine_front(const struct session_options *options);

#endif

/* SPDX-License-Identifier: MIT
 *
 * For a process that may not open files: it asks another process for them, which opens them with care and sends
 * descriptors. */
#ifndef FILES_FETCH_H
#define FILES_FETCH_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* All of them are opened with the rights of the user whose program named the file, except those of servers. */
enum fetch_kind {
    FETCH_BELOW_ROOT, /* below the root directory of the process whose names are read */
    FETCH_HERE,       /* below our own */
    FETCH_OF_LIBRARY, /* named by a library, may be relative to the working directory */
    FETCH_OF_SERVER,  /* the debug file with a build-id, whose hexadecimal digits are the path */
};

/* One message each way. The reply has a descriptor unless its result is negative. */
struct fetch_question {
    uint32_t kind;
    char path[PATH_MAX]; /* only as many bytes are sent as needed, with the 0 */
};

struct fetch_reply {
    int32_t result;       /* 0 or -errno */
    char place[PATH_MAX]; /* the file's real path, "" if unknown; sent like the above */
};

/* From now on this process asks by SOCKET, a SOCK_SEQPACKET. */
void fetch_begin(int socket);
bool fetch_is_needed(void);

/* Returns a descriptor of the file at PATH, which the caller closes, or -errno. Only after fetch_begin. Signal handlers
 * may call it, as long as it was not interrupted. */
int fetch_open(enum fetch_kind kind, const char *path);

/* Remembers PLACE as the real path of the file FD. */
void fetch_note_place(int fd, const char *place);

/* Returns the real path of the file FD, "" if it is unknown. */
const char *fetch_place(int fd);

#endif

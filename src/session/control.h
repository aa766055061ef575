/* SPDX-License-Identifier: MIT
 *
 * Commands that come while sampling goes on: lines in a FIFO. Whoever may write there may send any bytes. */
#ifndef SESSION_CONTROL_H
#define SESSION_CONTROL_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { CONTROL_LONGEST = 1024 }; /* of a line, with its end */

enum control_kind { CONTROL_NOTHING, CONTROL_ON, CONTROL_OFF, CONTROL_MARK, CONTROL_END, CONTROL_UNKNOWN };

/* Initialised by control_open, or with descriptor -1 and path NULL: then no commands come. */
struct control {
    int descriptor;   /* to poll; -1: no more commands come */
    const char *path; /* of a FIFO that we made and remove; NULL: none */
    dev_t device;     /* device and inode of the FIFO that we made */
    ino_t inode;
    char line[CONTROL_LONGEST]; /* the part of the current line read so far */
    size_t length;
    bool too_long; /* the rest of it is passed over */
};

/* Opens FIFO, the path of one, which is made if nothing is there, or "fd:N" for a descriptor that was inherited, which
 * the command is not to inherit. Returns 0, or -errno with ERROR set. Close it in either case. */
int control_open(struct control *control, const char *fifo, struct error *error);

/* Closes it, and removes a FIFO that was made. */
void control_close(struct control *control);

/* Reads what has arrived, without waiting if poll(2) reported input. Returns true with *KIND and *TEXT (valid until
 * the next call) of the next command: the text of a mark, or all of an unknown command. Returns false if no whole
 * command has arrived. */
bool control_next(struct control *control, enum control_kind *kind, const char **text);

/* What LINE, which has no end, says. *TEXT points into it. CONTROL_NOTHING for an empty one. */
enum control_kind control_parse(char *line, const char **text);

#endif

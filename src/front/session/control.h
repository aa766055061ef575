/* SPDX-License-Identifier: MIT
 *
 * Commands during sampling, as lines in a FIFO. Any process with write permission may send any bytes. */
#ifndef SESSION_CONTROL_H
#define SESSION_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct error;

enum { CONTROL_LONGEST = 1024 }; /* bytes of a line, with its end */

enum control_kind { CONTROL_NOTHING, CONTROL_ON, CONTROL_OFF, CONTROL_MARK, CONTROL_END, CONTROL_UNKNOWN };

/* Initialised by control_open, or with descriptor -1 and path NULL, which means no commands. */
struct control {
    int descriptor;   /* for poll(2); -1: no further commands come */
    const char *path; /* path of a FIFO that we made and will remove; NULL: none */
    dev_t device;     /* device and inode of the FIFO that we made */
    ino_t inode;
    char line[CONTROL_LONGEST]; /* the part of the current line read so far */
    size_t length;
    bool too_long; /* skip the rest of this line */
};

/* Opens FIFO: its path, or "fd:N" for an inherited descriptor, which the command must not inherit. Makes the FIFO if no
 * file has that path. Returns 0, or -errno with ERROR set. Call control_close in either case. */
int control_open(struct control *control, const char *fifo, struct error *error);

/* Closes it, and removes the FIFO if we made it. */
void control_close(struct control *control);

/* Reads the next command. Does not wait if poll(2) reported input. Returns true and sets *KIND and *TEXT, which is
 * valid until the next call: the text of a mark, or the whole text of an unknown command. Returns false if no whole
 * command has arrived. */
bool control_next(struct control *control, enum control_kind *kind, const char **text);

/* Parses LINE, without its end. *TEXT points into it. Returns CONTROL_NOTHING for an empty line. */
enum control_kind control_parse(char *line, const char **text);

#endif

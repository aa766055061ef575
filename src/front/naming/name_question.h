/* SPDX-License-Identifier: MIT
 *
 * A question about one file, as the relay and the reader receive it. */
#ifndef NAMING_NAME_QUESTION_H
#define NAMING_NAME_QUESTION_H

#include "front/naming/name_wire.h"

#include <limits.h>
#include <stddef.h>

/* Zero it before the first use. */
struct name_asked {
    struct name_question question;
    int fd; /* that came with it, which the caller closes; -1: none */
    char path[NAME_TEXT_MOST], root[NAME_TEXT_MOST];
    char place[PATH_MAX]; /* real path of the descriptor; only the reader gets it */
    struct {
        uint64_t *items;
        size_t count, room;
    } offsets;
};

/* Receives the next question from SOCKET, and checks its sizes and texts. HAS_PLACE: it comes from the relay, which has
 * added the place. Returns false if it makes no sense, or if the other side is gone; asked->fd is valid also then. */
bool name_question_receive(struct name_asked *asked, int socket, bool has_place);

#endif

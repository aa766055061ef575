/* SPDX-License-Identifier: MIT */
#include "front/naming/name_question.h"

#include "common/base/array.h"
#include "common/base/socket.h"

/* Receives a text of SIZE bytes, with its 0, into TEXT, which has room for MOST. */
static bool receive_text(struct name_asked *asked, int socket, char *text, uint32_t size, uint32_t most)
{
    return size && size <= most && socket_receive(socket, text, size, &asked->fd) && !text[size - 1];
}

static bool receive_offsets(struct name_asked *asked, int socket, uint32_t count)
{
    size_t size = sizeof *asked->offsets.items;
    return count <= NAME_ASKED_MOST &&
           array_reserve_((void **)&asked->offsets.items, &asked->offsets.room, count, size) &&
           socket_receive(socket, asked->offsets.items, count * size, &asked->fd);
}

bool name_question_receive(struct name_asked *asked, int socket, bool has_place)
{
    struct name_question *question = &asked->question;
    asked->fd = -1;
    *asked->place = 0;
    return socket_receive(socket, question, sizeof *question, &asked->fd) &&
           receive_text(asked, socket, asked->path, question->path_size, sizeof asked->path) &&
           receive_text(asked, socket, asked->root, question->root_size, sizeof asked->root) &&
           (!has_place || receive_text(asked, socket, asked->place, question->place_size, sizeof asked->place)) &&
           receive_offsets(asked, socket, question->count);
}

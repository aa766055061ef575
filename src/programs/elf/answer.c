/* SPDX-License-Identifier: MIT */
#include "programs/elf/answer.h"

#include "common/base/buffer.h"
#include "common/base/cursor.h"

#include <string.h>

/* Appends TEXT with its 0. Appends an empty text if TEXT is NULL or longer than SIZE. */
static void append_text(struct buffer *answer, const char *text, size_t size)
{
    size_t length = text ? strnlen(text, size) : 0;
    buffer_append(answer, length < size ? text : "", length < size ? length : 0);
    buffer_append(answer, "", 1);
}

bool elf_answer_write(struct buffer *answer, const struct elf_line *chain, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        buffer_append(answer, &chain[i].line, sizeof chain[i].line);
        buffer_append(answer, &chain[i].start, sizeof chain[i].start);
        append_text(answer, chain[i].function, ELF_ANSWER_NAME);
        append_text(answer, chain[i].file, ELF_ANSWER_PATH);
    }
    return !answer->failed;
}

size_t elf_answer_read(const void *bytes, size_t size, struct elf_line chain[ELF_LINES_MAX])
{
    struct cursor cursor = {.at = bytes, .end = size ? (const uint8_t *)bytes + size : bytes};
    size_t count = 0;
    while (cursor_left(&cursor) && count < ELF_LINES_MAX) {
        struct elf_line *frame = &chain[count];
        frame->line = (uint32_t)cursor_number(&cursor, 4);
        frame->start = cursor_number(&cursor, 8);
        frame->function = cursor_string(&cursor);
        frame->file = cursor_string(&cursor);
        if (cursor.failed)
            break;
        if (!*frame->file)
            frame->file = NULL;
        count++;
    }
    if (count)
        chain[count - 1].function = NULL, chain[count - 1].start = 0;
    return count;
}

/* SPDX-License-Identifier: MIT */
#include "common/text/words.h"

#include "common/base/buffer.h"
#include "common/text/text.h"

#include <string.h>

/* The words that a shortened command line keeps besides its program. */
enum keep { KEEP_ALL, KEEP_FILES, KEEP_FIRST };

/* ANY: a word has been kept. */
static bool keeps(enum keep keep, const char *word, size_t length, bool any)
{
    if (keep == KEEP_ALL)
        return true;
    if (*word == '-')
        return false;
    return keep == KEEP_FIRST ? !any : memchr(word, '/', length) || memchr(word + 1, '.', length - 1);
}

/* Returns the length of the folder that the LENGTH bytes of PROGRAM begin with. */
static size_t folder_length(const char *program, size_t length)
{
    size_t folder = length ? length - 1 : 0;
    while (folder && program[folder - 1] != '/')
        folder--;
    return folder;
}

/* Returns false if only the program is kept. */
static bool put_kept(struct buffer *out, const char *clean, const char *mark, enum keep keep)
{
    bool missing = false, any = false;
    size_t length = strcspn(clean, " "), folder = folder_length(clean, length);
    out->length = 0;
    buffer_append(out, clean + folder, length - folder);
    while (*(clean += length + strspn(clean + length, " "))) {
        length = strcspn(clean, " ");
        bool kept = keeps(keep, clean, length, any);
        if (kept || !missing)
            buffer_puts(out, " ");
        if (kept)
            buffer_append(out, clean, length);
        else if (!missing)
            buffer_puts(out, mark);
        missing = !kept;
        any |= kept;
    }
    return any;
}

void words_cut(struct buffer *out, const char *clean, unsigned columns, unsigned pad, bool utf8)
{
    struct buffer kept = {0};
    const char *mark = utf8 ? "…" : "...";
    if (text_columns(clean) > columns)
        put_kept(&kept, clean, mark, KEEP_ALL);
    if (kept.length && !kept.failed && text_columns(kept.bytes) > columns && !put_kept(&kept, clean, mark, KEEP_FILES))
        put_kept(&kept, clean, mark, KEEP_FIRST);
    text_cut_end(out, kept.length && !kept.failed ? kept.bytes : clean, columns, pad, utf8);
    buffer_fini(&kept);
}

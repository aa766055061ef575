/* SPDX-License-Identifier: MIT */
#include "elf/jitmap.h"

#include "base/array.h"
#include "base/buffer.h"
#include "elf/cover.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LINES_MAX ((size_t)2 << 20)

struct line {
    uint64_t start, end;
    const char *name; /* in the text */
};

struct jitmap {
    struct buffer text; /* with 0 in place of newlines */
    struct line *items;
    size_t count, room;
    struct elf_cover cover;
};

static int digit_value(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    if (digit >= 'a' && digit <= 'f')
        return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F')
        return digit - 'A' + 10;
    return -1;
}

/* Reads a hexadecimal number and the blanks after it, of which there must be one, and moves *AT past them. */
static bool read_number(const char **at, uint64_t *number)
{
    const char *digits = *at;

    if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
        digits += 2;
    *at = digits;
    for (*number = 0; digit_value(**at) >= 0; ++*at) {
        if (*number >> 60)
            return false;
        *number = *number << 4 | (uint64_t)digit_value(**at);
    }
    if (*at == digits || (**at != ' ' && **at != '\t'))
        return false;
    while (**at == ' ' || **at == '\t')
        ++*at;
    return true;
}

/* Reads the 0-terminated line at TEXT, LENGTH bytes. False if it makes no sense. */
static bool read_line(struct line *line, char *text, size_t length)
{
    const char *at = text;
    uint64_t size;

    if (length && text[length - 1] == '\r')
        text[length - 1] = 0;
    if (!read_number(&at, &line->start) || !read_number(&at, &size) || !*at || !size ||
        size > UINT64_MAX - line->start)
        return false;
    line->end = line->start + size;
    line->name = at;
    return true;
}

static bool read_lines(struct jitmap *map)
{
    char *at = map->text.bytes, *end = at ? at + map->text.length : NULL, *newline;

    for (; at < end && (newline = memchr(at, '\n', (size_t)(end - at))); at = newline + 1) {
        struct line line;
        *newline = 0;
        if (map->count >= LINES_MAX || !read_line(&line, at, (size_t)(newline - at)))
            continue;
        if (!ARRAY_RESERVE_ONE(map))
            return false;
        map->items[map->count++] = line;
    }
    return true;
}

static bool cover_lines(struct jitmap *map)
{
    struct elf_cover_range *ranges = calloc(map->count + 1, sizeof *ranges);
    bool done;

    if (!ranges)
        return false;
    for (size_t i = 0; i < map->count; i++)
        ranges[i] = (struct elf_cover_range){
            .start = map->items[i].start,
            .end = map->items[i].end,
            .item = (uint32_t)i,
            .priority = (uint32_t)i,
        };
    done = elf_cover_build(&map->cover, ranges, map->count);
    free(ranges);
    return done;
}

/* Makes *MAP of TEXT, which it takes over. */
static int make(struct buffer *text, struct jitmap **map)
{
    struct jitmap *made = calloc(1, sizeof *made);

    if (!made) {
        buffer_free(text);
        return -ENOMEM;
    }
    made->text = *text;
    if (!read_lines(made) || !cover_lines(made)) {
        jitmap_free(made);
        return -ENOMEM;
    }
    *map = made;
    return 0;
}

int jitmap_parse(const char *text, size_t size, struct jitmap **map)
{
    struct buffer copy = {0};

    *map = NULL;
    if (!buffer_append(&copy, text, size))
        return -ENOMEM;
    return make(&copy, map);
}

int jitmap_read(int fd, size_t limit_bytes, struct jitmap **map, struct error *error)
{
    struct buffer text = {0};
    struct stat information;
    int status;

    *map = NULL;
    if (fstat(fd, &information) < 0)
        return error_system(error, errno, "cannot look at the map of generated code");
    if (!S_ISREG(information.st_mode))
        return error_set(error, EINVAL, "the map of generated code is not a regular file");
    status = buffer_read_file(&text, fd, limit_bytes);
    if (status < 0 && status != -E2BIG) {
        buffer_free(&text);
        return error_system(error, -status, "cannot read the map of generated code");
    }
    status = make(&text, map);
    return status < 0 ? error_system(error, -status, "cannot read the map of generated code") : 0;
}

void jitmap_free(struct jitmap *map)
{
    if (!map)
        return;
    buffer_free(&map->text);
    free(map->items);
    elf_cover_free(&map->cover);
    free(map);
}

bool jitmap_find(const struct jitmap *map, uint64_t address, const char **name, uint64_t *start,
                 uint64_t *end)
{
    const struct elf_cover_range *piece = elf_cover_find(&map->cover, address);

    if (!piece)
        return false;
    *name = map->items[piece->item].name;
    *start = map->items[piece->item].start;
    *end = map->items[piece->item].end;
    return true;
}

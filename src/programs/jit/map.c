/* SPDX-License-Identifier: MIT */
#include "programs/jit/map.h"

#include "common/base/error.h"
#include "common/base/search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct line {
    uint64_t start, end;
    char *name; /* a copy, not a part of the text, once it is used */
};

struct asked {
    uint64_t address;
    size_t next; /* number of the next address without a line */
    uint32_t line;
};

/* The lines are read from the last to the first. An address belongs to the first line found for it, and is skipped
 * afterwards. */
struct jit_map {
    struct asked *asked;
    size_t asked_count, left;
    struct line *lines; /* lines that cover an address */
    size_t line_count;
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

/* Reads a hexadecimal number and at least one blank after it, and moves *AT past them. */
static bool read_number(const char **at, const char *end, uint64_t *number)
{
    const char *digits = *at;
    if (end - digits > 1 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
        digits += 2;
    *at = digits;
    for (*number = 0; *at < end && digit_value(**at) >= 0; ++*at) {
        if (*number >> 60)
            return false;
        *number = *number << 4 | (uint64_t)digit_value(**at);
    }
    if (*at == digits || *at == end || (**at != ' ' && **at != '\t'))
        return false;
    while (*at < end && (**at == ' ' || **at == '\t'))
        ++*at;
    return true;
}

/* Reads the line from AT to END, and sets *NAME and *LENGTH. Returns false if the line makes no sense. */
static bool read_line(const char *at, const char *end, struct line *line, const char **name, size_t *length)
{
    uint64_t size;
    if (end > at && end[-1] == '\r')
        end--;
    if (!read_number(&at, end, &line->start) || !read_number(&at, end, &size) || !size ||
        size > UINT64_MAX - line->start)
        return false;
    line->end = line->start + size;
    *name = at;
    *length = strnlen(at, (size_t)(end - at));
    return *length > 0;
}

/* Returns the number of the first address without a line, from NUMBER on. Remembers the addresses that it skipped. */
static size_t next_without(struct jit_map *map, size_t number)
{
    size_t last = number;
    while (map->asked[last].next != last)
        last = map->asked[last].next;
    while (number != last) {
        size_t next = map->asked[number].next;
        map->asked[number].next = last;
        number = next;
    }
    return last;
}

/* Assigns LINE to its addresses that have no line yet. Returns false if memory runs out. */
static bool give(struct jit_map *map, struct line *line, const char *name, size_t length)
{
    size_t first = next_without(map, SEARCH_BELOW(map->asked, map->asked_count, address, line->start));
    if (first == map->asked_count || map->asked[first].address >= line->end)
        return true;
    line->name = strndup(name, length);
    if (!line->name)
        return false;
    for (size_t i = first; i < map->asked_count && map->asked[i].address < line->end; i = next_without(map, i)) {
        map->asked[i].line = (uint32_t)map->line_count;
        map->asked[i].next = i + 1;
        map->left--;
    }
    map->lines[map->line_count++] = *line;
    return true;
}

static bool read_lines(struct jit_map *map, const char *text, size_t size)
{
    const char *end = size ? memrchr(text, '\n', size) : NULL;
    while (end && map->left) {
        const char *at = end, *name;
        struct line line;
        size_t length;
        while (at > text && at[-1] != '\n')
            at--;
        if (read_line(at, end, &line, &name, &length) && !give(map, &line, name, length))
            return false;
        end = at > text ? at - 1 : NULL;
    }
    return true;
}

static struct jit_map *make(const uint64_t *addresses, size_t count)
{
    struct jit_map *map = calloc(1, sizeof *map);
    if (!map)
        return NULL;
    map->asked = calloc(count + 1, sizeof *map->asked); /* the last entry marks the end */
    map->lines = calloc(count + 1, sizeof *map->lines);
    if (!map->asked || !map->lines) {
        jit_map_free(map);
        return NULL;
    }
    map->asked_count = map->left = count;
    for (size_t i = 0; i <= count; i++)
        map->asked[i] = (struct asked){i < count ? addresses[i] : UINT64_MAX, i, UINT32_MAX};
    return map;
}

int jit_map_parse(const char *text, size_t size, const uint64_t *addresses, size_t count, struct jit_map **map)
{
    struct jit_map *made = make(addresses, count);
    *map = NULL;
    if (made && read_lines(made, text, size)) {
        *map = made;
        return 0;
    }
    jit_map_free(made);
    return -ENOMEM;
}

/* Reads at most SIZE bytes of FD from OFFSET on. Returns 0 or -errno. */
static int read_text(int fd, off_t offset, char *text, size_t *size)
{
    for (size_t done = 0;;) {
        ssize_t got = pread(fd, text + done, *size - done, offset + (off_t)done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        done += (size_t)got;
        if (got && done < *size)
            continue;
        *size = done;
        return 0;
    }
}

/* Parses the map from OFFSET. The first line is incomplete unless OFFSET is 0. */
static int parse_from(int fd, off_t offset, size_t size, const uint64_t *addresses, size_t count, struct jit_map **map)
{
    char *text = malloc(size + 1);
    int status = text ? read_text(fd, offset, text, &size) : -ENOMEM;
    const char *newline = !status && offset ? memchr(text, '\n', size) : NULL;
    size_t skipped = newline ? (size_t)(newline + 1 - text) : offset ? size : 0;
    if (!status)
        status = jit_map_parse(text + skipped, size - skipped, addresses, count, map);
    free(text);
    return status;
}

int jit_map_read(int fd, size_t limit_bytes, const uint64_t *addresses, size_t count, struct jit_map **map,
                 struct error *error)
{
    struct stat information;
    off_t offset = 0;
    int status;
    *map = NULL;
    if (fstat(fd, &information) < 0)
        return error_system(error, errno, "cannot look at the map of generated code");
    if (!S_ISREG(information.st_mode))
        return error_set(error, EINVAL, "the map of generated code is not a regular file");
    if ((uint64_t)information.st_size > limit_bytes)
        offset = information.st_size - (off_t)limit_bytes;
    status = parse_from(fd, offset, (size_t)(information.st_size - offset), addresses, count, map);
    return status < 0 ? error_system(error, -status, "cannot read the map of generated code") : 0;
}

void jit_map_free(struct jit_map *map)
{
    if (!map)
        return;
    for (size_t i = 0; map->lines && i < map->line_count; i++)
        free(map->lines[i].name);
    free(map->lines);
    free(map->asked);
    free(map);
}

bool jit_map_find(const struct jit_map *map, uint64_t address, const char **name, uint64_t *start, uint64_t *end)
{
    size_t number = SEARCH_BELOW(map->asked, map->asked_count, address, address);
    if (number == map->asked_count || map->asked[number].address != address || map->asked[number].line == UINT32_MAX)
        return false;
    *name = map->lines[map->asked[number].line].name;
    *start = map->lines[map->asked[number].line].start;
    *end = map->lines[map->asked[number].line].end;
    return true;
}

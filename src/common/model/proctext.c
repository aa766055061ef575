/* SPDX-License-Identifier: MIT */
#include "common/model/proctext.h"

#include <ctype.h>
#include <elf.h>
#include <string.h>

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 99;
}

/* Reads digits at *AT. Returns false if there are none, or if the number does not fit. */
static bool number_at(const char **at, unsigned base, uint64_t *number)
{
    uint64_t value = 0;
    const char *text = *at;
    for (; digit_of(*text) < (int)base; text++) {
        uint64_t digit = (uint64_t)digit_of(*text);
        if (value > (UINT64_MAX - digit) / base)
            return false;
        value = value * base + digit;
    }
    if (text == *at)
        return false;
    *at = text;
    *number = value;
    return true;
}

static bool character_at(const char **at, char wanted)
{
    if (**at != wanted)
        return false;
    ++*at;
    return true;
}

bool proctext_schedstat(const char *text, struct schedstat *parsed)
{
    struct schedstat read;
    if (!number_at(&text, 10, &read.ran_ns) || !character_at(&text, ' ') || !number_at(&text, 10, &read.waited_ns) ||
        !character_at(&text, ' ') || !number_at(&text, 10, &read.arrivals))
        return false;
    *parsed = read;
    return true;
}

/* Returns field NUMBER (3 or more, after the name) of a stat file, or NULL if it is missing. */
static const char *stat_field(const char *text, int number)
{
    const char *at = strrchr(text, ')');
    if (!at || at[1] != ' ' || !isalpha((unsigned char)at[2]))
        return NULL;
    at += 2;
    for (int field = 3; field < number && at; field++) {
        at = strchr(at, ' ');
        at = at ? at + 1 : NULL;
    }
    return at;
}

bool proctext_times(const char *text, uint64_t *user, uint64_t *system)
{
    uint64_t first, second;
    const char *at = stat_field(text, 14);
    if (!at || !number_at(&at, 10, &first) || !character_at(&at, ' ') || !number_at(&at, 10, &second))
        return false;
    *user = first;
    *system = second;
    return true;
}

bool proctext_faults(const char *text, uint64_t *faults)
{
    uint64_t minor, major;
    const char *first = stat_field(text, 10), *second = stat_field(text, 12);
    if (!first || !second || !number_at(&first, 10, &minor) || !number_at(&second, 10, &major))
        return false;
    *faults = minor + major;
    return true;
}

bool proctext_stat(const char *text, char *state, int *cpu)
{
    const char *letter = stat_field(text, 3), *at = stat_field(text, 39);
    uint64_t number;
    if (!letter || !at || !number_at(&at, 10, &number) || number > 1 << 20)
        return false;
    *state = *letter;
    *cpu = (int)number;
    return true;
}

uint64_t proctext_thread_count(const char *text)
{
    const char *at = stat_field(text, 20);
    uint64_t count;
    return at && number_at(&at, 10, &count) ? count : 0;
}

bool proctext_is_worker(const char *text)
{
    enum { IO_WORKER = 0x10, USER_WORKER = 0x4000 }; /* kernel flags PF_... */
    const char *at = stat_field(text, 9);
    uint64_t flags;
    return at && number_at(&at, 10, &flags) && flags & (IO_WORKER | USER_WORKER);
}

bool proctext_is_dying(const char *text)
{
    enum { EXITING = 4 /* kernel flag PF_EXITING */, KILL = 1 << (9 - 1) };
    const char *state = stat_field(text, 3), *third = stat_field(text, 9), *pending = stat_field(text, 31);
    uint64_t flags, signals;
    if (!state || !third || !pending || !number_at(&third, 10, &flags) || !number_at(&pending, 10, &signals))
        return false;
    return *state == 'Z' || *state == 'X' || flags & EXITING || signals & KILL;
}

int proctext_real_time(const char *text)
{
    const char *at = stat_field(text, 40);
    uint64_t priority;
    return at && number_at(&at, 10, &priority) && priority < 100 ? (int)priority : 0;
}

bool proctext_stack_start(const char *text, uint64_t *start)
{
    const char *at = stat_field(text, 28);
    return at && number_at(&at, 10, start);
}

bool proctext_start_time(const char *text, uint64_t *ticks)
{
    const char *at = stat_field(text, 22);
    return at && number_at(&at, 10, ticks);
}

size_t proctext_status_numbers(const char *text, const char *name, int base, uint64_t *numbers, size_t most)
{
    size_t length = strlen(name), count = 0;
    const char *at = NULL;
    for (const char *line = text; line && !at; line = strchr(line, '\n')) {
        if (*line == '\n')
            line++;
        if (!strncmp(line, name, length) && line[length] == ':')
            at = line + length + 1;
    }
    while (at && count < most) {
        while (*at == ' ' || *at == '\t')
            at++;
        if (!number_at(&at, (unsigned)base, &numbers[count]))
            break;
        count++;
    }
    return count;
}

bool proctext_status_number(const char *text, const char *name, int base, uint64_t *number)
{
    return proctext_status_numbers(text, name, base, number, 1) == 1;
}

bool proctext_switches(const char *text, struct switches *parsed)
{
    struct switches now;
    if (!proctext_status_number(text, "voluntary_ctxt_switches", 10, &now.voluntary) ||
        !proctext_status_number(text, "nonvoluntary_ctxt_switches", 10, &now.involuntary))
        return false;
    *parsed = now;
    return true;
}

/* Returns the value in a line "NAME    :    VALUE" of a sched file. Uses the last such line: the first lines contain
 * the thread's name, which may look like one. */
static const char *sched_value(const char *text, const char *name)
{
    size_t length = strlen(name);
    const char *found = NULL;
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, length))
            continue;
        const char *colon = line + length + strspn(line + length, " ");
        if (*colon == ':')
            found = colon + 1 + strspn(colon + 1, " ");
    }
    return found;
}

bool proctext_sched(const char *text, struct schedlook *parsed)
{
    uint64_t switches, ms, fraction;
    const char *start = sched_value(text, "se.exec_start");
    const char *count = sched_value(text, "nr_switches");
    if (!start || !count || !number_at(&start, 10, &ms) || !number_at(&count, 10, &switches))
        return false;
    /* Milliseconds, with six digits after the point. */
    if (!character_at(&start, '.') || strspn(start, "0123456789") != 6 || !number_at(&start, 10, &fraction) ||
        ms > UINT64_MAX / 1000000 - 1)
        return false;
    parsed->switches = switches;
    parsed->last_ns = ms * 1000000 + fraction;
    return true;
}

static bool hex_at(const char **at, uint64_t *number)
{
    return character_at(at, ' ') && character_at(at, '0') && character_at(at, 'x') && number_at(at, 16, number);
}

bool proctext_auxv_is_compat(const void *words, size_t size)
{
    uint32_t entry[2]; /* type and value; entries of 64-bit programs are twice as long */
    for (size_t at = 0; at + sizeof entry <= size; at += sizeof entry) {
        memcpy(entry, (const char *)words + at, sizeof entry);
        if (entry[0] == AT_PHENT && entry[1] == sizeof(Elf32_Phdr))
            return true;
    }
    return false;
}

/* Returns the value of kind WANTED, or 0. */
static uint64_t auxv_value(const void *words, size_t size, uint64_t wanted)
{
    bool is_compat = proctext_auxv_is_compat(words, size);
    size_t width = is_compat ? sizeof(uint32_t) : sizeof(uint64_t);
    for (size_t at = 0; at + 2 * width <= size; at += 2 * width) {
        uint64_t kind = 0, value = 0; /* in the order of this machine, which is little endian */
        memcpy(&kind, (const char *)words + at, width);
        memcpy(&value, (const char *)words + at + width, width);
        if (kind == wanted)
            return value;
    }
    return 0;
}

bool proctext_auxv_is_x32(const void *words, size_t size)
{
    return proctext_auxv_is_compat(words, size) && auxv_value(words, size, AT_SYSINFO_EHDR) &&
           !auxv_value(words, size, AT_SYSINFO);
}

uint64_t proctext_auxv_entry(const void *words, size_t size)
{
    return auxv_value(words, size, AT_ENTRY);
}

bool proctext_blocked(const char *text, struct blocked *parsed)
{
    enum { ARGUMENTS = 6, HIGHEST = 1 << 20 };
    struct blocked read = {.syscall = -1};
    uint64_t number;
    bool outside = !strncmp(text, "-1 ", 3);
    if (outside)
        text += 2;
    else if (!number_at(&text, 10, &number) || number >= HIGHEST)
        return false;
    else
        read.syscall = (int32_t)number;
    for (int i = 0; i < ARGUMENTS && !outside; i++)
        if (!hex_at(&text, &read.arguments[i]))
            return false;
    if (!hex_at(&text, &read.sp) || !hex_at(&text, &read.pc))
        return false;
    *parsed = read;
    return true;
}

static bool permissions_at(const char **at, struct maps_line *line)
{
    const char *text = *at;
    if (strnlen(text, 4) < 4)
        return false;
    line->readable = text[0] == 'r';
    line->writable = text[1] == 'w';
    line->executable = text[2] == 'x';
    line->shared = text[3] == 's';
    *at += 4;
    return true;
}

static bool maps_line_parse(const char *at, const char *end, struct maps_line *line)
{
    uint64_t major, minor;
    if (!number_at(&at, 16, &line->start) || !character_at(&at, '-') || !number_at(&at, 16, &line->end) ||
        !character_at(&at, ' ') || !permissions_at(&at, line) || !character_at(&at, ' ') ||
        !number_at(&at, 16, &line->offset) || !character_at(&at, ' ') || !number_at(&at, 16, &major) ||
        !character_at(&at, ':') || !number_at(&at, 16, &minor) || !character_at(&at, ' ') ||
        !number_at(&at, 10, &line->inode) || at > end || line->start >= line->end)
        return false;
    while (at < end && *at == ' ')
        at++;
    line->device_major = (uint32_t)major;
    line->device_minor = (uint32_t)minor;
    line->path = at;
    line->path_length = (size_t)(end - at);
    return true;
}

bool proctext_maps_next(const char **text, struct maps_line *line)
{
    for (;;) {
        const char *end = strchr(*text, '\n');
        if (!end)
            return false;
        const char *start = *text;
        struct maps_line parsed;
        *text = end + 1;
        if (maps_line_parse(start, end, &parsed)) {
            *line = parsed;
            return true;
        }
    }
}

/* Returns the next character of a name that ends at a blank. Blanks and similar characters in it are written in
 * octal. */
static char name_character(const char **at)
{
    const char *text = *at;
    bool octal = text[0] == '\\' && digit_of(text[1]) < 4 && digit_of(text[2]) < 8 && digit_of(text[3]) < 8;
    *at += octal ? 4 : 1;
    return octal ? (char)(digit_of(text[1]) * 64 + digit_of(text[2]) * 8 + digit_of(text[3])) : text[0];
}

/* Returns the length of the mount point at POINT if PATH is below it, otherwise 0. */
static size_t length_of_point(const char *point, const char *path)
{
    size_t length = 0;
    while (*point && *point != ' ' && *point != '\n')
        if (name_character(&point) != path[length++] || !path[length - 1])
            return 0;
    bool whole = length && (path[length - 1] == '/' || path[length] == '/' || !path[length]);
    return whole ? length : 0;
}

/* Returns field NUMBER (from 1) of the line at TEXT, or NULL. */
static const char *line_field(const char *text, int number)
{
    while (--number) {
        text += strcspn(text, " \n");
        if (*text++ != ' ')
            return NULL;
    }
    return text;
}

static void take_word(const char *from, char *word, size_t size)
{
    size_t width = strcspn(from, " \n");
    width = width < size ? width : size - 1;
    memcpy(word, from, width);
    word[width] = 0;
}

bool proctext_mount(const char *text, const char *path, struct mount_line *mount)
{
    enum { DEVICE = 3, POINT = 5 };
    size_t deepest = 0;
    for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
        end = line + strcspn(line, "\n");
        const char *point = line_field(line, POINT), *name = strstr(line, " - ");
        size_t length = point ? length_of_point(point, path) : 0;
        if (!length || length < deepest || !name || name >= end)
            continue;
        deepest = length;
        take_word(name + 3, mount->type, sizeof mount->type);
        take_word(line_field(line, DEVICE), mount->device, sizeof mount->device);
    }
    return deepest;
}

bool proctext_has_device(const char *text, const char *device)
{
    enum { DEVICE = 3 };
    size_t length = strlen(device);
    for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
        end = line + strcspn(line, "\n");
        const char *found = line_field(line, DEVICE);
        if (found && !strncmp(found, device, length) && found[length] == ' ')
            return true;
    }
    return false;
}

/* SPDX-License-Identifier: MIT */
#include "programs/elf/debug_file.h"

#include "common/base/buffer.h"
#include "common/base/cursor.h"
#include "programs/elf/file.h"
#include "programs/elf/image.h"
#include "programs/elf/sections.h"
#include "programs/elf/symbols.h"
#include "programs/files/fetch.h"
#include "programs/files/regular.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINK_MAX_SIZE 4096 /* bytes of .gnu_debuglink or .gnu_debugaltlink */
#define CHECKSUM_MAX_SIZE                                                                                              \
    (UINT64_C(1) << 30) /* a file without a build-id is read up to this size to compare                                \
                         * checksums */
static const char *const usual_directories[] = {"/usr/lib/debug", NULL};

/* Identifies the right debug file. */
struct wanted {
    const uint8_t *id;       /* build-id */
    size_t id_size;          /* 0: no build-id */
    char link[NAME_MAX + 1]; /* .gnu_debuglink's name; "": none */
    uint32_t checksum;
    const char *root;
    const struct viewer *viewer; /* see struct elf_debug_search */
    bool is_shared;              /* what dwz made */
};

/* Returns the CRC of zip and .gnu_debuglink. CHECKSUM: the CRC of the bytes before. */
static uint32_t update_checksum(uint32_t checksum, const uint8_t *bytes, size_t size)
{
    static uint32_t table[256];
    for (uint32_t i = 0; !table[255] && i < 256; i++) {
        uint32_t value = i;
        for (int bit = 0; bit < 8; bit++)
            value = value >> 1 ^ (value & 1 ? UINT32_C(0xedb88320) : 0);
        table[i] = value;
    }
    checksum = ~checksum;
    for (size_t i = 0; i < size; i++)
        checksum = table[(checksum ^ bytes[i]) & 0xff] ^ checksum >> 8;
    return ~checksum;
}

static bool has_checksum(const struct elf_file *file, uint32_t wanted)
{
    uint8_t bytes[65536];
    uint32_t checksum = 0;
    uint64_t offset = 0;
    if (file->size > CHECKSUM_MAX_SIZE)
        return false;
    while (offset < file->size) {
        size_t size = file->size - offset < sizeof bytes ? (size_t)(file->size - offset) : sizeof bytes;
        if (elf_file_read_at(file, offset, bytes, size) < 0)
            return false;
        checksum = update_checksum(checksum, bytes, size);
        offset += size;
    }
    return checksum == wanted;
}

/* Returns true if DEBUG is the wanted file. A build-id proves more than the checksum, and costs less. */
static bool is_wanted(const struct wanted *wanted, const struct elf_file *debug, bool by_link)
{
    if (wanted->id_size && debug->build_id_size)
        return wanted->id_size == debug->build_id_size && memcmp(wanted->id, debug->build_id, wanted->id_size) == 0;
    return by_link && has_checksum(debug, wanted->checksum);
}

/* Returns what the open file FD holds if it is the wanted file. Otherwise closes it. */
static struct elf_debug_file try_open(const struct wanted *wanted, int fd, bool by_link)
{
    struct elf_debug_file debug = {.fd = fd};
    if (fd < 0)
        return (struct elf_debug_file){.fd = -1};
    if ((wanted->is_shared ? elf_file_open_shared : elf_file_open)(debug.fd, &debug.file, NULL) < 0 ||
        !is_wanted(wanted, debug.file, by_link))
        elf_debug_file_close(&debug);
    return debug;
}

static struct elf_debug_file try_path(const struct wanted *wanted, const struct buffer *path, bool by_link)
{
    if (!path->bytes || path->failed)
        return (struct elf_debug_file){.fd = -1};
    int fd = fetch_is_needed() ? fetch_open(*wanted->root ? FETCH_BELOW_ROOT : FETCH_HERE, path->bytes)
                               : regular_open_for(wanted->viewer, wanted->root, path->bytes, NULL);
    return try_open(wanted, fd, by_link);
}

static struct elf_debug_file try_build_id(const struct wanted *wanted, const char *directory)
{
    struct elf_debug_file debug = {.fd = -1};
    struct buffer path = {0};
    if (wanted->id_size < 2)
        return debug;
    buffer_printf(&path, "%s/.build-id/%02x/", directory, wanted->id[0]);
    buffer_hex(&path, wanted->id + 1, wanted->id_size - 1);
    buffer_puts(&path, ".debug");
    debug = try_path(wanted, &path, false);
    buffer_fini(&path);
    return debug;
}

/* Joins PARTS, which end with NULL, and the link's name. Tries the result. */
static struct elf_debug_file try_link(const struct wanted *wanted, const char *const *parts)
{
    struct elf_debug_file debug;
    struct buffer path = {0};
    for (; *parts; parts++)
        buffer_puts(&path, *parts);
    buffer_printf(&path, "/%s", wanted->link);
    debug = try_path(wanted, &path, true);
    buffer_fini(&path);
    return debug;
}

/* Tries all locations. A match by build-id needs the least trust, so it comes first. */
static struct elf_debug_file try_all(const struct wanted *wanted, const char *directory,
                                     const char *const *debug_directories)
{
    struct elf_debug_file debug = {.fd = -1};
    for (size_t i = 0; debug_directories[i] && !debug.file; i++)
        debug = try_build_id(wanted, debug_directories[i]);
    if (debug.file || !*wanted->link || !directory)
        return debug;
    debug = try_link(wanted, (const char *const[]){directory, NULL});
    if (!debug.file)
        debug = try_link(wanted, (const char *const[]){directory, "/.debug", NULL});
    for (size_t i = 0; debug_directories[i] && !debug.file; i++)
        debug = try_link(wanted, (const char *const[]){debug_directories[i], directory, NULL});
    return debug;
}

/* The section contains a 0-terminated file name, padding to a multiple of 4, and the checksum. */
static void read_link(struct wanted *wanted, const struct elf_sections *sections)
{
    struct elf_data *data =
        elf_sections_data(sections, elf_sections_find(sections, 0, ".gnu_debuglink"), LINK_MAX_SIZE);
    struct cursor cursor;
    const char *name;
    size_t size;
    if (!data)
        return;
    cursor = (struct cursor){.at = data->bytes, .end = (const uint8_t *)data->bytes + data->size};
    name = cursor_string(&cursor);
    size = name ? strlen(name) + 1 : 0;
    cursor_take(&cursor, -size & 3);
    wanted->checksum = (uint32_t)cursor_number(&cursor, 4);
    if (cursor.failed || size < 2 || size > sizeof wanted->link || strchr(name, '/'))
        return;
    memcpy(wanted->link, name, size);
}

/* Tries servers, by build-id. */
static struct elf_debug_file try_servers(const struct wanted *wanted, const struct elf_debug_search *search)
{
    struct buffer digits = {0};
    int fd = -1;
    if (search->ask_servers && wanted->id_size && fetch_is_needed() &&
        buffer_hex(&digits, wanted->id, wanted->id_size) && !digits.failed)
        fd = fetch_open(FETCH_OF_SERVER, digits.bytes);
    buffer_fini(&digits);
    return try_open(wanted, fd, false);
}

struct elf_debug_file elf_debug_file_find(const struct elf_file *file, const struct elf_sections *sections,
                                          const struct elf_debug_search *search)
{
    const char *const *directories = search->debug_directories ? search->debug_directories : usual_directories;
    struct wanted wanted = {.root = search->root ? search->root : "", .viewer = search->viewer};
    struct elf_debug_file debug;

    wanted.id = elf_file_build_id(file, &wanted.id_size);
    read_link(&wanted, sections);
    debug = try_all(&wanted, search->directory, directories);
    if (!debug.file && *wanted.root) {
        wanted.root = "";
        debug = try_all(&wanted, search->directory, directories);
    }
    return debug.file ? debug : try_servers(&wanted, search);
}

/* The section contains a 0-terminated path and the build-id. Relative paths begin in the directory of the file that has
 * the section. PATH becomes absolute, or stays empty. */
static void read_shared_link(struct wanted *wanted, struct buffer *path, const struct elf_file *file,
                             const struct elf_sections *sections)
{
    struct elf_data *data =
        elf_sections_data(sections, elf_sections_find(sections, 0, ".gnu_debugaltlink"), LINK_MAX_SIZE);
    struct cursor cursor;
    const char *name;
    char place[PATH_MAX];
    if (!data)
        return;
    cursor = (struct cursor){.at = data->bytes, .end = (const uint8_t *)data->bytes + data->size};
    name = cursor_string(&cursor);
    wanted->id_size = cursor_left(&cursor);
    wanted->id = cursor_take(&cursor, wanted->id_size);
    if (name && *name == '/')
        buffer_puts(path, name);
    else if (name && *name && elf_file_directory(file, place))
        buffer_printf(path, "%s%s", place, name);
}

struct elf_debug_file elf_debug_file_shared(const struct elf_file *file, const struct elf_sections *sections,
                                            const struct elf_debug_search *search)
{
    const char *const *directories = search->debug_directories ? search->debug_directories : usual_directories;
    const char *const roots[] = {search->root ? search->root : "", ""};
    struct wanted wanted = {.is_shared = true, .viewer = search->viewer};
    struct buffer path = {0};
    struct elf_debug_file debug = {.fd = -1};

    read_shared_link(&wanted, &path, file, sections);
    for (size_t i = 0; wanted.id_size && !debug.file && i < (*roots[0] ? 2 : 1); i++) {
        wanted.root = roots[i];
        for (size_t j = 0; directories[j] && !debug.file; j++)
            debug = try_build_id(&wanted, directories[j]);
        if (!debug.file && path.length)
            debug = try_path(&wanted, &path, false);
    }
    buffer_fini(&path);
    return debug.file ? debug : try_servers(&wanted, search);
}

void elf_debug_file_close(struct elf_debug_file *debug)
{
    elf_file_close(debug->file);
    if (debug->fd >= 0)
        close(debug->fd);
    *debug = (struct elf_debug_file){.fd = -1};
}

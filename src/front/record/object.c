/* SPDX-License-Identifier: MIT */
#include "front/record/object.h"

#include "common/base/array.h"
#include "common/base/error.h"
#include "common/base/proc.h"
#include "programs/elf/embedded.h"
#include "programs/elf/file.h"
#include "programs/files/identity.h"
#include "programs/files/mapped.h"
#include "programs/files/mark.h"
#include "programs/files/mounts.h"
#include "programs/files/process_folder.h"
#include "programs/files/process_viewer.h"
#include "programs/files/regular.h"
#include "programs/files/remapped.h"
#include "programs/files/served.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The end of 32-bit programs' addresses. The kernel maps the vDSO of a 64-bit program beside its stack, far above. */
#define COMPAT_END (UINT64_C(1) << 32)

static const char deleted_mark[] = " (deleted)";

enum { COPIES_MOST = 512 << 20 }; /* bytes of copies that we make to free their mounts */

static void close_file(struct objects *objects, struct object *object)
{
    if (object->fd >= 0)
        close(object->fd);
    object->fd = -1;
    objects->copy_bytes -= object->copy_bytes;
    object->copy_bytes = 0;
}

static void object_fini(struct objects *objects, struct object *object)
{
    close_file(objects, object);
    free(object->path);
    free(object->root);
    free(object->folder);
    free(object->mark);
    *object = (struct object){.kind = OBJECT_UNKNOWN, .fd = -1};
}

void objects_fini(struct objects *objects)
{
    for (size_t i = 0; i < objects->count; i++)
        object_fini(objects, &objects->items[i]);
    free(objects->items);
    free(objects->vacant.items);
    hash_fini(&objects->index);
    jit_folders_fini(&objects->folders);
    memset(objects, 0, sizeof *objects);
}

static bool same_object(const void *owner, uint32_t number, const void *key)
{
    const struct object *a = &((const struct objects *)owner)->items[number], *b = key;
    return a->kind == b->kind && a->inode == b->inode && a->device_major == b->device_major &&
           a->device_minor == b->device_minor && a->pid == b->pid && a->base == b->base && a->outdated == b->outdated;
}

static uint64_t object_hash(const struct object *object)
{
    uint64_t parts[] = {object->kind,          object->inode, object->device_major, object->device_minor,
                        (uint64_t)object->pid, object->base,  object->outdated};
    return hash_bytes(parts, sizeof parts);
}

/* A mapping whose file is searched for. */
struct search {
    char folder[PROCESS_FOLDER_SIZE];   /* of the process */
    char root[PROCESS_FOLDER_SIZE + 8]; /* its root directory */
    const struct address_range *range;
};

static struct search begin_search(pid_t pid, const struct address_range *range)
{
    struct search search = {.range = range};
    process_folder(pid, search.folder);
    snprintf(search.root, sizeof search.root, "%s/root", search.folder);
    return search;
}

/* Returns FD if it is open on the mapped file, which has IDENTITY, or on a copy of it. Otherwise closes FD and returns
 * -1. */
static int if_mapped(int fd, const struct file_identity *identity, const struct search *search)
{
    if (fd >= 0 && !mapped_is(fd, identity, search->folder, search->range)) {
        close(fd);
        fd = -1;
    }
    return fd < 0 ? -1 : fd;
}

/* Opens PATH below ROOT, if it is a regular file and the mapped one. */
static int open_mapped(const char *root, const char *path, const struct search *search)
{
    struct file_identity opened;
    int fd = regular_open(root, path, &opened);
    return if_mapped(fd, &opened, search);
}

/* Returns true if FD is open on a copy. We open other files only for reading. */
static bool is_copy(int fd)
{
    return (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR;
}

/* A file on a mount that may be unmounted must not stay open. Opens it through a mount that stays, or copies it. If
 * both are impossible, it stays open. */
static void free_mount(struct objects *objects, struct object *object, const struct search *search)
{
    struct stat about;
    if (object->fd < 0 || is_copy(object->fd) || !mounts_may_end(object->fd, search->root))
        return;
    int other = open_mapped(NULL, object->path, search);
    if (other >= 0 && !mounts_may_end(other, "/")) {
        close(object->fd);
        object->fd = other;
        return;
    }
    if (other >= 0)
        close(other);
    bool fits = fstat(object->fd, &about) == 0 && objects->copy_bytes + (uint64_t)about.st_size <= COPIES_MOST;
    int copy = fits ? served_copy_here(object->fd) : -1;
    if (copy < 0)
        return;
    close(object->fd);
    object->fd = copy;
    object->copy_bytes = (uint64_t)about.st_size;
    objects->copy_bytes += object->copy_bytes;
}

/* Like open_mapped, for a link in /proc, which does not show where the file is, and may wait for the process. Only a
 * file on a disk certainly answers, so opens a copy of any other. */
static int open_by_proc(const char *path, const struct search *search)
{
    struct file_identity opened;
    bool known = search->range->device_major;
    int fd = known ? regular_open_in_time(path, &opened) : regular_copy(NULL, path, &opened);
    return if_mapped(fd, &opened, search);
}

/* Tries the locations of the mapped file, the likeliest first. Another file may have its path by now, and the process
 * may have ended or have another root directory. A file served by a process is tried only once. */
static void open_file(struct object *object, pid_t pid, const struct search *search)
{
    char path[96];
    bool inside = served_is(search->root, object->path), served = inside || served_is(NULL, object->path);
    if (!object->deleted) {
        object->fd = open_mapped(search->root, object->path, search);
        if (object->fd < 0 && !inside)
            object->fd = open_mapped(NULL, object->path, search);
    }
    if (object->fd >= 0 || served)
        return;
    object->deleted |= access(object->path, F_OK) == 0 || errno == ENOENT;
    snprintf(path, sizeof path, "/proc/%d/map_files/%lx-%lx", (int)pid, search->range->start, search->range->end);
    object->fd = open_by_proc(path, search);
    snprintf(path, sizeof path, "%s/exe", search->folder);
    if (object->fd < 0)
        object->fd = open_by_proc(path, search);
}

static void open_jit_map(struct object *object)
{
    int fd = jit_file_open(&object->map);
    if (fd < 0)
        return;
    if (object->fd >= 0)
        close(object->fd);
    object->fd = fd;
}

/* The kernel writes a newline in a path as \012. */
static void unescape_path(char *path)
{
    char *to = path;
    for (const char *from = path; *from; to++)
        if (!strncmp(from, "\\012", 4)) {
            *to = '\n';
            from += 4;
        } else {
            *to = *from++;
        }
    *to = 0;
}

static bool name_file(struct object *object, pid_t pid, const char *path)
{
    char root[4096], link[PROCESS_FOLDER_SIZE + 8], folder[PROCESS_FOLDER_SIZE];
    object->path = strdup(path);
    if (!object->path)
        return false;
    size_t length = strlen(object->path), mark = sizeof deleted_mark - 1;
    object->deleted = length > mark && !strcmp(object->path + length - mark, deleted_mark);
    if (object->deleted)
        object->path[length - mark] = 0;
    unescape_path(object->path);
    process_folder(pid, folder);
    snprintf(link, sizeof link, "%s/root", folder);
    bool known = proc_readlink(link, root, sizeof root) > 0;
    object->root = strdup(known && strcmp(root, "/") != 0 ? root : "");
    return object->root != NULL;
}

/* Returns true for generated code without a file: shared memory without a name (the JIT of PHP; .NET and Erlang map it
 * twice), and removed files that are not ELF files (libffi). */
static bool is_made(const struct object *object)
{
    char magic[SELFMAG];
    if (!strcmp(object->path, "/dev/zero"))
        return true;
    if (object->fd < 0 || !object->deleted)
        return object->deleted && remapped_is_memory(object->path, strlen(object->path));
    return pread(object->fd, magic, sizeof magic, 0) != SELFMAG || memcmp(magic, ELFMAG, SELFMAG) != 0;
}

static struct object made_by(pid_t pid)
{
    return (struct object){.kind = OBJECT_JIT, .fd = -1, .pid = pid, .map.folder = -1, .tried = UINT32_MAX};
}

static struct object object_of_range(pid_t pid, const struct address_range *range)
{
    struct object object = {.fd = -1};
    if (range->path[0] == '/' && range->inode) {
        object.kind = OBJECT_FILE;
        object.inode = range->inode;
        object.device_major = range->device_major;
        object.device_minor = range->device_minor;
    } else if (!strcmp(range->path, "[vdso]")) {
        object.kind = range->end <= COMPAT_END ? OBJECT_VDSO_COMPAT : OBJECT_VDSO;
    } else if (!strcmp(range->path, "[vsyscall]")) {
        object.kind = OBJECT_VSYSCALL;
    } else {
        return made_by(pid);
    }
    return object;
}

/* Searches for the map again, once in a round, because the process may have another root directory now. */
static void look_for_map(struct objects *objects, struct object *object)
{
    if (object->kind != OBJECT_JIT || object->tried == objects->round)
        return;
    object->tried = objects->round;
    jit_file_find(&objects->folders, object->pid, &object->map);
    open_jit_map(object);
}

/* Closes the file if descriptors are scarce. The number of objects is unlimited, and files that are opened later, for
 * example for output, need descriptors. */
static void close_late(struct objects *objects, struct object *object)
{
    if (object->fd >= 0 && proc_is_late(object->fd))
        close_file(objects, object);
}

static struct viewer viewer_of(const struct object *object, pid_t pid)
{
    char folder[PROCESS_FOLDER_SIZE];
    struct stat about;
    process_folder(pid, folder);
    struct viewer viewer = process_viewer(folder);
    if (object->fd >= 0 && fstat(object->fd, &about) == 0)
        viewer_take_owner(&viewer, &about);
    return viewer;
}

/* Adds OBJECT. Returns its number, or HASH_NONE. */
static uint32_t append_object(struct objects *objects, struct object *object)
{
    object->used = objects->interval;
    if (!objects->vacant.count)
        return HASH_APPEND(objects, object_hash(object), object);
    uint32_t number = objects->vacant.items[objects->vacant.count - 1];
    if (!hash_add(&objects->index, object_hash(object), number))
        return HASH_NONE;
    objects->vacant.count--;
    objects->items[number] = *object;
    return number;
}

static bool holds_file(const struct object *object)
{
    return object->kind == OBJECT_FILE && object->fd >= 0 && !object->copy;
}

/* The names in a file that was overwritten are not those of the code that ran. */
static void drop_if_rewritten(struct objects *objects, struct object *object)
{
    if (!holds_file(object) || !object->mark || !file_mark_is_rewritten(object->mark, object->fd))
        return;
    close_file(objects, object);
    object->deleted = true;
}

void objects_drop_rewritten(struct objects *objects)
{
    for (size_t i = 0; i < objects->count; i++)
        drop_if_rewritten(objects, &objects->items[i]);
}

/* Gives the object, and the images in its file, keys that no mapping has. */
static void outdate(struct objects *objects, uint32_t number)
{
    drop_if_rewritten(objects, &objects->items[number]);
    const struct object old = objects->items[number];
    objects->outdated++;
    for (uint32_t i = 0; i < objects->count; i++) {
        struct object *object = &objects->items[i];
        if (object->kind != OBJECT_FILE || object->outdated || object->inode != old.inode ||
            object->device_major != old.device_major || object->device_minor != old.device_minor)
            continue;
        hash_remove(&objects->index, object_hash(object), i);
        object->outdated = objects->outdated;
        hash_add(&objects->index, object_hash(object), i);
    }
}

/* Of the mapped file. The process may have ended. */
static struct file_mark mark_now(pid_t pid, const struct address_range *range)
{
    struct search search = begin_search(pid, range);
    struct file_mark mark = file_mark_of(search.root, range->path);
    return mark.inode ? mark : file_mark_of("/", range->path);
}

/* Returns true if the mapped file is not the one of OBJECT, which has its numbers. The kernel uses no number twice at
 * one time. So if the file of OBJECT is open, it can only have been overwritten. */
static bool is_another(const struct object *object, pid_t pid, const struct address_range *range)
{
    if (object->kind != OBJECT_FILE || !object->mark)
        return false;
    if (holds_file(object))
        return file_mark_is_rewritten(object->mark, object->fd);
    struct file_mark now = mark_now(pid, range);
    return file_mark_differs(object->mark, &now);
}

/* Notes what the file is. */
static void note_mark(struct object *object, pid_t pid, const struct address_range *range)
{
    bool open = holds_file(object);
    if (object->kind != OBJECT_FILE || (object->deleted && !open))
        return;
    object->mark = malloc(sizeof *object->mark);
    if (object->mark)
        *object->mark = open ? file_mark_of_open(object->fd) : mark_now(pid, range);
}

static uint32_t find_or_add(struct objects *objects, struct object object, pid_t pid, const struct address_range *range)
{
    uint32_t number = hash_find(&objects->index, object_hash(&object), same_object, objects, &object);
    if (number != HASH_NONE && !is_another(&objects->items[number], pid, range)) {
        look_for_map(objects, &objects->items[number]);
        return number;
    }
    if (number != HASH_NONE)
        outdate(objects, number);
    if (object.kind == OBJECT_FILE && name_file(&object, pid, range->path)) {
        struct search search = begin_search(pid, range);
        open_file(&object, pid, &search);
        free_mount(objects, &object, &search);
        object.made = is_made(&object);
        object.copy = object.fd >= 0 && is_copy(object.fd);
    }
    if (object.made)
        close_file(objects, &object);
    if (object.kind == OBJECT_FILE)
        object.viewer = viewer_of(&object, pid);
    close_late(objects, &object);
    note_mark(&object, pid, range);
    look_for_map(objects, &object);
    number = append_object(objects, &object);
    if (number == HASH_NONE) {
        free(object.path);
        free(object.root);
        free(object.mark);
        close_file(objects, &object);
    }
    return number;
}

/* Returns the object of the ELF image inside the file NUMBER that has code at OFFSET. Returns NUMBER if the file
 * contains no such image. */
static uint32_t find_image(struct objects *objects, uint32_t number, uint64_t offset)
{
    struct object part = objects->items[number];
    part.part_count = 0;
    part.copy_bytes = 0;
    part.mark = NULL;
    part.fd = elf_embedded_open(part.fd, offset, &part.base);
    close_late(objects, &part);
    if (part.fd < 0)
        return number;
    uint32_t found = hash_find(&objects->index, object_hash(&part), same_object, objects, &part);
    bool known = found != HASH_NONE;
    part.path = known ? NULL : strdup(part.path);
    part.root = known ? NULL : strdup(part.root);
    if (!known && part.path && part.root)
        found = append_object(objects, &part);
    if (!known && found != HASH_NONE)
        return found;
    close(part.fd);
    free(part.path);
    free(part.root);
    return known ? found : number;
}

/* Returns the object of the ELF image inside file NUMBER at OFFSET. Searches only once. */
static uint32_t find_part(struct objects *objects, uint32_t number, uint64_t offset)
{
    const struct object *whole = &objects->items[number];
    if (whole->kind != OBJECT_FILE || whole->fd < 0)
        return number;
    for (unsigned i = 0; i < whole->part_count && i < OBJECT_PARTS; i++)
        if (whole->parts[i].offset == offset)
            return whole->parts[i].number;
    uint32_t found = elf_embedded_is_own(whole->fd, offset) ? number : find_image(objects, number, offset);
    struct object *kept = &objects->items[number];
    kept->parts[kept->part_count++ % OBJECT_PARTS] = (struct object_part){offset, found};
    return found;
}

uint32_t objects_of_range(struct objects *objects, pid_t pid, const struct address_range *range)
{
    uint32_t number = find_or_add(objects, object_of_range(pid, range), pid, range);
    if (number == HASH_NONE || !objects->items[number].made)
        return number == HASH_NONE ? number : find_part(objects, number, range->offset);
    return find_or_add(objects, made_by(pid), pid, range);
}

void objects_map_again(struct objects *objects, pid_t pid)
{
    struct object object = {.kind = OBJECT_JIT, .pid = pid};
    uint32_t number = hash_find(&objects->index, object_hash(&object), same_object, objects, &object);
    if (number != HASH_NONE)
        open_jit_map(&objects->items[number]);
}

void objects_forget(struct objects *objects, const uint32_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct object *object = &objects->items[numbers[i]];
        hash_remove(&objects->index, object_hash(object), numbers[i]);
        object_fini(objects, object);
        if (ARRAY_RESERVE_ONE(&objects->vacant))
            objects->vacant.items[objects->vacant.count++] = numbers[i];
    }
    for (size_t i = 0; count && i < objects->count; i++)
        objects->items[i].part_count = 0; /* they are found again */
}

void objects_map_at_last(struct objects *objects)
{
    for (size_t i = 0; i < objects->count; i++)
        if (objects->items[i].kind == OBJECT_JIT && objects->items[i].fd < 0)
            open_jit_map(&objects->items[i]);
}

uint32_t objects_kernel(struct objects *objects)
{
    struct object object = {.kind = OBJECT_KERNEL, .fd = -1};
    return HASH_INTERN(objects, object_hash(&object), same_object, objects, &object);
}

uint32_t objects_unknown(struct objects *objects)
{
    struct object object = {.kind = OBJECT_UNKNOWN, .fd = -1};
    return HASH_INTERN(objects, object_hash(&object), same_object, objects, &object);
}

uint32_t objects_script(struct objects *objects, uint32_t language, const char *name)
{
    struct object object = {.kind = OBJECT_SCRIPT, .fd = -1, .inode = language};
    uint32_t number = hash_find(&objects->index, object_hash(&object), same_object, objects, &object);
    if (number != HASH_NONE)
        return number;
    object.path = strdup(name);
    number = object.path ? HASH_APPEND(objects, object_hash(&object), &object) : HASH_NONE;
    if (number == HASH_NONE)
        free(object.path);
    return number;
}

bool object_bias(const struct object *object, const struct address_range *range, uint64_t *bias)
{
    struct error error = {0};
    struct elf_file *file;
    uint64_t vaddr;
    if (object->kind != OBJECT_FILE || object->fd < 0 || elf_file_open(object->fd, &file, &error) < 0)
        return false;
    bool mapped = elf_file_vaddr_of_offset(file, range->offset - object->base, &vaddr);
    elf_file_close(file);
    if (mapped)
        *bias = range->start - vaddr;
    return mapped;
}

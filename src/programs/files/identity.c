/* SPDX-License-Identifier: MIT */
#include "programs/files/identity.h"

#include "common/base/buffer.h"
#include "common/model/proctext.h"

#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

enum { MAPS_LIMIT = 8 << 20 };

/* Reads what our own maps show for the file at ADDRESS. */
static bool find_mapped(uint64_t address, struct file_identity *found)
{
    struct buffer text = {0};
    struct maps_line line;
    bool is_found = false;
    buffer_read_path(&text, "/proc/self/maps", MAPS_LIMIT);
    for (const char *at = text.bytes; at && !is_found && proctext_maps_next(&at, &line);)
        if ((is_found = line.start <= address && address < line.end))
            *found = (struct file_identity){line.device_major, line.device_minor, line.inode, false};
    buffer_fini(&text);
    return is_found;
}

struct file_identity file_identity_of(int fd)
{
    struct file_identity found = {0};
    struct statfs system;
    struct stat about;
    void *place = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
    bool is_found = place != MAP_FAILED && find_mapped((uintptr_t)place, &found);
    if (place != MAP_FAILED)
        munmap(place, 1);
    if (!is_found && fstat(fd, &about) == 0)
        found = (struct file_identity){major(about.st_dev), minor(about.st_dev), about.st_ino, false};
    found.on_overlay = fstatfs(fd, &system) == 0 && (uint32_t)system.f_type == OVERLAYFS_SUPER_MAGIC;
    return found;
}

bool file_identity_equal(const struct file_identity *one, const struct file_identity *other)
{
    return one->inode == other->inode && one->device_major == other->device_major &&
           one->device_minor == other->device_minor;
}

/* SPDX-License-Identifier: MIT
 *
 * The vDSO of 32-bit processes. This process has another one. But a child can unmap its own vDSO and ask the kernel for
 * that one. */
#include "programs/elf/file.h"

#include "common/arch/machine.h"
#include "common/base/buffer.h"
#include "common/base/child.h"
#include "common/base/error.h"
#include "common/base/proc.h"
#include "common/model/proctext.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAPS_LIMIT (16u << 20)
#define VDSO_LIMIT (1u << 20)

static bool is_named(const struct maps_line *line, const char *name)
{
    size_t length = strlen(name);
    return line->path_length >= length && memcmp(line->path, name, length) == 0;
}

static bool read_maps(struct buffer *text)
{
    int fd = proc_open("/proc/self/maps", O_RDONLY);
    bool read = fd >= 0 && buffer_read_file(text, fd, MAPS_LIMIT) == 0;
    if (fd >= 0)
        close(fd);
    return read;
}

/* Unmaps this process's vDSO, because the kernel does not map a second one. After this, no code may ask for the
 * time. */
static void unmap_own(const char *maps)
{
    struct maps_line line;
    while (proctext_maps_next(&maps, &line))
        if (is_named(&line, "[vdso]") || is_named(&line, "[vvar"))
            munmap((void *)(uintptr_t)line.start, (size_t)(line.end - line.start));
}

static int write_found(int fd, const char *maps)
{
    struct maps_line line;
    while (proctext_maps_next(&maps, &line)) {
        size_t size = (size_t)(line.end - line.start);
        if (is_named(&line, "[vdso]"))
            return write(fd, (const void *)(uintptr_t)line.start, size) == (ssize_t)size ? 0 : 1;
    }
    return 1;
}

static int write_mapping(void *argument)
{
    int fd = *(const int *)argument;
    struct buffer before = {0}, after = {0};
    if (!read_maps(&before))
        return 1;
    unmap_own(before.bytes);
    return arch_map_compat_vdso() < 0 || !read_maps(&after) ? 1 : write_found(fd, after.bytes);
}

int elf_vdso_compat_image(void)
{
    struct child child = {0};
    int fd = memfd_create("vdso", MFD_CLOEXEC);
    if (fd < 0)
        return -errno;
    int result = child_start(&child, "pt-vdso", write_mapping, &fd);
    if (!result && child_wait(&child) != 0)
        result = -ENOENT;
    if (!result)
        return fd;
    close(fd);
    return result;
}

/* Reads the bytes that the child has written. */
static int read_image(struct buffer *image)
{
    int fd = elf_vdso_compat_image();
    if (fd < 0)
        return fd;
    int result = buffer_read_file(image, fd, VDSO_LIMIT);
    close(fd);
    return result;
}

int elf_file_from_compat_vdso(struct elf_file **file, struct error *error)
{
    struct buffer image = {0};
    int result = read_image(&image);
    *file = NULL;
    if (result)
        result = error_set(error, -result, "the kernel gives no 32-bit vDSO");
    else
        result = elf_file_from_memory(image.bytes, image.length, file, error);
    buffer_fini(&image);
    return result;
}

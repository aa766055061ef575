/* SPDX-License-Identifier: MIT
 *
 * The vDSO, code that the kernel maps into every process: an ELF image without a file. */
#include "programs/elf/file.h"

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/proc.h"
#include "common/model/address_map.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAPS_LIMIT (16u << 20)

static size_t mapped_size(uint64_t start)
{
    const struct address_range *range = NULL;
    struct address_map map = {0};
    struct buffer text = {0};
    size_t size = 0;
    int fd = proc_open("/proc/self/maps", O_RDONLY);
    if (fd >= 0 && buffer_read_file(&text, fd, MAPS_LIMIT) == 0 && address_map_parse(&map, text.bytes, SIZE_MAX))
        range = address_map_find(&map, start);
    if (range)
        size = (size_t)(range->end - start);
    if (fd >= 0)
        close(fd);
    address_map_fini(&map);
    buffer_fini(&text);
    return size;
}

int elf_vdso_image(void)
{
    uint64_t start = getauxval(AT_SYSINFO_EHDR);
    size_t size = start ? mapped_size(start) : 0;
    int fd = size ? memfd_create("vdso", MFD_CLOEXEC) : -1;
    if (!size)
        return -ENOENT;
    if (fd < 0)
        return -errno;
    if (write(fd, (const void *)(uintptr_t)start, size) == (ssize_t)size)
        return fd;
    close(fd);
    return -EIO;
}

int elf_file_from_vdso(struct elf_file **file, struct error *error)
{
    uint64_t start = getauxval(AT_SYSINFO_EHDR);
    size_t size = start ? mapped_size(start) : 0;
    *file = NULL;
    if (!size)
        return error_set(error, ENOENT, "this process has no vDSO");
    return elf_file_from_memory((const void *)(uintptr_t)start, size, file, error);
}

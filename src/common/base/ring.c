/* SPDX-License-Identifier: MIT */
#include "common/base/ring.h"

#include "common/base/error.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t padded(size_t size)
{
    return sizeof(struct ring_header) + ((size + 7) & ~(size_t)7);
}

/* Maps the pages without a file, because the limit on file sizes would apply to a file. */
static bool map_pages(unsigned char *place, size_t room)
{
    return mmap(place, room, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED &&
           mremap(place, 0, room, MREMAP_MAYMOVE | MREMAP_FIXED, place + room) != MAP_FAILED;
}

/* Maps a memfd, for systems where mremap() cannot map memory twice, for example under valgrind. */
static bool map_file(unsigned char *place, size_t room)
{
    int fd = memfd_create("ring", MFD_CLOEXEC);
    bool mapped = fd >= 0 && ftruncate(fd, (off_t)room) == 0;
    for (int i = 0; mapped && i < 2; i++)
        mapped =
            mmap(place + (size_t)i * room, room, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED;
    int failed = errno;
    if (fd >= 0)
        close(fd);
    errno = failed;
    return mapped;
}

/* Maps the same pages twice, one after the other. */
static int map_twice(struct ring *ring, size_t room)
{
    unsigned char *place = mmap(NULL, 2 * room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED)
        return -errno;
    if (!map_pages(place, room) && !(errno == EINVAL && map_file(place, room))) {
        int failed = errno;
        munmap(place, 2 * room);
        return -failed;
    }
    ring->bytes = place;
    ring->room = room;
    return 0;
}

int ring_map(struct ring *ring, size_t room, struct error *error)
{
    memset(ring, 0, sizeof *ring);
    void *control = mmap(NULL, sizeof *ring->control, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (control == MAP_FAILED)
        return error_system(error, errno, "cannot map shared memory");
    int result = map_twice(ring, room);
    if (result < 0) {
        munmap(control, sizeof *ring->control);
        return error_system(error, -result, "cannot map a ring of %zu bytes of shared memory", room);
    }
    ring->control = control;
    return 0;
}

void ring_unmap(struct ring *ring)
{
    if (ring->control) {
        munmap(ring->control, sizeof *ring->control);
        munmap(ring->bytes, 2 * ring->room);
    }
    memset(ring, 0, sizeof *ring);
}

size_t ring_filled(const struct ring *ring)
{
    uint64_t written = atomic_load_explicit(&ring->control->written, memory_order_acquire);
    uint64_t read = atomic_load_explicit(&ring->control->read, memory_order_acquire);
    return (size_t)(written - read);
}

static struct ring_header *header_at(struct ring *ring, uint64_t position)
{
    return (struct ring_header *)(void *)(ring->bytes + (position & (ring->room - 1)));
}

void *ring_reserve(struct ring *ring, uint32_t type, size_t size, size_t spare)
{
    size_t filled = ring_filled(ring);
    if (size > ring->room / 2 || filled > ring->room || padded(size) + spare > ring->room - filled)
        return NULL;
    struct ring_header *header = header_at(ring, atomic_load_explicit(&ring->control->written, memory_order_relaxed));
    header->size = (uint32_t)size;
    header->type = type;
    return header + 1;
}

void ring_publish(struct ring *ring, size_t size)
{
    uint64_t written = atomic_load_explicit(&ring->control->written, memory_order_relaxed);
    header_at(ring, written)->size = (uint32_t)size;
    atomic_store_explicit(&ring->control->written, written + padded(size), memory_order_release);
}

const void *ring_peek(struct ring *ring, struct ring_header *header, bool *damaged)
{
    size_t filled = ring_filled(ring);
    if (!filled)
        return NULL;
    const struct ring_header *next = header_at(ring, atomic_load_explicit(&ring->control->read, memory_order_relaxed));
    *header = *next;
    if (filled > ring->room || filled < sizeof *header || padded(header->size) > filled) {
        *damaged = true;
        atomic_store(&ring->control->read, atomic_load(&ring->control->written));
        return NULL;
    }
    return next + 1;
}

void ring_consume(struct ring *ring)
{
    uint64_t read = atomic_load_explicit(&ring->control->read, memory_order_relaxed);
    atomic_store_explicit(&ring->control->read, read + padded(header_at(ring, read)->size), memory_order_release);
}

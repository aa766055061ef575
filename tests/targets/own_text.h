/* SPDX-License-Identifier: MIT
 *
 * Compares the code of the calling process with the files that it came from, to detect changes. */
#ifndef OWN_TEXT_H
#define OWN_TEXT_H

#include "target.h"

#include <sys/mman.h>

/* If true, text_differences prints each difference. */
UNUSED static bool text_shown;

/* Returns the number of bytes of the mapping at START that differ from those at OFFSET of the file at PATH. */
UNUSED static unsigned text_differences(const char *path, uint64_t start, uint64_t end, uint64_t offset)
{
    const unsigned char *now = (const unsigned char *)(uintptr_t)start;
    unsigned different = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    CHECK(fd >= 0);
    unsigned char *file = mmap(NULL, end - start, PROT_READ, MAP_SHARED, fd, (off_t)offset);
    off_t size = lseek(fd, 0, SEEK_END);
    CHECK(file != MAP_FAILED && size > (off_t)offset && close(fd) == 0);
    for (uint64_t i = 0; i < end - start && offset + i < (uint64_t)size; i++)
        if (now[i] != file[i]) {
            different++;
            if (text_shown)
                fprintf(stderr, "%s+0x%llx: 0x%02x, not 0x%02x\n", path, (unsigned long long)(offset + i), now[i],
                        file[i]);
        }
    CHECK(munmap(file, end - start) == 0);
    return different;
}

/* Returns the number of bytes, in all code mapped from files, that differ from the file. */
UNUSED static unsigned own_text_differences(void)
{
    char line[4352], path[4097], permissions[5];
    unsigned long start, end, offset;
    unsigned different = 0;
    FILE *maps = fopen("/proc/self/maps", "re");
    CHECK(maps);
    while (fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx %4s %lx %*s %*s %4096s", &start, &end, permissions, &offset, path) == 5 &&
            strcmp(permissions, "r-xp") == 0 && path[0] == '/')
            different += text_differences(path, start, end, offset);
    fclose(maps);
    return different;
}

/* Returns true if the first bytes of FUNCTION differ from its file. */
UNUSED static bool own_function_differs(const void *function)
{
    enum { BYTES = 8 };
    char line[4352], path[4097];
    unsigned char there[BYTES];
    unsigned long start, end, offset, address = (unsigned long)(uintptr_t)function;
    bool differs = false;
    FILE *maps = fopen("/proc/self/maps", "re");
    CHECK(maps);
    while (fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %4096s", &start, &end, &offset, path) != 4 || address < start ||
            address >= end)
            continue;
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        CHECK(fd >= 0 && pread(fd, there, BYTES, (off_t)(offset + address - start)) == BYTES && close(fd) == 0);
        differs = memcmp(there, function, BYTES) != 0;
    }
    fclose(maps);
    return differs;
}

/* Waits until the code equals its files again. If this takes more than SECONDS (limit_ns), prints the differences
 * and returns false. */
UNUSED static bool own_text_returns(unsigned seconds)
{
    uint64_t end = monotonic_ns() + limit_ns(seconds);
    while (own_text_differences()) {
        if (monotonic_ns() > end) {
            text_shown = true;
            own_text_differences();
            return false;
        }
        nap_ms(5);
    }
    return true;
}

#endif

/* SPDX-License-Identifier: MIT
 *
 * Switches on the C library's own profil, and writes its pid to READY. When the file END exists, it switches profil
 * off, frees the buffer, and works for a while in the counted code.
 *
 *     profiling READY END */
#include "target.h"

#include <sys/mman.h>

int profil(unsigned short *buffer, size_t size, size_t offset, unsigned scale);

enum { SIZE = 1 << 20, WIDE = 65536, WORK_MS = 200 };

DEFINE_SPIN(work_after, 0x7066)

int main(int argc, char **argv)
{
    unsigned short *volatile none = NULL;
    target_begin();
    CHECK(argc == 3);
    unsigned short *cells = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(cells != MAP_FAILED);
    CHECK(profil(cells, SIZE, (size_t)(uintptr_t)work_after - SIZE / 2, WIDE) == 0);
    announce(argv[1]);
    CHECK(wait_for_file(argv[2], 60));
    CHECK(profil(none, 0, 0, 0) == 0);
    CHECK(munmap(cells, SIZE) == 0);
    spin_cpu_ms(work_after, WORK_MS);
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * Looks at the first byte of its own profil, where a byte is planted for the calls. own_byte wait READY END
 * waits until that has been done, and own_byte write READY END does it itself; both then create READY. The
 * second one ends with 0 if the byte is still there once END exists. */
#include "target.h"

#include <dlfcn.h>
#include <sys/mman.h>

enum { PLANTED_BYTE = 0x06 };

static void write_it(volatile unsigned char *entry)
{
    uintptr_t page_size = (uintptr_t)getpagesize(), page = (uintptr_t)entry & ~(page_size - 1);
    CHECK(mprotect((void *)page, page_size, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
    *entry = PLANTED_BYTE;
}

int main(int argc, char **argv)
{
    CHECK(argc == 4);
    target_begin();
    volatile unsigned char *entry = dlsym(RTLD_DEFAULT, "profil");
    CHECK(entry);
    if (strcmp(argv[1], "write") == 0)
        write_it(entry);
    while (*entry != PLANTED_BYTE)
        nap_ms(10);
    announce(argv[2]);
    CHECK(wait_for_file(argv[3], 60));
    CHECK(*entry == PLANTED_BYTE);
    return 0;
}

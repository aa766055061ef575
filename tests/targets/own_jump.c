/* SPDX-License-Identifier: MIT
 *
 * Looks at the beginning of its own profil, where a jump is written for the calls.
 *
 *     own_jump wait READY END JUMP     waits for the jump, and stores its bytes in the file JUMP
 *     own_jump write READY END JUMP    writes the bytes of JUMP itself
 * Both then create READY. The second one ends with 0 if the bytes are still there when END exists. */
#include "target.h"

#include <dlfcn.h>
#include <sys/mman.h>

enum { JUMP = 0xe9, JUMP_BYTES = 5 };

static void write_it(volatile unsigned char *entry, const unsigned char *jump)
{
    uintptr_t page_size = (uintptr_t)getpagesize(), page = (uintptr_t)entry & ~(page_size - 1);
    CHECK(mprotect((void *)page, page_size, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
    for (size_t i = 0; i < JUMP_BYTES; i++)
        entry[i] = jump[i];
}

int main(int argc, char **argv)
{
    unsigned char jump[JUMP_BYTES];
    CHECK(argc == 5);
    target_begin();
    volatile unsigned char *entry = dlsym(RTLD_DEFAULT, "profil");
    CHECK(entry && *entry != JUMP);
    bool writes = strcmp(argv[1], "write") == 0;
    FILE *file = fopen(argv[4], writes ? "r" : "w");
    CHECK(file);
    if (writes) {
        CHECK(fread(jump, sizeof jump, 1, file) == 1);
        write_it(entry, jump);
    }
    while (*entry != JUMP)
        nap_ms(10);
    CHECK(writes || fwrite((const void *)(uintptr_t)entry, sizeof jump, 1, file) == 1);
    CHECK(fclose(file) == 0);
    announce(argv[2]);
    CHECK(wait_for_file(argv[3], 60));
    CHECK(memcmp((const void *)(uintptr_t)entry, jump, writes ? sizeof jump : 0) == 0);
    return 0;
}

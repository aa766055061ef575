/* SPDX-License-Identifier: MIT
 *
 * Which of several names of one address a reader would expect. Pure. */
#ifndef ELF_ALIAS_H
#define ELF_ALIAS_H

#include <stdbool.h>
#include <stddef.h>

struct elf_alias {
    const char *name;            /* not 0-terminated */
    size_t length;               /* without a version */
    unsigned char type, binding; /* STT_, STB_ */
    bool old_version;            /* kept for programs linked long ago ("memcpy@GLIBC_2.2.5") */
};

/* Sets NAME and LENGTH of ALIAS from the SIZE bytes at NAME without the version that a linker may have added
 * ("read@@GLIBC_2.2.5"), and OLD_VERSION if that was there and is not the default one. */
void elf_alias_set_name(struct elf_alias *alias, const char *name, size_t size);

/* Less than 0 if ONE is the better name, more than 0 if OTHER is; 0 only if they are the same. */
int elf_alias_compare(const struct elf_alias *one, const struct elf_alias *other);

#endif

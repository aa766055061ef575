/* SPDX-License-Identifier: MIT
 *
 * If one address has several names, chooses the one that a reader would expect. Pure. */
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

/* Sets NAME and LENGTH of ALIAS from the SIZE bytes at NAME, without the version that a linker may have added
 * ("read@@GLIBC_2.2.5"). Sets OLD_VERSION if the name had a version other than the default one. */
void elf_alias_set_name(struct elf_alias *alias, const char *name, size_t size);

/* Returns less than 0 if ONE is the better name, more than 0 if OTHER is, and 0 only if they are the same. */
int elf_alias_compare(const struct elf_alias *one, const struct elf_alias *other);

#endif

/* SPDX-License-Identifier: MIT
 *
 * A library to preload into ptprofil. From allocation number NOMEMORY on, NOMEMORY_MANY (1000000) allocations fail.
 * Both are environment variables. Each process of ptprofil is affected, a child with its parent's count, but no
 * other program. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *bytes, size_t size);
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *bytes, size_t size);

static unsigned long first, many, done;

static int fails(void)
{
    if (!first) {
        const char *from = getenv("NOMEMORY"), *length = getenv("NOMEMORY_MANY");
        first = from && strstr(program_invocation_name, "ptprofil") ? strtoul(from, NULL, 10) : (unsigned long)-1;
        many = length ? strtoul(length, NULL, 10) : 1000000;
    }
    unsigned long number = __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
    if (number < first || number - first >= many)
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *bytes, size_t size)
{
    return fails() ? NULL : __libc_realloc(bytes, size);
}

/* SPDX-License-Identifier: MIT
 *
 * What ./quickstart profiles first: two seconds of a compression, linked with zlib's archive, so that its functions
 * have their names. demo FILE compresses FILE at each level, and looks whether it comes back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { FASTEST = 1, BEST = 9, MOST = 64 << 20 };

static unsigned char *read_all(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    unsigned char *bytes = malloc(MOST);
    *size = file && bytes ? fread(bytes, 1, MOST, file) : 0;
    if (file)
        fclose(file);
    return bytes;
}

static size_t pack(const unsigned char *bytes, size_t size, unsigned char *packed, int level)
{
    uLongf length = compressBound(size);
    return compress2(packed, &length, bytes, size, level) == Z_OK ? length : 0;
}

static int comes_back(const unsigned char *packed, size_t length, const unsigned char *bytes, size_t size)
{
    unsigned char *again = malloc(size);
    uLongf got = size;
    int same = again && uncompress(again, &got, packed, length) == Z_OK && got == size && !memcmp(again, bytes, size);
    free(again);
    return same;
}

int main(int argc, char **argv)
{
    size_t size = 0;
    unsigned char *bytes = argc == 2 ? read_all(argv[1], &size) : NULL;
    unsigned char *packed = size ? malloc(compressBound(size)) : NULL;
    if (!packed) {
        fprintf(stderr, "usage: demo FILE\n");
        return 2;
    }
    for (int level = FASTEST; level <= BEST; level += BEST - FASTEST) {
        size_t length = pack(bytes, size, packed, level);
        if (!length || !comes_back(packed, length, bytes, size))
            return 1;
        printf("level %d: %zu bytes of %zu\n", level, length, size);
    }
    free(packed);
    free(bytes);
    return 0;
}

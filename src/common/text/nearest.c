/* SPDX-License-Identifier: MIT */
#include "common/text/nearest.h"

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/scale.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

enum { LONGEST = 32 };

/* Returns true if the two letters before I in A and before J in B are the same, swapped. */
static bool have_changed_places(const char *a, size_t i, const char *b, size_t j)
{
    return i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
}

/* Returns the number of changes from A to B. Both are shorter than LONGEST. */
static size_t distance(const char *a, const char *b)
{
    size_t far[LONGEST][LONGEST], height = strlen(a), width = strlen(b);
    for (size_t i = 0; i <= height; i++)
        for (size_t j = 0; j <= width; j++) {
            if (!i || !j) {
                far[i][j] = i + j;
                continue;
            }
            far[i][j] = scale_smaller(far[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
                                      scale_smaller(far[i - 1][j], far[i][j - 1]) + 1);
            if (have_changed_places(a, i, b, j))
                far[i][j] = scale_smaller(far[i][j], far[i - 2][j - 2] + 1);
        }
    return far[height][width];
}

const char *nearest_name(const char *word, const char *const *names, size_t count)
{
    const char *found = NULL;
    size_t length = strlen(word), best = length < 4 ? 2 : 3;
    for (size_t i = 0; length && length < LONGEST && i < count; i++) {
        size_t far = strlen(names[i]) < LONGEST ? distance(word, names[i]) : best;
        if (far < best) {
            best = far;
            found = names[i];
        }
    }
    return found;
}

int nearest_refuse(struct error *error, const char *complaint, const char *word, const char *prefix, const char *near,
                   const struct buffer *advice)
{
    const char *text = advice->length ? advice->bytes : "?";
    if (!near)
        return error_set(error, EINVAL, "%s '%s'; %s", complaint, word, text);
    return error_set(error, EINVAL, "%s '%s'; did you mean %s%s? %c%s", complaint, word, prefix, near,
                     toupper((unsigned char)*text), text + 1);
}

/* SPDX-License-Identifier: MIT */
#include "common/names/suffix.h"

#include <ctype.h>
#include <string.h>

size_t suffix_begin(const char *name, size_t length, enum suffix *kind)
{
    static const struct {
        const char *text;
        enum suffix kind;
    } kinds[] = {
        {".part", SUFFIX_PART},       {".isra", SUFFIX_PART},        {".constprop", SUFFIX_PART},
        {".cold", SUFFIX_PART},       {".__part", SUFFIX_PART},      {".warm", SUFFIX_PART},
        {".localalias", SUFFIX_PART}, {".specialized", SUFFIX_PART}, {".lto_priv", SUFFIX_FILE},
        {".__uniq", SUFFIX_FILE},     {".llvm", SUFFIX_FILE},
    };
    static const char clone[] = " [clone ";
    size_t end = length, bracket = length && name[length - 1] == ']';
    end -= bracket;
    while (end && isdigit((unsigned char)name[end - 1]))
        end--;
    end -= end && name[end - 1] == '.' && end + bracket < length;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t size = strlen(kinds[i].text), before = bracket ? strlen(clone) : 0;
        if (end > size + before && !memcmp(name + end - size, kinds[i].text, size) &&
            !memcmp(name + end - size - before, clone, before)) {
            *kind = kinds[i].kind;
            return end - size - before;
        }
    }
    *kind = SUFFIX_NONE;
    return length;
}

size_t suffix_begin_all(const char *name, size_t length)
{
    enum suffix kind = SUFFIX_PART;
    while (kind != SUFFIX_NONE)
        length = suffix_begin(name, length, &kind);
    return length;
}

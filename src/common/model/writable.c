/* SPDX-License-Identifier: MIT */
#include "common/model/writable.h"

#include "common/model/proctext.h"

bool writable_find(const char **text, uint64_t address, struct writable_part *part)
{
    struct maps_line line;
    do {
        if (!proctext_maps_next(text, &line))
            return false;
    } while (line.end <= address);
    *part = (struct writable_part){line.start, line.end, line.readable, line.inode != 0};
    return line.start <= address && line.writable;
}

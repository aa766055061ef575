/* SPDX-License-Identifier: MIT */
#include "model/writable.h"

#include "model/proctext.h"

bool writable_range(const char *text, uint64_t address, uint64_t size)
{
    uint64_t end = address + size;
    struct maps_line line;
    while (proctext_maps_next(&text, &line)) {
        if (line.end <= address)
            continue;
        if (line.start > address || !line.writable)
            return false;
        if (end <= line.end)
            return true;
        address = line.end;
    }
    return false;
}

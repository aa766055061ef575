/* SPDX-License-Identifier: MIT */
#include "front/naming/name_unpack.h"

#include "common/base/buffer.h"
#include "front/naming/name_server.h"

#include <stdlib.h>

/* Asks a reader of its own, because another one may be busy with a file that has much debug information. */
uint8_t *name_unpack(int fd, uint64_t most, size_t *size)
{
    struct buffer table = {0};
    struct name_server server;
    if (name_server_start(&server, 0, false) < 0)
        return NULL;
    if (!name_server_ask_table(&server, fd, &table) || table.length > most)
        table.length = 0;
    name_server_end(&server);
    if (!table.length)
        buffer_fini(&table);
    *size = table.length;
    uint8_t *fitting = table.length ? realloc(table.bytes, table.length) : NULL; /* it is kept for long */
    return fitting ? fitting : (uint8_t *)table.bytes;
}

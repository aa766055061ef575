/* SPDX-License-Identifier: MIT
 *
 * The end of a table of threads and processes. The tracer has one as long as it lives. */
#ifndef FAKE_TABLE_H
#define FAKE_TABLE_H

#include "tracer/tracee/table.h"

#include <stdlib.h>
#include <string.h>

/* Frees everything. Traces and stops nothing. */
static inline void fake_table_free(struct table *table)
{
    while (table->process_count)
        table_remove_process(table, table->processes[0]);
    hash_fini(&table->by_tid);
    hash_fini(&table->by_pid);
    free(table->threads);
    free(table->processes);
    memset(table, 0, sizeof *table);
}

#endif

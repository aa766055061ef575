/* SPDX-License-Identifier: MIT */
#include "cli/schema_page.h"

#include "push/clickhouse.h"
#include "text/say.h"

void schema_page_write(const char *cluster, FILE *out)
{
    struct buffer page = {0};
    clickhouse_schema(&page, cluster);
    say_own(out, page.failed ? "" : page.bytes);
    buffer_fini(&page);
}

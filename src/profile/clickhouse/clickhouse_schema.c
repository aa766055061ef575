/* SPDX-License-Identifier: MIT
 *
 * Rows are inserted into ptprofil_rows, which stores nothing: its views put each row into ptprofil_samples, and its
 * stack, with a hash as key, into ptprofil_stacks. A row that is inserted again, for example after a lost answer,
 * replaces itself, because its key has `batch` and `row`. The statements work with ClickHouse 18.16 and later. That
 * version has no DateTime64, no codecs and no TTL. */
#include "profile/clickhouse/clickhouse.h"

/* The columns that rows and samples share. */
#define NAMES                                                                                                          \
    "    time_ns UInt64,\n"                                                                                            \
    "    duration_ns UInt64,\n"                                                                                        \
    "    clock String,\n"                                                                                              \
    "    hz UInt32,\n"                                                                                                 \
    "    service String,\n"                                                                                            \
    "    host String,\n"                                                                                               \
    "    labels Array(String),\n"                                                                                      \
    "    process String,\n"                                                                                            \
    "    job String,\n"                                                                                                \
    "    rank Int32,\n"
#define STACK                                                                                                          \
    "    functions Array(String),\n"                                                                                   \
    "    modules Array(String),\n"                                                                                     \
    "    files Array(String),\n"                                                                                       \
    "    lines Array(UInt32)"
#define VALUES                                                                                                         \
    "    count UInt64,\n"                                                                                              \
    "    period_ns UInt64,\n"                                                                                          \
    "    cpu_ns UInt64,\n"                                                                                             \
    "    wait_ns UInt64,\n"                                                                                            \
    "    batch UInt64,\n"                                                                                              \
    "    row UInt32\n"
#define HASH "cityHash64(functions, modules, files, lines) AS stack"
#define TIME "toDateTime(intDiv(time_ns, 1000000000))"

static const struct {
    const char *name, *columns, *engine;
    const char *shard; /* which server of a cluster has a row */
} tables[] = {
    {"ptprofil_rows", NAMES STACK ",\n" VALUES, "Null", "batch"},
    {"ptprofil_samples", "    time DateTime,\n" NAMES "    stack UInt64,\n" VALUES,
     "ReplacingMergeTree PARTITION BY toYYYYMMDD(time) ORDER BY (service, time_ns, host, batch, row)", "batch"},
    {"ptprofil_stacks", "    seen DateTime,\n    stack UInt64,\n" STACK "\n",
     "ReplacingMergeTree PARTITION BY toYYYYMM(seen) ORDER BY stack", "stack"},
};

static const struct {
    const char *name, *to, *columns;
} views[] = {
    {"ptprofil_rows_samples", "ptprofil_samples",
     TIME " AS time, time_ns, duration_ns, clock, hz, service, host,\n    labels, process, job, rank, " HASH
          ",\n    count, period_ns, cpu_ns, wait_ns, batch, row"},
    {"ptprofil_rows_stacks", "ptprofil_stacks", TIME " AS seen, " HASH ",\n    functions, modules, files, lines"},
};

void clickhouse_schema(struct buffer *out, const char *cluster)
{
    const char *local = cluster ? "_local" : "";
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        buffer_printf(out, "CREATE TABLE IF NOT EXISTS %s%s (\n%s) ENGINE = %s;\n\n", tables[i].name, local,
                      tables[i].columns, tables[i].engine);
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        buffer_printf(
            out, "CREATE MATERIALIZED VIEW IF NOT EXISTS %s%s TO %s%s AS SELECT\n    %s\nFROM ptprofil_rows%s;\n\n",
            views[i].name, local, views[i].to, local, views[i].columns, local);
    for (size_t i = 0; cluster && i < sizeof tables / sizeof *tables; i++)
        buffer_printf(out,
                      "CREATE TABLE IF NOT EXISTS %s AS %s_local\n"
                      "ENGINE = Distributed('%s', currentDatabase(), %s_local, %s);\n\n",
                      tables[i].name, tables[i].name, cluster, tables[i].name, tables[i].shard);
}

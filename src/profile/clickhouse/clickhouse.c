/* SPDX-License-Identifier: MIT */
#include "profile/clickhouse/clickhouse.h"

#include "common/base/error.h"
#include "common/text/duration.h"
#include "profile/clickhouse/rows_take.h"
#include "profile/push/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PREFIX "clickhouse+"
#define SECOND_NS UINT64_C(1000000000)
#define HOUR_NS (3600 * SECOND_NS)
#define DAY_NS (24 * HOUR_NS)

enum { MOST_VALUE = 1024, MOST_DAYS = 36500 };

/* The conditions of a query. Texts are values of SQL. */
struct wanted {
    uint64_t from_ns, to_ns;
    struct buffer where; /* conditions, each with " AND " before it */
};

bool clickhouse_is_query(const char *text)
{
    return !strncmp(text, PREFIX "http", strlen(PREFIX "http"));
}

/* Appends the LENGTH bytes of VALUE with its escapes decoded: %41 becomes A. */
static int decode(struct buffer *out, const char *value, size_t length)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    for (size_t i = 0; i < length; i++) {
        char byte = value[i];
        if (byte == '%') {
            const char *high = i + 2 < length ? strchr(digits, value[i + 1]) : NULL,
                       *low = high ? strchr(digits, value[i + 2]) : NULL;
            if (!high || !low || !*high || !*low)
                return -EINVAL;
            byte = (char)((high - digits) % 16 << 4 | (low - digits) % 16);
            i += 2;
        }
        if (!byte)
            return -EINVAL;
        buffer_append(out, &byte, 1);
    }
    return out->failed ? -ENOMEM : 0;
}

/* Appends TEXT as a literal of SQL. */
static void put_literal(struct buffer *out, const char *text)
{
    buffer_puts(out, "'");
    for (; *text; text++)
        buffer_printf(out, *text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
    buffer_puts(out, "'");
}

/* An age: -1h, -7d. */
static bool parse_age(const char *text, uint64_t now_ns, uint64_t *ns)
{
    char *end;
    uint64_t age_ns = 0;
    unsigned long days = text[1] >= '0' && text[1] <= '9' ? strtoul(text + 1, &end, 10) : 0;
    if (days && days < MOST_DAYS && !strcmp(end, "d"))
        age_ns = days * DAY_NS;
    else if (!duration_parse(text + 1, strlen(text + 1), &age_ns))
        return false;
    *ns = age_ns < now_ns ? now_ns - age_ns : 0;
    return true;
}

static bool parse_time(const char *text, uint64_t now_ns, uint64_t *ns)
{
    static const char *const forms[] = {"%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%MZ", "%Y-%m-%d", "%s"};
    if (!strcmp(text, "now")) {
        *ns = now_ns;
        return true;
    }
    if (*text == '-')
        return parse_age(text, now_ns, ns);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct tm parts = {0};
        const char *end = strptime(text, forms[i], &parts);
        bool seconds = forms[i][1] == 's';
        if (!end || *end || (seconds && strspn(text, "0123456789") > 10))
            continue;
        long long time = seconds ? atoll(text) : (long long)timegm(&parts);
        if (time < 0 || time > UINT32_MAX)
            return false;
        *ns = (uint64_t)time * SECOND_NS;
        return true;
    }
    return false;
}

static const struct {
    const char *name;
    const char *before, *after; /* of the value, in SQL; NULL: a time */
} conditions[] = {
    {"service", "service = ", ""}, {"host", "host = ", ""},        {"process", "process = ", ""}, {"job", "job = ", ""},
    {"clock", "clock = ", ""},     {"label", "has(labels, ", ")"}, {"from", NULL, NULL},          {"to", NULL, NULL},
};
enum { CONDITIONS = sizeof conditions / sizeof *conditions, FROM = CONDITIONS - 2, LABEL = CONDITIONS - 3 };

/* Takes VALUE of condition NUMBER. */
static int take_value(struct wanted *wanted, size_t number, const char *value, uint64_t now_ns, struct error *error)
{
    if (!conditions[number].before) {
        if (parse_time(value, now_ns, number == FROM ? &wanted->from_ns : &wanted->to_ns))
            return 0;
        return error_set(error, EINVAL,
                         "'%s=%.60s' is not a time such as -1h, -7d, now, 2026-01-31, 2026-01-31T12:00:00Z (UTC), or "
                         "seconds since 1970",
                         conditions[number].name, value);
    }
    buffer_printf(&wanted->where, " AND %s", conditions[number].before);
    put_literal(&wanted->where, value);
    buffer_puts(&wanted->where, conditions[number].after);
    return 0;
}

static int unknown_part(const char *part, size_t length, struct error *error)
{
    struct buffer list = {0};
    for (size_t i = 0; i < CONDITIONS; i++)
        buffer_printf(&list, "%s%s", i ? ", " : "", conditions[i].name);
    int result = error_set(error, EINVAL, "'%.*s' is not NAME=VALUE with a name of %s",
                           (int)(length < 60 ? length : 60), part, list.bytes ? list.bytes : "?");
    buffer_fini(&list);
    return result;
}

/* Parses the LENGTH bytes of PART, NAME=VALUE. */
static int take_part(struct wanted *wanted, unsigned *given, const char *part, size_t length, uint64_t now_ns,
                     struct error *error)
{
    size_t number = 0, name = strcspn(part, "=&");
    while (number < CONDITIONS &&
           (strlen(conditions[number].name) != name || strncmp(conditions[number].name, part, name) != 0))
        number++;
    if (name >= length || number == CONDITIONS)
        return unknown_part(part, length, error);
    if (*given & 1U << number && number != LABEL)
        return error_set(error, EINVAL, "'%s' is given twice", conditions[number].name);
    *given |= 1U << number;
    struct buffer value = {0};
    int result = decode(&value, part + name + 1, length - name - 1);
    if (result == -EINVAL || value.length > MOST_VALUE)
        result = error_set(error, EINVAL, "the value of '%s' is too long, or has a %% without two digits behind it",
                           conditions[number].name);
    else
        result = result ? error_set(error, ENOMEM, "out of memory")
                        : take_value(wanted, number, value.bytes ? value.bytes : "", now_ns, error);
    buffer_fini(&value);
    return result;
}

static int take_parts(struct wanted *wanted, const char *parts, uint64_t now_ns, struct error *error)
{
    unsigned given = 0;
    int result = 0;
    while (*parts && !result) {
        size_t length = strcspn(parts, "&");
        result = length ? take_part(wanted, &given, parts, length, now_ns, error) : 0;
        parts += length + (parts[length] == '&');
    }
    if (!result && wanted->from_ns >= wanted->to_ns)
        result = error_set(error, EINVAL, "'from' is not before 'to'");
    return result;
}

/* Also compares the column with whole seconds, because its days are the partitions. */
static void put_where(struct buffer *out, const struct wanted *wanted)
{
    buffer_printf(out, "time >= toDateTime(%llu) AND time <= toDateTime(%llu) AND time_ns >= %llu AND time_ns < %llu%s",
                  (unsigned long long)(wanted->from_ns / SECOND_NS), (unsigned long long)(wanted->to_ns / SECOND_NS),
                  (unsigned long long)wanted->from_ns, (unsigned long long)wanted->to_ns,
                  wanted->where.bytes ? wanted->where.bytes : "");
}

/* The server adds up the values of each stack. FINAL drops rows that were inserted twice. GLOBAL sends the stacks of
 * all servers to each server of a cluster. */
static void put_query(struct buffer *out, const struct wanted *wanted)
{
    buffer_puts(out, "SELECT ");
    for (const struct rows_column *column = rows_columns; column->name; column++)
        buffer_printf(out, "%s%s", column == rows_columns ? "" : ", ", column->name);
    buffer_puts(out, " FROM (SELECT process, job, rank, if(rank < 0, '', host) AS node, clock, stack, "
                     "sum(count) AS sum_count, sum(period_ns) AS sum_period, sum(cpu_ns) AS sum_cpu, "
                     "sum(wait_ns) AS sum_wait, min(time_ns) AS began, max(time_ns + duration_ns) AS ended, "
                     "min(hz) AS lowest_hz, max(hz) AS highest_hz FROM ptprofil_samples FINAL WHERE ");
    put_where(out, wanted);
    buffer_printf(out,
                  " GROUP BY process, job, rank, node, clock, stack LIMIT %d) ANY LEFT JOIN (SELECT stack, "
                  "any(functions) AS functions, any(modules) AS modules, any(files) AS files, any(lines) AS lines "
                  "FROM ptprofil_stacks WHERE stack GLOBAL IN (SELECT stack FROM ptprofil_samples WHERE ",
                  ROWS_MOST + 1);
    put_where(out, wanted);
    buffer_puts(out, ") GROUP BY stack) USING stack ORDER BY process, job, rank, node, clock, stack FORMAT RowBinary");
}

static int fill(struct clickhouse_query *query, const char *base, const char *parts, uint64_t now_ns,
                struct error *error)
{
    struct wanted wanted = {.from_ns = now_ns > HOUR_NS ? now_ns - HOUR_NS : 0, .to_ns = now_ns};
    size_t length = strlen(base);
    while (length && base[length - 1] == '/')
        length--;
    target_put_address(&query->url, base, length);
    buffer_puts(&query->url, "wait_end_of_query=1"); /* or an error would come as data */
    int result = take_parts(&wanted, parts, now_ns, error);
    if (!result)
        put_query(&query->text, &wanted);
    if (!result && (query->url.failed || !query->shown || wanted.where.failed || query->text.failed))
        result = error_set(error, ENOMEM, "out of memory");
    buffer_fini(&wanted.where);
    return result;
}

int clickhouse_query_init(struct clickhouse_query *query, const char *text, uint64_t now_ns, struct error *error)
{
    size_t length = strcspn(text, "?");
    char *base = strndup(text, length);
    const char *host = base ? target_host(base + strlen(PREFIX)) : NULL;
    *query = (struct clickhouse_query){0};
    int result = !base   ? error_set(error, ENOMEM, "out of memory")
                 : !host ? error_set(error, EINVAL,
                                     "'%.200s' is not an address such as "
                                     "clickhouse+http://HOST:8123/DATABASE?service=NAME&from=-1h",
                                     text)
                         : 0;
    if (!result) {
        query->shown = target_without_password(text, text + (host - base));
        result = fill(query, base + strlen(PREFIX), text + length + (text[length] == '?'), now_ns, error);
    }
    free(base);
    return result;
}

void clickhouse_query_fini(struct clickhouse_query *query)
{
    free(query->shown);
    buffer_fini(&query->url);
    buffer_fini(&query->text);
    *query = (struct clickhouse_query){0};
}

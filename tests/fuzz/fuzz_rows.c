/* SPDX-License-Identifier: MIT
 *
 * Reads rows of a database. The first byte chooses: the remainder is a server's answer, or the URL of a query. */
#include "profile/clickhouse/clickhouse.h"
#include "profile/clickhouse/rows_take.h"
#include "profile/report/report.h"
#include "profile/stored/db_rows.h"

#include "common/base/error.h"
#include "fuzz.h"

#include <errno.h>
#include <stdlib.h>

static int add_up(void *of, const char *line, size_t length)
{
    uint64_t *ns = of;
    const char *cpu = memmem(line, length, "\"cpu_ns\":", 9), *wait = memmem(line, length, "\"wait_ns\":", 10);
    FUZZ_EXPECT(cpu && wait && line[length - 1] == '\n' && length <= DB_ROW_MOST_BYTES);
    *ns += strtoull(cpu + 9, NULL, 10) + strtoull(wait + 10, NULL, 10);
    return 0;
}

static void take_answer(const uint8_t *bytes, size_t size)
{
    struct builder builder;
    struct buffer note = {0};
    struct error error = {0};
    const struct db_rows_about about = {0};
    uint64_t ns = 0;

    builder_init(&builder);
    int result = rows_take(&builder, bytes, size, &note, &error);
    struct profile *profile = builder_finish(&builder);
    FUZZ_EXPECT(error.errnum == -result && (!result || *error.text) && (result || profile));
    if (!result) {
        FUZZ_EXPECT(db_rows_each(profile, &about, add_up, &ns) == 0);
        FUZZ_EXPECT(ns == profile_ns(profile));
    }
    profile_free(profile);
    buffer_fini(&note);
}

/* No value may escape its literal: a query must not have quotes or backslashes outside of literals. */
static void check_literals(const char *text)
{
    bool inside = false;
    for (; *text; text++) {
        if (inside && *text == '\\') {
            FUZZ_EXPECT(text[1] == '\\' || text[1] == '\'');
            text++;
        } else if (*text == '\'') {
            inside = !inside;
        }
        FUZZ_EXPECT(inside || *text != '\\');
    }
    FUZZ_EXPECT(!inside);
}

static void make_query(struct cursor *input)
{
    static const char begin[] = "clickhouse+http://h/db?";
    struct buffer text = {0};
    struct clickhouse_query query;
    struct error error = {0};
    char *rest = fuzz_text(input);

    buffer_puts(&text, begin);
    buffer_puts(&text, rest);
    int result = clickhouse_query_init(&query, text.bytes, UINT64_C(1764191514) * 1000000000, &error);
    FUZZ_EXPECT(error.errnum == -result && (!result || *error.text));
    if (!result)
        check_literals(query.text.bytes);
    clickhouse_query_fini(&query);
    buffer_fini(&text);
    free(rest);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct cursor input = fuzz_input(bytes, size);

    if (cursor_number(&input, 1) & 1) {
        make_query(&input);
        return 0;
    }
    size_t left = cursor_left(&input);
    uint8_t *answer = fuzz_copy(&input, &left);
    take_answer(answer, left);
    free(answer);
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * The table of an interpreter's functions, in a process that runs for months. */
#include "programs/interp/functions.h"

#include "common/wire/message.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

static uint32_t last = 0;

/* Sends the object of function NAME. Returns its serial. */
static uint32_t send_function(struct functions *functions, const char *name)
{
    static const unsigned char table[] = {1, 2, 3};
    struct interp_function function = {.lines = {.first_line = 5, .bytes = table, .size = sizeof table},
                                       .code = {77, 79}};
    snprintf(function.name, sizeof function.name, "%s", name);
    snprintf(function.file, sizeof function.file, "/%s.py", name);
    last += last == UINT32_MAX ? 2 : 1;
    functions_set(functions, last, 1, &function);
    return last;
}

static bool is_function(const struct functions *functions, uint32_t serial, const char *name)
{
    struct interp_range code;
    const struct functions_item *item = functions_get(functions, serial, &code);
    return item && !strcmp(functions->texts.items[item->name], name) && code.start == 77 && code.end == 79 &&
           item->lines.first_line == 5 && item->lines.size == 3 && item->lines.bytes[2] == 3 && item->runtime == 1;
}

static const uint32_t firsts[] = {0, UINT32_MAX - 5000}; /* serials may overflow */

/* Each minute, new functions run once, and an old one runs as always. Its object is sent again before it is
 * forgotten. */
START_TEST(functions_that_no_longer_run_are_forgotten)
{
    enum { MINUTES = 200, NEW = 100 };
    const uint64_t minute_ns = UINT64_C(60000000000);
    struct functions functions = {0};
    uint64_t now_ns = 1, sent_ns = 0;
    uint32_t old = 0;
    last = functions.serials.first = firsts[_i];
    for (unsigned minute = 0; minute < MINUTES; minute++, now_ns += minute_ns) {
        if (!old || now_ns - sent_ns >= MESSAGE_OBJECT_VALID_NS) {
            old = send_function(&functions, "old");
            sent_ns = now_ns;
        }
        ck_assert(is_function(&functions, old, "old"));
        uint32_t before = old;
        for (unsigned i = 0; i < NEW; i++) {
            char name[32];
            snprintf(name, sizeof name, "new_%u_%u", minute, i);
            before = send_function(&functions, name);
            ck_assert(is_function(&functions, before, name));
        }
        functions_get(&functions, old, &(struct interp_range){0})->number = 3;
        functions_renew(&functions, now_ns, true);
        ck_assert_uint_eq(functions_get(&functions, old, &(struct interp_range){0})->number, HASH_NONE);
        ck_assert_uint_le(functions.serials.count, 14 * (NEW + 1));
        ck_assert_uint_le(functions.count, 1024 + 3 * 14 * (NEW + 1));
        ck_assert_uint_le(functions.texts.count, 2 * functions.count);
        ck_assert_uint_eq(functions.bytes, functions.count * 3);
    }
    ck_assert(is_function(&functions, old, "old"));
    functions_renew(&functions, now_ns += 10 * MESSAGE_OBJECT_VALID_NS, false);
    functions_renew(&functions, now_ns += 10 * MESSAGE_OBJECT_VALID_NS, false);
    ck_assert_uint_eq(functions.count, 0);
    ck_assert_uint_eq(functions.serials.count, 0);
    ck_assert(!is_function(&functions, old, "old"));
    functions_fini(&functions);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("interp/functions");
    UNIT_ADD_TABLE(tests, functions_that_no_longer_run_are_forgotten, firsts);
    return unit_end();
}

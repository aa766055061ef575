/* SPDX-License-Identifier: MIT */
#include "common/base/texts.h"

#include "unit.h"

#include <stdio.h>
#include <string.h>

START_TEST(each_text_is_there_once)
{
    struct texts texts = {0};
    char buffer[8] = "one";
    ck_assert_uint_eq(texts_add(&texts, buffer), 0);
    strcpy(buffer, "two");
    ck_assert_uint_eq(texts_add(&texts, buffer), 1);
    ck_assert_uint_eq(texts_add(&texts, "one"), 0);
    ck_assert_uint_eq(texts_add(&texts, ""), 2);
    ck_assert_uint_eq(texts_add(&texts, ""), 2);
    ck_assert_uint_eq(texts.count, 3);
    ck_assert_str_eq(texts.items[0], "one");
    ck_assert_str_eq(texts.items[1], "two");
    texts_fini(&texts);
    ck_assert_uint_eq(texts.count, 0);
}
END_TEST

START_TEST(many_keep_their_numbers)
{
    struct texts texts = {0};
    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 0; i < 5000; i++) {
            char text[16];
            snprintf(text, sizeof text, "text %u", i);
            ck_assert_uint_eq(texts_add(&texts, text), i);
        }
    ck_assert_str_eq(texts.items[4999], "text 4999");
    texts_fini(&texts);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("base/texts");
    tcase_add_test(tests, each_text_is_there_once);
    tcase_add_test(tests, many_keep_their_numbers);
    return unit_end();
}

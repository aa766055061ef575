/* SPDX-License-Identifier: MIT */
#include "common/base/error.h"

#include "unit.h"

#include <errno.h>
#include <string.h>

START_TEST(set_fills_in_the_error)
{
    struct error error = {0};
    ck_assert_int_eq(error_set(&error, ENOENT, "cannot open %s", "x"), -ENOENT);
    ck_assert_int_eq(error.errnum, ENOENT);
    ck_assert_str_eq(error.text, "cannot open x");
}
END_TEST

START_TEST(system_adds_the_text_of_the_number)
{
    struct error error = {0};
    ck_assert_int_eq(error_system(&error, EACCES, "cannot open %d", 7), -EACCES);
    ck_assert_int_eq(error.errnum, EACCES);
    ck_assert_str_eq(error.text, "cannot open 7: Permission denied");
}
END_TEST

START_TEST(the_first_error_is_kept)
{
    struct error error = {0};
    error_set(&error, ENOENT, "first");
    ck_assert_int_eq(error_set(&error, EIO, "second"), -EIO);
    ck_assert_int_eq(error_system(&error, EPERM, "third"), -EPERM);
    ck_assert_int_eq(error.errnum, ENOENT);
    ck_assert_str_eq(error.text, "first");
}
END_TEST

START_TEST(no_error_to_fill_in_is_allowed)
{
    ck_assert_int_eq(error_set(NULL, ENOENT, "nobody asks"), -ENOENT);
    ck_assert_int_eq(error_system(NULL, EIO, "nobody asks"), -EIO);
}
END_TEST

START_TEST(a_long_text_is_cut_and_ended)
{
    char text[2 * sizeof(struct error)];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;

    struct error set = {0}, system = {0};
    ck_assert_int_eq(error_set(&set, EIO, "%s", text), -EIO);
    ck_assert_uint_eq(strlen(set.text), sizeof set.text - 1);
    ck_assert_int_eq(error_system(&system, EIO, "%s", text), -EIO);
    ck_assert_uint_eq(strlen(system.text), sizeof system.text - 1);
    ck_assert_int_eq(system.errnum, EIO);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("base/error");
    tcase_add_test(tests, set_fills_in_the_error);
    tcase_add_test(tests, system_adds_the_text_of_the_number);
    tcase_add_test(tests, the_first_error_is_kept);
    tcase_add_test(tests, no_error_to_fill_in_is_allowed);
    tcase_add_test(tests, a_long_text_is_cut_and_ended);
    return unit_end();
}

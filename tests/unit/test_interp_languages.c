/* SPDX-License-Identifier: MIT */
#include "programs/interp/languages.h"

#include "programs/interp/runtime.h"
#include "unit.h"

START_TEST(each_language_has_all_rules)
{
    const struct interp_rules *rules = interp_rules_of((enum interp_language)_i);
    ck_assert(rules->name[0] && rules->frame_type[0] && rules->program[0]);
    ck_assert(rules->find && rules->read_frame && rules->read_function);
    ck_assert_int_eq(interp_language_of(rules->module), _i);
    ck_assert(interp_is_program(rules->program) && rules->symbol[0]);
}
END_TEST

static const struct {
    const char *name;
    bool is_program;
} rows[] = {
    {"python3.11", true},  {"php-fpm8.2", true}, {"rubyish", true}, {"libperl.so.5.36", false},
    {"libpq.so.5", false}, {"bash", false},      {"", false},
};

START_TEST(programs_may_be_an_interpreter)
{
    ck_assert_int_eq(interp_is_program(rows[_i].name), rows[_i].is_program);
}
END_TEST

START_TEST(other_modules_have_no_language)
{
    ck_assert_int_eq(interp_language_of("[jit]"), INTERP_NONE);
    ck_assert_int_eq(interp_language_of(""), INTERP_NONE);
    ck_assert_str_eq(interp_module_name(INTERP_NONE), "");
    ck_assert_str_eq(interp_frame_type(INTERP_NONE), "");
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("interp/languages");
    tcase_add_loop_test(tests, each_language_has_all_rules, INTERP_NONE + 1, INTERP_LANGUAGES);
    UNIT_ADD_TABLE(tests, programs_may_be_an_interpreter, rows);
    tcase_add_test(tests, other_modules_have_no_language);
    return unit_end();
}

/* SPDX-License-Identifier: MIT */
#include "front/doctor/runtimes.h"

#include "unit.h"

#include <stdbool.h>

static const struct {
    const char *file, *name;
    bool compiles, interprets;
} rows[] = {
    {"libjvm.so", "Java", true, false},
    {"libjvm.so.1", NULL, false, false},
    {"java", NULL, false, false}, /* only the launcher */
    {"node", "Node.js", true, false},
    {"nodejs", "Node.js", true, false},
    {"libnode.so.108", "Node.js", true, false},
    {"nodeset", NULL, false, false},
    {"libcoreclr.so", ".NET", true, false},
    {"beam.smp", "Erlang", true, false},
    {"php", "PHP", true, true},
    {"php8.2", "PHP", true, true},
    {"php-fpm8.2", "PHP", true, true},
    {"libphp8.2.so", "PHP", true, true},
    {"phpize", NULL, false, false},
    {"python3", "Python", false, true},
    {"python3.12", "Python", false, true},
    {"python3.9d", "Python", false, true},
    {"libpython3.12.so.1.0", "Python", false, true},
    {"python3-config", NULL, false, false},
    {"python2.7", "Python", false, true},
    {"libpython2.7.so.1.0", "Python", false, true},
    {"python2-config", NULL, false, false},
    {"perl", "perl is an interpreter", false, true},
    {"perl5.36.0", "perl is an interpreter", false, true},
    {"libperl.so.5.36", "perl is an interpreter", false, true},
    {"perldoc", NULL, false, false},
    {"ruby3.1", "Ruby", false, true},
    {"libruby-3.1.so.3.1.2", "Ruby", false, true},
    {"[anon]", NULL, false, false},
    {"*", NULL, false, false},
    {"", NULL, false, false},
};

START_TEST(files_follow_the_table)
{
    const struct runtime *runtime = runtimes_find(rows[_i].file);
    ck_assert_int_eq(runtime != NULL, rows[_i].name != NULL);
    if (!runtime)
        return;
    ck_assert_str_eq(runtime->name, rows[_i].name);
    ck_assert_int_eq(runtime->compiled != NULL, rows[_i].compiles);
    ck_assert_int_eq(runtime->interpreted != NULL, rows[_i].interprets);
    ck_assert_int_eq(runtime->language != INTERP_NONE, rows[_i].interprets);
}
END_TEST

/* Each language has an interpreter in the table of runtimes, and is found by the names of its program and its module.
 */
START_TEST(languages_have_a_runtime)
{
    enum interp_language language = (enum interp_language)_i;
    const struct runtime *runtime = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && (!runtime || runtime->language != language); i++)
        runtime = runtimes_find(rows[i].file);
    ck_assert_ptr_nonnull(runtime);
    ck_assert_int_eq(runtime->language, language);
    ck_assert_int_eq(interp_language_of(interp_module_name(language)), language);
    ck_assert_str_ne(interp_language_name(language), "");
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("doctor/runtimes");
    UNIT_ADD_TABLE(tests, files_follow_the_table, rows);
    tcase_add_loop_test(tests, languages_have_a_runtime, INTERP_NONE + 1, INTERP_LANGUAGES);
    return unit_end();
}

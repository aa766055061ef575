/* SPDX-License-Identifier: MIT */
#include "doctor/runtimes.h"

#include "unit.h"

static const struct {
    const char *file, *name;
    bool compiles;
} rows[] = {
    {"libjvm.so", "Java", true},
    {"libjvm.so.1", NULL, false},
    {"java", NULL, false}, /* a launcher */
    {"node", "Node.js", true},
    {"nodejs", "Node.js", true},
    {"libnode.so.108", "Node.js", true},
    {"nodeset", NULL, false},
    {"libcoreclr.so", ".NET", true},
    {"beam.smp", "Erlang", true},
    {"php", "PHP", true},
    {"php8.2", "PHP", true},
    {"php-fpm8.2", "PHP", true},
    {"libphp8.2.so", "PHP", true},
    {"phpize", NULL, false},
    {"python3", "Python", false},
    {"python3.12", "Python", false},
    {"python3.9d", "Python", false},
    {"libpython3.12.so.1.0", "Python", false},
    {"python3-config", NULL, false},
    {"python2.7", NULL, false},
    {"libpython2.7.so.1.0", NULL, false},
    {"perl", "perl is an interpreter", false},
    {"perl5.36.0", "perl is an interpreter", false},
    {"libperl.so.5.36", "perl is an interpreter", false},
    {"perldoc", NULL, false},
    {"ruby3.1", "Ruby", false},
    {"libruby-3.1.so.3.1.2", "Ruby", false},
    {"[anon]", NULL, false},
    {"*", NULL, false},
    {"", NULL, false},
};

START_TEST(files_follow_the_table)
{
    const struct runtime *runtime = runtimes_find(rows[_i].file);
    ck_assert_int_eq(runtime != NULL, rows[_i].name != NULL);
    if (!runtime)
        return;
    ck_assert_str_eq(runtime->name, rows[_i].name);
    ck_assert_int_eq(runtime->compiles, rows[_i].compiles);
    ck_assert_ptr_nonnull(runtime->advice);
    ck_assert_uint_lt(runtimes_number(runtime), RUNTIMES_MOST);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("doctor/runtimes");
    UNIT_ADD_TABLE(tests, files_follow_the_table, rows);
    return unit_end();
}

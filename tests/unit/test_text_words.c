/* SPDX-License-Identifier: MIT */
#include "common/text/words.h"

#include "common/base/buffer.h"
#include "common/text/text.h"
#include "unit.h"

#include <limits.h>

#define COMPILER                                                                                                       \
    "/usr/lib/gcc/x86_64-linux-gnu/12/cc1plus -quiet -imultiarch x86_64-linux-gnu -I include -D_GNU_SOURCE "           \
    "src/tree.cc "                                                                                                     \
    "-quiet -dumpbase tree.cc -dumpbase-ext .cc -mtune=generic -march=x86-64 -O2 -o /tmp/ccx7Qd2T.s"

static const struct {
    const char *command;
    unsigned columns;
    bool utf8;
    const char *shown;
} cut[] = {
    {"sleep 1", 80, true, "sleep 1"},
    {"/bin/sleep 1", UINT_MAX, true, "/bin/sleep 1"},
    {"/bin/sleep 1", 7, true, "sleep 1"},
    /* the compiled file is kept at any width */
    {COMPILER, UINT_MAX, true, COMPILER},
    {COMPILER, 170, true, "cc1plus … src/tree.cc … tree.cc … /tmp/ccx7Qd2T.s"},
    {COMPILER, 40, true, "cc1plus … src/tree.cc … tree.cc … /tmp/…"},
    {COMPILER, 32, false, "cc1plus ... src/tree.cc ... t..."},
    {COMPILER, 25, true, "cc1plus … src/tree.cc … …"},
    {COMPILER, 5, true, "cc1p…"},
    {"grep -r -n --color needle a.txt b.txt c.txt", 30, true, "grep … a.txt b.txt c.txt"},
    {"git status --short --branch --ignored", 16, true, "git status …"},
    {"make -j2 all install", 14, true, "make … all …"},
    {"python3 ./run.py -v run.py", 24, true, "python3 ./run.py … run.…"},
    {"sh -c .profile", 10, true, "sh … .pro…"},
    {"a/b/", 3, false, "b/"},
    {"/", 1, false, "/"},
    {"   ", 2, false, "  "},
    {"", 5, false, ""},
};

START_TEST(commands_are_cut_by_words)
{
    struct buffer out = {0};
    words_cut(&out, cut[_i].command, cut[_i].columns, 0, cut[_i].utf8);
    ck_assert_str_eq(out.bytes ? out.bytes : "", cut[_i].shown);
    buffer_fini(&out);
}
END_TEST

START_TEST(the_width_is_kept)
{
    for (unsigned columns = 3; columns < 300; columns++) {
        struct buffer out = {0};
        words_cut(&out, COMPILER, columns, columns, true);
        ck_assert_uint_eq(text_columns(out.bytes), columns);
        buffer_fini(&out);
    }
}
END_TEST

START_TEST(a_very_long_command)
{
    struct buffer command = {0}, out = {0};
    buffer_puts(&command, "rm");
    for (unsigned i = 0; i < 10000; i++)
        buffer_printf(&command, " file.%u", i);
    words_cut(&out, command.bytes, 30, 0, false);
    ck_assert_str_eq(out.bytes, "rm file.0 file.1 file.2 fil...");
    buffer_fini(&command);
    buffer_fini(&out);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("text/words");
    UNIT_ADD_TABLE(tests, commands_are_cut_by_words, cut);
    tcase_add_test(tests, the_width_is_kept);
    tcase_add_test(tests, a_very_long_command);
    return unit_end();
}

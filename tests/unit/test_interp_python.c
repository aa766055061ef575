/* SPDX-License-Identifier: MIT
 *
 * Detection of Python's version, in files that look like its library. */
#include "programs/interp/runtime.h"

#include "elf_fixtures.h"

static const char described[] = "as the interpreter itself describes it",
                  by_row[] = "by the table of its minor version";

static const struct {
    unsigned version; /* as in PY_VERSION_HEX */
    int without_gil;
    const char *function; /* one that it has; NULL: any */
    const char *shown, *layout;
} rows[] = {
    {0x03080000, 0, "PyCode_NewWithPosOnlyArgs", "3.8", by_row},
    {0x03090000, 0, "PyThreadState_GetInterpreter", "3.9", by_row},
    {0x030a0000, 0, "Py_NewRef", "3.10", by_row},
    {0x030b02f0, 0, NULL, "3.11.2", by_row},
    {0x030c01f0, 0, NULL, "3.12.1", by_row},
    {0x030d00f0, 0, NULL, "3.13.0", described},
    {0x030e0af0, 0, NULL, "3.14.10", described},
    /* unknown */
    {0x03070000, 0, "PyImport_GetModule", "", NULL},
    {0x030d00f0, 1, NULL, "3.13.0", NULL},
    {0x030e0af0, 1, NULL, "3.14.10", NULL},
    {0x030e00c1, 0, NULL, "3.14.0 (not final)", NULL},
    {0x030f00f0, 0, NULL, "3.15.0", NULL},
};

/* A layout with possible numbers, from 40 to 70, in ascending order where the order matters. */
static const char source[] = "#if VERSION >= 0x030b0000\n"
                             "unsigned long Py_Version = VERSION;\n"
                             "#endif\nint FUNCTION(void) { return 1; }\n"
                             "char PyCode_Type[8];\n"
                             "unsigned long long _PyRuntime[200] = {0x7970677562656478, VERSION, WITHOUT_GIL,\n"
                             "    [3 ... 90] = 64, [39] = 56, [44] = 56};\n"
                             "int _PyEval_EvalFrameDefault(int a) { return a + 1; }\n";

START_TEST(versions_follow_the_table)
{
    struct interp_runtime runtime;
    fixture_write("python.c", source, sizeof source - 1);
    fixture_run("gcc -shared -fPIC -DVERSION=0x%x -DWITHOUT_GIL=%d -DFUNCTION=%s -o shopserver python.c",
                rows[_i].version, rows[_i].without_gil, rows[_i].function ? rows[_i].function : "any");
    struct fixture library = fixture_open("shopserver", NULL);
    ck_assert(interp_runtime_find(library.file, &runtime));
    fixture_close(&library);
    ck_assert_int_eq(runtime.language, INTERP_PYTHON);
    ck_assert_str_eq(runtime.version, rows[_i].shown);
    ck_assert_pstr_eq(runtime.layout, rows[_i].layout);
    ck_assert_uint_eq(runtime.eval_count, rows[_i].layout ? 1 : 0);
}
END_TEST

int main(void)
{
    TCase *tests = fixture_begin("interp/python");
    if (!tests)
        return 77;
    UNIT_ADD_TABLE(tests, versions_follow_the_table, rows);
    return fixture_end();
}

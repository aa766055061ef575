/* SPDX-License-Identifier: MIT */
#include "common/names/languages.h"

#include "unit.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    unsigned languages;
} marks[] = {
    {"main", 0},
    {"", 0},
    {"__gnat_malloc", LANGUAGES_ADA},
    {"adainit", LANGUAGES_ADA},
    {"NimMain", LANGUAGES_NIM},
    {"__physics_MOD_step", LANGUAGES_FORTRAN},
    {"physics_MOD_step", 0},
    {"camlProg__entry", LANGUAGES_OCAML},
    {"caml_alloc", 0},
    {"caml", 0},
    {"base_GHCziBase_map_info", LANGUAGES_HASKELL},
    {"containerszm0zi6zi4zi1_DataziMap_x_info", LANGUAGES_HASKELL},
    {"ZCMain_main_info", LANGUAGES_HASKELL},
    {"zip_get_info", 0},
    {"_info", 0},
    {"GHCziBase_map_closure", 0},
};

START_TEST(marks_follow_the_table)
{
    ck_assert_uint_eq(languages_shown_by(marks[_i].name, strlen(marks[_i].name)), marks[_i].languages);
}
END_TEST

static const struct {
    unsigned languages;
    const char *symbol, *name; /* NULL: unchanged */
} rows[] = {
    {LANGUAGES_FORTRAN, "__physics_MOD_step", "physics::step"},
    {LANGUAGES_FORTRAN, "__physics_MOD___copy_physics_Body", "physics::__copy_physics_Body"},
    {LANGUAGES_FORTRAN, "__physics_MOD_step.constprop.0", "physics::step"},
    {LANGUAGES_FORTRAN, "outside_", NULL},
    {LANGUAGES_FORTRAN, "___MOD_", NULL},
    {LANGUAGES_FORTRAN, "__physics_MOD_", NULL},
    {0, "__physics_MOD_step", NULL},
    {LANGUAGES_OCAML, "camlStdlib__List__map_236", "Stdlib.List.map_236"},
    {LANGUAGES_OCAML, "camlProg__$2b$3c$3e_95", "Prog.+<>_95"},
    {LANGUAGES_OCAML, "camlProg__f$27_12", "Prog.f'_12"},
    {LANGUAGES_OCAML, "camlProg.work_268", "Prog.work_268"},
    {LANGUAGES_OCAML, "camlStdlib$List$map_236", "Stdlib.List.map_236"},
    {LANGUAGES_OCAML, "camlProg$5", "Prog.5"},
    {LANGUAGES_OCAML, "camlProg$ab", "Prog.ab"}, /* not an encoded letter */
    {LANGUAGES_OCAML, "camlProg__f__", "Prog.f__"},
    {LANGUAGES_OCAML, "camlA", NULL},
    {LANGUAGES_OCAML, "caml_alloc", NULL},
    {LANGUAGES_HASKELL, "Main_main_info", "Main.main"},
    {LANGUAGES_HASKELL, "ZCMain_main_info", ":Main.main"},
    {LANGUAGES_HASKELL, "Main_zdwgo16_slow", "Main.$wgo16_slow"},
    {LANGUAGES_HASKELL, "base_GHCziBase_zdfMonadIOzuzdczgzgze_info", "GHC.Base.$fMonadIO_$c>>="},
    {LANGUAGES_HASKELL, "containerszm0zi6zi4zi1_DataziMapziInternal_balanceR_info", "Data.Map.Internal.balanceR"},
    {LANGUAGES_HASKELL, "ghczmprim_GHCziTypes_ZC_con_info", "GHC.Types.:_con_info"},
    {LANGUAGES_HASKELL, "base_GHCziShow_zdfShowZLz2cUZR_info", "GHC.Show.$fShow(,)"},
    {LANGUAGES_HASKELL, "ghczmprim_GHCziTuple_Z3T_con_info", "GHC.Tuple.(,,)_con_info"},
    {LANGUAGES_HASKELL, "ghczmprim_GHCziTuple_Z2H_con_info", "GHC.Tuple.(#,#)_con_info"},
    {LANGUAGES_HASKELL, "Main_z3b1U_info", "Main.α"},
    {LANGUAGES_HASKELL, "Main_z20acU_info", "Main.€"},
    {LANGUAGES_HASKELL, "Main_z1d50aU_info", "Main.𝔊"},
    {LANGUAGES_HASKELL, "Main_xzq_info", "Main.x'"},
    {LANGUAGES_HASKELL, "Main_info", NULL},
    {LANGUAGES_HASKELL, "Main_zj_info", NULL},
    {LANGUAGES_HASKELL, "Main_Z99T_info", NULL},
    {LANGUAGES_HASKELL, "Main_z0aU_info", NULL},
    {LANGUAGES_HASKELL, "Main_z0d800U_info", NULL}, /* one half of a surrogate pair */
    {LANGUAGES_HASKELL, "Main_z99999999999999999999U_info", NULL},
    {LANGUAGES_HASKELL, "Main_z", NULL},
    {LANGUAGES_HASKELL, "stg_AP_STACK_info", NULL},
    {LANGUAGES_HASKELL, "stg_ap_pp_fast", NULL},
    {LANGUAGES_HASKELL, "a_b_c_d_info", NULL},
    {LANGUAGES_HASKELL, "hs_main", NULL},
    {LANGUAGES_NIM, "work__prognim_73", "prognim.work_73"},
    {LANGUAGES_NIM, "cpuTime__pureZtimes_3661", "pure/times.cpuTime_3661"},
    {LANGUAGES_NIM, "work__prognim_u73", "prognim.work_u73"},
    {LANGUAGES_NIM, "a__b__system_4", "system.a__b_4"},
    {LANGUAGES_NIM, "work__prognim_31.constprop.0", "prognim.work_31"},
    {LANGUAGES_NIM, "work__prognim_u31.part.0.isra.2.cold", "prognim.work_u31"},
    {LANGUAGES_NIM, "work__prognim", NULL},
    {LANGUAGES_NIM, "work.cold", NULL},
    {LANGUAGES_OCAML, "camlStdlib__List__map_236.cold", "Stdlib.List.map_236"},
    {LANGUAGES_ADA, "shop__till__work.part.0", "shop.till.work"},
    {LANGUAGES_ADA, "shop__till__work__2.constprop.1.cold", "shop.till.work#2"},
    {LANGUAGES_ADA, "shop__till__work.3.isra.0", "shop.till.work"}, /* inside another function */
    {LANGUAGES_NIM, "work__prognim_x1", NULL},
    {LANGUAGES_NIM, "__prognim_1", NULL},
    {LANGUAGES_NIM, "NimMain", NULL},
    {LANGUAGES_ADA | LANGUAGES_FORTRAN, "pack__inner__run__2", "pack.inner.run#2"},
    {LANGUAGES_ADA | LANGUAGES_FORTRAN, "__physics_MOD_step", "physics::step"},
    {31, "", NULL},
};

START_TEST(names_follow_the_table)
{
    char *name = languages_demangle(rows[_i].languages, rows[_i].symbol);
    if (rows[_i].name)
        ck_assert_msg(name && !strcmp(name, rows[_i].name), "%s: %s, not %s", rows[_i].symbol, name ? name : "NULL",
                      rows[_i].name);
    else
        ck_assert_msg(!name, "%s: %s", rows[_i].symbol, name ? name : "");
    free(name);
}
END_TEST

/* A symbol can be as long as its file, and any prefix of a name can be a symbol. */
START_TEST(long_and_truncated_names_are_harmless)
{
    char *name = malloc(1 << 16);
    ck_assert_ptr_nonnull(name);
    memset(name, 'z', 1 << 16);
    name[(1 << 16) - 1] = 0;
    memcpy(name, "Main_", 5);
    ck_assert_ptr_null(languages_demangle(31, name));
    for (size_t row = 0; row < UNIT_ROWS(rows); row++)
        for (size_t length = strlen(rows[row].symbol); length-- > 0;) {
            char *cut = strndup(rows[row].symbol, length); /* of the exact size, for the sanitizers */
            ck_assert_ptr_nonnull(cut);
            free(languages_demangle(31, cut));
            languages_shown_by(cut, length);
            free(cut);
        }
    free(name);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("names/languages");
    UNIT_ADD_TABLE(tests, marks_follow_the_table, marks);
    UNIT_ADD_TABLE(tests, names_follow_the_table, rows);
    tcase_add_test(tests, long_and_truncated_names_are_harmless);
    return unit_end();
}

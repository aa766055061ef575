/* SPDX-License-Identifier: MIT */
#include "front/cli/impose_option.h"

#include "common/base/error.h"
#include "common/semantics/call_state.h"
#include "common/semantics/impose.h"
#include "common/semantics/semantics.h"
#include "unit.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

static const struct {
    const char *text;
    struct impose impose;
} good[] = {
    {"profil", {.kind = CALL_PROFIL, .text = true}},
    {"profil:0,2,1", {.kind = CALL_PROFIL, .offset = 0, .size = 2, .scale = 1}},
    {"profil:0x401000,0x8000,65536", {.kind = CALL_PROFIL, .offset = 0x401000, .size = 0x8000, .scale = 65536}},
    {"profil:0xffffffffffffffff,1073741824,0xffffffff",
     {.kind = CALL_PROFIL, .offset = UINT64_MAX, .size = 1 << 30, .scale = UINT32_MAX}},
    {"pcsample:1", {.kind = CALL_PCSAMPLE, .count = 1}},
    {"pcsample:0x10", {.kind = CALL_PCSAMPLE, .count = 16}},
    {"pcsample:010", {.kind = CALL_PCSAMPLE, .count = 10}}, /* 0x is the only accepted prefix */
    {"pcsample:09", {.kind = CALL_PCSAMPLE, .count = 9}},
    {"pcsample:134217728", {.kind = CALL_PCSAMPLE, .count = 134217728}},
};

START_TEST(valid_calls_are_understood)
{
    struct error error = {0};
    struct impose impose = {.kind = CALL_SPROFIL, .text = true, .offset = 1, .size = 1, .scale = 1, .count = 1};
    const struct impose *wanted = &good[_i].impose;
    ck_assert_int_eq(impose_option_parse(&impose, good[_i].text, &error), 0);
    ck_assert_int_eq(impose.kind, wanted->kind);
    ck_assert(impose.text == wanted->text);
    ck_assert_uint_eq(impose.offset, wanted->offset);
    ck_assert_uint_eq(impose.size, wanted->size);
    ck_assert_uint_eq(impose.scale, wanted->scale);
    ck_assert_uint_eq(impose.count, wanted->count);
}
END_TEST

static const struct {
    const char *text, *said;
} bad[] = {
    {"", "not one of profil"},
    {"prof", "not one of profil"},
    {"profile", "not one of profil"},
    {"sprofil", "not one of profil"},
    {"PROFIL", "not one of profil"},
    {":5", "not one of profil"},
    {"profil:", "OFFSET,SIZE,SCALE"},
    {"profil:1", "OFFSET,SIZE,SCALE"},
    {"profil:1,2", "OFFSET,SIZE,SCALE"},
    {"profil:,2,3", "OFFSET ''"},
    {"profil:-1,2,3", "OFFSET '-1'"},
    {"profil: 1,2,3", "OFFSET ' 1'"},
    {"profil:main,2,3", "OFFSET 'main'"},
    {"profil:0x10000000000000000,2,3", "OFFSET '0x10000000000000000'"},
    {"profil:1,1,3", "SIZE '1'"},
    {"profil:1,1073741825,3", "SIZE '1073741825'"},
    {"profil:1,2k,3", "SIZE '2k'"},
    {"profil:1,2,0", "SCALE '0'"},
    {"profil:1,2,4294967296", "SCALE '4294967296'"},
    {"profil:1,2,3,4", "SCALE '3'"},
    {"profil:1,2,3x", "SCALE '3x'"},
    {"pcsample", "how many"},
    {"pcsample:", "N ''"},
    {"pcsample:0", "N '0'"},
    {"pcsample:-5", "N '-5'"},
    {"pcsample:0x", "N '0x'"},
    {"pcsample:0x-5", "N '0x-5'"},
    {"pcsample:+5", "N '+5'"},
    {"pcsample:134217729", "N '134217729'"},
    {"pcsample:5,6", "N '5'"},
    {"pcsample:99999999999999999999", "N '99999999999999999999'"},
};

START_TEST(invalid_calls_are_explained)
{
    struct error error = {0};
    struct impose impose;
    ck_assert_int_eq(impose_option_parse(&impose, bad[_i].text, &error), -EINVAL);
    ck_assert_msg(strstr(error.text, bad[_i].said) != NULL, "%s", error.text);
}
END_TEST

static const struct {
    const char *impose, *output, *system;
    const char *said; /* NULL: the combination is accepted */
} together[] = {
    {NULL, NULL, "linux", NULL},
    {"profil", "f", "linux", NULL},
    {"pcsample:5", "f", "darwin", NULL},
    {"profil:0,100,65536", "f", "freebsd", NULL},
    {"profil:0,100,65537", "f", "linux", NULL},
    {NULL, "f", "linux", "--impose-output needs"},
    {"profil", NULL, "linux", "needs --impose-output"},
    {"profil", "", "linux", "name a file"},
    {"profil", "-", "linux", "name a file"},
    {"profil", "f", "darwin", "every profil fails"},
    {"profil:0,100,65537", "f", "freebsd", "65536 is the highest"},
    {"profil:0,100,65537", "f", "freebsd:built", "65536 is the highest"},
    {"profil:0,100,1", "f", "irix", "turns profiling off"},
};

START_TEST(options_must_go_together)
{
    struct error error = {0};
    struct impose impose = {0};
    if (together[_i].impose)
        ck_assert_int_eq(impose_option_parse(&impose, together[_i].impose, &error), 0);
    int result = impose_option_check(&impose, together[_i].output, semantics_find(together[_i].system), &error);
    ck_assert_int_eq(result, together[_i].said ? -EINVAL : 0);
    if (together[_i].said)
        ck_assert_msg(strstr(error.text, together[_i].said) != NULL, "%s", error.text);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("cli/impose_option");
    UNIT_ADD_TABLE(tests, valid_calls_are_understood, good);
    UNIT_ADD_TABLE(tests, invalid_calls_are_explained, bad);
    UNIT_ADD_TABLE(tests, options_must_go_together, together);
    return unit_end();
}

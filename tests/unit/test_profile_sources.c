/* SPDX-License-Identifier: MIT */
#include "profile/profile/sources.h"

#include "unit.h"

#include <string.h>

#define HERE PROFILE_SOURCES_HERE
#define ELSEWHERE PROFILE_SOURCES_ELSEWHERE
#define SEVERAL PROFILE_SOURCES_SEVERAL

static const struct {
    struct profile_sources one, other, sum;
} rows[] = {
    {{0}, {.kind = HERE, .viewer = {5, 6}}, {.kind = HERE, .viewer = {5, 6}}},
    {{.kind = HERE, .viewer = {5, 6}}, {0}, {.kind = HERE, .viewer = {5, 6}}},
    {{.kind = HERE}, {.kind = HERE}, {.kind = HERE}},
    {{.kind = HERE, .viewer = {5, 6}}, {.kind = HERE, .viewer = {5, 6}}, {.kind = HERE, .viewer = {5, 6}}},
    /* files are readable by one user and not by the other: the restricted user is used */
    {{.kind = HERE}, {.kind = HERE, .viewer = {5, 6}}, {.kind = HERE, .viewer = {5, 6}}},
    {{.kind = HERE, .viewer = {5, 6}}, {.kind = HERE}, {.kind = HERE, .viewer = {5, 6}}},
    {{.kind = HERE, .viewer = {5, 6}}, {.kind = HERE, .viewer = {7, 6}}, {.kind = SEVERAL, .viewer = {5, 6}}},
    {{.kind = SEVERAL, .viewer = {5, 6}}, {.kind = HERE, .viewer = {5, 6}}, {.kind = SEVERAL, .viewer = {5, 6}}},
    {{.kind = HERE}, {.kind = SEVERAL}, {.kind = SEVERAL}},
    {{.kind = HERE}, {.kind = ELSEWHERE, .root = "/proc/7/root"}, {.kind = SEVERAL}},
    {{.kind = ELSEWHERE, .root = "/proc/7/root"},
     {.kind = ELSEWHERE, .root = "/proc/7/root"},
     {.kind = ELSEWHERE, .root = "/proc/7/root"}},
    {{.kind = ELSEWHERE, .root = "/proc/7/root"},
     {.kind = ELSEWHERE, .root = "/proc/8/root"},
     {.kind = SEVERAL, .root = "/proc/7/root"}},
};

START_TEST(rights_only_become_fewer)
{
    struct profile_sources sum = rows[_i].one;
    profile_sources_add(&sum, &rows[_i].other);
    ck_assert_int_eq(sum.kind, rows[_i].sum.kind);
    ck_assert_uint_eq(sum.viewer.user, rows[_i].sum.viewer.user);
    ck_assert_uint_eq(sum.viewer.group, rows[_i].sum.viewer.group);
    if (sum.kind != SEVERAL)
        ck_assert_str_eq(sum.root, rows[_i].sum.root);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("profile/sources");
    UNIT_ADD_TABLE(tests, rights_only_become_fewer, rows);
    return unit_end();
}

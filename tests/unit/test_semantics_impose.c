/* SPDX-License-Identifier: MIT */
#include "common/semantics/impose.h"

#include "common/model/address_map.h"
#include "unit.h"

#include <errno.h>
#include <stdlib.h>

static const struct {
    const char *maps;
    bool found;
    uint64_t start, end;
} texts[] = {
    {"", false, 0, 0},
    {"7000-8000 r-xp 0 0:0 0 [vdso]\n", false, 0, 0},
    {"1000-2000 r-xp 0 0:0 0 \n", false, 0, 0},
    {"1000-2000 r--p 0 8:1 7 /p\n2000-5000 r-xp 1000 8:1 7 /p\n", true, 0x2000, 0x5000},
    /* a library above it, and the vDSO below a static-pie program */
    {"2000-5000 r-xp 1000 8:1 7 /p\n9000-a000 r-xp 0 8:1 8 /l\n", true, 0x2000, 0x5000},
    {"1000-2000 r-xp 0 0:0 0 [vdso]\n3000-5000 r-xp 1000 8:1 7 /p\n", true, 0x3000, 0x5000},
    /* several executable ranges of the same file; files with one different number */
    {"2000-3000 r-xp 0 8:1 7 /p\n5000-6000 r-xp 3000 8:1 7 /p\n", true, 0x2000, 0x6000},
    {"2000-3000 r-xp 0 8:1 7 /p\n5000-6000 r-xp 3000 8:2 7 /p\n", true, 0x2000, 0x3000},
    {"2000-3000 r-xp 0 8:1 7 /p\n5000-6000 r-xp 3000 9:1 7 /p\n", true, 0x2000, 0x3000},
};

START_TEST(the_text_is_that_of_the_first_file)
{
    struct address_map map = {0};
    uint64_t start = 0, end = 0;
    ck_assert(address_map_parse(&map, texts[_i].maps, 100));
    ck_assert(impose_text(&map, &start, &end) == texts[_i].found);
    ck_assert_uint_eq(start, texts[_i].start);
    ck_assert_uint_eq(end, texts[_i].end);
    address_map_fini(&map);
}
END_TEST

static const struct {
    uint64_t start, end;
    uint64_t scale; /* 0: smaller than 1:1, but only as far as the limit requires */
} covers[] = {
    {0x1000, 0x1001, 65536},
    {0x1000, 0x1002, 65536},
    {0x1000, 0x1003, 65536},
    {0x401000, 0x402000, 65536},
    {0x401000, 0x401000 + (15 << 20), 65536},
    {0x401000, 0x401000 + (16 << 20), 0},
    {0x401000, 0x401000 + (20 << 20) + 1, 0},
    {0x401000, 0x401000 + (300 << 20), 0},
    {0x7f0000000000, 0x7f0000000001 + (100ull << 30), 0},
};

START_TEST(a_cover_has_a_cell_for_each_address)
{
    struct histogram cover = {0};
    uint64_t last = covers[_i].end - 1, length = covers[_i].end - covers[_i].start, cell;
    impose_cover(covers[_i].start, covers[_i].end, &cover);
    ck_assert_uint_eq(cover.offset, covers[_i].start);
    ck_assert_uint_lt(cover.size, IMPOSE_MOST_TEXT_BYTES);
    if (covers[_i].scale)
        ck_assert_uint_eq(cover.scale, covers[_i].scale);
    else
        ck_assert_uint_lt(cover.scale, 65536);
    if (!covers[_i].scale && length < 1ull << 30)
        ck_assert_uint_gt(cover.size, IMPOSE_MOST_TEXT_BYTES - (1 << 16));
    for (int index = INDEX_BSD; index <= INDEX_ILLUMOS; index++) {
        if (index == INDEX_BSD_BUILT && length > INT32_MAX)
            continue; /* it has a limit of its own */
        ck_assert(histogram_cell(&cover, (enum bin_formula)index, 2, covers[_i].start, &cell));
        ck_assert_uint_eq(cell, 0);
        ck_assert(histogram_cell(&cover, (enum bin_formula)index, 2, last, &cell));
        ck_assert_uint_ge(cell + 2, cover.size / 2); /* without wasted memory */
    }
}
END_TEST

#define TEXT                                                                                                           \
    {                                                                                                                  \
        .kind = CALL_PROFIL, .text = true                                                                              \
    }
#define SCALED(number)                                                                                                 \
    {                                                                                                                  \
        .kind = CALL_PROFIL, .offset = 0x1000, .size = 100, .scale = (number)                                          \
    }
#define ARRAY(number)                                                                                                  \
    {                                                                                                                  \
        .kind = CALL_PCSAMPLE, .count = (number)                                                                       \
    }

static const struct {
    const char *system;
    struct impose impose;
    enum impose_outcome outcome;
} judged[] = {
    {"linux", TEXT, IMPOSE_COUNTS},
    {"freebsd", TEXT, IMPOSE_COUNTS},
    {"freebsd:built", TEXT, IMPOSE_COUNTS},
    {"irix", TEXT, IMPOSE_COUNTS},
    {"illumos", TEXT, IMPOSE_COUNTS},
    {"darwin:classic", TEXT, IMPOSE_COUNTS},
    {"darwin", TEXT, IMPOSE_REFUSED},
    {"freebsd", SCALED(65536), IMPOSE_COUNTS},
    {"freebsd", SCALED(65537), IMPOSE_REFUSED},
    {"freebsd:built", SCALED(65537), IMPOSE_REFUSED},
    {"linux", SCALED(65537), IMPOSE_COUNTS},
    {"irix", SCALED(0xffffffff), IMPOSE_COUNTS},
    {"irix", SCALED(1), IMPOSE_TURNS_OFF},
    {"illumos", SCALED(1), IMPOSE_TURNS_OFF},
    {"linux", SCALED(1), IMPOSE_COUNTS},
    {"darwin", ARRAY(1), IMPOSE_COUNTS},
    {"linux", ARRAY(IMPOSE_MOST_SAMPLES), IMPOSE_COUNTS},
};

START_TEST(outcomes_follow_the_rules)
{
    ck_assert_int_eq(impose_judge(&judged[_i].impose, semantics_find(judged[_i].system)), judged[_i].outcome);
}
END_TEST

/* An imposed call in the state of a process and of its child. */
static const struct impose imposed_calls[] = {SCALED(65536), ARRAY(10)};

START_TEST(an_imposed_call_is_known_until_replaced)
{
    const struct semantics *freebsd = semantics_find("freebsd");
    const struct histogram arguments = {.buffer = 0x9000, .size = 100, .offset = 0x1000, .scale = 65536};
    struct call_state state = {0}, child = {0};
    ck_assert_int_eq(impose_call(&state, freebsd, &imposed_calls[_i], &arguments, 5), 0);
    ck_assert_int_eq(state.kind, imposed_calls[_i].kind);
    ck_assert_uint_eq(state.billed_ticks, 5);
    ck_assert(state.imposed);
    ck_assert_int_eq(call_state_fork(&child, &state, freebsd), 0);
    ck_assert(child.imposed);
    const struct histogram refused = {.buffer = 1, .size = 2, .offset = 3, .scale = 70000};
    ck_assert_int_eq(call_profil(&state, freebsd, &refused, false, 6), -EINVAL);
    ck_assert(state.imposed);
    const struct histogram own = {.buffer = 1, .size = 2, .offset = 3, .scale = 4};
    ck_assert_int_eq(call_profil(&state, freebsd, &own, false, 6), 0);
    ck_assert(!state.imposed);
    ck_assert_int_eq(call_pcsample(&child, 0, 0, 8, 1), 0);
    ck_assert(!child.imposed);
    call_state_fini(&state);
    call_state_fini(&child);
}
END_TEST

START_TEST(an_exec_ends_it)
{
    const struct semantics *freebsd = semantics_find("freebsd");
    const struct histogram arguments = {.buffer = 0x9000, .size = 100, .offset = 0x1000, .scale = 65536};
    struct call_state state = {0};
    ck_assert_int_eq(impose_call(&state, freebsd, &imposed_calls[_i], &arguments, 0), 0);
    call_state_exec(&state);
    ck_assert(!state.imposed);
    ck_assert(!call_state_active(&state));
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("model/impose");
    UNIT_ADD_TABLE(tests, the_text_is_that_of_the_first_file, texts);
    UNIT_ADD_TABLE(tests, a_cover_has_a_cell_for_each_address, covers);
    UNIT_ADD_TABLE(tests, outcomes_follow_the_rules, judged);
    UNIT_ADD_TABLE(tests, an_imposed_call_is_known_until_replaced, imposed_calls);
    UNIT_ADD_TABLE(tests, an_exec_ends_it, imposed_calls);
    return unit_end();
}

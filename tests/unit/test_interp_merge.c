/* SPDX-License-Identifier: MIT */
#include "programs/interp/merge.h"

#include "unit.h"

#include <stdio.h>
#include <string.h>

/* Stacks as words, leaf first, a letter for each frame. Native frames: E is an evaluation, B one that has just
 * begun, o another function of the interpreter; other letters are functions in C. Interpreted frames: a small letter
 * is a function, C one that has not begun, G a generator. '/' follows the entry frame of an evaluation. '/' alone
 * and '.' are marks of the interpreter; '.' does not mark an entry. A stack that ends with '~' lacks its root. '?'
 * in the result marks frames without a place. */
static const struct {
    const char *native, *script, *merged, *both;
    bool marked;
} rows[] = {
    {"M", "", "M", "M", false},
    {"EoM", "a/", "aM", "aEoM", false},
    {"LEoM", "ba/", "LbaM", "LbaEoM", false},
    {"oEoM", "a/", "aM", "oaEoM", false},
    /* C calls Python, which calls C */
    {"CEXoEM", "b/a/", "CbXaM", "CbEXoaEM", false},
    {"EXEYEZ", "c/b/a/", "cXbYaZ", "cEXbEYaEZ", false},
    {"EXEYEZ", "dc/b/a/", "dcXbYaZ", "dcEXbEYaEZ", false},
    /* an evaluation that has just begun has no frame yet; it is the leaf */
    {"EXEM", "a/", "XaM", "EXaEM", false},
    {"oEoEXEM", "b/a/", "bXaM", "oEobEXaEM", false},
    /* frames without an evaluation are shown, with a mark */
    {"M", "b/a/", "?baM", "?baM", true},
    {"EM", "c/b/a/", "?cbaM", "?cbaEM", true},
    /* unless the frame is about to be entered */
    {"M", "a/", "aM", "aM", false},
    {"EM", "b/a/", "baM", "baEM", false},
    /* or C made it for a separate stack, as for a fiber */
    {"oM", "a", "aM", "aoM", false},
    /* a stack without its root is matched from the leaf */
    {"EX~", "b/a/", "bXa", "bEXa", false},
    {"EXE~", "b/", "bX", "bEXE", false},
    {"EXEM", "b/~", "bXM", "bEXEM", false},
    {"EXEM", "ba~", "baXM", "baEXEM", false},
    {"EXEM", "ba!", "ba", "baE", false},
    {"EXEYEM", "c/b!", "cXb", "cEXbE", false},
    {"LM", "!", "LM", "LM", false},
    /* a missing link: the other interpreted frames are missing */
    {"EXEYEZ", "c/", "cX?YZ", "cEX?EYEZ", true},
    {"EXEYEZ", "c/b/", "XcYbZ", "EXcEYbEZ", false},
    /* an evaluation that begins: its frame may be linked already, or not, */
    {"BXEM", "C/a/", "CXaM", "CBXaEM", false},
    {"BXEM", "a/", "XaM", "BXaEM", false},
    {"BXEM", "ba/", "XbaM", "BXbaEM", false},
    {"BM", "", "M", "BM", false},
    /* or linked, but not yet marked as an entry; */
    {"BXEM", "Ca/", "CXaM", "CBXaEM", false},
    {"BXEM", "C/", "?BXEM", "?BXEM", true},
    {"BXEM", "C//a/", "CXaM", "CBXaEM", false},
    {"BXEM", "G/a/", "GXaM", "GBXaEM", false},
    {"BXEM", "Ga/", "XGaM", "BXGaEM", false},
    {"BXEM", "G/", "XGM", "BXGEM", false},
    /* or the link may still lead to an ended frame, */
    {"BXEM", "b/a/", "?XaM", "?BXaEM", true},
    {"BXEM", "cb/a/", "?XaM", "?BXaEM", true},
    {"BXEM", "d/c/b/a/", "?XaM", "?BXaEM", true},
    {"BXEYEM", "a/", "?XYaM", "?BXEYaEM", true},
    /* or to any other frame */
    {"BXoEM", "bbbb~", "?BXoEM", "?BXoEM", true},
    /* marks that are not frames, as in 3.12 */
    {"EXEM", "b//a/", "bXaM", "bEXaEM", false},
    {"EM", "a/", "aM", "aEM", false},
    /* marks that are not entries, as in Ruby: for functions in C, and at the root */
    {"LoEM", ".ba/.", "LbaM", "LobaEM", false},
    {"LoEXEM", ".b/.a/.", "LbXaM", "LobEXaEM", false},
    {"M", "..", "M", "M", false},
};

static struct unwind_frame native_frame(char letter)
{
    return (struct unwind_frame){.pc = (uint64_t)letter};
}

static size_t read_natives(const char *text, struct merge_native *natives, bool *whole)
{
    size_t count = 0;
    for (; *text && *text != '~'; text++) {
        enum merge_kind kind = *text == 'E' || *text == 'B' ? MERGE_EVALUATION : *text == 'o' ? MERGE_OWN : MERGE_OTHER;
        natives[count++] = (struct merge_native){.frame = native_frame(*text), .kind = kind};
    }
    *whole = !*text;
    return count;
}

/* Reads "b//a/": frame b, which is not an entry; a mark, which is one; and so on. */
static size_t read_scripts(const char *text, struct merge_script *scripts, bool *whole)
{
    size_t count = 0;
    for (; *text && *text != '~' && *text != '!'; text++) {
        if (*text == '.')
            scripts[count++] = (struct merge_script){.is_entry = false};
        else if (*text != '/')
            scripts[count++] = (struct merge_script){
                {.pc = (uint64_t)*text, .language = 1}, .is_fresh = *text == 'C', .is_generator = *text == 'G'};
        else if (text[1] == '/')
            scripts[count++] = (struct merge_script){.is_entry = true}, text++;
        else
            scripts[count - 1].is_entry = true;
    }
    *whole = !*text;
    return count;
}

static void check(size_t row, enum merge_mode mode, const char *expected)
{
    struct merge_native natives[32];
    struct merge_script scripts[32];
    struct unwind_frame frames[64];
    char merged[65] = "";
    bool marked;
    struct merge_stacks stacks = {.natives = natives, .scripts = scripts, .is_exact = true};
    stacks.is_beginning = rows[row].native[0] == 'B';
    stacks.native_count = read_natives(rows[row].native, natives, &stacks.native_whole);
    stacks.script_cut = strchr(rows[row].script, '!');
    stacks.script_count = read_scripts(rows[row].script, scripts, &stacks.script_whole);
    size_t count = merge_stacks(&stacks, mode, native_frame('?'), frames, 64, &marked);
    for (size_t i = 0; i < count; i++)
        merged[i] = (char)frames[i].pc;
    ck_assert_str_eq(merged, expected);
    ck_assert_int_eq(marked, rows[row].marked);
}

START_TEST(stacks_follow_the_table)
{
    check((size_t)_i, MERGE_LANGUAGE, rows[_i].merged);
    check((size_t)_i, MERGE_BOTH, rows[_i].both);
}
END_TEST

/* With addresses: a digit behind an entry frame is the index of its evaluation among the native frames; '-' fits
 * none of them. */
static const struct {
    const char *native, *script, *merged, *both;
    bool marked;
} places[] = {
    {"LoXoM", "b1a3", "LbXaM", "LboXaoM", false},
    {"LEXEM", "b1a3", "LbXaM", "LbEXaEM", false},
    {"LoXoM", "ba3", "LXbaM", "LoXbaoM", false},
    {"EXEM", "a2", "XaM", "EXaEM", false},
    {"oXoM", "b01a2", "bXaM", "boXaoM", false},
    {"EYEXEM", "c0a4", "cY?XaM", "cEY?EXaEM", true},
    {"LoXoM", "b-a3", "?bLXaM", "?bLoXaoM", true},
    {"LoX~", "b1a9", "LbXa", "LboXa", false},
    {"LE~", "b1a9", "Lba", "LbaE", false},
    {"LoM", "1", "LoM", "LoM", false},
    {"LoM", "--", "LoM", "LoM", false},
    {"LoXEM", "b1a~", "LbXaM", "LboXaEM", false},
    {"LoXEM", "b1a!", "LbXa", "LboXaE", false},
    /* the last frame is an entry, and then comes another greenlet's stack */
    {"LEXEYEM", "b1a3", "LbXaYM", "LbEXaEYEM", false},
    {"LEXEYEoZEM", "b1a3", "LbXaYZM", "LbEXaEYEoZEM", false},
    {"LEXEYEM", "b1a", "LbaX?YM", "LbaEX?EYEM", true},
};

static size_t read_placed(const char *text, struct merge_script *scripts, bool *whole)
{
    size_t count = 0;
    for (; *text && *text != '~' && *text != '!'; text++)
        if (*text >= '0' && *text <= '9')
            scripts[count++] = (struct merge_script){.is_entry = true, .stack = (uint64_t)(*text - '0') * 16 + 24};
        else if (*text == '-')
            scripts[count++] = (struct merge_script){.is_entry = true, .stack = 1};
        else
            scripts[count++] = (struct merge_script){.frame = {.pc = (uint64_t)*text, .language = 1}};
    *whole = !*text;
    return count;
}

static void check_placed(size_t row, enum merge_mode mode, const char *expected)
{
    struct merge_native natives[32];
    struct merge_script scripts[32];
    struct unwind_frame frames[64];
    char merged[65] = "";
    bool marked;
    struct merge_stacks stacks = {.natives = natives, .scripts = scripts, .is_exact = true};
    stacks.native_count = read_natives(places[row].native, natives, &stacks.native_whole);
    stacks.script_cut = strchr(places[row].script, '!');
    stacks.script_count = read_placed(places[row].script, scripts, &stacks.script_whole);
    for (size_t i = 0; i < stacks.native_count; i++)
        natives[i].frame.sp = (i + 1) * 16;
    size_t count = merge_stacks(&stacks, mode, native_frame('?'), frames, 64, &marked);
    for (size_t i = 0; i < count; i++)
        merged[i] = (char)frames[i].pc;
    ck_assert_str_eq(merged, expected);
    ck_assert_int_eq(marked, places[row].marked);
}

START_TEST(placed_stacks_follow_the_table)
{
    check_placed((size_t)_i, MERGE_LANGUAGE, places[_i].merged);
    check_placed((size_t)_i, MERGE_BOTH, places[_i].both);
}
END_TEST

/* A signal handler runs on another stack, at higher or lower addresses. */
START_TEST(a_stack_may_be_in_two_parts)
{
    static const uint64_t sps[][4] = {{5000, 5100, 100, 200}, {100, 200, 5000, 5100}};
    struct merge_native natives[4];
    struct unwind_frame frames[8];
    bool marked;
    for (size_t i = 0; i < 4; i++)
        natives[i] = (struct merge_native){.frame = {.pc = i, .sp = sps[_i][i]}, .kind = MERGE_OTHER};
    struct merge_script scripts[] = {{.frame = {.pc = 'b', .language = 1}},
                                     {.is_entry = true, .stack = sps[_i][0] + 8},
                                     {.frame = {.pc = 'a', .language = 1}},
                                     {.is_entry = true, .stack = sps[_i][2] + 8}};
    const struct merge_stacks stacks = {natives, 4, true, scripts, 4, true, false, true, false};
    ck_assert_uint_eq(merge_stacks(&stacks, MERGE_LANGUAGE, native_frame('?'), frames, 8, &marked), 6);
    ck_assert(!marked);
    ck_assert_uint_eq(frames[0].pc, 'b');
    ck_assert_uint_eq(frames[3].pc, 'a');
}
END_TEST

START_TEST(no_more_frames_than_there_is_room_for)
{
    struct merge_native natives[] = {{.frame = native_frame('E'), .kind = MERGE_EVALUATION},
                                     {.frame = native_frame('M')}};
    struct merge_script scripts[] = {{.frame = {.pc = 'b', .language = 1}},
                                     {.frame = {.pc = 'a', .language = 1}, .is_entry = true}};
    struct unwind_frame frames[2] = {{0}};
    bool marked;
    const struct merge_stacks stacks = {natives, 2, true, scripts, 2, true, false, true, false};
    ck_assert_uint_eq(merge_stacks(&stacks, MERGE_LANGUAGE, native_frame('?'), frames, 2, &marked), 2);
    ck_assert_uint_eq(frames[0].pc, 'b');
    ck_assert_uint_eq(frames[1].pc, 'a');
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("interp/merge");
    UNIT_ADD_TABLE(tests, stacks_follow_the_table, rows);
    UNIT_ADD_TABLE(tests, placed_stacks_follow_the_table, places);
    tcase_add_loop_test(tests, a_stack_may_be_in_two_parts, 0, 2);
    tcase_add_test(tests, no_more_frames_than_there_is_room_for);
    return unit_end();
}

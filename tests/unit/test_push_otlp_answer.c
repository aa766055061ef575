/* SPDX-License-Identifier: MIT */
#include "profile/push/otlp_answer.h"

#include "profile/push/queue.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    long status;
    enum push_result result;
} statuses[] = {
    {0, PUSH_AGAIN},     {200, PUSH_SENT},    {202, PUSH_SENT},    {400, PUSH_REFUSED}, {404, PUSH_REFUSED},
    {408, PUSH_REFUSED}, {413, PUSH_REFUSED}, {425, PUSH_REFUSED}, {429, PUSH_AGAIN},   {500, PUSH_REFUSED},
    {501, PUSH_REFUSED}, {502, PUSH_FAILED},  {503, PUSH_AGAIN},   {504, PUSH_FAILED},  {301, PUSH_REFUSED},
};

START_TEST(statuses_follow_the_table)
{
    ck_assert_int_eq(otlp_result_of(statuses[_i].status), statuses[_i].result);
}
END_TEST

#define LONG_TEXT                                                                                                      \
    "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"             \
    "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"             \
    "0123456789012345678901234567890123456789012345678901234"

static const struct {
    const char *bytes;
    size_t size;
    long status;
    uint64_t rejected;
    const char *text;
} answers[] = {
#define ROW(bytes, ...)                                                                                                \
    {                                                                                                                  \
        bytes, sizeof bytes - 1, __VA_ARGS__                                                                           \
    }
    ROW("", 200, 0, ""),
    ROW("\x0a\x00", 200, 0, ""), /* nothing was rejected */
    ROW("\x0a\x02\x08\x03", 200, 3, ""),
    ROW("\x0a\x07\x08\x03\x12\x03old", 200, 3, "old"),
    ROW("\x0a\x05\x12\x03\x68\x6d\x6d", 200, 0, "hmm"), /* a warning */
    ROW("\x0a\x07\x08\x03\x12\x03o", 200, 3, "o"),      /* truncated */
    ROW("\x0a\x07\x08\x03\x12\x03", 200, 3, ""),
    ROW("\x0a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 200, 0, ""), /* -1 */
    ROW("\x0a\x83\x02\x12\x80\x02" LONG_TEXT "x", 200, 0, LONG_TEXT),
    ROW("\x08\x03\x12\x03"
        "bad",
        400, 0, "bad"), /* the message of google.rpc.Status */
    ROW("\x08\x03\x12\x03"
        "bad",
        200, 0, ""),
    ROW("{}", 200, 0, ""), /* JSON */
    ROW("not found", 404, 0, ""),
    ROW("\x12", 400, 0, ""),
    ROW("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01x", 400, 0, "x"),
    ROW("\x12\x05"
        "ab\0cd",
        400, 0, "ab"),
};

START_TEST(answers_follow_the_table)
{
    struct otlp_answer answer;
    char *exact = malloc(answers[_i].size + 1); /* of the exact size, for the sanitizers */
    ck_assert_ptr_nonnull(exact);
    memcpy(exact + 1, answers[_i].bytes, answers[_i].size);
    otlp_answer_read(&answer, answers[_i].status, (unsigned char *)exact + 1, answers[_i].size);
    ck_assert_uint_eq(answer.rejected, answers[_i].rejected);
    ck_assert_str_eq(answer.text, answers[_i].text);
    free(exact);
}
END_TEST

START_TEST(no_answer_says_nothing)
{
    struct otlp_answer answer;
    otlp_answer_read(&answer, 0, NULL, 0);
    ck_assert_uint_eq(answer.rejected, 0);
    ck_assert_str_eq(answer.text, "");
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("push/otlp_answer");
    UNIT_ADD_TABLE(tests, statuses_follow_the_table, statuses);
    UNIT_ADD_TABLE(tests, answers_follow_the_table, answers);
    tcase_add_test(tests, no_answer_says_nothing);
    return unit_end();
}

/* SPDX-License-Identifier: MIT */
#include "common/model/patience.h"

#include "unit.h"

#define S *UINT64_C(1000000000)

/* Looks at a process, one after another. It had not run at the first one's time. */
static const struct {
    const char *states; /* one for each look, a second apart */
    const char *runs;   /* '1': it has run since the look before, '2': for no measurable time, '0': it has not */
    bool lasts;         /* after the last look */
} looks[] = {
    {"R", "0", true},
    {"RRRRRRRRRR", "0000000000", true}, /* it gets no CPU */
    {"SSSSSSSSSS", "1111111111", true},
    {"DDDDDDDDDD", "2222222222", true},
    {"DD", "00", true}, /* a disk takes its time */
    {"DDD", "000", false},
    {"SSS", "000", false},
    {"SSSS", "0100", true},
    {"SSSRSS", "000000", true},
    {"T", "0", false},
    {"T", "1", false},
    {"t", "0", false},
    {"Z", "1", false},
    {"X", "0", false},
};

START_TEST(patience_follows_the_table)
{
    uint64_t now_ns = 100 S;
    struct schedstat times = {.ran_ns = 7, .arrivals = 7};
    struct patience patience = {.seen = times, .since_ns = now_ns};
    bool lasts = false;
    for (size_t i = 0; looks[_i].states[i]; i++) {
        now_ns += 1 S;
        times.ran_ns += looks[_i].runs[i] == '1';
        times.arrivals += looks[_i].runs[i] == '2';
        lasts = patience_lasts(&patience, looks[_i].states[i], &times, now_ns);
    }
    ck_assert(lasts == looks[_i].lasts);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("model/patience");
    UNIT_ADD_TABLE(tests, patience_follows_the_table, looks);
    return unit_end();
}

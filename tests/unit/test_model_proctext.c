/* SPDX-License-Identifier: MIT */
#include "common/model/proctext.h"

#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define LARGEST "18446744073709551615" /* UINT64_MAX */
#define TOO_LARGE "18446744073709551616"

static const struct {
    const char *text;
    bool parsed;
    struct schedstat expected;
} schedstats[] = {
    {"123 456 7\n", true, {123, 456, 7}},
    {"123 456 7", true, {123, 456, 7}},
    {"0 0 0\n", true, {0, 0, 0}},
    {"007 0 01\n", true, {7, 0, 1}},
    {"1 2 3 4\n", true, {1, 2, 3}}, /* later kernels may add fields */
    {LARGEST " " LARGEST " " LARGEST "\n", true, {UINT64_MAX, UINT64_MAX, UINT64_MAX}},
    {TOO_LARGE " 1 2\n", false, {0}},
    {"1 " TOO_LARGE " 2\n", false, {0}},
    {"1 2 " TOO_LARGE "\n", false, {0}},
    {"1 2 99999999999999999999999999\n", false, {0}},
    {"", false, {0}},
    {"\n", false, {0}},
    {"1", false, {0}},
    {"1 ", false, {0}},
    {"1 2", false, {0}},
    {"1 2 ", false, {0}},
    {"1 2 \n3", false, {0}},
    {"-1 2 3\n", false, {0}},
    {"1 -2 3\n", false, {0}},
    {" 1 2 3\n", false, {0}},
    {"1  2 3\n", false, {0}},
    {"1\t2 3\n", false, {0}},
    {"a 2 3\n", false, {0}}, /* a hexadecimal digit */
    {"1a 2 3\n", false, {0}},
};

START_TEST(schedstat_follows_the_table)
{
    static const struct schedstat before = {11, 22, 33};
    struct schedstat parsed = before;
    ck_assert(proctext_schedstat(schedstats[_i].text, &parsed) == schedstats[_i].parsed);
    const struct schedstat *expected = schedstats[_i].parsed ? &schedstats[_i].expected : &before;
    ck_assert_mem_eq(&parsed, expected, sizeof parsed);
}
END_TEST

#define SIX " 0x3 0x7ffc0 0x10 0x0 0xffffffffffffffff 0x1"
#define ARGUMENTS                                                                                                      \
    {                                                                                                                  \
        3, 0x7ffc0, 0x10, 0, UINT64_MAX, 1                                                                             \
    }
static const struct {
    const char *text;
    bool parsed;
    struct blocked expected;
} blockeds[] = {
    {"0" SIX " 0x7ffd10 0x7f8abc\n", true, {0, 0x7ffd10, 0x7f8abc, ARGUMENTS}},
    {"232" SIX " 0xffffffffffffffff 0x0\n", true, {232, UINT64_MAX, 0, ARGUMENTS}},
    {"-1 0x7ffd10 0x401000\n", true, {-1, 0x7ffd10, 0x401000, {0}}},
    {"-1 0x0 0x0\n", true, {-1, 0, 0, {0}}},
    {"running\n", false, {0}},
    {"", false, {0}},
    {"0", false, {0}},
    {"0" SIX "\n", false, {0}},
    {"0" SIX " 0x1\n", false, {0}},
    {"0" SIX " 0x1 1\n", false, {0}},
    {"0" SIX " 0x1 0x\n", false, {0}},
    {"0" SIX " 0x1 0x10000000000000000\n", false, {0}},
    {"-2" SIX " 0x1 0x1\n", false, {0}},
    {"-1\n", false, {0}},
    {"-1 0x1\n", false, {0}},
    {"1048576" SIX " 0x1 0x1\n", false, {0}}, /* not a system call: these numbers have another meaning */
    {"99999999999" SIX " 0x1 0x1\n", false, {0}},
};

START_TEST(blocked_follows_the_table)
{
    static const struct blocked before = {11, 22, 33, {44}};
    struct blocked parsed = before;
    ck_assert(proctext_blocked(blockeds[_i].text, &parsed) == blockeds[_i].parsed);
    const struct blocked *expected = blockeds[_i].parsed ? &blockeds[_i].expected : &before;
    ck_assert_int_eq(parsed.syscall, expected->syscall);
    ck_assert_uint_eq(parsed.sp, expected->sp);
    ck_assert_uint_eq(parsed.pc, expected->pc);
    ck_assert_mem_eq(parsed.arguments, expected->arguments, sizeof parsed.arguments);
}
END_TEST

/* Fields 4 to 38, and the fields behind 39. */
#define FIELDS                                                                                                         \
    "1 2 3 4 -1 4194560 5 6 7 8 9 10 11 12 20 0 1 0 22 1000 300 18446744073709551615 1 2 3 4 5 0 0 4096 0 "            \
    "0 0 0 17 "
#define REST " 0 0 0 0 0 1 2 3 4 5 6 7 0\n"

static const struct {
    const char *text;
    bool parsed;
    char state;
    int cpu;
} stats[] = {
    {"42 (cat) R " FIELDS "3" REST, true, 'R', 3},
    {"42 (cat) S " FIELDS "0" REST, true, 'S', 0},
    {"42 (cat) t " FIELDS "127" REST, true, 't', 127},
    {"42 (cat) I " FIELDS "1048576" REST, true, 'I', 1048576},
    {"42 (cat) R " FIELDS "3", true, 'R', 3}, /* older kernels have fewer fields */
    /* names that look like the following fields */
    {"42 () R " FIELDS "3" REST, true, 'R', 3},
    {"42 ()) S " FIELDS "3" REST, true, 'S', 3},
    {"42 (() S " FIELDS "3" REST, true, 'S', 3},
    {"42 () R () S " FIELDS "3" REST, true, 'S', 3},
    {"42 (x) R 1 (2) S " FIELDS "3" REST, true, 'S', 3},
    {"42 (a b\nc) d) S " FIELDS "3" REST, true, 'S', 3},
    {"42 (a\n42 (b) R) D " FIELDS "3" REST, true, 'D', 3},
    {"42 (\t \377\200) S " FIELDS "3" REST, true, 'S', 3},
    {"42 (     ) S " FIELDS "3" REST, true, 'S', 3},
    {"42 (kworker/u16:3-events_unbound_and_a_long_name_of_64_bytes_or_so_) I " FIELDS "3" REST, true, 'I', 3},
    /* truncated and damaged */
    {"", false, 0, 0},
    {"42", false, 0, 0},
    {"42 (cat", false, 0, 0},
    {"42 (cat)", false, 0, 0},
    {"42 (cat) ", false, 0, 0},
    {"42 (cat) R", false, 0, 0},
    {"42 (cat) R 1 2 3", false, 0, 0},
    {"42 (cat) R " FIELDS, false, 0, 0},
    {"42 (cat) R " FIELDS "\n", false, 0, 0},
    {"42 (cat) R " FIELDS "-1" REST, false, 0, 0},
    {"42 (cat) R " FIELDS "x" REST, false, 0, 0},
    {"42 (cat) R " FIELDS "1048577" REST, false, 0, 0},
    {"42 (cat) R " FIELDS "4294967299" REST, false, 0, 0}, /* 3, truncated to 32 bits */
    {"42 (cat) R " FIELDS TOO_LARGE REST, false, 0, 0},
    {"42 (cat)R " FIELDS "3" REST, false, 0, 0},
    {"42 (cat) 1 " FIELDS "3" REST, false, 0, 0},
    {"42 (cat)  R " FIELDS "3" REST, false, 0, 0},
    {"42 (cat) \377 " FIELDS "3" REST, false, 0, 0},
    {")", false, 0, 0},
};

START_TEST(stat_follows_the_table)
{
    char state = '?';
    int cpu = -7;
    ck_assert(proctext_stat(stats[_i].text, &state, &cpu) == stats[_i].parsed);
    ck_assert_int_eq(state, stats[_i].parsed ? stats[_i].state : '?');
    ck_assert_int_eq(cpu, stats[_i].parsed ? stats[_i].cpu : -7);
}
END_TEST

START_TEST(the_time_of_the_beginning_is_the_22nd_field)
{
    uint64_t ticks = 4711;
    ck_assert(!proctext_start_time("42 (cat) R 4 5 6 7 -1 9 10 11 12 13 14 15 16 17 18 19 20 21 ", &ticks));
    ck_assert(!proctext_start_time("", &ticks));
    ck_assert_uint_eq(ticks, 4711);
    ck_assert(proctext_start_time("42 (a) b) R 4 5 6 7 -1 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23", &ticks));
    ck_assert_uint_eq(ticks, 22);
}
END_TEST

START_TEST(the_real_time_priority_is_the_40th_field)
{
#define TO_39                                                                                                          \
    "42 (a) b) R 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 "  \
    "39"
    ck_assert_int_eq(proctext_real_time(TO_39 " 50 1 0"), 50);
    ck_assert_int_eq(proctext_real_time(TO_39 " 0 0 0"), 0);
    ck_assert_int_eq(proctext_real_time(TO_39 " 99 2 0"), 99);
    ck_assert_int_eq(proctext_real_time(TO_39 " 100 2 0"), 0);
    ck_assert_int_eq(proctext_real_time(TO_39 " -1 2 0"), 0);
    ck_assert_int_eq(proctext_real_time(TO_39), 0);
    ck_assert_int_eq(proctext_real_time(""), 0);
}
END_TEST

#define TO_14 "R 4 5 6 7 -1 9 10 11 12 13 "

static const struct {
    const char *text;
    bool parsed;
    uint64_t user, system;
} times[] = {
    {"42 (cat) R " FIELDS "3" REST, true, 9, 10},
    {"42 (cat) " TO_14 "14 15 16 17\n", true, 14, 15},
    {"42 (cat) " TO_14 "14 15", true, 14, 15},
    {"42 (cat) " TO_14 "0 0 16", true, 0, 0},
    {"42 (cat) " TO_14 LARGEST " " LARGEST " 16", true, UINT64_MAX, UINT64_MAX},
    {"42 (x) R 1 (2) " TO_14 "14 15 16", true, 14, 15},
    {"42 (a b c d e f g h i j k) " TO_14 "14 15 16", true, 14, 15},
    {"42 (cat) " TO_14 TOO_LARGE " 15 16", false, 0, 0},
    {"42 (cat) " TO_14 "14 " TOO_LARGE " 16", false, 0, 0},
    {"42 (cat) " TO_14 "-14 15 16", false, 0, 0},
    {"42 (cat) " TO_14 "14 -15 16", false, 0, 0},
    {"42 (cat) " TO_14 "14", false, 0, 0},
    {"42 (cat) " TO_14 "14 ", false, 0, 0},
    {"42 (cat) " TO_14 "14\n15", false, 0, 0},
    {"42 (cat) " TO_14, false, 0, 0},
    {"42 (cat) R 1 2", false, 0, 0},
    {"42 (cat)", false, 0, 0},
    {"42 cat R 4 5 6 7 8 9 10 11 12 13 14 15 16", false, 0, 0},
    {"", false, 0, 0},
};

START_TEST(times_follow_the_table)
{
    uint64_t user = 4711, system = 4712;
    ck_assert(proctext_times(times[_i].text, &user, &system) == times[_i].parsed);
    ck_assert_uint_eq(user, times[_i].parsed ? times[_i].user : 4711);
    ck_assert_uint_eq(system, times[_i].parsed ? times[_i].system : 4712);
}
END_TEST

static const struct {
    const char *text;
    bool parsed;
    uint64_t faults;
} faults[] = {
    {"42 (cat) R 4 5 6 7 8 9 10 11 12 13 14", true, 22},
    {"42 (c) 1 2 (at) R 4 5 6 7 8 9 10 11 12", true, 22},
    {"42 (cat) R 4 5 6 7 8 9 18446744073709551615 11 " TOO_LARGE, false, 0},
    {"42 (cat) R 4 5 6 7 8 9 -10 11 12 13", false, 0},
    {"42 (cat) R 4 5 6 7 8 9 10 11 x 13", false, 0},
    {"42 (cat) R 4 5 6 7 8 9 10 11", false, 0},
    {"42 (cat) R 4 5 6 7 8 9", false, 0},
    {"42 (cat)", false, 0},
    {"", false, 0},
};

START_TEST(faults_follow_the_table)
{
    uint64_t seen = 4711;
    ck_assert(proctext_faults(faults[_i].text, &seen) == faults[_i].parsed);
    ck_assert_uint_eq(seen, faults[_i].parsed ? faults[_i].faults : 4711);
}
END_TEST

#define STATUS                                                                                                         \
    "Name:\tSeccomp:\\n9\n"                                                                                            \
    "Umask:\t0022\n"                                                                                                   \
    "State:\tR (running)\n"                                                                                            \
    "Tgid:\t100\n"                                                                                                     \
    "Pid:\t101\n"                                                                                                      \
    "PPid:\t99\n"                                                                                                      \
    "Uid:\t1000\t0\t1001\t0\n"                                                                                         \
    "Groups:\t \n"                                                                                                     \
    "NStgid:\t100\t1\n"                                                                                                \
    "VmPeak:\t    8440 kB\n"                                                                                           \
    "SigQ:\t3/127\n"                                                                                                   \
    "SigIgn:\tffffffffffffffff\n"                                                                                      \
    "SigCgt:\t00000001800004Ac\n"                                                                                      \
    "Huge:\t" TOO_LARGE "\n"                                                                                           \
    "Most:\t" LARGEST "\n"                                                                                             \
    "HugeHex:\t10000000000000000\n"                                                                                    \
    "Minus:\t-1\n"                                                                                                     \
    "\n"                                                                                                               \
    "Seccomp:\t2\n"                                                                                                    \
    "Seccomp:\t5\n"                                                                                                    \
    "Cut:"

static const struct {
    const char *name;
    int base;
    bool parsed;
    uint64_t number;
} status_numbers[] = {
    {"Tgid", 10, true, 100},
    {"Pid", 10, true, 101},
    {"PPid", 10, true, 99},
    {"Umask", 10, true, 22},
    {"VmPeak", 10, true, 8440},
    {"SigQ", 10, true, 3},
    {"SigIgn", 16, true, UINT64_MAX},
    {"SigCgt", 16, true, 0x1800004ac},
    {"SigCgt", 10, true, 1800004}, /* up to the first other character */
    {"Most", 10, true, UINT64_MAX},
    {"Seccomp", 10, true, 2}, /* the first line, not the name of the process */
    {"Huge", 10, false, 0},
    {"HugeHex", 16, false, 0},
    {"Minus", 10, false, 0},
    {"State", 10, false, 0},
    {"Groups", 10, false, 0}, /* does not read the next line */
    {"Cut", 10, false, 0},
    {"gid", 10, false, 0},
    {"Tg", 10, false, 0},
    {"tgid", 10, false, 0},
    {"NSpid", 10, false, 0},
    {"running)", 10, false, 0},
};

static const struct {
    const char *text;
    bool parsed;
    struct switches switches;
} switch_texts[] = {
    {"Name:\tx\nvoluntary_ctxt_switches:\t150\nnonvoluntary_ctxt_switches:\t545\n", true, {150, 545}},
    {"nonvoluntary_ctxt_switches:\t545\nvoluntary_ctxt_switches:\t150", true, {150, 545}},
    {"voluntary_ctxt_switches:\t150\n", false, {0, 0}},
    {"nonvoluntary_ctxt_switches:\t545\n", false, {0, 0}},
    {"", false, {0, 0}},
};

START_TEST(switches_follow_the_table)
{
    struct switches switches = {7, 8};
    ck_assert(proctext_switches(switch_texts[_i].text, &switches) == switch_texts[_i].parsed);
    ck_assert_uint_eq(switches.voluntary, switch_texts[_i].parsed ? switch_texts[_i].switches.voluntary : 7);
    ck_assert_uint_eq(switches.involuntary, switch_texts[_i].parsed ? switch_texts[_i].switches.involuntary : 8);
}
END_TEST

START_TEST(status_number_follows_the_table)
{
    uint64_t number = 4711;
    ck_assert(proctext_status_number(STATUS, status_numbers[_i].name, status_numbers[_i].base, &number) ==
              status_numbers[_i].parsed);
    ck_assert_uint_eq(number, status_numbers[_i].parsed ? status_numbers[_i].number : 4711);
}
END_TEST

static const struct {
    const char *name;
    size_t most, count;
    uint64_t numbers[4];
} status_lists[] = {
    {"Uid", 4, 4, {1000, 0, 1001, 0}},
    {"Uid", 3, 3, {1000, 0, 1001}},
    {"Uid", 0, 0, {0}},
    {"NStgid", 4, 2, {100, 1}},
    {"Groups", 4, 0, {0}},
    {"SigQ", 4, 1, {3}},
    {"Huge", 4, 0, {0}},
    {"Cut", 4, 0, {0}},
    {"NSpid", 4, 0, {0}},
    {"Most", 4, 1, {UINT64_MAX}},
};

START_TEST(status_numbers_follow_the_table)
{
    uint64_t numbers[4] = {0};
    ck_assert_uint_eq(proctext_status_numbers(STATUS, status_lists[_i].name, 10, numbers, status_lists[_i].most),
                      status_lists[_i].count);
    ck_assert_mem_eq(numbers, status_lists[_i].numbers, sizeof numbers);
}
END_TEST

static const char *const status_texts[] = {"",
                                           "\n",
                                           "\n\n\n",
                                           "Seccomp",
                                           "Seccomp:",
                                           "Seccomp:\t",
                                           "Seccomp:\n1\n",
                                           "Seccomp 1\n",
                                           " Seccomp:\t1\n",
                                           "Seccomp:\n",
                                           "Seccomp_filters:\t1\n"};

START_TEST(status_without_the_number)
{
    uint64_t number = 4711;
    ck_assert(!proctext_status_number(status_texts[_i], "Seccomp", 10, &number));
    ck_assert_uint_eq(number, 4711);
}
END_TEST

/* Text of kernels since 3.0, shortened. */
#define SCHED_OLD                                                                                                      \
    "cat (42, #threads: 1)\n"                                                                                          \
    "---------------------------------------------------------\n"                                                      \
    "se.exec_start                      :       1234567.891234\n"                                                      \
    "se.vruntime                        :           123.456789\n"                                                      \
    "se.statistics.exec_max             :             9.999999\n"                                                      \
    "nr_switches                        :                   17\n"                                                      \
    "nr_voluntary_switches              :                   15\n"

#define SCHED_NEW                                                                                                      \
    "cat (42, #threads: 1)\n"                                                                                          \
    "-------------------------------------------------------------------\n"                                            \
    "se.exec_start                                :       1234567.891234\n"                                            \
    "se.vruntime                                  :            -0.000001\n"                                            \
    "se.sum_exec_runtime                          :             1.000000\n"                                            \
    "se.nr_migrations                             :                    0\n"                                            \
    "nr_switches                                  :                   17\n"                                            \
    "nr_voluntary_switches                        :                   15\n"                                            \
    "mm->numa_scan_seq                            :                    0\n"

#define SCHED(start, switches) "x (1, #threads: 1)\nse.exec_start : " start "\nnr_switches : " switches "\n"

static const struct {
    const char *text;
    bool parsed;
    struct schedlook expected;
} scheds[] = {
    {SCHED_OLD, true, {17, 1234567891234}},
    {SCHED_NEW, true, {17, 1234567891234}},
    {SCHED("5.000000", "0"), true, {0, 5000000}},
    {SCHED("5.000999", "3"), true, {3, 5000999}},
    {SCHED("5.001000", "3"), true, {3, 5001000}},
    {SCHED("0.999999", "3"), true, {3, 999999}},
    {"se.exec_start:5.000000\nnr_switches:3", true, {3, 5000000}},
    {"nr_switches : 3\nse.exec_start : 5.000000\n", true, {3, 5000000}},
    /* names of threads that look like the following lines */
    {"nr_switches:9 (1, #threads: 1)\n---\n" SCHED("5.000000", "3"), true, {3, 5000000}},
    {"se.exec_start:9 (1, #threads: 1)\n---\n" SCHED("5.000000", "3"), true, {3, 5000000}},
    {"x\nnr_switches:9 (1, #threads: 1)\n---\n" SCHED("5.000000", "3"), true, {3, 5000000}},
    {"nr_switches_of_others : 9\nse.exec_started : 9.9\n" SCHED("5.000000", "3"), true, {3, 5000000}},
    {SCHED("18446744073708.999999", LARGEST), true, {UINT64_MAX, 18446744073708999999u}},
    {SCHED("18446744073709.000000", "3"), false, {0}},
    {SCHED(TOO_LARGE ".000000", "3"), false, {0}},
    {SCHED("5.000000", TOO_LARGE), false, {0}},
    {SCHED("5", "3"), false, {0}},
    {SCHED("5.", "3"), false, {0}},
    {SCHED("5.5", "3"), false, {0}}, /* the kernel writes six digits */
    {SCHED("5.00000", "3"), false, {0}},
    {SCHED("5.0000000", "3"), false, {0}},
    {SCHED("5.x", "3"), false, {0}},
    {SCHED("-5.000000", "3"), false, {0}},
    {SCHED("5.000000", "-3"), false, {0}},
    {SCHED("", "3"), false, {0}},
    {"se.exec_start \nother : 5.000000\nnr_switches : 3\n", false, {0}}, /* a value does not continue on the next
                                                                          * line */
    {"se.exec_start : 5.000000\nnr_switches\nother : 3\n", false, {0}},
    {SCHED("5.000000", ""), false, {0}},
    {"nr_switches : 3\n", false, {0}},
    {"se.exec_start : 5.000000\n", false, {0}},
    {"se.exec_start : 5.000000\nnr_switch", false, {0}},
    {"se.exec_start : 5.000000\nnr_switches", false, {0}},
    {"se.exec_start : 5.000000\nnr_switches :", false, {0}},
    {" se.exec_start : 5.000000\n nr_switches : 3\n", false, {0}},
    {"", false, {0}},
    {"\n", false, {0}},
};

START_TEST(sched_follows_the_table)
{
    static const struct schedlook before = {11, 22};
    struct schedlook parsed = before;
    ck_assert(proctext_sched(scheds[_i].text, &parsed) == scheds[_i].parsed);
    const struct schedlook *expected = scheds[_i].parsed ? &scheds[_i].expected : &before;
    ck_assert_mem_eq(&parsed, expected, sizeof parsed);
}
END_TEST

static const struct {
    const char *line; /* without the newline */
    uint64_t start, end, offset, inode;
    uint32_t major, minor;
    const char *permissions, *path;
} maps_lines[] = {
    {"00400000-00452000 r-xp 00000000 08:02 173521      /usr/bin/dbus-daemon", 0x400000, 0x452000, 0, 173521, 8, 2,
     "r-xp", "/usr/bin/dbus-daemon"},
    {"7f00aBcD0000-7f00abcd1000 rw-s 0001f000 fd:1A 9 /x", 0x7f00abcd0000, 0x7f00abcd1000, 0x1f000, 9, 0xfd, 0x1a,
     "rw-s", "/x"},
    {"7ffd1000-7ffd2000 ---p 00000000 00:00 0 ", 0x7ffd1000, 0x7ffd2000, 0, 0, 0, 0, "---p", ""},
    {"7ffd1000-7ffd2000 ---p 00000000 00:00 0", 0x7ffd1000, 0x7ffd2000, 0, 0, 0, 0, "---p", ""},
    {"1-2 --xp 0 0:0 0      [vdso]", 1, 2, 0, 0, 0, 0, "--xp", "[vdso]"},
    {"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]", 0xffffffffff600000,
     0xffffffffff601000, 0, 0, 0, 0, "--xp", "[vsyscall]"},
    {"fffffffffffffffe-ffffffffffffffff rwxp ffffffffffffffff 00:00 18446744073709551615 /", 0xfffffffffffffffe,
     UINT64_MAX, UINT64_MAX, UINT64_MAX, 0, 0, "rwxp", "/"},
    /* paths are unchanged, with escapes and marks */
    {"1-2 r-xp 0 8:1 5 /a b  c ", 1, 2, 0, 5, 8, 1, "r-xp", "/a b  c "},
    {"1-2 r-xp 0 8:1 5 /tmp/gone (deleted)", 1, 2, 0, 5, 8, 1, "r-xp", "/tmp/gone (deleted)"},
    {"1-2 r-xp 0 8:1 5 /a\\012b", 1, 2, 0, 5, 8, 1, "r-xp", "/a\\012b"},
    {"1-2 r-xp 0 8:1 5 /1-2 rw-p 0 8:1 6 /b", 1, 2, 0, 5, 8, 1, "r-xp", "/1-2 rw-p 0 8:1 6 /b"},
    {"1-2 r-xp 0 8:1 5 /\377\001\t", 1, 2, 0, 5, 8, 1, "r-xp", "/\377\001\t"},
};

static void expect_line(const struct maps_line *line, int row)
{
    ck_assert_uint_eq(line->start, maps_lines[row].start);
    ck_assert_uint_eq(line->end, maps_lines[row].end);
    ck_assert_uint_eq(line->offset, maps_lines[row].offset);
    ck_assert_uint_eq(line->inode, maps_lines[row].inode);
    ck_assert_uint_eq(line->device_major, maps_lines[row].major);
    ck_assert_uint_eq(line->device_minor, maps_lines[row].minor);
    ck_assert(line->readable == (maps_lines[row].permissions[0] == 'r'));
    ck_assert(line->writable == (maps_lines[row].permissions[1] == 'w'));
    ck_assert(line->executable == (maps_lines[row].permissions[2] == 'x'));
    ck_assert(line->shared == (maps_lines[row].permissions[3] == 's'));
    ck_assert_uint_eq(line->path_length, strlen(maps_lines[row].path));
    ck_assert_mem_eq(line->path, maps_lines[row].path, line->path_length);
}

START_TEST(a_maps_line_is_read)
{
    char text[256];
    const char *at = text;
    struct maps_line line;
    snprintf(text, sizeof text, "%s\n", maps_lines[_i].line);
    ck_assert(proctext_maps_next(&at, &line));
    expect_line(&line, _i);
    ck_assert_ptr_eq(at, text + strlen(text));

    struct maps_line before;
    memset(&line, 0x5a, sizeof line);
    memcpy(&before, &line, sizeof line);
    ck_assert(!proctext_maps_next(&at, &line));
    ck_assert_mem_eq(&line, &before, sizeof line);
    ck_assert_ptr_eq(at, text + strlen(text));
}
END_TEST

/* A truncated line gives nothing. Otherwise a part of an address could be taken for all of it. */
START_TEST(a_cut_maps_line_is_skipped)
{
    size_t length = strlen(maps_lines[_i].line);
    for (size_t cut = 0; cut <= length; cut++) {
        char *text = strndup(maps_lines[_i].line, cut); /* of the exact size, for the sanitizers */
        const char *at = text;
        struct maps_line line;
        if (proctext_maps_next(&at, &line))
            ck_abort_msg("'%s' was taken for a line", text);
        free(text);
    }
}
END_TEST

static const char *const malformed[] = {
    "",
    " ",
    "x",
    "00400000",
    "00400000-",
    "-00452000 r-xp 00000000 08:02 1 /x",
    "00400000 00452000 r-xp 00000000 08:02 1 /x",
    "00400000-00452000r-xp 00000000 08:02 1 /x",
    "00400000-00452000 r-x",
    "00400000-00452000 r-xp",
    "00400000-00452000 r-xp00000000 08:02 1 /x",
    "00400000-00452000 r-xp 00000000 0802 1 /x",
    "00400000-00452000 r-xp 00000000 08:02",
    "00400000-00452000 r-xp 00000000 08:02 ",
    "00400000-00452000 r-xp 00000000 08:02 /x",
    "00400000-00452000 r-xp 00000000 :02 1 /x",
    "00400000-00452000 r-xp 00000000 08: 1 /x",
    "00400000-00400000 r-xp 00000000 08:02 1 /x", /* empty */
    "00452000-00400000 r-xp 00000000 08:02 1 /x", /* backwards */
    "10000000000000000-10000000000000001 r-xp 00000000 08:02 1 /x",
    "00400000-10000000000452000 r-xp 00000000 08:02 1 /x",
    "00400000-00452000 r-xp 10000000000000000 08:02 1 /x",
    "00400000-00452000 r-xp 00000000 08:02 " TOO_LARGE " /x",
    "0x400000-0x452000 r-xp 00000000 08:02 1 /x",
    "Size:                336 kB",
    "VmFlags: rd ex mr mw me",
};

/* The malformed line is between two valid ones, which must both be found. */
START_TEST(a_malformed_maps_line_is_skipped)
{
    char text[512];
    const char *at = text;
    struct maps_line line;
    snprintf(text, sizeof text, "%s\n%s\n%s\n", maps_lines[0].line, malformed[_i], maps_lines[1].line);
    ck_assert(proctext_maps_next(&at, &line));
    expect_line(&line, 0);
    ck_assert(proctext_maps_next(&at, &line));
    expect_line(&line, 1);
    ck_assert(!proctext_maps_next(&at, &line));
}
END_TEST

/* The rest of a line and the next line must not be joined to a valid one. */
START_TEST(a_line_ends_at_its_end)
{
    static const char text[] =
        "1-2 r-x\np 0 8:1 5 /a\n1-2\n r-xp 0 8:1 5 /a\n1-2 r-xp 0 8:1 \n5 /a\n1-2 r\nxp 0 8:1 5 /a\n";
    const char *at = text;
    struct maps_line line;
    ck_assert(!proctext_maps_next(&at, &line));
}
END_TEST

static const size_t long_paths[] = {4096, 100000, 2000000};

START_TEST(a_long_path_is_kept_whole)
{
    static const char start[] = "1-2 r-xp 0 8:1 5 /";
    size_t length = long_paths[_i];
    char *text = malloc(sizeof start + length + 1);
    ck_assert_ptr_nonnull(text);
    memcpy(text, start, sizeof start - 1);
    memset(text + sizeof start - 1, 'x', length);
    memcpy(text + sizeof start - 1 + length, "\n", 2);
    const char *at = text;
    struct maps_line line;
    ck_assert(proctext_maps_next(&at, &line));
    ck_assert_uint_eq(line.path_length, length + 1);
    ck_assert_ptr_eq(line.path, text + sizeof start - 2);
    ck_assert(!proctext_maps_next(&at, &line));
    free(text);
}
END_TEST

static void read_own(const char *name, char *text, size_t size)
{
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    size_t filled = 0;
    ssize_t got;
    while (filled < size - 1 && (got = read(fd, text + filled, size - 1 - filled)) > 0)
        filled += (size_t)got;
    text[filled] = 0;
    close(fd);
}

/* The texts above were copied; this test reads the running kernel's. */
#define MOUNTS                                                                                                         \
    "22 1 0:20 / / rw,relatime shared:1 - overlay overlay rw\n"                                                        \
    "23 22 8:1 /a /home rw - ext4 /dev/sda1 rw\n"                                                                      \
    "24 23 0:33 / /home/u/my\\040files rw,nosuid shared:2 master:1 - fuse.sshfs host:/ rw\n"                           \
    "25 23 0:34 / /home/u/twice rw - tmpfs tmpfs rw\n"                                                                 \
    "26 25 0:35 / /home/u/twice rw - fuseblk /dev/sdb1 rw\n"                                                           \
    "27 22 0:36 / /below rw - fuse x rw\n"                                                                             \
    "28 22 0:37 /\n"                                                                                                   \
    "29 22 0:38 / /no/type rw shared:1\n"                                                                              \
    "30 22 0:39 / /long rw - a_type_that_is_too_long x rw"

static const struct {
    const char *path, *type; /* NULL: not found */
} mount_types[] = {
    {"/usr/bin/true", "overlay"},
    {"/", "overlay"},
    {"/home", "ext4"},
    {"/home/u/file", "ext4"},
    {"/homes/file", "overlay"},
    {"/home/u/my files/a", "fuse.sshfs"},
    {"/home/u/my\\040files/a", "ext4"},
    {"/home/u/twice/a/b", "fuseblk"}, /* the last mount is on top */
    {"/below/x", "fuse"},
    {"/belo", "overlay"},
    {"/no/type/x", "overlay"},
    {"/long/x", "a_type_that_is_"},
    {"relative", NULL},
    {"", NULL},
};

START_TEST(mount_types_follow_the_table)
{
    struct mount_line mount = {"untouched", "untouched"};
    const char *wanted = mount_types[_i].type;
    ck_assert(proctext_mount(MOUNTS, mount_types[_i].path, &mount) == (wanted != NULL));
    ck_assert_str_eq(mount.type, wanted ? wanted : "untouched");
    ck_assert_str_eq(mount.device, !wanted ? "untouched" : strcmp(wanted, "fuseblk") ? mount.device : "0:35");
    ck_assert(!wanted || proctext_has_device(MOUNTS, mount.device));
}
END_TEST

START_TEST(devices_of_mounts_are_found_whole)
{
    ck_assert(proctext_has_device(MOUNTS, "0:33"));
    ck_assert(!proctext_has_device(MOUNTS, "0:3"));
    ck_assert(!proctext_has_device(MOUNTS, "0:333"));
    ck_assert(!proctext_has_device(MOUNTS, "/"));
    ck_assert(!proctext_has_device("", "0:33"));
}
END_TEST

START_TEST(texts_of_this_kernel_are_understood)
{
    static char text[1 << 20];
    char state;
    int cpu;
    uint64_t number;
    struct schedstat schedstat;
    struct schedlook look;
    struct maps_line line;

    read_own("/proc/self/stat", text, sizeof text);
    ck_assert(proctext_stat(text, &state, &cpu));
    ck_assert_int_eq(state, 'R');
    ck_assert_int_lt(cpu, (int)sysconf(_SC_NPROCESSORS_CONF));
    read_own("/proc/self/status", text, sizeof text);
    ck_assert(proctext_status_number(text, "Pid", 10, &number));
    ck_assert_int_eq((pid_t)number, getpid());
    ck_assert(proctext_status_number(text, "SigCgt", 16, &number));

    if (access("/proc/self/schedstat", R_OK) == 0) {
        read_own("/proc/self/schedstat", text, sizeof text);
        ck_assert(proctext_schedstat(text, &schedstat));
        ck_assert_uint_gt(schedstat.arrivals, 0);
    }
    if (access("/proc/self/sched", R_OK) == 0) {
        usleep(1000); /* causes at least one context switch */
        read_own("/proc/self/sched", text, sizeof text);
        ck_assert(proctext_sched(text, &look));
        ck_assert_uint_gt(look.switches, 0);
    }
    read_own("/proc/self/maps", text, sizeof text);
    const char *at = text;
    uint64_t here = (uint64_t)(uintptr_t)read_own;
    bool found = false;
    while (proctext_maps_next(&at, &line))
        found |= here >= line.start && here < line.end && line.executable && line.readable;
    ck_assert(found);
    ck_assert_int_eq(*at, 0);
}
END_TEST

/* Parses /proc/PID/auxv. */
START_TEST(the_kind_of_a_program_shows)
{
    const uint32_t compat[] = {32, 0xf7f0a560, 33, 0xf7f0a000, 3, 0x8048034, 4, 32, 5, 9, 9, 0x8049000};
    const uint64_t wide[] = {33, 0x7ffc00000000, 3, 0x400040, 4, 56, 5, 9, 9, 0x401000};
    char own[4096];
    FILE *file = fopen("/proc/self/auxv", "r");
    size_t size = file ? fread(own, 1, sizeof own, file) : 0;
    ck_assert(file && size);
    fclose(file);
    ck_assert_uint_eq(proctext_auxv_entry(compat, sizeof compat), 0x8049000);
    ck_assert_uint_eq(proctext_auxv_entry(compat, sizeof compat - 9), 0);
    ck_assert_uint_eq(proctext_auxv_entry(wide, sizeof wide), 0x401000);
    ck_assert_uint_eq(proctext_auxv_entry(wide, sizeof wide - 9), 0);
    ck_assert_uint_eq(proctext_auxv_entry(own, size), getauxval(AT_ENTRY));
    ck_assert(proctext_auxv_is_compat(compat, sizeof compat));
    ck_assert(!proctext_auxv_is_compat(compat, 7 * sizeof *compat));
    ck_assert(!proctext_auxv_is_compat(wide, sizeof wide));
    ck_assert(!proctext_auxv_is_compat(own, size) && !proctext_auxv_is_compat("", 0));
    ck_assert(proctext_auxv_is_x32(compat + 2, sizeof compat - 8));
    ck_assert(!proctext_auxv_is_x32(compat, sizeof compat));
    ck_assert(!proctext_auxv_is_x32(compat + 4, sizeof compat - 16)); /* i386 without a vDSO */
    ck_assert(!proctext_auxv_is_x32(wide, sizeof wide) && !proctext_auxv_is_x32(own, size));
}
END_TEST

/* Flags, and the number of threads. */
START_TEST(workers_follow_the_table)
{
    static const struct {
        const char *text;
        uint64_t count;
        bool worker;
    } texts[] = {
        {"7 (a) S 1 7 7 0 -1 4194560 1 0 0 0 1 2 0 0 20 0 3 0 1 2 3", 3, false},
        {"8 (iou-sqp-7) R 1 7 7 0 -1 16464 1 0 0 0 1 2 0 0 20 0 12 0 1 2 3", 12, true},
        {"8 (iou-wrk) 9 16) S 1 7 7 0 -1 64 1 0 0 0 1 2 0 0 20 0 2 0 1 2 3", 2, false},
        {"8 (iou-wrk-7) S 1 7 7 0 -1 16 1", 0, true},
        {"", 0, false},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ck_assert_uint_eq(proctext_thread_count(texts[i].text), texts[i].count);
        ck_assert(proctext_is_worker(texts[i].text) == texts[i].worker);
    }
}
END_TEST

/* States, flags and pending signals of a thread that may be ending. */
START_TEST(dying_follows_the_table)
{
    static const struct {
        const char *text;
        bool dying;
    } texts[] = {
        {"7 (a) S 1 7 7 0 -1 4194560 1 0 0 0 1 2 0 0 20 0 3 0 1 2 3 9 1 1 5 0 0 0 4096 0 17", false},
        {"7 (a) Z 1 7 7 0 -1 4194560 1 0 0 0 1 2 0 0 20 0 3 0 1 2 3 9 1 1 5 0 0 0 4096 0 17", true},
        {"7 (a) X 1 7 7 0 -1 0 1 0 0 0 1 2 0 0 20 0 3 0 1 2 3 9 1 1 5 0 0 0 4096 0 17", true},
        {"7 (a) R 1 7 7 0 -1 4194564 1 0 0 0 1 2 0 0 20 0 3 0 1 2 3 9 1 1 5 0 0 0 4096 0 17", true},
        {"7 (a) t 1 7 7 0 -1 64 1 0 0 0 1 2 0 0 20 0 3 0 1 2 3 9 1 1 5 0 0 256 4096 0 17", true},
        {"7 (a) t 1 7 7 0 -1 64 1 0 0 0 1 2 0 0 20 0 3 0 1 2 3 9 1 1 5 0 0 512 4096 0 17", false},
        {"7 (a) Z 1 7 7 0 -1 64", false},
        {"", false},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ck_assert_msg(proctext_is_dying(texts[i].text) == texts[i].dying, "%s", texts[i].text);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("model/proctext");
    UNIT_ADD_TABLE(tests, schedstat_follows_the_table, schedstats);
    UNIT_ADD_TABLE(tests, blocked_follows_the_table, blockeds);
    UNIT_ADD_TABLE(tests, stat_follows_the_table, stats);
    UNIT_ADD_TABLE(tests, times_follow_the_table, times);
    UNIT_ADD_TABLE(tests, faults_follow_the_table, faults);
    tcase_add_test(tests, the_time_of_the_beginning_is_the_22nd_field);
    tcase_add_test(tests, dying_follows_the_table);
    tcase_add_test(tests, the_real_time_priority_is_the_40th_field);
    UNIT_ADD_TABLE(tests, switches_follow_the_table, switch_texts);
    UNIT_ADD_TABLE(tests, status_number_follows_the_table, status_numbers);
    UNIT_ADD_TABLE(tests, status_numbers_follow_the_table, status_lists);
    UNIT_ADD_TABLE(tests, status_without_the_number, status_texts);
    UNIT_ADD_TABLE(tests, sched_follows_the_table, scheds);
    UNIT_ADD_TABLE(tests, a_maps_line_is_read, maps_lines);
    UNIT_ADD_TABLE(tests, a_cut_maps_line_is_skipped, maps_lines);
    UNIT_ADD_TABLE(tests, a_malformed_maps_line_is_skipped, malformed);
    tcase_add_test(tests, a_line_ends_at_its_end);
    UNIT_ADD_TABLE(tests, a_long_path_is_kept_whole, long_paths);
    UNIT_ADD_TABLE(tests, mount_types_follow_the_table, mount_types);
    tcase_add_test(tests, devices_of_mounts_are_found_whole);
    tcase_add_test(tests, texts_of_this_kernel_are_understood);
    tcase_add_test(tests, the_kind_of_a_program_shows);
    tcase_add_test(tests, workers_follow_the_table);
    return unit_end();
}

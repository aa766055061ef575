/* SPDX-License-Identifier: MIT */
#include "common/model/rank.h"

#include "unit.h"

#include <string.h>

#define ENVIRONMENT(text) text, sizeof(text) - 1

static const struct {
    const char *text;
    size_t size;
    bool known;
    uint32_t number, count;
    const char *job;
} environments[] = {
    {ENVIRONMENT(""), false, 0, 0, ""},
    {ENVIRONMENT("HOME=/root\0PATH=/bin\0"), false, 0, 0, ""},
    {ENVIRONMENT("OMPI_COMM_WORLD_RANK=3\0OMPI_COMM_WORLD_SIZE=4\0"), true, 3, 4, ""},
    {ENVIRONMENT("PMI_SIZE=2\0PMI_RANK=0\0"), true, 0, 2, ""},
    {ENVIRONMENT("PMIX_RANK=7\0"), true, 7, 0, ""},
    /* mpirun in a Slurm job: ranks inherit the batch script's own SLURM_PROCID */
    {ENVIRONMENT("SLURM_PROCID=0\0SLURM_JOB_ID=42\0OMPI_COMM_WORLD_RANK=1\0OMPI_COMM_WORLD_SIZE=2\0"), true, 1, 2,
     "42"},
    {ENVIRONMENT("SLURM_PROCID=0\0SLURM_JOB_ID=42\0"), false, 0, 0, "42"},
    {ENVIRONMENT("SLURM_PROCID=5\0SLURM_STEP_ID=0\0SLURM_STEP_NUM_TASKS=8\0SLURM_JOB_ID=42\0"), true, 5, 8, "42"},
    {ENVIRONMENT("PBS_JOBID=12[3].host-1\0PALS_RANKID=9\0"), true, 9, 0, "12[3].host-1"},
    /* malformed */
    {ENVIRONMENT("OMPI_COMM_WORLD_RANK=\0"), false, 0, 0, ""},
    {ENVIRONMENT("OMPI_COMM_WORLD_RANK=-1\0"), false, 0, 0, ""},
    {ENVIRONMENT("OMPI_COMM_WORLD_RANK=1x\0"), false, 0, 0, ""},
    {ENVIRONMENT("OMPI_COMM_WORLD_RANK=99999999999999999999\0"), false, 0, 0, ""},
    {ENVIRONMENT("OMPI_COMM_WORLD_RANK=x\0PMI_RANK=2\0"), true, 2, 0, ""},
    {ENVIRONMENT("OMPI_COMM_WORLD_RANK=4\0OMPI_COMM_WORLD_SIZE=4\0"), true, 4, 0, ""},
    {ENVIRONMENT("XOMPI_COMM_WORLD_RANK=1\0OMPI_COMM_WORLD_RANKX=1\0"), false, 0, 0, ""},
    {ENVIRONMENT("OMPI_COMM_WORLD_RANK=1"), false, 0, 0, ""}, /* truncated: it could have been 12 */
    {ENVIRONMENT("SLURM_JOB_ID=4/../2\0"), false, 0, 0, ""},
    {ENVIRONMENT("SLURM_JOB_ID=0123456789012345678901234567890123456789\0JOB_ID=7\0"), false, 0, 0, "7"},
    {ENVIRONMENT("\0\0\0PMI_RANK=1\0"), true, 1, 0, ""},
};

START_TEST(environments_follow_the_table)
{
    struct rank rank = rank_of(environments[_i].text, environments[_i].size);
    ck_assert_int_eq(rank.known, environments[_i].known);
    ck_assert_uint_eq(rank.number, environments[_i].number);
    ck_assert_uint_eq(rank.count, environments[_i].count);
    ck_assert_str_eq(rank.job, environments[_i].job);
}
END_TEST

static const struct {
    const char *list;
    bool is_list;
    uint32_t number;
    bool in;
} lists[] = {
    {"0", true, 0, true},
    {"0", true, 1, false},
    {"0,7,100-131", true, 7, true},
    {"0,7,100-131", true, 100, true},
    {"0,7,100-131", true, 131, true},
    {"0,7,100-131", true, 132, false},
    {"0,7,100-131", true, 8, false},
    {"5-5", true, 5, true},
    {"", false, 0, false},
    {",", false, 0, false},
    {"1,", false, 1, false},
    {"-1", false, 1, false},
    {"1-", false, 1, false},
    {"2-1", false, 1, false},
    {"1-2-3", false, 2, false},
    {"1 ,2", false, 1, false},
    {"0-99999999999", false, 1, false},
};

START_TEST(lists_follow_the_table)
{
    ck_assert_int_eq(rank_is_list(lists[_i].list), lists[_i].is_list);
    ck_assert_int_eq(rank_is_in(lists[_i].list, lists[_i].number), lists[_i].in);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("model/rank");
    UNIT_ADD_TABLE(tests, environments_follow_the_table, environments);
    UNIT_ADD_TABLE(tests, lists_follow_the_table, lists);
    return unit_end();
}

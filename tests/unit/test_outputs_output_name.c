/* SPDX-License-Identifier: MIT */
#include "front/outputs/output_name.h"

#include "common/base/error.h"
#include "profile/report/report.h"
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct output_name alone = {{.known = false}, "node7", 4711, 1700000000, 7, false};
static const struct output_name exact = {{.known = false}, "node7", 4711, 1700000000, 7, true};
static const struct output_name third = {{true, 3, 1000, "42"}, "node7", 4711, 1700000000, 0, false};
static const struct output_name single = {{true, 0, 1, ""}, "node7", 4711, 1700000000, 0, false};
static const struct output_name uncounted = {{true, 5, 0, ""}, "node7", 4711, 1700000000, 0, false};

static const struct {
    const struct output_name *name;
    const char *pattern, *format, *path; /* PATH NULL: an error */
} names[] = {
    {&alone, "run.pb.gz", "pprof", "run.pb.gz"},
    {&alone, "-", "flat", "-"},
    {&alone, "%h-%p-%t.txt", "flat", "node7-4711-20231114T221320Z.txt"},
    {&exact, "%t.pb.gz", "pprof", "20231114T221320.007Z.pb.gz"},
    {&alone, "100%%.txt", "flat", "100%.txt"},
    {&alone, "run.%r.pb.gz", "pprof", NULL},
    {&alone, "run.%n.pb.gz", "pprof", NULL},
    {&alone, "run.%j.pb.gz", "pprof", NULL},
    {&alone, "run.%x.pb.gz", "pprof", NULL},
    {&alone, "run.%", "pprof", NULL},
    {&third, "run.%r.pb.gz", "pprof", "run.003.pb.gz"},
    {&third, "%j/%r.of.%n.pb.gz", "pprof", "42/003.of.1000.pb.gz"},
    /* each rank or interval has its own file */
    {&third, "run.pb.gz", "pprof", "run.003.pb.gz"},
    {&third, "a.b/run", "pprof", "a.b/run.003"},
    {&third, "x.speedscope.json", "speedscope", "x.003.speedscope.json"},
    {&third, "callgrind.out", "callgrind", "callgrind.out.003"},
    {&third, "run.%h.pb.gz", "pprof", "run.node7.003.pb.gz"},
    {&third, "run.%p.pb.gz", "pprof", "run.4711.pb.gz"},
    {&third, "run.%%r.pb.gz", "pprof", "run.%r.003.pb.gz"},
    {&third, "-", "flat", "-"},
    {&single, "run.pb.gz", "pprof", "run.pb.gz"},
    {&single, "run.%r.pb.gz", "pprof", "run.0.pb.gz"},
    {&uncounted, "run.%r.pb.gz", "pprof", "run.5.pb.gz"},
    {&uncounted, "run.%n.pb.gz", "pprof", NULL},
};

START_TEST(names_follow_the_table)
{
    struct error error = {0};
    const struct report_format *format = report_format_by_name(names[_i].format);
    ck_assert_ptr_nonnull(format);
    char *path = output_name_expand(names[_i].name, names[_i].pattern, format, &error);
    ck_assert_pstr_eq(path, names[_i].path);
    ck_assert_int_eq(error.errnum, names[_i].path ? 0 : EINVAL);
    free(path);
}
END_TEST

/* Folders are created if a rank or a time is part of their name. Others must exist, because of typing errors. */
static const char *const replaced[] = {"%h/two/x.txt", "one/two/%p.txt", "one/%h/x.txt"};

START_TEST(folders_of_a_name_with_replaced_parts_are_made)
{
    struct error error = {0};
    struct stat about;
    char folder[] = "/tmp/ptprofil-test.XXXXXX", pattern[128], path[128];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/one/two/x.txt", folder);
    ck_assert_int_eq(output_name_folders(path, path, &error), 0);
    snprintf(pattern, sizeof pattern, "%s/one", folder);
    ck_assert_int_ne(stat(pattern, &about), 0);
    snprintf(pattern, sizeof pattern, "%s/%s", folder, replaced[_i]);
    ck_assert_int_eq(output_name_folders(pattern, path, &error), 0);
    ck_assert_int_eq(output_name_folders(pattern, path, &error), 0); /* they may exist */
    snprintf(pattern, sizeof pattern, "%s/one/two", folder);
    ck_assert_int_eq(stat(pattern, &about), 0);
    ck_assert_int_eq(rmdir(pattern), 0);
    snprintf(pattern, sizeof pattern, "%s/one", folder);
    ck_assert_int_eq(rmdir(pattern), 0);
    ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

/* What another user has made in a folder like /tmp, by its mode. */
static const struct planted {
    unsigned around;    /* mode of the folder around it */
    uid_t owner, maker; /* of that folder, and of what is in it */
    bool link;          /* to a folder of ours */
    int result;
} plants[] = {
    {01777, 0, 65534, false, -EACCES},
    {01777, 0, 65534, true, -EACCES},
    {01770, 65533, 65534, false, -EACCES},
    {01777, 0, 0, false, 0},
    {01777, 0, 0, true, 0},
    {01777, 65534, 65534, false, -EACCES}, /* the folder around it is in /tmp, too */
    {0755, 0, 65534, false, 0},            /* root gave it to the user */
};

START_TEST(folders_of_strangers_are_refused)
{
    const struct planted *row = &plants[_i];
    char folder[] = "/tmp/ptprofil-test.XXXXXX", place[64], ours[64], inner[80], pattern[80], path[80];
    if (geteuid() != 0) /* only root can give a folder to another user */
        return;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(ours, sizeof ours, "%s/ours", folder);
    snprintf(place, sizeof place, "%s/job", folder);
    ck_assert_int_eq(mkdir(ours, 0755), 0);
    ck_assert_int_eq(row->link ? symlink(ours, place) : mkdir(place, 0755), 0);
    ck_assert_int_eq(lchown(place, row->maker, 0), 0);
    ck_assert_int_eq(chown(folder, row->owner, 0), 0);
    ck_assert_int_eq(chmod(folder, row->around), 0);
    static const char *const inside[] = {"job/run.txt", "job/deeper/run.txt", "./ours/../job/run.txt"};
    for (size_t i = 0; i < UNIT_ROWS(inside); i++) {
        struct error error = {0};
        snprintf(pattern, sizeof pattern, "%s/%%t/x", folder);
        snprintf(path, sizeof path, "%s/%s", folder, inside[i]);
        ck_assert_int_eq(output_name_folders(pattern, path, &error), row->result);
        ck_assert(!row->result || strstr(error.text, "another user made it"));
    }
    snprintf(inner, sizeof inner, "%s/deeper", place);
    ck_assert_int_eq(rmdir(inner), row->result ? -1 : 0); /* nothing is made in it */
    ck_assert_int_eq(row->link ? unlink(place) : rmdir(place), 0);
    ck_assert_int_eq(rmdir(ours), 0);
    ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

/* A link of ours to another's folder is followed only if that folder may be used. */
START_TEST(folders_of_strangers_are_refused_behind_links)
{
    struct error error = {0};
    char folder[] = "/tmp/ptprofil-test.XXXXXX", theirs[64], link[64], path[80];
    if (geteuid() != 0)
        return;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(theirs, sizeof theirs, "%s/theirs", folder);
    snprintf(link, sizeof link, "%s/link", folder);
    snprintf(path, sizeof path, "%s/x.txt", link);
    ck_assert_int_eq(mkdir(theirs, 0755), 0);
    ck_assert_int_eq(chown(theirs, 65534, 0), 0);
    ck_assert_int_eq(symlink(theirs, link), 0);
    ck_assert_int_eq(output_name_folders("%h/x", path, &error), 0);
    ck_assert_int_eq(chmod(folder, 01777), 0);
    ck_assert_int_eq(output_name_folders("%h/x", path, &error), -EACCES);
    ck_assert_int_eq(unlink(link), 0);
    ck_assert_int_eq(rmdir(theirs), 0);
    ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("outputs/output_name");
    UNIT_ADD_TABLE(tests, names_follow_the_table, names);
    UNIT_ADD_TABLE(tests, folders_of_a_name_with_replaced_parts_are_made, replaced);
    UNIT_ADD_TABLE(tests, folders_of_strangers_are_refused, plants);
    tcase_add_test(tests, folders_of_strangers_are_refused_behind_links);
    return unit_end();
}

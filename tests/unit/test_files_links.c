/* SPDX-License-Identifier: MIT */
#include "programs/files/links.h"

#include "elf_fixtures.h"
#include "programs/elf/file.h"

/* Paths below the temporary directory, resolved with this directory as root. */
static const struct {
    const char *path, *place;
    int result;
} ways[] = {
    {"/a/b/file", "/a/b/file", 0},
    {"/a//b/./file", NULL, 0},
    {"/a/../a/b/file", "/a/b/file", 0},
    {"/../../a/b/file", "/a/b/file", 0},
    {"/", NULL, 0},
    {"/a/beside", "/a/b/file", 0},
    {"/a/above", "/a/b/file", 0},
    {"/from-top", "/a/b/file", 0},
    {"/folder/file", "/a/b/file", 0},
    {"/chain", "/a/b/file", 0},
    {"/folder/../b/file", "/a/b/file", 0}, /* "..", applied to the link's target */
    {"/a/out", "/a/b/file", 0},            /* a link cannot lead out of the root */
    {"/none", NULL, -ENOENT},
    {"/dangling", NULL, -ENOENT},
    {"/a/b/file/x", NULL, -ENOTDIR},
    {"/loop", NULL, -ELOOP},
};

static void set_up(void)
{
    fixture_run("mkdir -p a/b; echo text >a/b/file; ln -s b/file a/beside; ln -s ../a/b/file a/above; "
                "ln -s /a/b/file from-top; ln -s a/b folder; ln -s a/above chain; ln -s ../../../a/b/file a/out; "
                "ln -s none dangling; ln -s loop loop");
}

START_TEST(links_are_followed)
{
    char place[PATH_MAX];
    int result = links_resolve(fixture_path("."), ways[_i].path, place);
    if (result == -ENOSYS)
        return; /* an old kernel, or a sandbox */
    ck_assert_msg(result == ways[_i].result, "%s: %d", ways[_i].path, result);
    if (ways[_i].place)
        ck_assert_str_eq(place, ways[_i].place);
}
END_TEST

START_TEST(too_long_paths_are_refused)
{
    char path[PATH_MAX] = "/", place[PATH_MAX];
    ck_assert_int_eq(links_resolve(fixture_path("none"), "/a", place), -ENOENT);
    for (size_t i = 1; i + 3 < sizeof path; i += 2)
        memcpy(path + i, "./", 3);
    ck_assert_int_eq(links_resolve("", path, place), 0);
    memset(path + 1, 'x', sizeof path - 2);
    ck_assert_int_eq(links_resolve("", path, place), -ENAMETOOLONG);
}
END_TEST

int main(void)
{
    TCase *tests = fixture_begin("files/links");
    if (!tests)
        return 77;
    tcase_add_unchecked_fixture(tests, set_up, NULL);
    UNIT_ADD_TABLE(tests, links_are_followed, ways);
    tcase_add_test(tests, too_long_paths_are_refused);
    return fixture_end();
}

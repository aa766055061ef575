/* SPDX-License-Identifier: MIT */
#include "programs/files/identity.h"

#include "elf_fixtures.h"
#include "programs/elf/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

static void set_up(void)
{
    fixture_run("echo text >file; echo text >other; ln file again; mkfifo fifo; mkdir directory");
}

static struct file_identity identity_of(const char *name, int flags)
{
    int fd = open(*name == '/' ? name : fixture_path(name), flags | O_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    struct file_identity identity = file_identity_of(fd);
    close(fd);
    return identity;
}

/* Returns the identity, in /proc/self/maps, of the file that this program is mapped from. */
static struct file_identity own_mapping(void)
{
    struct file_identity found = {0};
    unsigned long start, end, inode;
    char line[4096];
    FILE *maps = fopen("/proc/self/maps", "re");
    ck_assert_ptr_nonnull(maps);
    while (!found.inode && fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx %*s %*s %x:%x %lu", &start, &end, &found.device_major, &found.device_minor, &inode) ==
                5 &&
            start <= (uintptr_t)set_up && (uintptr_t)set_up < end)
            found.inode = inode;
    fclose(maps);
    return found;
}

START_TEST(a_program_is_what_it_is_mapped_as)
{
    struct file_identity wanted = own_mapping(), seen = identity_of("/proc/self/exe", O_RDONLY);
    ck_assert_uint_ne(wanted.inode, 0);
    ck_assert(file_identity_equal(&seen, &wanted));
}
END_TEST

static const struct {
    const char *one, *other;
    bool equal;
} pairs[] = {
    {"file", "file", true},
    {"file", "again", true},
    {"file", "other", false},
    {"file", "/proc/self/exe", false},
};

START_TEST(files_are_distinguished)
{
    struct file_identity one = identity_of(pairs[_i].one, O_RDONLY), other = identity_of(pairs[_i].other, O_RDONLY);
    ck_assert_int_eq(file_identity_equal(&one, &other), pairs[_i].equal);
}
END_TEST

static const struct file_identity others[] = {{1, 2, 4, false}, {1, 3, 3, false}, {2, 2, 3, false}};

START_TEST(each_number_counts)
{
    const struct file_identity one = {1, 2, 3, false}, changed = {1, 2, 3, true};
    ck_assert(!file_identity_equal(&one, &others[_i]));
    ck_assert(file_identity_equal(&one, &changed)); /* the path is not a part of the identity */
}
END_TEST

static const struct {
    const char *name;
    int flags;
} not_mapped[] = {{"directory", O_RDONLY}, {"fifo", O_RDONLY | O_NONBLOCK}, {"file", O_PATH}};

START_TEST(unmappable_files_have_their_stat)
{
    struct stat about;
    ck_assert_int_eq(stat(fixture_path(not_mapped[_i].name), &about), 0);
    struct file_identity seen = identity_of(not_mapped[_i].name, not_mapped[_i].flags);
    const struct file_identity wanted = {major(about.st_dev), minor(about.st_dev), about.st_ino, false};
    ck_assert(file_identity_equal(&seen, &wanted));
}
END_TEST

START_TEST(no_file_has_no_identity)
{
    const struct file_identity nothing = {0};
    struct file_identity seen = file_identity_of(-1);
    ck_assert(file_identity_equal(&seen, &nothing));
}
END_TEST

static size_t maps_lines(void)
{
    size_t lines = 0;
    FILE *maps = fopen("/proc/self/maps", "re");
    ck_assert_ptr_nonnull(maps);
    for (int byte; (byte = fgetc(maps)) != EOF;)
        lines += byte == '\n';
    fclose(maps);
    return lines;
}

START_TEST(nothing_stays_mapped)
{
    identity_of("file", O_RDONLY);
    size_t before = maps_lines();
    for (int i = 0; i < 10; i++)
        identity_of("file", O_RDONLY);
    ck_assert_uint_le(maps_lines(), before + 2);
}
END_TEST

int main(void)
{
    TCase *tests = fixture_begin("files/identity");
    if (!tests)
        return 77;
    tcase_add_unchecked_fixture(tests, set_up, NULL);
    tcase_add_test(tests, a_program_is_what_it_is_mapped_as);
    UNIT_ADD_TABLE(tests, files_are_distinguished, pairs);
    UNIT_ADD_TABLE(tests, each_number_counts, others);
    UNIT_ADD_TABLE(tests, unmappable_files_have_their_stat, not_mapped);
    tcase_add_test(tests, no_file_has_no_identity);
    tcase_add_test(tests, nothing_stays_mapped);
    return fixture_end();
}

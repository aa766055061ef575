/* SPDX-License-Identifier: MIT */
#include "front/outputs/file.h"

#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { STRANGER = 65534 };

/* The folder of a test, which is its working directory. */
static char folder[] = "/tmp/test_outputs_file.XXXXXX";

static void begin(void)
{
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
    umask(022);
}

/* Removes the files of the test, and folders that are empty then. */
static void remove_all(const char *path)
{
    DIR *directory = opendir(path);
    const struct dirent *entry;
    char name[PATH_MAX];
    while (directory && (entry = readdir(directory)))
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..")) {
            snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
            if (unlink(name) < 0)
                remove_all(name);
        }
    if (directory)
        closedir(directory);
    rmdir(path);
}

static void end(void)
{
    ck_assert_int_eq(chdir("/"), 0);
    remove_all(folder);
}

/* Returns the number of names in the test's folder. */
static unsigned names(void)
{
    DIR *directory = opendir(".");
    unsigned count = 0;
    while (readdir(directory))
        count++;
    closedir(directory);
    return count - 2;
}

static void make(const char *path, const char *text)
{
    FILE *stream = fopen(path, "w");
    ck_assert_ptr_nonnull(stream);
    fputs(text, stream);
    ck_assert_int_eq(fclose(stream), 0);
}

static void has(const char *path, const char *text)
{
    char content[4096] = "";
    FILE *stream = fopen(path, "r");
    ck_assert_msg(stream, "%s: %s", path, strerror(errno));
    content[fread(content, 1, sizeof content - 1, stream)] = 0;
    fclose(stream);
    ck_assert_str_eq(content, text);
}

static ino_t inode_of(const char *path)
{
    struct stat about;
    ck_assert_int_eq(lstat(path, &about), 0);
    return about.st_ino;
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* Writes TEXT to FILE, with the RESULT of writing. Returns what file_finish returns. */
static int put(struct file *file, const char *text, int result)
{
    FILE *stream = file_begin(file);
    ck_assert_msg(stream, "%s", strerror(errno));
    if (fputs(text, stream) < 0)
        result = -errno;
    result = file_finish(file, stream, result);
    ck_assert_int_eq(file->fd, -1);
    ck_assert_ptr_null(file->place);
    ck_assert_ptr_null(file->temporary);
    return result;
}

static int put_version(struct file *file, const char *text, int result)
{
    FILE *stream = file_begin_version(file);
    ck_assert_msg(stream, "%s", strerror(errno));
    if (fputs(text, stream) < 0)
        result = -errno;
    result = file_finish_version(file, stream, result);
    ck_assert_ptr_null(file->temporary);
    return result;
}

static struct file opened(const char *path)
{
    struct file file;
    ck_assert_int_eq(file_open(&file, path), 0);
    return file;
}

START_TEST(new_file)
{
    struct stat about;
    struct file file = opened("new");
    ck_assert(exists("new") && file.created && file_is_regular(&file));
    ck_assert_int_eq(put(&file, "text", 0), 0);
    has("new", "text");
    ck_assert_int_eq(stat("new", &about), 0);
    ck_assert_uint_eq(about.st_mode & 07777, 0644);
    ck_assert_uint_eq(names(), 1);
}
END_TEST

START_TEST(new_file_is_removed)
{
    struct file file = opened("abandoned");
    file_end(&file, true);
    file = opened("failed");
    ck_assert_int_eq(put(&file, "text", -EIO), -EIO);
    ck_assert_uint_eq(names(), 0);
    file = opened("kept");
    file_end(&file, false);
    ck_assert(exists("kept"));
}
END_TEST

START_TEST(replaces)
{
    struct stat about;
    make("old", "old content");
    ck_assert_int_eq(chmod("old", 0640), 0);
    ino_t inode = inode_of("old");
    struct file file = opened("old");
    ck_assert(!file.created);
    has("old", "old content");
    FILE *stream = file_begin(&file);
    ck_assert_ptr_nonnull(stream);
    fputs("new", stream);
    fflush(stream);
    has("old", "old content");
    ck_assert_int_eq(file_finish(&file, stream, 0), 0);
    has("old", "new");
    ck_assert_uint_ne(inode_of("old"), inode);
    ck_assert_int_eq(stat("old", &about), 0);
    ck_assert_uint_eq(about.st_mode & 07777, 0640);
    ck_assert_uint_eq(names(), 1);
}
END_TEST

START_TEST(failure_keeps_old_content)
{
    make("old", "old content");
    struct file file = opened("old");
    ck_assert_int_eq(put(&file, "new", -ENOMEM), -ENOMEM);
    has("old", "old content");
    file = opened("old");
    file_end(&file, true);
    has("old", "old content");
    ck_assert_uint_eq(names(), 1);
}
END_TEST

START_TEST(replaces_target_of_link)
{
    make("target", "old content");
    ck_assert_int_eq(symlink("target", "link"), 0);
    ino_t link = inode_of("link"), target = inode_of("target");
    struct file file = opened("link");
    ck_assert_int_eq(put(&file, "new", 0), 0);
    has("target", "new");
    ck_assert_uint_eq(inode_of("link"), link);
    ck_assert_uint_ne(inode_of("target"), target);
    ck_assert_uint_eq(names(), 2);
}
END_TEST

START_TEST(makes_target_of_link)
{
    ck_assert_int_eq(symlink("missing", "link"), 0);
    struct file file = opened("link");
    ck_assert(file.created);
    ck_assert_int_eq(put(&file, "new", 0), 0);
    has("missing", "new");
    file = opened("link");
    file_end(&file, true);
    has("missing", "new");
}
END_TEST

/* Another name leads to the same file, so it is written in place. */
START_TEST(hard_link)
{
    make("one", "old content");
    ck_assert_int_eq(link("one", "other"), 0);
    ino_t inode = inode_of("one");
    struct file file = opened("one");
    ck_assert(!file_has_versions(&file));
    ck_assert_ptr_null(file_begin_version(&file));
    ck_assert_int_eq(errno, ENOTSUP);
    ck_assert_int_eq(put(&file, "new", 0), 0);
    has("other", "new");
    ck_assert_uint_eq(inode_of("one"), inode);
    file = opened("one");
    ck_assert_int_eq(put(&file, "part", -EIO), -EIO);
    has("one", "");
    ck_assert_uint_eq(names(), 2);
}
END_TEST

/* No new file can have these attributes by itself. */
START_TEST(attributes)
{
    make("old", "old content");
    ino_t inode = inode_of("old");
    if (setxattr("old", "user.note", "x", 1, 0) < 0)
        return; /* the file system of /tmp has none */
    struct file file = opened("old");
    ck_assert_ptr_null(file_begin_version(&file));
    ck_assert_int_eq(errno, ENOTSUP);
    ck_assert_int_eq(put(&file, "new", 0), 0);
    has("old", "new");
    ck_assert_uint_eq(inode_of("old"), inode);
    ck_assert_uint_eq(names(), 1);
}
END_TEST

/* There is no room in its folder for a longer name, so it is written in place. */
START_TEST(longest_name)
{
    char name[NAME_MAX + 1] = "";
    memset(name, 'x', NAME_MAX);
    make(name, "old content");
    ino_t inode = inode_of(name);
    struct file file = opened(name);
    FILE *stream = file_begin_version(&file);
    if (stream) {
        fputs("version", stream);
        ck_assert_int_eq(file_finish_version(&file, stream, 0), -ENAMETOOLONG);
    }
    has(name, "old content");
    ck_assert_int_eq(put(&file, "new", 0), 0);
    has(name, "new");
    ck_assert_uint_eq(inode_of(name), inode);
    ck_assert_uint_eq(names(), 1);
}
END_TEST

/* Returns false if this process may not mount. */
static bool mounts(void)
{
    return unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

/* LATER: the mount is made while the file is written. */
START_TEST(mount_point)
{
    bool later = _i & 1;
    int failure = _i & 2 ? -EIO : 0;
    make("old", "old content");
    make("mounted", "its content");
    if (!mounts() || (!later && mount("mounted", "old", NULL, MS_BIND, NULL) < 0))
        return;
    struct file file = opened("old");
    FILE *stream = file_begin(&file);
    ck_assert_ptr_nonnull(stream);
    if (later)
        ck_assert_int_eq(mount("mounted", "old", NULL, MS_BIND, NULL), 0);
    fputs("new", stream);
    ck_assert_int_eq(file_finish(&file, stream, failure), failure);
    ck_assert_int_eq(umount("old"), 0);
    has("mounted", later ? "its content" : failure ? "" : "new");
    has("old", later && !failure ? "new" : "old content");
    ck_assert_uint_eq(names(), 2);
}
END_TEST

START_TEST(removed_meanwhile)
{
    make("old", "old content");
    struct file file = opened("old");
    ck_assert_int_eq(unlink("old"), 0);
    ck_assert_int_eq(put(&file, "new", 0), 0);
    has("old", "new");
    file = opened("made");
    ck_assert_int_eq(unlink("made"), 0);
    ck_assert_int_eq(put(&file, "new", -EIO), -EIO);
    ck_assert(!exists("made"));
    ck_assert_uint_eq(names(), 1);
}
END_TEST

START_TEST(replaced_meanwhile)
{
    make("old", "old content");
    struct file file = opened("old");
    ck_assert_int_eq(unlink("old"), 0);
    make("old", "of another");
    ck_assert_int_eq(put(&file, "new", -EIO), -EIO);
    has("old", "of another");
    file = opened("old");
    ck_assert_int_eq(unlink("old"), 0);
    make("old", "of another");
    ck_assert_int_eq(put(&file, "new", 0), 0);
    has("old", "new");
    ck_assert_uint_eq(names(), 1);
}
END_TEST

START_TEST(folder_removed_meanwhile)
{
    ck_assert_int_eq(mkdir("sub", 0755), 0);
    struct file file = opened("sub/new");
    ck_assert_int_eq(unlink("sub/new"), 0);
    ck_assert_int_eq(rmdir("sub"), 0);
    ck_assert_ptr_null(file_begin(&file));
    ck_assert_int_eq(errno, ENOENT);
    ck_assert_int_eq(file.fd, -1);
    ck_assert_ptr_null(file.place);
}
END_TEST

/* Another user's files in a folder like /tmp. FOLDER: its owner. */
static const struct {
    uid_t folder, file;
    mode_t mode;
    bool fifo;
    int result;
} owners[] = {
    {0, STRANGER, 01777, false, -EACCES},
    {0, STRANGER, 01777, true, -EACCES},
    {0, STRANGER, 01770, false, -EACCES},
    {0, STRANGER, 0777, false, 0},
    {0, STRANGER, 01755, false, 0},
    {0, 0, 01777, false, 0},
    {STRANGER, STRANGER, 01777, false, 0}, /* it is that user's folder */
    {STRANGER, STRANGER - 1, 01777, false, -EACCES},
};

START_TEST(sticky_folder)
{
    if (geteuid())
        return; /* only root can make another user's files */
    ck_assert_int_eq(mkdir("sub", 0700), 0);
    if (owners[_i].fifo)
        ck_assert_int_eq(mkfifo("sub/file", 0666), 0);
    else
        make("sub/file", "its content");
    ck_assert_int_eq(chown("sub/file", owners[_i].file, owners[_i].file), 0);
    ck_assert_int_eq(chmod("sub/file", 0666), 0);
    ck_assert_int_eq(chown("sub", owners[_i].folder, owners[_i].folder), 0);
    ck_assert_int_eq(chmod("sub", owners[_i].mode), 0);
    struct file file;
    ck_assert_int_eq(file_open(&file, "sub/file"), owners[_i].result);
    if (owners[_i].result) {
        ck_assert_int_eq(file.fd, -1);
        return;
    }
    struct stat about;
    ck_assert_int_eq(put(&file, "new", 0), 0);
    has("sub/file", "new");
    ck_assert_int_eq(stat("sub/file", &about), 0);
    ck_assert_uint_eq(about.st_uid, owners[_i].file);
}
END_TEST

/* A file that another user puts there after ours was removed. */
START_TEST(planted_meanwhile)
{
    if (geteuid())
        return;
    ck_assert_int_eq(mkdir("sub", 0700), 0);
    ck_assert_int_eq(chmod("sub", 01777), 0);
    struct file file = opened("sub/file");
    ck_assert_int_eq(unlink("sub/file"), 0);
    make("sub/file", "its content");
    ck_assert_int_eq(chown("sub/file", STRANGER, STRANGER), 0);
    ck_assert_int_eq(file_follow(&file), -EACCES);
    ck_assert_ptr_null(file_begin(&file));
    ck_assert_int_eq(errno, EACCES);
    has("sub/file", "its content");
}
END_TEST

/* A descriptor of our caller, by each of its names: text is added at its position. */
static const char *const inherited[] = {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "out"};

START_TEST(standard_output)
{
    make("out", "before, after");
    int saved = dup(STDOUT_FILENO), out = open("out", O_WRONLY);
    fflush(stdout);
    ck_assert_int_eq(lseek(out, strlen("before, "), SEEK_SET), strlen("before, "));
    ck_assert_int_eq(dup2(out, STDOUT_FILENO), STDOUT_FILENO);
    close(out);
    struct file file;
    int result = file_open(&file, inherited[_i]), same = result;
    bool standard = file.standard, regular = file_is_regular(&file), versions = file_has_versions(&file);
    FILE *stream = file_begin(&file);
    if (stream && fputs("now", stream) >= 0)
        same = file_finish(&file, stream, -EIO);
    dup2(saved, STDOUT_FILENO);
    ck_assert_int_eq(result, 0);
    ck_assert_int_eq(same, -EIO);
    ck_assert(standard && !regular && !versions);
    has("out", "before, after"); /* of a failure, nothing that was not written yet is written */
    ck_assert_uint_eq(names(), 1);
}
END_TEST

START_TEST(high_descriptor)
{
    char path[32];
    make("out", "before");
    int out = open("out", O_WRONLY | O_APPEND), other = open("out", O_WRONLY | O_CLOEXEC);
    snprintf(path, sizeof path, "/dev/fd/%d", out);
    struct file file = opened(path);
    ck_assert(file.standard);
    ck_assert_int_eq(put(&file, ", after", 0), 0);
    has("out", "before, after");
    close(out);
    file = opened("out");
    ck_assert(!file.standard); /* our own descriptors do not count */
    file_end(&file, false);
    close(other);
}
END_TEST

START_TEST(standard_input)
{
    int saved = dup(STDOUT_FILENO), in = open("/dev/null", O_RDONLY);
    struct file file;
    fflush(stdout);
    dup2(in, STDOUT_FILENO);
    int result = file_open(&file, "-");
    dup2(saved, STDOUT_FILENO);
    ck_assert_int_eq(result, -EBADF);
    ck_assert_int_eq(file.fd, -1);
}
END_TEST

START_TEST(devices)
{
    struct file file = opened("/dev/null");
    ck_assert(!file.created && !file_is_regular(&file) && !file_has_versions(&file));
    ck_assert_int_eq(put(&file, "text", 0), 0);
    ck_assert(exists("/dev/null"));
    file = opened("/dev/full");
    ck_assert_int_eq(put(&file, "text", 0), -ENOSPC);
    ck_assert(exists("/dev/full"));
}
END_TEST

START_TEST(fifo)
{
    char text[8] = "";
    ck_assert_int_eq(mkfifo("fifo", 0600), 0);
    int reader = open("fifo", O_RDONLY | O_NONBLOCK);
    struct file file = opened("fifo");
    ck_assert(!file_is_regular(&file));
    ck_assert_int_eq(put(&file, "text", 0), 0);
    ck_assert_int_eq(read(reader, text, sizeof text), 4);
    ck_assert_str_eq(text, "text");
    ck_assert(exists("fifo"));
    close(reader);
}
END_TEST

/* HARD: written in place. */
START_TEST(limit_of_size)
{
    static const char *const lefts[] = {"old content", "", NULL};
    static char most[100000];
    bool hard = _i == 1, new = _i == 2;
    memset(most, 'x', sizeof most - 1);
    if (!new)
        make("old", "old content");
    if (hard)
        ck_assert_int_eq(link("old", "other"), 0);
    struct file file = opened("old");
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, RLIM_INFINITY}), 0);
    int result = put(&file, most, 0);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY}), 0);
    ck_assert_int_eq(result, -EFBIG);
    if (lefts[_i])
        has("old", lefts[_i]);
    ck_assert_uint_eq(names(), new ? 0 : hard ? 2 : 1);
}
END_TEST

START_TEST(versions)
{
    struct stat about;
    make("old", "old content");
    ck_assert_int_eq(chmod("old", 0640), 0);
    struct file file = opened("old");
    ck_assert(file_has_versions(&file));
    FILE *stream = file_begin_version(&file);
    ck_assert_ptr_nonnull(stream);
    fputs("first", stream);
    fflush(stream);
    has("old", "old content");
    ck_assert_int_eq(file_finish_version(&file, stream, 0), 0);
    has("old", "first");
    ck_assert_int_eq(stat("old", &about), 0);
    ck_assert_uint_eq(about.st_mode & 07777, 0640);
    ck_assert(!file_has_versions(&file)); /* it is open on the file that is gone */
    ck_assert_int_eq(file_follow(&file), 0);
    ck_assert_int_eq(put_version(&file, "second", -EIO), -EIO);
    has("old", "first");
    ck_assert_int_eq(put_version(&file, "second", 0), 0);
    ck_assert_int_eq(put(&file, "last", 0), 0);
    has("old", "last");
    ck_assert_uint_eq(names(), 1);
}
END_TEST

/* The file that a version replaces was created by us: if the end fails, it is complete and stays. */
START_TEST(versions_of_new_file)
{
    struct file file = opened("new");
    pid_t child = fork();
    int status = 0;
    if (child == 0)
        _exit(put_version(&file, "by a child", 0) != 0);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    ck_assert_int_eq(file_follow(&file), 0);
    has("new", "by a child");
    ck_assert_int_eq(put(&file, "last", -EIO), -EIO);
    has("new", "by a child");
    ck_assert_uint_eq(names(), 1);
}
END_TEST

START_TEST(version_too_large)
{
    static char most[100000];
    memset(most, 'x', sizeof most - 1);
    make("old", "old content");
    struct file file = opened("old");
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, RLIM_INFINITY}), 0);
    ck_assert_int_eq(put_version(&file, most, 0), -EFBIG);
    has("old", "old content");
    ck_assert_uint_eq(names(), 1);
    file_end(&file, true);
    has("old", "old content");
}
END_TEST

START_TEST(same_file)
{
    make("one", "");
    make("two", "");
    ck_assert_int_eq(link("one", "other"), 0);
    struct file one = opened("one"), other = opened("other"), two = opened("two"), null = opened("/dev/null"),
                again = opened("/dev/null");
    ck_assert(file_is_same(&one, &other));
    ck_assert(!file_is_same(&one, &two));
    ck_assert(!file_is_same(&null, &again)); /* both may be written */
    struct file *const all[] = {&one, &other, &two, &null, &again};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        file_end(all[i], true);
    ck_assert_uint_eq(names(), 3);
}
END_TEST

START_TEST(cannot_open)
{
    struct file file;
    ck_assert_int_eq(file_open(&file, "missing/file"), -ENOENT);
    ck_assert_int_eq(file.fd, -1);
    ck_assert_int_eq(file_open(&file, "."), -EISDIR);
    ck_assert_int_eq(file.fd, -1);
    file_end(&file, true);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("outputs/file");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, new_file);
    tcase_add_test(tests, new_file_is_removed);
    tcase_add_test(tests, replaces);
    tcase_add_test(tests, failure_keeps_old_content);
    tcase_add_test(tests, replaces_target_of_link);
    tcase_add_test(tests, makes_target_of_link);
    tcase_add_test(tests, hard_link);
    tcase_add_test(tests, attributes);
    tcase_add_test(tests, longest_name);
    tcase_add_loop_test(tests, mount_point, 0, 4);
    tcase_add_test(tests, removed_meanwhile);
    tcase_add_test(tests, replaced_meanwhile);
    tcase_add_test(tests, folder_removed_meanwhile);
    UNIT_ADD_TABLE(tests, sticky_folder, owners);
    tcase_add_test(tests, planted_meanwhile);
    UNIT_ADD_TABLE(tests, standard_output, inherited);
    tcase_add_test(tests, high_descriptor);
    tcase_add_test(tests, standard_input);
    tcase_add_test(tests, devices);
    tcase_add_test(tests, fifo);
    tcase_add_loop_test(tests, limit_of_size, 0, 3);
    tcase_add_test(tests, versions);
    tcase_add_test(tests, versions_of_new_file);
    tcase_add_test(tests, version_too_large);
    tcase_add_test(tests, same_file);
    tcase_add_test(tests, cannot_open);
    return unit_end();
}

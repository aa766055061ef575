/* SPDX-License-Identifier: MIT */
#include "front/record/object.h"

#include "common/model/address_map.h"
#include "programs/files/identity.h"
#include "programs/files/mounts.h"
#include "unit.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[PATH_MAX];

static void make_folder(void)
{
    const char *place = getenv("TMPDIR");
    char whole[PATH_MAX]; /* the kernel's name of it */
    ck_assert_ptr_nonnull(realpath(place && *place == '/' ? place : "/tmp", whole));
    snprintf(folder, sizeof folder, "%.3000s/objects.XXXXXX", whole);
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(void)
{
    static const char *const names[] = {"plain", "other", "link", "to-fifo", "fifo", "socket", "folder", "a\nb"};
    ck_assert_int_eq(chdir(folder), 0);
    for (size_t i = 0; i < UNIT_ROWS(names); i++)
        if (unlink(names[i]) < 0)
            rmdir(names[i]);
    rmdir(folder);
}

static const char *in_folder(const char *name)
{
    static char paths[4][PATH_MAX + 300];
    static unsigned next;
    char *path = paths[next++ % UNIT_ROWS(paths)];
    snprintf(path, sizeof *paths, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

/* The range of a mapping of WHAT whose maps line has the path NAME. */
static struct address_range range_of(const char *what, char *name)
{
    struct stat about;
    ck_assert_int_eq(stat(what, &about), 0);
    int fd = open(what, (S_ISREG(about.st_mode) ? O_RDONLY : O_PATH) | O_CLOEXEC);
    struct file_identity identity = file_identity_of(fd);
    close(fd);
    return (struct address_range){
        .start = 0x1000,
        .end = 0x2000,
        .inode = identity.inode,
        .device_major = identity.device_major,
        .device_minor = identity.device_minor,
        .path = name,
    };
}

static char *copy_of(const char *text)
{
    static char copies[4][2 * PATH_MAX];
    static unsigned next;
    char *copy = copies[next++ % UNIT_ROWS(copies)];
    size_t length = strlen(text);
    ck_assert_uint_lt(length, sizeof *copies);
    memmove(copy, text, length + 1);
    return copy;
}

static const struct object *add_range(struct objects *objects, const struct address_range *range)
{
    uint32_t number = objects_of_range(objects, getpid(), range);
    ck_assert_uint_ne(number, HASH_NONE);
    ck_assert_uint_lt(number, objects->count);
    return &objects->items[number];
}

static void expect_content(int fd, const char *text)
{
    char read[100] = "";
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(pread(fd, read, sizeof read - 1, 0), (ssize_t)strlen(text));
    ck_assert_str_eq(read, text);
}

START_TEST(a_file_is_opened_and_stays_open)
{
    struct objects objects = {0};
    const char *path = in_folder("plain");
    write_file(path, "first");
    struct address_range range = range_of(path, copy_of(path));
    const struct object *object = add_range(&objects, &range);
    ck_assert_int_eq(object->kind, OBJECT_FILE);
    ck_assert_str_eq(object->path, path);
    ck_assert_str_eq(object->root, "");
    ck_assert(!object->deleted);
    ck_assert_uint_eq(object->inode, range.inode);
    expect_content(object->fd, "first");
    ck_assert_int_eq(fcntl(object->fd, F_GETFD), FD_CLOEXEC);
    ck_assert_int_eq(fcntl(object->fd, F_GETFL) & O_ACCMODE, O_RDONLY);

    write_file(in_folder("other"), "second"); /* replaced, then removed */
    ck_assert_int_eq(rename(in_folder("other"), path), 0);
    expect_content(object->fd, "first");
    ck_assert_int_eq(unlink(path), 0);
    expect_content(object->fd, "first");
    ck_assert_ptr_eq(add_range(&objects, &range), object); /* known, so the file is not searched again */
    ck_assert_uint_eq(objects.count, 1);
    int fd = object->fd;
    objects_fini(&objects);
    ck_assert_int_lt(fcntl(fd, F_GETFD), 0);
    ck_assert_uint_eq(objects.count, 0);
}
END_TEST

START_TEST(other_offsets_and_processes_share_a_file)
{
    struct objects objects = {0};
    const char *path = in_folder("plain");
    write_file(path, "x");
    struct address_range range = range_of(path, copy_of(path)), other = range;
    other.start += 0x10000;
    other.end += 0x10000;
    other.offset = 0x5000;
    uint32_t number = objects_of_range(&objects, getpid(), &range);
    ck_assert_uint_eq(objects_of_range(&objects, getpid(), &other), number);
    ck_assert_uint_eq(objects_of_range(&objects, getppid(), &range), number);
    other.path = copy_of("/another/name/of/it");
    ck_assert_uint_eq(objects_of_range(&objects, getpid(), &other), number);
    other.inode++;
    ck_assert_uint_ne(objects_of_range(&objects, getpid(), &other), number);
    other = range;
    other.device_minor++;
    ck_assert_uint_ne(objects_of_range(&objects, getpid(), &other), number);
    ck_assert_uint_eq(objects.count, 3);
    objects_fini(&objects);
}
END_TEST

START_TEST(another_file_of_the_name_is_not_opened)
{
    struct objects objects = {0};
    const char *path = in_folder("plain");
    write_file(path, "mine");
    struct address_range range = range_of(path, copy_of(path));
    range.inode += 1000000;
    const struct object *object = add_range(&objects, &range);
    ck_assert_int_eq(object->fd, -1);
    ck_assert(object->deleted);
    ck_assert_str_eq(object->path, path);
    objects_fini(&objects);
}
END_TEST

START_TEST(the_mark_of_deleted_files_is_taken_off)
{
    struct objects objects = {0};
    const char *path = in_folder("plain");
    write_file(path, "another");
    struct address_range range = range_of(path, copy_of(path));
    strcat(range.path, " (deleted)");
    range.inode += 1000000;
    const struct object *object = add_range(&objects, &range);
    ck_assert(object->deleted);
    ck_assert_str_eq(object->path, path);
    ck_assert_int_eq(object->fd, -1);
    range.inode++;
    range.path = copy_of("/ (deleted) (deleted)"); /* only one mark is removed */
    ck_assert_str_eq(add_range(&objects, &range)->path, "/ (deleted)");
    range.inode++;
    range.path = copy_of("/x(deleted)");
    ck_assert_str_eq(add_range(&objects, &range)->path, "/x(deleted)");
    objects_fini(&objects);
}
END_TEST

/* If the kernel permits it, a mapped file can be opened through the process. */
START_TEST(a_deleted_file_is_found_through_the_process)
{
    struct objects objects = {0};
    const char *path = in_folder("plain");
    char link[100];
    write_file(path, ELFMAG " still there");
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    void *place = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
    close(fd);
    struct address_range range = range_of(path, copy_of(path));
    ck_assert_int_eq(unlink(path), 0);
    if (place == MAP_FAILED) /* no programs can be mapped from this file system */
        return;
    strcat(range.path, " (deleted)");
    range.start = (uint64_t)(uintptr_t)place;
    range.end = range.start + 4096;
    snprintf(link, sizeof link, "/proc/self/map_files/%lx-%lx", (unsigned long)range.start, (unsigned long)range.end);
    int allowed = open(link, O_PATH | O_CLOEXEC);
    const struct object *object = add_range(&objects, &range);
    ck_assert(object->deleted);
    if (allowed >= 0)
        expect_content(object->fd, ELFMAG " still there");
    else
        ck_assert_int_eq(object->fd, -1);
    objects_fini(&objects);
    munmap(place, 4096);
    close(allowed);
}
END_TEST

/* For files served by a process, as with FUSE, a copy is opened. */
static void expect_same_bytes(int one, int other)
{
    static char bytes[2][1 << 16];
    struct stat about[2];
    ck_assert(fstat(one, &about[0]) == 0 && fstat(other, &about[1]) == 0);
    ck_assert_int_eq(about[0].st_size, about[1].st_size);
    ssize_t got = pread(one, bytes[0], sizeof bytes[0], 0);
    ck_assert_int_gt(got, 0);
    ck_assert_int_eq(pread(other, bytes[1], sizeof bytes[1], 0), got);
    ck_assert_mem_eq(bytes[0], bytes[1], (size_t)got);
}

START_TEST(the_program_itself_is_found_when_it_is_deleted)
{
    struct objects objects = {0};
    char link[100];
    int program = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    snprintf(link, sizeof link, "/proc/self/fd/%d", program);
    struct address_range range = range_of(link, copy_of("/no/such/file (deleted)"));
    const struct object *object = add_range(&objects, &range);
    ck_assert(object->deleted);
    ck_assert_int_ge(object->fd, 0);
    expect_same_bytes(object->fd, program);
    close(program);
    objects_fini(&objects);
}
END_TEST

START_TEST(a_newline_in_a_path_is_found)
{
    struct objects objects = {0};
    const char *path = in_folder("a\nb");
    write_file(path, "x");
    struct address_range range = range_of(path, copy_of(in_folder("a\\012b")));
    const struct object *object = add_range(&objects, &range);
    ck_assert_str_eq(object->path, path);
    ck_assert(!object->deleted);
    expect_content(object->fd, "x");
    objects_fini(&objects);
}
END_TEST

static const struct {
    const char *escaped, *path;
} escapes[] = {
    {"/\\012", "/\n"},
    {"/\\012\\012x", "/\n\nx"},
    {"/\\01", "/\\01"},
    {"/x\\", "/x\\"},
    {"/\\011\\\\", "/\\011\\\\"},
    {"/\\0\\0122", "/\\0\n2"},
    {"/a\\012 (deleted)", "/a\n"},
};

START_TEST(escapes_follow_the_table)
{
    struct objects objects = {0};
    struct address_range range = {.start = 1, .end = 2, .inode = 987654321, .path = copy_of(escapes[_i].escaped)};
    ck_assert_str_eq(add_range(&objects, &range)->path, escapes[_i].path);
    objects_fini(&objects);
}
END_TEST

static void make_socket(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    ck_assert_int_eq(chdir(folder), 0);
    ck_assert_int_eq(bind(fd, (const struct sockaddr *)&address, sizeof address), 0);
    ck_assert_int_eq(access(path, F_OK), 0);
    close(fd);
}

/* Returns true if process PID is blocked in openat. Sets *KNOWN to false if the kernel does not show that. */
static bool is_opening(pid_t pid, bool *known)
{
    char name[64], wanted[16], line[64];
    snprintf(name, sizeof name, "/proc/%d/syscall", (int)pid);
    snprintf(wanted, sizeof wanted, "%d ", SYS_openat);
    FILE *file = fopen(name, "r");
    *known = file && fgets(line, sizeof line, file);
    if (file)
        fclose(file);
    return *known && !strncmp(line, wanted, strlen(wanted));
}

static bool has_exited(pid_t pid)
{
    siginfo_t info = {0};
    ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT), 0);
    return info.si_pid;
}

/* Waits until WRITER waits or has exited. Returns true if it waits. */
static bool comes_to_wait(pid_t writer)
{
    bool known, opening;
    while (!(opening = is_opening(writer, &known)) && known && !has_exited(writer))
        usleep(1000);
    if (!known) /* unknown: enough time for most machines */
        usleep(50000);
    return known ? opening : !has_exited(writer);
}

/* Starts a child that waits for a reader of the FIFO at PATH, and then exits. */
static pid_t begin_writer(const char *path)
{
    pid_t writer = fork();
    ck_assert_int_ge(writer, 0);
    if (!writer) {
        int fd = open(path, O_WRONLY | O_CLOEXEC);
        _exit(fd >= 0 ? 0 : 1);
    }
    ck_assert(comes_to_wait(writer));
    return writer;
}

/* Returns true if the FIFO was never opened, not even for a moment. */
static bool end_writer(pid_t writer)
{
    bool waits = comes_to_wait(writer);
    kill(writer, SIGKILL);
    waitpid(writer, NULL, 0);
    return waits;
}

/* Paths in an untrusted process's maps. The inode is correct, so only the file's type is wrong. */
static const char *const not_regular[] = {"fifo",      "to-fifo",  "socket",        "folder", "/dev/null",
                                          "/dev/zero", "/dev/tty", "/proc/self/fd", "/"};

START_TEST(only_regular_files_are_opened)
{
    const char *name = not_regular[_i], *path = copy_of(name[0] == '/' ? name : in_folder(name));
    struct objects objects = {0};
    ck_assert_int_eq(mkfifo(in_folder("fifo"), 0600), 0);
    ck_assert_int_eq(symlink("fifo", in_folder("to-fifo")), 0);
    ck_assert_int_eq(mkdir(in_folder("folder"), 0700), 0);
    make_socket(in_folder("socket"));
    if (access(path, F_OK) < 0) /* the device does not exist */
        return;
    pid_t writer = begin_writer(in_folder("fifo"));
    struct address_range range = range_of(path, copy_of(path));
    add_range(&objects, &range);
    ck_assert_int_eq(objects.items[0].kind, OBJECT_FILE);
    ck_assert_int_eq(objects.items[0].fd, -1);
    ck_assert_str_eq(objects.items[0].path, path);
    ck_assert(end_writer(writer));
    objects_fini(&objects);
}
END_TEST

START_TEST(a_link_to_the_file_will_do)
{
    struct objects objects = {0};
    write_file(in_folder("plain"), "x");
    ck_assert_int_eq(symlink("plain", in_folder("link")), 0);
    struct address_range range = range_of(in_folder("plain"), copy_of(in_folder("link")));
    expect_content(add_range(&objects, &range)->fd, "x");
    objects_fini(&objects);
}
END_TEST

/* Starts a child with root directory FOLDER. Returns 0 if not permitted. */
static pid_t begin_in_folder(void)
{
    int ends[2];
    char ready = 0;
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (!child) {
        if (chroot(folder) == 0 && write(ends[1], "y", 1) == 1)
            pause();
        _exit(0);
    }
    close(ends[1]);
    bool begun = read(ends[0], &ready, 1) == 1;
    close(ends[0]);
    if (!begun)
        waitpid(child, NULL, 0);
    return begun ? child : 0;
}

/* Links can be followed as in another process only if the kernel has openat2 and no filter forbids it. */
static bool links_can_be_followed(void)
{
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
    int fd = (int)syscall(SYS_openat2, AT_FDCWD, ".", &how, sizeof how);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* A process in a container: its paths, and links in them, are relative to its root directory. */
START_TEST(a_path_is_that_of_the_process)
{
    struct objects objects = {0};
    const char *name = _i ? "/link" : "/plain";
    write_file(in_folder("plain"), "inside");
    ck_assert_int_eq(symlink("/plain", in_folder("link")), 0);
    pid_t child = _i && !links_can_be_followed() ? 0 : begin_in_folder();
    if (!child)
        return;
    struct address_range range = range_of(in_folder("plain"), copy_of(name));
    uint32_t number = objects_of_range(&objects, child, &range);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    ck_assert_uint_ne(number, HASH_NONE);
    ck_assert_str_eq(objects.items[number].path, name);
    ck_assert_str_eq(objects.items[number].root, folder);
    ck_assert(!objects.items[number].deleted);
    expect_content(objects.items[number].fd, "inside");
    objects_fini(&objects);
}
END_TEST

static const size_t lengths[] = {PATH_MAX - 1, PATH_MAX, PATH_MAX + 200, 2 * PATH_MAX - 1};

START_TEST(a_very_long_path_gives_no_file)
{
    struct objects objects = {0};
    char path[2 * PATH_MAX];
    memset(path, 'x', sizeof path);
    path[0] = '/';
    path[lengths[_i]] = 0;
    struct address_range range = {.start = 1, .end = 2, .inode = 5, .path = path};
    const struct object *object = add_range(&objects, &range);
    ck_assert_int_eq(object->fd, -1);
    ck_assert_str_eq(object->path, path);
    objects_fini(&objects);
}
END_TEST

static const struct {
    const char *path;
    uint64_t inode;
    enum object_kind kind;
    bool high; /* above every address of 32-bit programs */
} kinds[] = {
    {"/x", 5, OBJECT_FILE, false},
    {"/x (deleted)", 5, OBJECT_FILE, false},
    {"[vdso]", 0, OBJECT_VDSO, true},
    {"[vdso]", 0, OBJECT_VDSO_COMPAT, false},
    {"", 0, OBJECT_JIT, false},
    {"[heap]", 0, OBJECT_JIT, false},
    {"[stack]", 0, OBJECT_JIT, false},
    {"[anon:code]", 0, OBJECT_JIT, false},
    {"/x", 0, OBJECT_JIT, false},
    {"x", 5, OBJECT_JIT, false},
    {"[vdso]x", 0, OBJECT_JIT, false},
    {"/dev/zero (deleted)", 5, OBJECT_JIT, false},
    {"/SYSV00000001 (deleted)", 5, OBJECT_JIT, false},
    {"/memfd:code (deleted)", 5, OBJECT_JIT, false},
};

START_TEST(kinds_follow_the_table)
{
    struct objects objects = {0};
    uint64_t start = kinds[_i].high ? 0x7ffff0000000 : 1;
    struct address_range range = {start, start + 1, .inode = kinds[_i].inode, .path = copy_of(kinds[_i].path)};
    const struct object *object = add_range(&objects, &range);
    ck_assert_int_eq(object->kind, kinds[_i].kind);
    ck_assert_int_eq(object->fd, -1);
    if (object->kind == OBJECT_JIT)
        ck_assert_int_eq(object->pid, getpid());
    objects_fini(&objects);
}
END_TEST

/* Shared memory has a name like a file. With ELF content it is a program or library, otherwise generated code. */
START_TEST(shared_memory_is_a_file_if_it_is_of_elf)
{
    static const char *const contents[] = {ELFMAG " code", "code"};
    struct objects objects = {0};
    char link[100];
    int memory = memfd_create("code", MFD_CLOEXEC);
    ck_assert_int_eq(write(memory, contents[_i], strlen(contents[_i])), (ssize_t)strlen(contents[_i]));
    void *place = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, memory, 0);
    snprintf(link, sizeof link, "/proc/self/fd/%d", memory);
    struct address_range range = range_of(link, copy_of("/memfd:code (deleted)"));
    range.start = (uint64_t)(uintptr_t)place;
    range.end = range.start + 4096;
    snprintf(link, sizeof link, "/proc/self/map_files/%lx-%lx", (unsigned long)range.start, (unsigned long)range.end);
    int allowed = place == MAP_FAILED ? -1 : open(link, O_PATH | O_CLOEXEC);
    const struct object *object = add_range(&objects, &range);
    if (allowed >= 0 && _i == 0)
        expect_content(object->fd, contents[_i]);
    else
        ck_assert_int_eq(object->kind, OBJECT_JIT);
    ck_assert_ptr_eq(add_range(&objects, &range), object);
    objects_fini(&objects);
    close(allowed);
    close(memory);
    if (place != MAP_FAILED)
        munmap(place, 4096);
}
END_TEST

START_TEST(code_without_a_file_is_one_object_a_process)
{
    struct objects objects = {0};
    struct address_range one = {.start = 0x1000, .end = 0x2000, .path = copy_of("")};
    struct address_range other = {.start = 0x5000, .end = 0x6000, .path = copy_of("[heap]")};
    struct address_range vdso = {.start = 0x7000, .end = 0x8000, .path = copy_of("[vdso]")};
    uint32_t number = objects_of_range(&objects, getpid(), &one);
    ck_assert_uint_eq(objects_of_range(&objects, getpid(), &other), number);
    ck_assert_uint_ne(objects_of_range(&objects, getppid(), &one), number);
    uint32_t of_all = objects_of_range(&objects, getpid(), &vdso), unknown = objects_unknown(&objects);
    ck_assert_uint_eq(objects_of_range(&objects, getppid(), &vdso), of_all);
    ck_assert_uint_eq(objects_unknown(&objects), unknown);
    ck_assert_int_eq(objects.items[unknown].kind, OBJECT_UNKNOWN);
    ck_assert_uint_eq(objects.count, 4);
    objects_fini(&objects);
}
END_TEST

/* A JIT compiler's map in /tmp; the name has this process's pid. */
static const char *jit_map_path(void)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    unlink(path);
    return path;
}

START_TEST(the_map_of_a_jit_is_found_even_later)
{
    struct objects objects = {0};
    struct address_range range = {.start = 0x1000, .end = 0x2000, .path = copy_of("")};
    const char *path = jit_map_path();
    ck_assert_int_eq(add_range(&objects, &range)->fd, -1);
    write_file(path, "1000 10 f\n");
    ck_assert_int_eq(add_range(&objects, &range)->fd, -1);
    objects.round++;
    const struct object *object = add_range(&objects, &range);
    unlink(path);
    ck_assert_uint_eq(objects.count, 1);
    expect_content(object->fd, "1000 10 f\n");
    objects_fini(&objects);
}
END_TEST

START_TEST(a_jit_map_that_is_a_fifo_is_not_opened)
{
    struct objects objects = {0};
    struct address_range range = {.start = 0x1000, .end = 0x2000, .path = copy_of("")};
    const char *path = jit_map_path();
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    pid_t writer = begin_writer(path);
    const struct object *object = add_range(&objects, &range);
    unlink(path);
    ck_assert_int_eq(object->fd, -1);
    ck_assert(end_writer(writer));
    objects_fini(&objects);
}
END_TEST

/* Mounts a tmpfs on the folder, in a mount namespace of this test. Returns false if that is not allowed. */
static bool mount_here(void)
{
    return mount("tmpfs", folder, "tmpfs", 0, NULL) == 0;
}

static bool begin_namespace(void)
{
    return geteuid() == 0 && unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

/* Whether the mount is older than the recording. */
START_TEST(a_mount_can_be_unmounted_and_its_numbers_used_again)
{
    static const char *const texts[] = {"first", "second"};
    struct objects objects = {0};
    uint32_t numbers[2] = {HASH_NONE, HASH_NONE};
    struct address_range ranges[2];
    if (!begin_namespace())
        return;
    for (int i = 0; i < 2; i++) {
        bool earlier = _i && !i;
        if (!earlier)
            mounts_note();
        if (!mount_here())
            return;
        if (earlier)
            mounts_note();
        const char *path = in_folder("plain");
        write_file(path, texts[i]);
        ck_assert_int_eq(chown(path, 65534, 65534), 0);
        ranges[i] = range_of(path, copy_of(path));
        numbers[i] = objects_of_range(&objects, getpid(), &ranges[i]);
        ck_assert_uint_eq(objects_of_range(&objects, getpid(), &ranges[i]), numbers[i]);
        ck_assert_uint_ne(objects.copy_bytes, 0);
        ck_assert_uint_eq(objects.items[numbers[i]].viewer.user, 65534); /* the copy has the same owner */
        ck_assert_int_eq(umount(folder), 0);
    }
    if (ranges[0].inode == ranges[1].inode && ranges[0].device_minor == ranges[1].device_minor)
        ck_assert_uint_ne(numbers[0], numbers[1]);
    expect_content(objects.items[numbers[0]].fd, "first");
    expect_content(objects.items[numbers[1]].fd, "second");
    objects_fini(&objects);
}
END_TEST

/* A change of the file, even of its names, does not make another file of it. */
START_TEST(a_file_on_a_mount_stays_one_file)
{
    struct objects objects = {0};
    mounts_note();
    if (!begin_namespace() || !mount_here())
        return;
    const char *path = in_folder("plain");
    write_file(path, "text");
    struct address_range range = range_of(path, copy_of(path));
    uint32_t number = objects_of_range(&objects, getpid(), &range);
    ck_assert(objects.items[number].copy);
    ck_assert_int_eq(chmod(path, 0700), 0);
    ck_assert_uint_eq(objects_of_range(&objects, getpid(), &range), number);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_uint_eq(objects_of_range(&objects, getpid(), &range), number);
    ck_assert_int_eq(umount(folder), 0);
    objects_fini(&objects);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("record/object");
    tcase_set_timeout(tests, 30);
    tcase_add_checked_fixture(tests, make_folder, remove_folder);
    tcase_add_test(tests, a_file_is_opened_and_stays_open);
    tcase_add_test(tests, other_offsets_and_processes_share_a_file);
    tcase_add_test(tests, another_file_of_the_name_is_not_opened);
    tcase_add_test(tests, the_mark_of_deleted_files_is_taken_off);
    tcase_add_test(tests, a_deleted_file_is_found_through_the_process);
    tcase_add_test(tests, the_program_itself_is_found_when_it_is_deleted);
    tcase_add_test(tests, a_newline_in_a_path_is_found);
    UNIT_ADD_TABLE(tests, escapes_follow_the_table, escapes);
    UNIT_ADD_TABLE(tests, only_regular_files_are_opened, not_regular);
    tcase_add_test(tests, a_link_to_the_file_will_do);
    tcase_add_loop_test(tests, a_path_is_that_of_the_process, 0, 2);
    UNIT_ADD_TABLE(tests, a_very_long_path_gives_no_file, lengths);
    UNIT_ADD_TABLE(tests, kinds_follow_the_table, kinds);
    tcase_add_loop_test(tests, shared_memory_is_a_file_if_it_is_of_elf, 0, 2);
    tcase_add_test(tests, code_without_a_file_is_one_object_a_process);
    tcase_add_test(tests, the_map_of_a_jit_is_found_even_later);
    tcase_add_test(tests, a_jit_map_that_is_a_fifo_is_not_opened);
    tcase_add_loop_test(tests, a_mount_can_be_unmounted_and_its_numbers_used_again, 0, 2);
    tcase_add_test(tests, a_file_on_a_mount_stays_one_file);
    return unit_end();
}

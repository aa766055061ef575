/* SPDX-License-Identifier: MIT */
#include "programs/files/served.h"

#include "common/base/buffer.h"
#include "common/base/child.h"
#include "common/base/kernel.h"
#include "common/base/proc.h"
#include "common/base/socket.h"
#include "common/base/time.h"
#include "common/model/proctext.h"
#include "programs/files/identity.h"
#include "programs/files/shares.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/nsfs.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

enum {
    MOUNTS_LIMIT = 4 << 20,
    FILE_LIMIT = 256 << 20,
    LOOK_MS = 250,
    STILL_MS = 2000, /* without a byte */
    MOST_MS = 10000, /* for all parts of a file */
    DYING_MS = 50,
    MOST_IN_VAIN = 4,
    TOTAL_MS = 30000, /* for all files of a file system */
};

#define TOTAL_LIMIT (UINT64_C(1) << 30) /* bytes of all copies */

struct outcome {
    int error;
    struct file_identity identity;
};

/* File systems of servers, which may be gone. FUSE has others: see is_of_process. */
static const char *const remote[] = {"nfs", "nfs4", "9p",     "virtiofs", "ceph", "cifs",     "smb3",
                                     "afs", "coda", "lustre", "beegfs",   "gpfs", "orangefs", "autofs"};

/* Sets FOLDER to the process's folder in /proc if ROOT is its root directory (/proc/PID/root), otherwise to ours.
 * Returns true in the first case: the file mountinfo there lists the mounts as the process sees them. */
static bool find_folder(const char *root, struct buffer *folder)
{
    static const char end[] = "/root";
    size_t length = root ? strlen(root) : 0, tail = sizeof end - 1;
    bool beside = length > tail && !strncmp(root, "/proc/", 6) && !strcmp(root + length - tail, end);
    if (beside)
        buffer_append(folder, root, length - tail);
    else
        buffer_puts(folder, "/proc/self");
    return beside;
}

/* Returns the file NAME in FOLDER; -errno on failure. */
static int read_in(const char *folder, const char *name, struct buffer *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return buffer_read_path(text, path, MOUNTS_LIMIT);
}

static bool is_same_namespace(int one, const char *other)
{
    struct stat about, others;
    return one >= 0 && fstat(one, &about) == 0 && proc_stat(other, &others, 0) == 0 && about.st_dev == others.st_dev &&
           about.st_ino == others.st_ino;
}

/* Returns true if only those could mount in the mount namespace of FOLDER's process who have our rights: it belongs to
 * our user namespace, or to one that we made. Root trusts no other namespace: whoever is root in it may mount. */
static bool is_trusted_namespace(const char *folder)
{
    char path[128];
    uid_t owner;
    snprintf(path, sizeof path, "%s/ns/mnt", folder);
    int mounts = proc_open(path, O_RDONLY), users = mounts < 0 ? -1 : ioctl(mounts, NS_GET_USERNS);
    bool trusted = is_same_namespace(users, "/proc/self/ns/user") ||
                   (users >= 0 && geteuid() != 0 && ioctl(users, NS_GET_OWNER_UID, &owner) == 0 && owner == geteuid());
    if (users >= 0)
        close(users);
    if (mounts >= 0)
        close(mounts);
    return trusted;
}

/* Returns true if we have the file system with DEVICE mounted, too. */
static bool have_mounted(const char *device)
{
    struct buffer text = {0};
    bool have = !read_in("/proc/self", "mountinfo", &text) && text.bytes && proctext_has_device(text.bytes, device);
    buffer_fini(&text);
    return have;
}

/* An overlay opens files of its layers with the rights of its maker. So a layer on FUSE, which only its maker may read,
 * makes everybody wait who opens a file of the overlay. */
static bool is_of_process(const char *folder, bool beside, const struct mount_line *mount)
{
    if (strcmp(mount->type, "overlay") != 0)
        return !strncmp(mount->type, "fuse", 4);
    return beside && !is_trusted_namespace(folder) && !have_mounted(mount->device);
}

/* Without the file systems of our root directory and our program, we would not run. */
static bool is_needed(const char *device)
{
    static const char *const ours[] = {"/", "/usr", "/proc/self/exe"};
    struct stat about;
    char text[24];
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        bool known = stat(ours[i], &about) == 0;
        snprintf(text, sizeof text, "%u:%u", known ? major(about.st_dev) : 0, known ? minor(about.st_dev) : 0);
        if (known && !strcmp(text, device))
            return true;
    }
    return false;
}

static bool is_remote(const struct mount_line *mount)
{
    for (size_t i = 0; i < sizeof remote / sizeof *remote; i++)
        if (!strcmp(mount->type, remote[i]))
            return !is_needed(mount->device);
    return false;
}

enum served served_how(const char *root, const char *path)
{
    struct buffer folder = {0}, whole = {0}, text = {0};
    struct mount_line mount;
    bool beside = find_folder(root, &folder);
    if (!beside && root)
        buffer_puts(&whole, root);
    buffer_puts(&whole, path);
    int result = folder.failed || whole.failed ? -ENOMEM : read_in(folder.bytes, "mountinfo", &text);
    bool known = !result && text.bytes && proctext_mount(text.bytes, whole.bytes, &mount);
    enum served how = result == -E2BIG || (known && is_of_process(folder.bytes, beside, &mount)) ? SERVED_BY_PROCESS
                      : known && is_remote(&mount)                                               ? SERVED_REMOTELY
                                                                                                 : SERVED_NOT;
    buffer_fini(&folder);
    buffer_fini(&whole);
    buffer_fini(&text);
    return how;
}

bool served_is(const char *root, const char *path)
{
    return served_how(root, path) == SERVED_BY_PROCESS;
}

/* Copies the content, and the owner if we may: files that this one names are opened with the owner's rights. */
static int copy_all(int from, int to)
{
    static char bytes[1 << 16];
    struct stat about;
    bool owned = fstat(from, &about) == 0 && fchown(to, about.st_uid, about.st_gid) == 0;
    (void)owned;
    for (size_t done = 0;;) {
        ssize_t got = pread(from, bytes, sizeof bytes, (off_t)done);
        if (got <= 0)
            return got ? -errno : 0;
        if ((done += (size_t)got) > FILE_LIMIT)
            return -EFBIG;
        for (ssize_t at = 0, put; at < got; at += put)
            if ((put = write(to, bytes + at, (size_t)(got - at))) < 0)
                return -errno;
    }
}

/* Arguments of the child. */
struct order {
    served_open *open_it;
    const char *root, *path;
    int to, answer;
    bool copy; /* also a file that no process serves */
};

/* Returns true if the file behind FD must be copied: reading it later could wait, or make others wait. Others need not
 * be: their server has just answered. */
static bool must_be_copied(int fd)
{
    struct statfs about;
    return fstatfs(fd, &about) < 0 || (uint32_t)about.f_type == FUSE_SUPER_MAGIC ||
           (uint32_t)about.f_type == OVERLAYFS_SUPER_MAGIC;
}

static int try_to_read(int fd)
{
    char byte;
    return pread(fd, &byte, 1, 0) < 0 ? -errno : 0;
}

/* Copies the file, in the child. The child may run for long, so it keeps none of our files open. */
static int serve(void *argument)
{
    const struct order *order = argument;
    struct outcome outcome = {0};
    int to = fcntl(order->to, F_DUPFD, 3), answer = fcntl(order->answer, F_DUPFD, 3);
    if (dup2(to, STDIN_FILENO) < 0 || dup2(answer, STDOUT_FILENO) < 0 || proc_move(STDERR_FILENO) < 0 ||
        close_range(STDERR_FILENO + 1, ~0U, 0) < 0)
        return 1;
    int from = order->open_it(order->root, order->path, &outcome.identity);
    bool copy = from < 0 || order->copy || must_be_copied(from);
    outcome.error = from < 0 ? from : copy ? copy_all(from, STDIN_FILENO) : try_to_read(from);
    struct iovec part = {&outcome, sizeof outcome};
    return socket_send_once(STDOUT_FILENO, &part, 1, copy || outcome.error ? -1 : from, 0) < 0;
}

/* Waits for the outcome as long as bytes arrive. Sets *PASSED to a descriptor that came with it. */
static bool wait_for(int answer, int copy, struct outcome *outcome, int *passed)
{
    struct pollfd news = {.fd = answer, .events = POLLIN};
    struct stat seen;
    off_t size = 0;
    for (int waited = 0, still = 0; waited < MOST_MS && still < STILL_MS; waited += LOOK_MS, still += LOOK_MS) {
        if (poll(&news, 1, LOOK_MS) > 0)
            return socket_receive_once(answer, outcome, sizeof *outcome, passed, 0) == sizeof *outcome;
        if (fstat(copy, &seen) == 0 && seen.st_size != size) {
            size = seen.st_size;
            still = 0;
        }
    }
    return false;
}

/* Limits the copies: each is kept for long, and the caller waits for each. */
static const struct share most = {
    .in_vain = MOST_IN_VAIN, .bytes = TOTAL_LIMIT, .spent_ns = TOTAL_MS * UINT64_C(1000000)};

/* Sets WHO to the file system's device, or for a file in /proc to its process: whoever serves them, or has mapped
 * them, uses up no limit of others. */
static void find_owner(const char *root, const char *path, char *who, size_t size)
{
    enum { PROCESS_PARTS = 3 };
    struct buffer folder = {0}, whole = {0}, text = {0};
    struct mount_line mount;
    size_t length = 0;
    for (int parts = 0; path[length] && (path[length] != '/' || parts < PROCESS_PARTS); length++)
        parts += path[length] == '/';
    if (!find_folder(root, &folder) && root)
        buffer_puts(&whole, root);
    buffer_puts(&whole, path);
    bool known = strncmp(path, "/proc/", 6) != 0 && !folder.failed && !whole.failed &&
                 read_in(folder.bytes, "mountinfo", &text) == 0 && text.bytes &&
                 proctext_mount(text.bytes, whole.bytes, &mount);
    if (known)
        snprintf(who, size, "%s", mount.device);
    else
        snprintf(who, size, "%s%.*s", root ? root : "", (int)length, path);
    buffer_fini(&folder);
    buffer_fini(&whole);
    buffer_fini(&text);
}

static int make_with(struct order *order, struct file_identity *identity, struct share *used)
{
    struct outcome outcome = {.error = -ETIMEDOUT};
    uint64_t began_ns = time_now_ns();
    struct stat made;
    struct child child = {0};
    int ends[2], passed = -1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        return -errno;
    int copy = order->to = memfd_create("copy", MFD_CLOEXEC);
    order->answer = ends[1];
    int result = copy < 0 ? -errno : child_start(&child, "pt-opener", serve, order);
    close(ends[1]);
    if (result < 0)
        outcome.error = result;
    else if (!wait_for(ends[0], copy, &outcome, &passed))
        used->in_vain++;
    if (!child_kill(&child, DYING_MS))
        child_leave(&child);
    close(ends[0]);
    used->spent_ns += passed < 0 ? time_now_ns() - began_ns : 0;
    if (!outcome.error)
        *identity = outcome.identity;
    if (!outcome.error && passed < 0) {
        used->bytes += fstat(copy, &made) == 0 ? (uint64_t)made.st_size : 0;
        return copy;
    }
    if (copy >= 0)
        close(copy);
    return outcome.error ? outcome.error : passed;
}

static int make(struct order *order, struct file_identity *identity)
{
    static struct shares shares; /* of file systems */
    const struct share bytes = {.bytes = most.bytes};
    struct share used = {0};
    char who[PATH_MAX];
    find_owner(order->root, order->path, who, sizeof who);
    if (shares_are_over(&shares, who, &most))
        return shares_are_over(&shares, who, &bytes) ? -EFBIG : -ETIMEDOUT;
    int result = make_with(order, identity, &used);
    shares_use(&shares, who, &used);
    return result;
}

int served_copy(served_open *open_it, const char *root, const char *path, struct file_identity *identity)
{
    return make(&(struct order){.open_it = open_it, .root = root, .path = path, .copy = true}, identity);
}

int served_open_in_time(served_open *open_it, const char *root, const char *path, struct file_identity *identity)
{
    return make(&(struct order){.open_it = open_it, .root = root, .path = path}, identity);
}

int served_copy_here(int fd)
{
    int copy = memfd_create("copy", MFD_CLOEXEC), result = copy < 0 ? -errno : copy_all(fd, copy);
    if (result < 0 && copy >= 0)
        close(copy);
    return result < 0 ? result : copy;
}

/* SPDX-License-Identifier: MIT */
#include "programs/files/served.h"

#include "common/base/buffer.h"
#include "common/base/child.h"
#include "common/base/proc.h"
#include "common/base/time.h"
#include "common/model/proctext.h"
#include "programs/files/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MOUNTS_LIMIT = 4 << 20,
    FILE_LIMIT = 256 << 20,
    LOOK_MS = 250,
    STILL_MS = 2000, /* without a byte */
    MOST_MS = 10000, /* for all parts of a file */
    DYING_MS = 50,
    MOST_IN_VAIN = 4,
    TOTAL_MS = 30000, /* for all files */
};

#define TOTAL_LIMIT ((off_t)1 << 30) /* bytes of all copies */

struct outcome {
    int error;
    struct file_identity identity;
};

/* Appends the mountinfo file for ROOT to PATH. ROOT is mostly /proc/PID/root: then the file beside it lists the
 * mounts as the process sees them. Returns true in this case. */
static bool mounts_path(const char *root, struct buffer *path)
{
    static const char end[] = "/root";
    size_t length = root ? strlen(root) : 0, tail = sizeof end - 1;
    bool beside = length > tail && !strncmp(root, "/proc/", 6) && !strcmp(root + length - tail, end);
    if (beside)
        buffer_append(path, root, length - tail);
    buffer_printf(path, "%s/mountinfo", beside ? "" : "/proc/self");
    return beside;
}

bool served_is(const char *root, const char *path)
{
    struct buffer name = {0}, whole = {0}, text = {0};
    char type[32];
    if (!mounts_path(root, &name) && root)
        buffer_puts(&whole, root);
    buffer_puts(&whole, path);
    int result = name.failed || whole.failed ? -ENOMEM : buffer_read_path(&text, name.bytes, MOUNTS_LIMIT);
    bool known = !result && text.bytes && proctext_mount_type(text.bytes, whole.bytes, type, sizeof type);
    bool served = result == -E2BIG || (known && !strncmp(type, "fuse", 4));
    buffer_fini(&name);
    buffer_fini(&whole);
    buffer_fini(&text);
    return served;
}

static int copy_all(int from, int to)
{
    static char bytes[1 << 16];
    for (size_t done = 0;;) {
        ssize_t got = read(from, bytes, sizeof bytes);
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
};

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
    outcome.error = from < 0 ? from : copy_all(from, STDIN_FILENO);
    return write(STDOUT_FILENO, &outcome, sizeof outcome) < 0;
}

/* Waits for the outcome as long as bytes arrive. */
static bool wait_for(int answer, int copy, struct outcome *outcome)
{
    struct pollfd news = {.fd = answer, .events = POLLIN};
    struct stat seen;
    off_t size = 0;
    for (int waited = 0, still = 0; waited < MOST_MS && still < STILL_MS; waited += LOOK_MS, still += LOOK_MS) {
        if (poll(&news, 1, LOOK_MS) > 0)
            return read(answer, outcome, sizeof *outcome) == sizeof *outcome;
        if (fstat(copy, &seen) == 0 && seen.st_size != size) {
            size = seen.st_size;
            still = 0;
        }
    }
    return false;
}

/* Limits the copies: each is kept for long, and the caller waits for each. */
static int is_refused(off_t copied, int in_vain, uint64_t spent_ns)
{
    if (in_vain >= MOST_IN_VAIN || spent_ns >= TOTAL_MS * UINT64_C(1000000))
        return -ETIMEDOUT;
    return copied >= TOTAL_LIMIT ? -EFBIG : 0;
}

int served_copy(served_open *open_it, const char *root, const char *path, struct file_identity *identity)
{
    static int in_vain;
    static off_t copied;
    static uint64_t spent_ns;
    struct outcome outcome = {.error = is_refused(copied, in_vain, spent_ns)};
    uint64_t began_ns = time_now_ns();
    struct stat made;
    struct child child = {0};
    int ends[2], copy;
    if (outcome.error)
        return outcome.error;
    outcome.error = -ETIMEDOUT;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -errno;
    copy = memfd_create("copy", MFD_CLOEXEC);
    struct order order = {open_it, root, path, copy, ends[1]};
    int result = copy < 0 ? -errno : child_start(&child, "pt-opener", serve, &order);
    close(ends[1]);
    if (result < 0)
        outcome.error = result;
    else if (!wait_for(ends[0], copy, &outcome))
        in_vain++;
    if (!child_kill(&child, DYING_MS))
        child_leave(&child);
    close(ends[0]);
    spent_ns += time_now_ns() - began_ns;
    if (!outcome.error) {
        copied += fstat(copy, &made) == 0 ? made.st_size : 0;
        *identity = outcome.identity;
        return copy;
    }
    if (copy >= 0)
        close(copy);
    return outcome.error;
}

/* SPDX-License-Identifier: MIT */
#include "tracer/tracee/copier.h"

#include "common/base/child.h"
#include "common/base/kernel.h"
#include "common/base/memory_run.h"
#include "common/base/proc.h"
#include "common/base/time.h"
#include "common/base/wake.h"
#include "common/model/family.h"
#include "common/model/proctext.h"
#include "common/model/runs.h"
#include "tracer/tracee/procfs.h"
#include "tracer/tracee/request.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    DESK_BYTES = 1 << 16,
    LOOK_NS = 50000000,       /* between checks whether the copier sleeps */
    PATIENCE_NS = 1000000000, /* for a copier that does not sleep: the machine is busy */
    DYING_MS = 5,
    MOST_STUCK = 8, /* killed copiers that have not ended yet */
};

/* Memory that we share with the copier. */
struct desk {
    _Atomic uint32_t asked, done; /* numbers of copies */
    struct copy copy;             /* its bytes are in the desk */
    ssize_t result;
    unsigned char bytes[DESK_BYTES];
};

/* A process has one tracer, and a tracer one copier. */
static struct desk *desk;
static struct child copier;

/* A killed copier keeps its desk until it has ended: it may still write there. */
static struct {
    struct child child;
    struct desk *desk;
} stuck[MOST_STUCK];
static unsigned stuck_count;

/* Copies memory through a file, which ignores page protections, unlike the process_vm calls. */
static ssize_t read_file(const struct copy *copy, const char *name)
{
    int fd = procfs_open(copy->tid, 0, name);
    if (fd < 0)
        return fd == -EACCES ? -EPERM : fd == -ENOENT ? -ESRCH : fd;
    ssize_t done = pread(fd, copy->bytes, copy->size, (off_t)copy->address);
    int error = errno;
    close(fd);
    return done >= 0 ? done : error == EIO ? -EFAULT : -error;
}

/* Reads memory that is mapped for writing only. In kernels started with proc_mem.force_override=never, the file refuses
 * to, and only the tracer can. */
static ssize_t read_write_only(const struct copy *copy)
{
    ssize_t done = read_file(copy, "mem");
    if (done != -EFAULT)
        return done;
    int result = request_read(copy->tid, copy->address, copy->bytes, copy->size);
    return result == -ESRCH ? -EPERM : result == -EIO ? -EFAULT : result < 0 ? result : (ssize_t)copy->size;
}

ssize_t copier_at_once(const struct copy *copy)
{
    if (copy->words)
        return read_file(copy, copy->words);
    if (copy->write_only)
        return read_write_only(copy);
    struct iovec here = {copy->bytes, copy->size}, there = {(void *)(uintptr_t)copy->address, copy->size};
    ssize_t done = copy->write ? process_vm_writev(copy->tid, &here, 1, &there, 1, 0)
                               : process_vm_readv(copy->tid, &here, 1, &there, 1, 0);
    return done < 0 ? -errno : done;
}

ssize_t copier_runs_at_once(pid_t tid, const struct memory_run *runs, size_t count, void *bytes)
{
    struct iovec there[RUNS_MOST], here = {bytes, 0};
    for (size_t i = 0; i < count && i < RUNS_MOST; i++) {
        there[i] = (struct iovec){(void *)(uintptr_t)runs[i].start, (size_t)runs[i].size};
        here.iov_len += there[i].iov_len;
    }
    ssize_t done = process_vm_readv(tid, &here, 1, there, count < RUNS_MOST ? count : RUNS_MOST, 0);
    return done < 0 ? -errno : done;
}

static int serve(void *argument)
{
    struct desk *own = argument;
    pid_t tracer = getppid();
    if (proc_enter() < 0)
        return 1;
    close_range(0, ~0U, 0);
    for (uint32_t served = 0; getppid() == tracer;) {
        uint32_t asked = atomic_load(&own->asked);
        if (asked == served) {
            wake_wait(&own->asked, asked, 0);
            continue;
        }
        struct copy copy = own->copy;
        copy.bytes = own->bytes;
        own->result = copier_at_once(&copy);
        served = asked;
        wake_signal(&own->done);
    }
    return 0;
}

static void forget_ended(void)
{
    for (unsigned i = stuck_count; i-- > 0;)
        if (child_has_ended(&stuck[i].child)) {
            munmap(stuck[i].desk, sizeof *stuck[i].desk);
            stuck[i] = stuck[--stuck_count];
        }
}

static bool start(void)
{
    if (copier.pid)
        return true;
    forget_ended();
    if (stuck_count >= MOST_STUCK)
        return false;
    if (!desk) {
        void *shared = mmap(NULL, sizeof *desk, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (shared == MAP_FAILED)
            return false;
        desk = shared;
    }
    atomic_store(&desk->asked, 0);
    atomic_store(&desk->done, 0);
    return child_start(&copier, FAMILY_COPIER_NAME, serve, desk) == 0;
}

static void stop(void)
{
    if (child_kill(&copier, DYING_MS))
        return;
    stuck[stuck_count].child = copier;
    stuck[stuck_count++].desk = desk;
    copier = (struct child){0};
    desk = NULL;
}

static bool copier_sleeps(void)
{
    char text[1024], state;
    int cpu;
    return procfs_text(copier.pid, 0, "stat", text, sizeof text) <= 0 || !proctext_stat(text, &state, &cpu) ||
           state != 'R';
}

/* Waits for copy NUMBER. Returns true if it is done. A copier that waits for a CPU gets more time. A copier that sleeps
 * is blocked, or has finished. */
static bool wait_for(uint32_t number, uint64_t began_ns)
{
    uint64_t look_ns = began_ns + LOOK_NS;
    for (;;) {
        uint32_t done = atomic_load(&desk->done);
        uint64_t now_ns = time_now_ns();
        if (done == number)
            return true;
        if (now_ns >= look_ns) {
            if (copier_sleeps() || now_ns - began_ns > PATIENCE_NS)
                return atomic_load(&desk->done) == number;
            look_ns = now_ns + LOOK_NS;
        }
        wake_wait(&desk->done, done, look_ns);
    }
}

/* Copies at most DESK_BYTES. */
static ssize_t copy_some(const struct copy *copy, uint64_t began_ns)
{
    if (!start())
        return stuck_count < MOST_STUCK ? -EPERM : -EAGAIN;
    desk->copy = *copy;
    if (copy->write)
        memcpy(desk->bytes, copy->bytes, copy->size);
    uint32_t number = atomic_load(&desk->done) + 1;
    wake_signal(&desk->asked);
    if (!wait_for(number, began_ns)) {
        stop();
        return -ETIMEDOUT;
    }
    if (!copy->write && desk->result > 0)
        memcpy(copy->bytes, desk->bytes, (size_t)desk->result);
    return desk->result;
}

ssize_t copier_in_time(const struct copy *copy)
{
    size_t done = 0;
    uint64_t began_ns = time_now_ns();
    while (done < copy->size) {
        size_t left = copy->size - done;
        struct copy some = {
            .tid = copy->tid,
            .address = copy->address + done,
            .bytes = (unsigned char *)copy->bytes + done,
            .size = left < DESK_BYTES ? left : DESK_BYTES,
            .write = copy->write,
            .write_only = copy->write_only,
            .words = copy->words,
        };
        ssize_t got = copy_some(&some, began_ns);
        if (got == -ETIMEDOUT || (got < 0 && !done))
            return got;
        done += got > 0 ? (size_t)got : 0;
        if (got < (ssize_t)some.size)
            break;
    }
    return (ssize_t)done;
}

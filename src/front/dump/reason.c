/* SPDX-License-Identifier: MIT
 *
 * What a waiting thread waits for, and which thread has that. Memory of the process is untrusted: an owner counts only
 * if it is a thread of the same process. */
#include "front/dump/dump.h"

#include "common/base/buffer.h"
#include "common/base/kernel.h"
#include "common/base/proc.h"
#include "common/model/proctext.h"
#include "common/model/wait.h"
#include "common/wire/message.h"
#include "profile/profile/profile.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    SCANS_MOST = 8, /* searches of all processes in one dump */
    LOCKS_LIMIT = 1 << 20,
    NAMESPACES_MOST = 32,
    /* words of glibc's pthread_mutex_t on 64-bit machines */
    MUTEX_OWNER = 2,
    MUTEX_USERS = 3,
    MUTEX_KIND = 4,
    MUTEX_KINDS = 0x3ff, /* bits that a kind may have */
    MUTEX_CONTENDED = 2, /* the first word, while threads wait */
};

struct reasons {
    struct dump *dump;
    struct buffer locks; /* /proc/locks */
    unsigned scans;
};

/* Returns the number of THREAD inside its pid namespace. */
static pid_t inner_tid(const struct dump_thread *thread)
{
    char path[96], text[8192];
    uint64_t numbers[NAMESPACES_MOST];
    snprintf(path, sizeof path, "/proc/%d/task/%d/status", (int)thread->pid, (int)thread->tid);
    int fd = proc_open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? fd : proc_read(fd, text, sizeof text);
    if (fd >= 0)
        close(fd);
    size_t count = got > 0 ? proctext_status_numbers(text, "NSpid", 10, numbers, NAMESPACES_MOST) : 0;
    return count ? (pid_t)numbers[count - 1] : thread->tid;
}

/* Returns the thread of THREAD's process that calls itself TID, or NULL. */
static const struct dump_thread *owner_of(const struct dump *dump, const struct dump_thread *thread, uint32_t tid)
{
    pid_t outer = thread->tid, inner = tid ? inner_tid(thread) : 0;
    const struct dump_thread *owner = NULL;
    if (!tid || tid > INT32_MAX)
        return NULL;
    if (inner == outer)
        return dump_find(dump, thread->pid, (pid_t)tid);
    for (size_t i = 0; i < dump->count && !owner; i++)
        if (dump->items[i].pid == thread->pid && inner_tid(&dump->items[i]) == (pid_t)tid)
            owner = &dump->items[i];
    return owner;
}

static void put_owner(struct buffer *text, struct dump_thread *thread, const struct dump_thread *owner)
{
    buffer_printf(text, " that thread %d \"%s\" has%s", (int)owner->tid, owner->name,
                  owner == thread ? ": itself" : "");
    thread->holder = owner->tid;
}

/* Appends what THREAD waits for by a futex. The first word of a PI or robust mutex has its owner, for the kernel; other
 * mutexes have it beside the first word. pthread_join waits at the number of the thread. */
static void put_futex(const struct dump *dump, struct dump_thread *thread, struct buffer *text)
{
    const struct message_call *call = thread->call;
    const uint32_t *words = call->words;
    uint32_t value = (uint32_t)call->arguments[2];
    int operation = (int)call->arguments[1] & FUTEX_CMD_MASK;
    bool is_pi = operation == FUTEX_LOCK_PI || operation == FUTEX_LOCK_PI2;
    bool is_wait = operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET;
    const struct dump_thread *owner = NULL;
    if (call->word_count && (is_pi || (is_wait && words[0] & FUTEX_WAITERS)))
        owner = owner_of(dump, thread, words[0] & FUTEX_TID_MASK);
    else if (is_wait && call->word_count > MUTEX_KIND && value == MUTEX_CONTENDED && words[0] == MUTEX_CONTENDED &&
             words[MUTEX_USERS] && !(words[MUTEX_KIND] & ~(uint32_t)MUTEX_KINDS))
        owner = owner_of(dump, thread, words[MUTEX_OWNER]);
    bool is_shared = !(call->arguments[1] & FUTEX_PRIVATE_FLAG); /* the kernel wakes for the end of a thread this way */
    const struct dump_thread *joined =
        is_wait && is_shared && call->word_count && words[0] == value ? owner_of(dump, thread, value) : NULL;
    if (joined && joined != thread && !owner) {
        buffer_printf(text, "the end of thread %d \"%s\"", (int)joined->tid, joined->name);
        thread->holder = joined->tid;
        return;
    }
    buffer_printf(text, owner ? "the mutex %#" PRIx64 : "the futex %#" PRIx64, call->arguments[0]);
    if (owner)
        put_owner(text, thread, owner);
}

/* Appends the process that has the lock that process PID waits for. In /proc/locks, the line of a waiting process has
 * an arrow, and the number of the lock. */
static void put_lock(struct reasons *reasons, pid_t pid, struct buffer *text)
{
    uint64_t waits_for = 0, number;
    char first[24], kind[16];
    int of;
    if (!reasons->locks.length)
        buffer_read_path(&reasons->locks, "/proc/locks", LOCKS_LIMIT);
    const char *lines = reasons->locks.length ? reasons->locks.bytes : "";
    for (const char *line = lines; line && *line; line = strchr(line, '\n'), line += line != NULL)
        if (sscanf(line, "%" SCNu64 ": %23s %15s %*s %*s %d", &number, first, kind, &of) == 4 && !strcmp(first, "->") &&
            of == pid)
            waits_for = number;
    for (const char *line = lines; waits_for && line && *line; line = strchr(line, '\n'), line += line != NULL)
        if (sscanf(line, "%" SCNu64 ": %23s %*s %*s %d", &number, first, &of) == 3 && strcmp(first, "->") &&
            number == waits_for && of > 0)
            buffer_printf(text, ", whose lock process %d has", of);
}

/* Returns true if the first argument of call NUMBER is a descriptor. */
static bool has_descriptor(int32_t number)
{
    static const int32_t calls[] = {
        SYS_read,       SYS_readv,    SYS_pread64,   SYS_preadv,   SYS_preadv2, SYS_write,       SYS_writev,
        SYS_pwrite64,   SYS_pwritev,  SYS_pwritev2,  SYS_recvfrom, SYS_recvmsg, SYS_recvmmsg,    SYS_sendto,
        SYS_sendmsg,    SYS_sendmmsg, SYS_accept,    SYS_accept4,  SYS_connect, SYS_flock,       SYS_fcntl,
        SYS_ioctl,      SYS_fsync,    SYS_fdatasync, SYS_sendfile, SYS_splice,  SYS_epoll_pwait,
#ifdef SYS_epoll_wait
        SYS_epoll_wait,
#endif
    };
    bool has = false;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        has |= calls[i] == number;
    return has;
}

static void put_descriptor(struct reasons *reasons, struct dump_thread *thread, struct buffer *text)
{
    pid_t pid = thread->pid;
    int32_t number = thread->call->syscall;
    int fd = (int)thread->call->arguments[0];
    buffer_printf(text, "descriptor %d", fd);
    size_t before = text->length;
    buffer_puts(text, ", ");
    dump_put_endpoint(text, pid, fd, &reasons->scans);
    if (text->length == before + 2)
        text->bytes[text->length = before] = 0;
    if (number == SYS_flock || number == SYS_fcntl)
        put_lock(reasons, pid, text);
}

/* A thread that waits for a child. */
static void put_child(const struct message_call *call, struct buffer *text)
{
    int number = (int)call->arguments[call->syscall == SYS_waitid ? 1 : 0];
    bool is_one = call->syscall == SYS_wait4 ? number > 0 : call->arguments[0] == P_PID;
    if (is_one)
        buffer_printf(text, "child %d", number);
    else
        buffer_puts(text, "a child");
}

static void put_language_lock(const struct dump *dump, struct dump_thread *thread, struct buffer *text)
{
    const struct dump_thread *owner = thread->call->holder ? dump_find(dump, thread->pid, thread->call->holder) : NULL;
    bool is_python = thread->sample->syscall == WAIT_GIL;
    buffer_puts(text, is_python ? "Python's global lock (GIL)" : "Ruby's global lock (GVL)");
    if (owner && owner != thread)
        put_owner(text, thread, owner);
}

static void put_reason(struct reasons *reasons, struct dump_thread *thread, struct buffer *text)
{
    int32_t place = thread->sample ? thread->sample->syscall : -1;
    if (!thread->call)
        return;
    if (place == WAIT_GIL || place == WAIT_GVL)
        put_language_lock(reasons->dump, thread, text);
    else if (place != thread->call->syscall)
        return; /* it is stopped, or a worker of the kernel */
    else if (place == SYS_futex)
        put_futex(reasons->dump, thread, text);
    else if (place == SYS_wait4 || place == SYS_waitid)
        put_child(thread->call, text);
    else if (has_descriptor(place))
        put_descriptor(reasons, thread, text);
}

/* Marks the threads that wait for each other in a circle. A walk ends at a thread of an earlier walk, or of its own:
 * then the circle begins there. */
static void find_deadlocks(struct dump *dump)
{
    for (size_t i = 0; i < dump->count; i++) {
        struct dump_thread *at = &dump->items[i];
        while (at && at->holder && !at->walk) {
            at->walk = i + 1;
            at = dump_find(dump, at->pid, at->holder);
        }
        for (bool is_new = at && at->walk == i + 1; is_new && !at->deadlocked;
             at = dump_find(dump, at->pid, at->holder))
            at->deadlocked = true;
    }
}

void dump_find_reasons(struct dump *dump)
{
    struct reasons reasons = {.dump = dump, .scans = SCANS_MOST};
    for (size_t i = 0; i < dump->count; i++) {
        struct buffer text = {0};
        put_reason(&reasons, &dump->items[i], &text);
        dump->items[i].reason = text.bytes;
    }
    buffer_fini(&reasons.locks);
    find_deadlocks(dump);
}

/* SPDX-License-Identifier: MIT
 *
 * Calls on a FUSE file system. Its server sends the caller a signal that nobody handles. If the kernel then reports an
 * interruption, the server answers that the call was interrupted, as servers written in Go do. No call may fail. Prints
 * how many requests were interrupted. Status 77 if there is no FUSE here. */
#include "target.h"

#include <linux/fuse.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/xattr.h>

enum { FILE_NODE = 2, SIZE = 4096, PATIENCE_MS = 100 };

struct reply {
    struct fuse_out_header header;
    unsigned char body[SIZE];
};

struct shared {
    atomic_uint calls, interrupted;
};

static struct shared *shared;

/* Counts a call. The server interrupts one of its requests. */
#define CALL(condition)                                                                                                \
    do {                                                                                                               \
        shared->calls++;                                                                                               \
        CHECK(condition);                                                                                              \
    } while (0)

static size_t answer(const struct fuse_in_header *asked, unsigned char *body)
{
    const struct fuse_attr file = {.ino = FILE_NODE, .size = SIZE, .mode = S_IFREG | 0666, .nlink = 1, .blksize = SIZE};
    const struct fuse_attr top = {.ino = FUSE_ROOT_ID, .mode = S_IFDIR | 0755, .nlink = 1};
    const struct fuse_init_out init = {.major = FUSE_KERNEL_VERSION, .minor = 31, .max_write = SIZE};
    const struct fuse_entry_out entry = {.nodeid = FILE_NODE,
                                         .attr = file}; /* not cached, so the server gets each request */
    const struct fuse_attr_out about = {.attr = asked->nodeid == FILE_NODE ? file : top};
    const struct fuse_open_out opened = {.open_flags = FOPEN_DIRECT_IO};
#define ANSWER(value) (memcpy(body, &(value), sizeof(value)), sizeof(value))
    switch (asked->opcode) {
    case FUSE_INIT:
        return ANSWER(init);
    case FUSE_LOOKUP:
        return ANSWER(entry);
    case FUSE_GETATTR:
    case FUSE_SETATTR:
        return ANSWER(about);
    case FUSE_OPEN:
        return ANSWER(opened);
    case FUSE_GETXATTR:
        memcpy(body, "value", 5);
        return 5;
    case FUSE_READ:
        return SIZE;
    default:
        return 0;
    }
}

/* The caller sleeps in the call. Sends it a signal. Returns true if the kernel then reports an interruption. */
static bool disturb(int device, pid_t caller)
{
    static unsigned char request[1 << 16];
    struct pollfd waits = {.fd = device, .events = POLLIN};
    CHECK(kill(caller, SIGURG) == 0);
    if (poll(&waits, 1, PATIENCE_MS) <= 0 || read(device, request, sizeof request) < 0)
        return false;
    return ((const struct fuse_in_header *)request)->opcode == FUSE_INTERRUPT;
}

static bool may_be_interrupted(uint32_t opcode)
{
    return opcode == FUSE_LOOKUP || opcode == FUSE_GETATTR || opcode == FUSE_SETATTR || opcode == FUSE_OPEN ||
           opcode == FUSE_READ || opcode == FUSE_FSYNC || opcode == FUSE_GETXATTR;
}

static void serve(int device, pid_t caller)
{
    static unsigned char request[1 << 16];
    static struct reply reply;
    unsigned disturbed = 0; /* the call with the last interrupted request */
    for (;;) {
        if (read(device, request, sizeof request) < 0) {
            if (errno == ENODEV)
                _exit(0);
            CHECK(errno == EINTR || errno == ENOENT);
            continue;
        }
        const struct fuse_in_header *asked = (const void *)request;
        if (asked->opcode == FUSE_FORGET || asked->opcode == FUSE_BATCH_FORGET || asked->opcode == FUSE_INTERRUPT)
            continue;
        size_t size = answer(asked, reply.body);
        bool first = may_be_interrupted(asked->opcode) && disturbed != shared->calls;
        disturbed = first ? shared->calls : disturbed;
        bool interrupts = first && disturb(device, caller);
        shared->interrupted += interrupts;
        reply.header = (struct fuse_out_header){.unique = asked->unique,
                                                .error = interrupts ? -EINTR : 0,
                                                .len = (uint32_t)(sizeof reply.header + (interrupts ? 0 : size))};
        CHECK(write(device, &reply, reply.header.len) > 0 || errno == ENOENT);
    }
}

static void mount_served(void)
{
    char options[80];
    pid_t caller = getpid();
    int device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    if (device < 0 || unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        exit(77);
    CHECK(mkdir("served", 0755) == 0 || errno == EEXIST);
    snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0", device);
    if (mount("served_files", "served", "fuse", MS_NOSUID | MS_NODEV, options) != 0)
        exit(77);
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0)
        serve(device, caller);
    close(device);
}

int main(void)
{
    struct stat about;
    char bytes[SIZE];
    target_begin();
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED);
    mount_served();
    CALL(stat("served/file", &about) == 0 && about.st_size == SIZE);
    CALL(access("served/file", R_OK) == 0);
    CALL(chmod("served/file", 0666) == 0);
    CALL(getxattr("served/file", "user.name", bytes, sizeof bytes) == 5);
    int fd;
    CALL((fd = open("served/file", O_RDWR | O_CLOEXEC)) >= 0);
    CALL(fstat(fd, &about) == 0);
    CALL(pread(fd, bytes, sizeof bytes, 0) == SIZE);
    CALL(fsync(fd) == 0);
    CHECK(close(fd) == 0 && umount2("served", MNT_DETACH) == 0);
    printf("%u of %u calls interrupted\n", shared->interrupted, shared->calls);
    return 0;
}

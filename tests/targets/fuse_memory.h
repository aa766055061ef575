/* SPDX-License-Identifier: MIT
 *
 * A file of a FUSE file system that never answers a read, or only the first one. It also never answers whether a
 * file called "never" exists. A mapping of a descriptor opened with O_DIRECT waits for the unanswered reads. */
#ifndef FUSE_MEMORY_H
#define FUSE_MEMORY_H

#include "target.h"

#include <linux/fuse.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>

enum {
    FUSE_LIFE_S = 60
}; /* lifetime of a server that a mapping waits for: no signal interrupts that wait, and
    * ps(1) blocks, too */
enum { FUSE_PAGE = 4096, FUSE_SIZE = 32 * FUSE_PAGE, FUSE_FILE_NODE = 2 };

/* The number of reads that the server has received, in shared memory. */
static _Atomic int *fuse_reads;

/* Reports that such memory is unavailable here. */
UNUSED __attribute__((noreturn)) static void cannot(const char *what)
{
    printf("%s: %s\n", what, strerror(errno));
    fflush(stdout);
    _exit(77);
}

static size_t answer(const struct fuse_in_header *asked, unsigned char *body)
{
    static const struct fuse_attr attributes = {
        .ino = FUSE_FILE_NODE, .size = FUSE_SIZE, .mode = S_IFREG | 0666, .nlink = 1, .blksize = FUSE_PAGE};
    static const struct fuse_attr top = {.ino = FUSE_ROOT_ID, .mode = S_IFDIR | 0755, .nlink = 1};
    struct fuse_init_out init = {.major = FUSE_KERNEL_VERSION,
                                 .minor = 31,
                                 .max_readahead = FUSE_PAGE,
                                 .flags = FUSE_ASYNC_READ,
                                 .max_write = FUSE_PAGE};
    struct fuse_entry_out entry = {.nodeid = FUSE_FILE_NODE, .entry_valid = 9, .attr_valid = 9, .attr = attributes};
    struct fuse_attr_out about = {.attr_valid = 9, .attr = asked->nodeid == FUSE_FILE_NODE ? attributes : top};
    const struct fuse_open_in *open_in = (const void *)(asked + 1);
    bool direct = asked->opcode == FUSE_OPEN && open_in->flags & O_DIRECT;
    struct fuse_open_out opened = {.open_flags = direct ? FOPEN_DIRECT_IO | FOPEN_KEEP_CACHE : 0};
    const void *from = &init;
    size_t size = sizeof init;
    switch (asked->opcode) {
    case FUSE_INIT:
        break;
    case FUSE_LOOKUP:
        from = &entry, size = sizeof entry;
        break;
    case FUSE_GETATTR:
        from = &about, size = sizeof about;
        break;
    case FUSE_OPEN:
        from = &opened, size = sizeof opened;
        break;
    default:
        size = 0;
    }
    memcpy(body, from, size);
    return size;
}

/* FIRST: a page, the answer to the first read, or NULL. */
static void serve_files(int device, const void *first)
{
    static unsigned char request[1 << 16];
    struct {
        struct fuse_out_header header;
        unsigned char body[FUSE_PAGE];
    } reply;
    for (;;) {
        if (read(device, request, sizeof request) < 0) {
            CHECK(errno == EINTR);
            continue;
        }
        const struct fuse_in_header *asked = (const void *)request;
        bool reads = asked->opcode == FUSE_READ;
        bool never = asked->opcode == FUSE_LOOKUP && !strcmp((const char *)(asked + 1), "never");
        *fuse_reads += reads;
        if (asked->opcode == FUSE_OPEN && ((const struct fuse_open_in *)(asked + 1))->flags & O_DIRECT)
            alarm(FUSE_LIFE_S);
        if ((reads && !first) || never || asked->opcode == FUSE_INTERRUPT || asked->opcode == FUSE_FORGET)
            continue;
        size_t size = reads ? FUSE_PAGE : answer(asked, reply.body);
        if (reads)
            memcpy(reply.body, first, FUSE_PAGE);
        first = reads ? NULL : first;
        reply.header.error = size || asked->opcode == FUSE_FLUSH || asked->opcode == FUSE_RELEASE ? 0 : -ENOSYS;
        reply.header.unique = asked->unique;
        reply.header.len = (uint32_t)(sizeof reply.header + size);
        if (write(device, &reply, reply.header.len) < 0)
            CHECK(errno == ENOENT);
    }
}

static void mount_files(const char *directory, const void *first)
{
    char options[80];
    int device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    fuse_reads = mmap(NULL, FUSE_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(fuse_reads != MAP_FAILED);
    if (device < 0)
        cannot("/dev/fuse");
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        cannot("a mount namespace");
    snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", device);
    if (mount("asleep", directory, "fuse", MS_NOSUID | MS_NODEV, options) != 0)
        cannot("mount");
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        serve_files(device, first);
    }
    close(device);
}

UNUSED static char *fuse_memory(const void *first)
{
    CHECK(mkdir("mounted", 0755) == 0 || errno == EEXIST);
    mount_files("mounted", first);
    int fd = open("mounted/file", O_RDWR | O_CLOEXEC);
    CHECK(fd >= 0);
    char *memory = mmap(NULL, FUSE_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED, fd, 0);
    CHECK(memory != MAP_FAILED);
    close(fd);
    return memory;
}

#endif

/* SPDX-License-Identifier: MIT */
/* Measures the time for unwinding a stack of FRAMES frames from a copy: the first time, which reads the tables, and
 * later, when everything is known. The stack is copied once from a stopped child; the measurement does not need it. */
#include "bench.h"

#include "common/base/memory_run.h"
#include "common/model/address_map.h"
#include "programs/elf/inflate.h"
#include "programs/unwind/frame.h"
#include "programs/unwind/unwind.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK_BYTES = 65536, FRAMES_MOST = 512 };

static struct {
    long frames, rounds;
    bool pointers;
} opt = {.frames = 16, .rounds = 20000};

static volatile long depth;

/* As deep as was asked for, then a trap. */
static __attribute__((noinline, noclone)) void descend(long left)
{
    if (left > 0)
        descend(left - 1);
    else
        __asm__ volatile("int3");
    depth++;
}

static pid_t stopped_child(void)
{
    pid_t pid = fork();
    int status;

    if (pid < 0)
        die("fork");
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
            die("PTRACE_TRACEME");
        descend(opt.frames - 5); /* below are main, what it is called by, and this */
        _exit(0);
    }
    if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
        die("the child did not stop");
    return pid;
}

/* Our own mappings are the child's. */
static void map(struct unwinder *unwinder, struct unwind_image *image)
{
    static struct unwind_mapping mappings[256];
    struct address_map map = {0};
    static char text[1 << 20];
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    size_t length = 0;
    ssize_t got;

    if (fd < 0)
        die("/proc/self/maps");
    while ((got = read(fd, text + length, sizeof text - 1 - length)) > 0)
        length += (size_t)got;
    close(fd);
    if (!address_map_parse(&map, text, sizeof mappings / sizeof *mappings))
        die("/proc/self/maps");
    for (size_t i = 0; i < map.count; i++) {
        int file = *map.items[i].path == '/' ? open(map.items[i].path, O_RDONLY | O_CLOEXEC) : -1;
        mappings[i] = (struct unwind_mapping){map.items[i].start, map.items[i].end, map.items[i].offset,
                                              file < 0 ? NULL : unwind_object_new(unwinder, file)};
    }
    if (!unwind_image_map(image, mappings, map.count))
        die("unwind_image_map");
    address_map_fini(&map);
}

static void copy(pid_t pid, struct unwind_registers *registers, struct unwind_stack *stack)
{
    static char bytes[STACK_BYTES];
    static struct memory_run run;
    struct user_regs_struct user;
    ssize_t got = -1;

    if (ptrace(PTRACE_GETREGS, pid, NULL, &user) != 0)
        die("PTRACE_GETREGS");
    unwind_registers_set(registers, &user, false);
    for (size_t size = sizeof bytes; got < 0 && size > 0; size /= 2) {
        struct iovec local = {bytes, size}, remote = {(void *)(uintptr_t)user.rsp, size};
        got = process_vm_readv(pid, &local, 1, &remote, 1, 0);
    }
    run = (struct memory_run){user.rsp, got < 0 ? 0 : (size_t)got};
    *stack = (struct unwind_stack){&run, 1, bytes};
}

static void measure(struct unwind_image *image, const struct unwind_registers *registers,
                    const struct unwind_stack *stack)
{
    struct unwind_frame frames[FRAMES_MOST];
    struct samples times = {0};
    enum unwind_end end;
    size_t count = 0;
    uint64_t first = 0;

    for (long i = 0; i < opt.rounds; i++) {
        uint64_t before = now_ns();
        count = unwind_capture(image, registers, stack, frames, FRAMES_MOST, &end);
        uint64_t took = now_ns() - before;
        if (i == 0)
            first = took;
        else
            samples_add(&times, took);
    }
    printf("frames=%zu whole=%d stacks=%s first_us=%.1f warm_us=%.2f warm99_us=%.2f\n", count, end == UNWIND_WHOLE,
           opt.pointers ? "fp" : "dwarf", (double)first / 1e3, samples_percentile(&times, 50) / 1e3,
           samples_percentile(&times, 99) / 1e3);
}

static void parse(int argc, char **argv)
{
    int option;

    while ((option = getopt(argc, argv, "n:r:p")) != -1) {
        switch (option) {
        case 'n':
            opt.frames = parse_long(optarg, "-n", 6, FRAMES_MOST);
            break;
        case 'r':
            opt.rounds = parse_long(optarg, "-r", 2, 10000000);
            break;
        case 'p':
            opt.pointers = true;
            break;
        default:
            fputs("usage: unwind [-n FRAMES] [-r ROUNDS] [-p]\n  -p: by frame pointers\n", stderr);
            exit(2);
        }
    }
}

int main(int argc, char **argv)
{
    struct unwind_registers registers;
    struct unwind_stack stack;
    struct unwinder *unwinder;
    struct unwind_image *image;
    pid_t pid;

    parse(argc, argv);
    unwinder = unwind_new(opt.pointers ? UNWIND_FRAME_POINTERS : UNWIND_DWARF, elf_inflate_debug_frame);
    image = unwinder == NULL ? NULL : unwind_image_new(unwinder);
    if (image == NULL)
        die("unwind_new");
    map(unwinder, image);
    pid = stopped_child();
    copy(pid, &registers, &stack);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    measure(image, &registers, &stack);
    return 0;
}

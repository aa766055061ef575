/* SPDX-License-Identifier: MIT
 *
 * System calls that work for long, or not at all, and fail if a signal is pending, made again and again. None of them may
 * fail: no signal is handled.
 *     anew MODE [SECONDS [signals]]
 * MODE: drain (of a terminal), program (for the kernel's BPF machine), pages (huge ones, of a file; as many as are free). With
 * signals another process sends one that nobody handles, often. Status 77 if the call cannot be made here. */
#include "target.h"

#include <linux/bpf.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <termios.h>

enum { INSTRUCTIONS = 50000 };

static uint64_t calls;

static int open_terminal(void)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0)
        exit(77);
    CHECK(grantpt(master) == 0 && unlockpt(master) == 0);
    int fd = open(ptsname(master), O_RDWR | O_NOCTTY);
    CHECK(fd >= 0);
    return fd;
}

static void drain(uint64_t end)
{
    int fd = open_terminal();
    for (; monotonic_ns() < end; calls++)
        CHECK(tcdrain(fd) == 0);
}

/* So long that it takes the kernel some milliseconds to verify it. */
static void load_programs(uint64_t end)
{
    static struct bpf_insn code[INSTRUCTIONS + 2];
    union bpf_attr attributes = {
        .prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
        .insns = (uint64_t)(uintptr_t)code,
        .insn_cnt = INSTRUCTIONS + 2,
        .license = (uint64_t)(uintptr_t)"none",
    };
    code[0] = (struct bpf_insn){.code = BPF_ALU64 | BPF_MOV | BPF_K};
    for (int i = 1; i <= INSTRUCTIONS; i++)
        code[i] = (struct bpf_insn){.code = BPF_ALU64 | BPF_ADD | BPF_K, .imm = 1};
    code[INSTRUCTIONS + 1] = (struct bpf_insn){.code = BPF_JMP | BPF_EXIT};
    for (; monotonic_ns() < end || calls < 3; calls++) {
        int fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attributes, sizeof attributes);
        if (fd < 0 && !calls && (errno == EPERM || errno == ENOSYS || errno == E2BIG))
            exit(77);
        CHECK(fd >= 0);
        close(fd);
    }
}

static long free_pages(long *size)
{
    char line[128];
    long count = 0;
    FILE *file = fopen("/proc/meminfo", "re");
    while (file && fgets(line, sizeof line, file)) {
        sscanf(line, "HugePages_Free: %ld", &count);
        if (sscanf(line, "Hugepagesize: %ld kB", size) == 1)
            *size *= 1024;
    }
    if (file)
        fclose(file);
    return count;
}

static void allocate_pages(uint64_t end)
{
    long size = 0, count = free_pages(&size);
    int fd = memfd_create("pages", MFD_CLOEXEC | MFD_HUGETLB);
    if (fd < 0 || count < 16)
        exit(77);
    for (; monotonic_ns() < end; calls++)
        CHECK(fallocate(fd, 0, 0, count * size) == 0 && ftruncate(fd, 0) == 0);
}

static pid_t start_sender(void)
{
    pid_t target = getpid(), pid = fork();
    CHECK(pid >= 0);
    while (pid == 0) {
        struct timespec nap = {0, 300000};
        nanosleep(&nap, NULL);
        if (getppid() != target || kill(target, SIGWINCH) != 0)
            _exit(0);
    }
    return pid;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*work)(uint64_t end);
    } modes[] = {{"drain", drain}, {"program", load_programs}, {"pages", allocate_pages}};
    uint64_t end = monotonic_ns() + (uint64_t)((argc > 2 ? atof(argv[2]) : 1) * 1e9);
    target_begin();
    pid_t sender = argc > 3 ? start_sender() : 0;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (argc > 1 && strcmp(argv[1], modes[i].name) == 0)
            modes[i].work(end);
    CHECK(calls > 0);
    if (sender) {
        kill(sender, SIGKILL);
        reap(sender);
    }
    printf("%s: %llu calls\n", argv[1], (unsigned long long)calls);
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * Makes long or blocking system calls in a loop. These calls fail if a signal is pending. Since no signal has a
 * handler, none of the calls may fail.
 *
 *     anew MODE [SECONDS [signals|few|many]]
 * MODE is drain (of a terminal), timed (reads of a terminal with a timeout), program (loading a BPF program), or pages
 * (allocating all free huge pages of a file). signals: another process often sends a signal without a handler. few
 * (only with program): each call gets some of these signals, one after the other. many: so frequent signals that a call
 * must fail soon, with EAGAIN; later calls must succeed. Exits with status 77 if the call is impossible on this
 * machine. */
#include "target.h"

#include <linux/bpf.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <termios.h>

enum {
    INSTRUCTIONS = 100000,
    APART_NS = 500000, /* CPU time between signals; less than the verification of a program takes */
    FEW = 10,
    TOO_MANY = 3000,
    TRIES = 20,
    TICK_NS = 10000000, /* of the kernel's clock, in which timeouts of terminals are counted */
};

/* Shared with the sender. */
struct signals {
    atomic_uint wanted, sent;
};

static uint64_t calls;
static struct signals *signals;

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

static void handle(int signal)
{
    (void)signal;
}

/* Reads of a terminal last 0.1 s, however many signals come. A handler restarts the read, or lets it fail. */
static void read_timed(uint64_t end)
{
    enum { LENGTH_NS = 100000000, MOST_NS = 20 * LENGTH_NS, BEFORE_NS = LENGTH_NS / 2 };
    int fd = open_terminal();
    struct termios mode;
    struct sigevent alarm = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    struct itimerspec once = {.it_value = {0, BEFORE_NS}};
    timer_t timer;
    char byte;
    CHECK(tcgetattr(fd, &mode) == 0 && timer_create(CLOCK_MONOTONIC, &alarm, &timer) == 0);
    cfmakeraw(&mode);
    mode.c_cc[VMIN] = 0;
    mode.c_cc[VTIME] = 1;
    CHECK(tcsetattr(fd, TCSANOW, &mode) == 0);
    for (; monotonic_ns() < end || calls < 3; calls++) {
        int how = (int)(calls % 3); /* no handler; one that restarts; one that does not */
        struct sigaction action = {.sa_handler = handle, .sa_flags = how == 1 ? SA_RESTART : 0};
        CHECK(sigaction(SIGALRM, &action, NULL) == 0 && (!how || timer_settime(timer, 0, &once, NULL) == 0));
        uint64_t began_ns = monotonic_ns();
        ssize_t got = read(fd, &byte, 1);
        uint64_t took_ns = monotonic_ns() - began_ns;
        uint64_t least_ns = how == 0 ? LENGTH_NS : how == 1 ? BEFORE_NS + LENGTH_NS : BEFORE_NS;
        CHECK(how == 2 ? got < 0 && errno == EINTR : got == 0);
        CHECK(took_ns + TICK_NS >= least_ns && took_ns < MOST_NS);
    }
}

/* The kernel takes some milliseconds to verify this program. */
static int load_program(void)
{
    static struct bpf_insn code[INSTRUCTIONS + 2];
    union bpf_attr attributes = {
        .prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
        .insns = (uint64_t)(uintptr_t)code,
        .insn_cnt = INSTRUCTIONS + 2,
        .license = (uint64_t)(uintptr_t) "none",
    };
    code[0] = (struct bpf_insn){.code = BPF_ALU64 | BPF_MOV | BPF_K};
    for (int i = 1; i <= INSTRUCTIONS; i++)
        code[i] = (struct bpf_insn){.code = BPF_ALU64 | BPF_ADD | BPF_K, .imm = 1};
    code[INSTRUCTIONS + 1] = (struct bpf_insn){.code = BPF_JMP | BPF_EXIT};
    int fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attributes, sizeof attributes);
    if (fd < 0 && !calls && (errno == EPERM || errno == ENOSYS || errno == E2BIG))
        exit(77);
    calls++;
    return fd;
}

static void load_programs(uint64_t end)
{
    for (int i = 0; i < 3 || monotonic_ns() < end; i++) {
        signals->wanted = FEW;
        int fd = load_program();
        CHECK(fd >= 0);
        close(fd);
    }
    signals->wanted = 0;
}

/* Sends each signal when the call has continued after the previous one. Otherwise two signals could merge, and the
 * call would be restarted less often. */
static void load_until_failure(void)
{
    int fd = 0;
    for (int i = 0; i < TRIES && fd >= 0; i++) {
        unsigned before = signals->sent;
        signals->wanted = TOO_MANY;
        fd = load_program();
        CHECK(fd >= 0 || errno == EAGAIN);
        CHECK(signals->sent - before < TOO_MANY);
        close(fd);
    }
    signals->wanted = 0;
    if (fd >= 0)
        exit(77);
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

static void share_signals(void)
{
    signals = mmap(NULL, sizeof *signals, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(signals != MAP_FAILED);
}

static void nap_us(long microseconds)
{
    struct timespec nap = {0, microseconds * 1000};
    nanosleep(&nap, NULL);
}

static void send_often(pid_t target)
{
    while (getppid() == target && kill(target, SIGWINCH) == 0)
        nap_us(300);
}

static void send_wanted(pid_t target)
{
    clockid_t clock;
    uint64_t last_ns = 0;
    CHECK(clock_getcpuclockid(target, &clock) == 0);
    for (; getppid() == target; nap_us(50)) {
        uint64_t now_ns = clock_ns(clock);
        unsigned wanted = signals->wanted;
        if (!wanted || now_ns < last_ns + APART_NS ||
            !atomic_compare_exchange_strong(&signals->wanted, &wanted, wanted - 1))
            continue;
        CHECK(kill(target, SIGWINCH) == 0);
        signals->sent++;
        last_ns = now_ns;
    }
}

static pid_t start_sender(bool wanted)
{
    pid_t target = getpid(), pid = fork();
    CHECK(pid >= 0);
    if (pid)
        return pid;
    if (wanted)
        send_wanted(target);
    else
        send_often(target);
    _exit(0);
}

static void end_sender(pid_t sender)
{
    kill(sender, SIGKILL);
    reap(sender);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*work)(uint64_t end);
    } modes[] = {{"drain", drain}, {"timed", read_timed}, {"program", load_programs}, {"pages", allocate_pages}};
    uint64_t length_ns = (uint64_t)((argc > 2 ? atof(argv[2]) : 1) * 1e9);
    const char *how = argc > 3 ? argv[3] : "";
    target_begin();
    share_signals();
    pid_t sender = *how ? start_sender(strcmp(how, "signals") != 0) : 0;
    if (strcmp(how, "many") == 0)
        load_until_failure();
    uint64_t end = monotonic_ns() + length_ns;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (argc > 1 && strcmp(argv[1], modes[i].name) == 0)
            modes[i].work(end);
    CHECK(calls > 0);
    if (sender)
        end_sender(sender);
    printf("%s: %llu calls, %u signals\n", argv[1], (unsigned long long)calls, signals->sent);
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * Does something that a correct program does not do, for MILLISECONDS of CPU time, beside another process that
 * behaves normally:
 *
 *     tricks NAME MILLISECONDS
 * During that, it works in trick_work if possible, and the other process in neighbour_work. Prints the CPU time of
 * both functions in ms. Ends with status 0 if all went as without a tracer. */
#include "target.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

enum { PAGE = 4096 };

DEFINE_SPIN(trick_work, 0x2501)
DEFINE_SPIN(neighbour_work, 0x2502)

static uint64_t work_cpu_ns, end_cpu_ns;

static bool is_over(void)
{
    return process_cpu_ns() > end_cpu_ns;
}

static void work(void)
{
    while (!is_over())
        trick_work(100000);
}

static char *new_pages(size_t count, int protection)
{
    char *pages = mmap(NULL, count * PAGE, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(pages != MAP_FAILED);
    return pages;
}

/*
 * A stack pointer anywhere
 */

static volatile uintptr_t others_stack;

__attribute__((noinline, noclone)) void work_with_stack_pointer(uint64_t rounds, uintptr_t stack, uintptr_t frame);
__attribute__((noinline, noclone)) void work_with_stack_pointer(uint64_t rounds, uintptr_t stack, uintptr_t frame)
{
    __asm__ volatile("xchg %1, %%rsp\n"
                     "xchg %2, %%rbp\n"
                     "1: dec %0\n"
                     "jnz 1b\n"
                     "xchg %2, %%rbp\n"
                     "xchg %1, %%rsp\n"
                     : "+r"(rounds), "+r"(stack), "+r"(frame)
                     :
                     : "cc");
}

static void *lie_still(void *unused)
{
    char here;
    others_stack = (uintptr_t)&here;
    while (!is_over())
        nap_ms(1);
    return unused;
}

static void stand_anywhere(void)
{
    pthread_t other;
    CHECK(pthread_create(&other, NULL, lie_still, NULL) == 0);
    while (!others_stack)
        nap_ms(1);
    uintptr_t guard = (uintptr_t)new_pages(2, PROT_NONE);
    CHECK(mprotect((char *)guard, PAGE, PROT_READ | PROT_WRITE) == 0);
    /* frame pointers that point to themselves, and to each other */
    uintptr_t *cycle = (uintptr_t *)(void *)new_pages(1, PROT_READ | PROT_WRITE);
    for (int i = 0; i < 512; i += 2) {
        cycle[i] = (uintptr_t)&cycle[(i + 2) % 512];
        cycle[i + 1] = (uintptr_t)stand_anywhere + 8;
    }
    uintptr_t code = (uintptr_t)stand_anywhere;
    const uintptr_t places[] = {0,
                                1,
                                8,
                                -1ul,
                                -8ul,
                                -4096ul,
                                0xffffffff81000000,
                                0x800000000000,
                                0x7fffffffeff8,
                                0x7ffffffff000,
                                0x8000000000000000,
                                others_stack,
                                guard + PAGE - 8,
                                guard + PAGE,
                                guard + PAGE - 1,
                                (uintptr_t)cycle,
                                (uintptr_t)cycle + 3,
                                code,
                                guard + 2 * PAGE};
    for (int i = 0; !is_over(); i++) {
        uintptr_t place = places[(size_t)i % (sizeof places / sizeof *places)];
        work_with_stack_pointer(300000, place, i % 2 ? (uintptr_t)cycle : place);
    }
    CHECK(pthread_join(other, NULL) == 0);
}

/*
 * Maps
 */

static void map_very_much(void)
{
    char *pages = new_pages(65000, PROT_READ | PROT_EXEC);
    for (size_t i = 0; i < 65000; i += 2)
        if (mprotect(pages + i * PAGE, PAGE, i % 4 ? PROT_NONE : PROT_READ) != 0)
            break; /* the kernel's limit */
    work();
}

__attribute__((noinline)) static int compare(const void *one, const void *other)
{
    return *(const int *)one - *(const int *)other;
}

/* Inaccessible mappings below the C library, which is working. */
static void map_much_below(void)
{
    static int numbers[100000];
    char *pages = new_pages(60000, PROT_READ | PROT_WRITE);
    for (size_t i = 0; i < 60000; i += 2)
        if (mprotect(pages + i * PAGE, PAGE, PROT_READ) != 0)
            break;
    end_cpu_ns = process_cpu_ns() + work_cpu_ns; /* the time for mapping does not count */
    while (!is_over()) {
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            numbers[i] = (int)(i * 7919 % 100003);
        qsort(numbers, sizeof numbers / sizeof *numbers, sizeof *numbers, compare);
    }
}

/* Mapped files come and go. Their names look like other parts of a map. */
static void map_strange_names(void)
{
    static const char *const names[] = {"a\nb",        "7f0000000000-7f0000001000 r-xp 00000000 00:00 0 [vdso]",
                                        "x (deleted)", "[vdso]",
                                        "[stack]",     "\\012",
                                        "\x1b[31m",    "\xff\xfe",
                                        " ",           "a;b"};
    enum { NAMES = sizeof names / sizeof *names };
    char name[256];
    for (int i = 0; !is_over(); i++) {
        snprintf(name, sizeof name, "%s%s", i % NAMES == 3 ? "./" : "", names[i % NAMES]);
        int fd = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
        CHECK(fd >= 0);
        CHECK(pwrite(fd, "\xf3\x0f\x1e\xfa\x48\xff\xcf\x75\xfb\xc3", 10, 0x40) == 10 && ftruncate(fd, PAGE) == 0);
        char *code = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
        CHECK(code != MAP_FAILED);
        unlink(name);
        if (i % 3 == 1)
            CHECK(mkfifo(name, 0600) == 0);
        if (i % 3 == 2 && mknod(name, S_IFCHR | 0600, makedev(1, 5)) != 0)
            CHECK(errno == EPERM);
        void (*run)(uint64_t);
        *(void **)&run = code + 0x40;
        run(20000000);
        trick_work(10000000);
        unlink(name);
        CHECK(munmap(code, PAGE) == 0);
        close(fd);
    }
}

/* Truncates the file of its code while it runs in it. */
static void shorten_code(void)
{
    int fd = open("shortened", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
    int own = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    char bytes[PAGE];
    CHECK(fd >= 0 && own >= 0);
    for (ssize_t got; (got = read(own, bytes, sizeof bytes)) > 0;)
        CHECK(write(fd, bytes, (size_t)got) == got);
    CHECK(pwrite(fd, "\x48\xff\xcf\x75\xfb\xc3", 6, 0) == 6);
    char *code = mmap(NULL, 8 * PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
    CHECK(code != MAP_FAILED);
    void (*run)(uint64_t);
    *(void **)&run = code;
    for (off_t size = 8 * PAGE; !is_over(); size = size > PAGE ? size - PAGE / 8 : 8 * PAGE) {
        run(2000000);
        trick_work(1000000);
        CHECK(ftruncate(fd, size) == 0);
    }
    unlink("shortened");
}

/*
 * Maps of generated code, in /tmp/perf-PID.map
 */

static const char *jit_map_path(void)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/perf-%d.map", getpid());
    return path;
}

/* An earlier process with this number may have left one. */
static const char *new_jit_map_path(void)
{
    unlink(jit_map_path());
    return jit_map_path();
}

static void run_generated(void)
{
    char *code = new_pages(1, PROT_READ | PROT_WRITE);
    memcpy(code, "\x48\xff\xcf\x75\xfb\xc3", 6);
    CHECK(mprotect(code, PAGE, PROT_READ | PROT_EXEC) == 0);
    void (*run)(uint64_t);
    *(void **)&run = code;
    while (!is_over()) {
        run(100000);
        trick_work(100000);
    }
    unlink(jit_map_path());
}

static void name_code_in_device(void)
{
    CHECK(symlink("/dev/zero", new_jit_map_path()) == 0);
    run_generated();
}

static void name_code_in_fifo(void)
{
    CHECK(mkfifo(new_jit_map_path(), 0600) == 0);
    run_generated();
}

static int open_jit_map(void)
{
    int fd = open(new_jit_map_path(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    CHECK(fd >= 0);
    return fd;
}

static void name_code_in_large_file(void)
{
    CHECK(ftruncate(open_jit_map(), (off_t)10 << 30) == 0);
    run_generated();
}

/* As many lines as fit, each for one function. */
static void name_much_code(void)
{
    static char lines[1 << 20];
    int fd = open_jit_map();
    size_t length = 0;
    for (unsigned i = 0; length + 32 < sizeof lines; i++)
        length += (size_t)snprintf(lines + length, 32, "%x 1 f\n", i * 2);
    for (int i = 0; i < 48; i++)
        CHECK(write(fd, lines, length) == (ssize_t)length);
    close(fd);
    run_generated();
}

/* Processes and threads as fast as possible */

static void fork_fast(void)
{
    while (!is_over()) {
        pid_t pid = fork();
        CHECK(pid >= 0);
        if (pid == 0)
            _exit(3);
        trick_work(20000);
        CHECK_EXITED(pid, 3);
    }
}

static void exec_fast(void)
{
    char left[24], own[4096];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    CHECK(length > 0);
    own[length] = 0;
    trick_work(100000);
    if (is_over())
        return;
    snprintf(left, sizeof left, "%lu", (unsigned long)((end_cpu_ns) / MILLISECOND_NS));
    execl(own, own, "exec-again", left, (char *)NULL);
    die("exec: %s", strerror(errno));
}

static void *do_little(void *unused)
{
    trick_work(1000);
    return unused;
}

static void thread_fast(void)
{
    pthread_t threads[8];
    for (int i = 0; !is_over(); i++) {
        char name[16];
        snprintf(name, sizeof name, "(%d) R\n", i);
        prctl(PR_SET_NAME, name);
        for (int k = 0; k < 8; k++)
            CHECK(pthread_create(&threads[k], NULL, do_little, NULL) == 0);
        trick_work(20000);
        for (int k = 0; k < 8; k++)
            CHECK(pthread_join(threads[k], NULL) == 0);
    }
}

/* Changes of itself */

/* Children that already have a tracer, or not: both must work as under strace. */
static void trace_children(void)
{
    while (!is_over()) {
        int status;
        pid_t pid = fork();
        CHECK(pid >= 0);
        if (pid == 0) {
            if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
                CHECK(errno == EPERM);
            trick_work(100000);
            _exit(4);
        }
        if (ptrace(PTRACE_ATTACH, pid, NULL, NULL) != 0)
            CHECK(errno == EPERM || errno == ESRCH);
        else
            while (waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status))
                ptrace(PTRACE_CONT, pid, NULL, NULL);
        trick_work(100000);
        while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status))
            ptrace(PTRACE_CONT, pid, NULL, NULL);
    }
}

static void block_all(void)
{
    sigset_t all;
    sigfillset(&all);
    CHECK(sigprocmask(SIG_BLOCK, &all, NULL) == 0);
    work();
}

static void ignore_all(void)
{
    for (int sig = 1; sig < NSIG; sig++)
        if (sig != SIGCHLD)
            signal(sig, SIG_IGN);
    work();
}

static void have_nothing(void)
{
    static const int limits[] = {RLIMIT_AS,     RLIMIT_NOFILE, RLIMIT_NPROC, RLIMIT_CORE,    RLIMIT_SIGPENDING,
                                 RLIMIT_STACK,  RLIMIT_DATA,   RLIMIT_FSIZE, RLIMIT_MEMLOCK, RLIMIT_MSGQUEUE,
                                 RLIMIT_RTTIME, RLIMIT_RTPRIO, RLIMIT_NICE,  RLIMIT_LOCKS};
    struct rlimit before[sizeof limits / sizeof *limits];
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        CHECK(getrlimit((__rlimit_resource_t)limits[i], &before[i]) == 0);
        struct rlimit none = {0, before[i].rlim_max};
        CHECK(setrlimit((__rlimit_resource_t)limits[i], &none) == 0);
    }
    work();
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        CHECK(setrlimit((__rlimit_resource_t)limits[i], &before[i]) == 0);
}

static const struct trick {
    const char *name;
    void (*run)(void);
} tricks[] = {
    {"stack-pointer", stand_anywhere},
    {"many-maps", map_very_much},
    {"many-below", map_much_below},
    {"strange-names", map_strange_names},
    {"jit-device", name_code_in_device},
    {"jit-fifo", name_code_in_fifo},
    {"jit-large", name_code_in_large_file},
    {"jit-lines", name_much_code},
    {"short-file", shorten_code},
    {"fork", fork_fast},
    {"exec", exec_fast},
    {"exec-again", exec_fast},
    {"thread", thread_fast},
    {"trace", trace_children},
    {"block", block_all},
    {"ignore", ignore_all},
    {"limits", have_nothing},
};

static pid_t start_neighbour(uint64_t ms)
{
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid)
        return pid;
    prctl(PR_SET_NAME, "neighbour");
    uint64_t end = thread_cpu_ns() + ms * MILLISECOND_NS;
    while (thread_cpu_ns() < end)
        neighbour_work(100000);
    _exit(5);
}

int main(int argc, char **argv)
{
    const struct trick *trick = tricks, *last = tricks + sizeof tricks / sizeof *tricks;
    target_begin();
    CHECK(argc == 3);
    uint64_t ms = strtoull(argv[2], NULL, 10);
    while (trick < last && strcmp(trick->name, argv[1]))
        trick++;
    CHECK(trick < last);
    bool again = !strcmp(argv[1], "exec-again");
    pid_t neighbour = again ? 0 : start_neighbour(ms);
    work_cpu_ns = ms * MILLISECOND_NS;
    end_cpu_ns = (again ? 0 : process_cpu_ns()) + work_cpu_ns;
    trick->run();
    int status;
    CHECK(waitpid(neighbour ? neighbour : -1, &status, 0) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 5);
    return 0;
}

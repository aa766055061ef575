/* SPDX-License-Identifier: MIT
 *
 * Requests that a correct program would not make. Neither the tracer nor this program may be harmed: a request is
 * refused, or served as far as possible, and the program continues.
 *
 *     call_hostile requests|buffers|races|text|hidden */
#include "raw_gate.h"

#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/profil.h>

enum { PAGE = 4096, ROOM = 256, WIDE = 65536, ROUNDS = 3000 };

DEFINE_SPIN(hostile_work, 0x2201)

static uintptr_t samples[ROOM];
static unsigned short cells[ROOM];
static atomic_bool over;
static volatile sig_atomic_t strangers;

static void *new_pages(size_t count, int protection)
{
    void *pages = mmap(NULL, count * PAGE, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(pages != MAP_FAILED);
    return pages;
}

/* Returns the end of a writable page between two unmapped ones. */
static char *lonely_page(void)
{
    char *pages = new_pages(3, PROT_READ | PROT_WRITE);
    CHECK(munmap(pages, PAGE) == 0 && munmap(pages + 2 * PAGE, PAGE) == 0);
    return pages + 2 * PAGE;
}

static void count_stranger(int sig)
{
    (void)sig;
    strangers++;
}

/* Checks that correct requests are still served. */
static void check_served(void)
{
    long result = raw_pcsample(samples, ROOM);
    if (result < 0 || result > ROOM)
        die("pcsample returns %ld", result);
}

/*
 * Requests
 */

static void expect_unserved(const void *address)
{
    long result;
    CHECK(!raw_gate_by(SIGURG, address, &result) && result == 0);
}

static void ask_at_bad_addresses(void)
{
    char *end = lonely_page();
    const struct gate_request request = {GATE_MAGIC, GATE_PCSAMPLE, {0}};
    memcpy(end - 40, &request, 40); /* the last argument is beyond the page's end */
    expect_unserved(end - 40);
    expect_unserved(NULL);
    expect_unserved((void *)-1);
    expect_unserved((void *)-16);
    expect_unserved((void *)(uintptr_t)0xffffffff81000000u);
    expect_unserved((void *)(uintptr_t)0x800000000000u);
    expect_unserved(new_pages(1, PROT_NONE));
    expect_unserved(new_pages(1, PROT_READ | PROT_WRITE)); /* without the magic number */
    memcpy(end - sizeof request, &request, sizeof request);
    long result;
    CHECK(raw_gate_by(SIGURG, end - sizeof request, &result) && result >= 0);
}

static void ask_for_strange_calls(void)
{
    static const uint64_t calls[] = {0, 4, 255, UINT32_MAX, (uint64_t)1 << 32, ((uint64_t)1 << 32) + 3, UINT64_MAX};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const struct gate_request request = {GATE_MAGIC, calls[i], {1, 2, 3, 4}};
        long result;
        if (!raw_gate_by(SIGURG, &request, &result) || result != -ENOSYS)
            die("call %llu returns %ld", (unsigned long long)calls[i], result);
    }
}

static long ask(enum gate_call call, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    const struct gate_request request = {GATE_MAGIC, call, {a, b, c, d}};
    long result;
    CHECK(raw_gate_by(SIGURG, &request, &result));
    return result;
}

/* Extreme values for each argument of each call. Ticks must still be counted after any result. */
static void ask_with_strange_arguments(void)
{
    static const uint64_t values[] = {0,
                                      1,
                                      2,
                                      3,
                                      UINT64_MAX,
                                      UINT64_MAX - 1,
                                      INT32_MAX,
                                      WIDE,
                                      LONG_MAX,
                                      (uint64_t)LONG_MIN,
                                      -UINT64_C(4095),
                                      UINT32_MAX,
                                      PAGE - 1,
                                      UINT64_C(1) << 47,
                                      UINT64_C(1) << 62,
                                      UINT64_C(1) << 63};
    enum { VALUES = sizeof values / sizeof *values };
    for (int call = GATE_PROFIL; call <= GATE_PCSAMPLE; call++)
        for (int argument = 0; argument < 4; argument++)
            for (int i = 0; i < VALUES; i++) {
                uint64_t a[4] = {(uint64_t)(uintptr_t)cells, ROOM, (uint64_t)(uintptr_t)hostile_work, WIDE};
                if (call == GATE_SPROFIL) {
                    a[1] = 8;
                    a[2] = 0;
                }
                a[argument] = values[i];
                ask((enum gate_call)call, a[0], a[1], a[2], a[3]);
                if (i % 4 == 0)
                    spin_cpu_ms(hostile_work, 5);
            }
    CHECK(ask(GATE_PCSAMPLE, (uint64_t)(uintptr_t)samples, LONG_MAX, 0, 0) >= 0);
    spin_cpu_ms(hostile_work, 30);
    CHECK(ask(GATE_PCSAMPLE, 0, (uint64_t)LONG_MIN, 0, 0) == -EINVAL);
    CHECK(ask(GATE_PCSAMPLE, 0, 0, 0, 0) >= 0);
}

/* The program sends itself another signal while its registers look like a request. */
static void send_others(void)
{
    const struct gate_request request = {GATE_MAGIC, GATE_PCSAMPLE, {0}};
    const int signals[] = {SIGUSR1, SIGHUP, SIGTERM, SIGALRM, SIGRTMIN, SIGIO};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        long result;
        int before = strangers;
        CHECK(signal(signals[i], count_stranger) != SIG_ERR);
        CHECK(!raw_gate_by(signals[i], &request, &result) && result == 0);
        if (strangers != before + 1)
            die("signal %d came %d times", signals[i], strangers - before);
        signal(signals[i], SIG_DFL);
    }
}

static void try_requests(void)
{
    ask_at_bad_addresses();
    ask_for_strange_calls();
    ask_with_strange_arguments();
    send_others();
    check_served();
}

/*
 * Buffers
 */

/* Profiles hostile_work, with all ticks in the cell at ADDRESS. */
static void count_at(void *address)
{
    CHECK(ask(GATE_PROFIL, (uint64_t)(uintptr_t)address, 2, (uint64_t)(uintptr_t)hostile_work & ~1ul, 0) == 0);
    spin_cpu_ms(hostile_work, 60);
}

/* With Linux's rules, scale 0 counts everything in the first cell. Half a cell is never written. */
static void try_buffers(void)
{
    char *end = lonely_page();
    volatile unsigned short *cell = (void *)(end - 2);
    count_at(end - 2);
    for (int i = 0; i < 200 && !*cell; i++) /* a tick may be late */
        spin_cpu_ms(hostile_work, 10);
    CHECK(*cell > 0);
    memset(end - PAGE, 0, PAGE);
    count_at(end - 1);
    CHECK(end[-1] == 0);
    count_at(end - PAGE - 1);
    CHECK(end[-PAGE] == 0);
    count_at(new_pages(1, PROT_READ));
    count_at(new_pages(1, PROT_NONE));
    count_at((void *)-1);
    CHECK(ask(GATE_PCSAMPLE, (uint64_t)(uintptr_t)(end - 5 * sizeof *samples / 2), 100, 0, 0) >=
          0); /* room for two and a half cells */
    spin_cpu_ms(hostile_work, 100);
    long stored = raw_pcsample(samples, ROOM);
    if (stored != 2)
        die("%ld samples where there is room for two", stored);
    spin_cpu_ms(hostile_work, 60);
    CHECK(raw_pcsample(samples, 0) > 0);
}

/* Other threads at the same time */

static char *volatile moving;

/* The buffer is writable, unmapped, or read-only. */
static void *move_buffer(void *unused)
{
    while (!over) {
        moving = new_pages(2, PROT_READ | PROT_WRITE);
        CHECK(mprotect(moving, PAGE, PROT_READ) == 0 && mprotect(moving, PAGE, PROT_READ | PROT_WRITE) == 0);
        sched_yield();
        CHECK(munmap(moving, 2 * PAGE) == 0);
    }
    return unused;
}

static void *call_with_moving(void *unused)
{
    for (int i = 0; i < ROUNDS && !over; i++) {
        ask(GATE_PROFIL, (uint64_t)(uintptr_t)moving, PAGE, 0, WIDE);
        ask(GATE_PCSAMPLE, (uint64_t)(uintptr_t)moving + PAGE / 2, PAGE, 0, 0);
        ask(GATE_SPROFIL, (uint64_t)(uintptr_t)moving, 4, 0, 0);
        ask(GATE_PROFIL, (uint64_t)(uintptr_t)moving, PAGE, 0, 0);
        hostile_work(20000);
    }
    return unused;
}

/* Dies in the middle of its call, or just before or after. */
static void *die_calling(void *unused)
{
    const struct gate_request request = {GATE_MAGIC, GATE_PCSAMPLE, {(uint64_t)(uintptr_t)samples, ROOM}};
    long result;
    raw_gate_by(SIGURG, &request, &result);
    syscall(SYS_exit, 0);
    return unused;
}

/* One thread ends the process while the others call. */
static void end_while_calling(int how)
{
    pthread_t threads[4];
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid != 0) {
        int status = reap(pid);
        if (how ? !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL : !WIFEXITED(status) || WEXITSTATUS(status) != 5)
            die("a process that ended itself has status 0x%x", status);
        return;
    }
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i], NULL, call_with_moving, NULL) == 0);
    hostile_work((uint64_t)how * 1000);
    if (how)
        kill(getpid(), SIGKILL);
    _exit(5);
}

static void try_races(void)
{
    pthread_t mover, callers[3];
    moving = new_pages(2, PROT_READ | PROT_WRITE);
    CHECK(pthread_create(&mover, NULL, move_buffer, NULL) == 0);
    for (int i = 0; i < 3; i++)
        CHECK(pthread_create(&callers[i], NULL, call_with_moving, NULL) == 0);
    for (int i = 0; i < 3; i++)
        CHECK(pthread_join(callers[i], NULL) == 0);
    over = true;
    CHECK(pthread_join(mover, NULL) == 0);
    over = false;
    moving = (char *)cells;
    for (int i = 0; i < 100; i++) {
        CHECK(pthread_create(&mover, NULL, die_calling, NULL) == 0 && pthread_join(mover, NULL) == 0);
        end_while_calling(i % 2 * i);
    }
    check_served();
}

/*
 * Its own code
 */

static int find_libc(struct dl_phdr_info *info, size_t size, void *found)
{
    (void)size;
    for (int i = 0; strstr(info->dlpi_name, "/libc.so") && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t start = (info->dlpi_addr + segment->p_vaddr) & ~(uintptr_t)(PAGE - 1);
        uintptr_t end = (info->dlpi_addr + segment->p_vaddr + segment->p_memsz + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
        if (segment->p_type == PT_LOAD && segment->p_flags & PF_X) {
            ((uintptr_t *)found)[0] = start;
            ((uintptr_t *)found)[1] = end;
            return 1;
        }
    }
    return 0;
}

/* Replaces the C library's code by a copy that includes the breakpoints; then by one without them. */
static void try_text(void)
{
    uintptr_t text[2] = {0};
    CHECK(dl_iterate_phdr(find_libc, text) == 1);
    size_t size = text[1] - text[0];
    unsigned char *here = (unsigned char *)text[0], *copy = new_pages(size / PAGE, PROT_READ | PROT_WRITE);
    CHECK(profil(cells, sizeof cells, 0, WIDE) == 0);
    memcpy(copy, here, size);
    CHECK(mprotect(copy, size, PROT_READ | PROT_EXEC) == 0);
    CHECK(mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, here) == here);
    CHECK(profil(cells, sizeof cells, 0, WIDE) == 0);
    CHECK(mprotect(here, size, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
    unsigned char *entry = (unsigned char *)(uintptr_t)profil;
    CHECK(entry >= here && entry < here + size);
    unsigned char now = *entry;
    *entry = 0xc3; /* a function that returns immediately, without breakpoints */
    profil(cells, sizeof cells, 0, WIDE);
    profil(cells, 0, 0, 0);
    *entry = now;
    CHECK(profil(cells, sizeof cells, 0, WIDE) == 0);
}

/* A process that others may not read */

static void call_as_child(void)
{
    unsigned short *volatile none = NULL;
    CHECK(profil(cells, sizeof cells, 0, WIDE) == 0 && profil(none, 0, 0, 0) == 0);
    _exit(6);
}

static void try_hidden(void)
{
    CHECK(syscall(SYS_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0) == 0); /* a program that needs prctl may filter its calls */
    CHECK(profil(cells, sizeof cells, (size_t)(uintptr_t)hostile_work, WIDE) == 0);
    spin_cpu_ms(hostile_work, 50);
    for (int i = 0; i < 20; i++) {
        pid_t pid = i % 4 ? fork() : vfork();
        CHECK(pid >= 0);
        if (pid == 0)
            call_as_child();
        CHECK_EXITED(pid, 6);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } subjects[] = {
        {"requests", try_requests}, {"buffers", try_buffers}, {"races", try_races},
        {"text", try_text},         {"hidden", try_hidden},
    };
    target_begin();
    CHECK(argc == 2);
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
        if (strcmp(argv[1], subjects[i].name) == 0) {
            subjects[i].run();
            puts("call_hostile: as expected");
            return 0;
        }
    die("no such subject: %s", argv[1]);
}

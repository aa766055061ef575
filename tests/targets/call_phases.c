/* SPDX-License-Identifier: MIT
 *
 * Checks that ticks are billed at the right place. The program spends MS milliseconds of CPU time in each of two
 * loops in turn, and profiles only one of them.
 *
 *     call_phases [-d] [-t THREADS] [-p PROCESSES] [-z HZ] MS ROUNDS
 * -d: profiling stays on, but pcsample's array is emptied after each turn. -z: ticks a second, if not the system's.
 * Prints the ticks that passed in a loop ("passed") and the ticks billed there ("placed"). */
#include "target.h"

#include <pcsample.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/profil.h>

enum { LOOP_BYTES = 256, CELLS = LOOP_BYTES / 2, EACH_CELL = 65536, MOST_SAMPLES = 100000, MOST_PROCESSES = 16 };

/* Each loop has its own address range. */
__attribute__((aligned(LOOP_BYTES))) uint64_t spin_on(uint64_t rounds);
__attribute__((aligned(LOOP_BYTES))) uint64_t spin_off(uint64_t rounds);
DEFINE_SPIN(spin_on, 1)
DEFINE_SPIN(spin_off, 2)

struct counts {
    uint64_t passed, placed;
};

static _Atomic bool on, ended;
static uint64_t hz, rounds_of_ms;
static unsigned short cells[CELLS];
static unsigned short *volatile none; /* the declaration of profil forbids NULL */
static uintptr_t samples[MOST_SAMPLES];

static uint64_t ticks(void)
{
    return process_cpu_ns() * hz / SECOND_NS;
}

static void *work(void *argument)
{
    while (!atomic_load(&ended))
        (atomic_load(&on) ? spin_on : spin_off)(rounds_of_ms / 16);
    return argument;
}

static void spend(bool is_on, uint64_t milliseconds)
{
    atomic_store(&on, is_on);
    (is_on ? spin_on : spin_off)(milliseconds * rounds_of_ms);
}

static void turn_on_and_off(uint64_t milliseconds, long rounds, struct counts *counts)
{
    while (rounds--) {
        CHECK(profil(cells, sizeof cells, (size_t)(uintptr_t)spin_on, EACH_CELL) == 0);
        uint64_t before = ticks();
        spend(true, milliseconds);
        CHECK(profil(none, 0, 0, 0) == 0);
        counts->passed += ticks() - before;
        spend(false, milliseconds);
    }
    for (int i = 0; i < CELLS; i++)
        counts->placed += cells[i];
}

static void empty_array(bool was_on, struct counts *counts)
{
    uintptr_t start = (uintptr_t)(was_on ? spin_on : spin_off);
    long stored = pcsample(samples, MOST_SAMPLES);
    CHECK(stored >= 0);
    counts->passed += (uint64_t)stored;
    for (long i = 0; i < stored; i++)
        counts->placed += samples[i] - start < LOOP_BYTES;
}

static void drain(uint64_t milliseconds, long rounds, struct counts *counts)
{
    CHECK(pcsample(samples, MOST_SAMPLES) == 0);
    while (rounds--) {
        spend(true, milliseconds);
        empty_array(true, counts);
        spend(false, milliseconds);
        empty_array(false, counts);
    }
}

static void run(bool drains, long threads, uint64_t milliseconds, long rounds, struct counts *counts)
{
    pthread_t workers[64];
    CHECK(threads >= 1 && threads <= 64);
    rounds_of_ms = rounds_per_ms(spin_on);
    for (long i = 1; i < threads; i++)
        CHECK(pthread_create(&workers[i], NULL, work, NULL) == 0);
    (drains ? drain : turn_on_and_off)(milliseconds, rounds, counts);
    atomic_store(&ended, true);
    for (long i = 1; i < threads; i++)
        CHECK(pthread_join(workers[i], NULL) == 0);
}

int main(int argc, char **argv)
{
    long threads = 1, processes = 1;
    bool drains = false;
    hz = (uint64_t)sysconf(_SC_CLK_TCK);
    for (int option; (option = getopt(argc, argv, "dt:p:z:")) != -1;) {
        CHECK(option != '?');
        drains |= option == 'd';
        if (option == 't')
            threads = atol(optarg);
        if (option == 'p')
            processes = atol(optarg);
        if (option == 'z')
            hz = (uint64_t)atol(optarg);
    }
    CHECK(argc == optind + 2 && processes >= 1 && processes <= MOST_PROCESSES);
    target_begin();

    pid_t children[MOST_PROCESSES];
    struct counts *counts =
        mmap(NULL, sizeof *counts * MOST_PROCESSES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(counts != MAP_FAILED);
    for (long i = 0; i < processes; i++) {
        children[i] = fork();
        CHECK(children[i] >= 0);
        if (children[i] == 0) {
            run(drains, threads, (uint64_t)atol(argv[optind]), atol(argv[optind + 1]), &counts[i]);
            _exit(0);
        }
    }
    struct counts all = {0, 0};
    for (long i = 0; i < processes; i++) {
        CHECK_EXITED(children[i], 0);
        all.passed += counts[i].passed;
        all.placed += counts[i].placed;
    }
    printf("passed %llu\nplaced %llu\n", (unsigned long long)all.passed, (unsigned long long)all.placed);
    return 0;
}

/* SPDX-License-Identifier: MIT */
#include "spin.h"

#ifdef __aarch64__
#include "loops_arm64.h"
#elif defined __i386__
#include "loops_i386.h"
#else
#include "loops_x86_64.h"
#endif

#include <fcntl.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS UINT64_C(1000000000)
#define CALIBRATION_NS UINT64_C(2000000)
#define SHORT_WHILE 20 /* ms: two ticks */

/* A loop runs ROUNDS times unless a timer ends it. The loop of system calls runs read(FILE, BYTES, SIZE) CALLS times.
 * AGAIN is FILE again, in a register that the system call keeps. */
typedef void loop_function(long file, void *bytes, size_t size, uint64_t rounds, uint64_t calls, long again);

__asm__(".pushsection .text.spin, \"ax\", %progbits\n"
        ".balign 4096\n"
        ".hidden spin_places\n"
        ".globl spin_places\n"
        "spin_places:\n"
        ".rept 4\n"
        ".balign 64\n" LOOP_OF_ONE ".endr\n"
        ".balign 64\n" LOOP_OF_CALLS ".balign 4096\n"
        ".popsection\n");
extern const char spin_places[];

static uint64_t rounds = 1; /* rounds in half a millisecond */
static char zeros[65536];
static int zero_file = -1;

uintptr_t spin_base(void)
{
    return (uintptr_t)spin_places;
}

uintptr_t spin_pc(enum spin_loop loop)
{
    return (uintptr_t)spin_places + (uintptr_t)loop * SPIN_STRIDE + SPIN_AT;
}

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec now = {0};

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

uint64_t spin_clock(void)
{
    return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

unsigned spin_hz(void)
{
    return (unsigned)sysconf(_SC_CLK_TCK);
}

uint64_t spin_ticks(uint64_t begin, uint64_t end)
{
    uint64_t tick = SECOND_NS / spin_hz();

    return end / tick - begin / tick;
}

/* Spends about HALVES half milliseconds in LOOP. */
static void run(enum spin_loop loop, unsigned halves)
{
    loop_function *function = (loop_function *)((uintptr_t)spin_places + (uintptr_t)loop * SPIN_STRIDE);

    function(zero_file, zeros, sizeof zeros, rounds * halves, UINT64_C(100) * halves, zero_file);
}

void spin_calibrate(void)
{
    uint64_t took = 0;

    zero_file = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    loops_begin();
    while (!LOOPS_ARE_TIMED && took < CALIBRATION_NS) {
        uint64_t begin = spin_clock();
        rounds *= 2;
        run(LOOP_A, 1);
        took = spin_clock() - begin;
    }
    if (took)
        rounds = rounds * (SECOND_NS / 2000) / took + 1;
}

static void run_timed(enum spin_loop loop, clockid_t clock, uint64_t left)
{
    const struct loops_timer timer = loops_arm(clock, left);

    run(loop, 1);
    loops_disarm(&timer);
}

/* Reads the clock rarely, so that few ticks fall outside of the loop. */
static void spin_until(enum spin_loop loop, clockid_t clock, uint64_t end)
{
    uint64_t begin = clock_ns(clock);

    if (LOOPS_ARE_TIMED && loop != LOOP_CALLS && begin < end) {
        run_timed(loop, clock, end - begin);
        return;
    }
    for (uint64_t now; (now = clock_ns(clock)) < end;)
        run(loop, end - now > 4 * (SECOND_NS / 1000) ? 6 : 1);
}

void spin(enum spin_loop loop, unsigned milliseconds)
{
    spin_until(loop, CLOCK_PROCESS_CPUTIME_ID, spin_clock() + milliseconds * (SECOND_NS / 1000));
}

void spin_thread(enum spin_loop loop, unsigned milliseconds)
{
    spin_until(loop, CLOCK_THREAD_CPUTIME_ID, clock_ns(CLOCK_THREAD_CPUTIME_ID) + milliseconds * (SECOND_NS / 1000));
}

bool spin_for_late(enum spin_loop loop, uint64_t seen, uint64_t expected, uint64_t tolerance, unsigned *waited)
{
    if (seen >= expected || (seen + tolerance >= expected && *waited >= SHORT_WHILE) || *waited >= SPIN_LATEST)
        return false;
    spin(loop, 1);
    ++*waited;
    return true;
}

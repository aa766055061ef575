/* SPDX-License-Identifier: MIT
 *
 * Threads count in cells of their CPUs, by restartable sequences (rseq(2)): the kernel restarts an interrupted
 * sequence. If a thread continued inside of an interrupted sequence, an increment would be lost. Only losing the CPU
 * may restart a sequence, so restarts must not exceed context switches. The C library registers the threads, or with
 * GLIBC_TUNABLES=glibc.pthread.rseq=0 they register themselves. Ends with status 77 without rseq.
 *
 *     rseq [SECONDS] */
#include "target.h"

#if defined __x86_64__ && __has_include(<sys/rseq.h>)
#include <linux/rseq.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/rseq.h>
#include <sys/syscall.h>

enum { THREADS = 4, CPUS = 1024, CELL_WORDS = 8, LONGEST = 20000, SIGNATURE = 0x53053053 };

static uint64_t cells[CPUS * CELL_WORDS], end_ns;

struct counts {
    uint64_t done, restarted, switches;
};

/* Increments the cell of CPU, with LENGTH idle rounds between reading and writing. Returns false if the kernel
 * restarted it, or if the thread is on another CPU. */
static bool increment(struct rseq *area, unsigned cpu, unsigned length)
{
    uint64_t done;
    __asm__ volatile("    .pushsection __rseq_cs, \"aw\"\n    .balign 32\n"
                     "9:  .long 0, 0\n    .quad 1f, 2f - 1f, 4f\n"
                     "    .popsection\n"
                     "    lea 9b(%%rip), %%rax\n    mov %%rax, %c[sequence](%[area])\n"
                     "1:  cmp %[cpu], %c[cpu_id](%[area])\n    jne 4f\n"
                     "    mov (%[cell]), %%rax\n"
                     "5:  dec %[length]\n    jne 5b\n"
                     "    inc %%rax\n    mov %%rax, (%[cell])\n"
                     "2:  mov $1, %[done]\n    jmp 3f\n"
                     "    .long %c[signature]\n"
                     "4:  xor %k[done], %k[done]\n"
                     "3:\n"
                     : [done] "=&r"(done), [length] "+r"(length)
                     : [area] "r"(area), [cpu] "r"(cpu), [cell] "r"(cells + (size_t)cpu * CELL_WORDS),
                       [sequence] "i"(offsetof(struct rseq, rseq_cs)), [cpu_id] "i"(offsetof(struct rseq, cpu_id)),
                       [signature] "i"(SIGNATURE)
                     : "rax", "memory", "cc");
    return done;
}

static struct rseq *own_area(void)
{
    static __thread struct rseq area __attribute__((aligned(32)));
    if (__rseq_size)
        return (struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset);
    CHECK(syscall(SYS_rseq, &area, 32, 0, SIGNATURE) == 0);
    return &area;
}

static void *count(void *argument)
{
    struct counts *counts = argument;
    struct rusage usage;
    volatile struct rseq *area = own_area();
    for (unsigned i = 0; i % 64 || monotonic_ns() < end_ns; i++) {
        unsigned cpu = area->cpu_id_start;
        CHECK(cpu < CPUS);
        *(increment((struct rseq *)area, cpu, 1 + i * 7919 % LONGEST) ? &counts->done : &counts->restarted) += 1;
    }
    CHECK(getrusage(RUSAGE_THREAD, &usage) == 0);
    counts->switches = (uint64_t)(usage.ru_nvcsw + usage.ru_nivcsw);
    if (!__rseq_size)
        CHECK(syscall(SYS_rseq, area, 32, RSEQ_FLAG_UNREGISTER, SIGNATURE) == 0);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    struct counts counts[THREADS] = {{0}}, sum = {0};
    uint64_t counted = 0;
    if (syscall(SYS_rseq, NULL, 0, 0, 0) != 0 && errno == ENOSYS)
        return 77;
    end_ns = monotonic_ns() + (uint64_t)((argc > 1 ? atof(argv[1]) : 1) * 1e9);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, count, &counts[i]) == 0);
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        sum.done += counts[i].done;
        sum.restarted += counts[i].restarted;
        sum.switches += counts[i].switches;
    }
    for (size_t i = 0; i < CPUS; i++)
        counted += cells[i * CELL_WORDS];
    printf("done %llu\nrestarted %llu\nswitches %llu\n", (unsigned long long)sum.done,
           (unsigned long long)sum.restarted, (unsigned long long)sum.switches);
    if (counted != sum.done)
        die("%llu counted, %llu done", (unsigned long long)counted, (unsigned long long)sum.done);
    if (sum.restarted > sum.switches)
        die("%llu restarted by %llu switches", (unsigned long long)sum.restarted, (unsigned long long)sum.switches);
    return 0;
}

#else
int main(void)
{
    return 77;
}
#endif

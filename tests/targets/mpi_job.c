/* SPDX-License-Identifier: MIT
 *
 * A job of MPI: rank r works r + 1 times as long as rank 0, by its thread's CPU clock, in each of some rounds. All then
 * wait in MPI_Barrier, and pairs of ranks exchange 4 MiB. A test compiles it with mpicc. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 20, ROUND_NS = 15000000, TURNS = 100000, BIG = 4 << 20 };

static long cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000 + now.tv_nsec;
}

__attribute__((noinline)) void work(int rank)
{
    for (long end = cpu_ns() + (rank + 1L) * ROUND_NS; cpu_ns() < end;)
        for (volatile long i = 0; i < TURNS; i++)
            ;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    char *out = malloc(BIG), *in = malloc(BIG);
    memset(out, rank, BIG);
    for (int i = 0; i < ROUNDS; i++) {
        int other = rank ^ 1;
        work(rank);
        MPI_Barrier(MPI_COMM_WORLD);
        if (other < ranks)
            MPI_Sendrecv(out, BIG, MPI_CHAR, other, 0, in, BIG, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}

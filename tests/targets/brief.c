/* SPDX-License-Identifier: MIT
 *
 * Very many processes or threads that each run only a few milliseconds: four fifths in one function, one fifth in
 * another. TRUTH gets the CPU time of each, in lines "NAME MICROSECONDS":
 *
 *     brief KIND COUNT TRUTH
 * KIND is exec (processes that execute this program again), fork (without exec), named (like fork, each with another
 * name), thread (of 1 ms), or mixed: exec, and as much time in this process itself, in a third function. */
#include "target.h"

#include <pthread.h>
#include <sys/prctl.h>

DEFINE_SPIN(brief_most, 0x11)
DEFINE_SPIN(brief_rest, 0x22)
DEFINE_SPIN(brief_long, 0x33)

enum { ROUNDS_A_FIFTH = 4000, PROCESS_MS = 5, THREAD_MS = 1 };

struct truth {
    uint64_t most_ns, rest_ns, long_ns;
};

static struct truth truth;

/* Works until this thread has used MILLISECONDS of CPU time, and adds the time of each function. */
static void work(unsigned milliseconds)
{
    uint64_t begin_ns = thread_cpu_ns(), at_ns = begin_ns;
    while (at_ns - begin_ns < milliseconds * MILLISECOND_NS) {
        brief_most(4 * ROUNDS_A_FIFTH);
        uint64_t between_ns = thread_cpu_ns();
        brief_rest(ROUNDS_A_FIFTH);
        uint64_t end_ns = thread_cpu_ns();
        truth.most_ns += between_ns - at_ns;
        truth.rest_ns += end_ns - between_ns;
        at_ns = end_ns;
    }
}

static void work_for_long(uint64_t ns)
{
    uint64_t begin_ns = thread_cpu_ns(), at_ns = begin_ns;
    while (at_ns - begin_ns < ns) {
        brief_long(ROUNDS_A_FIFTH);
        at_ns = thread_cpu_ns();
    }
    truth.long_ns += at_ns - begin_ns;
}

static void *live(void *unused)
{
    work(THREAD_MS);
    return unused;
}

static void run_thread(void)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, live, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
}

/* A child reports its CPU time by a pipe. */
static void run_process(const char *program, const char *kind)
{
    struct truth more;
    int ends[2], status;
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (!child) {
        CHECK(dup2(ends[1], STDOUT_FILENO) == STDOUT_FILENO);
        char name[16];
        snprintf(name, sizeof name, "brief-%d", (int)getpid());
        if (!strcmp(kind, "named"))
            CHECK(prctl(PR_SET_NAME, name) == 0);
        else if (strcmp(kind, "fork") != 0) {
            execl(program, program, "once", (char *)NULL);
            die("exec: %s", strerror(errno));
        }
        truth = (struct truth){0};
        work(PROCESS_MS);
        CHECK(write(STDOUT_FILENO, &truth, sizeof truth) == sizeof truth);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(read(ends[0], &more, sizeof more) == sizeof more);
    truth.most_ns += more.most_ns;
    truth.rest_ns += more.rest_ns;
    close(ends[0]);
    close(ends[1]);
}

static int once(void)
{
    work(PROCESS_MS);
    CHECK(write(STDOUT_FILENO, &truth, sizeof truth) == sizeof truth);
    return 0;
}

static void write_truth(const char *path)
{
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    CHECK(fprintf(file, "brief_most %llu\nbrief_rest %llu\nbrief_long %llu\n", (unsigned long long)truth.most_ns / 1000,
                  (unsigned long long)truth.rest_ns / 1000, (unsigned long long)truth.long_ns / 1000) > 0);
    CHECK(fclose(file) == 0);
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "once"))
        return once();
    CHECK(argc == 4);
    for (int i = atoi(argv[2]); i > 0; i--)
        if (!strcmp(argv[1], "thread"))
            run_thread();
        else
            run_process(argv[0], argv[1]);
    if (!strcmp(argv[1], "mixed"))
        work_for_long(truth.most_ns + truth.rest_ns);
    write_truth(argv[3]);
    return 0;
}

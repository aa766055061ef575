/* SPDX-License-Identifier: MIT
 *
 * A single-threaded server sleeps until a request, works for some microseconds and answers. A child sends requests
 * all the time. Each wakes the other.
 *
 *     answers [-s SECONDS] [-n ROUNDS] [-o TRUTH]
 * ROUNDS is the work for an answer. TRUTH gets the microseconds of the server's thread, by its own clock:
 * "await_question", "read_question", "work_out", "write_answer", and "total". */
#include "target.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>

DEFINE_SPIN(spin_answer, 0x55)

enum step { AWAIT, READ, WORK, WRITE, STEPS };

static const char *const names[STEPS] = {"await_question", "read_question", "work_out", "write_answer"};
static uint64_t used_ns[STEPS], before_ns;

/* Each step includes one reading of the clock. */
static void step_ends(enum step step)
{
    uint64_t now_ns = thread_cpu_ns();
    used_ns[step] += now_ns - before_ns;
    before_ns = now_ns;
}

__attribute__((noinline, noclone)) static void await_question(int epoll)
{
    struct epoll_event event;
    CHECK(epoll_wait(epoll, &event, 1, -1) == 1);
    step_ends(AWAIT);
}

__attribute__((noinline, noclone)) static void read_question(int from)
{
    char question[8];
    CHECK(read(from, question, sizeof question) == sizeof question);
    step_ends(READ);
}

__attribute__((noinline, noclone)) static void work_out(uint64_t rounds)
{
    spin_answer(rounds);
    step_ends(WORK);
}

__attribute__((noinline, noclone)) static void write_answer(int to)
{
    CHECK(write(to, "answered", 8) == 8);
    step_ends(WRITE);
}

static void ask(int server)
{
    char answer[8];
    while (write(server, "question", 8) == 8 && read(server, answer, sizeof answer) == sizeof answer)
        ;
    _exit(0);
}

/* Connects two sockets over the loopback interface, without delay (TCP_NODELAY). */
static void connect_ends(int ends[2])
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0), at_once = 1;
    CHECK(listener >= 0 && bind(listener, (struct sockaddr *)&address, size) == 0 && listen(listener, 1) == 0);
    CHECK(getsockname(listener, (struct sockaddr *)&address, &size) == 0);
    ends[1] = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(ends[1] >= 0 && connect(ends[1], (struct sockaddr *)&address, size) == 0);
    ends[0] = accept(listener, NULL, NULL);
    CHECK(ends[0] >= 0 && close(listener) == 0);
    for (int i = 0; i < 2; i++)
        CHECK(setsockopt(ends[i], IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once) == 0);
}

static void write_truth(const char *output)
{
    uint64_t total_ns = 0;
    FILE *file = fopen(output, "we");
    CHECK(file);
    for (int i = 0; i < STEPS; i++) {
        fprintf(file, "%s %llu\n", names[i], used_ns[i] / 1000ull);
        total_ns += used_ns[i];
    }
    fprintf(file, "total %llu\n", total_ns / 1000ull);
    CHECK(fclose(file) == 0);
}

int main(int argc, char **argv)
{
    double seconds = 2;
    uint64_t rounds = 200;
    const char *output = NULL;
    int ends[2];
    for (int option; (option = getopt(argc, argv, "s:n:o:")) != -1;) {
        if (option == 's')
            seconds = atof(optarg);
        else if (option == 'n')
            rounds = strtoull(optarg, NULL, 10);
        else if (option == 'o')
            output = optarg;
        else
            return 2;
    }
    target_begin();
    connect_ends(ends);
    pid_t child = fork();
    CHECK(child >= 0);
    if (!child) {
        close(ends[0]);
        ask(ends[1]);
    }
    close(ends[1]);
    struct epoll_event event = {.events = EPOLLIN};
    int epoll = epoll_create1(0);
    CHECK(epoll >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event) == 0);
    uint64_t end_ns = monotonic_ns() + (uint64_t)(seconds * 1e9);
    before_ns = thread_cpu_ns();
    while (monotonic_ns() < end_ns) {
        await_question(epoll);
        read_question(ends[0]);
        work_out(rounds);
        write_answer(ends[0]);
    }
    if (output)
        write_truth(output);
    CHECK(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
    return 0;
}

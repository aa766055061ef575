/* SPDX-License-Identifier: MIT
 *
 * Hundreds of children, up to twenty at once, which end in every way. Each child's status must be its own.
 *
 *     fork_storm [CHILDREN [RATE]]
 * RATE: the maximum number a second. */
#include "target.h"

#include <signal.h>
#include <sys/resource.h>

DEFINE_SPIN(storm_work, 0x501)

enum { AT_ONCE = 20 };

static void live_and_die(int number)
{
    storm_work((uint64_t)(number % 7) * 100000);
    switch (number % 4) {
    case 0:
        _exit(number % 200);
    case 1:
        raise(SIGTERM);
        break;
    case 2:
        raise(SIGKILL);
        break;
    default:
        /* it has a child, which it does not wait for */
        if (fork() == 0)
            _exit(1);
        _exit(number % 200);
    }
    _exit(97);
}

static void check(int number, int status)
{
    bool right = false;
    if (number % 4 == 1)
        right = WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM;
    else if (number % 4 == 2)
        right = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    else
        right = WIFEXITED(status) && WEXITSTATUS(status) == number % 200;
    if (!right)
        die("child %d ended with status 0x%x", number, status);
}

/* Waits for the time of child NUMBER, if IDLE. Returns true if the time has come. */
static bool is_time(int number, uint64_t rate, uint64_t began_ns, bool idle)
{
    uint64_t due_ns = rate ? began_ns + (uint64_t)number * SECOND_NS / rate : 0;
    while (idle && monotonic_ns() < due_ns)
        nap_ms(1);
    return monotonic_ns() >= due_ns;
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 400, started = 0, ended = 0;
    uint64_t rate = argc > 2 ? (uint64_t)atoi(argv[2]) : 0, began_ns = monotonic_ns();
    pid_t running[AT_ONCE] = {0};
    int numbers[AT_ONCE];
    target_begin();
    CHECK(setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}) == 0);
    while (ended < count) {
        for (int i = 0; i < AT_ONCE && started < count; i++) {
            if (running[i] != 0)
                continue;
            if (!is_time(started, rate, began_ns, started == ended))
                break;
            numbers[i] = started++;
            running[i] = fork();
            CHECK(running[i] >= 0);
            if (running[i] == 0)
                live_and_die(numbers[i]);
        }
        int status, slot = 0;
        pid_t pid = waitpid(-1, &status, 0);
        CHECK(pid > 0);
        while (slot < AT_ONCE && running[slot] != pid)
            slot++;
        CHECK(slot < AT_ONCE);
        check(numbers[slot], status);
        running[slot] = 0;
        ended++;
    }
    CHECK(waitpid(-1, NULL, 0) == -1 && errno == ECHILD);
    printf("fork_storm: %d children\n", count);
    return 0;
}

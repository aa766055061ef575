/* SPDX-License-Identifier: MIT
 *
 * Makes process 1 of a pid namespace, which must behave as without a tracer:
 *
 *     first HOW [READY GO]
 * HOW: segv, bus or abort: it dies of that signal; thread: its second thread does; handled: it handles faults and
 * continues; stop: a SIGSTOP by its own child has no effect; outside: a SIGSTOP from outside of the namespace stops
 * it. READY gets its pid here, and it waits for GO. Ends with status 77 if such namespaces are unavailable. */
#include "target.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

enum { FAULTS = 100, PATIENCE_S = 240 };

DEFINE_SPIN(spin_first, 0x55)

static int *volatile nowhere = (int *)8;
static sigjmp_buf behind;
static volatile sig_atomic_t handled;

static void handle(int sig)
{
    (void)sig;
    handled++;
    siglongjmp(behind, 1);
}

static void fault(void)
{
    *nowhere = 1;
}

static void fault_beyond_end(void)
{
    int fd = memfd_create("empty", 0);
    CHECK(fd >= 0);
    volatile char *page = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(page != MAP_FAILED);
    *page = 1;
}

static void *fault_in_thread(void *argument)
{
    spin_cpu_ms(spin_first, 100);
    fault();
    return argument;
}

static void fault_and_handle(void)
{
    struct sigaction action = {.sa_handler = handle};
    CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
    while (handled < FAULTS)
        if (!sigsetjmp(behind, 1))
            fault();
}

/* The sender is in the namespace. */
static void be_stopped(void)
{
    pid_t child = fork();
    CHECK(child >= 0);
    if (!child)
        _exit(kill(1, SIGSTOP) != 0);
    CHECK_EXITED(child, 0);
    spin_cpu_ms(spin_first, 200);
}

static int live(const char *how)
{
    pthread_t thread;
    CHECK(getpid() == 1);
    spin_cpu_ms(spin_first, 200);
    if (!strcmp(how, "segv"))
        fault();
    else if (!strcmp(how, "bus"))
        fault_beyond_end();
    else if (!strcmp(how, "abort"))
        abort();
    else if (!strcmp(how, "thread") && pthread_create(&thread, NULL, fault_in_thread, NULL) == 0)
        pthread_join(thread, NULL);
    else if (!strcmp(how, "handled"))
        fault_and_handle();
    else if (!strcmp(how, "stop"))
        be_stopped();
    else
        spin_cpu_ms(spin_first, 500);
    return 0;
}

/* Returns CHILD's wait status, within a time limit. */
static int status_of(pid_t child, int options)
{
    uint64_t until_ns = monotonic_ns() + PATIENCE_S * SECOND_NS;
    int status;
    pid_t got;
    while ((got = waitpid(child, &status, options | WNOHANG)) == 0 && monotonic_ns() < until_ns)
        nap_ms(10);
    if (got != child) {
        kill(child, SIGKILL);
        die("process 1 is still there");
    }
    return status;
}

static void stop_it(pid_t child)
{
    CHECK(kill(child, SIGSTOP) == 0);
    int status = status_of(child, WUNTRACED);
    CHECK(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
    CHECK(kill(child, SIGCONT) == 0);
}

int main(int argc, char **argv)
{
    target_begin();
    CHECK(argc == 2 || argc == 4);
    const char *how = argv[1];
    bool dies = strcmp(how, "handled") && strcmp(how, "stop") && strcmp(how, "outside");
    if (unshare(CLONE_NEWPID) && unshare(CLONE_NEWUSER | CLONE_NEWPID))
        return 77;
    pid_t child = fork();
    CHECK(child >= 0);
    if (!child) {
        CHECK(argc < 4 || wait_for_file(argv[3], PATIENCE_S));
        _exit(live(how));
    }
    if (argc == 4) {
        char text[32];
        snprintf(text, sizeof text, "%d\n", (int)child);
        write_file(argv[2], text);
    }
    if (!strcmp(how, "outside"))
        stop_it(child);
    int status = status_of(child, 0);
    if (dies ? !WIFSIGNALED(status) : !WIFEXITED(status) || WEXITSTATUS(status))
        die("process 1 ended with wait status %#x", status);
    return 0;
}

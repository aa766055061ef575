/* SPDX-License-Identifier: MIT */
/* Runs COMMAND, stops one of its running threads at random instants, and compares its stack as ptprofil
 * unwinds it from a copy with what libunwind-ptrace's stock accessors and elfutils say of the stopped thread.
 * See bench/README.md. */
#include "witness.h"
#include "bench.h"

#include "common/model/proctext.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNNING_MOST = 256 };

static struct {
    long captures, seconds, between_us, shown;
    bool verbose;
} opt = {.captures = 20, .seconds = 20, .between_us = 20000, .shown = 5};

/* What became of the captures. */
static struct {
    long captures;
    long stock_whole;          /* the stock accessors reach the thread's start; ours are then: */
    long same, cut, longer;    /* identical; identical up to where they say "truncated"; see is_longer */
    long ours_only, confirmed; /* ours alone reach it; elfutils say the same */
    long nobody, agreed;       /* nobody does; as far as ours go elfutils say the same */
} counts;

static struct witness *witness;

/* A running thread and its process. */
struct running {
    pid_t pid, tid;
};

static char state_of(pid_t pid, pid_t tid)
{
    char path[64], text[1024], state = 0;
    int cpu, fd;
    ssize_t got;

    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", pid, tid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    got = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    if (got <= 0)
        return 0;
    text[got] = '\0';
    return proctext_stat(text, &state, &cpu) ? state : 0;
}

/* Adds the running threads of PID and of all that it has started. */
static void add_running(pid_t pid, struct running *items, size_t *count)
{
    char path[96];
    const struct dirent *entry;
    int child;

    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *threads = opendir(path);
    while (threads && (entry = readdir(threads))) {
        pid_t tid = atoi(entry->d_name);
        if (tid <= 0)
            continue;
        if (*count < RUNNING_MOST && state_of(pid, tid) == 'R')
            items[(*count)++] = (struct running){pid, tid};
        snprintf(path, sizeof path, "/proc/%d/task/%d/children", pid, tid);
        FILE *children = fopen(path, "re");
        while (children && fscanf(children, "%d", &child) == 1)
            add_running(child, items, count);
        if (children)
            fclose(children);
    }
    if (threads)
        closedir(threads);
}

static void show(const char *what, const struct witness_stack *stack, size_t same)
{
    char name[512];

    printf("  %s: %zu frames, %s%s%s", what, stack->count, stack->whole ? "to the start" : "not to the start",
           *stack->end ? ", says: " : "", stack->end);
    for (size_t i = opt.verbose || same < 2 ? 0 : same - 2; i < stack->count && (opt.verbose || i < same + 4); i++) {
        witness_name(witness, stack->pcs[i], i > 0, name, sizeof name);
        printf("\n    %zu %#lx %s", i, stack->pcs[i], name);
    }
    printf("\n");
}

static size_t same_frames(const struct witness_stack *one, const struct witness_stack *other)
{
    size_t same = 0;

    while (same < one->count && same < other->count && one->pcs[same] == other->pcs[same])
        same++;
    return same;
}

static bool identical(const struct witness_stack *one, const struct witness_stack *other)
{
    return one->count == other->count && same_frames(one, other) == one->count;
}

static void show_difference(const char *what, const struct running *thread, const struct witness_stacks *stacks)
{
    static long shown;
    size_t same = same_frames(&stacks->ours, &stacks->stock);

    if (++shown > opt.shown)
        return;
    printf("%s: process %d, thread %d; the first %zu frames are the same\n", what, thread->pid, thread->tid, same);
    show("ours", &stacks->ours, same);
    show("stock", &stacks->stock, same);
    show("elfutils", &stacks->elfutils, same);
}

/* True if OURS equals STOCK, but has one more caller of a leaf without a table. The leaf is just-in-time compiled code,
 * stopped before it sets up its frame or after it removed it. Other unwinders use the frame pointer, which is still its
 * caller's, and skip the caller. */
static bool is_longer(const struct witness_stack *ours, const struct witness_stack *stock)
{
    return ours->count == stock->count + 1 && ours->pcs[0] == stock->pcs[0] &&
           !witness_has_table(witness, ours->pcs[0]) &&
           memcmp(ours->pcs + 2, stock->pcs + 1, (stock->count - 1) * sizeof *stock->pcs) == 0;
}

static void compare(const struct running *thread, const struct witness_stacks *stacks)
{
    const struct witness_stack *ours = &stacks->ours, *stock = &stacks->stock;
    bool same = identical(ours, stock), agreed = identical(ours, &stacks->elfutils);
    bool cut = strcmp(ours->end, "truncated") == 0 && same_frames(ours, stock) == ours->count;

    counts.captures++;
    if (stock->whole) {
        bool longer = !same && is_longer(ours, stock);
        counts.stock_whole++;
        counts.same += same;
        counts.cut += cut;
        counts.longer += longer;
        if (!same)
            show_difference(cut ? "cut" : longer ? "longer" : "DIFFERENT", thread, stacks);
    } else if (ours->whole) {
        counts.ours_only++;
        counts.confirmed += agreed;
        show_difference("ours alone", thread, stacks);
    } else {
        counts.nobody++;
        counts.agreed += same_frames(ours, &stacks->elfutils) == ours->count;
        show_difference("nobody", thread, stacks);
    }
}

/* False if the thread has not come to a stop. */
static bool stop(pid_t tid, int *signal)
{
    int status;

    if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) != 0)
        return false;
    ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
    if (waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status))
        return false;
    *signal = status >> 16 ? 0 : WSTOPSIG(status);
    return true;
}

static void capture(const struct running *thread)
{
    static struct witness_stacks stacks;
    int signal;

    if (!stop(thread->tid, &signal))
        return;
    if (!witness || witness_pid(witness) != thread->pid || !witness_is_current(witness)) {
        witness_free(witness);
        witness = witness_new(thread->pid);
    }
    if (witness && witness_unwind(witness, thread->tid, &stacks))
        compare(thread, &stacks);
    ptrace(PTRACE_DETACH, thread->tid, NULL, (void *)(uintptr_t)signal);
}

/* COMMAND's output goes to a file that nobody sees: some programs do less if it is /dev/null. */
static void hide_output(void)
{
    FILE *file = tmpfile();

    if (!file || dup2(fileno(file), STDOUT_FILENO) < 0 || dup2(fileno(file), STDERR_FILENO) < 0)
        die("tmpfile");
}

static pid_t start(char **command)
{
    int fds[2];
    char byte;
    pid_t pid;

    if (pipe2(fds, O_CLOEXEC) != 0 || (pid = fork()) < 0)
        die("fork");
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        setpgid(0, 0);
        hide_output();
        execvp(command[0], command);
        _exit(127);
    }
    close(fds[1]);
    while (read(fds[0], &byte, 1) < 0 && errno == EINTR)
        continue; /* closed by exec */
    close(fds[0]);
    return pid;
}

static bool has_ended(pid_t pid)
{
    siginfo_t info = {0};

    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == pid;
}

/* Runs it once. */
static void run(char **command, uint64_t until_ns)
{
    struct running running[RUNNING_MOST];
    pid_t pid = start(command);
    uint64_t next_ns = now_ns();

    while (counts.captures < opt.captures && now_ns() < until_ns) {
        size_t count = 0;
        next_ns = now_ns() + (uint64_t)random() % (2000u * (uint64_t)opt.between_us);
        sleep_until(next_ns);
        if (has_ended(pid))
            break;
        add_running(pid, running, &count);
        if (count)
            capture(&running[(size_t)random() % count]);
    }
    witness_free(witness);
    witness = NULL;
    kill(-pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static void parse(int argc, char **argv)
{
    int option;

    while ((option = getopt(argc, argv, "+n:t:u:d:v")) != -1) {
        switch (option) {
        case 'n':
            opt.captures = parse_long(optarg, "-n", 1, 1000000);
            break;
        case 't':
            opt.seconds = parse_long(optarg, "-t", 1, 100000);
            break;
        case 'u':
            opt.between_us = parse_long(optarg, "-u", 1, 10000000);
            break;
        case 'd':
            opt.shown = parse_long(optarg, "-d", 0, 1000000);
            break;
        case 'v':
            opt.verbose = true;
            break;
        default:
            optind = argc;
        }
    }
    if (optind < argc)
        return;
    fputs("usage: witness [-n CAPTURES] [-t SECONDS] [-u US] [-d N] [-v] COMMAND [ARG...]\n"
          "  -n: at the most   -t: at the most, COMMAND is run again if it ends   -u: mean time between them\n"
          "  -d: differences that are shown   -v: with all frames\n",
          stderr);
    exit(2);
}

int main(int argc, char **argv)
{
    uint64_t until_ns;

    parse(argc, argv);
    until_ns = now_ns() + (uint64_t)opt.seconds * NS_PER_S;
    srandom((unsigned)now_ns());
    while (counts.captures < opt.captures && now_ns() < until_ns)
        run(argv + optind, until_ns);
    printf("captures=%ld stock_whole=%ld same=%ld cut=%ld longer=%ld ours_only=%ld confirmed=%ld nobody=%ld "
           "agreed=%ld\n",
           counts.captures, counts.stock_whole, counts.same, counts.cut, counts.longer, counts.ours_only,
           counts.confirmed, counts.nobody, counts.agreed);
    return 0;
}

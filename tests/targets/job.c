/* SPDX-License-Identifier: MIT
 *
 * Logs what a program sees of a terminal and of job control:
 *
 *     job [-i STATUS] [-n STOP] READY LOG
 * It creates READY when it runs, and appends lines to LOG: its state on the terminal, each SIGCONT, each SIGWINCH,
 * and each SIGTSTP if it handles them. It ends when STOP exists, or after five minutes. With -i it handles SIGINT
 * and ends with STATUS. */
#include "target.h"

#include <signal.h>
#include <sys/ioctl.h>

DEFINE_SPIN(job_work, 0xa01)

static volatile sig_atomic_t interrupted;
static int log_fd;

static void line(const char *text)
{
    CHECK(write(log_fd, text, strlen(text)) == (ssize_t)strlen(text));
}

static void note(int signal)
{
    int saved = errno;
    if (signal == SIGCONT)
        line("SIGCONT\n");
    else if (signal == SIGWINCH)
        line("SIGWINCH\n");
    else
        interrupted = 1;
    errno = saved;
}

static void describe_terminal(void)
{
    char text[256];
    int fd = open("/dev/tty", O_RDWR | O_CLOEXEC);
    snprintf(text, sizeof text, "terminal %d%d%d, controlling %s, %s\n", isatty(0), isatty(1), isatty(2),
             fd >= 0 ? "yes" : "no", fd >= 0 && tcgetpgrp(fd) == getpgrp() ? "foreground" : "background");
    line(text);
    if (fd >= 0)
        close(fd);
}

int main(int argc, char **argv)
{
    int status = -1;
    const char *stop = NULL;
    for (int option; (option = getopt(argc, argv, "i:n:")) != -1;) {
        if (option == 'i')
            status = atoi(optarg);
        else if (option == 'n')
            stop = optarg;
        else
            return 2;
    }
    target_begin();
    CHECK(argc - optind == 2);
    log_fd = open(argv[optind + 1], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    CHECK(log_fd >= 0);
    describe_terminal();
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
    CHECK(sigaction(SIGCONT, &action, NULL) == 0 && sigaction(SIGWINCH, &action, NULL) == 0);
    if (status >= 0)
        CHECK(sigaction(SIGINT, &action, NULL) == 0);
    announce(argv[optind]);
    uint64_t end = monotonic_ns() + 300 * SECOND_NS;
    while (!interrupted && monotonic_ns() < end && !(stop && access(stop, F_OK) == 0)) {
        job_work(200000);
        nap_ms(2);
    }
    describe_terminal();
    line(interrupted ? "SIGINT\n" : "end\n");
    return interrupted ? status : 0;
}

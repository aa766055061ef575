/* SPDX-License-Identifier: MIT
 *
 * Runs a command and writes to a file how it ended, with more detail than a shell shows:
 *
 *     status FILE COMMAND [ARGUMENT...]
 * The command has the default action for every signal, and none blocked. */
#include "target.h"

#include <signal.h>

int main(int argc, char **argv)
{
    char text[64];
    CHECK(argc > 2);
    target_begin();
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        sigset_t none;
        sigemptyset(&none);
        for (int signal = 1; signal < NSIG; signal++)
            sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
        sigprocmask(SIG_SETMASK, &none, NULL);
        execvp(argv[2], argv + 2);
        die("exec %s: %s", argv[2], strerror(errno));
    }
    int status = reap(pid);
    if (WIFEXITED(status))
        snprintf(text, sizeof text, "exited with %d\n", WEXITSTATUS(status));
    else
        snprintf(text, sizeof text, "killed by signal %d\n", WTERMSIG(status));
    write_file(argv[1], text);
    return 0;
}

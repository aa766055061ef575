/* SPDX-License-Identifier: MIT */
#include "tracer/restart/terminal.h"

#include "tracer/restart/duplicate.h"
#include "tracer/tracee/procfs.h"

#include <termios.h>

enum { TENTH_NS = 100000000 };

/* Duplicates only what is named like a terminal, because closing another file may have side effects. */
bool terminal_timeout(pid_t pid, pid_t tid, int fd, uint64_t *length_ns)
{
    struct termios mode;
    if (!procfs_is_terminal(tid, fd))
        return false;
    int copy = duplicate_open(pid, tid, fd);
    if (copy < 0)
        return false;
    bool has = tcgetattr(copy, &mode) == 0 && !(mode.c_lflag & ICANON) && !mode.c_cc[VMIN] && mode.c_cc[VTIME];
    if (has)
        *length_ns = (uint64_t)mode.c_cc[VTIME] * TENTH_NS;
    duplicate_close(copy);
    return has;
}

/* SPDX-License-Identifier: MIT */
#include "common/model/event.h"

#include <signal.h>

/* The numbers of ptrace(2). This layer includes no header of ptrace. */
enum { PT_FORK = 1, PT_VFORK = 2, PT_CLONE = 3, PT_EXEC = 4, PT_EXIT = 6, PT_STOP = 128 };

/* Mark of a system-call-stop. No signal has this number. */
enum { SYSCALL_MARK = SIGTRAP | 0x80 };

static struct event decode_stop(int status)
{
    int sig = status & 0xff, event = (status >> 8) & 0xffff;
    switch (event) {
    case 0:
        return sig == SYSCALL_MARK ? (struct event){EVENT_SYSCALL, 0} : (struct event){EVENT_SIGNAL, sig};
    case PT_FORK:
        return (struct event){EVENT_FORK, 0};
    case PT_VFORK:
        return (struct event){EVENT_VFORK, 0};
    case PT_CLONE:
        return (struct event){EVENT_CLONE, 0};
    case PT_EXEC:
        return (struct event){EVENT_EXEC, 0};
    case PT_EXIT:
        return (struct event){EVENT_EXIT, 0};
    case PT_STOP:
        if (sig == SIGTRAP)
            return (struct event){EVENT_TRAP, 0};
        return (struct event){EVENT_GROUP_STOP, sig};
    default:
        return (struct event){EVENT_OTHER, 0};
    }
}

struct event event_decode(int code, int status)
{
    switch (code) {
    case CLD_EXITED:
        return (struct event){EVENT_EXITED, status};
    case CLD_KILLED:
    case CLD_DUMPED:
        return (struct event){EVENT_KILLED, status};
    case CLD_TRAPPED:
    case CLD_STOPPED:
        return decode_stop(status);
    default:
        return (struct event){EVENT_OTHER, 0};
    }
}

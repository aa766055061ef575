/* SPDX-License-Identifier: MIT */
#include "common/confine/refuse.h"

#include "common/base/kernel.h"
#include "common/confine/calls.h"
#include "common/confine/confine.h"

#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REFUSE(call)                                                                                                   \
    {                                                                                                                  \
        .number = SYS_##call, .action = CONFINE_REFUSE                                                                 \
    }

static const struct confine_call system_calls[] = {
    REFUSE(io_uring_setup), /* it would make the others' calls */
    REFUSE(io_uring_enter),
    REFUSE(io_uring_register),
    REFUSE(bpf),
    REFUSE(perf_event_open),
    REFUSE(userfaultfd),
    REFUSE(keyctl),
    REFUSE(add_key),
    REFUSE(request_key),
    REFUSE(mount),
    REFUSE(umount2),
    REFUSE(pivot_root),
    REFUSE(open_tree),
    REFUSE(move_mount),
    REFUSE(fsopen),
    REFUSE(fsconfig),
    REFUSE(fsmount),
    REFUSE(fspick),
#ifdef SYS_mount_setattr
    REFUSE(mount_setattr),
#endif
    REFUSE(setns),
    REFUSE(open_by_handle_at),
    REFUSE(fanotify_init),
    REFUSE(init_module),
    REFUSE(finit_module),
    REFUSE(delete_module),
    REFUSE(kexec_load),
#ifdef SYS_kexec_file_load
    REFUSE(kexec_file_load),
#endif
    REFUSE(reboot),
    REFUSE(swapon),
    REFUSE(swapoff),
    REFUSE(acct),
    REFUSE(quotactl),
    REFUSE(syslog),
    REFUSE(sethostname),
    REFUSE(setdomainname),
    REFUSE(settimeofday),
    REFUSE(clock_settime),
    REFUSE(clock_adjtime),
    REFUSE(adjtimex),
#ifdef SYS_iopl
    REFUSE(iopl),
    REFUSE(ioperm),
#endif
};

static const struct confine_call network[] = {
    REFUSE(socket), REFUSE(connect), REFUSE(bind), REFUSE(listen), REFUSE(accept), REFUSE(accept4),
};

static const struct confine_call processes[] = {
    REFUSE(ptrace), REFUSE(process_vm_readv), REFUSE(process_vm_writev), REFUSE(kill),        REFUSE(tkill),
    REFUSE(tgkill), REFUSE(rt_sigqueueinfo),  REFUSE(rt_tgsigqueueinfo), REFUSE(pidfd_getfd), REFUSE(pidfd_send_signal),
    REFUSE(kcmp),
};

/* The arguments of clone3 are in memory, where a filter cannot read them. The C library then uses clone. */
static const struct confine_call namespaces[] = {
    REFUSE(unshare),
    {.number = SYS_clone, .action = CONFINE_REFUSE, .argument = 0, .mask = CLONE_NEWUSER, .value = CLONE_NEWUSER},
    {.number = SYS_clone3, .action = CONFINE_LACK},
};

static const struct confine_call programs[] = {
    REFUSE(execve),
    REFUSE(execveat),
};

static const struct {
    unsigned kind;
    const struct confine_call *calls;
    size_t count;
} kinds_of_calls[] = {
#define KIND(kind, list)                                                                                               \
    {                                                                                                                  \
        kind, list, sizeof(list) / sizeof *(list)                                                                      \
    }
    KIND(REFUSE_SYSTEM, system_calls), KIND(REFUSE_NETWORK, network),       KIND(REFUSE_PROGRAMS, programs),
    KIND(REFUSE_PROCESSES, processes), KIND(REFUSE_NAMESPACES, namespaces),
#undef KIND
};

/* The C library signals threads of its own process. */
int refuse_calls(unsigned kinds)
{
    struct confine_call list[CONFINE_CALLS_MOST] = {{.number = SYS_tgkill, CONFINE_IF(0, getpid())}};
    size_t count = 1;
    for (size_t i = 0; i < sizeof kinds_of_calls / sizeof *kinds_of_calls; i++)
        if (kinds & kinds_of_calls[i].kind) {
            memcpy(list + count, kinds_of_calls[i].calls, kinds_of_calls[i].count * sizeof *list);
            count += kinds_of_calls[i].count;
        }
    return confine_calls_else(list, count, CONFINE_ALLOW);
}

enum { ALL_BUT_WORK = REFUSE_SYSTEM | REFUSE_PROCESSES | REFUSE_NAMESPACES };

void refuse_as_client(void)
{
    confine_capabilities(0);
    refuse_calls(ALL_BUT_WORK | REFUSE_PROGRAMS);
}

void refuse_as_tool(void)
{
    confine_capabilities(0);
    refuse_calls(ALL_BUT_WORK | REFUSE_NETWORK);
}

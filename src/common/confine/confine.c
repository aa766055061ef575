/* SPDX-License-Identifier: MIT */
#include "common/confine/confine.h"

#include "common/base/child.h"
#include "common/base/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int result_of(long value)
{
    return value < 0 ? -errno : 0;
}

struct capabilities {
    struct __user_cap_header_struct header;
    struct __user_cap_data_struct sets[2]; /* the lower and the upper half of the bits */
};

static int read_capabilities(struct capabilities *ours)
{
    *ours = (struct capabilities){.header.version = _LINUX_CAPABILITY_VERSION_3};
    return result_of(syscall(SYS_capget, &ours->header, ours->sets));
}

static int write_capabilities(struct capabilities *ours)
{
    return result_of(syscall(SYS_capset, &ours->header, ours->sets));
}

/* Takes a network and IPC of our own, and as FLAGS say mounts, too. Only root may do it without CLONE_NEWUSER. With
 * that the kernel gives us all capabilities, which do not reach beyond the new namespaces. */
static int leave_namespaces(int flags)
{
    return result_of(unshare(CLONE_NEWNET | CLONE_NEWIPC | flags));
}

/* A process's folder of descriptors in /proc has no useful file, and no way out. */
static int leave_root(void)
{
    return result_of(chroot("/proc/self/fdinfo") < 0 || chdir("/") < 0 ? -1 : 0);
}

bool confine_is_enforced(const char *profile)
{
    return strcmp(profile, "unconfined") != 0 && !strstr(profile, "(complain)");
}

/* Returns true if a profile of AppArmor is enforced on us. */
static bool is_profiled(void)
{
    char text[256];
    int fd = open("/proc/self/attr/apparmor/current", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t size = proc_read(fd, text, sizeof text);
    close(fd);
    if (size <= 0)
        return false;
    text[strcspn(text, "\n")] = 0;
    return confine_is_enforced(text);
}

/* Runs in a child. Returns 1 if files that are open cannot be used with other mounts or another root directory. */
static int lose_files(void *unused)
{
    struct stat about;
    int file = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    (void)unused;
    if (file >= 0 && (leave_namespaces(CLONE_NEWNS) == 0 || leave_namespaces(CLONE_NEWNS | CLONE_NEWUSER) == 0))
        leave_root();
    return file >= 0 && fstat(file, &about) < 0;
}

/* AppArmor looks at the path of an open file again. Without the flag attach_disconnected, a profile refuses files that
 * are not below the process's root directory, or of another's mounts. */
static bool keeps_files(void)
{
    enum { PATIENCE_MS = 2000 };
    return !is_profiled() || child_run("pt-try", lose_files, NULL, PATIENCE_MS) == 0;
}

static int change_user(uid_t user, gid_t group)
{
    return result_of(
        setgroups(0, NULL) < 0 || setresgid(group, group, group) < 0 || setresuid(user, user, user) < 0 ? -1 : 0);
}

int confine_capabilities(uint64_t kept)
{
    struct capabilities ours;
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    for (unsigned number = 0; number < 64; number++)
        if (!(kept >> number & 1) && prctl(PR_CAPBSET_DROP, number, 0, 0, 0) < 0 && errno == EINVAL)
            break; /* the last one was before it */
    int result = read_capabilities(&ours);
    if (result < 0)
        return result;
    for (unsigned half = 0; half < 2; half++) {
        uint32_t some = (uint32_t)(kept >> 32 * half);
        ours.sets[half].permitted &= some;
        ours.sets[half].effective &= some;
        ours.sets[half].inheritable &= some;
    }
    return write_capabilities(&ours);
}

int confine_capabilities_tracing(uint64_t kept)
{
    struct capabilities ours;
    int result = read_capabilities(&ours);
    if (result < 0)
        return result;
    return ours.sets[0].effective >> CAP_SYS_PTRACE & 1 ? confine_capabilities(kept) : 0;
}

static int limit(__rlimit_resource_t resource, uint64_t most)
{
    struct rlimit value;
    if (!most)
        return 0;
    child_limit(resource, most);
    return result_of(getrlimit(resource, &value)) || value.rlim_cur > most ? -EPERM : 0;
}

static bool set_limits(const struct confine *wanted)
{
    int memory = limit(RLIMIT_AS, wanted->most_as), time = limit(RLIMIT_CPU, wanted->most_cpu),
        files = limit(RLIMIT_NOFILE, wanted->most_fds);
    child_limit(RLIMIT_CORE, 0);
    return !memory && !time && !files;
}

static unsigned refused_if(bool failed, enum confine_part part)
{
    return failed ? 1U << part : 0;
}

/* Makes effective what a change of the user has left. */
static void raise_capabilities(void)
{
    struct capabilities ours;
    if (read_capabilities(&ours) < 0)
        return;
    for (unsigned half = 0; half < 2; half++)
        ours.sets[half].effective = ours.sets[half].permitted;
    write_capabilities(&ours);
}

/* Root may lack the right to make namespaces, as in a container. The other user has it in a user namespace. The kernel
 * refuses that to a process with another root directory, so this comes last. */
static unsigned leave_all(const struct confine *wanted)
{
    bool elsewhere = wanted->namespaces && keeps_files();
    int mounts = elsewhere ? CLONE_NEWNS : 0;
    bool separate = !wanted->namespaces || leave_namespaces(mounts) == 0;
    unsigned refused = 0;
    prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
    if (wanted->user && getuid() == 0)
        refused |= refused_if(change_user(wanted->user, wanted->group) < 0, CONFINE_USER);
    separate = separate || leave_namespaces(mounts | CLONE_NEWUSER) == 0;
    raise_capabilities();
    bool rootless = !wanted->namespaces || (elsewhere && leave_root() == 0);
    prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0);
    return refused | refused_if(!separate, CONFINE_NAMESPACES) | refused_if(!rootless, CONFINE_ROOT);
}

unsigned confine_begin(const struct confine *wanted)
{
    int dying = 0;
    prctl(PR_GET_PDEATHSIG, &dying);
    unsigned refused = leave_all(wanted);
    refused |= refused_if(confine_capabilities(wanted->kept) < 0, CONFINE_CAPABILITIES);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    prctl(PR_SET_PDEATHSIG, dying, 0, 0, 0); /* the kernel clears it when the user changes */
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    refused |= refused_if(!set_limits(wanted), CONFINE_LIMITS);
    if (wanted->calls)
        refused |= refused_if(confine_calls(wanted->calls, wanted->call_count) < 0, CONFINE_CALLS);
    return refused;
}

const char *confine_name(enum confine_part part)
{
    static const char *const names[CONFINE_PARTS] = {
        [CONFINE_USER] = "another user",
        [CONFINE_CAPABILITIES] = "no capabilities",
        [CONFINE_NAMESPACES] = "namespaces without a network",
        [CONFINE_ROOT] = "an empty root directory",
        [CONFINE_LIMITS] = "limits of memory, time and descriptors",
        [CONFINE_CALLS] = "a filter of system calls",
    };
    return names[part];
}

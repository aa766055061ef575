/* SPDX-License-Identifier: MIT */
#include "front/doctor/refusal.h"

#include "common/base/buffer.h"
#include "common/base/child.h"
#include "common/base/error.h"
#include "common/base/proc.h"
#include "common/confine/calls.h"
#include "common/confine/confine.h"
#include "common/model/permission.h"
#include "common/model/proctext.h"
#include "front/doctor/attach.h"
#include "front/doctor/gvisor.h"
#include "tracer/tracee/launch.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { TEXT_LIMIT = 1 << 20, CAPABILITY_PTRACE = 19 };

/* Reads PATH into TEXT, replacing its content. Returns false if nothing can be read. */
static bool read_path(const char *path, struct buffer *text)
{
    int result = buffer_read_path(text, path, TEXT_LIMIT);
    return (!result || result == -E2BIG) && text->length;
}

/* Returns the first digit in a file with a setting, or OTHERWISE if there is none. */
static int read_setting(const char *path, int otherwise, struct buffer *text)
{
    return read_path(path, text) && isdigit((unsigned char)text->bytes[0]) ? text->bytes[0] - '0' : otherwise;
}

/* Reads real, effective and saved IDs. Returns the first, and sets *DIFFER if they are not all equal. */
static unsigned read_ids(const char *status, const char *name, bool *differ)
{
    uint64_t ids[3];
    if (proctext_status_numbers(status, name, 10, ids, 3) != 3)
        return (unsigned)-1;
    *differ |= ids[0] != ids[1] || ids[0] != ids[2];
    return (unsigned)ids[0];
}

static void read_process(pid_t pid, struct permission_facts *facts, struct buffer *text)
{
    char path[40], state;
    struct stat about;
    uint64_t number;
    int cpu;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    bool seen = proc_stat(path, &about, 0) == 0;
    facts->exists = seen || kill(pid, 0) == 0 || errno == EPERM;
    facts->user = (uid_t)-1; /* if /proc hides it, it belongs to another user */
    if (attach_read(pid, "stat", text) && proctext_stat(text->bytes, &state, &cpu))
        facts->zombie = state == 'Z' || state == 'X';
    if (!attach_read(pid, "status", text))
        return;
    facts->user = read_ids(text->bytes, "Uid", &facts->ids_differ);
    facts->group = read_ids(text->bytes, "Gid", &facts->ids_differ);
    facts->protected = seen && about.st_uid != facts->user;
    facts->kernel_thread = !facts->zombie && !proctext_status_number(text->bytes, "VmSize", 10, &number);
    if (proctext_status_number(text->bytes, "TracerPid", 10, &number))
        facts->tracer = (pid_t)number;
    proctext_status_number(text->bytes, "CapPrm", 16, &facts->capabilities);
}

/* Compares the maps of users, which distinguish user namespaces even if the names of namespaces are not readable. A map
 * may be empty. */
static void read_namespaces(pid_t pid, struct permission_facts *facts, struct buffer *text)
{
    struct buffer own = {0};
    uint64_t first, outside, count;
    bool mapped = attach_read(getpid(), "uid_map", &own), other = attach_read(pid, "uid_map", text);
    facts->same_namespace = mapped && other ? !strcmp(own.bytes, text->bytes) : mapped == other;
    facts->initial_namespace = mapped && sscanf(own.bytes, "%lu %lu %lu", &first, &outside, &count) == 3 && !first &&
                               !outside && count == UINT32_MAX;
    buffer_fini(&own);
}

bool refusal_confined(pid_t pid, struct buffer *text)
{
    if (!attach_read(pid, "attr/apparmor/current", text))
        return false;
    text->bytes[strcspn(text->bytes, "\n")] = 0;
    return confine_is_enforced(text->bytes);
}

static void read_ours(struct permission_facts *facts, struct buffer *text)
{
    uint64_t number;
    facts->own_user = getuid();
    facts->filtered = confine_was_filtered();
    facts->own_group = getgid();
    if (attach_read(getpid(), "status", text)) {
        facts->capable =
            proctext_status_number(text->bytes, "CapEff", 16, &number) && (number >> CAPABILITY_PTRACE & 1);
        proctext_status_number(text->bytes, "CapPrm", 16, &facts->own_capabilities);
    }
    facts->yama = read_setting("/proc/sys/kernel/yama/ptrace_scope", -1, text);
    facts->deny_ptrace = read_setting("/sys/fs/selinux/booleans/deny_ptrace", 0, text) == 1 &&
                         read_setting("/sys/fs/selinux/enforce", 0, text) == 1;
    facts->child_refused = launch_try_tracing() < 0;
}

static int explain_tracer(const char *what, pid_t tracer, struct buffer *text, struct error *error)
{
    bool named = attach_read_name(tracer, text);
    return error_set(
        error, EPERM,
        "%s: it is traced already, by %s (process %d), and a process can have one tracer only; end that one "
        "first",
        what, named ? text->bytes : "another program", (int)tracer);
}

static int explain_profile(const char *what, pid_t pid, struct buffer *text, struct error *error)
{
    struct buffer own = {0};
    bool ours = refusal_confined(getpid(), &own), theirs = refusal_confined(pid, text);
    if (ours && theirs && strcmp(own.bytes, text->bytes))
        error_set(
            error, EPERM,
            "%s: AppArmor probably forbids it: it confines ptprofil (profile %s) and the process (profile %s): let "
            "both profiles allow ptrace, or run both without them; the kernel's log (dmesg) shows what was denied",
            what, own.bytes, text->bytes);
    else
        error_set(error, EPERM,
                  "%s: AppArmor probably forbids it: it confines %s (profile %s): let that profile allow ptrace, or "
                  "run %s without it; the kernel's log (dmesg) shows what was denied",
                  what, ours ? "ptprofil" : "the process", ours ? own.bytes : text->bytes,
                  ours ? "ptprofil" : "the process");
    buffer_fini(&own);
    return -EPERM;
}

static int explain_module(const char *what, struct buffer *text, struct error *error)
{
    bool known = read_path("/sys/kernel/security/lsm", text);
    return error_set(error, EPERM,
                     "%s: a security module of the kernel refuses it, and /proc does not show which%s%s%s: run "
                     "ptprofil outside of the sandbox that it is in (Landlock, SELinux and BPF can make one), or see "
                     "the kernel's log (dmesg); or the process has a tracer outside of this pid namespace",
                     what, known ? " (active here: " : "", known ? text->bytes : "", known ? ")" : "");
}

static const char *const advice[] = {
    [PERMISSION_GONE] = "there is no such process",
    [PERMISSION_ZOMBIE] = "it has ended, and only waits for its parent to ask for its status",
    [PERMISSION_KERNEL_THREAD] = "it is a kernel thread, which nobody can trace",
    [PERMISSION_YAMA_NOBODY] = "/proc/sys/kernel/yama/ptrace_scope is 3: nobody may trace until the next boot",
    [PERMISSION_YAMA_ADMIN] = "/proc/sys/kernel/yama/ptrace_scope is 2: only root may trace; use sudo",
    [PERMISSION_OTHER_NAMESPACE] = "it is in another user namespace; run ptprofil as root outside of it, or inside "
                                   "(nsenter -U)",
    [PERMISSION_OTHER_USER] = "it belongs to another user; run ptprofil as that user, or with sudo",
    [PERMISSION_OTHER_GROUP] = "it is of another group; run ptprofil with that group (sg GROUP), or with sudo",
    [PERMISSION_PRIVILEGED] =
        "it runs with the rights of several users or groups (set-user-id, set-group-id); use sudo",
    [PERMISSION_PROTECTED] = "it has protected itself (PR_SET_DUMPABLE), or its program may not be read; use sudo",
    [PERMISSION_MORE_CAPABLE] = "it has capabilities that ptprofil has not (see getpcaps PID); use sudo",
    [PERMISSION_YAMA_CHILDREN] = "/proc/sys/kernel/yama/ptrace_scope is 1: only a parent may trace. Start it with "
                                 "'ptprofil -- COMMAND', use sudo, or set ptrace_scope to 0",
    [PERMISSION_NOT_CAPABLE] = "ptprofil is root here, but without the capability SYS_PTRACE, as in a container: start "
                               "that with it (docker run --cap-add=SYS_PTRACE), or run ptprofil outside",
    [PERMISSION_FILTERED] = "a seccomp filter forbids ptrace here, as in some containers: it needs one that allows "
                            "ptrace (docker run --cap-add=SYS_PTRACE)",
    [PERMISSION_SELINUX] = "SELinux forbids ptrace to all: setsebool deny_ptrace off",
};

static int explain(pid_t pid, const char *what, const struct permission_facts *facts, struct buffer *text,
                   struct error *error)
{
    enum permission_reason reason = permission_judge(facts);
    switch (reason) {
    case PERMISSION_TRACED:
        return explain_tracer(what, facts->tracer, text, error);
    case PERMISSION_APPARMOR:
        return explain_profile(what, pid, text, error);
    case PERMISSION_MODULE:
        return explain_module(what, text, error);
    case PERMISSION_OTHER_ERROR:
        return error_system(error, facts->error, "%s", what);
    default:
        return error_set(error, facts->error, "%s: %s", what, advice[reason]);
    }
}

void refusal_facts(pid_t pid, struct permission_facts *facts)
{
    struct buffer text = {0};
    *facts = (struct permission_facts){0};
    read_process(pid, facts, &text);
    read_ours(facts, &text);
    read_namespaces(pid, facts, &text);
    facts->confined = refusal_confined(getpid(), &text) || refusal_confined(pid, &text);
    buffer_fini(&text);
}

int refusal_explain(pid_t pid, const char *what, int result, struct error *error)
{
    struct buffer text = {0};
    struct permission_facts facts;
    refusal_facts(pid, &facts);
    facts.error = -result;
    explain(pid, what, &facts, &text, error);
    buffer_fini(&text);
    return result;
}

const char *refusal_advice(enum permission_reason reason)
{
    return advice[reason];
}

const char *refusal_without_ptrace(void)
{
    return "emulators of one program, such as qemu-user for a container of another architecture, have no ptrace, so "
           "neither samples nor emulated calls; use a machine, or a virtual one, of that architecture";
}

/* Explains why a call that reaches another process's memory fails: the kernel was built without it, an emulator lacks
 * it, or a filter refuses it. */
static int explain_memory(const char *call, int failed, struct error *error)
{
    if (confine_was_filtered())
        return error_set(
            error, failed,
            "%s, which ptprofil needs, fails under the seccomp filter that is in force here (%s), as in some "
            "containers: it needs one that allows it (docker run --cap-add=SYS_PTRACE). Without it there "
            "are no stacks and no calls: --stacks=none --calls=off",
            call, strerror(failed));
    if (failed == ENOSYS && gvisor_is_here())
        return error_set(error, ENOSYS,
                         "this version of gVisor has no %s, which ptprofil needs: start the container with another "
                         "runtime (docker run --runtime=runc)",
                         call);
    if (failed == ENOSYS && launch_try_tracing() == -ENOSYS)
        return error_set(error, ENOSYS, "%s, which ptprofil needs, is missing here: %s", call,
                         refusal_without_ptrace());
    if (failed == ENOSYS)
        return error_set(
            error, ENOSYS,
            "this kernel has no %s, which ptprofil needs: it was built without CONFIG_CROSS_MEMORY_ATTACH. "
            "Without it there are no stacks and no calls: --stacks=none --calls=off",
            call);
    return error_system(error, failed, "%s, which ptprofil needs, fails", call);
}

int refusal_check_memory(struct error *error)
{
    char byte = 1, copy = 0;
    struct iovec here = {&copy, 1}, there = {&byte, 1};
    if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) < 0)
        return explain_memory("process_vm_readv", errno, error);
    if (process_vm_writev(getpid(), &here, 1, &there, 1, 0) < 0)
        return explain_memory("process_vm_writev", errno, error);
    return 0;
}

/* Tries to reach the memory of PID. The kernel allows that under the same conditions as ptrace. Returns 0 or errno. */
static int try_memory(void *of)
{
    pid_t pid = *(const pid_t *)of;
    char byte;
    struct iovec here = {&byte, 1}, there = {(void *)(uintptr_t)1, 1};
    return process_vm_readv(pid, &here, 1, &there, 1, 0) < 0 && errno != EFAULT ? errno : 0;
}

/* The kernel checks the permission first, and then waits for the lock of the process's memory map, which it may hold
 * without end. So a try that lasts is allowed. */
static int try_in_time(pid_t pid)
{
    enum { PATIENCE_MS = 1000 };
    int status = child_run("pt-try", try_memory, &pid, PATIENCE_MS);
    return status == -ETIMEDOUT ? 0 : status < 0 ? -EAGAIN : -status;
}

int refusal_probe(pid_t pid)
{
    struct buffer text = {0};
    struct permission_facts facts = {0};
    read_process(pid, &facts, &text);
    buffer_fini(&text);
    if (!facts.exists)
        return -ESRCH;
    if (facts.zombie || facts.kernel_thread || facts.tracer)
        return -EPERM;
    int result = launch_try_tracing();
    /* If we cannot even reach our own memory, the test proves nothing. */
    pid_t own = getpid();
    return result < 0 || try_memory(&own) ? result : try_in_time(pid);
}

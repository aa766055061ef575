/* SPDX-License-Identifier: MIT */
#include "front/doctor/doctor.h"

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/kernel.h"
#include "common/base/priority.h"
#include "common/base/proc.h"
#include "common/confine/confine.h"
#include "common/text/say.h"
#include "common/text/text.h"
#include "front/doctor/attach.h"
#include "front/doctor/doctor_parts.h"
#include "front/doctor/gvisor.h"
#include "front/doctor/refusal.h"
#include "front/naming/name_server.h"
#include "programs/elf/debuginfod.h"
#include "programs/unwind/unwind.h"
#include "tracer/tracee/launch.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OLDEST_MAJOR = 5, OLDEST_MINOR = 10, MOST_CPUS = 1024 };

void doctor_tell(struct doctor *doctor, enum doctor_verdict verdict, const char *subject, const char *format, ...)
{
    static const char *const words[] = {[DOCTOR_FINE] = "ok", [DOCTOR_NOTE] = "note", [DOCTOR_BAD] = "NO"};
    char *line = NULL;
    va_list values;
    va_start(values, format);
    int length = vasprintf(&line, format, values);
    va_end(values);
    buffer_printf(&doctor->text, "  %-5s %-11s ", words[verdict], subject);
    text_clean(&doctor->text, length < 0 ? "out of memory" : line, say_utf8());
    buffer_puts(&doctor->text, "\n");
    doctor->bad |= verdict == DOCTOR_BAD;
    if (length >= 0)
        free(line);
}

static void look_at_kernel(struct doctor *doctor)
{
    struct utsname system = {0};
    bool old = !kernel_is_since(OLDEST_MAJOR, OLDEST_MINOR);
    uname(&system);
    doctor_tell(doctor, old ? DOCTOR_NOTE : DOCTOR_FINE, "kernel", "%s %s, %s%s", system.sysname, system.release,
                system.machine, old ? "; ptprofil is made for 5.10 and later" : "");
}

/* gVisor's version does not show which features it has, so they are tried. */
static void look_at_gvisor(struct doctor *doctor)
{
    struct buffer lacks = {0};
    struct error error = {0};
    gvisor_lacks("/proc/self", refusal_check_memory(&error) == 0, &lacks);
    doctor_tell(doctor, lacks.length ? DOCTOR_BAD : DOCTOR_NOTE, "kernel", "this is gVisor%s%s%s",
                lacks.length ? ", which lacks what sampling needs: " : "; ptprofil is not tested with it",
                lacks.length ? lacks.bytes : "",
                lacks.length ? "; start the container with another runtime (docker run --runtime=runc; in Kubernetes "
                               "without the runtimeClassName of gVisor)"
                             : "");
    buffer_fini(&lacks);
}

/* Returns false if no further check makes sense without it. */
static bool look_at_proc(struct doctor *doctor)
{
    struct error error = {0};
    struct stat about;
    if (proc_prove(&error) < 0) {
        doctor_tell(doctor, DOCTOR_BAD, "/proc", "%s", error.text);
        return false;
    }
    if (proc_stat("/proc/1/status", &about, 0) < 0)
        doctor_tell(
            doctor, DOCTOR_NOTE, "/proc",
            "processes of other users are hidden here (hidepid): only root and the group named by the mount see them");
    else
        doctor_tell(doctor, DOCTOR_FINE, "/proc", "it shows this pid namespace");
    return true;
}

static void look_at_tracing(struct doctor *doctor)
{
    struct error error = {0};
    int result = launch_try_tracing();
    if (result < 0) {
        refusal_explain(getpid(), "a process that ptprofil starts cannot be traced", result, &error);
        doctor_tell(doctor, DOCTOR_BAD, "ptrace", "%s%s%s", error.text, result == -ENOSYS ? ": " : "",
                    result == -ENOSYS ? refusal_without_ptrace() : "");
    } else {
        doctor_tell(doctor, DOCTOR_FINE, "ptrace", "programs that ptprofil starts can be traced");
    }
    error = (struct error){0};
    if (refusal_check_memory(&error) < 0)
        doctor_tell(doctor, DOCTOR_BAD, "memory", "%s", error.text);
    else
        doctor_tell(doctor, DOCTOR_FINE, "memory", "the memory of traced processes can be read and written");
}

/* Explains the effect of ptrace_scope on running processes. If ptrace_scope forbids all tracing, an earlier check has
 * already failed. */
static void look_at_yama(struct doctor *doctor, const struct permission_facts *facts)
{
    static const enum permission_reason reasons[] = {PERMISSION_YAMA_CHILDREN, PERMISSION_YAMA_ADMIN,
                                                     PERMISSION_YAMA_NOBODY};
    enum permission_reason reason = reasons[facts->yama >= 1 && facts->yama <= 3 ? facts->yama - 1 : 0];
    if (facts->yama < 0)
        doctor_tell(doctor, DOCTOR_FINE, "yama", "this kernel does not have it");
    else if (!facts->yama)
        doctor_tell(doctor, DOCTOR_FINE, "yama", "ptrace_scope is 0: you may attach to any process of your own");
    else if (facts->yama <= 2 && facts->capable)
        doctor_tell(doctor, DOCTOR_FINE, "yama", "ptrace_scope is %d, which does not apply to you (CAP_SYS_PTRACE)",
                    facts->yama);
    else
        doctor_tell(doctor, DOCTOR_NOTE, "yama", "%s", refusal_advice(reason));
}

static void look_at_rights(struct doctor *doctor, const struct permission_facts *facts)
{
    if (facts->capable && facts->initial_namespace)
        doctor_tell(doctor, DOCTOR_FINE, "rights", "user %u with CAP_SYS_PTRACE: any user's processes",
                    facts->own_user);
    else if (facts->capable)
        doctor_tell(
            doctor, DOCTOR_NOTE, "rights",
            "user %u with CAP_SYS_PTRACE in a user namespace: the processes of this namespace; run ptprofil as root "
            "outside of it for others",
            facts->own_user);
    else if (!facts->own_user)
        doctor_tell(doctor, DOCTOR_NOTE, "rights", "%s", refusal_advice(PERMISSION_NOT_CAPABLE));
    else
        doctor_tell(
            doctor, DOCTOR_NOTE, "rights",
            "user %u without CAP_SYS_PTRACE: this user's processes, if they have no more rights; others with sudo",
            facts->own_user);
}

static void look_at_modules(struct doctor *doctor, const struct permission_facts *facts)
{
    struct buffer text = {0};
    if (facts->filtered)
        doctor_tell(doctor, facts->child_refused ? DOCTOR_NOTE : DOCTOR_FINE, "seccomp", "a filter is in force here%s",
                    facts->child_refused ? "" : ", and allows ptrace");
    else
        doctor_tell(doctor, DOCTOR_FINE, "seccomp", "no filter is in force here");
    if (facts->deny_ptrace)
        doctor_tell(doctor, DOCTOR_BAD, "SELinux", "%s", refusal_advice(PERMISSION_SELINUX));
    if (refusal_confined(getpid(), &text))
        doctor_tell(doctor, DOCTOR_NOTE, "AppArmor",
                    "it confines ptprofil (profile %s), and may refuse some processes: run "
                    "ptprofil without it if it does",
                    text.bytes);
    buffer_fini(&text);
}

/* Returns true if a real-time priority is allowed. A child tries, so that this process does not change. */
static bool may_be_real_time(void)
{
    int status = 1;
    pid_t pid = fork();
    if (!pid)
        _exit(!priority_above(0, 0));
    return pid > 0 && waitpid(pid, &status, 0) == pid && !status;
}

static void look_at_scheduling(struct doctor *doctor)
{
    cpu_set_t *allowed = CPU_ALLOC(MOST_CPUS);
    size_t size = CPU_ALLOC_SIZE(MOST_CPUS);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    long own = allowed && !sched_getaffinity(0, size, allowed) ? CPU_COUNT_S(size, allowed) : online;
    CPU_FREE(allowed);
    if (may_be_real_time())
        doctor_tell(doctor, DOCTOR_FINE, "real time", "ptprofil gets a real-time priority");
    else
        doctor_tell(
            doctor, DOCTOR_NOTE, "real time",
            "ptprofil may not have a real-time priority: on a busy machine samples are late, or not taken; use sudo, "
            "or allow it by 'ulimit -r 1' (rtprio in limits.conf)");
    if (own == 1)
        doctor_tell(doctor, DOCTOR_NOTE, "CPUs", "1 of %ld: ptprofil and the program take turns on it%s", online,
                    online > 1 ? "; allow more (taskset, cpuset)" : "");
    else
        doctor_tell(doctor, own < online ? DOCTOR_NOTE : DOCTOR_FINE, "CPUs", "%ld of %ld can be used%s", own, online,
                    own < online ? ": programs that may run elsewhere are sampled from these (taskset, cpuset)" : "");
}

static void look_at_names(struct doctor *doctor)
{
    const char *urls = getenv("DEBUGINFOD_URLS");
    if (!unwind_has_dwarf())
        doctor_tell(
            doctor, DOCTOR_NOTE, "stacks",
            "this ptprofil was built without libunwind: stacks are whole only for programs with frame pointers");
    if (urls && *urls && !elf_debuginfod_state())
        doctor_tell(doctor, DOCTOR_NOTE, "symbols",
                    "missing debug symbols are not fetched from %s: this ptprofil is linked statically", urls);
    else if (urls && *urls)
        doctor_tell(doctor, DOCTOR_FINE, "symbols", "missing debug symbols are fetched from %s", urls);
    else
        doctor_tell(doctor, DOCTOR_NOTE, "symbols",
                    "missing debug symbols are looked for in /usr/lib/debug only: DEBUGINFOD_URLS can name servers "
                    "that have them");
}

/* Names the parts of the reader's confinement that are refused here. */
static void look_at_reader(struct doctor *doctor)
{
    struct buffer text = {0};
    unsigned refused = name_server_refused();
    for (unsigned part = 0; part < CONFINE_PARTS; part++)
        if (refused >> part & 1)
            buffer_printf(&text, "%s%s", text.length ? ", " : "", confine_name((enum confine_part)part));
    if (text.length)
        doctor_tell(doctor, DOCTOR_NOTE, "reader", "the process that parses files of programs does not get here: %s",
                    text.bytes);
    else
        doctor_tell(doctor, DOCTOR_FINE, "reader", "files of programs are parsed in a process without any rights");
    buffer_fini(&text);
}

static void look_at_machine(struct doctor *doctor)
{
    struct permission_facts facts;
    look_at_tracing(doctor);
    refusal_facts(getpid(), &facts);
    look_at_yama(doctor, &facts);
    look_at_rights(doctor, &facts);
    look_at_modules(doctor, &facts);
    look_at_scheduling(doctor);
    look_at_names(doctor);
    look_at_reader(doctor);
}

bool doctor_run(const struct attach_list *targets, FILE *stream)
{
    struct doctor doctor = {0};
    if (gvisor_is_here())
        look_at_gvisor(&doctor);
    else
        look_at_kernel(&doctor);
    if (look_at_proc(&doctor)) {
        look_at_machine(&doctor);
        for (size_t i = 0; i < targets->count; i++)
            doctor_process(&doctor, targets->items[i]);
    }
    buffer_puts(&doctor.text,
                doctor.bad ? "Sampling does not work: see the lines that begin with NO.\n" : "Sampling works.\n");
    say_own(stream, doctor.text.failed ? "out of memory\n" : doctor.text.bytes);
    bool works = !doctor.bad && !doctor.text.failed;
    buffer_fini(&doctor.text);
    return works;
}

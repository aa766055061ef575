/* SPDX-License-Identifier: MIT */
#include "common/confine/confine.h"

#include "common/base/child.h"
#include "unit.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { OTHER = 65534, FILES = 9, SECONDS = 33, MEMORY = 1 << 30 };

static bool has_no_capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[2];
    return syscall(SYS_capget, &header, sets) == 0 && !sets[0].permitted && !sets[1].permitted && !sets[0].effective &&
           !sets[0].inheritable;
}

static bool has_limits(void)
{
    struct rlimit files, time, core;
    return getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_max == FILES && getrlimit(RLIMIT_CPU, &time) == 0 &&
           time.rlim_max == SECONDS && getrlimit(RLIMIT_CORE, &core) == 0 && core.rlim_max == 0;
}

/* Returns a status that names the first right that is left, although the part was not refused. */
static int look_at_itself(void *argument)
{
    const struct confine *wanted = argument;
    bool root = geteuid() == 0;
    int dying = 0;
    unsigned refused = confine_begin(wanted);
    if (root && !(refused >> CONFINE_USER & 1) && (getuid() != OTHER || getgid() != OTHER || getgroups(0, NULL) > 0))
        return 1;
    if (refused >> CONFINE_CAPABILITIES & 1 || !has_no_capabilities())
        return 2;
    if (!(refused >> CONFINE_ROOT & 1) && wanted->namespaces && open("/etc/passwd", O_RDONLY) >= 0)
        return 3;
    if (refused >> CONFINE_LIMITS & 1 || !has_limits())
        return 4;
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1 || prctl(PR_GET_DUMPABLE) != 0)
        return 5;
    return prctl(PR_GET_PDEATHSIG, &dying) == 0 && dying == SIGKILL ? 0 : 6;
}

START_TEST(rights_are_gone)
{
    struct confine wanted = {
        .user = OTHER,
        .group = OTHER,
        .namespaces = _i,
        .most_as = MEMORY,
        .most_cpu = SECONDS,
        .most_fds = FILES,
    };
#ifdef __SANITIZE_ADDRESS__
    wanted.most_as = 0;
#endif
    struct child child;
    ck_assert_int_eq(child_start(&child, "pt-test", look_at_itself, &wanted), 0);
    ck_assert_int_eq(child_wait(&child), 0);
}
END_TEST

/* Beyond user namespaces, the parts need no rights. Root always has another user to change to. */
static int return_refused(void *argument)
{
    return (int)confine_begin(argument);
}

START_TEST(nothing_is_refused_without_namespaces)
{
    static const struct confine_call calls[] = {{.number = SYS_exit_group}};
    struct confine wanted = {.user = getuid() ? 0 : OTHER, .group = OTHER, .calls = calls, .call_count = 1};
    struct child child;
    ck_assert_int_eq(child_start(&child, "pt-test", return_refused, &wanted), 0);
    ck_assert_int_eq(child_wait(&child), 0);
}
END_TEST

static int keep_one(void *argument)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct before[2], after[2];
    (void)argument;
    if (syscall(SYS_capget, &header, before) < 0 || confine_capabilities(UINT64_C(1) << CAP_SYS_PTRACE) < 0 ||
        syscall(SYS_capget, &header, after) < 0)
        return 1;
    return after[0].permitted != (before[0].permitted & 1U << CAP_SYS_PTRACE) || after[1].permitted ||
           prctl(PR_CAPBSET_READ, CAP_SYS_ADMIN, 0, 0, 0) > (int)(before[0].effective >> CAP_SETPCAP & 1 ? 0 : 1);
}

START_TEST(wanted_capabilities_stay)
{
    struct child child;
    ck_assert_int_eq(child_start(&child, "pt-test", keep_one, NULL), 0);
    ck_assert_int_eq(child_wait(&child), 0);
}
END_TEST

/* The kernel lets a process without the right to trace any process trace those that have no more rights. */
static int stay_able_to_trace(void *argument)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct before[2], after[2];
    (void)argument;
    if (confine_capabilities(UINT64_C(1) << CAP_CHOWN | UINT64_C(1) << CAP_KILL) < 0 ||
        syscall(SYS_capget, &header, before) < 0 || confine_capabilities_tracing(0) < 0 ||
        syscall(SYS_capget, &header, after) < 0)
        return 1;
    return after[0].permitted != before[0].permitted;
}

static int give_up_all(void *argument)
{
    (void)argument;
    return confine_capabilities_tracing(0) < 0 || (geteuid() == 0 && !has_no_capabilities());
}

START_TEST(tracers_keep_what_they_need)
{
    struct child child;
    ck_assert_int_eq(child_start(&child, "pt-test", stay_able_to_trace, NULL), 0);
    ck_assert_int_eq(child_wait(&child), 0);
}
END_TEST

/* Not where even root may not trace others, as in containers. */
START_TEST(tracers_of_all_give_up_the_others)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct own[2] = {{0}};
    struct child child;
    if (syscall(SYS_capget, &header, own) < 0 || !(own[0].effective >> CAP_SYS_PTRACE & 1))
        return;
    ck_assert_int_eq(child_start(&child, "pt-test", give_up_all, NULL), 0);
    ck_assert_int_eq(child_wait(&child), 0);
}
END_TEST

START_TEST(each_part_has_a_name)
{
    ck_assert_ptr_nonnull(confine_name((enum confine_part)_i));
}
END_TEST

/* The calls of AddressSanitizer at the end of a process are not in the lists. */
#ifdef __SANITIZE_ADDRESS__
static const bool sanitized = true;
#else
static const bool sanitized = false;
#endif

int main(void)
{
    TCase *tests = unit_begin("confine/confine");
    tcase_add_loop_test(tests, rights_are_gone, 0, 2);
    if (!sanitized)
        tcase_add_test(tests, nothing_is_refused_without_namespaces);
    tcase_add_test(tests, wanted_capabilities_stay);
    tcase_add_test(tests, tracers_keep_what_they_need);
    tcase_add_test(tests, tracers_of_all_give_up_the_others);
    tcase_add_loop_test(tests, each_part_has_a_name, 0, CONFINE_PARTS);
    return unit_end();
}

/* SPDX-License-Identifier: MIT */
#include "common/model/permission.h"

#include "unit.h"

#include <errno.h>

/* An ordinary process of the same user. Each row changes some of it. */
#pragma GCC diagnostic ignored "-Woverride-init"
#define COMMON .error = EPERM, .exists = true, .same_namespace = true, .yama = -1
#define USUAL COMMON, .user = 1000, .own_user = 1000, .group = 100, .own_group = 100
#define ROOT COMMON, .user = 0, .own_user = 0, .initial_namespace = true
#define ALL 0x1ffffffffffu

static const struct {
    struct permission_facts facts;
    enum permission_reason reason;
} rows[] = {
    {{.error = ESRCH}, PERMISSION_GONE},
    {{.error = EPERM}, PERMISSION_GONE},
    {{.error = ESRCH, .exists = true}, PERMISSION_GONE},
    {{USUAL, .zombie = true}, PERMISSION_ZOMBIE},
    {{.error = ESRCH, .exists = true, .zombie = true}, PERMISSION_ZOMBIE},
    {{USUAL, .kernel_thread = true, .user = 0}, PERMISSION_KERNEL_THREAD},
    {{USUAL, .kernel_thread = true, .yama = 3}, PERMISSION_KERNEL_THREAD},
    {{USUAL, .tracer = 77}, PERMISSION_TRACED},
    {{USUAL, .tracer = 77, .user = 0}, PERMISSION_TRACED},
    {{USUAL, .tracer = 77, .capable = true}, PERMISSION_TRACED},
    {{USUAL, .tracer = 77, .yama = 3}, PERMISSION_YAMA_NOBODY},
    {{USUAL, .tracer = 77, .filtered = true, .child_refused = true}, PERMISSION_FILTERED},
    {{USUAL, .tracer = 77, .filtered = true}, PERMISSION_TRACED},
    {{USUAL, .user = 0}, PERMISSION_OTHER_USER},
    {{USUAL, .user = 0, .yama = 1}, PERMISSION_OTHER_USER},
    {{USUAL, .user = 0, .group = 7, .capabilities = ALL}, PERMISSION_OTHER_USER},
    {{USUAL, .group = 7}, PERMISSION_OTHER_GROUP},
    {{USUAL, .group = 7, .yama = 1}, PERMISSION_OTHER_GROUP},
    {{USUAL, .group = 7, .capable = true}, PERMISSION_MODULE},
    {{USUAL, .ids_differ = true}, PERMISSION_PRIVILEGED},
    {{USUAL, .ids_differ = true, .protected = true}, PERMISSION_PRIVILEGED},
    {{USUAL, .ids_differ = true, .capabilities = ALL, .yama = 1}, PERMISSION_PRIVILEGED},
    {{USUAL, .ids_differ = true, .capable = true}, PERMISSION_MODULE},
    {{USUAL, .protected = true}, PERMISSION_PROTECTED},
    {{USUAL, .protected = true, .yama = 2}, PERMISSION_PROTECTED},
    {{USUAL, .protected = true, .capable = true}, PERMISSION_MODULE},
    {{USUAL, .capabilities = 1 << 13}, PERMISSION_MORE_CAPABLE},
    {{USUAL, .capabilities = 3, .own_capabilities = 5}, PERMISSION_MORE_CAPABLE},
    {{USUAL, .capabilities = 3, .own_capabilities = 7}, PERMISSION_MODULE},
    {{USUAL, .capabilities = 1 << 13, .yama = 1}, PERMISSION_MORE_CAPABLE},
    {{USUAL, .capabilities = 1 << 13, .protected = true}, PERMISSION_PROTECTED},
    {{USUAL, .yama = 0}, PERMISSION_MODULE},
    {{USUAL, .yama = 1}, PERMISSION_YAMA_CHILDREN},
    {{USUAL, .yama = 2}, PERMISSION_YAMA_ADMIN},
    {{USUAL, .yama = 2, .child_refused = true}, PERMISSION_YAMA_ADMIN},
    {{USUAL, .yama = 2, .child_refused = true, .filtered = true}, PERMISSION_YAMA_ADMIN},
    {{USUAL, .yama = 3}, PERMISSION_YAMA_NOBODY},
    {{USUAL, .yama = 3, .user = 0}, PERMISSION_YAMA_NOBODY},
    {{USUAL, .yama = 3, .capable = true}, PERMISSION_YAMA_NOBODY},
    {{USUAL, .yama = 3, .child_refused = true, .filtered = true}, PERMISSION_YAMA_NOBODY},
    {{USUAL, .yama = 2, .capable = true}, PERMISSION_MODULE},
    {{USUAL, .yama = 1, .capable = true}, PERMISSION_MODULE},
    {{USUAL, .user = 1, .capable = true}, PERMISSION_MODULE},
    /* root in a container, without the capability */
    {{ROOT}, PERMISSION_MODULE},
    {{ROOT, .user = 100}, PERMISSION_NOT_CAPABLE},
    {{ROOT, .group = 100}, PERMISSION_NOT_CAPABLE},
    {{ROOT, .protected = true}, PERMISSION_NOT_CAPABLE},
    {{ROOT, .capabilities = ALL, .own_capabilities = 0xa80425fb}, PERMISSION_NOT_CAPABLE},
    {{ROOT, .yama = 1}, PERMISSION_NOT_CAPABLE},
    {{ROOT, .yama = 2}, PERMISSION_NOT_CAPABLE},
    {{ROOT, .user = 100, .capable = true}, PERMISSION_MODULE},
    /* user namespaces: a capability is valid in our own and in its descendants */
    {{USUAL, .same_namespace = false}, PERMISSION_OTHER_NAMESPACE},
    {{USUAL, .same_namespace = false, .user = 100000}, PERMISSION_OTHER_NAMESPACE},
    {{USUAL, .same_namespace = false, .capable = true}, PERMISSION_OTHER_NAMESPACE},
    {{USUAL, .same_namespace = false, .initial_namespace = true}, PERMISSION_OTHER_NAMESPACE},
    {{USUAL, .same_namespace = false, .initial_namespace = true, .capable = true}, PERMISSION_MODULE},
    {{ROOT, .same_namespace = false, .initial_namespace = false, .capable = true}, PERMISSION_OTHER_NAMESPACE},
    {{USUAL, .same_namespace = false, .yama = 3}, PERMISSION_YAMA_NOBODY},
    {{USUAL, .same_namespace = false, .yama = 1}, PERMISSION_OTHER_NAMESPACE},
    /* seccomp: the filter is the reason only if it also refuses to trace a child of ours */
    {{USUAL, .filtered = true, .child_refused = true}, PERMISSION_FILTERED},
    {{USUAL, .filtered = true, .child_refused = true, .capable = true, .yama = 2}, PERMISSION_FILTERED},
    {{USUAL, .filtered = true, .child_refused = true, .user = 3}, PERMISSION_FILTERED},
    {{USUAL, .filtered = true, .child_refused = true, .error = ENOSYS}, PERMISSION_FILTERED},
    {{USUAL, .filtered = true, .user = 3}, PERMISSION_OTHER_USER},
    {{USUAL, .filtered = true}, PERMISSION_MODULE},
    {{USUAL, .filtered = true, .yama = 1}, PERMISSION_YAMA_CHILDREN},
    {{USUAL, .child_refused = true}, PERMISSION_MODULE},
    /* security modules */
    {{USUAL, .deny_ptrace = true}, PERMISSION_SELINUX},
    {{USUAL, .deny_ptrace = true, .capable = true, .user = 5}, PERMISSION_SELINUX},
    {{USUAL, .deny_ptrace = true, .filtered = true, .child_refused = true}, PERMISSION_SELINUX},
    {{USUAL, .confined = true}, PERMISSION_APPARMOR},
    {{USUAL, .confined = true, .capable = true, .user = 5}, PERMISSION_APPARMOR},
    {{USUAL, .confined = true, .user = 5}, PERMISSION_OTHER_USER},
    {{USUAL, .confined = true, .yama = 1}, PERMISSION_YAMA_CHILDREN},
    {{USUAL, .confined = true, .filtered = true, .child_refused = true}, PERMISSION_FILTERED},
    {{.error = EACCES, .exists = true, .same_namespace = true, .yama = -1}, PERMISSION_MODULE},
    /* other errors than permissions */
    {{.error = ENOMEM, .exists = true, .tracer = 5}, PERMISSION_OTHER_ERROR},
    {{.error = EIO, .exists = true, .yama = 3}, PERMISSION_OTHER_ERROR},
    {{.error = ENOSYS, .exists = true, .same_namespace = true, .yama = -1}, PERMISSION_OTHER_ERROR},
};

START_TEST(reasons_follow_the_table)
{
    ck_assert_int_eq((int)permission_judge(&rows[_i].facts), (int)rows[_i].reason);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("model/permission");
    UNIT_ADD_TABLE(tests, reasons_follow_the_table, rows);
    return unit_end();
}

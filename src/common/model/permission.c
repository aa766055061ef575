/* SPDX-License-Identifier: MIT */
#include "common/model/permission.h"

#include <errno.h>

enum { YAMA_CHILDREN = 1, YAMA_ADMIN, YAMA_NOBODY };

/* Returns the reason that CAP_SYS_PTRACE would remove, or PERMISSION_MODULE if none. */
static enum permission_reason judge_ordinary(const struct permission_facts *facts)
{
    if (facts->user != facts->own_user)
        return PERMISSION_OTHER_USER;
    if (facts->ids_differ)
        return PERMISSION_PRIVILEGED;
    if (facts->group != facts->own_group)
        return PERMISSION_OTHER_GROUP;
    if (facts->protected)
        return PERMISSION_PROTECTED;
    if (facts->capabilities & ~facts->own_capabilities)
        return PERMISSION_MORE_CAPABLE;
    if (facts->yama == YAMA_ADMIN)
        return PERMISSION_YAMA_ADMIN;
    return facts->yama == YAMA_CHILDREN ? PERMISSION_YAMA_CHILDREN : PERMISSION_MODULE;
}

static enum permission_reason judge_rights(const struct permission_facts *facts)
{
    if (facts->capable && (facts->same_namespace || facts->initial_namespace))
        return PERMISSION_MODULE;
    if (!facts->same_namespace)
        return PERMISSION_OTHER_NAMESPACE;
    enum permission_reason reason = judge_ordinary(facts);
    return reason != PERMISSION_MODULE && facts->own_user == 0 ? PERMISSION_NOT_CAPABLE : reason;
}

/* Returns true if a filter, or Yama with that setting, forbids ptrace for every process. */
static bool is_filtered(const struct permission_facts *facts)
{
    return facts->filtered && facts->child_refused && (facts->yama < YAMA_ADMIN || facts->capable);
}

static enum permission_reason judge_refusal(const struct permission_facts *facts)
{
    if (facts->yama == YAMA_NOBODY)
        return PERMISSION_YAMA_NOBODY;
    if (facts->deny_ptrace)
        return PERMISSION_SELINUX;
    if (is_filtered(facts))
        return PERMISSION_FILTERED;
    if (facts->tracer)
        return PERMISSION_TRACED;
    enum permission_reason reason = judge_rights(facts);
    return reason == PERMISSION_MODULE && facts->confined ? PERMISSION_APPARMOR : reason;
}

enum permission_reason permission_judge(const struct permission_facts *facts)
{
    if (!facts->exists)
        return PERMISSION_GONE;
    if (facts->zombie)
        return PERMISSION_ZOMBIE;
    if (facts->error == ESRCH)
        return PERMISSION_GONE;
    if (facts->error == ENOSYS && is_filtered(facts))
        return PERMISSION_FILTERED;
    if (facts->error != EPERM && facts->error != EACCES)
        return PERMISSION_OTHER_ERROR;
    return facts->kernel_thread ? PERMISSION_KERNEL_THREAD : judge_refusal(facts);
}

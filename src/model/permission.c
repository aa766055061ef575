/* SPDX-License-Identifier: MIT */
#include "model/permission.h"

#include <errno.h>

enum { YAMA_CHILDREN = 1, YAMA_ADMIN, YAMA_NOBODY };

/* In the order in which the kernel asks. */
static enum permission_reason judge_refusal(const struct permission_facts *facts)
{
    if (facts->yama == YAMA_NOBODY)
        return PERMISSION_YAMA_NOBODY;
    if (!facts->same_namespace)
        return PERMISSION_OTHER_NAMESPACE;
    if (!facts->capable) {
        if (facts->user != facts->own_user)
            return PERMISSION_OTHER_USER;
        if (facts->ids_differ)
            return PERMISSION_PRIVILEGED;
        if (facts->protected)
            return PERMISSION_PROTECTED;
        if (facts->yama == YAMA_ADMIN)
            return PERMISSION_YAMA_ADMIN;
        if (facts->yama == YAMA_CHILDREN)
            return PERMISSION_YAMA_CHILDREN;
    }
    return facts->filtered ? PERMISSION_FILTERED : PERMISSION_MODULE;
}

enum permission_reason permission_judge(const struct permission_facts *facts)
{
    if (!facts->exists)
        return PERMISSION_GONE;
    if (facts->zombie)
        return PERMISSION_ZOMBIE;
    if (facts->error == ESRCH)
        return PERMISSION_GONE;
    if (facts->error != EPERM && facts->error != EACCES)
        return PERMISSION_OTHER_ERROR;
    if (facts->kernel_thread)
        return PERMISSION_KERNEL_THREAD;
    return facts->tracer ? PERMISSION_TRACED : judge_refusal(facts);
}

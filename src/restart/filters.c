/* SPDX-License-Identifier: MIT */
#include "restart/filters.h"

#include "model/filter_program.h"
#include "tracee/request.h"

#include <errno.h>
#include <linux/filter.h>

bool filters_allow(pid_t tid, const struct seccomp_data *call)
{
    static struct sock_filter steps[FILTER_STEPS];
    int count;
    for (unsigned number = 0; (count = request_filter(tid, number, steps)) > 0; number++)
        if (!filter_program_allows(steps, (size_t)count, call))
            return false;
    return count == -ENOENT;
}

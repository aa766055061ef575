/* SPDX-License-Identifier: MIT */
#include "tracer/tracee/registers.h"

#include "tracer/tracee/argument.h"
#include "tracer/tracee/request.h"

int stopped_registers(struct stopped *stopped, pid_t tid, const struct arch_registers **registers)
{
    if (stopped->tid != tid) {
        int result = request_registers(tid, &stopped->registers);
        if (result < 0)
            return result;
        argument_add(tid, &stopped->registers);
        stopped->tid = tid;
    }
    *registers = &stopped->registers;
    return 0;
}

int stopped_set_registers(struct stopped *stopped, pid_t tid, const struct arch_registers *registers)
{
    int result = request_set_registers(tid, registers);
    stopped->registers = *registers;
    stopped->tid = result ? 0 : tid;
    return result;
}

/* SPDX-License-Identifier: MIT */
#include "model/filter_program.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <string.h>

struct machine {
    uint32_t a, x, memory[BPF_MEMWORDS];
    bool failed;
};

static uint32_t load(struct machine *machine, const struct sock_filter *step, const struct seccomp_data *data)
{
    uint32_t value = 0;
    switch (BPF_MODE(step->code)) {
    case BPF_IMM:
        return step->k;
    case BPF_LEN:
        return sizeof *data;
    case BPF_MEM:
        machine->failed |= step->k >= BPF_MEMWORDS;
        return machine->memory[step->k % BPF_MEMWORDS];
    case BPF_ABS:
        machine->failed |= step->k % sizeof value || step->k >= sizeof *data;
        if (!machine->failed)
            memcpy(&value, (const char *)data + step->k, sizeof value);
        return value;
    default:
        machine->failed = true;
        return 0;
    }
}

static uint32_t compute(struct machine *machine, unsigned operation, uint32_t value)
{
    uint32_t a = machine->a;
    bool divides = operation == BPF_DIV || operation == BPF_MOD;
    bool shifts = operation == BPF_LSH || operation == BPF_RSH;
    machine->failed |= (divides && !value) || (shifts && value >= 32);
    if (machine->failed)
        return 0;
    switch (operation) {
    case BPF_ADD:
        return a + value;
    case BPF_SUB:
        return a - value;
    case BPF_MUL:
        return a * value;
    case BPF_DIV:
        return a / value;
    case BPF_MOD:
        return a % value;
    case BPF_AND:
        return a & value;
    case BPF_OR:
        return a | value;
    case BPF_XOR:
        return a ^ value;
    case BPF_LSH:
        return a << value;
    case BPF_RSH:
        return a >> value;
    case BPF_NEG:
        return -a;
    default:
        machine->failed = true;
        return 0;
    }
}

/* How many steps are left out. */
static size_t jump(struct machine *machine, const struct sock_filter *step, uint32_t value)
{
    bool is = false;
    switch (BPF_OP(step->code)) {
    case BPF_JA:
        return step->k;
    case BPF_JEQ:
        is = machine->a == value;
        break;
    case BPF_JGT:
        is = machine->a > value;
        break;
    case BPF_JGE:
        is = machine->a >= value;
        break;
    case BPF_JSET:
        is = machine->a & value;
        break;
    default:
        machine->failed = true;
    }
    return is ? step->jt : step->jf;
}

static void store(struct machine *machine, const struct sock_filter *step, uint32_t value)
{
    machine->failed |= step->k >= BPF_MEMWORDS;
    machine->memory[step->k % BPF_MEMWORDS] = value;
}

static bool is_harmless(uint32_t verdict)
{
    uint32_t action = verdict & SECCOMP_RET_ACTION_FULL;
    return action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_LOG;
}

/* Steps only go forward. */
bool filter_program_allows(const struct sock_filter *steps, size_t count, const struct seccomp_data *data)
{
    struct machine machine = {0};
    for (size_t at = 0; at < count && !machine.failed; at++) {
        const struct sock_filter *step = &steps[at];
        uint32_t value = BPF_SRC(step->code) == BPF_X ? machine.x : step->k;
        switch (BPF_CLASS(step->code)) {
        case BPF_LD:
            machine.a = load(&machine, step, data);
            break;
        case BPF_LDX:
            machine.x = load(&machine, step, data);
            break;
        case BPF_ST:
            store(&machine, step, machine.a);
            break;
        case BPF_STX:
            store(&machine, step, machine.x);
            break;
        case BPF_ALU:
            machine.a = compute(&machine, BPF_OP(step->code), value);
            break;
        case BPF_JMP:
            at += jump(&machine, step, value);
            break;
        case BPF_MISC:
            *(BPF_MISCOP(step->code) == BPF_TXA ? &machine.a : &machine.x) =
                BPF_MISCOP(step->code) == BPF_TXA ? machine.x : machine.a;
            break;
        default: /* BPF_RET */
            return is_harmless(BPF_RVAL(step->code) == BPF_A ? machine.a : step->k);
        }
    }
    return false;
}

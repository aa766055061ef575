/* SPDX-License-Identifier: MIT */
#include "model/filter_program.h"

#include "unit.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST = 10, NUMBER = 219, MACHINE = 7 };

#define NUMBER_AT offsetof(struct seccomp_data, nr)
#define MACHINE_AT offsetof(struct seccomp_data, arch)
#define LOAD(at) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at)
#define SET(value) BPF_STMT(BPF_LD | BPF_IMM, value)
#define SET_X(value) BPF_STMT(BPF_LDX | BPF_IMM, value)
#define DO(operation, value) BPF_STMT(BPF_ALU | (operation) | BPF_K, value)
#define DO_X(operation) BPF_STMT(BPF_ALU | (operation) | BPF_X, 0)
#define IF(test, value, yes, no) BPF_JUMP(BPF_JMP | (test) | BPF_K, value, yes, no)
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, value)
/* If what was computed is VALUE, the call is allowed. */
#define IS(value) IF(BPF_JEQ, value, 0, 1), RETURN(SECCOMP_RET_ALLOW), RETURN(SECCOMP_RET_KILL_PROCESS)

static const struct {
    const char *what;
    struct sock_filter steps[MOST];
    bool allows;
} programs[] = {
    {"all", {RETURN(SECCOMP_RET_ALLOW)}, true},
    {"all, in the log", {RETURN(SECCOMP_RET_LOG | 5)}, true},
    {"nothing", {RETURN(SECCOMP_RET_KILL_PROCESS)}, false},
    {"an error", {RETURN(SECCOMP_RET_ERRNO | 1)}, false},
    {"a trap", {RETURN(SECCOMP_RET_TRAP)}, false},
    {"a tracer", {RETURN(SECCOMP_RET_TRACE)}, false},
    {"a supervisor", {RETURN(SECCOMP_RET_USER_NOTIF)}, false},
    {"that call", {LOAD(NUMBER_AT), IS(NUMBER)}, true},
    {"another call", {LOAD(NUMBER_AT), IS(NUMBER + 1)}, false},
    {"of that machine", {LOAD(MACHINE_AT), IS(MACHINE)}, true},
    {"with an argument", {LOAD(offsetof(struct seccomp_data, args[5]) + 4), IS(6)}, true},
    {"more than", {LOAD(NUMBER_AT), IF(BPF_JGT, NUMBER - 1, 0, 1), RETURN(SECCOMP_RET_ALLOW)}, true},
    {"not more than", {LOAD(NUMBER_AT), IF(BPF_JGT, NUMBER, 1, 0), RETURN(SECCOMP_RET_ALLOW)}, true},
    {"at least", {LOAD(NUMBER_AT), IF(BPF_JGE, NUMBER, 0, 1), RETURN(SECCOMP_RET_ALLOW)}, true},
    {"a bit", {LOAD(NUMBER_AT), IF(BPF_JSET, 1, 0, 1), RETURN(SECCOMP_RET_ALLOW)}, true},
    {"no bit", {LOAD(NUMBER_AT), IF(BPF_JSET, 4, 1, 0), RETURN(SECCOMP_RET_ALLOW)}, true},
    {"behind a jump", {BPF_STMT(BPF_JMP | BPF_JA, 1), RETURN(SECCOMP_RET_KILL), RETURN(SECCOMP_RET_ALLOW)}, true},
    {"what was computed", {SET(SECCOMP_RET_ALLOW), BPF_STMT(BPF_RET | BPF_A, 0)}, true},
    {"sums", {SET(7), DO(BPF_ADD, 5), DO(BPF_SUB, 2), DO(BPF_MUL, 3), DO(BPF_DIV, 4), IS(7)}, true},
    {"bits", {SET(6), DO(BPF_AND, 3), DO(BPF_OR, 8), DO(BPF_XOR, 3), DO(BPF_LSH, 2), DO(BPF_RSH, 1), IS(18)}, true},
    {"the other sign", {SET(1), BPF_STMT(BPF_ALU | BPF_NEG, 0), IS(UINT32_MAX)}, true},
    {"by the other register", {SET_X(3), SET(5), DO_X(BPF_ADD), IS(8)}, true},
    {"by its copy", {SET(5), BPF_STMT(BPF_MISC | BPF_TAX, 0), SET(1), BPF_STMT(BPF_MISC | BPF_TXA, 0), IS(5)}, true},
    {"by memory", {SET(5), BPF_STMT(BPF_ST, 15), SET(1), BPF_STMT(BPF_LD | BPF_MEM, 15), IS(5)}, true},
    {"by the other's memory", {SET_X(5), BPF_STMT(BPF_STX, 0), BPF_STMT(BPF_LD | BPF_MEM, 0), IS(5)}, true},
    {"a length", {BPF_STMT(BPF_LD | BPF_W | BPF_LEN, 0), IS(sizeof(struct seccomp_data))}, true},
    {"an end that does not come", {SET(1)}, false},
    {"a jump that leads nowhere", {BPF_STMT(BPF_JMP | BPF_JA, UINT32_MAX), RETURN(SECCOMP_RET_ALLOW)}, false},
    {"a number that is not there", {LOAD(sizeof(struct seccomp_data)), RETURN(SECCOMP_RET_ALLOW)}, false},
    {"one between two", {LOAD(2), RETURN(SECCOMP_RET_ALLOW)}, false},
    {"memory that is not there", {BPF_STMT(BPF_LD | BPF_MEM, 16), RETURN(SECCOMP_RET_ALLOW)}, false},
    {"by 0", {SET(1), DO(BPF_DIV, 0), RETURN(SECCOMP_RET_ALLOW)}, false},
    {"by too much", {SET(1), DO(BPF_LSH, 32), RETURN(SECCOMP_RET_ALLOW)}, false},
    {"a step of packets", {BPF_STMT(BPF_LD | BPF_B | BPF_IND, 0), RETURN(SECCOMP_RET_ALLOW)}, false},
};

static size_t count_steps(const struct sock_filter *steps)
{
    size_t count = MOST;
    while (count && !steps[count - 1].code && !steps[count - 1].k)
        count--;
    return count;
}

START_TEST(a_program_says_what_is_allowed)
{
    const struct seccomp_data data = {.nr = NUMBER, .arch = MACHINE, .args = {1, 2, 3, 4, 5, (uint64_t)6 << 32}};
    const struct sock_filter *steps = programs[_i].steps;
    ck_assert_msg(filter_program_allows(steps, count_steps(steps), &data) == programs[_i].allows, "%s",
                  programs[_i].what);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("model/filter_program");
    UNIT_ADD_TABLE(tests, a_program_says_what_is_allowed, programs);
    return unit_end();
}

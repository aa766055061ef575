/* SPDX-License-Identifier: MIT
 *
 * The timeouts of system calls: their location, their form, and the result when they expire. */
#include "common/arch/call.h"
#include "common/arch/call_table.h"

#include <errno.h>

/* From <linux/io_uring.h>, which may be too old to define them. */
enum {
    RING_GETEVENTS = 1,
    RING_EXT_ARG = 1 << 3,    /* the argument is a struct, with a pointer to the timeout */
    RING_ABSOLUTE = 1 << 5,   /* the timeout is an absolute time */
    RING_REGISTERED = 1 << 6, /* the argument is an offset */
    RING_TIMESPEC_AT = 16,
};

static void set_of_ring(struct arch_timeout *timeout, uint64_t flags, uint64_t argument)
{
    const uint64_t wanted = RING_GETEVENTS | RING_EXT_ARG, unwanted = RING_ABSOLUTE | RING_REGISTERED;
    if ((flags & (wanted | unwanted)) != wanted || !argument)
        return;
    timeout->place = ARCH_TIMEOUT_POINTER_AT;
    timeout->address = argument + RING_TIMESPEC_AT;
}

static void set_of_sockets(struct arch_timeout *timeout, int receives, int sends)
{
    timeout->place = ARCH_TIMEOUT_OF_SOCKET;
    timeout->receives = receives;
    timeout->sends = sends;
}

uint32_t call_set_bytes(const struct arch_registers *registers, uint32_t word)
{
    uint64_t descriptors = (uint32_t)call_argument(registers, 0);
    return (uint32_t)((descriptors + 8 * word - 1) / (8 * word) * word);
}

struct arch_timeout call_timeout(const struct arch_registers *registers)
{
    const struct call_rules *rules = call_rules(registers);
    struct arch_timeout timeout = {.place = ARCH_NO_TIMEOUT, .result = rules->timeout.result};
    uint64_t argument = call_argument(registers, rules->timeout.argument);
    for (int i = 0; i < 3 && rules->selects; i++)
        timeout.sets[i] = call_argument(registers, i + 1);
    timeout.set_bytes = call_set_bytes(registers, sizeof(uint64_t));
    timeout.in_microseconds = rules->timeout.kind == CALL_TIMEVAL;
    switch (call_has(registers, rules->absolute) ? CALL_NO_TIMEOUT : rules->timeout.kind) {
    case CALL_NO_TIMEOUT:
        break;
    case CALL_MILLISECONDS:
        timeout.milliseconds = (int32_t)argument;
        timeout.place = timeout.milliseconds < 0 ? ARCH_NO_TIMEOUT : ARCH_TIMEOUT_VALUE;
        break;
    case CALL_TIMESPEC:
    case CALL_TIMEVAL:
        timeout.address = argument;
        timeout.place = argument ? ARCH_TIMEOUT_AT : ARCH_NO_TIMEOUT;
        break;
    case CALL_OF_RING:
        set_of_ring(&timeout, call_argument(registers, 3), argument);
        break;
    case CALL_RECEIVES:
        set_of_sockets(&timeout, (int)argument, -1);
        break;
    case CALL_CONNECTS:
    case CALL_SENDS:
        set_of_sockets(&timeout, -1, (int)argument);
        timeout.connects = rules->timeout.kind == CALL_CONNECTS;
        break;
    case CALL_SPLICES:
        set_of_sockets(&timeout, (int)argument, (int)call_argument(registers, 2));
        break;
    }
    return timeout;
}

void call_pack_timeout(const struct arch_registers *registers, struct arch_timeout *timeout, uint64_t arguments_at)
{
    uint64_t flags = call_rules(registers)->no_wait.argument;
    timeout->descriptor_at = arguments_at;
    timeout->flags_at = flags ? arguments_at + flags * sizeof(uint32_t) : 0;
}

bool call_timed_out(const struct arch_registers *registers, struct arch_timeout *timeout)
{
    int64_t result = arch_result(registers);
    *timeout = arch_timeout(registers);
    bool over = result == timeout->result || (timeout->connects && (result == -EINPROGRESS || result == -EALREADY));
    return timeout->place == ARCH_TIMEOUT_OF_SOCKET && over &&
           (timeout->flags_at || !call_has(registers, call_rules(registers)->no_wait));
}

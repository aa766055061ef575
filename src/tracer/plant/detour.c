/* SPDX-License-Identifier: MIT */
#include "tracer/plant/detour.h"

#include "common/arch/detour.h"
#include "common/arch/machine.h"
#include "common/wire/rescue_notes.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { WORD = 8 };

static bool is_at_once(uint64_t address)
{
    return address % WORD + ARCH_JUMP_BYTES <= WORD;
}

/* Threads may execute these bytes, so they are written at once: within one aligned word. */
static int change(int fd, uint64_t address, const uint8_t *from, const uint8_t *to)
{
    uint8_t word[WORD];
    uint64_t place = address - address % WORD;
    if (pread(fd, word, WORD, (off_t)place) != WORD || memcmp(word + address % WORD, from, ARCH_JUMP_BYTES) != 0)
        return -ESTALE;
    memcpy(word + address % WORD, to, ARCH_JUMP_BYTES);
    return pwrite(fd, word, WORD, (off_t)place) == WORD ? 0 : -EPERM;
}

static bool stub_is(int fd, const struct detour *detour, const uint8_t *expected)
{
    uint8_t now[ARCH_STUB_BYTES];
    size_t size = arch_stub_bytes(detour->is_compat);
    return pread(fd, now, size, (off_t)detour->stub) == (ssize_t)size && !memcmp(now, expected, size);
}

static int replace_stub(int fd, const struct detour *detour, const uint8_t *from, const uint8_t *to)
{
    size_t size = arch_stub_bytes(detour->is_compat);
    if (!stub_is(fd, detour, from))
        return -ESTALE;
    return pwrite(fd, to, size, (off_t)detour->stub) == (ssize_t)size ? 0 : -EPERM;
}

static const uint8_t nothing[ARCH_STUB_BYTES];

static bool make_stub(uint8_t stub[static ARCH_STUB_BYTES], const struct detour *detour)
{
    return (detour->is_compat ? arch_stub_compat : arch_stub)(stub, detour->stub, detour->call, detour->address,
                                                              detour->tail, detour->original);
}

int detour_look(int fd, struct detour *detour, uint8_t now)
{
    uint8_t stub[ARCH_STUB_BYTES], jump[ARCH_JUMP_BYTES], there[ARCH_HEAD_BYTES];
    if (!is_at_once(detour->address) || !arch_jump(jump, detour->address, detour->stub))
        return -ENOTSUP;
    if (pread(fd, there, sizeof there, (off_t)detour->address) != sizeof there || there[ARCH_BREAKPOINT_AT] != now)
        return -ESTALE;
    there[ARCH_BREAKPOINT_AT] = detour->original[ARCH_BREAKPOINT_AT];
    memcpy(detour->original, there, sizeof there);
    return make_stub(stub, detour) && arch_jump_may_replace(detour->original) ? 0 : -ENOTSUP;
}

int detour_prepare(int fd, const struct detour *detour)
{
    uint8_t stub[ARCH_STUB_BYTES];
    return make_stub(stub, detour) ? replace_stub(fd, detour, nothing, stub) : -ENOTSUP;
}

int detour_begin(int fd, const struct detour *detour, uint8_t now)
{
    uint8_t jump[ARCH_JUMP_BYTES], there[ARCH_JUMP_BYTES];
    memcpy(there, detour->original, sizeof there);
    there[ARCH_BREAKPOINT_AT] = now;
    return arch_jump(jump, detour->address, detour->stub) ? change(fd, detour->address, there, jump) : -ENOTSUP;
}

int detour_end(int fd, const struct detour *detour)
{
    uint8_t jump[ARCH_JUMP_BYTES];
    return arch_jump(jump, detour->address, detour->stub) ? change(fd, detour->address, jump, detour->original)
                                                          : -ESTALE;
}

bool detour_is_there(int fd, const struct detour *detour)
{
    uint8_t jump[ARCH_JUMP_BYTES], now[ARCH_JUMP_BYTES];
    return arch_jump(jump, detour->address, detour->stub) &&
           pread(fd, now, sizeof now, (off_t)detour->address) == sizeof now && memcmp(now, jump, sizeof now) == 0;
}

bool detour_has_stub(int fd, const struct detour *detour)
{
    uint8_t stub[ARCH_STUB_BYTES];
    return make_stub(stub, detour) && stub_is(fd, detour, stub);
}

/* The stub must stay while the jump exists or cannot be read. EIO means that its library has been closed. */
int detour_wipe(int fd, const struct detour *detour)
{
    uint8_t stub[ARCH_STUB_BYTES], jump[ARCH_JUMP_BYTES], now[ARCH_JUMP_BYTES];
    if (!make_stub(stub, detour) || !arch_jump(jump, detour->address, detour->stub))
        return -ESTALE;
    ssize_t got = pread(fd, now, sizeof now, (off_t)detour->address);
    if (got == sizeof now ? !memcmp(now, jump, sizeof now) : got >= 0 || errno != EIO)
        return -EPERM;
    return replace_stub(fd, detour, stub, nothing);
}

bool detour_has(const struct detour *detour, uint64_t pc)
{
    return pc >= detour->stub && pc - detour->stub < arch_stub_bytes(detour->is_compat);
}

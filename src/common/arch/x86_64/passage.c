/* SPDX-License-Identifier: MIT */
#include "common/arch/x86_64/passage.h"

#include "common/arch/machine.h"

#include <string.h>

enum { CALL = 0xe8, JUMP = 0xe9, PUSH = 0x68, RETURN = 0xc3, RELATIVE_BYTES = 4 };

struct instruction {
    size_t length;
    size_t relative; /* offset of 4 bytes that are relative to the instruction's end; 0: none */
};

/* Returns the size of the operand at CODE, which begins with ModRM. Sets *RELATIVE to the offset of bytes that are
 * relative to the instruction's end, or to 0. */
static size_t operand_length(const uint8_t *code, bool compat, size_t *relative)
{
    uint8_t mode = code[0] >> 6, low = code[0] & 7;
    size_t length = 1;
    *relative = 0;
    if (mode == 3)
        return length;
    bool far_base = low == 4 && (code[1] & 7) == 5;
    length += low == 4;
    if (mode == 0 && low == 5 && !compat)
        *relative = length;
    return length + (mode == 1 ? 1 : mode == 2 || low == 5 || far_base ? 4 : 0);
}

/* Finds whether opcode CODE[0] has an operand, and how many bytes of an immediate follow. Returns false for opcodes
 * that rarely begin a function. */
static bool find(const uint8_t *code, bool wide, bool *operand, size_t *number)
{
    static const uint8_t with_operand[] = {0x01, 0x03, 0x09, 0x0b, 0x21, 0x23, 0x29, 0x2b, 0x31, 0x33,
                                           0x39, 0x3b, 0x63, 0x84, 0x85, 0x88, 0x89, 0x8a, 0x8b, 0x8d};
    *operand = memchr(with_operand, code[0], sizeof with_operand) != NULL;
    *number = 0;
    if (*operand || (code[0] & 0xf0) == 0x50 || code[0] == 0x90 || code[0] == RETURN)
        return true;
    *operand = code[0] == 0x80 || code[0] == 0x81 || code[0] == 0x83 || code[0] == 0xc6 || code[0] == 0xc7;
    *number = code[0] == 0x81 || code[0] == 0xc7 || code[0] == 0x05 || code[0] == PUSH ? 4 : 1;
    if (*operand || code[0] == 0x05 || code[0] == PUSH || code[0] == 0x6a)
        return true;
    *number = wide ? 8 : 4;
    return (code[0] & 0xf8) == 0xb8;
}

static bool decode(const uint8_t *code, bool compat, struct instruction *instruction)
{
    bool operand, wide = false;
    size_t at = 0, number = 0, relative = 0;
    if (code[0] == 0x64 || code[0] == 0x65) /* thread-local data */
        at++;
    if (code[at] == 0xf3 && code[at + 1] == 0x0f && code[at + 2] == 0x1e) /* a landing mark */
        at++;
    if (!compat && (code[at] & 0xf0) == 0x40)
        wide = code[at++] & 8;
    if (code[at] == 0x0f) {
        static const uint8_t others[] = {0x1e, 0x1f, 0xb6, 0xb7, 0xbe, 0xbf}; /* nop, movz, movs */
        operand = true;
        if (!memchr(others, code[++at], sizeof others))
            return false;
    } else if (!find(code + at, wide, &operand, &number)) {
        return false;
    }
    at++;
    size_t length = operand ? operand_length(code + at, compat, &relative) : 0;
    *instruction = (struct instruction){.length = at + length + number, .relative = relative ? at + relative : 0};
    return true;
}

struct writer {
    uint8_t *bytes;
    size_t length, room;
    uint64_t address;
};

static bool put(struct writer *writer, const void *bytes, size_t size)
{
    if (writer->room - writer->length < size)
        return false;
    memcpy(writer->bytes + writer->length, bytes, size);
    writer->length += size;
    return true;
}

/* Writes OPCODE, and the distance from its end to TO. */
static bool put_branch(struct writer *writer, uint8_t opcode, uint64_t to, bool compat)
{
    int64_t distance = (int64_t)(to - (writer->address + writer->length + 1 + RELATIVE_BYTES));
    int32_t near = (int32_t)distance;
    return (compat || near == distance) && put(writer, &opcode, 1) && put(writer, &near, sizeof near);
}

/* Writes a call as push and jump: the called function finds its own location by the return address, which must be the
 * original's. */
static bool put_call(struct writer *writer, uint64_t next, const uint8_t *code)
{
    uint32_t back = (uint32_t)next, distance;
    memcpy(&distance, code + 1, sizeof distance);
    return put(writer, (const uint8_t[]){PUSH}, 1) && put(writer, &back, sizeof back) &&
           put_branch(writer, JUMP, (uint32_t)(back + distance), true);
}

static bool put_moved(struct writer *writer, const uint8_t *code, uint64_t from, const struct instruction *instruction)
{
    uint64_t to = writer->address + writer->length;
    int32_t before;
    if (!put(writer, code, instruction->length))
        return false;
    if (!instruction->relative)
        return true;
    memcpy(&before, code + instruction->relative, sizeof before);
    int64_t after = before + (int64_t)(from - to);
    int32_t near = (int32_t)after;
    memcpy(writer->bytes + writer->length - instruction->length + instruction->relative, &near, sizeof near);
    return near == after;
}

bool passage_write(uint8_t *bytes, size_t room, uint64_t address, const uint8_t *code, uint64_t entry, bool compat)
{
    struct writer writer = {bytes, 0, room, address};
    struct instruction instruction;
    for (size_t at = 0; at < ARCH_JUMP_BYTES; at += instruction.length) {
        if (compat && code[at] == CALL) /* it ends inside the original */
            return put_call(&writer, entry + at + 1 + RELATIVE_BYTES, code + at);
        if (!decode(code + at, compat, &instruction) || !put_moved(&writer, code + at, entry + at, &instruction))
            return false;
        if (code[at] == RETURN)
            return true;
        if (at + instruction.length >= ARCH_JUMP_BYTES)
            return put_branch(&writer, JUMP, entry + at + instruction.length, compat);
    }
    return false;
}

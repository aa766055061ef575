/* SPDX-License-Identifier: MIT
 *
 * How a program linked with libpcsample reaches the tracer. It puts a request into its own memory, a magic number
 * and the request's address into two registers, and makes a system call that causes a signal-delivery-stop if and
 * only if the thread is traced. The signal is SIGURG, SIGWINCH, SIGCHLD or SIGCONT; the system call either sends it
 * to the thread itself (tgkill) or unblocks it (rt_sigprocmask). In the second case the tracer leaves the signal
 * blocked. Both sides are built from this header; it is an ABI. */
#ifndef ARCH_GATE_H
#define ARCH_GATE_H

#include <stdint.h>

/* The magic number is "ptprofil" in a register. The tracer answers by replacing it by its complement, and puts the
 * call's result, or -errno, into the register of the system call's result. Registers for magic number, result and the
 * request's address: r8, rax, r9 on x86-64; x4, x0, x5 on arm64; edi (the lower half of the number), eax, ebp on
 * i386. */
#define GATE_MAGIC_NUMBER 0x6c69666f72707470 /* for assembly code */
#define GATE_MAGIC ((uint64_t)GATE_MAGIC_NUMBER)
#define GATE_SERVED (~(uint64_t)GATE_MAGIC)

/* GATE_LOADED: the dynamic linker has loaded something, or is about to. Only a stub reports this, never a library. */
enum gate_call { GATE_PROFIL = 1, GATE_SPROFIL, GATE_PCSAMPLE, GATE_LOADED };

/* The name of the tracing process in /proc/PID/comm. It differs from the command's name, so that a pkill of the command
 * does not end the tracer, and libpcsample recognizes it. */
#define GATE_TRACER_NAME "pt-tracer"

struct gate_request {
    uint64_t magic;        /* GATE_MAGIC, too */
    uint64_t call;         /* enum gate_call */
    uint64_t arguments[4]; /* the arguments of the C function, each extended to 64 bits by its type */
};

#endif

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

/* "ptprofil" in a register. The supervisor answers by putting the complement there, and the call's result, or -errno,
 * into the register of the system call's result. On x86-64: r8, and rax; the request's address is in r9. On arm64:
 * x4, and x0; x5. On i386: edi, where of both numbers the lower half is, and eax; ebp. */
#define GATE_MAGIC_NUMBER 0x6c69666f72707470 /* for assembly code */
#define GATE_MAGIC ((uint64_t)GATE_MAGIC_NUMBER)
#define GATE_SERVED (~(uint64_t)GATE_MAGIC)

/* GATE_LOADED: the dynamic linker has loaded something, or is about to. The supervisor's own code in its place says so,
 * and no library. */
enum gate_call { GATE_PROFIL = 1, GATE_SPROFIL, GATE_PCSAMPLE, GATE_LOADED };

/* The name of the process that traces, as in /proc/PID/comm: not the command's, so that a pkill of that one spares it,
 * and libpcsample knows it. */
#define GATE_TRACER_NAME "pt-tracer"

struct gate_request {
    uint64_t magic;        /* GATE_MAGIC, too */
    uint64_t call;         /* enum gate_call */
    uint64_t arguments[4]; /* as the C function's, each extended to 64 bits as its type says */
};

#endif

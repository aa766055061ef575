/* SPDX-License-Identifier: MIT */
#ifndef ARCH_ARM64_MACHINE_H
#define ARCH_ARM64_MACHINE_H

#include <elf.h>
#include <linux/audit.h>
#include <stdint.h>

/* Bytes below the stack pointer that a function may also use. */
enum { ARCH_RED_ZONE = 0 };

/* The breakpoint: a byte planted at this offset into a function's first instruction, which then faults with SIGILL
 * and does not advance. The highest of the four bytes encodes the kind of instruction; no valid instruction has 0
 * there. */
#define ARCH_BREAKPOINT 0x00
enum { ARCH_BREAKPOINT_AT = 3 };

/* Sizes of the jump that is written there, and of the stub that it leads to (arch/detour.h). */
enum { ARCH_JUMP_BYTES = 4, ARCH_HEAD_BYTES = 4, ARCH_STUB_BYTES = 368, ARCH_STUB_BYTES_COMPAT = 0 };

/* Whether its 32-bit programs are known. */
enum { ARCH_HAS_COMPAT = 0 };

/* The number of general registers, with the stack pointer as the last one. */
enum { ARCH_GENERAL = 32 };

/* The register in which PHP's virtual machine has the address of its instruction (ZEND_VM_IP_GLOBAL_REG). */
enum { ARCH_PHP_INSTRUCTION = 28 };

/* Instructions begin at multiples of this. */
enum { ARCH_INSTRUCTION_ALIGNMENT = 4 };

/* Size of a system call instruction, "svc #0". */
enum { ARCH_SYSCALL_BYTES = 4 };

/* This processor's names: for people, objdump, ELF files and seccomp filters; and the soname of its dynamic linker. */
#define ARCH_NAME "arm64"
#define ARCH_OBJDUMP "aarch64"
#define ARCH_ELF_MACHINE EM_AARCH64
#define ARCH_ELF_MACHINE_COMPAT 0x10000 /* no ELF file has this number: 32-bit programs are not supported */
#define ARCH_AUDIT AUDIT_ARCH_AARCH64
#define ARCH_FOREIGN "32-bit arm programs" /* which it can run, and which are not supported */
#define ARCH_DYNAMIC_LINKER "ld-linux-aarch64.so.1"
#define ARCH_DYNAMIC_LINKER_COMPAT "none"

/* System calls that this architecture lacks: these values are not numbers of calls. */
enum { ARCH_SYS_OPEN = 0x7ffffff0, ARCH_SYS_READLINK };

/* The register set with the thread pointer; 0: NT_PRSTATUS has it. The result of pthread_self, the C library's
 * descriptor of the thread, is at most ARCH_DESCRIPTOR_MOST bytes below the thread pointer. */
enum { ARCH_THREAD_REGISTERS = NT_ARM_TLS, ARCH_DESCRIPTOR_MOST = 4096 };

/* The ptrace requests for all registers of a 32-bit thread in the native form; 0: none exist. */
#define ARCH_GET_WHOLE 0
#define ARCH_SET_WHOLE 0

/* Types of relocations. The first two fill in the address of a function; CHOSEN fills in the result of a function that
 * chooses one. */
#define ARCH_RELOCATION_JUMP R_AARCH64_JUMP_SLOT
#define ARCH_RELOCATION_ADDRESS R_AARCH64_GLOB_DAT
#define ARCH_RELOCATION_CHOSEN R_AARCH64_IRELATIVE
#define ARCH_COMPAT_RELOCATION_JUMP UINT64_MAX
#define ARCH_COMPAT_RELOCATION_ADDRESS UINT64_MAX

/* Maps the vDSO of 32-bit programs into this process, which has none. Returns a negative value if that fails. */
static inline long arch_map_compat_vdso(void)
{
    return -1;
}

/* Call it in each round of a spinning loop. */
static inline void arch_pause(void)
{
    __asm__ volatile("yield" : : : "memory");
}

#endif

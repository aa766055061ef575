/* SPDX-License-Identifier: MIT */
#ifndef ARCH_X86_64_MACHINE_H
#define ARCH_X86_64_MACHINE_H

#include <asm/prctl.h>
#include <elf.h>
#include <linux/audit.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Bytes below the stack pointer that a function may use. */
enum { ARCH_RED_ZONE = 128 };

/* The breakpoint: a byte planted at this offset into a function's first instruction, which then faults with SIGILL
 * and does not advance. */
#define ARCH_BREAKPOINT 0x06
enum { ARCH_BREAKPOINT_AT = 0 };

/* Sizes of the jump written there, of the instructions that it covers at most, and of the stub that it leads to
 * (arch/detour.h). */
enum { ARCH_JUMP_BYTES = 5, ARCH_HEAD_BYTES = 20, ARCH_STUB_BYTES = 320, ARCH_STUB_BYTES_COMPAT = 240 };

/* Whether 32-bit programs of this processor are supported. */
enum { ARCH_HAS_COMPAT = 1 };

/* Instructions begin at multiples of this. */
enum { ARCH_INSTRUCTION_ALIGNMENT = 1 };

/* Size of a system call instruction, "syscall" or "int $0x80". */
enum { ARCH_SYSCALL_BYTES = 2 };

/* The processor's name for people, for objdump, in ELF files (COMPAT: of 32-bit programs) and in seccomp filters, and
 * the soname of its dynamic linker. */
#define ARCH_NAME "x86-64"
#define ARCH_OBJDUMP "i386:x86-64"
#define ARCH_ELF_MACHINE EM_X86_64
#define ARCH_ELF_MACHINE_COMPAT EM_386
#define ARCH_AUDIT AUDIT_ARCH_X86_64
#define ARCH_FOREIGN "x32 programs" /* programs that it can run, but that are not supported */
#define ARCH_DYNAMIC_LINKER "ld-linux-x86-64.so.2"
#define ARCH_DYNAMIC_LINKER_COMPAT "ld-linux.so.2"

/* The number of general registers. */
enum { ARCH_GENERAL = 16 };

/* The register in which PHP's virtual machine has the address of its instruction (ZEND_VM_IP_GLOBAL_REG). */
enum { ARCH_PHP_INSTRUCTION = 15 };

/* System calls that not every architecture has. */
enum { ARCH_SYS_OPEN = SYS_open, ARCH_SYS_READLINK = SYS_readlink };

/* The register set that has the thread pointer; 0: NT_PRSTATUS has it. ARCH_DESCRIPTOR_MOST: how many bytes below it
 * the C library's descriptor of a thread (the result of pthread_self) begins at most. */
enum { ARCH_THREAD_REGISTERS = 0, ARCH_DESCRIPTOR_MOST = 0 };

/* Requests for all registers of a 32-bit thread that the kernel keeps, in the form of a native thread. */
#define ARCH_GET_WHOLE PTRACE_GETREGS
#define ARCH_SET_WHOLE PTRACE_SETREGS

/* Relocation types: one fills in the address of a function; the other calls a function that chooses an address (IFUNC).
 * COMPAT: in files of 32-bit programs. */
#define ARCH_RELOCATION_JUMP R_X86_64_JUMP_SLOT
#define ARCH_RELOCATION_ADDRESS R_X86_64_GLOB_DAT
#define ARCH_RELOCATION_CHOSEN R_X86_64_IRELATIVE
#define ARCH_COMPAT_RELOCATION_JUMP R_386_JMP_SLOT
#define ARCH_COMPAT_RELOCATION_ADDRESS R_386_GLOB_DAT

/* Maps the vDSO of 32-bit programs into this process, which must not have one. Returns less than 0 on failure. */
static inline long arch_map_compat_vdso(void)
{
    return syscall(SYS_arch_prctl, ARCH_MAP_VDSO_32, 0);
}

/* Call it in each turn of a busy loop. */
static inline void arch_pause(void)
{
    __builtin_ia32_pause();
}

#endif

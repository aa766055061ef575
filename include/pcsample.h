/* SPDX-License-Identifier: MIT
 *
 * pcsample, and on a C library without them profil and sprofil, for programs that run under ptprofil. Link with
 * -lpcsample. The manual pages pcsample(3), ptprofil-calls(7) and ptprofil-semantics(7) tell the rest. */
#ifndef PCSAMPLE_H
#define PCSAMPLE_H

#include <stdint.h>

/* The C library's own, if it has them, is used: profil of <unistd.h>, sprofil of <sys/profil.h>. */
#if !defined __GLIBC__
#if !defined __has_include
#define PCSAMPLE_DECLARES_PROFIL 1
#elif !__has_include(<sys/profil.h>)
#define PCSAMPLE_DECLARES_PROFIL 1
#endif
#endif

#ifdef PCSAMPLE_DECLARES_PROFIL
#include <stddef.h>
#include <sys/time.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Samples the program counter: at every tick of the process's CPU time, user and system, of all its threads together,
 * the address at which the running thread will go on in user mode is stored in the next element of an array, as it is.
 * The call is that of illumos, pcsample(2); ptprofil-semantics(7) lists its rules, pcsample.first and so on.
 *
 * SAMPLES: an array of the caller's, which must stay there until sampling ends. NSAMPLES: the number of its elements;
 * nothing is written past it. A tick lasts 1 / HZ second, HZ = sysconf(_SC_CLK_TCK), so the array is full after
 * NSAMPLES / HZ seconds of CPU time, however long they take. 0 ends sampling, and SAMPLES is not looked at.
 *
 * Sampling also ends when the array is full, when an element cannot be written, and at exec; a successful call of
 * profil or sprofil ends it, and the other way round. A child of fork goes on in its own copy of the array.
 *
 * Returns the number of samples stored since the last call; 0 for the first call in a process. Returns -1 with errno
 * set, and changes nothing, if it fails:
 *   EINVAL  NSAMPLES is negative
 *   ENOSYS  the process is not supervised by ptprofil, or the supervisor serves no calls
 * errno is left alone on success. Any thread may call at any time, and so may a signal handler, whatever signals are
 * blocked. */
long pcsample(uintptr_t samples[], long nsamples);

#ifdef PCSAMPLE_DECLARES_PROFIL

/* A range of text and the buffer that counts it: see sprofil. */
struct prof {
    void *pr_base;          /* buffer of counters */
    size_t pr_size;         /* its size in bytes */
    size_t pr_off;          /* lowest program counter */
    unsigned long pr_scale; /* fixed-point number, 65536 is 1: two bytes of text to a counter of 16 bits */
};

enum {
    PROF_USHORT = 0,    /* counters of 16 bits */
    PROF_UINT = 1 << 0, /* counters of 32 bits */
    PROF_FAST = 1 << 1  /* accepted, and changes nothing */
};

/* Counts ticks of the process's CPU time by program counter, by the rules of the system that ptprofil was asked for
 * (--semantics): see ptprofil-semantics(7).
 *
 * BUFFER: SIZE bytes of counters of 16 bits, of the caller's, which must stay there. OFFSET: the lowest program counter
 * that is counted. SCALE: as pr_scale above. Which arguments turn it off, and what it does with a bad buffer, the rules
 * say; on Linux a BUFFER of NULL turns it off.
 *
 * Returns 0; or -1 with errno set, to ENOSYS if the process is not supervised. */
int profil(unsigned short *buffer, size_t size, size_t offset, unsigned scale);

/* The same for COUNT ranges of text, which must not overlap. INTERVAL, if not NULL, receives the length of a tick.
 * FLAGS: of PROF_*. The call knows only the rules of Linux and IRIX.
 *
 * Returns 0; or -1 with errno set, to ENOSYS if the process is not supervised or the rules are those of another
 * system. */
int sprofil(struct prof *regions, int count, struct timeval *interval, unsigned flags);

#endif

#ifdef __cplusplus
}
#endif

#endif

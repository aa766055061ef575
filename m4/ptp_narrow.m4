dnl SPDX-License-Identifier: MIT

dnl PTP_NARROW Sets NARROW_CFLAGS (flags of CC for 32-bit programs), narrowlibdir (the folder of their libraries), and
dnl the conditional NARROW, which is true if CC can link such a program. The kernel's headers are the same for both
dnl kinds; Debian has them in a folder for 64-bit programs.
AC_DEFUN([PTP_NARROW], [
    AC_ARG_ENABLE([i386],
        [AS_HELP_STRING([--disable-i386],
            [build no libpcsample and ptprofil-conformance for 32-bit programs @<:@they are, if $CC takes -m32@:>@])],
        [], [enable_i386=auto])
    AC_ARG_WITH([i386-libdir],
        [AS_HELP_STRING([--with-i386-libdir=DIR], [where libpcsample for 32-bit programs goes @<:@EPREFIX/lib32@:>@])],
        [narrowlibdir=$withval], [narrowlibdir='${exec_prefix}/lib32'])
    NARROW_CFLAGS=
    AS_IF([test $ptp_arch = x86-64 && test "$enable_i386" != no], [
        AC_MSG_CHECKING([whether $CC compiles for i386])
        ptp_save_CFLAGS=$CFLAGS
        ptp_folder=/usr/include/`$CC -print-multiarch 2>/dev/null || echo x86_64-linux-gnu`
        for ptp_flags in -m32 "-m32 -isystem $ptp_folder"; do
            CFLAGS="$ptp_save_CFLAGS $ptp_flags"
            AC_LINK_IFELSE([AC_LANG_SOURCE([[
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/syscall.h>
#if !defined __i386__ || UINTPTR_MAX != UINT32_MAX
#error not i386
#endif
int main(void) { return pthread_self() == 0 || errno == SYS_tgkill; }
]])], [NARROW_CFLAGS=$ptp_flags; break])
        done
        CFLAGS=$ptp_save_CFLAGS
        AC_MSG_RESULT([${NARROW_CFLAGS:-no}])
        AS_IF([test -z "$NARROW_CFLAGS" && test "$enable_i386" = yes],
            [AC_MSG_ERROR([$CC cannot make 32-bit programs: install gcc-multilib, or what gcc -m32 needs here])])
    ])
    AC_SUBST([NARROW_CFLAGS])
    AC_SUBST([narrowlibdir])
    AM_CONDITIONAL([NARROW], [test -n "$NARROW_CFLAGS"])
])

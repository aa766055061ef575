dnl SPDX-License-Identifier: MIT

dnl PTP_TRY_FLAG(VARIABLE, FLAG, compile|link)
dnl Appends FLAG to VARIABLE if the compiler accepts it without a warning.
AC_DEFUN([PTP_TRY_FLAG], [
    AC_MSG_CHECKING([whether $CC takes $2])
    ptp_save_CFLAGS=$CFLAGS
    ptp_save_LDFLAGS=$LDFLAGS
    m4_if([$3], [link],
        [LDFLAGS="$LDFLAGS -Werror $2"
        AC_LINK_IFELSE([AC_LANG_PROGRAM()], [ptp_taken=yes], [ptp_taken=no])],
        [CFLAGS="$CFLAGS -Werror $2"
        AC_COMPILE_IFELSE([AC_LANG_PROGRAM()], [ptp_taken=yes], [ptp_taken=no])])
    CFLAGS=$ptp_save_CFLAGS
    LDFLAGS=$ptp_save_LDFLAGS
    AC_MSG_RESULT([$ptp_taken])
    AS_IF([test $ptp_taken = yes], [AS_VAR_APPEND([$1], ["${$1:+ }$2"])])
])

dnl PTP_TRY_FLAGS(VARIABLE, FLAGS, compile|link)
AC_DEFUN([PTP_TRY_FLAGS], [m4_foreach_w([ptp_flag], [$2], [PTP_TRY_FLAG([$1], m4_dquote(ptp_flag), [$3])])])

dnl PTP_COMPILER_FLAGS
dnl Sets LANGUAGE_CFLAGS, WARNING_CFLAGS, HARDENING_CFLAGS, HARDENING_LDFLAGS and SANITIZER_CFLAGS, and for libpcsample,
dnl LIBRARY_CFLAGS and LIBRARY_LDFLAGS. CFLAGS and LDFLAGS belong to the caller and are not changed. Programs that tests
dnl profile do not use these flags.
AC_DEFUN([PTP_COMPILER_FLAGS], [
    AC_ARG_ENABLE([werror],
        [AS_HELP_STRING([--enable-werror], [treat warnings as errors])], [], [enable_werror=no])
    AC_ARG_ENABLE([hardening],
        [AS_HELP_STRING([--disable-hardening], [build without the hardening flags])], [], [enable_hardening=yes])
    AC_ARG_ENABLE([sanitizers],
        [AS_HELP_STRING([--enable-sanitizers],
            [build ptprofil and its unit tests with AddressSanitizer and UndefinedBehaviorSanitizer])],
        [], [enable_sanitizers=no])

    LANGUAGE_CFLAGS= WARNING_CFLAGS= HARDENING_CFLAGS= HARDENING_LDFLAGS= SANITIZER_CFLAGS=
    LIBRARY_CFLAGS= LIBRARY_LDFLAGS=
    PTP_ENABLE_FUZZERS
    PTP_TRY_FLAG([LANGUAGE_CFLAGS], [-std=c17])
    AS_IF([test -z "$LANGUAGE_CFLAGS"], [AC_MSG_ERROR([$CC does not know C17: install gcc 8 or later])])

    PTP_TRY_FLAGS([WARNING_CFLAGS], [
        -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 -Wundef
        -Wpointer-arith -Wcast-align -Wwrite-strings -Wvla])
    AS_IF([test "$enable_werror" != no], [AS_VAR_APPEND([WARNING_CFLAGS], [" -Werror"])])

    AS_IF([test "$enable_sanitizers" != no], [
        PTP_TRY_FLAG([SANITIZER_CFLAGS], [-fsanitize=address,undefined], [link])
        AS_IF([test -z "$SANITIZER_CFLAGS"],
            [AC_MSG_ERROR([$CC cannot link with the sanitizers: install libasan and libubsan of the compiler's version])])
        AS_VAR_APPEND([SANITIZER_CFLAGS], [" -fno-sanitize-recover=undefined -fno-omit-frame-pointer"])
        AS_IF([test "$enable_fuzzers" != no], [AS_VAR_APPEND([SANITIZER_CFLAGS], [" -fsanitize=fuzzer-no-link"])])
    ])

    AS_IF([test "$enable_hardening" != no], [
        PTP_TRY_FLAGS([HARDENING_CFLAGS], [-fstack-protector-strong -fstack-clash-protection -fcf-protection])
        PTP_TRY_FLAG([HARDENING_LDFLAGS], [-Wl,-z,relro], [link])
        PTP_TRY_FLAG([HARDENING_LDFLAGS], [-Wl,-z,now], [link])
        PTP_TRY_FLAG([HARDENING_LDFLAGS], [-pie], [link])
        AS_CASE([" $HARDENING_LDFLAGS "], [*" -pie "*], [PTP_TRY_FLAG([HARDENING_CFLAGS], [-fPIE])])
        PTP_SHADOW_STACK
        PTP_FORTIFY
    ])

    dnl libpcsample needs only errno from other libraries, so the compiler must not add calls of other functions.
    PTP_TRY_FLAGS([LIBRARY_CFLAGS], [-fno-stack-protector -fno-tree-loop-distribute-patterns])
    AS_IF([test "$enable_hardening" != no], [
        PTP_TRY_FLAGS([LIBRARY_CFLAGS], [-fstack-clash-protection -fcf-protection])
        PTP_TRY_FLAGS([LIBRARY_LDFLAGS], [-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack], [link])
    ])

    AC_SUBST([LIBRARY_CFLAGS])
    AC_SUBST([LIBRARY_LDFLAGS])
    AC_SUBST([SHADOW_STACK_LDFLAGS])
    AC_SUBST([LANGUAGE_CFLAGS])
    AC_SUBST([WARNING_CFLAGS])
    AC_SUBST([HARDENING_CFLAGS])
    AC_SUBST([HARDENING_LDFLAGS])
    AC_SUBST([SANITIZER_CFLAGS])
    AM_CONDITIONAL([SANITIZERS], [test "$enable_sanitizers" != no])
])

dnl PTP_SHADOW_STACK
dnl Sets SHADOW_STACK_LDFLAGS, and adds it to HARDENING_LDFLAGS. With -fcf-protection, all of our code supports shadow
dnl stacks and indirect branch tracking. The linker notes this in the program only if the C library's start files do, too.
dnl Debian's do not, but support shadow stacks: they call and return as usual. They have no landing instructions, so the
dnl linker decides about branch tracking. The static program contains a C library, so the linker decides about both.
AC_DEFUN([PTP_SHADOW_STACK], [
    SHADOW_STACK_LDFLAGS=
    AS_CASE([$host:" $HARDENING_CFLAGS "], [x86_64-*:*" -fcf-protection "*],
        [PTP_TRY_FLAG([SHADOW_STACK_LDFLAGS], [-Wl,-z,shstk], [link])])
    AS_VAR_APPEND([HARDENING_LDFLAGS], [" $SHADOW_STACK_LDFLAGS"])
])

dnl PTP_ENABLE_FUZZERS
dnl Sets enable_fuzzers and the conditional FUZZERS_BUILT. Fuzzers are built with sanitizers.
AC_DEFUN([PTP_ENABLE_FUZZERS], [
    AC_ARG_ENABLE([fuzzers],
        [AS_HELP_STRING([--enable-fuzzers],
            [with CC=clang: build everything as --enable-sanitizers does, for libFuzzer; make fuzz runs it])],
        [], [enable_fuzzers=no])
    AM_CONDITIONAL([FUZZERS_BUILT], [test "$enable_fuzzers" != no])
    AS_IF([test "$enable_fuzzers" != no], [
        enable_sanitizers=yes
        AC_MSG_CHECKING([whether $CC links with libFuzzer])
        ptp_save_CFLAGS=$CFLAGS
        CFLAGS="$CFLAGS -fsanitize=fuzzer,address,undefined"
        AC_LINK_IFELSE([AC_LANG_SOURCE([[
int LLVMFuzzerTestOneInput(const unsigned char *bytes, __SIZE_TYPE__ size);
int LLVMFuzzerTestOneInput(const unsigned char *bytes, __SIZE_TYPE__ size) { return size && *bytes == 255 ? -1 : 0; }
]])], [ptp_taken=yes], [ptp_taken=no])
        CFLAGS=$ptp_save_CFLAGS
        AC_MSG_RESULT([$ptp_taken])
        AS_IF([test $ptp_taken = no],
            [AC_MSG_ERROR([$CC cannot link with libFuzzer: install clang and libclang-rt-dev, and configure with CC=clang])])
    ])
])

dnl PTP_FORTIFY
dnl Sets _FORTIFY_SOURCE, unless the build is not optimized (glibc requires it) or has sanitizers (which would not see
dnl accesses in the checked functions).
AC_DEFUN([PTP_FORTIFY], [
    AC_MSG_CHECKING([for _FORTIFY_SOURCE])
    ptp_fortify=
    AS_IF([test "$enable_sanitizers" = no], [
        ptp_save_CFLAGS=$CFLAGS
        for ptp_level in 3 2; do
            CFLAGS="$ptp_save_CFLAGS -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$ptp_level"
            AC_LINK_IFELSE([AC_LANG_PROGRAM([[
#include <stdio.h>
#ifndef __OPTIMIZE__
#error not optimized
#endif
]], [[return printf("%d", 1) < 0;]])], [ptp_fortify=$ptp_level; break])
        done
        CFLAGS=$ptp_save_CFLAGS
    ])
    AS_IF([test -n "$ptp_fortify"],
        [AS_VAR_APPEND([HARDENING_CFLAGS], [" -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$ptp_fortify"])])
    AC_MSG_RESULT([${ptp_fortify:-no}])
])

dnl SPDX-License-Identifier: MIT

dnl PTP_REQUIRE_MODULE(VARIABLE, MODULE, DEBIAN-PACKAGE)
dnl Sets VARIABLE_CFLAGS and VARIABLE_LIBS, or ends with the name of the package to install.
AC_DEFUN([PTP_REQUIRE_MODULE], [
    PKG_CHECK_MODULES([$1], [$2], [], [AC_MSG_ERROR([$2 not found: install $3])])
])

dnl PTP_WITH_LIBDW Sets LIBDW_CFLAGS, LIBDW_LIBS and the conditional LIBDW. Required by default, because it finds lines
dnl and inlined calls.
AC_DEFUN([PTP_WITH_LIBDW], [
    AC_ARG_WITH([libdw],
        [AS_HELP_STRING([--without-libdw],
            [know neither lines of the source nor inlined calls])],
        [], [with_libdw=yes])
    AS_IF([test "$with_libdw" != no], [
        PKG_CHECK_MODULES([LIBDW], [libdw >= 0.173],
            [AC_DEFINE([HAVE_LIBDW], [1], [libdw is there])],
            [AC_MSG_ERROR([libdw not found: install libdw-dev, or configure --without-libdw and do without lines and inlined calls])])
    ])
])

dnl PTP_WITH_MPI
dnl Sets MPI_CFLAGS, MPI_LIBS and with_mpi. Not used by default, because ptprofil-mpi is only for clusters.
AC_DEFUN([PTP_WITH_MPI], [
    AC_ARG_WITH([mpi],
        [AS_HELP_STRING([--with-mpi@<:@=MODULE@:>@],
            [build ptprofil-mpi with this library, as pkg-config names it: ompi-c, mpich, or mpi-c @<:@no@:>@])],
        [], [with_mpi=no])
    AS_IF([test "$with_mpi" = yes], [with_mpi=mpi-c])
    AS_IF([test "$with_mpi" != no], [
        PKG_CHECK_MODULES([MPI], [$with_mpi], [],
            [AC_MSG_ERROR([$with_mpi not found: install mpi-default-dev, or name another module: --with-mpi=MODULE])])
    ])
])

dnl PTP_WITH_LIBUNWIND Sets LIBUNWIND_CFLAGS, LIBUNWIND_LIBS, LIBUNWIND_PTRACE_LIBS (for tests only) and with_libunwind.
dnl Required by default, because nearly all stacks need it.
AC_DEFUN([PTP_WITH_LIBUNWIND], [
    AC_ARG_WITH([libunwind],
        [AS_HELP_STRING([--without-libunwind], [follow stacks by frame pointers only (--stacks=fp), which most programs do not have])],
        [], [with_libunwind=yes])
    AS_IF([test "$with_libunwind" != no], [
        PKG_CHECK_MODULES([LIBUNWIND], [libunwind-generic], [],
            [AC_MSG_ERROR([libunwind not found: install libunwind-dev, or configure --without-libunwind and do without stacks of programs without frame pointers])])
        PKG_CHECK_MODULES([LIBUNWIND_PTRACE], [libunwind-ptrace])
    ])
])

dnl PTP_WITH_CURL Sets the conditional CURL. The build needs only the header: the process that sends profiles loads the
dnl library itself.
AC_DEFUN([PTP_WITH_CURL], [
    AC_ARG_WITH([curl],
        [AS_HELP_STRING([--with-curl], [fail if --push cannot be built @<:@it is built if libcurl's header is there@:>@])],
        [], [with_curl=auto])
    ptp_have_curl=no
    AS_IF([test "$with_curl" != no], [AC_CHECK_HEADER([curl/curl.h], [ptp_have_curl=yes])])
    AS_IF([test "$with_curl$ptp_have_curl" = yesno],
        [AC_MSG_ERROR([curl/curl.h not found: install libcurl4-openssl-dev, or configure --without-curl and do without --push])])
])

dnl PTP_SYSTEM_LIBS
dnl Sets SYSTEM_LIBS: parts of the C library that are libraries of their own before glibc 2.34.
AC_DEFUN([PTP_SYSTEM_LIBS], [
    ptp_save_LIBS=$LIBS
    LIBS=
    AC_SEARCH_LIBS([dladdr], [dl])
    AC_SEARCH_LIBS([timer_create], [rt])
    AC_SEARCH_LIBS([pthread_create], [pthread])
    AC_SUBST([SYSTEM_LIBS], [$LIBS])
    LIBS=$ptp_save_LIBS
])

dnl PTP_STATIC_LIBS
dnl Sets STATIC_LIBS: the libraries found before, and the libraries that they need in a static program.
AC_DEFUN([PTP_STATIC_LIBS], [
    ptp_modules="libelf zlib liblzma ncursesw"
    AS_IF([test "$with_libdw" != no], [ptp_modules="libdw $ptp_modules"])
    AS_IF([test "$with_libunwind" != no], [AS_VAR_APPEND([ptp_modules], [" libunwind-generic"])])
    STATIC_LIBS=`$PKG_CONFIG --static --libs $ptp_modules`
    AC_SUBST([STATIC_LIBS])
])

dnl PTP_REQUIRE_LIBIBERTY Sets IBERTY_LIBS. libiberty, the demangler, has no pkg-config file. Its header is
dnl <libiberty/demangle.h> if the library was installed without binutils.
AC_DEFUN([PTP_REQUIRE_LIBIBERTY], [
    AC_MSG_CHECKING([for libiberty's demangler])
    ptp_save_LIBS=$LIBS
    LIBS="-liberty $LIBS"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <libiberty/demangle.h>]], [[return !cplus_demangle("_Z1av", DMGL_AUTO);]])],
        [ptp_found=yes], [ptp_found=no])
    LIBS=$ptp_save_LIBS
    AC_MSG_RESULT([$ptp_found])
    AS_IF([test $ptp_found = no], [AC_MSG_ERROR([libiberty not found: install libiberty-dev])])
    AC_SUBST([IBERTY_LIBS], [-liberty])
])

dnl PTP_ENABLE_TESTS Sets CHECK_CFLAGS, CHECK_LIBS and ptp_have_check. Only the unit tests need Check. Without it,
dnl configure fails only with --enable-tests.
AC_DEFUN([PTP_ENABLE_TESTS], [
    AC_ARG_ENABLE([tests],
        [AS_HELP_STRING([--enable-tests], [fail if the unit tests cannot be built @<:@they are built if they can@:>@])],
        [], [enable_tests=auto])
    ptp_have_check=no
    AS_IF([test "$enable_tests" != no], [
        PKG_CHECK_MODULES([CHECK], [check >= 0.15], [ptp_have_check=yes], [
            AS_IF([test "$enable_tests" = auto],
                [AC_MSG_WARN([check not found: install check to have the unit tests])],
                [AC_MSG_ERROR([check not found: install check])])])
    ])
    enable_tests=$ptp_have_check
])

dnl PTP_ENABLE_SUPERVISOR
dnl Sets enable_supervisor and the conditional SUPERVISOR, which is false if only libpcsample is built.
AC_DEFUN([PTP_ENABLE_SUPERVISOR], [
    AC_ARG_ENABLE([supervisor],
        [AS_HELP_STRING([--disable-supervisor],
            [build libpcsample alone, for instance with CC=musl-gcc: it needs no library])],
        [], [enable_supervisor=yes])
    AM_CONDITIONAL([SUPERVISOR], [test "$enable_supervisor" != no])
])

dnl PTP_OWN_PROFIL
dnl Sets the conditional OWN_PROFIL if the C library has no profil and sprofil, so that libpcsample provides them.
AC_DEFUN([PTP_OWN_PROFIL], [
    AC_CHECK_FUNC([sprofil], [ptp_own_profil=no], [ptp_own_profil=yes])
    AM_CONDITIONAL([OWN_PROFIL], [test $ptp_own_profil = yes])
])

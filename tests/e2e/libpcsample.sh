#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Programs use libpcsample to call pcsample. Without ptprofil the library disturbs nothing; under ptprofil each call is
# served.

. "$(dirname "$0")/lib.sh"

library=$(find_built libpcsample.la) || library=
library_tree=${library%/*}

# Prints the result of pcsample, and whether ticks were stored while the program used some CPU time.
write_program() {
    cat >program.c <<'END'
#include <errno.h>
#include <stdio.h>
#include <time.h>
#include <pcsample.h>

static uintptr_t samples[1000];

int main(void)
{
    long first = pcsample(samples, 1000), stored;
    int sampled;
    if (first < 0) {
        printf("%ld %s\n", first, errno == ENOSYS ? "ENOSYS" : "another error");
        return 0;
    }
    while (clock() < CLOCKS_PER_SEC / 5)
        ;
    stored = pcsample(NULL, 0);
    sampled = stored > 0 && stored < 1000 && samples[stored - 1] && !samples[stored];
    printf("%ld %s\n", first, sampled ? "sampled" : "not sampled");
    return 0;
}
END
}

# answers PROGRAM: alone, its call fails because there is no tracer; under ptprofil it is served.
answers() {
    local status=0
    "$@" >alone || status=$?
    [ $status = 0 ] && [ "$(cat alone)" = '-1 ENOSYS' ] || fail "status $status alone: $(cat alone)"
    within 20 "$PTPROFIL" -q -o profile.folded -- "$@" >served || status=$?
    [ $status = 0 ] && [ "$(cat served)" = '0 sampled' ] || fail "status $status under ptprofil: $(cat served)"
}

need_library() {
    [ -n "$library_tree" ] || skip "no libpcsample has been built"
}

# Installs the library below root/, and lets pkg-config find it there.
install_library() {
    need_library
    need make pkg-config
    make -s -C "$library_tree" install-libLTLIBRARIES install-includeHEADERS install-pkgconfigDATA DESTDIR="$PWD/root" \
        >log 2>&1 || fail "make install" "$(tail -n 5 log)"
    use_installed
}

use_installed() {
    local file
    file=$(find "$PWD/root" -name pcsample.pc)
    [ -n "$file" ] || fail "no pcsample.pc was installed"
    export PKG_CONFIG_PATH=${file%/*} PKG_CONFIG_SYSROOT_DIR=$PWD/root
    export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
    library_folder=$(dirname "$(find "$PWD/root" -name libpcsample.a)")
    read -r -a cflags < <(pkg-config --cflags pcsample)
    read -r -a libs < <(pkg-config --libs pcsample)
}

case_alone() {
    "$TARGETS/pcsample_signals" alone || fail "status $?"
}

# The library must not mistake another tracer for ptprofil.
case_other_tracer() {
    need strace
    strace -f -e trace=none -o /dev/null true 2>err || skip "strace does not work here: $(cat err)"
    timeout 60 strace -f -e trace=none -o /dev/null "$TARGETS/pcsample_signals" alone || fail "status $?"
}

# In an ordinary program a call opens no file. If the signals are blocked, the library checks for a tracer before it
# sends a signal, which would stay pending otherwise.
case_fast() {
    need strace gcc
    need_library
    cat >program.c <<'END'
#include <pcsample.h>
#include <signal.h>
int main(int argc, char **argv)
{
    sigset_t all;
    (void)argv;
    sigfillset(&all);
    if (argc > 1)
        sigprocmask(SIG_BLOCK, &all, 0);
    return pcsample(0, 0) != -1;
}
END
    gcc -static -I"$source_dir/include" program.c "$library_tree/.libs/libpcsample.a" -o program || fail "gcc"
    strace -o trace ./program 2>err || skip "strace does not work here: $(cat err)"
    grep -q 'tgkill(.*SIGURG' trace || fail "no request was made:" "$(cat trace)"
    ! grep open trace || fail "a file was opened"
    strace -o trace ./program blocked || fail "status $?"
    grep -q 'open.*/proc/thread-self/status' trace || fail "it did not look who traces:" "$(cat trace)"
    ! grep kill trace || fail "a signal was sent"
}

# served TARGET...: TARGET must end with status 0 under ptprofil, at a low and at a high rate.
served() {
    local rate status=0
    for rate in 1 2000; do
        within 110 "$PTPROFIL" -q -F $rate -o profile.folded -- "$TARGETS/$1" "${@:2}" >out 2>err || status=$?
        [ $status = 0 ] || fail "$* at $rate Hz: status $status" "$(tail -n 5 err)"
    done
}

case_served_signals() {
    served pcsample_signals served
}

case_served_registers() {
    served pcsample_calls registers "${full:+1}2500"
}

long_served_blocked() {
    served pcsample_calls blocked "${full:+1}2500"
}

case_served_in_handlers() {
    served pcsample_calls handler "${full:+5}500"
}

long_served_in_threads() {
    served pcsample_calls threads "${full:+1}500"
}

# With --calls=off, the library behaves as without ptprofil.
case_calls_off() {
    within 60 "$PTPROFIL" -q --calls=off -o profile.folded -- "$TARGETS/pcsample_signals" alone || fail "status $?"
}

case_header() {
    need gcc
    local standard
    printf '#include <pcsample.h>\n#include <pcsample.h>\nlong (*f)(uintptr_t *, long) = pcsample;\n' >header.c
    for standard in c99 c11 c17 gnu17; do
        gcc -std=$standard -pedantic -Wall -Wextra -Werror -fsyntax-only -I"$source_dir/include" header.c ||
            fail "as $standard"
    done
}

long_c_plus_plus() {
    need g++
    install_library
    write_program
    local standard
    mv program.c program.cc
    for standard in c++98 c++11 c++17 c++20; do
        g++ -std=$standard -Wall -Wextra -Werror "${cflags[@]}" program.cc "$library_folder/libpcsample.a" -o program ||
            fail "as $standard"
    done
    answers ./program
}

case_installed() {
    need gcc
    install_library
    [ -e "$library_folder/libpcsample.so" ] || skip "no shared library has been built"
    write_program
    export LD_LIBRARY_PATH=$library_folder
    gcc "${cflags[@]}" program.c "${libs[@]}" -o program || fail "gcc"
    answers ./program
    gcc -O2 -fno-plt -fcf-protection=full -Wl,-z,now "${cflags[@]}" program.c "${libs[@]}" -o program || fail "gcc -fno-plt"
    answers ./program
}

long_static() {
    need gcc strip
    install_library
    write_program
    local kind
    for kind in -static -static-pie '-static -fno-pie -no-pie'; do
        # shellcheck disable=SC2086  # flags are words
        gcc $kind "${cflags[@]}" program.c "${libs[@]}" -o program || fail "gcc $kind"
        answers ./program
    done
    strip program
    answers ./program
}

# The library exports only pcsample, and needs only errno from other libraries.
case_symbols() {
    need nm readelf
    need_library
    local shared=$library_tree/.libs/libpcsample.so archive=$library_tree/.libs/libpcsample.a
    nm -u "$archive" >undefined || fail "nm"
    grep -q ' U ' undefined || fail "nothing is wanted from outside: $(cat undefined)"
    ! grep ' U ' undefined | grep -vE ' (__errno_location|pcsample_gate|_GLOBAL_OFFSET_TABLE_)$' || fail "wanted from outside"
    [ -e "$shared" ] || skip "no shared library has been built"
    nm -D --defined-only "$shared" >exported
    [ "$(awk '{ print $NF }' exported)" = pcsample ] || fail "exported:" "$(cat exported)"
    readelf -lW "$shared" | grep -q 'GNU_STACK.* RW ' || fail "its stack is executable"
    readelf -dW "$shared" >dynamic
    grep -q 'SONAME.*\[libpcsample\.so\.1\]' dynamic && [ "$(grep -c NEEDED dynamic)" = 1 ] || fail "$(cat dynamic)"
}

# With a C library without profil and sprofil (musl), libpcsample provides them.
long_musl() {
    need musl-gcc make pkg-config strip
    [ -x "$source_dir/configure" ] || skip "no configure here"
    [ ! -e "$source_dir/config.status" ] || skip "the tree of the sources is configured itself"
    mkdir build
    (cd build && "$source_dir/configure" -q --disable-supervisor CC=musl-gcc CFLAGS=-O2 && make -s install DESTDIR="$PWD/../root") \
        >log 2>&1 || fail "configure and make" "$(tail -n 5 log)"
    use_installed
    write_program
    musl-gcc -static "${cflags[@]}" program.c "${libs[@]}" -o program || fail "musl-gcc"
    answers ./program
    strip program
    answers ./program
    musl-gcc -static -pthread "${cflags[@]}" "$source_dir/tests/targets/pcsample_calls.c" "${libs[@]}" -o calls ||
        fail "musl-gcc"
    within 60 "$PTPROFIL" -q -o profile.folded -- ./calls threads 1000 || fail "status $?"
    musl_profil
}

musl_profil() {
    local status=0
    cat >profil.c <<'END'
#include <errno.h>
#include <pcsample.h>
int main(void)
{
    static unsigned short cells[16];
    struct prof region = {cells, sizeof cells, (size_t)main, 65536};
    struct timeval interval = {-1, -1};
    if (profil(cells, sizeof cells, (size_t)main, 65536) != 0) {
        int alone = errno == ENOSYS;
        errno = 0;
        return alone && sprofil(&region, 1, &interval, PROF_USHORT) == -1 && errno == ENOSYS ? 3 : 1;
    }
    if (profil(0, 0, 0, 0) != 0 || sprofil(&region, 1, &interval, PROF_USHORT) != 0)
        return 1;
    return interval.tv_sec == 0 && interval.tv_usec > 0 ? 0 : 2;
}
END
    musl-gcc -static "${cflags[@]}" profil.c "${libs[@]}" -o profil || fail "musl-gcc"
    ./profil || status=$?
    [ $status = 3 ] || fail "profil alone: status $status"
    within 20 "$PTPROFIL" -q -o profile.folded -- ./profil || fail "profil under ptprofil: status $?"
}

run_cases "$@"

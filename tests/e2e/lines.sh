#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Lines of the source, and calls that the compiler inlined.

. "$(dirname "$0")/lib.sh"

grep -qa 'libdw\.so' "$PTPROFIL" || { echo "SKIP: ptprofil was built without libdw"; exit 77; }

# program OPTION...: compiles ./program, in which innermost() takes nearly all of the time, on the line with the
# comment.
program() {
    need gcc
    mkdir -p source
    cat >source/program.c <<'END'
#define INLINE static inline __attribute__((always_inline))
INLINE unsigned long innermost(unsigned long n)
{
    for (unsigned long i = 0; i < 300000000; i++) /* hot */
        __asm__ volatile("" : "+r"(n));
    return n;
}

INLINE unsigned long middle(unsigned long n)
{
    unsigned long sum = innermost(n) + 1; /* calls innermost */
    return sum * 2;
}

__attribute__((noinline)) unsigned long outer(unsigned long n)
{
    return middle(n) + 3; /* calls middle */
}

int main(void)
{
    return outer(1) == 0;
}
END
    gcc -O2 "$@" source/program.c -o program || fail "gcc"
}

# A call that was inlined is a frame, as if it had not been.
case_inlined_calls_are_frames() {
    program -g
    within 20 "$PTPROFIL" -q -F 1000 -o profile.folded -o profile.tree -- ./program || fail "status $?"
    expect_share profile.folded innermost 80
    awk '/;main;outer;middle;innermost [0-9]+$/ && $NF > 50000 { found = 1 } END { exit !found }' profile.folded ||
        off "no stack of inlined calls:" "$(cat profile.folded)"
    tr -s ' ' <profile.tree | sed 's/.*% [0-9.]* //' | grep -A 3 '^main ' | tr '\n' ' ' |
        grep -q 'main.*outer.*middle.*innermost' || off "no tree of inlined calls:" "$(cat profile.tree)"
}

# expect_line OPTION...: the first row must be the hot line, or a neighbouring one, with its whole path.
expect_line() {
    local line seen
    line=$(grep -n '/\* hot' source/program.c | cut -d: -f1)
    within 20 "$PTPROFIL" -F 1000 --by=line "$@" -- ./program 2>err || fail "status $?"
    seen=$(sed -n "s|.*% .*$PWD/source/program\\.c:\\([0-9]*\\) *innermost\$|\\1|p" err | head -n 1)
    [ -n "$seen" ] || off "no row of a line in innermost:" "$(cat err)"
    near "the hot line" "$seen" "$line" 1
}

case_rows_by_line() {
    program -g -gdwarf-5
    expect_line
    program -g -gdwarf-4
    expect_line
    expect_line --stacks=fp
}

# Debug information compressed in the current form, and in the form of older linkers.
case_compressed() {
    program -g -gz=zlib
    expect_line
    program -g -gz=zlib-gnu
    expect_line
}

case_clang() {
    need clang
    program -g
    clang -O2 -g source/program.c -o program || fail "clang"
    expect_line
}

# Debug information in a file of its own, or shared with other programs.
case_separate_debug_information() {
    need objcopy strip
    program -g
    objcopy --only-keep-debug program program.debug
    strip program
    objcopy --add-gnu-debuglink=program.debug program
    expect_line
    program -g
    cp program other
    if command -v dwz >/dev/null && dwz -m shared program other; then
        expect_line
    fi
}

# A debug file from a debuginfod server. A server that lacks the file, or does not answer, does no harm.
case_debug_information_from_a_server() {
    need python3 objcopy strip readelf
    python3 -c 'import ctypes; ctypes.CDLL("libdebuginfod.so.1")' 2>/dev/null || skip "no libdebuginfod here"
    local id port
    export DEBUGINFOD_CACHE_PATH=$PWD/cache DEBUGINFOD_TIMEOUT=1
    program -g -Wl,--build-id
    id=$(readelf -n program | sed -n 's/.*Build ID: //p')
    mkdir -p "served/buildid/$id"
    objcopy --only-keep-debug program "served/buildid/$id/debuginfo"
    strip program
    python3 -u -m http.server --bind 127.0.0.1 --directory served 0 >server 2>&1 &
    poll_until 20 grep -q 'port [0-9]' server || fail "no server:" "$(cat server)"
    port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' server)
    DEBUGINFOD_URLS=http://127.0.0.1:1 within 60 "$PTPROFIL" --by=line -- ./program 2>err || fail "status $?"
    grep -qF '[no line]' err || fail "lines from nowhere:" "$(cat err)"
    python3 -c 'import socket, time
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(); print(s.getsockname()[1], flush=True); time.sleep(300)' >mute &
    poll_until 20 test -s mute || fail "no server that does not answer"
    DEBUGINFOD_URLS=http://127.0.0.1:$(cat mute) within 60 "$PTPROFIL" --by=line -- ./program 2>err || fail "status $?"
    grep -qF '[no line]' err || fail "lines from nowhere:" "$(cat err)"
    DEBUGINFOD_URLS=http://127.0.0.1:$port within 60 "$PTPROFIL" -q -- ./program || fail "status $?"
    ! grep GET server || fail "a file was read for names that nobody sees"
    DEBUGINFOD_TIMEOUT=60 DEBUGINFOD_URLS=http://127.0.0.1:$port expect_line
    grep -q "GET /buildid/$id/debuginfo.* 200" server || fail "the file was not requested:" "$(cat server)"
}

# Without -g only the function is known, and a hint says what to do.
case_without_debug_information() {
    program
    within 20 "$PTPROFIL" --by=line -- ./program 2>err || fail "status $?"
    grep -qE '\[no line\] +outer$' err || off "no row without a line:" "$(cat err)"
    grep -q 'hint: no line information for program: compile it with -g' err || fail "no hint:" "$(cat err)"
    within 20 "$PTPROFIL" -- ./program 2>err || fail "status $?"
    ! grep -q 'no line information' err || fail "an unnecessary hint:" "$(cat err)"
}

# A path that is too long is shortened at its beginning.
case_paths_are_cut_at_the_beginning() {
    program -g
    COLUMNS=60 within 20 "$PTPROFIL" --by=line -- ./program 2>err || fail "status $?"
    grep -qE '[0-9]%  …[^ ]*/program\.c:[0-9]+ ' err || fail "no path that was cut:" "$(cat err)"
}

# Broken debug information of any kind changes neither the program's status and output, nor its functions and their
# time.
case_broken_debug_information() {
    need objcopy
    local section
    program -g -gdwarf-4
    for section in .debug_info .debug_abbrev .debug_line .debug_str .debug_ranges; do
        head -c 100000 /dev/urandom >noise
        objcopy --update-section $section=noise program broken || fail "objcopy"
        within 60 "$PTPROFIL" -q -F 1000 -o profile.folded -- ./broken || fail "status $? with a broken $section"
        [ "$(matching_weight profile.folded ';main;outer(;|$)')" -gt 50000 ] ||
            off "no outer with a broken $section:" "$(cat profile.folded)"
    done
}

run_cases "$@"

#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Common programs: their output and status are the same as without ptprofil.

. "$(dirname "$0")/lib.sh"

make_input() { # make_input MEGABYTES: prints the same text each time, which compresses moderately well
    awk -v bytes="$(($1 * 1000000))" 'BEGIN {
        x = 42
        while (size < bytes) {
            x = (x * 1103515245 + 12345) % 2147483648
            line = sprintf("%d word%d of line %x\n", x % 100000, x % 977, x)
            size += length(line)
            printf "%s", line
        }
    }'
}

long_gzip() {
    need gzip
    make_input 4 >in.txt
    same_as_alone gzip -9 -c in.txt
    [ "$(process_weight profile.folded gzip)" -gt 40000 ] || off "$(cat profile.folded)"
    SAME_OPTIONS='-F 1000' same_as_alone gzip -9 -c in.txt
}

case_xz() {
    need xz
    make_input 2 >in.txt
    SAME_OPTIONS='-F 1000' same_as_alone xz -3 -c in.txt
    [ "$(process_weight profile.folded xz)" -gt 40000 ] || off "$(cat profile.folded)"
}

long_xz_threads() {
    need xz
    make_input 4 >in.txt
    SAME_OPTIONS='-F 1000' same_as_alone xz -3 -T2 --block-size=1MiB -c in.txt
}

case_sort() {
    need sort
    make_input 5 >in
    SAME_OPTIONS='-F 1000' same_as_alone sort
    [ "$(process_weight profile.folded sort)" -gt 50000 ] || off "$(cat profile.folded)"
}

case_python() {
    need python3
    SAME_OPTIONS='-F 1000' same_as_alone python3 -c '
import subprocess, threading, hashlib, sys
def work(n, out):
    out[n] = hashlib.sha256(b"x" * 3000000).hexdigest()
out = {}
threads = [threading.Thread(target=work, args=(n, out)) for n in range(4)]
[t.start() for t in threads]; [t.join() for t in threads]
print(sorted(out.items()), sum(i * i for i in range(500000)))
print(subprocess.run(["sh", "-c", "echo child; exit 6"], capture_output=True))
sys.exit(11)'
}

case_perl() {
    need perl
    # shellcheck disable=SC2016
    SAME_OPTIONS='-F 1000' same_as_alone perl -e '
my %h; $h{$_ % 9973} .= chr(65 + $_ % 26) for 1 .. 300000;
print join(",", map { length $h{$_} } sort { $a <=> $b } keys %h), "\n";
my $pid = fork(); if (!$pid) { exit 3 } waitpid $pid, 0; print $? >> 8, "\n"; die "the end\n"'
}

case_gcc() {
    need gcc
    cp "$source_dir"/tests/targets/{state.c,target.h} .
    gcc -O2 -D_GNU_SOURCE -c state.c -o alone.o || fail "gcc failed alone"
    within 30 "$PTPROFIL" -q -F 1000 -o profile.folded -- gcc -O2 -D_GNU_SOURCE -c state.c -o profiled.o || fail "status $?"
    cmp alone.o profiled.o || fail "another object file"
    [ "$(process_weight profile.folded cc1)" -gt 40000 ] || off "the compiler proper is not in the profile:" "$(cat profile.folded)"
    [ "$(matching_weight profile.folded '^as;')" -gt 0 ] || off "the assembler is not in the profile"
}

long_make() {
    need make gcc
    mkdir alone profiled
    cat >Makefile <<'END'
objects = bursts.o children.o closer.o core.o ping.o status.o jit.o plt.o
libmany.a: $(objects)
	ar rcsD $@ $(objects)
%.o: %.c
	gcc -O1 -D_GNU_SOURCE -c $< -o $@
END
    for tree in alone profiled; do
        cp Makefile "$source_dir"/tests/targets/*.[ch] $tree
    done
    make -s -C alone -j2 || fail "make failed alone"
    within 50 "$PTPROFIL" -q -o profile.folded -- make -s -C profiled -j2 || fail "status $?"
    cmp alone/libmany.a profiled/libmany.a || fail "another archive"
    [ "$(process_weight profile.folded cc1)" -gt 40000 ] || off "the compiler is not in the profile"
}

case_pipe() {
    make_input 3 >in.txt
    same_as_alone sh -c 'gzip -c in.txt | gzip -dc | sort | tail -n 1000'
    [ "$(process_weight profile.folded sort)" -gt 0 ] && [ "$(process_weight profile.folded gzip)" -gt 0 ] ||
        off "$(cat profile.folded)"
    same_as_alone sh -c 'yes | head -n 100000 | wc -c' # yes dies of SIGPIPE
    # shellcheck disable=SC2016
    same_as_alone bash -c 'set -o pipefail; false | true; echo $? "${PIPESTATUS[@]}"; exit 13'
}

long_go() {
    need go
    HOME=$PWD GOCACHE=${GOCACHE:-/tmp/ptprofil-test.gocache} GOFLAGS=-mod=mod GO111MODULE=off \
        go build -o busy "$source_dir/tests/targets/goroutines.go" || skip "go cannot build here"
    SAME_OPTIONS='-F 1000' same_as_alone ./busy 50
    expect_share profile.folded main.busyLoop 40
}

long_dd() {
    same_as_alone sh -c 'dd if=/dev/zero iflag=fullblock bs=8M count=20 2>/dev/null | sha256sum'
    make_input 3 >in.txt
    same_as_alone dd if=in.txt bs=512 status=none
}

# Without iflag=fullblock, dd counts a short read as a block. This is the worst case of the limit in ptprofil-limits(7).
case_dd_of_partial_blocks() {
    local bytes
    for _ in 1 2 3; do
        bytes=$("$PTPROFIL" -q -o profile.folded -- dd if=/dev/zero bs=8M count=20 2>err | wc -c) || fail "$(cat err)"
        [ "$bytes" = 167772160 ] || skip "known limit: dd copied $bytes bytes of 167772160"
    done
}

case_find_xargs() {
    same_as_alone sh -c 'find /usr/include -name "s*.h" | sort | xargs -n 50 -P 2 cat | sha256sum >/dev/null; find /usr/include -name "*.h" | sort | sha256sum'
}

run_cases "$@"

#!/bin/bash
# SPDX-License-Identifier: MIT
#
# --by=program and --by=command for many processes: during the run, from one stored profile, and from several.

. "$(dirname "$0")/lib.sh"

need_stored_profiles

export LC_ALL=C

# Profiles the build of three C files into build.pb.gz. One of them takes the compiler long.
profile_build() {
    need gcc make awk
    mkdir -p project/src
    for name in first last; do
        echo "int $name(void) { return 1; }" >project/src/$name.c
    done
    awk 'BEGIN { for (i = 0; i < 300; i++) printf "int f%d(int *p, int n) { int s = %d; for (int i = 0; i < n; i++) " \
        "s += p[i] * %d ^ s >> 3; return s; }\n", i, i, i + 3 }' >project/src/slow.c
    printf 'all: first.o slow.o last.o\n%%.o: src/%%.c\n\tgcc -O2 -g -Iinclude -DSOME=1 -c $< -o $@\n' >project/Makefile
    (cd project && within 100 "$PTPROFIL" -F 500 "$@" -o ../build.pb.gz -- make -s) 2>err || fail "status $?" "$(cat err)"
    [ -s project/slow.o ] && [ -s project/last.o ] || fail "nothing was built"
}

long_a_build() {
    profile_build --by=program
    grep -qE ' cc1( |$)' err && grep -qE ' as( |$)' err || fail "no programs:" "$(cat err)"
    [ "$(grep -cE ' cc1( |$)' err)" = 1 ] || fail "three compilers are not one row:" "$(cat err)"
    COLUMNS=80 report --by=command build.pb.gz >table
    awk '/% /{ print; exit }' table >top
    grep -qE '  cc1 .*src/slow\.c' top || fail "the slow file is not the first row:" "$(cat table)"
    awk 'length > 80 { print; bad = 1 } END { exit bad }' table || fail "lines are too long"
    report --by=command -o table.txt build.pb.gz
    for name in first slow last; do
        grep -q "/cc1 .*src/$name\.c .*-o .*\.s$" table.txt || fail "$name.c has no row, or not all of it:" "$(cat table.txt)"
    done
    report --by=program build.pb.gz >table
    [ "$(awk '$NF == "total" { print $1, $2 }' table)" = "$(awk '$NF == "total" { print $1, $2 }' table.txt)" ] ||
        fail "other totals:" "$(cat table table.txt)"
    # With two profiles, each program is still one row.
    report --by=program -o once.csv build.pb.gz
    report --by=program -o twice.csv build.pb.gz build.pb.gz
    [ "$(wc -l <once.csv)" = "$(wc -l <twice.csv)" ] || fail "$(cat once.csv twice.csv)"
    report --by=command -o once.csv build.pb.gz
    report --by=command -o again.pb.gz build.pb.gz
    report --by=command -o again.csv again.pb.gz
    cmp once.csv again.csv || fail "a profile that is stored again differs"
    grep -q 'src/slow\.c' once.csv || fail "$(cat once.csv)"
}

case_attached() {
    bash -c 'exec -a "$1" "$2" -s 600 -r ready' - $'evil\e]0;title\a\nmain' "$TARGETS/steady" &
    local pid=$!
    poll_until 5 test -e ready || fail "the target does not run"
    within 20 "$PTPROFIL" -F 1000 -d 1 --by=command -p $pid 2>err || fail "status $?"
    kill -KILL $pid
    grep -qF 'evil\x1b]0;title\x07\nmain -s 600 -r ready' err || fail "not as it was started:" "$(cat -v err)"
    ! grep -q $'[\e\a]' err || fail "not harmless: $(cat -v err)"
}

# A very long command line keeps its beginning and end. A child without an exec has its parent's command line.
case_long() {
    # shellcheck disable=SC2046
    within 20 "$PTPROFIL" -q -F 1000 -o a.pb.gz -- sh -c '(i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done); exit 0' \
        begins $(seq 10000 13000) ends 2>err || fail "status $?" "$(cat err)"
    report --by=command -o a.csv a.pb.gz
    [ "$(grep -c 'begins 10000 10001 .* 12999 13000 ends' a.csv)" = 1 ] || fail "the parent and its child are not one row:" "$(cat a.csv)"
    [ "$(wc -c <a.csv)" -lt 8000 ] || fail "all of it is kept"
    COLUMNS=80 report --by=command a.pb.gz >table
    grep -qE '% +sh \.\.\. ' table && awk 'length > 80 { exit 1 }' table || fail "$(cat table)"
}

run_cases "$@"

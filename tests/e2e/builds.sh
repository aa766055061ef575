#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Compares profiles of two builds of one program, with different versions in their file names. Real changes are shown
# first; changes that chance explains are hidden or marked.

. "$(dirname "$0")/lib.sh"

need_stored_profiles

export LC_ALL=C

# build VERSION ROUNDS: makes app-VERSION with libwork.so.VERSION, in which slow() loops ROUNDS times.
build() {
    need gcc
    cat >work.c <<END
static volatile unsigned long sum;
__attribute__((noinline)) static void spin(unsigned long rounds) { for (unsigned long i = 0; i < rounds; i++) sum += i; }
__attribute__((noinline)) void steady(void) { for (unsigned long i = 0; i < 3000000; i++) sum += i; }
__attribute__((noinline)) void slow(void) { for (unsigned long i = 0; i < $2; i++) sum += i ^ 3; }
__attribute__((noinline)) void rare(void) { spin(30000); }
END
    cat >main.c <<'END'
void steady(void);
void slow(void);
void rare(void);
int main(void)
{
    for (int i = 0; i < 100; i++) {
        steady();
        slow();
        rare();
    }
    return 0;
}
END
    gcc -O1 -shared -fPIC -o "libwork.so.$1" work.c && gcc -O1 -o "app-$1" main.c "./libwork.so.$1" ||
        fail "gcc does not build it"
}

# compare_versions: profiles both versions, and writes the comparison to "all", and to "screen" as without options.
compare_versions() {
    for version in 1.2 1.3; do
        within 60 "$PTPROFIL" -q -F 1000 -o $version.pb.gz -- ./app-$version 2>err || fail "status $?" "$(cat err)"
    done
    report --diff=1.2.pb.gz -n all 1.3.pb.gz >all 2>told
    report --diff=1.2.pb.gz 1.3.pb.gz >screen 2>/dev/null
}

long_versions() {
    build 1.2 1000000
    build 1.3 4000000
    # In one of some hundred pairs of runs, chance makes a difference that it hardly ever makes.
    compare_versions && ! grep -qE ' rare +libwork' screen || compare_versions
    grep -q 'versions of the same program: .*app-1.3 and app-1.2' told && grep -q 'libwork.so.1.3 and libwork.so.1.2' told ||
        fail "the compared files are not named:" "$(cat told)"
    ! grep -q '  app-1\.2 *$\|  libwork.so.1\.2 *$' all || fail "the old names have rows of their own:" "$(cat all)"
    [ "$(grep -cE ' steady +libwork' all)" = 1 ] || fail "steady is not one row:" "$(cat all)"
    awk '/ function /{ getline; print; exit }' screen >first
    grep -qE '\+[0-9.]+ +\+[0-9.]+ +slow +libwork.so.1.3' first || fail "what changed most is not first:" "$(cat screen)"
    ! grep -qE ' rare +libwork' screen || fail "a change by chance is shown:" "$(cat screen)"
    # by chance, no row may be hidden
    [ "$(wc -l <all)" -le "$(wc -l <screen)" ] || grep -qE '\([0-9]+ others?.*-n all shows them\)' screen ||
        fail "the number of hidden rows is not shown:" "$(cat screen)"
    grep -q '^~: the change may be chance' all || fail "the mark is not explained:" "$(cat all)"
    report --diff=1.2.pb.gz -o diff.folded 1.3.pb.gz 2>/dev/null
    grep -qE '^app-1.3;.*;steady [1-9][0-9]* [1-9]' diff.folded || fail "stacks do not meet:" "$(cat diff.folded)"
    ! grep -q 'app-1\.2' diff.folded || fail "$(cat diff.folded)"
}

# Two runs of one build differ by chance only.
case_chance() {
    build 1.2 1000000
    for run in a b; do
        within 60 "$PTPROFIL" -q -F 1000 -o $run.pb.gz -- ./app-1.2 2>err || fail "status $?" "$(cat err)"
    done
    report --diff=a.pb.gz -n all b.pb.gz >all
    ! grep -qE '^ .*[+-][0-9.]+  *.* rare +libwork' all || fail "a few samples are taken for a change:" "$(cat all)"
    report --diff=a.pb.gz a.pb.gz >none
    ! grep -q '~\| [+-][0-9]' none || fail "a profile differs from itself:" "$(cat none)"
}

run_cases "$@"

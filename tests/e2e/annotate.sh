#!/bin/bash
# SPDX-License-Identifier: MIT
#
# --annotate: the lines of the source and the instructions, with their shares.

. "$(dirname "$0")/lib.sh"

need_stored_profiles
grep -qa 'libdw\.so' "$PTPROFIL" || { echo "SKIP: ptprofil was built without libdw"; exit 77; }

export LC_ALL=C

# recorded OPTION...: compiles ./program with OPTIONs of gcc, and stores a profile of it as a.pb.gz. A division takes
# most of its time.
recorded() {
    need gcc
    mkdir -p source
    cat >source/program.c <<'END'
static inline __attribute__((always_inline)) unsigned long shuffled(unsigned long n)
{
    return n * 31 ^ n >> 7; /* inlined */
}

__attribute__((noinline)) unsigned long heated(unsigned long rounds)
{
    unsigned long n = rounds;
    for (unsigned long i = 1; i < rounds; i++) {
        __asm__ volatile("" : "+r"(n));
        n = (n + rounds) / (i | 1UL << 40) / 3 / (n | 1) +
            shuffled(i); /* calls it */
    }
    return n;
}

int main(void)
{
    unsigned long n = 0;
    for (int i = 0; i < 20; i++)
        n += heated(1000000 + n % 2); /* calls heated */
    return n == 0;
}
END
    gcc -O2 "$@" source/program.c -o program || fail "gcc"
    within 30 "$PTPROFIL" -q -F 1000 -o a.pb.gz -o a.folded -o a.csv -- ./program || fail "status $?"
}

line_of() { # line_of COMMENT: the number of its line
    grep -nF "/* $1 */" source/program.c | cut -d: -f1
}

refused() { # refused PATTERN ARGUMENT...: status 125, and a message that matches
    local pattern=$1 status=0
    shift
    within 30 "$PTPROFIL" report "$@" >refused.out 2>refused.err || status=$?
    [ $status = 125 ] && [ ! -s refused.out ] || fail "status $status: report $*" "$(cat refused.out)"
    grep -qE "^ptprofil: .*$pattern" refused.err || fail "no '$pattern': report $*" "$(cat refused.err)"
}

need_objdump() {
    objdump -i 2>/dev/null | grep -q x86-64 || skip "no objdump for x86-64"
}

# The samples and shares of a function's lines add up to the function's own, and so do its instructions'. Nothing is
# printed twice.
case_shares_add_up() {
    need_objdump
    need python3
    recorded -g
    report --annotate=heated --min=0 a.pb.gz >shown
    local samples self
    samples=$(awk -F, '$1 == "heated" || $1 == "shuffled" { sum += $3 } END { print sum }' a.csv)
    python3 - "$samples" <<'END' || fail "the sums differ from the table:" "$(cat shown a.csv)"
import re, sys
lines = instructions = 0
for row in open('shown', errors='replace'):
    if not re.match(r' *\d+ +[\d.]+% ', row):
        continue
    figures, text = row[:36], row[36:]
    samples = int(figures.split()[0])
    if re.match(r' {6} *[0-9a-f]+  ', text):
        instructions += samples
    elif re.match(r' *\d+  |\(no line\)', text):
        lines += samples
sys.exit(not lines == instructions == int(sys.argv[1]))
END
    self=$(sed -n 's/^heated in program: \([0-9.]*\) % of .*/\1/p' shown)
    near "the function" "$self" "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "self_share") share = i }
        $1 == "heated" || $1 == "shuffled" { sum += $share } END { printf "%.1f\n", 100 * sum }' a.csv)" 0.2
}

case_the_hot_line() {
    need_objdump
    recorded -g
    report --annotate=heated a.pb.gz >shown
    grep -qxF "$PWD/source/program.c" shown || fail "no path of the source:" "$(cat shown)"
    local next of_both
    next=$(line_of 'calls it') # the next instruction after the division gets some of its samples
    of_both=$(awk -v hot=$((next - 1)) -v next_line="$next" '/%/ && ($6 == hot || $6 == next_line) && $5 ~ /[*]/ { sum += $4 }
        END { print int(sum) }' shown)
    [ "$of_both" -ge 80 ] || off "line $((next - 1)) is not hot:" "$(cat shown)"
    grep -qE '\*\* +[0-9a-f]+  ' shown || fail "no instruction is marked:" "$(cat shown)"
    grep -qE " div " shown || fail "no division:" "$(cat shown)"
    report --annotate=heated --min=0 a.pb.gz >all
    grep -qE "; shuffled program.c:$(line_of inlined)$" all || fail "the inlined function is not shown:" "$(cat all)"
    # The time of a caller includes its callees, and the line of the call names the callee.
    report --annotate=main a.pb.gz >shown
    grep -qE "0\.[0-9]% +[0-9.]+% +[0-9.]+%  \*\* +$(line_of 'calls heated')  " shown && grep -q 'call .*<heated>' shown ||
        fail "no call in main:" "$(cat shown)"
}

# A function that the compiler has split is one function, with a heading for each part. Both parts together have the
# total of the table.
case_parts() {
    need gcc
    need_objdump
    cat >parts.c <<'END'
static volatile unsigned long total;
__attribute__((noinline)) static void spin(unsigned long count)
{
    while (count--)
        total += count;
}
__attribute__((cold, noinline)) static void reported(void) { spin(6000000); total++; }
__attribute__((noinline)) static void served(unsigned long n)
{
    spin(200000);
    if (__builtin_expect(n % 2, 0)) {
        reported();
        total *= n;
        reported();
        total++;
    }
}
int main(void)
{
    for (unsigned long n = 0; n < 40; n++)
        served(n);
    return 0;
}
END
    gcc -O2 -g -fno-ipa-cp -fno-partial-inlining parts.c -o parts || fail "gcc"
    nm parts | grep -q 'served\.cold' || skip "this gcc does not split the function"
    within 60 "$PTPROFIL" -q -F 1000 -o a.pb.gz -- ./parts || fail "status $?"
    report --annotate=served --min=0 a.pb.gz >shown
    [ "$(grep -c '^served in parts: ' shown)" = 1 ] && grep -q '^served: ' shown && grep -q '^served\.cold: ' shown ||
        fail "no heading for each part:" "$(cat shown)"
    near "the total of both parts" "$(sed -n 's/^served in parts: .* in it, \([0-9.]*\) %.*/\1/p' shown)" 99 2
    report --annotate='^served$' a.pb.gz | grep -q '^served\.cold: ' || fail "a pattern selects only one part"
}

# Two functions of one name are told apart by their files, and either one can be chosen.
case_homonyms() {
    need gcc
    two_of_one_name -g
    within 60 "$PTPROFIL" -q -F 1000 -o a.pb.gz -- ./two || fail "status $?"
    report --annotate=helper a.pb.gz >shown
    grep -q '^helper (second.c) in two: ' shown && grep -qE '^also matches: helper \(first.c\) \(' shown || fail "$(cat shown)"
    report --annotate='helper (first.c)' a.pb.gz >shown
    grep -q '^helper (first.c) in two: ' shown && ! grep -q '^also matches' shown || fail "$(cat shown)"
}

# An inlined function is shown by its own lines, within the function that it was inlined into. Other matching functions
# are named.
case_which_function() {
    recorded -g
    report --annotate=shuffled --min=0 a.pb.gz >shown
    grep -q "^'shuffled', inlined in heated of program: " shown || fail "$(cat shown)"
    grep -qE "% +[0-9.]+% +[0-9.]+% +\*?\*? +$(line_of inlined)  " shown || fail "no share of its line:" "$(cat shown)"
    grep -q 'calls it' shown && fail "there are lines of what it is inlined into:" "$(cat shown)"
    report --annotate='^(main|heated)$' a.pb.gz >shown
    [ "$(grep -c ' in program: ' shown)" = 1 ] && grep -qE '^also matches: main \([0-9.]+ % total\)' shown || fail "$(cat shown)"
    report --annotate='^(main|heated)$' -n all a.pb.gz >shown
    [ "$(grep -c ' in program: ' shown)" = 2 ] && ! grep -q '^also matches' shown || fail "$(cat shown)"
    report --annotate=heated -o x.annotate -o x.txt a.pb.gz
    grep -q '^heated in program' x.annotate && ! grep -q 'left out' x.annotate && grep -q total x.txt || fail "$(cat x.annotate)"
}

case_while_recording() {
    recorded -g
    within 30 "$PTPROFIL" -F 1000 --annotate=heated -- ./program 2>err || fail "status $?"
    grep -q '^heated in program' err && ! grep -q 'function  *module' err || fail "$(cat err)"
    local status=0
    within 30 "$PTPROFIL" -F 1000 --annotate=no_such -o none.annotate -- ./program 2>err || status=$?
    [ $status = 1 ] && [ ! -e none.annotate ] || fail "status $status" "$(cat err)"
    grep -q 'fits --annotate=no_such' err && grep -q 'function  *module' err && ! grep -q 'cannot' err || fail "$(cat err)"
}

# If a function cannot be shown as source, the other formats still have it, and no empty file remains for annotate.
case_cannot_be_shown() {
    recorded -g
    mv program gone
    local status=0
    echo old >kept.annotate
    within 30 "$PTPROFIL" report --annotate=heated -o new.annotate -o kept.annotate --format=csv -o table.csv a.pb.gz >out 2>err || status=$?
    [ $status = 125 ] && [ "$(wc -l <err)" = 1 ] && grep -q "annotate: 'heated' cannot be shown" err || fail "status $status" "$(cat err)"
    [ ! -e new.annotate ] && [ "$(cat kept.annotate)" = old ] || fail "$(ls -l)"
    cmp a.csv table.csv || fail "$(ls -l)"
    mv gone program
    status=0
    within 30 "$PTPROFIL" -q -F 1000 --annotate=heated -o new.annotate -o table.folded -- sh -c './program; mv program gone' 2>err || status=$?
    [ $status = 125 ] && [ "$(wc -l <err)" = 1 ] && grep -q "annotate: 'heated' cannot be shown" err || fail "status $status" "$(cat err)"
    [ ! -e new.annotate ] && grep -q heated table.folded || fail "$(ls -l)"
}

case_what_is_missing() {
    need_objdump
    recorded -g
    PATH=/nonexistent "$PTPROFIL" report --annotate=heated a.pb.gz >shown || fail "status $?"
    grep -q '^no instructions: objdump is not in PATH' shown && grep -q '\*\* ' shown && ! grep -q ' div ' shown || fail "$(cat shown)"
    mv source/program.c kept.c
    report --annotate=heated a.pb.gz >shown
    grep -qxF "$PWD/source/program.c: the source is not shown: No such file or directory" shown && grep -q ' div ' shown &&
        grep -qE "^ .*\*\* +[0-9]+  *$" shown || fail "$(cat shown)"
    mkfifo source/program.c
    report --annotate=heated a.pb.gz >shown
    grep -q 'the source is not shown: not a regular file' shown || fail "$(cat shown)"
    rm source/program.c
    ln -s /proc/self/environ source/program.c
    report --annotate=heated a.pb.gz >shown
    grep -q 'the source is not shown: not a regular file' shown || fail "$(cat shown)"
    rm source/program.c
    printf '\033]0;title\a\n%.0s' {1..40} >source/program.c
    touch -d '+1 hour' source/program.c
    report --annotate=heated a.pb.gz >shown
    ! grep -q $'\033' shown && grep -q 'x1b\]0;title' shown || fail "the source speaks to the terminal:" "$(cat -v shown)"
    grep -q 'program.c: changed after the program was made' shown || fail "$(cat shown)"
    mv kept.c source/program.c
    strip program
    within 30 "$PTPROFIL" -q -F 1000 -o b.pb.gz -- ./program || fail "status $?"
    report --annotate='^program\+' b.pb.gz >shown
    grep -q '^no lines of the source' shown && grep -qE '\*\* +[0-9a-f]+  ' shown || fail "$(cat shown)"
}

# If the program's file was replaced after the run, the new file's code is not shown.
long_another_file() {
    recorded -g
    cp program kept
    gcc -O1 -g source/program.c -o program
    refused "'.*/program' is not the file that was profiled \(its build-id is [0-9a-f]*; while recording it was [0-9a-f]*\)" \
        --annotate=heated a.pb.gz
    rm program
    refused "cannot read '.*/program': No such file" --annotate=heated a.pb.gz
    mkfifo program
    refused "'.*/program' is not a regular file" --annotate=heated a.pb.gz
    rm program
    head -c 2000 kept >program
    refused "'.*/program'" --annotate=heated a.pb.gz
    # shellcheck disable=SC2016
    within 30 "$PTPROFIL" -q -F 1000 -o j.pb.gz -- sh -c 'echo $$ >pid; exec "$1" 100' - "$TARGETS/jit" || fail "status $?"
    rm -f "/tmp/perf-$(cat pid).map"
    refused 'the process generated this code while it ran \(JIT\)' --annotate=made_first j.pb.gz
}

case_no_build_id() {
    recorded -g -Wl,--build-id=none
    report --annotate=heated a.pb.gz >shown
    grep -q '^the file has no build-id' shown && grep -q '\*\* ' shown || fail "$(cat shown)"
    gcc -O2 -g -Wl,--build-id=sha1 source/program.c -o program
    refused 'build-id is [0-9a-f]{40}; while recording it was none' --annotate=heated a.pb.gz
}

# in_box NAME COMMAND: runs COMMAND in its own mount namespace, in which box/ has files that nobody else sees, and
# returns when COMMAND has ended. The namespace stays until something is written to hold.NAME.
in_box() {
    local namespaces=(--mount)
    [ "$(id -u)" = 0 ] || namespaces+=(--user --map-root-user)
    mkfifo "hold.$1"
    unshare "${namespaces[@]}" sh -c "mount -t tmpfs none box && { $2; } && echo >ready.$1; read -r end <hold.$1" 2>"err.$1" &
    poll_until 60 test -s "ready.$1" || fail "not ready: $2" "$(cat "err.$1")"
}

# The profiled file exists only in another mount namespace, and later only in a copy of its files. Other namespaces have
# another file at its path.
case_in_a_container() {
    need_objdump
    need unshare mount
    unshare --user --map-root-user --mount true 2>/dev/null || unshare --mount true 2>/dev/null || skip "no mount namespaces here"
    recorded -g
    mkdir box image
    gcc -O2 -g -fdebug-prefix-map="$PWD/source=$PWD/box" "$PWD/source/program.c" -o wanted || fail "gcc"
    in_box fifo 'mkfifo box/program'
    in_box other 'cp program box'
    export PTPROFIL
    # shellcheck disable=SC2016  # expanded there
    in_box wanted 'cp wanted box/program && cp source/program.c box && "$PTPROFIL" -q -F 1000 -o b.pb.gz -- box/program && cp -a box image'
    rm -r source
    report --annotate=heated b.pb.gz >shown
    grep -qxE "read from /proc/[0-9]+/root$PWD/box/program" shown && grep -q ' div ' shown && grep -q '/[*] calls it' shown ||
        fail "not found in the container:" "$(cat shown)"
    echo end >hold.wanted
    poll_until 60 refuses_to_annotate b.pb.gz || fail "it is still found:" "$(cat shown)"
    refused "cannot read '$PWD/box/program': No such file or directory; .* --sysroot=DIR says where" --annotate=heated b.pb.gz
    # Absolute links in the image are resolved inside the image.
    mkdir -p "image$PWD"
    ln -s /box "image$PWD/box"
    report --annotate=heated --sysroot=image/ b.pb.gz >shown
    grep -qxF "read from $PWD/image$PWD/box/program" shown && grep -q ' div ' shown && grep -q '/[*] calls it' shown ||
        fail "not found in the image:" "$(cat shown)"
    echo end >hold.fifo
    echo end >hold.other
}

refuses_to_annotate() {
    ! "$PTPROFIL" report --annotate=heated "$1" >shown 2>&1
}

# Finds programs by their build-id, through links like those in /usr/lib/debug/.build-id.
case_by_build_id() {
    need_objdump
    need readelf
    recorded -g
    local id
    id=$(readelf -n program | sed -n 's/.*Build ID: //p')
    mkdir -p "image/usr/lib/debug/.build-id/${id:0:2}" "image/usr/lib/.build-id" image/bin
    cp program image/bin
    ln -s /bin/program "image/usr/lib/debug/.build-id/${id:0:2}/${id:2}"
    report --annotate=heated --sysroot=image a.pb.gz >shown
    grep -qxF "read from $PWD/image/usr/lib/debug/.build-id/${id:0:2}/${id:2}" shown && grep -q ' div ' shown || fail "$(cat shown)"
    mv image/usr/lib/debug/.build-id/* image/usr/lib/.build-id
    report --annotate=heated --sysroot=image a.pb.gz >shown
    grep -qxF "read from $PWD/image/usr/lib/.build-id/${id:0:2}/${id:2}" shown || fail "$(cat shown)"
    gcc -O1 -g source/program.c -o image/bin/program
    refused "'$PWD/image/.*' is not the file|cannot read '$PWD/image$PWD/program': No such file" --annotate=heated --sysroot=image a.pb.gz
    refused "--sysroot: 'none' is not a directory" --annotate=heated --sysroot=none a.pb.gz
    refused '--sysroot needs --annotate=FUNCTION' --sysroot=image a.pb.gz
}

# Files that another user's program names (its source, its debug file, its map of generated code) are read with that
# user's rights, not with root's. So are files that this user's stored profile names.
case_of_another_user() {
    need_root
    need gcc objcopy
    local pid mode
    chmod 711 "$scratch"
    mkdir own
    cat >own/secret.c <<'END'
#include <time.h>
int main(void)
{
    volatile unsigned long n = 0;
    while (clock() < 4 * (CLOCKS_PER_SEC / 10)) n++; /* SECRET */
}
END
    gcc -O1 -g "$PWD/own/secret.c" -o program && objcopy --only-keep-debug program program.debug &&
        objcopy --strip-all --add-gnu-debuglink=program.debug program stripped || fail "gcc"
    for mode in 644 600; do
        chmod $mode own/secret.c program.debug
        chown 0:0 program
        within 30 "$PTPROFIL" -q -F 500 --annotate=main -o a.annotate -- "${as_nobody[@]}" ./program >/dev/null || fail "status $?"
        "${as_nobody[@]}" "$PTPROFIL" -q -F 500 -o stored$mode.pb.gz -- ./program || fail "status $?"
        within 30 "$PTPROFIL" report stored$mode.pb.gz --annotate=main -o b.annotate || fail "status $?"
        within 30 "$PTPROFIL" -q -F 500 -o c.folded -- "${as_nobody[@]}" ./stripped || fail "status $?"
        chown $nobody program # the owner's rights count, whoever runs it
        within 30 "$PTPROFIL" -q -F 500 --annotate=main -o d.annotate -- ./program >/dev/null || fail "status $?"
        if [ $mode = 644 ]; then
            grep -q SECRET a.annotate && grep -q SECRET b.annotate && grep -q SECRET d.annotate ||
                fail "the source is not shown" "$(cat [abd].annotate)"
            [ "$(matching_weight c.folded ';main')" -gt 0 ] || fail "no debug file" "$(cat c.folded)"
        else
            ! grep SECRET a.annotate b.annotate d.annotate || fail "the source is shown"
            [ "$(matching_weight c.folded ';main')" = 0 ] || fail "the debug file is read" "$(cat c.folded)"
        fi
    done
}

# A map of generated code is a link to a file that the process's user may not read.
case_map_of_another_user() {
    need_root
    need setpriv
    local pid
    "${as_nobody[@]}" "$TARGETS/jit" 60000 >/dev/null &
    pid=$!
    poll_until 10 test -s /tmp/perf-$pid.map || fail "no map"
    sed "s/^\\([^ ]* [^ ]*\\) /\\1 SECRET/" /tmp/perf-$pid.map >secret.map
    rm -f /tmp/perf-$pid.map
    ln secret.map /tmp/perf-$pid.map 2>/dev/null || { kill $pid; skip "/tmp is elsewhere"; }
    chmod 644 secret.map
    profile_its_work $pid 200 "$PTPROFIL" -q -F 500 -o a.folded -p $pid
    chmod 600 secret.map
    profile_its_work $pid 200 "$PTPROFIL" -q -F 500 -o b.folded -p $pid
    rm -f /tmp/perf-$pid.map
    kill $pid
    grep -q SECRET a.folded || fail "root's map is not read" "$(cat a.folded)"
    ! grep SECRET b.folded || fail "the map is read"
}

measures='the_hot_line'
run_cases "$@"

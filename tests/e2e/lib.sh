# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Library of the end-to-end tests; each test script sources it. A case is a function of the script. It is named
# case_SOMETHING, or long_SOMETHING if it takes too long for each `make check`. A script ends with run_cases "$@", which
# runs each case in a subshell and in its own directory, and then ends all processes that the case left. Without
# arguments, all case_ functions run; with arguments, only the named cases (launch.sh gzip xz).
#
# A script fails if a case fails, and is skipped (status 77) if all of its cases are skipped. A case runs again if a
# measured number is off (off, near, expect_share). A case that runs for half an hour is taken to hang: it fails, and
# the log shows its processes.
#
# Scripts run in parallel (make -j check). Cases that measure, or that put a heavy load on the machine, run alone. A
# script lists such cases in the variable measures before it calls run_cases: SOMETHING for both functions of that name,
# or long_SOMETHING for one; measures=yes means all cases. They run after the other cases of the script, while no case of
# another script runs. The listed cases are skipped with a sanitized ptprofil, because its measurements mean nothing.
#
# PTPROFIL_TEST_ALONE=later: leaves out the cases that run alone, which alone.sh runs with PTPROFIL_TEST_ALONE=only, after
# all other scripts. A script that is run by itself has all of its cases.
# PTPROFIL, TARGETS: the program, and the folder of the programs to profile, if they are not in the build tree.
# PTPROFIL_TEST_SKIP_E2E=1: skips all scripts.
# PTPROFIL_TEST_LONG=1: runs only the long_ functions (make check-long). A long_ function with the same name as a case_
# function has the slow part of that case. PTPROFIL_TEST_LONG=too: runs all functions; the names of
# long_ functions then begin with long_.
# PTPROFIL_TEST_FULL=1: as many repetitions and samples as the strict bounds need. Without it, a quick run has fewer.
# PTPROFIL_TEST_AGAIN=1: a case that fails runs once more. If it passes then, it is "unstable", and its script does not
# fail. For CI, where one case of thousands that fails by chance must not hold back a change.
# PTPROFIL_TEST_SLOW=N: the machine is N times as slow, as an emulated one is. Time limits are N times as long, and
# numbers that are off are not excused by stalls of the CPUs.

set -u
# A shell cannot reset signals that were ignored when it began (by nohup, or in a script's background), and its children
# ignore them, too. So bash is started again with their default actions.
[ -z "$(trap -p HUP INT QUIT)" ] || exec env --default-signal=HUP,INT,QUIT bash "$0" "$@"
export LC_ALL=C.UTF-8
turns=${PTPROFIL_TEST_ALONE:-}
second_tries=${PTPROFIL_TEST_AGAIN:-}
unset PTPROFIL_TEST_ALONE PTPROFIL_TEST_AGAIN PTPROFIL_OPTIONS DEBUGINFOD_URLS MAKEFLAGS MFLAGS MAKELEVEL

script_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source_dir=$(cd "$script_dir/../.." && pwd)
full=${PTPROFIL_TEST_FULL:-}
slow=${PTPROFIL_TEST_SLOW:-1}
off_status=75

find_built() { # find_built FILE: its absolute path, in the tree that this runs in or else in build/
    local tree
    for tree in . "${top_builddir:-.}" "$source_dir/build"; do
        if [ -e "$tree/$1" ]; then
            (cd "$(dirname "$tree/$1")" && printf '%s/%s\n' "$(pwd)" "$(basename "$1")")
            return
        fi
    done
    return 1
}

[ -z "${PTPROFIL_TEST_SKIP_E2E:-}" ] || { echo "SKIP: PTPROFIL_TEST_SKIP_E2E is set"; exit 77; }
PTPROFIL=${PTPROFIL:-$(find_built ptprofil)} || { echo "SKIP: no ptprofil has been built"; exit 77; }
TARGETS=${TARGETS:-$(find_built tests/targets/mix)} || { echo "SKIP: no targets have been built: make check"; exit 77; }
[ -d "$TARGETS" ] || TARGETS=$(dirname "$TARGETS")
case $PTPROFIL in /*) ;; *) PTPROFIL=$(pwd)/$PTPROFIL ;; esac
case $TARGETS in /*) ;; *) TARGETS=$(pwd)/$TARGETS ;; esac

scratch=$(mktemp -d "${TMPDIR:-/tmp}/ptprofil-test.XXXXXX") || exit 99
lock_file=${TMPDIR:-/tmp}/ptprofil-test-$(id -u).lock
exec 9>"$lock_file"
mkfifo "$scratch/never" || exit 99 # nobody writes to it, see nap
ticks_per_second=$(getconf CLK_TCK)

fail() {
    printf '  %s\n' "$@" | cut -c 1-400
    exit 1
}

# off MESSAGE...: ends the case because a measured number is wrong. The cause can be chance or the machine, so run_case
# tries again.
off() {
    printf '  %s\n' "$@" | cut -c 1-400
    exit $off_status
}

skip() {
    printf '  skipped: %s\n' "$@"
    exit 77
}

# A sanitized program needs more address space than some of the tests' limits allow.
is_sanitized() {
    grep -q -a __asan_init "$PTPROFIL"
}

if is_sanitized; then
    export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}disable_coredump=0 # otherwise, CMD would inherit a limit of 0
fi

need() { # need COMMAND...
    local tool
    for tool; do
        command -v "$tool" >/dev/null 2>&1 || skip "no $tool here"
    done
}

# Skips the whole script if ptprofil cannot read stored profiles, or cannot unpack them.
need_stored_profiles() {
    local missing
    missing=$({ printf '\037\213' | "$PTPROFIL" report -; "$PTPROFIL" report /dev/null; } 2>&1 | grep -o -m 1 'built without [a-z-]*')
    [ -z "$missing" ] || { echo "SKIP: $missing"; exit 77; }
}

# For cases that open a terminal with script(1). Where only /proc is mounted, no terminal can be opened.
need_terminal() {
    need script
    script -qec true /dev/null >/dev/null 2>&1 </dev/null || skip "no terminal here"
}

report() {
    within 30 "$PTPROFIL" report "$@" || fail "status $?: report $*"
}

# two_of_one_name OPTION...: compiles ./two with OPTIONs of gcc. first.c and second.c have a function helper each, and the
# second one gets three quarters of the time.
two_of_one_name() {
    local file
    mkdir -p source
    for file in first second; do
        cat >source/$file.c <<END
static volatile unsigned long total;
#ifndef INLINE
#define INLINE __attribute__((noinline))
#endif
static INLINE void helper(unsigned long count)
{
    while (count--)
        total += count;
}
__attribute__((noinline)) void $file(unsigned long count)
{
    helper(count);
    total++;
}
END
    done
    cat >source/main.c <<'END'
void first(unsigned long), second(unsigned long);
int main(void)
{
    for (int i = 0; i < 200; i++)
        first(ROUNDS), second(3 * ROUNDS);
    return 0;
}
END
    gcc -O1 -DROUNDS=250000 "$@" -o two source/main.c source/first.c source/second.c || fail "gcc"
}

nobody=65534
as_nobody=(setpriv --reuid=$nobody --regid=$nobody --clear-groups)

# For cases where root runs commands as another user in the case's directory.
need_root() {
    [ "$(id -u)" = 0 ] || skip "needs root"
    need setpriv
    chmod 777 . && "${as_nobody[@]}" test -x "$PTPROFIL" -a -w . || skip "another user cannot come here"
}

# Factor for time limits, which exist only to end cases that hang. The limits are chosen for an idle machine; a busy one
# may take this many times as long.
patience=$((10 * slow))

# nap SECONDS: like sleep, but without a process. The COMMAND of poll_until should not start processes either, so that
# the waiting shell takes no CPU time from the programs that it waits for.
nap() {
    read -r -t "$1" <>"$scratch/never" || :
}

# poll_until SECONDS COMMAND...: runs COMMAND again and again until it succeeds. Returns 1 if SECONDS pass first.
poll_until() {
    local end=$((${EPOCHREALTIME/./} + $1 * patience * 1000000))
    shift
    until "$@"; do
        [ "${EPOCHREALTIME/./}" -lt "$end" ] || return 1
        nap 0.02
    done
}

# within SECONDS COMMAND...: runs COMMAND, and kills it if it takes longer than SECONDS. Returns its status, or 124 if
# it was killed. COMMAND runs in this shell's process group, like any command in a script.
within() {
    local seconds=$1 pid status=0
    shift
    "$@" <&0 &
    pid=$!
    if ! poll_until "$seconds" is_gone_or_zombie "$pid"; then
        echo "  took longer than $((seconds * patience)) seconds: $*" >&2
        show_family "$pid" >&2
        kill -KILL "$pid" 2>/dev/null
        wait "$pid" 2>/dev/null
        return 124
    fi
    wait "$pid" || status=$?
    return "$status"
}

read_state() { # read_state PID: sets state to the letter of its state, empty if it is gone
    local text
    state=
    { read -r text <"/proc/$1/stat"; } 2>/dev/null || return 0
    text=${text##*) }
    state=${text%% *}
}

state_of() { # state_of PID: prints it
    local state
    read_state "$1"
    printf '%s\n' "$state"
}

is_gone() {
    [ ! -e "/proc/$1" ]
}

is_gone_or_zombie() {
    local state
    read_state "$1"
    case $state in '' | Z | X) return 0 ;; esac
    return 1
}

# has_execed PID: whether the background process runs its program. Before the exec it is a copy of this shell.
has_execed() {
    [ ! "/proc/$1/exe" -ef "/proc/$$/exe" ]
}

is_asleep() {
    local state
    read_state "$1"
    [ "$state" = S ]
}

used_ms() { # used_ms PID: the CPU time of all of its threads
    local text
    { read -r text <"/proc/$1/stat"; } 2>/dev/null || text=') '
    # shellcheck disable=SC2086  # words
    set -- ${text##*) }
    echo $(((${12:-0} + ${13:-0}) * 1000 / ticks_per_second))
}

has_used_ms() { # has_used_ms PID MS
    [ "$(used_ms "$1")" -ge "$2" ]
}

# works PID MS: waits until the process has used MS more milliseconds of CPU time.
works() {
    poll_until 20 has_used_ms "$1" $(($(used_ms "$1") + $2)) || fail "process $1 does not work" "$(show_family "$1")"
}

is_traced() {
    ! is_untraced "$1"
}

# profile_its_work PID MS COMMAND...: COMMAND runs ptprofil, which attaches to PID. SIGTERM ends it after PID has used
# MS more milliseconds of CPU time, which may take long on a busy machine.
profile_its_work() {
    local target=$1 ms=$2 front status=0
    shift 2
    "$@" 2>profile.err &
    front=$!
    poll_until 20 is_traced_or_over "$target" "$front" || fail "it is not traced: $*" "$(cat profile.err)"
    is_gone_or_zombie "$front" || works "$target" "$ms"
    kill -TERM "$front" 2>/dev/null
    poll_until 30 is_gone_or_zombie "$front" || fail "it does not end: $*" "$(show_family "$front")"
    wait "$front" || status=$?
    [ $status = 0 ] || fail "status $status: $*" "$(cat profile.err)"
}

is_traced_or_over() { # is_traced_or_over PID FRONT
    is_traced "$1" || is_gone_or_zombie "$2"
}

# is_stopped PID: whether job control stopped the process. For a traced process, the letter t in /proc means either this
# or a short stop for the tracer.
is_stopped() {
    local state
    read_state "$1"
    case $state in T) return 0 ;; t) stays_in_t "$1" ;; *) return 1 ;; esac
}

stays_in_t() {
    local i state
    for i in 1 2 3 4 5; do
        nap 0.01
        read_state "$1"
        [ "$state" = t ] || return 1
    done
}

status_field() { # status_field PID NAME
    sed -n "s/^$2:[[:space:]]*//p" "/proc/$1/status" 2>/dev/null
}

is_untraced() {
    local lines
    { mapfile -t lines <"/proc/$1/status"; } 2>/dev/null && [[ " ${lines[*]} " == *" TracerPid:"$'\t'"0 "* ]]
}

show_family() { # show_family PID: it and all below it, for the log
    local pid
    for pid in "$1" $(pgrep -P "$1"); do
        printf '  %s %s state %s tracer %s waits in %s\n' "$pid" "$(cat "/proc/$pid/comm" 2>/dev/null)" \
            "$(state_of "$pid")" "$(status_field "$pid" TracerPid)" "$(cat "/proc/$pid/wchan" 2>/dev/null)"
        [ "$pid" = "$1" ] || show_family "$pid" | tail -n +2
    done
}

# tracer_of PID, command_of PID: print the pids of the tracer and of CMD. PID is ptprofil's front process.
tracer_of() {
    pgrep -P "$1" -x pt-tracer
}

command_of() {
    pgrep -P "$1" | while read -r pid; do
        case $(cat "/proc/$pid/comm" 2>/dev/null) in pt-*) ;; *) echo "$pid" ;; esac
    done
}

# tells_death STATUS: succeeds if ptprofil's status is 125 and its messages, in the file err, say that the tracer was killed,
# or if its status is 0 and they do not: the tracer had ended before, or was told to end.
tells_death() {
    if grep -q 'ended early: the tracer was killed' err; then [ "$1" = 125 ]; else [ "$1" = 0 ]; fi
}

# reader_of FRONT: the process that parses files. Its parent is the relay.
reader_of() {
    pgrep -P "$(pgrep -P "$1" -x pt-names)" -x pt-reader 2>/dev/null
}

# is_filtered PID: has it more filters than this shell? The front and the reader have one each.
is_filtered() {
    [ "$(status_field "$1" Seccomp_filters)" -gt "$(status_field $$ Seccomp_filters)" ] &&
        [ "$(status_field "$1" NoNewPrivs)" = 1 ]
}

# The filter comes last.
has_confined_reader() {
    local reader
    reader=$(reader_of "$1") && is_filtered "$reader"
}

# same_as_alone COMMAND...: runs COMMAND alone and under ptprofil, and fails unless status, output and errors are equal.
# Standard input is the file "in", if it exists. SAME_TIMEOUT: seconds (default 30); SAME_OPTIONS: more options of
# ptprofil.
same_as_alone() {
    local input=/dev/null alone=0 profiled=0
    [ ! -e in ] || input=$PWD/in
    "$@" <"$input" >alone.out 2>alone.err || alone=$?
    # shellcheck disable=SC2086  # options are words
    within "${SAME_TIMEOUT:-30}" "$PTPROFIL" -q ${SAME_OPTIONS:-} -o profile.folded -- "$@" \
        <"$input" >profiled.out 2>profiled.err || profiled=$?
    [ "$alone" = "$profiled" ] || fail "status $alone alone and $profiled under ptprofil: $*" "$(tail -n 5 profiled.err)"
    cmp alone.out profiled.out || fail "other output than alone: $*"
    cmp alone.err profiled.err || fail "other errors than alone: $*" "$(diff alone.err profiled.err | head -n 10)"
    [ -s profile.folded ] || fail "no profile was written: $*"
}

# Folded stacks are lines "FRAME;FRAME MICROSECONDS". The first frame is the process. If the last frame is in brackets,
# it is a system call.
total_of() { # total_of FILE: sum of the weights
    awk '{ sum += $NF } END { printf "%d\n", sum }' "$1"
}

# weight_of FILE NAME: sum of the stacks with the leaf function NAME, in user code or in a system call that NAME made.
weight_of() {
    awk -v name="$2" '
        {
            weight = $NF
            sub(/ [0-9]+$/, "")
            if ($0 !~ /;\[(unsampled|no samples)\]$/)
                sub(/;\[[a-z_0-9 ]+\]$/, "")
            n = split($0, frame, ";")
            if (n > 1 && frame[n] == name)
                sum += weight
        }
        END { printf "%d\n", sum }' "$1"
}

last_frame_weight() { # last_frame_weight FILE NAME: of the stacks whose last frame of any kind is NAME
    awk -v name="$2" '{ w = $NF; sub(/ [0-9]+$/, ""); n = split($0, f, ";"); if (f[n] == name) sum += w }
        END { printf "%d\n", sum }' "$1"
}

process_weight() { # process_weight FILE COMM: of all that a process of that name did
    awk -v name="$2" '{ w = $NF; split($0, f, ";"); if (f[1] == name) sum += w } END { printf "%d\n", sum }' "$1"
}

matching_weight() { # matching_weight FILE REGEX: of the stacks that match
    pattern=$2 awk '{ w = $NF; sub(/ [0-9]+$/, ""); if ($0 ~ ENVIRON["pattern"]) sum += w }
        END { printf "%d\n", sum }' "$1"
}

# expect_share FILE NAME PERCENT: NAME must be the leaf function of at least PERCENT of the time.
expect_share() {
    local weight total
    weight=$(weight_of "$1" "$2")
    total=$(total_of "$1")
    [ $((weight * 100)) -ge $(($3 * total)) ] && [ "$weight" -gt 0 ] ||
        off "$2 has $weight of $total us, not $3 %:" "$(sort -t' ' -k1 "$1" | head -n 30)"
}

expect_absent() { # expect_absent FILE REGEX
    ! grep -E "$2" "$1" || fail "must not be in the profile: $2"
}

percent() { # percent PART WHOLE
    awk -v part="$1" -v whole="$2" 'BEGIN { printf "%.4f\n", whole ? 100 * part / whole : 0 }'
}

truth_of() { # truth_of FILE NAME: what the target measured
    awk -v name="$2" '$1 == name { print $2 }' "$1"
}

# The last line of ptprofil -v is "calls: N served, N ticks, code changed at N places". It is missing if all are 0.
count_of() { # count_of FILE served|ticks|planted
    sed -n "s/^ptprofil: calls: \([0-9]*\) served, \([0-9]*\) ticks, code changed at \([0-9]*\) places\$/\1 \2 \3/p" "$1" |
        awk -v what="$2" '{ n = what == "served" ? $1 : what == "ticks" ? $2 : $3 } END { print n + 0 }'
}

# near WHAT SEEN EXPECTED TOLERANCE: SEEN may differ from EXPECTED by TOLERANCE. The numbers may have any form that awk
# reads. Prints all of them.
near() {
    awk -v what="$1" -v seen="$2" -v expected="$3" -v tolerance="$4" 'BEGIN {
        off = seen - expected
        printf "  %s: %.2f, truth %.2f, off by %+.2f, allowed %.2f\n", what, seen, expected, off, tolerance
        exit !(off <= tolerance && -off <= tolerance)
    }' || off "$1 is too far off"
}

# end_leftovers DIRECTORY: kills processes that a case left: all with a working directory in DIRECTORY or below it.
end_leftovers() {
    local pid
    find /proc/[0-9]*/cwd -maxdepth 0 \( -lname "$1" -o -lname "$1/*" -o -lname "$1 (deleted)" \) 2>/dev/null |
        while read -r pid; do
        pid=${pid//[!0-9]/}
        [ "$pid" = $$ ] || kill -KILL "$pid" 2>/dev/null
    done
}

finish() {
    [ -z "${stalls_pid:-}" ] || kill -KILL "$stalls_pid" 2>/dev/null
    end_watcher
    end_leftovers "$scratch"
    chmod -R u+rwx "$scratch" 2>/dev/null
    rm -rf "$scratch"
}

# Starts to watch the machine. On a virtual machine, other guests can take CPU time away and spoil a measurement. The
# program stalls logs long interruptions; /proc/stat counts short ones as stolen time.
watch_machine() {
    : >"$scratch/stalls"
    [ "$slow" = 1 ] || return 0
    setsid "$TARGETS/stalls" "$scratch/stalls" 9>&- >/dev/null 2>&1 </dev/null &
    stalls_pid=$!
    disown $stalls_pid # bash must not report its end
}

stolen_ms() {
    local fields
    read -r -a fields </proc/stat
    echo $((fields[8] * 1000 / ticks_per_second))
}

stalls_told() {
    local lines
    mapfile -t lines <"$scratch/stalls"
    echo ${#lines[@]}
}

# machine_trouble BEGAN_MS STOLEN_MS STALLS: prints how long CPUs were missing since BEGAN_MS. STOLEN_MS and STALLS are
# the values of stolen_ms and stalls_told at that time. Succeeds if the interruptions were enough to spoil a
# measurement.
machine_trouble() {
    local gone took stolen
    gone=$(tail -n "+$(($3 + 1))" "$scratch/stalls" | awk '{ sum += $2 } END { print sum + 0 }')
    took=$((${EPOCHREALTIME/./} / 1000 - $1))
    stolen=$(($(stolen_ms) - $2))
    echo "in $took ms CPUs were gone for $gone ms, and $stolen ms stolen"
    [ "$gone" -ge 50 ] || [ $((stolen * 100)) -ge $((took * $(nproc) * 5)) ]
}

function_of() { # function_of NAME: prints the name of the case's function
    local kind=case other=long
    [ "${PTPROFIL_TEST_LONG:-}" != 1 ] || kind=long other=case
    case $1 in long_*) ! declare -F "$1" || return 0 ;; esac
    if declare -F "${kind}_$1" >/dev/null; then echo "${kind}_$1"; else echo "${other}_$1"; fi
}

# again NAME...: runs these cases again, as a part of a long_ case, which makes them repeat more often.
again() {
    local name status
    for name; do
        status=0
        echo "  $name"
        mkdir -p "$name"
        (cd "$name" && "case_$name") || status=$?
        [ $status = 0 ] || [ $status = 77 ] || exit $status
    done
}

# end_what_hangs NAME: waits for half an hour; then the case is taken to hang. Logs its processes, and kills them.
end_what_hangs() {
    exec 9>&-
    trap - EXIT TERM INT HUP
    nap $((1800 * slow))
    {
        echo "  hangs:"
        show_family "$(cat "$scratch/case")"
    } >>"$scratch/log" 2>&1
    kill -KILL "$(cat "$scratch/case")"
    end_leftovers "$scratch/$1"
}

end_watcher() {
    [ -z "${watcher_pid:-}" ] || kill -KILL "$watcher_pid" 2>/dev/null
    watcher_pid=
}

attempt_case() { # attempt_case NAME: once, in a directory of its own; its output is added to the log
    local status=0
    mkdir -p "$scratch/$1"
    if [ -z "$full" ]; then
        end_what_hangs "$1" >/dev/null 2>&1 </dev/null &
        watcher_pid=$!
        disown $watcher_pid
    fi
    (
        exec 9>&-
        echo $BASHPID >"$scratch/case"
        cd "$scratch/$1" || exit 99
        function=$(function_of "$1")
        if [ "${PTPROFIL_TEST_LONG:-}" = too ]; then # for the scripts that it runs
            case $function in long_*) PTPROFIL_TEST_LONG=1 ;; *) PTPROFIL_TEST_LONG= ;; esac
        fi
        "$function"
    ) >>"$scratch/log" 2>&1 </dev/null || status=$?
    end_watcher
    end_leftovers "$scratch/$1"
    return $status
}

# run_case NAME: tries the case up to three times while its numbers are off. Skips it if all three attempts were off and
# the machine had trouble during each of them. The log has all attempts.
run_case() {
    local attempt status troubles=0 watched trouble
    : >"$scratch/log"
    if is_sanitized && is_named "$1"; then
        echo "  skipped: it measures, and this ptprofil is sanitized" >"$scratch/log"
        return 77
    fi
    for attempt in 1 2 3; do
        watched="$((${EPOCHREALTIME/./} / 1000)) $(stolen_ms) $(stalls_told)"
        status=0
        attempt_case "$1" || status=$?
        [ $status = $off_status ] || return $status
        # shellcheck disable=SC2086  # three numbers
        trouble=$(machine_trouble $watched) && troubles=$((troubles + 1))
        echo "  attempt $attempt: off; $trouble" >>"$scratch/log"
        rm -rf "${scratch:?}/$1"
    done
    [ $troubles = 3 ] && [ "$slow" = 1 ] || return 1
    echo "  skipped: the machine is too busy to measure" >>"$scratch/log"
    return 77
}

is_named() { # is_named NAME: in measures
    local all=${measures:-}
    case " ${all//$'\n'/ } " in *" ${1#long_} "* | *" $(function_of "$1") "*) return 0 ;; *) return 1 ;; esac
}

# A name in measures that is not the name of a case would leave that case among others.
check_measures() {
    local name
    for name in ${measures:-}; do
        [ "$name" = yes ] || declare -F "case_$name" || declare -F "long_$name" || declare -F "$name" ||
            { echo "measures: no case $name" >&2; exit 99; }
    done >/dev/null
}

# run_again NAME: runs a case that failed once more; the log has both.
run_again() {
    local status=0
    mv "$scratch/log" "$scratch/log.first"
    rm -rf "${scratch:?}/$1"
    run_case "$1" || status=$?
    { cat "$scratch/log.first" && echo "  once more:" && cat "$scratch/log"; } >"$scratch/log.both"
    mv "$scratch/log.both" "$scratch/log"
    return $status
}

runs_alone() { # runs_alone NAME
    is_named yes || is_named "$1"
}

in_turn() { # in_turn NAME...: prints the names, with the cases that run alone at the end
    local name alone=
    for name; do
        if runs_alone "$name"; then
            alone="$alone $name"
        elif [ "$turns" != only ]; then
            echo "$name"
        fi
    done
    [ "$turns" = later ] || printf '%s\n' "$alone"
}

# wait_for_turn NAME: waits until the case may run, alone or beside others. A shell that waits to be alone gives up its
# shared lock first, so that others can run in that time. A shell that is alone stays alone for its next such case.
wait_for_turn() {
    local lock=--shared
    ! runs_alone "$1" || lock=--exclusive
    [ "$lock:${held_lock:-}" != --exclusive:--exclusive ] || return 0
    flock -u 9
    flock $lock -w $((7200 * slow)) 9 || echo "others measure at the same time"
    held_lock=$lock
}

# cpu_ms: prints the CPU time of all child processes of this shell that ended and were waited for.
cpu_ms() {
    local fields
    read -r -a fields <"/proc/$$/stat"
    echo $(((fields[15] + fields[16]) * 1000 / ticks_per_second))
}

run_cases() {
    local name status began used passed=0 failed=0 skipped=0 unstable=0
    trap finish EXIT
    trap 'exit 143' TERM INT HUP
    check_measures
    watch_machine

    local cases all names='s/^declare -f case_//p'
    case ${PTPROFIL_TEST_LONG:-} in
    too) names="$names; s/^declare -f long_/long_/p" ;;
    ?*) names='s/^declare -f long_//p' ;;
    esac
    all=$(declare -F | sed -n "$names")
    # shellcheck disable=SC2086  # names are words
    cases=$(in_turn $all)
    [ $# = 0 ] || cases=$*
    if [ -z "$cases" ] && [ -n "$all" ]; then
        [ "$turns" = later ] || { echo "SKIP: none of these cases runs alone"; exit 77; }
        echo "alone.sh runs these cases"
        exit 0
    fi
    [ -n "$cases" ] || { echo "SKIP: all that is here takes long: make check-long"; exit 77; }
    for name in $cases; do
        wait_for_turn "$name"
        began=${EPOCHREALTIME/./}
        used=$(cpu_ms)
        status=0
        run_case "$name" || status=$?
        case $status in
        0) passed=$((passed + 1)) result=ok ;;
        77) skipped=$((skipped + 1)) result=skip ;;
        *)
            if [ "$second_tries" ] && run_again "$name"; then
                unstable=$((unstable + 1)) result=unstable
            else
                failed=$((failed + 1)) result=FAIL
            fi
            ;;
        esac
        printf '%s %s (%d ms, %d of CPU time)\n' "$result" "$name" $(((${EPOCHREALTIME/./} - began) / 1000)) $(($(cpu_ms) - used))
        cat "$scratch/log"
    done
    printf '%d ok, %d failed, %d skipped%s\n' $passed $failed $skipped "$([ $unstable = 0 ] || echo ", $unstable unstable")"
    [ $failed = 0 ] || exit 1
    [ $((passed + unstable)) != 0 ] || exit 77
    exit 0
}

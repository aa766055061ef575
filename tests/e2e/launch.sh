#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Starting a command: its output and status are the same as without ptprofil.

. "$(dirname "$0")/lib.sh"

case_status() {
    for status in 0 1 7 124 125 126 127 255; do
        same_as_alone sh -c "echo out; echo err >&2; exit $status"
    done
}

case_static() {
    SAME_OPTIONS='-F 1000' same_as_alone "$TARGETS/names_static" plain 100
    expect_share profile.folded named_work 70
}

case_threaded() {
    SAME_OPTIONS='-F 1000' same_as_alone "$TARGETS/mix" -t 3 -s 0.3
    expect_share profile.folded spin_half 25
}

case_brief() {
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        same_as_alone true
    done
    same_as_alone false
}

# If a signal kills the command, ptprofil dies of the same signal.
case_signals() {
    for signal in TERM KILL INT HUP PIPE USR1 ABRT SEGV ALRM; do
        # shellcheck disable=SC2016
        "$TARGETS/status" alone sh -c 'ulimit -c 0; kill -$1 $$; sleep 5' - $signal
        # shellcheck disable=SC2016
        "$TARGETS/status" profiled "$PTPROFIL" -q -o profile.folded -- sh -c 'ulimit -c 0; kill -$1 $$; sleep 5' - $signal
        cmp alone profiled || fail "SIG$signal: $(cat alone) alone, $(cat profiled) under ptprofil"
        [ -s profile.folded ] || fail "SIG$signal: no profile"
    done
}

case_timeout() {
    local status=0
    timeout 2 "$PTPROFIL" -q -o profile.folded -- sh -c 'echo $$ >pid; exec sleep 600' || status=$?
    [ $status = 124 ] || fail "status $status"
    [ ! -s pid ] || poll_until 2 is_gone "$(cat pid)" || fail "sleep lives on"
}

case_record_word() {
    local status=0
    within 20 "$PTPROFIL" record -q -o profile.folded -- sh -c 'echo x; exit 3' >out || status=$?
    [ $status = 3 ] && [ "$(cat out)" = x ] || fail "status $status"
    [ -s profile.folded ] || fail "no profile"
}

# As with env, nice and strace, the first word that is not an option begins the command, and the following words belong
# to it.
case_without_dashes() {
    local status=0
    within 20 "$PTPROFIL" -q -o profile.folded sh -c 'echo "$0 $*"; exit 3' -F -q --help -- x >out || status=$?
    [ $status = 3 ] && [ "$(cat out)" = '-F -q --help -- x' ] || fail "status $status:" "$(cat out)"
    [ -s profile.folded ] || fail "no profile"
    printf '#!/bin/sh\necho found\n' >report
    chmod +x report
    within 20 "$PTPROFIL" -q ./report >out || fail "status $?"
    [ "$(cat out)" = found ] || fail "$(cat out)"
    PATH=$PWD:$PATH within 20 "$PTPROFIL" -q -- report >out || fail "status $?"
    [ "$(cat out)" = found ] || fail "$(cat out)"
    status=0
    PATH=$PWD:$PATH within 20 "$PTPROFIL" report >out 2>err || status=$?
    [ $status = 125 ] && grep -q 'no profile to show' err || fail "the command, and not ptprofil's own:" "$(cat out err)"
}

# Filters apply to every output.
case_filters() {
    local run='"$TARGETS/steady" -s 0.3 & "$TARGETS/mix" -s 0.3; wait'
    export TARGETS
    within 30 "$PTPROFIL" -F 1000 --comm='stea*' -o profile.folded -o profile.json sh -c "$run" 2>err || fail "status $?: $(cat err)"
    [ "$(process_weight profile.folded steady)" -gt 1000 ] || off "$(cat profile.folded)"
    expect_absent profile.folded '^(mix|sh)'
    grep -q -e '--comm.*stea' profile.json || fail "the filter is not in the file:" "$(head -c 600 profile.json)"
    within 30 "$PTPROFIL" -q -F 1000 --focus='^spin_half$' --module='mi*' -o profile.folded sh -c "$run" || fail "status $?"
    [ "$(process_weight profile.folded mix)" -gt 1000 ] || off "$(cat profile.folded)"
    [ "$(matching_weight profile.folded spin_half)" = "$(total_of profile.folded)" ] || fail "$(cat profile.folded)"
}

# A run may be unrepeatable. If nothing in its profile fits the options, a message and the status say so, and the whole
# profile is written.
case_filters_that_find_nothing() {
    local option status
    for option in '--focus=^no_such_function$' --comm=nosuch --between=start..stop --between=100h..; do
        rm -f profile.folded profile.txt
        status=0
        within 30 "$PTPROFIL" -q "$option" -o profile.folded -o profile.txt --fail-if='spin_half>100%' "$TARGETS/mix" -s 0.3 2>err || status=$?
        case $option in
        *start*)
            [ $status = 125 ] && grep -q "'start' is neither a time nor the text of a mark; the whole profile is written" err
            ;;
        *) [ $status = 2 ] && grep -qF "nothing in the profile fits $option; the whole profile is written" err ;;
        esac || fail "status $status: $option" "$(cat err)"
        [ "$(wc -l <err)" = 1 ] || fail "$(cat err)"
        grep -q 'spin_half' profile.folded && grep -q 'spin_half' profile.txt || fail "$option:" "$(cat profile.folded)"
        ! grep -qe "$option" profile.txt || fail "the whole profile has the filter in its head: $(cat profile.txt)"
    done
    status=0
    within 30 "$PTPROFIL" -q --comm=nosuch -o profile.folded sh -c 'exit 3' 2>err || status=$?
    [ $status = 3 ] || fail "status $status, not the command's" "$(cat err)"
}

# Options after the command belong to the command. A program with the name of a ptprofil command runs after "--".
case_arguments() {
    same_as_alone printf '%s|' -F 5 -o none -- --help '' 'a b' $'new\nline'
    [ ! -e none ] || fail "took an option of the command"
    mkdir bin
    printf '#!/bin/sh\necho "$0 $*"\n' >bin/record
    chmod +x bin/record
    PATH=$PWD/bin:$PATH same_as_alone record -q x
}

case_path() {
    mkdir bin
    printf '#!/bin/sh\necho found\n' >bin/some-script
    printf 'echo no interpreter line\n' >bin/bare-script
    chmod +x bin/*
    PATH=$PWD/bin:$PATH same_as_alone some-script
    PATH=$PWD/bin:$PATH same_as_alone bin/some-script
    PATH=$PWD/bin:$PATH same_as_alone bin/bare-script
}

as_pid_1() { # as_pid_1 COMMAND...: runs COMMAND as process 1 of its own pid namespace
    if [ "$(id -u)" = 0 ]; then
        unshare --pid --fork --mount-proc --kill-child "$@"
    else
        unshare --user --map-root-user --pid --fork --mount-proc --kill-child "$@"
    fi
}

case_pid_1() {
    need unshare
    as_pid_1 true 2>/dev/null || skip "no pid namespaces for us"
    local status=0
    # An orphan that ends while CMD works must be reaped, as init does.
    cat >command.sh <<'END'
echo "parent is $PPID"
( (sleep 0.1; exit 5) & )
"$1/mix" -s 0.3
for i in $(seq 100); do
    zombies=$(cat /proc/[0-9]*/stat 2>/dev/null | grep -c ') Z ')
    [ "$zombies" = 0 ] && break
    sleep 0.1
done
echo "zombies: $zombies"
exit 9
END
    within 30 as_pid_1 "$PTPROFIL" -q -o profile.folded -- sh command.sh "$TARGETS" >out || status=$?
    [ $status = 9 ] || fail "status $status"
    diff out - <<<$'parent is 1\nzombies: 0' || fail "not like an init"
    # Of mix alone: the shell starts hundreds of processes if they are slow to start.
    grep '^mix;' profile.folded >mix.folded
    expect_share mix.folded spin_half 30

    # PID 1 does not wait for CMD's orphans: it ends when CMD ends, with CMD's status.
    status=0
    within 20 as_pid_1 "$PTPROFIL" -q -o profile.folded -- sh -c 'sleep 60 & exit 4' || status=$?
    [ $status = 4 ] || fail "status $status with a process left behind"
}

# SIGTERM to PID 1, as a container runtime sends it, reaches CMD.
case_pid_1_term() {
    need unshare
    as_pid_1 true 2>/dev/null || skip "no pid namespaces for us"
    cat >command.sh <<'END'
trap 'exit 21' TERM
: >ready
i=0
while [ $i -lt 200 ]; do sleep 0.1; i=$((i + 1)); done
END
    as_pid_1 "$PTPROFIL" -q -o profile.folded -- sh command.sh &
    local unshare=$! front=$! status=0
    poll_until 10 test -e ready || fail "not ready"
    until grep -q '^NSpid:.*[[:space:]]1$' "/proc/$front/status"; do # until the child that is PID 1 in the namespace
        front=$(pgrep -o -P "$front") || fail "no PID 1"
    done
    kill -TERM "$front"
    poll_until 10 is_gone_or_zombie $unshare || fail "CMD did not get the signal"
    wait $unshare || status=$?
    [ $status = 21 ] || fail "status $status"
}

case_stdin() {
    printf 'first\nsecond\nthird\n' >in
    # shellcheck disable=SC2016
    { within 20 "$PTPROFIL" -q -o profile.folded -- sh -c 'read -r line; echo "$line"'; cat; } <in >out
    cmp in out || fail "took of standard input"
    same_as_alone cat
    same_as_alone sort -r
}

case_duration() {
    local status=0
    within 30 "$PTPROFIL" -q -F 500 -d 0.5 -o profile.folded -- "$TARGETS/mix" -s 1.5 -o truth || status=$?
    [ $status = 0 ] || fail "status $status"
    [ -s truth ] || fail "the command did not end well"
    local total
    total=$(total_of profile.folded)
    # a low bound: a busy machine leaves little of the half second
    [ "$total" -ge 5000 ] && [ "$total" -le 700000 ] || off "$total us of CPU time in half a second of sampling"
}

# Samples arrive faster than their stacks can be unwound. ptprofil nevertheless ends in time.
case_duration_behind() {
    local status=0
    within 90 "$PTPROFIL" -q -F 20000 --max-overhead=off -d 0.5 -o profile.txt -- "$TARGETS/deep" traced 2>err || status=$?
    [ $status = 0 ] || fail "status $status; $(cat err)"
}

# Every stack is different, and the memory for stacks is full. The time still belongs to the function where it was
# spent.
case_max_memory() {
    local status=0
    within 60 "$PTPROFIL" -F 2000 --max-overhead=off --max-memory=1M -o profile.folded -o profile.txt -- "$TARGETS/deep" >out 2>err || status=$?
    [ $status = 0 ] || fail "status $status" "$(cat err)"
    grep -q ' with stacks collapsed to their last frames (memory limit)' err || fail "nothing was merged:" "$(tail -1 err)"
    grep -q '\[merged\];' profile.folded || fail "no stack begins with [merged]:" "$(cut -c 1-200 profile.folded | head)"
    near "spin, %" "$(percent "$(weight_of profile.folded spin)" "$(total_of profile.folded)")" \
        "$(percent "$(truth_of out spin)" "$(truth_of out total)")" 20 # lost samples are more often deep ones
}

# Inlined calls are frames, too, although they become known only at the end.
long_max_memory_with_inlined_calls() {
    local status=0 whole cut
    grep -qa 'libdw\.so' "$PTPROFIL" || skip "built without libdw"
    within 60 "$PTPROFIL" -F 1000 -o whole.folded -- "$TARGETS/inlined" >out 2>err || status=$?
    [ $status = 0 ] || fail "status $status" "$(cat err)"
    ! grep -q 'inlined calls left out' err || fail "left out though there is room:" "$(tail -1 err)"
    grep -q ';fall;layer_9;.*;layer_0;fall;' whole.folded || fail "no inlined calls:" "$(cut -c 1-200 whole.folded | head)"
    within 60 "$PTPROFIL" -F 1000 --max-memory=2M -o cut.folded -- "$TARGETS/inlined" >out 2>err || status=$?
    [ $status = 0 ] || fail "status $status" "$(cat err)"
    grep -q 'inlined calls left out at [0-9]* callers (memory limit)' err || fail "nothing was left out:" "$(tail -1 err)"
    whole=$(wc -c <whole.folded) cut=$(wc -c <cut.folded)
    [ $((cut * 2)) -lt "$whole" ] || fail "$cut bytes of stacks, $whole without a limit"
}

case_summary() {
    local status=0
    within 30 "$PTPROFIL" -F 500 -- "$TARGETS/mix" -s 0.5 >out 2>err || status=$?
    [ $status = 0 ] && [ ! -s out ] || fail "status $status; $(cat out)"
    grep -q spin_half err || fail "no flat profile on standard error:" "$(cat err)"
    ! grep -q $'\033' err || fail "colours, though it is no terminal"
    awk '/spin_half/ && !half { half = NR } /spin_fifth/ && !fifth { fifth = NR } END { exit !(half && fifth && half < fifth) }' err ||
        fail "not sorted:" "$(cat err)"
}

run_cases "$@"

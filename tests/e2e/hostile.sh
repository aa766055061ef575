#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Hostile processes: ptprofil ends normally, reports what it knows, and goes on sampling other processes.

. "$(dirname "$0")/lib.sh"

#
# Memory whose pages never arrive (userfaultfd, FUSE)
#

# sleeps_in KIND WHAT [MILLISECONDS]: runs asleep and its neighbour. The profile must have most of the CPU time that
# each measured itself.
sleeps_in() {
    local status=0 name
    echo "  $*"
    within 40 "$PTPROFIL" -q -F 1000 -o profile.folded -- "$TARGETS/asleep" "$1" "$2" "${3:-150}" >out 2>err || status=$?
    [ $status != 77 ] || skip "no such memory here: $(cat out)"
    [ $status = 0 ] || fail "status $status" "$(cat out err)"
    for name in asleep neighbour; do
        [ "$(weight_of profile.folded ${name}_work)" -ge $(($(truth_of out $name) * 600)) ] ||
            off "too little of ${name}_work" "$(cat out profile.folded)"
    done
}

long_asleep_behind_userfaultfd() {
    local what
    for what in stack request profil sprofil pcsample; do
        sleeps_in uffd $what
    done
}

long_asleep_behind_fuse() {
    local what
    for what in stack request profil sprofil pcsample; do
        sleeps_in fuse $what
    done
}

# Before a process with ptprofil's jumps is released, each stack is checked, although its pages may never arrive.
long_asleep_when_let_go() {
    local kind status
    for kind in uffd fuse; do
        status=0
        within 40 "$PTPROFIL" -q -F 1000 -d 1 --calls=on -o profile.folded -- \
            "$TARGETS/asleep" $kind stack 3000 >out 2>err || status=$?
        [ $status != 77 ] || skip "no such memory here: $(cat out)"
        [ $status = 0 ] || fail "$kind: status $status" "$(cat out err)"
    done
}

has_mapped_or_ended() {
    is_gone_or_zombie "$1" || grep -qs mounted/file "/proc/$1/maps"
}

# The file of mapped code cannot be read while the process lives, so its functions have no names.
case_asleep_behind_the_file() {
    local status=0 target
    "$TARGETS/asleep" fuse caller 40000 >out 2>&1 &
    target=$!
    poll_until 10 has_mapped_or_ended $target && ! is_gone_or_zombie $target || skip "no such memory here: $(cat out)"
    within 20 "$PTPROFIL" -F 1000 -d 0.3 -o profile.folded -p $target >err 2>&1 || status=$?
    [ $status = 0 ] || fail "status $status" "$(cat err)"
    kill -0 $target || fail "the process has ended"
    grep -q 'mounted/file;asleep_work' profile.folded || off "$(cat profile.folded)"
}

# The same for a debug file whose name is a link to such a file.
case_asleep_behind_a_link() {
    need strip objcopy nsenter
    local status=0 target
    cp "$TARGETS/asleep" linked
    strip linked
    : >linked.debug
    objcopy --add-gnu-debuglink=linked.debug linked
    ln -sf mounted/never linked.debug
    ./linked fuse caller 40000 >out 2>&1 &
    target=$!
    poll_until 10 has_mapped_or_ended $target && ! is_gone_or_zombie $target || skip "no such memory here: $(cat out)"
    within 20 nsenter --mount --target $target --wd="$PWD" "$PTPROFIL" -F 1000 -d 0.3 -o profile.folded -p $target >err 2>&1 || status=$?
    [ $status = 0 ] || fail "status $status" "$(cat err)"
    kill -0 $target || fail "the process has ended"
    [ -s profile.folded ] || fail "no profile" "$(cat err)"
}

long_asleep_now_and_then() {
    sleeps_in uffd shifting 600
}

# A page vanishes just while it is being copied: sampling ends, and all processes run on.
case_asleep_while_copied() {
    ! is_sanitized || skip "nothing can be preloaded"
    local status=0
    LD_PRELOAD=$TARGETS/liar.so within 60 "$PTPROFIL" -F 1000 -o profile.folded -- \
        env -u LD_PRELOAD "$TARGETS/asleep" uffd stack 150 >out 2>err || status=$?
    [ $status != 77 ] || skip "no such memory here: $(cat out)"
    [ $status = 125 ] || fail "status $status" "$(cat out err)"
    grep -q 'ended early: a process kept the tracer waiting for its memory' err || fail "$(cat err)"
    [ -s profile.folded ] || fail "the earlier samples are not in the profile"
}

# is_mapping PID: one of its threads holds the lock of the memory map. Programs like pgrep would hang.
is_mapping() {
    local task name
    for task in "/proc/$1/task/"*; do
        read -r name <"$task/comm" || continue
        [ "$name" != mapping ] || [ "$(state_of "${task#/proc/}")" != D ] || return 0
    done
    return 1
}

is_mapping_or_ended() {
    is_gone_or_zombie "$1" || is_mapping "$1"
}

begin_mapping() {
    "$TARGETS/asleep" fuse mapping 40000 >out 2>&1 &
    target=$!
    poll_until 10 is_mapping_or_ended $target && ! is_gone_or_zombie $target || skip "no such memory here: $(cat out)"
}

# end_mapping WHAT: checks that the target is untraced and unchanged. Ends it and its children, which serve the file.
end_mapping() {
    poll_until 5 is_untraced "$target" || fail "$1: it is still traced"
    poll_until 5 is_asleep "$target" || fail "$1: it is in state $(state_of "$target")"
    is_mapping "$target" || fail "$1: it goes on"
    # shellcheck disable=SC2046  # numbers
    kill -KILL "$target" $(cat "/proc/$target/task/$target/children")
    wait "$target" || :
}

case_mapping_for_good() {
    local status=0
    begin_mapping
    within 20 "$PTPROFIL" -q -d 0.5 -o profile.folded -p $target 2>err || status=$?
    end_mapping 'sampling has ended'
    [ $status = 0 ] || fail "status $status" "$(cat err)"
    grep -q '^neighbour;' profile.folded || off "nothing of the neighbour" "$(cat profile.folded)"
}

# A process of ptprofil that reads this memory waits, too. Then sampling ends, even if no tick is due.
long_mapping_while_looked_at() {
    local options status
    for options in --calls=on '--clock=wall -F 1000'; do
        status=0
        begin_mapping
        # shellcheck disable=SC2086  # words
        within 20 "$PTPROFIL" -q $options -d 0.5 -o profile.folded -p $target 2>err || status=$?
        end_mapping "sampling with $options has ended"
        [ $status = 0 ] || grep -q 'a process kept the tracer waiting for its memory' err || fail "status $status" "$(cat err)"
    done
}

# A search by name looks at all processes, and the doctor at the maps of one.
case_mapping_while_searched() {
    local status=0 sought=sought-$$ victim
    cp "$TARGETS/mix" $sought
    begin_mapping
    ./$sought -s 40 >/dev/null 2>&1 &
    victim=$!
    within 20 "$PTPROFIL" -q -d 0.5 -F 1000 -o profile.folded --name=$sought 2>err || status=$?
    [ $status = 0 ] || fail "status $status" "$(cat err)"
    grep -q "^$sought;" profile.folded || fail "nothing of the process" "$(cat profile.folded)"
    kill -KILL $victim
    within 20 "$PTPROFIL" doctor -p $target >doctor.out 2>&1 || status=$?
    end_mapping 'it was looked at'
    [ $status = 0 ] || fail "status $status of the doctor" "$(cat doctor.out)"
}

is_deep_asleep() {
    [ "$(state_of "$1")" = D ]
}

case_mapping_while_interrupted() {
    local front tracer
    begin_mapping
    "$PTPROFIL" -q --calls=on -o profile.folded -p $target 2>err &
    front=$!
    poll_until 10 is_traced $target || fail "it is not traced: $(cat err)"
    read -r tracer _ <"/proc/$front/task/$front/children"
    poll_until 10 is_deep_asleep "$tracer" || off "the tracer does not wait"
    kill -INT $front
    poll_until 20 is_gone_or_zombie $front || fail "it goes on"
    wait $front || :
    end_mapping 'it was interrupted'
}

case_mapping_while_killed() {
    local victim front tracer
    for victim in tracer front; do
        begin_mapping
        "$PTPROFIL" -q -o profile.folded -p $target 2>err &
        front=$!
        poll_until 10 is_traced $target || fail "it is not traced: $(cat err)"
        read -r tracer _ <"/proc/$front/task/$front/children"
        if [ $victim = tracer ]; then kill -KILL "$tracer"; else kill -KILL $front; fi
        wait $front || :
        end_mapping "the $victim was killed"
    done
}

#
# A program that plays tricks, and its neighbour
#

# plays TRICK...: the target and its neighbour must end as without ptprofil. The neighbour's time must be in the
# profile, and no other file may be written.
plays() {
    local trick weight ms=150
    for trick; do
        local status=0
        rm -f profile.folded
        within 60 "$PTPROFIL" -q -F 1000 --calls=on -o profile.folded -- "$TARGETS/tricks" "$trick" $ms >out 2>err || status=$?
        [ $status = 0 ] || fail "$trick: status $status" "$(cat out err)"
        weight=$(weight_of profile.folded neighbour_work)
        [ "$weight" -ge $((ms * 800)) ] || off "$trick: the neighbour has $weight us" "$(cat profile.folded)"
        [ "$(echo *)" = 'err out profile.folded' ] || fail "$trick: files are left: $(ls)"
    done
}

case_stack_pointer_anywhere() {
    plays stack-pointer
}

case_strange_maps() {
    plays many-maps strange-names short-file
}

# A process with many mappings, like a database that maps its files: code at higher addresses is found, too.
case_many_maps_below() {
    plays many-below
    [ "$(matching_weight profile.folded 'map_much_below;(.*;)?(__)?(qsort|msort).*')" -ge 50000 ] ||
        off "too little of the C library" "$(cat profile.folded)"
}

case_strange_jit_maps() {
    plays jit-device jit-fifo jit-large jit-lines
}

long_as_fast_as_it_goes() {
    plays fork exec thread
}

long_traces_its_children() {
    plays trace
}

long_no_signals() {
    plays block ignore
}

case_no_limits_left() {
    plays limits
}

#
# Names that would control the user's terminal
#

evil=$'ev\e]0;T\a\e[1m\n' shown='ev\x1b]0;T\x07\x1b[1m\n'

# says STATUS PATTERN ARGUMENT...: ptprofil must end with STATUS. A line of standard error must have PATTERN (a word of
# the message) and the escaped name, and no output may have control characters.
says() {
    local expected=$1 pattern=$2 status=0
    shift 2
    within 20 "$PTPROFIL" "$@" >out 2>err || status=$?
    [ $status = "$expected" ] || fail "status $status, not $expected: $*" "$(cat -v err)"
    grep -F "$shown" err | grep -q -e "$pattern" || fail "no $pattern with the name: $*" "$(cat -v err)"
    ! grep -q $'[\x01-\x09\x0b-\x1f\x7f]' out err || fail "control characters: $*" "$(cat -v out err)"
    [ "$(grep -c . err)" = "$(grep -c '^ptprofil: ' err)" ] || [ "$expected" = 0 ] || fail "a name begins a line: $*" "$(cat -v err)"
}

case_names_in_options() {
    local option
    for option in -F -d --max-overhead --max-memory --semantics --hz --calls --stacks --stack-bytes --clock --by --format --impose; do
        says 125 "$option" "$option" "$evil" -- true
    done
    shown=${shown%'\n'} says 125 -p -p "$evil" -- true # one process a line, as pgrep prints them
    says 125 'no process' --name "no-$evil" # the plain name may be that of a process
    says 125 ptprofil.--help "--$evil" -- true
    says 125 either -p $$ "$evil"
    says 127 'not found' "$evil"
    says 125 'cannot tell the format from the name' -o "$evil.nonsense" -- true
    says 125 semantics semantics "$evil"
    says 125 directory -o "$evil/x.txt" -- true
    says 125 directory --impose=profil --impose-output="$evil/x" -- true
    for option in --by --format --pid --tid --diff; do
        says 125 . report "$option=$evil" "$evil"
    done
    says 125 . report --focus="($evil" x
}

case_names_of_files() {
    says 127 'No such file' -- "./$evil"
    says 127 'not found' -- "$evil"
    mkdir "$evil.txt"
    says 126 execute -- "./$evil.txt"
    says 125 directory -o "$evil.txt" -- true
    says 125 'No such file' report "$evil"
    echo nonsense >"$evil"
    says 125 profile report "$evil"
    says 125 profile report --diff="$evil" "$evil"
}

# The program, its process and its file have the same name.
case_names_of_programs() {
    need strip
    cp "$TARGETS/mix" "$evil"
    strip "$evil"
    says 0 'has no symbols' -F 1000 -- "./$evil" -s 0.2
    says 0 'symbols\|lines' -F 1000 --by=line -- "./$evil" -s 0.2
}

case_name_of_the_tracer() {
    need strace
    local pid
    cp "$(command -v strace)" "$evil"
    mkfifo hold
    "./$evil" -q -o /dev/null cat hold &
    poll_until 10 pgrep -P $! -x cat >pid || fail "nothing is traced"
    pid=$(cat pid)
    poll_until 10 is_traced "$pid" || skip "strace cannot trace here"
    says 125 'traced already' -p "$pid"
}

is_traced() {
    [ "${1:+$(status_field "$1" TracerPid)}" != 0 ]
}

run_cases "$@"

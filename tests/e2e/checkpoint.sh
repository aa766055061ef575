#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A stored profile is also written during the recording. Whichever process of ptprofil is killed, the data that was
# recorded before can be read.

. "$(dirname "$0")/lib.sh"

# start_steady OPTION...: runs a busy target under ptprofil with -o run.pb.gz; sets front, tracer and target (pids).
start_steady() {
    rm -f ready result over err
    "$PTPROFIL" -q "$@" -o run.pb.gz -- "$TARGETS/steady" -s 0.1 -e over -r ready -o result -x 7 2>err &
    front=$!
    poll_until 20 test -e ready || fail "the target did not get ready" "$(cat err)" "$(show_family $front)"
    target=$(cat ready) tracer=$(tracer_of $front)
    [ "$tracer" ] || fail "no tracer" "$(show_family $front)"
}

await_checkpoint() {
    poll_until 60 test -s run.pb.gz || fail "nothing was written" "$(cat err)" "$(show_family $front)"
}

target_went_on() {
    poll_until 20 is_untraced "$target" || fail "the target is still traced"
    : >over
    poll_until 20 test -e result || fail "the target did not end well" "$(cat err)" "$(show_family "$target")"
    grep -q '^ok$' result || fail "$(cat result)"
}

front_ends_with() { # front_ends_with STATUS
    local status=0
    poll_until 30 is_gone_or_zombie "$front" || fail "ptprofil does not end" "$(show_family "$front")"
    wait "$front" 2>/dev/null || status=$?
    [ $status = "$1" ] || fail "status $status, not $1" "$(cat err)"
}

# is_readable FILE TEXT: FILE is a profile with samples, its summary has TEXT, and no other file is left beside it.
is_readable() {
    { "$PTPROFIL" report -v "$1" >read && "$PTPROFIL" report -o read.folded "$1"; } 2>err || fail "status $? of report" "$(cat err)"
    grep -q "[1-9][0-9]* samples of .*$2" read || fail "the summary does not say '$2':" "$(cat read)"
    [ "$(matching_weight read.folded ';steady_')" -gt 0 ] || fail "no names:" "$(cat read.folded)"
    [ "$(echo "$1"*)" = "$1" ] || fail "left over: $(echo "$1"*)"
}

case_front_killed() {
    start_steady
    await_checkpoint
    kill -KILL $front
    target_went_on
    front_ends_with 137
    is_readable run.pb.gz 'it was still being recorded when this was written'
}

# The first checkpoint does not wait for an idle machine, where the lowest priority gets a thousandth of a CPU. Before it,
# the file is empty, and a report says why.
case_busy() {
    local spinners=() status=0
    for ((i = 0; i < 24; i++)); do
        timeout 60 sh -c 'while :; do :; done' &
        spinners+=($!)
    done
    trap "kill ${spinners[*]} 2>kill.err" EXIT
    start_steady
    "$PTPROFIL" report run.pb.gz >read 2>err || status=$?
    [ $status = 125 ] && grep -q 'is empty: a recording that is killed before its first checkpoint leaves such a file' err ||
        fail "status $status" "$(cat read err)"
    SECONDS=0
    await_checkpoint
    [ $SECONDS -le 10 ] || fail "the first checkpoint came after $SECONDS s"
    kill -KILL $front
    target_went_on
    front_ends_with 137
    is_readable run.pb.gz 'it was still being recorded when this was written'
}

case_both_killed() {
    start_steady
    await_checkpoint
    kill -KILL $front "$tracer"
    target_went_on
    front_ends_with 137
    is_readable run.pb.gz 'it was still being recorded'
}

# If the tracer dies, the front lives on, and may be killed while it waits for the command.
case_tracer_killed() {
    start_steady
    await_checkpoint
    is_readable run.pb.gz 'it was still being recorded'
    kill -KILL "$tracer"
    target_went_on
    front_ends_with 7
    is_readable run.pb.gz 'the tracer was killed'
    start_steady
    await_checkpoint
    kill -KILL "$tracer"
    poll_until 20 is_untraced "$target" || fail "the target is still traced"
    kill -KILL $front
    target_went_on
    front_ends_with 137
    is_readable run.pb.gz 'sampling ended early: '
}

# With a filter, the checkpoint has only the samples that match.
case_filtered() {
    start_steady --ignore='^steady_work$'
    await_checkpoint
    kill -KILL $front
    target_went_on
    front_ends_with 137
    is_readable run.pb.gz 'it was still being recorded'
    ! grep -q 'steady_work' read.folded || fail "it has what was filtered out:" "$(cat read.folded)"
}

# In the end, the file has the whole profile and is not marked as a checkpoint.
case_undisturbed() {
    start_steady
    await_checkpoint
    : >over
    front_ends_with 7
    is_readable run.pb.gz ''
    ! grep -q 'still being recorded' read || fail "a checkpoint was left:" "$(cat read)"
}

has_command() {
    target=$(command_of "$front")
    [ "$target" ]
}

# An existing profile is replaced as soon as a new one is ready. Its owner, its mode and links to it stay.
case_replaced() {
    local inode
    mkdir folder
    echo theirs >folder/old
    chmod 640 folder/old
    ln -s folder/old run.pb.gz
    "$PTPROFIL" -q -o run.pb.gz -- sleep 600 &
    front=$!
    poll_until 20 has_command || fail "no command"
    kill -KILL $front
    front_ends_with 137
    kill "$target"
    [ "$(cat folder/old)" = theirs ] || fail "it was replaced by nothing"
    inode=$(stat -c %i folder/old)
    start_steady
    poll_until 60 sh -c '[ "$(stat -c %i folder/old)" != "$1" ]' - "$inode" || fail "nothing was written"
    kill -KILL $front
    target_went_on
    front_ends_with 137
    is_readable folder/old 'it was still being recorded'
    [ -L run.pb.gz ] || fail "the link has gone"
    [ "$(stat -c %a folder/old)" = 640 ] || fail "mode $(stat -c %a folder/old)"
}

# If no other file can replace the old one (it has two names, or is not a regular file), the old one stays unchanged
# until the end. Formats other than stored profiles are written at the end only.
case_not_replaced() {
    echo theirs >other
    ln other linked.pb.gz
    mkfifo pipe.pb.gz
    exec 8<>pipe.pb.gz
    start_steady -o linked.pb.gz -o pipe.pb.gz -o run.folded
    await_checkpoint
    [ "$(cat linked.pb.gz)" = theirs ] || fail "a file with two names was written"
    ! read -r -t 0.1 -N 1 <&8 || fail "the pipe was written"
    [ ! -s run.folded ] || fail "the text was written"
    # A pipe holds 64 KiB, and the profile may be longer.
    cat <pipe.pb.gz >piped.pb.gz 8>&- &
    : >over
    front_ends_with 7
    exec 8>&-
    wait $! || fail "status $? of cat"
    for file in linked.pb.gz piped.pb.gz run.pb.gz; do
        "$PTPROFIL" report "$file" >read 2>err || fail "$file: status $?" "$(cat err)"
    done
    [ -s run.folded ] || fail "no text"
}

# A checkpoint is removed, and another file gets its name. In the end it is the final profile, which no checkpoint that
# is still being written replaces, and no other file is left in the folder.
case_removed() {
    start_steady
    await_checkpoint
    rm run.pb.gz
    echo theirs >run.pb.gz
    : >over
    front_ends_with 7
    is_readable run.pb.gz ''
}

# If the disk is full, one message says so, and recording goes on.
case_disk_full() {
    [ "$(id -u)" = 0 ] || skip "needs root"
    need unshare mount
    unshare --mount true 2>/dev/null || skip "no mount namespaces here"
    mkdir small
    # shellcheck disable=SC2016  # for the inner shell
    export PTPROFIL TARGETS
    within 120 unshare --mount sh -c '
        mount -t tmpfs -o size=8m none small
        head -c 8388608 /dev/zero >small/all
        "$PTPROFIL" -q -o small/run.pb.gz -- "$TARGETS/steady" -s 0.1 -e over -r ready -o result 2>err & front=$!
        until grep -q . err; do kill -0 $front 2>/dev/null || break; sleep 0.1; done
        rm small/all
        : >over
        wait $front
        echo $? >status
        cp small/run.pb.gz .' || fail "status $?" "$(cat err)"
    [ "$(cat status)" = 0 ] || fail "status $(cat status)" "$(cat err)"
    grep -q "^ptprofil: warning: cannot write .*'small/run.pb.gz': No space left on device; recording goes on$" err || fail "$(cat err)"
    [ "$(wc -l <err)" = 1 ] || fail "more was said:" "$(cat err)"
    is_readable run.pb.gz ''
}

# Checkpoints of a running process that ptprofil attached to, and by wall time.
case_attached() {
    "$TARGETS/steady" -s 0.1 -e over -r ready -o result -x 7 &
    poll_until 20 test -e ready || fail "the target did not get ready"
    target=$(cat ready)
    "$PTPROFIL" -q --clock=wall -o run.pb.gz -p "$target" 2>err &
    front=$!
    await_checkpoint
    kill -KILL $front
    front_ends_with 137
    target_went_on
    is_readable run.pb.gz 'it was still being recorded'
}

run_cases "$@"

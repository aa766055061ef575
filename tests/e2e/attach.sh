#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Attaching to running processes: they are profiled, and afterwards they are unchanged.

. "$(dirname "$0")/lib.sh"

# begin COMMAND...: starts COMMAND in the background; sets target to its pid.
begin() {
    "$@" &
    target=$!
    poll_until 10 has_execed "$target" || fail "it does not begin: $*"
}

is_running() { # at work, or waiting for its own threads
    local state
    read_state "$1"
    case $state in R | S) return 0 ;; *) return 1 ;; esac
}

end_target() {
    kill -KILL "$@" 2>/dev/null
    wait "$@" 2>/dev/null || true
}

attach() { # attach OPTION...: profiles $target into profile.folded
    local status=0
    within 20 "$PTPROFIL" -q -F 1000 -o profile.folded "$@" -p "$target" 2>err || status=$?
    [ $status = 0 ] || fail "status $status: $(cat err)"
}

case_running() {
    begin "$TARGETS/steady" -s 600 -r ready
    poll_until 5 test -e ready || fail "the target does not run"
    attach -d 0.5
    [ "$(weight_of profile.folded steady_work)" -gt 1000 ] || off "$(cat profile.folded)"
    [ "$(weight_of profile.folded steady_other_work)" -gt 1000 ] || off "$(cat profile.folded)"
    is_untraced "$target" || fail "it is still traced"
    poll_until 5 is_running "$target" || fail "it is in state $(state_of "$target")"
    end_target "$target"
}

has_rescuer() { # has_rescuer FRONT
    grep -qsx pt-rescuer /proc/"$1"/task/*/comm
}

is_in_exec_or_gone() { # the number of execve() on x86-64 and arm64
    is_gone_or_zombie "$1" || grep -Eqs '^(59|221) ' "/proc/$1/syscall"
}

# A process that is stuck in execve() cannot be attached to. ptprofil gives up after a while. During this time, a rescuer
# watches over the processes that are traced already.
case_exec_without_end() {
    local hung front status=0
    begin "$TARGETS/exec_without_end" ready
    hung=$target
    poll_until 10 test -s ready || fail "it does not come to its exec"
    poll_until 10 is_in_exec_or_gone "$hung" || fail "it does not come to its exec" "$(show_family "$hung")"
    ! is_gone_or_zombie "$hung" || skip "there is no such memory here"
    begin "$TARGETS/steady" -s 600 -r steady
    poll_until 10 test -e steady || fail "the target does not run"
    "$PTPROFIL" -q -o profile.folded -d 1 -p "$target,$hung" 2>err &
    front=$!
    poll_until 10 has_rescuer $front || fail "the first process has no rescuer" "$(cat err)"
    poll_until 60 is_gone_or_zombie $front || fail "it waits" "$(show_family $front)"
    wait $front || status=$?
    [ $status != 0 ] && grep -q "cannot attach to process $hung: it is stuck in execve()" err || fail "status $status" "$(cat err)"
    is_untraced "$target" || fail "the first one is still traced"
    poll_until 5 is_running "$target" || fail "it is in state $(state_of "$target")"
    end_target "$target" "$hung"
}

# workers NAME...: starts a shell that waits for a worker of each NAME. The file NAME has the worker's pid; $target is
# the shell's.
workers() {
    begin sh -c 'for name; do "$TARGETS/mix" -s 600 & echo $! >"$name"; done; wait' sh "$@"
    local name
    for name; do
        poll_until 10 test -s "$name" || fail "the targets do not run"
    done
}
export PTPROFIL TARGETS

end_workers() { # they are not children of this shell, so it cannot wait for them
    kill -KILL $(cat "$@")
    end_target "$target"
}

# Workers that a server forked before ptprofil attached to it are profiled, too, with their children.
case_children_that_ran() {
    workers one two
    local worker shell=$target
    begin sh -c '"$0" -c "$1" & wait' "$(command -v sh)" '"$TARGETS/mix" -s 600 & echo $! >three; wait'
    poll_until 10 test -s three || fail "the targets do not run"
    within 20 "$PTPROFIL" -F 1000 -d 1 -o profile.folded -p "$shell,$target" 2>err || fail "status $?: $(cat err)"
    grep -qx "ptprofil: profiling sh ($shell), sh ($target) and 4 children for 1 s; Ctrl-C ends it sooner" err || fail "$(cat err)"
    [ "$(process_weight profile.folded mix)" -gt 1000 ] || off "$(cat profile.folded)"
    within 20 "$PTPROFIL" -F 1000 -d 1 --by=process -o profile.txt --no-follow -p "$shell" 2>err || fail "status $?: $(cat err)"
    grep -qx "ptprofil: profiling sh ($shell) for 1 s; Ctrl-C ends it sooner" err || fail "$(cat err)"
    ! grep -E ' mix +[0-9]' profile.txt || fail "with --no-follow:" "$(cat profile.txt)"
    within 20 "$PTPROFIL" -q -d 0.3 -p "$shell" 2>err || fail "status $?: $(cat err)"
    [ ! -s err ] || fail "not quiet:" "$(cat err)"
    for worker in $shell $target $(cat one two three); do
        is_untraced "$worker" || fail "$worker is still traced"
    done
    end_target "$shell"
    end_workers one two three
}

# on_a_terminal COMMAND: runs COMMAND on a terminal; the file typescript gets its output.
on_a_terminal() {
    TERM=xterm within 30 script -qec "$1" typescript >out 2>&1 || fail "status $?: $(cat typescript out)"
}

# A progress line each second, erased before the profile is printed. Without a terminal, no such line is printed.
long_progress() {
    need_terminal
    local text
    begin "$TARGETS/mix" -s 600
    on_a_terminal "'$PTPROFIL' -d 2.5 -p $target"
    text=$(tr '\n\r\033' ' <>' <typescript)
    [[ $text =~ "<>[Kreading names, 0 of "[0-9]+" places: "[^\<]+"<>[K" ]] || fail "the reading of names is not reported: $text"
    [[ $text =~ "<>[K1 s: "[0-9]+" samples, "[0-9.]+" s of CPU time, "[12]" s left<>[K" ]] || fail "$text"
    [[ $text == *"s left<>[K<"*"samples  CPU"* ]] || fail "not erased in the end:" "$text"
    on_a_terminal "'$PTPROFIL' -q -d 1.5 -p $target"
    ! grep 'reading names' typescript || fail "not quiet of names"
    ! grep 's left' typescript || fail "not quiet"
    on_a_terminal "TERM=dumb '$PTPROFIL' -d 1.5 -p $target"
    ! grep 's left' typescript || fail "on a terminal that cannot erase"
    within 20 "$PTPROFIL" -d 1.5 -p "$target" 2>err || fail "status $?"
    ! grep 's left' err || fail "without a terminal"
    end_target "$target"
}

# Neither ptprofil, nor the processes between the target and ptprofil, nor ended ones count as children.
case_children_that_are_none() {
    need perl timeout
    cat >shell.sh <<'END'
"$TARGETS/mix" -s 600 &
echo $! >worker
perl -e 'my $child = fork; exit if !$child; open my $ready, ">", "zombie"; print $ready $child; close $ready; sleep 600' &
until [ -s worker ] && [ -s zombie ] && grep -q 'State:.*Z' "/proc/$(cat zombie)/status"; do sleep 0.02; done
timeout 60 sh -c '"$PTPROFIL" -d 0.3 -p "$0" 2>err; true' $$
timeout 60 sh -c '"$PTPROFIL" -d 0.3 -p "$0" 2>zombie.err; true' $!
kill -KILL $! $(cat worker)
END
    within 60 sh shell.sh || fail "status $?"
    grep -q '^ptprofil: profiling sh ([0-9]*) and 2 children for 0.3 s' err || fail "not two children:" "$(cat err)"
    grep -q '^ptprofil: profiling perl ([0-9]*) for 0.3 s' zombie.err || fail "one that has ended:" "$(cat zombie.err)"
    ! grep 'left out' err zombie.err || fail "who?"
}

# Processes start, fork and end while ptprofil attaches to their family. All that are left in the end are traced.
case_children_that_come_and_go() {
    need python3
    cat >churn.py <<'END'
import os, time
def family(depth): # each parent waits for its child
    child = os.fork()
    if child == 0:
        if depth:
            family(depth - 1)
        os._exit(0)
    time.sleep(0.005 * depth)
    os.waitpid(child, 0)
workers = []
for _ in range(3):
    workers.append(os.fork())
    if workers[-1] == 0:
        end = time.monotonic() + 120
        while time.monotonic() < end and not os.path.exists("end"):
            family(3)
        os._exit(0)
open("ready", "w").close()
for worker in workers:
    os.waitpid(worker, 0)
END
    local pid front i
    begin setsid python3 churn.py
    poll_until 10 test -e ready || fail "the target does not run"
    for ((i = 0; i < ${rounds:-1}; i++)); do
        : >err
        "$PTPROFIL" -p "$target" 2>err &
        front=$!
        poll_until 30 grep -q '^ptprofil: profiling python3 .* children; Ctrl-C ends$' err || fail "$(cat err)"
        for _ in 1 2 3 4 5; do
            for pid in $(pgrep -s "$target"); do
                [ "$(status_field "$pid" TracerPid)" != 0 ] || is_ending "$pid" || is_ending "$pid" ||
                    fail "$pid is not traced:" "$(show_family "$target")"
            done
        done
        kill -TERM $front
        within 20 wait_for_end $front || fail "it does not end"
        is_untraced "$target" || fail "it is still traced"
    done
    touch end
    wait "$target" || fail "status $? of the target"
}

# ptprofil lets a process go just before it ends. The kernel's flag PF_EXITING is set a moment later.
is_ending() {
    local stat fields
    ! is_gone_or_zombie "$1" || return 0
    { stat=$(<"/proc/$1/stat"); } 2>/dev/null || return 0
    read -ra fields <<<"${stat##*) }"
    ((fields[6] & 4)) || grep -qs do_exit "/proc/$1/stack" # let go, and not marked yet
}

long_children_that_come_and_go() {
    local rounds=3
    again children_that_come_and_go
}

wait_for_end() {
    poll_until 15 is_gone_or_zombie "$1"
}

# Two ptprofils that attach to each other would wait for each other, so another ptprofil's tracer is left out.
case_another_one_below() {
    local inner tracer name
    begin sh -c '"$TARGETS/mix" -s 600 & echo $! >worker; "$PTPROFIL" -q -o inner.folded -p $! & echo $! >inner; wait'
    poll_until 10 eval 'test -s inner && inner=$(cat inner) && tracer=$(tracer_of $inner) && ! is_untraced "$(cat worker)"' ||
        fail "the target does not run"
    within 20 "$PTPROFIL" -F 1000 -d 1 -p "$target" 2>err &
    poll_until 10 grep -q '^ptprofil: profiling' err || fail "$(cat err)"
    is_untraced "$tracer" || fail "the other's tracer is traced"
    wait $! || fail "status $?: $(cat err)"
    grep -q "^ptprofil: profiling sh ($target) and 1 child for" err || fail "$(cat err)"
    grep -q '1 child is left out:.*traced already, by pt-tracer' err || fail "$(cat err)"
    # The tracer's helper for copies exists only at times, and has the tracer's command line.
    cp "$(command -v sleep)" pt-copier
    sh -c 'exec ./pt-copier 600' &
    poll_until 10 grep -qx pt-copier /proc/$!/comm || fail "the target does not run"
    for name in pt-tracer pt-copier; do
        within 20 "$PTPROFIL" -d 0.2 --name=$name 2>err && fail "by name:" "$(cat err)"
        grep -q 'no process is called' err || fail "$(cat err)"
    done
    end_target $!
    kill -TERM "$inner"
    poll_until 10 is_gone_or_zombie "$inner" || fail "the other does not end"
    [ "$(process_weight inner.folded mix)" -gt 1000 ] || off "$(cat inner.folded)"
    end_workers worker
}

# A child that may not be traced is left out, and the others are profiled.
case_children_of_others() {
    [ "$(id -u)" = 0 ] || skip "needs root"
    need setpriv
    chmod 777 . && setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$PTPROFIL" -a -w . || skip "another user cannot come here"
    cat >master.py <<'END'
import os, time
for user, name in ((65533, "other"), (65534, "own")):
    if os.fork() == 0:
        os.setgid(user)
        os.setuid(user)
        os.execv("/bin/sh", ["sh", "-c", "echo $$ >$0; exec sleep 600", name])
while not (os.path.exists("own") and os.path.exists("other")): time.sleep(0.01)
os.setgid(65534)
os.setuid(65534)
os.execv("/bin/sleep", ["sleep", "600"])
END
    need python3
    begin python3 master.py
    poll_until 10 eval '[ -s own ] && [ -s other ] && [ "$(cat "/proc/$target/comm")" = sleep ]' || fail "the targets do not run"
    within 20 setpriv --reuid=65534 --regid=65534 --clear-groups "$PTPROFIL" -d 0.3 -p "$target" 2>err || fail "status $?: $(cat err)"
    grep -q "^ptprofil: profiling sleep ($target) and 1 child for" err || fail "$(cat err)"
    grep -q "1 child is left out: cannot attach to process $(cat other): it belongs to another user" err || fail "$(cat err)"
    end_workers own other
}

long_again_and_again() {
    begin "$TARGETS/steady" -s 600 -r ready
    poll_until 5 test -e ready || fail "the target does not run"
    for _ in $(seq "${PTPROFIL_TEST_REPETITIONS:-20}"); do
        attach -d 0.02
        is_untraced "$target" || fail "it is still traced"
    done
    poll_until 5 is_running "$target" || fail "it is in state $(state_of "$target")"
    end_target "$target"
}

case_threads() {
    begin "$TARGETS/mix" -t 3 -s 600
    poll_until 10 has_threads 4 || fail "its threads do not run"
    attach -d 0.5
    expect_share profile.folded spin_half 30
    is_untraced "$target" || fail "it is still traced"
    end_target "$target"
}

has_threads() {
    [ "$(status_field "$target" Threads)" = "$1" ]
}

# The process makes threads as fast as it can while it is attached to.
long_thread_churn() {
    cat >churn.py <<'END'
import threading, time
end = time.monotonic() + 300
while time.monotonic() < end:
    threads = [threading.Thread(target=lambda: sum(range(2000))) for _ in range(20)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
END
    begin python3 churn.py
    poll_until 5 is_running "$target" || fail "the target does not run"
    for _ in 1 2 3; do
        attach -d 0.2
        is_untraced "$target" || fail "it is still traced"
        for task in /proc/"$target"/task/*; do
            [ "$(sed -n 's/^TracerPid:\s*//p' "$task/status" 2>/dev/null || echo 0)" -le 0 ] 2>/dev/null ||
                [ ! -e "$task" ] || fail "thread ${task##*/} is still traced"
        done
    done
    [ -s profile.folded ] || fail "no profile"
    end_target "$target"
}

# Children that start after the attachment are followed, unless --no-follow is given.
case_children() {
    begin sh -c 'while :; do "$1/mix" -s 0.02; done' - "$TARGETS"
    attach -d 1
    [ "$(process_weight profile.folded mix)" -gt 10000 ] || off "$(cat profile.folded)"
    attach -d 0.5 --no-follow
    [ "$(process_weight profile.folded mix)" = 0 ] || fail "$(cat profile.folded)"
    end_target "$target"
}

case_sleeping() {
    begin sleep 600
    poll_until 5 is_asleep "$target" || fail "it does not sleep"
    attach -d 0.3
    poll_until 5 is_asleep "$target" || fail "it is in state $(state_of "$target")"
    end_target "$target"
}

case_stopped() {
    begin "$TARGETS/steady" -s 600 -r ready
    poll_until 5 test -e ready || fail "the target does not run"
    kill -STOP "$target"
    poll_until 5 is_stopped "$target" || fail "it does not stop"
    attach -d 0.3
    grep -q "process $target (steady) is stopped" err || fail "not reported: $(cat err)"
    poll_until 5 is_stopped "$target" || fail "it is in state $(state_of "$target")"
    kill -CONT "$target"
    poll_until 5 is_running "$target" || fail "it does not go on"
    end_target "$target"
}

# Sampling ends at Ctrl-C, even if the caller ignores it (as a script does for background commands), and at the signal
# that service supervisors send. Everything is written, and the target runs on.
case_ended_by_signal() {
    for signal in INT TERM HUP; do
        begin "$TARGETS/steady" -s 600 -r ready
        poll_until 5 test -e ready || fail "the target does not run"
        (trap '' INT && exec "$PTPROFIL" -q -F 1000 -o profile.folded -p "$target") 2>err &
        local front=$! status=0
        poll_until 5 is_traced "$target" || fail "it is not traced: $(cat err)"
        works "$target" 100
        kill -s $signal $front
        poll_until 20 is_gone_or_zombie $front || fail "SIG$signal: it goes on"
        wait $front || status=$?
        [ $status = 0 ] || fail "SIG$signal: status $status"
        poll_until 5 is_untraced "$target" || fail "SIG$signal: it is still traced"
        poll_until 5 is_running "$target" || fail "SIG$signal: it is in state $(state_of "$target")"
        [ -s profile.folded ] || fail "SIG$signal: nothing was written"
        end_target $front "$target"
        rm -f ready profile.folded
    done
}

case_ends_with_the_target() {
    begin "$TARGETS/steady" -s 0.3 -e over -r ready
    poll_until 5 test -e ready || fail "the target does not run"
    attach &
    local attached=$!
    poll_until 20 is_traced "$target" || fail "it is not traced: $(cat err)"
    works "$target" 100
    : >over
    wait $attached || fail "see above"
    wait "$target" || fail "status $? of the target"
    expect_share profile.folded steady_work 10
}

case_several() {
    begin "$TARGETS/steady" -s 600
    local other
    poll_until 5 is_running "$target" || fail "the target does not run"
    "$TARGETS/mix" -s 600 &
    other=$!
    local status=0
    within 20 "$PTPROFIL" -q -F 1000 -d 0.5 -o profile.folded -p "$target,$other" || status=$?
    [ $status = 0 ] || fail "status $status"
    # low bounds: a busy machine leaves little of the half second to the targets
    [ "$(process_weight profile.folded steady)" -gt 1000 ] && [ "$(process_weight profile.folded mix)" -gt 1000 ] ||
        off "$(cat profile.folded)"
    end_target "$target" $other
}

# The name of a script that an interpreter runs can be given, as to pgrep -f. -p accepts what pgrep prints.
case_by_script() {
    need python3 perl pgrep
    echo 'import time; open("a.pid", "w").write("x"); time.sleep(600)' >a-script-of-its-name.py
    echo 'open(my $f, ">", "b.pid"); print $f "x"; close $f; sleep 600;' >a-script-of-its-name.pl
    begin sh -c 'python3 ./a-script-of-its-name.py & perl -w ./a-script-of-its-name.pl & tail -f a-script-of-its-name.py >/dev/null & wait'
    poll_until 10 test -s a.pid -a -s b.pid || fail "the scripts do not run"
    within 20 "$PTPROFIL" -d 0.1 -o profile.json --name=a-script-of-its-name.py 2>err || fail "status $?" "$(cat err)"
    grep -qE "^ptprofil: profiling python3[0-9.]* \\([0-9]+\\) for" err || fail "not python alone:" "$(cat err)"
    within 20 "$PTPROFIL" -d 0.1 --name='a-script-of-its-name.p[ly]' 2>err || fail "status $?" "$(cat err)"
    grep -q 'python3' err && grep -q 'perl' err && ! grep -q 'tail' err || fail "not both scripts:" "$(cat err)"
    within 20 "$PTPROFIL" -d 0.1 -p "$(pgrep -P "$target" 'python|perl')" 2>err || fail "status $?" "$(cat err)"
    grep -q 'python3' err && grep -q 'perl' err || fail "not both numbers:" "$(cat err)"
    within 20 "$PTPROFIL" -p "$$,
        x" 2>err && fail "status 0"
    grep -q "'x' is not a PID" err || fail "$(cat err)"
    # shellcheck disable=SC2046  # words
    end_target "$target" $(pgrep -P "$target")
}

# --name, given by an ordinary user, profiles only this user's processes.
case_by_name_of_others() {
    need_root
    cp "$TARGETS/steady" shared-name
    begin sh -c './shared-name -s 600 -r theirs & setpriv --reuid=65534 --regid=65534 --clear-groups ./shared-name -s 600 -r ours & wait'
    poll_until 10 test -s theirs -a -s ours || fail "the targets do not run"
    profile_its_work "$(cat ours)" 200 "${as_nobody[@]}" "$PTPROFIL" -F 1000 -o profile.folded --name=shared-name
    grep -qE '^ptprofil: [0-9]+ process(es are| is) left out: cannot attach to process [0-9]+: it belongs to another user' profile.err ||
        fail "the processes that are left out are not reported:" "$(cat profile.err)"
    grep -q '^shared-name;' profile.folded || fail "his own is not profiled:" "$(cat profile.err)"
    # shellcheck disable=SC2046  # words
    kill -KILL $(pgrep -u 65534 -x shared-name) 2>/dev/null
    poll_until 10 no_process_of nobody || fail "it does not end"
    within 20 "${as_nobody[@]}" "$PTPROFIL" -d 0.1 --name=shared-name 2>err && fail "status 0 of nothing"
    grep -q '^ptprofil: cannot attach to process ' err || fail "the reason is not reported:" "$(cat err)"
    # shellcheck disable=SC2046  # words
    end_target "$target" $(pgrep -P "$target")
}

no_process_of() {
    ! pgrep -u "$1" -x shared-name >/dev/null
}

case_by_name() {
    cp "$TARGETS/steady" one-of-its-name
    begin ./one-of-its-name -s 600 -r ready
    poll_until 5 test -e ready || fail "the target does not run"
    local status=0
    within 20 "$PTPROFIL" -q -F 1000 -d 0.5 -o profile.folded --name one-of-its-name || status=$?
    [ $status = 0 ] || fail "status $status"
    [ "$(process_weight profile.folded one-of-its-na)" -gt 0 ] || [ -s profile.folded ] || fail "no profile"
    end_target "$target"
    status=0
    within 20 "$PTPROFIL" --name no-such-name 2>err || status=$?
    [ $status = 125 ] && grep -q "no process is called 'no-such-name'; with --wait" err || fail "status $status: $(cat err)"
}

# Two runs of a job that does not run yet, with a pause between them. The front stays until it is asked to end.
case_wait_for_a_name() {
    local front round status=0
    cp "$TARGETS/steady" later-job
    "$PTPROFIL" --wait --name=later-job -o profile.pb.gz 2>err &
    front=$!
    poll_until 10 grep -q '^ptprofil: waiting for processes; Ctrl-C ends' err || fail "it does not wait" "$(cat err)"
    for round in 1 2; do
        begin ./later-job -s 600 -r ready.$round
        poll_until 10 is_traced "$target" || fail "run $round is not attached" "$(cat err)"
        works "$target" 100
        end_target "$target"
    done
    ! is_gone_or_zombie $front || fail "it has ended" "$(cat err)"
    kill -INT $front
    wait $front || status=$?
    [ $status = 0 ] || fail "status $status" "$(cat err)"
    report --by=process -n all profile.pb.gz >read 2>read.err
    [ "$(grep -c later-job read)" -ge 2 ] || fail "not both runs" "$(cat read read.err)"
}

# A pattern without a match does not hide the numbers and patterns behind it.
case_wait_for_one_of_several() {
    local front status=0
    cp "$TARGETS/steady" second-job
    begin "$TARGETS/steady" -s 600 -r ready
    "$PTPROFIL" --wait -q -o profile.pb.gz -p "absent-job-*,$target,second-j*" 2>err &
    front=$!
    poll_until 10 is_traced "$target" || fail "the process given by its number is not attached" "$(cat err)"
    ./second-job -s 600 -r second &
    poll_until 10 is_traced $! || fail "the later job is not attached" "$(cat err)"
    end_target $!
    end_target "$target"
    kill -INT $front
    wait $front || status=$?
    [ $status = 0 ] || fail "status $status" "$(cat err)"
}

case_by_pattern() {
    local one option
    cp "$TARGETS/steady" its-name-one && cp "$TARGETS/steady" its-name-two && cp "$TARGETS/steady" not-its-name
    begin sh -c 'for one in its-name-one its-name-two not-its-name; do ./$one -s 600 -r $one.pid & done; wait'
    for one in its-name-one its-name-two not-its-name; do
        poll_until 10 test -s $one.pid || fail "the targets do not run"
    done
    for option in '--name=its-name-*' "-p$(cat its-name-one.pid),its-name-t[w]o" '--name=its-name-???'; do
        within 20 "$PTPROFIL" -d 0.3 "$option" 2>err || fail "status $?: $(cat err)"
        for one in its-name-one its-name-two; do
            grep -q "^ptprofil: profiling .*$one ($(cat $one.pid))" err || fail "$option: not $one" "$(cat err)"
        done
        ! grep 'not-its' err || fail "$option: too many"
    done
    refused "pid: no process is called 'no-such-.'" -p 'no-such-*'
    end_workers its-name-one.pid its-name-two.pid not-its-name.pid
}

# group_of PID: prints the process's control group, unless it is the root of the hierarchy.
group_of() {
    sed -n 's/^[0-9]*:[^:]*:\(\/..*\)/\1/p' "/proc/$1/cgroup" | tail -n 1
}

# make_group NAME: makes a control group of version 1 or 2, whichever is allowed. Sets group to its folder.
make_group() {
    for group in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/pids /sys/fs/cgroup/freezer /sys/fs/cgroup/systemd; do
        group=$group/ptprofil-test-$$
        mkdir "$group" 2>/dev/null && mkdir "$group/$1" 2>/dev/null && [ -e "$group/$1/cgroup.procs" ] && return
        rmdir "$group/$1" "$group" 2>/dev/null
    done
    skip "no control group can be made here"
}

case_by_control_group() {
    local id=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef member option
    make_group "docker-$id.scope"
    workers member stranger
    member=$(cat member)
    # shellcheck disable=SC2064  # expanded now
    trap "kill -KILL $(cat member stranger | paste -s -d ' '); poll_until 5 rmdir '$group/docker-$id.scope' 2>rmdir.err; rmdir '$group'" EXIT
    echo "$member" >"$group/docker-$id.scope/cgroup.procs" || skip "no process can be moved into a control group here"
    for option in "--cgroup=$group" "--cgroup=$group/docker-$id.scope" "--cgroup=$(group_of "$member")" "--cgroup=docker-$id.scope" \
        --container=$id --container=${id:0:12}; do
        within 20 "$PTPROFIL" -d 0.2 "$option" 2>err || fail "status $?: $(cat err)"
        grep -q "^ptprofil: profiling mix ($member) for 0.2 s;" err || fail "$option:" "$(cat err)"
    done
    refused "container: no process is in a container '123'" --container=123
    refused "cgroup: no process is in the control group '/no/such'" --cgroup=/no/such
    refused "cgroup: no process" --cgroup=
    refused "not both" --container=$id -- true
    end_target "$target"
}

# The tracer, or the front, is killed: the target runs on untraced.
case_killed() {
    for victim in tracer front; do
        begin "$TARGETS/steady" -s 600 -r ready
        poll_until 5 test -e ready || fail "the target does not run"
        "$PTPROFIL" -q -F 1000 -o profile.folded -p "$target" 2>err &
        local front=$!
        poll_until 5 is_traced "$target" || fail "it is not traced: $(cat err)"
        if [ $victim = tracer ]; then kill -KILL "$(tracer_of $front)"; else kill -KILL $front; fi
        wait $front || true
        poll_until 5 is_untraced "$target" || fail "$victim: it is still traced"
        poll_until 5 is_running "$target" || fail "$victim: it is in state $(state_of "$target")"
        end_target "$target"
        rm -f ready
    done
}

# Children are made while ptprofil attaches to their parent, or releases it. They share or copy its memory, including
# the breakpoints that serve the calls, and must not hit them.
long_calls_of_children() {
    local kind status follow round pids='' list=''
    for kind in fork vfork exec spawn clone_vm thread_fork; do
        "$TARGETS/call_family" $kind -u -z -s 3 -r $kind.ready >$kind.out 2>$kind.err &
        poll_until 10 test -e $kind.ready || fail "$kind: the target does not run"
        pids="$pids $!" list="$list${list:+,}$!"
    done
    # The target may end before ptprofil attaches to it.
    for round in $(seq "${PTPROFIL_TEST_REPETITIONS:-5}"); do
        for follow in '' --no-follow; do
            within 20 "$PTPROFIL" -q -d "0.0$round" $follow --calls=on -p "$list" 2>err
        done
    done
    for target in $pids; do
        status=0
        wait "$target" || status=$?
        [ $status = 0 ] || fail "process $target of $list: status $status" "$(cat ./*.err)"
    done
}

# ptprofil attaches to a process that is loading its libraries. The process runs on until their addresses are known. The
# dynamic linker waits for a file that is written as soon as ptprofil has attached.
case_calls_while_loading() {
    local round front target
    for round in $(seq "${PTPROFIL_TEST_REPETITIONS:-5}"); do
        rm -f preload
        mkfifo preload
        LD_PRELOAD=$PWD/preload "$TARGETS/call_storm" profil -s 0.3 -w -p 1 >out 2>/dev/null &
        target=$!
        poll_until 10 grep -q '^Name:.call_storm' /proc/$target/status || fail "the target does not run"
        "$PTPROFIL" -v --calls=on -p $target 2>err &
        front=$!
        while grep -q '^TracerPid:.0$' /proc/$target/status && ! is_gone_or_zombie $front; do :; done
        : >preload
        wait $front || fail "status $?" "$(cat err)"
        wait $target || fail "the target: status $?" "$(cat out)"
        [ "$(count_of err served)" -gt 0 ] || fail "round $round: no call was served" "$(cat err)"
    done
}

long_calls_while_loading() {
    PTPROFIL_TEST_REPETITIONS=60
    case_calls_while_loading
}

# come_and_go SECONDS: attaches to a program that calls profil, and releases it, at least three times. In the end its
# code equals its files, and the C library serves it.
come_and_go() {
    local round status=0
    rm -f ready enough
    "$TARGETS/call_storm" profil -t 2 -p 1 -s "$1" -o enough -c -r ready >out 2>told &
    target=$!
    poll_until 10 test -e ready || fail "the target does not run"
    for ((round = 0; round < 200 && status == 0; round++)); do
        [ $round != 3 ] || : >enough
        within 20 "$PTPROFIL" -q -o profile.folded --calls=on -d "0.0$((RANDOM % 90 + 10))" -p $target 2>err || status=$?
    done
    is_gone_or_zombie $target || poll_until 10 is_gone_or_zombie $target || fail "round $round: status $status" "$(cat err)"
    wait $target || fail "it ended with status $? after $round rounds" "$(cat told)"
    [ $round -gt 2 ] || fail "it was come to only $round times" "$(cat err)"
    echo "  $round times"
}

case_calls_come_and_go() {
    come_and_go 2
}

long_calls_come_and_go() {
    come_and_go 30
}

# begin_boxed PROGRAM ARGUMENT...: starts the program in its own mount and pid namespaces with its own root directory.
# Outside, another program has the same path, and maps of generated code have the same names.
begin_boxed() {
    # shellcheck disable=SC2016
    unshare --mount --pid --fork --kill-child sh -c '
        set -e
        mount -t tmpfs none box
        mkdir box/usr box/tmp box/proc
        mount --rbind /usr box/usr
        for name in lib lib64; do ln -s usr/$name box/$name; done
        cp "$1"/names_pie box/program
        cp "$1"/jit "$1"/states box
        shift
        exec chroot box "$@"' - "$TARGETS" "$@" 2>boxed.err &
    box=$!
    poll_until 10 has_begun "$1" || fail "it does not begin: $(cat boxed.err)"
}

has_begun() { # sets target, the innermost process
    target=$(pgrep -P $box | head -n 1)
    [ "$target" ] && [ "/$(cat "/proc/$target/comm")" = "$1" ]
}

case_other_namespaces() {
    [ "$(id -u)" = 0 ] || skip "needs root"
    need unshare chroot
    unshare --mount --pid --fork true 2>/dev/null || skip "no namespaces here"
    [ -h /lib ] && [ -h /lib64 ] || skip "the libraries are not all in /usr here"
    mkdir box
    cp "$TARGETS/mix" box/program
    begin_boxed /program plain 30000
    attach -d 0.5
    expect_share profile.folded named_work 70
    end_target "$box"
    begin_boxed /jit 30000
    echo "0 7fffffffffff not_of_this_process" >"/tmp/perf-$target.map"
    attach -d 0.5
    rm -f "/tmp/perf-$target.map"
    expect_share profile.folded made_first 20
    expect_absent profile.folded not_of_this_process
    end_target "$box"
    begin_boxed /states leaderless /ready /release
    poll_until 10 test -s "/proc/$target/root/ready" || fail "it does not get ready"
    target=$(pgrep -P "$target")
    poll_until 5 is_gone_or_zombie "$target" || fail "its first thread lives"
    attach -d 0.5
    expect_share profile.folded states_work 70
    end_target "$box"
}

refused() { # refused REGEX OPTION...
    local wanted=$1 status=0
    within 20 "$PTPROFIL" "${@:2}" >out 2>err || status=$?
    [ $status = 125 ] && grep -qE "$wanted" err || fail "status $status: $(cat err)"
}

case_refusals() {
    refused 'there is no such process' -p 4194303
    refused "'12x' is not a PID; --name takes names" -p 12x
    refused "'' is not a PID" -p 1,
    refused 'not both' -p $$ -- true
    begin "$TARGETS/steady" -s 600 -r ready
    poll_until 5 test -e ready || fail "the target does not run"
    refused "is a thread of process $target" -p "$(find "/proc/$target/task" -mindepth 1 -printf '%f\n' -prune | grep -vx "$target" | head -n 1)"
    if command -v strace >/dev/null; then
        strace -o /dev/null -p "$target" 2>/dev/null &
        local other=$!
        poll_until 5 is_traced "$target" || fail "strace does not trace it"
        refused 'traced already, by strace' -p "$target"
        end_target $other
    fi
    if [ "$(id -u)" = 0 ]; then
        local status=0
        chmod 755 .
        poll_until 5 is_untraced "$target"
        setpriv --reuid=65534 --clear-groups "$PTPROFIL" -p "$target" 2>err || status=$?
        [ $status = 125 ] && grep -q 'another user' err || fail "status $status: $(cat err)"
    fi
    end_target "$target"
}

run_cases "$@"

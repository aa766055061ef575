#!/bin/bash
# SPDX-License-Identifier: MIT
#
# In a real terminal with a real shell: Ctrl-C, Ctrl-Z, fg, bg and kill work on ptprofil's CMD as they do without it.

. "$(dirname "$0")/lib.sh"


mux() {
    tmux -L "ptprofil-test-$$-$terminal" -f /dev/null "$@"
}

# A shell with job control in a terminal. Commands are typed into it, and their results are in files. Each shell has its
# own terminal server, because the last one may not have ended yet.
open_terminal() {
    need tmux ps
    terminal=$SRANDOM
    unset TMUX
    export SHELL=/bin/sh PTPROFIL TARGETS TERM=xterm PS1='$ ' HISTFILE=
    mux new-session -d -x 100 -y 30 -c "$PWD" 'bash --norc --noprofile -i' ||
        skip "no terminal here"
    trap 'mux kill-server 2>/dev/null' EXIT
    type_line ': >shell-ready'
    poll_until 10 test -e shell-ready || fail "no shell in the terminal"
}

type_line() {
    mux send-keys -l "$1" && mux send-keys Enter
}

key() {
    mux send-keys "$1"
}

# answers FILE TEXT: waits until FILE has a line with TEXT.
answers() {
    poll_until 10 grep -q -- "$2" "$1" 2>/dev/null || fail "$1: no \"$2\":" "$(cat "$1" 2>/dev/null)" "$(mux capture-pane -p)"
}

# start_job ARGUMENTS-OF-JOB: starts job under ptprofil in the terminal's foreground; sets front and target.
start_job() {
    rm -f ready log status
    type_line "\"\$PTPROFIL\" -q -F 1000 -o profile.folded -- \"\$TARGETS/job\" $* ready log; echo \"status \$?\" >status"
    poll_until 10 test -e ready || fail "not ready" "$(mux capture-pane -p)"
    target=$(cat ready)
    front=$(status_field "$target" PPid)
    [ "$(cat "/proc/$front/comm")" = "$(basename "$PTPROFIL" | cut -c1-15)" ] || fail "its parent is not ptprofil"
}

case_terminal() {
    open_terminal
    start_job -n stop
    answers log 'terminal 111, controlling yes, foreground'
    [ "$(ps -o pgid= -p "$target")" = "$(ps -o pgid= -p "$front")" ] || fail "another process group than ptprofil's"
    : >stop
    answers status 'status 0'
    grep -q '^end' log || fail "$(cat log)"
}

case_ctrl_c() {
    open_terminal
    start_job
    key C-c
    # The shell abandons a line if its command died of SIGINT, so a new line prints the status.
    poll_until 10 is_gone "$front" || fail "ptprofil lives on" "$(show_family "$front")"
    poll_until 10 is_gone "$target" || fail "CMD lives on"
    type_line 'echo "then $?" >then'
    answers then 'then 130'
    [ ! -e status ] || fail "the shell does not know that it was SIGINT: $(cat status)"
    [ -s profile.folded ] || fail "no profile"
}

case_ctrl_c_caught() {
    open_terminal
    start_job -i 17
    key C-c
    answers status 'status 17'
    answers log SIGINT
    [ -s profile.folded ] || fail "no profile"
}

case_ctrl_backslash() {
    open_terminal
    type_line 'ulimit -c 0'
    start_job
    key 'C-\'
    answers status 'status 131'
    [ -s profile.folded ] || fail "no profile"
}

case_ctrl_z_and_fg() {
    local i
    open_terminal
    start_job -n stop
    for i in 1 2 3; do
        key C-z
        poll_until 10 is_stopped "$target" || fail "CMD does not stop" "$(show_family "$front")"
        poll_until 10 is_stopped "$front" || fail "ptprofil does not stop" "$(show_family "$front")"
        rm -f jobs
        type_line 'jobs >jobs.new; mv jobs.new jobs'
        answers jobs Stopped
        is_stopped "$target" || fail "CMD goes on by itself"
        type_line fg
        poll_until 10 is_not_stopped "$target" || fail "CMD does not go on" "$(show_family "$front")"
        poll_until 10 is_not_stopped "$front" || fail "ptprofil does not go on"
        poll_until 10 has_lines log SIGCONT "$i" || fail "SIGCONT number $i did not come" "$(cat log)"
    done
    [ "$(grep -c SIGCONT log)" = 3 ] || fail "$(cat log)"
    : >stop
    poll_until 10 is_gone "$front" || fail "ptprofil does not end" "$(show_family "$front")"
    tail -n 2 log | grep -q foreground || fail "not in the foreground at the end:" "$(cat log)"
}

is_not_stopped() {
    ! is_stopped "$1"
}

has_lines() {
    [ "$(grep -c "$2" "$1")" -ge "$3" ]
}

case_bg() {
    open_terminal
    start_job -n stop
    key C-z
    poll_until 10 is_stopped "$front" || fail "ptprofil does not stop" "$(show_family "$front")"
    type_line bg
    poll_until 10 is_not_stopped "$target" || fail "CMD does not go on" "$(show_family "$front")"
    type_line ': >prompt'
    poll_until 10 test -e prompt || fail "no prompt"
    key C-c # does not signal background jobs
    : >stop
    type_line 'wait; echo "waited $?" >waited'
    poll_until 10 test -e waited || fail "wait does not end" "$(mux capture-pane -p)"
    grep -q '^end' log || fail "$(cat log)"
}

case_fg_and_ctrl_c() {
    open_terminal
    start_job -i 18
    key C-z
    poll_until 10 is_stopped "$front" || fail "ptprofil does not stop"
    type_line 'fg; echo "then $?" >then'
    poll_until 10 is_not_stopped "$target" || fail "CMD does not go on"
    key C-c
    answers then 'then 18'
}

case_kill_stopped_job() {
    open_terminal
    start_job
    key C-z
    poll_until 10 is_stopped "$front" || fail "ptprofil does not stop"
    type_line 'kill %1'
    poll_until 10 is_gone "$target" || fail "CMD lives on" "$(show_family "$front")"
    poll_until 10 is_gone "$front" || fail "ptprofil lives on" "$(show_family "$front")"
}

# SIGSTOP, which cannot be handled, to CMD only: the shell must see a stopped job.
case_stop_of_cmd() {
    open_terminal
    start_job -n stop
    kill -STOP "$target"
    poll_until 10 is_stopped "$front" || fail "not mirrored" "$(show_family "$front")"
    type_line 'jobs >jobs.new; mv jobs.new jobs'
    answers jobs Stopped
    type_line fg
    poll_until 10 is_not_stopped "$target" || fail "CMD does not go on"
    : >stop
    poll_until 10 is_gone "$front" || fail "it does not end"
}

# The window's size changes, the terminal goes away.
case_winch_and_hangup() {
    open_terminal
    start_job
    mux resize-window -x 70 -y 20
    answers log SIGWINCH
    [ "$(grep -c SIGWINCH log)" -le 2 ] || fail "$(cat log)"
    mux kill-server
    poll_until 10 is_gone "$target" || fail "CMD lives on" "$(show_family "$front")"
    poll_until 10 is_gone "$front" || fail "ptprofil lives on" "$(show_family "$front")"
    [ -s profile.folded ] || fail "no profile"
}

# A program that reads from the terminal, and one that a shell with its own job control runs.
case_reads_terminal() {
    open_terminal
    type_line '"$PTPROFIL" -q -o profile.folded -- sh -c '\'': >reads; read -r x </dev/tty; echo "got $x" >got; stty size </dev/tty >size'\'
    poll_until 10 test -e reads || fail "the command does not run" "$(mux capture-pane -p)" # by then, bash has given the terminal to the command
    type_line 'some words'
    answers got 'got some words'
    answers size '30 100\|29 100'
}

case_nested_shell() {
    open_terminal
    type_line '"$PTPROFIL" -q -o profile.folded -- bash --norc --noprofile -i; echo "status $?" >status'
    type_line ': >inner'
    poll_until 10 test -e inner || fail "no shell in the shell" "$(mux capture-pane -p)"
    type_line '"$TARGETS/job" -n stop ready log; echo "inner $?" >inner'
    poll_until 10 test -e ready || fail "not ready"
    target=$(cat ready)
    key C-z
    poll_until 10 is_stopped "$target" || fail "the inner job does not stop"
    type_line 'jobs >jobs.new; mv jobs.new jobs'
    answers jobs Stopped
    type_line fg
    poll_until 10 is_not_stopped "$target" || fail "the inner job does not go on"
    : >stop
    poll_until 10 is_gone "$target" || fail "the inner job does not end"
    type_line 'exit 19'
    answers status 'status 19'
}

run_cases "$@"

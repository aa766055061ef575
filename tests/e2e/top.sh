#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The live view: on terminals of any size, with keys, and as tables without a terminal.

. "$(dirname "$0")/lib.sh"

mux() {
    tmux -L "ptprofil-top-$$-$terminal" -f /dev/null "$@"
}

# open_terminal COLUMNS ROWS COMMAND: runs COMMAND, a shell command line, in a terminal; the file status gets its
# status. Each terminal has its own server, because the last one may not have ended yet.
open_terminal() {
    need tmux
    terminal=$SRANDOM
    unset TMUX NO_COLOR
    export SHELL=/bin/sh PTPROFIL TARGETS TERM=screen
    printf '%s\n' 'trap : INT' "$3" 'echo $? >status' 'echo the shell is back' 'exec sleep 600' >script
    mux new-session -d -x "$1" -y "$2" -c "$PWD" 'exec bash ./script' || skip "no terminal here"
    trap 'mux kill-server 2>/dev/null' EXIT
}

screen() { # prints the screen; a line that the terminal wrapped is one line
    mux capture-pane -p -J | sed 's/ *$//'
}

screen_has() {
    screen | grep -qE -- "$1"
}

screen_lacks() {
    ! screen_has "$1"
}

# shows PATTERN: waits until the screen has PATTERN.
shows() {
    poll_until 20 screen_has "$1" || fail "no \"$1\" on the screen:" "$(screen)"
}

hides() {
    poll_until 20 screen_lacks "$1" || fail "\"$1\" stays on the screen:" "$(screen)"
}

key() {
    mux send-keys "$@"
}

begin_target() { # begin_target OPTION...: starts the target; sets target to its pid
    "$TARGETS/shown" -r ready "$@" >/dev/null &
    target=$!
    poll_until 10 test -e ready || fail "the target does not run"
}

end_target() {
    is_untraced "$target" || fail "it is still traced"
    is_gone_or_zombie "$target" && fail "it has ended"
    kill -KILL "$target"
    wait "$target" 2>/dev/null || true
}

left_with() { # left_with STATUS
    poll_until 20 test -s status || fail "it did not end:" "$(screen)"
    [ "$(cat status)" = "$1" ] || fail "status $(cat status), not $1" "$(screen)"
    screen_has 'the shell is back' || poll_until 5 screen_has 'the shell is back' || fail "$(screen)"
}

is_framed() { # the first line is top's head, and the last line has its keys
    screen | head -n 1 | grep -q '^ptprofil top: .*shown' && screen | tail -n 1 | grep -q '^q quit  ? help'
}

case_screen() {
    begin_target
    open_terminal 80 24 "\"\$PTPROFIL\" top -F 500 --interval=2 -p $target"
    shows 'self +total .* function'
    shows '[0-9]% +[0-9.]+% +[0-9.]+% +[0-9.]+% +[0-9.]+  spin_hot +shown'
    poll_until 20 is_framed || fail "no title, or no keys at the foot:" "$(screen)"
    [ "$(screen | sed -n 6p | awk '{ print $6 }')" = spin_hot ] || off "the hottest is not the first:" "$(screen)"
    key q
    left_with 0
    end_target
}

case_keys() {
    begin_target
    open_terminal 80 24 "\"\$PTPROFIL\" top -F 500 -p $target"
    shows 'spin_hot'
    shows '\*self'
    key s
    shows '\*total'
    key a
    shows ' self  total +self +\*total'
    key '?'
    shows 'Backspace, Esc +go back'
    key x
    hides 'Backspace, Esc +go back'
    key /
    key -l 'SPIN_c'
    shows '^filter: SPIN_c'
    key Enter
    shows 'filter: SPIN_c \([0-9]+ hidden\)'
    hides 'spin_hot'
    shows 'spin_cool'
    key Escape
    shows 'spin_hot'
    key w
    shows '\[threads\]'
    shows "hot +$target/$target"
    shows "cool +$target/"
    key Tab
    shows '\[processes\]'
    key 4
    shows 'start with --clock=wall'
    key 1
    shows '\[functions\]'
    key +
    shows 'last [0-9]+ s'
    key q
    left_with 0
    end_target
}

is_in_order() {
    [ "$(screen | grep -E ' (outer|middle|spin_hot)( |$)' | grep -oE 'outer|  middle|    spin_hot' | tr -d ' ' | tail -n 3 |
        tr '\n' ' ')" = 'outer middle spin_hot ' ]
}

# Opens the hot thread and then one of its functions: callers are above it, callees below. Then goes back.
case_zoom() {
    begin_target
    open_terminal 100 24 "\"\$PTPROFIL\" top -F 500 --by=thread -p $target"
    shows 'hot +[0-9]+/'
    key /
    key -l '^hot'
    key Enter
    hides 'cool'
    key Enter
    shows '\[functions\].* in: hot'
    key /
    key -l '^middle$'
    key Enter
    shows 'filter: .middle'
    hides ' outer'
    key Enter
    shows 'in: hot .* > middle'
    shows '  outer'
    poll_until 20 is_in_order || fail "callers and callees are not in order:" "$(screen)"
    hides spin_cool
    key BSpace
    hides '> middle'
    key BSpace
    shows '\[threads\]'
    key q
    left_with 0
    end_target
}

is_drawn() { # the screen does not change; it is in the file before
    screen >before
    nap 0.1
    screen | cmp -s before -
}

# A paused screen does not change while sampling goes on.
case_pause() {
    begin_target
    open_terminal 120 24 "\"\$PTPROFIL\" top -F 500 --interval=1 -p $target"
    shows 'spin_hot'
    key p
    shows '^\[paused\] ptprofil top'
    poll_until 20 is_drawn || fail "it does not stand still:" "$(screen)"
    key s
    shows '\*total'
    key s
    shows '\*self'
    sleep 2.5 # more than two intervals
    screen >after
    cmp before after || fail "it does not stand still:" "$(diff before after)"
    key p
    hides '^\[paused\]'
    screen_changes() { ! screen | cmp -s before; }
    poll_until 10 screen_changes || fail "it stays paused"
    key z p # resets the profile, and pauses
    shows '^\[paused\].*'
    shows 'all [0-2] s:'
    key q
    left_with 0
    end_target
}

case_write() {
    begin_target
    open_terminal 80 24 "\"\$PTPROFIL\" top -F 500 -p $target"
    shows 'spin_hot'
    key W
    shows '^write to: ptprofil-top.txt'
    key Enter
    shows 'the view is written to ptprofil-top.txt'
    grep -q 'spin_hot  *shown' ptprofil-top.txt || fail "$(cat ptprofil-top.txt)"
    key W
    key C-u
    key -l 'all.folded'
    key Enter
    shows 'the whole profile is written to all.folded'
    expect_share all.folded spin_hot 50
    # A profile that is written while sampling goes on has timestamps.
    key W
    key C-u
    key -l 'all.perf'
    key Enter
    shows 'the whole profile is written to all.perf'
    report --between=..200s -o part.folded all.perf
    expect_share part.folded spin_hot 50
    awk '/^[^\t]/ { for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+\.[0-9]+:$/) { if ($i + 0 > 600) exit 1; seen = 1 } }
        END { exit !seen }' all.perf || fail "times are not since the beginning:" "$(head -n 1 all.perf)"
    key W
    key C-u
    key -l '/none/such/x.html'
    key Enter
    shows "cannot write '/none/such/x.html': No such file"
    key W
    key C-u
    key -l 'x.nonsense'
    key Enter
    shows "'x.nonsense': "
    key q
    left_with 0
    end_target
}

# A stored profile on the same screen. Leaves with the status of report.
case_stored() {
    within 30 "$PTPROFIL" -q -F 1000 -o stored.pb.gz -- "$TARGETS/mix" -s 0.3 || fail "status $?"
    open_terminal 100 24 "\"\$PTPROFIL\" report -i stored.pb.gz"
    shows '^ptprofil report: stored.pb.gz'
    shows 'spin_half'
    hides 'last [0-9]* s'
    key / spin_half Enter
    hides 'spin_fifth'
    key Enter
    shows 'in: spin_half'
    shows ' work +mix'
    key A
    shows '^work in mix: .*including'
    key BSpace
    shows 'in: spin_half'
    key q
    left_with 0
    within 10 "$PTPROFIL" report -i stored.pb.gz >out 2>err </dev/null || fail "status $? without a terminal"
    grep -q 'spin_half' out || fail "no table without a terminal" "$(cat out err)"
}

case_sizes() {
    local size
    begin_target
    open_terminal 20 5 "\"\$PTPROFIL\" top -F 500 -p $target"
    shows '%  spin_hot'
    key Down
    key w
    shows 'thread'
    key w
    key w
    for size in '200 50' '9 2' '1 1' '40 8' '80 24'; do
        # shellcheck disable=SC2086  # two numbers
        set -- $size
        mux resize-window -x "$1" -y "$2"
        [ "$1" -lt 20 ] || shows '  spin_hot'
    done
    key q
    left_with 0
    end_target
}

case_waiting() {
    begin_target
    open_terminal 100 24 "\"\$PTPROFIL\" top --clock=wall -p $target"
    shows '\[waiting\]'
    shows '\[(clock_)?nanosleep\] [a-z_]+(: [a-z_]+)? +\[kernel\]'
    key Enter
    shows 'in: \['
    shows ' main +shown'
    key q
    left_with 0
    end_target
}

# Signals, and a terminal that vanishes: the terminal is restored, and the profiled program runs on.
case_signals() {
    local sig front
    for sig in TERM HUP INT; do
        rm -f ready status
        begin_target
        open_terminal 80 24 "stty -a >before; \"\$PTPROFIL\" top -F 500 -p $target; echo \$? >status; stty -a >after; echo done >done"
        shows 'spin_hot'
        front=$(pgrep -o -f "^$PTPROFIL top -F 500 -p $target") # the oldest: the others are its children
        kill "-$sig" "$front"
        poll_until 20 test -s done || fail "it does not end by $sig:" "$(screen)"
        cmp before after || fail "the terminal is not as it was after $sig" "$(diff before after)"
        end_target
        mux kill-server
        rm -f done
    done
}

case_terminal_goes() {
    begin_target
    open_terminal 80 24 "exec \"\$PTPROFIL\" top -F 500 -p $target"
    shows 'spin_hot'
    mux kill-server
    poll_until 20 is_untraced "$target" || fail "it is still traced"
    end_target
}

# Ctrl-Z restores the terminal until fg.
case_stopped() {
    need tmux
    terminal=$SRANDOM
    begin_target
    unset TMUX
    export SHELL=/bin/sh PTPROFIL TARGETS TERM=screen PS1='$ ' HISTFILE=
    mux new-session -d -x 80 -y 24 -c "$PWD" 'bash --norc --noprofile -i' || skip "no terminal here"
    trap 'mux kill-server 2>/dev/null' EXIT
    key -l "\"\$PTPROFIL\" top -F 500 -p $target" && key Enter
    shows '%.* spin_hot'
    key C-z
    shows 'Stopped'
    screen_lacks 'self +total' || fail "$(screen)"
    key -l 'stty -a | grep -o -w -e -echo -e echo >echoes; fg' && key Enter
    shows 'self +total'
    [ "$(head -n 1 echoes)" = echo ] || fail "the terminal was left without an echo"
    key q
    hides 'self +total'
    poll_until 20 is_untraced "$target" || fail "it is still traced" # the terminal is restored before
    end_target
}

# The command's output does not destroy the screen, and ptprofil ends with the command's status.
case_command() {
    open_terminal 80 24 '"$PTPROFIL" top -F 500 -- "$TARGETS/shown" -s 3 -e 7'
    shows 'goes to .*--command-output=FILE'
    shows 'spin_hot'
    shows '^\[ended\] ptprofil top'
    shows '^the command has ended with status 7'
    screen_lacks 'shown prints this' || fail "$(screen)"
    key q
    left_with 7
    mux kill-server
    rm -f status
    open_terminal 80 24 '"$PTPROFIL" top -F 500 --command-output=log -- "$TARGETS/shown" -s 600 -e 7'
    shows 'spin_hot'
    [ "$(cat log)" = 'shown prints this' ] || fail "its output: $(cat log)"
    key q
    shows 'Ctrl-C ends it'
    key C-c # ends the command
    left_with 130
}

# A command that reads the terminal gets the end of its input.
case_command_input() {
    open_terminal 80 24 '"$PTPROFIL" top -- sh -c "cat >got; exit 3"'
    shows 'ended with status 3'
    key q
    left_with 3
}

case_tables() {
    local status=0
    begin_target
    within 60 "$PTPROFIL" top -F 500 --interval=1 -d 3 -n 3 -p "$target" >out 2>err || status=$?
    [ $status = 0 ] || fail "status $status: $(cat err)"
    [ ! -s err ] || fail "$(cat err)"
    [ "$(grep -c '^ptprofil top: ' out)" -ge 2 ] || off "not a table each second:" "$(cat out)"
    grep -q '^\[ended\] ptprofil top: ' out || fail "no last table:" "$(cat out)"
    sed -n '/^\[ended\]/,$p' out >last
    [ "$(sed -n 6p last | grep -oE 'spin_hot')" = spin_hot ] || off "the hottest is not the first:" "$(cat last)"
    grep -q '([0-9]* more rows)' last || fail "$(cat last)"
    ! grep -q "$(printf '\033')" out || fail "escapes in a file"
    end_target
    within 60 "$PTPROFIL" top -F 500 --interval=1 -- "$TARGETS/shown" -s 2 -e 5 >out 2>err || status=$?
    [ $status = 5 ] || fail "status $status"
    [ "$(cat out)" = 'shown prints this' ] || fail "the command's output: $(cat out)"
    grep -q spin_hot err || fail "no table:" "$(cat err)"
}

# The reader of the tables ends: ptprofil ends, too.
case_tables_to_nobody() {
    begin_target
    { "$PTPROFIL" top -F 500 --interval=1 -p "$target"; echo $? >status; } 2>err | head -n 1 >first
    poll_until 20 test -s status || fail "it goes on"
    grep -q '^ptprofil top: ' first || fail "$(cat first)"
    end_target
}

case_dumb_terminal() {
    begin_target
    open_terminal 80 24 "TERM=dumb \"\$PTPROFIL\" top -F 500 --interval=1 -d 2 -p $target"
    shows 'no full screen'
    shows 'spin_hot'
    left_with 0
    end_target
}

case_ends_with_what_is_profiled() {
    local status=0
    begin_target
    open_terminal 80 24 "\"\$PTPROFIL\" top -F 500 -p $target"
    shows 'spin_hot'
    kill -TERM "$target"
    shows '^\[ended\] ptprofil top'
    shows 'what was profiled has ended'
    shows 'spin_hot'
    key z # after the end, reset does nothing
    key s
    shows '\*total'
    shows 'spin_hot'
    key q
    left_with 0
    wait "$target" || status=$?
    [ $status = 143 ] || fail "status $status of the target"
}

case_not_found() {
    local status=0
    within 20 "$PTPROFIL" top -- /none/such 2>err || status=$?
    [ $status = 127 ] || fail "status $status: $(cat err)"
    grep -q '/none/such' err || fail "$(cat err)"
    status=0
    within 20 "$PTPROFIL" top -p 4194305 2>err || status=$?
    [ $status = 125 ] || fail "status $status: $(cat err)"
}

# A name that would clear the terminal is shown as text.
case_strange_names() {
    need gcc
    ln -s "$TARGETS/shown" "$(printf 'a\033[2Jb')"
    open_terminal 80 24 '"$PTPROFIL" top -F 500 --by=process -- ./a*'
    shows '^ptprofil top: ./a.x1b\[2Jb'
    shows 'hot|a.x1b'
    key q
    shows 'Ctrl-C ends it'
    shows 'a.x1b.2Jb'
    key C-c
    left_with 130
}

run_cases "$@"

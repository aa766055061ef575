#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The page of the html format: its numbers (viewer.js), and its use in a browser (browse.py).

. "$(dirname "$0")/lib.sh"

find_chromium() {
    command -v chromium || command -v chromium-browser || command -v google-chrome
}

# used PAGE WAY [FUNCTION...]: opens PAGE in the browser and tests it; see browse.py.
used() {
    local program
    program=$(find_chromium) || skip "no chromium here"
    need python3
    within 120 python3 "$script_dir/browse.py" "$program" "$@" || fail "status $?"
}

# recorded FILE... -- ARGUMENT...: runs ptprofil with ARGUMENTs once, and writes the profile to each FILE.
recorded() {
    local options=()
    while [ "$1" != -- ]; do
        options+=(-o "$1")
        shift
    done
    within 60 "$PTPROFIL" -q -F 1000 "${options[@]}" "${@:2}" >out 2>err || fail "status $?: $*" "$(cat err)"
}

reckoned() { # reckoned [PAGE]: tests the page's calculations, and prints PAGE's total
    node "$script_dir/viewer.js" "$source_dir/data" "$@" 2>viewer.err || fail "viewer.js:" "$(cat viewer.err)"
}

long_reckoned() {
    need node
    local total
    reckoned
    recorded a.html a.folded -- -- "$TARGETS/recursion" 300
    total=$(reckoned a.html) || exit 1
    near "total, us" $((total / 1000)) "$(total_of a.folded)" 1
}

# The page shows a flame graph and a table, zooms, searches, works with the keyboard, keeps the view in its address, and
# loads nothing from elsewhere.
long_browser() {
    recorded a.html -- -- "$TARGETS/mix" -s 0.5
    used a.html all spin_half
}

# A comparison of two runs: the page has both totals, and is used in the same way.
long_difference() {
    need node
    need_stored_profiles
    local totals
    recorded before.pb.gz before.folded -- -- "$TARGETS/mix" -s 0.2
    recorded after.pb.gz after.folded -- -- "$TARGETS/mix" -s 0.3
    within 30 "$PTPROFIL" report --diff=before.pb.gz -o a.html after.pb.gz || fail "status $?"
    totals=$(reckoned a.html) || exit 1
    near "total, us" $((${totals% *} / 1000)) "$(total_of after.folded)" 1
    near "base, us" $((${totals#* } / 1000)) "$(total_of before.folded)" 1
    used a.html difference spin_half
}

# sample COMM PID/TID MILLISECONDS FUNCTION...: a sample as perf script prints it, the innermost function first.
sample() {
    local name
    printf '%s %s 1.0: %d000000 cpu-clock:\n' "$1" "$2" "$3"
    for name in "${@:4}"; do
        printf '\t401000 %s+0x1 (/bin/%s)\n' "$name" "$1"
    done
    echo
}

# shown FILE: makes a page of these samples.
shown() {
    within 30 "$PTPROFIL" report -o a.html "$1" >out 2>err || fail "status $?" "$(cat err)"
}

long_threads() {
    { sample one 10/10 4 own common && sample helper 10/11 2 common && sample two 20/20 2 common && sample two 20/20 1 common caller &&
        sample one 30/30 1 common; } >a.perf
    sed -i 's,/bin/helper,/bin/one,' a.perf
    shown a.perf
    used a.html threads
}

long_towers() {
    { sample prog 1/1 100000 wide main &&
        for i in 1 2 3; do sample prog 1/1 60 "deepest$i" $(printf "deep$i-%d " {1..400}) main; done; } >a.perf
    shown a.perf
    used a.html towers
}

long_heights() {
    need perl
    perl -e 'print "sleepy 1/1 1.0: 1000000 cpu-clock:\n", map("\t401000 f$_+0x1 (/bin/deep)\n", 1 .. 120), "\n"' >a.perf
    shown a.perf
    used a.html heights
}

long_waits() {
    recorded a.html -- --clock=wall -- "$TARGETS/waits" -s 1
    used a.html waits
}

# The program spends its time first in one function, and then in another one.
long_times() {
    recorded a.html -- -- "$TARGETS/phases" -m 300
    used a.html times phase_first phase_second
    sed -i 's/"untilNs":0,/"untilNs":1500000000,/' a.html
    used a.html limit
}

# The marks of the recording can be chosen on the page.
long_marks() {
    local phase pid status=0
    "$PTPROFIL" -q -F 1000 --control=ctl -o a.html -- "$TARGETS/phases" -w go 2>err &
    pid=$!
    for phase in first second; do
        poll_until 60 test -e "go.$phase" || fail "the target has not come to $phase:" "$(cat err)"
        echo "mark </script><b>$phase" >ctl
        sleep 0.2 # until the mark is recorded
        : >"go.$phase.go"
    done
    : >go.end.go
    wait "$pid" || status=$?
    [ "$status" = 0 ] || fail "status $status" "$(cat err)"
    used a.html marks phase_first phase_second
}

long_names() {
    need objcopy
    objcopy -g --redefine-sym spin_half=_ZNSt6vectorIiSaIiEE9push_backERKi "$TARGETS/mix" renamed || skip "no such names here"
    recorded a.html -- -- ./renamed -s 0.5
    used a.html names 'std::vector<int, std::allocator<int> >::push_back(int const&)' 'std::vector<...>::push_back'
}

# rank NUMBER ARGUMENT...: profiles ./job as this rank, and writes the file rank.NUMBER.pb.gz.
rank() {
    OMPI_COMM_WORLD_RANK=$1 OMPI_COMM_WORLD_SIZE=3 within 60 "$PTPROFIL" -q -F 1000 -o rank.%r.pb.gz -- ./job "${@:2}" >out 2>err ||
        fail "rank $1: status $?" "$(cat err)"
}

long_ranks() {
    need objcopy
    objcopy -g --redefine-sym spin_fifth=MPI_Barrier "$TARGETS/mix" job || skip "no such names here"
    rank 0 -s 0.3 && rank 2 -s 0.5
    within 30 "$PTPROFIL" report -o a.html rank.?.pb.gz || fail "status $?"
    used a.html ranks spin_half
}

long_cut_stacks() {
    recorded a.html -- --stack-bytes=4096 -- "$TARGETS/deep"
    grep -q '^"frameName.*"\[truncated\]"' a.html || fail "no stack is cut"
    used a.html cut
}

same() { # same WHAT SEEN WANTED
    [ "$2" = "$3" ] || fail "$1: '$2' instead of '$3'" "$(cat err)"
}

# opened ARGUMENT...: makes a page with --open; the browser is a script that writes its arguments, its user and its input.
opened() {
    cat >browser <<-'END'
	#!/bin/sh
	{ printf '%s\n' "$#" "$1"; id -u; wc -c; } >"$SHOWN.new" && mv "$SHOWN.new" "$SHOWN"
	END
    chmod 755 browser
    rm -f shown
    echo typed | SHOWN=$PWD/shown BROWSER=${browser-/no/such:$PWD/browser} within 60 "$PTPROFIL" "$@" >out 2>err ||
        fail "status $?" "$(cat err)"
}

# The page of -o, or a temporary one, is shown by one program with its address as the only argument.
case_open() {
    need_stored_profiles
    local page name='-a #%?&;"$(x) ü.html'
    opened -o a.pb.gz -o "./${name/\%/%%}" --open "$PTPROFIL" version
    poll_until 30 test -e shown || fail "no browser was run" "$(cat err)"
    same "arguments, user, input" "$(sed -n '1p;3,$p' shown | xargs)" "1 $(id -u) 0"
    same address "$(sed -n 2p shown)" "file://$PWD/-a%20%23%25%3F%26%3B%22%24%28x%29%20%C3%BC.html"
    TMPDIR=$PWD opened report --open a.pb.gz
    poll_until 30 test -e shown || fail "no browser was run for a stored profile" "$(cat err)"
    page=$(echo "$PWD"/ptprofil-*/profile.html)
    same "a temporary page" "$(sed -n 2p shown)" "file://$page"
    same "only its owner reads it" "$(stat -c %a "${page%/*}")" 700
    grep -q '^</html>' "$page" || fail "the page is not complete"
    [ ! -s out ] || fail "a table, too:" "$(cat out)"
    same message "$(cat err)" "ptprofil: the page is '$page'"
}

# Without a browser, a message says so, and the page is there.
case_open_without_browser() {
    need_stored_profiles
    recorded a.pb.gz -- -- "$PTPROFIL" version
    (
        unset DISPLAY WAYLAND_DISPLAY
        browser='' opened report -o a.html --open a.pb.gz
        same message "$(cat err)" \
            "ptprofil: --open: cannot show 'a.html': there is no display, and BROWSER is not set; open it in a browser yourself"
        browser=/bin/false:/no/such opened report -o a.html --open a.pb.gz
        same message "$(cat err)" \
            "ptprofil: --open: cannot show 'a.html': no program of \$BROWSER does it; open it in a browser yourself"
    ) || exit
    grep -q '^</html>' a.html || fail "the page is not complete"
    TMPDIR=$PWD within 30 "$PTPROFIL" report --open missing.pb.gz >out 2>err && fail "a missing profile is shown"
    [ ! -e "$(echo ptprofil-*)" ] || fail "left behind:" "$(ls -d ptprofil-*)"
}

# As root by sudo, the browser runs as the user who called sudo, and may read the temporary page.
case_open_by_sudo() {
    need_stored_profiles
    need_root
    chmod 711 ..
    recorded a.pb.gz -- -- "$PTPROFIL" version
    umask 077
    TMPDIR=$PWD SUDO_UID=65534 SUDO_GID=65534 opened report --open a.pb.gz
    poll_until 30 test -e shown || fail "no browser was run" "$(cat err)"
    same user "$(sed -n 3p shown)" 65534
    same "owners of the folder and the page" "$(stat -c %u ptprofil-*/ ptprofil-*/profile.html | xargs)" "65534 65534"
}

case_nothing() {
    sleep 600 &
    local sleeper=$!
    poll_until 10 has_execed $sleeper && poll_until 10 is_asleep $sleeper || fail "it does not sleep"
    within 60 "$PTPROFIL" -q -d 0.1 -o a.html -p $sleeper >out 2>err || fail "status $?" "$(cat err)"
    kill $sleeper
    used a.html nothing
}

run_cases "$@"

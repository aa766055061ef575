# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Sourced after lib_intervals.sh by tests that send profiles to a server (push_server.py). Skips the script if ptprofil
# cannot send.

with_curl=true
"$PTPROFIL" --version | grep -q 'libcurl  *left out' && with_curl=false
! $with_curl || [ "$(ldconfig -p 2>/dev/null | grep -c 'libcurl[-a-z]*.so.4')" -gt 0 ] || { echo "SKIP: libcurl4 is not installed"; exit 77; }

start_server() { # start_server MODE [PORT|SOCKET]: sets port and server
    need python3
    mkdir -p got
    rm -f port
    echo "$1" >mode
    python3 "$script_dir/push_server.py" port got ${2:-} 2>server.err &
    server=$!
    poll_until 20 test -s port || fail "no server" "$(cat server.err)"
    port=$(cat port)
}

set_mode() {
    echo "$*" >mode.new
    mv mode.new mode
}

requests() { # requests [MODE]: prints how many the server received (in MODE)
    cat got/*.headers 2>/dev/null | grep -c "^mode ${1:-}"
}

came() { # came N [MODE]: the server received at least N requests (in MODE)
    [ "$(requests ${2:-})" -ge "$1" ]
}

start_work() { # start_work OPTION...
    "$PTPROFIL" --every=100ms "$@" -- "$scratch/work" over 1 2>err &
    front=$!
}

end_work() {
    local status=0
    : >over
    wait $front || status=$?
    [ $status = 0 ] || fail "status $status" "$(cat err)"
    [ -s times ] || fail "the command did not end"
}

expect_all_time() {
    near "CPU time in s" "$(awk -v us="$(total_of all.folded)" 'BEGIN { print us / 1e6 }')" \
        "$(awk -v us="$(told_us)" 'BEGIN { print us / 1e6 }')" \
        "$(awk -v us="$(told_us)" 'BEGIN { print 0.05 + us / 1e6 / 20 }')"
}

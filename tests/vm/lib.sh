# SPDX-License-Identifier: MIT
#
# Sourced by scripts that change the whole machine, and therefore run only in an emulated one (made by tests/vm/run).

# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"

[ -e /run/machine ] || { echo "SKIP: not in a machine of its own: make check-vm"; exit 77; }

groups=/sys/fs/cgroup
options='--max-overhead=off'

begin_steady() { # begin_steady COMMAND...: COMMAND starts a busy target; sets target to its pid
    rm -f ready end result
    "$@" "$TARGETS/steady" -s 1 -e end -r ready -o result &
    target=$!
    poll_until 60 test -s ready || fail "the target does not run"
}

# Ends the target, which must be untraced, and must have found no disturbance.
end_steady() {
    is_untraced "$target" || fail "it is still traced"
    : >end
    wait "$target" || fail "the target's status is $?"
    [ "$(head -n 1 result)" = ok ] || fail "it was touched: $(cat result)"
}

# begin_sampling RATE COMMAND...: starts COMMAND, which writes its own measurement to "truth", under ptprofil. Sets
# front to ptprofil's pid, and target to COMMAND's.
begin_sampling() {
    local rate=$1
    shift
    "$PTPROFIL" -v -F "$rate" $options -o profile.folded -- "$@" -o truth 2>err &
    front=$!
    poll_until 20 has_begun || fail "it does not run:" "$(cat err)"
}

has_begun() {
    local pid name
    for pid in $(<"/proc/$front/task/$front/children"); do
        { read -r name <"/proc/$pid/comm"; } 2>/dev/null
        [ "$name" != mix ] || { target=$pid; return 0; }
    done
    return 1
}

# Waits for ptprofil. The shares and the sum must agree with the measurement of mix.
end_sampling() {
    local status=0 name total chance
    poll_until 30 is_gone_or_zombie $front || fail "it does not end" "$(show_family $front)" "$(tail -n 5 err)"
    wait $front || status=$?
    [ $status = 0 ] || fail "status $status" "$(cat err)"
    sed -n '/ samples of [0-9]* due/,$s/^ */  /p' err
    chance=$(sed -n 's/.*: \([0-9]*\) samples of .*/\1/p' err | awk '{ print 300 / sqrt($1) }') # four deviations, for a share of 50 %
    total=$(truth_of truth total)
    for name in spin_half spin_three_tenths spin_fifth; do
        near "$name, %" "$(percent "$(weight_of profile.folded $name)" "$(total_of profile.folded)")" \
            "$(percent "$(truth_of truth $name)" "$total")" "$chance"
    done
    near "sum of the weights, ms" "$(percent "$(total_of profile.folded)" 100000)" "$(percent "$total" 100000)" \
        "$(percent "$total" 10000000)"
}

make_group() { # make_group NAME: makes a control group; sets group to its folder
    echo '+cpuset +cpu +memory' >$groups/cgroup.subtree_control || skip "no control groups here"
    group=$groups/$1
    mkdir -p "$group"
}

is_traced() {
    ! is_untraced "$target"
}

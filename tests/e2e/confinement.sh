#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Each process of ptprofil can do what doc/SECURITY.md's table says, and no more. CMD can do all that it could without
# ptprofil.

. "$(dirname "$0")/lib.sh"

hostile=$(dirname "$TARGETS")/e2e/hostile_process

# cells PROCESS: the lines "TRY yes|no" of its column in the table.
cells() {
    awk -F'|' -v process="$1" '
        /^\| what/ { for (i = 3; i < NF; i++) { gsub(/ /, "", $i); if ($i == process) column = i } }
        column && /^\| `/ { try = $2; sub(/^ *`/, "", try); sub(/`.*/, "", try); cell = $column; gsub(/ /, "", cell); print try, cell }
    ' "$source_dir/doc/SECURITY.md"
}

# tries_of COMMAND...: COMMAND runs the hostile process. What the table refuses must fail in each process. What it allows
# must work, if an unconfined process may do it here.
tries_of() {
    local process try wanted result alone
    : >others
    chmod 600 others
    [ "$(id -u)" != 0 ] || chown $nobody others
    "$@" "$hostile" all "$PWD/others" >all.out || fail "status $?: $*"
    for process in tracer front reader sender objdump; do
        "$@" "$hostile" $process "$PWD/others" >$process.out || fail "status $?: $*"
        cells $process >cells
        [ "$(cut -d ' ' -f 1 cells | sort)" = "$(cut -d ' ' -f 1 $process.out | sort)" ] ||
            fail "the table has other tries than $process:" "$(cat cells $process.out)"
        while read -r try wanted; do
            result=$(sed -n "s/^$try //p" $process.out) alone=$(sed -n "s/^$try //p" all.out)
            printf '  %-8s %-12s %-12s unconfined: %s\n' $process "$try" "$result" "$alone"
            case $wanted-$result in
            yes-done | no-[!d]*) ;;
            yes-*) [ "$alone" != "done" ] || fail "$process cannot $try: $result: $*" ;;
            *) fail "$process can $try: $*" ;;
            esac
        done <cells
    done
}

case_hostile_root() {
    [ "$(id -u)" = 0 ] || skip "needs root"
    is_sanitized && skip "the sanitizer's own calls are refused"
    tries_of env
    for try in open create socket connect signal ptrace memory exec fork user mount chroot namespace; do
        grep -q "^$try done" all.out || echo "  not tested, as an unconfined process cannot: $try"
    done
    grep -q '^ptrace done' all.out && grep -q '^exec done' all.out || fail "the tries fail without reason:" "$(cat all.out)"
}

# Without capabilities the filters stay.
case_hostile_user() {
    need_root
    is_sanitized && skip "the sanitizer's own calls are refused"
    tries_of "${as_nobody[@]}"
}

# Sandboxes that forbid user namespaces, or the newer of the two calls that set filters.
case_hostile_in_sandbox() {
    need_root # an ordinary user's sender may open what its user may
    is_sanitized && skip "the sanitizer's own calls are refused"
    tries_of "$TARGETS/refuse" unshare
    tries_of "$TARGETS/refuse" seccomp
}

# Environments for commands: root as in a container, without some capabilities and user namespaces, or with another root
# directory; a /proc that hides processes.
container_rights=-all,+chown,+dac_override,+fowner,+fsetid,+kill,+setgid,+setuid,+setpcap,+net_raw,+sys_chroot,+mknod,+setfcap,+sys_ptrace
in_container=(setpriv --bounding-set=$container_rights --inh-caps=-all)
# shellcheck disable=SC2016  # expanded there
in_last_namespace=(unshare --user --map-root-user sh -c 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"' - "${in_container[@]}")
# shellcheck disable=SC2016
in_other_root=(unshare --mount sh -c 'mkdir -p root && mount --rbind / root && exec chroot root "$@"' -)
# shellcheck disable=SC2016
with_hidden=(unshare --mount sh -c 'mount -t proc -o hidepid=2 proc /proc && exec "$@"' -)

case_hostile_in_container() {
    need_root
    is_sanitized && skip "the sanitizer's own calls are refused"
    "${in_container[@]}" true 2>/dev/null || skip "setpriv cannot take capabilities"
    tries_of "${in_container[@]}"
    tries_of "${in_container[@]}" "$TARGETS/refuse" unshare
    ! "${in_last_namespace[@]}" true 2>/dev/null || tries_of "${in_last_namespace[@]}"
    ! "${with_hidden[@]}" true 2>/dev/null || tries_of "${with_hidden[@]}"
}

has_confined_reader_or_ends() {
    has_confined_reader "$1" || is_gone_or_zombie "$1"
}

# confined_as_told COMMAND...: where COMMAND runs a recording, the reader has no capabilities, and doctor names exactly the
# other parts that it lacks.
confined_as_told() {
    local front reader told lacks
    "$@" true 2>/dev/null || { echo "  not tested: $*"; return; }
    "$@" "$PTPROFIL" doctor >doctor 2>&1 || :
    told=$(sed -n 's/.* reader .* does not get here: //p' doctor)
    rm -f profile.folded # of another user
    "$@" "$PTPROFIL" -q -F 500 -o profile.folded -- "$TARGETS/mix" -s 600 >out 2>err &
    front=$!
    poll_until 20 has_confined_reader_or_ends "$front"
    has_confined_reader "$front" || fail "no reader with a filter: $*" "$(show_family $front)" "$(cat err)"
    reader=$(reader_of "$front")
    lacks=$(
        [ "$(status_field "$front" Uid)" != "$(status_field "$reader" Uid)" ] || [ "$(id -u)" != 0 ] ||
            [[ " $* " = *" --reuid="* ]] || echo 'another user'
        [ "$(readlink "/proc/$front/ns/net")" != "$(readlink "/proc/$reader/ns/net")" ] || echo 'namespaces without a network'
        [[ $(readlink "/proc/$reader/root") = */fdinfo ]] || echo 'an empty root directory'
    )
    [ "$(status_field "$reader" CapPrm)$(status_field "$reader" CapEff)" = "$(printf %032d 0)" ] &&
        [ "$(status_field "$reader" NoNewPrivs)" = 1 ] || fail "it has rights: $*" "$(rights_of "$reader")"
    printf '  %s\n    lacks: %s\n' "$*" "${lacks//$'\n'/, }"
    kill -TERM "$front"
    wait "$front" || :
    [ "$told" = "${lacks//$'\n'/, }" ] || fail "doctor says: $told" "$(cat doctor)"
}

case_doctor_says_what_the_reader_lacks() {
    [ -n "$(status_field $$ Seccomp_filters)" ] || skip "this kernel does not count filters"
    is_sanitized && skip "the sanitizer's own calls are refused"
    need_root # only root can read the reader's links
    confined_as_told env
    confined_as_told "$TARGETS/refuse" unshare
    confined_as_told "${in_container[@]}"
    confined_as_told "${in_container[@]}" "$TARGETS/refuse" unshare
    confined_as_told "${in_last_namespace[@]}"
    confined_as_told "${in_other_root[@]}"
    confined_as_told "${with_hidden[@]}"
    confined_as_told "${as_nobody[@]}"
    confined_as_told "${as_nobody[@]}" "$TARGETS/refuse" unshare
    confined_as_told "${with_hidden[@]}" "${as_nobody[@]}"
}

rights_of() { # rights_of PID: what the kernel says
    sed -n '/^Cap\(Prm\|Eff\|Bnd\|Amb\|Inh\)\|^NoNewPrivs\|^Seccomp/p' "/proc/$1/status"
}

case_command_keeps_all() {
    sed -n '/^Cap\|^NoNewPrivs\|^Seccomp/p' /proc/self/status >alone
    "$PTPROFIL" -q -o profile.folded -- sed -n '/^Cap\|^NoNewPrivs\|^Seccomp/p' /proc/self/status >profiled || fail "status $?"
    cmp alone profiled || fail "it has other rights:" "$(diff alone profiled)"
    need_root
    "${as_nobody[@]}" sed -n '/^Cap\|^NoNewPrivs\|^Seccomp/p' /proc/self/status >alone
    "${as_nobody[@]}" "$PTPROFIL" -q -o /dev/null --format=folded -- sed -n '/^Cap\|^NoNewPrivs\|^Seccomp/p' /proc/self/status >profiled || fail "status $?"
    cmp alone profiled || fail "it has other rights:" "$(diff alone profiled)"
}

case_recording_is_confined() {
    local tracer pid
    [ -n "$(status_field $$ Seccomp_filters)" ] || skip "this kernel does not count filters"
    "$PTPROFIL" -q -o profile.folded -- sleep 60 2>err &
    front=$!
    poll_until 20 is_filtered "$front" || fail "the front has no filter" "$(rights_of $front)" "$(cat err)"
    tracer=$(tracer_of "$front")
    poll_until 20 is_filtered "$tracer" || fail "the tracer has no filter" "$(rights_of "$tracer")"
    if [ "$(id -u)" = 0 ]; then
        for pid in $front $tracer; do
            [ $((0x$(status_field "$pid" CapPrm) & 1 << 21)) = 0 ] || fail "$pid has CAP_SYS_ADMIN" "$(rights_of "$pid")"
            [ "$(status_field "$pid" CapBnd)" = "$(status_field "$pid" CapPrm)" ] || fail "its bounds:" "$(rights_of "$pid")"
        done
    fi
    kill -TERM $front
    wait $front || :
}

# trace_of OPTION...: a recording of running processes, each of whose system calls goes into a file trace/t.PID. The calls
# of the tracer, its threads and its children are then in tracer.calls, with their results.
trace_of() {
    local pid next
    rm -rf trace
    mkdir trace
    "$TARGETS/mix" >/dev/null 2>&1 &
    target=$!
    sh -c 'while :; do /bin/true; done' &
    shell=$!
    poll_until 10 has_execed $target || fail "it does not begin"
    within 60 strace -ff -o trace/t "$PTPROFIL" -q -d 1 "$@" -p $target,$shell -o profile.folded 2>err || fail "status $?" "$(cat err)"
    kill $target $shell 2>/dev/null
    wait $target $shell 2>/dev/null
    next=$(grep -l 'PR_SET_NAME, "pt-tracer"' trace/t.*)
    : >tracer.calls
    while [ -n "$next" ]; do
        # shellcheck disable=SC2086  # names are words
        cat $next >>tracer.calls
        # shellcheck disable=SC2046,SC2086
        next=$(sed -n 's/^clone.* = \([0-9]*\)$/trace\/t.\1/p' $next)
    done
}

# Every call in the tracer's list is made by an ordinary recording, or its line says who makes it. None was refused.
case_calls_of_the_tracer() {
    need strace
    is_sanitized && skip "the sanitizer makes other calls"
    sed -n '/allowed\[\] = {/,/^};/s/^ *ALLOW[A-Z_]*(\([a-z_0-9]*\)[^)]*),$/\1/p' "$source_dir/src/tracer/loop/confine.c" | sort -u >listed
    [ "$(wc -l <listed)" -ge 20 ] || fail "the list was not found"
    local attempt
    : >all.calls
    for attempt in 1 2 3 4 5; do # on a busy machine, a recording may not come to a rare call
        trace_of -F 500
        cat tracer.calls >>all.calls
        trace_of -F 500 --clock=wall --calls=on
        cat tracer.calls >>all.calls
        ! grep ' EACCES ' all.calls || fail "a call was refused"
        sed -n 's/^\([a-z_0-9]*\)(.*/\1/p' all.calls | sort | uniq -c | tee counted | awk '{ print $2 }' | sort | comm -13 - listed >missing
        [ -s missing ] || break
        echo "attempt $attempt: not called: $(tr '\n' ' ' <missing)"
    done
    cat counted
    [ ! -s missing ] || fail "allowed, without a comment, and not called: $(cat missing)"
}

# The compiler's protections are in the program, and in each object of it.
case_hardening() {
    need readelf nm
    local build=${TARGETS%/tests/targets} without
    grep -q '^HARDENING_CFLAGS = .*-fcf-protection' "$build/Makefile" 2>/dev/null || skip "built without hardening, or for another processor"
    readelf -hlWd "$PTPROFIL" >parts
    grep -q 'Type: *DYN' parts || fail "it is not position-independent"
    grep -q GNU_RELRO parts && grep -q 'BIND_NOW\|FLAGS_1.*NOW' parts || fail "its tables can be written"
    grep -q 'GNU_STACK.* RW ' parts || fail "its stack is executable"
    nm -D "$PTPROFIL" | grep -q __stack_chk_fail || fail "no stack protector"
    is_sanitized || nm -D "$PTPROFIL" | grep -q '__snprintf_chk' || fail "no _FORTIFY_SOURCE"
    readelf -nW "$PTPROFIL" | grep -q 'x86 feature:.*SHSTK' || fail "it does not support shadow stacks" "$(readelf -nW "$PTPROFIL")"
    without=$(find "$build/src" -name '*.o' ! -path '*/libpcsample/*' | while read -r object; do
        readelf -nW "$object" | grep -q 'x86 feature: IBT, SHSTK' || echo "$object"
    done)
    [ -z "$without" ] || fail "objects without both protections:" "$without"
}

run_cases "$@"

#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Several outputs of one run agree with each other, and with the tools that read them.

. "$(dirname "$0")/lib.sh"

# recorded OPTION... -- COMMAND...
recorded() {
    within 30 "$PTPROFIL" -F 1000 "$@" >out 2>err || fail "status $?: $*" "$(cat err)"
}

case_folded() {
    recorded -q -o profile.folded -- "$TARGETS/mix" -s 0.3
    ! grep -vE '^[^;]+(;[^;]+)+ [0-9]+$' profile.folded || fail "a malformed line"
    [ ! -s err ] && [ ! -s out ] || fail "not quiet: $(cat err out)"
    [ "$(sort profile.folded | sed 's/ [0-9]*$//' | uniq -d | wc -l)" = 0 ] || fail "a stack twice"
}

case_several() {
    recorded -o one.folded -o two.txt --format=folded -o three -o four.gmon -- "$TARGETS/mix" -s 0.3
    for file in one.folded two.txt three four.gmon; do
        [ -s $file ] || fail "no $file"
    done
    cmp one.folded three || fail "--format is for the next output"
    grep -q spin_half two.txt || fail "$(cat two.txt)"
    [ "$(head -c 4 four.gmon)" = gmon ] || fail "not gmon"
    grep -q spin_half err || fail "no flat profile on standard error"
}

case_flat_on_stdout() {
    within 20 "$PTPROFIL" -q -F 1000 --format=flat -o /dev/stdout -- "$TARGETS/mix" -s 0.3 >out || fail "status $?"
    grep -q spin_half out || fail "$(cat out)"
}

case_format_over_ending() {
    recorded -q --format=flat -o profile.folded -- "$TARGETS/mix" -s 0.3
    grep -q 'spin_half' profile.folded && ! grep -qE '^mix;' profile.folded || fail "$(cat profile.folded)"
}

long_gmon() {
    need gprof
    local percent name truth
    for program in names_pie:named_work names_nopie:named_work names_static:named_work; do
        name=${program#*:} program=${program%:*}
        recorded -q -o out.gmon -- "$TARGETS/$program" plain 600
        gprof -b -p "$TARGETS/$program" out.gmon >gprof.out 2>gprof.err || fail "gprof fails:" "$(cat gprof.err)"
        percent=$(awk -v name="$name" '$NF == name { print $1; exit }' gprof.out)
        awk -v p="${percent:-0}" 'BEGIN { exit !(p > 80) }' || off "$program: $name has ${percent:-no} %" "$(cat gprof.out)"
    done

    recorded -q -o out.gmon -- "$TARGETS/mix" -s 2 -o truth
    gprof -b -p "$TARGETS/mix" out.gmon >gprof.out 2>gprof.err || fail "gprof fails:" "$(cat gprof.err)"
    for name in spin_half spin_three_tenths spin_fifth; do
        truth=$(awk -v name=$name '$1 == name { part = $2 } $1 == "total" { print 100 * part / $2 }' truth)
        near "gprof's $name, %" "$(awk -v name=$name '$NF == name { print $1; exit }' gprof.out)" "$truth" 5
    done
}

# In the gmon format, each object has its own file.
long_gmon_of_library() {
    need gprof
    cp "$TARGETS/plugin.so" .
    recorded -q -o out.gmon -- "$TARGETS/loader" ./plugin.so 400
    [ -s out.gmon ] && [ -s out.gmon.plugin.so ] || fail "files: $(echo out*)"
    gprof -b -p plugin.so out.gmon.plugin.so >gprof.out 2>gprof.err || fail "gprof fails:" "$(cat gprof.err)"
    awk '$NF == "plugin_work" && $1 > 80 { found = 1 } END { exit !found }' gprof.out || off "$(cat gprof.out)"
}

case_by() {
    local by pattern
    while read -r by pattern; do
        recorded --by=$by -- "$TARGETS/mix" -s 0.3
        grep -qE "$pattern" err || fail "--by=$by: no $pattern" "$(cat err)"
    done <<'END'
function spin_half
module mix
process mix
thread mix
END
    recorded --by=syscall -- "$TARGETS/kernel_half" -s 0.4
    grep -q read err || fail "--by=syscall" "$(cat err)"
}

case_quiet_and_verbose() {
    recorded -q -- "$TARGETS/mix" -s 0.1
    [ ! -s err ] || fail "-q says: $(cat err)"
    recorded -v -- "$TARGETS/mix" -s 0.1
    [ -s err ] || fail "-v says nothing"
}

# Colours are used on terminals only, and not with NO_COLOR.
case_colours() {
    recorded -- "$TARGETS/mix" -s 0.2
    ! grep -q $'\033' err || fail "colours in a file"
    recorded -o flat.txt -- "$TARGETS/mix" -s 0.2
    ! grep -q $'\033' flat.txt || fail "colours in a file"
    need_terminal
    NO_COLOR=1 TERM=xterm within 20 script -qec "'$PTPROFIL' -F 1000 -- '$TARGETS/mix' -s 0.2" typescript >seen ||
        fail "status $?"
    grep -q spin_half seen || fail "$(cat seen)"
    ! grep -qE $'\033\\[[0-9;]*m' seen || fail "colours in spite of NO_COLOR:" "$(cat -v seen)"
}

# A flat profile that leaves out rows says so. Names may be cut, totals may not.
case_total() {
    recorded -o profile.folded -- "$TARGETS/mix" -s 0.3
    grep -qE '^ *[0-9]+ +[0-9.]+ +100' err || fail "no total:" "$(cat err)"
}

# A standard error that is closed or full does no harm to the command.
case_no_standard_error() {
    local status=0
    within 20 sh -c 'exec "$@" 2>&-' - "$PTPROFIL" -- sh -c 'echo x; exit 3' >out || status=$?
    [ "$(cat out)" = x ] || fail "$(cat out)"
    [ -e /dev/full ] || return 0
    status=0
    within 20 "$PTPROFIL" -- sh -c 'echo x; exit 3' >out 2>/dev/full || status=$?
    [ $status = 3 ] && [ "$(cat out)" = x ] || fail "status $status: $(cat out)"
}

measures=gmon
run_cases "$@"

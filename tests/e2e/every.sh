#!/bin/bash
# SPDX-License-Identifier: MIT
#
# --every: a profile of each interval. Together they have all CPU time exactly once, and memory does not grow with their
# number.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_intervals.sh"

measures="sums"

files() { # files FOLDER: prints the number of its files
    local list=("$1"/*.pb.gz)
    [ -e "${list[0]}" ] && echo ${#list[@]} || echo 0
}

at_least() { # at_least FOLDER N
    [ "$(files "$1")" -ge "$2" ]
}

number() { # number FILE KEY: the first number of that name in the JSON
    sed -n "s/.*\"$2\": *\([0-9.]*\).*/\1/p" "$1" | head -n 1
}

case_sums() {
    local samples=0 file
    mkdir all
    "$PTPROFIL" --every=250ms -o 'all/%t.pb.gz' -- "$scratch/work" /dev/null 40 2>err || fail "status $?" "$(cat err)"
    [ ! -s err ] || fail "it said something:" "$(cat err)"
    [ "$(files all)" -ge 3 ] || fail "$(files all) intervals: $(ls all)"
    "$PTPROFIL" report -q -o all.folded all/*.pb.gz || fail "status $? of report"
    near "CPU time in s" "$(awk -v us="$(total_of all.folded)" 'BEGIN { print us / 1e6 }')" \
        "$(awk -v us="$(told_us)" 'BEGIN { print us / 1e6 }')" \
        "$(awk -v us="$(told_us)" 'BEGIN { print 0.05 + us / 1e6 / 50 }')"
    for file in all/*; do
        "$PTPROFIL" report -q --format=json -o one.json "$file" || fail "$file: status $?"
        samples=$((samples + $(number one.json samples)))
    done
    "$PTPROFIL" report -q --format=json -o all.json all/*.pb.gz
    [ "$samples" = "$(number all.json samples)" ] && [ "$samples" -gt 0 ] || fail "$samples samples, $(cat all.json)"
}

# Each interval begins when the one before ended.
case_times() {
    mkdir all
    "$PTPROFIL" --every=200ms -o 'all/%t.pb.gz' -- "$scratch/work" /dev/null 15 2>err || fail "status $?" "$(cat err)"
    for file in all/*; do
        "$PTPROFIL" report -q --format=json -o one.json "$file" || fail "$file: status $?"
        echo "$(number one.json began_ns) $(number one.json wall_ns)"
    done >table
    awk 'NR > 1 && ($1 - ended > 5e7 || ended - $1 > 5e7) { print NR ": " $1 " after " ended; wrong = 1 }
         { ended = $1 + $2 } END { exit wrong || NR < 2 }' table >wrong || fail "gaps:" "$(cat wrong table)"
}

# A thread that always waits is in each interval, although it is sampled only once.
case_waits() {
    mkdir all
    "$PTPROFIL" --clock=wall --every=300ms -o 'all/%t.pb.gz' -- sleep 3 2>err || fail "status $?" "$(cat err)"
    [ "$(files all)" -ge 2 ] || fail "$(files all) intervals: $(ls all)"
    "$PTPROFIL" report -q -o all.folded all/*.pb.gz || fail "status $? of report"
    near "waiting in s" "$(awk -v us="$(matching_weight all.folded 'nanosleep')" 'BEGIN { print us / 1e6 }')" 3 0.5
}

case_filter() {
    mkdir all text
    "$PTPROFIL" --every=250ms --comm=work -o 'all/%t.pb.gz' -o 'text/%t.txt' -- "$scratch/work" /dev/null 15 2>err ||
        fail "status $?" "$(cat err)"
    [ "$(files all)" -ge 1 ] && [ -s "$(echo text/* | cut -d ' ' -f 1)" ] || fail "nothing written: $(ls all text)"
    "$PTPROFIL" report -q -o all.folded all/*.pb.gz || fail "status $? of report"
    expect_absent all.folded '^bash;'
    [ "$(process_weight all.folded work)" -gt 0 ] || fail "nothing left:" "$(cat all.folded)"
}

# Files that cannot be written are reported, and the command is not disturbed.
case_lost() {
    local status=0
    mkdir all
    "$PTPROFIL" --every=100ms -o 'all/%t/x.pb.gz' -- "$scratch/work" over 1 2>err &
    local front=$!
    poll_until 20 sh -c 'ls all/*/x.pb.gz 2>/dev/null | grep -q .' || fail "nothing was written" "$(cat err)"
    mv all away
    : >all
    # The folder can be gone before the interval's folder is made in it, or before its file is written.
    poll_until 20 grep -q "lost: cannot .*'all/" err || fail "nothing was said" "$(cat err)"
    rm all
    mkdir all
    poll_until 20 sh -c 'ls all/*/x.pb.gz 2>/dev/null | grep -q .' || fail "it does not go on" "$(cat err)"
    : >over
    wait $front || status=$?
    [ $status = 125 ] || fail "status $status" "$(cat err)"
    [ "$(grep -c 'is lost' err)" = 1 ] || fail "said more than once" "$(cat err)"
    [ -s times ] || fail "the command did not end"
}

# The child that writes an interval is stopped: the next interval does not wait for it, and no samples are lost.
case_held() {
    local front status=0
    mkdir all
    "$PTPROFIL" --every=100ms -o 'all/%t.pb.gz' -- "$scratch/work" over 1 2>err &
    front=$!
    poll_until 20 at_least all 1 || fail "nothing was written" "$(cat err)"
    stop_writer() {
        local child
        for child in $(cat /proc/$front/task/$front/children); do
            [ "$(cat "/proc/$child/comm" 2>/dev/null)" = pt-interval ] && kill -STOP "$child" && held=$child && return
        done
        return 1
    }
    local held=
    poll_until 60 stop_writer || fail "no child was seen"
    is_stopped "$held" || poll_until 10 is_stopped "$held" || { : >over; wait $front; skip "it ended before it was stopped"; }
    : >over
    poll_until 20 test -s times || fail "the command did not end"
    kill -CONT "$held"
    wait $front || status=$?
    [ $status = 0 ] || fail "status $status" "$(cat err)"
    "$PTPROFIL" report -q -o all.folded all/*.pb.gz || fail "status $? of report"
    near "CPU time in s" "$(awk -v us="$(total_of all.folded)" 'BEGIN { print us / 1e6 }')" \
        "$(awk -v us="$(told_us)" 'BEGIN { print us / 1e6 }')" \
        "$(awk -v us="$(told_us)" 'BEGIN { print 0.05 + us / 1e6 / 20 }')"
}

# A process has the name of its first thread from the first interval on. Its other thread has another name.
case_name_of_process() {
    local target
    mkdir all
    "$TARGETS/shown" -r ready -s 600 &
    target=$!
    poll_until 20 test -e ready || fail "no target"
    "$PTPROFIL" --every=100ms -d 500ms -o 'all/%t.folded' -p $target 2>err || fail "status $?" "$(cat err)"
    kill $target
    cut -d ';' -f 1 all/* | sort -u >names
    [ "$(cat names)" = hot ] || fail "its names:" "$(cat names)"
}

# No process needs to run at the beginning, nor the folder to exist.
case_search_before_the_first() {
    local target status=0
    cp "$TARGETS/steady" later-service
    "$PTPROFIL" --every=1s --name=later-service -o 'made/%t.pb.gz' 2>err &
    front=$!
    poll_until 20 is_asleep $front || fail "it does not wait" "$(cat err)"
    ./later-service -s 600 &
    target=$!
    poll_until 20 is_traced $target || fail "not attached" "$(cat err)"
    works $target 200
    kill -INT $front
    wait $front || status=$?
    [ $status = 0 ] && [ ! -s err ] || fail "status $status" "$(cat err)"
    kill $target
    "$PTPROFIL" report --by=process -n all made/*.pb.gz >read 2>err || fail "status $? of report" "$(cat err)"
    grep -q later-service read || fail "it is missing" "$(cat read)"
}

# Processes that come later are found, also when all others have gone.
case_search() {
    local name=ptprofil-sought first second third status=0
    mkdir all
    ln -s "$(command -v bash)" $name
    ./$name -c 'while :; do :; done' &
    first=$!
    poll_until 20 sh -c '[ "$(cat /proc/$1/comm)" = "$2" ]' - $first ptprofil-sought || fail "no target"
    "$PTPROFIL" --every=100ms --name=$name -o 'all/%t.pb.gz' 2>err &
    front=$!
    poll_until 20 is_traced $first || fail "not attached" "$(cat err)"
    ./$name -c 'bash -c "echo \$\$ >child; while :; do :; done" & while :; do :; done' &
    second=$!
    poll_until 30 is_traced $second || fail "the second is not attached" "$(cat err)"
    poll_until 30 test -s child || fail "no child"
    poll_until 30 is_traced "$(cat child)" || fail "its child is not attached" "$(cat err)"
    for pid in $first $second "$(cat child)"; do
        works "$pid" 200
    done
    kill $first $second "$(cat child)"
    wait $first $second 2>/dev/null
    ./$name -c 'while :; do :; done' &
    third=$!
    poll_until 30 is_traced $third || fail "the third is not attached" "$(cat err)"
    poll_until 30 has_used_ms $third 200 || fail "the third does not run"
    kill -INT $front
    wait $front || status=$?
    [ $status = 0 ] && [ ! -s err ] || fail "status $status" "$(cat err)"
    is_untraced $third || fail "the third is still traced"
    kill $third
    "$PTPROFIL" report --by=process -n all all/*.pb.gz >read 2>err || fail "status $? of report" "$(cat err)"
    for pid in $first $second $third "$(cat child)"; do
        grep -q " $pid\$" read || fail "process $pid is missing" "$(cat read)"
    done
}

# With --duty a process is traced for a part of the time. In between, others can trace it.
case_duty() {
    local target status=0 file round
    mkdir all
    bash -c 'while :; do :; done' &
    target=$!
    "$PTPROFIL" --duty=300ms/1500ms -p $target -o 'all/%t.pb.gz' 2>err &
    front=$!
    for round in 1 2; do
        poll_until 20 is_traced $target || fail "round $round: not attached" "$(cat err)"
        poll_until 20 is_untraced $target || fail "round $round: still attached" "$(cat err)"
        poll_until 20 at_least all $round || fail "round $round: no file" "$(cat err)"
    done
    kill -INT $front
    wait $front || status=$?
    [ $status = 0 ] && [ ! -s err ] || fail "status $status" "$(cat err)"
    is_untraced $target || fail "still traced"
    kill $target
    for file in all/*; do
        "$PTPROFIL" report -q --format=json -o one.json "$file" || fail "$file: status $?"
    done
    "$PTPROFIL" report -q -o all.folded all/*.pb.gz || fail "status $? of report"
    [ "$(process_weight all.folded bash)" -gt 0 ] || off "nothing was seen" "$(cat all.folded)"
}

# --duty with -p ends when the last of these processes has ended, or after --duration.
case_duty_ends() {
    local front target
    mkdir all more
    sleep 600 &
    target=$!
    "$PTPROFIL" --duty=10ms/200ms -p $target -o 'all/%t.pb.gz' 2>err &
    front=$!
    poll_until 20 at_least all 3 || fail "$(ls all)" "$(cat err)"
    kill $target
    poll_until 20 is_gone_or_zombie $front || fail "it goes on without a process"
    wait $front || fail "status $?" "$(cat err)"
    sleep 600 &
    "$PTPROFIL" --duty=10ms/200ms -d 0.5 -p $! -o 'more/%t.pb.gz' 2>err || fail "status $?" "$(cat err)"
    is_untraced $! || fail "still traced"
    kill $!
    at_least more 1 || fail "nothing was written"
}

# After --duration, ptprofil sleeps until the command ends.
case_after_duration() {
    local front quiet=0
    mkdir all
    mkfifo end
    "$PTPROFIL" --every=100ms -d 300ms -o 'all/%t.pb.gz' -- cat end 2>err &
    front=$!
    poll_until 20 has_tracer || fail "no tracer: $(show_family $front)" "$(cat err)"
    poll_until 20 has_no_tracer || fail "it samples on: $(show_family $front)" "$(cat err)"
    poll_until 10 stays_asleep || fail "it does not sleep: $(used_ms $front) ms of CPU time" "$(cat err)"
    : >end
    wait $front || fail "status $?" "$(cat err)"
    at_least all 2 || fail "$(files all) intervals: $(ls all)"
}

has_tracer() {
    [ "$(tracer_of "$front")" ]
}

has_no_tracer() {
    ! has_tracer
}

# Succeeds when the front was found asleep ten times in a row.
stays_asleep() {
    is_asleep "$front" && quiet=$((quiet + 1)) || quiet=0
    [ $quiet -ge 10 ]
}

# Prints a process's private memory. The ring of messages, which becomes resident only gradually, is not in it.
rss_kb() {
    status_field "$1" RssAnon | tr -dc 0-9
}

# Prints the private memory of the process that parses files of programs.
names_kb() {
    rss_kb "$(reader_of "$1")"
}

case_reader_has_no_rights() {
    local front reader field user=()
    [ "$(id -u)" != 0 ] || user=(--reader-user=65533)
    mkdir all
    "$PTPROFIL" "${user[@]}" --every=50ms -o 'all/%t.pb.gz' -- "$scratch/work" over 1 2>err &
    front=$!
    poll_until 600 at_least all 2 || fail "$(files all) intervals" "$(cat err)"
    poll_until 60 has_confined_reader $front || fail "no reader" "$(cat err)"
    reader=$(reader_of $front)
    cat "/proc/$reader/status" >status
    grep -q "^NoNewPrivs:.*1$" status && grep -q "^Seccomp:.*2$" status || fail "it may do more:" "$(cat status)"
    for field in CapInh CapPrm CapEff CapAmb; do
        grep -q "^$field:[[:space:]]*0*$" status || fail "it has capabilities:" "$(cat status)"
    done
    [ "$(id -u)" != 0 ] || grep -qP "^Uid:\t65533\t65533\t65533\t65533$" status || fail "another user:" "$(cat status)"
    : >over
    wait $front || fail "status $?" "$(cat err)"
    "$PTPROFIL" report all/*.pb.gz >out 2>&1 && ! grep -q '\[unknown\]' out || fail "names are missing:" "$(cat out)"
}

grows_little() { # grows_little FIRST COUNT: compares memory after FIRST intervals with memory after COUNT
    local front before names
    mkdir all
    "$PTPROFIL" --every=10ms -F 1000 -o 'all/%t.pb.gz' -- "$scratch/work" over 1 2>err &
    front=$!
    poll_until 600 at_least all "$1" || fail "$(files all) intervals" "$(cat err)"
    before=$(rss_kb $front)
    names=$(names_kb $front)
    poll_until 600 at_least all "$2" || fail "$(files all) intervals" "$(cat err)"
    echo "  $before kB after $1 intervals, $(rss_kb $front) after $2"
    echo "  the process of names: $names kB, then $(names_kb $front)"
    [ "$(rss_kb $front)" -le $((before + 1000)) ] || fail "memory grows"
    [ "$(names_kb $front)" -le $((names + 2000)) ] || fail "memory of names grows"
    : >over
    wait $front || fail "status $?" "$(cat err)"
}

case_memory() {
    ! is_sanitized || skip "a sanitizer keeps freed memory"
    grows_little 5 20
}

long_memory() {
    grows_little 100 600
}

# run_new_files N TARGETS: runs N new executable files and removes them. Two programs take turns. On a busy machine
# intervals take longer, so after every tenth file it waits for the profile of an interval.
cat >"$scratch/run_new_files" <<'END'
#!/bin/bash -e
await_interval() { # a new file changes the time of its folder
    local round
    for ((round = 0; round < 30000; round++)); do
        [ ! all -nt ten ] || return 0
        read -r -t 0.02 _ <>go_on || :
    done
    return 1
}
for ((i = 0; i < $1; i++)); do
    rm -f new.*
    if ((i % 2)); then
        cp "$2/mix" new.$i
        ./new.$i -s 0.01 -p 1000
    else
        cp "$2/brief" new.$i
        ./new.$i thread 10 truth
    fi
    ((i % 10)) || : >ten
    ((i % 10 < 9)) || await_interval
done
: >done
read -r _ <go_on || :
times >times
END
chmod +x "$scratch/run_new_files"

# new_files FIRST COUNT KB: after COUNT files, the front has few of them open, and at most KB kB of memory more than after
# FIRST. It finds all names and counts all time.
new_files() {
    local front before=
    mkdir all
    mkfifo go_on
    "$PTPROFIL" --every=100ms -F 1000 -o 'all/%t.pb.gz' -- "$scratch/run_new_files" "$2" "$TARGETS" 2>err &
    front=$!
    poll_until 600 test -e "new.$1" -o -e done || fail "it does not run" "$(cat err)"
    before=$(rss_kb $front)
    poll_until 600 test -e done || fail "it does not run" "$(cat err)"
    echo "  $before kB after $1 files, $(rss_kb $front) after $2, $(find "/proc/$front/fd" -type l | wc -l) open"
    [ "$(find "/proc/$front/fd" -type l | wc -l)" -le 150 ] || fail "open files" "$(ls -l "/proc/$front/fd")"
    [ "$(rss_kb $front)" -le $((before + $3)) ] || fail "memory grows"
    : >go_on
    wait $front || fail "status $?" "$(cat err)"
    "$PTPROFIL" report -q -o all.folded all/*.pb.gz || fail "status $? of report"
    near "CPU time in s" "$(awk -v us="$(total_of all.folded)" 'BEGIN { print us / 1e6 }')" \
        "$(awk -v us="$(told_us)" 'BEGIN { print us / 1e6 }')" \
        "$(awk -v us="$(told_us)" 'BEGIN { print 0.05 + us / 1e6 / 50 }')"
    grep '^new\.[0-9]*;' all.folded | awk '
        { split($1, f, ";"); split(f[1], name, "."); w = $NF; sub(/ [0-9]+$/, ""); all += w }
        /;(spin_|rounds_)/ && name[2] % 2 == 0 || /;brief_/ && name[2] % 2 == 1 { print "of another file: " $0; wrong = 1 }
        /;spin_half|;spin_three_tenths|;spin_fifth|;brief_most/ { named += w }
        END { print "  " named " of " all " us have names"; exit wrong || !named || named < all / 3 }' >names_found ||
        fail "names:" "$(head -30 names_found)"
    cat names_found
}

case_new_files() {
    ! is_sanitized || skip "a sanitizer keeps freed memory"
    new_files 80 240 1000
}

long_new_files() {
    new_files 300 1300 1000
}

refused() { # refused TEXT OPTION...
    local status=0
    "$PTPROFIL" "${@:2}" -- true 2>err || status=$?
    [ $status = 125 ] && grep -q -e "$1" err || fail "${*:2}: status $status" "$(cat err)"
}

case_refused() {
    refused 'needs a name' --every=1s
    refused 'add %t' --every=1s -o x.pb.gz
    refused 'not a time from 10ms' --every=1ms -o %t.pb.gz
    refused 'cannot write --format=gmon' --every=1s --format=gmon -o %t.out
    refused 'do not go together' --every=1s -o %t.pb.gz --fail-if='x > 1%'
    [ "$(echo *)" = err ] || fail "left over: $(echo *)"
}

run_cases "$@"

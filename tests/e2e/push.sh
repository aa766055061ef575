#!/bin/bash
# SPDX-License-Identifier: MIT
#
# --push: the server receives complete profiles. A slow, dead or lying server does not disturb the command.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_intervals.sh"
. "$(dirname "$0")/lib_push.sh"

take_apart() { # take_apart FILE...: decodes pushed profiles into parts/, and adds up their stacks in all.folded
    mkdir -p parts
    python3 "$script_dir/push_parts.py" parts "$@" || fail "it cannot be decoded"
    ! grep -l -a -e secret -e password parts/*.pb parts/*.labels || fail "a command line was sent"
    "$PTPROFIL" report -q -o all.folded parts/*.pb.gz || fail "status $? of report"
}

case_pyroscope() {
    need protoc
    start_server ok
    OTEL_SERVICE_NAME=shop "$PTPROFIL" --every=200ms --push="pyroscope+http://127.0.0.1:$port/" \
        --push-label=site=$'caf\xc3\xa9' -- "$scratch/work" /dev/null 15 2>err || fail "status $?" "$(cat err)"
    [ ! -s err ] || fail "it said something:" "$(cat err)"
    [ "$(ls got/*.push.v1.PusherService-Push | wc -l)" -ge 2 ] || fail "$(ls got)"
    grep -q -i '^content-type: application/proto$' got/0001.headers || fail "$(cat got/0001.headers)"
    take_apart got/*Push
    expect_all_time
    cat parts/*.labels | grep -v -e '^unit=' -e '^container_id=' | sort -u >labels
    printf '%s\n' __name__=process_cpu "hostname=$(hostname)" process=bash process=work service_name=shop site=café |
        LC_ALL=C sort >expected
    LC_ALL=C sort -o labels labels
    cmp expected labels || fail "labels:" "$(cat labels)"
    if command -v go >/dev/null; then
        go tool pprof -raw parts/0000.pb.gz >raw 2>raw.err || fail "pprof: $(cat raw.err)"
        grep -q 'PeriodType: cpu nanoseconds' raw && grep -q '^samples/count cpu/nanoseconds' raw || fail "$(head raw)"
    fi
}

# Processes of another rank, systemd unit or container have their own series.
case_labels() {
    local group=/sys/fs/cgroup id
    id=$(printf '%064d' $$)
    start_server ok
    [ -e $group/cgroup.procs ] || group=/sys/fs/cgroup/pids
    mkdir -p "$group/ptprofil-$$.service/docker-$id.scope" 2>/dev/null || group=
    [ -n "$group" ] && echo $BASHPID >"$group/ptprofil-$$.service/docker-$id.scope/cgroup.procs" || group=
    PMIX_RANK=3 "$PTPROFIL" --every=1s --push="parca+http://127.0.0.1:$port" -- sh -c 'PMIX_RANK=4 "$0" "$1" "$2"; exit' \
        "$scratch/work" /dev/null 3 2>err || fail "status $?" "$(cat err)"
    take_apart got/*writeraw
    grep -q '^rank=3$' parts/*.labels && grep -q '^rank=4$' parts/*.labels || fail "no rank" "$(cat parts/*.labels)"
    for labels in parts/*.labels; do
        ! grep -q '^process=work$' "$labels" || grep -q '^rank=4$' "$labels" || fail "another rank" "$(cat "$labels")"
    done
    [ -n "$group" ] || { echo "  no process can be moved into a control group here"; return; }
    grep -q "^container_id=$id\$" parts/*.labels || fail "no container" "$(cat parts/*.labels)"
    grep -q "^unit=ptprofil-$$.service\$" parts/*.labels || fail "no unit" "$(cat parts/*.labels)"
    grep -q "^service_name=ptprofil-$$\$" parts/*.labels || fail "no service" "$(cat parts/*.labels)"
    echo $BASHPID >"$group/cgroup.procs"
    rmdir "$group/ptprofil-$$.service/docker-$id.scope" "$group/ptprofil-$$.service" || :
}

case_parca() {
    start_server ok
    "$PTPROFIL" --every=200ms --push="parca+http://127.0.0.1:$port" -- "$scratch/work" /dev/null 15 2>err ||
        fail "status $?" "$(cat err)"
    [ "$(ls got/*.api-profiles-writeraw | wc -l)" -ge 2 ] || fail "$(ls got)"
    take_apart got/*writeraw
    expect_all_time
    grep -q '^process=work$' parts/*.labels && grep -q '^service_name=' parts/*.labels || fail "$(cat parts/*.labels)"
}

case_wall() {
    need protoc go
    start_server ok
    "$PTPROFIL" --every=300ms --clock=wall --push="pyroscope+http://127.0.0.1:$port" -- sleep 1 2>err ||
        fail "status $?" "$(cat err)"
    take_apart got/*Push
    grep -q '^__name__=wall$' parts/*.labels || fail "$(cat parts/*.labels)"
    for part in parts/*.pb.gz; do
        go tool pprof -raw "$part" 2>raw.err || fail "pprof: $(cat raw.err)"
    done >raw
    grep -q '^samples/count cpu/nanoseconds wall/nanoseconds' raw || fail "$(cat raw)"
    near "waiting in s" "$(awk '$1 ~ /^[0-9]+$/ && $3 ~ /^[0-9]+:$/ { sum += $3 - $2 } END { print sum / 1e9 }' raw)" 1 0.4
}

take_otlp_apart() { # take_otlp_apart FILE...: decodes OTLP requests, and adds up their stacks in parts/cpu.folded
    mkdir -p parts
    python3 "$script_dir/otlp_parts.py" parts "$@" || fail "it cannot be decoded"
}

# sum_of FILE: prints the sum of its stacks in nanoseconds.
sum_of() {
    awk '{ sum += $NF } END { printf "%.0f\n", sum }' "$1"
}

case_otlp() {
    need protoc
    start_server ok
    OTEL_SERVICE_NAME=shop "$PTPROFIL" --every=200ms --push="otlp+http://127.0.0.1:$port/" \
        --push-label=site=$'caf\xc3\xa9' -- "$scratch/work" /dev/null 15 2>err || fail "status $?" "$(cat err)"
    [ ! -s err ] || fail "it said something:" "$(cat err)"
    [ "$(ls got/*.v1development-profiles | wc -l)" -ge 2 ] || fail "$(ls got)"
    grep -q -i '^content-type: application/x-protobuf$' got/0001.headers && grep -q -i '^content-encoding: gzip$' got/0001.headers ||
        fail "$(cat got/0001.headers)"
    take_otlp_apart got/*profiles
    near "CPU time in s" "$(awk -v ns="$(sum_of parts/cpu.folded)" 'BEGIN { print ns / 1e9 }')" \
        "$(awk -v us="$(told_us)" 'BEGIN { print us / 1e6 }')" \
        "$(awk -v us="$(told_us)" 'BEGIN { print 0.05 + us / 1e6 / 20 }')"
    grep -q "^host.name=$(hostname) process.executable.name=work service.name=shop site=café$" <(sed 's/^container.id=[^ ]* //' parts/resources) ||
        fail "$(cat parts/resources)"
    grep -q '^profile.frame.type=native$' parts/attributes && grep -q '^process.executable.build_id.gnu=[0-9a-f]*$' parts/attributes ||
        fail "$(cat parts/attributes)"
}

# The same times as in files, to the nanosecond.
case_otlp_agrees_with_pprof() {
    need protoc go
    start_server ok
    "$PTPROFIL" --every=1h --clock=wall --push="otlp+http://127.0.0.1:$port" --push="pyroscope+http://127.0.0.1:$port" -- \
        sh -c 'sleep 0.3; "$1" /dev/null 8' - "$scratch/work" 2>err || fail "status $?" "$(cat err)"
    take_otlp_apart got/*profiles
    mkdir pprof
    python3 "$script_dir/push_parts.py" pprof got/*Push || fail "it cannot be decoded"
    for part in pprof/*.pb.gz; do
        go tool pprof -raw "$part" 2>raw.err || fail "pprof: $(cat raw.err)"
    done | awk '$1 ~ /^[0-9]+$/ && $3 ~ /^[0-9]+:$/ { cpu += $2; wall += $3 } END { printf "%.0f %.0f\n", cpu, wall }' >sums
    [ "$(cat sums)" = "$(sum_of parts/cpu.folded) $(sum_of parts/wall.folded)" ] ||
        fail "pprof: $(cat sums); OTLP: $(sum_of parts/cpu.folded) $(sum_of parts/wall.folded)"
}

# A server accepts a request partially: the rejected part is reported and counted, and the request is not sent again.
case_otlp_partial() {
    start_server partial
    start_work --push="otlp+http://127.0.0.1:$port"
    poll_until 60 came 3 || fail "$(requests) requests" "$(cat err)"
    end_work
    grep -q 'rejects some profiles: too \\x1b\[m$' err || fail "$(cat -v err)"
    grep -q ": $(($(requests) * 2)) profiles rejected" err && [ "$(wc -l <err)" = 2 ] || fail "$(requests) came" "$(cat err)"
}

case_otlp_refused() {
    local status
    for status in 400 500; do
        rm -rf got over times
        start_server $status
        start_work --push="otlp+http://127.0.0.1:$port"
        poll_until 60 came 2 || fail "$(requests) requests" "$(cat err)"
        end_work
        grep -q "refuses profiles: HTTP status $status: no [\\]x1b\[31mred\$" err || fail "$(cat -v err)"
        [ "$(sha256sum got/*profiles | cut -c 1-64 | sort | uniq -d | wc -l)" = 0 ] || fail "$status: sent twice"
        kill $server
        wait $server 2>/dev/null || :
    done
    start_server '429 1'
    rm -f over
    start_work --push="otlp+http://127.0.0.1:$port"
    poll_until 60 came 2 429 || fail "$(requests 429) requests" "$(cat err)"
    set_mode ok
    poll_until 60 grep -q 'takes profiles again' err || fail "$(cat err)"
    end_work
}

# Through a Unix socket, as a local agent may use.
case_unix() {
    start_server ok "$(pwd)/socket"
    start_work --push="parca+unix:$(pwd)/socket"
    poll_until 60 came 2 || fail "$(requests) requests" "$(cat err)"
    end_work
    [ ! -s err ] || fail "it said something:" "$(cat err)"
    grep -q -i '^host: localhost$' got/0001.headers || fail "$(cat got/0001.headers)"
    take_apart got/*writeraw
    expect_all_time
}

# A dead server: profiles that fit into the queue arrive when the server is back.
case_dead() {
    start_server ok
    kill $server
    wait $server 2>/dev/null
    start_work --push="parca+http://127.0.0.1:$port"
    poll_until 20 grep -q 'does not take profiles now' err || fail "nothing was said" "$(cat err)"
    start_server ok "$port"
    poll_until 60 came 5 || fail "$(requests) requests" "$(cat err)"
    poll_until 20 grep -q 'takes profiles again' err || fail "nothing was said" "$(cat err)"
    end_work
    [ "$(wc -l <err)" = 2 ] || fail "said too much" "$(cat err)"
    take_apart got/*writeraw
    expect_all_time
}

# ptprofil obeys Retry-After.
case_retry_after() {
    start_server '503 2'
    start_work --push="parca+http://127.0.0.1:$port"
    poll_until 60 came 2 503 || fail "$(requests 503) requests" "$(cat err)"
    set_mode ok
    poll_until 60 came 3 ok || fail "$(requests) requests" "$(cat err)"
    end_work
    awk '/^mode/ { mode = $2 } /^time/ { if (before ~ /503/ && $2 - last < 2) wrong = 1; last = $2; before = mode }
        END { exit wrong }' got/*.headers || fail "it came back too soon" "$(grep -h -E '^(mode|time)' got/*.headers)"
    take_apart "$(ls got/*writeraw | head -n 1)" $(grep -l '^mode ok' got/*.headers | sed 's/headers/api-profiles-writeraw/')
    tail -n 1 err | grep -q 'takes profiles again' || fail "$(cat err)"
}

# A request that the server rejects is not sent again, and is counted. The server's text does no harm to the terminal.
case_refused() {
    start_server 400
    start_work --push="parca+http://127.0.0.1:$port"
    poll_until 60 came 3 || fail "$(requests) requests" "$(cat err)"
    end_work
    grep -q 'refuses profiles: HTTP status 400: no \\x1b\[31mred' err || fail "$(cat -v err)"
    tail -n 1 err | grep -q ": 0 requests sent, $(requests) lost ($(requests) refused" || fail "$(requests) came" "$(cat err)"
    [ "$(sha256sum got/*writeraw | cut -c 1-64 | sort | uniq -d | wc -l)" = 0 ] || fail "sent twice"
}

# The server accepts requests and never answers, breaks off, or sends nonsense: the command is not disturbed.
case_lying() {
    local mode
    for mode in garbage half endless slow; do
        rm -rf got over times
        start_server $mode
        start_work --push="parca+http://127.0.0.1:$port"
        poll_until 60 came 1 || fail "$mode: nothing came" "$(cat err)"
        end_work
        case $mode in
        endless) [ ! -s err ] || fail "$mode: $(cat err)" ;;
        *) grep -q ' lost (' err || fail "$mode: $(cat err)" ;;
        esac
        kill $server
        wait $server 2>/dev/null || :
    done
}

sender_of() {
    local child
    for child in $(cat "/proc/$1/task/$1/children"); do
        [ "$(cat "/proc/$child/comm" 2>/dev/null)" != pt-sender ] || echo "$child"
    done
}

# Whatever the server does, the processes that trace and send stay small, and each interval is counted as sent or lost.
case_counted() {
    local mode sum files
    for mode in 503 slow dead; do
        rm -rf got all over times
        mkdir all
        start_server $mode
        [ $mode != dead ] || { kill $server && wait $server 2>/dev/null; }
        start_work --push="parca+http://127.0.0.1:$port" -o 'all/%t.pb.gz'
        poll_until 60 sh -c '[ "$(ls all | wc -l)" -ge 8 ]' || fail "$mode: $(ls all | wc -l) intervals" "$(cat err)"
        for process in $front "$(tracer_of $front)" "$(sender_of $front)"; do
            kb=$(status_field "$process" RssAnon | tr -dc 0-9)
            is_sanitized || [ "$kb" -le 16000 ] || fail "$mode: process $process has $kb kB"
        done
        end_work
        files=0
        for file in all/*; do # an interval without samples is not sent
            "$PTPROFIL" report -q -o one.folded "$file" || fail "$file: status $?"
            [ ! -s one.folded ] || files=$((files + 1))
        done
        sum=$(sed -n 's/.*: \([0-9]*\) requests sent, \([0-9]*\) lost .*/\1 \2/p' err | awk '{ print $1 + $2 }')
        echo "  $mode: $sum of $files intervals are counted"
        [ "$sum" = "$files" ] || fail "$mode: not all are counted" "$(cat err)"
        kill $server 2>/dev/null
        wait $server 2>/dev/null || :
    done
}

case_headers() {
    start_server ok
    printf 'X-Scope-OrgID: tenant\r\n\nAuthorization: Bearer word\n' >headers
    "$PTPROFIL" --every=1s --push="parca+http://127.0.0.1:$port" --push-headers=headers -- true 2>err || fail "status $?" "$(cat err)"
    grep -q -i '^x-scope-orgid: tenant$' got/0001.headers && grep -q '^Authorization: Bearer word$' got/0001.headers ||
        fail "$(cat got/0001.headers)"
    status=0
    "$PTPROFIL" --push="parca+http://127.0.0.1:1" --push-headers=none -- true 2>err || status=$?
    [ $status = 125 ] && grep -q "cannot read 'none'" err || fail "status $status" "$(cat err)"
}

# The sending process has none of the tracer's data and descriptors, and the tracer has nothing of libcurl.
case_apart() {
    start_server ok
    start_work --push="parca+http://127.0.0.1:$port"
    poll_until 60 came 1 || fail "nothing came" "$(cat err)"
    local sender tracer
    tracer=$(tracer_of $front)
    for sender in $(cat /proc/$front/task/$front/children); do
        [ "$(cat "/proc/$sender/comm")" = pt-sender ] && break
    done
    ! $with_curl || grep -q libcurl "/proc/$sender/maps" || fail "which is it?" "$(show_family $front)"
    ! grep -q libcurl "/proc/$tracer/maps" "/proc/$front/maps" || fail "libcurl is in the tracer or the front"
    ! ls -l "/proc/$sender/fd" | grep -E '/proc|bash|libc' || fail "it has something open"
    end_work
}

refused() { # refused TEXT OPTION...
    local status=0
    "$PTPROFIL" "${@:2}" -- true 2>err || status=$?
    [ $status = 125 ] && grep -q -e "$1" err || fail "${*:2}: status $status" "$(cat err)"
}

case_options() {
    refused 'not a server such as' --push=http://host
    refused 'not a server such as' --push=pyroscope+ftp://host
    refused 'not a server such as' --push=pyroscope+http://
    refused 'not a server such as' --push=otlp+grpc://host:4317
    refused 'not a server such as' --push=otlp+unix:socket
    $with_curl || refused 'https needs libcurl' --push=otlp+https://host
    refused 'not NAME=VALUE' --push=parca+http://h --push-label=a-b=c
    refused 'not NAME=VALUE' --push=parca+http://h --push-label=__name__=c
    refused 'need --push' --push-label=a=c
}

run_cases "$@"

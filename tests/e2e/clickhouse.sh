#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Profiles are stored as rows in ClickHouse and read back, with a test server, and with ClickHouse if it is installed.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_intervals.sh"
. "$(dirname "$0")/lib_push.sh"

$with_curl || { echo "SKIP: built without libcurl"; exit 77; }

rows_of() { # rows_of FILE...: prints the rows that the server received
    zcat "$@"
}

# expect_same QUERY PROFILE...: the rows of QUERY and the files PROFILE... must have the same functions and times, to
# the nanosecond.
expect_same() {
    report --unsampled=separate --format=csv -n all "${@:2}" | LC_ALL=C sort >of_files
    report --unsampled=separate --format=csv -n all "$1" | LC_ALL=C sort >of_query
    [ "$(wc -l <of_files)" -gt 5 ] || fail "too few functions" "$(cat of_files)"
    cmp of_files of_query || fail "$(diff of_files of_query)"
}

answer_with() { # answer_with FILE: makes the server answer with the bytes of FILE
    cp "$1" answer.new
    mv answer.new answer
    set_mode file
}

case_rows() {
    start_server ok
    mkdir files
    "$PTPROFIL" --every=200ms -o 'files/%t.pb.gz' --push="clickhouse+http://127.0.0.1:$port/shop" \
        --push-label=service_name=web --push-label=site=$'caf\xc3\xa9' -- "$scratch/work" /dev/null 15 2>err ||
        fail "status $?" "$(cat err)"
    [ ! -s err ] || fail "it said something:" "$(cat err)"
    grep -q -i '^content-encoding: gzip$' got/0001.headers || fail "$(cat got/0001.headers)"
    ls got | grep -q '^0001.?database=shop&query=INSERT%20INTO%20ptprofil_rows%20FORMAT%20JSONEachRow$' || fail "$(ls got)"
    rows_of got/*JSONEachRow >rows
    ! grep -e secret -e password rows || fail "a command line was sent"
    grep -v -F '"service":"web"' rows && fail "another service"
    grep -q -F "\"host\":\"$(hostname)\",\"labels\":[\"site=café\"],\"process\":\"work\"" rows || fail "$(head -n 1 rows)"
    python3 "$script_dir/rows_database.py" all got/*JSONEachRow || fail "no answer"
    answer_with all
    expect_same "clickhouse+http://127.0.0.1:$port/shop?service=web" files/*
    for format in flat tree folded html svg speedscope firefox callgrind pprof json rows perf-script; do
        report -q --format=$format -o "out.$format" "clickhouse+http://127.0.0.1:$port/shop"
        [ -s "out.$format" ] || fail "$format: nothing"
    done
    report --unsampled=separate --format=csv --diff="clickhouse+http://127.0.0.1:$port/shop" \
        "clickhouse+http://127.0.0.1:$port/shop" >changes
    awk -F, 'NR > 1 && ($15 || $16) { wrong = 1 } END { exit wrong || NR < 5 }' changes || fail "$(cat changes)"
}

# If the server fails, the request is sent again with the same bytes, so that the same rows are counted once.
case_again() {
    start_server 503
    start_work --push="clickhouse+http://127.0.0.1:$port/shop"
    poll_until 60 came 2 503 || fail "$(requests 503) requests" "$(cat err)"
    set_mode ok
    poll_until 60 came 3 ok || fail "$(requests) requests" "$(cat err)"
    end_work
    cmp got/0001.?database* got/0002.?database* || fail "other bytes"
    python3 "$script_dir/rows_database.py" answer got/*JSONEachRow || fail "no answer"
    set_mode file
    report --format=folded "clickhouse+http://127.0.0.1:$port/shop" >all.folded
    expect_all_time
}

refused_query() { # refused_query MODE TEXT
    local status=0
    set_mode "$1"
    within 30 "$PTPROFIL" report "clickhouse+http://me:word@127.0.0.1:$port/shop?service=x" >out 2>err || status=$?
    [ $status = 125 ] && grep -q -F -e "'clickhouse+http://***@127.0.0.1:$port/shop?service=x' $2" err ||
        fail "$1: status $status" "$(cat -v err)"
    [ ! -s out ] || fail "$1: $(cat out)"
}

# No answer of a server does harm, and the message says what to do.
case_lying() {
    start_server ok
    refused_query ok 'gave an answer that is damaged at byte '
    refused_query 404 'refuses the query: HTTP status 404: no \x1b[31mred'
    refused_query 401 'refuses the query: HTTP status 401: no \x1b[31mred; set a user'
    refused_query garbage 'cannot be reached: '
    refused_query half 'cannot be reached: '
    refused_query endless 'answers with more than 256 MiB; choose a shorter time'
    : >answer
    refused_query file 'has no profile that fits'
    head -c 100000 /dev/urandom >answer
    refused_query file 'gave an answer that is damaged at byte '
    printf "Code: 60. DB::Exception: Table shop.ptprofil_samples doesn't exist" >answer
    refused_query 'file 404' "refuses the query: HTTP status 404: Code: 60. DB::Exception: Table shop.ptprofil_samples doesn't exist; 'ptprofil schema clickhouse' prints the statements"
    kill $server
    wait $server 2>/dev/null
    refused_query ok "cannot be reached: Couldn't connect to server; name the host, and the port"
}

refused_words() { # refused_words TEXT ARGUMENT...
    local status=0
    "$PTPROFIL" "${@:2}" >out 2>err || status=$?
    [ $status = 125 ] && grep -q -F -e "$1" err || fail "${*:2}: status $status" "$(cat err)"
}

case_options() {
    refused_words "'servic=x' is not NAME=VALUE" report 'clickhouse+http://h/db?servic=x'
    refused_words "is not a time such as -1h" report 'clickhouse+http://h/db?from=x'
    refused_words "cannot read 'none'" report --push-headers=none 'clickhouse+http://h/db'
    refused_words 'say: ptprofil schema clickhouse' schema
    refused_words 'say: ptprofil schema clickhouse' schema mysql
    refused_words 'not the name of a cluster' schema clickhouse "a'b"
    "$PTPROFIL" schema clickhouse | grep -q '^CREATE TABLE IF NOT EXISTS ptprofil_rows' || fail "no schema"
}

# start_clickhouse NAME HTTP-PORT TCP-PORT CLUSTER-PORT CLUSTER-PORT: starts the real server, without root, a service
# manager, or files outside of the scratch folder. Sets pid.
start_clickhouse() {
    mkdir -p "$1/data" "$1/tmp"
    cat >"$1/config.xml" <<END
<yandex>
<logger><level>warning</level><log>$PWD/$1/log</log><errorlog>$PWD/$1/errors</errorlog></logger>
<http_port>$2</http_port><tcp_port>$3</tcp_port><listen_host>127.0.0.1</listen_host>
<path>$PWD/$1/data/</path><tmp_path>$PWD/$1/tmp/</tmp_path><mark_cache_size>5368709</mark_cache_size>
<users_config>users.xml</users_config><default_profile>default</default_profile>
<default_database>default</default_database>
<remote_servers><two>
<shard><replica><host>127.0.0.1</host><port>$4</port></replica></shard>
<shard><replica><host>127.0.0.1</host><port>$5</port></replica></shard>
</two></remote_servers>
</yandex>
END
    cat >"$1/users.xml" <<END
<yandex><profiles><default/></profiles><quotas><default/></quotas>
<users><default><password/><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota>
</default></users></yandex>
END
    clickhouse-server --config-file="$PWD/$1/config.xml" >"$1/out" 2>&1 &
    pid=$!
    poll_until 60 answers "$2" || fail "the server does not start" "$(tail -n 3 "$1/out" "$1/errors")"
}

answers() { # answers HTTP-PORT
    [ "$(ask "$1" 'SELECT 1')" = 1 ]
}

ask() { # ask HTTP-PORT [STATEMENT]: sends STATEMENT, by default standard input
    python3 -c 'import sys, urllib.request
try:
    print(urllib.request.urlopen("http://127.0.0.1:%s/" % sys.argv[1], sys.argv[2].encode() if sys.argv[2:] else sys.stdin.buffer.read()).read().decode(), end="")
except OSError as error:
    print(error, getattr(error, "read", lambda: b"")())' "$@"
}

free_ports() { # free_ports N
    python3 -c 'import socket, sys
sockets = [socket.create_server(("127.0.0.1", 0)) for i in range(int(sys.argv[1]))]
print(*(socket.getsockname()[1] for socket in sockets))' "$1"
}

make_tables() { # make_tables HTTP-PORT [CLUSTER]
    local statement
    while IFS= read -r -d ';' statement; do
        statement=$(ask "$1" "$statement")
        [ -z "$statement" ] || fail "$statement"
    done < <("$PTPROFIL" schema clickhouse ${2:-})
}

profile_work() { # profile_work OPTION...: profiles some work into files/, and into the outputs that OPTIONs name
    mkdir files
    "$PTPROFIL" --every=200ms -o 'files/%t.pb.gz' --push-label=service_name=web --push-label="odd=it's \\ é" "$@" \
        -- "$scratch/work" /dev/null 15 2>err || fail "status $?" "$(cat err)"
    [ ! -s err ] || fail "it said something:" "$(cat err)"
}

case_real_server() {
    need clickhouse-server python3
    read -r http tcp other < <(free_ports 3)
    start_clickhouse a "$http" "$tcp" "$tcp" "$other"
    make_tables "$http"
    local url=clickhouse+http://127.0.0.1:$http/default
    profile_work --push="$url"
    expect_same "$url?service=web&from=-1h" files/*
    expect_same "$url?label=odd=it's \\ é&clock=cpu&host=$(hostname)" files/*
    report -q --unsampled=separate -o all.rows files/*
    { echo "INSERT INTO ptprofil_rows FORMAT JSONEachRow" && cat all.rows all.rows; } | ask "$http" >said
    [ ! -s said ] || fail "$(cat said)"
    report -q -o work.pb.gz --comm=work --unsampled=separate files/*
    expect_same "$url?process=work&service=work" work.pb.gz
    refused_words 'has no profile that fits' report "$url?service=web&to=-1h&from=-2h"
    refused_words "Database nowhere doesn't exist" report "clickhouse+http://127.0.0.1:$http/nowhere"
}

# Rows that are sent to both servers of a cluster are counted once. If a server is down, the message names it.
case_two_servers() {
    need clickhouse-server python3
    read -r http other_http tcp other < <(free_ports 4)
    start_clickhouse a "$http" "$tcp" "$tcp" "$other"
    start_clickhouse b "$other_http" "$other" "$tcp" "$other"
    second=$pid
    make_tables "$http" two
    make_tables "$other_http" two
    profile_work --push="clickhouse+http://127.0.0.1:$http/default" \
        --push="clickhouse+http://127.0.0.1:$other_http/default"
    sent=$(report -q --format=json -o - files/* | grep -o '"cpu_ns":[0-9]*' | head -n 1 | tr -dc 0-9)
    poll_until 30 has_time "$http" || fail "$(ask "$http" 'SELECT sum(cpu_ns) FROM ptprofil_samples FINAL'), not $sent"
    expect_same "clickhouse+http://127.0.0.1:$http/default?service=web" files/*
    expect_same "clickhouse+http://127.0.0.1:$other_http/default?service=web" files/*
    kill $second
    wait $second 2>/dev/null
    refused_words "127.0.0.1:$other" report "clickhouse+http://127.0.0.1:$http/default?service=web"
}

has_time() { # has_time HTTP-PORT: the server has all time that was sent
    [ "$(ask "$1" 'SELECT sum(cpu_ns) FROM ptprofil_samples FINAL')" = "$sent" ]
}

run_cases "$@"

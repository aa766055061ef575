#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The ranks of a parallel job: known by what launchers put into the environment; with real launchers where they are.

. "$(dirname "$0")/lib.sh"
need_stored_profiles

# as_rank RANK RANKS COMMAND...: as Open MPI's launcher would start it.
as_rank() {
    OMPI_COMM_WORLD_RANK=$1 OMPI_COMM_WORLD_SIZE=$2 "${@:3}"
}

# ranks_of FILE...: "RANK SAMPLED_NS" of each, in order of the ranks.
ranks_of() {
    report --by=rank --format=csv -o - "$@" >rows.csv
    python3 - rows.csv <<'END'
import csv, sys
for row in sorted(csv.DictReader(open(sys.argv[1])), key=lambda row: row["name"]):
    print(row["name"], row["host"] or "-", row["self_ns"])
END
}

# The processes of a job are apart by their ranks, also where a rank is several of them.
case_by_rank() {
    need python3
    within 60 "$PTPROFIL" -q -o a.pb.gz -- sh -c '
        OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 sh -c "$1 -s 0.2; $1 -s 0.2" - "$1"
        PMI_RANK=1 PMI_SIZE=2 "$1" -s 0.4; SLURM_PROCID=3 "$1" -s 0.1' - "$TARGETS/mix" >out 2>err || fail "status $?" "$(cat err)"
    ranks_of a.pb.gz >ranks
    cat ranks
    [ "$(sed 's/ - .*//; s/ [0-9]*$//' ranks | tr '\n' ' ')" = "0 $(uname -n) 1 $(uname -n) [no rank] " ] || fail "other ranks"
}

# Each rank's own ptprofil writes a file of its own, and only the first one shows a table.
case_files_of_ranks() {
    need python3
    local rank
    for rank in 0 1; do
        as_rank $rank 12 within 60 "$PTPROFIL" -o "d.%h/run.%n.%r.pb.gz" -o run.pb.gz -- "$TARGETS/mix" -s 0.1 >out.$rank 2>err.$rank ||
            fail "rank $rank: status $?" "$(cat err.$rank)"
    done
    ls run.*.pb.gz "d.$(uname -n)"/run.12.*.pb.gz
    [ -s run.00.pb.gz ] && [ -s run.01.pb.gz ] && [ -s "d.$(uname -n)/run.12.01.pb.gz" ] && [ ! -e run.pb.gz ] || fail "other files"
    grep -q 'spin_half' err.0 || fail "rank 0 shows no table:" "$(cat err.0)"
    grep -q -- '-o run.pb.gz: each of the 12 ranks writes a file of its own, this one run.00.pb.gz' err.0 || fail "it is not said"
    [ ! -s err.1 ] || fail "rank 1 speaks, too:" "$(cat err.1)"
    [ "$(ranks_of run.0?.pb.gz | cut -d ' ' -f 1 | tr '\n' ' ')" = "0 1 " ] || fail "other ranks"
    within 10 "$PTPROFIL" -o x.%r.txt true 2>err && fail "%r is known without a job"
    grep -q 'no launcher of parallel jobs' err || fail "$(cat err)"
}

# Other ranks are not traced, and the rows of a job say how its ranks differ.
case_chosen_ranks() {
    need python3
    local rank
    for rank in 0 1 2; do
        as_rank $rank 3 within 60 "$PTPROFIL" -q --only-ranks=0,2 -o run.pb.gz -- "$TARGETS/mix" -s 0.$((rank + 2)) >out 2>err ||
            fail "rank $rank: status $?" "$(cat err)"
    done
    [ -s run.0.pb.gz ] && [ -s run.2.pb.gz ] && [ ! -e run.1.pb.gz ] || fail "other files: $(ls)"
    as_rank 1 3 "$PTPROFIL" --only-ranks=0,2 -- grep TracerPid /proc/self/status >out
    [ "$(tr -dc 0-9 <out)" = 0 ] || fail "rank 1 is traced: $(cat out)"
    within 10 "$PTPROFIL" --only-ranks=0 -- true 2>err && fail "without a job there are ranks"
    grep -q 'use --rank=0' err || fail "$(cat err)"
    report --rank=2 --by=rank --format=csv -o - run.*.pb.gz | cut -d , -f 1 | sed 1d | grep -qx 2 || fail "--rank=2"
    report --spread -o - run.*.pb.gz >spread
    cat spread
    grep -q -E '^2 ranks: computing (9[0-9]|100)' spread && grep -q 'slowest rank 2, +' spread || fail "no such spread"
    report --spread --format=csv -o - run.*.pb.gz >spread.csv
    report --format=csv -o - run.*.pb.gz >rows.csv
    [ "$(awk -F, 'NR > 1 { sum += $NF } END { print sum }' spread.csv)" = \
        "$(python3 -c 'import csv; print(sum(int(row["self_ns"]) for row in csv.DictReader(open("rows.csv"))))')" ] || fail "other sums"
}

# with_launcher LAUNCHER...: the launcher below ptprofil, and ptprofil below the launcher, see the same ranks.
with_launcher() {
    need python3 "$1"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    within 60 "$@" true || skip "$1 cannot run a job here"
    within 60 "$PTPROFIL" -q -o a.pb.gz -- "$@" "$TARGETS/mix" -s 0.5 >out 2>err || fail "status $?" "$(cat err)"
    within 60 "$@" "$PTPROFIL" -q -o b.pb.gz -- "$TARGETS/mix" -s 0.5 >out 2>err || fail "status $?" "$(cat err)"
    ls
    [ -s b.0.pb.gz ] && [ -s b.1.pb.gz ] || fail "not a file for each rank"
    ranks_of a.pb.gz | grep -v '^\[no rank' >above
    ranks_of b.0.pb.gz b.1.pb.gz >below
    cat above below
    [ "$(cut -d ' ' -f 1 above)" = "$(printf '0\n1')" ] && [ "$(cut -d ' ' -f 1 below)" = "$(printf '0\n1')" ] || fail "other ranks"
}

case_open_mpi() {
    with_launcher mpirun.openmpi --oversubscribe -np 2
}

case_mpich() {
    with_launcher mpirun.mpich -np 2
}

# A launcher binds a rank to a CPU. The rank stays there, and ptprofil goes to another one.
case_bound() {
    need taskset
    [ "$(nproc)" -ge 2 ] || skip "one CPU only"
    local cpu pid tracer list
    cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
    taskset -c "$cpu" "$PTPROFIL" -q -o a.txt -- sh -c 'grep Cpus_allowed_list /proc/self/status >mask; : >ready; exec "$1" -s 60' - "$TARGETS/mix" &
    pid=$!
    poll_until 20 test -e ready || fail "the command does not begin"
    [ "$(awk '{ print $2 }' mask)" = "$cpu" ] || fail "the command's CPUs: $(cat mask)"
    list=$(awk '/^Cpus_allowed_list/ { print $2 }' "/proc/$pid/status")
    [ "$list" != "$cpu" ] || fail "the front stays on CPU $list"
    tracer=$(tracer_of "$pid")
    on_another_cpu() { [ "$(awk '/^Cpus_allowed_list/ { print $2 }' "/proc/$tracer/status")" != "$cpu" ]; }
    poll_until 10 on_another_cpu || fail "the tracer $tracer stays on CPU $cpu"
    kill "$(command_of "$pid")"
    wait "$pid" || :
}

run_cases "$@"

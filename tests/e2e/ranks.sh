#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The ranks of a parallel job, known from the launcher's environment variables. Uses real launchers where they are
# installed.

. "$(dirname "$0")/lib.sh"

# need_mpi openmpi|mpich: skips the case without this MPI and its compiler.
need_mpi() {
    need python3 "mpicc.$1" "mpirun.$1"
    echo '#include <mpi.h>' | "mpicc.$1" -E - >/dev/null 2>&1 || skip "no mpi.h of $1 here"
}
need_stored_profiles

# as_rank RANK RANKS COMMAND...: runs COMMAND in the environment that Open MPI's launcher sets for this rank.
as_rank() {
    OMPI_COMM_WORLD_RANK=$1 OMPI_COMM_WORLD_SIZE=$2 "${@:3}"
}

# ranks_of FILE...: prints "RANK SAMPLED_NS" for each rank, in the order of the ranks.
ranks_of() {
    report --by=rank --format=csv -o - "$@" >rows.csv
    python3 - rows.csv <<'END'
import csv, sys
for row in sorted(csv.DictReader(open(sys.argv[1])), key=lambda row: row["name"]):
    print(row["name"], row["host"] or "-", row["self_ns"])
END
}

# The processes of a job are separate by rank, also if a rank has several processes.
case_by_rank() {
    need python3
    within 60 "$PTPROFIL" -q -o a.pb.gz -- sh -c '
        OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 sh -c "$1 -s 0.2; $1 -s 0.2" - "$1"
        PMI_RANK=1 PMI_SIZE=2 "$1" -s 0.4; SLURM_PROCID=3 "$1" -s 0.1' - "$TARGETS/mix" >out 2>err || fail "status $?" "$(cat err)"
    ranks_of a.pb.gz >ranks
    cat ranks
    [ "$(sed 's/ - .*//; s/ [0-9]*$//' ranks | tr '\n' ' ')" = "0 $(uname -n) 1 $(uname -n) [no rank] " ] || fail "other ranks"
}

# The ptprofil of each rank writes its own file, and only the first one prints a table.
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
    grep -q -- '-o run.pb.gz: each of the 12 ranks writes a file of its own, this one run.00.pb.gz' err.0 || fail "not reported"
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
    report --spread --format=json --sort=imbalance -o - run.*.pb.gz |
        python3 -c 'import json, sys; job = json.load(sys.stdin); rows = job["rows"]
assert [rank["rank"] for rank in job["spread"]["ranks"]] == [0, 2], job["spread"]
assert rows and all(sum(row["ns"]) == row["sum_ns"] for row in rows)
assert all(a["imbalance_ns"] >= b["imbalance_ns"] for a, b in zip(rows, rows[1:])), rows' || fail "other JSON"
    within 10 "$PTPROFIL" report --sort=imbalance -o - run.0.pb.gz 2>err && fail "--sort=imbalance without --spread"
    grep -q 'needs --spread' err || fail "$(cat err)"
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

# slurm COMMAND...: runs COMMAND with a Slurm of two nodes, n1 and n2, in its own namespaces, so that processes, ports
# and host name of the machine are not affected.
slurm() {
    local tool
    for tool in unshare ip munged slurmctld slurmd srun sinfo; do
        PATH=$PATH:/usr/sbin:/sbin command -v $tool >/dev/null || skip "no $tool"
    done
    [ "$(id -u)" = 0 ] && unshare --uts --net --pid --fork --mount-proc true 2>err || skip "no namespaces: needs root" "$(cat err)"
    export PATH=$PATH:/usr/sbin:/sbin SLURM_CONF=$PWD/slurm.conf
    mkdir key sock state spool.n1 spool.n2
    chmod 0700 key
    chmod 0755 . sock
    head -c 1024 /dev/urandom >key/key
    chmod 0400 key/key
    cat >slurm.conf <<END
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=$PWD/sock/sock
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$PWD/state
SlurmdSpoolDir=$PWD/spool.%n
SlurmctldPidFile=$PWD/ctld.pid
SlurmdPidFile=$PWD/d.%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
MpiDefault=none
NodeName=n1 NodeHostname=localhost NodeAddr=127.0.0.1 Port=17001 CPUs=2
NodeName=n2 NodeHostname=localhost NodeAddr=127.0.0.1 Port=17002 CPUs=2
PartitionName=p Nodes=n1,n2 Default=YES MaxTime=5 State=UP
END
    # Name look-ups need an address besides the loopback device's.
    within 120 unshare --uts --net --pid --fork --kill-child --mount-proc sh -c '
        hostname localhost && ip link set lo up && ip addr add 192.0.2.1/32 dev lo || exit
        munged --force --key-file="$PWD/key/key" --socket="$PWD/sock/sock" --log-file="$PWD/key/log" \
            --pid-file="$PWD/key/pid" --seed-file="$PWD/key/seed" 2>munged.log || exit
        slurmctld -D 2>ctld.log &
        slurmd -D -N n1 2>n1.log &
        slurmd -D -N n2 2>n2.log &
        for i in $(seq 200); do
            [ "$(sinfo -h -o "%D %t" 2>sinfo.log)" != "2 idle" ] || exec "$@"
            sleep 0.1
        done
        tail -n 5 *.log
        exit 1' - "$@"
}

# Slurm's daemons start the ranks. ptprofil must come after srun on the command line, and says so if it does not.
case_slurm() {
    need python3
    slurm sh -c '
        srun -N2 -n2 "$1" -q -o "%j.%r.pb.gz" -- "$2" -s 0.3 || exit
        "$1" srun -N2 -n2 "$2" -s 0.1 2>err' - "$PTPROFIL" "$TARGETS/mix" >out 2>&1 || fail "status $?" "$(cat out)"
    ls ./*.pb.gz
    ranks_of 1.0.pb.gz 1.1.pb.gz >ranks
    cat ranks
    [ "$(cut -d ' ' -f 1,2 ranks)" = "$(printf '0 localhost\n1 localhost')" ] || fail "other ranks"
    grep -q -F "type: srun -N2 -n2 ptprofil -o run.%r.pb.gz $TARGETS/mix -s 0.1; then:" err || fail "not reported:" "$(cat err)"
}

# spread_of MPI: runs a real job: rank 1 works twice as long as rank 0, which waits for it. Both ways to profile it must
# show this.
spread_of() {
    need_mpi "$1"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    local run=("mpirun.$1" -np 2) by
    [ "$1" != openmpi ] || run+=(--oversubscribe)
    within 60 "${run[@]}" true || skip "mpirun.$1 cannot run a job here"
    "mpicc.$1" -g -O1 "$source_dir/tests/targets/mpi_job.c" -o job >out 2>&1 || fail "$(cat out)"
    within 120 "${run[@]}" "$PTPROFIL" -q -F 1000 -o below.%r.pb.gz -- ./job >out 2>err || fail "status $?" "$(cat err)"
    within 120 "$PTPROFIL" -q -F 1000 -o above.pb.gz -- "${run[@]}" ./job >out 2>err || fail "status $?" "$(cat err)"
    for by in function mpi; do
        report --spread --by=$by -o "below.$by.json" below.?.pb.gz
        report --spread --by=$by -o "above.$by.json" above.pb.gz
    done
    report --by=rank -o ranks.json below.?.pb.gz
    python3 - <<'END' || off "other numbers"
import json
def read(name):
    job = json.load(open(name))
    return job["spread"], {row["name"]: row for row in job["rows"]}, sum(row["sum_ns"] for row in job["rows"])
def check(what, seen, good):
    print(f"  {what}: {seen}" + ("" if good else "  -- WRONG"))
    return good
good = True
for where in "below", "above":
    spread, functions, functions_ns = read(where + ".function.json")
    _, calls, calls_ns = read(where + ".mpi.json")
    one, other = functions["work"]["ns"]
    shares = [rank["mpi_ns"] / rank["ns"] for rank in spread["ranks"]]
    good &= check(where + " work", (one, other), abs(other / one - 2) < 0.15 and functions["work"]["max_rank"] == 1)
    good &= check(where + " shares of MPI", shares, shares[0] > shares[1] and shares[0] > 0.15)
    barrier = calls["MPI_Barrier"]["ns"]
    good &= check(where + " barrier", barrier, barrier[0] > barrier[1] and calls["MPI_Sendrecv"]["sum_ns"] > 0)
    good &= check(where + " waiting", spread["waiting_ns"], barrier[0] - barrier[1] <= spread["waiting_ns"] <= sum(barrier) * 2)
    for rows_ns in functions_ns, calls_ns:
        good &= check(where + " sum of rows", rows_ns, rows_ns == sum(rank["ns"] for rank in spread["ranks"]))
spread, _, _ = read("below.function.json")
good &= check("rows by rank", [row["self_ns"] for row in json.load(open("ranks.json"))["rows"]],
              sorted(row["self_ns"] for row in json.load(open("ranks.json"))["rows"]) == sorted(rank["ns"] for rank in spread["ranks"]))
raise SystemExit(not good)
END
}

case_spread_open_mpi() {
    spread_of openmpi
}

case_spread_mpich() {
    spread_of mpich
}

# reduced MPI: builds ptprofil-mpi with that library, and adds up profiles on several processes.
reduced() {
    need_mpi "$1"
    local built rank np options=() status
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    [ "$1" != openmpi ] || options=(--oversubscribe)
    ! is_sanitized || skip "this ptprofil is sanitized"
    built=$(dirname "$(find_built libreduce.a)") || skip "no libreduce.a has been built"
    within 60 "mpirun.$1" "${options[@]}" -np 2 true || skip "mpirun.$1 cannot run a job here"
    "mpicc.$1" -D_GNU_SOURCE -DVERSION='"test"' "-I$source_dir/src" "$source_dir/src/profile/reduce/main.c" \
        "$built"/lib{reduce,stored,profile,text,names,model,arch,base}.a -lz -liberty -o ptprofil-mpi >out 2>&1 || fail "$(cat out)"
    mkdir all
    for rank in 0 1 2 3 4; do
        # shellcheck disable=SC2046  # an option, or nothing
        as_rank $rank 5 within 60 "$PTPROFIL" -q -F $((200 + 300 * (rank % 2))) $([ $rank != 3 ] || echo --clock=wall) \
            -o all/%r.pb.gz -- "$TARGETS/mix" -s 0.0$((rank + 4)) >out 2>err || fail "rank $rank: status $?" "$(cat err)"
    done
    report -q -o whole.pb.gz all/?.pb.gz
    for np in 1 2 3 5; do
        within 60 "mpirun.$1" "${options[@]}" -np $np ./ptprofil-mpi -o sum.pb.gz all >out 2>err || fail "-np $np: status $?" "$(cat err)"
        grep -q "5 of 5 profiles are in 'sum.pb.gz'" err || fail "$(cat err)"
        cmp sum.pb.gz whole.pb.gz || fail "-np $np: other bytes"
        rm sum.pb.gz
    done
    [ "$(ranks_of whole.pb.gz | wc -l)" = 5 ] || fail "other ranks"
    head -c 300 all/2.pb.gz >all/1x.pb.gz # a broken file among the others
    for np in 1 3; do
        status=0
        within 60 "mpirun.$1" "${options[@]}" -np $np ./ptprofil-mpi -o sum.pb.gz all >out 2>err || status=$?
        [ $status = 1 ] || fail "-np $np: status $status" "$(cat err)"
        grep -q "left out: 'all/1x.pb.gz' " err && grep -q '5 of 6 profiles' err || fail "$(cat err)"
        cmp sum.pb.gz whole.pb.gz || fail "-np $np: other bytes without the damaged file"
        rm sum.pb.gz
    done
    within 60 "mpirun.$1" "${options[@]}" -np 2 ./ptprofil-mpi -o sum.pb.gz all/1x.pb.gz >out 2>err && fail "nothing is written with status 0"
    [ ! -e sum.pb.gz ] && [ ! -e sum.pb.gz.new ] || fail "there is a result"
}

case_reduction_open_mpi() {
    reduced openmpi
}

case_reduction_mpich() {
    reduced mpich
}

# MPICH's launcher on two nodes: the ranks do not run below ptprofil. The command that ptprofil suggests instead
# profiles them.
case_slurm_mpich() {
    need python3 mpirun.mpich
    # shellcheck disable=SC2016  # expanded there
    slurm sh -c '
        PATH=$(dirname "$1"):$PATH
        salloc -N2 -n2 ptprofil -o a.txt mpirun.mpich -np 2 "$2" -s 0.1 2>err || exit
        sed -n "s/^ptprofil: hint: no rank of the job ran below this ptprofil;.* type: \(.*\); then: .*/\1/p" err >typed
        salloc -N2 -n2 sh typed' - "$PTPROFIL" "$TARGETS/mix" >out 2>&1 || fail "status $?" "$(cat out)"
    cat typed
    ls run.?.pb.gz
    [ "$(ranks_of run.0.pb.gz run.1.pb.gz | cut -d ' ' -f 1,2)" = "$(printf '0 localhost\n1 localhost')" ] || fail "other ranks" "$(cat err)"
}

# A launcher binds a rank to a CPU. The rank stays there, and ptprofil may use all. (Its tracing thread may choose this one.)
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
    may_use_others() { cat "/proc/$tracer/task/"*/status | awk -v cpu="$cpu" '/^Cpus_allowed_list/ && $2 != cpu { found = 1 } END { exit !found }'; }
    poll_until 10 may_use_others || fail "the tracer $tracer stays on CPU $cpu"
    kill "$(command_of "$pid")"
    wait "$pid" || :
}

# CPUs that ptprofil may not use are an error, before the command runs or ptprofil attaches.
case_impossible_cpus() {
    within 20 "$PTPROFIL" --own-cpus=1023 -- touch ran 2>err && fail "CPU 1023 is accepted"
    grep -q -F -- '--own-cpus=1023: ptprofil may use none of these CPUs' err || fail "$(cat err)"
    [ ! -e ran ] || fail "the command ran"
    "$TARGETS/mix" -s 60 &
    local pid=$!
    within 20 "$PTPROFIL" --own-cpus=1000-1023 -d 1 -p $pid 2>err && fail "CPU 1023 is accepted with -p"
    grep -q -F 'none of these CPUs' err || fail "$(cat err)"
    kill $pid
}

# shellcheck disable=SC2034  # read by run_cases
measures='spread_open_mpi spread_mpich'
run_cases "$@"

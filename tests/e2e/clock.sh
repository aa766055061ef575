#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Where CPU time is spent: compares shares with the target's own measurement, and the sum of all weights with the CPU
# time that the process reports.
#
# The bound for a share p that was seen in N samples is four standard deviations:
# 4 * sqrt((1 + q/6 + 1 - q) * p * (1 - p) / N), where q is the part of the due samples that were taken; the others were
# skipped. The first factor is the larger variance of samples with unequal weights: random times within each period
# contribute q/6, and skipped samples 1 - q. With 4,000 samples or more, the bound is three points.

. "$(dirname "$0")/lib.sh"

# sampled RATE COMMAND...: profiles COMMAND, which writes its own measurement to "truth". Sets samples and due.
sampled() {
    local rate=$1
    shift
    rm -f truth profile.folded
    # shellcheck disable=SC2086  # options are words
    within 100 "$PTPROFIL" -v -F "$rate" ${options:-} --unsampled=separate -o profile.folded -- "$@" -o truth 2>err ||
        fail "status $? of $*" "$(cat err)"
    [ -s truth ] && [ -s profile.folded ] || fail "nothing was written"
    read -r samples due <<<"$(sed -n 's/.*: \([0-9]*\) samples of \([0-9]*\) due.*/\1 \2/p' err)"
    [ "$samples" ] && [ "$due" ] || fail "the summary has no number of samples:" "$(cat err)"
    sed -n '/ samples of [0-9]* due/,$s/^ */  /p' err
}

bound() { # bound PERCENT
    awk -v p="$1" -v n="$samples" -v due="$due" 'BEGIN {
        p /= 100
        q = n < due ? n / due : 1
        print (n >= 4000 ? 3 : 400 * sqrt((2 - 5 / 6 * q) * p * (1 - p) / n))
    }'
}

check_sum() {
    local total truth
    total=$(total_of profile.folded)
    truth=$(truth_of truth total)
    near "sum of the weights, ms" "$(percent "$total" 100000)" "$(percent "$truth" 100000)" \
        "$(percent "$truth" 10000000)"
}

# Time without samples must be the exception; otherwise the sum would prove nothing.
check_unsampled() { # check_unsampled PERCENT
    local unsampled
    unsampled=$(percent "$(last_frame_weight profile.folded '[unsampled]')" "$(total_of profile.folded)")
    echo "  unsampled: $unsampled %"
    awk -v seen="$unsampled" -v most="$1" 'BEGIN { exit !(seen <= most) }' || off "$unsampled % unsampled"
}

check_mix() {
    local name truth
    for name in spin_half spin_three_tenths spin_fifth; do
        truth=$(percent "$(truth_of truth $name)" "$(truth_of truth total)")
        near "$name, %" "$(percent "$(weight_of profile.folded $name)" "$(total_of profile.folded)")" "$truth" \
            "$(bound "$truth")"
    done
    check_sum
    check_unsampled 3
}

mix_at() { # mix_at RATE SECONDS OPTIONS-OF-MIX...
    local rate=$1 seconds=$2
    shift 2
    sampled "$rate" "$TARGETS/mix" -s "$seconds" "$@"
    check_mix
}

case_mix_1000() {
    mix_at 1000 2
    [ "$samples" -ge 1300 ] || off "only $samples samples"
}

long_mix_1000() {
    mix_at 1000 4.4
    [ "$samples" -ge 3000 ] || off "only $samples samples"
}

long_mix_100() {
    if [ "$full" ]; then mix_at 100 40; else mix_at 100 6; fi
}

# Other programs compete for all CPUs. Samples are taken when possible, and a late sample weighs no more than its
# neighbours.
case_competition() {
    local cpu competitors=() heaviest
    for ((cpu = 0; cpu < 2 * $(nproc); cpu++)); do
        while :; do :; done &
        competitors+=($!)
    done
    options='-o run.perf' sampled 100 "$TARGETS/mix" -s 1
    kill "${competitors[@]}"
    check_mix
    heaviest=$(sed -n 's/.*: *\([0-9]*\) cpu-clock: *$/\1/p' run.perf | sort -n | tail -n 1)
    echo "  the heaviest of $samples samples: $heaviest ns"
    awk -v ns="$heaviest" -v samples="$samples" -v us="$(truth_of truth total)" \
        'BEGIN { exit !(ns > 0 && ns <= 2.5 * 1000 * us / samples) }' || off "a sample represents $heaviest ns"
}

# recording FILE NAME: prints the number NAME of the recording in the JSON FILE.
recording() {
    sed -n "s/.*\"$2\":\([0-9]*\).*/\1/p" "$1" | head -n 1
}

# auto_is_followed FILE SECONDS: checks that the rate of --rate=auto changed from 1000 to 200 Hz while FILE was
# recorded, which has SECONDS (less than 10) of time.
auto_is_followed() {
    local changes
    changes=$(grep -o '"rate_changes":.*' "$1")
    [ "$(recording "$1" rate_hz) $(recording "$1" last_rate_hz)" = '1000 200' ] || fail "not from 1000 to 200 Hz: $(cat "$1")"
    [[ $changes =~ ^'"rate_changes":[{"time_ns":'([0-9]+)',"rate_hz":200}]' ]] || fail "no change of the rate: $changes"
    samples=$(recording "$1" samples) due=$(recording "$1" due)
    near "samples due" "$due" "$(awk -v s="$2" 'BEGIN { print 300 + 200 * (s - 0.3) }')" 100
    # A busy machine may cause fewer samples, or more.
    awk -v n="$samples" -v due="$due" 'BEGIN { exit !(n >= due / 4 && n <= due * 1.5) }' || off "$samples samples of $due due"
}

case_auto() {
    options='-o run.pb.gz -o run.json' sampled auto "$TARGETS/mix" -s 1.5
    check_mix
    auto_is_followed run.json "$(awk '$1 == "total" { print $2 / 1e6 }' truth)"
    grep -q ' at 1000 Hz, 200 Hz from [0-9.]* m\?s on: ' err || fail "the summary does not have the rates:" "$(cat err)"
    "$PTPROFIL" report --format=json -o stored.json run.pb.gz || fail "status $?"
    cmp <(sed -n '/"recording"/,/]}/p' run.json) <(sed -n '/"recording"/,/]}/p' stored.json) ||
        fail "the stored profile differs:" "$(cat run.json stored.json)"
    within 30 "$PTPROFIL" -q -o short.json -- "$TARGETS/mix" -s 0.2 >out || fail "status $?"
    grep -q '"rate_changes":\[\]' short.json || fail "the rate of a short run has changed: $(cat short.json)"
}

# By wall time, waiting threads have samples, too.
case_auto_wall() {
    within 30 "$PTPROFIL" -q --clock=wall -o run.json -- sleep 1.2 || fail "status $?"
    auto_is_followed run.json "$(awk -v ns="$(recording run.json ns)" 'BEGIN { print ns / 1e9 }')"
}

# The rate follows the time of the recording, not of each short process.
case_auto_children() {
    within 60 "$PTPROFIL" -q -o run.json -- "$TARGETS/children" -n 20 -m 50 >out || fail "status $?"
    auto_is_followed run.json "$(awk -v ns="$(recording run.json ns)" 'BEGIN { print ns / 1e9 }')"
}

# While one CPU alone has tracees, which wait for it often, the tracer takes most samples there, by its own timer.
expect_riding() {
    local rides
    rides=$(sed -n 's/.* \([0-9]*\) taken by the tracer on its own CPU.*/\1/p' <<<"$(tr -s '\n ' ' ' <err)")
    echo "  $rides of $samples samples on the tracer's CPU"
    [ "${rides:-0}" -ge $((samples / 2)) ] || off "only ${rides:-0} of $samples samples on the tracer's CPU"
}

# contended CPU COMMAND...: runs COMMAND while each of the two CPUs also has a busy loop.
contended() {
    local cpu loops=()
    for cpu in "${cpus%,*}" "${cpus#*,}"; do
        taskset -c "$cpu" timeout 60 sh -c 'while :; do :; done' &
        loops+=($!)
    done
    "$@"
    kill "${loops[@]}"
    wait "${loops[@]}" 2>/dev/null
}

case_on_one_cpu() {
    two_cpus
    mix_on() {
        contended sampled 1000 taskset -c "$1" "$TARGETS/mix" -s 2
        check_mix
        expect_riding
    }
    mix_on "${cpus#*,}"
    mix_on "${cpus%,*}"
}

# The thread goes to another CPU seven times a second. The tracer follows it.
case_moves() {
    two_cpus
    contended sampled 1000 taskset -c "$cpus" "$TARGETS/mix" -s 2 -m 20
    check_mix
    expect_riding
}

# A program with the same period as the sampling clock must not run in step with it.
long_in_step() {
    mix_at 1000 4 -p 1000
    [ -z "$full" ] || mix_at 1000 4 -p 2000
}

long_in_step_100() {
    if [ "$full" ]; then mix_at 100 40 -p 10000; else mix_at 100 5 -p 10000; fi
}

two_cpus() {
    need taskset
    [ "$(nproc)" -ge 2 ] || skip "one CPU only"
    cpus=$(awk '/^Cpus_allowed_list/ { print $2 }' /proc/self/status |
        awk -F'[,-]' '{ if ($0 ~ /^[0-9]+-/) print $1 "," $1 + 1; else print $1 "," $2 }')
}

long_threads_1000() {
    two_cpus
    sampled 1000 taskset -c "$cpus" "$TARGETS/mix" -t 4 -s "${full:+1}4"
    check_mix
}

long_threads_100() {
    two_cpus
    local seconds=6
    [ -z "$full" ] || seconds=60
    sampled 100 taskset -c "$cpus" "$TARGETS/mix" -t 4 -s $seconds
    check_mix
}

# 4 to 16 threads on all CPUs of a machine with more than two.
long_threads_on_all_cpus() {
    local threads
    [ "$(nproc)" -gt 2 ] || skip "two CPUs only"
    for threads in 4 8 16; do
        echo "  $threads threads"
        sampled 100 "$TARGETS/mix" -t $threads -s 10
        check_mix
    done
}

# A server and a client that always wake each other. A tick that interrupts the client, or an idle CPU, must not sample
# the server, even if the server waits for this CPU when the tracer runs.
long_answers() {
    local options=--no-follow
    sampled 1000 "$TARGETS/answers" -s 4
    [ "$samples" -le $((due + due / 10)) ] || off "$samples samples, and only $due were due"
}

long_kernel_half() {
    local read
    sampled 1000 "$TARGETS/kernel_half" -s 4
    # The time in read() belongs to the frame of the system call; the time of spin_user belongs to spin_user only.
    read=$(last_frame_weight profile.folded '[read]')
    near "read, %" "$(percent "$read" "$(total_of profile.folded)")" \
        "$(percent "$(truth_of truth read)" "$(truth_of truth total)")" 4
    near "spin_user, %" "$(percent "$(weight_of profile.folded spin_user)" "$(total_of profile.folded)")" \
        "$(percent "$(truth_of truth user)" "$(truth_of truth total)")" 4
    check_sum
}

long_kernel_half_100() {
    local seconds=4 tolerance
    [ -z "$full" ] || seconds=40
    sampled 100 "$TARGETS/kernel_half" -s $seconds
    tolerance=$(bound 50)
    near "read, %" "$(percent "$(last_frame_weight profile.folded '[read]')" "$(total_of profile.folded)")" \
        "$(percent "$(truth_of truth read)" "$(truth_of truth total)")" "$tolerance"
    check_sum
}

# short_calls_at RATE KIND MICROSECONDS: the share of short system calls is not overestimated. A thread notices a stop
# that another CPU requests when it leaves its next system call. Samples from there would nearly always be in a system
# call.
short_calls_at() {
    local rate=$1 kind=$2 microseconds=$3 share truth seconds=1
    [ "$rate" -gt 100 ] || seconds=2
    "$TARGETS/often" -k "$kind" -u "$microseconds" -s 0.01 -o truth || fail "status $?"
    # shellcheck disable=SC2086  # the prefix is words
    within 100 "$PTPROFIL" -v -F "$rate" --max-overhead=off -o profile.folded -- \
        ${prefix:-} "$TARGETS/often" -k "$kind" -u "$microseconds" -s $seconds 2>err || fail "status $?" "$(cat err)"
    samples=$(sed -n 's/.*: \([0-9]*\) samples of .*/\1/p' err) due=$samples
    share=$(percent "$(awk '/;the_call[; ]/ { sum += $NF } END { print sum + 0 }' profile.folded)" "$(total_of profile.folded)")
    truth=$(awk -v millionths="$(truth_of truth the_call)" 'BEGIN { print millionths / 10000 }')
    echo "  $kind at $rate Hz: $share % seen, $truth % true, $samples samples"
    # With cold caches and competing programs, a system call takes longer than in the calibration.
    awk -v share="$share" -v truth="$truth" -v chance="$(bound "$truth")" \
        'BEGIN { exit !(share <= 2.5 * truth + chance + 2) }' || off "$kind at $rate Hz: $share % seen, $truth % true"
}

# bench/accuracy tests all kinds at all rates.
long_short_calls() {
    local rate
    for rate in 100 5000; do
        short_calls_at "$rate" getppid 10
        short_calls_at "$rate" map 100
    done
    for rate in 997 5000; do
        short_calls_at "$rate" clock 30
        short_calls_at "$rate" read 2
        short_calls_at "$rate" read 10
        short_calls_at "$rate" wake 10
        short_calls_at "$rate" write 100
    done
}

long_short_calls_on_one_cpu() {
    two_cpus
    local rate prefix="taskset -c ${cpus#*,}"
    for rate in 100 1000 5000; do
        contended short_calls_at "$rate" getppid 10
        contended short_calls_at "$rate" read 2
        contended short_calls_at "$rate" map 100
        expect_riding
    done
}

# Threads with the same or a higher real-time priority than ptprofil's run before all others.
long_real_time() {
    need chrt
    chrt -f 60 true 2>/dev/null || skip "no real-time priorities here"
    local policy
    for policy in '-f 1' '-r 50' '-f 98'; do
        # shellcheck disable=SC2086  # options are words
        sampled 1000 chrt $policy "$TARGETS/mix" -s 1
        echo "  chrt $policy: $samples of $due"
        [ "$samples" -ge $((due / 2)) ] || off "chrt $policy: $samples samples of $due due"
    done
}

# No thread can have a priority above the highest one: such a thread is sampled from another CPU, and a hint says so.
long_highest_real_time() {
    need chrt
    chrt -f 60 true 2>/dev/null || skip "no real-time priorities here"
    [ "$(nproc)" -gt 1 ] || skip "one CPU"
    within 30 "$PTPROFIL" -F 1000 -o profile.folded -- chrt -f 99 "$TARGETS/mix" -s 1 2>err || fail "status $?: $(cat err)"
    grep -q 'hint: threads have a higher real-time priority than ptprofil can get' err || fail "$(cat err)"
    ! grep -q 'may not use\|before any sample' err || fail "$(cat err)"
    [ "$(matching_weight profile.folded spin_half)" -gt 0 ] || off "$(cat profile.folded)"
}

# Work moves between the threads of a pool, each of which mostly sleeps.
case_pool() {
    sampled 200 "$TARGETS/turns" -s 3 -t 60 -a 0 -n 400000
    [ $((2 * samples)) -ge "$due" ] || off "too few samples"
}

case_children() {
    sampled 1000 "$TARGETS/children" -n 8 -m 80
    check_sum
    expect_share profile.folded short_lived_work 80
    sampled 100 "$TARGETS/children" -n 8 -m 80
    check_sum
}

# Most children end before they are sampled. The profile has their time nevertheless.
case_tiny_children() {
    sampled 100 "$TARGETS/children" -n 100 -m 4
    local total truth
    total=$(total_of profile.folded)
    truth=$(truth_of truth total)
    near "sum of the weights, ms" "$(percent "$total" 100000)" "$(percent "$truth" 100000)" \
        "$(percent "$truth" 3000000)"
}

long_bursts() {
    local seconds=5
    [ -z "$full" ] || seconds=30
    sampled 1000 "$TARGETS/bursts" -s $seconds
    check_sum
    local truth
    truth=$(percent "$(truth_of truth work)" "$(truth_of truth total)")
    # About one sample a burst. About half of the samples at a burst's start are still in the return from
    # clock_nanosleep.
    near "burst_work, %" "$(percent "$(weight_of profile.folded burst_work)" "$(total_of profile.folded)")" "$truth" 10
}

long_bursts_100() {
    sampled 100 "$TARGETS/bursts" -s 4
    check_sum
}

# At a rate so high that many samples are skipped, the shares stay correct.
long_fast() {
    # Long enough that a pause of the virtual machine, which one sample then represents, does not shift shares by
    # points.
    local options=--max-overhead=off
    sampled 10000 "$TARGETS/mix" -s 4
    [ "$samples" -ge 1000 ] || off "only $samples samples"
    check_mix
}

# expect_reasons COMMAND...: the summary gives a reason for each missing sample. The tolerance is two hundredths of the
# due samples, and four standard deviations of the number of random sampling times.
expect_reasons() {
    within 60 "$PTPROFIL" -v -F 5000 --max-overhead=off -- "$@" 2>err || fail "status $? of $*" "$(cat err)"
    sed -n '/ samples of [0-9]* due/,$p' err | tr '\n' ' ' | awk '
        {
            split(substr($0, match($0, /[0-9]+ samples of/)), count, " ")
            taken = count[1]
            due = count[4] + 0
            sub(/;.*/, "")
            for (rest = $0; match(rest, /, +[0-9]+ (skipped|lost)/); rest = substr(rest, RSTART + 1))
                reasons += substr(rest, RSTART + 1)
            printf "  %d taken, %d for reasons, of %d due\n", taken, reasons, due
            if (due < 1000 || taken > due && reasons || taken < due && taken + reasons > due)
                exit 1
            exit taken + reasons < due - 0.02 * due - 4 * sqrt(due / 6)
        }' || off "$*:" "$(cat err)"
}

long_reasons() {
    expect_reasons "$TARGETS/contend" -t 4 -s 1.5
    expect_reasons "$TARGETS/mix" -t 4 -s 1
    expect_reasons "$TARGETS/children" -n 100 -m 5
}

long_all_at_once() {
    within 60 "$PTPROFIL" -q -F 1000 -o profile.folded -- sh -c '
        "$1/mix" -s 0.5 -o truth1 & "$1/mix" -s 0.5 -t 2 -o truth2 & "$1/mix" -s 0.5 -o truth3 & wait' - "$TARGETS" ||
        fail "status $?"
    local truth
    truth=$(cat truth[123] | awk '$1 == "total" { sum += $2 } END { print sum }')
    near "sum of the weights, ms" "$(percent "$(process_weight profile.folded mix)" 100000)" \
        "$(percent "$truth" 100000)" "$(percent "$truth" 10000000)"
}

# Sums of CPU time hold at any load.
measures='mix_1000 mix_100 competition auto in_step in_step_100 threads_1000 threads_100 threads_on_all_cpus answers kernel_half
    kernel_half_100 short_calls real_time highest_real_time pool bursts fast reasons'
run_cases "$@"

#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Measures whether samples are biased towards system calls. A program makes a system call at regular intervals, and its
# share of the samples must equal its share of the time. Prints a line for each combination, and fails if one differs by
# more than a point, or a seventh of the true share, plus four standard deviations for chance.
#
#     bias.sh [KIND...]       of: getppid clock read write wake map
#
# RATES='100 1000', BETWEEN='2 10 100 1000' (microseconds), THREADS='1 4', SAMPLES=1000, OPTIONS='--stacks=...',
# PTPROFIL, TARGETS: see tests/e2e/lib.sh; by default, those of the build tree that this runs in. In an emulated machine
# it is slow, but the shares are comparable: tests/vm/boot 4 tests/vm/bias.sh getppid

set -u
PTPROFIL=${PTPROFIL:-$PWD/ptprofil}
TARGETS=${TARGETS:-$PWD/tests/targets}
[ -x "$PTPROFIL" ] && [ -x "$TARGETS/often" ] || { echo "not in a build tree with its targets"; exit 2; }
[ $# != 0 ] || set -- getppid clock read write wake map
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work" || exit
failed=0

# in_calls: prints the percentage of samples in the call or in the function that makes it, without unsampled time.
in_calls() {
    awk '{ weight = $NF } /;\[unsampled\] / { next } { all += weight } /;the_call[; ]/ { calls += weight }
        END { printf "%.2f\n", all ? 100 * calls / all : 0 }' profile.folded
}

printf '%-8s %8s %8s %7s %8s %8s %8s %8s  %s\n' kind us/call rate threads samples due 'seen %' 'true %' ''
for kind; do
    for between in ${BETWEEN:-2 10 30 100 1000}; do
        for rate in ${RATES:-100 1000}; do
            for threads in ${THREADS:-1 4}; do
                seconds=$(awk -v n="${SAMPLES:-1000}" -v rate="$rate" -v t="$threads" 'BEGIN { print n / rate / t }')
                # shellcheck disable=SC2086  # options are words
                "$PTPROFIL" -v -F "$rate" --max-overhead=off ${OPTIONS:-} -o profile.folded -- \
                    "$TARGETS/often" -k "$kind" -u "$between" -t "$threads" -s "$seconds" 2>err ||
                    { cat err; failed=1; continue; }
                # Measured without ptprofil, which makes even the fastest calls slower.
                "$TARGETS/often" -k "$kind" -u "$between" -s 0.01 -o truth
                seen=$(in_calls)
                truth=$(awk '$1 == "the_call" { printf "%.2f\n", $2 / 10000 }' truth)
                read -r samples due <<<"$(sed -n 's/.*: \([0-9]*\) samples of \([0-9]*\) due.*/\1 \2/p' err)"
                verdict=$(awk -v s="$seen" -v t="$truth" -v n="${samples:-0}" 'BEGIN {
                    allowed = t / 7 > 1 ? t / 7 : 1
                    if (n)
                        allowed += 400 * sqrt(2 * t / 100 * (1 - t / 100) / n)
                    off = s - t
                    print n && off <= allowed && -off <= allowed ? "" : "OFF" }')
                [ -z "$verdict" ] || failed=1
                printf '%-8s %8s %8s %7s %8s %8s %8s %8s  %s\n' "$kind" "$between" "$rate" "$threads" "${samples:-0}" \
                    "${due:-0}" "$seen" "$truth" "$verdict"
            done
        done
    done
done
exit $failed

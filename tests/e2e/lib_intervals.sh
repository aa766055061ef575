# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Sourced by tests that profile a command in intervals.

# work FILE N: a command that works in itself and in new programs, at least N times and until FILE exists. Writes its
# CPU time to the file times.
cat >"$scratch/work" <<'END'
#!/bin/bash
for ((round = 0; round < $2 || ! $(test -e "$1"; echo $(($? == 0))); round++)); do
    for ((i = 0; i < 20000; i++)); do :; done
    bash -c 'for ((i = 0; i < 10000; i++)); do :; done' --password=secret
done
times >times
END
chmod +x "$scratch/work"

# Prints the CPU time that the command measured, in microseconds.
told_us() {
    tr 'ms' '  ' <times | awk '{ sum += ($1 + $3) * 60 + $2 + $4 } END { printf "%d\n", sum * 1e6 }'
}

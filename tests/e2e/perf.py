# SPDX-License-Identifier: MIT
#
# perf.py FILE: parses the output of perf script like programs that draw flame graphs. Prints a line for each stack:
# "COMM;OUTERMOST;...;INNERMOST NANOSECONDS EVENTS". Timestamps must not decrease.

import re
import sys

HEAD = re.compile(r"^(\S.*?)\s+(\d+)/(\d+)\s+(?:\[\d+\]\s+)?(\d+)\.(\d{9}|\d{6}):\s+(\d+) ([\w-]+)(?::\w*)?: *$")
FRAME = re.compile(r"^\s+([0-9a-f]+) (.+?)(?:\+0x[0-9a-f]+)? \((\S*)\)$")

stacks = {}
last = (0, 0)
events = set()
with open(sys.argv[1], encoding="utf-8", newline="\n") as file:
    for block in file.read().split("\n\n"):
        lines = [line for line in block.split("\n") if line and not line.startswith("#")]
        if not lines:
            continue
        head = HEAD.match(lines[0])
        assert head, lines[0]
        now = (int(head[4]), int(head[5].ljust(9, "0")))
        assert now >= last, lines[0]
        last = now
        events.add(head[7])
        frames = [FRAME.match(line) for line in lines[1:]]
        assert frames and all(frames), block
        stack = ";".join([head[1]] + [frame[2] for frame in reversed(frames)])
        ns, count = stacks.get(stack, (0, 0))
        stacks[stack] = (ns + int(head[6]), count + 1)
assert len(events) <= 1, events
for stack, (ns, count) in sorted(stacks.items()):
    print(stack, ns, count)

# SPDX-License-Identifier: MIT
#
# Writes a database's answer to a query for all rows: rows_database.py ANSWER FILE... Each FILE has rows (gzip).
# Duplicate rows count once.
import gzip
import json
import os
import struct
import sys

NAMES = ["functions", "modules", "files", "lines"]
rows = {}
for path in sys.argv[2:]:
    with gzip.open(path) as file:
        for line in file:
            row = json.loads(line)
            rows[row["batch"], row["row"]] = row

sums = {}
for row in rows.values():
    key = (row["process"], row["job"], row["rank"], row["host"] if row["rank"] >= 0 else "", row["clock"],
           *(tuple(row[name]) for name in NAMES))
    total = sums.setdefault(key, [0, 0, 0, 0, 2**63, 0, 2**31, 0])
    for i, name in enumerate(["count", "period_ns", "cpu_ns", "wait_ns"]):
        total[i] += row[name]
    total[4] = min(total[4], row["time_ns"])
    total[5] = max(total[5], row["time_ns"] + row["duration_ns"])
    total[6] = min(total[6], row["hz"])
    total[7] = max(total[7], row["hz"])


def number(value):
    out = bytearray()
    while value >= 128:
        out.append(value % 128 + 128)
        value //= 128
    return bytes(out) + bytes([value])


def text(value):
    value = value.encode()
    return number(len(value)) + value


with open(sys.argv[1] + ".part", "wb") as out:
    for (process, job, rank, node, clock, *arrays), total in sums.items():
        out.write(text(process) + text(job) + struct.pack("<i", rank) + text(node) + text(clock))
        for array in arrays[:3]:
            out.write(number(len(array)) + b"".join(map(text, array)))
        out.write(number(len(arrays[3])) + struct.pack("<%dI" % len(arrays[3]), *arrays[3]))
        out.write(struct.pack("<6Q2I", *total))
os.rename(sys.argv[1] + ".part", sys.argv[1])

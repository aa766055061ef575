# SPDX-License-Identifier: MIT
#
# listing.py JSON CSV: reads both files with Python's own parsers, checks that they have the same rows and are
# consistent, and prints the sum of the rows' times in nanoseconds.

import csv
import json
import sys


def number(text):
    if text in ("true", "false"):
        return text == "true"
    return float(text) if "." in text else int(text)


def change(row, kind):
    return row[kind + "_ns"] - row["base_" + kind + "_ns"]


with open(sys.argv[1], encoding="utf-8") as file:
    listing = json.load(file)
with open(sys.argv[2], encoding="utf-8", newline="") as file:
    table = list(csv.DictReader(file, strict=True))

rows, whole = listing["rows"], listing["whole"]
assert listing["format"] == "ptprofil" and listing["version"] == 1
assert len(rows) == len(table)
for row, other in zip(rows, table):
    texts = [name for name in row if isinstance(row[name], str)]
    assert list(row) == list(other), (row, other)
    assert row == {name: other[name] if name in texts else number(other[name]) for name in other}, (row, other)
    assert row["self_ns"] == row["user_ns"] + row["system_ns"] + row["unsampled_ns"] + row["waiting_ns"], row
    assert row["total_ns"] >= row["self_ns"] and row["total_ns"] <= whole["ns"], row
    assert abs(row["self_share"] - row["self_ns"] / whole["ns"]) < 1e-9, row
    assert abs(row["total_share"] - row["total_ns"] / whole["ns"]) < 1e-9, row
    if listing["base"]:
        assert row["self_change_ns"] == change(row, "self") and row["total_change_ns"] == change(row, "total"), row
if listing["base"]:
    assert sum(row["base_self_ns"] for row in rows) == listing["base"]["whole"]["ns"]
assert len({tuple(row[name] for name in row if isinstance(row[name], str)) for row in rows}) == len(rows)
assert sum(row["samples"] for row in rows) == whole["samples"]
assert whole["ns"] == whole["cpu_ns"] + whole["waiting_ns"]
total = sum(row["self_ns"] for row in rows)
assert total == whole["ns"], (total, whole)
print(total)

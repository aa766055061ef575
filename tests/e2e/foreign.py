# SPDX-License-Identifier: MIT
"""Writes profiles that other programs could write according to pprof's profile.proto: foreign.py FOLDER. Prints the expected
result of reading each: "NAME NANOSECONDS SAMPLES" or "NAME refused TEXT"."""

import gzip
import os
import sys

SAMPLE_TYPE, SAMPLE, MAPPING, LOCATION, FUNCTION, TEXT, DROP_FRAMES, KEEP_FRAMES, TIME, DURATION, PERIOD_TYPE, PERIOD, \
    COMMENT, DEFAULT_TYPE, DOC_URL = range(1, 16)


def varint(value):
    value &= (1 << 64) - 1
    digits = bytearray()
    while value > 0x7f:
        digits.append(value & 0x7f | 0x80)
        value >>= 7
    digits.append(value)
    return bytes(digits)


def number(field, value):
    return varint(field << 3) + varint(value)


def message(field, content):
    return varint(field << 3 | 2) + varint(len(content)) + content


class File:
    """A profile of main, which calls work, which calls leaf: 3 samples in leaf, 1 in main."""

    types = [("samples", "count"), ("cpu", "nanoseconds")]
    stacks = [([3, 2, 1], [3, 30000000]), ([1], [1, 10000000])]
    period = ("cpu", "nanoseconds", 10000000)
    more = b""
    mappings = True
    lines = True
    packed = True
    ids = {1: 1, 2: 2, 3: 3}  # of functions and locations
    labels = b""

    def __init__(self, **changes):
        self.texts = [""]
        for name, value in changes.items():
            setattr(self, name, value)

    def text(self, text):
        if text not in self.texts:
            self.texts.append(text)
        return self.texts.index(text)

    def value_type(self, field, kind, unit):
        return message(field, number(1, self.text(kind)) + number(2, self.text(unit)))

    def numbers(self, field, values):
        if not self.packed:
            return b"".join(number(field, value) for value in values)
        return message(field, b"".join(map(varint, values)))

    def code(self):
        content = b""
        if self.mappings:
            content += message(MAPPING, number(1, 1) + number(2, 0x400000) + number(3, 0x500000)
                               + number(5, self.text("/opt/foreign")))
        for i, name in ((1, "main"), (2, "work"), (3, "leaf")):
            location = number(1, self.ids[i]) + number(3, 0x400000 + 16 * i)
            if self.mappings:
                location += number(2, 1)
            if self.lines:
                location += message(4, number(1, self.ids[i]) + number(2, 10 * i))
                content += message(FUNCTION, number(1, self.ids[i]) + number(2, self.text(name))
                                   + number(4, self.text("foreign.c")))
            content += message(LOCATION, location)
        return content

    def bytes(self):
        content = b"".join(self.value_type(SAMPLE_TYPE, *one) for one in self.types)
        for stack, values in self.stacks:
            content += message(SAMPLE, self.numbers(1, [self.ids[i] for i in stack]) + self.numbers(2, values) + self.labels)
        content += self.code() + self.more
        if self.period:
            content += self.value_type(PERIOD_TYPE, *self.period[:2]) + number(PERIOD, self.period[2])
        # The texts come last, because the order of fields has no meaning.
        return content + b"".join(message(TEXT, text.encode()) for text in self.texts)


def with_texts(file, make):
    """Appends the bytes that MAKE returns to FILE. MAKE adds its texts to FILE's texts."""
    file.more = make(file)
    return file


def files():
    plain = File()
    yield "plain", plain.bytes(), "40000000 4"
    yield "packed_not", File(packed=False).bytes(), "40000000 4"
    yield "no_mappings", File(mappings=False).bytes(), "40000000 4"
    yield "no_names", File(lines=False).bytes(), "40000000 4"
    large = {1: (1 << 63) + 5, 2: (1 << 64) - 1, 3: 1 << 40}
    yield "large_ids", File(ids=large).bytes(), "40000000 4"
    yield "all_fields", with_texts(File(), lambda file: (
        number(DROP_FRAMES, file.text("work|.*")) + number(KEEP_FRAMES, file.text("leaf")) + number(TIME, 1700000000000000000)
        + number(DURATION, 5000000000) + number(COMMENT, file.text("made by hand")) + number(DOC_URL, file.text("x:y"))
        + number(DEFAULT_TYPE, file.text("samples")) + number(777, 5) + message(778, b"unknown"))).bytes(), "40000000 4"
    labelled = File()
    labelled.labels = (message(3, number(1, labelled.text("request")) + number(2, labelled.text("/index")))
                       + message(3, number(1, labelled.text("bytes")) + number(3, 512) + number(4, labelled.text("bytes"))))
    yield "labels", labelled.bytes(), "40000000 4"
    wall = [("samples", "count"), ("wall", "nanoseconds"), ("cpu", "nanoseconds")]
    yield "cpu_beside_wall", File(types=wall, stacks=[([3, 1], [2, 999, 20000000]), ([1], [1, 999, 0])]).bytes(), "20000000 3"
    yield "wall_only", with_texts(File(types=wall[:2], period=("wall", "microseconds", 10000)), lambda file: number(
        DEFAULT_TYPE, file.text("wall"))).bytes(), "40000000 4"
    two = [("idle", "milliseconds"), ("busy", "milliseconds")]
    yield "default_type", with_texts(File(types=two, stacks=[([2, 1], [70, 50])], period=None), lambda file: number(
        DEFAULT_TYPE, file.text("idle"))).bytes(), "70000000 0"
    yield "only_counts", File(types=[("samples", "count")], stacks=[([3, 1], [7])]).bytes(), "70000000 7"
    contention = [("contentions", "count"), ("delay", "nanoseconds")]
    yield "contention", File(types=contention, period=("contentions", "count", 1)).bytes(), "40000000 4"
    yield "no_stack", File(stacks=[([], [1, 10000000]), ([1], [1, 10000000])]).bytes(), "20000000 2"
    yield "no_samples", File(stacks=[]).bytes(), "0 0"
    yield "not_compressed", plain.bytes(), "40000000 4"
    heap = [("inuse_objects", "count"), ("inuse_space", "bytes")]
    yield "heap", File(types=heap, period=("space", "bytes", 524288)).bytes(), \
        "refused holds no times, and nothing else is shown here: its values are inuse_objects (count), inuse_space (bytes)"
    yield "negative", File(stacks=[([1], [-1, -5])]).bytes(), "refused has negative values"
    yield "folded", b"main;work;leaf 3\nmain 1\n", "refused is not a stored profile"
    yield "perf_data", b"PERFILE2" + bytes(200), "refused is a file of 'perf record'"
    yield "legacy", b"".join(value.to_bytes(8, "little") for value in (0, 3, 0, 10000, 0)), "refused is not a stored profile"


def main(folder):
    for name, content, expected in files():
        if name not in ("not_compressed", "folded", "perf_data", "legacy"):
            content = gzip.compress(content, mtime=0)
        with open(os.path.join(folder, name), "wb") as stream:
            stream.write(content)
        print(name, expected)


main(*sys.argv[1:])

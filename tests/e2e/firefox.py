# SPDX-License-Identifier: MIT
"""Checks a file against version 62 of the Firefox Profiler's processed format (its documentation and types), and prints its
contents: firefox.py FILE. Lines: "sum NS", "cpu NS", "mark TIME_MS TEXT", and for each sample "sample TIME_MS NS PID TID STACK",
with the stack's functions separated by ';', root first. A thread's first row only marks its beginning: the profiler ignores its
CPU time."""

import decimal
import gzip
import json
import sys

CATEGORY_COLORS = {"transparent", "blue", "green", "grey", "lightblue", "magenta", "orange", "purple", "yellow", "brown", "red"}
PLACES = {"marker-chart", "marker-table", "timeline-overview", "timeline-memory", "timeline-ipc", "timeline-fileio", "stack-chart"}
FORMATS = {"string", "unique-string", "duration", "time", "integer", "bytes", "url", "file-path"}
THREAD = {"name", "processName", "pid", "tid", "isMainThread", "processType", "processStartupTime", "processShutdownTime",
          "registerTime", "unregisterTime", "pausedRanges", "showMarkersInTimeline", "markers", "samples"}
COLUMNS = {
    "stackTable": {"frame", "prefix"},
    "frameTable": {"address", "inlineDepth", "category", "subcategory", "func", "nativeSymbol", "innerWindowID", "line", "column"},
    "funcTable": {"name", "isJS", "relevantForJS", "resource", "source", "lineNumber", "columnNumber"},
    "resourceTable": {"lib", "name", "host", "type"},
    "nativeSymbols": {"libIndex", "address", "name", "functionSize"},
    "sources": {"filename", "id", "sourceMapURL", "startColumn", "startLine"},
}


def want(condition, what):
    if not condition:
        sys.exit(f"not of the format: {what}")


def table(value, name, columns):
    want(isinstance(value, dict) and set(value) - {"length", "weightType"} == columns, f"columns of {name}: {sorted(value)}")
    for column in columns:
        want(isinstance(value[column], list) and len(value[column]) == value["length"], f"length of {name}.{column}")


def index(numbers, count, what, other=()):
    for number in numbers:
        want(number in other or (type(number) is int and 0 <= number < count), f"{what}: {number!r} of {count}")


def check_meta(meta):
    for name, kind in {"interval": decimal.Decimal, "startTime": decimal.Decimal, "product": str, "debug": bool,
                       "symbolicated": bool, "markerSchema": list, "categories": list, "extensions": dict}.items():
        want(isinstance(meta.get(name), kind), f"meta.{name}")
    want(meta["preprocessedProfileVersion"] == 62 and meta["version"] == 24 and meta["processType"] == 0, "versions")
    want(meta["stackwalk"] == 1, "stackwalk")
    if "profilingEndTime" in meta:
        want(0 <= meta["profilingStartTime"] < meta["profilingEndTime"], "profilingEndTime")
    want(meta["interval"] > 0, "interval")
    want(meta["sampleUnits"] == {"time": "ms", "eventDelay": "ms", "threadCPUDelta": "ns"}, "sampleUnits")
    for category in meta["categories"]:
        want(category["color"] in CATEGORY_COLORS and category["subcategories"][0] == "Other", "a category")
    want(any(category["color"] == "grey" for category in meta["categories"]), "no default category, which is grey")
    for schema in meta["markerSchema"]:
        want(set(schema["display"]) <= PLACES and all(field["format"] in FORMATS for field in schema["fields"]), "markerSchema")


def check_shared(shared, file):
    strings, categories = shared["stringArray"], file["meta"]["categories"]
    want(set(shared) == set(COLUMNS) | {"stringArray"}, "members of shared")
    want(all(isinstance(text, str) for text in strings) and len(set(strings)) == len(strings), "stringArray")
    for name, columns in COLUMNS.items():
        table(shared[name], name, columns)
    stacks, frames, funcs, resources = (shared[name] for name in ("stackTable", "frameTable", "funcTable", "resourceTable"))
    index(stacks["frame"], frames["length"], "frame of a stack")
    for number, prefix in enumerate(stacks["prefix"]):
        want(prefix is None or (type(prefix) is int and 0 <= prefix < number), "a stack comes before its prefix")
    index(frames["func"], funcs["length"], "func")
    index(frames["category"], len(categories), "category")
    index(funcs["name"], len(strings), "name of a func")
    index(funcs["resource"], resources["length"], "resource", (-1,))
    index(resources["lib"], len(file["libs"]), "lib")
    index(resources["name"], len(strings), "name of a resource")
    for lib in file["libs"]:
        want(set(lib) == {"arch", "name", "path", "debugName", "debugPath", "breakpadId", "codeId"}, "members of a lib")


def stack_texts(shared):
    names, texts = [shared["stringArray"][name] for name in shared["funcTable"]["name"]], []
    for frame, prefix in zip(shared["stackTable"]["frame"], shared["stackTable"]["prefix"]):
        name = names[shared["frameTable"]["func"][frame]]
        texts.append(name if prefix is None else texts[prefix] + ";" + name)
    return texts


def between(meta, time):
    return meta.get("profilingStartTime", time) <= time < meta.get("profilingEndTime", time + 1)


def check_thread(thread, file, stacks, lines):
    want(set(thread) == THREAD, f"members of a thread: {sorted(thread)}")
    want(isinstance(thread["pid"], str) and isinstance(thread["isMainThread"], bool), "pid")
    samples, markers = thread["samples"], thread["markers"]
    table(samples, "samples", {"stack", "timeDeltas", "weight", "threadCPUDelta"})
    table(markers, "markers", {"data", "name", "startTime", "endTime", "phase", "category"})
    want(samples["weightType"] == "tracing-ms", "weightType")
    index(samples["stack"][1:], len(stacks), "stack")
    want((samples["stack"] + [None])[0] is None and not sum(samples["weight"][:1] + samples["threadCPUDelta"][:1]), "first row")
    want(all(step >= 0 for step in samples["timeDeltas"]), "time goes back")
    index(markers["name"], len(file["shared"]["stringArray"]), "name of a marker")
    index(markers["category"], len(file["meta"]["categories"]), "category of a marker")
    schemas = {schema["name"] for schema in file["meta"]["markerSchema"]}
    for data, begin, end, phase in zip(markers["data"], markers["startTime"], markers["endTime"], markers["phase"]):
        want(between(file["meta"], begin), "a marker beyond the range")
        want(data["type"] in schemas and phase == 0 and begin >= 0 and end is None, "a marker")
        lines.append(f"mark {begin:.3f} {data['text']}")
    time = decimal.Decimal(0)
    for step, stack, weight in zip(samples["timeDeltas"], samples["stack"], samples["weight"]):
        time += step
        want(between(file["meta"], time), "a sample beyond the range")
        if stack is not None:
            lines.append(f"sample {time:.3f} {int(weight * 1000000)} {thread['pid']} {thread['tid']} {stacks[stack]}")
    return sum(samples["weight"], decimal.Decimal(0)), sum(samples["threadCPUDelta"])


def main(path):
    with open(path, "rb") as stream:
        data = stream.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    file, lines = json.loads(data, parse_float=decimal.Decimal), []
    want(set(file) == {"meta", "libs", "pages", "counters", "profilerOverhead", "threads", "shared"}, "members of the file")
    check_meta(file["meta"])
    check_shared(file["shared"], file)
    want(file["threads"] and len({(thread["pid"], thread["tid"]) for thread in file["threads"]}), "no threads")
    stacks = stack_texts(file["shared"])
    sums = [check_thread(thread, file, stacks, lines) for thread in file["threads"]]
    print(f"sum {int(sum(weight for weight, cpu in sums) * 1000000)}")
    print(f"cpu {sum(cpu for weight, cpu in sums)}")
    print("\n".join(lines))


main(*sys.argv[1:])

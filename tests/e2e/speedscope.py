# SPDX-License-Identifier: MIT
"""Checks a file against the schema of speedscope's file format for sampled profiles, and prints the sum of its weights in
nanoseconds: speedscope.py FILE."""

import json
import sys


def want(condition, what):
    if not condition:
        sys.exit(f"not of the format: {what}")


def members(value, where, required, optional):
    want(isinstance(value, dict), f"{where} is no object")
    for name, kind in required.items():
        want(name in value, f"{where} has no {name}")
    for name, member in value.items():
        want(name in required or name in optional, f"{where} has a member {name}")
        kind = required.get(name) or optional[name]
        want(isinstance(member, kind) and not isinstance(member, bool), f"{name} of {where} is {member!r:.40}")


def check_profile(profile, where, frame_count):
    members(profile, where, {"type": str, "name": str, "unit": str, "startValue": (int, float),
                             "endValue": (int, float), "samples": list, "weights": list}, {})
    want(profile["type"] == "sampled", f"type of {where}")
    want(profile["unit"] == "nanoseconds", f"unit of {where}")
    want(len(profile["samples"]) == len(profile["weights"]), f"{where} has not one weight a sample")
    want(all(isinstance(weight, int) and weight >= 0 for weight in profile["weights"]), f"a weight of {where}")
    for sample in profile["samples"]:
        want(isinstance(sample, list) and sample, f"a sample of {where}")
        want(all(isinstance(frame, int) and 0 <= frame < frame_count for frame in sample), f"a frame of {where}")
    want(profile["endValue"] - profile["startValue"] == sum(profile["weights"]), f"{where} ends elsewhere")


def main(path):
    with open(path, encoding="utf-8") as stream:
        file = json.load(stream)
    members(file, "the file", {"$schema": str, "shared": dict, "profiles": list},
            {"name": str, "activeProfileIndex": int, "exporter": str})
    want(file["$schema"] == "https://www.speedscope.app/file-format-schema.json", "$schema")
    members(file["shared"], "shared", {"frames": list}, {})
    frames = file["shared"]["frames"]
    for i, frame in enumerate(frames):
        members(frame, f"frame {i}", {"name": str}, {"file": str, "line": int, "col": int})
    for i, profile in enumerate(file["profiles"]):
        check_profile(profile, f"profile {i}", len(frames))
    want(0 <= file["activeProfileIndex"] < len(file["profiles"]), "activeProfileIndex")
    print(sum(sum(profile["weights"]) for profile in file["profiles"]))


main(*sys.argv[1:])

# SPDX-License-Identifier: MIT
#
# Decodes pushed requests: push_parts.py FOLDER FILE... Writes each profile to FOLDER/N.pb.gz, and its labels to
# N.labels. Requests for Pyroscope are decoded by protoc, requests for Parca as JSON. Fails if a profile exceeds a
# published limit.
import base64
import gzip
import json
import os
import re
import shutil
import subprocess
import sys

folder = sys.argv[1]
schema = os.path.dirname(os.path.abspath(__file__))
parts = []


def text_of(quoted):
    return quoted.encode("latin-1").decode("unicode_escape").encode("latin-1")


def decode_protobuf(body):
    text = subprocess.run(
        ["protoc", "-I", schema, "--decode=push.v1.PushRequest", "push.proto"], input=body, stdout=subprocess.PIPE, check=True
    ).stdout.decode("ascii")
    assert not re.search(r"^ *[0-9]+[:{ ]", text, re.M), "unknown fields"
    for series in text.split("\nseries {"):
        labels = re.findall(r'name: "((?:[^"\\]|\\.)*)"\s*value: "((?:[^"\\]|\\.)*)"', series)
        raw = re.findall(r'raw_profile: "((?:[^"\\]|\\.)*)"\s*ID: "([0-9a-f-]{36})"', series)
        assert len(raw) == 1 and labels, series[:200]
        parts.append(({name: text_of(value).decode() for name, value in labels}, text_of(raw[0][0])))


def decode_json(body):
    for series in json.loads(body)["series"]:
        labels = {label["name"]: label["value"] for label in series["labels"]["labels"]}
        for sample in series["samples"]:
            parts.append((labels, base64.b64decode(sample["rawProfile"], validate=True)))


for name in sys.argv[2:]:
    with open(name, "rb") as file:
        body = file.read()
    (decode_json if "writeraw" in name else decode_protobuf)(body)
for number, (labels, raw) in enumerate(parts):
    unpacked = gzip.decompress(raw)
    assert len(unpacked) <= 4 << 20, len(unpacked)
    assert len(labels) <= 30, labels
    if shutil.which("protoc"):
        fields = subprocess.run(["protoc", "--decode_raw"], input=unpacked, stdout=subprocess.PIPE, check=True).stdout
        # ptprofil's own fields have large numbers, which some readers mistake: they expect one byte.
        assert not re.search(rb"^ *[0-9]{5}", fields, re.M), "a field of ptprofil's own"
    for key, value in labels.items():
        assert re.fullmatch("[a-zA-Z_][a-zA-Z0-9_]*", key) and 0 < len(value) <= 2048, (key, value)
    with open("%s/%04d.pb.gz" % (folder, number), "wb") as file:
        file.write(raw)
    with open("%s/%04d.pb" % (folder, number), "wb") as file:
        file.write(unpacked)
    with open("%s/%04d.labels" % (folder, number), "w") as file:
        for key in sorted(labels):
            file.write("%s=%s\n" % (key, labels[key]))

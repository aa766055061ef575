# SPDX-License-Identifier: MIT
#
# Decodes OTLP requests with protoc: otlp_parts.py FOLDER FILE... Writes the stacks, root first, with their nanoseconds
# to FOLDER/KIND.folded, the attributes of resources to FOLDER/resources, and the other attributes to FOLDER/attributes.
# Fails if a request breaks a rule of profiles.proto.
import collections
import gzip
import os
import re
import subprocess
import sys

folder = sys.argv[1]
schema = os.path.dirname(os.path.abspath(__file__))
folded = collections.defaultdict(collections.Counter)
resources = set()
attributes = set()


def text_of(quoted):
    return quoted.encode("latin-1").decode("unicode_escape").encode("latin-1")


# Parses protoc's text format into a dictionary of lists.
def parse(lines):
    message = collections.defaultdict(list)
    for line in lines:
        line = line.strip()
        if line == "}":
            return message
        if line.endswith(" {"):
            message[line[:-2]].append(parse(lines))
        else:
            name, value = line.split(": ", 1)
            assert not name.isdigit(), "unknown field " + name
            message[name].append(text_of(value[1:-1]) if value[0] == '"' else int(value))
    return message


def one(message, name):
    assert len(message[name]) <= 1, name
    return message[name][0] if message[name] else 0


class Request:
    def __init__(self, body):
        decoded = subprocess.run(
            ["protoc", "-I", schema, "--decode=otlp.Request", "otlp.proto"], input=body, stdout=subprocess.PIPE, check=True
        ).stdout.decode("ascii")
        self.message = parse(iter(decoded.splitlines()))
        self.tables = one(self.message, "tables")
        self.used = collections.defaultdict(set)
        self.check_zeros()

    def check_zeros(self):
        for table in ("mappings", "locations", "functions", "attributes", "stacks"):
            assert not self.tables[table][0], (table, "its first element says something")
        assert self.tables["texts"][0] == b""
        link = self.tables["links"]
        assert len(link) == 1 and one(link[0], "trace") == bytes(16) and one(link[0], "span") == bytes(8)

    def get(self, table, index):
        assert 0 <= index < len(self.tables[table]), (table, index)
        self.used[table].add(index)
        return self.tables[table][index]

    def text(self, index):
        return self.get("texts", index).decode("utf-8")

    def take_attributes(self, message):
        keys = set()
        for index in message["attributes"]:
            attribute = self.get("attributes", index)
            key = self.text(one(attribute, "key"))
            assert index and key and key not in keys, key
            keys.add(key)
            attributes.add("%s=%s" % (key, one(one(attribute, "value"), "text").decode("utf-8")))

    def frames(self, location):
        mapping = self.get("mappings", one(location, "mapping"))
        self.text(one(mapping, "file"))
        self.take_attributes(mapping)
        self.take_attributes(location)
        names = []
        for line in location["lines"]:
            assert one(line, "function"), "a line without a function"
            function = self.get("functions", one(line, "function"))
            names.append(self.text(one(function, "name")))
            self.text(one(function, "system_name"))
            self.text(one(function, "file"))
        assert names, "a location without lines"
        return names

    def stack(self, index):
        assert index, "a sample without a stack"
        leaf_first = []
        for location in self.get("stacks", index)["locations"]:
            assert location, "a frame without a location"
            leaf_first += self.frames(self.get("locations", location))
        return ";".join(name.replace(";", ":") for name in reversed(leaf_first))

    def take_profile(self, profile):
        kind, period = one(profile, "type"), one(profile, "period_type")
        name = self.text(one(kind, "name"))
        assert self.text(one(kind, "unit")) == self.text(one(period, "unit")) == "nanoseconds"
        assert self.text(one(period, "name")) in ("cpu", "wall") and one(profile, "period") > 0
        assert len(one(profile, "id")) == 16 and one(profile, "time") > 10**18 and one(profile, "duration") > 0
        stacks = [one(sample, "stack") for sample in profile["samples"]]
        assert stacks and len(stacks) == len(set(stacks)), "a stack that occurs twice"
        for sample in profile["samples"]:
            assert len(sample["values"]) == 1 and sample["values"][0] > 0, sample
            folded[name][self.stack(one(sample, "stack"))] += sample["values"][0]

    def take(self):
        for resource in self.message["resources"]:
            pairs = one(resource, "attributes")["pairs"]
            keys = [one(pair, "key") for pair in pairs]
            assert len(keys) == len(set(keys)), keys
            resources.add(
                " ".join(sorted("%s=%s" % (one(pair, "key").decode(), one(one(pair, "value"), "text").decode()) for pair in pairs))
            )
            for scope in resource["scopes"]:
                assert one(one(scope, "library"), "name") == b"ptprofil"
                for profile in scope["profiles"]:
                    self.take_profile(profile)
        self.check_tables()

    # No element of a table is a duplicate, and none is unused.
    def check_tables(self):
        for table, elements in self.tables.items():
            assert len(elements) == len(set(map(str, elements))), (table, "has an element twice")
            if table != "links":
                assert self.used[table] | {0} == set(range(len(elements))), (table, "has an element that nothing refers to")


for name in sys.argv[2:]:
    with open(name, "rb") as file:
        body = gzip.decompress(file.read())
    assert len(body) < 4 << 20, len(body)
    assert not re.search(b"secret|password", body), "a command line was sent"
    Request(body).take()
for kind, stacks in folded.items():
    with open("%s/%s.folded" % (folder, kind), "w") as file:
        for stack, value in stacks.items():
            file.write("%s %d\n" % (stack, value))
for name, values in (("resources", resources), ("attributes", attributes)):
    with open("%s/%s" % (folder, name), "w") as file:
        file.write("".join(sorted(value + "\n" for value in values)))

# SPDX-License-Identifier: MIT
"""Reads a file with the Firefox Profiler's own code: firefox-import.py PROGRAM FILE. PROGRAM is the script of the npm package
@firefox-devtools/profiler-cli, which has the importer and the calculations of the page. Prints the contents, in nanoseconds:
"cpu NS PID TID", "mark NS TEXT", "function SELF TOTAL NAME" for all threads, and "idle NS"."""

import collections
import json
import os
import subprocess
import sys
import tempfile
import time


def ns(milliseconds):
    return round(milliseconds * 1000000)


class Profiler:
    """Runs the program, which loads one file and answers commands through a socket."""

    def __init__(self, program, file, folder):
        self.command = ["node", program]
        self.environment = dict(os.environ, PROFILER_CLI_SESSION_DIR=folder, HOME=folder)
        self.server = subprocess.Popen([*self.command, "--daemon", file, "--session", "test"], env=self.environment,
                                       stdout=sys.stderr)

    def run(self, *words):
        return subprocess.run([*self.command, *words, "--session", "test"], env=self.environment, capture_output=True, text=True)

    def wait(self):
        for _ in range(600):
            answer = self.run("thread", "list", "--json")
            if not answer.returncode:
                return
            if self.server.poll() is not None:
                break
            time.sleep(0.1)
        sys.exit(f"the file is not read: {answer.stdout}{answer.stderr}")

    def ask(self, *words):
        answer = self.run(*words, "--json")
        if answer.returncode:
            sys.exit(f"{' '.join(words)}: {answer.stdout}{answer.stderr}")
        return json.loads(answer.stdout)

    def end(self):
        self.server.kill()
        self.server.wait()


def functions_of(profiler, thread, *options):
    return profiler.ask("thread", "functions", "--thread", thread, "--limit", "0", *options)["functions"]


def tell(profiler):
    functions, idle = collections.defaultdict(lambda: [0, 0]), 0
    threads = profiler.ask("thread", "list")["threads"]
    for thread in threads:
        handle = thread["threadHandle"]
        print("cpu", ns(thread["cpuMs"]), thread["pid"], thread["tid"])
        for function in functions_of(profiler, handle, "--include-idle"):
            functions[function["name"]][0] += ns(function["selfSamples"])
            functions[function["name"]][1] += ns(function["totalSamples"])
            idle += ns(function["selfSamples"])
        idle -= sum(ns(function["selfSamples"]) for function in functions_of(profiler, handle))
        if thread["markerCount"]:
            markers = profiler.ask("thread", "markers", "--thread", handle, "--list", "--limit", "0")["flatMarkers"]
            for marker in markers:
                print("mark", ns(marker["start"]), marker["label"])
    for name, (self_ns, total_ns) in functions.items():
        print("function", self_ns, total_ns, name)
    print("idle", idle)


def main(program, file):
    with tempfile.TemporaryDirectory() as folder:
        profiler = Profiler(program, file, folder)
        try:
            profiler.wait()
            tell(profiler)
        finally:
            profiler.end()


main(*sys.argv[1:])

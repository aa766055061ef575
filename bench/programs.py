# SPDX-License-Identifier: MIT
"""Installed programs and work for them, for `stacks` and `captures`."""

import os
import shutil
import subprocess

CPP = """
#include <map>
#include <stdexcept>
#include <string>
static std::map<std::string, int> seen;
__attribute__((noinline)) int deep(int level)
{
    if (level == 0)
        throw std::runtime_error("deep");
    std::string key = std::to_string(level);
    seen[key]++;
    return deep(level - 1) + (int)key.size();
}
int main()
{
    int caught = 0;
    for (int i = 0; i < 60000; i++)
        try {
            deep(10 + i % 10);
        } catch (const std::exception &) {
            caught++;
        }
    return caught != 60000;
}
"""

GO = """
package main

import (
	"fmt"
	"sort"
	"sync"
)

func work(seed int) int {
	words := map[string]int{}
	for i := 0; i < 400000; i++ {
		words[fmt.Sprint(seed*i%20011)]++
	}
	var keys []string
	for key := range words {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return len(keys)
}

func main() {
	var group sync.WaitGroup
	for i := 1; i <= 4; i++ {
		group.Add(1)
		go func(seed int) { defer group.Done(); work(seed) }(i)
	}
	group.Wait()
}
"""

RUST = """
use std::collections::HashMap;
fn work(seed: u64) -> usize {
    let mut words: HashMap<String, u64> = HashMap::new();
    for i in 0..400_000u64 {
        *words.entry((seed * i % 20011).to_string()).or_insert(0) += 1;
    }
    let mut keys: Vec<_> = words.keys().cloned().collect();
    keys.sort();
    keys.len()
}
fn main() {
    let threads: Vec<_> = (1..5).map(|seed| std::thread::spawn(move || work(seed))).collect();
    let lengths: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    println!("{:?}", lengths);
}
"""

MUSL = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int order(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}
int main(void)
{
    enum { COUNT = 200000 };
    char **words = malloc(COUNT * sizeof *words), text[32];
    for (int round = 0; round < 3; round++) {
        for (unsigned i = 0; i < COUNT; i++) {
            snprintf(text, sizeof text, "%u", i * 2654435761u);
            words[i] = strdup(text);
        }
        qsort(words, COUNT, sizeof *words, order);
    }
    return 0;
}
"""

PYTHON = "import json,re\nfor i in range(12): json.loads(json.dumps([{str(n):[n,re.sub('1','x',str(n))]} for n in range(30000)]))"
PERL = 'my %h; for my $i (1..3000000) { my $s = "k".($i*7919%50021); $h{$s} += length $s; $s =~ s/(\\d)k/$1/; } print scalar(sort keys %h);'
AWK = '{ n[$1 % 1000] += length($0); gsub("1", "x") } END { for (k in n) s += n[k]; print s }'
NODE = "let m=new Map();for(let i=0;i<3e6;i++){let k='k'+i%50021;m.set(k,(m.get(k)||0)+1)}console.log([...m.keys()].sort().length)"
SQL = ("create table t(a,b);with recursive c(x) as (select 1 union all select x+1 from c where x<300000) insert into t "
       "select x, hex(x*7919%50021) from c;create index i on t(b);select count(*) from t join t u on t.a=u.a+1 "
       "group by t.b order by 1 desc limit 1;")

# a name, and a command line; FILE, CODE, OBJECT, TREE and so on are replaced by paths that prepare() makes
PROGRAMS = [
    ("gzip", ["gzip", "-c", "SMALL"]),
    ("xz", ["xz", "-1", "-T2", "-c", "SMALL"]),
    ("bzip2", ["bzip2", "-c", "SMALL"]),
    ("sort", ["sort", "-r", "FILE"]),
    ("awk", ["awk", AWK, "FILE"]),
    ("gawk", ["gawk", AWK, "FILE"]),
    ("perl", ["perl", "-e", PERL]),
    ("python3", ["/usr/bin/python3", "-c", PYTHON]),
    ("sqlite3", ["sqlite3", ":memory:", SQL]),
    ("openssl", ["openssl", "speed", "-seconds", "1", "sha256"]),
    ("openssl rsa", ["openssl", "speed", "-seconds", "1", "rsa2048"]),
    ("cc1", ["CC1", "-quiet", "-O2", "CODE", "-o", "/dev/null"]),
    ("ld", ["ld", "-r", "--whole-archive", "ARCHIVE", "-o", "/dev/null"]),
    ("git gc", ["git", "-C", "TREE", "repack", "-adfq", "--threads=2"]),
    ("tar", ["tar", "-cf", "OUTPUT", "/usr/include", "/usr/share/doc"]),
    ("grep", ["grep", "-cE", "(1.*2){3}|([3-9])\\2\\2", "FILE"]),
    ("convert", ["/usr/bin/convert", "-size", "900x900", "plasma:", "-blur", "0x6", "null:"]),
    ("Go", ["GO"]),
    ("Rust", ["RUST"]),
    ("C++, exceptions", ["C++"]),
    ("musl, static", ["MUSL"]),
    ("node", ["node", "-e", NODE]),
]


def build(folder, name, text, command):
    """Compiles TEXT; returns the program's path, or None."""
    program, source = os.path.join(folder, "program" + name), os.path.join(folder, "source" + name)
    with open(source, "w") as file:
        file.write(text)
    environment = dict(os.environ, GOCACHE=os.path.join(folder, "cache"), GOFLAGS="-mod=mod")
    try:
        made = subprocess.run(command + ["-o", program, source], env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=200)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return program if made.returncode == 0 else None


def prepare(folder):
    """Makes the programs' input when it is needed, and returns its paths by name."""
    made = {name: os.path.join(folder, name.lower()) for name in ("FILE", "SMALL", "CODE", "TREE", "OUTPUT")}
    made["CODE"] += ".c"
    return made


def lines_file(path, lines):
    with open(path, "w") as file:
        file.writelines(f"{i * 7919 % 1000003} {i}\n" for i in range(lines))


def code_file(path):
    """Makes input for a compiler."""
    with open(path, "w") as file:
        for i in range(250):
            file.write(f"int f{i}(int a, int *b) {{ int s = {i}; for (int i = 0; i < a; i++) {{ s += b[i] * {i}; "
                       f"if (s & {i + 1}) s ^= b[i] >> 3; else b[i] = s; }} switch (s % 7) {{ case 0: return a; "
                       f"case 1: return b[s]; case 3: s *= 3; }} return s; }}\n")


def git_tree(path):
    """Makes a repository with objects to pack."""
    os.mkdir(path)
    git = ["git", "-C", path, "-c", "user.name=x", "-c", "user.email=x@example.org"]
    for i in range(1500):
        with open(os.path.join(path, f"{i}.txt"), "w") as file:
            file.writelines(f"{n * (i + 3) % 1009}\n" for n in range(i % 300, 900))
    for command in (["init", "-q"], ["add", "."], ["-c", "gc.auto=0", "commit", "-qm", "x"]):
        subprocess.run(git + command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def output_of(command):
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout.strip()
    except OSError:
        return ""


def place_of(word, made, folder):
    """Returns the replacement of WORD in a command; None if it cannot be made."""
    makers = {"FILE": lambda path: lines_file(path, 2000000), "SMALL": lambda path: lines_file(path, 700000),
              "CODE": code_file, "TREE": git_tree}
    if word in made:
        if word in makers and not os.path.exists(made[word]):
            makers[word](made[word])
        return made[word]
    if word == "CC1":
        found = output_of(["gcc", "-print-prog-name=cc1"])
        return found if os.path.isabs(found) else None
    if word == "ARCHIVE":
        found = output_of(["gcc", "-print-file-name=libstdc++.a"])
        return found if os.path.isabs(found) else None
    if word == "GO":
        return build(folder, ".go", GO, ["go", "build"])
    if word == "RUST":
        return build(folder, ".rs", RUST, ["rustc", "-O"])
    if word == "C++":
        return build(folder, ".cc", CPP, ["g++", "-O2"])
    if word == "MUSL":
        return build(folder, ".c", MUSL, ["musl-gcc", "-O2", "-static"])
    return word


def command_of(words, made, folder):
    """Returns the command line of WORDS; None if the program is not installed, or its input cannot be made."""
    command = [place_of(word, made, folder) for word in words]
    return command if None not in command and shutil.which(command[0]) else None

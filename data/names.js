// SPDX-License-Identifier: MIT
//
// Shortens names of functions to fit into their boxes, and explains names in brackets. Does not depend on the page.
"use strict";

// Returns the beginnings of the parts of a name between "::", outside of all brackets. If brackets do not match, the
// name is one part.
function beginsOfParts(name) {
    const begins = [0];
    let depth = 0;
    for (let i = 0; i < name.length && depth >= 0; i++) {
        if ("<([{".includes(name[i]))
            depth++;
        else if (">)]}".includes(name[i]))
            depth--;
        else if (!depth && name.startsWith("::", i) && i > 0) {
            begins.push(i + 2);
            i++;
        }
    }
    return depth ? [0] : begins;
}

// Returns forms of a name, each shorter than the one before: the name, fewer and fewer of its last parts, and the last
// part.
function shorterNames(name) {
    const python = /^py::([^:]+):/.exec(name);
    if (python)
        return [name, python[1]];
    const nameless = /\+0x[0-9a-f]+$/.exec(name);
    if (nameless)
        return [name, `…${nameless[0]}`];
    const path = /^[\w.\-]+(?:\/[\w.\-]+)*\/([^/]+)$/.exec(name); // a path in a name of Go
    if (path)
        return [name, path[1]];
    const begins = beginsOfParts(name), last = begins.length - 1;
    return begins.map((begin, i) => i && i < last ? `…${name.slice(begin)}` : name.slice(begin));
}

// Returns the longest text with at most `room` letters. If none is short enough, cuts the shortest.
function fitted(texts, room) {
    const text = texts.find((one) => one.length <= room);
    return text !== undefined ? text : `${texts.at(-1).slice(0, Math.max(0, room - 1))}…`;
}

const NOTES = new Map([
    ["[truncated]", "The callers are unknown, because the rest of the stack was not copied. --stack-bytes copies more. " +
        "Stacks that were swapped out, or that continue on another stack as in Go programs, also end like this."],
    ["[unknown]", "The callers are unknown, because unwind tables or symbols are missing, for example in code that was " +
        "generated while the program ran."],
    ["[merged]", "The frames above were dropped to save memory; --max-memory raises the limit."],
    ["[unsampled]", "Time that no sample represents: of threads that ended before their first sample, or after a " +
        "thread's last sample. A higher --rate makes it less."],
    ["[runnable]", "The thread could run, and waited for a CPU."],
    ["[stopped]", "The thread was stopped, by job control or SIGSTOP."],
    ["[page fault]", "The kernel handled a page fault, or the thread waited for a page."],
    ["[restart_syscall]", "A system call with a timeout that the kernel entered again after a stop."],
    ["[anon]", "Code in memory without a file, as just-in-time compilers generate it, and without a map of its names."],
    ["[unnamed]", "A function without a name."],
]);

// Returns the meaning of a name in brackets, or "". In the object "[kernel]", other such names are system calls.
function noteOf(name, object) {
    const note = NOTES.get(name);
    if (note)
        return note;
    return object === "[kernel]" && /^\[\w+\]$/.test(name) ? "A system call: time in the kernel, or waiting there." : "";
}

if (typeof module === "object")
    module.exports = { fitted, noteOf, shorterNames };

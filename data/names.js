// SPDX-License-Identifier: MIT
//
// Names of functions made to fit where there is little room, and what the names in brackets mean. Knows nothing of the page.
"use strict";

// Returns where the parts of a name begin that "::" parts, outside of all brackets; one part if brackets do not match.
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

// Texts that stand for a name, each shorter than the one before: its last parts, then the last one alone.
function shorterNames(name) {
    const python = /^py::([^:]+):/.exec(name);
    if (python)
        return [name, python[1]];
    const nameless = /\+0x[0-9a-f]+$/.exec(name);
    if (nameless)
        return [name, `…${nameless[0]}`];
    const path = /^[\w.\-]+(?:\/[\w.\-]+)*\/([^/]+)$/.exec(name); // as Go has them
    if (path)
        return [name, path[1]];
    const begins = beginsOfParts(name), last = begins.length - 1;
    return begins.map((begin, i) => i && i < last ? `…${name.slice(begin)}` : name.slice(begin));
}

// Returns the longest of these texts that has at most `room` letters, or the shortest one cut.
function fitted(texts, room) {
    const text = texts.find((one) => one.length <= room);
    return text !== undefined ? text : `${texts.at(-1).slice(0, Math.max(0, room - 1))}…`;
}

const NOTES = new Map([
    ["[truncated]", "The stack went on in what was not copied: who called this is not known. More is copied with " +
        "--stack-bytes; a stack that was swapped out, or that goes over to another one as in Go programs, ends so, too."],
    ["[unknown]", "Nothing told how the stack goes on: who called this is not known. Unwind tables or symbols are missing, " +
        "as in code that was made while the program ran."],
    ["[merged]", "The frames above were not kept, for want of memory: --max-memory lets the record be larger."],
    ["[unsampled]", "Time that no sample stands for: of threads that ended before their first sample, and after the last " +
        "one. A higher --rate makes it less."],
    ["[runnable]", "It could run, and waited for a CPU."],
    ["[stopped]", "It was stopped, by job control or SIGSTOP."],
    ["[page fault]", "The kernel got a page of the program's memory; or the thread waited for one."],
    ["[restart_syscall]", "A system call with a timeout that the kernel has entered again after a stop."],
    ["[anon]", "Code in memory that is no file's, as just-in-time compilers make it, without a map of its names."],
    ["[unnamed]", "A function without a name."],
]);

// What a name in brackets means, or "". A system call is what `object` is the kernel's for.
function noteOf(name, object) {
    const note = NOTES.get(name);
    if (note)
        return note;
    return object === "[kernel]" && /^\[\w+\]$/.test(name) ? "A system call: time in the kernel, or waiting there." : "";
}

if (typeof module === "object")
    module.exports = { fitted, noteOf, shorterNames };

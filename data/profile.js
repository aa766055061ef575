// SPDX-License-Identifier: MIT
//
// The profile in the page, and the sums of a chosen part: of threads, of time, of running or waiting. Does not depend
// on the page.
"use strict";

const MOST_CHOICES = 500; // of each kind, in the list

class Profile {
    // times: the Times of the same data, or null.
    constructor(data, times) {
        this.data = data;
        this.parents = new Int32Array(data.nodeUp.length + 1);
        this.frames = new Int32Array(data.nodeFrame.length + 1);
        this.parents[0] = this.frames[0] = -1;
        for (let i = 0; i < data.nodeUp.length; i++) {
            this.parents[i + 1] = i + 1 - data.nodeUp[i];
            this.frames[i + 1] = data.nodeFrame[i];
        }
        this.baseProcesses = data.baseProcesses || 0;
        this.compares = Boolean(data.base);
        this.times = times;
    }

    processOf(thread) {
        return thread < 0 ? -1 - thread : this.data.threadProcess[thread];
    }

    // Returns the keys, "KIND NAME", of all choices that include this thread. In a comparison, processes of both runs
    // have only their names in common.
    keysOf(thread) {
        const data = this.data, process = this.processOf(thread), name = data.processName[process];
        const keys = [`program ${name}`];
        if (!this.compares)
            keys.push(`process ${data.processId[process]}`);
        if (data.processRank && data.processRank[process] >= 0)
            keys.push(`rank ${data.processRank[process]}`);
        if (thread >= 0)
            keys.push(this.compares ? `named ${name}/${data.threadName[thread]}`
                                    : `thread ${data.processId[process]}/${data.threadId[thread] || "-"}`);
        return keys;
    }

    // Returns the text of a choice.
    labelOf(thread, key) {
        const data = this.data, process = this.processOf(thread), [kind, name] = parted(key);
        if (kind === "process")
            return `${data.processName[process]} ${name}`;
        if (kind === "rank")
            return `rank ${name}`;
        return kind === "thread" ? `${data.threadName[thread]} ${name}` : name;
    }

    // Returns the choices of each kind, { key, label, ns }, those with the most time first. A choice with the same
    // threads as a larger choice is left out. ns: running and waiting time, of both sides of a comparison.
    choices() {
        const all = this.sumsByKey();
        const kinds = { program: [], process: [], rank: [], thread: [], named: [] };
        for (const choice of all.values())
            kinds[parted(choice.key)[0]].push(choice);
        const several = (list) => list.length > 1 ? list : [];
        const withOthers = (list) => list.filter((one) => all.get(one.owner).members.size > 1);
        const worth = {
            program: several(kinds.program).filter((one) => this.compares || one.processes.size > 1),
            process: several(kinds.process),
            rank: several(kinds.rank),
            thread: withOthers(kinds.thread),
            named: withOthers(kinds.named),
        };
        for (const list of Object.values(worth))
            list.sort((a, b) => b.ns - a.ns);
        return worth;
    }

    // Returns all choices, by key, with the key of the choice that each belongs to (owner) and its threads (members).
    sumsByKey() {
        const { rowThread, rowNs, rowWaitNs } = this.data;
        const byThread = new Map();
        rowThread.forEach((thread, row) =>
            byThread.set(thread, (byThread.get(thread) || 0) + rowNs[row] + (rowWaitNs ? rowWaitNs[row] : 0)));
        const all = new Map();
        for (const [thread, ns] of byThread) {
            const keys = this.keysOf(thread);
            for (const key of keys) {
                const one = all.get(key) || { key, label: this.labelOf(thread, key), ns: 0, processes: new Set(),
                                              owner: keys[this.compares ? 0 : 1], members: new Set() };
                one.ns += ns;
                one.processes.add(this.processOf(thread));
                if (thread >= 0)
                    one.members.add(keys.at(-1));
                all.set(key, one);
            }
        }
        return all;
    }

    // Returns the threads with timestamps, those that ran longest first, as { thread, label, key (a choice that shows it
    // alone, or "") }, at most `most`; and laneOf, by row: the index of its thread, or -1.
    lanes(most) {
        const { data, times } = this, ran = new Map(), lanes = new Map();
        const keys = new Set(Object.values(this.choices()).flat().map((one) => one.key));
        times.row.forEach((row, i) => {
            const thread = data.rowThread[row];
            if (thread >= 0)
                ran.set(thread, (ran.get(thread) || 0) + (times.waits[i] ? 0 : times.ns[i]));
        });
        const threads = [...ran.keys()].sort((a, b) => ran.get(b) - ran.get(a) || a - b).slice(0, most);
        threads.forEach((thread, lane) => lanes.set(thread, lane));
        return { list: threads.map((thread) => ({ thread, label: `${data.threadName[thread]} ${data.threadId[thread] || "(several)"}`,
                                                  key: this.keysOf(thread).reverse().find((key) => keys.has(key)) || "" })),
                 laneOf: Int32Array.from(data.rowThread, (thread) => lanes.get(thread) ?? -1) };
    }

    // True for the frame of a thread that could run, and waited for a CPU.
    isReady(frame) {
        return this.data.frameName[frame] === "[runnable]" && this.data.paths[this.data.frameObject[frame]] === "[kernel]";
    }

    isEmpty() {
        return !this.data.rowNode.length;
    }

    // Returns all running and waiting time, of both sides of a comparison. The shares of choices refer to it.
    wholeNs() {
        const sum = (all, one) => all + one;
        return this.data.rowNs.reduce(sum, 0) + (this.data.rowWaitNs || []).reduce(sum, 0);
    }

    // Returns a function of a thread's number: true if the choice `who` includes the thread. "" includes all.
    membership(who) {
        const known = new Map();
        return (thread) => {
            if (!who)
                return true;
            if (!known.has(thread))
                known.set(thread, this.keysOf(thread).includes(who));
            return known.get(thread);
        };
    }

    // Returns each node's self time and samples in the chosen part, for the profile and for its base (null without
    // one). choice: { who, clock ("all", "running", "waiting"), from, to (a stretch of time; to 0 means all time) }.
    amountsOf(choice) {
        return choice.to && this.times ? [this.amountsBetween(choice), null] : this.amountsOfAll(choice);
    }

    amountsOfAll(choice) {
        const { data } = this, isMember = this.membership(choice.who);
        const sides = [this.noAmounts(), this.compares ? this.noAmounts() : null];
        for (let row = 0; row < data.rowNode.length; row++) {
            const thread = data.rowThread[row];
            if (!isMember(thread))
                continue;
            const side = sides[this.compares && this.processOf(thread) < this.baseProcesses ? 1 : 0];
            addTo(side, choice.clock, data.rowNode[row], data.rowNs[row], data.rowWaitNs ? data.rowWaitNs[row] : 0,
                  data.rowSamples[row]);
        }
        return sides;
    }

    amountsBetween(choice) {
        const { data, times } = this, isMember = this.membership(choice.who), side = this.noAmounts();
        times.between(choice.from, choice.to, (i, ns, samples) => {
            const row = times.row[i];
            if (isMember(data.rowThread[row]))
                addTo(side, choice.clock, data.rowNode[row], times.waits[i] ? 0 : ns, times.waits[i] ? ns : 0, samples);
        });
        return side;
    }

    // Returns for each node whether its frame, or a caller's frame, matches. matches: a boolean by frame.
    pathsWith(matches) {
        const { parents, frames } = this, found = new Uint8Array(parents.length);
        for (let node = 1; node < parents.length; node++)
            found[node] = found[parents[node]] || matches[frames[node]] ? 1 : 0;
        return found;
    }

    noAmounts() {
        const count = this.parents.length;
        return { ns: new Float64Array(count), samples: new Float64Array(count), waitNs: new Float64Array(count) };
    }
}

// Adds running and waiting time to a node, if the chosen clock includes it. Samples of a row with both cannot be
// separated: they count if some of the row's time counts.
function addTo(side, clock, node, runNs, waitNs, samples) {
    const ran = clock === "waiting" ? 0 : runNs, waited = clock === "running" ? 0 : waitNs;
    side.ns[node] += ran + waited;
    side.waitNs[node] += waited;
    if (clock === "all" || ran + waited)
        side.samples[node] += samples;
}

function parted(key) {
    const space = key.indexOf(" ");
    return [key.slice(0, space), key.slice(space + 1)];
}

if (typeof module === "object")
    module.exports = { Profile };

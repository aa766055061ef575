// SPDX-License-Identifier: MIT
//
// Compares the calculations of the html format's page with slow and simple ones. "node viewer.js data/" does this for random
// profiles. "node viewer.js data/ PAGE" does it for PAGE, and prints its time, and its base's time, in nanoseconds.
"use strict";

const assert = require("assert");
const fs = require("fs");
const path = require("path");
const part = (name) => require(path.resolve(process.argv[2], name));
const { Found, bottomUp, sameNode, sumFunctions, topDown, visible } = part("calltree.js");
const { Profile } = part("profile.js");
const { fitted, noteOf, shorterNames } = part("names.js");
const { Times, clockText, roundStep } = part("times.js");
const { Ranks, rankFacts } = part("ranks.js");

let state = 1;
function random(below) { // the same numbers in each run
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % below;
}

// Threads 0 to 3 of processes 0 to 2, which run two programs. Each node has rows of several threads.
const THREADS = {
    processName: ["one", "two", "one"], processId: ["10", "20", "30"],
    threadProcess: [0, 0, 1, 2], threadName: ["one", "helper", "two", "one"], threadId: [10, 11, 20, 0],
};

function randomData(count, frames, deep) {
    const data = { ...THREADS, nodeUp: [], nodeFrame: [], rowNode: [], rowThread: [], rowNs: [], rowWaitNs: [],
                   rowSamples: [] };
    const known = new Set();
    while (data.nodeUp.length < count) {
        const size = data.nodeUp.length;
        const parent = deep && size ? size - random(Math.min(size, 3)) : random(size + 1);
        const frame = random(frames);
        if (known.has(`${parent} ${frame}`))
            continue;
        known.add(`${parent} ${frame}`);
        data.nodeUp.push(size + 1 - parent);
        data.nodeFrame.push(frame);
        for (let thread = random(7) - 3; thread < 4; thread += 1 + random(4))
            addRow(data, size + 1, thread);
    }
    return data;
}

function addRow(data, node, thread) {
    data.rowNode.push(node);
    data.rowThread.push(thread);
    data.rowNs.push(random(3) ? random(1000) : 0);
    data.rowWaitNs.push(random(3) ? 0 : random(1000));
    data.rowSamples.push(data.rowNs.at(-1) && thread >= 0 ? random(5) : 0);
}

const ALL = { who: "", clock: "all" };

function treeOf(data, choice = ALL, byBase = false) {
    const profile = new Profile(data, null);
    return topDown(profile, profile.amountsOf(choice), byBase);
}

// Makes a comparison of the data: the first process is its base.
function compared(data) {
    return { ...data, base: {}, baseProcesses: 1 };
}

// Returns the node, running time, waiting time and samples of each row that the choice includes.
function chosenRows(data, choice, isBase) {
    const rows = [];
    data.rowNode.forEach((node, row) => {
        const thread = data.rowThread[row], process = thread < 0 ? -1 - thread : data.threadProcess[thread];
        const id = `${data.processId[process]}/${data.threadId[thread] || "-"}`;
        const wanted = { "": true, [`program ${data.processName[process]}`]: true,
                         [`process ${data.processId[process]}`]: !data.base,
                         [`thread ${id}`]: !data.base && thread >= 0,
                         [`named ${data.processName[process]}/${data.threadName[thread]}`]: data.base && thread >= 0 };
        if (wanted[choice.who] && Boolean(data.base && process < data.baseProcesses) === isBase)
            rows.push({ node, ns: choice.clock === "waiting" ? 0 : data.rowNs[row],
                        waitNs: choice.clock === "running" ? 0 : (data.rowWaitNs || [])[row] || 0, samples: data.rowSamples[row] });
    });
    return rows;
}

// Returns each stack, as a text of its frames with the root first, and its time.
function stacksOfRows(data, rows) {
    const texts = [""], stacks = new Map();
    data.nodeUp.forEach((up, i) => texts.push(`${texts[i + 1 - up]} ${data.nodeFrame[i]}`));
    for (const row of rows)
        if (row.ns + row.waitNs)
            stacks.set(texts[row.node].trim(), (stacks.get(texts[row.node].trim()) || 0) + row.ns + row.waitNs);
    return [...stacks].sort();
}

function sum(numbers) {
    return numbers.reduce((all, one) => all + one, 0);
}

// Rows are ranges of nodes, children are side by side within their parent, and totals are sums.
function checkLayout(tree, rows) {
    assert.strictEqual(tree.totalNs[0], sum(rows.map((row) => row.ns + row.waitNs)));
    assert.strictEqual(tree.totalWaitNs[0], sum(rows.map((row) => row.waitNs)));
    assert.strictEqual(tree.rows.at(-1), tree.count);
    for (let node = 0; node < tree.count; node++) {
        const row = tree.rowOf(node);
        assert(tree.rows[row] <= node && node < tree.rows[row + 1]);
        let left = tree.left[node], below = tree.ns[node], waiting = tree.waitNs[node], widest = Infinity;
        for (let child = tree.firstChild[node]; child < tree.endChild[node]; child++) {
            assert.strictEqual(tree.parent[child], node);
            assert.strictEqual(tree.rowOf(child), row + 1);
            assert.strictEqual(tree.left[child], left);
            assert(tree.totalNs[child] <= widest);
            widest = tree.totalNs[child];
            left += widest;
            below += widest;
            waiting += tree.totalWaitNs[child];
        }
        assert.strictEqual(tree.totalNs[node], below);
        assert.strictEqual(tree.totalWaitNs[node], waiting);
        if (tree.totalNs[node])
            assert.strictEqual(tree.at(row, tree.left[node] + tree.totalNs[node] / 2), node);
    }
    assert.strictEqual(tree.at(0, -1), -1);
    assert.strictEqual(tree.at(tree.rowCount(), 0), -1);
    if (tree.totalNs[0])
        assert.strictEqual(tree.at(0, tree.totalNs[0]), -1);
}

// For each choice of process, thread, running and waiting, stacks have the sums of their rows, and no stack is empty.
function checkChoices(data) {
    const keys = Object.values(new Profile(data, null).choices()).flat().map((one) => one.key);
    assert(data.rowNode.length < 50 || data.base || keys.includes("program one") && keys.includes("thread 10/11"));
    for (const who of ["", "program two", "thread 30/-", "nobody", ...keys])
        for (const clock of ["all", "running", "waiting"]) {
            const choice = { who, clock }, rows = chosenRows(data, choice, false), tree = treeOf(data, choice);
            assert.deepStrictEqual(stacksOf(tree, false), stacksOfRows(data, rows));
            checkLayout(tree, rows);
            for (let node = 1; node < tree.count; node++)
                assert([tree, tree.other].some((side) => side && (side.totalNs[node] || side.totalSamples[node])));
            if (data.base)
                assert.deepStrictEqual(stacksOf(tree, false, tree.other),
                                       stacksOfRows(data, chosenRows(data, choice, true)));
        }
}

// Both sides of a comparison are sums, regardless of which side determines the widths.
function checkSides(data) {
    const tree = treeOf(data), byBase = treeOf(data, ALL, true);
    checkLayout(byBase, chosenRows(data, ALL, true));
    assert.deepStrictEqual(stacksOf(byBase, false), stacksOf(tree, false, tree.other));
    assert.deepStrictEqual(stacksOf(byBase, false, byBase.other), stacksOf(tree, false));
    for (const one of [tree, byBase, bottomUp(tree)]) {
        assert.strictEqual(one.other.totalNs[0], (one === byBase ? tree : byBase).totalNs[0]);
        for (let node = 0; node < one.count; node++) {
            let below = one.other.samples[node];
            for (let child = one.firstChild[node]; child < one.endChild[node]; child++)
                below += one.other.totalSamples[child];
            assert.strictEqual(one.other.totalSamples[node], below);
        }
    }
    assert.deepStrictEqual(stacksOf(bottomUp(tree), true, bottomUp(tree).other), stacksOf(tree, false, tree.other));
    checkDrawing(byBase);
}

// A function's self time is the sum of its nodes. Its total time is the sum of its nodes that are not below another node
// of the function.
function checkFunctions(tree, frameCount) {
    const functions = sumFunctions(tree, frameCount);
    for (const [sums, side] of [[functions, tree], ...tree.other ? [[functions.other, tree.other]] : []]) {
        const selfNs = new Float64Array(frameCount), totalNs = new Float64Array(frameCount);
        for (let node = 1; node < tree.count; node++) {
            let again = false;
            for (let at = tree.parent[node]; at > 0; at = tree.parent[at])
                again = again || tree.frame[at] === tree.frame[node];
            selfNs[tree.frame[node]] += side.ns[node];
            totalNs[tree.frame[node]] += again ? 0 : side.totalNs[node];
        }
        assert.deepStrictEqual(sums.selfNs, selfNs);
        assert.deepStrictEqual(sums.totalNs, totalNs);
    }
}

// sameNode() finds a node in the tree of another choice, or its nearest ancestor.
function checkSame(data, tree) {
    const other = treeOf(data, { who: "program one", clock: "all" });
    const pathOf = (one, node) => node ? `${pathOf(one, one.parent[node])} ${one.frame[node]}` : "";
    const known = new Map(Array.from({ length: other.count }, (_, node) => [pathOf(other, node), node]));
    for (let i = 0; i < 30; i++) {
        let node = random(tree.count);
        const found = sameNode(tree, node, other);
        while (!known.has(pathOf(tree, node)))
            node = tree.parent[node];
        assert.strictEqual(found, known.get(pathOf(tree, node)));
    }
}

// Returns each stack, as a text with the root first, and its time on one side of the comparison.
function stacksOf(tree, reversed, side = tree) {
    const stacks = new Map();
    for (let node = 1; node < tree.count; node++) {
        if (!side.ns[node])
            continue;
        const frames = [];
        for (let at = node; at > 0; at = tree.parent[at])
            frames.push(tree.frame[at]);
        const text = (reversed ? frames : frames.reverse()).join(" ");
        stacks.set(text, (stacks.get(text) || 0) + side.ns[node]);
    }
    return [...stacks].sort();
}

function checkFound(tree, frameCount) {
    const isFound = Array.from({ length: frameCount }, () => random(4) === 0);
    const found = new Found(tree, isFound);
    for (let i = 0; i < 20; i++) {
        const zoom = i ? random(tree.count) : 0;
        const expected = { ns: 0, samples: 0, other: { ns: 0, samples: 0 } };
        for (let node = 0; node < tree.count; node++) {
            let inside = false, hit = false;
            for (let at = node; at >= 0; at = tree.parent[at]) {
                hit = hit || (at > 0 && isFound[tree.frame[at]]);
                inside = inside || at === zoom;
            }
            if (inside && hit) {
                expected.ns += tree.ns[node];
                expected.samples += tree.samples[node];
                expected.other.ns += tree.other ? tree.other.ns[node] : 0;
                expected.other.samples += tree.other ? tree.other.samples[node] : 0;
            }
        }
        assert.deepStrictEqual(found.sum(zoom), expected);
    }
    const below = new Set();
    for (let node = 1; node < tree.count; node++)
        for (let at = isFound[tree.frame[node]] ? node : 0; at > 0; at = tree.parent[at])
            below.add(at);
    for (let node = 1; node < tree.count; node++)
        assert.strictEqual(found.any(node, node + 1), below.has(node));
    assert(found.hits.every((node, i) => isFound[tree.frame[node]] && (!i || tree.totalNs[found.hits[i - 1]] >= tree.totalNs[node])));
    assert.strictEqual(new Set(found.hits).size, Array.from(tree.frame).filter((frame) => isFound[frame]).length);
}

// Each wide enough box above and below the zoomed node is drawn once. Narrow boxes on a drawn box are one low line, if they
// are wide enough together, and nothing is drawn on that line.
function checkDrawing(tree) {
    const pixels = 100;
    for (let i = 0; i < 5; i++) {
        const zoom = i ? random(tree.count) : 0;
        const least = Math.max(1, tree.totalNs[zoom]) / pixels, { rows, rests } = visible(tree, zoom, least);
        const zoomRow = tree.rowOf(zoom), drawn = new Set(rows.flat());
        assert.strictEqual(rests.length, rows.length);
        assert.strictEqual(drawn.size, rows.flat().length);
        rows.forEach((row, number) => assert(row.every((node, k) =>
            tree.rowOf(node) === number && (!k || node > row[k - 1]) && (number <= zoomRow || tree.totalNs[node] >= least))));
        const within = new Uint8Array(tree.count);
        for (let node = zoom; node < tree.count; node++) {
            within[node] = node === zoom || within[tree.parent[node]];
            if (within[node])
                assert.strictEqual(drawn.has(node), node === zoom || tree.totalNs[node] >= least);
        }
        for (const { parent, begin, end, from, to } of rests.flat()) {
            assert(drawn.has(parent) && begin < end && end === tree.endChild[parent] && to - from >= least);
            for (let node = begin; node < end; node++)
                assert(tree.totalNs[node] < least && tree.parent[node] === parent);
        }
        assert(rows.every((row, number) => row.length + rests[number].length <= 2 * pixels));
    }
}

function checkNames() {
    const known = [
        ["main", ["main"]],
        ["std::map<int, a::b>::find(x::y) const", ["std::map<int, a::b>::find(x::y) const", "…map<int, a::b>::find(x::y) const",
                                                   "find(x::y) const"]],
        ["<T as core::Trait>::run::{{closure}}", ["<T as core::Trait>::run::{{closure}}", "…run::{{closure}}", "{{closure}}"]],
        ["std::operator<< <...>", ["std::operator<< <...>"]], // its brackets do not match, so it is not shortened
        ["net/http.(*conn).serve", ["net/http.(*conn).serve", "http.(*conn).serve"]],
        ["liblzma.so.5.4.1+0x15b10", ["liblzma.so.5.4.1+0x15b10", "…+0x15b10"]],
        ["py::walk:/usr/lib/p.py", ["py::walk:/usr/lib/p.py", "walk"]],
        ["::", ["::"]],
    ];
    for (const [name, texts] of known)
        assert.deepStrictEqual(shorterNames(name), texts);
    const texts = shorterNames("std::map<...>::find");
    assert.deepStrictEqual([19, 18, 13, 12, 4, 3, 1].map((room) => fitted(texts, room)),
                           ["std::map<...>::find", "…map<...>::find", "find", "find", "find", "fi…", "…"]);
    assert.match(noteOf("[truncated]", ""), /--stack-bytes/);
    assert.match(noteOf("[futex]", "[kernel]"), /system call/);
    assert.strictEqual(noteOf("[futex]", "/bin/a") + noteOf("main", ""), "");
}

// Entries as profile/instants.h encodes them.
function encoded(entries) {
    const bytes = [];
    const number = (value) => {
        for (; value > 127; value = Math.floor(value / 128))
            bytes.push(value % 128 + 128);
        bytes.push(value);
    };
    let last = 0;
    for (const { us, row, ns, waits, samples } of entries) {
        number(row * 4 + (samples === 1 ? 0 : 2) + (waits ? 1 : 0));
        number(us >= last ? 2 * (us - last) : 2 * (last - us) - 1);
        number(ns);
        if (samples !== 1)
            number(samples);
        last = us;
    }
    return Buffer.from(bytes).toString("base64");
}

function randomEntries(data, count) {
    return Array.from({ length: count }, (_, i) => {
        const waits = random(3) === 0;
        return { us: 5e9 + i * 1000 + random(2000), row: random(data.rowNode.length), waits, samples: random(4) ? 1 : random(3),
                 ns: waits ? 1 + random(3000000) : random(3) ? random(100000) : 2 ** 40 + random(1000) };
    });
}

// In any stretch of time, each node has its running time within the stretch, and the parts of its waits within it. Adjacent
// stretches add up to the whole stretch, and so do bins.
function checkTimes(data) {
    const entries = randomEntries(data, 400), end = 5e12 + 4e8;
    const times = new Times({ instants: encoded(entries), untilNs: 0, markNs: [7], markText: ["<b>"] });
    const profile = new Profile(data, times);
    assert.deepStrictEqual(entries.map((one) => [one.us * 1000, one.row, one.ns, Number(one.waits), one.samples]),
                           entries.map((_, i) => [times.time[i], times.row[i], times.ns[i], times.waits[i], times.samples[i]]));
    for (const clock of ["all", "running", "waiting"])
        for (const [from, to] of [[0, end], [5e12 + 1e8, 5e12 + 2e8], [5e12 + 2e8, 5e12 + 2e8 + 1000], [0, 1]]) {
            const [amounts, base] = profile.amountsOf({ who: "", clock, from, to });
            const ns = new Float64Array(data.nodeUp.length + 1);
            for (const one of entries) {
                const last = one.us * 1000, began = one.waits ? last - one.ns : last;
                if (clock === (one.waits ? "running" : "waiting"))
                    continue;
                const part = one.waits ? Math.max(0, Math.min(last, to) - Math.max(began, from)) / one.ns
                    : last >= from && last < to ? 1 : 0;
                ns[data.rowNode[one.row]] += Math.round(one.ns * part);
            }
            assert.deepStrictEqual(amounts.ns, ns);
            assert.strictEqual(base, null);
        }
    const { begin, end: last } = times.bounds();
    const isReady = (row) => row % 3 === 0, bins = (count) => times.bins(begin, last + 1, count, () => true, isReady);
    const whole = bins(1), many = bins(77);
    const kindOf = ({ waits, row }) => !waits ? "running" : isReady(row) ? "ready" : "waiting";
    for (const kind of ["running", "ready", "waiting"]) {
        assert(Math.abs(sum(many[kind]) - whole[kind][0]) <= whole[kind][0] * 1e-9);
        assert(Math.abs(whole[kind][0] - sum(entries.filter((one) => kindOf(one) === kind).map((one) => one.ns))) < 1);
    }
    assert.deepStrictEqual(times.bins(begin, last + 1, 3, () => false, isReady).running, new Float64Array(3));
    checkLanes(profile, entries);
    assert.deepStrictEqual([0.3, 1, 1.5, 2, 3, 7e9].map((least) => roundStep(least, 1)), [1, 1, 2, 2, 5, 1e10]);
    assert.deepStrictEqual([[3.25e9, 1e7], [3e9, 1e9], [0, 5e8], [1.2345678e9, 1]].map(([ns, step]) => clockText(ns, step)),
                           ["3.25 s", "3 s", "0.0 s", "1.234568 s"]);
}

// Each lane has the parts of its thread's entries in each bin: of waits, and of the running time before each sample.
function checkLanes(profile, entries) {
    const { times, data } = profile, { list, laneOf } = profile.lanes(3), [from, to, count] = [5e12 + 1e8, 5e12 + 3e8, 50];
    const ran = (thread) => sum(entries.filter((one) => data.rowThread[one.row] === thread && !one.waits).map((one) => one.ns));
    assert.strictEqual(list.length, 3);
    assert(list.every(({ thread }, i) => thread >= 0 && (!i || ran(thread) <= ran(list[i - 1].thread))));
    data.rowThread.forEach((thread, row) => assert.strictEqual(laneOf[row], list.findIndex((lane) => lane.thread === thread)));
    const isReady = data.rowNode.map((_, row) => row % 3 ? 0 : 1), isFound = data.rowNode.map((_, row) => row % 2);
    const states = times.states(from, to, count, { count: list.length, of: laneOf, isReady, isFound });
    const wanted = { running: new Float64Array(150), ready: new Float64Array(150), waiting: new Float64Array(150), found: new Float64Array(150) };
    for (const { row, us, ns, waits } of entries)
        for (let bin = 0; bin < count && laneOf[row] >= 0; bin++) {
            const [begin, end] = [bin, bin + 1].map((edge) => from + (to - from) * edge / count);
            const part = Math.max(0, Math.min(end, us * 1000) - Math.max(begin, us * 1000 - ns));
            wanted[!waits ? "running" : isReady[row] ? "ready" : "waiting"][laneOf[row] * count + bin] += part;
            wanted.found[laneOf[row] * count + bin] += isFound[row] ? part : 0;
        }
    for (const [kind, values] of Object.entries(wanted))
        values.forEach((ns, i) => assert(Math.abs(states[kind][i] - ns) <= 10 + ns * 1e-3, `${kind} ${i}`));
    const row = times.mostAt(from, to, laneOf, 0), shared = (one) => Math.min(to, one.us * 1000) - Math.max(from, one.us * 1000 - one.ns);
    const rowSum = (wanted) => sum(entries.filter((one) => one.row === wanted && shared(one) > 0).map(shared));
    data.rowThread.forEach((_, other) => assert(laneOf[other] !== 0 || rowSum(other) <= rowSum(row)));
    assert.strictEqual(times.mostAt(0, 1, laneOf, 0), -1);
}

function checkRandom() {
    checkNames();
    checkTimes({ ...randomData(300, 7), frameName: [], frameObject: [], paths: [] });
    for (const [count, frames, deep] of [[0, 1], [1, 1], [10, 3], [300, 7], [3000, 500], [500, 4, true], [40000, 3000]]) {
        const data = randomData(count, frames, deep), rows = chosenRows(data, ALL, false);
        const tree = treeOf(data);
        checkLayout(tree, rows);
        const reversed = bottomUp(tree);
        checkLayout(reversed, rows);
        assert.deepStrictEqual(stacksOf(reversed, true), stacksOf(tree, false));
        checkDrawing(tree);
        checkDrawing(reversed);
        if (count <= 3000) {
            checkFound(tree, frames);
            checkFound(treeOf(compared(data)), frames);
            checkSides(compared(data));
            checkChoices(data);
            checkChoices(compared(data));
            checkFunctions(tree, frames);
            checkRanks(data, frames);
            checkFunctions(treeOf(compared(data)), frames);
            checkSame(data, tree);
        }
    }
}

// Each rank has the sums of its rows by function, by kind of work, and by time.
function checkRanks(data, frames) {
    data = { ...data, processRank: [12, -1, 3], frameKind: Array.from({ length: frames }, () => random(3)) };
    const profile = new Profile(data, null), ranks = new Ranks(profile);
    assert.deepStrictEqual(ranks.numbers, [3, 12]);
    assert(profile.keysOf(-3).includes("rank 3") && profile.labelOf(-3, "rank 3") === "rank 3");
    for (const clock of ["all", "running", "waiting"]) {
        const byFrame = new Map(), byKind = [[0, 0], [0, 0], [0, 0], [0, 0]];
        data.rowNode.forEach((node, row) => {
            const thread = data.rowThread[row], place = [1, -1, 0][thread < 0 ? -1 - thread : data.threadProcess[thread]];
            const ran = clock === "waiting" ? 0 : data.rowNs[row], waited = clock === "running" ? 0 : data.rowWaitNs[row];
            let kind = 0;
            for (let at = node; at > 0; at -= data.nodeUp[at - 1])
                kind = data.frameKind[data.nodeFrame[at - 1]] || kind;
            if (place < 0)
                return;
            const sums = byFrame.get(data.nodeFrame[node - 1]) || [0, 0];
            sums[place] += ran + waited;
            byFrame.set(data.nodeFrame[node - 1], sums);
            byKind[kind][place] += ran;
            byKind[kind || 3][place] += waited;
        });
        const rows = ranks.functions({ clock, to: 0 }, Infinity);
        for (const { frame, ns, sum: total } of rows)
            assert.deepStrictEqual([...ns, total], [...byFrame.get(frame), sum(byFrame.get(frame))]);
        assert.strictEqual(sum(rows.map((row) => row.sum)), sum([...byFrame.values()].flat()));
        assert(rows.every((row, i) => !i || row.sum <= rows[i - 1].sum));
        assert.deepStrictEqual(ranks.kinds({ clock, to: 0 }).map((kind) => [...kind]), byKind);
    }
    checkRankTimes(profile, ranks);
}

// Each row of a rank gets one running sample, and a wait of 3 us that begins in the first bin.
function checkRankTimes(profile, ranks) {
    const rows = profile.data.rowNode.map((node, row) => row).filter((row) => ranks.placeOf(row) >= 0).slice(0, 20);
    const entries = rows.flatMap((row) => [[row, 7000, 50, 0], [row, 4000, 3000, 1]]);
    const column = (i) => entries.map((entry) => entry[i]);
    profile.times = Object.assign(Object.create(Times.prototype),
                                  { row: column(0), time: column(1), ns: column(2), waits: column(3), count: entries.length,
                                    samples: column(3) });
    const bins = 4, kinds = ranks.times({ clock: "all" }, 0, 8000, bins);
    const wanted = [0, 1, 2, 3].map(() => new Float64Array(2 * bins));
    for (const row of rows) {
        const at = ranks.placeOf(row) * bins, kind = ranks.kindOfRow[row];
        wanted[kind][at + 3] += 50;
        wanted[kind || 3][at] += 1000;
        wanted[kind || 3][at + 1] += 2000;
    }
    assert.deepStrictEqual(kinds, wanted);
    assert.strictEqual(sum(ranks.times({ clock: "waiting" }, 0, 8000, bins).map((kind) => sum([...kind]))), 3000 * rows.length);
    assert.strictEqual(rankFacts([3, 12], [[10, 30], [20, 0], [0, 0], [0, 0]]),
                       "2 ranks: computing 66.7 %, MPI 33.3 %; slowest rank 12, +50.0 %");
}

function checkPage(page) {
    const text = page.match(/<script id="data" type="application\/json">\n(.*?)<\/script>/s)[1];
    const data = JSON.parse(text);
    if (data.times) { // the samples with timestamps have at most the time of their row
        const times = new Times(data.times), left = data.rowNs.map((ns, row) => ns + (data.rowWaitNs ? data.rowWaitNs[row] : 0));
        times.row.forEach((row, i) => left[row] -= times.ns[i]);
        assert(left.every((ns) => ns >= 0));
    }
    const tree = treeOf(data);
    checkLayout(tree, chosenRows(data, ALL, false));
    assert.strictEqual(data.nodeFrame.reduce((most, frame) => Math.max(most, frame), -1) + 1, data.frameName.length);
    if (data.base)
        checkSides(data);
    console.log(tree.totalNs[0], ...tree.other ? [tree.other.totalNs[0]] : []);
}

if (process.argv[3])
    checkPage(fs.readFileSync(process.argv[3], "utf8"));
else
    checkRandom();

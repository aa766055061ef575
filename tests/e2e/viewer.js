// SPDX-License-Identifier: MIT
//
// Holds the call tree of the html format's page to slow and simple ways of saying the same, for random trees and for the
// tree of a page: node viewer.js calltree.js PAGE. Prints the page's CPU time in nanoseconds, and that of its base.
"use strict";

const assert = require("assert");
const fs = require("fs");
const path = require("path");
const { Found, bottomUp, eachOfRow, topDown } = require(path.resolve(process.argv[2]));

let state = 1;
function random(below) { // the same numbers in each run
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % below;
}

function randomData(count, frames, deep) {
    const data = { nodeParent: [], nodeFrame: [], nodeNs: [], nodeSamples: [] };
    const known = new Set();
    while (data.nodeParent.length < count) {
        const size = data.nodeParent.length;
        const parent = deep && size ? size - random(Math.min(size, 3)) : random(size + 1);
        const frame = random(frames);
        if (known.has(`${parent} ${frame}`))
            continue;
        known.add(`${parent} ${frame}`);
        data.nodeParent.push(parent);
        data.nodeFrame.push(frame);
        data.nodeNs.push(random(3) ? random(1000) : 0);
        data.nodeSamples.push(data.nodeNs.at(-1) ? random(5) : 0);
    }
    return data;
}

// The same tree, compared with a base.
function compared(data) {
    const nodeBaseNs = data.nodeNs.map(() => random(2) ? random(1000) : 0);
    return { ...data, base: {}, nodeBaseNs, nodeBaseSamples: nodeBaseNs.map((ns) => ns ? random(5) : 0) };
}

// The same with both sides exchanged.
function exchanged(data) {
    return { ...data, nodeNs: data.nodeBaseNs, nodeSamples: data.nodeBaseSamples, nodeBaseNs: data.nodeNs,
             nodeBaseSamples: data.nodeSamples };
}

function sum(numbers) {
    return numbers.reduce((all, one) => all + one, 0);
}

// Rows are ranges, children lie within their parent, side by side, and totals are sums.
function checkLayout(tree, data) {
    assert.strictEqual(tree.totalNs[0], sum(data.nodeNs));
    assert.strictEqual(tree.totalSamples[0], sum(data.nodeSamples));
    assert.strictEqual(tree.rows.at(-1), tree.count);
    for (let node = 0; node < tree.count; node++) {
        const row = tree.rowOf(node);
        assert(tree.rows[row] <= node && node < tree.rows[row + 1]);
        let left = tree.left[node], below = tree.ns[node], widest = Infinity;
        for (let child = tree.firstChild[node]; child < tree.endChild[node]; child++) {
            assert.strictEqual(tree.parent[child], node);
            assert.strictEqual(tree.rowOf(child), row + 1);
            assert.strictEqual(tree.left[child], left);
            assert(tree.totalNs[child] <= widest);
            widest = tree.totalNs[child];
            left += widest;
            below += widest;
        }
        assert.strictEqual(tree.totalNs[node], below);
        if (tree.totalNs[node])
            assert.strictEqual(tree.at(row, tree.left[node] + tree.totalNs[node] / 2), node);
    }
    assert.strictEqual(tree.at(0, -1), -1);
    assert.strictEqual(tree.at(tree.rowCount(), 0), -1);
    if (tree.totalNs[0])
        assert.strictEqual(tree.at(0, tree.totalNs[0]), -1);
}

// Both sides of a comparison are sums, whichever gives the widths.
function checkSides(data) {
    const tree = topDown(data), byBase = topDown(data, true);
    checkLayout(byBase, exchanged(data));
    assert.deepStrictEqual(stacksOf(byBase, false), stacksOf(tree, false, tree.other));
    assert.deepStrictEqual(stacksOf(byBase, false, byBase.other), stacksOf(tree, false));
    for (const one of [tree, byBase, bottomUp(tree)]) {
        assert.strictEqual(one.other.totalNs[0], sum(one === byBase ? data.nodeNs : data.nodeBaseNs));
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

// Each stack as a text from the root on, with its time of that side.
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
    for (let node = 1; node < tree.count; node++)
        assert.strictEqual(found.any(node, node + 1), isFound[tree.frame[node]]);
}

// What is drawn of a row is all of it that can be seen, once, and little more than the picture has pixels.
function checkDrawing(tree) {
    const pixels = 100;
    for (let row = 0; row < tree.rowCount(); row++) {
        const low = random(4) ? tree.totalNs[0] * random(100) / 150 : 0;
        const span = Math.max(1, (tree.totalNs[0] - low) * (1 + random(100)) / 100);
        const least = span / pixels;
        const seen = new Set();
        let calls = 0, last = -1;
        const see = (node) => {
            assert(node > last);
            last = node;
            seen.add(node);
        };
        eachOfRow(tree, row, low, low + span, least,
            (node, from, to) => {
                calls++;
                see(node);
                assert(tree.totalNs[node] >= least && from >= low && to <= low + span && from <= to);
            },
            (begin, end) => {
                calls++;
                for (let node = begin; node < end; node++) {
                    assert(tree.totalNs[node] < least);
                    see(node);
                }
            });
        for (let node = tree.rows[row]; node < tree.rows[row + 1]; node++)
            if (tree.totalNs[node] && tree.left[node] < low + span && tree.right(node) > low)
                assert(seen.has(node));
        assert(calls <= 2 * pixels + 4);
    }
}

for (const [count, frames, deep] of [[0, 1], [1, 1], [10, 3], [300, 7], [3000, 500], [500, 4, true], [40000, 3000]]) {
    const data = randomData(count, frames, deep);
    const tree = topDown(data);
    checkLayout(tree, data);
    const reversed = bottomUp(tree);
    checkLayout(reversed, data);
    assert.deepStrictEqual(stacksOf(reversed, true), stacksOf(tree, false));
    checkDrawing(tree);
    checkDrawing(reversed);
    if (count <= 3000) {
        checkFound(tree, frames);
        checkFound(topDown(compared(data)), frames);
        checkSides(compared(data));
    }
}

const page = fs.readFileSync(process.argv[3], "utf8");
const text = page.match(/<script id="data" type="application\/json">\n(.*?)<\/script>/s)[1];
const data = JSON.parse(text);
const tree = topDown(data);
checkLayout(tree, data);
assert.strictEqual(Math.max(...data.nodeFrame) + 1, data.frameName.length);
if (data.base)
    checkSides(data);
console.log(tree.totalNs[0], ...tree.other ? [tree.other.totalNs[0]] : []);

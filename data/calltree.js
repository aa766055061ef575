// SPDX-License-Identifier: MIT
//
// The call tree, laid out for a flame graph: each node's parent, width and position. Does not depend on the page.
"use strict";

// A tree with nodes numbered row by row, each row from left to right. So a row, and the children of a node, are ranges
// of numbers. Node 0 is the root. Arrays by node:
//   parent, frame (-1 for the root),
//   ns, samples and waitNs (self; waitNs is the waiting part of ns),
//   totalNs, totalSamples and totalWaitNs (including the nodes below),
//   left (the left edge, in nanoseconds), firstChild and endChild (the range of its children).
// other has the same sums for the other side of a comparison (other.totalNs and so on), or is null.
// Row r begins with node rows[r] and ends before rows[r + 1].
class CallTree {
    // parents, frames and amounts are arrays by node. Parents come before their children, and the root is first.
    // amounts and other: { ns, samples, waitNs } (self).
    constructor(parents, frames, amounts, other) {
        const count = parents.length;
        this.count = count;
        this.parent = new Int32Array(count);
        this.frame = new Int32Array(count);
        this.left = new Float64Array(count);
        this.firstChild = new Int32Array(count);
        this.endChild = new Int32Array(count);
        this.rows = [0];
        const totalNs = sumUp(parents, amounts.ns);
        const source = this.lay(parents, frames, totalNs);
        const all = (one) => ({
            ns: pick(one.ns, source),
            samples: pick(one.samples, source),
            waitNs: pick(one.waitNs, source),
            totalNs: pick(one === amounts ? totalNs : sumUp(parents, one.ns), source),
            totalSamples: pick(sumUp(parents, one.samples), source),
            totalWaitNs: pick(sumUp(parents, one.waitNs), source),
        });
        Object.assign(this, all(amounts));
        this.other = other ? all(other) : null;
    }

    // Numbers and places all nodes. Returns the old number of each.
    lay(parents, frames, totalNs) {
        const children = childrenByWidth(parents, totalNs);
        const source = new Int32Array(this.count);
        let known = 1;
        for (let node = 0; node < this.count; node++) {
            const old = source[node];
            if (node === this.rows.at(-1))
                this.rows.push(known); // all nodes of this row have numbers, and none of the next row
            this.frame[node] = frames[old];
            this.firstChild[node] = known;
            let left = this.left[node];
            for (let i = children.begin[old]; i < children.begin[old + 1]; i++) {
                source[known] = children.list[i];
                this.parent[known] = node;
                this.left[known] = left;
                left += totalNs[children.list[i]];
                known++;
            }
            this.endChild[node] = known;
        }
        this.parent[0] = -1;
        return source;
    }

    right(node) {
        return this.left[node] + this.totalNs[node];
    }

    rowCount() {
        return this.rows.length - 1;
    }

    rowOf(node) {
        let low = 0, high = this.rowCount();
        while (high - low > 1) {
            const middle = (low + high) >> 1;
            if (this.rows[middle] <= node)
                low = middle;
            else
                high = middle;
        }
        return low;
    }

    // Returns the first node from `begin` to `end` (in one row) with its left edge at `position` or to the right.
    firstFrom(begin, end, position) {
        while (begin < end) {
            const middle = (begin + end) >> 1;
            if (this.left[middle] < position)
                begin = middle + 1;
            else
                end = middle;
        }
        return begin;
    }

    // Returns the node of the row at `position`, or -1.
    at(row, position) {
        if (row < 0 || row >= this.rowCount())
            return -1;
        const node = this.firstFrom(this.rows[row], this.rows[row + 1], position) - 1;
        const exact = node + 1;
        if (exact < this.rows[row + 1] && this.left[exact] === position)
            return exact;
        return node >= this.rows[row] && position < this.right(node) ? node : -1;
    }
}

// Returns the sum of the values of each node and all nodes below it.
function sumUp(parents, values) {
    const totals = Float64Array.from(values);
    for (let node = parents.length - 1; node > 0; node--)
        totals[parents[node]] += totals[node];
    return totals;
}

// Returns the children of all nodes in one list: a node's children are list[begin[node]] .. list[begin[node + 1] - 1],
// the widest first.
function childrenByWidth(parents, totalNs) {
    const count = parents.length;
    const begin = new Int32Array(count + 1);
    for (let node = 1; node < count; node++)
        begin[parents[node] + 1]++;
    for (let node = 0; node < count; node++)
        begin[node + 1] += begin[node];
    const list = new Int32Array(count);
    const next = begin.slice();
    for (let node = 1; node < count; node++)
        list[next[parents[node]]++] = node;
    for (let node = 0; node < count; node++)
        if (begin[node + 1] - begin[node] > 1)
            list.subarray(begin[node], begin[node + 1]).sort((a, b) => totalNs[b] - totalNs[a] || a - b);
    return { begin, list };
}

// Returns the tree in call order, from the functions where threads began to their callees. The second argument has the
// amounts of the profile and of its base, if it has one. With `byBase`, the base determines the widths, and the profile
// is `other`. Nodes without time and samples are left out.
function topDown(profile, [amounts, base], byBase = false) {
    const kept = keptNodes(profile.parents, base ? [amounts, base] : [amounts]);
    const reduced = (one) => one && { ns: pick(one.ns, kept.list), samples: pick(one.samples, kept.list),
                                      waitNs: pick(one.waitNs, kept.list) };
    const parents = pick(kept.number, pick(profile.parents, kept.list));
    const sides = [reduced(amounts), reduced(base)];
    parents[0] = -1;
    return new CallTree(parents, pick(profile.frames, kept.list), sides[byBase ? 1 : 0], sides[byBase ? 0 : 1]);
}

// Returns the values with the indices in the list. (For millions of nodes, a loop is much faster than map or from.)
function pick(values, list) {
    const picked = new values.constructor(list.length);
    for (let i = 0; i < list.length; i++)
        picked[i] = values[list[i]];
    return picked;
}

// Returns the nodes with time or samples on one of the sides, and their callers: a list, and each node's index in it.
function keptNodes(parents, sides) {
    const number = new Int32Array(parents.length), list = new Int32Array(parents.length);
    number[0] = 1;
    for (const { ns, samples } of sides)
        for (let node = 1; node < parents.length; node++)
            if (ns[node] || samples[node])
                number[node] = 1;
    for (let node = parents.length - 1; node > 0; node--)
        if (number[node])
            number[parents[node]] = 1;
    let count = 0;
    for (let node = 0; node < parents.length; node++)
        if (number[node]) {
            number[node] = count;
            list[count++] = node;
        }
    return { list: list.subarray(0, count), number };
}

// Makes nodes of a new tree, and finds them by parent and frame. Its hash table is faster than a Map for millions of
// nodes.
class NodeMaker {
    constructor() {
        this.parents = [-1];
        this.frames = [-1];
        this.slots = new Int32Array(1 << 12); // node numbers; 0 means free
    }

    // Returns the slot of a child, or a free slot for it.
    slotOf(parent, frame) {
        const mask = this.slots.length - 1;
        let hash = Math.imul(parent, 0x9e3779b1) ^ Math.imul(frame, 0x85ebca6b);
        hash ^= hash >>> 15;
        for (let slot = hash & mask;; slot = slot + 1 & mask) {
            const node = this.slots[slot];
            if (!node || (this.parents[node] === parent && this.frames[node] === frame))
                return slot;
        }
    }

    // Returns the child of `parent` for `frame`. Adds it if it is new.
    childOf(parent, frame) {
        const slot = this.slotOf(parent, frame);
        if (this.slots[slot])
            return this.slots[slot];
        const node = this.slots[slot] = this.parents.length;
        this.parents.push(parent);
        this.frames.push(frame);
        if (node * 2 > this.slots.length)
            this.grow();
        return node;
    }

    grow() {
        this.slots = new Int32Array(this.slots.length * 4);
        for (let node = 1; node < this.parents.length; node++)
            this.slots[this.slotOf(this.parents[node], this.frames[node])] = node;
    }
}

// Returns the same stacks reversed: from the functions where the time was spent to their callers.
function bottomUp(tree) {
    const maker = new NodeMaker(), ends = [];
    for (let node = 1; node < tree.count; node++) {
        if (![tree, tree.other].some((one) => one && (one.ns[node] || one.samples[node])))
            continue;
        let at = 0;
        for (let up = node; up > 0; up = tree.parent[up])
            at = maker.childOf(at, tree.frame[up]);
        ends.push(node, at);
    }
    const atEnds = (values) => {
        const sums = new Float64Array(maker.parents.length);
        for (let i = 0; i < ends.length; i += 2)
            sums[ends[i + 1]] += values[ends[i]];
        return sums;
    };
    const all = (one) => one && { ns: atEnds(one.ns), samples: atEnds(one.samples), waitNs: atEnds(one.waitNs) };
    return new CallTree(maker.parents, maker.frames, all(tree), all(tree.other));
}

// The nodes of a tree that a search finds. isFound: a boolean by frame.
class Found {
    constructor(tree, isFound) {
        this.tree = tree;
        this.isFound = isFound;
        this.inside = new Uint8Array(tree.count); // 1 if this node, or one of its callers, is found
        this.below = new Int32Array(tree.count + 1); // number of earlier nodes that are found, or have a found node below
        const nodes = [];
        for (let node = 1; node < tree.count; node++) {
            const found = isFound[tree.frame[node]];
            if (found)
                nodes.push(node);
            this.inside[node] = found || this.inside[tree.parent[node]] ? 1 : 0;
        }
        this.fillBelow(nodes);
        this.count = nodes.length;
        this.inOrder = null;
        this.nodes = nodes;
    }

    // The found nodes, the widest first. They are sorted at the first use, because their number can be very large.
    get hits() {
        const { totalNs } = this.tree;
        this.inOrder ||= Int32Array.from(this.nodes).sort((a, b) => totalNs[b] - totalNs[a] || a - b);
        return this.inOrder;
    }

    fillBelow(nodes) {
        const { tree, below } = this;
        for (const node of nodes)
            below[node + 1] = 1;
        for (let node = tree.count - 1; node > 0; node--)
            if (below[node + 1])
                below[tree.parent[node] + 1] = 1;
        for (let node = 0; node < tree.count; node++)
            below[node + 1] += below[node];
    }

    // True if one of the nodes begin .. end - 1, or a node below them, is found.
    any(begin, end) {
        return this.below[end] > this.below[begin];
    }

    // Returns the sums of found functions and their callees, below `zoom`. Each stack counts once.
    sum(zoom) {
        const tree = this.tree;
        const sum = { ns: 0, samples: 0, other: { ns: 0, samples: 0 } };
        const open = new Uint8Array(tree.count); // below zoom, and not below a counted node
        open[zoom] = 1;
        for (let node = zoom; node < tree.count; node++) {
            if (node > zoom)
                open[node] = open[tree.parent[node]];
            if (open[node] && this.inside[node]) {
                sum.ns += tree.totalNs[node];
                sum.samples += tree.totalSamples[node];
                sum.other.ns += tree.other ? tree.other.totalNs[node] : 0;
                sum.other.samples += tree.other ? tree.other.totalSamples[node] : 0;
                open[node] = 0;
            }
        }
        return sum;
    }
}

// Returns the boxes to draw: the zoomed node, its callers, and the nodes below it. rows[r] has the nodes of row r with
// a width of at least `least`, from left to right. rests[r] has { parent, begin, end, from, to } for the narrower
// children of a node, begin .. end - 1, if they are that wide together; from and to are their edges. Nodes below these
// are not drawn. The time depends on the width and the rows of the picture, not on the number of nodes.
function visible(tree, zoom, least) {
    const rows = [], rests = [];
    for (let node = zoom; node >= 0; node = tree.parent[node])
        rows.unshift([node]);
    rests.length = rows.length;
    rests.fill([]);
    for (let row = [zoom]; row.length;) {
        const next = [], narrow = [];
        for (const node of row)
            addChildren(tree, node, least, next, narrow);
        row = next;
        if (next.length || narrow.length) {
            rows.push(next);
            rests.push(narrow);
        }
    }
    return { rows, rests };
}

function addChildren(tree, parent, least, wide, rests) {
    const end = tree.endChild[parent];
    let node = tree.firstChild[parent];
    while (node < end && tree.totalNs[node] >= least) // the widest children come first
        wide.push(node++);
    const from = node < end ? tree.left[node] : 0, to = node < end ? tree.right(end - 1) : 0;
    if (to - from >= least)
        rests.push({ parent, begin: node, end, from, to });
}

// Returns the self and total time of each function of a top-down tree, as arrays by frame: { selfNs, totalNs, other },
// where other has the same for the other side of a comparison. Recursive calls count once.
function sumFunctions(tree, frameCount) {
    const sums = () => ({ selfNs: new Float64Array(frameCount), totalNs: new Float64Array(frameCount) });
    const functions = Object.assign(sums(), { other: tree.other ? sums() : null, seen: new Uint8Array(frameCount) });
    const pairs = [[functions, tree], ...tree.other ? [[functions.other, tree.other]] : []];
    eachWithCallers(tree, frameCount, (node, again) => {
        const frame = tree.frame[node];
        functions.seen[frame] = 1;
        for (const [sum, side] of pairs) {
            sum.selfNs[frame] += side.ns[node];
            if (!again)
                sum.totalNs[frame] += side.totalNs[node];
        }
    });
    return functions;
}

// Calls see(node, again) for each node below the root. again: true if the function is among its own callers.
function eachWithCallers(tree, frameCount, see) {
    const open = new Int32Array(frameCount), next = tree.firstChild.slice();
    let node = 0;
    while (node >= 0) {
        if (next[node] < tree.endChild[node]) {
            node = next[node]++;
            see(node, open[tree.frame[node]]++ > 0);
        } else {
            if (node > 0)
                open[tree.frame[node]]--;
            node = tree.parent[node];
        }
    }
}

// Returns the node of `tree` with the same frame and callers as `node` in the tree `old`, or its nearest existing
// caller.
function sameNode(old, node, tree) {
    const frames = [];
    for (let at = node; at > 0; at = old.parent[at])
        frames.push(old.frame[at]);
    let at = 0;
    while (frames.length) {
        const frame = frames.pop();
        let child = tree.firstChild[at];
        while (child < tree.endChild[at] && tree.frame[child] !== frame)
            child++;
        if (child === tree.endChild[at])
            break;
        at = child;
    }
    return at;
}

if (typeof module === "object")
    module.exports = { CallTree, Found, bottomUp, sameNode, sumFunctions, topDown, visible };

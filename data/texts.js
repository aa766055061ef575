// SPDX-License-Identifier: MIT
//
// The texts about the profile and about a box.
"use strict";

const LONGEST_TEXT = 2000; // letters of a name that are shown in full

function time(ns) {
    const units = [["s", 1e9], ["ms", 1e6], ["us", 1e3]];
    const [name, unit] = units.find((one) => ns >= one[1]) || units[2];
    const number = ns / unit;
    return `${number >= 1000 ? Math.round(number) : number.toPrecision(number >= 100 ? 4 : 3)} ${name}`;
}

function share(part, whole) {
    return whole ? `${(100 * part / whole).toFixed(2)} %` : "0 %";
}

// Returns a time and its samples, with their shares of `node` in `side` (a tree, or its other side). For running or
// waiting alone, the number of samples is unknown, because a row may have both.
function amount(ns, samples, side, node) {
    const text = `${time(ns)} (${share(ns, side.totalNs[node])})`;
    return state.clock !== "all" ? text
        : `${text}, ${countOf(samples)} (${share(samples, side.totalSamples[node])})`;
}

function change(ns, baseNs) {
    const sign = ns < baseNs ? "−" : "+", difference = Math.abs(ns - baseNs);
    return baseNs ? `${sign}${time(difference)} (${sign}${share(difference, baseNs)})` : `${sign}${time(difference)}`;
}

// Returns the profile and its base, which is null if nothing is compared.
function sides() {
    const { tree } = view;
    return state.byBase ? [tree.other, tree] : [tree, tree.other];
}

// Returns a text with a node's time and samples, from the arrays named `ns` and `samples`, for both sides of a
// comparison.
function amounts(node, ns, samples) {
    const [profile, base] = sides();
    const text = amount(profile[ns][node], profile[samples][node], profile, 0);
    return !base ? text : `${text}; base: ${amount(base[ns][node], base[samples][node], base, 0)}; ` +
        `change: ${change(profile[ns][node], base[ns][node])}`;
}

function countOf(samples) {
    return samples === 1 ? "1 sample" : `${samples} samples`;
}

function shortened(text) {
    return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}… (${text.length} letters)` : text;
}

function nameOf(node) {
    return node === 0 ? "whole profile" : data.frameName[view.tree.frame[node]];
}

// Returns the full name.
function fullNameOf(node) {
    return node === 0 ? data.command || "whole profile" : fullName(view.tree.frame[node]);
}

function fullName(frame) {
    return data.frameFullName[frame] || data.frameName[frame];
}

function objectOf(frame) {
    return data.paths[data.frameObject[frame]];
}

// Returns the object and the source line of a function.
function placeOf(frame) {
    const file = data.paths[data.frameFile[frame]];
    const source = data.frameLine[frame] ? `${file}:${data.frameLine[frame]}` : file;
    return [objectOf(frame), source].filter((part) => part).join(" — ");
}

// Returns paragraphs about a function that do not depend on its callers.
function describeFrame(frame) {
    const lines = [data.frameName[frame]];
    if (data.frameFullName[frame])
        lines.push(data.frameFullName[frame]);
    lines.push(noteOf(data.frameName[frame], objectOf(frame)), placeOf(frame));
    return lines.filter((line) => line).map(shortened);
}

// Returns the sum of all boxes of a function, if it is more than `ns`, the time of one box.
function describeFunction(frame, ns) {
    const { selfNs, totalNs } = functionSums(), whole = treeOf(false, false).totalNs[0];
    return totalNs[frame] === ns ? [] : [`all boxes of the function: ${time(totalNs[frame])} (${share(totalNs[frame], whole)}), ` +
        `itself ${time(selfNs[frame])} (${share(selfNs[frame], whole)})`];
}

// Returns paragraphs about a node.
function describe(node) {
    const tree = view.tree;
    const lines = node ? describeFrame(tree.frame[node]) : [nameOf(0)];
    lines.push(`including callees: ${amounts(node, "totalNs", "totalSamples")}`);
    if (sides().some((side) => side && (side.ns[node] || side.samples[node])))
        lines.push(`itself: ${amounts(node, "ns", "samples")}`);
    if (node && !tree.other)
        lines.push(...describeFunction(tree.frame[node], tree.totalNs[node]));
    if (data.waits && state.clock === "all" && !tree.other && tree.totalNs[node])
        lines.push(`waiting: ${time(tree.totalWaitNs[node])} (${share(tree.totalWaitNs[node], tree.totalNs[node])} of it)`);
    if (view.zoom)
        lines.push(`of what is shown: ${share(tree.totalNs[node], tree.totalNs[view.zoom])}`);
    return lines;
}

// Shows a legend: a list of [colour, meaning, and true for a ramp up to the colour].
function showLegend(element, list) {
    element.replaceChildren(...list.map(([colour, meaning, ramp]) => {
        const item = document.createElement("span");
        item.style.setProperty("--colour", colour);
        item.classList.toggle("ramp", Boolean(ramp));
        item.textContent = meaning;
        return item;
    }));
}

// Returns the legend of the states of threads.
function states() {
    return [[style.running, "running"], ...data.waits ? [[style.ready, "ready, no CPU free"], [style.waiting, "waiting"]] : []];
}

function showLines(element, lines) {
    element.replaceChildren(...lines.map((line) => {
        const paragraph = document.createElement("p");
        paragraph.textContent = line;
        return paragraph;
    }));
}

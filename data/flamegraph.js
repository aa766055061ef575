// SPDX-License-Identifier: MIT
//
// Draws the tree of calls. Only what can be seen is drawn, so that large profiles move as lightly as small ones.
"use strict";

const ROW = 20; // pixels, as all that follows
const LEAST_BOX = 1; // narrower ones are merged with their neighbours
const LEAST_TEXT = 30;
const LONGEST_TEXT = 2000; // letters of a name that are shown in full

const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("data").textContent);
const canvas = byId("graph"), area = byId("area");
const pen = canvas.getContext("2d", { alpha: false });

const trees = new Map();
const view = {
    tree: treeOf(false, false),
    byBase: false, // the base of a comparison gives the widths
    found: null, // Found, while something is searched for
    zoom: 0, // the node that fills the width
    selected: -1, // by keyboard or click; -1: none
    flame: true, // the root is at the bottom, else at the top
    width: 0, // of the canvas
    height: 0,
    rows: 0, // that the zoomed part reaches, from the root
    zoomRow: 0,
};
let style = readStyle();
let scheduled = false;

// The tree from the one end or the other, by the time of the profile or of its base. Each is made when it is needed.
function treeOf(reversed, byBase) {
    const key = `${reversed} ${byBase}`;
    if (!trees.has(key))
        trees.set(key, reversed ? bottomUp(treeOf(false, byBase)) : topDown(data, byBase));
    return trees.get(key);
}

// Texts

function time(ns) {
    const units = [["s", 1e9], ["ms", 1e6], ["us", 1e3]];
    const [name, unit] = units.find((one) => ns >= one[1]) || units[2];
    return `${(ns / unit).toPrecision(ns / unit >= 100 ? 4 : 3)} ${name}`;
}

function share(part, whole) {
    return whole ? `${(100 * part / whole).toFixed(2)} %` : "0 %";
}

// `side` is a tree, or what it is compared with; shares are of what `node` has of it.
function amount(ns, samples, side, node) {
    return `${time(ns)} (${share(ns, side.totalNs[node])}), ` +
        `${countOf(samples)} (${share(samples, side.totalSamples[node])})`;
}

function change(ns, baseNs) {
    const sign = ns < baseNs ? "−" : "+", difference = Math.abs(ns - baseNs);
    return baseNs ? `${sign}${time(difference)} (${sign}${share(difference, baseNs)})` : `${sign}${time(difference)}`;
}

// The profile and its base, where two are compared.
function sides() {
    const { tree, byBase } = view;
    return byBase ? [tree.other, tree] : [tree, tree.other];
}

// The time and the samples of a node that the arrays `ns` and `samples` have, of both sides if there are two.
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

// Where it is: object and source.
function placeOf(node) {
    if (node === 0)
        return "";
    const frame = view.tree.frame[node];
    const object = data.paths[data.frameObject[frame]], file = data.paths[data.frameFile[frame]];
    const source = data.frameLine[frame] ? `${file}:${data.frameLine[frame]}` : file;
    return [object, source].filter((part) => part).join(" — ");
}

// All that is known of a node, a paragraph each.
function describe(node) {
    const tree = view.tree;
    const lines = [shortened(nameOf(node))];
    if (placeOf(node))
        lines.push(shortened(placeOf(node)));
    lines.push(`with what is below: ${amounts(node, "totalNs", "totalSamples")}`);
    if (sides().some((side) => side && (side.ns[node] || side.samples[node])))
        lines.push(`itself: ${amounts(node, "ns", "samples")}`);
    if (view.zoom)
        lines.push(`of what is shown: ${share(tree.totalNs[node], tree.totalNs[view.zoom])}`);
    return lines;
}

function showLines(element, lines) {
    element.replaceChildren(...lines.map((line) => {
        const paragraph = document.createElement("p");
        paragraph.textContent = line;
        return paragraph;
    }));
}

// Colours: an object has a hue, a function a shade of it; in a comparison more time is red and less is blue, the stronger
// the larger the part of the time is that came or went.

function readStyle() {
    const computed = getComputedStyle(document.documentElement);
    const value = (name) => computed.getPropertyValue(name).trim();
    pen.font = "12px ui-monospace, monospace";
    return {
        paper: value("--paper"),
        ink: value("--box-ink"),
        focus: value("--focus"),
        merged: value("--merged"),
        found: value("--found"),
        foundInk: value("--found-ink"),
        light: parseFloat(value("--box-light")),
        strong: parseFloat(value("--box-strong")),
        letter: pen.measureText("m").width,
        colours: new Map(),
    };
}

function mix(text) {
    let hash = 2166136261;
    for (let i = 0; i < text.length && i < LONGEST_TEXT; i++)
        hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
    return (hash ^ hash >>> 15) >>> 0;
}

function colourOfChange(node) {
    const [profile, base] = sides();
    const larger = Math.max(profile.totalNs[node], base.totalNs[node]);
    const part = larger ? (profile.totalNs[node] - base.totalNs[node]) / larger : 0;
    return `hsl(${part > 0 ? 8 : 215} ${Math.round(90 * Math.abs(part))}% ${style.light}%)`;
}

function colourOf(frame) {
    let colour = style.colours.get(frame);
    if (!colour) {
        const object = data.paths[data.frameObject[frame]];
        const hue = (mix(object) % 240 + 330) % 360; // not that of what is found
        const shade = mix(data.frameName[frame]) % 9 - 4;
        colour = `hsl(${hue} ${style.strong - shade}% ${style.light + shade}%)`;
        style.colours.set(frame, colour);
    }
    return colour;
}

// Geometry: rows are counted from the root; y from the upper edge of what is seen.

function low() {
    return view.tree.left[view.zoom];
}

function span() {
    return view.tree.totalNs[view.zoom] || 1;
}

function xOf(position) {
    return (position - low()) / span() * view.width;
}

// Rows from the root down to the lowest one that has something of what is zoomed to.
function shownRows() {
    const tree = view.tree;
    let row = tree.rowOf(view.zoom);
    let begin = view.zoom, end = view.zoom + 1;
    while (begin < end) { // the children of neighbours are neighbours
        begin = tree.firstChild[begin];
        end = tree.endChild[end - 1];
        row++;
    }
    return row;
}

function yOf(row) {
    const whole = Math.max(view.height, view.rows * ROW);
    return (view.flame ? whole - (row + 1) * ROW : row * ROW) - area.scrollTop;
}

function rowAt(y) {
    const whole = Math.max(view.height, view.rows * ROW);
    const fromTop = y + area.scrollTop;
    return Math.floor((view.flame ? whole - fromTop : fromTop) / ROW);
}

function nodeAt(x, y) {
    if (view.width <= 0 || rowAt(y) >= view.rows)
        return -1;
    return view.tree.at(rowAt(y), low() + x / view.width * span());
}

// Drawing

function schedule() {
    if (!scheduled)
        requestAnimationFrame(draw);
    scheduled = true;
}

function draw() {
    scheduled = false;
    pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    pen.fillStyle = style.paper;
    pen.fillRect(0, 0, view.width, view.height);
    pen.font = "12px ui-monospace, monospace";
    pen.textBaseline = "middle";
    const rows = [rowAt(0), rowAt(view.height - 1)].sort((a, b) => a - b);
    for (let row = Math.max(0, rows[0]); row <= Math.min(view.rows - 1, rows[1]); row++)
        drawRow(row);
    if (view.selected >= 0 && document.activeElement === canvas)
        drawSelection();
}

function drawRow(row) {
    const y = yOf(row);
    const dim = row < view.zoomRow; // what the zoomed part is in
    pen.globalAlpha = dim ? 0.55 : 1;
    eachOfRow(view.tree, row, low(), low() + span(), LEAST_BOX * span() / view.width,
        (node, from, to) => drawBox(node, xOf(from), xOf(to), y),
        (begin, end, from, to) => {
            pen.fillStyle = view.found && view.found.any(begin, end) ? style.found : style.merged;
            const x = Math.floor(xOf(from)); // whole pixels, or their edges would shine through
            pen.fillRect(x, y, Math.max(LEAST_BOX, Math.ceil(xOf(to)) - x), ROW - 1);
        });
    pen.globalAlpha = 1;
}

function drawBox(node, from, to, y) {
    const found = node > 0 && view.found && view.found.isFound[view.tree.frame[node]];
    const width = to - from;
    pen.fillStyle = found ? style.found : view.tree.other ? colourOfChange(node)
        : node ? colourOf(view.tree.frame[node]) : style.merged;
    pen.fillRect(from, y, width > 3 ? width - 1 : width, ROW - 1);
    if (width < LEAST_TEXT)
        return;
    const fits = Math.floor((width - 8) / style.letter);
    const name = nameOf(node);
    pen.fillStyle = found ? style.foundInk : style.ink;
    pen.fillText(name.length > fits ? `${name.slice(0, fits - 1)}…` : name, from + 4, y + ROW / 2, width - 8);
}

function drawSelection() {
    const tree = view.tree;
    const from = Math.max(0, xOf(tree.left[view.selected]));
    const to = Math.min(view.width, xOf(tree.right(view.selected)));
    pen.strokeStyle = style.focus;
    pen.lineWidth = 3;
    pen.strokeRect(from + 1, yOf(tree.rowOf(view.selected)) + 1, Math.max(2, to - from - 3), ROW - 3);
}

// SPDX-License-Identifier: MIT
//
// Draws the call tree. Only the visible part is drawn, so that large profiles react as fast as small ones.
"use strict";

const ROW = 20; // pixels, like the following constants
const LEAST_BOX = 1; // narrower ones are merged with their neighbours
const LEAST_TEXT = 30;
const REST = 6; // the height of merged boxes

const canvas = byId("graph"), area = byId("area");
const pen = canvas.getContext("2d", { alpha: false });

let style = readStyle();
let scheduled = false;

// Colours. Each of the objects with the most time has a hue, and each function a shade of it. In a comparison, more time
// is red and less is blue; a larger relative change has a stronger colour. With wall time, running, ready and waiting have
// one hue each, and functions with running and waiting time are greyer.

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
        faint: value("--faint"),
        line: value("--line"),
        running: value("--running"),
        waiting: value("--waiting"),
        ready: value("--ready"),
        mpi: value("--mpi"),
        io: value("--io"),
        hot: value("--hot"),
        hotWaiting: value("--hot-waiting"),
        light: parseFloat(value("--box-light")),
        strong: parseFloat(value("--box-strong")),
        letter: pen.measureText("m").width,
        colours: new Map(),
        shorter: new Map(),
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
    return colourOfPart(larger ? (profile.totalNs[node] - base.totalNs[node]) / larger : 0);
}

function colourOfPart(part) {
    return `hsl(${part > 0 ? 8 : 215} ${Math.round(90 * Math.abs(part))}% ${style.light}%)`;
}

const HUE_RUNNING = 32, HUE_WAITING = 205, HUE_READY = 355;

function colourOfWaiting(node) {
    const tree = view.tree, frame = tree.frame[node];
    const part = tree.totalNs[node] ? 2 * tree.totalWaitNs[node] / tree.totalNs[node] - 1 : -1;
    const shade = mix(data.frameName[frame]) % 9 - 4;
    return profile.isReady(frame) ? colourOfReady() : colourOfWait(part, shade);
}

function colourOfReady() {
    return `hsl(${HUE_READY} 75% ${style.light}%)`;
}

// part: from -1, only running, to 1, only waiting.
function colourOfWait(part, shade) {
    return `hsl(${part > 0 ? HUE_WAITING : HUE_RUNNING} ${Math.round(75 * Math.abs(part))}% ${style.light + shade}%)`;
}

// The hues of the objects with the most self time. Orange and blue are left out, because they mean running and waiting, and
// so is the hue of found functions.
const MODULE_HUES = [130, 55, 265, 170, 345, 90];

const modules = {
    hues: new Map(), // by number of the object's path

    find() {
        const sums = new Map(), { frameObject, paths } = data;
        data.rowNode.forEach((node, row) => {
            const object = frameObject[profile.frames[node]];
            sums.set(object, (sums.get(object) || 0) + data.rowNs[row]);
        });
        const largest = [...sums.keys()].filter((object) => paths[object]).sort((a, b) => sums.get(b) - sums.get(a));
        largest.slice(0, MODULE_HUES.length).forEach((object, i) => this.hues.set(object, MODULE_HUES[i]));
        this.others = largest.length > MODULE_HUES.length;
    },

    colour(object, shade) {
        const hue = this.hues.get(object);
        return hue === undefined ? `hsl(30 8% ${style.light + shade}%)` : `hsl(${hue} ${style.strong - shade}% ${style.light + shade}%)`;
    },

    legend() {
        const list = [...this.hues.keys()].map((object) => [this.colour(object, 0), data.paths[object].replace(/.*\//, "").slice(0, 18)]);
        return this.others ? [...list, [this.colour(-1, 0), "other modules"]] : list;
    },
};

function colourOf(frame) {
    let colour = style.colours.get(frame);
    if (!colour) {
        colour = modules.colour(data.frameObject[frame], mix(data.frameName[frame]) % 9 - 4);
        style.colours.set(frame, colour);
    }
    return colour;
}

function colourOfNode(node) {
    if (!node)
        return style.merged;
    if (view.tree.other)
        return colourOfChange(node);
    return data.waits ? colourOfWaiting(node) : colourOf(view.tree.frame[node]);
}

// Geometry: rows are counted from the root; y from the upper edge of the visible part.

function low() {
    return view.tree.left[view.zoom];
}

function span() {
    return view.tree.totalNs[view.zoom] || 1;
}

// Returns the width, in nanoseconds, of the narrowest box that is drawn: one pixel.
function leastWidth() {
    return LEAST_BOX * span() / Math.max(1, view.width);
}

function xOf(position) {
    return (position - low()) / span() * view.width;
}

function wholeHeight() {
    return Math.max(view.height, view.rows * ROW);
}

function yOf(row) {
    return (state.icicle ? row * ROW : wholeHeight() - (row + 1) * ROW) - area.scrollTop;
}

function rowAt(y) {
    const fromTop = y + area.scrollTop;
    return Math.floor((state.icicle ? fromTop : wholeHeight() - fromTop) / ROW);
}

// True if the node has a box, or is one of the merged boxes beside others.
function isShown(node) {
    const tree = view.tree, parent = tree.parent[node];
    return tree.rowOf(node) <= view.zoomRow || tree.totalNs[parent] >= leastWidth();
}

function nodeAt(x, y) {
    if (view.width <= 0 || rowAt(y) >= view.rows)
        return -1;
    const node = view.tree.at(rowAt(y), low() + x / view.width * span());
    return node >= 0 && isShown(node) ? node : -1;
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
    if (!view.tree.totalNs[0])
        drawNothing();
}

function drawRow(row) {
    const y = yOf(row);
    pen.globalAlpha = row < view.zoomRow ? 0.55 : 1; // callers of the zoomed node
    for (const node of view.shown.rows[row])
        drawBox(node, Math.max(0, xOf(view.tree.left[node])), Math.min(view.width, xOf(view.tree.right(node))), y);
    for (const rest of view.shown.rests[row])
        drawRest(rest, y);
    pen.globalAlpha = 1;
}

// Draws merged boxes, and everything above them, as a low line along their caller.
function drawRest({ begin, end, from, to }, y) {
    pen.fillStyle = view.found && view.found.any(begin, end) ? style.found : style.merged;
    const x = Math.floor(xOf(from)); // whole pixels, because the edges would be blurred otherwise
    pen.fillRect(x, state.icicle ? y : y + ROW - 1 - REST, Math.max(LEAST_BOX, Math.ceil(xOf(to)) - x), REST);
}

function drawBox(node, from, to, y) {
    const found = node > 0 && view.found && view.found.isFound[view.tree.frame[node]];
    const width = to - from;
    pen.fillStyle = found ? style.found : colourOfNode(node);
    pen.fillRect(from, y, width > 3 ? width - 1 : width, ROW - 1);
    if (node > 0 && view.tree.frame[node] === view.marked)
        drawMark(from, width, y);
    if (width < LEAST_TEXT)
        return;
    pen.fillStyle = found ? style.foundInk : style.ink;
    pen.fillText(fitted(textsOf(node), Math.floor((width - 8) / style.letter)), from + 4, y + ROW / 2 - 1, width - 8);
}

// Underlines a box of the function that was chosen in the table.
function drawMark(from, width, y) {
    pen.fillStyle = style.ink;
    pen.fillRect(from, y + ROW - 4, Math.max(1, width - 1), 3);
}

function textsOf(node) {
    if (!node)
        return [nameOf(0)];
    const frame = view.tree.frame[node];
    if (!style.shorter.has(frame))
        style.shorter.set(frame, shorterNames(data.frameName[frame].slice(0, LONGEST_TEXT)));
    return style.shorter.get(frame);
}

function drawSelection() {
    const tree = view.tree;
    const from = Math.max(0, xOf(tree.left[view.selected]));
    const to = Math.min(view.width, xOf(tree.right(view.selected)));
    pen.strokeStyle = style.focus;
    pen.lineWidth = 3;
    pen.strokeRect(from + 1, yOf(tree.rowOf(view.selected)) + 1, Math.max(2, to - from - 3), ROW - 3);
}

function drawNothing() {
    pen.fillStyle = style.faint;
    pen.font = "14px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.fillText(profile.isEmpty() ? "No time was recorded." : "The chosen part has no time.", view.width / 2,
                 view.height / 2, view.width - 20);
    pen.textAlign = "start";
}

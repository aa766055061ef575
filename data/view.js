// SPDX-License-Identifier: MIT
//
// The page's state (the choices, which its address keeps) and its view (everything computed from the state).
"use strict";

const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("data").textContent);
const profile = new Profile(data, data.times ? new Times(data.times) : null);

// The state's defaults. The address has the values that differ, and Back restores them.
const DEFAULTS = Object.freeze({
    who: "", // a key of profile.choices(); "": all
    clock: "all", // or "running", "waiting"
    from: 0, // a stretch of time, in nanoseconds from the beginning
    to: 0, // its end, excluded; 0: all time
    axis: true, // the time axis, unless the heat map is shown
    heat: false,
    lanes: "", // of threads: "yes", "no", or "" (with waiting time, if the window is wide enough)
    bottomUp: data.bottomUp,
    byBase: false, // the base of a comparison gives the widths
    icicle: false, // the root is at the top
    ranks: false, // the grids of a parallel job
    functions: "", // the table: "yes", "no", or "" (if the window is wide enough)
    sort: "self", // a column of the table; with "-" before it, the least first
    zoom: 0, // the node that fills the width
    search: "",
});
// The parts of the state that determine the amounts in the trees.
const CHOICES = ["who", "clock", "from", "to"];

let state = { ...DEFAULTS };

const view = {
    weights: null, // the amounts of all nodes, of both sides
    trees: new Map(), // made from weights when needed
    tree: null,
    found: null, // a Found during a search
    hit: -1, // index of the current hit in found.hits
    marked: -1, // the frame that was chosen in the table
    zoom: 0,
    selected: -1, // by keyboard or click; -1: none
    width: 0, // of the canvas
    height: 0,
    fromRoot: 0, // how far the graph is scrolled away from the root's side, in pixels
    shown: { rows: [], rests: [] }, // drawn boxes by row; see visible()
    rows: 0, // number of rows, from the root to the top of the zoomed part
    zoomRow: 0,
};

// Returns the tree top-down or bottom-up, with the widths of the profile or of its base.
function treeOf(bottom, byBase) {
    const key = `${bottom} ${byBase}`;
    if (!view.trees.has(key))
        view.trees.set(key, bottom ? bottomUp(treeOf(false, byBase)) : topDown(profile, view.weights, byBase));
    return view.trees.get(key);
}

// Shows the state `next`. keep: the zoom stays at the same function, or at its nearest caller.
function show(next, keep) {
    const before = state, old = view.tree, oldZoom = view.zoom;
    state = next;
    if (!old || CHOICES.some((name) => before[name] !== next[name])) {
        view.weights = profile.amountsOf(next);
        view.trees.clear();
    }
    view.tree = treeOf(next.bottomUp, next.byBase);
    if (keep)
        state.zoom = sameNode(old, oldZoom, view.tree);
    view.zoom = state.zoom = state.zoom < view.tree.count ? state.zoom : 0;
    const changed = view.tree !== old;
    if (changed || before.search !== next.search)
        search();
    showControls();
    if (changed || before.sort !== next.sort || before.search !== next.search)
        showTable();
    arrange();
    if (changed || view.zoom !== oldZoom || before.icicle !== next.icicle)
        select(view.zoom ? view.zoom : -1);
    showFound();
    showStrip();
    showRanks();
}

// Changes a part of the state for the reader. Back undoes this step; with `replace`, it undoes it together with the
// last one.
function go(changes, replace = false) {
    const keep = CHOICES.some((name) => name in changes);
    show({ ...state, ...changes }, keep && !("zoom" in changes));
    writeAddress(replace);
}

function distanceFromRoot() {
    return state.icicle ? area.scrollTop : wholeHeight() - view.height - area.scrollTop;
}

// Ignores changes of scrollTop until the canvas has the area's new height: the browser may have made them, and not the
// reader.
function rememberScroll() {
    if (area.clientHeight === view.height)
        view.fromRoot = distanceFromRoot();
}

// Resizes the canvas. The part of the graph at the root's side keeps its position.
function resize() {
    const ratio = devicePixelRatio, { fromRoot } = view;
    view.width = area.clientWidth;
    view.height = area.clientHeight;
    canvas.width = Math.round(view.width * ratio);
    canvas.height = Math.round(view.height * ratio);
    canvas.style.height = `${view.height}px`;
    arrange();
    area.scrollTop = state.icicle ? fromRoot : wholeHeight() - view.height - fromRoot;
    rememberScroll();
}

// Lays out the zoomed tree. The extent element makes the area scroll over all rows.
function arrange() {
    view.zoomRow = view.tree.rowOf(view.zoom);
    view.shown = visible(view.tree, view.zoom, leastWidth());
    view.rows = view.shown.rows.length;
    byId("panes").style.setProperty("--whole-height", `${view.tree.rowCount() * ROW}px`); // does not depend on the zoom
    byId("extent").style.height = `${wholeHeight()}px`;
    schedule();
}

function scrollTo(row) {
    const top = state.icicle ? row * ROW : wholeHeight() - (row + 1) * ROW;
    if (top < area.scrollTop)
        area.scrollTop = top;
    else if (top + ROW > area.scrollTop + view.height)
        area.scrollTop = top + ROW - view.height;
    rememberScroll();
}

function select(node) {
    view.selected = node;
    scrollTo(Math.min(view.rows - 1, view.tree.rowOf(Math.max(0, node))));
    showDetails();
    schedule();
}

// Describes the selected box. Over the graph, the text is at the end where the box is not.
function showDetails() {
    const side = byId("side"), node = view.selected;
    byId("chosen").hidden = node < 0;
    side.classList.toggle("over", !showsFunctions());
    showLines(byId("details"), node < 0 ? [] : describe(node));
    side.classList.toggle("low", node >= 0 && yOf(view.tree.rowOf(node)) < view.height / 2);
}

function zoomTo(node) {
    go({ zoom: node });
    if (!node)
        select(-1);
}

// Selects a node, and changes the zoom if the node would not be visible otherwise.
function reveal(node) {
    const { tree, zoom } = view;
    let inside = node;
    while (inside > zoom)
        inside = tree.parent[inside];
    if (inside !== zoom || tree.totalNs[node] < leastWidth())
        go({ zoom: tree.totalNs[node] >= tree.totalNs[0] / Math.max(1, view.width) ? 0 : node });
    select(node);
}

// SPDX-License-Identifier: MIT
//
// What the page shows: the choices that its address keeps (state), and what is made of them (view).
"use strict";

const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("data").textContent);
const profile = new Profile(data, data.times ? new Times(data.times) : null);

// Everything that Back goes back to, as in the address when nothing else is said.
const DEFAULTS = Object.freeze({
    who: "", // a key of profile.choices(); "": all
    clock: "all", // or "running", "waiting"
    from: 0, // a stretch of time, in nanoseconds from the beginning
    to: 0, // its end, which is not a part of it; 0: all of the time
    times: "axis", // what shows the time; or "heat", "none"
    bottomUp: data.bottomUp,
    byBase: false, // the base of a comparison gives the widths
    icicle: false, // the root is at the top
    ranks: false, // the grids of a parallel job
    functions: "", // the table, "yes" or "no"; "": where there is room
    sort: "self", // a column of the table; with "-" before it, the least first
    zoom: 0, // the node that fills the width
    search: "",
});
// What the trees are made of.
const CHOICES = ["who", "clock", "from", "to"];

let state = { ...DEFAULTS };

const view = {
    weights: null, // the amounts of all nodes, of both sides
    trees: new Map(), // made of them when they are needed
    tree: null,
    found: null, // Found, while something is searched for
    hit: -1, // of found.hits, the one that was gone to
    marked: -1, // the frame that was chosen in the table
    zoom: 0,
    selected: -1, // by keyboard or click; -1: none
    width: 0, // of the canvas
    height: 0,
    fromRoot: 0, // how far the graph is scrolled away from the root's side, in pixels
    shown: { rows: [], rests: [] }, // what is drawn, by row
    rows: 0, // that the zoomed part reaches, from the root
    zoomRow: 0,
};

// The tree from the one end or the other, by the time of the profile or of its base.
function treeOf(bottom, byBase) {
    const key = `${bottom} ${byBase}`;
    if (!view.trees.has(key))
        view.trees.set(key, bottom ? bottomUp(treeOf(false, byBase)) : topDown(profile, view.weights, byBase));
    return view.trees.get(key);
}

// Shows what `next`, a whole state, says. `keep`: the zoom stays at the same function, as far as it is there.
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

// Changes a part of the state, as its reader asked: a step that Back takes back, or, if `replace`, none of its own.
function go(changes, replace = false) {
    const keep = CHOICES.some((name) => name in changes);
    show({ ...state, ...changes }, keep && !("zoom" in changes));
    writeAddress(replace);
}

function distanceFromRoot() {
    return state.icicle ? area.scrollTop : wholeHeight() - view.height - area.scrollTop;
}

// While the canvas does not have the area's new height yet, the browser may have changed scrollTop to fit that height: this is
// not where the reader scrolled to.
function rememberScroll() {
    if (area.clientHeight === view.height)
        view.fromRoot = distanceFromRoot();
}

// The part of the graph at the root's side stays where it is.
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

// The extent makes the area scroll over all rows.
function arrange() {
    view.zoomRow = view.tree.rowOf(view.zoom);
    view.shown = visible(view.tree, view.zoom, leastWidth());
    view.rows = view.shown.rows.length;
    byId("panes").style.setProperty("--whole-height", `${view.tree.rowCount() * ROW}px`); // however it is zoomed
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
    showDetails(describe(node >= 0 ? node : view.zoom));
    schedule();
}

function showDetails(lines) {
    showLines(byId("details"), lines);
}

function zoomTo(node) {
    go({ zoom: node });
    if (!node)
        select(-1);
}

// Selects a node wherever it is: what is zoomed to changes if it could not be seen.
function reveal(node) {
    const { tree, zoom } = view;
    let inside = node;
    while (inside > zoom)
        inside = tree.parent[inside];
    if (inside !== zoom || tree.totalNs[node] < leastWidth())
        go({ zoom: tree.totalNs[node] >= tree.totalNs[0] / Math.max(1, view.width) ? 0 : node });
    select(node);
}

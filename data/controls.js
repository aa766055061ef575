// SPDX-License-Identifier: MIT
//
// Reactions to the keyboard, the mouse and the buttons.
"use strict";

const tooltip = byId("tooltip");

// Keyboard

// Returns the next node of the same row in this direction that is drawn as a box; otherwise, the node itself.
function neighbour(node, step) {
    const row = view.shown.rows[view.tree.rowOf(node)] || [];
    const at = row.indexOf(node);
    const next = at >= 0 ? at + step : step > 0 ? row.length : row.length - 1; // a node without a box is to the right of all boxes
    return row[next] ?? node;
}

function callerOf(node) {
    return node > 0 ? view.tree.parent[node] : node;
}

// Returns the widest callee.
function calleeOf(node) {
    const tree = view.tree, row = tree.rowOf(node);
    if (row < view.zoomRow)
        return view.shown.rows[row + 1][0];
    return tree.firstChild[node] < tree.endChild[node] ? tree.firstChild[node] : node;
}

// Takes the last kind of choice back, and gives the keyboard to the graph.
function goBack() {
    if (view.zoom)
        zoomTo(0);
    else if (state.search)
        clearSearch();
    else if (view.selected >= 0 || view.marked >= 0)
        selectNothing();
    else if (state.to)
        chooseStretch(0, 0);
    canvas.focus();
}

function selectNothing() {
    view.marked = -1;
    select(-1);
    showMarked();
}

function selectedNode() {
    return view.selected >= 0 ? view.selected : view.zoom;
}

function onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey)
        return;
    const at = selectedNode();
    const actions = {
        ArrowUp: () => select(state.icicle ? callerOf(at) : calleeOf(at)),
        ArrowDown: () => select(state.icicle ? calleeOf(at) : callerOf(at)),
        ArrowLeft: () => select(neighbour(at, -1)),
        ArrowRight: () => select(neighbour(at, 1)),
        Home: () => select(view.zoom),
        Enter: () => zoomTo(at || calleeOf(0)),
        " ": () => zoomTo(at || calleeOf(0)),
        Escape: goBack,
        c: copyName,
        n: () => stepHit(1),
        N: () => stepHit(-1),
    };
    if (!Object.hasOwn(actions, event.key))
        return;
    event.preventDefault();
    hideTooltip();
    actions[event.key]();
}

function onPageKey(event) {
    const focus = document.activeElement, inField = ["INPUT", "SELECT"].includes(focus.tagName);
    if (event.key === "/" && !inField) {
        event.preventDefault();
        byId("search").focus();
    } else if (event.key === "Escape" && inField) {
        if (focus === byId("search"))
            clearSearch();
        canvas.focus();
    } else if (event.key === "Escape" && focus !== canvas)
        goBack();
}

function onSearchKey(event) {
    if (event.key !== "Enter")
        return;
    event.preventDefault();
    stepHit(event.shiftKey ? -1 : 1);
}

// Mouse

function hideTooltip() {
    tooltip.hidden = true;
}

function nodeUnder(event) {
    const box = canvas.getBoundingClientRect();
    return nodeAt(event.clientX - box.left, event.clientY - box.top);
}

function showTooltip(event, lines) {
    tooltip.hidden = false;
    showLines(tooltip, lines);
    const x = Math.min(event.clientX + 14, innerWidth - tooltip.offsetWidth - 4);
    const below = event.clientY + 18 + tooltip.offsetHeight < innerHeight;
    const y = below ? event.clientY + 18 : Math.max(4, event.clientY - tooltip.offsetHeight - 10);
    tooltip.style.transform = `translate(${Math.max(4, x)}px, ${y}px)`;
}

function onMove(event) {
    const node = nodeUnder(event);
    if (node < 0)
        hideTooltip();
    else
        showTooltip(event, describe(node));
}

function onClick(event) {
    const node = nodeUnder(event);
    hideTooltip();
    if (node >= 0)
        zoomTo(node);
}

// Copying

function copyName() {
    const name = fullNameOf(selectedNode());
    copyText(name).then(() => say("Copied."), () => say("This browser does not let the page copy: select the name and copy it."));
}

// Uses the older interface if the page may not use the clipboard, for example with http.
async function copyText(text) {
    if (navigator.clipboard)
        return navigator.clipboard.writeText(text);
    const field = document.createElement("textarea"), focus = document.activeElement;
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    focus.focus();
    if (!done)
        throw new Error("not copied");
}

function say(text) {
    byId("said").textContent = text;
    clearTimeout(say.timer);
    say.timer = setTimeout(() => byId("said").textContent = "", 4000);
}

// Buttons and fields

const WIDE = matchMedia("(min-width: 800px)");

function showsFunctions() {
    return state.functions ? state.functions === "yes" : WIDE.matches;
}

function showControls() {
    const pressed = { "bottom-up": state.bottomUp, "by-base": state.byBase, icicle: state.icicle, table: showsFunctions(), ranks: state.ranks,
                      axis: state.axis && !state.heat, heat: state.heat, lanes: showsLanes() };
    for (const [id, is] of Object.entries(pressed))
        byId(id).setAttribute("aria-pressed", String(is));
    byId("reset").hidden = !view.zoom;
    byId("who").value = state.who;
    byId("clock").value = state.clock;
    if (byId("functions").hidden === showsFunctions()) {
        byId("functions").hidden = !showsFunctions();
        showTable();
        showDetails();
    }
}

function option(value, text) {
    const element = document.createElement("option");
    element.value = value;
    element.textContent = text;
    return element;
}

function optionGroup(title, choices, whole) {
    const group = document.createElement("optgroup");
    group.label = title;
    group.append(...choices.slice(0, MOST_CHOICES).map((one) =>
        option(one.key, `${one.label.slice(0, 60)} — ${share(one.ns, whole)}`)));
    if (choices.length > MOST_CHOICES) {
        const rest = option("", `${choices.length - MOST_CHOICES} more, each with less`);
        rest.disabled = true;
        group.append(rest);
    }
    return group;
}

function makeChoices() {
    const choices = profile.choices(), titles = { program: "Programs", process: "Processes", rank: "Ranks", thread: "Threads", named: "Threads" };
    const whole = profile.wholeNs();
    byId("who").append(option("", "All threads"));
    for (const [kind, list] of Object.entries(choices))
        if (list.length)
            byId("who").append(optionGroup(titles[kind], list, whole));
    byId("who").hidden = byId("who").options.length < 2;
    byId("clock").hidden = !data.waits;
    for (const id of ["axis", "heat", "lanes"])
        byId(id).hidden = !profile.times;
}

// Shows the facts about the whole profile, not about the chosen part.
function showFacts() {
    const tree = treeOf(false, false);
    const what = data.waits ? " running and waiting" : " of CPU time";
    const facts = [`${time(tree.totalNs[0])}${what}${data.wallNs ? ` in ${time(data.wallNs)}` : ""}`,
                   countOf(tree.totalSamples[0])];
    if (data.rate)
        facts.push(`${data.rate} Hz`);
    if (data.filters)
        facts.push(`${data.filters.join(" ")}: ${share(tree.totalNs[0], data.wholeNs)} of ${time(data.wholeNs)}`);
    byId("facts").textContent = facts.join(", ");
    if (data.base)
        showBase(tree, what);
    showGraphLegend();
    if (data.command) {
        byId("command").textContent = shortened(data.command);
        byId("command").title = shortened(data.command);
        document.title = `${data.command.slice(0, 100)} — ptprofil`;
    }
}

function showBase(tree, what) {
    const [ns, baseNs] = [tree.totalNs[0], tree.other.totalNs[0]];
    byId("base").textContent = `Base: ${shortened(data.base.command)}, ${time(baseNs)}${what}. Change: ${change(ns, baseNs)}. `
        + "Two runs have no time in common, so there is no time axis: report --between=FROM..TO compares a part of both.";
    for (const id of ["base", "by-base"])
        byId(id).hidden = false;
    document.body.classList.add("compares");
}

// Explains the colours of the boxes.
function showGraphLegend() {
    const list = data.base ? [[colourOfPart(1), "more time than in the base"], [colourOfPart(-1), "less"], [colourOfPart(0), "equal"]]
        : data.waits ? [[colourOfWait(-1, 0), "running"], [colourOfReady(), "ready, no CPU free"], [colourOfWait(1, 0), "waiting"],
                        [colourOfWait(0, 0), "both"]] : modules.legend();
    showLegend(byId("legend"), list);
}

function listenToControls() {
    byId("search").addEventListener("input", () => go({ search: byId("search").value }, true));
    byId("search").addEventListener("keydown", onSearchKey);
    byId("next").addEventListener("click", () => stepHit(1));
    byId("previous").addEventListener("click", () => stepHit(-1));
    byId("who").addEventListener("change", () => go({ who: byId("who").value }));
    byId("clock").addEventListener("change", () => go({ clock: byId("clock").value }));
    byId("table").addEventListener("click", () => go({ functions: showsFunctions() ? "no" : "yes" }, true));
    byId("bottom-up").addEventListener("click", () => go({ bottomUp: !state.bottomUp, zoom: 0 }));
    byId("by-base").addEventListener("click", () => go({ byBase: !state.byBase, zoom: 0 }));
    byId("icicle").addEventListener("click", () => go({ icicle: !state.icicle }, true));
    byId("reset").addEventListener("click", () => zoomTo(0));
    byId("copy").addEventListener("click", copyName);
    byId("close").addEventListener("click", () => {
        selectNothing();
        canvas.focus();
    });
    byId("columns").addEventListener("click", onSort);
    byId("rows").addEventListener("click", onTableClick);
    byId("rows").addEventListener("keydown", onTableKey);
    byId("more").addEventListener("click", showMore);
}

function listenToGraph() {
    canvas.addEventListener("keydown", onKey);
    canvas.addEventListener("mousemove", onMove);
    canvas.addEventListener("mouseleave", hideTooltip);
    canvas.addEventListener("click", onClick);
    for (const event of ["focus", "blur"])
        canvas.addEventListener(event, schedule);
    area.addEventListener("scroll", () => {
        rememberScroll();
        schedule();
    });
}

function start() {
    makeChoices();
    makeHeaders();
    modules.find();
    startStrip();
    listenToControls();
    listenToStrip();
    listenToLanes();
    listenToRanks();
    listenToGraph();
    document.addEventListener("keydown", onPageKey);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
        style = readStyle();
        schedule();
        showStrip();
        showRanks();
        showGraphLegend();
    });
    WIDE.addEventListener("change", () => {
        showControls();
        showStrip();
    });
    show({ ...DEFAULTS }, false);
    showFacts();
    new ResizeObserver(resize).observe(area);
    addEventListener("popstate", followAddress);
    resize();
    followAddress();
    select(view.zoom || -1);
    canvas.focus({ preventScroll: true });
}

start();

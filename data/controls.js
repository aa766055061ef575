// SPDX-License-Identifier: MIT
//
// What the page does when it is used: zoom, search, keyboard, mouse, buttons.
"use strict";

const tooltip = byId("tooltip");

// What is shown

function resize() {
    const ratio = devicePixelRatio;
    view.width = area.clientWidth;
    view.height = area.clientHeight;
    canvas.width = Math.round(view.width * ratio);
    canvas.height = Math.round(view.height * ratio);
    canvas.style.height = `${view.height}px`;
    arrange();
}

// The extent makes the area scroll over all rows.
function arrange() {
    view.rows = shownRows();
    view.zoomRow = view.tree.rowOf(view.zoom);
    byId("extent").style.height = `${Math.max(view.height, view.rows * ROW)}px`;
    byId("reset").disabled = !view.zoom;
    schedule();
}

function scrollTo(row) {
    const whole = Math.max(view.height, view.rows * ROW);
    const top = view.flame ? whole - (row + 1) * ROW : row * ROW;
    if (top < area.scrollTop)
        area.scrollTop = top;
    else if (top + ROW > area.scrollTop + view.height)
        area.scrollTop = top + ROW - view.height;
}

function select(node) {
    view.selected = node;
    if (node >= 0)
        scrollTo(view.tree.rowOf(node));
    showLines(byId("details"), describe(node >= 0 ? node : view.zoom));
    schedule();
}

function zoomTo(node) {
    view.zoom = node;
    arrange();
    select(node);
    scrollTo(Math.min(view.rows - 1, view.zoomRow));
    showFound();
}

function showTree(tree) {
    view.tree = tree;
    view.zoom = 0;
    arrange();
    scrollTo(0);
    select(-1);
    search();
}

// Search: without a capital letter in it, letters match either way.

function search() {
    const field = byId("search");
    let pattern = null;
    field.removeAttribute("aria-invalid");
    try {
        pattern = field.value ? new RegExp(field.value, /[A-Z]/.test(field.value) ? "" : "i") : null;
    } catch {
        field.setAttribute("aria-invalid", "true");
    }
    if (pattern) {
        const matches = data.frameName.map((name, i) =>
            pattern.test(name) || pattern.test(data.paths[data.frameObject[i]]));
        view.found = new Found(view.tree, matches);
    } else
        view.found = null;
    showFound();
    schedule();
}

function clearSearch() {
    byId("search").value = "";
    search();
}

function showFound() {
    const output = byId("found");
    if (byId("search").hasAttribute("aria-invalid"))
        output.value = "not a regular expression";
    else if (view.found) {
        const sum = view.found.sum(view.zoom);
        output.value = `found: ${amount(sum.ns, sum.samples, view.tree, view.zoom)}`;
        if (view.tree.other)
            output.value += `; ${view.byBase ? "profile" : "base"}: ` +
                amount(sum.other.ns, sum.other.samples, view.tree.other, view.zoom);
    } else
        output.value = "";
}

// Keyboard

// The next node of the same row, in that direction, that is wide enough to be seen; or the same.
function neighbour(node, step) {
    const tree = view.tree;
    const row = tree.rowOf(node);
    const least = LEAST_BOX * span() / view.width;
    for (let next = node + step; next >= tree.rows[row] && next < tree.rows[row + 1]; next += step) {
        if (tree.right(next) <= low() || tree.left[next] >= low() + span())
            return node;
        if (tree.totalNs[next] >= least)
            return next;
    }
    return node;
}

function callerOf(node) {
    return node > 0 ? view.tree.parent[node] : node;
}

// The widest function below that can be seen.
function calleeOf(node) {
    const tree = view.tree;
    if (tree.rowOf(node) < view.zoomRow)
        return tree.at(tree.rowOf(node) + 1, low());
    return tree.firstChild[node] < tree.endChild[node] ? tree.firstChild[node] : node;
}

function goBack() {
    if (view.zoom)
        zoomTo(0);
    else
        clearSearch();
}

function onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey)
        return;
    const at = view.selected >= 0 ? view.selected : view.zoom;
    const actions = {
        ArrowUp: () => select(view.flame ? calleeOf(at) : callerOf(at)),
        ArrowDown: () => select(view.flame ? callerOf(at) : calleeOf(at)),
        ArrowLeft: () => select(neighbour(at, -1)),
        ArrowRight: () => select(neighbour(at, 1)),
        Home: () => select(view.zoom),
        Enter: () => zoomTo(at),
        " ": () => zoomTo(at),
        Escape: goBack,
    };
    if (!Object.hasOwn(actions, event.key))
        return;
    event.preventDefault();
    hideTooltip();
    actions[event.key]();
}

// Mouse

function hideTooltip() {
    tooltip.hidden = true;
}

function onMove(event) {
    const box = canvas.getBoundingClientRect();
    const node = nodeAt(event.clientX - box.left, event.clientY - box.top);
    tooltip.hidden = node < 0;
    if (node < 0)
        return;
    showLines(tooltip, describe(node));
    const x = Math.min(event.clientX + 14, innerWidth - tooltip.offsetWidth - 4);
    const below = event.clientY + 18 + tooltip.offsetHeight < innerHeight;
    const y = below ? event.clientY + 18 : Math.max(4, event.clientY - tooltip.offsetHeight - 10);
    tooltip.style.transform = `translate(${Math.max(4, x)}px, ${y}px)`;
}

function onClick(event) {
    const box = canvas.getBoundingClientRect();
    const node = nodeAt(event.clientX - box.left, event.clientY - box.top);
    hideTooltip();
    if (node >= 0)
        zoomTo(node);
}

// Buttons

function toggle(button) {
    const pressed = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(pressed));
    return pressed;
}

function onBottomUp() {
    toggle(byId("bottom-up"));
    showChosen();
}

function onByBase() {
    view.byBase = toggle(byId("by-base"));
    showChosen();
}

function showChosen() {
    showTree(treeOf(byId("bottom-up").getAttribute("aria-pressed") === "true", view.byBase));
}

function onIcicle() {
    view.flame = !toggle(byId("icicle"));
    arrange();
    scrollTo(view.zoomRow);
}

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
    if (data.base) {
        const [ns, baseNs] = [tree.totalNs[0], tree.other.totalNs[0]];
        byId("base").textContent = `Base: ${shortened(data.base.command)}, ${time(baseNs)}${what}. ` +
            `Change: ${change(ns, baseNs)}`;
        for (const id of ["base", "by-base", "legend"])
            byId(id).hidden = false;
    }
    if (data.command) {
        byId("command").textContent = shortened(data.command);
        byId("command").title = shortened(data.command);
        document.title = `${data.command.slice(0, 100)} — ptprofil`;
    }
}

function start() {
    byId("search").addEventListener("input", search);
    byId("bottom-up").addEventListener("click", onBottomUp);
    byId("by-base").addEventListener("click", onByBase);
    byId("icicle").addEventListener("click", onIcicle);
    byId("reset").addEventListener("click", () => zoomTo(0));
    canvas.addEventListener("keydown", onKey);
    canvas.addEventListener("mousemove", onMove);
    canvas.addEventListener("mouseleave", hideTooltip);
    canvas.addEventListener("click", onClick);
    for (const event of ["focus", "blur"])
        canvas.addEventListener(event, schedule);
    area.addEventListener("scroll", schedule);
    document.addEventListener("keydown", (event) => {
        if (event.key === "/" && document.activeElement !== byId("search")) {
            event.preventDefault();
            byId("search").focus();
        } else if (event.key === "Escape" && document.activeElement === byId("search"))
            clearSearch();
        else if (event.key === "Escape" && document.activeElement !== canvas)
            goBack();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
        style = readStyle();
        schedule();
    });
    new ResizeObserver(resize).observe(area);
    showFacts();
    resize();
    if (data.bottomUp)
        onBottomUp();
    else
        showChosen();
}

start();

// SPDX-License-Identifier: MIT
//
// Chooses a stretch of time: by mouse or keys on the strip, by numbers, or by marks.
"use strict";

const MOST_MARKS = 100; // with buttons

// Returns the time at a point of the strip. In a heat map, this is the beginning of the cell.
function timeAt(x, y) {
    if (!strip.heat)
        return strip.begin + Math.max(0, Math.min(1, x / strip.width)) * (strip.end - strip.begin);
    const column = Math.max(0, Math.min(strip.columns - 1, Math.floor(x / strip.bar)));
    const row = Math.max(0, Math.min(HEAT_ROWS - 1, Math.floor((strip.height - y) / HEAT_ROW)));
    return strip.origin + column * strip.period + row * strip.binNs;
}

// Returns the stretch between two times, rounded to a readable step. In a heat map, it includes the last cell.
function ordered(one, other) {
    if (strip.heat)
        return { from: Math.round(Math.min(one, other)), to: Math.round(Math.max(one, other) + strip.binNs) };
    const step = roundStep((strip.end - strip.begin) / Math.max(1, strip.width) / 2, MICROSECOND);
    return { from: Math.round(Math.min(one, other) / step) * step, to: Math.round(Math.max(one, other) / step) * step };
}

function chooseStretch(from, to) {
    const begin = Math.max(0, Math.round(from)), end = Math.round(to);
    go(end > begin ? { from: begin, to: end } : { from: 0, to: 0 });
}

function placeOnStrip(event) {
    const box = strip.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
}

function onStripDown(event) {
    const { x, y } = placeOnStrip(event);
    strip.dragging = true;
    strip.from = strip.to = timeAt(x, y);
    strip.canvas.setPointerCapture(event.pointerId);
    hideTooltip();
}

function onStripMove(event) {
    const { x, y } = placeOnStrip(event);
    if (strip.dragging) {
        strip.to = timeAt(x, y);
        drawStrip();
    } else
        showTooltip(event, describeTime(x, y));
}

// A drag chooses a stretch. A click chooses a cell of the heat map, or all time on the axis.
function onStripUp() {
    if (!strip.dragging)
        return;
    const { from, to } = stretch();
    strip.dragging = false;
    chooseStretch(from, to);
    drawStrip();
}

function describeTime(x, y) {
    const bin = binOf(timeAt(x, y));
    const begin = strip.origin + bin * strip.binNs, step = roundStep(strip.binNs / 10, MICROSECOND);
    const lines = [`${clockText(begin, step)} to ${clockText(begin + strip.binNs, step)}`,
                   `running: ${time(strip.bins.running[bin])} (${(strip.bins.running[bin] / strip.binNs).toFixed(2)} CPUs)`];
    if (data.waits)
        lines.push(`ready: ${time(strip.bins.ready[bin])}`, `waiting: ${time(strip.bins.waiting[bin])}`);
    if (strip.found)
        lines.push(`with ${shortened(state.search)}: ` +
            time(strip.found.running[bin] + strip.found.ready[bin] + strip.found.waiting[bin]));
    for (const mark of profile.times.marks)
        if (strip.heat ? Math.abs(binOf(mark.ns) - bin) <= 1 : Math.abs(xOfTime(mark.ns) - x) < 5)
            lines.push(`${clockText(mark.ns, 1e6)}: ${shortened(mark.text)}`);
    return lines;
}

// Arrow keys move the stretch; with Shift, only its end. In the heat map, left and right move by columns, up and down
// by cells.
function onStripKey(event) {
    const sideways = strip.heat ? strip.period : strip.binNs;
    const steps = { ArrowLeft: -sideways, ArrowRight: sideways,
                    ArrowUp: strip.heat ? strip.binNs : 0, ArrowDown: strip.heat ? -strip.binNs : 0 };
    if (Object.hasOwn(steps, event.key))
        moveStretch(steps[event.key], event.shiftKey);
    else
        return;
    event.preventDefault();
    event.stopPropagation();
}

function moveStretch(step, onlyEnd) {
    const from = state.to ? state.from + (onlyEnd ? 0 : step) : strip.origin;
    const to = state.to ? state.to + step : strip.origin + strip.binNs;
    if (from >= strip.origin - 1 && to <= strip.origin + strip.count * strip.binNs + 1 && to > from) // 1 ns of tolerance, because ends are rounded
        chooseStretch(from, to);
}

function onNumbers() {
    const [from, to] = ["from", "to"].map((id) => Number(byId(id).value || 0) * 1e9);
    chooseStretch(from, to || (from ? strip.end : 0));
}

function showStretch() {
    const { from, to } = state, ns = treeOf(false, false).totalNs[0];
    for (const [id, end] of [["from", from], ["to", to]])
        byId(id).value = to ? String(Math.round(end / MICROSECOND) / 1e6) : "";
    byId("all-time").disabled = !to;
    byId("stretch").textContent = to ? `${time(ns)} (${share(ns, profile.wholeNs())} of all)` : "";
}

// Makes a button for each mark. It chooses the time from its mark to the next one.
function makeMarks() {
    const { marks } = profile.times;
    marks.sort((a, b) => a.ns - b.ns);
    byId("marks").replaceChildren(...marks.slice(0, MOST_MARKS).map((mark, i) => {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = `${clockText(mark.ns, 1e6)} ${mark.text.slice(0, 60)}`;
        button.title = `From ${shortened(mark.text)} to the next mark`;
        button.addEventListener("click", () => chooseStretch(mark.ns, i + 1 < marks.length ? marks[i + 1].ns : strip.end));
        return button;
    }));
    byId("marks").hidden = !marks.length;
    if (marks.length > MOST_MARKS)
        byId("marks").append(`and ${marks.length - MOST_MARKS} more`);
}

function listenToStrip() {
    strip.canvas.addEventListener("pointerdown", onStripDown);
    strip.canvas.addEventListener("pointermove", onStripMove);
    strip.canvas.addEventListener("pointerup", onStripUp);
    strip.canvas.addEventListener("pointerleave", hideTooltip);
    strip.canvas.addEventListener("keydown", onStripKey);
    for (const id of ["from", "to"])
        byId(id).addEventListener("change", onNumbers);
    byId("all-time").addEventListener("click", () => chooseStretch(0, 0));
    byId("axis").addEventListener("click", () => go({ axis: state.heat || !state.axis, heat: false }, true));
    byId("heat").addEventListener("click", () => go({ heat: !state.heat }, true));
    new ResizeObserver(showStrip).observe(byId("times"));
}

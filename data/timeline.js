// SPDX-License-Identifier: MIT
//
// The time axis and the heat map, on one strip: where a stretch of time is chosen, by mouse, keys or numbers.
"use strict";

const AXIS_HEIGHT = 64, HEAT_ROWS = 50, HEAT_ROW = 3; // pixels, without the ticks
const TICKS = 18;
const MOST_MARKS = 100; // that have buttons

const strip = {
    canvas: byId("strip"),
    pen: byId("strip").getContext("2d", { alpha: false }),
    width: 0,
    begin: 0, // what it shows, of the profile's time
    end: 1,
    period: 0, // of a column of the heat map
    heat: false,
    bins: null, // running and waiting, by bar or by cell
    key: "", // what the bins were made for
    from: 0, // where a drag began, and
    to: 0, // where it is; both 0: there is none
    dragging: false,
};

// What the axis reaches over: all of the run, or if it was cut down, what is left.
function startStrip() {
    if (!profile.times)
        return;
    const { begin, end } = profile.times.bounds();
    strip.begin = data.filters ? begin : 0;
    strip.end = Math.max(data.filters ? end : Math.max(end, data.wallNs), strip.begin + 1e6) + MICROSECOND;
    makeMarks();
    if (profile.times.untilNs)
        byId("limit").textContent = `Later than ${clockText(profile.times.untilNs, 1e8)} not all samples have a time: ` +
            "there was no room for more.";
}

// A button a mark: it chooses the time from there to the next one.
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

function showsTimes() {
    return profile.times && state.times !== "none";
}

// Bars are as narrow as there are several samples in each, cells are a fiftieth of their column.
function layStrip() {
    const ratio = devicePixelRatio, length = strip.end - strip.begin;
    strip.heat = state.times === "heat";
    strip.width = strip.canvas.clientWidth;
    strip.height = strip.heat ? HEAT_ROWS * HEAT_ROW : AXIS_HEIGHT;
    strip.canvas.style.height = `${strip.height + TICKS}px`;
    strip.canvas.width = Math.round(strip.width * ratio);
    strip.canvas.height = Math.round((strip.height + TICKS) * ratio);
    if (strip.heat) {
        strip.period = [1e8, 1e9, 1e10, 6e10, 6e11, 3.6e12].find((period) => length / period <= strip.width / 4) || 3.6e13;
        strip.period = length < 1e9 ? 1e8 : Math.max(1e9, strip.period);
        strip.origin = Math.floor(strip.begin / strip.period) * strip.period;
        strip.columns = Math.ceil((strip.end - strip.origin) / strip.period);
        strip.bar = Math.min(strip.width / strip.columns, 28);
        strip.binNs = strip.period / HEAT_ROWS;
        strip.count = strip.columns * HEAT_ROWS;
    } else {
        const samples = length / 1e9 * (data.rate || 100);
        strip.origin = strip.begin;
        strip.count = Math.max(1, Math.min(Math.floor(strip.width / 3), Math.max(20, Math.floor(samples / 4))));
        strip.binNs = length / strip.count;
        strip.bar = strip.width / strip.count;
    }
}

function fillStrip() {
    const key = [state.who, state.clock, strip.heat, strip.count, strip.binNs].join(" ");
    if (key === strip.key)
        return;
    const isMember = profile.membership(state.who), { rowThread } = data;
    strip.key = key;
    strip.bins = profile.times.bins(strip.origin, strip.origin + strip.count * strip.binNs, strip.count,
                                    (row) => isMember(rowThread[row]));
    if (state.clock === "running")
        strip.bins.waiting.fill(0);
    if (state.clock === "waiting")
        strip.bins.running.fill(0);
}

// What a cell is the darker for: where threads wait all the time, what ran says more.
function heatOf(bin) {
    return state.clock === "waiting" ? strip.bins.waiting[bin] : strip.bins.running[bin];
}

function showStrip() {
    byId("times").hidden = !showsTimes();
    if (!showsTimes())
        return;
    layStrip();
    fillStrip();
    drawStrip();
    showStretch();
}

function drawStrip() {
    const { pen } = strip, ratio = devicePixelRatio;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.fillStyle = style.paper;
    pen.fillRect(0, 0, strip.width, strip.height + TICKS);
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "middle";
    if (strip.heat)
        drawHeat();
    else
        drawBars();
    drawTicks();
    drawStretch();
    if (!strip.heat)
        drawScale();
    if (profile.times.untilNs)
        drawLimit();
    drawMarks();
}

function drawBars() {
    const { pen, bins } = strip;
    const most = bins.running.reduce((max, ns, i) => Math.max(max, ns + bins.waiting[i]), 0) || 1;
    const top = strip.height - 14;
    bins.running.forEach((ns, i) => {
        const x = i * strip.bar, width = strip.bar > 3 ? strip.bar - 1 : strip.bar;
        const ran = ns / most * top, waited = bins.waiting[i] / most * top;
        pen.fillStyle = style.running;
        pen.fillRect(x, strip.height - ran, width, ran);
        pen.fillStyle = style.waiting;
        pen.fillRect(x, strip.height - ran - waited, width, waited);
    });
    strip.most = `at most ${(most / strip.binNs).toFixed(1)} ${data.waits ? "threads" : "CPUs"}`;
}

function drawScale() {
    const { pen, most } = strip;
    pen.fillStyle = style.paper;
    pen.fillRect(0, 0, pen.measureText(most).width + 8, 13);
    pen.fillStyle = style.faint;
    pen.fillText(most, 4, 7);
}

function drawHeat() {
    const { pen } = strip;
    let most = 1;
    for (let bin = 0; bin < strip.count; bin++)
        most = Math.max(most, heatOf(bin));
    pen.fillStyle = state.clock === "waiting" ? style.hotWaiting : style.hot;
    for (let bin = 0; bin < strip.count; bin++) {
        pen.globalAlpha = heatOf(bin) / most;
        const { x, y } = cellAt(bin);
        pen.fillRect(x, y, strip.bar > 3 ? strip.bar - 1 : strip.bar, HEAT_ROW);
    }
    pen.globalAlpha = 1;
}

// A column goes upwards in time.
function cellAt(bin) {
    return { x: Math.floor(bin / HEAT_ROWS) * strip.bar, y: strip.height - (bin % HEAT_ROWS + 1) * HEAT_ROW };
}

function xOfTime(ns) {
    return strip.heat ? (ns - strip.origin) / strip.period * strip.bar
        : (ns - strip.begin) / (strip.end - strip.begin) * strip.width;
}

function drawTicks() {
    const { pen } = strip;
    const pixels = xOfTime(strip.origin + 1e9) - xOfTime(strip.origin); // a second
    const step = roundStep(Math.max(strip.heat ? strip.period : 0, 48 / pixels * 1e9), MICROSECOND);
    pen.fillStyle = style.line;
    pen.fillRect(0, strip.height, strip.width, 1);
    for (let ns = Math.ceil(strip.origin / step) * step; ns < strip.end; ns += step) {
        const x = xOfTime(ns), text = clockText(ns, step);
        pen.fillStyle = style.line;
        pen.fillRect(x, strip.height, 1, 4);
        pen.fillStyle = style.faint;
        if (x + pen.measureText(text).width < strip.width)
            pen.fillText(text, x + 2, strip.height + 11);
    }
}

// Lines of the axis, and cells of the heat map.
function drawMarks() {
    const { pen } = strip;
    pen.fillStyle = style.focus;
    for (const { ns } of profile.times.marks)
        if (strip.heat) {
            const { x, y } = cellAt(binOf(ns));
            pen.fillRect(x, y, strip.bar, HEAT_ROW);
        } else {
            pen.fillRect(xOfTime(ns), 14, 1, strip.height - 14);
            pen.fillRect(xOfTime(ns) - 2, 14, 5, 5);
        }
}

function binOf(ns) {
    return Math.max(0, Math.min(strip.count - 1, Math.floor((ns - strip.origin) / strip.binNs + 1e-6)));
}

// What lacks some of its samples is grey.
function drawLimit() {
    const { pen } = strip, { untilNs } = profile.times;
    pen.globalAlpha = 0.4;
    pen.fillStyle = style.line;
    if (!strip.heat)
        pen.fillRect(xOfTime(untilNs), 0, strip.width - xOfTime(untilNs), strip.height);
    else
        for (let bin = binOf(untilNs); bin < strip.count; bin++) {
            const { x, y } = cellAt(bin);
            pen.fillRect(x, y, strip.bar, HEAT_ROW);
        }
    pen.globalAlpha = 1;
}

// The stretch that is chosen, or that is being drawn: all else is dim.
function stretch() {
    return strip.dragging ? ordered(strip.from, strip.to) : { from: state.from, to: state.to };
}

function drawStretch() {
    const { from, to } = stretch(), { pen } = strip;
    if (!to)
        return;
    pen.globalAlpha = 0.7;
    pen.fillStyle = style.paper;
    if (strip.heat)
        for (let bin = 0; bin < strip.count; bin++) {
            const begin = strip.origin + bin * strip.binNs, { x, y } = cellAt(bin);
            if (begin + strip.binNs <= from + 1 || begin >= to - 1)
                pen.fillRect(x, y, strip.bar, HEAT_ROW);
        }
    else {
        pen.fillRect(0, 0, xOfTime(from), strip.height);
        pen.fillRect(xOfTime(to), 0, strip.width, strip.height);
    }
    pen.globalAlpha = 1;
    pen.fillStyle = style.focus;
    for (const ns of strip.heat ? [] : [from, to])
        pen.fillRect(xOfTime(ns) - 1, 0, 2, strip.height);
}

// Choosing

// The time under a place on the strip; of a heat map, that of its cell's beginning.
function timeAt(x, y) {
    if (!strip.heat)
        return strip.begin + Math.max(0, Math.min(1, x / strip.width)) * (strip.end - strip.begin);
    const column = Math.max(0, Math.min(strip.columns - 1, Math.floor(x / strip.bar)));
    const row = Math.max(0, Math.min(HEAT_ROWS - 1, Math.floor((strip.height - y) / HEAT_ROW)));
    return strip.origin + column * strip.period + row * strip.binNs;
}

// A stretch from one time to another, in whole steps that can be seen; of a heat map, with the last cell.
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

// A drag chooses; a click chooses the cell, or on the axis takes the choice back.
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
        lines.push(`waiting: ${time(strip.bins.waiting[bin])}`);
    for (const mark of profile.times.marks)
        if (strip.heat ? Math.abs(binOf(mark.ns) - bin) <= 1 : Math.abs(xOfTime(mark.ns) - x) < 5)
            lines.push(`${clockText(mark.ns, 1e6)}: ${shortened(mark.text)}`);
    return lines;
}

// Arrows move the stretch, with Shift its end. Up and down are for the heat map, where left and right go by its columns.
function onStripKey(event) {
    const sideways = strip.heat ? strip.period : strip.binNs;
    const steps = { ArrowLeft: -sideways, ArrowRight: sideways,
                    ArrowUp: strip.heat ? strip.binNs : 0, ArrowDown: strip.heat ? -strip.binNs : 0 };
    if (event.key === "Escape" && state.to)
        chooseStretch(0, 0);
    else if (Object.hasOwn(steps, event.key))
        moveStretch(steps[event.key], event.shiftKey);
    else
        return;
    event.preventDefault();
    event.stopPropagation();
}

function moveStretch(step, onlyEnd) {
    const from = state.to ? state.from + (onlyEnd ? 0 : step) : strip.origin;
    const to = state.to ? state.to + step : strip.origin + strip.binNs;
    if (from >= strip.origin - 1 && to <= strip.origin + strip.count * strip.binNs + 1 && to > from) // they are rounded
        chooseStretch(from, to);
}

function onNumbers() {
    const [from, to] = ["from", "to"].map((id) => Number(byId(id).value || 0) * 1e9);
    chooseStretch(from, to || (from ? strip.end : 0));
}

function showStretch() {
    const { from, to } = state;
    for (const [id, ns] of [["from", from], ["to", to]])
        byId(id).value = to ? String(Math.round(ns / MICROSECOND) / 1e6) : "";
    byId("all-time").disabled = !to;
    byId("stretch").textContent = !to ? ""
        : `${time(view.weights[0].ns.reduce((sum, ns) => sum + ns, 0))} (${share(treeOf(false, false).totalNs[0], profile.wholeNs())} of all)`;
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
    byId("axis").addEventListener("click", () => go({ times: state.times === "axis" ? "none" : "axis" }, true));
    byId("heat").addEventListener("click", () => go({ times: state.times === "heat" ? "none" : "heat" }, true));
    new ResizeObserver(showStrip).observe(byId("times"));
}

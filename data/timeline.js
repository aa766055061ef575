// SPDX-License-Identifier: MIT
//
// The strip, which shows the time axis or the heat map, and the chosen stretch of time.
"use strict";

const AXIS_HEIGHT = 40, HEAT_ROWS = 50, HEAT_ROW = 3; // pixels, without the ticks
const TICKS = 18;
const LEAST_HIT = 2, LEAST_HIT_ALPHA = 0.4; // so that rare hits of a search are visible

const strip = {
    canvas: byId("strip"),
    pen: byId("strip").getContext("2d", { alpha: false }),
    width: 0,
    begin: 0, // the shown part of the profile's time
    end: 1,
    period: 0, // of a column of the heat map
    heat: false, // as in the state
    bins: null, // running and waiting, by bar or by cell
    found: null, // bins of stacks with a found function; null without a search
    key: "", // the choices that the bins are for
    from: 0, // the beginning of the current drag, and
    to: 0, // its end
    dragging: false,
};

// Sets the range of the axis: the whole run, or its remaining part if the profile is filtered. For ranks, which ran at
// the same time, wallNs is a sum and cannot be used.
function startStrip() {
    if (!profile.times)
        return;
    startLanes();
    const { begin, end } = profile.times.bounds();
    strip.begin = data.filters ? begin : 0;
    strip.end = Math.max(data.filters || data.processRank ? end : Math.max(end, data.wallNs), strip.begin + 1e6) + MICROSECOND;
    makeMarks();
    if (profile.times.untilNs)
        byId("limit").textContent = `Later than ${clockText(profile.times.untilNs, 1e8)} not all samples have a time: ` +
            "the memory limit was reached.";
}

function showsTimes() {
    return profile.times && (state.axis || state.heat || showsLanes());
}

// Bars are wide enough for several samples each. A column of the heat map has fifty cells.
function layStrip() {
    const ratio = devicePixelRatio, length = strip.end - strip.begin;
    strip.heat = state.heat;
    strip.canvas.hidden = !state.axis && !state.heat;
    strip.width = strip.canvas.clientWidth || lanes.width; // keys on the lanes move by a bar, even if it is hidden
    strip.height = strip.heat ? HEAT_ROWS * HEAT_ROW : AXIS_HEIGHT;
    strip.canvas.style.height = `${strip.height + TICKS}px`;
    strip.canvas.width = Math.round(strip.width * ratio);
    strip.canvas.height = Math.round((strip.height + TICKS) * ratio);
    if (strip.heat) {
        strip.period = [1e8, 1e9, 1e10, 6e10, 6e11, 3.6e12].find((period) => length / period <= strip.width / 4) || 3.6e13;
        strip.period = length < 1e9 ? 1e8 : Math.max(1e9, strip.period);
        strip.origin = Math.floor(strip.begin / strip.period) * strip.period;
        strip.columns = Math.ceil((strip.end - strip.origin) / strip.period);
        strip.bar = strip.width / strip.columns;
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
    const key = [state.who, state.clock, strip.heat, strip.count, strip.binNs, view.matches ? state.search : ""].join(" ");
    if (key === strip.key)
        return;
    const isMember = profile.membership(state.who), { rowThread, rowNode } = data;
    strip.key = key;
    strip.bins = binsOf((row) => isMember(rowThread[row]));
    strip.found = null;
    if (view.matches) {
        const isFound = profile.pathsWith(view.matches);
        strip.found = binsOf((row) => isMember(rowThread[row]) && isFound[rowNode[row]]);
    }
}

// Returns the time of the chosen clock in each bar or cell, for rows with isMember(row).
function binsOf(isMember) {
    const bins = profile.times.bins(strip.origin, strip.origin + strip.count * strip.binNs, strip.count, isMember,
                                    (row) => profile.isReady(profile.frames[data.rowNode[row]]));
    if (state.clock === "running")
        for (const kind of ["ready", "waiting"])
            bins[kind].fill(0);
    if (state.clock === "waiting")
        bins.running.fill(0);
    return bins;
}

// Returns the times for the cells' colours: running time, unless only waiting is chosen. Darker cells have more time.
function heatOf(bins) {
    return state.clock === "waiting" ? bins.waiting.map((ns, i) => ns + bins.ready[i]) : bins.running;
}

function showStrip() {
    byId("times").hidden = !showsTimes();
    if (!showsTimes())
        return;
    layLanes();
    layStrip();
    fillStrip();
    drawStrip();
    drawLanes();
    showTimeLegend();
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
    if (profile.times.untilNs)
        drawLimit();
    drawMarks();
}

function drawBars() {
    const { pen, bins } = strip;
    const kinds = ["running", "ready", "waiting"];
    const most = bins.running.reduce((max, ns, i) => Math.max(max, ns + bins.ready[i] + bins.waiting[i]), 0) || 1;
    const top = strip.height - 2;
    for (let i = 0; i < strip.count; i++) {
        const x = i * strip.bar, width = strip.bar > 3 ? strip.bar - 1 : strip.bar;
        let base = strip.height;
        for (const kind of kinds) {
            const height = bins[kind][i] / most * top, found = strip.found ? strip.found[kind][i] / most * top : 0;
            pen.fillStyle = style[kind];
            pen.fillRect(x, base - height, width, height);
            pen.fillStyle = style.found;
            if (found)
                pen.fillRect(x, base - Math.max(LEAST_HIT, found), width, Math.max(LEAST_HIT, found));
            base -= height;
        }
    }
    strip.most = `Peak ${(most / strip.binNs).toFixed(1)} ${data.waits ? "threads" : "CPUs"}`;
}

// Explains the colours of the strip and of the lanes, and the strip's height.
function showTimeLegend() {
    const waits = state.clock === "waiting", list = [];
    if (strip.heat)
        list.push([waits ? style.hotWaiting : style.hot, waits ? "more waiting" : "more running", true]);
    if (!strip.heat || showsLanes())
        list.push(...states());
    if (view.matches)
        list.push([style.found, "matches"]);
    showLegend(byId("time-legend"), list);
    byId("scale").textContent = strip.heat ? `A column is ${clockText(strip.period, strip.period)}, from bottom to top.`
        : state.axis ? strip.most : "";
}

function drawHeat() {
    const { pen } = strip;
    pen.fillStyle = state.clock === "waiting" ? style.hotWaiting : style.hot;
    drawCells(heatOf(strip.bins), 0);
    if (!strip.found)
        return;
    pen.fillStyle = style.found;
    drawCells(heatOf(strip.found), LEAST_HIT_ALPHA);
}

// A cell with any time is at least as opaque as `least`.
function drawCells(heat, least) {
    const { pen } = strip, most = heat.reduce((max, ns) => Math.max(max, ns), 1);
    for (let bin = 0; bin < strip.count; bin++) {
        if (!heat[bin])
            continue;
        pen.globalAlpha = Math.max(least, heat[bin] / most);
        const { x, y } = cellAt(bin);
        pen.fillRect(x, y, strip.bar > 3 ? strip.bar - 1 : strip.bar, HEAT_ROW);
    }
    pen.globalAlpha = 1;
}

// Returns the position of a cell. In a column, time goes upwards.
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
            pen.fillRect(xOfTime(ns), 0, 1, strip.height);
            pen.fillRect(xOfTime(ns) - 2, 0, 5, 5);
        }
}

function binOf(ns) {
    return Math.max(0, Math.min(strip.count - 1, Math.floor((ns - strip.origin) / strip.binNs + 1e-6)));
}

// Covers the time after untilNs, where some samples are missing, with grey.
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

// Returns the chosen stretch, or the current drag. The time outside of it is drawn dim.
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

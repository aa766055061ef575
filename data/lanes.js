// SPDX-License-Identifier: MIT
//
// A lane for each thread below the time axis: how much of the time it was running, ready and waiting. A selected time
// range fills the width.
"use strict";

const LANE = 18, LANE_TICKS = 16; // pixels
const MOST_LANES = 500, MOST_LANE_BINS = 2000;
const DRAG = 3; // pixels; a shorter drag is a click

const lanes = {
    canvas: byId("lane-canvas"),
    area: byId("lane-area"),
    pen: byId("lane-canvas").getContext("2d", { alpha: false }),
    list: [], // see Profile.lanes()
    laneOf: null,
    isReady: null, // by row
    cursor: -1, // the lane that the keyboard chose
    begin: 0, // the shown time
    end: 1,
    left: 0, // width of the names, in pixels, and
    width: 0, // of the cells
    height: 0, // of the visible part, with
    ticks: 0, // the ticks below the lanes
    count: 0, // of bins
    states: null, // see Times.states()
    key: "", // what the states are for
    drag: null, // { from, to } in pixels
};

function startLanes() {
    const { list, laneOf } = profile.lanes(MOST_LANES);
    lanes.list = list;
    lanes.laneOf = laneOf;
    lanes.isReady = Uint8Array.from(data.rowNode, (node) => profile.isReady(profile.frames[node]) ? 1 : 0);
}

// By default, lanes are shown if there is waiting time: then they show who waited while another thread ran.
function showsLanes() {
    const usual = Boolean(data.waits) && WIDE.matches && lanes.list.length > 1;
    return lanes.list.length > 0 && (state.lanes ? state.lanes === "yes" : usual);
}

// Makes room for the lanes, before the time axis beside them is drawn.
function layLanes() {
    const { area, canvas } = lanes, ratio = devicePixelRatio, { from, to } = state;
    area.hidden = !showsLanes();
    byId("times").classList.toggle("with-lanes", !area.hidden);
    if (area.hidden)
        return;
    lanes.left = Math.round(Math.max(90, Math.min(180, 0.12 * innerWidth)));
    lanes.ticks = to || state.heat || !state.axis ? LANE_TICKS : 0; // otherwise, the axis above has them
    byId("lane-extent").style.height = `${lanes.list.length * LANE + lanes.ticks}px`;
    area.style.setProperty("--lanes-whole", `${lanes.list.length * LANE + lanes.ticks}px`);
    byId("times").style.setProperty("--gutter", `${lanes.left}px`);
    byId("times").style.setProperty("--scroll-bar", `${area.offsetWidth - area.clientWidth}px`);
    lanes.width = Math.max(1, area.clientWidth - lanes.left);
    lanes.height = area.clientHeight;
    lanes.begin = to ? from : strip.begin;
    lanes.end = to ? Math.max(to, from + 1) : strip.end;
    canvas.style.height = `${lanes.height}px`;
    canvas.width = Math.round(area.clientWidth * ratio);
    canvas.height = Math.round(lanes.height * ratio);
}

function fillLanes() {
    const count = Math.min(MOST_LANE_BINS, Math.ceil(lanes.width));
    const key = [lanes.begin, lanes.end, count, view.matches ? state.search : ""].join(" ");
    if (key === lanes.key)
        return;
    const found = view.matches && profile.pathsWith(view.matches);
    const isFound = found && Uint8Array.from(data.rowNode, (node) => found[node]);
    lanes.key = key;
    lanes.count = count;
    lanes.states = profile.times.states(lanes.begin, lanes.end, count,
                                        { count: lanes.list.length, of: lanes.laneOf, isReady: lanes.isReady, isFound });
}

function drawLanes() {
    if (lanes.area.hidden)
        return;
    const { pen, area } = lanes, ratio = devicePixelRatio;
    fillLanes();
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.fillStyle = style.paper;
    pen.fillRect(0, 0, lanes.left + lanes.width, lanes.height);
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "middle";
    const first = Math.floor(area.scrollTop / LANE), end = Math.min(lanes.list.length, first + Math.ceil(lanes.height / LANE) + 1);
    for (let lane = first; lane < end; lane++)
        drawLane(lane, lane * LANE - area.scrollTop);
    if (lanes.ticks)
        drawLaneTicks();
    if (lanes.drag)
        drawLaneDrag();
}

// Draws the states as parts of the lane's height: running below, ready above it, and waiting at the top. Neighbours of
// equal heights are one box.
function drawLane(lane, y) {
    const { pen, states, count } = lanes, cell = lanes.width / count, most = LANE - 2;
    const whole = (lanes.end - lanes.begin) / count, { who } = state;
    pen.globalAlpha = !who || profile.keysOf(lanes.list[lane].thread).includes(who) ? 1 : 0.5;
    for (let bin = 0, next; bin < count; bin = next) {
        const heights = heightsOf(lane * count + bin, whole, most);
        next = bin + 1;
        while (next < count && heightsOf(lane * count + next, whole, most).every((height, i) => height === heights[i]))
            next++;
        let base = y + most + 1;
        [style.running, style.ready, style.waiting].forEach((colour, kind) => {
            if (!heights[kind])
                return;
            pen.fillStyle = colour;
            base -= heights[kind];
            pen.fillRect(lanes.left + bin * cell, base, (next - bin) * cell, heights[kind]);
        });
        if (heights[3]) {
            pen.fillStyle = style.found;
            pen.fillRect(lanes.left + bin * cell, y + most + 1 - heights[3], (next - bin) * cell, heights[3]);
        }
    }
    drawLaneName(lane, y);
    pen.globalAlpha = 1;
}

// Returns the heights of the states, whose sum is at most `most`, and of the part that a search found.
function heightsOf(at, whole, most) {
    const { running, ready, waiting, found } = lanes.states, sum = running[at] + ready[at] + waiting[at];
    const unit = most / Math.max(whole, sum), ends = [running[at], running[at] + ready[at], sum].map((ns) => Math.round(ns * unit));
    const least = running[at] && !ends[0] ? 1 : 0; // short runs are visible
    return [ends[0] + least, Math.max(0, ends[1] - ends[0] - least), Math.max(0, ends[2] - Math.max(ends[1], least)),
            found && found[at] ? Math.max(2, Math.round(found[at] * unit)) : 0];
}

function drawLaneName(lane, y) {
    const { pen, left } = lanes, { label, key } = lanes.list[lane];
    pen.save();
    pen.beginPath();
    pen.rect(0, y, left - 4, LANE);
    pen.clip();
    pen.fillStyle = key && key === state.who ? style.focus : style.faint;
    pen.fillText(label.slice(0, 60), 4, y + LANE / 2);
    pen.restore();
    if (lane === lanes.cursor && document.activeElement === lanes.canvas) {
        pen.strokeStyle = style.focus;
        pen.lineWidth = 2;
        pen.strokeRect(1, y + 1, left - 4, LANE - 2);
    }
}

function drawLaneTicks() {
    const { pen, begin, end, left, width, height } = lanes, scale = width / (end - begin);
    const step = roundStep(70 / scale, MICROSECOND), y = height - LANE_TICKS;
    pen.fillStyle = style.paper;
    pen.fillRect(0, y, left + width, LANE_TICKS);
    for (let ns = Math.ceil(begin / step) * step; ns < end; ns += step) {
        const x = left + (ns - begin) * scale, text = clockText(ns, step);
        pen.fillStyle = style.line;
        pen.fillRect(x, y, 1, 4);
        pen.fillStyle = style.faint;
        if (x + pen.measureText(text).width < left + width)
            pen.fillText(text, x + 2, y + 9);
    }
}

function drawLaneDrag() {
    const { pen, drag } = lanes;
    pen.globalAlpha = 0.25;
    pen.fillStyle = style.focus;
    pen.fillRect(Math.min(drag.from, drag.to), 0, Math.abs(drag.to - drag.from), lanes.height);
    pen.globalAlpha = 1;
}

// Returns the lane and the time at the mouse. lane: -1 below the last one.
function laneUnder(event) {
    const box = lanes.canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    const lane = y < lanes.height - lanes.ticks ? Math.floor((y + lanes.area.scrollTop) / LANE) : -1;
    return { x, lane: lane < lanes.list.length ? lane : -1, ns: laneTime(x) };
}

function laneTime(x) {
    return lanes.begin + Math.max(0, Math.min(1, (x - lanes.left) / lanes.width)) * (lanes.end - lanes.begin);
}

function onLaneDown(event) {
    const { x } = laneUnder(event);
    lanes.drag = { from: x, to: x };
    lanes.canvas.setPointerCapture(event.pointerId);
    hideTooltip();
}

function onLaneMove(event) {
    const { x, lane, ns } = laneUnder(event);
    if (lanes.drag) {
        lanes.drag.to = x;
        drawLanes();
    } else if (lane < 0)
        hideTooltip();
    else
        showTooltip(event, x < lanes.left ? [lanes.list[lane].label] : describeLane(lane, ns));
}

// A drag selects a time range, and a click selects the thread.
function onLaneUp(event) {
    const { drag } = lanes;
    lanes.drag = null;
    if (!drag)
        return;
    if (Math.abs(drag.to - drag.from) < DRAG)
        chooseLane(laneUnder(event).lane);
    else
        chooseStretch(...[drag.from, drag.to].sort((a, b) => a - b).map((x) => Math.round(laneTime(x) / MICROSECOND) * MICROSECOND));
    drawLanes();
}

// Shows the thread of a lane alone, or all threads again.
function chooseLane(lane) {
    if (lane >= 0 && lanes.list[lane].key)
        go({ who: state.who === lanes.list[lane].key ? "" : lanes.list[lane].key });
}

// Returns what a thread did at a time, with the stack that has most of it.
function describeLane(lane, ns) {
    const width = (lanes.end - lanes.begin) / lanes.count, step = roundStep(width / 10, MICROSECOND);
    const bin = Math.max(0, Math.min(lanes.count - 1, Math.floor((ns - lanes.begin) / width))), at = lane * lanes.count + bin;
    const begin = lanes.begin + bin * width, { states } = lanes;
    const row = profile.times.mostAt(begin, begin + width, lanes.laneOf, lane), lines = [lanes.list[lane].label];
    lines.push(`${clockText(begin, step)} to ${clockText(begin + width, step)}`);
    for (const kind of ["running", "ready", "waiting"])
        if (states[kind][at])
            lines.push(`${kind}: ${share(states[kind][at], Math.max(width, states.running[at] + states.ready[at] + states.waiting[at]))}`);
    if (row >= 0)
        lines.push(stackText(data.rowNode[row]));
    return lines;
}

// Returns the innermost functions of a stack.
function stackText(node) {
    const names = [];
    for (let at = node; at > 0 && names.length < 6; at = profile.parents[at])
        names.push(data.frameName[profile.frames[at]].slice(0, 60));
    return names.join(" ← ");
}

function onLaneKey(event) {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (step) {
        lanes.cursor = Math.max(0, Math.min(lanes.list.length - 1, lanes.cursor + step));
        const top = lanes.cursor * LANE, shown = lanes.height - lanes.ticks;
        lanes.area.scrollTop = Math.min(top, Math.max(lanes.area.scrollTop, top + LANE - shown));
        drawLanes();
    } else if (event.key === "Enter" || event.key === " ")
        chooseLane(lanes.cursor);
    else if (event.key === "ArrowLeft" || event.key === "ArrowRight")
        moveStretch(event.key === "ArrowLeft" ? -strip.binNs : strip.binNs, event.shiftKey);
    else
        return;
    event.preventDefault();
}

function listenToLanes() {
    const { canvas, area } = lanes;
    canvas.addEventListener("pointerdown", onLaneDown);
    canvas.addEventListener("pointermove", onLaneMove);
    canvas.addEventListener("pointerup", onLaneUp);
    canvas.addEventListener("pointerleave", hideTooltip);
    canvas.addEventListener("keydown", onLaneKey);
    for (const event of ["focus", "blur"])
        canvas.addEventListener(event, drawLanes);
    area.addEventListener("scroll", drawLanes);
    byId("lanes").addEventListener("click", () => go({ lanes: showsLanes() ? "no" : "yes" }, true));
}

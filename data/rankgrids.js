// SPDX-License-Identifier: MIT
//
// The grids of a parallel job: functions by rank, and ranks by time.
"use strict";

const GRID_ROW = 16, GRID_TICKS = 16, GRID_FUNCTIONS = 50, LEAST_CELL_ALPHA = 0.06; // pixels; rows
const LEAST_FUNCTION = 0.001; // of the time of all ranks; smaller functions would differ by chance

const ranks = data.processRank ? new Ranks(profile) : null;

// The grids. left: the width of the names, in pixels, before the cells.
const functionGrid = { canvas: byId("function-grid"), pen: byId("function-grid").getContext("2d"), rows: [], width: 0, left: 0 };
const timeGrid = { canvas: byId("time-grid"), pen: byId("time-grid").getContext("2d"), kinds: null, width: 0, left: 0, key: "" };

function showRanks() {
    byId("rank-grids").hidden = !ranks || !state.ranks;
    if (byId("rank-grids").hidden)
        return;
    const kinds = ranks.kinds(state), whole = kinds.reduce((all, kind) => kind.reduce((sum, ns) => sum + ns, all), 0);
    byId("rank-facts").textContent = rankFacts(ranks.numbers, kinds);
    showFunctionGrid(whole);
    byId("time-grid").hidden = byId("kinds").hidden = !profile.times;
    if (profile.times)
        showTimeGrid();
}

// Sets the size of a grid's canvas, and clears it.
function layGrid(grid, rowCount, rowHeight) {
    const ratio = devicePixelRatio, height = rowCount * rowHeight + GRID_TICKS;
    grid.width = grid.canvas.parentElement.clientWidth - 24;
    grid.rowHeight = rowHeight;
    grid.height = rowCount * rowHeight;
    grid.canvas.style.height = `${height}px`;
    grid.canvas.width = Math.round(grid.width * ratio);
    grid.canvas.height = Math.round(height * ratio);
    grid.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    grid.pen.fillStyle = style.paper;
    grid.pen.fillRect(0, 0, grid.width, height);
    grid.pen.font = "11px system-ui, sans-serif";
    grid.pen.textBaseline = "middle";
}

function putText(grid, text, x, y, width) {
    grid.pen.fillStyle = style.faint;
    grid.pen.save();
    grid.pen.beginPath();
    grid.pen.rect(x, y - GRID_ROW / 2, width, GRID_ROW);
    grid.pen.clip();
    grid.pen.fillText(text, x, y);
    grid.pen.restore();
}

// A darker cell has more time, relative to the slowest rank in its row.
function showFunctionGrid(whole) {
    const grid = functionGrid, { pen } = grid;
    grid.rows = ranks.functions(state, GRID_FUNCTIONS).filter((row) => row.sum >= LEAST_FUNCTION * whole);
    layGrid(grid, grid.rows.length, GRID_ROW);
    grid.left = Math.min(280, Math.round(grid.width / 3));
    grid.cell = (grid.width - grid.left) / ranks.count;
    grid.rows.forEach((row, y) => {
        const most = row.ns.reduce((max, ns) => Math.max(max, ns), 1);
        putText(grid, shortened(data.frameName[row.frame]), 0, (y + 0.5) * GRID_ROW, grid.left - 6);
        pen.fillStyle = style.hot;
        row.ns.forEach((ns, place) => {
            if (!ns)
                return;
            pen.globalAlpha = Math.max(LEAST_CELL_ALPHA, ns / most);
            pen.fillRect(grid.left + place * grid.cell, y * GRID_ROW, grid.cell > 3 ? grid.cell - 1 : grid.cell, GRID_ROW - 1);
        });
        pen.globalAlpha = 1;
    });
    const step = roundStep(40 / grid.cell, 1);
    for (let place = 0; place < ranks.count; place += step)
        putText(grid, `${place ? "" : "rank "}${ranks.numbers[place]}`, grid.left + place * grid.cell, grid.height + 8, 80);
}

// Fills the bins again only if the clock or their number changes.
function fillTimeGrid(bins) {
    const key = [state.clock, bins].join(" ");
    if (key !== timeGrid.key)
        timeGrid.kinds = ranks.times(state, strip.begin, strip.end, bins);
    timeGrid.key = key;
    timeGrid.bins = bins;
}

// A cell has the colour of the kind of work with the most time in it. It is paler if this is a small part of the cell's
// time.
function showTimeGrid() {
    const grid = timeGrid, { pen } = grid;
    layGrid(grid, ranks.count, ranks.count <= 32 ? GRID_ROW : ranks.count <= 160 ? 5 : Math.min(2, 8000 / ranks.count));
    grid.left = 40;
    fillTimeGrid(Math.max(1, Math.min(300, Math.floor((grid.width - grid.left) / 3))));
    const colours = [style.running, style.mpi, style.io, style.waiting], { bins, kinds } = grid;
    const most = (strip.end - strip.begin) / bins, cell = grid.cell = (grid.width - grid.left) / bins;
    const height = grid.rowHeight > 4 ? grid.rowHeight - 1 : grid.rowHeight;
    for (let at = 0; at < ranks.count * bins; at++) {
        let best = 0;
        for (let kind = 1; kind < kinds.length; kind++)
            best = kinds[kind][at] > kinds[best][at] ? kind : best;
        if (!kinds[best][at])
            continue;
        pen.globalAlpha = Math.max(0.25, Math.min(1, kinds[best][at] / most));
        pen.fillStyle = colours[best];
        pen.fillRect(grid.left + at % bins * cell, Math.floor(at / bins) * grid.rowHeight, cell, height);
    }
    pen.globalAlpha = 1;
    const step = roundStep(GRID_ROW / grid.rowHeight, 1), tick = roundStep(60 / cell * most, MICROSECOND);
    for (let place = 0; place < ranks.count; place += step)
        putText(grid, String(ranks.numbers[place]), 0, place * grid.rowHeight + Math.max(6, grid.rowHeight / 2), grid.left - 4);
    for (let ns = Math.ceil(strip.begin / tick) * tick; ns < strip.end; ns += tick)
        putText(grid, clockText(ns, tick), grid.left + (ns - strip.begin) / most * cell, grid.height + 8, 60);
}

// Returns the row and the column under the mouse, or null.
function cellUnder(grid, event, columns) {
    const box = grid.canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    const row = Math.floor(y / grid.rowHeight), column = Math.floor((x - grid.left) / grid.cell);
    return x >= grid.left && y < grid.height && column < columns ? { row, column } : null;
}

function onFunctionGridMove(event) {
    const at = cellUnder(functionGrid, event, ranks.count), row = at && functionGrid.rows[at.row];
    if (!row)
        return hideTooltip();
    const mean = row.sum / ranks.count, most = row.ns.reduce((best, ns, place) => ns > row.ns[best] ? place : best, 0);
    showTooltip(event, [shortened(fullName(row.frame)), `rank ${ranks.numbers[at.column]}: ${time(row.ns[at.column])}`,
                        `mean: ${time(mean)}; rank ${ranks.numbers[most]}: ${time(row.ns[most])}, +${time(row.ns[most] - mean)}`]);
}

function onTimeGridMove(event) {
    const at = cellUnder(timeGrid, event, timeGrid.bins);
    if (!at)
        return hideTooltip();
    const width = (strip.end - strip.begin) / timeGrid.bins, begin = strip.begin + at.column * width;
    const step = roundStep(width / 10, MICROSECOND), cell = at.row * timeGrid.bins + at.column;
    showTooltip(event, [`rank ${ranks.numbers[at.row]}, ${clockText(begin, step)} to ${clockText(begin + width, step)}`,
                        ...KINDS.map((name, kind) => `${name}: ${time(timeGrid.kinds[kind][cell])}`)
                            .filter((line, kind) => timeGrid.kinds[kind][cell])]);
}

// A click chooses a rank, and a second click chooses all again.
function chooseRank(place) {
    const who = `rank ${ranks.numbers[place]}`;
    go({ who: state.who === who ? "" : who });
}

function onFunctionGridClick(event) {
    const at = cellUnder(functionGrid, event, ranks.count), row = at && functionGrid.rows[at.row];
    if (!row)
        return;
    chooseRank(at.column);
    chooseFunction(row.frame);
}

function onTimeGridClick(event) {
    const at = cellUnder(timeGrid, event, timeGrid.bins);
    if (at)
        chooseRank(at.row);
}

function listenToRanks() {
    byId("ranks").hidden = !ranks;
    if (!ranks)
        return;
    byId("ranks").addEventListener("click", () => go({ ranks: !state.ranks }, true));
    functionGrid.canvas.addEventListener("mousemove", onFunctionGridMove);
    functionGrid.canvas.addEventListener("click", onFunctionGridClick);
    timeGrid.canvas.addEventListener("mousemove", onTimeGridMove);
    timeGrid.canvas.addEventListener("click", onTimeGridClick);
    for (const { canvas } of [functionGrid, timeGrid])
        canvas.addEventListener("mouseleave", hideTooltip);
    addEventListener("resize", showRanks);
}

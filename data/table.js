// SPDX-License-Identifier: MIT
//
// The table of functions beside the graph.
"use strict";

const SOME_ROWS = 200; // at first; the button below the table shows more

// The columns by name. of: returns a row's value. change: true for columns of comparisons, sorted by the size of the
// change.
const COLUMNS = {
    self: { title: "Self", hint: "time in the function itself", of: (row) => row.selfNs },
    selfChange: { title: "Change", hint: "change of the time in the function itself", change: true,
                  of: (row) => row.selfNs - row.baseSelfNs },
    total: { title: "Total", hint: "time in the function and in what it called", of: (row) => row.totalNs },
    totalChange: { title: "Change", hint: "change of the time in the function and in what it called", change: true,
                   of: (row) => row.totalNs - row.baseTotalNs },
    name: { title: "Function", hint: "name", of: (row) => data.frameName[row.frame] },
};

let tableRows = []; // all, sorted
let rowsShown = SOME_ROWS;

// Returns the sums of all functions in the chosen part.
function functionSums() {
    if (!view.trees.has("functions"))
        view.trees.set("functions", sumFunctions(treeOf(false, false), data.frameName.length));
    return view.trees.get("functions");
}

function functionRows() {
    const rows = [], functions = functionSums();
    functions.seen.forEach((seen, frame) => {
        if (seen)
            rows.push({ frame, selfNs: functions.selfNs[frame], totalNs: functions.totalNs[frame],
                        baseSelfNs: functions.other ? functions.other.selfNs[frame] : 0,
                        baseTotalNs: functions.other ? functions.other.totalNs[frame] : 0 });
    });
    return rows;
}

// Returns a function for sort(): larger values first, changes by their size, names alphabetically.
function inOrder(name) {
    const { of, change } = COLUMNS[name];
    if (name === "name")
        return (a, b) => of(a) < of(b) ? -1 : of(a) > of(b) ? 1 : 0;
    const size = change ? (row) => Math.abs(of(row)) : of;
    return (a, b) => size(b) - size(a) || b.totalNs - a.totalNs || a.frame - b.frame;
}

function showTable() {
    if (byId("functions").hidden)
        return;
    const name = state.sort.replace(/^-/, ""), order = inOrder(name), all = functionRows();
    tableRows = view.matches ? all.filter((row) => view.matches[row.frame]) : [...all];
    tableRows.sort(state.sort.startsWith("-") ? (a, b) => order(b, a) : order);
    rowsShown = SOME_ROWS;
    byId("functions").scrollTop = 0;
    for (const header of byId("functions").querySelectorAll("th"))
        header.setAttribute("aria-sort", header.dataset.sort !== name ? "none"
            : (name === "name") === state.sort.startsWith("-") ? "descending" : "ascending");
    byId("count").textContent = view.matches ? `${tableRows.length} of ${functionsText(all.length)}` : functionsText(all.length);
    fillTable();
}

function functionsText(count) {
    return count === 1 ? "1 function" : `${count} functions`;
}

function fillTable() {
    const body = byId("rows"), whole = treeOf(false, false);
    body.replaceChildren(...tableRows.slice(0, rowsShown).map((row, i) => tableRow(row, i, whole)));
    byId("more").hidden = tableRows.length <= rowsShown;
    byId("more").textContent = `Show more (${tableRows.length - rowsShown} are not shown)`;
    showMarked();
}

function tableRow(row, i, whole) {
    const element = document.createElement("tr");
    element.dataset.frame = row.frame;
    for (const [name, column] of usedColumns())
        element.append(name === "name" ? nameCell(row, i) : column.change ? changeCell(column.of(row), whole.totalNs[0])
            : cell("td", percent(column.of(row), whole.totalNs[0]), time(column.of(row))));
    return element;
}

function percent(part, whole) {
    return `${(100 * part / (whole || 1)).toFixed(1)}%`;
}

function usedColumns() {
    return Object.entries(COLUMNS).filter(([, column]) => !column.change || data.base);
}

function cell(kind, text, title) {
    const element = document.createElement(kind);
    element.textContent = text;
    element.title = title;
    return element;
}

function changeCell(ns, whole) {
    const sign = ns < 0 ? "−" : "+", size = Math.abs(ns);
    const element = cell("td", ns ? sign + percent(size, whole) : "", ns ? sign + time(size) : "");
    element.className = ns < 0 ? "less" : "more";
    return element;
}

// Makes the cell of the name, which is a button. Tab reaches only one of these buttons: the chosen row's.
function nameCell(row, i) {
    const element = cell("th", "", describeFrame(row.frame).join("\n")), button = document.createElement("button");
    element.scope = "row";
    button.type = "button";
    button.textContent = shortened(data.frameName[row.frame]);
    button.tabIndex = i ? -1 : 0;
    element.append(button);
    return element;
}

function showMarked() {
    const rows = [...byId("rows").children];
    const marked = rows.find((row) => Number(row.dataset.frame) === view.marked);
    for (const row of rows) {
        row.classList.toggle("chosen", row === marked);
        row.querySelector("button").setAttribute("aria-pressed", String(row === marked));
        row.querySelector("button").tabIndex = row === (marked || rows[0]) ? 0 : -1;
    }
    schedule();
}

// Marks the boxes of a function and goes to the widest one. If the function is chosen already, zooms to this box.
function chooseFunction(frame) {
    const again = view.marked === frame, node = widestOf(frame);
    view.marked = frame;
    showMarked();
    if (node < 0)
        return;
    if (again)
        zoomTo(node);
    else
        reveal(node);
}

// Returns the function's widest node. Of several, it is the outermost, because nodes are numbered from the root.
function widestOf(frame) {
    const tree = view.tree;
    let widest = -1;
    for (let node = 1; node < tree.count; node++)
        if (tree.frame[node] === frame && (widest < 0 || tree.totalNs[node] > tree.totalNs[widest]))
            widest = node;
    return widest;
}

function onTableClick(event) {
    const row = event.target.closest("#rows tr");
    if (row)
        chooseFunction(Number(row.dataset.frame));
}

// Arrow keys go from row to row, and choose it.
function onTableKey(event) {
    const row = event.target.closest("#rows tr");
    const next = row && { ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling }[event.key];
    if (!next)
        return;
    event.preventDefault();
    next.querySelector("button").focus();
    if (Number(next.dataset.frame) !== view.marked)
        chooseFunction(Number(next.dataset.frame));
}

function onSort(event) {
    const header = event.target.closest("th[data-sort]");
    if (header)
        go({ sort: state.sort === header.dataset.sort ? `-${header.dataset.sort}` : header.dataset.sort }, true);
}

function showMore() {
    rowsShown += SOME_ROWS * 5;
    fillTable();
}

function makeHeaders() {
    byId("columns").replaceChildren(...usedColumns().map(([name, column]) => {
        const header = cell("th", "", `Sort by ${column.hint}`), button = document.createElement("button");
        header.dataset.sort = name;
        header.scope = "col";
        button.type = "button";
        button.textContent = column.title;
        header.append(button);
        return header;
    }));
}

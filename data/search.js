// SPDX-License-Identifier: MIT
//
// The search: a regular expression for short and full names and for objects. Case does not matter.
"use strict";

function search() {
    const field = byId("search");
    let pattern = null;
    if (field.value !== state.search)
        field.value = state.search;
    field.removeAttribute("aria-invalid");
    try {
        pattern = state.search ? new RegExp(state.search, "i") : null;
    } catch {
        field.setAttribute("aria-invalid", "true");
    }
    view.matches = pattern && data.frameName.map((name, i) =>
        pattern.test(name) || pattern.test(data.frameFullName[i]) || pattern.test(objectOf(i)));
    view.found = pattern && new Found(view.tree, view.matches);
    view.hit = -1;
}

function clearSearch() {
    go({ search: "" }, true);
}

function showFound() {
    const output = byId("found"), { tree, found } = view;
    for (const id of ["previous", "next"])
        byId(id).disabled = !found || !found.count;
    if (byId("search").hasAttribute("aria-invalid"))
        output.value = "not a regular expression";
    else if (!found)
        output.value = "";
    else if (!found.count)
        output.value = "nothing found";
    else
        output.value = `${hitText(found)}: ${foundAmounts(found.sum(view.zoom), tree)}`;
}

function hitText({ count }) {
    return view.hit >= 0 ? `match ${view.hit + 1} of ${count}` : count === 1 ? "1 match" : `${count} matches`;
}

function foundAmounts(sum, tree) {
    const text = amount(sum.ns, sum.samples, tree, view.zoom);
    return !tree.other ? text : `${text}; ${state.byBase ? "profile" : "base"}: ` +
        amount(sum.other.ns, sum.other.samples, tree.other, view.zoom);
}

// Goes to the next hit, or with -1 to the previous one. Hits are ordered by width; after the last one comes the first.
function stepHit(step) {
    if (!view.found || !view.found.count)
        return;
    const { hits } = view.found;
    const hit = view.hit < 0 && step < 0 ? hits.length - 1 : (view.hit + step + hits.length) % hits.length;
    reveal(hits[hit]);
    view.hit = hit;
    showFound();
}

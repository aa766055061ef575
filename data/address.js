// SPDX-License-Identifier: MIT
//
// The state in the page's address, behind its "#": so that it can be gone back to, and sent to others.
"use strict";

// Only what is not as it is by default.
function addressOf(what) {
    const parts = new URLSearchParams();
    for (const [name, value] of Object.entries(DEFAULTS))
        if (what[name] !== value)
            parts.set(name, String(what[name]));
    return `#${parts}`;
}

// What an address says, which may be anybody's: all that it does not say, or says wrongly, is as by default.
function stateOf(address) {
    const parts = new URLSearchParams(address.replace(/^#/, ""));
    const next = { ...DEFAULTS };
    for (const [name, value] of Object.entries(DEFAULTS))
        if (parts.has(name))
            next[name] = readPart(name, parts.get(name), value);
    return next;
}

function readPart(name, text, usual) {
    if (typeof usual === "boolean")
        return text === "true";
    if (typeof usual === "number")
        return /^\d{1,15}$/.test(text) ? Number(text) : usual;
    return !(name in ALLOWED) || ALLOWED[name](text) ? text : usual;
}

const ALLOWED = {
    who: (text) => Object.values(profile.choices()).some((list) => list.some((one) => one.key === text)),
    clock: (text) => ["all", "running", "waiting"].includes(text),
    times: (text) => ["axis", "heat", "none"].includes(text),
    functions: (text) => ["yes", "no"].includes(text),
    sort: (text) => Object.hasOwn(COLUMNS, text.replace(/^-/, "")),
};

function writeAddress(replace) {
    const address = addressOf(state);
    if (address === (location.hash || "#"))
        return;
    if (replace)
        history.replaceState(null, "", address);
    else
        history.pushState(null, "", address);
}

function followAddress() {
    show(stateOf(location.hash), false);
}

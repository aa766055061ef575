// SPDX-License-Identifier: MIT
//
// Keeps the state in the page's address, after "#", so that Back restores it and the address can be shared.
"use strict";

// Returns the parts of the state that differ from the defaults.
function addressOf(what) {
    const parts = new URLSearchParams();
    for (const [name, value] of Object.entries(DEFAULTS))
        if (what[name] !== value)
            parts.set(name, String(what[name]));
    return `#${parts}`;
}

// Returns the state in an address. Anybody can have written it: missing and invalid parts get their defaults.
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
    lanes: (text) => ["yes", "no"].includes(text),
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

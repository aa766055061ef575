// SPDX-License-Identifier: MIT
//
// Reads a file with speedscope's own code: node speedscope-import.js PACKAGE FILE [UNIT]. PACKAGE is the folder of the npm
// package, which has a page for browsers. The page's script runs here without a browser until it begins to draw; then its
// importer is called. Prints "TOTAL PROFILES" and then "SELF TOTAL NAME" for each function, in nanoseconds, or in UNIT
// (seconds, for formats with timestamps).
"use strict";

const fs = require("fs");
const path = require("path");
const vm = require("vm");

// Returns a stand-in for any object of a browser: it can be called, constructed, read and set, and is not a promise.
function anything() {
    const known = new Map([[Symbol.toPrimitive, () => ""], [Symbol.iterator, () => [].values()], ["then", undefined],
                           ["length", 0]]);
    return new Proxy(function () {}, {
        get: (_, name) => known.has(name) ? known.get(name) : anything(),
        set: () => true,
        apply: anything,
        construct: anything,
    });
}

// Each release has another name for the importer, but the page always calls it in the same way.
function importerOf(folder) {
    const name = fs.readdirSync(folder).find((file) => /^speedscope.*\.js$/.test(file));
    const script = fs.readFileSync(path.join(folder, name), "utf8");
    const found = /loadFileFromBase64:\((\w+),(\w+)\)=>\{this\.loadProfile\(\(\)=>([\w$]+)\(\1,\2\)\)/.exec(script);
    const begin = script.indexOf("(()=>{") + "(()=>{".length;
    if (!found || begin < "(()=>{".length)
        throw new Error(`the importer is not found in ${name}`);
    const quiet = { log() {}, warn() {}, error: console.error };
    const context = { window: anything(), document: anything(), localStorage: anything(), navigator: { userAgent: "" },
                      console: quiet, atob, btoa, TextDecoder, TextEncoder, URL, URLSearchParams, performance,
                      self: anything(), setTimeout, clearTimeout };
    let stopped = null;
    vm.createContext(context);
    try {
        vm.runInContext(`${script.slice(0, begin)}globalThis.importer=${found[3]};${script.slice(begin)}`, context);
    } catch (error) {
        stopped = error; // expected: drawing fails without a browser
    }
    if (typeof context.importer !== "function")
        throw stopped || new Error("there is no importer");
    return context.importer;
}

async function main(folder, file, unit = "nanoseconds") {
    const importer = importerOf(path.join(folder, "dist", "release"));
    const group = await importer(path.basename(file), fs.readFileSync(file).toString("base64"));
    if (!group)
        throw new Error("speedscope does not take the file");
    const functions = new Map();
    let total = 0;
    for (const profile of group.profiles) {
        if (unit === "seconds" && profile.getWeightUnit() === "none")
            continue; // a thread with one sample, which has no duration
        if (profile.getWeightUnit() !== unit)
            throw new Error(`weights in ${profile.getWeightUnit()}`);
        total += profile.getTotalWeight();
        profile.forEachFrame((frame) => {
            const sum = functions.get(frame.name) || { self: 0, total: 0 };
            sum.self += frame.getSelfWeight();
            sum.total += frame.getTotalWeight();
            functions.set(frame.name, sum);
        });
    }
    console.log(total, group.profiles.length);
    for (const [name, sum] of functions)
        console.log(sum.self, sum.total, name);
}

main(...process.argv.slice(2)).catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
});

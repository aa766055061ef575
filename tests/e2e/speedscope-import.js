// SPDX-License-Identifier: MIT
//
// Has a file read by speedscope itself: node speedscope-import.js PACKAGE FILE [UNIT], where PACKAGE is the folder of the npm
// package. That holds a page for browsers; the page's script is run here without one, up to where it would draw, and its
// importer is asked. Prints "TOTAL PROFILES" and then "SELF TOTAL NAME" for each function, in nanoseconds,
// or in UNIT: seconds, where a format tells when samples were taken.
"use strict";

const fs = require("fs");
const path = require("path");
const vm = require("vm");

// Stands for whatever a browser has: can be called, made, read and set, has no members, and is no promise.
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

// The importer has another name in each release, but the page's own way to it stays.
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
        stopped = error; // nothing can be drawn here
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
            continue; // a thread with one sample has no time between two
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

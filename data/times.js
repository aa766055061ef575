// SPDX-License-Identifier: MIT
//
// The timestamps of the samples, and sums by time. Does not depend on the page.
"use strict";

const MICROSECOND = 1000; // all times here are in nanoseconds

// Decodes the timestamps of a profile (see profile/instants.h). Arrays by entry, which are nearly in the order of time:
//   time (the end of the entry's time), row (in the page's data), ns, waits (1 for waiting, 0 for running), samples.
// A wait extends over its ns; a running sample is a point in time.
class Times {
    constructor({ instants, untilNs, markNs, markText }) {
        this.bytes = bytesOf(atob(instants));
        this.at = 0;
        this.untilNs = untilNs; // some later samples have no timestamps; 0: all have
        this.marks = markNs.map((ns, i) => ({ ns, text: markText[i] }));
        this.decode();
        this.bytes = null;
    }

    number() {
        let value = 0;
        for (let unit = 1;; unit *= 128) {
            const byte = this.bytes[this.at++];
            value += (byte & 127) * unit;
            if (byte < 128)
                return value;
        }
    }

    decode() {
        const most = Math.ceil(this.bytes.length / 3); // an entry has at least three numbers
        const time = new Float64Array(most), row = new Int32Array(most), ns = new Float64Array(most);
        const waits = new Uint8Array(most), samples = new Float64Array(most);
        let count = 0, now = 0;
        for (; this.at < this.bytes.length; count++) {
            const head = this.number(), step = this.number();
            now += step % 2 ? -(step + 1) / 2 : step / 2;
            time[count] = now * MICROSECOND;
            row[count] = Math.floor(head / 4);
            ns[count] = this.number();
            waits[count] = head & 1;
            samples[count] = head & 2 ? this.number() : 1;
        }
        for (const [name, values] of Object.entries({ time, row, ns, waits, samples }))
            this[name] = values.slice(0, count);
        this.count = count;
    }

    // Returns the first and the last time.
    bounds() {
        let begin = Infinity, end = 0;
        for (let i = 0; i < this.count; i++) {
            begin = Math.min(begin, this.began(i));
            end = Math.max(end, this.time[i]);
        }
        return { begin: Math.min(begin, end), end };
    }

    began(i) {
        return this.waits[i] ? Math.max(0, this.time[i] - this.ns[i]) : this.time[i];
    }

    // Calls see(i, ns, samples) for each entry that is partly between `from` (included) and `to` (excluded), with this
    // part.
    between(from, to, see) {
        for (let i = 0; i < this.count; i++) {
            const end = this.time[i], isIn = end >= from && end < to;
            if (!this.waits[i]) {
                if (isIn)
                    see(i, this.ns[i], this.samples[i]);
                continue;
            }
            const began = this.began(i), shared = Math.min(end, to) - Math.max(began, from);
            if (shared > 0 || (isIn && end === began))
                see(i, end === began ? this.ns[i] : Math.round(this.ns[i] * shared / (end - began)), isIn ? this.samples[i] : 0);
        }
    }

    // Returns running, ready and waiting time in each of `count` equal parts of the time from `from` to `to`, for rows with
    // isMember(row). isReady(row): true if the row's waits are for a CPU.
    bins(from, to, count, isMember, isReady) {
        const bins = { running: new Float64Array(count), ready: new Float64Array(count), waiting: new Float64Array(count) };
        const width = (to - from) / count, binOf = (time) => Math.min(count - 1, Math.floor((time - from) / width));
        this.between(from, to, (i) => {
            if (!isMember(this.row[i]))
                return;
            if (this.waits[i])
                spread(bins[isReady(this.row[i]) ? "ready" : "waiting"], (this.began(i) - from) / width, (this.time[i] - from) / width, this.ns[i]);
            else
                bins.running[binOf(this.time[i])] += this.ns[i];
        });
        return bins;
    }

    // Returns how long each lane was running, ready and waiting, in each of `count` equal parts of the time from `from` to
    // `to`: arrays by lane * count + part. Running time is that before its sample. found: the part of all of them in found
    // rows; null without a search. lanes: { count, of (lane by row; -1: none), isReady, isFound (by row, or null) }.
    states(from, to, count, lanes) {
        const array = () => new Float32Array(lanes.count * count), width = (to - from) / count;
        const states = { running: array(), ready: array(), waiting: array(), found: lanes.isFound ? array() : null };
        for (let i = 0; i < this.count; i++) {
            const row = this.row[i], lane = lanes.of[row];
            const kind = !this.waits[i] ? "running" : lanes.isReady[row] ? "ready" : "waiting";
            if (lane < 0)
                continue;
            const [first, begin, end] = [lane * count, (this.time[i] - this.ns[i] - from) / width, (this.time[i] - from) / width];
            spread(states[kind].subarray(first, first + count), begin, end, this.ns[i]);
            if (lanes.isFound && lanes.isFound[row])
                spread(states.found.subarray(first, first + count), begin, end, this.ns[i]);
        }
        return states;
    }

    // Returns the row with the most time of a lane between `from` and `to`, or -1.
    mostAt(from, to, laneOf, lane) {
        const sums = new Map();
        let most = -1;
        for (let i = 0; i < this.count; i++) {
            const row = this.row[i], shared = Math.min(to, this.time[i]) - Math.max(from, this.time[i] - this.ns[i]);
            if (shared <= 0 || laneOf[row] !== lane)
                continue;
            sums.set(row, (sums.get(row) || 0) + shared);
            most = most < 0 || sums.get(row) > sums.get(most) ? row : most;
        }
        return most;
    }
}

function bytesOf(text) {
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++)
        bytes[i] = text.charCodeAt(i);
    return bytes;
}

// Spreads `ns` evenly over the bins from `begin` to `end`, which may be within a bin.
function spread(bins, begin, end, ns) {
    if (end <= begin)
        return;
    for (let bin = Math.max(0, Math.floor(begin)); bin < Math.min(bins.length, end); bin++)
        bins[bin] += ns * (Math.min(end, bin + 1) - Math.max(begin, bin)) / (end - begin);
}

// Returns the first of 1, 2, 5, 10, 20 ... times `unit` that is at least `least`.
function roundStep(least, unit) {
    for (let power = unit;; power *= 10)
        for (const times of [1, 2, 5])
            if (power * times >= least)
                return power * times;
}

// Returns a time as text, such as "3.25 s", with the decimals that ticks at a distance of `step` need.
function clockText(ns, step) {
    const decimals = Math.max(0, Math.min(6, Math.ceil(-Math.log10(step / 1e9) - 1e-9)));
    return `${(ns / 1e9).toFixed(decimals)} s`;
}

if (typeof module === "object")
    module.exports = { Times, clockText, roundStep };

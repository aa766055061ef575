// SPDX-License-Identifier: MIT
//
// The ranks of a parallel job: the time of each rank by function, and by kind of work over time. Does not depend on the
// page.
"use strict";

const KINDS = ["computing", "MPI", "input and output", "waiting"];
const KIND_WAITS = 3;

class Ranks {
    // profile: a Profile with data.processRank, the rank of each process (-1 for processes without a rank).
    constructor(profile) {
        const { processRank, frameKind, rowNode } = profile.data;
        this.profile = profile;
        this.numbers = [...new Set(processRank.filter((rank) => rank >= 0))].sort((a, b) => a - b);
        this.count = this.numbers.length;
        const places = new Map(this.numbers.map((number, place) => [number, place]));
        this.placeOfProcess = processRank.map((rank) => rank < 0 ? -1 : places.get(rank));
        // The outermost frame with a kind determines a node's kind, because an MPI library may compute and write, too.
        this.kindOfNode = new Uint8Array(profile.parents.length);
        for (let node = 1; node < this.kindOfNode.length; node++)
            this.kindOfNode[node] = this.kindOfNode[profile.parents[node]] || frameKind[profile.frames[node]];
        this.kindOfRow = rowNode.map((node) => this.kindOfNode[node]);
    }

    // Returns the index of a row's rank, or -1.
    placeOf(row) {
        return this.placeOfProcess[this.profile.processOf(this.profile.data.rowThread[row])];
    }

    // Calls see(row, running ns, waiting ns) for each row of a rank, or for parts of it, in the choice's time and clock
    // (see Profile.amountsOf). Ignores choice.who.
    each(choice, see) {
        const { data, times } = this.profile;
        const ofClock = (row, ran, waited) => {
            if (this.placeOf(row) >= 0)
                see(row, choice.clock === "waiting" ? 0 : ran, choice.clock === "running" ? 0 : waited);
        };
        if (choice.to && times)
            times.between(choice.from, choice.to, (i, ns) =>
                ofClock(times.row[i], times.waits[i] ? 0 : ns, times.waits[i] ? ns : 0));
        else
            data.rowNode.forEach((node, row) => ofClock(row, data.rowNs[row], data.rowWaitNs ? data.rowWaitNs[row] : 0));
    }

    // Returns the `most` functions with the most self time: { frame, sum, ns (by rank) }.
    functions(choice, most) {
        const all = new Map(), { rowNode } = this.profile.data;
        this.each(choice, (row, ran, waited) => {
            const frame = this.profile.frames[rowNode[row]];
            if (!all.has(frame))
                all.set(frame, { frame, sum: 0, ns: new Float64Array(this.count) });
            all.get(frame).sum += ran + waited;
            all.get(frame).ns[this.placeOf(row)] += ran + waited;
        });
        return [...all.values()].sort((a, b) => b.sum - a.sum).slice(0, most).filter((one) => one.sum);
    }

    // Returns the time of each rank, in an array for each of KINDS.
    kinds(choice) {
        const kinds = KINDS.map(() => new Float64Array(this.count));
        this.each(choice, (row, ran, waited) => {
            const kind = this.kindOfRow[row];
            kinds[kind][this.placeOf(row)] += ran;
            kinds[kind || KIND_WAITS][this.placeOf(row)] += waited;
        });
        return kinds;
    }

    // Returns the same for each of `bins` equal parts of the time from `from` to `to`, at index place * bins + bin.
    times(choice, from, to, bins) {
        const kinds = KINDS.map(() => new Float64Array(this.count * bins)), width = (to - from) / bins;
        const { times } = this.profile, binOf = (time) => Math.min(bins - 1, Math.floor((time - from) / width));
        times.between(from, to, (i) => {
            const row = times.row[i], place = this.placeOf(row), kind = this.kindOfRow[row];
            if (place < 0 || choice.clock === (times.waits[i] ? "running" : "waiting"))
                return;
            if (!times.waits[i]) {
                kinds[kind][place * bins + binOf(times.time[i])] += times.ns[i];
                return;
            }
            const begin = (times.began(i) - from) / width, end = (times.time[i] - from) / width;
            for (let bin = Math.max(0, Math.floor(begin)); bin < Math.min(bins, end); bin++)
                kinds[kind || KIND_WAITS][place * bins + bin] +=
                    times.ns[i] * (Math.min(end, bin + 1) - Math.max(begin, bin)) / (end - begin);
        });
        return kinds;
    }
}

// Returns a sentence about the arrays of Ranks.kinds().
function rankFacts(numbers, kinds) {
    const sum = (array) => array.reduce((all, ns) => all + ns, 0), sums = kinds.map(sum), whole = sum(sums) || 1;
    const slowest = kinds[0].reduce((best, ns, place) => ns > kinds[0][best] ? place : best, 0);
    const mean = sums[0] / numbers.length || 1;
    const parts = KINDS.map((name, kind) => sums[kind] ? `${name} ${(100 * sums[kind] / whole).toFixed(1)} %` : "").filter(Boolean);
    return `${numbers.length} ranks: ${parts.join(", ")}; slowest rank ${numbers[slowest]}, ` +
        `+${(100 * (kinds[0][slowest] - mean) / mean).toFixed(1)} %`;
}

if (typeof module === "object")
    module.exports = { Ranks, rankFacts };

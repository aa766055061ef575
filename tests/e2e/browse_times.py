# SPDX-License-Identifier: MIT
"""Uses the time axis and the heat map of a page. The profiled program spent its time in one function, and then in another."""

NAMES = "[...byId('rows').children].map((row) => row.querySelector('th').textContent)"

# The timestamp of a function's first sample, or of its last one ("min" or "max").
WHEN = """[...profile.times.time].filter((_, i) => data.frameName[data.nodeFrame[data.rowNode[profile.times.row[i]] - 1]] === '%s')
    .reduce((one, other) => Math.%s(one, other))"""

# The point of a time on the strip, in the window.
PLACE = """(() => { const box = strip.canvas.getBoundingClientRect(), ns = %s;
    return strip.heat ? [box.left + (Math.floor((ns - strip.origin) / strip.period) + 0.5) * strip.bar,
                         box.top + strip.height - (Math.floor((ns - strip.origin) %% strip.period / strip.binNs) + 0.5) * HEAT_ROW]
        : [box.left + xOfTime(ns), box.top + strip.height / 2]; })()"""


def place(browser, ns):
    return browser.evaluate(PLACE % ns)


def drag(browser, begin, end):
    browser.mouse(*begin, "mousePressed")
    browser.mouse(*end, "mouseMoved")
    browser.mouse(*end, "mouseReleased")


def use(browser, expect, first, second):
    between = (browser.evaluate(WHEN % (first, "max")) + browser.evaluate(WHEN % (second, "min"))) / 2
    use_axis(browser, expect, first, second, between)
    use_numbers(browser, expect, first, second, between)
    use_keys(browser, expect)
    use_heat(browser, expect, first, second)
    use_search(browser, expect, first, second, between)


def use_axis(browser, expect, first, second, between):
    expect("no lanes without waiting time, at first", browser.evaluate("[lanes.area.hidden, byId('lanes').hidden]"), [True, False])
    expect("first in time", browser.evaluate(WHEN % (first, "max")), lambda ns: ns < between)
    whole = browser.evaluate("view.tree.totalNs[0]")
    begin, middle, end = place(browser, "strip.begin"), place(browser, between), place(browser, "strip.end - strip.binNs / 2")
    browser.mouse(*middle, "mouseMoved")
    expect("tooltip", browser.evaluate("byId('tooltip').textContent"), lambda text: " s to " in text and "running: " in text)
    drag(browser, begin, middle)
    expect("the first stretch", browser.evaluate(NAMES), lambda names: first in names and second not in names)
    expect("the share of the first stretch", browser.evaluate("byId('stretch').textContent"), lambda text: "% of all" in text)
    before = browser.evaluate("view.tree.totalNs[0]")
    drag(browser, end, middle)
    expect("the second one, backwards", browser.evaluate(NAMES), lambda names: second in names and first not in names)
    expect("both are nearly all", (before + browser.evaluate("view.tree.totalNs[0]")) / whole, lambda part: 0.6 < part <= 1)
    permalink = browser.evaluate("location.href")
    browser.evaluate("new Promise((done) => { addEventListener('popstate', done, { once: true }); history.back(); })")
    expect("Back comes to the first", browser.evaluate(NAMES), lambda names: first in names and second not in names)
    browser.go_to(permalink)
    expect("by its address", browser.evaluate(NAMES), lambda names: second in names and first not in names)
    browser.click(*place(browser, between))
    expect("a click takes it back", browser.evaluate("[state.to, view.tree.totalNs[0]]"), [0, whole])


def use_numbers(browser, expect, first, second, between):
    for name, value in ("from", 0), ("to", between / 1e9):
        browser.evaluate(f"(byId('{name}').value = {value}, byId('{name}').dispatchEvent(new Event('change')))")
    expect("by numbers", browser.evaluate(NAMES), lambda names: first in names and second not in names)
    expect("the button for all time", browser.evaluate("byId('all-time').disabled"), False)
    browser.evaluate("byId('all-time').click()")
    expect("all of the time", browser.evaluate("[state.to, byId('to').value, byId('all-time').disabled]"), [0, "", True])


def use_keys(browser, expect):
    """Arrow keys choose the first bar, then the next one, then both, and then none."""
    browser.evaluate("strip.canvas.focus()")
    bars = "[(state.from - strip.begin) / strip.binNs, (state.to - strip.begin) / strip.binNs].map((bar) => Math.round(bar * 100) / 100)"
    browser.key("ArrowRight")
    expect("the first bar", browser.evaluate(bars), [0, 1])
    browser.key("ArrowRight")
    expect("the next one", browser.evaluate(bars), [1, 2])
    browser.key("ArrowRight", shift=True)
    expect("and one more", browser.evaluate(bars), [1, 3])
    browser.key("ArrowLeft")
    expect("back", browser.evaluate(bars), [0, 2])
    browser.key("Escape")
    expect("and none", browser.evaluate("[state.to, document.activeElement.id]"), [0, "graph"])


def use_heat(browser, expect, first, second):
    browser.evaluate("byId('heat').click()")
    expect("its legend", browser.evaluate("byId('time-legend').textContent + byId('scale').textContent"),
           lambda text: text.startswith("more running") and text.endswith("from bottom to top."))
    expect("the heat map", browser.evaluate("[strip.heat, strip.count / strip.columns, byId('heat').getAttribute('aria-pressed')]"),
           [True, 50, "true"])
    instant = browser.evaluate(WHEN % (second, "min"))
    browser.click(*place(browser, instant))
    expect("a cell has what is at its time", browser.evaluate(f"[state.from <= {instant}, state.to > {instant},"
           " Math.abs((state.to - state.from) / strip.binNs - 1) < 0.01]"), [True, True, True])
    expect("and its functions", browser.evaluate(NAMES), lambda names: second in names and first not in names)
    drag(browser, place(browser, browser.evaluate(WHEN % (first, "max"))), place(browser, browser.evaluate(WHEN % (first, "min"))))
    expect("from cell to cell, backwards", browser.evaluate(NAMES), lambda names: first in names and second not in names)
    sum_of = "profile.times.ns.filter((_, i) => profile.times.time[i] >= state.from && profile.times.time[i] < state.to)"
    expect("the sum of its instants", browser.evaluate(f"view.tree.totalNs[0] - {sum_of}.reduce((one, other) => one + other)"), 0)
    browser.key("Escape")
    browser.evaluate("byId('heat').click()")
    axis = "[byId('times').hidden, strip.canvas.hidden, strip.heat, byId('axis').getAttribute('aria-pressed')]"
    expect("the time axis again", browser.evaluate(axis), [False, False, False, "true"])
    browser.evaluate("byId('axis').click(), byId('heat').click(), byId('heat').click()")
    expect("and not if it was hidden", browser.evaluate(axis)[0], True)
    browser.evaluate("byId('axis').click()")


def use_search(browser, expect, first, second, between):
    """The hits of a search have the right time in each bar and cell, and none elsewhere."""
    parts = "[false, true].map((late) => heatOf(strip.found).filter((_, i) => (binOf(%f) < i) === late).reduce((a, b) => a + b))"
    for way in "axis", "heat":
        browser.evaluate(f"(byId('{way}').getAttribute('aria-pressed') === 'true' || byId('{way}').click(), byId('search').focus(), byId('search').select())")
        browser.type(f"^{second}$")
        early, late = browser.evaluate(parts % between)
        whole = browser.evaluate("view.found.sum(0).ns")
        expect(f"hits of the second function on the {way}", [early, late, whole],
               lambda sums: sums[0] < sums[1] / 20 and abs(sums[0] + sums[1] - sums[2]) <= 1)
        instant = browser.evaluate(WHEN % (second, "max"))
        browser.mouse(*place(browser, instant), "mouseMoved")
        expect("the hits' time is in the tooltip", browser.evaluate("byId('tooltip').textContent"), lambda text: f"with ^{second}$: " in text)
        browser.key("Escape")
        expect("no search, no hits", browser.evaluate("strip.found"), None)


def use_marks(browser, expect, first, second):
    """A mark's button chooses the time from it to the next one."""
    expect("marks", browser.evaluate("[...byId('marks').children].map((one) => one.textContent.replace(/^[0-9.]+ s /, ''))"),
           ["</script><b>first", "</script><b>second"])
    browser.evaluate("byId('marks').children[0].click()")
    expect("from the first mark", browser.evaluate(NAMES), lambda names: first in names and second not in names)
    browser.evaluate("byId('marks').children[1].click()")
    expect("from the second", browser.evaluate(NAMES), lambda names: second in names and first not in names)
    browser.mouse(*place(browser, "profile.times.marks[1].ns"), "mouseMoved")
    expect("tooltip of a mark's line", browser.evaluate("byId('tooltip').textContent"), lambda text: "</script><b>second" in text)


def use_lanes(browser, expect):
    """Each thread has a lane. A click shows the thread alone, a drag selects time, and the keyboard can do the same."""
    expect("the lanes", browser.evaluate("[lanes.area.hidden, lanes.list.length > 4, lanes.list.length === new Set(lanes.list.map((lane) => lane.key)).size]"),
           [False, True, True])
    point = "(() => { const box = lanes.canvas.getBoundingClientRect(); return [box.left + lanes.left + %f * lanes.width, box.top + %f * LANE]; })()"
    lane = browser.evaluate("lanes.list.findIndex((_, lane) => lanes.states.waiting[Math.floor((lane + 0.4) * lanes.count)] > 0)")
    expect("a lane adds up to its thread's time", browser.evaluate("""(() => { const { running, ready, waiting } = lanes.states, sums = [0, 0];
        for (let i = 0; i < lanes.count; i++)
            sums[0] += running[i] + ready[i] + waiting[i];
        profile.times.row.forEach((row, i) => sums[1] += lanes.laneOf[row] === 0 ? profile.times.ns[i] : 0);
        return sums[0] / sums[1]; })()"""), lambda part: 0.98 < part < 1.02)
    begin, end = browser.evaluate(point % (0.4, lane + 0.5)), browser.evaluate(point % (0.6, lane + 0.5))
    browser.mouse(*begin, "mouseMoved")
    expect("tooltip of a lane", browser.evaluate("byId('tooltip').textContent"), lambda text: " s to " in text and " ← " in text)
    browser.click(*begin)
    expect("a click shows the thread", browser.evaluate(f"[state.who === lanes.list[{lane}].key, byId('who').value === state.who]"), [True, True])
    browser.click(*begin)
    expect("and another click all", browser.evaluate("state.who"), "")
    whole = browser.evaluate("[lanes.begin, lanes.end]")
    drag(browser, begin, end)
    expect("a drag selects time, which fills the lanes", browser.evaluate("[state.from === lanes.begin, state.to === lanes.end]"), [True, True])
    expect("that time", browser.evaluate("[state.from, state.to]"), lambda now: all(
        abs(ns - whole[0] - part * (whole[1] - whole[0])) < 0.01 * (whole[1] - whole[0]) for ns, part in zip(now, (0.4, 0.6))))
    browser.evaluate("lanes.canvas.focus()")
    for _ in range(lane + 1):
        browser.key("ArrowDown")
    browser.key("Enter")
    expect("by keys", browser.evaluate(f"state.who === lanes.list[{lane}].key"), True)
    bar = browser.evaluate("(go({ who: '', axis: false, from: 0, to: 0 }), strip.binNs)")
    browser.key("ArrowRight")
    browser.key("ArrowRight")
    expect("keys move by a bar, even without the axis", browser.evaluate("state.to - state.from"), lambda ns: abs(ns - bar) < 2)
    browser.evaluate("go({ axis: true })")
    browser.key("Escape")
    expect("Escape takes the time back", browser.evaluate("[state.to, document.activeElement.id]"), [0, "graph"])
    browser.evaluate("byId('lanes').click()")
    expect("without lanes", browser.evaluate("[lanes.area.hidden, strip.canvas.offsetLeft < 20]"), [True, True])
    browser.evaluate("byId('lanes').click()")

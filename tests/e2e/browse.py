# SPDX-License-Identifier: MIT
"""Opens a page of the html format in a headless browser and uses it like a reader.

browse.py CHROMIUM PAGE WAY [FUNCTION...]: WAYS, below, has a test for each WAY. In all of them, the page must cause no error,
and load nothing but itself. Prints what it found; ends with status 1 if something is wrong."""

import json
import pathlib
import re
import sys
import tempfile

import browse_times
from browser import Browser

# The middle of a function's widest box, in the window.
PLACE = """(() => {
    const tree = view.tree, box = canvas.getBoundingClientRect();
    for (let node = 1; node < tree.count; node++)
        if (data.frameName[tree.frame[node]] === %s) {
            const x = (Math.max(0, xOf(tree.left[node])) + Math.min(view.width, xOf(tree.right(node)))) / 2;
            return [box.left + x, box.top + yOf(tree.rowOf(node)) + ROW / 2];
        }
})()"""

COLOURS = {("1", "hsl(8"), ("-1", "hsl(215"), ("0", "hsl(215")}

failures = []


def expect(what, seen, wanted):
    good = wanted(seen) if callable(wanted) else seen == wanted
    print(f"  {what}: {seen}" + ("" if good else "  -- WRONG"))
    if not good:
        failures.append(what)


def text_of(browser, identifier):
    return browser.evaluate(f"byId({json.dumps(identifier)}).textContent")


def chosen(browser, identifier, value):
    """Chooses an entry of a list, like a reader."""
    browser.evaluate(f"(byId({json.dumps(identifier)}).value = {json.dumps(value)},"
                     f" byId({json.dumps(identifier)}).dispatchEvent(new Event('change')))")


def search_for(browser, text):
    browser.evaluate("byId('search').focus(), byId('search').select()")
    browser.type(text)


def use_mouse(browser, function):
    x, y = browser.evaluate(PLACE % json.dumps(function))
    browser.mouse(x, y, "mouseMoved")
    expect("tooltip", text_of(browser, "tooltip"),
           lambda text: text.startswith(function) and "samples" in text and "%" in text)
    browser.click(x, y)
    expect("zoomed to", browser.evaluate("nameOf(view.zoom)"), function)
    expect("fills the width", browser.evaluate("view.tree.totalNs[view.zoom] / span()"), 1)


def use_search(browser, function):
    browser.evaluate("byId('graph').blur()")
    browser.key("/")
    expect("field that has the focus", browser.evaluate("document.activeElement.id"), "search")
    browser.type("^" + re.escape(function.upper()) + "$")
    expect("found of what is zoomed to, whatever the case", browser.evaluate("byId('found').value"),
           lambda text: "(100.00 %)" in text)
    browser.key("Escape")
    expect("after Escape", browser.evaluate("[byId('search').value, document.activeElement.id]"), ["", "graph"])
    browser.key("/")
    browser.type("(")
    expect("half an expression", browser.evaluate("byId('found').value"), "not a regular expression")
    browser.key("Escape")
    browser.key("/")
    browser.type("no such function")
    expect("a name that no function has", browser.evaluate("[byId('found').value, byId('next').disabled]"), ["nothing found", True])
    browser.key("Escape")


def use_steps(browser):
    """Enter visits all hits: the widest first, and the first again after the last."""
    browser.evaluate("byId('reset').click()")
    search_for(browser, "spin")
    count = browser.evaluate("view.found.hits.length")
    expect("hits", browser.evaluate("byId('found').value"), lambda text: text.startswith(f"{count} matches: ") and count > 2)
    widths, names = [], []
    for number in range(1, count + 2):
        browser.key("Enter")
        expect("hit", browser.evaluate("byId('found').value"),
               lambda text: text.startswith(f"match {(number - 1) % count + 1} of {count}: "))
        widths.append(browser.evaluate("view.tree.totalNs[view.selected]"))
        names.append(browser.evaluate("nameOf(view.selected)"))
    expect("the widest first, and round", widths, lambda all: sorted(all[:-1], reverse=True) + all[:1] == all)
    expect("all are hits", names, lambda found: found and all("spin" in name for name in found))
    browser.key("Enter", shift=True)
    expect("one back", browser.evaluate("byId('found').value"), lambda text: text.startswith(f"match {count} of "))
    browser.evaluate("byId('next').click()")
    expect("by the button", browser.evaluate("byId('found').value"), lambda text: text.startswith("match 1 of "))
    browser.key("Escape")


def use_keyboard(browser, address):
    """The keys of the graph work at once. What is selected is described, and Escape goes back to the start."""
    browser.go_to(address)
    expect("field that has the focus", browser.evaluate("[document.activeElement.id, byId('chosen').hidden]"), ["graph", True])
    browser.key("ArrowUp")
    expect("ArrowUp comes to row", browser.evaluate("view.tree.rowOf(view.selected)"), 1)
    browser.key("ArrowUp")
    browser.key("Enter")
    expect("Enter zooms to row", browser.evaluate("view.zoomRow"), 2)
    expect("details", browser.evaluate("[byId('chosen').hidden, byId('details').textContent.includes('samples')]"), [False, True])
    browser.key("Escape")
    start = "[view.zoom, view.selected, byId('chosen').hidden, document.activeElement.id]"
    expect("Escape comes back to", browser.evaluate(start), [0, -1, True, "graph"])
    browser.key("Enter")
    expect("Enter at the start zooms to row", browser.evaluate("view.zoomRow"), 1)
    browser.key("Escape")
    browser.evaluate("byId('bottom-up').focus()")
    browser.key("Escape")
    expect("Escape on a button", browser.evaluate(start), [0, -1, True, "graph"])


def use_height(browser):
    """At 1280x800, the graph has two thirds of the window, and the controls are one row."""
    browser.call("Emulation.setDeviceMetricsOverride", width=1280, height=800, deviceScaleFactor=1, mobile=False)
    expect("height of the graph", browser.evaluate("area.clientHeight / innerHeight"), lambda part: part >= 2 / 3)
    expect("a colour for each module", browser.evaluate("""[...byId('legend').children].map((item) => [item.textContent,
        Array.from(view.tree.frame).some((frame) => frame >= 0 && colourOf(frame).startsWith(item.style.getPropertyValue('--colour').split(' ')[0]))])"""),
           lambda items: ["mix", True] in items and all(used for _, used in items))
    expect("one row of controls", browser.evaluate("byId('controls').offsetHeight < 2 * byId('axis').offsetHeight"), True)
    browser.evaluate("(go({ functions: 'no' }), zoomTo(1))")
    expect("details over the graph, which is as large", browser.evaluate("[byId('side').offsetHeight > 0, view.width > innerWidth - 30]"),
           [True, True])
    browser.evaluate("(goBack(), go({ functions: '' }))")
    browser.call("Emulation.clearDeviceMetricsOverride")


def use_table(browser, function):
    """The table sorts by any column. A click on a row marks the function in the graph, and a second click zooms to it."""
    expect("functions in the table", browser.evaluate("[...byId('rows').children].map((row) => row.querySelector('th').textContent)"),
           lambda names: function in names and "main" in names)
    column = "[...byId('rows').children].map((row) => parseFloat(row.children[%d].textContent))"
    expect("sorted by self", browser.evaluate(column % 0), lambda all: sorted(all, reverse=True) == all and sum(all) > 95)
    browser.evaluate("byId('columns').children[1].firstChild.click()")
    expect("sorted by total", browser.evaluate(column % 1), lambda all: sorted(all, reverse=True) == all and all[0] == 100)
    browser.evaluate("byId('columns').children[1].firstChild.click()")
    expect("and the other way", browser.evaluate(column % 1), lambda all: sorted(all) == all)
    expect("order for screen readers", browser.evaluate("byId('columns').children[1].getAttribute('aria-sort')"), "ascending")
    browser.evaluate("byId('columns').children[0].firstChild.click(), zoomTo(0)")
    row = f"[...byId('rows').children].find((row) => row.querySelector('th').textContent === {json.dumps(function)})"
    browser.evaluate(row + ".querySelector('button').click()")
    expect("chosen", browser.evaluate("[nameOf(view.selected), data.frameName[view.marked]]"), [function, function])
    expect("pressed", browser.evaluate(row + ".querySelector('button').getAttribute('aria-pressed')"), "true")
    browser.evaluate(row + ".querySelector('button').click()")
    expect("chosen again zooms", browser.evaluate("nameOf(view.zoom)"), function)
    browser.evaluate("zoomTo(0), byId('rows').firstChild.querySelector('button').focus()")
    browser.key("ArrowDown")
    expect("ArrowDown chooses the second", browser.evaluate("view.marked === Number(byId('rows').children[1].dataset.frame)"), True)
    search_for(browser, function)
    expect("the table has what is found", browser.evaluate("[...byId('rows').children].map((row) => row.querySelector('th').textContent)"),
           lambda names: function in names and all(function in name for name in names))
    browser.key("Escape")
    browser.evaluate("byId('table').click()")
    expect("the graph has all the width", browser.evaluate("[byId('functions').hidden, view.width > innerWidth - 30]"), [True, True])
    browser.evaluate("byId('table').click()")


def use_buttons(browser):
    total = browser.evaluate("view.tree.totalNs[0]")
    browser.evaluate("byId('bottom-up').click()")
    expect("bottom-up has", browser.evaluate("view.tree.totalNs[0]"), total)
    expect("and says so", browser.evaluate("byId('bottom-up').getAttribute('aria-pressed')"), "true")
    browser.evaluate("byId('icicle').click()")
    expect("the root's place in an icicle", browser.evaluate("yOf(0)"), 0)
    browser.evaluate("byId('icicle').click(), byId('bottom-up').click()")


def use_history(browser, address, function):
    """Back and forward restore earlier views, and the address of a view restores it in another window."""
    browser.go_to(address)
    x, y = browser.evaluate(PLACE % json.dumps(function))
    browser.click(x, y)
    search_for(browser, "SPIN|&=#%")
    browser.evaluate("byId('bottom-up').click()")
    seen = "[state.bottomUp, state.search, nameOf(view.zoom)]"
    expect("seen", browser.evaluate(seen), [True, "SPIN|&=#%", "whole profile"])
    permalink = browser.evaluate("location.href")
    for back, wanted in (("back", [False, "SPIN|&=#%", function]), ("back", [False, "", "whole profile"]),
                         ("forward", [False, "SPIN|&=#%", function]), ("forward", [True, "SPIN|&=#%", "whole profile"])):
        browser.evaluate(f"new Promise((done) => {{ addEventListener('popstate', done, {{ once: true }}); history.{back}(); }})")
        expect(back, browser.evaluate(seen), wanted)
    browser.go_to(permalink)
    expect("by its address", browser.evaluate(seen), [True, "SPIN|&=#%", "whole profile"])
    expect("and in its field", browser.evaluate("byId('search').value"), "SPIN|&=#%")
    browser.go_to(address + "#zoom=99999999&who=nobody&clock=%00&sort=toString&bottomUp=maybe&x=<b>")
    expect("an address with nonsense", browser.evaluate("addressOf(state)"), "#")


def use_copy(browser, name):
    """The copied name is in the clipboard."""
    browser.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    browser.call("Emulation.setFocusEmulationEnabled", enabled=True)
    for way in "byId('copy').click()", "canvas.dispatchEvent(new KeyboardEvent('keydown', { key: 'c' }))":
        browser.evaluate("navigator.clipboard.writeText('')")
        browser.evaluate(way)
        expect("message", browser.evaluate("new Promise((done) => setTimeout(() => done(byId('said').textContent), 50))"), "Copied.")
        expect("copied", browser.evaluate("navigator.clipboard.readText()"), name)


def use_comparison(browser, function):
    whole, base = browser.evaluate("[view.tree.totalNs[0], view.tree.other.totalNs[0]]")
    expect("hidden of a comparison", browser.evaluate("['base', 'by-base', 'legend'].filter((id) => byId(id).hidden)"), [])
    expect("no axis for a comparison, and a message", browser.evaluate("[byId('axis').hidden, byId('base').textContent]"),
           lambda found: found[0] and "so there is no time axis" in found[1])
    x, y = browser.evaluate(PLACE % json.dumps(function))
    browser.mouse(x, y, "mouseMoved")
    expect("tooltip", browser.evaluate("byId('tooltip').textContent"),
           lambda text: "; base: " in text and "; change: " in text)
    expect("colours of more, less and as much", browser.evaluate("""(() => {
        const colours = {};
        for (let node = 1; node < view.tree.count; node++) {
            const change = Math.sign(view.tree.totalNs[node] - view.tree.other.totalNs[node]);
            (colours[change] = colours[change] || new Set()).add(colourOfChange(node).split(" ")[0]);
        }
        return Object.entries(colours).map(([change, hues]) => [change, [...hues].sort()]).sort();
    })()"""), lambda found: found and set(map(tuple, ((c, *h) for c, h in found))) <= COLOURS)
    browser.evaluate("byId('by-base').click()")
    expect("by the base's widths", browser.evaluate("[view.tree.totalNs[0], view.tree.other.totalNs[0]]"), [base, whole])
    browser.evaluate("byId('bottom-up').click()")
    expect("bottom-up, too", browser.evaluate("[view.tree.totalNs[0], view.tree.other.totalNs[0]]"), [base, whole])
    browser.evaluate("byId('by-base').click(), byId('bottom-up').click()")
    expect("and back", browser.evaluate("[view.tree.totalNs[0], view.tree.other.totalNs[0]]"), [whole, base])


def use_threads(browser):
    """Three processes of two programs, and one process has two threads: the page can show any of them alone."""
    whole = browser.evaluate("view.tree.totalNs[0]")
    search_for(browser, "^/bin/two$")
    browser.key("Enter")
    expect("a function with two boxes", text_of(browser, "details"),
           lambda text: text.startswith("common/bin/two") and "all boxes of the function: 3.00 ms (30.00 %), itself 3.00 ms (30.00 %)" in text)
    browser.key("Escape")
    keys = browser.evaluate("[...byId('who').options].map((one) => one.value)")
    expect("choices", keys, ["", "program one", "process 10", "process 20", "process 30", "thread 10/10", "thread 10/11"])
    expect("how it is shown", browser.evaluate("byId('who').options[6].textContent"), "helper 10/11 — 20.00 %")
    expect("in groups", browser.evaluate("[...byId('who').querySelectorAll('optgroup')].map((one) => one.label)"),
           ["Programs", "Processes", "Threads"])
    shares = {}
    for key in keys[1:]:
        chosen(browser, "who", key)
        shares[key] = browser.evaluate("view.tree.totalNs[0]") / whole
    expect("their shares", shares, {"program one": 0.7, "process 10": 0.6, "process 20": 0.3, "process 30": 0.1,
                                    "thread 10/10": 0.4, "thread 10/11": 0.2})
    chosen(browser, "who", "")
    browser.evaluate(f"zoomTo(Array.from(view.tree.frame).findIndex((frame) => data.frameName[frame] === 'common'))")
    chosen(browser, "who", "thread 10/11")
    expect("the zoom stays", browser.evaluate("[nameOf(view.zoom), view.tree.totalNs[0] / 1e6]"), ["common", 2])
    expect("the table has it alone", browser.evaluate("[...byId('rows').children].map((row) => row.querySelector('th').textContent)"),
           ["common", "one"])
    browser.go_to(browser.evaluate("location.href"))
    expect("by its address", browser.evaluate("[byId('who').value, nameOf(view.zoom)]"), ["thread 10/11", "common"])


def use_waits(browser):
    """Running and waiting time have different colours, and the page can show each alone."""
    both, waits = browser.evaluate("[view.tree.totalNs[0], view.tree.totalWaitNs[0]]")
    hues = """[...new Set(view.shown.rows.flat().filter((node) => node && view.tree.totalNs[node])
        .map((node) => colourOfNode(node).split(" ").slice(0, 2).join(" ")))]"""
    expect("functions that do both, and one", browser.evaluate(hues),
           lambda found: "hsl(205 75%" in found and len(found) > 1 and all(re.match(r"hsl\((32|205|355) ", hue) for hue in found))
    expect("the legend", text_of(browser, "legend"), lambda text: "waiting" in text)
    browse_times.use_lanes(browser, expect)
    chosen(browser, "clock", "waiting")
    expect("waiting alone", browser.evaluate("view.tree.totalNs[0] - %d" % waits), 0)
    names = "[...byId('rows').children].map((row) => row.querySelector('th').textContent)"
    expect("waiting functions", browser.evaluate(names), lambda names: "wait_in_poll" in names)
    expect("their colour", browser.evaluate(hues), lambda found: found and set(found) <= {"hsl(205 75%", "hsl(355 75%"})
    chosen(browser, "clock", "running")
    expect("colour of running functions", browser.evaluate(hues), ["hsl(32 75%"])
    expect("running alone", browser.evaluate("view.tree.totalNs[0] - %d" % (both - waits)), 0)
    expect("running functions", browser.evaluate(names), lambda names: names[0] == "work_between_naps")
    browser.go_to(browser.evaluate("location.href"))
    expect("by its address", browser.evaluate("byId('clock').value"), "running")


def use_ranks(browser, function):
    """A job of ranks 0 and 2; rank 2 works longer. The grids are hidden at first, have tooltips, and a click chooses a rank."""
    expect("at first", browser.evaluate("byId('rank-grids').hidden"), True)
    browser.evaluate("byId('ranks').click()")
    expect("the first line", text_of(browser, "rank-facts"),
           lambda text: re.match(r"2 ranks: computing .* %, MPI .* %.*; slowest rank 2, \+", text))
    expect("functions", browser.evaluate("functionGrid.rows.map((row) => data.frameName[row.frame])"),
           lambda names: function in names and "MPI_Barrier" in names)
    place = """(() => { const box = %s.canvas.getBoundingClientRect(), grid = %s;
        return [box.left + grid.left + (%s) * grid.cell, box.top + (%s) * grid.rowHeight]; })()"""
    row = f"functionGrid.rows.findIndex((row) => data.frameName[row.frame] === {json.dumps(function)}) + 0.5"
    browser.mouse(*browser.evaluate(place % ("functionGrid", "functionGrid", "1.5", row)), "mouseMoved")
    expect("tooltip", text_of(browser, "tooltip"), lambda text: text.startswith(function) and "rank 2: " in text)
    colours = """[...new Set([...Array(timeGrid.bins).keys()].map((bin) => timeGrid.kinds.findIndex((kind) =>
        kind[timeGrid.bins + bin] > 0)).filter((kind) => kind >= 0))].sort()"""
    expect("computing and MPI, over time", browser.evaluate(colours), [0, 1])
    browser.evaluate("byId('time-grid').scrollIntoView()")
    browser.click(*browser.evaluate(place % ("timeGrid", "timeGrid", "timeGrid.bins / 2", "1.5")))
    expect("chosen by a click", browser.evaluate("state.who"), "rank 2")
    expect("its time alone", browser.evaluate("view.tree.totalNs[0] - ranks.kinds(state).reduce((all, kind) => all + kind[1], 0)"), 0)
    browser.go_to(browser.evaluate("location.href"))
    expect("by its address", browser.evaluate("[byId('rank-grids').hidden, byId('who').value]"), [False, "rank 2"])


def use_names(browser, full, short):
    """The page shows a short name, finds, explains and copies the full one, and cuts a name that does not fit."""
    expect("shown", browser.evaluate("data.frameName.filter((name, i) => data.frameFullName[i])"), lambda all: short in all)
    search_for(browser, re.escape(full))
    expect("found by its full name", browser.evaluate("byId('found').value"), lambda text: "match" in text)
    browser.key("Enter")
    expect("details with the full name", text_of(browser, "details"), lambda text: text.startswith(short + full))
    use_copy(browser, full)
    expect("drawn in less and less room", browser.evaluate("[99, 16, 10].map((room) => fitted(textsOf(view.selected), room))"),
           [short, "push_back", "push_back"])


def use_cut(browser):
    """The details of [truncated] say why callers are missing."""
    search_for(browser, r"^\[truncated\]$")
    browser.key("Enter")
    expect("why it is truncated", text_of(browser, "details"), lambda text: text.startswith("[truncated]") and "--stack-bytes" in text)


def use_towers(browser):
    """Stacks narrower than a pixel are one low line, not a tower. After a zoom, all their rows are drawn."""
    deepest = browser.evaluate("view.tree.rowCount()")
    expect("rows in all, and drawn", [deepest, browser.evaluate("view.rows")], lambda rows: rows[0] > 300 and rows[1] < 10)
    expect("lines", browser.evaluate("view.shown.rests.flat().length"), 1)
    x, y = browser.evaluate("""(() => { const [rest] = view.shown.rests.flat(), box = canvas.getBoundingClientRect();
        return [box.left + xOf((rest.from + rest.to) / 2), box.top + yOf(view.tree.rowOf(rest.begin)) + ROW - REST / 2]; })()""")
    browser.mouse(x, y, "mouseMoved")
    expect("tooltip of the line", text_of(browser, "tooltip"), lambda text: re.match("deep[123]-400", text) is not None)
    search_for(browser, "deepest")
    browser.key("Enter")
    expect("found, and zoomed to", browser.evaluate("[nameOf(view.selected), view.tree.totalNs[view.selected] >= leastWidth()]"),
           ["deepest1", True])
    browser.evaluate("zoomTo(view.tree.parent[view.zoom])")
    expect("rows now", browser.evaluate("view.rows"), deepest)


def use_nothing(browser):
    expect("rows of the table", browser.evaluate("byId('rows').children.length"), 0)
    expect("nothing is selected", browser.evaluate("byId('chosen').hidden"), True)
    browser.evaluate("byId('bottom-up').click(), byId('icicle').click(), byId('copy').click()")
    search_for(browser, "main")
    browser.key("Enter")
    expect("matches", browser.evaluate("byId('found').value"), "nothing found")


def use_all(browser, address, function):
    use_mouse(browser, function)
    use_search(browser, function)
    use_steps(browser)
    use_keyboard(browser, address)
    use_height(browser)
    use_buttons(browser)
    use_table(browser, function)
    use_history(browser, address, function)


def use_narrow(browser):
    """On a small screen, nothing is wider than the screen, and the graph is not higher than necessary."""
    browser.call("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=False)
    expect("width", browser.evaluate("document.documentElement.scrollWidth"), lambda width: width <= 390)
    expect("height, and what is needed", browser.evaluate("[area.clientHeight, view.tree.rowCount() * ROW]"),
           lambda heights: heights[0] == max(240, min(round(0.65 * 844), heights[1])))
    height = browser.evaluate("area.clientHeight")
    browser.evaluate("byId('table').click()")
    expect("with the table", browser.evaluate("area.clientHeight"), height)
    browser.evaluate("byId('table').click()")
    browser.call("Emulation.clearDeviceMetricsOverride")


def use_heights(browser):
    """A taller window shows more of a deep graph. The root stays at the bottom, also when the window shrinks again."""
    frame = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    bottom = "[area.clientHeight === view.height, yOf(0) + ROW === view.height]"
    for height in 700, 900, 1300, 800:
        browser.call("Emulation.setDeviceMetricsOverride", width=1200, height=height, deviceScaleFactor=1, mobile=False)
        browser.evaluate(frame)
        expect(f"the root at the bottom of {height}", browser.evaluate(bottom), [True, True])
    browser.evaluate(f"(area.scrollTop -= 100, {frame})")
    browser.call("Emulation.setDeviceMetricsOverride", width=1200, height=1000, deviceScaleFactor=1, mobile=False)
    browser.evaluate(frame)
    expect("and as far below it as the reader scrolled", browser.evaluate("yOf(0) + ROW - view.height"), 100)
    browser.call("Emulation.clearDeviceMetricsOverride")


def use_difference(browser, function):
    use_comparison(browser, function)
    use_narrow(browser)
    use_mouse(browser, function)
    use_search(browser, function)


def look_back(browser, address):
    requests = [event["params"]["request"]["url"] for event in browser.events
                if event["method"] == "Network.requestWillBeSent"]
    expect("requests", requests, lambda all: set(all) <= {address, "about:blank"})
    troubles = [event["params"] for event in browser.events
                if event["method"] in ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled")]
    expect("errors", troubles, [])


WAYS = {
    "all": lambda browser, address, function: use_all(browser, address, function),
    "difference": lambda browser, address, function: use_difference(browser, function),
    "threads": lambda browser, address: use_threads(browser),
    "waits": lambda browser, address: use_waits(browser),
    "ranks": lambda browser, address, function: use_ranks(browser, function),
    "names": lambda browser, address, full, short: use_names(browser, full, short),
    "cut": lambda browser, address: use_cut(browser),
    "heights": lambda browser, address: use_heights(browser),
    "towers": lambda browser, address: use_towers(browser),
    "times": lambda browser, address, *functions: browse_times.use(browser, expect, *functions),
    "limit": lambda browser, address: expect("message about missing timestamps", text_of(browser, "limit"),
                                             lambda text: text.startswith("Later than 1.5 s not all samples have a time")),
    "marks": lambda browser, address, *functions: browse_times.use_marks(browser, expect, *functions),
    "nothing": lambda browser, address: use_nothing(browser),
}


def main(program, page, way, *arguments):
    address = pathlib.Path(page).resolve().as_uri()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(program, folder)
        try:
            browser.open(address)
            expect("title", browser.evaluate("document.title"), lambda text: "ptprofil" in text)
            WAYS[way](browser, address, *arguments)
            look_back(browser, address)
        finally:
            browser.end()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

# SPDX-License-Identifier: MIT
"""Opens a page of the html format in a browser without a screen and uses it as a reader would.

browse.py CHROMIUM PAGE FUNCTION: zooms to FUNCTION, searches for it, and wants the page to say so; of a comparison it wants
both sides; and it wants no error, and no request for anything but the page itself. Says what it saw; ends with status 1 if something is not as it should be."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile


class Browser:
    """Speaks the browser's debugging protocol over two pipes: messages of JSON, each ended by a 0."""

    def __init__(self, program, folder):
        to_read, self.to_browser = os.pipe()
        self.from_browser, to_write = os.pipe()

        def connect():
            saved = [os.dup(to_read), os.dup(to_write)]
            os.dup2(saved[0], 3)
            os.dup2(saved[1], 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
             "--disable-dev-shm-usage", "--user-data-dir=" + folder, "--window-size=1200,800", "--remote-debugging-pipe",
             "about:blank"],
            preexec_fn=connect, pass_fds=(3, 4), start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.rest = b""
        self.session = None
        self.number = 0
        self.events = []

    def read(self):
        while b"\0" not in self.rest:
            more = os.read(self.from_browser, 1 << 16)
            if not more:
                sys.exit("the browser has ended")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to_browser, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    sys.exit(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method):
        while not any(event["method"] == method for event in self.events):
            self.events.append(self.read())

    def open(self, address):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Network", "Log":
            self.call(domain + ".enable")
        self.call("Page.navigate", url=address)
        self.wait_for("Page.loadEventFired")

    def evaluate(self, expression):
        """The value of an expression, in the page, after it has been drawn."""
        drawn = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(%s))))" % expression
        answer = self.call("Runtime.evaluate", expression=drawn, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            sys.exit(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def key(self, name):
        for kind in "keyDown", "keyUp":
            self.call("Input.dispatchKeyEvent", type=kind, key=name, windowsVirtualKeyCode=KEYS.get(name, 0))

    def type(self, text):
        self.call("Input.insertText", text=text)

    def mouse(self, x, y, *kinds):
        for kind in kinds:
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def end(self):
        try:
            self.session = None
            self.call("Browser.close")
            self.process.wait(timeout=10)
        except (OSError, SystemExit, subprocess.TimeoutExpired):
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowUp": 38, "ArrowDown": 40, "ArrowLeft": 37, "ArrowRight": 39}

# Where the widest box of a function is, if it can be clicked at.
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


def use_mouse(browser, function):
    x, y = browser.evaluate(PLACE % json.dumps(function))
    browser.mouse(x, y, "mouseMoved")
    expect("tooltip", browser.evaluate("document.getElementById('tooltip').textContent"),
           lambda text: text.startswith(function) and "samples" in text and "%" in text)
    browser.mouse(x, y, "mousePressed", "mouseReleased")
    expect("zoomed to", browser.evaluate("nameOf(view.zoom)"), function)
    expect("fills the width", browser.evaluate("view.tree.totalNs[view.zoom] / span()"), 1)


def use_search(browser, function):
    browser.evaluate("byId('graph').blur()")
    browser.key("/")
    expect("field that has the focus", browser.evaluate("document.activeElement.id"), "search")
    browser.type("^" + re.escape(function) + "$")
    expect("found of what is zoomed to", browser.evaluate("byId('found').value"), lambda text: "(100.00 %)" in text)
    browser.key("Escape")
    expect("after Escape", browser.evaluate("byId('search').value"), "")
    browser.type("(")
    expect("half an expression", browser.evaluate("byId('found').value"), "not a regular expression")
    browser.key("Escape")


def use_keyboard(browser):
    browser.evaluate("byId('reset').click()")
    for _ in range(9):
        if browser.evaluate("document.activeElement.id") == "graph":
            break
        browser.key("Tab")
    expect("Tab comes to", browser.evaluate("document.activeElement.id"), "graph")
    browser.key("ArrowUp")
    expect("ArrowUp comes to row", browser.evaluate("view.tree.rowOf(view.selected)"), 1)
    browser.key("ArrowUp")
    browser.key("Enter")
    expect("Enter zooms to row", browser.evaluate("view.zoomRow"), 2)
    expect("what is said", browser.evaluate("byId('details').textContent"), lambda text: "samples" in text)
    browser.key("Escape")
    expect("Escape comes back to", browser.evaluate("view.zoom"), 0)


def use_buttons(browser):
    total = browser.evaluate("view.tree.totalNs[0]")
    browser.evaluate("byId('bottom-up').click()")
    expect("bottom-up has", browser.evaluate("view.tree.totalNs[0]"), total)
    expect("and says so", browser.evaluate("byId('bottom-up').getAttribute('aria-pressed')"), "true")
    browser.evaluate("byId('icicle').click()")
    expect("the root's place in an icicle", browser.evaluate("yOf(0)"), 0)


def use_comparison(browser, function):
    whole, base = browser.evaluate("[view.tree.totalNs[0], view.tree.other.totalNs[0]]")
    expect("hidden of a comparison", browser.evaluate("['base', 'by-base', 'legend'].filter((id) => byId(id).hidden)"), [])
    x, y = browser.evaluate(PLACE % json.dumps(function))
    browser.mouse(x, y, "mouseMoved")
    expect("tooltip", browser.evaluate("document.getElementById('tooltip').textContent"),
           lambda text: "; base: " in text and "; change: " in text)
    expect("colours of more, less and as much", browser.evaluate("""(() => {
        const colours = {};
        for (let node = 1; node < view.tree.count; node++) {
            const change = Math.sign(view.tree.totalNs[node] - view.tree.other.totalNs[node]);
            (colours[change] = colours[change] || new Set()).add(colourOfChange(node).split(" ")[0]);
        }
        return Object.entries(colours).map(([change, hues]) => [change, [...hues].sort()]).sort();
    })()"""), lambda all: all and set(map(tuple, ((c, *h) for c, h in all))) <= COLOURS)
    browser.evaluate("byId('by-base').click()")
    expect("by the base's widths", browser.evaluate("[view.tree.totalNs[0], view.tree.other.totalNs[0]]"), [base, whole])
    browser.evaluate("byId('bottom-up').click()")
    expect("bottom-up, too", browser.evaluate("[view.tree.totalNs[0], view.tree.other.totalNs[0]]"), [base, whole])
    browser.evaluate("byId('by-base').click(), byId('bottom-up').click()")
    expect("and back", browser.evaluate("[view.tree.totalNs[0], view.tree.other.totalNs[0]]"), [whole, base])


def look_back(browser, address):
    requests = [event["params"]["request"]["url"] for event in browser.events
                if event["method"] == "Network.requestWillBeSent"]
    expect("requests", requests, lambda all: set(all) == {address})
    troubles = [event["params"] for event in browser.events
                if event["method"] in ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled")]
    expect("errors", troubles, [])


def main(program, page, function):
    address = pathlib.Path(page).resolve().as_uri()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(program, folder)
        try:
            browser.open(address)
            expect("title", browser.evaluate("document.title"), lambda text: "ptprofil" in text)
            compares = browser.evaluate("Boolean(data.base)")
            if compares:
                use_comparison(browser, function)
            use_mouse(browser, function)
            use_search(browser, function)
            if not compares:
                use_keyboard(browser)
                use_buttons(browser)
            look_back(browser, address)
        finally:
            browser.end()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

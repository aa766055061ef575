# SPDX-License-Identifier: MIT
"""A headless browser, for tests of pages."""

import json
import os
import signal
import subprocess
import sys


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
        self.go_to(address)

    def go_to(self, address):
        """Loads a page, again if it is shown already."""
        self.events = [event for event in self.events if event["method"] != "Page.loadEventFired"]
        self.call("Page.navigate", url="about:blank")
        self.wait_for("Page.loadEventFired")
        self.events = [event for event in self.events if event["method"] != "Page.loadEventFired"]
        self.call("Page.navigate", url=address)
        self.wait_for("Page.loadEventFired")

    def evaluate(self, expression):
        """Returns the value of an expression in the page, after the page has been drawn."""
        answer = self.call("Runtime.evaluate", expression=DRAWN % expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            sys.exit(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def key(self, name, shift=False):
        for kind in "keyDown", "keyUp":
            self.call("Input.dispatchKeyEvent", type=kind, key=name, windowsVirtualKeyCode=KEYS.get(name, 0),
                      modifiers=8 if shift else 0)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def click(self, x, y):
        self.mouse(x, y, "mousePressed", "mouseReleased")

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


DRAWN = """new Promise((done, fail) => requestAnimationFrame(() => requestAnimationFrame(() => {
    try { done(%s); } catch (error) { fail(error); }
})))"""

KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, "Home": 36, "ArrowUp": 38, "ArrowDown": 40, "ArrowLeft": 37, "ArrowRight": 39}

"""Chromium without a window, for tests of pages: it is driven through two pipes, in the protocol of its own tools."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import pathlib
import subprocess
import time
from collections.abc import Iterator, Sequence
from typing import Any

from executorch.extension.wasm.node import external

#: Seconds that the browser has for an answer; pages of tests take a fraction of one.
PATIENCE = 120.0

_LIBRARIES = ("usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu/pulseaudio")

_FONTS = """\
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>{fonts}</dir><cachedir>{cache}</cachedir></fontconfig>
"""

_OPTIONS = (
    "--headless",
    # Chromium's own sandbox needs rights that a test in one does not have; every page is ours.
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--remote-debugging-pipe",
    "--window-size=900,700",
)


class BrowserError(Exception):
    """The browser refused, a page threw, or there was no answer."""


class Page:
    """A page of a browser that ran its modules without an error so far."""

    def __init__(self, read: int, write: int) -> None:
        self._read, self._write, self._rest, self._last = read, write, b"", 0
        self._session: str | None = None
        self.errors: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One command of the protocol and its answer; what happens meanwhile is looked through for errors."""
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        try:
            os.write(self._write, json.dumps(message).encode() + b"\0")
        except BrokenPipeError:
            raise BrowserError("Chromium has ended") from None
        while True:
            answer = self._next()
            if answer.get("id") == self._last:
                break
            self._look(answer)
        if "error" in answer:
            raise BrowserError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            found = os.read(self._read, 1 << 16)
            if not found:
                raise BrowserError("Chromium has ended")
            self._rest += found
        line, _, self._rest = self._rest.partition(b"\0")
        return json.loads(line)

    def _look(self, event: dict[str, Any]) -> None:
        given = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            details = given["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif event.get("method") == "Log.entryAdded" and given["entry"]["level"] == "error":
            self.errors.append(f"{given['entry']['text']} {given['entry'].get('url', '')}")

    def open(self, address: str) -> None:
        """Goes to a page; it is there, but its modules may not have run."""
        said = self.call("Page.navigate", url=address)
        if "errorText" in said:
            raise BrowserError(f"{address}: {said['errorText']}")
        self.wait("document.readyState === 'complete'")

    def evaluate(self, expression: str) -> Any:
        """What an expression of the page comes to, a promise's value included; it has to be JSON."""
        done = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in done:
            details = done["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description", details["text"]))
        return done["result"].get("value")

    def wait(self, expression: str) -> Any:
        """The first value of an expression that is true; what the page reported as errors ends the wait."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if found := self.evaluate(expression):
                return found
            if self.errors:
                raise BrowserError("\n".join(self.errors))
            time.sleep(0.02)
        raise BrowserError(f"Not within {PATIENCE:.0f} seconds: {expression}")

    def drag(self, points: Sequence[tuple[float, float]]) -> None:
        """Presses the mouse at the first point, moves it along the others, and lets go at the last."""
        for step, (x, y) in enumerate(points):
            if step == 0:
                self._mouse("mousePressed", x, y, "left", 1)
            self._mouse("mouseMoved", x, y, "left", 1)
        self._mouse("mouseReleased", *points[-1], "left", 0)

    def click(self, selector: str) -> None:
        """Clicks on the middle of an element."""
        self.drag([self.place(selector, 0.5, 0.5)])

    def place(self, selector: str, across: float, down: float) -> tuple[float, float]:
        """A point of an element, by shares of its width and height."""
        x, y, width, height = self.evaluate(
            f"(({{x, y, width, height}}) => [x, y, width, height])"
            f"(document.querySelector({json.dumps(selector)}).getBoundingClientRect())"
        )
        return x + across * width, y + down * height

    def _mouse(self, kind: str, x: float, y: float, button: str, buttons: int) -> None:
        self.call(
            "Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, buttons=buttons, clickCount=1
        )

    def screenshot(self, path: pathlib.Path) -> None:
        """Writes what the page looks like, as PNG."""
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))


@contextlib.contextmanager
def chromium(scratch: pathlib.Path) -> Iterator[Page]:
    """An empty page of a browser of its own, whose files lie in `scratch`."""
    site = external("bundle_chromium", "site").resolve()
    fonts = scratch / "fonts.conf"
    fonts.write_text(_FONTS.format(fonts=site / "usr/share/fonts", cache=scratch / "fonts"))
    environment = {
        "HOME": str(scratch),
        "FONTCONFIG_FILE": str(fonts),
        "LD_LIBRARY_PATH": ":".join(str(site / path) for path in _LIBRARIES),
    }
    to_browser, from_browser = os.pipe(), os.pipe()
    # The browser reads from descriptor 3 and writes to 4, whatever numbers these are here (above 9 no plain sh takes them).
    script = f'exec "$@" 3<&{to_browser[0]} 4>&{from_browser[1]}'
    program = site / "usr/lib/chromium/chromium-headless-shell"
    command = [
        "/bin/bash",
        "-c",
        script,
        "bash",
        str(program),
        *_OPTIONS,
        f"--user-data-dir={scratch}/profile",
    ]
    with (scratch / "chromium.log").open("wb") as log:
        process = subprocess.Popen(
            command, env=environment, pass_fds=(to_browser[0], from_browser[1]), stdout=log, stderr=log
        )
    os.close(to_browser[0])
    os.close(from_browser[1])
    try:
        yield Page(from_browser[0], to_browser[1])
    except BrowserError as error:
        raise BrowserError(f"{error}\n{(scratch / 'chromium.log').read_text()[-4000:]}") from error
    finally:
        process.kill()
        process.wait()
        os.close(to_browser[1])
        os.close(from_browser[0])

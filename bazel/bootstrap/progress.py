"""Progress on stderr: a bar on a terminal, a line for every tenth otherwise."""

from __future__ import annotations

import sys
import threading
from typing import TextIO

_BAR = 30


class BootstrapError(Exception):
    """What went wrong and the way out, worded for the person at the keyboard."""


def say(message: str) -> None:
    """Prints one line under the name that the user called."""
    print(f"bazelw: {message}", file=sys.stderr, flush=True)


class Progress:
    """One step of known length. Threads may advance it."""

    def __init__(self, title: str, total: int, stream: TextIO | None = None) -> None:
        self._title = title
        self._total = max(total, 1)
        self._done = -1  # so that 0 shows, too
        self._tenths = -1
        self._stream = stream or sys.stderr
        self._lock = threading.Lock()

    def advance(self, steps: int = 1) -> None:
        """Counts finished steps."""
        with self._lock:
            self._show(max(self._done, 0) + steps)

    def set(self, done: int) -> None:
        """Sets the count; it never goes back."""
        with self._lock:
            self._show(max(done, self._done))

    def _show(self, done: int) -> None:
        if min(done, self._total) == self._done:
            return
        self._done = min(done, self._total)
        count = f"{self._done}/{self._total}"
        if self._stream.isatty():
            filled = _BAR * self._done // self._total
            bar = "#" * filled + "." * (_BAR - filled)
            end = "\n" if self._done == self._total else ""
            self._stream.write(f"\rbazelw: {self._title} [{bar}] {count}{end}")
            self._stream.flush()
        elif 10 * self._done // self._total > self._tenths:
            self._tenths = 10 * self._done // self._total
            self._stream.write(f"bazelw: {self._title} {count}\n")
            self._stream.flush()

"""Progress on stderr: a bar on a terminal, a line for every tenth otherwise."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
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


def run_with_progress(command: list[str], directory: Path, count: int, size: int) -> str:
    """Runs one of apt's downloaders and shows how far it is; returns its errors, "" where it has none."""
    megabytes = size // 1_000_000
    progress = Progress(f"downloading {count} packages, MB", megabytes) if count > 1 else None
    reader, writer = os.pipe()
    with subprocess.Popen(
        [command[0], "-o", f"APT::Status-Fd={writer}", *command[1:]],
        cwd=directory,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        pass_fds=[writer],
    ) as process:
        os.close(writer)
        with os.fdopen(reader) as status:
            for line in status:
                fields = line.split(":")
                if progress and fields[0] == "dlstatus":
                    progress.set(int(megabytes * float(fields[2]) / 100))
        errors = process.communicate()[1]
    if process.returncode:
        return last_errors(errors) or f"{command[0]} failed"
    if progress:
        progress.set(megabytes)
    return ""


def last_errors(text: str) -> str:
    """apt's error lines, the last few: the first failure repeats for every package."""
    lines = [line for line in text.splitlines() if line.startswith("E:")] or text.splitlines()
    return "\n".join(lines[-3:])

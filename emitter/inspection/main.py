"""Prints what is in a `.pte` or `.ptd` file.

./bazelw run //emitter:inspect -- model.pte --html model.html
"""

from __future__ import annotations

import json
import mmap
import pathlib
import sys
from collections.abc import Sequence

from absl import app, flags

from executorch.emitter.inspection.inspect_file import inspect_bytes
from executorch.emitter.inspection.page import to_html
from executorch.emitter.inspection.report import Report, to_text

_HTML = flags.DEFINE_string("html", None, "also write the report as a page to this file")


def _inspect(path: pathlib.Path) -> Report:
    with path.open("rb") as file:
        if not path.stat().st_size:
            return inspect_bytes(b"")
        # Mapped, so that a large program costs only the pages that are looked at.
        return inspect_bytes(memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)))


def main(arguments: Sequence[str]) -> int:
    """The command line; returns 0 if the files are sound, 1 if one is not, 2 if one cannot be opened."""
    paths = [pathlib.Path(argument) for argument in arguments[1:]]
    if len(paths) != 1:
        print("usage: inspect FILE.pte|FILE.ptd [--html PAGE.html]", file=sys.stderr)
        return 2
    path = paths[0]
    try:
        report = _inspect(path)
    except OSError as error:
        print(f"{path}: {error.strerror}", file=sys.stderr)
        return 2
    print(f"{path}\n")
    print(to_text(report), end="")
    if _HTML.value:
        pathlib.Path(_HTML.value).write_text(to_html(report, path.name), encoding="utf-8")
        print(f"\npage: {_HTML.value}")
    print("\nRESULT " + json.dumps({"file": path.name, **report.facts, "problems": report.problems}))
    return 1 if report.problems else 0


if __name__ == "__main__":
    app.run(main)

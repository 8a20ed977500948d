"""The demo as a directory that any server of files can serve."""

from __future__ import annotations

import pathlib
import shutil

from executorch.extension.wasm import node

_ROOT = pathlib.Path(__file__).absolute().parents[2]
_PAGE = ("index.html", "digits.css", "digits.js", "page.js")


def assemble(out: pathlib.Path) -> None:
    """The page, the program, and the package for npm as `npm install` leaves it."""
    node.install(_ROOT / "extension/wasm/npm_digits.tgz", out)
    for name in _PAGE:
        shutil.copyfile(_ROOT / "examples/browser" / name, out / name)
    shutil.copyfile(_ROOT / "examples/firmware/digits.pte", out / "digits.pte")

"""Writes ``kernel_ops.txt``, the operators for which a kernel library of this project has a kernel.

The build calls it (``//exir:kernel_ops``) with the libraries' own lists, tables in yaml and C++ sources that register.
"""

import pathlib
import re
from collections.abc import Iterable

from absl import app, flags

_OUT = flags.DEFINE_string("out", None, "the file to write", required=True)

_HEADER = "# Operators with a kernel in a library of this project, as programs spell them.\n"
_YAML_ENTRY = re.compile(r"^- (?:op|func): *['\"]?([\w:]+(?:\.\w+)?)", re.MULTILINE)
_REGISTRATION = re.compile(r"\"((?:executorch_prim|aten|prim)::[\w.]+)\"")


def ops_of_yaml(text: str) -> set[str]:
    """Names of the operators in a table of kernels; those without a namespace are ATen's."""
    return {name if "::" in name else f"aten::{name}" for name in _YAML_ENTRY.findall(text)}


def ops_of_source(text: str) -> set[str]:
    """Names that a C++ source registers."""
    return set(_REGISTRATION.findall(text))


def kernel_ops(lists: Iterable[pathlib.Path]) -> set[str]:
    """All operators of tables (``.yaml``) and sources.

    Raises:
        ValueError: a file that names none, which is no list of kernels.
    """
    found: set[str] = set()
    for path in lists:
        text = path.read_text(encoding="utf-8")
        ops = ops_of_yaml(text) if path.suffix == ".yaml" else ops_of_source(text)
        if not ops:
            raise ValueError(f"{path} names no operators with kernels")
        found |= ops
    return found


def text_of(ops: Iterable[str]) -> str:
    """The file's text."""
    return _HEADER + "".join(f"{name}\n" for name in sorted(ops))


def main(argv: list[str]) -> None:
    pathlib.Path(_OUT.value).write_text(text_of(kernel_ops(map(pathlib.Path, argv[1:]))), encoding="utf-8")


if __name__ == "__main__":
    app.run(main)

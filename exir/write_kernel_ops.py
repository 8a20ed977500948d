"""Writes ``kernel_ops.txt``, the operators for which a kernel library of this project has a kernel.

Run it in the checkout after adding kernels: ``./bazelw run //exir:write_kernel_ops``.
"""

import os
import pathlib
import re
from collections.abc import Iterable

from absl import app, flags

_ROOT = flags.DEFINE_string(
    "root", os.environ.get("BUILD_WORKSPACE_DIRECTORY", "."), "the checkout that has the kernel libraries"
)

_HEADER = (
    "# Operators with a kernel in a library of this project, as programs spell them.\n"
    "# Written by write_kernel_ops.py from kernels/*/*.yaml, extension/llm/custom_ops/*.yaml and the prim_ops\n"
    "# registrations.\n"
)
_YAML_ENTRY = re.compile(r"^- (?:op|func): *['\"]?([\w:]+(?:\.\w+)?)", re.MULTILINE)
_REGISTRATION = re.compile(r"\"((?:executorch_prim|aten|prim)::[\w.]+)\"")


def ops_of_yaml(text: str) -> set[str]:
    """Names of the operators in a table of kernels; those without a namespace are ATen's."""
    return {name if "::" in name else f"aten::{name}" for name in _YAML_ENTRY.findall(text)}


def ops_of_source(text: str) -> set[str]:
    """Names that a C++ source registers."""
    return set(_REGISTRATION.findall(text))


def kernel_ops(root: pathlib.Path) -> set[str]:
    """All operators with a kernel in the libraries of the checkout at ``root``."""
    found: set[str] = set()
    for path in sorted([*root.glob("kernels/*/*.yaml"), *root.glob("extension/llm/custom_ops/*.yaml")]):
        found |= ops_of_yaml(path.read_text(encoding="utf-8"))
    for path in sorted(root.glob("kernels/prim_ops/*.cc")):
        if not path.name.endswith("_test.cc"):
            found |= ops_of_source(path.read_text(encoding="utf-8"))
    return found


def text_of(ops: Iterable[str]) -> str:
    """The file's text."""
    return _HEADER + "".join(f"{name}\n" for name in sorted(ops))


def main(argv: list[str]) -> None:
    del argv
    root = pathlib.Path(_ROOT.value)
    ops = kernel_ops(root)
    if not ops:
        raise app.UsageError(f"no kernel libraries under {root}")
    (root / "exir" / "kernel_ops.txt").write_text(text_of(ops), encoding="utf-8")
    print(f"{len(ops)} operators")


if __name__ == "__main__":
    app.run(main)

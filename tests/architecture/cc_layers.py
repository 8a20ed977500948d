"""Includes of headers that no dependency of a C++ library offers.

A compiler sees the headers of everything below, also of what a library depends on through another one: it works until the other one
changes. The descriptions are Bazel's own (bazel/layers.bzl), macros and selects carried out.
"""

from __future__ import annotations

import json
import pathlib
from collections.abc import Iterable, Iterator

from executorch.tests.architecture import cc_includes

#: bazel/defs.bzl makes a library of a library's private headers, which include what its sources may.
_PRIVATE = "_private_headers"


def undeclared(root: pathlib.Path, descriptions: Iterable[str]) -> Iterator[str]:
    """All of them, each with file, line and library.

    Args:
        root: of the sources.
        descriptions: lines of the files that `cc_layers` targets build.
    """
    libraries = {library["label"]: library for library in map(json.loads, descriptions)}
    for label, library in sorted(libraries.items()):
        owner = libraries.get(label.removesuffix(_PRIVATE), library)
        allowed = {*library["sources"], *library["offered"], *owner["sources"], *owner["offered"]}
        for path in library["sources"]:
            # What is generated includes what its generator says.
            if not (root / path).is_file():
                continue
            for line, target in cc_includes.includes(root, path):
                if target not in allowed:
                    yield f"{path}:{line}: {label} does not depend on {target} itself"

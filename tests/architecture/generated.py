"""Modules that only hand on names, which the build makes from the table in ``bazel/published``, as if they were sources.

Checks that read imports look at them too: an edge, a circle or a dependency is one wherever the module comes from.
"""

from __future__ import annotations

import functools
import pathlib
from collections.abc import Mapping

from executorch.bazel.published import generate


@functools.cache
def modules(root: pathlib.Path) -> Mapping[str, str]:
    """Path below ``root`` to the text of each."""
    table = generate.load(root)
    return {
        f"{path}.py": generate.render(path, table) for path, row in table.items() if generate.is_written(row)
    }


def is_module(root: pathlib.Path, path: str) -> bool:
    """Whether a path is a source, or will be made."""
    return path in modules(root) or (root / path).is_file()


def text(root: pathlib.Path, path: str) -> str:
    """What a source, or a module that will be made, reads."""
    made = modules(root).get(path)
    return (root / path).read_text() if made is None else made


def modules_in(root: pathlib.Path, package: str) -> list[str]:
    """Paths, below ``package``, of the modules that are made in that package of Bazel."""
    found = []
    for path in modules(root):
        parents = (parent.as_posix() for parent in pathlib.PurePath(path).parents)
        owner = next((one for one in parents if (root / one / "BUILD.bazel").is_file()), None)
        if owner == package:
            found.append(path.removeprefix(f"{package}/"))
    return found


def is_published(root: pathlib.Path, target: str) -> bool:
    """Whether an import's target is in a room for published names, or is or has what only hands them on."""
    above = target.rpartition("/")[0]
    made = {f"{target}.py", f"{target}/__init__.py", f"{above}.py", f"{above}/__init__.py"}
    return generate.PUBLISHED in target.split("/") or not made.isdisjoint(modules(root))

"""Prints the tests whose inputs differ from those of a revision.

    ./bazelw run //bazel:affected -- origin/main                  # test targets, one a line
    ./bazelw run //bazel:affected -- origin/main --kind rule      # all targets
    ./bazelw test --target_pattern_file=<(./bazelw run //bazel:affected -- origin/main)

What changed is the difference between the checkout as it is (files that git does not know yet included) and BASE. It errs to
one side only: a BUILD file that changed affects all targets of its package, and what the graph of targets does not show
(pins, toolchains, options) affects everything.
"""

from __future__ import annotations

import argparse
import dataclasses
import pathlib
import subprocess
import sys
from collections.abc import Callable, Iterable

from executorch.bazel.release import builds

#: What no query sees the use of: options and modules, repositories' contents, toolchains, platforms.
_DEFINES = ("third-party/", "toolchains/")
_ROOT = {".bazelignore", ".bazelrc", ".bazelversion", "MODULE.bazel", "bazelw"}
_BUILD = ("BUILD.bazel", "BUILD")


@dataclasses.dataclass(frozen=True)
class Change:
    """A file, relative to the checkout, that differs from the revision's."""

    path: str
    deleted: bool = False


@dataclasses.dataclass
class Changed:
    """What to ask the graph about.

    Attributes:
        everything: why all targets are affected; empty where they are not.
        labels: of files, and of the targets of packages (`//package:all`).
        bzl: paths of Starlark files, whose users are found by who loads them.
    """

    everything: str = ""
    labels: set[str] = dataclasses.field(default_factory=set)
    bzl: set[str] = dataclasses.field(default_factory=set)


def changes(root: pathlib.Path, base: str) -> list[Change]:
    """What git says of the checkout against `base`; raises BuildError where it does not know the revision."""

    def git(*arguments: str) -> list[str]:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True)
        if done.returncode:
            raise builds.BuildError(done.stderr.strip())
        return done.stdout.split("\0")[:-1]

    fields = git("diff", "--name-status", "--no-renames", "-z", base, "--")
    found = [Change(path, status == "D") for status, path in zip(fields[::2], fields[1::2], strict=True)]
    return found + [Change(path) for path in git("ls-files", "--others", "--exclude-standard", "-z")]


def _package(path: str, is_package: Callable[[str], bool]) -> str:
    """The package that a file belongs to: the nearest directory above it that is one."""
    parents = (str(parent) for parent in pathlib.PurePosixPath(path).parents)
    return next((p for p in ("" if p == "." else p for p in parents) if is_package(p)), "")


def _steers_everything(path: str) -> bool:
    if path in _ROOT or path.endswith(".lock.json"):
        return True
    defines = path.endswith((".bzl", ".BUILD")) or path.rpartition("/")[2] in _BUILD
    return path.startswith("third-party/fetch/") or (defines and path.startswith(_DEFINES))


def classify(
    found: Iterable[Change], is_package: Callable[[str], bool], ignored: tuple[str, ...] = ()
) -> Changed:
    """Turns files into what the graph of targets knows.

    Args:
        found: the changes.
        is_package: whether a directory ("" is the root) has a BUILD file now.
        ignored: directories that are workspaces of their own.
    """
    result = Changed()
    for change in found:
        path = change.path
        outer = next((name for name in ignored if path.startswith(name + "/")), None)
        if (
            outer is not None
        ):  # no label of its own; whoever tests that workspace stands in the package around it
            result.labels.add(f"//{_package(outer, is_package)}:all")
            continue
        package, name = _package(path, is_package), path.rpartition("/")[2]
        inside = path[len(package) + 1 :] if package else path
        if _steers_everything(path):
            result.everything = result.everything or path
        elif name.endswith(".bzl") and not change.deleted:
            result.bzl.add(path)
            result.labels.add(f"//{package}:{inside}")
        elif name in _BUILD or change.deleted:
            result.labels.add(f"//{package}:all")
        else:
            result.labels.add(f"//{package}:{inside}")
    return result


def ignored_directories(root: pathlib.Path) -> tuple[str, ...]:
    """The lines of .bazelignore."""
    file = root / ".bazelignore"
    return tuple(file.read_text(encoding="utf-8").split()) if file.exists() else ()


def affected(bazel: builds.Bazel, changed: Changed, kind: str) -> list[str]:
    """The labels of rules of a kind, such as `.*_test`, that what changed reaches; without those tagged manual."""
    if changed.everything:
        reached = "//..."
    else:
        known = set(changed.labels)
        if changed.bzl:
            loads = f"rbuildfiles({', '.join(sorted(changed.bzl))})"
            files = bazel.query(loads, "--universe_scope=//...", "--order_output=no")
            known |= {label.rpartition(":")[0] + ":all" for label in files}
        if not known:
            return []
        # A file that no target names (`.clang-format`) is no label.
        quoted = " ".join(f'"{label}"' for label in sorted(known))
        reached = f"rdeps(//..., set({quoted}))"
    wanted = f'let reached = kind("{kind} rule", {reached}) in $reached except attr(tags, "\\bmanual\\b", $reached)'
    # A tool that a rule brings along is an input like any other.
    return sorted(bazel.query(wanted, "--implicit_deps"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "", prog="affected")
    parser.add_argument("base", help="a revision of git, such as origin/main or HEAD~3")
    parser.add_argument("--kind", default=".*_test", help="of the rules printed: a pattern, tests by default")
    options = parser.parse_args()
    try:
        bazel = builds.Bazel(builds.checkout())
        found = changes(bazel.root, options.base)
        ignored = ignored_directories(bazel.root)

        def is_package(directory: str) -> bool:
            return any((bazel.root / directory / name).is_file() for name in _BUILD)

        changed = classify(found, is_package, ignored)
        labels = affected(bazel, changed, options.kind)
    except builds.BuildError as error:
        print(f"affected: {error.args[0]}", file=sys.stderr)
        return 1
    reason = f"; {changed.everything} affects everything" if changed.everything else ""
    print(f"affected: {len(found)} files changed, {len(labels)} targets{reason}", file=sys.stderr)
    print("".join(label + "\n" for label in labels), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())

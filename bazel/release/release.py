"""Releases one library.

    ./bazelw run //bazel/release -- LIBRARY [patch | minor | major | X.Y.Z]

1. Builds its wheel and its C++ distribution and reads their public face (surface.py).
2. Compares that with the record of the last release (records/LIBRARY.json). Within a minor version nothing may be gone or
   take other arguments; the error names each break, and nothing is written.
3. Writes VERSION, the CHANGELOG's heading (`## Unreleased` becomes the version) and the README's table.
4. Builds the artefacts, and once more in a copy of the checkout with an output directory of its own and without a cache
   (not with --once); their digests must be equal. If they are not, what step 3 wrote is taken back.
5. Writes the record.

--check does the first two steps only; --record writes the record of what is there and does nothing else. The last line is
`RESULT {json}`.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import re
import sys
from collections.abc import Callable, Sequence

from executorch.bazel.release import builds, libraries, surface
from executorch.bazel.release.digests import differences, digests, files_of

#: Builds labels and returns the files.
Build = Callable[[Sequence[str]], list[pathlib.Path]]
#: Builds labels somewhere else and returns the digests.
Rebuild = Callable[[Sequence[str]], dict[str, str]]


class ReleaseError(Exception):
    """A release that cannot be made; the text says why and what to do."""


def numbers(version: str) -> tuple[int, int, int]:
    match = re.fullmatch(r"(\d+)\.(\d+)\.(\d+)", version)
    if not match:
        raise ReleaseError(f"'{version}' is no version: it has three numbers, such as 0.3.0")
    major, minor, patch = map(int, match.groups())
    return major, minor, patch


def next_version(before: str, step: str) -> str:
    """The version that a step leads to; a version itself stays as it is."""
    major, minor, patch = numbers(before)
    steps = {"patch": (major, minor, patch + 1), "minor": (major, minor + 1, 0), "major": (major + 1, 0, 0)}
    return ".".join(map(str, steps[step] if step in steps else numbers(step)))


def may_break(before: str, after: str) -> bool:
    """Whether users have to expect changes: at a new minor version before 1.0, at a new major one from then on."""
    old, new = numbers(before), numbers(after)
    return new[0] > old[0] or (old[0] == 0 and new[1] > old[1])


def breaking_step(before: str) -> str:
    """The smallest step that may break users."""
    return "major" if numbers(before)[0] else "minor"


def version_of(root: pathlib.Path, library: str) -> str:
    return (root / library / "VERSION").read_text().strip()


def read_surface(files: Sequence[pathlib.Path]) -> surface.Surface:
    found: surface.Surface = {}
    for path in files_of(files):
        found |= surface.of_wheel(path) if path.suffix == ".whl" else surface.of_dist(path)
    return found


def record_path(root: pathlib.Path, library: str) -> pathlib.Path:
    return root / "bazel" / "release" / "records" / f"{library.replace('/', '_')}.json"


def write_record(root: pathlib.Path, library: str, version: str, face: surface.Surface) -> None:
    path = record_path(root, library)
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"version": version, "surface": dict(sorted(face.items()))}, indent=0) + "\n")


def check(root: pathlib.Path, library: str, version: str, face: surface.Surface) -> list[str]:
    """Compares with the last release.

    Returns:
        What breaks users, in a version that may.

    Raises:
        ReleaseError: the version is not newer, or something breaks in a version that may not.
    """
    before = version_of(root, library)
    if numbers(version) <= numbers(before):
        raise ReleaseError(f"{library} is {before} already; {version} is not newer")
    path = record_path(root, library)
    if not path.exists():
        raise ReleaseError(f"{path.relative_to(root)} is missing: make it of the last release with --record")
    broken = surface.breaks(json.loads(path.read_text())["surface"], face)
    if broken and not may_break(before, version):
        lines = "\n".join(f"  {line}" for line in broken)
        step = breaking_step(before)
        raise ReleaseError(
            f"{version} breaks users of {library} {before}:\n{lines}\nRestore it, or release a new {step} version: "
            f"{next_version(before, step)}."
        )
    return broken


def with_version(root: pathlib.Path, library: str, version: str) -> dict[pathlib.Path, str]:
    """The texts of VERSION, the CHANGELOG and the README's table for a new version.

    Raises:
        ReleaseError: the CHANGELOG has nothing to say of this version.
    """
    changelog, readme = root / library / "CHANGELOG.md", root / "README.md"
    text = changelog.read_text()
    if f"## {version}\n" not in text and "## Unreleased\n" not in text:
        raise ReleaseError(
            f"{library}/CHANGELOG.md has neither '## Unreleased' nor '## {version}': say what changed"
        )
    row = re.compile(rf"^(\| \[{re.escape(library)}\]\([^)]*\) \| )\S+", re.MULTILINE)
    return {
        changelog: text.replace("## Unreleased\n", f"## {version}\n", 1),
        root / library / "VERSION": version + "\n",
        readme: row.sub(rf"\g<1>{version}", readme.read_text()),
    }


def write(texts: dict[pathlib.Path, str]) -> None:
    for path, text in texts.items():
        path.write_text(text)


def build_twice(labels: Sequence[str], build: Build, rebuild: Rebuild | None) -> dict[str, str]:
    """Digests of what is built.

    Raises:
        ReleaseError: the second build has other bytes.
    """
    made = digests(build(labels))
    if rebuild is not None and (differ := differences(made, rebuild(labels))):
        lines = "\n".join(f"  {line}" for line in differ)
        raise ReleaseError(f"two builds differ:\n{lines}\nSee what of the machine gets into the artefacts.")
    return made


def release(root: pathlib.Path, library: str, version: str, build: Build, rebuild: Rebuild | None) -> dict:
    """All steps.

    Args:
        root: of the checkout.
        library: its directory.
        version: the new one.
        build: how artefacts are built.
        rebuild: how they are built a second time; None to leave it out.

    Returns:
        What the RESULT line says.

    Raises:
        ReleaseError: the release cannot be made; the checkout is as it was.
    """
    labels = libraries.labels(root, [library])
    face = read_surface(build(labels))
    broken = check(root, library, version, face)
    new = with_version(root, library, version)
    old = {path: path.read_text() for path in new}
    write(new)
    try:
        made = build_twice(labels, build, rebuild)
    except BaseException:
        write(old)
        raise
    write_record(root, library, version, face)
    return {
        "library": library,
        "version": version,
        "breaks": broken,
        "artefacts": made,
        "same_twice": rebuild is not None,
    }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("library", help="its directory, such as runtime or backends/xnnpack")
    parser.add_argument("version", nargs="?", default="patch", help="a version, or patch, minor or major")
    parser.add_argument("--check", action="store_true", help="only compare with the last release")
    parser.add_argument("--record", action="store_true", help="only write the record of what is there")
    parser.add_argument("--once", action="store_true", help="do not build a second time")
    return parser.parse_args()


def _run(options: argparse.Namespace) -> dict:
    bazel = builds.Bazel(builds.checkout())
    root, library = bazel.root, options.library

    def rebuild(labels: Sequence[str]) -> dict[str, str]:
        with builds.elsewhere(bazel) as other:
            return digests(other.build(labels))

    labels = libraries.labels(root, [library])
    before = version_of(root, library)
    version = next_version(before, options.version)
    if options.record:
        face = read_surface(bazel.build(labels))
        write_record(root, library, before, face)
        return {"library": library, "version": before, "names": len(face)}
    if options.check:
        broken = check(root, library, version, read_surface(bazel.build(labels)))
        return {"library": library, "version": version, "breaks": broken}
    return release(root, library, version, bazel.build, None if options.once else rebuild)


def main() -> int:
    try:
        said = _run(_arguments())
    except (ReleaseError, builds.BuildError, KeyError) as error:
        print(f"release: {error.args[0]}", file=sys.stderr)
        return 1
    print("RESULT " + json.dumps(said))
    return 0


if __name__ == "__main__":
    sys.exit(main())

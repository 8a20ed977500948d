"""Releases one library: python3 bazel/release/release.py LIBRARY VERSION [--record] [--once]

1. Builds its wheel and its C++ distribution and reads their public face (surface.py).
2. Compares that with the record of the last release (records/LIBRARY.json). Within a minor version nothing may be gone or
   take other arguments; the error names each break.
3. Writes VERSION, the CHANGELOG's heading (`## Unreleased` becomes the version), the README's table and the record.
4. Builds the artefacts again, and once more in an output directory of its own without a disk cache (not with --once); their
   digests must be equal.

--record writes the record of what is there and does nothing else. The last line is `RESULT {json}`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The checkout is the package; nothing needs to be installed.
sys.path.insert(0, str(ROOT / "bazel" / "import_root"))
from executorch.bazel.release import surface  # noqa: E402

#: Builds labels and returns the files; the options are further arguments of the build.
Build = Callable[[Sequence[str], Sequence[str]], list[pathlib.Path]]


class ReleaseError(Exception):
    """A release that cannot be made; the text says why and what to do."""


def numbers(version: str) -> tuple[int, int, int]:
    match = re.fullmatch(r"(\d+)\.(\d+)\.(\d+)", version)
    if not match:
        raise ReleaseError(f"'{version}' is no version: it has three numbers, such as 0.3.0")
    major, minor, patch = map(int, match.groups())
    return major, minor, patch


def may_break(before: str, after: str) -> bool:
    """Whether users have to expect changes: at a new minor version before 1.0, at a new major one from then on."""
    old, new = numbers(before), numbers(after)
    return new[0] > old[0] or (old[0] == 0 and new[1] > old[1])


def artefact_labels(root: pathlib.Path, library: str) -> list[str]:
    """The wheel and the distribution that a library's BUILD file declares."""
    text = (root / library / "BUILD.bazel").read_text()
    call = re.search(r"^microlibrary\((.*?)^\)", text, re.DOTALL | re.MULTILINE)
    if not call:
        raise ReleaseError(f"{library}/BUILD.bazel declares no microlibrary")
    kinds = {"wheel": "python", "dist": "cc"}
    return [
        f"//{library}:{name}"
        for name, field in kinds.items()
        if re.search(rf"^    {field} = ", call[1], re.M)
    ]


def read_surface(files: Sequence[pathlib.Path]) -> surface.Surface:
    found: surface.Surface = {}
    for path in files:
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
    before = (root / library / "VERSION").read_text().strip()
    if numbers(version) <= numbers(before):
        raise ReleaseError(f"{library} is {before} already; {version} is not newer")
    path = record_path(root, library)
    if not path.exists():
        raise ReleaseError(f"{path.relative_to(root)} is missing: make it of the last release with --record")
    broken = surface.breaks(json.loads(path.read_text())["surface"], face)
    if broken and not may_break(before, version):
        lines = "\n".join(f"  {line}" for line in broken)
        raise ReleaseError(
            f"{version} breaks users of {library} {before}:\n{lines}\nRestore it, or release a new minor version."
        )
    return broken


def write_version(root: pathlib.Path, library: str, version: str) -> None:
    """Writes VERSION, the CHANGELOG's heading and the row of the README.

    Raises:
        ReleaseError: the CHANGELOG has nothing to say of this version.
    """
    changelog = root / library / "CHANGELOG.md"
    text = changelog.read_text()
    if f"## {version}\n" not in text and "## Unreleased\n" not in text:
        raise ReleaseError(
            f"{library}/CHANGELOG.md has neither '## Unreleased' nor '## {version}': say what changed"
        )
    changelog.write_text(text.replace("## Unreleased\n", f"## {version}\n", 1))
    (root / library / "VERSION").write_text(version + "\n")
    readme = root / "README.md"
    row = re.compile(rf"^(\| \[{re.escape(library)}\]\([^)]*\) \| )\S+", re.MULTILINE)
    readme.write_text(row.sub(rf"\g<1>{version}", readme.read_text()))


def digests(files: Sequence[pathlib.Path]) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def release(
    root: pathlib.Path, library: str, version: str, build: Build, again: Sequence[str] | None
) -> dict:
    """All steps.

    Args:
        root: of the checkout.
        library: its directory.
        version: the new one.
        build: how artefacts are built.
        again: startup options of the second build; None to leave it out.
    """
    labels = artefact_labels(root, library)
    face = read_surface(build(labels, []))
    broken = check(root, library, version, face)
    write_version(root, library, version)
    made = digests(build(labels, []))
    if again is not None and (second := digests(build(labels, again))) != made:
        raise ReleaseError(
            f"two builds differ: {made} and {second}; see what of the machine gets into the artefacts"
        )
    write_record(root, library, version, face)
    return {
        "library": library,
        "version": version,
        "breaks": broken,
        "artefacts": made,
        "same_twice": again is not None,
    }


def bazel_build(labels: Sequence[str], startup: Sequence[str]) -> list[pathlib.Path]:
    """Builds and says where the files are; with startup options, without what an earlier build has left."""
    bazelw = [str(ROOT / "bazelw"), *startup]
    fresh = ["--disk_cache="] if startup else []
    subprocess.run([*bazelw, "build", *fresh, *labels], cwd=ROOT, check=True)
    asked = [*bazelw, "cquery", *fresh, "--output=files", " + ".join(labels)]
    said = subprocess.run(asked, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    where = subprocess.run(
        [*bazelw, "info", "execution_root"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    paths = [pathlib.Path(where.stdout.strip()) / line for line in said.split()]
    return [file for path in paths for file in (sorted(path.glob("*.whl")) if path.is_dir() else [path])]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("library")
    parser.add_argument("version")
    parser.add_argument("--record", action="store_true", help="only write the record of what is there")
    parser.add_argument("--once", action="store_true", help="do not build a second time")
    options = parser.parse_args()
    try:
        if options.record:
            face = read_surface(bazel_build(artefact_labels(ROOT, options.library), []))
            write_record(ROOT, options.library, options.version, face)
            said = {"library": options.library, "names": len(face)}
        else:
            with tempfile.TemporaryDirectory(dir=pathlib.Path.home()) as scratch:
                again = None if options.once else [f"--output_base={scratch}"]
                said = release(ROOT, options.library, options.version, bazel_build, again)
                if again:
                    subprocess.run([str(ROOT / "bazelw"), *again, "shutdown"], cwd=ROOT, check=False)
    except (ReleaseError, subprocess.CalledProcessError) as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    print("RESULT " + json.dumps(said))
    return 0


if __name__ == "__main__":
    sys.exit(main())

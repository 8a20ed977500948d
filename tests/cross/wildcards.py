"""Builds by wildcard for other platforms, as users type them, and says what there is and what was skipped.

    ./bazelw run //tests/cross:wildcards                        # every platform: the nightly set; hours on two cores
    ./bazelw run //tests/cross:wildcards -- ios cortex_m55      # these, by the name of their --config or of their row
    ./bazelw run //tests/cross:wildcards -- --analyze           # what would be built, without building it
    ./bazelw run //tests/cross:wildcards -- ios --patterns //runtime/... //kernels/...

One platform after another runs `./bazelw build --config=NAME PATTERNS`. Every archive and program that comes of it is read
back: its format, processor and system must be the platform's. The last line is `RESULT {json}`; the exit status says whether
everything was built and is what it should be.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import pathlib
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from typing import Any

from executorch.bazel.release import builds
from executorch.toolchains.binaries import Binary, FormatError, members, read

#: What a user of the runtime builds.
PATTERNS = (
    "//runtime/...",
    "//kernels/...",
    "//extension/...",
    "//devtools/...",
    "//backends/xnnpack/runtime/...",
)
_CONFIG = re.compile(r"^build:(\w+) .*--platforms=//toolchains:(\w+)$", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Platform:
    """A row of toolchains/targets.bzl and how a build is asked for it.

    Attributes:
        row: its name.
        flag: `--config=NAME`, where .bazelrc has one, else the platform.
        kind: how `binaries` begins its words for an object of the row, such as "ELF 64-bit AArch64".
        system: what these words end with, such as " for iOS"; empty where a file does not say.
    """

    row: str
    flag: str
    kind: str
    system: str = ""

    @property
    def name(self) -> str:
        return self.flag.removeprefix("--config=").removeprefix("--platforms=//toolchains:")


def platforms(bazelrc: str, rows: dict[str, dict[str, str]]) -> list[Platform]:
    """Every row, by its configuration where it has one."""
    configs = {row: name for name, row in _CONFIG.findall(bazelrc)}
    return [
        Platform(
            row,
            f"--config={configs[row]}" if row in configs else f"--platforms=//toolchains:{row}",
            said["kind"],
            said["system"],
        )
        for row, said in rows.items()
    ]


@dataclasses.dataclass
class Outcome:
    """What one build came to: labels by what became of them, and the files of those that were built."""

    built: list[str] = dataclasses.field(default_factory=list)
    skipped: list[str] = dataclasses.field(default_factory=list)
    failed: list[str] = dataclasses.field(default_factory=list)
    files: list[pathlib.Path] = dataclasses.field(default_factory=list)


def outcome(events: Iterator[dict[str, Any]]) -> Outcome:
    """Reads Bazel's build events."""
    found = Outcome()
    sets: dict[str, dict[str, Any]] = {}
    wanted: list[str] = []
    for event in events:
        key = event["id"]
        if "namedSet" in key:
            sets[key["namedSet"]["id"]] = event["namedSetOfFiles"]
        elif "targetCompleted" in key:
            label = key["targetCompleted"]["label"]
            reason = event.get("aborted", {}).get("reason")
            if reason == "SKIPPED":
                found.skipped.append(label)
            elif reason == "NO_BUILD" or event.get("completed", {}).get("success"):
                found.built.append(label)
                for group in event.get("completed", {}).get("outputGroup", []):
                    wanted += [one["id"] for one in group.get("fileSets", [])]
            else:
                found.failed.append(label)
    seen: set[str] = set()
    while wanted:
        name = wanted.pop()
        if name in seen:
            continue
        seen.add(name)
        for file in sets[name].get("files", []):
            if file.get("uri", "").startswith("file://"):
                found.files.append(pathlib.Path(file["uri"].removeprefix("file://")))
        wanted += [one["id"] for one in sets[name].get("fileSets", [])]
    found.files = sorted(set(found.files))
    return found


def problem(platform: Platform, path: pathlib.Path, raw: bytes) -> str | None:
    """Why a file is not of the platform, None if it is."""
    try:
        binaries = [read(body) for _, body in members(raw)] if raw[:8] == b"!<arch>\n" else [read(raw)]
    except FormatError as error:
        return f"{path.name}: {error}"
    for binary in binaries:
        if not _is_of(platform, binary):
            return f"{path.name}: {binary.kind}, not {platform.kind}{platform.system}"
    return None


def _is_of(platform: Platform, binary: Binary) -> bool:
    # A program for Windows is PE, its objects are COFF.
    kind = binary.kind.replace("PE ", "COFF ", 1)
    return kind.startswith(platform.kind) and kind.endswith(platform.system)


def is_binary(path: pathlib.Path) -> bool:
    """Whether a file of a build is an archive or a program: by how it begins."""
    if not path.is_file() or path.suffix in (".h", ".cc", ".py", ".sh"):
        return False
    with open(path, "rb") as file:
        start = file.read(8)
    magic = (b"!<arch>\n", b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\0asm", b"MZ")
    return start.startswith(magic) and os.access(path, os.R_OK)


def build(bazel: builds.Bazel, platform: Platform, patterns: Sequence[str], analyze: bool) -> dict[str, Any]:
    """Builds the patterns for the platform and reads back what came of it."""
    with tempfile.TemporaryDirectory() as scratch:
        events = pathlib.Path(scratch) / "events.json"
        flags = [platform.flag, "--keep_going", f"--build_event_json_file={events}"]
        flags += ["--nobuild"] if analyze else []
        start = time.monotonic()
        status = "ok"
        try:
            bazel.run("build", *flags, "--", *patterns)
        except builds.BuildError as error:
            status = str(error).rpartition("` ")[2]
        seconds = time.monotonic() - start
        lines = events.read_text().splitlines() if events.exists() else []
    came = outcome(json.loads(line) for line in lines)
    # Tools' files are the host's; they are no outputs of these targets, but for what `data` hands on.
    binaries = [path for path in came.files if is_binary(path)]
    wrong = [said for path in binaries if (said := problem(platform, path, path.read_bytes()))]
    return {
        "row": platform.row,
        "built": len(came.built),
        "skipped": len(came.skipped),
        "failed": sorted(came.failed),
        "archives": sum(path.suffix in (".a", ".lo") for path in binaries),
        "programs": sum(path.suffix not in (".a", ".lo") for path in binaries),
        "wrong": wrong,
        "seconds": round(seconds),
        "status": status,
    }


def table(said: dict[str, dict[str, Any]]) -> str:
    """The report as Markdown."""
    lines = [
        "| build | built | skipped | failed | archives | programs | wrong | seconds |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, row in said.items():
        cells = [row["built"], row["skipped"], len(row["failed"]), row["archives"], row["programs"]]
        cells += [len(row["wrong"]), row["seconds"]]
        lines.append(f"| {name} | " + " | ".join(f"{cell:,}" for cell in cells) + " |")
    return "\n".join(lines)


def chosen(everything: list[Platform], names: Sequence[str]) -> list[Platform]:
    """Platforms by the name of their configuration or row; all without names.

    Raises:
        KeyError: there is no such platform.
    """
    by_name = {platform.row: platform for platform in everything}
    by_name |= {platform.name: platform for platform in everything}
    missing = [name for name in names if name not in by_name]
    if missing:
        raise KeyError(f"no platform {', '.join(missing)}; there are {', '.join(sorted(by_name))}")
    return [by_name[name] for name in names] or everything


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("platform", nargs="*", help="names of configurations or rows; all without any")
    parser.add_argument("--patterns", nargs="+", default=PATTERNS, help="what to build")
    parser.add_argument("--analyze", action="store_true", help="only say what would be built")
    options = parser.parse_args()
    rows = json.loads(pathlib.Path(__file__).with_name("rows.json").read_text())
    said = {}
    try:
        bazel = builds.Bazel(builds.checkout())
        for platform in chosen(platforms((bazel.root / ".bazelrc").read_text(), rows), options.platform):
            said[platform.name] = build(bazel, platform, options.patterns, options.analyze)
            print(f"{platform.name}: {json.dumps(said[platform.name])}", flush=True)
    except (builds.BuildError, KeyError) as error:
        print(f"wildcards: {error.args[0]}", file=sys.stderr)
        return 1
    print(f"\n{table(said)}\n")
    print("RESULT " + json.dumps({"wildcards": said}))
    return int(any(row["failed"] or row["wrong"] or row["status"] != "ok" for row in said.values()))


if __name__ == "__main__":
    sys.exit(main())

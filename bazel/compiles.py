"""Prints which source is compiled how often, and in which configurations.

    ./bazelw run //bazel:compiles                         # of everything that `build //...` makes, tests included
    ./bazelw run //bazel:compiles -- //runtime/... --most 20

A source is compiled again where a transition wants a part of the tree in another configuration, or where two targets have it
among their sources. Each is work that nobody sees, so the sums come first: compiles, sources, and the difference.
Nothing is built: the graph of actions is asked.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from executorch.bazel.release import builds

_OBJECTS = ("-c", "/c")


@dataclasses.dataclass(frozen=True, order=True)
class Compile:
    """One compile action.

    Attributes:
        source: path from the execution root, where a generated source of each configuration is one.
        configuration: its directory below bazel-out.
        target: whose action it is.
    """

    source: str
    configuration: str
    target: str


def _source(arguments: Sequence[str]) -> str | None:
    """What a command compiles: the word behind `-c`."""
    words = iter(arguments)
    found = next((next(words, None) for word in words if word in _OBJECTS), None)
    if found and found.startswith("bazel-out/"):
        return found.split("/", 3)[-1]
    return found


def read(graph: dict[str, Any]) -> list[Compile]:
    """The compiles of an action graph as `aquery --output=jsonproto` writes it."""
    targets = {target["id"]: target["label"] for target in graph.get("targets", [])}
    configurations = {entry["id"]: entry["mnemonic"] for entry in graph.get("configuration", [])}
    found = []
    for action in graph.get("actions", []):
        source = _source(action.get("arguments", []))
        if source is not None:
            configuration = configurations[action["configurationId"]]
            found.append(Compile(source, configuration, targets[action["targetId"]]))
    return found


def _package(source: str) -> str:
    return source.rpartition("/")[0]


def _table(title: str, rows: Iterable[tuple[str, int]]) -> list[str]:
    return ["", title] + [f"  {count:7,}  {name}" for name, count in rows]


def report(compiles: Sequence[Compile], most: int) -> list[str]:
    """The lines to print.

    Args:
        compiles: of the whole graph.
        most: how many rows of each table.
    """
    by_source = collections.defaultdict(list)
    for compile_ in compiles:
        by_source[compile_.source].append(compile_)
    again = {source: each for source, each in by_source.items() if len(each) > 1}
    configured = sum(len({each.configuration for each in group}) - 1 for group in again.values())
    packages: collections.Counter[str] = collections.Counter()
    for source, group in again.items():
        packages[_package(source)] += len(group) - 1
    lines = [
        f"{len(compiles):,} compiles of {len(by_source):,} sources: {len(compiles) - len(by_source):,} again",
        f"  {configured:7,}  in a further configuration",
        f"  {len(compiles) - len(by_source) - configured:7,}  in a further target",
    ]
    lines += _table(
        "by configuration", collections.Counter(each.configuration for each in compiles).most_common()
    )
    lines += _table("again, by package", packages.most_common(most))
    lines += ["", "the sources that are compiled most often"]
    for source, group in sorted(again.items(), key=lambda item: (-len(item[1]), item[0]))[:most]:
        lines.append(f"  {len(group):7,}  {source}")
        lines += [f"             {each.configuration}  {each.target}" for each in sorted(group)]
    return lines


def action_graph(bazel: builds.Bazel, patterns: Sequence[str]) -> dict[str, Any]:
    """The compile actions of what a build of the patterns makes: a query's wildcard finds manual targets, a build's does not."""
    pattern = " + ".join(patterns)
    wanted = f'let all = kind(rule, {pattern}) in $all except attr(tags, "\\bmanual\\b", $all)'
    labels = bazel.query(wanted)
    if not labels:
        raise builds.BuildError(f"nothing that a build would make matches {pattern}")
    quoted = " ".join(f'"{label}"' for label in labels)
    said = bazel.action_graph(f'mnemonic("C(pp|)Compile|ObjcCompile", deps(set({quoted})))')
    graph: dict[str, Any] = json.loads(said)
    return graph


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "", prog="compiles")
    parser.add_argument(
        "patterns", nargs="*", default=["//..."], help="what would be built; //... if none is given"
    )
    parser.add_argument("--most", type=int, default=10, help="rows of each table")
    options = parser.parse_args()
    try:
        graph = action_graph(builds.Bazel(builds.checkout()), options.patterns)
    except builds.BuildError as error:
        print(f"compiles: {error}", file=sys.stderr)
        return 1
    print("\n".join(report(read(graph), options.most)))
    return 0


if __name__ == "__main__":
    sys.exit(main())

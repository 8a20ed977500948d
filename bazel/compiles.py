"""Prints which source is compiled how often, and in which configurations.

    ./bazelw run //bazel:compiles                         # of everything that `build //...` makes, tests included
    ./bazelw run //bazel:compiles -- //runtime/... --most 20

A source is compiled again where a transition wants a part of the tree in another configuration, or where two targets have it
among their sources. Each is work that nobody sees, so the sums come first: compiles, sources, and the difference.
Nothing is built: the graph of actions is asked, and walked from what was named to what it needs. (A library in another
configuration has an action for each of its sources; those that nobody's output needs never run, and are not counted.)
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import json
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from executorch.bazel.release import builds

_OBJECTS = ("-c", "/c")
#: In the name of a configuration that a transition made, tools' among them.
_TRANSITIONED = re.compile(r"-ST-|-exec")
_COMPILES = {"CppCompile", "CCompile", "ObjcCompile"}


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


def _inputs(graph: dict[str, Any]) -> Callable[[dict[str, Any]], Iterable[int]]:
    """A function that gives the artifacts which an action reads. One that read a set of files before is not told of it again."""
    sets = {entry["id"]: entry for entry in graph.get("depSetOfFiles", [])}
    seen: set[int] = set()

    def inputs(action: dict[str, Any]) -> Iterable[int]:
        left = list(action.get("inputDepSetIds", []))
        while left:
            name = left.pop()
            if name not in seen:
                seen.add(name)
                left += sets[name].get("transitiveDepSetIds", [])
                yield from sets[name].get("directArtifactIds", [])

    return inputs


def needed(graph: dict[str, Any], labels: Iterable[str]) -> list[dict[str, Any]]:
    """The actions that run when targets are built, in the order of the graph.

    Args:
        graph: actions as `aquery --output=jsonproto` writes them, with their artifacts.
        labels: the targets. Theirs in another configuration than the build's own are needed only if something reads them.
    """
    actions = graph.get("actions", [])
    wanted = set(labels)
    roots = {target["id"] for target in graph.get("targets", []) if target["label"] in wanted}
    own = {
        entry["id"] for entry in graph.get("configuration", []) if not _TRANSITIONED.search(entry["mnemonic"])
    }
    makers = {made: index for index, action in enumerate(actions) for made in action.get("outputIds", [])}
    inputs = _inputs(graph)
    left = [
        index
        for index, action in enumerate(actions)
        if action["targetId"] in roots and action.get("configurationId") in own
    ]
    found = set(left)
    while left:
        for artifact in inputs(actions[left.pop()]):
            maker = makers.get(artifact)
            if maker is not None and maker not in found:
                found.add(maker)
                left.append(maker)
    return [actions[index] for index in sorted(found)]


def read(graph: dict[str, Any], labels: Iterable[str]) -> list[Compile]:
    """The compiles that an action graph has for some targets."""
    targets = {target["id"]: target["label"] for target in graph.get("targets", [])}
    configurations = {entry["id"]: entry["mnemonic"] for entry in graph.get("configuration", [])}
    found = []
    for action in needed(graph, labels):
        source = _source(action.get("arguments", [])) if action["mnemonic"] in _COMPILES else None
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


def compiles_of(bazel: builds.Bazel, patterns: Sequence[str]) -> list[Compile]:
    """What a build of the patterns compiles: a query's wildcard finds manual targets, a build's does not.

    Raises:
        builds.BuildError: nothing matches, or Bazel reports an error.
    """
    pattern = " + ".join(patterns)
    wanted = f'let all = kind(rule, {pattern}) in $all except attr(tags, "\\bmanual\\b", $all)'
    labels = bazel.query(wanted)
    if not labels:
        raise builds.BuildError(f"nothing that a build would make matches {pattern}")
    quoted = " ".join(f'"{label}"' for label in labels)
    return read(json.loads(bazel.action_graph(f"deps(set({quoted}))")), labels)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "", prog="compiles")
    parser.add_argument(
        "patterns", nargs="*", default=["//..."], help="what would be built; //... if none is given"
    )
    parser.add_argument("--most", type=int, default=10, help="rows of each table")
    options = parser.parse_args()
    try:
        found = compiles_of(builds.Bazel(builds.checkout()), options.patterns)
    except builds.BuildError as error:
        print(f"compiles: {error}", file=sys.stderr)
        return 1
    print("\n".join(report(found, options.most)))
    return 0


if __name__ == "__main__":
    sys.exit(main())

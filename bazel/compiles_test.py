"""The counts of compiles, on small graphs as Bazel writes them."""

import pytest

from executorch.bazel import compiles
from executorch.bazel.compiles import Compile
from executorch.bazel.release import builds


def _action(target, configuration, source, makes, reads=0):
    """A compile that makes an artifact, and reads a set of them."""
    return {
        "mnemonic": "CppCompile",
        "targetId": target,
        "configurationId": configuration,
        "arguments": ["clang", "-O2", "-c", source, "-o", "a.o"],
        "inputDepSetIds": [reads] if reads else [],
        "outputIds": [makes],
    }


# //b archives, among what it made, what //a made in another configuration; the first set is within the second.
GRAPH = {
    "targets": [{"id": 1, "label": "//a:a"}, {"id": 2, "label": "//b:b"}, {"id": 3, "label": "//c:manual"}],
    "configuration": [{"id": 1, "mnemonic": "k8-opt"}, {"id": 2, "mnemonic": "k8-opt-ST-1"}],
    "depSetOfFiles": [
        {"id": 1, "directArtifactIds": [12]},
        {"id": 2, "directArtifactIds": [13, 14], "transitiveDepSetIds": [1]},
    ],
    "actions": [
        _action(1, 1, "a/a.cc", makes=11),
        _action(1, 2, "a/a.cc", makes=12),
        _action(2, 1, "a/a.cc", makes=13),
        _action(2, 1, "bazel-out/k8-opt/bin/b/made.cc", makes=14),
        _action(2, 2, "bazel-out/k8-opt-ST-1/bin/b/made.cc", makes=15),
        _action(3, 1, "c/c.cc", makes=16),
        {
            "mnemonic": "CppArchive",
            "targetId": 2,
            "configurationId": 1,
            "inputDepSetIds": [2],
            "outputIds": [17],
        },
    ],
}
BUILT = ["//a:a", "//b:b"]


def test_actions_become_compiles():
    found = compiles.read(GRAPH, BUILT)
    assert found == [
        Compile("a/a.cc", "k8-opt", "//a:a"),
        Compile("a/a.cc", "k8-opt-ST-1", "//a:a"),
        Compile("a/a.cc", "k8-opt", "//b:b"),
        Compile("b/made.cc", "k8-opt", "//b:b"),
    ]
    assert compiles.read({}, BUILT) == []


def test_what_nothing_needs_does_not_count():
    """An action is there for each source of a library in another configuration, whether its outputs are read or not."""
    assert compiles.read(GRAPH, ["//a:a"]) == [Compile("a/a.cc", "k8-opt", "//a:a")]


def test_the_report_counts_what_is_compiled_again():
    lines = compiles.report(compiles.read(GRAPH, BUILT), most=1)
    assert lines[:3] == [
        "4 compiles of 2 sources: 2 again",
        "        1  in a further configuration",
        "        1  in a further target",
    ]
    assert "        3  k8-opt" in lines
    assert "        2  a" in lines and "        1  b" not in lines  # only so many rows
    assert lines[-4] == "        3  a/a.cc"
    assert lines[-1].split() == ["k8-opt-ST-1", "//a:a"]


class Graph(builds.Bazel):
    """Answers as Bazel does."""

    def query(self, expression, *options):
        return ["//a:a"] if "//a" in expression else []

    def action_graph(self, expression, *options):
        assert expression == 'deps(set("//a:a"))'
        return "{}"


def test_what_matches_nothing_is_an_error(tmp_path):
    assert compiles.compiles_of(Graph(tmp_path), ["//a/..."]) == []
    with pytest.raises(builds.BuildError, match="nothing that a build would make"):
        compiles.compiles_of(Graph(tmp_path), ["//c/..."])

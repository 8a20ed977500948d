"""The counts of compiles, on small graphs as Bazel writes them."""

import pytest

from executorch.bazel import compiles
from executorch.bazel.compiles import Compile
from executorch.bazel.release import builds

GRAPH = {
    "targets": [{"id": 1, "label": "//a:a"}, {"id": 2, "label": "//b:b"}],
    "configuration": [{"id": 1, "mnemonic": "k8-opt"}, {"id": 2, "mnemonic": "k8-opt-ST-1"}],
    "actions": [
        {"targetId": 1, "configurationId": 1, "arguments": ["clang", "-O2", "-c", "a/a.cc", "-o", "a.o"]},
        {"targetId": 1, "configurationId": 2, "arguments": ["clang", "-c", "a/a.cc", "-o", "a.o"]},
        {"targetId": 2, "configurationId": 1, "arguments": ["clang", "-c", "a/a.cc", "-o", "b.o"]},
        {"targetId": 2, "configurationId": 1, "arguments": ["clang", "-c", "bazel-out/k8-opt/bin/b/made.cc"]},
        {
            "targetId": 2,
            "configurationId": 2,
            "arguments": ["clang", "-c", "bazel-out/k8-opt-ST-1/bin/b/made.cc"],
        },
        {"targetId": 2, "configurationId": 1, "arguments": ["ar", "rcs", "b.a"]},
    ],
}


def test_actions_become_compiles():
    found = compiles.read(GRAPH)
    assert found == [
        Compile("a/a.cc", "k8-opt", "//a:a"),
        Compile("a/a.cc", "k8-opt-ST-1", "//a:a"),
        Compile("a/a.cc", "k8-opt", "//b:b"),
        Compile("b/made.cc", "k8-opt", "//b:b"),
        Compile("b/made.cc", "k8-opt-ST-1", "//b:b"),
    ]
    assert compiles.read({}) == []


def test_the_report_counts_what_is_compiled_again():
    lines = compiles.report(compiles.read(GRAPH), most=1)
    assert lines[:3] == [
        "5 compiles of 2 sources: 3 again",
        "        2  in a further configuration",
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
        assert expression == 'mnemonic("C(pp|)Compile|ObjcCompile", deps(set("//a:a")))'
        return "{}"


def test_what_matches_nothing_is_an_error(tmp_path):
    assert compiles.action_graph(Graph(tmp_path), ["//a/..."]) == {}
    with pytest.raises(builds.BuildError, match="nothing that a build would make"):
        compiles.action_graph(Graph(tmp_path), ["//c/..."])

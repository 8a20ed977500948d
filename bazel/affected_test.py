"""What a change is taken to affect, on small trees; the graph itself is Bazel's."""

import subprocess

import pytest

from executorch.bazel import affected
from executorch.bazel.affected import Change, classify
from executorch.bazel.release import builds

PACKAGES = {"", "kernels", "kernels/codegen", "tests/consume", "third-party", "toolchains"}


def classified(*found):
    return classify(found, PACKAGES.__contains__, ("tests/consume/bazel",))


@pytest.mark.parametrize(
    ("path", "label"),
    [
        ("README.md", "//:README.md"),
        ("kernels/portable/op.cc", "//kernels:portable/op.cc"),
        ("kernels/codegen/render.py", "//kernels/codegen:render.py"),
        ("kernels/BUILD.bazel", "//kernels:all"),
        ("tests/consume/bazel/MODULE.bazel", "//tests/consume:all"),
        ("toolchains/smoke_test.cc", "//toolchains:smoke_test.cc"),
    ],
)
def test_a_file_belongs_to_the_nearest_package(path, label):
    changed = classified(Change(path))
    assert (changed.labels, changed.everything) == ({label}, "")


def test_what_is_gone_affects_its_package():
    assert classified(Change("kernels/old.cc", deleted=True)).labels == {"//kernels:all"}
    # The directory is no package any more: its files belong to the one above.
    assert classified(Change("kernels/gone/BUILD.bazel", deleted=True)).labels == {"//kernels:all"}


@pytest.mark.parametrize(
    "path",
    [
        ".bazelrc",
        "MODULE.bazel",
        "third-party/python.lock.json",
        "third-party/overlays/xnnpack.BUILD",
        "third-party/fetch/fetch.py",
        "toolchains/targets.bzl",
    ],
)
def test_pins_options_and_toolchains_affect_everything(path):
    assert classified(Change("kernels/op.cc"), Change(path)).everything == path


class Graph:
    """Answers as Bazel does, and notes what it was asked."""

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), []

    def query(self, expression, *options):
        self.asked.append((expression, options))
        return self.answers.pop(0)


def test_starlark_affects_the_packages_that_load_it():
    graph = Graph(["//kernels:BUILD.bazel"], ["//kernels:b_test", "//kernels:a_test"])
    changed = classified(Change("kernels/codegen/rules.bzl"))
    assert affected.affected(graph, changed, ".*_test") == ["//kernels:a_test", "//kernels:b_test"]
    (loads, _), (reached, options) = graph.asked
    assert loads == "rbuildfiles(kernels/codegen/rules.bzl)"
    assert '"//kernels:all"' in reached and '"//kernels/codegen:rules.bzl"' in reached
    assert "--implicit_deps" in options


def test_nothing_is_asked_where_nothing_changed():
    assert affected.affected(Graph(), classified(), ".*_test") == []


def test_git_names_what_changed_was_deleted_and_is_new(tmp_path):
    def git(*arguments):
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init", "-q")
    for name in ("kept", "changed", "moved out"):
        (tmp_path / name).write_text(name)
    git("add", ".")
    git("commit", "-q", "-m", "one")
    (tmp_path / "changed").write_text("otherwise")
    (tmp_path / "moved out").rename(tmp_path / "moved in")
    assert sorted(affected.changes(tmp_path, "HEAD"), key=lambda change: change.path) == [
        Change("changed"),
        Change("moved in"),
        Change("moved out", deleted=True),
    ]
    with pytest.raises(builds.BuildError, match="nowhere"):
        affected.changes(tmp_path, "nowhere")

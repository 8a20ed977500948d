"""Builds within a run: what Bazel is called with, and what a copy of a checkout holds."""

import pathlib

import pytest

from executorch.bazel.release import builds, digests, libraries

# Answers as Bazel would, and writes down how it was called.
BAZELW = """#!/bin/sh
echo "$PWD $*" "${BUILD_WORKSPACE_DIRECTORY-}" >>"@LOG@"
case "$*" in
  *"info output_base"*) echo "@BASE@/output" ;;
  *"info execution_root"*) echo /root ;;
  *cquery*) echo "bin/lib/dist.tar.gz" ;;
  *broken*) exit 3 ;;
esac
"""


@pytest.fixture
def bazel(tmp_path, monkeypatch):
    """A checkout with a program that stands for Bazel, and what it was called with."""
    root = tmp_path / "checkout"
    (root / "lib").mkdir(parents=True)
    program = root / "bazelw"
    program.write_text(
        BAZELW.replace("@LOG@", str(tmp_path / "log")).replace("@BASE@", str(tmp_path)), encoding="utf-8"
    )
    program.chmod(0o755)
    (root / "lib" / "a.py").write_text("a")
    (root / "link").symlink_to("lib")
    (root / "user.bazelrc").write_text("")
    for name in ("bazel-bin", ".git", "lib/__pycache__"):
        (root / name).mkdir()
        (root / name / "file").write_text("no source")
    monkeypatch.setenv("BUILD_WORKSPACE_DIRECTORY", str(root))
    return builds.Bazel(builds.checkout(), ("--batch",), ("--jobs=1",)), tmp_path / "log"


def test_a_build(bazel):
    build, log = bazel
    assert build.build(["//lib:dist", "//lib:wheel"]) == [pathlib.Path("/root/bin/lib/dist.tar.gz")]
    assert [line.removeprefix(f"{build.root} ").strip() for line in log.read_text().splitlines()] == [
        "--batch build --jobs=1 //lib:dist //lib:wheel",
        "--batch cquery --jobs=1 --output=files //lib:dist + //lib:wheel",
        "--batch info execution_root",
    ]


def test_a_build_that_fails(bazel):
    with pytest.raises(builds.BuildError, match=r"bazelw --batch build --jobs=1 //broken` ended with 3"):
        bazel[0].build(["//broken"])


def test_elsewhere(bazel, tmp_path):
    build, log = bazel
    with builds.elsewhere(build) as other:
        assert other.root != build.root and other.root.is_relative_to(tmp_path)
        names = {str(path.relative_to(other.root)) for path in other.root.rglob("*")}
        assert names == {"bazelw", "lib", "lib/a.py", "link", "user.bazelrc"}
        assert (other.root / "link").is_symlink()
        other.build(["//lib:dist"])
        sealed = other.root.parent / "output" / "external"
        sealed.mkdir(parents=True)
        (sealed / "file").touch()
        sealed.chmod(0o500)
    assert not other.root.parent.exists()
    calls = log.read_text().splitlines()
    assert "build --disk_cache= --remote_cache= //lib:dist" in calls[1]
    assert f"{other.root} --output_base={other.root.parent}/output shutdown" in calls[-1]


def test_outside_of_a_run(monkeypatch):
    monkeypatch.delenv("BUILD_WORKSPACE_DIRECTORY", raising=False)
    with pytest.raises(builds.BuildError, match="bazelw run"):
        builds.checkout()


def test_digests(tmp_path):
    (tmp_path / "bin" / "lib" / "wheel").mkdir(parents=True)
    (tmp_path / "bin" / "lib" / "wheel" / "a.whl").write_bytes(b"")
    (tmp_path / "bin" / "lib" / "dist.tar.gz").write_bytes(b"1")
    found = digests.digests([tmp_path / "bin" / "lib" / "wheel", tmp_path / "bin" / "lib" / "dist.tar.gz"])
    assert list(found) == ["lib/wheel/a.whl", "lib/dist.tar.gz"]
    assert found["lib/wheel/a.whl"].startswith("e3b0c44298fc1c14")  # of nothing
    other = {**found, "lib/dist.tar.gz": "0"}
    assert digests.differences(found, dict(found)) == []
    assert digests.differences(found, other) == [f"lib/dist.tar.gz: {found['lib/dist.tar.gz']} and 0"]
    assert digests.differences({}, other)[0] == "lib/dist.tar.gz: absent and 0"


def test_labels_of_libraries(tmp_path):
    (tmp_path / "bazel" / "release").mkdir(parents=True)
    table = 'LIBRARIES = {"a": ["wheel", "dist"], "b/c": ["dist"]}\n\ndef f():\n    pass\n'
    (tmp_path / "bazel" / "release" / "libraries.bzl").write_text(table)
    assert libraries.labels(tmp_path, ["a", "b/c"]) == ["//a:wheel", "//a:dist", "//b/c:dist"]
    with pytest.raises(KeyError, match="only a, b/c"):
        libraries.labels(tmp_path, ["c"])

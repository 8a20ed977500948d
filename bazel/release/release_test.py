"""Releases: what is written, and what stops one."""

import json
import zipfile

import pytest

from executorch.bazel.release import release
from executorch.bazel.release.digests import digests


@pytest.fixture
def root(tmp_path):
    """A repository of one library that has been released as 0.1.0."""
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "VERSION").write_text("0.1.0\n")
    (tmp_path / "lib" / "CHANGELOG.md").write_text("# Changelog\n\n## Unreleased\n\n- New.\n\n## 0.1.0\n")
    (tmp_path / "README.md").write_text("| [lib](lib/README.md) | 0.1.0 | words |\n")
    (tmp_path / "bazel" / "release").mkdir(parents=True)
    (tmp_path / "bazel" / "release" / "libraries.bzl").write_text('LIBRARIES = {"lib": ["wheel"]}\n')
    release.write_record(tmp_path, "lib", "0.1.0", {"py:executorch.lib.f": "a"})
    return tmp_path


@pytest.fixture
def builder(tmp_path):
    """Builds a wheel with the given source, and says its digests; every build has other bytes if told so."""

    def make(source, stable=True):
        builds = []

        def build(labels):
            assert labels == ["//lib:wheel"]
            builds.append(labels)
            path = tmp_path / f"build{len(builds)}"
            path.mkdir()
            with zipfile.ZipFile(path / "lib.whl", "w") as wheel:
                wheel.writestr(zipfile.ZipInfo("executorch/lib.py"), source)
                if not stable:
                    wheel.writestr(zipfile.ZipInfo("stamp"), str(len(builds)))
            return [path / "lib.whl"]

        return build, lambda labels: digests(build(labels))

    return make


def test_a_release(root, builder):
    said = release.release(root, "lib", "0.1.1", *builder("def f(a, b=1): ..."))
    assert (said["version"], said["breaks"], said["same_twice"]) == ("0.1.1", [], True)
    assert list(said["artefacts"]) == ["lib.whl"]
    assert (root / "lib" / "VERSION").read_text() == "0.1.1\n"
    assert "## 0.1.1\n\n- New." in (root / "lib" / "CHANGELOG.md").read_text()
    assert (root / "README.md").read_text() == "| [lib](lib/README.md) | 0.1.1 | words |\n"
    record = json.loads(release.record_path(root, "lib").read_text())
    assert record == {"version": "0.1.1", "surface": {"py:executorch.lib.f": "a, b="}}


def test_a_break_waits_for_a_minor_version(root, builder):
    broken, _ = builder("def g(): ...")
    with pytest.raises(
        release.ReleaseError,
        match=r"0\.1\.1 breaks users of lib 0\.1\.0:\n  executorch.lib.f is gone\n.* minor version: 0\.2\.0",
    ):
        release.release(root, "lib", "0.1.1", broken, None)
    assert (root / "lib" / "VERSION").read_text() == "0.1.0\n"
    assert release.release(root, "lib", "0.2.0", broken, None)["breaks"] == ["executorch.lib.f is gone"]


def test_builds_that_differ(root, builder):
    with pytest.raises(release.ReleaseError, match=r"two builds differ:\n  lib\.whl"):
        release.release(root, "lib", "0.1.1", *builder("def f(a): ...", stable=False))
    assert (root / "lib" / "VERSION").read_text() == "0.1.0\n"
    assert "## Unreleased" in (root / "lib" / "CHANGELOG.md").read_text()


@pytest.mark.parametrize(
    "version, words", [("0.1.0", "is not newer"), ("0.1", "is no version"), ("0.1.1", "say what changed")]
)
def test_what_stops_a_release(root, builder, version, words):
    (root / "lib" / "CHANGELOG.md").write_text("# Changelog\n")
    with pytest.raises(release.ReleaseError, match=words):
        release.release(root, "lib", version, builder("def f(a): ...")[0], None)


def test_without_a_record(root, builder):
    release.record_path(root, "lib").unlink()
    with pytest.raises(release.ReleaseError, match=r"records/lib\.json is missing.*--record"):
        release.release(root, "lib", "0.1.1", builder("def f(a): ...")[0], None)


@pytest.mark.parametrize(
    "before, after, expected",
    [
        ("0.1.0", "0.1.1", False),
        ("0.1.0", "0.2.0", True),
        ("1.1.0", "1.2.0", False),
        ("1.1.0", "2.0.0", True),
    ],
)
def test_when_users_expect_changes(before, after, expected):
    assert release.may_break(before, after) is expected


@pytest.mark.parametrize(
    "step, expected", [("patch", "1.2.4"), ("minor", "1.3.0"), ("major", "2.0.0"), ("1.9.1", "1.9.1")]
)
def test_steps(step, expected):
    assert release.next_version("1.2.3", step) == expected


def test_an_unknown_library(root, builder):
    with pytest.raises(KeyError, match="there is no library 'other', only lib"):
        release.release(root, "other", "0.1.1", *builder(""))

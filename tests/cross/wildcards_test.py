"""Wildcard builds: which platforms there are, what Bazel's events say, what a file must be."""

import json
import pathlib

import pytest

from executorch.tests.cross import wildcards
from executorch.toolchains.binaries_test import SECTIONS, elf, mach

HERE = pathlib.Path(__file__).absolute().parent
ROOT = HERE.parents[1]


@pytest.fixture
def platforms():
    import executorch.tests.cross as room

    files = [pathlib.Path(directory) / "rows.json" for directory in room.__path__]
    found = [file for file in files if file.exists()]
    if not found:
        pytest.skip("Bazel writes the rows: ./bazelw test //tests/cross:wildcards_test")
    return wildcards.platforms((ROOT / ".bazelrc").read_text(), json.loads(found[0].read_text()))


def test_every_platform_of_bazelrc_and_of_the_table(platforms):
    by_name = {platform.name: platform for platform in platforms}
    assert len(platforms) == 28
    assert by_name["ios"].row == "ios_arm64"
    assert (by_name["ios"].kind, by_name["ios"].system) == ("Mach-O 64-bit AArch64", " for iOS")
    assert by_name["cortex_m55"].flag == "--config=cortex_m55"
    assert by_name["macos_x86_64"].flag == "--platforms=//toolchains:macos_x86_64"
    assert all("None" not in platform.kind for platform in platforms)


def test_platforms_are_chosen_by_either_name(platforms):
    assert [one.row for one in wildcards.chosen(platforms, ["ios", "wasm"])] == ["ios_arm64", "wasm"]
    assert wildcards.chosen(platforms, ["ios_arm64"]) == wildcards.chosen(platforms, ["ios"])
    assert wildcards.chosen(platforms, []) == platforms
    with pytest.raises(KeyError, match="no platform amiga; there are "):
        wildcards.chosen(platforms, ["amiga"])


def completed(label, **said):
    return {"id": {"targetCompleted": {"label": label}}, **said}


def test_events():
    events = [
        {"id": {"started": {}}},
        completed("//a:test", aborted={"reason": "SKIPPED"}),
        {
            "id": {"namedSet": {"id": "1"}},
            "namedSetOfFiles": {"files": [{"name": "liba.a", "uri": "file:///out/liba.a"}]},
        },
        {
            "id": {"namedSet": {"id": "2"}},
            "namedSetOfFiles": {
                "files": [{"name": "b", "uri": "bytestream://x"}],
                "fileSets": [{"id": "1"}],
            },
        },
        completed("//a:a", completed={"success": True, "outputGroup": [{"fileSets": [{"id": "2"}]}]}),
        completed("//a:b", completed={"success": False}),
        completed("//a:c", aborted={"reason": "ANALYSIS_FAILURE"}),
    ]
    found = wildcards.outcome(iter(events))
    assert (found.built, found.skipped, found.failed) == (["//a:a"], ["//a:test"], ["//a:b", "//a:c"])
    assert found.files == [pathlib.Path("/out/liba.a")]


def archive(*bodies):
    raw = b"!<arch>\n"
    for index, body in enumerate(bodies):
        raw += f"{f'm{index}.o/':16}{0:<12}{0:<6}{0:<6}{644:<8}{len(body):<10}`\n".encode() + body
        raw += b"\n" * (len(body) % 2)
    return raw


def test_files_are_read_back():
    phone = wildcards.Platform("ios_arm64", "--config=ios", "Mach-O 64-bit AArch64", " for iOS")
    board = wildcards.Platform("cortex_m55", "--config=cortex_m55", "ELF 32-bit Arm")
    name = pathlib.Path("libx.a")
    arm, x86 = elf(False, 40, 1, SECTIONS), elf(True, 62, 1, SECTIONS)
    assert wildcards.problem(board, name, archive(arm, arm)) is None
    assert wildcards.problem(board, name, arm) is None
    assert (
        wildcards.problem(board, name, archive(arm, x86))
        == "libx.a: ELF 64-bit x86-64 object, not ELF 32-bit Arm"
    )
    assert wildcards.problem(phone, name, archive(mach([], platform=2))) is None
    said = wildcards.problem(phone, name, archive(mach([], platform=7)))
    assert said == "libx.a: Mach-O 64-bit AArch64 object for iOS simulator, not Mach-O 64-bit AArch64 for iOS"
    assert wildcards.problem(board, name, b"!<arch>\n") is None  # Headers alone: nothing in it.
    assert "cut short" in wildcards.problem(board, name, arm[:30])


def test_the_table():
    row = {
        "built": 1200,
        "skipped": 3,
        "failed": ["//a:b"],
        "archives": 5,
        "programs": 0,
        "wrong": [],
        "seconds": 61,
    }
    assert wildcards.table({"ios": row}).splitlines()[2] == "| ios | 1,200 | 3 | 1 | 5 | 0 | 0 | 61 |"

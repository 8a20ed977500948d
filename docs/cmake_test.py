"""The page of CMake has the options and presets that CMake has."""

import json
import pathlib
import re

import pytest

HERE = pathlib.Path(__file__).parent
TOOLS = HERE.parent / "tools" / "cmake"
PAGE = (HERE / "cmake.md").read_text(encoding="utf-8")


def test_each_option_has_its_row():
    rows = re.findall(r"^\| `(E\w+)` \| (\w+) \| `?([^|`]*?)`? \| (.+) \|$", PAGE, re.MULTILINE)
    text = (TOOLS / "options.cmake").read_text()
    options = re.findall(r'^executorch_option\((\w+) (\w+) (\S+) "(.*)"\)$', text, re.MULTILINE)
    assert rows == [
        (name, kind, {"${_logging}": "OFF"}.get(to, to.strip('"')), says) for name, kind, to, says in options
    ]


def presets():
    document = json.loads((HERE.parent / "CMakePresets.json").read_text())
    return [row["name"] for row in document["configurePresets"] if not row.get("hidden")]


def test_each_preset_has_its_file_and_its_row():
    rows = re.findall(r"^\| `([a-z0-9_-]+)` \| .+ \|$", PAGE.partition("## Presets")[2], re.MULTILINE)
    assert presets() == rows == sorted(path.stem for path in (TOOLS / "preset").glob("*.cmake"))


@pytest.mark.parametrize("name", presets())
def test_a_preset_sets_what_its_row_says(name):
    row = re.search(rf"^\| `{name}` \| (.+) \|$", PAGE, re.MULTILINE).group(1)
    text = (TOOLS / "preset" / f"{name}.cmake").read_text()
    sets = re.findall(r"set_overridable_option\((\w+) (\S+)\)", text)
    assert row == (", ".join(f"`{option}={value}`" for option, value in sets) or "as `arm-baremetal`")
    assert bool(sets) or "arm-baremetal.cmake" in text

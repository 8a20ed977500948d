"""docs/size.md has the tables that the build makes, and the sizes keep to their targets, from both sides."""

import os
import pathlib
import re

import pytest

PAGE = (pathlib.Path(__file__).absolute().parent / "size.md").read_text(encoding="utf-8")
#: Text and rodata of the core, and its static RAM, in bytes.
FLASH, RAM = 30 * 1024, 2 * 1024
#: The digits with the core, kernels and start-up code, without the model.
DIGITS = 100 * 1024


def figures(text):
    """Name to figures, of every row of a table and every cell `name 1,234`."""
    found = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and all(re.fullmatch(r"[\d,]+", cell) for cell in cells[1:]):
            found[cells[0]] = [int(cell.replace(",", "")) for cell in cells[1:]]
        else:
            for name, size in re.findall(
                r"([\w(), ]+?) ([\d,]+)(?= \|)", line if line.startswith("| ") else ""
            ):
                found[name.strip()] = [int(size.replace(",", ""))]
    return found


def test_the_core_keeps_to_its_targets():
    text, rodata, flash, ram, _, digits = figures(PAGE)["cortex_m55"]
    assert text + rodata == flash
    # From both sides: a table of nothing would be under any target.
    assert FLASH // 2 < flash < FLASH
    assert RAM // 4 < ram < RAM
    assert flash < digits < DIGITS


@pytest.mark.skipif(
    "SIZES" not in os.environ, reason="needs what is built for boards: //docs:size_tables_test"
)
def test_the_page_has_what_was_built():
    built = figures(pathlib.Path(os.environ["SIZES"]).read_text(encoding="utf-8"))
    assert len(built) >= 8
    written = figures(PAGE)
    assert written.keys() >= built.keys(), (
        "run: ./bazelw build //toolchains:sizes, and copy sizes.md into docs/size.md"
    )
    # A few bytes come and go with the compiler's mood; more is a change to be written down, in either direction.
    off = {
        name: (written[name], sizes)
        for name, sizes in built.items()
        if any(abs(now - then) > 16 + now // 50 for now, then in zip(sizes, written[name], strict=True))
    }
    assert off == {}

"""The tables of sizes: what is a difference, what is a sum, and what is left out."""

import pytest

from executorch.toolchains import size_table
from executorch.toolchains.binaries_test import elf, member


def program(text, rodata, data, bss):
    return elf(False, 40, 2, [(1, 6, text), (1, 2, rodata), (1, 3, data), (8, 3, bss)])


@pytest.fixture
def row(tmp_path):
    objects = [("op_add.o/", 40), ("op_mul.pic.o/", 30), ("gemm.o/", 7), ("op_add.o/", 2)]
    archive = b"!<arch>\n" + b"".join(
        member(name, elf(False, 40, 1, [(1, 6, size)])) for name, size in objects
    )
    files = {
        "size_with": program(1000, 100, 10, 20),
        "size_without": program(300, 20, 4, 6),
        "program": program(5000, 900, 0, 0),
        "embedded": bytes(600),
        "prim_ops": archive,
        "kernels": archive,
    }
    for name, body in files.items():
        (tmp_path / name).write_bytes(body)
    return {"platform": "cortex_m55", **{name: str(tmp_path / name) for name in files}}


def test_a_platform(row):
    assert size_table.platform_row(row) == [700, 80, 780, 20, 79, 5300]


def test_the_tables(row):
    without = {name: value for name, value in row.items() if name != "kernels"}
    text = size_table.tables([without | {"platform": "cortex_m4"}, row])
    assert "| cortex_m4 | 700 | 80 | 780 | 20 | 79 | 5,300 |" in text
    assert "| add 42 | mul 30 | (helpers, registration) 7 |  |" in text
    assert text.count("Portable kernels on `cortex_m55`") == text.count("Portable kernels") == 1

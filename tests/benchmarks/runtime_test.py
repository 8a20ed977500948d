"""The runtime's benchmark: its programs compute what they say, and both ways of calling are measured."""

import numpy as np
import pytest

from executorch.runtime import Runtime
from executorch.tests.benchmarks import runtime, runtime_programs


def method_of(data: bytes):
    program = Runtime.get().load_program(data)
    return program, program.load_method("forward")


@pytest.mark.parametrize("count", [1, 7])
def test_additions_add_up(count):
    _program, method = method_of(runtime_programs.additions(count))
    x, y = np.arange(6, dtype=np.float32).reshape(2, 3), np.full((2, 3), 2, np.float32)
    np.testing.assert_array_equal(method.execute([x, y])[0], x + count * y)


def test_scalars_are_added():
    _program, method = method_of(runtime_programs.scalars(5))
    assert method.execute([]) == [3]


@pytest.mark.parametrize("tensors", ["numpy", "torch"])
def test_a_process_measures_itself(tmp_path, tensors):
    runtime.write_programs(tmp_path)
    figures = runtime.measure(tmp_path, tensors, 0.01, None)
    assert set(figures) == set(runtime.FIGURES)
    assert all(figures[name] > 0 for name in ("call_us", "load_ms", "import_s", "rss_mb"))
    assert figures["ns_per_instruction"] < 10_000


def test_a_side_that_fails_is_told(tmp_path):
    with pytest.raises(RuntimeError, match="our runtime failed"):
        runtime.measure(tmp_path, "numpy", 0.01, None)


def test_the_table_has_a_row_for_each_figure():
    sides = {side: dict.fromkeys(runtime.FIGURES, 1.5) for side in ("ours", "published")}
    lines = runtime.table(sides).splitlines()
    assert len(lines) == 1 + len(runtime.FIGURES)
    assert lines[0].split() == ["ours", "published"]

"""Operator by operator against eager PyTorch, through partitioner, OpenVINO's bytes and the runtime."""

import pathlib

import pytest
from torch.export import export

from executorch.backends.openvino.conversion.operators import CALCULATING, QUANTIZED, SUPPORTED
from executorch.backends.openvino.partitioner import OpenvinoPartitioner
from executorch.backends.test.calls_for_tests import Calls, delegated_operators, unequal
from executorch.backends.test.ops_for_tests import GROUPS
from executorch.exir import to_edge_transform_and_lower
from executorch.runtime import Runtime

_README = pathlib.Path(__file__).parents[1] / "README.md"
#: What other tests lower: sizes (dynamic_test.py), and what `GROUPS` cannot say without arithmetic on integers.
_ELSEWHERE = QUANTIZED | {"aten.sym_size.int"}
_LIMITS = {
    "aten.avg_pool2d.default": "no `divisor_override`",
    "aten.gather.default": "indices of the data's shape but for the axis",
    "aten.index_put.default": "behind dimensions that are taken whole, one line of indices",
}
_lowered: dict[str, tuple] = {}


def _lower(group):
    if group not in _lowered:
        functions, inputs = GROUPS[group]
        program = export(Calls(functions).eval(), inputs)
        _lowered[group] = (to_edge_transform_and_lower(program, partitioner=[OpenvinoPartitioner()]), inputs)
    return _lowered[group]


@pytest.mark.parametrize("group", GROUPS)
def test_results_are_those_of_eager(group):
    edge, inputs = _lower(group)
    functions, _ = GROUPS[group]
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    results = iter(method.execute(list(inputs)))
    tolerance = 2e-3 if group == "half" else 2e-5
    assert not unequal(functions, inputs, results, tolerance)


def test_each_operator_of_the_table_is_run():
    taken = set()
    for group in GROUPS:
        edge, _ = _lower(group)
        taken |= delegated_operators(edge.exported_program().graph_module)
    assert set(SUPPORTED) - taken - _ELSEWHERE == set()


def table():
    """The operators, as the README shows them."""
    rows = []
    for name in sorted(SUPPORTED):
        limit = "floating point only" if name in CALCULATING else ""
        limit = _LIMITS.get(name, limit)
        rows.append(f"| `{name}` | {limit} |")
    return "| operator | limit |\n| --- | --- |\n" + "\n".join(rows) + "\n"


def test_the_readme_has_the_table():
    assert table() in _README.read_text()

"""Operator by operator against eager PyTorch, through partitioner, OpenVINO's bytes and the runtime."""

import pathlib

import pytest
import torch
from torch.export import export
from torch.nn import functional as F

from executorch.backends.openvino.conversion.operators import CALCULATING, QUANTIZED, SUPPORTED
from executorch.backends.openvino.partitioner import OpenvinoPartitioner
from executorch.backends.test.calls_for_tests import Calls, delegated_operators, unequal
from executorch.backends.test.ops_for_tests import GROUPS, rand
from executorch.exir import to_edge_transform_and_lower
from executorch.runtime import Runtime

_README = pathlib.Path(__file__).parents[1] / "README.md"
#: What other tests lower: sizes (runtime_test.py), and what `GROUPS` cannot say without arithmetic on integers.
_ELSEWHERE = QUANTIZED | {"aten.sym_size.int"}
_VOLUME = rand(1, 3, 4, 5, 6)
_OF_VOLUMES = {
    "adaptive_avg": lambda x: F.adaptive_avg_pool3d(x, (2, 3, 4)),
    "adaptive_max": lambda x: F.adaptive_max_pool3d(x, (2, 3, 4)),
    "adaptive_max.3": lambda x: F.adaptive_max_pool2d(x[0], 3),
    "roll": lambda x: x.roll(1, 2) * 2,
    "trilinear": lambda x: F.interpolate(x, size=(5, 3, 8), mode="trilinear"),
    "batch_norm": lambda x: F.batch_norm(x, None, None, training=True),
    "circular": lambda x: F.pad(x, (1, 2, 1, 1, 1, 1), mode="circular"),
    "bucketize": lambda x: torch.bucketize(x, torch.tensor([-0.5, 0.0, 0.5])),
    "masked_scatter": lambda x: x.masked_scatter(x > 0, x.flip(0) * 2),
    "exp2": torch.exp2,
    "round.decimals": lambda x: torch.round(x, decimals=1),
    "numbers": lambda x: x + torch.arange(6) * 3,
}
_GROUPS = GROUPS | {"volumes": (_OF_VOLUMES, (_VOLUME,))}
_POOLS = "no `divisor_override`; no padding that counts beside `ceil_mode`"
_LIMITS = {
    "aten._cdist_forward.default": "Euclidean",
    "aten._native_batch_norm_legit.no_stats": "without its statistics",
    "aten.avg_pool2d.default": _POOLS,
    "aten.avg_pool3d.default": _POOLS,
    "aten.cumsum.default": "floating point only; counts of booleans",
    "aten.div.Tensor_mode": "floating point only; integers are not cut off",
    "aten.sum.dim_IntList": "floating point only; counts of booleans",
    "aten.gather.default": "indices of the data's shape but for the axis",
    "aten.index_put.default": "behind dimensions that are taken whole, one line of indices",
}
_lowered: dict[str, tuple] = {}


def _lower(group):
    if group not in _lowered:
        functions, inputs = _GROUPS[group]
        program = export(Calls(functions).eval(), inputs)
        _lowered[group] = (to_edge_transform_and_lower(program, partitioner=[OpenvinoPartitioner()]), inputs)
    return _lowered[group]


@pytest.mark.parametrize("group", _GROUPS)
def test_results_are_those_of_eager(group):
    edge, inputs = _lower(group)
    functions, _ = _GROUPS[group]
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    results = iter(method.execute(list(inputs)))
    tolerance = 2e-3 if group == "half" else 2e-5
    assert not unequal(functions, inputs, results, tolerance)


def test_each_operator_of_the_table_is_run():
    taken = set()
    for group in _GROUPS:
        edge, _ = _lower(group)
        taken |= delegated_operators(edge.exported_program().graph_module)
    assert set(SUPPORTED) - taken - _ELSEWHERE == set()


class _Positions(torch.nn.Module):
    """Integers that follow from no input: one call fails, another has a million elements and more."""

    def forward(self, x):
        places = torch.arange(2048)
        near = (places[:, None] - places).clamp(-3, 3).eq(0).sum()
        return x.exp() + torch.div(
            torch.arange(4), torch.zeros(4, dtype=torch.int64), rounding_mode="floor"
        ), x * near


def test_constants_that_fail_or_are_large_are_left_outside():
    edge = to_edge_transform_and_lower(
        export(_Positions(), (rand(4),)), partitioner=[OpenvinoPartitioner([])]
    )
    module = edge.exported_program().graph_module
    assert "aten.exp.default" in delegated_operators(module)
    assert not {"aten.sub.Tensor", "aten.div.Tensor_mode"} & delegated_operators(module)


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

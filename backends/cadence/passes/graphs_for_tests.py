"""Graphs by hand, a pass over them, and proof that the numbers are the same."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.fx import GraphModule

import executorch.backends.cadence.reference.operators  # noqa: F401 (what cadence:: calculates)
from executorch.backends.test.graph_builder import GraphBuilder
from executorch.dialects.ops import ops

EDGE = ops.edge
aten, cadence, decomposed = EDGE.aten, EDGE.cadence, EDGE.quantized_decomposed
#: Scale, zero point, limits and type.
INT8 = (0.05, 3, -128, 127, torch.int8)


def graph(write: Callable[..., Any], *inputs: torch.Tensor) -> GraphModule:
    """A graph of what ``write`` does: called with what makes calls, and with the inputs."""
    builder = GraphBuilder()
    values = [builder.placeholder(f"x{place}", one) for place, one in enumerate(inputs)]

    def do(op: Any, *args: Any, **kwargs: Any) -> Any:
        return builder.call_operator(op, args, kwargs)

    results = write(do, *values)
    builder.output(list(results) if isinstance(results, (tuple, list)) else [results])
    return builder.get_graph_module()


def calls(module: GraphModule) -> list[str]:
    """What is called, in order: ``add.Tensor``, and ``cadence.requantize.per_tensor`` for other namespaces."""
    names = [str(node.target.__name__) for node in module.graph.nodes if node.op == "call_function"]
    return [name.removeprefix("aten.").removesuffix(".default") for name in names]


def after(
    pass_: Any, write: Callable[..., Any], *inputs: torch.Tensor, off_by: float = 0, rtol: float = 1e-5
) -> list[str] | None:
    """What is called once a pass has run; None if it says that it changed nothing.

    The results are the same numbers up to ``off_by``, every example value is that of its node, and the pass finds nothing
    more to do when it runs again.
    """
    module = graph(write, *inputs)
    expected = module(*inputs)
    before = copy.deepcopy(module)
    result = pass_(module)
    module = result.graph_module
    module.graph.lint()
    for got, wanted in zip(module(*inputs), expected, strict=True):
        torch.testing.assert_close(got, wanted, rtol=rtol, atol=off_by or 1e-6, equal_nan=True)
    _check_values(module, inputs)
    if not result.modified:
        assert calls(module) == calls(before)
        return None
    assert not pass_(module).modified
    return calls(module)


def _check_values(module: GraphModule, inputs: Sequence[torch.Tensor]) -> None:
    class Check(torch.fx.Interpreter):
        def run_node(self, node: torch.fx.Node) -> Any:
            got, said = super().run_node(node), node.meta.get("val")
            if isinstance(got, torch.Tensor):
                assert said is not None, node
                assert (got.shape, got.dtype) == (said.shape, said.dtype), node
            return got

    Check(module).run(*inputs)

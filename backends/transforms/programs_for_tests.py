"""Runs passes on small programs for the tests of this package."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.export import ExportedProgram, export
from torch.fx import GraphModule, Interpreter

from executorch.backends.transforms.utils import get_param_tensor, is_param_node
from executorch.dialects.edge_ops import aten_op
from executorch.exir import EdgeCompileConfig, to_edge


def function_module(model: Any) -> torch.nn.Module:
    """A function as a module; a module as it is, for inference."""
    if isinstance(model, torch.nn.Module):
        return model.eval()

    class Function(torch.nn.Module):
        def forward(self, *inputs: Any) -> Any:
            return model(*inputs)

    return Function()


def operators(module: GraphModule) -> list[str]:
    """Names of the operators that a graph calls, in order, ``aten::add.Tensor``."""
    found = (aten_op(node.target) for node in module.graph.nodes if node.op == "call_function")
    return [op.name() for op in found if op is not None]


def evaluate(program: ExportedProgram, module: GraphModule, inputs: tuple[Any, ...]) -> Any:
    """Runs a graph of a program on these inputs; constants are the program's, by name."""
    given = iter(inputs)
    values = [
        get_param_tensor(program, node) if is_param_node(program, node) else next(given)
        for node in module.graph.find_nodes(op="placeholder")
    ]
    return Interpreter(module).run(*values, enable_io_processing=False)


def run(
    model: Any,
    inputs: tuple[Any, ...],
    make: Callable[[ExportedProgram], Any],
    dynamic: Any = None,
    modified: bool | None = True,
    atol: float = 1e-5,
) -> GraphModule:
    """Exports a model, runs a pass over its edge program, and checks what every pass promises.

    Numbers are as before, also with another batch where sizes are ``dynamic``; values in ``meta`` are those that the
    operators yield; ``modified`` is as expected, and False the second time.

    Args:
        model: module or function.
        inputs: example inputs.
        make: program -> pass.
        dynamic: ``dynamic_shapes`` for the export of a model of one input; the batch can be 2 to 8.
        modified: what the pass must say; None accepts either.
        atol: how far results may be off.
    """
    module = function_module(model)
    shapes = None if dynamic is None else _shapes(model, dynamic)
    config = EdgeCompileConfig(_check_ir_validity=False)
    program = to_edge(export(module, inputs, dynamic_shapes=shapes), compile_config=config).exported_program()
    batches = [inputs] if dynamic is None else [inputs, tuple(torch.cat([x, x]) for x in inputs)]
    expected = [evaluate(program, program.graph_module, batch) for batch in batches]
    before = [(node.name, node.target, node.args) for node in program.graph.nodes]
    result = make(program)(program.graph_module)
    made = result.graph_module
    made.graph.lint()
    for batch, values in zip(batches, expected, strict=True):
        torch.testing.assert_close(evaluate(program, made, batch), values, atol=atol, rtol=atol)
    if modified is not None:
        assert result.modified is modified
    if not result.modified:
        assert [(node.name, node.target, node.args) for node in made.graph.nodes] == before
    _check_values(program, made, inputs)
    assert not make(program)(made).modified
    return made


def _shapes(model: Any, dynamic: Any) -> Any:
    return dynamic if isinstance(model, torch.nn.Module) else (dynamic,)


class _Recorder(Interpreter):
    def run_node(self, node: torch.fx.Node) -> Any:
        value = super().run_node(node)
        said = node.meta.get("val")
        if node.op == "call_function" and isinstance(value, torch.Tensor):
            assert isinstance(said, torch.Tensor), f"{node} has no value"
            assert said.dtype is value.dtype, f"{node}: {said.dtype} is said, {value.dtype} comes"
            assert len(said.shape) == value.dim(), f"{node}: {said.shape} is said, {value.shape} comes"
            for size, real in zip(said.shape, value.shape, strict=True):
                assert isinstance(size, torch.SymInt) or size == real, f"{node}: {said.shape}, {value.shape}"
        return value


def _check_values(program: ExportedProgram, module: GraphModule, inputs: tuple[Any, ...]) -> None:
    given = iter(inputs)
    values = []
    for node in module.graph.find_nodes(op="placeholder"):
        value = get_param_tensor(program, node) if is_param_node(program, node) else next(given)
        said = node.meta.get("val")
        # What is seen as rank 1 is handed over like that.
        reshaped = (
            isinstance(value, torch.Tensor) and value.dim() == 0 and said is not None and said.dim() == 1
        )
        values.append(value.reshape(1) if reshaped else value)
    _Recorder(module).run(*values, enable_io_processing=False)

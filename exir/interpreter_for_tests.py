"""Runs a program in execution form with torch's kernels, in the order and with the memory semantics of the runtime.

The oracle of this library's tests: out variants write tensors that were allocated for them, views share bytes, and
buffers keep what ``copy_`` wrote until the next call.
"""

from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, OutputKind
from torch.fx import GraphModule, Node
from torch.utils import _pytree as pytree

from executorch.dialects import memory, meta_keys
from executorch.dialects.dim_order import stride_from_dim_order
from executorch.dialects.execution import is_alloc, is_out_variant, out_arguments
from executorch.ir.graph import output_arguments
from executorch.ir.signature import input_specs, state_value


class ExecutionInterpreter:
    """One loaded method; mutable buffers live as long as the object.

    Args:
        program: in execution form.
    """

    def __init__(self, program: ExportedProgram) -> None:
        self._program = program
        self._state: dict[str, torch.Tensor] = {}
        for name, spec in input_specs(program.graph_signature).items():
            value = state_value(program, spec)
            if isinstance(value, torch.Tensor):
                self._state[name] = value.detach().clone()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the method; returns the user's outputs in their original containers."""
        user_inputs = iter(pytree.tree_leaves((args, kwargs)))
        inputs = []
        specs = self._program.graph_signature.input_specs
        for node, spec in zip(self._program.graph.find_nodes(op="placeholder"), specs, strict=True):
            inputs.append(next(user_inputs) if spec.kind == InputKind.USER_INPUT else self._state[node.name])
        with torch.no_grad():
            results = run_graph(self._program.graph_module, inputs)
        outputs = [
            value
            for value, spec in zip(results, self._program.graph_signature.output_specs, strict=True)
            if spec.kind == OutputKind.USER_OUTPUT
        ]
        out_spec = self._program.call_spec.out_spec
        return pytree.tree_unflatten([_detached(value) for value in outputs], out_spec)


def run_graph(module: GraphModule, inputs: "list[Any]") -> "tuple[Any, ...]":
    """Runs one graph on flat inputs."""
    remaining = iter(inputs)
    values: dict[Node, Any] = {}
    for node in module.graph.nodes:
        if node.op == "placeholder":
            values[node] = next(remaining)
        elif node.op == "get_attr":
            values[node] = getattr(module, node.target)
        elif node.op == "call_function":
            values[node] = _run_node(node, values)
    return torch.fx.node.map_arg(output_arguments(module.graph), values.__getitem__)


def _run_node(node: Node, values: "dict[Node, Any]") -> Any:
    if is_alloc(node):
        return _allocate(node)
    args: Any
    args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), values.__getitem__)
    if node.target is torch.ops.higher_order.cond:
        branch = args[1] if bool(args[0]) else args[2]
        return run_graph(branch, list(args[3]))
    if isinstance(node.target, torch._ops.HigherOrderOperator):
        raise NotImplementedError(f"{node.target} in the interpreter")
    assert node.target is not memory.alloc and callable(node.target)
    result = node.target(*args, **kwargs)
    if is_out_variant(node.target):
        outs = torch.fx.node.map_arg(out_arguments(node), values.__getitem__)
        return outs[0] if len(outs) == 1 else tuple(outs)
    return result


def _allocate(node: Node) -> torch.Tensor:
    spec = node.meta[meta_keys.SPEC]
    if spec.is_dynamic_shape_tensor:
        return torch.empty(0, dtype=spec.dtype)  # grows to the actual size without a warning
    stride = stride_from_dim_order(spec.shape, spec.dim_order)
    # Garbage, so that a kernel that does not write its output is noticed.
    return torch.empty_strided(spec.shape, stride, dtype=spec.dtype).fill_(
        77 if spec.dtype != torch.bool else True
    )


def _detached(value: Any) -> Any:
    return value.clone() if isinstance(value, torch.Tensor) else value

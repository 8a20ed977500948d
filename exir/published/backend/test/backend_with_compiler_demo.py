"""The documented demonstration backend: writes operators down as text.

::

    2version:0#op:demo::aten.mm.default, numel:4, dtype:torch.float32<debug_handle>1#op:demo::aten.add.Tensor, ...#

The number of operators, the version of the format, and an entry for each. An entry of version 0, the format of released
packages, names no operands: at run time the first operator takes the first inputs, every later one the result before it
and the next input; once inputs run out, the last one stands for those that are missing. Graphs of another form are written
in version 1, whose entries name values, ``<from>0,1<to>2`` before the debug handle: inputs, outputs, results in between,
numbered in this order.
"""

from typing import Any, Final

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import aten_op
from executorch.partitioner import BackendDetails, CompileSpec, PreprocessResult
from executorch.partitioner.interface.errors import DelegationError

_BACKEND: Final = "BackendWithCompilerDemo"
_aten = torch.ops.aten
#: Operator -> the number of its operands.
_OPERANDS: Final = {
    _aten.sin.default: 1,
    _aten.add.Tensor: 2,
    _aten.sub.Tensor: 2,
    _aten.mul.Tensor: 2,
    _aten.div.Tensor: 2,
    _aten.mm.default: 2,
}
_COMMUTATIVE: Final = (_aten.add.Tensor, _aten.mul.Tensor)


class BackendWithCompilerDemo(BackendDetails):
    """Blob: the text that the module describes. The debug handles of the nodes are the delegate's identifiers."""

    @staticmethod
    def preprocess(edge_program: ExportedProgram, compile_specs: list[CompileSpec]) -> PreprocessResult:
        """See the class.

        Raises:
            DelegationError: an operator or shapes that the backend does not have, another element type than float32,
                or constants inside.
        """
        del compile_specs
        inputs, calls, outputs = _parts(edge_program)
        is_chain = _is_chain(inputs, calls, outputs)
        handles = [node.meta.get(meta_keys.DEBUG_HANDLE, meta_keys.UNSET_DEBUG_HANDLE) for node in calls]
        numbers = {} if is_chain else _numbers(inputs, calls, outputs)
        entries = [_entry(node, handle, numbers) for node, handle in zip(calls, handles, strict=True)]
        text = f"{len(calls)}version:{0 if is_chain else 1}#" + "".join(entries)
        return PreprocessResult(
            text.encode(),
            debug_handle_map={handle: (handle,) for handle in handles},
            _delegate_info_meta="test",  # What a backend hands to its own tools; published tests look for this.
        )


def is_supported(node: Node) -> bool:
    """Whether the run time has the operator, for tensors like these."""
    op = aten_op(node.target) if node.op == "call_function" else None
    if op not in _OPERANDS or node.kwargs.get("alpha", 1) != 1:
        return False
    operands = node.args[: _OPERANDS[op]]
    if not all(isinstance(operand, Node) for operand in operands):
        return False
    values = [one.meta[meta_keys.VAL] for one in (node, *operands)]  # type: ignore[union-attr]
    if any(
        value.dtype is not torch.float32 or not all(type(n) is int for n in value.shape) for value in values
    ):
        return False
    shape = values[0].shape
    return op is _aten.mm.default or all(value.shape == shape or value.dim() == 0 for value in values)


def _parts(program: ExportedProgram) -> tuple[list[Node], list[Node], list[Node]]:
    """Inputs, operators and results, each in order."""
    if program.state_dict or program.constants:
        raise DelegationError(
            f"{_BACKEND} keeps no constants. Way out: lower with AddMulPartitionerDemo(), which leaves them outside."
        )
    nodes = list(program.graph.nodes)
    calls = [node for node in nodes if node.op == "call_function"]
    for node in calls:
        if not is_supported(node):
            raise DelegationError(
                f"{node.op} {_name(node)} is not supported in backend {_BACKEND}: {_describe(node)}. It has sin, "
                "add, sub, mul, div of tensors of one static shape (or none), and mm, in float32."
            )
    outputs = list(nodes[-1].args[0])  # type: ignore[arg-type]
    if any(output not in calls for output in outputs) or len(set(outputs)) != len(outputs):
        raise DelegationError(f"{_BACKEND} gives each result once, and no inputs")
    return [node for node in nodes if node.op == "placeholder"], calls, outputs  # type: ignore[return-value]


def _is_chain(inputs: list[Node], calls: list[Node], outputs: list[Node]) -> bool:
    """Whether version 0 says what the graph means."""
    left = list(inputs)
    result: list[Node] = []
    for node in calls:
        expected: list[Node] = list(result)
        while len(expected) < _OPERANDS[aten_op(node.target)]:  # type: ignore[index]
            expected.append(left.pop(0) if left else inputs[-1])
        if result and aten_op(node.target) is _aten.mm.default:
            return False  # The result before lies where this one goes, and products are not made in place.
        if (
            any(_shape(source) != _shape(node) for source in expected)
            and aten_op(node.target) is not _aten.mm.default
        ):
            return False  # The result of version 0 has the shape of the first input.
        found = list(node.args[: len(expected)])
        if found != expected and not (aten_op(node.target) in _COMMUTATIVE and found[::-1] == expected):
            return False
        result = [node]
    return outputs == result


def _shape(node: Node) -> torch.Size:
    shape: torch.Size = node.meta[meta_keys.VAL].shape
    return shape


def _numbers(inputs: list[Node], calls: list[Node], outputs: list[Node]) -> dict[Node, int]:
    between = [node for node in calls if node not in outputs]
    return {node: number for number, node in enumerate([*inputs, *outputs, *between])}


def _entry(node: Node, handle: int, numbers: dict[Node, int]) -> str:
    value = node.meta[meta_keys.VAL]
    named = ""
    if numbers:
        operands: list[Any] = list(node.args[: _OPERANDS[aten_op(node.target)]])  # type: ignore[index]
        named = f"<from>{numbers[operands[0]]},{numbers[operands[-1]]}<to>{numbers[node]}"
    return f"op:demo::{_name(node)}, numel:{value.numel()}, dtype:{value.dtype}{named}<debug_handle>{handle}#"


def _describe(node: Node) -> str:
    values = [node.meta.get(meta_keys.VAL)] + [arg.meta.get(meta_keys.VAL) for arg in node.all_input_nodes]
    return ", ".join(
        f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
        for value in values
        if isinstance(value, torch.Tensor)
    )


def _name(node: Node) -> str:
    """``aten.add.Tensor``."""
    return str(aten_op(node.target) or node.target)

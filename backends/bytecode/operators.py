"""Which operators the backend knows, and what it asks of a node before it takes it."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch.export import ExportedProgram
from torch.fx.experimental.symbolic_shapes import statically_known_true

from executorch.backends.bytecode.instructions import Op
from executorch.dialects import meta_keys
from executorch.ir.mutations import changing_state
from executorch.partitioner.selection.config_partitioner import is_constant_data
from executorch.partitioner.selection.partition_proposals import operator_name

UNARY = {
    "aten.neg.default": Op.NEG,
    "aten.abs.default": Op.ABS,
    "aten.exp.default": Op.EXP,
    "aten.log.default": Op.LOG,
    "aten.sqrt.default": Op.SQRT,
    "aten.rsqrt.default": Op.RSQRT,
    "aten.reciprocal.default": Op.RECIPROCAL,
    "aten.sigmoid.default": Op.SIGMOID,
    "aten.tanh.default": Op.TANH,
    "aten.sin.default": Op.SIN,
    "aten.cos.default": Op.COS,
    "aten.erf.default": Op.ERF,
}
BINARY = {
    "aten.add.Tensor": Op.ADD,
    "aten.sub.Tensor": Op.SUB,
    "aten.mul.Tensor": Op.MUL,
    "aten.div.Tensor": Op.DIV,
    "aten.minimum.default": Op.MINIMUM,
    "aten.maximum.default": Op.MAXIMUM,
}
#: Operators that are several instructions: ``compiler.py`` spells them out.
COMPOSED = ("aten.relu.default", "aten.hardtanh.default", "aten.clamp.default")


@dataclass(frozen=True)
class Checks:
    """Answers "why not?" for the nodes of one program."""

    program: ExportedProgram

    def refusal(self, node: torch.fx.Node) -> str | None:
        """Why the backend does not take ``node``; None if it does."""
        name = operator_name(node.target)
        if name not in UNARY and name not in BINARY and name not in COMPOSED:
            return "no bytecode for this operator"
        value = node.meta.get(meta_keys.VAL)
        if not isinstance(value, torch.Tensor):
            return "does not give one tensor"
        problem = _unsuitable(value)
        if problem is not None:
            return f"result {problem}"
        for operand in node.all_input_nodes:
            problem = self._operand_refusal(operand, value)
            if problem is not None:
                return problem
        return None

    def _operand_refusal(self, operand: torch.fx.Node, result: torch.Tensor) -> str | None:
        value = operand.meta.get(meta_keys.VAL)
        if not isinstance(value, torch.Tensor):
            return f"operand {operand.name} is not a tensor"
        if self.is_number(operand):
            return None
        problem = _unsuitable(value)
        if problem is not None:
            return f"operand {problem}"
        same = value.dim() == result.dim() and all(
            statically_known_true(a == b) for a, b in zip(value.shape, result.shape, strict=True)
        )
        return None if same else "broadcasts an operand that is not a number"

    def is_number(self, node: torch.fx.Node) -> bool:
        """Whether ``node`` is a constant of one element, which becomes part of the code."""
        value = node.meta.get(meta_keys.VAL)
        return (
            isinstance(value, torch.Tensor)
            and value.numel() == 1
            and node.graph is self.program.graph  # Branches of control flow receive all they use as inputs.
            and is_constant_data(self.program, node)
            and node.name not in changing_state(self.program.graph_signature)
        )


def _unsuitable(value: torch.Tensor) -> str | None:
    if value.dtype is not torch.float32:
        return f"is {str(value.dtype).removeprefix('torch.')}, not float32"
    if not value.is_contiguous():
        return "is not contiguous"
    return None

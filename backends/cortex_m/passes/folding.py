"""What the rewrites of :mod:`fold_quantized_pass` work with: a quantized call, and makers of what replaces it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.backends.cortex_m.ops import operators
from executorch.backends.cortex_m.passes.quantized_values import Integers, Quant, integers_of
from executorch.backends.cortex_m.target_config import InstructionSet
from executorch.dialects import memory, meta_keys
from executorch.dialects.edge_ops import edge_op
from executorch.ir.constants import add_constant, fake_value
from executorch.ir.rewriter import new_call

cortex_m = operators.LIBRARY and torch.ops.cortex_m


@dataclasses.dataclass
class Call:
    """An operator in floating point between dequantizations and one quantization.

    Attributes:
        program: gets new constants.
        constants: values of its constants, by placeholder.
        node: the call.
        place: the quantization that is replaced; new calls stand before it.
        output: what it quantizes to, its range narrowed by an activation that clamps.
        backend: instructions that kernels may use. Released runtimes read the sums of weights of a linear layer with Helium alone.
    """

    program: ExportedProgram
    constants: dict[Node, torch.Tensor]
    node: Node
    place: Node
    output: Quant
    backend: InstructionSet = InstructionSet.MVE

    @property
    def folds(self) -> dict[str, Fold]:
        """Those that make what the output is quantized to."""
        return WIDE_FOLDS if self.is_wide else FOLDS

    def integers_of(self, node: Any) -> Integers | None:
        """Integers of the output's type behind an operand."""
        return integers_of(node, self.output.dtype)

    @property
    def is_wide(self) -> bool:
        """Whether the output is int16."""
        return self.output.dtype is torch.int16

    def has_room(self, quant: Quant) -> bool:
        """Whether kernels take the zero point: those of int16 take none."""
        return not (self.is_wide and quant.zero_point)

    def calculable(self, node: Any) -> Integers | None:
        """Integers behind an operand that kernels calculate with."""
        have = self.integers_of(node)
        return have if have is not None and self.has_room(have.quant) else None

    def transposed(self, node: Node, order: list[int]) -> Node:
        """By the kernel for int8, or by that for any type."""
        op = torch.ops.aten.permute_copy.default if self.is_wide else cortex_m.transpose.default
        return self.call(op, node, order)

    @property
    def args(self) -> tuple[Any, ...]:
        """Arguments of the call."""
        return tuple(self.node.args)

    def call(self, op: Any, *args: Any) -> Node:
        """A new call of a torch overload, in the edge dialect."""
        with self.place.graph.inserting_before(self.place):
            return new_call(self.place, edge_op(op), args)

    def constant(self, value: torch.Tensor, name: str) -> Node:
        node = add_constant(self.program, value.contiguous(), f"_{self.node.name}_{name}")
        self.constants[node] = value
        return node

    def scratch(self, size: int) -> Node:
        """Room for a kernel to work in, which is planned with the rest of the memory."""
        graph = self.place.graph
        with graph.inserting_before(self.place):
            node = graph.call_function(memory.alloc, (((size,), torch.uint8),))
        node.meta[meta_keys.VAL] = fake_value(graph, torch.empty(size, dtype=torch.uint8))
        return node


Fold = Callable[[Call], "Node | None"]
#: Name of an operator -> what makes a call on int8 of it.
FOLDS: dict[str, Fold] = {}
#: The same on int16.
WIDE_FOLDS: dict[str, Fold] = {}


def fold(*names: str, wide: bool = False) -> Callable[[Fold], Fold]:
    """Registers a function for operators of ``aten``; ``wide`` says that it has kernels of int16 as well."""

    def register(function: Fold) -> Fold:
        for folds in (FOLDS, WIDE_FOLDS) if wide else (FOLDS,):
            folds.update((f"aten::{name}", function) for name in names)
        return function

    return register


__all__ = ["FOLDS", "WIDE_FOLDS", "Call", "Fold", "cortex_m", "fold"]

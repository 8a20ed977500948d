"""Goes through a subgraph once and writes TOSA for it.

A value has one form or several: the tensor with its dimensions in PyTorch's order, or with channels last, as spatial operators
of TOSA want it. Elementwise operators work in the form that is there, so that transposes stand only where order matters.
"""

from __future__ import annotations

import contextlib
import json
import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.backends.arm.tosa.graph.builder import DTYPES, Builder, DType, Tensor
from executorch.backends.arm.tosa.graph.constants import Constants, name_of
from executorch.backends.arm.tosa.graph.narrow import EXTENSIONS, is_widened, widened
from executorch.backends.arm.tosa.graph.quantized import (
    DEQUANTIZE,
    QUANTIZE,
    Quant,
    converted_from,
    match,
    parameters_of,
)
from executorch.backends.arm.tosa.graph.registry import OPERATORS
from executorch.backends.arm.tosa.graph.rescale import rescale
from executorch.backends.arm.tosa.specification import TosaSpecification
from executorch.dialects import meta_keys
from executorch.ir.signature import state_inputs

Order = tuple[int, ...]


def plain_order(rank: int) -> Order:
    """PyTorch's order of dimensions."""
    return tuple(range(rank))


def channels_last(rank: int) -> Order:
    """Batch, space, channels."""
    return (0, *range(2, rank), 1)


def memory_order(tensor: torch.Tensor) -> Order:
    """How an input or output lies in the file: with channels last where it lies so in memory, in PyTorch's order otherwise."""
    order = channels_last(tensor.dim())
    return order if tensor.dim() > 3 and tensor.dim_order() == order else plain_order(tensor.dim())


@dataclass
class Value:
    """What a node makes.

    Attributes:
        shape: in PyTorch's order.
        forms: order of dimensions -> tensor.
        constant: the elements, where they are known.
        quant: set where the tensor holds integers that stand for floating-point numbers.
    """

    shape: tuple[int, ...]
    forms: dict[Order, Tensor] = field(default_factory=dict)
    constant: torch.Tensor | None = None
    quant: Quant | None = None


def where_from(node: Node) -> dict[str, str]:
    """Node, operator and line of the model."""
    return {
        "node": node.name,
        "operator": str(node.target),
        "source": str(node.meta.get("stack_trace") or "").strip().split("\n")[0],
    }


class LoweringError(ValueError):
    """A node that the partitioner should not have taken; names it."""


class Lowering:
    """The lowering of one subgraph."""

    def __init__(
        self, program: ExportedProgram, spec: TosaSpecification, with_locations: bool = False
    ) -> None:
        self.program = program
        self.spec = spec
        self.builder = Builder()
        self._with_locations = with_locations
        self.constants = Constants(program)
        self.values: dict[Node, Value | list[Value]] = {}
        #: What a call on integers does besides its operator: its result stands under the quantization.
        self._inside: set[Node] = set()

    def run(self) -> bytes:
        """The TOSA file."""
        state = state_inputs(self.program.graph_signature)
        for node in self.program.graph.nodes:
            self.builder.source = node.name
            if self._with_locations:
                self.builder.location = json.dumps(where_from(node))
            if node.op == "placeholder":
                self._placeholder(node, node.name in state)
            elif node.op == "call_function":
                self._call(node)
        self._outputs()
        return self.builder.serialize()

    def _placeholder(self, node: Node, is_state: bool) -> None:
        value = node.meta[meta_keys.VAL]
        shape = tuple(value.shape)
        if is_state:
            stored = self.constants(node)
            if stored is None:
                raise LoweringError(
                    f"{node.name} is state that the program writes; keep it outside the delegate"
                )
            self.values[node] = Value(shape, constant=stored)
            return
        order = memory_order(value)
        tensor = self.builder.input(node.name, tuple(shape[i] for i in order), DTYPES[value.dtype])
        self.values[node] = Value(shape, {order: tensor})

    def _call(self, node: Node) -> None:
        if node in self.values or node in self._inside:
            return
        name = name_of(node)
        if self.constants.has(node):
            found = self.constants(node)
            # Of several together nobody reads more than one.
            if found is not None:
                self.values[node] = Value(tuple(found.shape), constant=found)
            return
        if node.target is operator.getitem:
            source: Any = self.values[node.args[0]]  # type: ignore[index]
            self.values[node] = source[node.args[1]]
            return
        if name == DEQUANTIZE:
            source = self.value(node.args[0])
            self.values[node] = Value(source.shape, source.forms, quant=parameters_of(node))
            return
        if name == QUANTIZE:
            self._quantize(node)
            return
        quant = None if self.spec.support_float() else converted_from(node)
        if quant is not None:
            source = self.value(node.args[0])
            self.values[node] = Value(source.shape, source.forms, quant=quant)
            return
        call = match(node, self.constants)
        row = OPERATORS.get(name)
        if call is not None and row is not None and row.integer is not None:
            self._inside.update(call.inside)
            row.integer(self, call)
        elif row is not None and row.plain is not None:
            with widened(self, node) if is_widened(row, node) else contextlib.nullcontext():
                row.plain(self, node)
        else:
            raise LoweringError(f"{node.name}: {name} has no lowering to {self.spec}")

    def _quantize(self, node: Node) -> None:
        """Rounds to even, as PyTorch does, and saturates."""
        quant = parameters_of(node)
        source = self.value(node.args[0])
        if quant is None:
            raise LoweringError(f"{node.name}: only int8 and int16 per tensor are quantized here")
        order, x = self.native(source)
        b = self.builder
        if source.quant is not None:
            have = source.quant
            ratio = have.scale / quant.scale
            made = rescale(b, x, ratio, DTYPES[quant.dtype], have.zero_point, quant.zero_point)
            fits = (quant.low, quant.high) == quant.limits
            self.set(node, made if fits else b.clamp(made, quant.low, quant.high), order)
            return
        scaled = b.mul(x, b.scalar(np.float32(1.0) / np.float32(quant.scale), x))
        # The cast saturates; a margin keeps the sum with the zero point within int32.
        whole = b.cast(b.clamp(scaled, -(2.0**24), 2.0**24), DType.INT32)
        moved = b.add(whole, b.scalar(quant.zero_point, whole)) if quant.zero_point else whole
        limited = b.clamp(moved, quant.low, quant.high)
        self.set(node, b.cast(limited, DTYPES[quant.dtype]), order)

    def dequantized(self, value: Value) -> Value:
        """Floating-point numbers in place of integers that stand for them."""
        if value.quant is None:
            return value
        if not self.spec.support_float():
            raise LoweringError(
                f"{self.builder.source} is calculated in floating point, which {self.spec} has not"
            )
        order, x = self.native(value)
        b = self.builder
        whole = b.cast(x, DType.INT32)
        if value.quant.zero_point:
            whole = b.sub(whole, b.scalar(value.quant.zero_point, whole))
        real = b.cast(whole, DType.FP32)
        return Value(value.shape, {order: b.mul(real, b.scalar(value.quant.scale, real))})

    def _outputs(self) -> None:
        taken: set[str] = {one for one in self.builder.region.currBasicBlock.inputs}
        for node in self.program.graph.output_node().args[0]:  # type: ignore[union-attr]
            value = self.dequantized(self.value(node))
            tensor = self.form(value, memory_order(node.meta[meta_keys.VAL]))
            if value.constant is not None or tensor.name in taken:
                tensor = self.builder.identity(tensor)
            taken.add(tensor.name)
            self.builder.output(tensor)

    # What lowerings of operators use.

    def value(self, node: Any) -> Value:
        """The value of a node."""
        found = self.values.get(node)
        if not isinstance(found, Value):
            raise LoweringError(f"{node} is read by {self.builder.source} and has no single value")
        return found

    def native(self, value: Value) -> tuple[Order, Tensor]:
        """The form that is there; PyTorch's order where several are, or none yet."""
        order = plain_order(len(value.shape))
        if value.forms and order not in value.forms:
            return next(iter(value.forms.items()))
        return order, self.form(value, order)

    def rows(self, value: Value) -> tuple[Order, Tensor]:
        """A form whose last dimension is PyTorch's: the one that is there, if nothing is moved for it."""
        order, tensor = self.native(value)
        last = len(order) - 1
        behind = order.index(last) + 1
        if any(size != 1 for size in tensor.shape[behind:]):
            order = plain_order(len(order))
        else:
            order = (*(one for one in order if one != last), last)
        return order, self.form(value, order)

    def form(self, value: Value, order: Order) -> Tensor:
        """The value with its dimensions in this order."""
        if order not in value.forms:
            if value.constant is not None:
                value.forms[order] = self._constant(value.constant.permute(order))
            else:
                have, tensor = next(iter(value.forms.items()))
                moved = self.builder.transpose(tensor, [have.index(one) for one in order])
                value.forms[order] = moved
        return value.forms[order]

    def _constant(self, tensor: torch.Tensor) -> Tensor:
        tensor = tensor.detach().contiguous()
        if tensor.dtype is torch.float64:
            tensor = tensor.float()
        if tensor.dtype is torch.int64:
            tensor = tensor.clamp(-(2**31), 2**31 - 1).int()
        values = tensor.float() if tensor.dtype in EXTENSIONS else tensor
        return self.builder.constant(values.numpy(), DTYPES[tensor.dtype])

    def tensor(self, node: Any, order: Order | None = None) -> Tensor:
        """A node's tensor, in PyTorch's order or the one given; quantized values become floating point."""
        value = self.dequantized(self.value(node))
        return self.form(value, plain_order(len(value.shape)) if order is None else order)

    def order_of(self, nodes: Sequence[Any], rank: int) -> Order:
        """In which order an elementwise operator on these works, so that the fewest are transposed; of equals one that others work in."""
        values = [self.values.get(node) for node in nodes if isinstance(node, Node)]
        found = [
            one
            for one in values
            if isinstance(one, Value) and len(one.shape) == rank and one.forms and one.constant is None
        ]
        usual = (plain_order(rank), channels_last(rank))
        orders = [self.native(one)[0] for one in found]
        return max(
            orders,
            key=lambda order: (sum(order in one.forms for one in found), order in usual),
            default=plain_order(rank),
        )

    def operand(self, node: Any, order: Order, like: Any = None) -> Tensor:
        """An operand of an elementwise operator in ``order``: a node, padded with ones in front, or a number.

        ``like`` is the TOSA type of a number, and of a constant.
        """
        rank = len(order)
        if not isinstance(node, Node):
            return self.builder.constant(np.full([1] * rank, node), like)
        value = self.dequantized(self.value(node))
        if value.constant is not None:
            padded = value.constant.reshape([1] * (rank - len(value.shape)) + list(value.shape)).permute(
                order
            )
            found = self._constant(padded)
            return found if like is None or found.dtype == like else self._recast(padded, like)
        if len(value.shape) == rank:
            return self.form(value, order)
        flat = self.form(value, plain_order(len(value.shape)))
        wide = self.builder.reshape(flat, [1] * (rank - len(value.shape)) + list(value.shape))
        return self.builder.transpose(wide, order)

    def _recast(self, constant: torch.Tensor, dtype: Any) -> Tensor:
        back = {tosa: mine for mine, tosa in DTYPES.items()}
        return self._constant(constant.to(back[dtype]))

    def set(self, node: Node, tensor: Tensor, order: Order | None = None, quant: Quant | None = None) -> None:
        """The result of a node, in PyTorch's order or the one given."""
        self.values[node] = self.made(tensor, order, quant)

    def made(self, tensor: Tensor, order: Order | None = None, quant: Quant | None = None) -> Value:
        """A value with one form."""
        order = plain_order(len(tensor.shape)) if order is None else order
        shape = [0] * len(order)
        for place, dimension in enumerate(order):
            shape[dimension] = tensor.shape[place]
        return Value(tuple(shape), {order: tensor}, quant=quant)

"""Embeddings whose table is stored as integers: what ``torchao.dequantize_affine`` in front of ``embedding`` becomes.

====================  ============================  =========================================================
integers              operator                      table in the program
====================  ============================  =========================================================
-8 to 7               ``embedding_4bit``            8 added, two to a byte, the first one in the high half
-2 to 1               ``embedding_2bit``            2 added, four to a byte, the first one in the lowest bits
others                ``embedding_byte``            as it is
====================  ============================  =========================================================

Rows that do not fill their bytes, and tables that somebody else reads too, are not packed: they stay bytes.
"""

from collections.abc import Mapping
from typing import Any, Final

import torch
from torch.fx import Node

from executorch.dialects import bound_ops
from executorch.dialects.edge_ops import aten_op
from executorch.dialects.torch_types import OpOverload
from executorch.ir.constants import add_attribute
from executorch.ir.values import value_of

_OPERATORS: Final = bound_ops.LIBRARIES and torch.ops.quantized_decomposed
_DEQUANTIZE: Final = "torchao::dequantize_affine"
_EMBEDDING: Final = torch.ops.aten.embedding.default
#: How a program reads the parts of a tensor subclass among its parameters.
_INNER_TENSOR: Final = "export.access_subclass_inner_tensor.default"
#: Smallest and greatest integer to bits of each, where several share a byte.
_PACKED: Final = {(-8, 7): 4, (-2, 1): 2}
#: Bits to where each integer of a byte begins, in order.
_SHIFTS: Final = {4: (4, 0), 2: (0, 2, 4, 6)}


def is_quantized_table(node: Node) -> bool:
    """Whether ``node`` dequantizes a table that embeddings look up and nobody else reads."""
    op = aten_op(node.target) if node.op == "call_function" else None
    if op is None or op._schema.name != _DEQUANTIZE or not node.users:
        return False
    return all(_is_embedding_of(user, node) for user in node.users)


def part_read(node: Any) -> "tuple[Node, str] | None":
    """Tensor and name of its part where ``node`` reads a part of a tensor subclass, as torchao's are; else None."""
    if not isinstance(node, Node) or node.op != "call_function" or str(aten_op(node.target)) != _INNER_TENSOR:
        return None
    source, part = node.args
    return (source, str(part)) if isinstance(source, Node) else None


def pack_table(values: torch.Tensor, bits: int) -> torch.Tensor:
    """The bytes of a table of 2 or 4 bits.

    Args:
        values: int8 [rows, columns], from ``-2 ** (bits - 1)`` to ``2 ** (bits - 1) - 1``.
        bits: 2 or 4.

    Returns:
        uint8 [rows, columns * bits / 8].

    Raises:
        ValueError: values out of that range, or rows that do not fill their bytes.
    """
    shifts, lowest = _SHIFTS[bits], -(1 << (bits - 1))
    if values.shape[1] % len(shifts):
        raise ValueError(f"{len(shifts)} values share a byte: rows of {values.shape[1]} do not fill theirs")
    if values.numel() and (int(values.min()) < lowest or int(values.max()) > -lowest - 1):
        raise ValueError(
            f"values from {int(values.min())} to {int(values.max())} do not fit into {bits} bits"
        )
    # Bytes go around: a negative number and what is added make what they should. Wider elements would be memory of the whole table.
    unsigned = values.contiguous().view(torch.uint8).unflatten(1, (-1, len(shifts)))
    packed = torch.zeros(unsigned.shape[:2], dtype=torch.uint8, device=values.device)
    for index, shift in enumerate(shifts):
        packed |= (unsigned[..., index] - lowest) << shift
    return packed


class TablePacker:
    """Makes fused calls out of embeddings of quantized tables, in the graphs of one program.

    Args:
        values: name of a placeholder of the outermost graph to the constant behind it, whose parts are constants too.
            Without them tables stay.
    """

    def __init__(self, values: "Mapping[str, torch.Tensor] | None") -> None:
        self._values = values or {}
        self._packed: dict[Node, Node] = {}
        self._parts: dict[Node, Node] = {}

    def fused_call(self, embedding: Node) -> "tuple[OpOverload, tuple[Any, ...], dict[str, Any]] | None":
        """Operator, arguments and keyword arguments in place of ``embedding``; None if its table is none of ours.

        A packed table and parts of a tensor subclass are tensor attributes of the graph's module, which the caller
        lifts.
        """
        found = self._table(embedding.args[0])
        if found is None:
            return None
        dequantize, low, high = found
        integers, _, scales, zero_points, *_ = dequantize.args
        table: Any = integers
        assert isinstance(integers, Node)
        bits = _PACKED.get((low, high), 8)
        if bits < 8 and self._can_pack(integers, bits):
            table = self._packed_node(integers, bits)
        else:
            bits = 8
        if self._is_zero(zero_points):
            zero_points = None
        name = "embedding_byte" if bits == 8 else f"embedding_{bits}bit"
        dtype = value_of(dequantize).dtype
        plain = dtype == value_of(scales).dtype == torch.float32  # type: ignore[arg-type]
        table, scales, zero_points = (self._lasting(item) for item in (table, scales, zero_points))
        op = getattr(getattr(_OPERATORS, name), "default" if plain else "dtype")
        args = (table, scales, zero_points, low, high, embedding.args[1])
        return op, args, {} if plain else {"dtype": dtype}

    def _table(self, node: Any) -> "tuple[Node, int, int] | None":
        op = aten_op(node.target) if isinstance(node, Node) and node.op == "call_function" else None
        if op is None or op._schema.name != _DEQUANTIZE or node.kwargs.keys() - {"output_dtype"}:
            return None
        given: list[Any] = [*node.args, None, None]
        integers, block, scales, zero_points, dtype, low, high = given[:7]
        known = self._value(integers)
        if known is None or known.dtype != torch.int8 or dtype != torch.int8 or known.dim() != 2:
            return None
        columns = known.shape[1]
        if len(block) != 2 or block[0] != 1 or not block[1] or columns % block[1]:
            return None
        shape = (known.shape[0], columns // block[1])
        for item in (scales, zero_points):
            # One scale for each group of a row; torchao leaves the axis of one group away or not.
            if item is not None and tuple(value_of(item).shape) not in (shape, shape[: 1 + (shape[1] > 1)]):
                return None
        if zero_points is not None and value_of(zero_points).shape != value_of(scales).shape:
            return None
        low, high = (-128 if low is None else int(low)), (127 if high is None else int(high))
        return node, low, high

    def _can_pack(self, integers: Node, bits: int) -> bool:
        values = self._value(integers)
        assert values is not None
        per_byte = len(_SHIFTS[bits])
        alone = integers in self._packed or all(is_quantized_table(user) for user in integers.users)
        if not alone or values.shape[1] % per_byte:
            return False
        half = 1 << (bits - 1)
        return not values.numel() or (int(values.min()) >= -half and int(values.max()) < half)

    def _packed_node(self, integers: Node, bits: int) -> Node:
        if integers not in self._packed:
            values = self._value(integers)
            assert values is not None
            self._packed[integers] = _attribute(integers, pack_table(values, bits), "_packed")
        return self._packed[integers]

    def _lasting(self, node: Any) -> Any:
        """``node``, or a tensor of its own where it reads a part of a subclass: programs store no subclasses."""
        value = self._value(node) if part_read(node) else None
        if value is None:
            return node
        if node not in self._parts:
            self._parts[node] = _attribute(node, value, "")
        return self._parts[node]

    def _value(self, node: Any) -> "torch.Tensor | None":
        part = part_read(node)
        if part is None:
            return self._values.get(getattr(node, "name", ""))
        found = getattr(self._values.get(part[0].name), part[1], None)
        return found if isinstance(found, torch.Tensor) else None

    def _is_zero(self, node: Any) -> bool:
        value = self._value(node)
        return value is not None and not bool(value.any())


def _attribute(node: Node, value: torch.Tensor, ending: str) -> Node:
    graph = node.graph
    with graph.inserting_after(graph.find_nodes(op="placeholder")[-1]):
        return add_attribute(graph, value, f"_{node.name}{ending}")


def _is_embedding_of(user: Node, table: Node) -> bool:
    if user.op != "call_function" or aten_op(user.target) is not _EMBEDDING:
        return False
    return user.args[0] is table and table not in user.args[1:]


__all__ = ["TablePacker", "is_quantized_table", "pack_table", "part_read"]

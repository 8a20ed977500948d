"""Gives values numbers and writes nodes down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.backends.apple.mps.serialization import schema
from executorch.backends.apple.mps.serialization.blob import VERSION, pack
from executorch.backends.transforms.constants import Constants
from executorch.dialects import meta_keys
from executorch.dialects.errors import ExportError
from executorch.schema.wire import padding

_KIND = schema.MPSDataType
#: Element types of values.
DATATYPES = {
    torch.float16: _KIND.mps_data_type_float16,
    torch.float32: _KIND.mps_data_type_float32,
    torch.int8: _KIND.mps_data_type_int8,
    torch.int16: _KIND.mps_data_type_int16,
    torch.int32: _KIND.mps_data_type_int32,
    torch.int64: _KIND.mps_data_type_int64,
    torch.uint8: _KIND.mps_data_type_uint8,
    torch.bool: _KIND.mps_data_type_bool,
}
#: An operand that is not there.
ABSENT = -1
_ALIGNMENT = 16
_HALF = torch.finfo(torch.float16)


class GraphBuilder:
    """The graph so far, and which value each node of the program is.

    Attributes:
        constants: of the program.
    """

    def __init__(self, program: ExportedProgram, use_fp16: bool) -> None:
        self.constants = Constants(program)
        self._use_fp16 = use_fp16
        self._graph = schema.MPSGraph(version=VERSION)
        self._values: dict[Node, int] = {}
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._segment = bytearray()
        self._stored: dict[bytes, int] = {}

    def blob(self) -> bytes:
        """The finished graph."""
        return pack(self._graph, bytes(self._segment))

    def inside(self, dtype: torch.dtype) -> torch.dtype:
        """The type that the graph calculates in where the program has ``dtype``."""
        return torch.float16 if self._use_fp16 and dtype == torch.float32 else dtype

    def datatype(self, dtype: torch.dtype) -> schema.MPSDataType:
        """What ``dtype`` is called inside of the graph."""
        return DATATYPES[self.inside(dtype)]

    def add_input(self, node: Node) -> None:
        """The next input of the graph, in the program's type; narrowed where the graph calculates in another."""
        number = self.result(node)
        self._graph.input_ids.append(number)
        dtype = node.meta[meta_keys.VAL].dtype
        if self.inside(dtype) != dtype:
            self.add(schema.MPSCast(number, number, self.datatype(dtype)))

    def add_outputs(self, nodes: Sequence[Node]) -> None:
        """The outputs of the graph, in the program's types.

        Raises:
            ExportError: one is a constant.
        """
        for node in nodes:
            if node in self.constants:
                raise ExportError(f"MPS: a delegate would return the constant {node.name}")
            number = self._values[node]
            dtype = node.meta[meta_keys.VAL].dtype
            if number in (*self._graph.input_ids, *self._graph.output_ids):
                copy = self.result(node)
                self.add(schema.MPSCast(number, copy, DATATYPES[dtype]))
                number = copy
            elif self.inside(dtype) != dtype:
                self.add(schema.MPSCast(number, number, DATATYPES[dtype]))
            self._graph.output_ids.append(number)

    def alias(self, node: Node, source: Node) -> None:
        """The value of ``node`` is that of ``source``."""
        self._values[node] = self.value(source)

    def name(self, node: Node, number: int) -> None:
        """The value of ``node`` is ``number``."""
        self._values[node] = number

    def result(self, node: Node) -> int:
        """A new value for what a node makes."""
        value = node.meta[meta_keys.VAL]
        self._values[node] = self.new(value.shape, value.dtype)
        return self._values[node]

    def new(self, sizes: Sequence[Any], dtype: torch.dtype) -> int:
        """A new value that is no constant."""
        return self._append(schema.MPSTensor(DATATYPES[dtype], len(sizes), [int(one) for one in sizes]))

    def value(self, node: Any) -> int:
        """The value of an operand; -1 for None, a new one for a constant that was not read before."""
        if node is None:
            return ABSENT
        if node not in self._values:
            if node not in self.constants:
                raise ExportError(f"MPS: {node.name} has no value in the delegate's graph")
            self._values[node] = self.constant(self.constants[node])
        return self._values[node]

    def number(self, value: float | int | bool, dtype: torch.dtype) -> int:
        """A constant without dimensions."""
        key = (type(value), value, dtype)
        if key not in self._numbers:
            self._numbers[key] = self.constant(torch.tensor(value, dtype=dtype))
        return self._numbers[key]

    def constant(self, value: torch.Tensor) -> int:
        """A value for a constant; equal bytes are stored once."""
        stored = self._narrowed(value.detach())
        content = stored.contiguous().cpu().reshape(-1).view(torch.uint8).numpy().tobytes()
        tensor = schema.MPSTensor(DATATYPES[stored.dtype], stored.dim(), list(stored.shape), len(content))
        tensor.segment_offset = self._stored_at(content)
        number = self._append(tensor)
        self._graph.constant_ids.append(number)
        return number

    def add(self, node: Any, limits: schema.MPSMinMax | None = None) -> None:
        """Writes a node down."""
        self._graph.mps_nodes.append(schema.MPSNode(node, limits))

    def _append(self, tensor: schema.MPSTensor) -> int:
        self._graph.mps_values.append(tensor)
        return len(self._graph.mps_values) - 1

    def _narrowed(self, value: torch.Tensor) -> torch.Tensor:
        if self.inside(value.dtype) == value.dtype:
            return value
        # The least float32 stands for minus infinity in masks; as an infinity it would make NaN.
        finite = value.clamp(_HALF.min, _HALF.max)
        return torch.where(value.isinf(), value, finite).to(torch.float16)

    def _stored_at(self, content: bytes) -> int:
        if content not in self._stored:
            self._segment += bytes(padding(len(self._segment), _ALIGNMENT))
            self._stored[content] = len(self._segment)
            self._segment += content
        return self._stored[content]

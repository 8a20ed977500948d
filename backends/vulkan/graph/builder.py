"""Gives values numbers and writes calls down."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.backends.transforms.constants import Constants, external_tag
from executorch.backends.vulkan.graph.memory import STATE, plan_memory
from executorch.backends.vulkan.options import VulkanOptions
from executorch.backends.vulkan.serialization import schema
from executorch.backends.vulkan.serialization.blob import NAMED, VERSION
from executorch.dialects import meta_keys
from executorch.dialects.errors import ExportError
from executorch.partitioner import NamedDataStore
from executorch.passes.to_execution.sym_shape_eval_pass import upper_bound

_KIND = schema.VkDataType
#: Element type -> that on the program's side, that in the delegate.
_DATATYPES = {
    torch.bool: (_KIND.BOOL, _KIND.BOOL),
    torch.uint8: (_KIND.UINT8, _KIND.UINT8),
    torch.int8: (_KIND.INT8, _KIND.INT8),
    torch.int32: (_KIND.INT32, _KIND.INT32),
    torch.int64: (_KIND.INT64, _KIND.INT32),
    torch.float16: (_KIND.FLOAT16, _KIND.FLOAT16),
    torch.float32: (_KIND.FLOAT32, _KIND.FLOAT32),
}
_ALIGNMENT = 16
_INT32 = torch.iinfo(torch.int32)
_HALF = torch.finfo(torch.float16)


class GraphBuilder:
    """The graph so far, and which value each node of the program is.

    Attributes:
        constants: of the program.
        named_data: what the program stores beside the blob.
    """

    def __init__(self, program: ExportedProgram, options: VulkanOptions) -> None:
        self.constants = Constants(program)
        self.named_data = NamedDataStore()
        self._options = options
        self._graph = schema.VkGraph(version=VERSION)
        self._graph.storage_type_override = options.storage_type_override
        self._graph.memory_layout_override = options.memory_layout_override
        self._values: dict[Node, int] = {}
        self._plain: dict[tuple[Any, ...], int] = {}
        self._stored: dict[str, int] = {}
        self._states: set[int] = set()
        self._exact: set[Node] = set()

    def add_input(self, node: Node) -> None:
        """The next input of the graph: a tensor, or an integer of the caller."""
        self._graph.input_ids.append(self.result(node))

    def keep_exact(self, nodes: Iterable[Node]) -> None:
        """Results of floats that stay float32, whatever others become."""
        self._exact.update(nodes)

    def add_state(self, node: Node, first: torch.Tensor) -> None:
        """State that lasts from run to run, and what it is at first; zeros take no room in the file."""
        tag, exact = external_tag(node), node in self._exact
        given = self.constant(first, tag, exact) if first.any() else self.value(None)
        self.call_by_values(STATE, [given], node)
        self._states.add(self._values[node])

    def keep(self, value: Node, state: Node) -> None:
        """What is calculated becomes the state, unless it was written where that lies."""
        if self._values[value] != self._values[state]:
            self.call("aten.clone.default", (value, None), self._values[state], value)

    def write_into(self, name: str, args: Sequence[Any], target: Node, node: Node) -> None:
        """Writes a call down that writes into the memory of ``target``."""
        self.call(name, args, self._values[target], node)

    def add_output(self, node: Node) -> None:
        """The next output of the graph.

        Raises:
            ExportError: it is a constant.
        """
        if node in self.constants and node not in self._values:
            raise ExportError(f"Vulkan: a delegate would return the constant {node.name}")
        self._graph.output_ids.append(self._values[node])

    def is_inner(self, node: Node) -> bool:
        """Whether a value is calculated in the graph."""
        return node in self._values and self._values[node] not in self._graph.input_ids

    def is_state(self, node: Node) -> bool:
        """Whether a value lies where state does, which calls write over."""
        return self._values.get(node) in self._states

    def alias(self, node: Node, source: Node) -> None:
        """The value of ``node`` is that of ``source``."""
        self._values[node] = self._values[source]

    def result(self, node: Node | None, exact: bool = False) -> int:
        """A new value for what a node makes; Null for None. What is ``exact`` stays float32, or integers of 32 bits."""
        if node is None:
            return self.value(None)
        value = node.meta[meta_keys.VAL]
        if not isinstance(value, torch.Tensor):
            self._values[node] = self._new(schema.SymInt())
            return self._values[node]
        self._values[node] = self._new(self.tensor(value.dtype, value.shape, exact or node in self._exact))
        return self._values[node]

    def tensor(self, dtype: torch.dtype, sizes: Sequence[Any], exact: bool = False) -> schema.VkTensor:
        """A tensor that is no constant.

        Raises:
            ExportError: a type or size that the partitioner should have refused.
        """
        bounds = [upper_bound(size) for size in sizes]
        dtype = torch.float32 if exact and dtype is torch.float64 else dtype
        if dtype not in _DATATYPES or None in bounds:
            raise ExportError(f"Vulkan has no tensors of type {dtype} and sizes {tuple(sizes)}")
        staging, datatype = _DATATYPES[dtype]
        if self._options.force_fp16 and datatype is _KIND.FLOAT32 and not exact:
            datatype = _KIND.FLOAT16
        if datatype is _KIND.INT8 and exact:
            staging = datatype = _KIND.INT32
        return schema.VkTensor(
            datatype, [one for one in bounds if one is not None], -1, -1, staging_datatype=staging
        )

    def value(self, item: Any) -> int:
        """The value of an argument: a node's, or a new one for a number, text or list."""
        if isinstance(item, Node):
            return self._of_node(item)
        if isinstance(item, list | tuple):
            return self._of_list(list(item))
        key, held = (type(item), item), _held(item)
        if key not in self._plain:
            self._plain[key] = self._new(held)
        return self._plain[key]

    def values(self, items: Sequence[int]) -> int:
        """A list of values."""
        return self._new(schema.ValueList(list(items)))

    def constant(self, value: torch.Tensor, tag: str | None = None, exact: bool = False) -> int:
        """A value for a constant; equal bytes are stored once. What is ``exact`` stays float32."""
        stored = value.detach() if exact else self._converted(value.detach())
        content = _bytes(stored)
        tensor = self.tensor(stored.dtype, stored.shape, exact and stored.dtype is torch.float32)
        tensor.constant_id = self._stored_as(content, tag)
        return self._new(tensor)

    def call(self, name: str, args: Sequence[Any], result: int, node: Node) -> None:
        """Writes a call down.

        Args:
            name: of the operator.
            args: what ``value`` takes.
            result: value of the output, or of the list of outputs.
            node: where it comes from.
        """
        self._append(name, [*(self.value(item) for item in args), result], node)

    def call_by_values(self, name: str, args: Sequence[int], node: Node) -> None:
        """Writes a call down that makes what ``node`` makes; its arguments are values already."""
        self._append(name, [*args, self.result(node)], node)

    def has(self, node: Node) -> bool:
        """Whether a node has a value."""
        return node in self._values

    def _append(self, name: str, ids: list[int], node: Node) -> None:
        handle = node.meta.get(meta_keys.DEBUG_HANDLE) or 0
        self._graph.chain.append(schema.OperatorCall(int(handle), name, ids))

    def graph(self) -> schema.VkGraph:
        """The finished graph."""
        if not self._options.skip_memory_planning:
            plan_memory(self._graph)
        return self._graph

    def _of_node(self, node: Node) -> int:
        if node not in self._values:
            if node not in self.constants:
                raise ExportError(f"Vulkan: {node.name} has no value in the delegate's graph")
            self._values[node] = self.constant(self.constants[node], external_tag(node))
        return self._values[node]

    def _of_list(self, items: list[Any]) -> int:
        if any(isinstance(one, Node) or one is None for one in items):
            return self.values([self.value(one) for one in items])
        kinds = {type(one) for one in items}
        key = (list, *((type(one), one) for one in items))
        if key not in self._plain:
            held: Any
            if kinds <= {bool} and kinds:
                held = schema.BoolList(items)
            elif kinds <= {int}:
                held = schema.IntList(items)
            else:
                held = schema.DoubleList([float(one) for one in items])
            self._plain[key] = self._new(held)
        return self._plain[key]

    def _converted(self, value: torch.Tensor) -> torch.Tensor:
        """In the type that the delegate has, so that nothing is narrowed when it is loaded."""
        if value.dtype == torch.int64:
            if value.numel() and (value.max() > _INT32.max or value.min() < _INT32.min):
                raise ExportError(
                    "Vulkan: a constant has integers that do not fit 32 bits. Way out: the compile option "
                    "downcast_64_bit=False leaves operators on int64 outside"
                )
            return value.to(torch.int32)
        if value.dtype == torch.float32 and self._options.force_fp16:
            # The least float32 stands for minus infinity in masks; as an infinity it would make NaN.
            finite = value.clamp(_HALF.min, _HALF.max)
            return torch.where(value.isinf(), value, finite).to(torch.float16)
        return value

    def _stored_as(self, content: bytes, tag: str | None) -> int:
        name = hashlib.sha256(content).hexdigest()
        key = name if tag is None else f"{tag}/{name}"
        if key not in self._stored:
            self.named_data.add_named_data(name, content, _ALIGNMENT, tag)
            self._stored[key] = len(self._graph.constants)
            self._graph.constants.append(schema.VkBytes(NAMED, len(content), name))
        return self._stored[key]

    def _new(self, held: Any) -> int:
        self._graph.values.append(schema.VkValue(held))
        return len(self._graph.values) - 1


def _bytes(value: torch.Tensor) -> bytes:
    return value.contiguous().cpu().reshape(-1).view(torch.uint8).numpy().tobytes()


def _held(item: Any) -> Any:
    if item is None:
        return schema.Null()
    if isinstance(item, bool):
        return schema.Bool(item)
    if isinstance(item, int):
        return schema.Int(item)
    if isinstance(item, float):
        return schema.Double(item)
    if isinstance(item, str):
        return schema.String(item)
    raise ExportError(f"Vulkan: the delegate has no values like {item!r}")

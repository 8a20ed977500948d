"""Builds an XNNPACK graph, node by node, from the graph of an edge program.

A value may exist in several layouts; ``input`` makes the one that is asked for when it is first needed, so that a
chain of spatial and elementwise operators is transposed once where it begins and once where it ends.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.backends.xnnpack.graph.constants import DEQUANTIZE, name_of, program_constants
from executorch.backends.xnnpack.graph.layout import Layout, memory_layout, permutation
from executorch.backends.xnnpack.graph.quantized import parameters_of
from executorch.backends.xnnpack.graph.unread import remove_unread
from executorch.backends.xnnpack.serialization import schema
from executorch.backends.xnnpack.serialization.blob import INVALID_ID, NAMED
from executorch.dialects import meta_keys
from executorch.dialects.dim_order import example_int
from executorch.dialects.errors import ExportError
from executorch.partitioner import NamedDataStore

_EXTERNAL_INPUT = 1
_EXTERNAL_OUTPUT = 2
_CONSTANTS_ALIGNMENT = 16
#: Debug handle of nodes that stand for no operator of the model.
_NO_HANDLE = 0xFFFF

_DATATYPES = {
    torch.float32: schema.XNNDatatype.xnn_datatype_fp32,
    torch.float16: schema.XNNDatatype.xnn_datatype_fp16,
    torch.bfloat16: schema.XNNDatatype.xnn_datatype_bf16,
}


def torch_datatype(dtype: torch.dtype) -> schema.XNNDatatype:
    """The datatype of floating-point numbers.

    Raises:
        ExportError: XNNPACK does not calculate with this dtype.
    """
    if dtype not in _DATATYPES:
        raise ExportError(f"XNNPACK has float32, float16 and bfloat16, here is {dtype}")
    return _DATATYPES[dtype]


@dataclass(frozen=True)
class ElementType:
    """What the elements of a value are; ``quantization`` for integers that stand for real numbers."""

    datatype: schema.XNNDatatype
    quantization: Any = None


def quantized_type(datatype: schema.XNNDatatype, scale: float, zero_point: int = 0) -> ElementType:
    """Integers with one scale and zero point."""
    return ElementType(datatype, schema.PerTensorQuant(scale=scale, zero_point=zero_point))


def shape_of(node: Node) -> list[int]:
    """The node's sizes; symbolic ones as in the example, since the runtime is given the real ones."""
    return [example_int(size) for size in sizes_of(node)]


def sizes_of(node: Node) -> list[Any]:
    """The node's sizes, symbolic ones as such: for ``GraphBuilder.reshape``, which leaves one to the runtime."""
    return list(node.meta[meta_keys.VAL].shape)


class GraphBuilder:
    """The graph so far, and where each node of the edge program is found in it.

    Args:
        program: the subgraph.
        graph: to go on with, by default a new one.
        named_data: gets constants, by default a store of its own.
        has_final_constants: nobody writes to the program's constants any more: their memory is referred to and not copied.

    Attributes:
        external_tag: the ``.ptd`` file that gets constants from now on, None for the program itself.
        shared: what lowerings made that other operators may want again, under keys of their own.
    """

    def __init__(
        self,
        program: ExportedProgram,
        graph: schema.XNNGraph | None = None,
        named_data: NamedDataStore | None = None,
        has_final_constants: bool = False,
    ) -> None:
        self.program, self._has_final_constants = program, has_final_constants
        self.named_data = NamedDataStore() if named_data is None else named_data
        self._graph = schema.XNNGraph(version="0") if graph is None else graph
        if not self._graph.constant_data:
            self._graph.constant_data.append(schema.ConstantDataOffset(offset=0, size=0, named_key=""))
        self.constants = program_constants(program)
        self.external_tag: str | None = None
        self.shared: dict[Any, Any] = {}
        self._tensors: dict[Node, torch.Tensor | None] = {}
        self._found: dict[Node, dict[Layout, int]] = {}
        self._constants: dict[Any, int] = {}
        self._constant_index = {
            place.named_key: index for index, place in enumerate(self._graph.constant_data) if index
        }
        self._dynamic: dict[tuple[Node, Layout, int], int] = {}
        #: Result of a transpose -> what was transposed, and how.
        self._transposed_from: dict[int, tuple[int, list[int]]] = {}

    # Values.

    def type_of(self, node: Node) -> ElementType:
        """The type of a node's elements; of integers, the scale that a quantization or dequantization gives them.

        Of boolean ones the bytes are the numbers 0 and 1.

        Raises:
            ExportError: Nothing says what the integers stand for, or two disagree.
        """
        dtype = node.meta[meta_keys.VAL].dtype
        if dtype in _DATATYPES:
            return ElementType(_DATATYPES[dtype])
        if dtype is torch.bool:
            return quantized_type(schema.XNNDatatype.xnn_datatype_quint8, 1.0)
        readers = {parameters_of(user) for user in node.users if name_of(user) == DEQUANTIZE}
        found = {parameters_of(node)} if parameters_of(node) is not None else readers
        parameters = next(iter(found), None)
        if parameters is None or len(found) > 1:
            raise ExportError(
                f"XNNPACK: {node.name} is {dtype}, and not quantized in one way that XNNPACK has"
            )
        datatype = schema.XNNDatatype.xnn_datatype_qint8
        return quantized_type(datatype, parameters.scale, parameters.zero_point)

    def value(self, shape: Sequence[Any], kind: ElementType, constant: int = 0) -> int:
        """A new value with ``shape`` in the order of its own dimensions; symbolic sizes as in the example."""
        identifier = len(self._graph.xvalues)
        tensor: Any = schema.XNNTensorValue(
            datatype=kind.datatype,
            num_dims=max(len(shape), 1),
            dims=[example_int(size) for size in shape] or [1],
            constant_buffer_idx=constant,
            external_id=INVALID_ID,
            id_out=identifier,
        )
        if kind.quantization is not None:
            tensor = schema.XNNQuantizedTensorValue(tensor_value=tensor, quant_params=kind.quantization)
        self._graph.xvalues.append(schema.XValue(xvalue_union=tensor))
        return identifier

    def data(self, tensor: torch.Tensor, is_final: bool = False) -> int:
        """The number of the constant with these bytes; equal ones are stored once.

        Args:
            tensor: its elements.
            is_final: as ``has_final_constants``, of this tensor.
        """
        dense = tensor.detach().contiguous()
        held = dense.reshape(-1).view(torch.uint8).numpy().data if dense.numel() else memoryview(b"")
        content = held.toreadonly() if is_final or self._has_final_constants else held.tobytes()
        key = hashlib.sha256(content).hexdigest()
        if self.external_tag is not None:
            # By itself: equal bytes may be wanted in the program for another operator.
            key = f"{key}.{self.external_tag}"
        if key not in self._constant_index:
            self._constant_index[key] = len(self._graph.constant_data)
            place = schema.ConstantDataOffset(offset=NAMED, size=len(content), named_key=key)
            self._graph.constant_data.append(place)
            self.named_data.add_named_data(
                key, content, alignment=_CONSTANTS_ALIGNMENT, external_tag=self.external_tag
            )
        return self._constant_index[key]

    def constant(
        self,
        tensor: torch.Tensor,
        kind: ElementType | None = None,
        shape: Sequence[int] | None = None,
        is_final: bool = False,
    ) -> int:
        """The value with this tensor's elements; equal constants are one value.

        Args:
            tensor: the elements, or the bytes in which they are packed.
            kind: what they are, by default what their dtype says.
            shape: of packed elements.
            is_final: see :meth:`data`.
        """
        kind = ElementType(_DATATYPES[tensor.dtype]) if kind is None else kind
        dims = tuple(tensor.shape if shape is None else shape)
        number = self.data(tensor, is_final)
        known = (number, kind.datatype, repr(kind.quantization), dims)
        if known not in self._constants:
            self._constants[known] = self.value(dims, kind, number)
        return self._constants[known]

    def tensor_of(self, node: Node) -> torch.Tensor | None:
        """The tensor of a constant and of what is made of constants only, None for any other node."""
        if node not in self._tensors:
            self._tensors[node] = self.constants(node)
        return self._tensors[node]

    def is_constant(self, node: Node) -> bool:
        """Whether ``tensor_of`` has a tensor for ``node``."""
        return self.constants.has(node)

    # What nodes read and write.

    def layouts(self, node: Node) -> dict[Layout, int]:
        """The values that stand for a node, by layout."""
        return self._found.get(node, {})

    def input(self, node: Node, layout: Layout = Layout.PLAIN) -> int:
        """The value of ``node`` in ``layout``, transposed first where it exists in the other one only."""
        tensor = self.tensor_of(node)
        if tensor is not None:
            return self.constant(tensor.permute(layout.axes(tensor.dim())), self.type_of(node))
        found = self._found[node]
        if layout not in found:
            source, identifier = next(iter(found.items()))
            found[layout] = self._transposed(node, identifier, source, layout)
        return found[layout]

    def output(self, node: Node, layout: Layout = Layout.PLAIN) -> int:
        """A new value for the result of ``node`` in ``layout``."""
        identifier = self.value(layout.arrange(shape_of(node)), self.type_of(node))
        self._found.setdefault(node, {})[layout] = identifier
        return identifier

    def dynamic(self, node: Node, layout: Layout, dimensions: int) -> int:
        """The value of ``node`` as int8 with a scale for each slice of the last ``dimensions``, found at run time."""
        known = (node, layout, dimensions)
        if known not in self._dynamic:
            scales = schema.PerTokenDynamicQuant(num_nonbatch_dims=dimensions)
            kind = ElementType(schema.XNNDatatype.xnn_datatype_qdint8, scales)
            source = self.input(node, layout)
            self._dynamic[known] = self.value(layout.arrange(shape_of(node)), kind)
            self.add(schema.XNNConvert(input_id=source, output_id=self._dynamic[known]))
        return self._dynamic[known]

    def same(self, node: Node, source: Node) -> None:
        """Says that ``node`` holds what ``source`` holds."""
        if self.tensor_of(source) is not None:
            self._found[node] = {Layout.PLAIN: self.input(source)}
        else:
            self._found[node] = self._found[source]

    def add(
        self, operator: Any, source: Node | None = None, limits: tuple[float, float] | None = None
    ) -> None:
        """Appends a node; ``limits`` clamps its result, ``source`` is the node of the model it stands for."""
        handle = source.meta.get(meta_keys.DEBUG_HANDLE, _NO_HANDLE) if source is not None else _NO_HANDLE
        clamp = schema.OutputMinMax(output_min=limits[0], output_max=limits[1]) if limits else None
        self._graph.xnodes.append(
            schema.XNode(xnode_union=operator, debug_handle=handle, output_min_max=clamp)
        )

    def reshape(
        self,
        source: int,
        shape: Sequence[Any],
        kind: ElementType,
        target: int | None = None,
        handle: Node | None = None,
    ) -> int:
        """The same elements as a value of another shape.

        Args:
            source: value to read.
            shape: sizes of the result; XNNPACK finds a symbolic one from the number of elements, so one may be.
            kind: type of the elements.
            target: value to write, a new one by default.
            handle: the node of the model that this stands for.
        """
        target = self.value(shape, kind) if target is None else target
        # A value without dimensions is one with a dimension of 1, as in ``value``.
        given = [size if isinstance(size, int) else 0 for size in shape] or [1]
        made = schema.XNNStaticReshape(
            num_dims=len(given), new_shape=given, input_id=source, output_id=target
        )
        self.add(made, handle)
        return target

    def _transposed(self, node: Node, identifier: int, source: Layout, target: Layout) -> int:
        moved = permutation(source, target, len(shape_of(node)))
        return self.transpose(identifier, moved, target.arrange(shape_of(node)), self.type_of(node))

    def transpose(
        self, identifier: int, order: Sequence[int], shape: Sequence[int], kind: ElementType
    ) -> int:
        """A value with permuted dimensions; of transposes behind each other only the whole is done.

        Args:
            identifier: what is permuted.
            order: for each dimension of the result the dimension of the input.
            shape: of the result.
            kind: the type of the elements.
        """
        origin, before = self._transposed_from.get(identifier, (identifier, list(range(len(order)))))
        whole = [before[axis] for axis in order]
        if whole == list(range(len(whole))):
            return origin
        result = self.value(shape, kind)
        self._transposed_from[result] = (origin, whole)
        self.add(
            schema.XNNStaticTranspose(num_dims=len(whole), perm=whole, input_id=origin, output_id=result)
        )
        return result

    def found(self, node: Node, layout: Layout, identifier: int) -> None:
        """Says which value stands for the result of ``node`` in ``layout``."""
        self._found.setdefault(node, {})[layout] = identifier

    # The borders.

    def add_external_input(self, node: Node) -> None:
        """The next argument of the delegate, in the layout in which it lies in memory.

        XNNPACK has no empty values; no node reads one that is.
        """
        value = node.meta[meta_keys.VAL]
        identifier = self.output(node, memory_layout(value))
        self._make_external(identifier, _EXTERNAL_INPUT)
        tensor = self._tensor(identifier)
        tensor.dims = [max(size, 1) for size in tensor.dims]
        self._graph.input_ids.append(identifier)

    def add_external_output(self, node: Node) -> None:
        """The next result of the delegate, in the layout in which the caller expects it."""
        value = node.meta[meta_keys.VAL]
        identifier = self.input(node, memory_layout(value))
        tensor = self._tensor(identifier)
        if tensor.flags or tensor.constant_buffer_idx:
            copy = self.value(tensor.dims, self.type_of(node))
            self.add(schema.XNNCopy(input_id=identifier, output_id=copy))
            identifier = copy
        self._make_external(identifier, _EXTERNAL_OUTPUT)
        self._graph.output_ids.append(identifier)

    def _tensor(self, identifier: int) -> schema.XNNTensorValue:
        union = self._graph.xvalues[identifier].xvalue_union
        tensor = union.tensor_value if isinstance(union, schema.XNNQuantizedTensorValue) else union
        assert isinstance(tensor, schema.XNNTensorValue)
        return tensor

    def _make_external(self, identifier: int, flag: int) -> None:
        tensor = self._tensor(identifier)
        tensor.flags = flag
        tensor.external_id = self._graph.num_externs
        self._graph.num_externs += 1

    def finish(self) -> None:
        """Takes out what nothing reads."""
        remove_unread(self._graph)

    def graph(self) -> schema.XNNGraph:
        """What has been built."""
        return self._graph

"""Runs a blob with PyTorch: what the schema says of nodes, types and sizes, in the shortest form.

Written from the format and from what files of the released exporter have in it, not from the lowering.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from executorch.backends.apple.mps.serialization import schema
from executorch.backends.apple.mps.serialization.blob import ids, unpack

_KIND = schema.MPSDataType
TYPES = {
    _KIND.mps_data_type_float16: torch.float16,
    _KIND.mps_data_type_float32: torch.float32,
    _KIND.mps_data_type_int8: torch.int8,
    _KIND.mps_data_type_int16: torch.int16,
    _KIND.mps_data_type_int32: torch.int32,
    _KIND.mps_data_type_int64: torch.int64,
    _KIND.mps_data_type_uint8: torch.uint8,
    _KIND.mps_data_type_bool: torch.bool,
}


class Interpreter:
    """One delegate.

    Args:
        blob: its bytes.
    """

    def __init__(self, blob: bytes) -> None:
        self.graph, self._constants = unpack(blob)
        #: Which result is which output of the program.
        self.order: list[Any] = []
        self._values: dict[int, Tensor] = {}

    def __call__(self, *inputs: Tensor) -> list[Tensor]:
        graph = self.graph
        self._values = {number: self._constant(number) for number in graph.constant_ids}
        for number, given in zip(graph.input_ids, inputs, strict=True):
            held = graph.mps_values[number]
            assert given.dtype == TYPES[held.datatype] and list(given.shape) == held.dims, (given, held)
            self._values[number] = given
        with torch.no_grad():
            for node in graph.mps_nodes:
                self._run(node)
        found = []
        for number in graph.output_ids:
            assert self._values[number].dtype == TYPES[graph.mps_values[number].datatype], number
            found.append(self._values[number])
        return found

    def names(self) -> list[str]:
        """The nodes, in order, without ``MPS``."""
        return [type(node.mpsnode_union).__name__[3:] for node in self.graph.mps_nodes]

    def _constant(self, number: int) -> Tensor:
        held = self.graph.mps_values[number]
        content = self._constants[held.segment_offset :][: held.constant_buffer_size]
        return torch.frombuffer(bytearray(content), dtype=TYPES[held.datatype]).reshape(held.dims)

    def _run(self, node: schema.MPSNode) -> None:
        held: Any = node.mpsnode_union
        name = type(held).__name__[3:]
        assert (node.min_max is not None) == (name == "Clamp"), name
        _, results = ids(held)
        if name == "Clamp":
            limits: Any = node.min_max
            made: Any = self._values[held.input1_id].clamp(limits.min_value, limits.max_value)
        elif name in _PLAIN:
            read = [self._values[one] for one in ids(held)[0]]
            assert len({one.dtype for one in read if name != "Where" or one is not read[0]}) <= 1, name
            made = _PLAIN[name](*read)
        else:
            made = _NODES[name](held, self._values)
        made = list(made) if isinstance(made, list) else [made]
        # What a node makes besides its first result, nobody reads.
        for number, value in zip(results if name == "SplitWithSizes" else results[:1], made, strict=True):
            number = held.output1_id if hasattr(held, "output1_id") else number
            sizes = self.graph.mps_values[number].dims
            assert list(value.shape) == sizes, (name, value.shape, sizes)
            self._values[number] = value


def _like(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *operands: function(*operands)


_UNARY = (
    "exp exp2 reciprocal sqrt neg log log10 log2 erf floor ceil rsqrt sigmoid sin sign cos tan abs asin acos atan sinh cosh "
    "tanh asinh acosh atanh bitwise_not isnan isinf round logical_not"
)
_BINARY = "mul fmod remainder pow atan2 bitwise_and bitwise_or bitwise_xor minimum eq ne ge gt le lt"


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


#: Nodes that have nothing but operands.
_PLAIN: dict[str, Callable[..., Any]] = {_camel(one): _like(getattr(torch, one)) for one in _UNARY.split()}
_PLAIN |= {
    _camel(one): _like(getattr(torch, one)) for one in _BINARY.split() if one not in ("fmod", "remainder")
}
_PLAIN |= {"Max": torch.maximum, "MatMul": torch.matmul, "Where": torch.where}
_PLAIN["ReLU"] = lambda one, _: torch.relu(one)


def _binary(held: Any, values: Any) -> tuple[Tensor, Tensor]:
    first, second = values[held.input1_id], values[held.input2_id]
    assert first.dtype == second.dtype, held
    return first, second


def _sum(held: Any, values: Any) -> Tensor:
    first, second = _binary(held, values)
    alpha = held.alpha if first.is_floating_point() else int(held.alpha)
    return (
        torch.sub(first, second, alpha=alpha)
        if isinstance(held, schema.MPSSub)
        else torch.add(first, second, alpha=alpha)
    )


def _quotient(held: Any, values: Any) -> Tensor:
    first, second = _binary(held, values)
    return torch.div(first, second, rounding_mode=held.rounding_mode)


def _addmm(held: Any, values: Any) -> Tensor:
    bias, first, second = (values[one] for one in (held.input1_id, held.input2_id, held.input3_id))
    assert held.alpha == held.beta == 1, "released run times add the product as it is"
    return bias + first @ second


def _convolution(held: Any, values: Any) -> Tensor:
    image, weight = values[held.input1_id], values[held.input2_id]
    bias = values[held.input3_id] if held.input3_id >= 0 else None
    is_row = image.dim() == 3
    if is_row:
        image, weight = image.unsqueeze(2), weight.unsqueeze(2)
    image = F.pad(image, (held.padding_left, held.padding_right, held.padding_top, held.padding_bottom))
    if isinstance(held, schema.MPSDepthwiseConv2D):
        assert held.groups == image.shape[1] and weight.shape[1] == 1
    found = F.conv2d(
        image,
        weight,
        bias,
        stride=(held.stride_y, held.stride_x),
        dilation=(held.dilation_y, held.dilation_x),
        groups=held.groups,
    )
    return found.squeeze(2) if is_row else found


def _pool(held: Any, values: Any) -> Tensor:
    """Windows of a padded image, reduced; the number of windows is rounded down."""
    image = values[held.input1_id]
    margins = (held.padding_left, held.padding_right, held.padding_top, held.padding_bottom)
    is_max = isinstance(held, schema.MPSMaxPool2DWithIndices)
    kernel, stride = (held.kernel_height, held.kernel_width), (held.stride_height, held.stride_width)
    padded = F.pad(image, margins, value=float("-inf") if is_max else 0.0)
    if is_max:
        dilation = (held.dilation_height, held.dilation_width)
        return F.max_pool2d(padded, kernel, stride, dilation=dilation)
    sums = F.avg_pool2d(padded, kernel, stride, divisor_override=1)
    if held.divisor_override:
        return sums / held.divisor_override
    ones = torch.ones_like(image)
    ones = F.pad(ones, margins, value=1.0 if held.count_include_pad else 0.0)
    return sums / F.avg_pool2d(ones, kernel, stride, divisor_override=1)


def _batch_norm(held: Any, values: Any) -> Tensor:
    source = values[held.input_id]
    read = (held.mean_id, held.var_id, held.weight_id, held.bias_id)
    mean, variance, weight, bias = (values[one] if one >= 0 else None for one in read)
    return F.batch_norm(source, mean, variance, weight, bias, False, held.momentum, held.epsilon)


def _layer_norm(held: Any, values: Any) -> Tensor:
    weight, bias = (values[one] if one >= 0 else None for one in (held.weight_id, held.bias_id))
    return F.layer_norm(values[held.input1_id], held.normalized_shape, weight, bias, held.eps)


def _index(held: Any, values: Any) -> Tensor:
    places = [slice(None) if one < 0 else values[one].long() for one in held.indices_id]
    found: Tensor = values[held.input1_id][tuple(places)]
    return found


def _index_put(held: Any, values: Any) -> Tensor:
    found: Tensor = values[held.input1_id].clone()
    written = values[held.values_id].reshape([int(one) for one in held.values_shape])
    found[tuple(values[one].long() for one in held.indices_id)] = written
    return found


def _cast(held: Any, values: Any) -> Tensor:
    found: Tensor = values[held.input1_id].to(TYPES[held.dtype])
    return found


def _source(function: Callable[[Any, Tensor], Any]) -> Callable[[Any, Any], Any]:
    return lambda held, values: function(held, values[held.input1_id])


def _slice(held: Any, source: Tensor) -> Tensor:
    places = [slice(None)] * source.dim()
    places[held.dim] = slice(held.start, held.end, held.step)
    return source[tuple(places)]


#: The others.
_NODES: dict[str, Callable[[Any, Any], Any]] = {
    "Add": _sum,
    "Sub": _sum,
    "Div": _quotient,
    "Fmod": lambda held, values: torch.fmod(*_binary(held, values)),
    "Remainder": lambda held, values: torch.remainder(*_binary(held, values)),
    "HardTanh": _source(lambda held, one: F.hardtanh(one, held.min_value, held.max_value)),
    "GELU": _source(lambda held, one: F.gelu(one, approximate=held.approximate)),
    "LeakyReLU": _source(lambda held, one: F.leaky_relu(one, held.negative_slope)),
    "Softmax": _source(lambda held, one: torch.softmax(one, held.dim)),
    "LogSoftmax": _source(lambda held, one: torch.log_softmax(one, held.dim)),
    "Addmm": _addmm,
    "Full": lambda held, values: torch.full(held.shape, held.fill_value, dtype=TYPES[held.dtype]),
    "FullLike": _source(lambda held, one: torch.full_like(one, held.fill_value, dtype=TYPES[held.dtype])),
    "Arange": lambda held, values: torch.arange(held.start, held.end, held.step).to(TYPES[held.dtype]),
    "IndexSelect": lambda held, values: values[held.input1_id].index_select(held.dim, values[held.index_id]),
    "Embedding": lambda held, values: F.embedding(values[held.input2_id], values[held.input1_id]),
    "IndexPut": _index_put,
    "IndexTensor": _index,
    "Scatter": lambda held, values: values[held.input1_id].scatter(
        held.dim, values[held.idx_id].long(), values[held.src_id]
    ),
    "Mean": _source(lambda held, one: one.mean(held.dims, keepdim=held.keep_dims)),
    "Permute": _source(lambda held, one: one.permute(held.perm)),
    "View": _source(lambda held, one: one.reshape(held.shape)),
    "Expand": _source(lambda held, one: one.expand(held.shape)),
    "Cat": lambda held, values: torch.cat([values[one] for one in held.input_ids], held.dim),
    "Squeeze": _source(lambda held, one: one.squeeze(tuple(held.dims))),
    "Unsqueeze": _source(lambda held, one: one.unsqueeze(held.dim)),
    "Select": _source(lambda held, one: one.select(held.dim, held.index)),
    "Slice": _source(_slice),
    "SplitWithSizes": _source(lambda held, one: list(one.split(held.split_sizes, held.dim))),
    "Cast": _cast,
    "Conv2D": _convolution,
    "DepthwiseConv2D": _convolution,
    "BatchNorm": _batch_norm,
    "LayerNorm": _layer_norm,
    "MaxPool2DWithIndices": _pool,
    "AvgPool2D": _pool,
    "ConstantPadND": _source(lambda held, one: F.pad(one, held.pad, value=held.value)),
}

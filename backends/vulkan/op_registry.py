"""What the Vulkan delegate has: the one table that partitioner, lowering, tests and ``OPERATORS.md`` are made from."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from executorch.backends.transforms import refusals
from executorch.backends.vulkan.graph import call as say
from executorch.backends.vulkan.graph import checks, complex_numbers, tokens
from executorch.backends.vulkan.graph.call import Saying
from executorch.backends.vulkan.graph.checks import Check
from executorch.backends.vulkan.graph.complex_numbers import Rewrite

FLOATS = (torch.float32, torch.float16)
INTEGERS = (torch.int32, torch.int64)
NUMBERS = FLOATS + INTEGERS
ALL = (*NUMBERS, torch.bool)
BOOLS = (torch.bool,)
BYTES = (torch.int8,)


@dataclass(frozen=True)
class OpFeatures:
    """What is known of one operator.

    Attributes:
        name: in the edge dialect.
        say: how a call of it is said to the delegate, None where its result is that of its first argument.
        dtypes: element types of the tensors that it works on.
        results: those of its results where they are others.
        others: position of an argument -> the element types of that one, where they are others.
        resize: whether sizes may change from run to run.
        checks: each says why a call is refused, or nothing.
        whole: kept in one piece on the way to the edge dialect.
        moves: calculates nothing, so it is no delegate alone.
        takes_empty: operands may be without elements.
        inserted: not in programs; the lowering finds what it stands for.
        pairs: how a call on complex numbers is said by calls on pairs of floats, None where it takes none.
        conditions: what the checks ask for, in words.
    """

    name: str
    say: Saying = say.as_it_is
    dtypes: tuple[torch.dtype, ...] = FLOATS
    results: tuple[torch.dtype, ...] = ()
    others: tuple[tuple[int, tuple[torch.dtype, ...]], ...] = ()
    resize: bool = True
    checks: tuple[Check, ...] = ()
    whole: bool = False
    moves: bool = False
    takes_empty: bool = False
    inserted: bool = False
    pairs: Rewrite | None = None
    conditions: str = ""

    @property
    def is_complex(self) -> bool:
        """Whether all calls of it are on complex numbers."""
        return torch.complex64 in (*self.dtypes, *self.results)


#: Operator of the edge dialect -> what is known of it.
vulkan_supported_ops: dict[str, OpFeatures] = {}


def _add(*names: str, **features: Any) -> None:
    for name in names:
        vulkan_supported_ops[name] = OpFeatures(name, pairs=complex_numbers.ON_PAIRS.get(name), **features)


def get_op_features(target: Any) -> OpFeatures | None:
    """The row of an operator, by overload or name; None for what is not in the table."""
    return vulkan_supported_ops.get(say.operator_name(target))


def has_impl(target: Any) -> bool:
    """Whether the delegate has an operator, for some arguments at least."""
    return get_op_features(target) is not None


def call_names() -> set[str]:
    """The names that calls may have in the graphs that are written."""
    sizes = {"sym_size.int", "et_vk.select_as_symint.default", *SIZES.values()}
    return {
        name for name, row in vulkan_supported_ops.items() if not row.is_complex
    } - _SAID_OTHERWISE | sizes


#: Arithmetic on sizes: function of Python -> name in the graph.
SIZES: dict[Callable[..., Any], str] = {
    operator.add: "add",
    operator.floordiv: "floordiv",
    operator.mul: "mul",
    operator.sub: "sub",
}

_ARITHMETIC = {"dtypes": NUMBERS}
_BITS = {"dtypes": (*INTEGERS, torch.bool)}
_add("aten.add.Tensor", "aten.add.Scalar", "aten.sub.Tensor", "aten.sub.Scalar", **_ARITHMETIC)
_add("aten.mul.Tensor", "aten.mul.Scalar", "aten.minimum.default", "aten.maximum.default", **_ARITHMETIC)
_add("aten.remainder.Tensor", "aten.remainder.Scalar", "aten.fmod.Tensor", "aten.fmod.Scalar")
_add("aten.div.Tensor", "aten.div.Scalar", "aten.atan2.default")
_add(
    "aten.div.Tensor_mode",
    "aten.div.Scalar_mode",
    dtypes=NUMBERS,
    checks=(checks.rounds,),
    conditions="rounded down or towards zero",
)
_add("aten.pow.Tensor_Tensor", "aten.pow.Tensor_Scalar")
_COMPARISONS = [
    f"aten.{one}.{form}" for one in ("eq", "ne", "lt", "le", "gt", "ge") for form in ("Tensor", "Scalar")
]
_add(*_COMPARISONS, dtypes=NUMBERS, results=BOOLS)
_add("aten.logical_and.default", "aten.logical_or.default", "aten.logical_xor.default", dtypes=BOOLS)
_add("aten.bitwise_and.Tensor", "aten.bitwise_or.Tensor", "aten.bitwise_xor.Tensor", **_BITS)
_add(
    "aten.where.self",
    dtypes=ALL,
    others=((0, BOOLS),),
    checks=(checks.five_dimensions,),
    conditions="five dimensions at most",
)

_SIGNED = {"dtypes": NUMBERS}
_add("aten.relu.default", "aten.abs.default", "aten.neg.default", "aten.sign.default", **_SIGNED)
_add(
    "aten.clamp.default",
    dtypes=NUMBERS,
    checks=(checks.limits_of_32_bits,),
    conditions="limits of integers have 32 bits",
)
_add("aten.logical_not.default", dtypes=BOOLS)
_add("aten.bitwise_not.default", **_BITS)
_FUNCTIONS = (
    "sigmoid tanh exp log sqrt rsqrt sin cos floor ceil round trunc reciprocal erf log1p expm1 tan atan "
    "log2 log10 asin acos sinh cosh asinh acosh atanh"
)
_add(*(f"aten.{one}.default" for one in _FUNCTIONS.split()))
_WHOLE = {"whole": True}
_add("aten.hardswish.default", "aten.hardsigmoid.default", "aten.silu.default", "aten.mish.default", **_WHOLE)
_add("aten.gelu.default", "aten.hardtanh.default", "aten.leaky_relu.default", "aten.elu.default")
_add(
    "aten._to_copy.default",
    "dim_order_ops._to_dim_order_copy.default",
    say=say.clone,
    dtypes=ALL,
    results=ALL,
)

_add("aten.mm.default", "aten.bmm.default", "aten.addmm.default")
_add("aten.linear.default", whole=True)
_add("executorch.grouped_mm.default", others=((2, INTEGERS),))
_add(
    "aten._weight_int8pack_mm.default",
    say=say.int8_product,
    others=((1, BYTES),),
    checks=(checks.constant_operands,),
    whole=True,
    conditions="weights and their scales are constants",
)
_add(
    "aten.convolution.default",
    say=say.convolution,
    checks=(checks.convolution,),
    conditions="one or two dimensions; weight and bias are constants",
)

_add(
    "et_vk.conv_with_clamp.default",
    say=say.convolution,
    checks=(checks.convolution,),
    conditions="a convolution and the relu, hardtanh or clamp behind it; one or two dimensions; weight and bias are constants",
)

_add(
    "aten._softmax.default",
    "aten._log_softmax.default",
    say=say.with_dim,
    checks=(checks.keeps_type,),
    conditions="the result has the type of the input",
)
_FIRST_ONLY = {"checks": (refusals.first_result_only,), "conditions": "only the first result is read"}
_add("aten.native_layer_norm.default", "aten.native_group_norm.default", **_FIRST_ONLY)
_add("aten._native_batch_norm_legit_no_training.default", **_FIRST_ONLY)
_add(
    "aten._native_batch_norm_legit.no_stats",
    say=say.instance_norm,
    checks=(refusals.first_result_only, checks.batch_of_one),
    conditions="of one image, as instance norms are; only the first result is read",
)
_add(
    "aten.rms_norm.default",
    say=say.rms_norm,
    whole=True,
    checks=(checks.last_dimensions,),
    conditions="over the last dimensions",
)
_add(
    "aten.argmax.default",
    "aten.argmin.default",
    say=say.with_dim,
    dtypes=NUMBERS,
    results=(torch.int64,),
    checks=(checks.one_dimension,),
    conditions="over one dimension",
)
_add(
    "aten.cumsum.default",
    say=say.with_dim,
    dtypes=ALL,
    results=NUMBERS,
    checks=(checks.keeps_type_or_counts,),
    conditions="the result has the type of the input, or is int64 of integers and of what is true, or integers of floats",
)
_add(
    "aten.topk.default",
    say=say.with_dim,
    dtypes=NUMBERS,
    results=NUMBERS,
    checks=(checks.has_dimensions, checks.short_lines),
    conditions="among 16384 elements at most",
)
_add(
    "aten.sort.default",
    "aten.sort.stable",
    say=say.sort,
    dtypes=NUMBERS,
    results=NUMBERS,
    checks=(checks.has_dimensions, checks.known_length, checks.short_lines),
    conditions="of 16384 elements at most, whose number is known",
)
_add(
    "aten.histc.default",
    checks=(checks.known_range,),
    conditions="between a minimum and a greater maximum",
)
_REDUCTION = {
    "say": say.reduction,
    "checks": (checks.keeps_type,),
    "conditions": "the result has the type of the input",
}
_add("aten.mean.dim", "aten.sum.dim_IntList", **_REDUCTION)
_add("aten.amax.default", "aten.amin.default", dtypes=NUMBERS, **_REDUCTION)
_add("aten.any.dim", say=say.any_of, dtypes=BOOLS)
_add(
    "aten.max_pool2d_with_indices.default",
    say=say.pool,
    results=(*FLOATS, torch.int64),
    checks=(checks.first_result_read, checks.planes),
    conditions="three or four dimensions; its values are read, whether indices are or not",
)
_PLANES = {"checks": (checks.planes,), "conditions": "three or four dimensions"}
_add("aten.avg_pool2d.default", say=say.pool, **_PLANES)
_add("aten._adaptive_avg_pool2d.default", **_PLANES)

_MOVER = {"dtypes": ALL, "moves": True}
_BYTE_MOVER = {"dtypes": (*ALL, *BYTES), "moves": True}
_DIMENSIONS = {"checks": (checks.has_dimensions,), "conditions": "of a tensor with dimensions"}
_add("aten.view_copy.default", say=say.view, **_BYTE_MOVER)
_add("aten.unsqueeze_copy.default", say=say.unsqueeze, **_BYTE_MOVER)
_add(*(f"aten.squeeze_copy.{one}" for one in ("dims", "dim", "default")), say=say.squeeze, **_BYTE_MOVER)
_add(
    "aten.clone.default",
    "aten.alias_copy.default",
    "dim_order_ops._clone_dim_order.default",
    say=say.clone,
    **_BYTE_MOVER,
)
_PERMUTATIONS = [f"aten.{one}" for one in ("permute_copy.default", "transpose_copy.int", "t_copy.default")]
_add(*_PERMUTATIONS, say=say.permute, **_BYTE_MOVER)
_add("aten.expand_copy.default", say=say.expand, **_MOVER)
_add("aten.cat.default", say=say.cat, takes_empty=True, conditions="parts may have no elements", **_MOVER)
_add("aten.slice_copy.Tensor", say=say.with_dim, **_MOVER)
_add("aten.select_copy.int", say=say.select, **_MOVER)
_SPLIT = {"conditions": "each part is a slice"}
_add(
    "aten.split_with_sizes_copy.default", "aten.split_copy.Tensor", "aten.unbind_copy.int", **_MOVER, **_SPLIT
)
_add(
    "aten.index_select.default",
    say=say.with_dim,
    dtypes=ALL,
    others=((2, INTEGERS),),
    checks=(checks.row_of_indices,),
    conditions="indices have one dimension",
)
_add(
    "aten.index.Tensor",
    say=say.index,
    dtypes=ALL,
    others=((1, INTEGERS),),
    checks=(checks.indices,),
    conditions="three tensors of indices at most, for dimensions beside each other",
)
_add(
    "aten.index_put.default",
    dtypes=ALL,
    others=((1, INTEGERS),),
    checks=(checks.puts_slices,),
    conditions="slices along one dimension, put to places that differ or added up, but not of booleans; nothing is broadcast",
)
_add("aten.gather.default", say=say.with_dim, dtypes=ALL, others=((2, INTEGERS),))
_add("aten.scatter.src", say=say.with_dim, dtypes=ALL, others=((2, INTEGERS),), **_DIMENSIONS)
_add("aten.scatter_add.default", say=say.with_dim, dtypes=NUMBERS, others=((2, INTEGERS),), **_DIMENSIONS)
_add("aten.embedding.default", dtypes=ALL, others=((1, INTEGERS),))
_add(
    "aten.constant_pad_nd.default",
    dtypes=ALL,
    checks=(checks.pads,),
    conditions="nothing is cut off; five dimensions at most",
)
_add("aten.flip.default", say=say.flip, **_MOVER)
_add(
    "aten.unfold_copy.default",
    say=say.unfold,
    **_DIMENSIONS,
    **_MOVER,
)
_add(
    "aten.reflection_pad2d.default",
    "aten.replication_pad2d.default",
    checks=(checks.planes,),
    **_WHOLE,
    conditions="three or four dimensions",
)
_add(
    "aten.grid_sampler_2d.default",
    checks=(checks.sampling,),
    conditions="bilinear or nearest",
)
_add("aten.repeat.default", **_MOVER)
_UPSAMPLE = {"whole": True, "checks": (refusals.images,), "conditions": "four dimensions"}
_add("aten.upsample_nearest2d.vec", "aten.upsample_bilinear2d.vec", **_UPSAMPLE)
_add("aten.full.default", **_MOVER)
_add("aten.full_like.default", results=ALL, **_MOVER)
_add(
    "dim_order_ops._empty_dim_order.default",
    say=say.empty,
    conditions="as `aten.full.default`, of zeros",
    **_MOVER,
)
_add(
    "aten.arange.start_step",
    "aten.arange.default",
    "aten.arange.start",
    say=say.arange,
    dtypes=NUMBERS,
    moves=True,
)
_add("aten.sym_size.int", **_MOVER)

_add(
    "aten._local_scalar_dense.default",
    say=say.item,
    dtypes=INTEGERS,
    checks=(checks.item_of_input,),
    moves=True,
    conditions="an integer of an input of the program, such as a position",
)
_add(
    "llama.update_cache.default",
    dtypes=(*FLOATS, torch.int32, *BYTES),
    checks=(checks.cache_update,),
    conditions="four dimensions; batches of int8 begin with whole words",
)
_add(
    "llama.custom_sdpa.default",
    checks=(checks.attention,),
    conditions="heads of a multiple of 4 numbers, 256 at most",
)
_add(
    tokens.ATTENTION,
    dtypes=BYTES,
    results=FLOATS,
    others=((4, FLOATS), *((place, (torch.float32,)) for place in (9, 11, 13))),
    checks=(checks.attention_of_bytes,),
    conditions="heads of a multiple of 4 numbers, 256 at most; a scale and a zero point for each token of each head",
)
_add(
    tokens.CHOOSE,
    tokens.QUANTIZE,
    dtypes=(torch.float32,),
    results=(torch.float64, torch.int64, *BYTES),
    others=((2, BYTES),),
    checks=(checks.quantizes_tokens,),
    conditions="to all of int8, each line by a scale and a zero point that are found at run time",
)

_add(
    "quantized_decomposed.quantize_per_tensor.default",
    results=BYTES,
    moves=True,
    checks=(checks.to_bytes,),
    conditions="to int8",
)
_add("quantized_decomposed.dequantize_per_tensor.default", dtypes=BYTES, results=FLOATS, moves=True)

_add(
    tokens.DEQUANTIZE,
    dtypes=BYTES,
    results=(torch.float32,),
    others=((1, (torch.float32,)), (2, (torch.int64,))),
    checks=(checks.makes_floats_of_tokens,),
    conditions="of zero points that are kept in int8",
)

_COMPLEX = (torch.complex64,)
_TRANSFORM = {
    "checks": (complex_numbers.wrong_transform,),
    "conditions": "of a known number of points, 1024 at most in a dimension",
}
_FROM_FLOATS = {"dtypes": (torch.float32,), "results": _COMPLEX}
_TO_FLOATS = {"dtypes": _COMPLEX, "results": (torch.float32,)}
_add("aten._fft_r2c.default", **_TRANSFORM, **_FROM_FLOATS)
_add("aten._fft_c2r.default", **_TRANSFORM, **_TO_FLOATS)
_add("aten._fft_c2c.default", **_TRANSFORM, dtypes=_COMPLEX)
_add("aten.view_as_complex_copy.default", **_FROM_FLOATS, moves=True)
_add("aten.view_as_real_copy.default", **_TO_FLOATS, moves=True)
_add(
    "aten.complex.default",
    **_FROM_FLOATS,
    checks=(complex_numbers.same_shapes,),
    conditions="of parts of one shape",
    moves=True,
)

_INSERTED = {"inserted": True}
_add(
    "et_vk.rotary_embedding.default",
    **_INSERTED,
    conditions="neighbouring pairs, turned by tables of cosines and sines from a position on",
)
_add(
    "et_vk.quantize_per_token.default",
    **_INSERTED,
    conditions="what chooses scales and zero points of lines and quantizes them by these",
)
_add("et_vk.state.default", **_INSERTED, conditions="buffers and parameters that the program writes")
_add(
    "et_vk.linear_q4gsw.default",
    **_INSERTED,
    conditions="a linear layer of four-bit weights, symmetric, in groups of a multiple of 8 columns",
)
_add(
    "et_vk.linear_q8csw.default",
    **_INSERTED,
    conditions="a linear layer of int8 weights, symmetric, with a scale for each output",
)
_add(
    "et_vk.linear_q8gsw.default",
    **_INSERTED,
    conditions="a linear layer of int8 weights, symmetric, in groups of a multiple of 4 columns",
)
_add(
    "et_vk.embedding_q4gsw.default",
    "et_vk.embedding_q8csw.default",
    **_INSERTED,
    conditions="an embedding whose table has such weights of four bits, or of eight with a scale for each row",
)
_add(
    "et_vk.linear_dq8ca_q4gsw.default",
    "et_vk.linear_dq8ca_q8gsw.default",
    "torchao.choose_qparams_affine.default",
    "quantized_decomposed.choose_qparams.tensor",
    **_INSERTED,
    conditions="a linear layer of such weights of four or eight bits, whose rows are quantized to int8 at run time, each by a scale of its own or all by one",
)
_add(
    "et_vk.add_int8.default",
    "et_vk.conv_int8.default",
    "et_vk.linear_int8.default",
    dtypes=BYTES,
    **_INSERTED,
    conditions="what is calculated between `dequantize_per_tensor` and `quantize_per_tensor`, with a relu, hardtanh or clamp behind it; constant weights, "
    "sums of one shape",
)

_OF_ATEN = (
    "_local_scalar_dense.default _native_batch_norm_legit.no_stats _weight_int8pack_mm.default "
    "alias_copy.default any.dim arange.default arange.start sort.default sort.stable "
    "split_copy.Tensor split_with_sizes_copy.default squeeze_copy.default squeeze_copy.dim "
    "sym_size.int t_copy.default transpose_copy.int unbind_copy.int"
)
#: Rows under whose name calls are never said, since they are slices, views or copies.
_SAID_OTHERWISE = {
    *(f"aten.{one}" for one in _OF_ATEN.split()),
    "dim_order_ops._clone_dim_order.default",
    "dim_order_ops._empty_dim_order.default",
    "dim_order_ops._to_dim_order_copy.default",
    tokens.CHOOSE,
    tokens.QUANTIZE,
}

"""The documented operators that are defined by a pattern: ``executorch_prims`` and ``quantized_decomposed``.

``executorch_prims`` is the documented spelling of arithmetic on sizes. Programs carry ``executorch_prim``
(:mod:`executorch.dialects.prim_ops`), the spelling that released runtimes register; :data:`PRIMS_TO_PRIM` maps the
one to the other.

``quantized_decomposed`` is torch's namespace for quantization; the operators here are what fused quantized
graphs consist of beyond ``quantize_*`` and ``dequantize_*``. A quantized tensor stores integers ``q`` that mean
``(q - zero_point) * scale``, clamped to ``quant_min ... quant_max``.
"""

import importlib
import operator
from collections.abc import Callable
from typing import Any, Final

import torch
from torch.library import Library

from executorch.dialects import prim_ops
from executorch.dialects.backend_ops import bind_pattern_to_op
from executorch.dialects.torch_types import OpOverload

_PRIMS: Final = Library("executorch_prims", "DEF")
# Torch owns the namespace; a fragment adds to it whether or not torch's own part was imported.
_QUANTIZED: Final = Library("quantized_decomposed", "FRAGMENT")

#: Keep the registrations alive; whoever imports this module has the operators.
LIBRARIES: Final = (_PRIMS, _QUANTIZED)

#: Documented schema to the Python function it stands for.
PRIM_SCHEMAS: Final[dict[str, Callable[..., Any]]] = {
    "add.int(SymInt a, SymInt b) -> SymInt": operator.add,
    "mul.int(SymInt a, SymInt b) -> SymInt": operator.mul,
    "sub.int(SymInt a, SymInt b) -> SymInt": operator.sub,
    "floordiv.int(SymInt a, SymInt b) -> SymInt": operator.floordiv,
    "truediv.int(Scalar a, Scalar b) -> Scalar": operator.truediv,
    "sym_float.Scalar(Scalar a) -> Scalar": torch.sym_float,
    "gt.int(SymInt a, SymInt b) -> bool": operator.gt,
    "lt.int(SymInt a, SymInt b) -> bool": operator.lt,
    "ge.int(SymInt a, SymInt b) -> bool": operator.ge,
    "le.int(SymInt a, SymInt b) -> bool": operator.le,
    "eq.int(SymInt a, SymInt b) -> bool": operator.eq,
    "mod.Scalar(SymInt a, SymInt b) -> SymInt": operator.mod,
    "neg.Scalar(Scalar a) -> Scalar": operator.neg,
}


def _define_prims() -> dict[OpOverload, OpOverload]:
    same: dict[OpOverload, OpOverload] = {}
    for schema, function in PRIM_SCHEMAS.items():
        bind_pattern_to_op(_PRIMS, schema)(function)
        name, overload = schema.partition("(")[0].split(".")
        op = getattr(getattr(torch.ops.executorch_prims, name), overload)
        same[op] = prim_ops.SYM_OP_TO_PRIM[function]
    return same


#: ``executorch_prims`` operator to the operator that programs carry.
PRIMS_TO_PRIM: Final[dict[OpOverload, OpOverload]] = _define_prims()


# ---- quantized ------------------------------------------------------------------------------------------------

_OPERAND = "Tensor {0}, float {0}_scale, int {0}_zero_point, int {0}_quant_min, int {0}_quant_max"
_RESULT = "float out_scale, int out_zero_point, int out_quant_min, int out_quant_max"
_BINARY = f"({_OPERAND.format('a')}, {_OPERAND.format('b')}, {_RESULT}) -> Tensor qc"
_ADD_SCALAR = (
    f"(Tensor qa, float a_scale, int a_zero_point, int a_quant_min, int a_quant_max, ScalarType a_dtype, Scalar b, "
    f"{_RESULT}, ScalarType out_dtype) -> Tensor"
)
_LAYER = (
    "(Tensor input, float input_scale, int input_zero_point, Tensor weight, Tensor weight_scales, Tensor? bias, "
    f"{{extra}}{_RESULT}) -> Tensor"
)
_EMBEDDING = (
    "(Tensor weight, Tensor weight_scales, Tensor? weight_zero_points, int weight_quant_min, "
    "int weight_quant_max, Tensor indices{extra}) -> {result}"
)


def _torch_quantized() -> Any:
    """Torch's own ``quantized_decomposed`` operators, which it registers only when somebody asks."""
    namespace = torch.ops.quantized_decomposed
    if not hasattr(namespace, "quantize_per_tensor"):
        importlib.import_module("torch.ao.quantization.fx._decomposed")
    return namespace


def _dequantize(value: torch.Tensor, *params: Any) -> torch.Tensor:
    return _torch_quantized().dequantize_per_tensor.default(value, *params, value.dtype)


def _add(a: torch.Tensor, *rest: Any) -> torch.Tensor:
    return _binary(torch.ops.aten.add.Tensor, a, *rest)


def _add_relu(a: torch.Tensor, *rest: Any) -> torch.Tensor:
    def add_relu(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        return torch.ops.aten.relu.default(torch.ops.aten.add.Tensor(left, right))

    return _binary(add_relu, a, *rest)


def _binary(function: Callable[..., torch.Tensor], a: torch.Tensor, *rest: Any) -> torch.Tensor:
    a_params, b, b_params, out_params = rest[:4], rest[4], rest[5:9], rest[9:13]
    result = function(_dequantize(a, *a_params), _dequantize(b, *b_params))
    return _torch_quantized().quantize_per_tensor.default(result, *out_params, a.dtype)


def _add_scalar(qa: torch.Tensor, *rest: Any) -> torch.Tensor:
    a_params, b, out_params, out_dtype = rest[:5], rest[5], rest[6:10], rest[10]
    result = torch.ops.aten.add.Scalar(_torch_quantized().dequantize_per_tensor.default(qa, *a_params), b)
    return _torch_quantized().quantize_per_tensor.default(result, *out_params, out_dtype)


def _layer_inputs(
    value: torch.Tensor, scale: float, zero_point: int, weight: torch.Tensor, weight_scales: torch.Tensor
) -> "tuple[torch.Tensor, torch.Tensor]":
    """Input and weight of a layer in floating point; the weight's integers mean themselves times a scale."""
    limits = torch.iinfo(value.dtype)
    scales = weight_scales.view(-1, *[1] * (weight.dim() - 1))
    return _dequantize(value, scale, zero_point, limits.min, limits.max), weight.to(scales.dtype) * scales


def _linear(value: torch.Tensor, *rest: Any) -> torch.Tensor:
    inputs, bias, out_params = rest[:4], rest[4], rest[5:9]
    result = torch.ops.aten.linear.default(*_layer_inputs(value, *inputs), bias)
    return _torch_quantized().quantize_per_tensor.default(result, *out_params, value.dtype)


def _convolution(value: torch.Tensor, *rest: Any) -> torch.Tensor:
    inputs, bias, (stride, padding, dilation, groups), out_params = rest[:4], rest[4], rest[5:9], rest[9:13]
    geometry = (stride, padding, dilation, False, [0] * (value.dim() - 2), groups)
    result = torch.ops.aten.convolution.default(*_layer_inputs(value, *inputs), bias, *geometry)
    return _torch_quantized().quantize_per_tensor.default(result, *out_params, value.dtype)


def _embedding_byte(
    weight: torch.Tensor,
    weight_scales: torch.Tensor,
    weight_zero_points: "torch.Tensor | None",
    weight_quant_min: int,
    weight_quant_max: int,
    indices: torch.Tensor,
    *,
    dtype: "torch.dtype | None" = None,
) -> torch.Tensor:
    """Rows of a table of bytes, as floats: ``weight[rows, columns]``, a scale per row or per group of columns."""
    del weight_quant_min, weight_quant_max  # what the bytes may be; nothing is quantized here
    rows, columns = weight.shape
    groups = weight_scales.shape[1] if weight_scales.dim() == 2 else 1
    values = weight.view(rows, groups, columns // groups).to(weight_scales.dtype)
    if weight_zero_points is not None:
        values = values - weight_zero_points.view(rows, groups, 1).to(weight_scales.dtype)
    table = (values * weight_scales.view(rows, groups, 1)).view(rows, columns)
    result = torch.ops.aten.embedding.default(table, indices)
    return result if dtype is None else result.to(dtype)


def _packed_embedding(bits: int) -> Callable[..., torch.Tensor]:
    """As :func:`_embedding_byte`, for a table with several values in a byte: those of 4 bits with the first one in the
    high half, those of 2 bits with the first one in the lowest bits. Stored is the value minus the smallest one."""
    lowest = -(1 << (bits - 1))
    shifts = [4, 0] if bits == 4 else [0, 2, 4, 6]

    def embedding(
        weight: torch.Tensor,
        weight_scales: torch.Tensor,
        weight_zero_points: "torch.Tensor | None",
        weight_quant_min: int,
        weight_quant_max: int,
        indices: torch.Tensor,
        *,
        dtype: "torch.dtype | None" = None,
    ) -> torch.Tensor:
        if (weight_quant_min, weight_quant_max) != (lowest, -lowest - 1):
            raise ValueError(
                f"a table of {bits} bits holds {lowest} to {-lowest - 1}, not {weight_quant_min} to {weight_quant_max}"
            )
        parts = [weight.bitwise_right_shift(shift).bitwise_and((1 << bits) - 1) for shift in shifts]
        values = (torch.stack(parts, -1).to(torch.int8) + lowest).flatten(1)
        rest = (weight_scales, weight_zero_points, weight_quant_min, weight_quant_max, indices)
        return _embedding_byte(values, *rest, dtype=dtype)

    return embedding


_EMBEDDINGS: Final[dict[str, Callable[..., torch.Tensor]]] = {
    "embedding_byte": _embedding_byte,
    "embedding_4bit": _packed_embedding(4),
    "embedding_2bit": _packed_embedding(2),
}


def _mixed_mm(
    value: torch.Tensor,
    weight: torch.Tensor,
    weight_scales: torch.Tensor,
    weight_zero_points: "torch.Tensor | None",
) -> torch.Tensor:
    """``value[m, k] @ weight[k, n]``, with a scale for each of the weight's rows."""
    integers = weight.to(value.dtype)
    if weight_zero_points is not None:
        integers = integers - weight_zero_points.view(-1, 1).to(value.dtype)
    return torch.ops.aten.mm.default(value, integers * weight_scales.view(-1, 1).to(value.dtype))


def _mixed_linear(
    value: torch.Tensor,
    weight: torch.Tensor,
    weight_scales: torch.Tensor,
    weight_zero_points: "torch.Tensor | None",
    dtype: "torch.dtype | None" = None,
) -> torch.Tensor:
    """``value[..., k] @ weight[n, k].T``, with a scale for each of the weight's rows, or for each of a row's groups."""
    n, k = weight.shape
    groups = weight_scales.shape[1] if weight_scales.dim() == 2 else 1
    integers = weight.view(n, groups, k // groups).to(value.dtype)
    if weight_zero_points is not None:
        integers = integers - weight_zero_points.view(n, groups, 1).to(value.dtype)
    floats = (integers * weight_scales.view(n, groups, 1).to(value.dtype)).view(n, k)
    result = torch.ops.aten.linear.default(value, floats)
    return result if dtype is None else result.to(dtype)


def _writing(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    def write(*args: Any, out: torch.Tensor, **options: Any) -> torch.Tensor:
        result = function(*args, **options)
        out.resize_(result.shape)
        return out.copy_(result)

    return write


_DTYPE = ", *, ScalarType? dtype=None"
_OUT = "Tensor(a!) out"

_CONVOLUTION: Final = "int[] stride, int[] padding, int[] dilation, int groups, "

#: Products of floating-point values and int8 weights.
_MIXED: Final[dict[str, tuple[str, Callable[..., torch.Tensor]]]] = {
    "mixed_mm": ("", _mixed_mm),
    "mixed_linear": (", ScalarType? dtype=None", _mixed_linear),
}
_MIXED_OPERANDS: Final = "(Tensor input, Tensor weight, Tensor weight_scales, Tensor? weight_zero_points"

#: Schema to what it computes. The first four are documented; the others are layers on integers, which only
#: ``executorch.passes.quantized.quantized_layers`` makes, products with weights of integers, the overloads of the four, and tables
#: of fewer bits.
QUANTIZED_SCHEMAS: Final[dict[str, Callable[..., Any]]] = {
    "embedding_byte" + _EMBEDDING.format(extra="", result="Tensor"): _embedding_byte,
    "add" + _BINARY: _add,
    "add.scalar" + _ADD_SCALAR: _add_scalar,
    "add_relu" + _BINARY: _add_relu,
    "linear" + _LAYER.format(extra=""): _linear,
    "convolution" + _LAYER.format(extra=_CONVOLUTION): _convolution,
    **{name + _EMBEDDING.format(extra="", result="Tensor"): what for name, what in _EMBEDDINGS.items()},
    **{
        f"{name}.dtype" + _EMBEDDING.format(extra=_DTYPE, result="Tensor"): what
        for name, what in _EMBEDDINGS.items()
    },
    **{f"{name}{_MIXED_OPERANDS}{extra}) -> Tensor": what for name, (extra, what) in _MIXED.items()},
}
_OUT_SCHEMAS: Final = {
    f"{name}.{overload}" + _EMBEDDING.format(extra=extra, result="Tensor(a!)"): _writing(what)
    for name, what in _EMBEDDINGS.items()
    for overload, extra in (("out", f", *, {_OUT}"), ("dtype_out", f"{_DTYPE}, {_OUT}"))
} | {
    f"{name}.out{_MIXED_OPERANDS}{extra}, *, {_OUT}) -> Tensor(a!)": _writing(what)
    for name, (extra, what) in _MIXED.items()
}


#: Models call these themselves: tracing keeps them, where the others become the operators of their pattern. A kernel reads
#: the integers, and the pattern would make a table or a weight of floats in every call.
_WHOLE: Final = ("embedding_", "mixed_")


def _is_defined(namespace: str, schema: str) -> bool:
    name, _, overload = schema.partition("(")[0].partition(".")
    found = torch._C._jit_get_schemas_for_operator(f"{namespace}::{name}")
    return any(item.overload_name == overload for item in found)


def _define_quantized() -> None:
    for schema, function in QUANTIZED_SCHEMAS.items():
        if _is_defined("quantized_decomposed", schema):
            continue
        if schema.startswith(_WHOLE):
            _QUANTIZED.define(schema)
            _QUANTIZED.impl(schema.partition("(")[0], function, "CompositeExplicitAutograd")
        else:
            bind_pattern_to_op(_QUANTIZED, schema)(function)
    for schema, function in _OUT_SCHEMAS.items():
        if not _is_defined("quantized_decomposed", schema):
            _QUANTIZED.define(schema)
            _QUANTIZED.impl(schema.partition("(")[0], function, "CompositeExplicitAutograd")


_define_quantized()

__all__ = ["LIBRARIES", "PRIMS_TO_PRIM", "PRIM_SCHEMAS", "QUANTIZED_SCHEMAS"]

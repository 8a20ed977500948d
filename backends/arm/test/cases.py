"""Calls of each operator in floating point, by its name in the registry: functions, and what they are called with."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

from executorch.backends.arm.test.spatial_cases import SPATIAL

Case = tuple[Callable[..., Any], tuple[Any, ...]]


def _n(*shape: int) -> torch.Tensor:
    return torch.randn(*shape)


def _p(*shape: int) -> torch.Tensor:
    """Positive."""
    return torch.rand(*shape) + 0.1


def _i(*shape: int, high: int = 50) -> torch.Tensor:
    return torch.randint(-high, high, shape, dtype=torch.int32)


def _b(*shape: int) -> torch.Tensor:
    return torch.rand(*shape) > 0.5


class _With(torch.nn.Module):
    """A function of a constant."""

    def __init__(self, function: Callable[..., Any], *constants: torch.Tensor) -> None:
        super().__init__()
        self.function = function
        for i, one in enumerate(constants):
            self.register_buffer(f"c{i}", one)
        self.count = len(constants)

    def forward(self, *inputs: torch.Tensor) -> Any:
        return self.function(*inputs, *[getattr(self, f"c{i}") for i in range(self.count)])


def _or_nan(*shape: int) -> torch.Tensor:
    return _n(*shape).where(_b(*shape), torch.tensor(float("nan")))


def _at_ends(*shape: int) -> torch.Tensor:
    """Zeros of both signs, infinities, ones and what lies between."""
    ends = torch.tensor([0.0, -0.0, torch.inf, -torch.inf, 1.0, -1.0, 0.5, -3.0])
    return ends[torch.randint(0, 8, shape)]


def _inside(*shape: int) -> torch.Tensor:
    """Between -1 and 1, the ends among them."""
    return (_n(*shape) * 1.5).clamp(-1, 1)


def _binary(function: Callable[..., Any], make: Callable[..., torch.Tensor] = _n) -> list[Case]:
    """Equal shapes, broadcasts, other ranks."""
    pairs = [
        ((2, 3, 4, 5), (2, 3, 4, 5)),
        ((2, 3), (1, 3)),
        ((2, 3, 4), (4,)),
        ((3, 1, 2), (1, 4, 2)),
        ((1,), (7,)),
    ]
    cases: list[Case] = [(function, (make(*a), make(*c))) for a, c in pairs]
    return [*cases, (_With(function, make(3, 1, 1)), (make(1, 3, 4, 4),))]


def _unary(function: Callable[..., Any], make: Callable[..., torch.Tensor] = _n) -> list[Case]:
    return [(function, (make(*shape),)) for shape in ((7,), (1, 3, 4, 5), (1, 2, 1, 3, 2))]


def _reduction(function: Callable[..., Any], make: Callable[..., torch.Tensor] = _n) -> list[Case]:
    shapes = [((2, 3, 4, 5), 1, True), ((2, 3, 4), -1, False), ((5,), 0, False), ((2, 3), 0, True)]
    return [
        (lambda x, d=dim, k=keep: function(x, d, keepdim=k), (make(*shape),)) for shape, dim, keep in shapes
    ]


def _layer(module: torch.nn.Module, *inputs: torch.Tensor) -> Case:
    return module.eval(), inputs


def _scaled_norm() -> torch.nn.Module:
    layer = torch.nn.GroupNorm(2, 4)
    with torch.no_grad():
        layer.weight.normal_()
        layer.bias.normal_()
    return layer


def _batch_norm() -> Case:
    layer = torch.nn.BatchNorm2d(3)
    layer(torch.randn(8, 3, 4, 4) * 2 + 1)
    return _layer(layer, _n(2, 3, 5, 4))


_INT_AND_FLOAT = (_n, _i)


def _both(function: Callable[..., Any]) -> list[Case]:
    return [case for make in _INT_AND_FLOAT for case in _binary(function, make)]


def _compare(function: Callable[..., Any]) -> dict[str, list[Case]]:
    name = function.__name__
    least = torch.tensor([[-128, -127, 0], [1, 126, 127]], dtype=torch.int8)
    kinds = [torch.randint(0, 3, (2, 3)).float(), least, least.to(torch.int16) * 257]
    pairs = [(function, (one, one.flip(0).clamp(-100, 100))) for one in kinds[1:]]
    scalar: list[Case] = [(lambda x: function(x, 1.0), (one,)) for one in kinds]
    return {f"aten.{name}.Tensor": [*_both(function), *pairs], f"aten.{name}.Scalar": scalar}


def _whole(*shape: int) -> torch.Tensor:
    """Whole numbers other than zero, quotients of which are whole or not."""
    return (torch.randint(1, 60, shape) * (torch.randint(0, 2, shape) * 2 - 1)).float()


def _quotients() -> dict[str, list[Case]]:
    aten = torch.ops.aten
    kinds = (_whole, lambda *shape: _whole(*shape).int())
    modes = [functools.partial(torch.div, rounding_mode=mode) for mode in ("floor", "trunc")]
    found: dict[str, list[Case]] = {
        "aten.div.Tensor_mode": [case for one in modes for make in kinds for case in _binary(one, make)[:3]],
        "aten.div.Scalar_mode": [
            (lambda x, mode=mode: aten.div.Scalar_mode(x, -7.0, rounding_mode=mode), (_whole(4, 5),))
            for mode in ("floor", "trunc", None)
        ],
    }
    for name in ("remainder", "fmod"):
        function = getattr(torch, name)
        found[f"aten.{name}.Tensor"] = [case for make in kinds for case in _binary(function, make)[:2]]
        found[f"aten.{name}.Scalar"] = [(functools.partial(function, other=0.25), (_n(3, 4),))]
    return found


def _at(*numbers: int) -> torch.Tensor:
    return torch.tensor(numbers, dtype=torch.int32)


def _put(accumulate: bool, *indices: torch.Tensor | None) -> Callable[..., torch.Tensor]:
    """The first index is an input as well, if there is one."""
    return lambda x, values, *first: torch.ops.aten.index_put(
        x, [*(first or indices[:1]), *indices[1:]], values, accumulate
    )


CASES: dict[str, list[Case]] = {
    **{
        f"aten.{name}.Scalar": [
            (functools.partial(getattr(torch.ops.aten, name).Scalar, other=3), (make(2, 3),))
            for make in ((_n,) if name == "div" else _INT_AND_FLOAT)
        ]
        for name in ("add", "sub", "mul", "div")
    },
    "aten.add.Tensor": [*_both(torch.add), (lambda x, y: torch.add(x, y, alpha=2), (_n(2, 3), _n(3)))],
    "aten.sub.Tensor": [*_both(torch.sub), (lambda x: 1 - x, (_n(3, 2),))],
    "aten.mul.Tensor": [*_binary(torch.mul, _b)[:2], *_both(torch.mul)],
    "aten.div.Tensor": [*_binary(torch.div, _p), (lambda x: x / 3.0, (_n(2, 3),))],
    **_quotients(),
    "aten.maximum.default": _both(torch.maximum),
    "aten.minimum.default": _both(torch.minimum),
    "aten.fmax.default": _binary(torch.fmax, _or_nan),
    "aten.fmin.default": _binary(torch.fmin, _or_nan),
    "aten.hypot.default": [*_binary(torch.hypot, _at_ends), *_binary(torch.hypot)],
    "aten.atan2.default": [*_binary(torch.atan2, _at_ends), *_binary(torch.atan2)],
    "aten.copysign.Tensor": _binary(torch.copysign, _at_ends),
    "aten.copysign.Scalar": [
        (functools.partial(torch.copysign, other=one), (_n(3, 4),)) for one in (2.0, -0.0)
    ],
    "aten.signbit.default": [*_unary(torch.signbit, _at_ends), (torch.signbit, (_i(3, 4),))],
    "aten.pow.Scalar": [(functools.partial(torch.pow, one), (_n(3, 4),)) for one in (2.5, 0.3)],
    "aten.pow.Tensor_Tensor": _binary(torch.pow, _p),
    "aten.pow.Tensor_Scalar": [
        (lambda x, e=e: torch.pow(x, e), (x,))
        for e, x in ((2, _n(3, 4)), (3, _n(3)), (-1, _p(3, 2)), (0.5, _p(3)), (-0.5, _p(4)), (1.7, _p(2, 2)))
    ],
    **_compare(torch.eq),
    **_compare(torch.ne),
    **_compare(torch.gt),
    **_compare(torch.ge),
    **_compare(torch.lt),
    **_compare(torch.le),
    "aten.logical_and.default": _binary(torch.logical_and, _b),
    "aten.logical_or.default": _binary(torch.logical_or, _b),
    "aten.logical_xor.default": _binary(torch.logical_xor, _b),
    "aten.logical_not.default": _unary(torch.logical_not, _b),
    "aten.bitwise_and.Tensor": [*_binary(torch.bitwise_and, _i), *_binary(torch.bitwise_and, _b)],
    **{
        f"aten.bitwise_{one}.Scalar": [
            (functools.partial(getattr(torch, f"bitwise_{one}"), other=6), (_i(2, 3),))
        ]
        for one in ("and", "or", "xor")
    },
    "aten.bitwise_or.Tensor": [
        *_binary(torch.bitwise_or, _i),
        *_binary(torch.bitwise_or, lambda *s: _i(*s).to(torch.int8)),
    ],
    "aten.bitwise_xor.Tensor": _binary(torch.bitwise_xor, _i),
    "aten.bitwise_not.default": _unary(torch.bitwise_not, _i),
    **{
        f"aten.bitwise_{way}_shift.{form}": [
            (
                getattr(torch, f"bitwise_{way}_shift"),
                (_i(3, 4).to(dtype), torch.randint(0, 7, (3, 4)).to(dtype)),
            )
            if form == "Tensor"
            else (functools.partial(getattr(torch, f"bitwise_{way}_shift"), other=3), (_i(3, 4).to(dtype),))
            for dtype in (torch.int8, torch.int16, torch.int32)
        ]
        for way in ("left", "right")
        for form in ("Tensor", "Tensor_Scalar")
    },
    "aten.where.self": [
        (torch.where, (_b(2, 3), _n(2, 3), _n(1, 3))),
        (torch.where, (_b(4, 1), _n(4, 3), _n(3))),
        (lambda x: torch.where(x > 0, x, -1.0), (_n(1, 2, 3, 3),)),
    ],
    **{
        f"aten.{name}.default": _unary(getattr(torch, name), make)
        for name, make in {
            "abs": _n,
            "acos": lambda *s: _inside(*s) * 0.9,
            "acosh": lambda *s: _p(*s) + 1,
            # Up to 1, the least integer would stand for a number below -1, of which the quantized model has no result.
            "asin": lambda *s: _inside(*s) * 0.99,
            "asinh": lambda *s: _n(*s) * 20,
            "atan": lambda *s: _n(*s) * 3,
            "atanh": lambda *s: _inside(*s) * 0.99,
            "ceil": _n,
            "cos": _n,
            "cosh": _n,
            "erf": _n,
            "erfc": lambda *s: _n(*s) * 2,
            "erfinv": lambda *s: _inside(*s) * 0.99,
            **dict.fromkeys(("exp", "exp2", "expm1"), _n),
            "floor": _n,
            "isinf": lambda *s: _n(*s).where(_b(*s), torch.tensor(float("inf"))),
            "isnan": lambda *s: _n(*s).where(_b(*s), torch.tensor(float("nan"))),
            "log": _p,
            "log10": _p,
            "log1p": _p,
            "log2": _p,
            "logit": lambda *s: torch.rand(*s) * 0.8 + 0.1,
            "neg": _n,
            "reciprocal": _p,
            "round": lambda *s: torch.round(_n(*s) * 8) / 2,
            "rsqrt": _p,
            "sigmoid": _n,
            "sign": lambda *s: torch.round(_n(*s)),
            "sin": _n,
            "sinh": _n,
            "sqrt": _p,
            "tan": lambda *s: torch.rand(*s),
            "tanh": _n,
            "trunc": lambda *s: _n(*s) * 3,
        }.items()
    },
    "aten.relu.default": [*_unary(torch.relu), (torch.relu, (_i(3, 4),))],
    "aten.hardtanh.default": _unary(F.relu6) + _unary(F.hardtanh),
    "aten.clamp.default": [
        *_unary(lambda x: torch.clamp(x, -0.5, 0.5)),
        (lambda x: torch.clamp(x, max=3), (_i(5),)),
        (lambda x: torch.clamp(x, min=0.1), (_n(5),)),
    ],
    "aten.clamp.Tensor": [
        (torch.clamp, (_n(3, 4), -_p(4), _p(3, 1))),
        (lambda x, low: torch.clamp(x, min=low), (_n(5), _n(5))),
        (lambda x, high: torch.clamp(x, max=high), (_n(2, 3), _n(3))),
        (torch.clamp, (_i(2, 6), _i(6, high=9), _i(2, 6, high=9))),
        (_With(torch.clamp, _i(6, high=9), _i(6, high=9)), (_i(2, 6),)),
    ],
    # Times a power of two, which bfloat16 takes without rounding.
    "aten.hardsigmoid.default": _unary(lambda x: F.hardsigmoid(x * 4)),
    "aten.hardswish.default": _unary(lambda x: F.hardswish(x * 4)),
    "aten.silu.default": _unary(F.silu),
    "aten.log_sigmoid.default": [*_unary(F.logsigmoid), (lambda x: F.logsigmoid(x * 30), (_n(3, 4),))],
    "aten.softplus.default": [*_unary(F.softplus), (lambda x: F.softplus(x * 30, beta=2.0), (_n(3, 4),))],
    "aten.gelu.default": _unary(F.gelu) + _unary(lambda x: F.gelu(x, approximate="tanh")),
    "aten.leaky_relu.default": _unary(F.leaky_relu),
    "aten.elu.default": [*_unary(F.elu), (F.selu, (_n(2, 3),)), (lambda x: F.elu(x, 2.0), (_n(2, 3),))],
    "aten.view_copy.default": [
        (lambda x: x.abs().view(6, 4), (_n(2, 3, 4),)),
        (lambda x: x.abs().reshape(2, -1), (_n(2, 3, 2, 2),)),
        (lambda x: torch.relu(x).flatten(), (_i(2, 3),)),
    ],
    "aten.squeeze_copy.dims": [
        (lambda x: x.abs().squeeze(1), (_n(2, 1, 3),)),
        (lambda x: x.abs().squeeze(), (_n(1, 2, 1),)),
    ],
    "aten.unsqueeze_copy.default": [
        (lambda x: x.abs().unsqueeze(-1), (_n(2, 3),)),
        (lambda x: (~x).unsqueeze(0), (_b(3),)),
    ],
    "aten.permute_copy.default": [
        (lambda x: x.permute(0, 2, 3, 1), (_n(1, 2, 3, 4),)),
        (lambda x: x.permute(-1, 0, 1), (_i(2, 3, 4),)),
    ],
    "aten.slice_copy.Tensor": [
        (lambda x: x[:, 1:3], (_n(2, 4, 3),)),
        (lambda x: x[1::2, ::3], (_n(5, 7),)),
        (lambda x: x[..., -2:], (_i(2, 5),)),
    ],
    "aten.select_copy.int": [(lambda x: x[:, -1], (_n(2, 3, 4),)), (lambda x: x[0], (_b(2, 3),))],
    "aten.cat.default": [
        (lambda x, y: torch.cat([x, y], 1), (_n(2, 3, 4), _n(2, 1, 4))),
        (lambda x, y: torch.cat([x, y, x], -1), (_i(2, 3), _i(2, 2))),
    ],
    "aten.expand_copy.default": [
        (lambda x: x.expand(4, 3, 2), (_n(3, 1),)),
        (lambda x: x.expand(-1, 5), (_b(2, 1),)),
    ],
    "aten.diagonal_copy.default": [
        (lambda x: x.diagonal(), (_n(3, 5),)),
        (lambda x: x.diagonal(1, 0, 2), (_i(3, 2, 4),)),
        (lambda x: x.diagonal(-1, -1, 0), (_b(4, 2, 3),)),
    ],
    "aten.repeat.default": [(lambda x: x.repeat(2, 1, 3), (_n(2, 3),))],
    "aten.flip.default": [(lambda x: x.flip(0, 2), (_n(2, 3, 4),))],
    "aten.pixel_shuffle.default": [(lambda x: F.pixel_shuffle(x, 2), (_n(2, 8, 3, 4),))],
    "aten.pixel_unshuffle.default": [(lambda x: F.pixel_unshuffle(x, 2), (_n(2, 3, 6, 4),))],
    "aten.constant_pad_nd.default": [
        (lambda x: F.pad(x, (1, 2)), (_n(2, 3),)),
        (lambda x: F.pad(x, (1, 0, 0, 2), value=1.5), (_n(1, 2, 3, 3),)),
        (lambda x: F.pad(x, (1, 1), value=7), (_i(2, 3),)),
    ],
    "dim_order_ops._clone_dim_order.default": [(lambda x: torch.relu(x).clone() + 1, (_n(2, 3),))],
    "dim_order_ops._to_dim_order_copy.default": [
        (lambda x: (x * 3).to(torch.int32), (_n(3, 4),)),
        (lambda x: (x + 1).to(torch.float32), (_i(3, 4),)),
        (lambda x: (x > 0).to(torch.float32), (_n(3, 4),)),
        (lambda x: torch.relu(x).to(torch.float16), (_n(3, 4),)),
    ],
    "aten.split_copy.Tensor": [(lambda x: torch.ops.aten.split_copy.Tensor(x, 2, 1), (_n(2, 5),))],
    "aten.split_with_sizes_copy.default": [(lambda x: torch.split(x, [1, 3], 1), (_n(2, 4),))],
    "aten.embedding.default": [
        (
            _With(lambda i, w: F.embedding(i, w), _n(10, 4)),
            (torch.tensor([[1, 9], [0, 3]], dtype=torch.int32),),
        )
    ],
    "aten.index_select.default": [
        (_With(lambda x, i: torch.index_select(x, 1, i), torch.tensor([2, 0])), (_n(2, 3, 4),)),
    ],
    "aten.index.Tensor": [
        (_With(lambda x, i: x[:, i], torch.tensor([2, 0, -1, 1])), (_n(2, 3, 4),)),
        (lambda x: F.pad(x, (1, 2), mode="reflect"), (_n(2, 3, 5),)),
        (lambda x: F.pad(x, (1, 2, 2, 1), mode="replicate"), (_n(2, 3, 5, 4),)),
        (lambda x: F.unfold(x, (2, 3)), (_n(1, 2, 4, 5),)),
        (lambda x, i: x[i], (_n(4, 3), _at(-1, 2, 0, -4))),
        (
            _With(lambda x, i, j: x[i, j], torch.tensor([[1, 0], [0, 1]]), torch.tensor([2, -1])),
            (_n(2, 3, 4),),
        ),
        (_With(lambda x, i, j: x[:, i, j], torch.tensor([1, 0]), torch.tensor([2, 3])), (_n(2, 3, 4, 5),)),
        (_With(lambda x, i, j: x[i, :, j], torch.tensor([1, 0, 1]), torch.tensor([2, 3, 0])), (_n(2, 3, 4),)),
        (lambda x, i, j: x[i, j], (_n(4, 3, 2), _at(-1, 2), _at(0, -2))),
    ],
    "aten.gather.default": [
        (_With(lambda x, i: x.gather(1, i), torch.tensor([[0, 2], [1, 1]])), (_n(3, 3),)),
        (_With(lambda x, i: x.gather(0, i), torch.tensor([[[1], [0], [1]]])), (_i(2, 3, 4),)),
        (_With(lambda x, i: x.gather(-1, i), torch.randint(0, 4, (2, 3, 6))), (_n(2, 3, 4),)),
    ],
    "aten.index_put.default": [
        (_put(False, torch.tensor([1, -1])), (_n(4, 3), _n(2, 3))),
        (_put(False, torch.tensor([1, 0]), torch.tensor([2, 1])), (_n(2, 3, 4), _n(4))),
        (_put(False, torch.tensor([0]), None, torch.tensor([2, 1])), (_n(2, 3, 4), _n(2, 3))),
        (_put(False, torch.tensor([[1], [0]]), torch.tensor([2, 1])), (_i(2, 3), _i(2, 2))),
        (_put(True, torch.tensor([1, 1, 3])), (_n(4, 3), _n(3, 3))),
        (_put(False, None), (_n(4, 3), _n(2, 3), _at(-1, 1))),
    ],
    "aten.scatter.src": [
        (_With(lambda x, y, i: x.scatter(1, i, y), torch.tensor([[0, 2], [1, 3]])), (_n(2, 4), _n(2, 2))),
        (
            _With(lambda x, y, i: x.scatter(0, i, y), torch.tensor([[[1], [0], [1]]])),
            (_i(2, 3, 1), _i(2, 3, 2)),
        ),
    ],
    "aten.scatter.value": [(_With(lambda x, i: x.scatter(1, i, 2.5), torch.tensor([[0], [3]])), (_n(2, 4),))],
    "aten.scatter_add.default": [
        (
            _With(lambda x, y, i: x.scatter_add(1, i, y), torch.tensor([[0, 2, 0], [1, 1, 3]])),
            (_n(2, 4), _n(2, 3)),
        ),
    ],
    "aten.slice_scatter.default": [
        (lambda x, y: torch.slice_scatter(x, y, 1, 1, 3), (_n(2, 4), _n(2, 2))),
        (lambda x, y: torch.slice_scatter(x, y, 0), (_i(2, 4), _i(2, 4))),
        (lambda x, y: torch.slice_scatter(x, y, 1, 1, 7, 3), (_n(2, 9, 2), _n(2, 2, 2))),
        (lambda x, y: torch.slice_scatter(x, y, -1, 0, None, 2), (_n(3, 5), _n(3, 3))),
    ],
    "aten.select_scatter.default": [
        (lambda x, y: torch.select_scatter(x, y, 1, -1), (_n(2, 4, 3), _n(2, 3))),
        (lambda x, y: torch.select_scatter(x, y, 0, 0), (_n(3, 2), _n(2))),
    ],
    "aten.sum.dim_IntList": [
        *_reduction(torch.sum),
        (lambda x: x.sum((1, 3)), (_n(2, 3, 4, 5),)),
        (lambda x: x.sum(), (_n(3, 2),)),
    ],
    "aten.mean.dim": [*_reduction(torch.mean), (lambda x: x.mean((2, 3)), (_n(2, 3, 4, 5),))],
    "aten.mean.default": [(lambda x: x.mean(), (_n(3, 2),))],
    "aten.amax.default": _reduction(torch.amax),
    "aten.amin.default": _reduction(torch.amin),
    "aten.prod.dim_int": _reduction(torch.prod),
    "aten.prod.default": [(torch.prod, (_n(2, 3, 2),))],
    "aten.any.default": [(torch.any, (_b(3, 4),)), (torch.any, (torch.zeros(5, dtype=torch.bool),))],
    "aten.any.dim": _reduction(torch.any, _b),
    "aten.any.dims": [
        (lambda x: torch.any(x, (0, 2)), (_b(2, 3, 4),)),
        (lambda x: torch.any(x, (1, 2), keepdim=True), (_b(2, 3, 4, 5),)),
    ],
    "aten.var.correction": [
        (lambda x: x.var((1, 2)), (_n(2, 3, 4),)),
        (lambda x: x.var(1, correction=0, keepdim=True), (_n(2, 3, 4, 5),)),
    ],
    "aten._softmax.default": [
        (lambda x: x.softmax(-1), (_n(2, 3, 5),)),
        (lambda x: x.softmax(1), (_n(1, 4, 3, 3),)),
    ],
    "aten._log_softmax.default": [
        (lambda x: x.log_softmax(1), (_n(4, 7),)),
        (lambda x: x.log_softmax(-1), (_n(2, 3, 50) * 8,)),
    ],
    "aten.native_layer_norm.default": [
        _layer(torch.nn.LayerNorm(6), _n(2, 3, 6)),
        _layer(torch.nn.LayerNorm((3, 4), elementwise_affine=False), _n(2, 3, 4)),
    ],
    "aten.native_group_norm.default": [
        _layer(torch.nn.GroupNorm(2, 6), _n(2, 6, 3, 4)),
        _layer(_scaled_norm(), _n(3, 4, 5)),
    ],
    "aten._native_batch_norm_legit_no_training.default": [_batch_norm()],
    "aten.argmax.default": [
        (lambda x: x.argmax(1).int(), (_n(2, 5),)),
        (lambda x: x.argmax().int(), (_n(2, 3),)),
        (lambda x: x.argmax(1).int(), (torch.randint(-128, 127, (3, 50)).to(torch.int8),)),
    ],
    "aten.argmin.default": [
        (lambda x: x.argmin(-1, keepdim=True).int(), (_n(2, 5),)),
        (lambda x: x.argmin(0).int(), (torch.randint(-128, 127, (50, 3)).to(torch.int8),)),
    ],
    "aten.max.dim": [(lambda x: x.max(1).values, (_n(2, 5, 3),))],
    "aten.min.dim": [(lambda x: x.min(-1, keepdim=True).values, (_n(2, 5),))],
    "aten.cumsum.default": [(lambda x: x.cumsum(1), (_n(2, 5, 3),)), (lambda x: x.cumsum(-1), (_n(4),))],
    "aten.cumprod.default": [
        (lambda x: x.cumprod(1), (_n(2, 5, 3),)),
        (lambda x: x.cumprod(-1), (_n(3, 8),)),
        (lambda x: x.cumprod(0), (_n(1, 3),)),
    ],
    "aten.bmm.default": [(torch.bmm, (_n(2, 3, 4), _n(2, 4, 5)))],
    "aten.matmul.default": [
        (torch.matmul, (_n(2, 3, 4, 5), _n(2, 3, 5, 6))),
        (torch.matmul, (_n(2, 1, 4, 5), _n(3, 5, 6))),
        (torch.matmul, (_n(2, 3, 4), _n(4, 5))),
    ],
    "aten.mm.default": [(torch.mm, (_n(3, 4), _n(4, 5)))],
    "aten.addmm.default": [(torch.addmm, (_n(5), _n(3, 4), _n(4, 5)))],
    "aten.linear.default": [
        _layer(torch.nn.Linear(4, 5), _n(3, 4)),
        _layer(torch.nn.Linear(4, 5, bias=False), _n(2, 3, 4)),
        (F.linear, (_n(3, 4), _n(5, 4), _n(5))),
    ],
    **SPATIAL,
    "aten.as_strided_copy.default": [
        (lambda x: x.as_strided((3, 4), (4, 1), 2), (_n(5, 4),)),
        (lambda x: x.as_strided((2, 3, 2), (1, 4, 7)), (_n(5, 4),)),
    ],
    "aten.copy.default": [(lambda x: F.pad(x, (1, 2, 1, 0), mode="circular"), (_n(2, 3, 4, 5),))],
    "aten._native_batch_norm_legit.no_stats": [
        _layer(torch.nn.InstanceNorm2d(3, affine=True), _n(2, 3, 4, 5)),
        (lambda x: F.batch_norm(x, None, None, training=True), (_n(4, 3, 5),)),
    ],
    "aten.max.default": [(lambda x: x.max(), (_n(2, 5, 3),))],
    "aten.min.default": [(lambda x: x.min(), (_n(2, 5, 3),))],
    "aten.unfold_copy.default": [
        (lambda x: x.unfold(1, 3, 2), (_n(2, 9),)),
        (lambda x: x.unfold(-1, 3, 1), (_i(2, 3, 7),)),
        (lambda x: x.unfold(0, 2, 3), (_b(8, 2, 3),)),
        (lambda x: x.unfold(1, 2, 1), (_n(2, 6, 3, 4),)),
    ],
}

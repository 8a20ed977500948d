"""Ways into core ATen, and to operators that runtimes have, which torch's tables lack."""

import string
from collections.abc import Callable
from typing import Any, Final

import torch

from executorch.dialects.grouped_products import GROUPED_MM
from executorch.dialects.torch_types import OpOverload
from executorch.passes.decomposition.adaptive_max_pool import adaptive_max_pool
from executorch.passes.decomposition.complex_numbers import COMPLEX_NUMBERS
from executorch.passes.decomposition.fake_quantize import FAKE_QUANTIZE
from executorch.passes.decomposition.grid_sampler_3d import grid_sampler_3d
from executorch.passes.decomposition.histogramdd import HISTOGRAMDD
from executorch.passes.decomposition.linear_algebra import LINEAR_ALGEBRA
from executorch.passes.decomposition.random_numbers import RANDOM
from executorch.passes.decomposition.transformer_layers import TRANSFORMER_LAYERS

_aten = torch.ops.aten


def _scalar_first(op: OpOverload) -> Callable[..., Any]:
    """``op.Scalar_Tensor`` by way of ``op.Tensor``, which is core ATen or has a kernel; torch's own way ends in ``prims``."""
    of_tensors = _named(op.__name__.replace(".Scalar_Tensor", ".Tensor"))

    def decomposition(number: Any, other: torch.Tensor) -> torch.Tensor:
        dtype = torch.result_type(number, other)
        return of_tensors(_aten.full.default([], number, dtype=dtype), other)

    return decomposition


_SCALAR_FIRST = frozenset(
    f"{name}.Scalar_Tensor"
    for name in (
        "bitwise_and",
        "bitwise_left_shift",
        "bitwise_or",
        "bitwise_right_shift",
        "bitwise_xor",
        "remainder",
    )
)


#: Other names of operators that have kernels: ``x & y``, ``x << y``, and conjugation that torch puts off.
_OTHER_NAMES = {
    **{
        f"__{name}__.{kind}": f"bitwise_{name}.{kind}"
        for name in ("and", "or", "xor")
        for kind in ("Scalar", "Tensor")
    },
    "__lshift__.Scalar": "bitwise_left_shift.Tensor_Scalar",
    "__lshift__.Tensor": "bitwise_left_shift.Tensor",
    "__rshift__.Scalar": "bitwise_right_shift.Tensor_Scalar",
    "__rshift__.Tensor": "bitwise_right_shift.Tensor",
    "_conj.default": "_conj_physical.default",
}


def _named(name: str) -> OpOverload:
    packet, overload = name.split(".")
    return getattr(getattr(_aten, packet), overload)


def _grouped_mm(
    self: torch.Tensor, mat2: torch.Tensor, offs: Any = None, bias: Any = None, out_dtype: Any = None
) -> Any:
    """Groups of rows, or a plain batch; groups along the inner dimension, which only gradients have, stay."""
    if bias is not None or self.dtype != mat2.dtype:
        return NotImplemented
    if self.dim() == 2 and mat2.dim() == 3 and offs is not None:
        product = GROUPED_MM(self, mat2, offs)
    elif self.dim() == 3 and mat2.dim() == 3:
        product = _aten.bmm.default(self, mat2)
    else:
        return NotImplemented
    wanted = self.dtype if out_dtype is None else out_dtype
    return product if product.dtype == wanted else _aten._to_copy.default(product, dtype=wanted)


def _int_mm(self: torch.Tensor, mat2: torch.Tensor) -> torch.Tensor:
    """A product of bytes, in 32 bits."""
    return _aten.mm.default(self.to(torch.int32), mat2.to(torch.int32))


def _conv_tbc(self: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, pad: int = 0) -> torch.Tensor:
    """Time comes first, channels last; the weight has its window, then inputs, then outputs."""
    lines, window = self.permute(1, 2, 0), weight.permute(2, 1, 0)
    found = _aten.convolution.default(lines, window, bias, [1], [pad], [1], False, [0], 1)
    return found.permute(2, 0, 1)


def _empty_permuted(size: Any, physical_layout: Any, **options: Any) -> torch.Tensor:
    """Memory in the order of ``physical_layout``, seen in the plain order."""
    plain = _aten.empty.memory_format([size[dim] for dim in physical_layout], **options)
    order = [list(physical_layout).index(dim) for dim in range(len(size))]
    return plain if order == sorted(order) else _aten.permute.default(plain, order)


def _adaptive_avg_pool2d(self: torch.Tensor, output_size: Any) -> torch.Tensor:
    """Torch's own way restates the strides of a channels-last mean in place, which a graph of values cannot."""
    if list(output_size) == [1, 1]:
        return _aten.mean.dim(self, [-1, -2], True)
    return _aten._adaptive_avg_pool2d.default(self, output_size)


def _polar(abs: torch.Tensor, angle: torch.Tensor) -> torch.Tensor:
    return _aten.complex.default(abs * torch.cos(angle), abs * torch.sin(angle))


def _var_mean(
    self: torch.Tensor, dim: Any = None, *, correction: Any = None, keepdim: bool = False
) -> "tuple[torch.Tensor, torch.Tensor]":
    """What batch norms in training end in, too; both halves are core ATen, the whole is not."""
    variance = _aten.var.correction(self, dim, correction=correction, keepdim=keepdim)
    return variance, _aten.mean.dim(self, dim, keepdim)


def _median(self: torch.Tensor) -> torch.Tensor:
    return _aten.median.dim(_aten.flatten.using_ints(self), 0)[0]


def _nanmedian_dim(
    self: torch.Tensor, dim: int, keepdim: bool = False
) -> "tuple[torch.Tensor, torch.Tensor]":
    """NaN comes last in order, so the lower middle of the numbers is known by their count."""
    values, places = torch.sort(self, dim=dim)
    count = _aten.sum.dim_IntList(torch.logical_not(torch.isnan(self)), [dim], True)
    middle = torch.div(count - 1, 2, rounding_mode="floor").clamp(min=0)
    found = torch.gather(values, dim, middle), torch.gather(places, dim, middle)
    return found if keepdim else (found[0].squeeze(dim), found[1].squeeze(dim))


def _nanmedian(self: torch.Tensor) -> torch.Tensor:
    if self.numel() == 0 and self.dtype.is_floating_point:
        return _aten.full.default([], torch.nan, dtype=self.dtype, device=self.device)
    return _nanmedian_dim(_aten.flatten.using_ints(self), 0)[0]


def _diagonal_scatter(
    self: torch.Tensor, src: torch.Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> torch.Tensor:
    """``src`` has the diagonal last; each of its elements is where its row, or its column below the main one, says."""
    if src.shape[-1] == 0:
        return self.clone()
    matrices = self.movedim((dim1, dim2), (-2, -1))
    rows = torch.arange(matrices.shape[-2], device=self.device).unsqueeze(-1)
    columns = torch.arange(matrices.shape[-1], device=self.device)
    places = (rows if offset >= 0 else columns).clamp(max=src.shape[-1] - 1)
    spread = _aten.index_select.default(src.to(self.dtype), -1, places.flatten()).unsqueeze(
        -1 if offset >= 0 else -2
    )
    written = torch.where(columns - rows == offset, spread, matrices)
    return written.movedim((-2, -1), (dim1, dim2)).contiguous()


def _round_decimals(self: torch.Tensor, *, decimals: int) -> torch.Tensor:
    """In the order of torch's own kernel, so that the last bit is the same."""
    if decimals == 0 or not self.dtype.is_floating_point:
        return _aten.round.default(self)
    power = 10 ** abs(decimals)
    if decimals > 0:
        return _aten.div.Scalar(_aten.round.default(_aten.mul.Scalar(self, power)), power)
    return _aten.mul.Scalar(_aten.round.default(_aten.div.Scalar(self, power)), power)


def _addbmm(self: torch.Tensor, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> torch.Tensor:
    products = _aten.sum.dim_IntList(_aten.bmm.default(batch1, batch2), [0])
    return _aten.add.Tensor(_aten.mul.Scalar(products, alpha), _aten.mul.Scalar(self, beta))


_REDUCTIONS: Final = {"add": "sum", "multiply": "prod"}


def _scatter_reduce(
    self: torch.Tensor, dim: int, index: torch.Tensor, src: torch.Tensor, *, reduce: str
) -> torch.Tensor:
    return _aten.scatter_reduce.two(self, dim, index, src, _REDUCTIONS[reduce])


def _scatter_value_reduce(
    self: torch.Tensor, dim: int, index: torch.Tensor, value: Any, *, reduce: str
) -> torch.Tensor:
    src = _aten.full_like.default(index, value, dtype=self.dtype)
    return _aten.scatter_reduce.two(self, dim, index, src, _REDUCTIONS[reduce])


def _index_reduce(
    self: torch.Tensor,
    dim: int,
    index: torch.Tensor,
    source: torch.Tensor,
    reduce: str,
    *,
    include_self: bool = True,
) -> torch.Tensor:
    """Whole slices go where a scatter puts each of their elements."""
    if self.dim() == 0:
        one = _index_reduce(
            self.reshape(1), 0, index.reshape(1), source.reshape(1), reduce, include_self=include_self
        )
        return one.reshape([])
    places = [1] * source.dim()
    places[dim] = -1
    spread = index.to(torch.int64).reshape(places).expand(source.shape)
    return _aten.scatter_reduce.two(self, dim, spread, source, reduce, include_self=include_self)


def _put(self: torch.Tensor, index: torch.Tensor, source: torch.Tensor, accumulate: bool = False) -> Any:
    """Places count through the whole tensor, from its end where they are negative."""
    flat, places = self.flatten(), index.flatten()
    places = torch.where(places < 0, places + flat.shape[0], places)
    write = _aten.scatter_add.default if accumulate else _aten.scatter.src
    return write(flat, 0, places, source.flatten()).reshape(self.shape)


def _gather(self: torch.Tensor, dim: int, index: torch.Tensor, *, sparse_grad: bool = False) -> Any:
    """Kernels take indices of 64 bits."""
    if index.dtype == torch.int64:
        return NotImplemented
    return _aten.gather.default(self, dim, index.to(torch.int64))


def _trilinear(
    i1: torch.Tensor,
    i2: torch.Tensor,
    i3: torch.Tensor,
    expand1: Any,
    expand2: Any,
    expand3: Any,
    sumdim: Any,
    unroll_dim: int = 1,
) -> torch.Tensor:
    """What ``nn.Bilinear`` ends in: a product of three tensors that each lack some dimensions, summed over others.

    Two at a time: for three, torch looks for an order by the sizes, which fixes those that only a run tells.
    """
    names = string.ascii_lowercase[: i1.dim() + len(expand1)]

    def without(dims: Any) -> str:
        return "".join(name for dim, name in enumerate(names) if dim not in dims)

    first, second, third, result = map(without, (expand1, expand2, expand3, sumdim))
    both = "".join(name for name in names if name in first + second and name in third + result)
    return torch.einsum(f"{both},{third}->{result}", torch.einsum(f"{first},{second}->{both}", i1, i2), i3)


def _rrelu(
    self: torch.Tensor,
    noise: torch.Tensor,
    lower: Any = 1 / 8,
    upper: Any = 1 / 3,
    training: bool = False,
    generator: Any = None,
) -> "tuple[torch.Tensor, torch.Tensor]":
    """Slopes at random in training, and else their mean; ``noise`` is what gradients need of them."""
    if not training:
        return _aten.leaky_relu.default(self, (lower + upper) / 2), noise
    slopes = torch.where(self > 0, 1.0, torch.rand_like(self) * (upper - lower) + lower)
    return self * slopes, slopes


def _embedding_renorm(
    self: torch.Tensor, indices: torch.Tensor, max_norm: float, norm_type: float
) -> torch.Tensor:
    """The rows that are looked up become at most as long as ``max_norm``."""
    norms = _aten.linalg_vector_norm.default(self, norm_type, [-1], True)
    shorter = torch.where(norms > max_norm, max_norm / (norms + 1e-7), 1.0)
    used = torch.zeros_like(norms).index_fill(0, indices.flatten().to(torch.int64), 1.0)
    return self * torch.where(used > 0, shorter, 1.0)


def _places(size: Any, stride: Any, offset: Any, device: torch.device) -> torch.Tensor:
    """Where the elements of a tensor with these strides lie in memory, in index order."""
    places = torch.full([], offset, dtype=torch.int64, device=device)
    for count, step in zip(size, stride, strict=True):
        places = places.unsqueeze(-1) + torch.arange(count, device=device) * step
    return places.flatten()


def _as_strided_scatter(
    self: torch.Tensor, src: torch.Tensor, size: Any, stride: Any, storage_offset: Any = None
) -> torch.Tensor:
    """Places count through the memory that ``self`` is a view of."""
    first = self.storage_offset()
    offset = first if storage_offset is None else storage_offset
    written, values = _places(size, stride, offset, self.device), src.to(self.dtype).flatten()
    if self.is_contiguous() and first == 0:
        return _aten.scatter.src(self.flatten(), 0, written, values).reshape(self.shape)
    own = _places(self.shape, self.stride(), first, self.device)
    ends = (*zip(self.shape, self.stride(), strict=True), *zip(size, stride, strict=True))
    reach = 1 + first + offset + sum(count * step for count, step in ends)
    memory = torch.zeros([reach], dtype=self.dtype, device=self.device)
    memory = _aten.scatter.src(memory, 0, own, self.flatten())
    memory = _aten.scatter.src(memory, 0, written, values)
    return memory.index_select(0, own).reshape(self.shape)


OWN_DECOMPOSITIONS: Final[dict[str, Callable[..., Any]]] = {
    **COMPLEX_NUMBERS,
    **FAKE_QUANTIZE,
    **HISTOGRAMDD,
    **LINEAR_ALGEBRA,
    **RANDOM,
    **TRANSFORMER_LAYERS,
    "aten::_embedding_bag_forward_only": _aten._embedding_bag.default,
    "aten::_grouped_mm": _grouped_mm,
    "aten::_int_mm": _int_mm,
    "aten::_is_all_true": _aten.all.default,
    "aten::_is_any_true": _aten.any.default,
    "aten::_trilinear": _trilinear,
    "aten::adaptive_avg_pool2d": _adaptive_avg_pool2d,
    "aten::adaptive_max_pool2d": adaptive_max_pool,
    "aten::adaptive_max_pool3d": adaptive_max_pool,
    "aten::addbmm": _addbmm,
    "aten::as_strided_scatter": _as_strided_scatter,
    "aten::conv_tbc": _conv_tbc,
    "aten::diagonal_scatter": _diagonal_scatter,
    "aten::embedding_renorm": _embedding_renorm,
    "aten::empty_permuted": _empty_permuted,
    "aten::gather": _gather,
    "aten::grid_sampler_3d": grid_sampler_3d,
    "aten::index_reduce": _index_reduce,
    "aten::median": _median,
    "aten::nanmedian": _nanmedian,
    "aten::nanmedian.dim": _nanmedian_dim,
    "aten::polar": _polar,
    "aten::put": _put,
    "aten::round.decimals": _round_decimals,
    "aten::rrelu_with_noise_functional": _rrelu,
    "aten::scatter.reduce": _scatter_reduce,
    "aten::scatter.value_reduce": _scatter_value_reduce,
    "aten::var_mean.correction": _var_mean,
    # What `transformers` calls for types that torch's own grouped product does not take.
    "transformers::grouped_mm_fallback": _grouped_mm,
}


def own_decomposition(op: OpOverload) -> "Callable[..., Any] | None":
    """This project's way to take ``op`` apart; None where torch's table is asked."""
    found = OWN_DECOMPOSITIONS.get(op.name())
    if found is not None or op.namespace != "aten":
        return found
    if op.__name__ in _SCALAR_FIRST:
        return _scalar_first(op)
    if op.__name__ in _OTHER_NAMES:
        return _named(_OTHER_NAMES[op.__name__])
    return None


__all__ = ["OWN_DECOMPOSITIONS", "own_decomposition"]

"""Operators outside the core set of ATen that models call: each is lowered without a word, run, and compared with eager."""

import pytest
import torch
from torch import nn

from executorch.dialects.kernel_ops import KERNEL_OPS
from executorch.exir import to_edge_transform_and_lower
from executorch.runtime import Runtime

_SAMPLES = torch.tensor([[0.3, 1.2, 0.7, 2.5, 0.1], [0.9, 0.4, 1.9, 0.2, 0.6], [1.1, 2.2, 0.8, 0.5, 1.4]])
_IMAGE = torch.arange(72.0).reshape(1, 2, 6, 6).cos()
_VOLUME = torch.arange(120.0).reshape(1, 2, 3, 4, 5).sin()
_EDGES = (torch.tensor([0.0, 0.5, 1.0]), torch.tensor([0.2, 0.9, 2.0]), torch.tensor([0.0, 0.1, 0.7, 1.9]))
_TABLE = torch.arange(36.0).reshape(9, 4).sin()


def _again(values, vectors):
    return values, (vectors * values) @ vectors.mT


#: Kept as they are: what `KERNEL_OPS` names.
_KEPT = {
    "_embedding_bag.default": lambda x: nn.functional.embedding_bag(x.long() + 1, _TABLE),
    "_linalg_det.default": lambda x: torch.linalg.det(x[:, :3]),
    # The signs of vectors are free.
    "_linalg_eigh.default": lambda x: _again(*torch.linalg.eigh(x.mT @ x)),
    "_linalg_slogdet.default": lambda x: torch.linalg.slogdet(x[:, :3]),
    "_linalg_solve_ex.default": lambda x: (
        torch.linalg.solve(x[:, :3], x),
        torch.linalg.solve(x[:, :3], x[:, :2].mT, left=False),
    ),
    "_linalg_svd.default": lambda x: (torch.linalg.svdvals(x), torch.linalg.matrix_rank(x)),
    "_unique2.default": lambda x: torch.unique(x.round(), return_inverse=True, return_counts=True),
    "_upsample_bicubic2d_aa.default": lambda x: nn.functional.interpolate(
        _IMAGE * x[0, 0], scale_factor=0.6, mode="bicubic", antialias=True
    ),
    "adaptive_max_pool2d.default": lambda x: nn.functional.adaptive_max_pool2d(
        _IMAGE * x[0, 0], (4, 5), return_indices=True
    ),
    "angle.default": lambda x: (x - 1).angle(),
    "bincount.default": lambda x: torch.bincount(x.long().flatten(), minlength=8),
    "bucketize.Scalar": lambda x: torch.bucketize(0.5, x[0].sort()[0]) + x.long(),
    "bucketize.Tensor": lambda x: (
        torch.bucketize(x, torch.tensor([0.3, 1.0, 2.0]), out_int32=True, right=True),
        torch.bucketize(x[:, :0], torch.tensor([0.3, 1.0])),
    ),
    "copysign.Tensor": lambda x: torch.copysign(x, x - 1),
    "copysign.Scalar": lambda x: torch.copysign(x, -1.0),
    "cummax.default": lambda x: x.cummax(1),
    "cummin.default": lambda x: x.cummin(0),
    "cumprod.default": lambda x: x.cumprod(1),
    "digamma.default": torch.digamma,
    "erfc.default": torch.erfc,
    "erfinv.default": lambda x: (x / 5).erfinv(),
    "exp2.default": torch.exp2,
    "fmax.default": lambda x: torch.fmax(x, 2 - x),
    "fmin.default": lambda x: torch.fmin(x, 2 - x),
    # Outputs of one element take windows of all of the image, whatever the random numbers are.
    "fractional_max_pool2d.default": lambda x: nn.functional.fractional_max_pool2d(
        _IMAGE * x[0, 0], 6, output_size=1, return_indices=True
    ),
    "fractional_max_pool3d.default": lambda x: torch.ops.aten.fractional_max_pool3d(
        _VOLUME, [2, 2, 3], [1, 2, 2], (x / 3).reshape(-1)[:6].reshape(1, 2, 3)
    ),
    "frexp.Tensor": torch.frexp,
    "gcd.default": lambda x: torch.gcd((x * 10).long(), (x * 20).long() + 6),
    "geqrf.default": torch.geqrf,
    "histc.default": lambda x: torch.histc(x, 4, 0.0, 2.0),
    "histogram.bin_ct": lambda x: torch.histogram(x, 4, density=True),
    "histogram.bins_tensor": lambda x: torch.histogram(x, x[0].sort()[0], weight=x * 2),
    "hypot.default": lambda x: torch.hypot(x, 2 - x),
    "i0.default": torch.i0,
    "igamma.default": lambda x: torch.special.gammainc(x, 2 - x.clamp(max=1)),
    "igammac.default": lambda x: torch.special.gammaincc(x, 2 - x.clamp(max=1)),
    "kthvalue.default": lambda x: x.kthvalue(2),
    "lcm.default": lambda x: torch.lcm((x * 10).long(), (x * 20).long() + 6),
    "lgamma.default": torch.lgamma,
    "linalg_cholesky_ex.default": lambda x: torch.linalg.cholesky(x @ x.mT),
    # The order of values and the directions of vectors are free.
    "linalg_eig.default": lambda x: torch.linalg.eigvals(x[:, :3]).sum(),
    "linalg_householder_product.default": lambda x: torch.linalg.householder_product(x.mT, x[0, :3]),
    "linalg_inv_ex.default": lambda x: (torch.linalg.inv(x[:, :3]), torch.linalg.matrix_power(x[:, :3], -2)),
    "linalg_ldl_factor_ex.default": lambda x: torch.linalg.ldl_factor(x[:, :3] + x[:, :3].mT),
    "linalg_ldl_solve.default": lambda x: torch.linalg.ldl_solve(
        *torch.linalg.ldl_factor(x[:, :3] + x[:, :3].mT), x
    ),
    "linalg_lu_factor_ex.default": lambda x: torch.linalg.lu_factor(x),
    "linalg_lu_solve.default": lambda x: torch.linalg.lu_solve(*torch.linalg.lu_factor(x[:, :3]), x),
    "linalg_matrix_exp.default": lambda x: torch.linalg.matrix_exp(x[:, :3]),
    "linalg_qr.default": lambda x: torch.linalg.qr(x, mode="complete"),
    "linalg_solve_triangular.default": lambda x: torch.linalg.solve_triangular(x[:, :3], x, upper=True),
    "logcumsumexp.default": lambda x: x.logcumsumexp(1),
    "lu_unpack.default": lambda x: torch.lu_unpack(*torch.linalg.lu_factor(x.mT)),
    "masked_select.default": lambda x: x.masked_select(x > 1),
    "median.dim": lambda x: x.median(1),
    "mode.default": lambda x: x.round().mode(1),
    "narrow_copy.default": lambda x: torch.narrow_copy(x, 1, 1, 3),
    "nextafter.default": lambda x: torch.nextafter(x, 2 - x),
    "nonzero_static.default": lambda x: torch.nonzero_static(x > 1, size=9, fill_value=-7),
    "polygamma.default": lambda x: torch.polygamma(2, x),
    # Of one value: what others give is in random_ops_test.
    "randint.default": lambda x: torch.randint(1, (3, 5)) + x,
    "randint.low": lambda x: torch.randint(3, 4, (3, 5)) * x,
    "repeat_interleave.Tensor": lambda x: x.repeat_interleave(x[:, 1].long(), 0),
    "searchsorted.Scalar": lambda x: torch.searchsorted(x[0].sort()[0], 0.5) + x.long(),
    "searchsorted.Tensor": lambda x: torch.searchsorted(x.sort(1)[0], x * 0.9),
    "segment_reduce.default": lambda x: torch.segment_reduce(
        x, "mean", lengths=x[:2, 0].long() + 1 + torch.tensor([0, 1])
    ),
    "signbit.default": lambda x: (x - 1).signbit(),
    "sort.stable": lambda x: x.round().sort(stable=True),
    "special_bessel_j0.default": torch.special.bessel_j0,
    "special_bessel_j1.default": torch.special.bessel_j1,
    "special_bessel_y0.default": torch.special.bessel_y0,
    "special_bessel_y1.default": torch.special.bessel_y1,
    "special_erfcx.default": torch.special.erfcx,
    "special_i0e.default": torch.special.i0e,
    "special_i1.default": torch.special.i1,
    "special_i1e.default": torch.special.i1e,
    "special_modified_bessel_i0.default": torch.special.modified_bessel_i0,
    "special_modified_bessel_i1.default": torch.special.modified_bessel_i1,
    "special_modified_bessel_k0.default": torch.special.modified_bessel_k0,
    "special_modified_bessel_k1.default": torch.special.modified_bessel_k1,
    "special_ndtri.default": lambda x: torch.special.ndtri(x / 3),
    "special_scaled_modified_bessel_k0.default": torch.special.scaled_modified_bessel_k0,
    "special_scaled_modified_bessel_k1.default": torch.special.scaled_modified_bessel_k1,
    "special_spherical_bessel_j0.default": torch.special.spherical_bessel_j0,
    "special_zeta.default": lambda x: torch.special.zeta(x + 1, x),
    "special_zeta.other_scalar": lambda x: torch.special.zeta(x + 1, 2),
    "special_zeta.self_scalar": lambda x: torch.special.zeta(1.5, x),
    "tril_indices.default": lambda x: torch.tril_indices(3, 5, 1) + x[0, 0].long(),
    "triu_indices.default": lambda x: torch.triu_indices(3, 5, 1) + x[0, 0].long(),
    "unique_consecutive.default": lambda x: (
        *torch.unique_consecutive(x.round(), return_counts=True),
        torch.unique_consecutive((x > 0.4).repeat(2, 1), dim=0),
    ),
    "unique_dim.default": lambda x: torch.unique(x.round(), dim=1, return_inverse=True, return_counts=True),
}
#: Taken apart.
_APART = {
    "addbmm": lambda x: torch.addbmm(x, x[None].repeat(2, 1, 1), torch.ones(2, 5, 5), beta=2, alpha=3),
    "bilinear": lambda x: nn.functional.bilinear(x, x * 2, torch.ones(2, 5, 5)),
    "a Cholesky factor": lambda x: torch.cholesky(x @ x.mT, upper=True),
    "all and any": lambda x: (torch._is_all_true(x > 0.15), torch._is_any_true(x > 2.6)),
    "a convolution with channels last": lambda x: torch.conv_tbc(
        x[:, None], torch.stack([x.mT, 1 - x.mT]), x[0, :3], 1
    ),
    "a histogram of points": lambda x: tuple(
        torch.histogramdd(points, bins, range=limits, weight=weight, density=density).hist
        for points in (x.mT, x.mT * 0 + 1, x.mT[:0])
        for bins in ([3, 2, 4], _EDGES)
        for weight, density in ((None, False), (points[:, 0], False), (points[:, 1], len(points) > 0))
        for limits in ((None, [0.3, 2.2, 0.5, 0.5, 0.0, 1.0]) if isinstance(bins[0], int) else (None,))
    ),
    "edges of a histogram of points": lambda x: torch.histogramdd(x.mT, [3, 2, 4]).bin_edges,
    "fake quantization": lambda x: (
        torch.fake_quantize_per_tensor_affine(x, 0.013, 3, 0, 127),
        torch.fake_quantize_per_tensor_affine(x.half(), 0.1, -3, -8, 7),
        torch.fake_quantize_per_tensor_affine(x, x[0, 0] / 9, x[:1, 0].int(), 0, 15),
        torch.fake_quantize_per_channel_affine(x, x[0] / 9, torch.arange(5).int(), 1, -8, 7),
        torch.fake_quantize_per_channel_affine(x, x[0] / 9, torch.arange(5) * 1.3, 1, 0, 255),
        torch.fake_quantize_per_tensor_affine((x - x) / (x - x), 0.1, 0, -128, 127),
    ),
    "factors and a permutation": lambda x: (
        *torch.linalg.lu(x.mT),
        *torch.linalg.lu(torch.ones(2, 2) * x[0, 0]),
    ),
    "a grid in a volume": lambda x: nn.functional.grid_sample(
        _VOLUME, (x * 1.2 - 1.4).reshape(1, 1, 1, 5, 3), padding_mode="reflection", align_corners=False
    ),
    "a diagonal": lambda x: torch.diagonal_scatter(x, x[:2, 0] * 9, 3),
    "a diagonal of another type": lambda x: torch.diagonal_scatter(x, x[:3, 0].double(), 0),
    "no diagonal": lambda x: torch.diagonal_scatter(x, x[:0, 0], 5),
    "a diagonal below": lambda x: torch.diagonal_scatter(x.expand(2, 3, 5), x[:2, :2], -1, 1, 2),
    "a part with strides": lambda x: torch.as_strided_scatter(x, x[:2, :2] * 9, (2, 2), (5, 2), 3),
    "a part with strides of a view": lambda x: (
        torch.as_strided_scatter(x.t(), x[:2, :2] * 9, (2, 2), (5, 1), 6),
        torch.as_strided_scatter(x[1:], x[0, :2] * 9, (2,), (1,), 6),
    ),
    "a pseudoinverse": lambda x: (torch.linalg.pinv(x), torch.linalg.pinv(x.mT, atol=0.5)),
    "a pseudoinverse of low rank": lambda x: torch.linalg.pinv(x[[0, 0, 1]], rtol=1e-3),
    "a pseudoinverse of a symmetric matrix": lambda x: torch.linalg.pinv(x.mT @ x, rtol=1e-4, hermitian=True),
    "a pseudoinverse of nothing": lambda x: torch.linalg.pinv(x[:0]),
    "equations by a Cholesky factor": lambda x: (
        torch.cholesky_solve(x, x[:, :3]),
        torch.cholesky_solve(x, x[:, :3], upper=True),
        torch.cholesky_inverse(x[:, :3]),
    ),
    "equations of a triangle": lambda x: (
        torch.triangular_solve(x, x[:, :3])[0],
        torch.triangular_solve(x, x[:, :3], upper=False, transpose=True, unitriangular=True)[0],
    ),
    "indices of 32 bits": lambda x: torch.gather(x, 1, x.to(torch.int32)),
    "largest of numbers": lambda x: x[0, 0].index_reduce(0, torch.tensor(0), x[0, 1], "amax"),
    "largest of slices": lambda x: x.index_reduce(0, torch.tensor([2, 0, 2]), x * 2 - 1, "amax"),
    "leaky at random": lambda x: nn.functional.rrelu(x - 1, 0.1, 0.3),
    "leaky at random in training": lambda x: nn.functional.rrelu(x - 1, 0.25, 0.25, training=True),
    "rows of at most a length": lambda x: nn.functional.embedding(
        x.long(), torch.cat([x, x * 3]), max_norm=2.0, norm_type=1.0
    ),
    "logarithms of probabilities": lambda x: torch.special.log_ndtr(x * 30 - 40),
    "mean of columns": lambda x: x.index_reduce(
        1, torch.tensor([4, 1, 1, 0, 4]), x * 2, "mean", include_self=False
    ),
    "elements by a larger mask": lambda x: torch.masked_select(x[:, None], (x > 1)[None]),
    "median": torch.median,
    "median of numbers": lambda x: torch.nanmedian(torch.where(x > 1, x, torch.nan)),
    "median of numbers in rows": lambda x: torch.nanmedian(torch.where(x > 0.45, x, torch.nan), 1),
    "median of nothing": lambda x: torch.nanmedian(x[:0]),
    "median of no numbers": lambda x: torch.nanmedian(x * torch.nan).isnan(),
    "maxima of parts": lambda x: nn.functional.adaptive_max_pool2d(
        _IMAGE * x[0, 0], (4, 5), return_indices=True
    ),
    "maxima of equal parts": lambda x: nn.functional.adaptive_max_pool2d(
        _IMAGE * x[0, 0], (3, 2), return_indices=True
    ),
    "maxima of parts of lines": lambda x: nn.functional.adaptive_max_pool1d(x, 3, return_indices=True),
    "maxima of parts of volumes": lambda x: nn.functional.adaptive_max_pool3d(
        _VOLUME * x[0, 0], (2, 3, 2), return_indices=True
    ),
    "the maximum of images": lambda x: nn.functional.adaptive_max_pool2d(_IMAGE * x[0, 0], 1),
    "products of bytes": lambda x: torch._int_mm((x * 50).to(torch.int8), (x.mT * -40).to(torch.int8)),
    "products with an orthogonal matrix": lambda x: tuple(
        torch.ormqr(*torch.geqrf(x.mT[:, :2]), other, left=left, transpose=transpose)
        for other, left in ((x.mT, True), (x, False))
        for transpose in (False, True)
    ),
    "put": lambda x: x.put(torch.tensor([[0, 7], [-1, 3]]), x[:2, :2] * 5),
    "put a sum": lambda x: x.put(torch.tensor([0, 7, -8]), x[0, :3] * 5, accumulate=True),
    "round to decimals": lambda x: x.round(decimals=1),
    "round to tens": lambda x: (x * 100).round(decimals=-1),
    "scatter a product": lambda x: x.scatter(1, x.long(), x * 2, reduce="multiply"),
    "scatter a sum": lambda x: x.scatter(1, x.long(), 2.0, reduce="add"),
}


class _Call(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


def test_each_of_them_has_a_sample():
    assert {op.__name__ for op in KERNEL_OPS} == set(_KEPT)


@pytest.mark.parametrize("name", [*_KEPT, *_APART])
def test_as_eager(name):
    model = _Call({**_KEPT, **_APART}[name])
    program = to_edge_transform_and_lower(torch.export.export(model, (_SAMPLES,))).to_executorch()
    actual = Runtime.get().load_program(program.buffer).load_method("forward").execute([_SAMPLES])
    expected = torch.utils._pytree.tree_leaves(model(_SAMPLES))
    operators = {op.name + "." + op.overload for op in program.executorch_program.execution_plan[0].operators}
    assert name not in _KEPT or any(op.startswith(f"aten::{name.split('.')[0]}.") for op in operators), (
        operators
    )
    torch.testing.assert_close(actual, expected, rtol=1e-5, atol=1e-5, equal_nan=True)


@pytest.mark.parametrize(
    "function",
    [
        torch.linalg.inv,
        torch.inverse,
        torch.linalg.cholesky,
        torch.cholesky,
        lambda x: torch.linalg.lu_factor(x)[0],
        lambda x: torch.linalg.solve(x, x),
        lambda x: torch.linalg.solve(x, x, left=False),
    ],
)
def test_what_eager_refuses_fails(function):
    good, bad = torch.eye(2) * 2, -torch.ones(2, 2)
    with pytest.raises(RuntimeError):
        function(bad)
    program = to_edge_transform_and_lower(torch.export.export(_Call(function), (good,))).to_executorch()
    method = Runtime.get().load_program(program.buffer).load_method("forward")
    torch.testing.assert_close(method.execute([good])[0], function(good))
    with pytest.raises(RuntimeError, match="a matrix is"):
        method.execute([bad])

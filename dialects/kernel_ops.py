"""ATen operators outside the core set that programs may keep: `kernels/portable` has them, and nothing else would run them."""

from typing import Final

import torch

from executorch.dialects.torch_types import OpOverload

_NAMES = """
    _embedding_bag.default _linalg_det.default _linalg_eigh.default _linalg_slogdet.default
    _linalg_solve_ex.default _linalg_svd.default _unique2.default _upsample_bicubic2d_aa.default
    adaptive_max_pool2d.default angle.default bincount.default bucketize.Scalar bucketize.Tensor
    copysign.Scalar copysign.Tensor cummax.default cummin.default cumprod.default digamma.default
    erfc.default erfinv.default exp2.default fmax.default fmin.default fractional_max_pool2d.default
    fractional_max_pool3d.default frexp.Tensor gcd.default geqrf.default histc.default histogram.bin_ct
    histogram.bins_tensor hypot.default i0.default igamma.default igammac.default kthvalue.default
    lcm.default lgamma.default linalg_cholesky_ex.default linalg_eig.default
    linalg_householder_product.default linalg_inv_ex.default linalg_ldl_factor_ex.default
    linalg_ldl_solve.default linalg_lu_factor_ex.default linalg_lu_solve.default
    linalg_matrix_exp.default linalg_qr.default linalg_solve_triangular.default logcumsumexp.default
    lu_unpack.default masked_select.default median.dim mode.default narrow_copy.default
    nextafter.default nonzero_static.default polygamma.default randint.default randint.low
    repeat_interleave.Tensor searchsorted.Scalar searchsorted.Tensor segment_reduce.default
    signbit.default sort.stable special_bessel_j0.default special_bessel_j1.default
    special_bessel_y0.default special_bessel_y1.default special_erfcx.default special_i0e.default
    special_i1.default special_i1e.default special_modified_bessel_i0.default
    special_modified_bessel_i1.default special_modified_bessel_k0.default
    special_modified_bessel_k1.default special_ndtri.default special_scaled_modified_bessel_k0.default
    special_scaled_modified_bessel_k1.default special_spherical_bessel_j0.default special_zeta.default
    special_zeta.other_scalar special_zeta.self_scalar tril_indices.default triu_indices.default
    unique_consecutive.default unique_dim.default
"""


def _of(name: str) -> OpOverload:
    packet, overload = name.split(".")
    return getattr(getattr(torch.ops.aten, packet), overload)


#: Each has an out variant with a portable kernel (`tests/zoo/kernel_ops_test.py`).
KERNEL_OPS: Final = frozenset(map(_of, _NAMES.split()))

__all__ = ["KERNEL_OPS"]

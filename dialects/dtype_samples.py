"""Small example calls of edge operators, from which the table of element types is made.

An operator that is missing here has no constraint: the verifier lets every element type pass.
"""

from typing import Any

import torch

from executorch.dialects.dtype_constraints import DTYPE_NAMES
from executorch.dialects.sample_call import Sample

_INDEX = (torch.int64, torch.int32)
_COND = (torch.bool,)
_V = (2, 3)  # any small shape
_IMG = (1, 2, 6, 6)

_UNARY = """
abs acos acosh asin asinh atan atanh bitwise_not ceil cos cosh erf exp expm1 floor gelu isinf isnan log log10 log1p
log2 logical_not neg reciprocal relu round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc elu hardtanh leaky_relu
alias_copy t_copy argmax argmin any mean prod var.correction unbind_copy.int tril triu sort diagonal_copy clone
"""

_UNARY_WITH_VALUES: dict[str, dict[str, Any]] = {
    "full_like": {"fill_value": 1},
    "cumsum": {"dim": 0},
    "clamp": {"min": 0},
    "flip": {"dims": [0]},
    "repeat": {"repeats": [2, 2]},
    "roll": {"shifts": [1]},
    "view_copy": {"size": [3, 2]},
    "permute_copy": {"dims": [1, 0]},
    "expand_copy": {"size": [2, 3]},
    "unsqueeze_copy": {"dim": 0},
    "squeeze_copy.dims": {"dim": [0]},
    "transpose_copy.int": {"dim0": 0, "dim1": 1},
    "slice_copy.Tensor": {"dim": 0},
    "select_copy.int": {"dim": 0, "index": 0},
    "split_copy.Tensor": {"split_size": 1},
    "split_with_sizes_copy": {"split_sizes": [1, 1]},
    "constant_pad_nd": {"pad": [1, 1]},
    "_softmax": {"dim": 0, "half_to_float": False},
    "_log_softmax": {"dim": 0, "half_to_float": False},
    "amax": {"dim": [0]},
    "amin": {"dim": [0]},
    "any.dim": {"dim": 0},
    "sum.dim_IntList": {"dim": [0]},
    "mean.dim": {"dim": [0]},
    "prod.dim_int": {"dim": 0},
    "max.dim": {"dim": 0},
    "min.dim": {"dim": 0},
    "var.dim": {"dim": [0]},
    "topk": {"k": 1},
}

_BINARY_TENSOR = """
add.Tensor sub.Tensor mul.Tensor div.Tensor maximum minimum atan2 fmod.Tensor remainder.Tensor eq.Tensor ne.Tensor
lt.Tensor le.Tensor gt.Tensor ge.Tensor bitwise_and.Tensor bitwise_or.Tensor bitwise_xor.Tensor logical_and logical_or
logical_xor floor_divide
"""

_BINARY_SCALAR = """
eq.Scalar ne.Scalar lt.Scalar le.Scalar gt.Scalar ge.Scalar bitwise_and.Scalar bitwise_or.Scalar bitwise_xor.Scalar
fmod.Scalar remainder.Scalar add.Scalar sub.Scalar mul.Scalar div.Scalar
"""


_WITH_DTYPE: dict[str, dict[str, Any]] = {
    "full_like": {"fill_value": 1},
    "mean": {},
    "mean.dim": {"dim": [0]},
    "sum.dim_IntList": {"dim": [0]},
    "prod": {},
    "prod.dim_int": {"dim": 0},
    "cumsum": {"dim": 0},
}


_ANY_INDEX = (torch.int64, torch.int32, torch.uint8, torch.bool)
_VOL = (1, 2, 4, 4, 4)

#: The rest of core ATen, operator by operator.
_MORE: list[Sample] = [
    Sample("aten::_adaptive_avg_pool2d_backward", {"grad_output": (1, 2, 2, 2), "self": _IMG}),
    Sample("aten::_adaptive_avg_pool3d", {"self": _VOL}, {"output_size": [2, 2, 2]}),
    Sample("aten::_cdist_forward", {"x1": _V, "x2": _V}, {"p": 2.0, "compute_mode": None}),
    Sample(
        "aten::_native_batch_norm_legit.no_stats",
        {"input": _IMG},
        {"training": True, "momentum": 0.1, "eps": 1e-5},
    ),
    Sample(
        "aten::_embedding_bag",
        {"weight": (4, 3), "indices": (3,), "offsets": (2,)},
        fixed={"indices": _INDEX, "offsets": _INDEX},
    ),
    Sample(
        "aten::_native_batch_norm_legit",
        {"input": _IMG, "weight": (2,), "bias": (2,), "running_mean": (2,), "running_var": (2,)},
        {"training": False, "momentum": 0.1, "eps": 1e-5},
    ),
    Sample("aten::_pdist_forward", {"self": _V}),
    *(Sample("aten::_to_copy", {"self": _V}, {"dtype": dtype}) for dtype in DTYPE_NAMES.values()),
    Sample("aten::_to_copy", {"self": _V}),
    Sample("aten::adaptive_avg_pool1d", {"self": (1, 2, 6)}, {"output_size": [2]}),
    Sample("aten::any.dims", {"self": _V}, {"dim": [0]}),
    Sample("aten::as_strided_copy", {"self": _V}, {"size": [2], "stride": [1]}),
    Sample("aten::avg_pool1d", {"self": (1, 2, 6)}, {"kernel_size": [2]}),
    Sample(
        "aten::avg_pool2d_backward",
        {"grad_output": (1, 2, 3, 3), "self": _IMG},
        {
            "kernel_size": [2, 2],
            "stride": [2, 2],
            "padding": [0, 0],
            "ceil_mode": False,
            "count_include_pad": True,
            "divisor_override": None,
        },
    ),
    Sample("aten::avg_pool3d", {"self": _VOL}, {"kernel_size": [2, 2, 2]}),
    Sample("aten::clamp.Tensor", {"self": _V, "min": _V, "max": _V}),
    Sample(
        "aten::col2im",
        {"self": (1, 8, 9)},
        {
            "output_size": [4, 4],
            "kernel_size": [2, 2],
            "dilation": [1, 1],
            "padding": [0, 0],
            "stride": [1, 1],
        },
    ),
    Sample(
        "aten::convolution_backward",
        {"grad_output": (1, 3, 4, 4), "input": _IMG, "weight": (3, 2, 3, 3)},
        {
            "bias_sizes": [3],
            "stride": [1, 1],
            "padding": [0, 0],
            "dilation": [1, 1],
            "transposed": False,
            "output_padding": [0, 0],
            "groups": 1,
            "output_mask": [True, True, True],
        },
    ),
    *(
        Sample("aten::copy", {"self": _V, "src": _V}, fixed={"src": (dtype,)})
        for dtype in DTYPE_NAMES.values()
    ),
    Sample("aten::detach_copy", {"self": _V}),
    Sample("aten::div.Scalar_mode", {"self": _V}, {"other": 2, "rounding_mode": "floor"}),
    Sample(
        "aten::embedding_dense_backward",
        {"grad_output": (2, 3), "indices": (2,)},
        {"num_weights": 4, "padding_idx": -1, "scale_grad_by_freq": False},
        {"indices": _INDEX},
    ),
    Sample("aten::fill.Scalar", {"self": _V}, {"value": 1}),
    Sample(
        "aten::grid_sampler_2d",
        {"input": _IMG, "grid": (1, 3, 3, 2)},
        {"interpolation_mode": 0, "padding_mode": 0, "align_corners": False},
    ),
    Sample("aten::index.Tensor", {"self": _V, "indices": [(2,)]}, fixed={"indices": _ANY_INDEX}),
    Sample(
        "aten::index_put", {"self": _V, "indices": [(2,)], "values": (2, 3)}, fixed={"indices": _ANY_INDEX}
    ),
    Sample("aten::masked_scatter", {"self": _V, "mask": _V, "source": _V}, fixed={"mask": _COND}),
    Sample(
        "aten::max_pool2d_with_indices_backward",
        {"grad_output": (1, 2, 3, 3), "self": _IMG, "indices": (1, 2, 3, 3)},
        {"kernel_size": [2, 2], "stride": [2, 2], "padding": [0, 0], "dilation": [1, 1], "ceil_mode": False},
        {"indices": (torch.int64,)},
    ),
    Sample("aten::max_pool3d_with_indices", {"self": _VOL}, {"kernel_size": [2, 2, 2]}),
    Sample("aten::native_dropout", {"input": _V}, {"p": 0.5, "train": True}),
    Sample(
        "aten::native_group_norm",
        {"input": _IMG, "weight": (2,), "bias": (2,)},
        {"N": 1, "C": 2, "HxW": 36, "group": 1, "eps": 1e-5},
    ),
    Sample(
        "aten::native_group_norm_backward",
        {"grad_out": _IMG, "input": _IMG, "mean": (1, 1), "rstd": (1, 1), "weight": (2,)},
        {"N": 1, "C": 2, "HxW": 36, "group": 1, "output_mask": [True, True, True]},
    ),
    Sample(
        "aten::native_layer_norm_backward",
        {"grad_out": _V, "input": _V, "mean": (2, 1), "rstd": (2, 1), "weight": (3,), "bias": (3,)},
        {"normalized_shape": [3], "output_mask": [True, True, True]},
    ),
    Sample("aten::nonzero", {"self": _V}),
    Sample("aten::reflection_pad1d", {"self": (1, 2, 6)}, {"padding": [1, 1]}),
    Sample("aten::reflection_pad2d", {"self": _IMG}, {"padding": [1, 1, 1, 1]}),
    Sample("aten::reflection_pad3d", {"self": _VOL}, {"padding": [1, 1, 1, 1, 1, 1]}),
    Sample("aten::replication_pad2d", {"self": _IMG}, {"padding": [1, 1, 1, 1]}),
    Sample("aten::replication_pad3d", {"self": _VOL}, {"padding": [1, 1, 1, 1, 1, 1]}),
    Sample("aten::scatter.src", {"self": _V, "index": _V, "src": _V}, {"dim": 0}, {"index": _INDEX}),
    Sample("aten::scatter.value", {"self": _V, "index": _V}, {"dim": 0, "value": 1}, {"index": _INDEX}),
    Sample("aten::scatter_add", {"self": _V, "index": _V, "src": _V}, {"dim": 0}, {"index": _INDEX}),
    Sample(
        "aten::scatter_reduce.two",
        {"self": _V, "index": _V, "src": _V},
        {"dim": 0, "reduce": "sum"},
        {"index": _INDEX},
    ),
    Sample("aten::squeeze_copy.dim", {"self": _V}, {"dim": 0}),
    *(
        Sample("aten::arange.start_step", {}, {"start": 0, "end": 4, "dtype": dtype})
        for dtype in DTYPE_NAMES.values()
    ),
    *(
        Sample("aten::empty.memory_format", {}, {"size": [2], "dtype": dtype})
        for dtype in DTYPE_NAMES.values()
    ),
    *(
        Sample("aten::empty_strided", {}, {"size": [2], "stride": [1], "dtype": dtype})
        for dtype in DTYPE_NAMES.values()
    ),
    *(
        Sample("aten::full", {}, {"size": [2], "fill_value": 1, "dtype": dtype})
        for dtype in DTYPE_NAMES.values()
    ),
    *(Sample("aten::rand", {}, {"size": [2], "dtype": dtype}) for dtype in DTYPE_NAMES.values()),
    *(Sample("aten::randn", {}, {"size": [2], "dtype": dtype}) for dtype in DTYPE_NAMES.values()),
    *(Sample("aten::randperm", {}, {"n": 4, "dtype": dtype}) for dtype in DTYPE_NAMES.values()),
    *(Sample("aten::scalar_tensor", {}, {"s": 1, "dtype": dtype}) for dtype in DTYPE_NAMES.values()),
]


SAMPLES: list[Sample] = [
    *(
        Sample(f"aten::{name}", {"self": _V}, {**values, "dtype": dtype})
        for name, values in _WITH_DTYPE.items()
        for dtype in DTYPE_NAMES.values()
    ),
    *(Sample(f"aten::{name}", {"self": _V}) for name in _UNARY.split()),
    *(Sample(f"aten::{name}", {"self": _V}, values) for name, values in _UNARY_WITH_VALUES.items()),
    *(Sample(f"aten::{name}", {"self": _V, "other": _V}) for name in _BINARY_TENSOR.split()),
    *(Sample(f"aten::{name}", {"self": _V}, {"other": 1}) for name in _BINARY_SCALAR.split()),
    Sample("aten::div.Tensor_mode", {"self": _V, "other": _V}, {"rounding_mode": "floor"}),
    Sample("aten::pow.Tensor_Tensor", {"self": _V, "exponent": _V}),
    Sample("aten::pow.Tensor_Scalar", {"self": _V}, {"exponent": 2}),
    Sample("aten::pow.Scalar", {"exponent": _V}, {"self": 2}),
    Sample("aten::addmm", {"self": (4,), "mat1": _V, "mat2": (3, 4)}),
    Sample("aten::mm", {"self": _V, "mat2": (3, 4)}),
    Sample("aten::bmm", {"self": (1, 2, 3), "mat2": (1, 3, 4)}),
    Sample("aten::linear", {"input": _V, "weight": (4, 3), "bias": (4,)}),
    Sample(
        "aten::convolution",
        {"input": _IMG, "weight": (3, 2, 3, 3), "bias": (3,)},
        {
            "stride": [1, 1],
            "padding": [0, 0],
            "dilation": [1, 1],
            "transposed": False,
            "output_padding": [0, 0],
            "groups": 1,
        },
    ),
    Sample(
        "aten::_native_batch_norm_legit_no_training",
        {"input": _IMG, "weight": (2,), "bias": (2,), "running_mean": (2,), "running_var": (2,)},
        {"momentum": 0.1, "eps": 1e-5},
    ),
    Sample(
        "aten::native_layer_norm",
        {"input": _V, "weight": (3,), "bias": (3,)},
        {"normalized_shape": [3], "eps": 1e-5},
    ),
    Sample("aten::max_pool2d_with_indices", {"self": _IMG}, {"kernel_size": [2, 2]}),
    Sample("aten::avg_pool2d", {"self": _IMG}, {"kernel_size": [2, 2]}),
    Sample("aten::_adaptive_avg_pool2d", {"self": _IMG}, {"output_size": [2, 2]}),
    Sample("aten::embedding", {"weight": (4, 3), "indices": (2,)}, fixed={"indices": _INDEX}),
    Sample("aten::index_select", {"self": _V, "index": (1,)}, {"dim": 0}, {"index": _INDEX}),
    Sample("aten::gather", {"self": _V, "index": _V}, {"dim": 0}, {"index": (torch.int64,)}),
    Sample("aten::where.self", {"condition": _V, "self": _V, "other": _V}, fixed={"condition": _COND}),
    Sample("aten::masked_fill.Scalar", {"self": _V, "mask": _V}, {"value": 1}, {"mask": _COND}),
    Sample("aten::cat", {"tensors": [_V, _V]}),
    Sample("aten::stack", {"tensors": [_V, _V]}),
    Sample("aten::slice_scatter", {"self": _V, "src": _V}),
    Sample("aten::select_scatter", {"self": _V, "src": (3,)}, {"dim": 0, "index": 0}),
    Sample(
        "aten::upsample_nearest2d.vec", {"input": _IMG}, {"output_size": None, "scale_factors": [2.0, 2.0]}
    ),
    Sample(
        "aten::upsample_bilinear2d.vec",
        {"input": _IMG},
        {"output_size": None, "align_corners": False, "scale_factors": [2.0, 2.0]},
    ),
    *_MORE,
]

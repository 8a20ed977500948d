"""The operators that Core ML takes, by name as in the edge dialect.

`ops_test.py` runs every row of ``SUPPORTED`` through the model package against eager PyTorch and compares the table of the page.
"""

from __future__ import annotations

import torch

aten = torch.ops.aten

#: Elements that a delegate takes and gives. Core ML has integers of 32 bits: those of 64 are 32 inside.
DTYPES = (torch.float32, torch.float16, torch.int64, torch.int32, torch.bool)
#: And between quantization and dequantization, or in compressed weights.
QUANTIZED_DTYPES = (torch.int8, torch.uint8, torch.float64)
#: Dimensions of a tensor, at most.
MAX_RANK = 5

#: Whole in Core ML: not taken apart on the way to the edge dialect.
KEPT_WHOLE = (
    aten.linear.default,
    aten.scaled_dot_product_attention.default,
    aten.silu.default,
    aten.hardswish.default,
    aten.hardsigmoid.default,
    aten.upsample_bilinear2d.vec,
    aten.upsample_nearest2d.vec,
    aten.instance_norm.default,
    aten.floor_divide.default,
    aten.reflection_pad1d.default,
    aten.reflection_pad2d.default,
    aten.pixel_shuffle.default,
)

#: Operators that move elements or make them of nothing: alone they are no work for a delegate.
MOVING = frozenset(
    {
        "aten.arange.start_step",
        "aten.cat.default",
        "aten.clone.default",
        "aten.copy.default",
        "aten.expand_copy.default",
        "aten.flip.default",
        "aten.full.default",
        "aten.full_like.default",
        "aten.permute_copy.default",
        "aten.repeat.default",
        "aten.select_copy.int",
        "aten.slice_copy.Tensor",
        "aten.split_with_sizes_copy.default",
        "aten.squeeze_copy.dims",
        "aten.sym_size.int",
        "aten.unsqueeze_copy.default",
        "aten.view_copy.default",
        "dim_order_ops._clone_dim_order.default",
        "dim_order_ops._to_dim_order_copy.default",
        "export.access_subclass_inner_tensor.default",
        "quant.dequantize_codebook.default",
        "torchao.dequantize_affine.default",
    }
)

#: Quantization as ``convert_pt2e`` and ``quantize_`` write it.
QUANTIZED = frozenset(
    {
        "quantized_decomposed.dequantize_per_channel.default",
        "quantized_decomposed.dequantize_per_tensor.default",
        "quantized_decomposed.quantize_per_tensor.default",
        "export.access_subclass_inner_tensor.default",
        "quant.dequantize_codebook.default",
        "torchao.dequantize_affine.default",
    }
)

#: Operators of booleans only: Core ML has no operators on the bits of integers.
BOOLEAN = frozenset(
    {
        "aten.bitwise_and.Tensor",
        "aten.bitwise_not.default",
        "aten.bitwise_or.Tensor",
        "aten.bitwise_xor.Tensor",
    }
)

SUPPORTED = (
    QUANTIZED
    | BOOLEAN
    | frozenset(
        {
            "aten._adaptive_avg_pool2d.default",
            "aten._log_softmax.default",
            "aten._native_batch_norm_legit_no_training.default",
            "aten._softmax.default",
            "aten.abs.default",
            "aten.acos.default",
            "aten.acosh.default",
            "aten.add.Scalar",
            "aten.add.Tensor",
            "aten.addmm.default",
            "aten.amax.default",
            "aten.amin.default",
            "aten.any.default",
            "aten.any.dim",
            "aten.any.dims",
            "aten.arange.start_step",
            "aten.argmax.default",
            "aten.argmin.default",
            "aten.asin.default",
            "aten.asinh.default",
            "aten.atan.default",
            "aten.atan2.default",
            "aten.atanh.default",
            "aten.avg_pool2d.default",
            "aten.avg_pool3d.default",
            "aten.bmm.default",
            "aten.cat.default",
            "aten.ceil.default",
            "aten.clamp.Tensor",
            "aten.clamp.default",
            "aten.constant_pad_nd.default",
            "aten.convolution.default",
            "aten.copy.default",
            "aten.cos.default",
            "aten.cosh.default",
            "aten.cumsum.default",
            "aten.div.Tensor",
            "aten.div.Tensor_mode",
            "aten.elu.default",
            "aten.embedding.default",
            "aten.eq.Scalar",
            "aten.eq.Tensor",
            "aten.erf.default",
            "aten.exp.default",
            "aten.expand_copy.default",
            "aten.expm1.default",
            "aten.flip.default",
            "aten.floor.default",
            "aten.floor_divide.default",
            "aten.fmod.Scalar",
            "aten.fmod.Tensor",
            "aten.full.default",
            "aten.full_like.default",
            "aten.gather.default",
            "aten.ge.Scalar",
            "aten.ge.Tensor",
            "aten.gelu.default",
            "aten.gt.Scalar",
            "aten.gt.Tensor",
            "aten.hardsigmoid.default",
            "aten.hardswish.default",
            "aten.hardtanh.default",
            "aten.index.Tensor",
            "aten.index_put.default",
            "aten.index_select.default",
            "aten.instance_norm.default",
            "aten.isinf.default",
            "aten.isnan.default",
            "aten.le.Scalar",
            "aten.le.Tensor",
            "aten.leaky_relu.default",
            "aten.linear.default",
            "aten.log.default",
            "aten.log10.default",
            "aten.log1p.default",
            "aten.log2.default",
            "aten.logical_and.default",
            "aten.logical_not.default",
            "aten.logical_or.default",
            "aten.logical_xor.default",
            "aten.lt.Scalar",
            "aten.lt.Tensor",
            "aten.max.default",
            "aten.max.dim",
            "aten.max_pool2d_with_indices.default",
            "aten.max_pool3d_with_indices.default",
            "aten.maximum.default",
            "aten.mean.default",
            "aten.mean.dim",
            "aten.min.default",
            "aten.min.dim",
            "aten.minimum.default",
            "aten.mm.default",
            "aten.mul.Tensor",
            "aten.native_group_norm.default",
            "aten.native_layer_norm.default",
            "aten.ne.Scalar",
            "aten.ne.Tensor",
            "aten.neg.default",
            "aten.permute_copy.default",
            "aten.pixel_shuffle.default",
            "aten.pow.Scalar",
            "aten.pow.Tensor_Scalar",
            "aten.pow.Tensor_Tensor",
            "aten.prod.default",
            "aten.prod.dim_int",
            "aten.randn.default",
            "aten.reciprocal.default",
            "aten.reflection_pad1d.default",
            "aten.reflection_pad2d.default",
            "aten.relu.default",
            "aten.remainder.Scalar",
            "aten.remainder.Tensor",
            "aten.repeat.default",
            "aten.round.default",
            "aten.rsqrt.default",
            "aten.scaled_dot_product_attention.default",
            "aten.scatter.src",
            "aten.scatter.value",
            "aten.scatter_add.default",
            "aten.select_copy.int",
            "aten.sigmoid.default",
            "aten.sign.default",
            "aten.silu.default",
            "aten.sin.default",
            "aten.sinh.default",
            "aten.slice_copy.Tensor",
            "aten.slice_scatter.default",
            "aten.sort.default",
            "aten.split_with_sizes_copy.default",
            "aten.sqrt.default",
            "aten.squeeze_copy.dims",
            "aten.sub.Tensor",
            "aten.sum.dim_IntList",
            "aten.sym_size.int",
            "aten.tan.default",
            "aten.tanh.default",
            "aten.topk.default",
            "aten.trunc.default",
            "aten.unsqueeze_copy.default",
            "aten.upsample_bilinear2d.vec",
            "aten.upsample_nearest2d.vec",
            "aten.var.correction",
            "aten.view_copy.default",
            "aten.where.self",
            "dim_order_ops._clone_dim_order.default",
            "dim_order_ops._to_dim_order_copy.default",
        }
    )
)

#include <executorch/backends/vulkan/runtime/graph/ops/operators.h>
#include <executorch/backends/vulkan/runtime/graph/ops/ops.h>

namespace executorch {
namespace backends {
namespace vulkan {
namespace {

// What is implemented: name and overload, the function, and which of its family it is (for
// functions of elements the number in glsl/unary.glsl or glsl/binary.glsl).
// serialization/schema.fbs has their arguments.
constexpr Operator kOperators[] = {
    {"aten.relu.default", record_unary, 0},
    {"aten.abs.default", record_unary, 2},
    {"aten.neg.default", record_unary, 3},
    {"aten.logical_not.default", record_unary, 4},
    {"aten.sign.default", record_unary, 5},
    {"aten.bitwise_not.default", record_bitwise_not, 0},
    {"aten.sigmoid.default", record_unary, 10},
    {"aten.tanh.default", record_unary, 11},
    {"aten.silu.default", record_unary, 14},
    {"aten.hardsigmoid.default", record_unary, 15},
    {"aten.hardswish.default", record_unary, 16},
    {"aten.exp.default", record_unary, 19},
    {"aten.log.default", record_unary, 20},
    {"aten.sqrt.default", record_unary, 21},
    {"aten.rsqrt.default", record_unary, 22},
    {"aten.sin.default", record_unary, 23},
    {"aten.cos.default", record_unary, 24},
    {"aten.floor.default", record_unary, 25},
    {"aten.ceil.default", record_unary, 26},
    {"aten.round.default", record_unary, 27},
    {"aten.trunc.default", record_unary, 28},
    {"aten.reciprocal.default", record_unary, 29},
    {"aten.erf.default", record_unary, 30},
    {"aten.log1p.default", record_unary, 33},
    {"aten.expm1.default", record_unary, 34},
    {"aten.tan.default", record_unary, 35},
    {"aten.atan.default", record_unary, 36},
    {"aten.mish.default", record_unary, 39},
    {"aten.log2.default", record_unary, 40},
    {"aten.asin.default", record_unary, 41},
    {"aten.acos.default", record_unary, 42},
    {"aten.sinh.default", record_unary, 43},
    {"aten.cosh.default", record_unary, 44},
    {"aten.log10.default", record_unary, 45},
    {"aten.asinh.default", record_unary, 46},
    {"aten.acosh.default", record_unary, 47},
    {"aten.atanh.default", record_unary, 48},
    {"aten.elu.default", record_elu, 0},
    {"aten.clamp.default", record_clamp, 0},
    {"aten.hardtanh.default", record_clamp, 0},
    {"aten.gelu.default", record_gelu, 0},
    {"aten.leaky_relu.default", record_slope, 17},
    {"aten.hardshrink.default", record_slope, 49},
    {"aten._to_copy.default", record_convert, 0},
    {"dim_order_ops._to_dim_order_copy.default", record_convert, 0},

    {"aten.add.Tensor", record_binary, 0 | kHasAlpha},
    {"aten.add.Scalar", record_binary, 0 | kHasAlpha},
    {"aten.sub.Tensor", record_binary, 1 | kHasAlpha},
    {"aten.sub.Scalar", record_binary, 1 | kHasAlpha},
    {"aten.rsub.Scalar", record_binary, 11 | kHasAlpha},
    {"aten.mul.Tensor", record_binary, 2},
    {"aten.mul.Scalar", record_binary, 2},
    {"aten.div.Tensor", record_binary, 3},
    {"aten.div.Scalar", record_binary, 3},
    {"aten.floor_divide.default", record_binary, 4},
    {"aten.div.Tensor_mode", record_rounded_quotient, 0},
    {"aten.div.Scalar_mode", record_rounded_quotient, 0},
    {"aten.pow.Tensor_Tensor", record_binary, 6},
    {"aten.pow.Tensor_Scalar", record_binary, 6},
    {"aten.minimum.default", record_binary, 7},
    {"aten.maximum.default", record_binary, 8},
    {"aten.remainder.Scalar", record_binary, 9},
    {"aten.remainder.Tensor", record_binary, 9},
    {"aten.fmod.Scalar", record_binary, 10},
    {"aten.fmod.Tensor", record_binary, 10},
    {"aten.atan2.default", record_binary, 15},
    {"aten.bitwise_and.Tensor", record_binary, 12},
    {"aten.bitwise_or.Tensor", record_binary, 13},
    {"aten.bitwise_xor.Tensor", record_binary, 14},
    {"aten.eq.Tensor", record_binary, 0 | kCompare},
    {"aten.eq.Scalar", record_binary, 0 | kCompare},
    {"aten.ne.Tensor", record_binary, 1 | kCompare},
    {"aten.ne.Scalar", record_binary, 1 | kCompare},
    {"aten.lt.Tensor", record_binary, 2 | kCompare},
    {"aten.lt.Scalar", record_binary, 2 | kCompare},
    {"aten.le.Tensor", record_binary, 3 | kCompare},
    {"aten.le.Scalar", record_binary, 3 | kCompare},
    {"aten.gt.Tensor", record_binary, 4 | kCompare},
    {"aten.gt.Scalar", record_binary, 4 | kCompare},
    {"aten.ge.Tensor", record_binary, 5 | kCompare},
    {"aten.ge.Scalar", record_binary, 5 | kCompare},
    {"aten.logical_and.default", record_binary, 6 | kCompare},
    {"aten.logical_or.default", record_binary, 7 | kCompare},
    {"aten.logical_xor.default", record_binary, 8 | kCompare},
    {"aten.where.self", record_where, 0},

    {"aten.mm.default", record_matmul, 0},
    {"aten.bmm.default", record_matmul, 0},
    {"aten.addmm.default", record_addmm, 0},
    {"aten.linear.default", record_linear, 0},
    {"executorch.grouped_mm.default", record_grouped_mm, 0},
    {"aten.convolution.default", record_conv, 0},
    {"et_vk.conv_with_clamp.default", record_conv, kConvWithClamp},
    {"et_vk.linear_q4gsw.default", record_quantized_linear, 0},
    {"et_vk.linear_q8csw.default", record_quantized_linear, 1},
    {"et_vk.linear_dq8ca_q4gsw.default", record_quantized_linear, 2},
    {"et_vk.linear_q8gsw.default", record_quantized_linear, 3},
    {"et_vk.linear_dq8ca_q8gsw.default", record_quantized_linear, 4},
    {"et_vk.embedding_q4gsw.default", record_quantized_embedding, 0},
    {"et_vk.embedding_q8csw.default", record_quantized_embedding, 1},
    {"torchao.choose_qparams_affine.default", record_choose_qparams, 0},
    {"quantized_decomposed.choose_qparams.tensor", record_choose_qparams, kOfAll},
    {"quantized_decomposed.quantize_per_tensor.default", record_quantize, 0},
    {"quantized_decomposed.dequantize_per_tensor.default", record_dequantize, 0},
    {"et_vk.quantize_per_token.default", record_quantize_per_token, 0},
    {"et_vk.add_int8.default", record_add_int8, 0},
    {"et_vk.conv_int8.default", record_conv_int8, 0},
    {"et_vk.linear_int8.default", record_linear_int8, 0},

    {"llama.update_cache.default", record_update_cache, 0},
    {"llama.custom_sdpa.default", record_attention, 0},
    {"llama.custom_quantized_sdpa.default", record_attention, kOfBytes},
    {"et_vk.rotary_embedding.default", record_rotary_embedding, 0},
    {"et_vk.apply_rotary_emb.default", record_rotary_pair, 0},
    {"et_vk.state.default", record_nothing, 0},
    {"et_vk.select_as_symint.default", record_nothing, 0},

    {"aten._softmax.default", record_softmax, 0},
    {"aten._log_softmax.default", record_softmax, 1},
    {"aten.native_layer_norm.default", record_layer_norm, 0},
    {"aten.rms_norm.default", record_layer_norm, 1},
    {"aten.native_group_norm.default", record_group_norm, 0},
    {"aten._native_batch_norm_legit_no_training.default", record_batch_norm, 0},
    {"aten.sum.dim_IntList", record_reduce, 0},
    {"aten.mean.dim", record_reduce, kMeanKind},
    {"aten.amax.default", record_reduce, 1},
    {"aten.amin.default", record_reduce, 2},
    {"aten.argmax.default", record_arg_reduce, 1},
    {"aten.argmin.default", record_arg_reduce, 2},
    {"aten.cumsum.default", record_cumsum, 0},
    {"aten.topk.default", record_topk, 0},
    {"aten.histc.default", record_histc, 0},
    {"aten.max_pool2d_with_indices.default", record_max_pool, 0},
    {"aten.avg_pool2d.default", record_avg_pool, 0},
    {"aten._adaptive_avg_pool2d.default", record_adaptive_avg_pool, 0},
    {"aten.upsample_nearest2d.vec", record_upsample, 0},
    {"aten.upsample_bilinear2d.vec", record_upsample, 1},
    {"aten.grid_sampler_2d.default", record_grid_sampler, 0},

    {"aten.view_copy.default", record_view, kViewKind},
    {"aten.unsqueeze_copy.default", record_view, kUnsqueezeKind},
    {"aten.squeeze_copy.dims", record_view, kSqueezeKind},
    {"aten.clone.default", record_view, kSameKind},
    {"dim_order_ops._clone_dim_order.default", record_view, kSameKind},
    {"et_vk.prepack.default", record_view, kSameKind},
    {"aten.permute_copy.default", record_permute, 0},
    {"aten.expand_copy.default", record_expand, 0},
    {"aten.repeat.default", record_repeat, 0},
    {"aten.cat.default", record_cat, 0},
    {"aten.slice_copy.Tensor", record_slice, 0},
    {"aten.split_with_sizes_copy.default", record_split, 0},
    {"aten.select_copy.int", record_select, 0},
    {"aten.flip.default", record_flip, 0},
    {"aten.unfold_copy.default", record_unfold, 0},
    {"aten.index_select.default", record_index_select, 0},
    {"aten.index.Tensor", record_index, 0},
    {"aten.index_put.default", record_index_put, 0},
    {"aten.embedding.default", record_embedding, 0},
    {"aten.gather.default", record_gather, 0},
    {"aten.scatter.src", record_scatter, 0},
    {"aten.scatter_add.default", record_scatter, kAddsKind},
    {"aten.constant_pad_nd.default", record_pad, 0},
    {"aten.reflection_pad2d.default", record_pad, 1},
    {"aten.replication_pad2d.default", record_pad, 2},
    {"aten.full.default", record_full, 0},
    {"aten.full_like.default", record_full, 1},
    {"aten.zeros.default", record_full, kZerosKind},
    {"aten.zeros_like.default", record_full, kZerosKind | 1},
    {"aten.ones.default", record_full, kOnesKind},
    {"aten.ones_like.default", record_full, kOnesKind | 1},
    {"aten.arange.start_step", record_arange, 0},

    {"sym_size.int", record_size, 0},
    {"add", record_size_arithmetic, 0},
    {"sub", record_size_arithmetic, 1},
    {"mul", record_size_arithmetic, 2},
    {"floordiv", record_size_arithmetic, 3},
};

}  // namespace

const Operator* find_operator(const std::string& name) {
  for (const Operator& one : kOperators) {
    if (name == one.name) {
      return &one;
    }
  }
  return nullptr;
}

std::vector<std::string> operator_names() {
  std::vector<std::string> names;
  for (const Operator& one : kOperators) {
    names.emplace_back(one.name);
  }
  return names;
}

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch

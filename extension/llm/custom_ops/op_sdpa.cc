#include <cmath>

#include <executorch/extension/llm/custom_ops/attention.h>
#include <executorch/extension/llm/custom_ops/op_sdpa.h>
#include <executorch/extension/llm/custom_ops/op_update_cache.h>
#include <executorch/extension/llm/custom_ops/operands.h>

namespace torch::executor::native {
namespace {

using attention::Attention;
using attention::Operand;

/// What all three have in common.
struct Call {
  const Tensor& query;
  const Tensor& key;
  const Tensor& value;
  int64_t start;
  const optional<Tensor>& mask;
  bool causal;
  optional<double> scale;
  ssize_t positions_dim = 1;

  ssize_t heads_dim() const { return 3 - positions_dim; }
  int64_t positions() const { return query.size(positions_dim); }
  int64_t keys() const { return key.size(positions_dim); }
};

bool is_attention_dtype(ScalarType dtype) {
  return dtype == ScalarType::Float || dtype == ScalarType::Half || dtype == ScalarType::BFloat16;
}

bool require_attention_dtype(KernelRuntimeContext& ctx, const char* name, const Tensor& t) {
  ET_KERNEL_CHECK_MSG(ctx, is_attention_dtype(t.scalar_type()), InvalidArgument, false,
                      "%s must be Float, Half or BFloat16, it is %s", name,
                      executorch::runtime::toString(t.scalar_type()));
  return true;
}

bool require_mask(KernelRuntimeContext& ctx, const Call& call) {
  const Tensor& mask = *call.mask;
  if (!util::require(ctx, !call.causal, "attn_mask and is_causal cannot be set at the same time") ||
      !operands::require_rank(ctx, "attn_mask", mask, 2) ||
      !require_attention_dtype(ctx, "attn_mask", mask)) {
    return false;
  }
  ET_KERNEL_CHECK_MSG(
      ctx, mask.size(0) == call.positions() && mask.size(1) == call.keys(), InvalidArgument, false,
      "attn_mask must have a row for each of %zd queries and a column for each of %zd keys, it has "
      "%zd and %zd",
      static_cast<ssize_t>(call.positions()), static_cast<ssize_t>(call.keys()),
      static_cast<ssize_t>(mask.size(0)), static_cast<ssize_t>(mask.size(1)));
  return true;
}

/// Requires shapes, a mask and a position that fit; of dtypes, that of the mask.
bool require_fit(KernelRuntimeContext& ctx, const Call& call) {
  constexpr unsigned kBatchAndElements = 1u << 0 | 1u << 3;
  constexpr unsigned kAll = 0xf;
  if (!operands::require_same_sizes(ctx, "query", call.query, "key", call.key, kBatchAndElements) ||
      !operands::require_same_sizes(ctx, "key", call.key, "value", call.value, kAll)) {
    return false;
  }
  const ssize_t heads = call.query.size(call.heads_dim());
  const ssize_t key_heads = call.key.size(call.heads_dim());
  ET_KERNEL_CHECK_MSG(ctx, key_heads > 0 ? heads % key_heads == 0 : heads == 0, InvalidArgument,
                      false, "%zd heads of the query cannot share %zd heads of the key", heads,
                      key_heads);
  for (const Tensor* t : {&call.query, &call.key, &call.value}) {
    if (!util::require(ctx, t->size(3) <= 1 || t->strides()[3] == 1,
                       "the elements of a head must lie beside each other")) {
      return false;
    }
  }
  return call.mask.has_value()
             ? require_mask(ctx, call)
             : operands::require_room(ctx, call.start, call.positions(), call.keys());
}

Operand operand_of(const Tensor& t, ssize_t positions_dim) {
  Operand operand;
  operand.data = static_cast<char*>(const_cast<void*>(t.const_data_ptr()));
  operand.dtype = t.scalar_type();
  operand.batch = t.strides()[0];
  operand.head = t.strides()[static_cast<size_t>(3 - positions_dim)];
  operand.position = t.strides()[static_cast<size_t>(positions_dim)];
  return operand;
}

/// Everything but the quantization. The call fits, and the output has its shape.
Attention attention_of(const Call& call, Tensor& output) {
  Attention a = {};
  a.query = operand_of(call.query, call.positions_dim);
  a.key = operand_of(call.key, call.positions_dim);
  a.value = operand_of(call.value, call.positions_dim);
  a.out = operand_of(output, call.positions_dim);
  a.batches = static_cast<size_t>(call.query.size(0));
  a.heads = static_cast<size_t>(call.query.size(call.heads_dim()));
  a.key_heads = static_cast<size_t>(call.key.size(call.heads_dim()));
  a.positions = static_cast<size_t>(call.positions());
  a.keys = static_cast<size_t>(call.mask.has_value() ? call.keys() : call.start + call.positions());
  a.head_dim = static_cast<size_t>(call.query.size(3));
  a.scale = static_cast<float>(
      call.scale.has_value() ? *call.scale : 1.0 / std::sqrt(static_cast<double>(a.head_dim)));
  a.start = call.mask.has_value() ? 0 : static_cast<size_t>(call.start);
  a.causal = call.causal;
  if (call.mask.has_value()) {
    a.mask = static_cast<const char*>(call.mask->const_data_ptr());
    a.mask_dtype = call.mask->scalar_type();
    a.mask_row = call.mask->strides()[0];
    a.mask_column = call.mask->strides()[1];
  }
  return a;
}

/// Resizes the output, which must be able to take the elements of a head one beside the other.
bool prepare_output(KernelRuntimeContext& ctx, const Call& call, ScalarType dtype, Tensor& output) {
  return operands::require_dtype(ctx, "the output", output, dtype) &&
         util::resize_like(ctx, call.query, output) &&
         util::require(ctx, output.size(3) <= 1 || output.strides()[3] == 1,
                       "the elements of a head must lie beside each other in the output");
}

void run(KernelRuntimeContext& ctx, const Attention& a) {
  if (!attention::attend(a)) {
    ET_LOG(Error, "There is no memory for the blocks of attention");
    ctx.fail(Error::MemoryAllocationFailed);
  }
}

bool require_one_dtype(KernelRuntimeContext& ctx, const Tensor& query, const Tensor& key,
                       const Tensor& value) {
  return require_attention_dtype(ctx, "query", query) &&
         operands::require_dtype(ctx, "key", key, query.scalar_type()) &&
         operands::require_dtype(ctx, "value", value, query.scalar_type());
}

/// Adds the quantization of `values` to its operand; without one the values must be floating.
bool take_quantization(KernelRuntimeContext& ctx, const char* name, const Tensor& values,
                       const optional<Tensor>& zero_points, const optional<Tensor>& scales,
                       ssize_t positions_dim, Operand* operand) {
  if (!zero_points.has_value() || !scales.has_value()) {
    ET_KERNEL_CHECK_MSG(ctx, is_attention_dtype(values.scalar_type()), InvalidArgument, false,
                        "%s is %s and needs zero points and scales", name,
                        executorch::runtime::toString(values.scalar_type()));
    return true;
  }
  constexpr unsigned kAllButElements = 0x7;
  if (!util::require_real(ctx, values) ||
      !operands::require_dtype(ctx, "zero points", *zero_points, ScalarType::Char) ||
      !operands::require_dtype(ctx, "scales", *scales, ScalarType::Float) ||
      !operands::require_same_sizes(ctx, "zero points", *zero_points, name, values,
                                    kAllButElements) ||
      !operands::require_same_sizes(ctx, "scales", *scales, "zero points", *zero_points, 0xf) ||
      !util::require(ctx, scales->size(3) == 1, "there must be one scale for all of a head") ||
      !util::require(ctx, util::same_layout(*scales, *zero_points),
                     "scales and zero points must have the same dim order")) {
    return false;
  }
  if (operand != nullptr) {
    operand->scales = static_cast<const float*>(scales->const_data_ptr());
    operand->zero_points = static_cast<const int8_t*>(zero_points->const_data_ptr());
    operand->scale_batch = scales->strides()[0];
    operand->scale_head = scales->strides()[static_cast<size_t>(3 - positions_dim)];
    operand->scale_position = scales->strides()[static_cast<size_t>(positions_dim)];
  }
  return true;
}

}  // namespace

Tensor& custom_sdpa_out(KernelRuntimeContext& ctx, const Tensor& query, const Tensor& key,
                        const Tensor& value, int64_t start_pos, const optional<Tensor>& attn_mask,
                        double /*dropout_p*/, bool is_causal, optional<double> scale,
                        Tensor& output) {
  const Call call = {query, key, value, start_pos, attn_mask, is_causal, scale};
  if (require_fit(ctx, call) && require_one_dtype(ctx, query, key, value) &&
      prepare_output(ctx, call, query.scalar_type(), output)) {
    run(ctx, attention_of(call, output));
  }
  return output;
}

Tensor& sdpa_with_kv_cache_out(KernelRuntimeContext& ctx, const Tensor& query, const Tensor& key,
                               const Tensor& value, Tensor& key_cache, Tensor& value_cache,
                               int64_t start_pos, int64_t /*seq_len*/,
                               const optional<Tensor>& attn_mask, double /*dropout_p*/,
                               bool is_causal, optional<double> scale, Tensor& output) {
  const Call call = {query, key_cache, value_cache, start_pos, attn_mask, is_causal, scale};
  // Everything is looked at before the caches are written.
  if (!require_fit(ctx, call) || !require_one_dtype(ctx, query, key_cache, value_cache) ||
      !operands::require_same_sizes(ctx, "query", query, "key", key, 1u << 0 | 1u << 1) ||
      !operands::require_same_sizes(ctx, "key", key, "value", value, 0xf) ||
      !require_cache_fits(ctx, key, key_cache, start_pos) ||
      !require_cache_fits(ctx, value, value_cache, start_pos) ||
      !prepare_output(ctx, call, query.scalar_type(), output)) {
    return output;
  }
  write_cache(key, key_cache, start_pos);
  write_cache(value, value_cache, start_pos);
  run(ctx, attention_of(call, output));
  return output;
}

Tensor& custom_quantized_sdpa_out(
    KernelRuntimeContext& ctx, const Tensor& query, const Tensor& key, const Tensor& value,
    int64_t start_pos, const optional<Tensor>& attn_mask, double /*dropout_p*/, bool is_causal,
    optional<double> scale, const optional<Tensor>& q_zero_points, const optional<Tensor>& q_scales,
    const optional<Tensor>& k_zero_points, const optional<Tensor>& k_scales,
    const optional<Tensor>& v_zero_points, const optional<Tensor>& v_scales, bool is_seq_at_dim_2,
    Tensor& output) {
  const ssize_t dim = is_seq_at_dim_2 ? 2 : 1;
  const Call call = {query, key, value, start_pos, attn_mask, is_causal, scale, dim};
  if (!require_fit(ctx, call) ||
      !take_quantization(ctx, "query", query, q_zero_points, q_scales, dim, nullptr) ||
      !take_quantization(ctx, "key", key, k_zero_points, k_scales, dim, nullptr) ||
      !take_quantization(ctx, "value", value, v_zero_points, v_scales, dim, nullptr) ||
      !prepare_output(ctx, call, ScalarType::Float, output)) {
    return output;
  }
  Attention a = attention_of(call, output);
  if (take_quantization(ctx, "query", query, q_zero_points, q_scales, dim, &a.query) &&
      take_quantization(ctx, "key", key, k_zero_points, k_scales, dim, &a.key) &&
      take_quantization(ctx, "value", value, v_zero_points, v_scales, dim, &a.value)) {
    run(ctx, a);
  }
  return output;
}

}  // namespace torch::executor::native

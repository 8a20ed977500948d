#pragma once

#include <executorch/backends/vulkan/runtime/graph/call.h>
#include <executorch/backends/vulkan/runtime/graph/ops/shapes.h>

// Functions of the operators, one for each family; `kind` says which of the family. The table in
// operators.cc says which operator is which; serialization/schema.fbs has their arguments.

namespace executorch {
namespace backends {
namespace vulkan {

// elementwise.cc
constexpr int kCompare = 64;
constexpr int kHasAlpha = 128;
void record_unary(Call& call, int kind);
void record_bitwise_not(Call& call, int kind);
void record_clamp(Call& call, int kind);
void record_gelu(Call& call, int kind);
void record_slope(Call& call, int kind);
void record_binary(Call& call, int kind);
void record_where(Call& call, int kind);
void record_convert(Call& call, int kind);

// matmul.cc
void record_matmul(Call& call, int kind);
void record_addmm(Call& call, int kind);
void record_linear(Call& call, int kind);

/// Strides and sizes of C[b] = alpha * A[b] B[b] + beta * bias.
struct Product {
  int64_t batches = 1;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t depth = 0;
  int64_t batch_a = 0;
  int64_t batch_b = 0;
  int64_t row_a = 0;
  int64_t depth_a = 1;
  int64_t depth_b = 0;
  int64_t column_b = 1;
  int64_t row_bias = 0;
  int64_t column_bias = 0;
  float alpha = 1;
  float beta = 1;
  bool is_clamped = false;
  float least = 0;
  float most = 0;
};

/// @param bias Null for none.
void record_product(Call& call, const GraphTensor& type, Buffer* out, Buffer* a, Buffer* b,
                    Buffer* bias, const Product& product);

// conv.cc
constexpr int kConvWithClamp = 1;
void record_conv(Call& call, int kind);

// attention.cc
/// Of calls that the executor acts on.
void record_nothing(Call& call, int kind);
void record_update_cache(Call& call, int kind);
void record_attention(Call& call, int kind);
void record_rotary_embedding(Call& call, int kind);

// quantized.cc
void record_quantized_linear(Call& call, int kind);
void record_choose_qparams(Call& call, int kind);

// pool.cc
void record_max_pool(Call& call, int kind);
void record_avg_pool(Call& call, int kind);
void record_adaptive_avg_pool(Call& call, int kind);
void record_upsample(Call& call, int kind);

// normalize.cc
void record_softmax(Call& call, int kind);
void record_layer_norm(Call& call, int kind);
void record_group_norm(Call& call, int kind);
void record_batch_norm(Call& call, int kind);
constexpr int kMeanKind = 16;
void record_reduce(Call& call, int kind);
void record_arg_reduce(Call& call, int kind);
void record_cumsum(Call& call, int kind);

// move.cc
constexpr int kSameKind = 0;
constexpr int kViewKind = 1;
constexpr int kUnsqueezeKind = 2;
constexpr int kSqueezeKind = 3;
void record_view(Call& call, int kind);
void record_permute(Call& call, int kind);
void record_expand(Call& call, int kind);
void record_repeat(Call& call, int kind);
void record_cat(Call& call, int kind);
void record_slice(Call& call, int kind);
void record_select(Call& call, int kind);
void record_flip(Call& call, int kind);

// index.cc
void record_index_select(Call& call, int kind);
void record_embedding(Call& call, int kind);
void record_gather(Call& call, int kind);
void record_pad(Call& call, int kind);
void record_full(Call& call, int kind);
void record_arange(Call& call, int kind);
void record_size(Call& call, int kind);
void record_size_arithmetic(Call& call, int kind);

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch

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
void record_elu(Call& call, int kind);
void record_binary(Call& call, int kind);
void record_rounded_quotient(Call& call, int kind);
void record_where(Call& call, int kind);
void record_convert(Call& call, int kind);

// matmul.cc
void record_matmul(Call& call, int kind);
void record_addmm(Call& call, int kind);
void record_linear(Call& call, int kind);
void record_grouped_mm(Call& call, int kind);

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

/// A convolution of one or two dimensions; the height is 1 where there is only one.
struct Conv {
  int64_t batches, in_channels, height, width;
  int64_t out_channels, out_height, out_width;
  int64_t kernel[2], stride[2], padding[2], dilation[2], extra[2];
  int64_t groups;
  bool is_transposed;
  bool has_bias;
  bool is_clamped;
  float least, most;

  bool is_pointwise() const {
    return !is_transposed && groups == 1 && kernel[0] * kernel[1] == 1 &&
           stride[0] * stride[1] == 1 && padding[0] == 0 && padding[1] == 0;
  }
  bool is_depthwise() const {
    return !is_transposed && groups == in_channels && groups == out_channels;
  }
  /// What glsl/conv3x3.glsl is for.
  bool is_3x3() const {
    return kernel[0] == 3 && kernel[1] == 3 && dilation[0] == 1 && dilation[1] == 1 &&
           stride[0] == stride[1] && stride[0] <= 2;
  }
};

/// Where the arguments of a convolution stand beside its input.
struct ConvPlaces {
  size_t weight, stride, padding, dilation, groups;
};

/// Its geometry; whether it is transposed, and what its result has more, is set before.
bool describe_conv(Call& call, const ConvPlaces& at, Conv& conv);
/// Channels that an invocation makes of weights in blocks of four, which do not reach over the edge
/// of a group.
int64_t channels_each(const Conv& conv);
/// Slots 0 to 16: batches; channels, height and width of the input and of the result; kernel,
/// stride, padding and dilation; channels of a group of both.
Parameters parameters_of(const Conv& conv);
/// Of the result.
Sizes sizes_of(const Conv& conv, size_t rank);

// attention.cc
/// Of calls that the executor acts on.
void record_nothing(Call& call, int kind);
void record_update_cache(Call& call, int kind);
constexpr int kOfBytes = 1;
void record_attention(Call& call, int kind);
void record_rotary_embedding(Call& call, int kind);
void record_rotary_pair(Call& call, int kind);

// quantized.cc
void record_quantized_linear(Call& call, int kind);
void record_quantized_embedding(Call& call, int kind);
constexpr int kOfAll = 1;
void record_choose_qparams(Call& call, int kind);

// int8.cc
void record_quantize(Call& call, int kind);
void record_dequantize(Call& call, int kind);
void record_quantize_per_token(Call& call, int kind);
void record_dequantize_per_token(Call& call, int kind);
void record_add_int8(Call& call, int kind);
void record_linear_int8(Call& call, int kind);
void record_conv_int8(Call& call, int kind);

// pool.cc
void record_max_pool(Call& call, int kind);
void record_avg_pool(Call& call, int kind);
void record_adaptive_avg_pool(Call& call, int kind);
void record_upsample(Call& call, int kind);
void record_grid_sampler(Call& call, int kind);

// normalize.cc
void record_softmax(Call& call, int kind);
void record_layer_norm(Call& call, int kind);
void record_group_norm(Call& call, int kind);
void record_batch_norm(Call& call, int kind);
constexpr int kMeanKind = 16;
void record_reduce(Call& call, int kind);
void record_arg_reduce(Call& call, int kind);
void record_cumsum(Call& call, int kind);
void record_topk(Call& call, int kind);
void record_histc(Call& call, int kind);

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
void record_split(Call& call, int kind);
void record_select(Call& call, int kind);
void record_flip(Call& call, int kind);
void record_unfold(Call& call, int kind);

// index.cc
void record_index_select(Call& call, int kind);
void record_index(Call& call, int kind);
void record_index_put(Call& call, int kind);
void record_embedding(Call& call, int kind);
void record_gather(Call& call, int kind);
constexpr int kAddsKind = 1;
void record_scatter(Call& call, int kind);
void record_pad(Call& call, int kind);
constexpr int kZerosKind = 2;
constexpr int kOnesKind = 4;
void record_full(Call& call, int kind);
void record_arange(Call& call, int kind);
void record_size(Call& call, int kind);
void record_size_arithmetic(Call& call, int kind);

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch

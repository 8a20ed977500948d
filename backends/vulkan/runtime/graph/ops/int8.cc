#include <cmath>
#include <utility>

#include <executorch/backends/vulkan/runtime/graph/ops/ops.h>

// Operators on tensors of int8, whose shaders write words of four elements.

namespace executorch {
namespace backends {
namespace vulkan {
namespace {

bool is_byte(const GraphTensor& tensor) { return tensor.element() == Element::Byte; }

bool is_float(const GraphTensor& tensor) {
  return tensor.element() == Element::Float || tensor.element() == Element::Half;
}

/// Of glsl/quantize_per_token.glsl: lines and invocations of a group.
constexpr int64_t kLinesTogether = 4;
constexpr int64_t kInvocations = 64;

/// A scale, a zero point and two limits of a result, from argument `i` on.
bool set_result(Call& call, size_t i, Parameters& parameters, size_t at) {
  const double scale = call.number(i);
  const int64_t zero = call.integer(i + 1);
  const int64_t least = call.integer(i + 2);
  const int64_t most = call.integer(i + 3);
  parameters.set(at, static_cast<float>(1 / scale)).set(at + 1, {zero, least, most});
  return call.expect(std::isfinite(scale) && scale > 0, "a scale is no scale") &&
         call.expect(least >= INT8_MIN && most <= INT8_MAX && least <= most && zero >= INT8_MIN &&
                         zero <= INT8_MAX,
                     "a zero point or a limit is no int8");
}

/// What weights are multiplied with: the weights, a factor for each row, and a bias or none.
bool are_weights(Call& call, size_t i, int64_t rows) {
  const GraphTensor& weights = call.tensor(i);
  const GraphTensor& factors = call.tensor(i + 1);
  const bool has_bias = !call.is_none(i + 2);
  const bool fits = factors.numel() == rows && factors.element() == Element::Float &&
                    (!has_bias || (call.tensor(i + 2).numel() == rows &&
                                   call.tensor(i + 2).element() == Element::Float));
  return call.expect(call.is_constant(i) && is_byte(weights) && weights.staging == DType::Int8,
                     "its weights are no constant of int8") &&
         call.expect(fits, "its factors or its bias do not fit");
}

Buffers buffers_of(Call& call, size_t out, Packing packing = Packing::Words) {
  const bool has_bias = !call.is_none(4);
  return {call.out(out), call.in(0), call.in(2, packing), call.in(3), call.in(has_bias ? 4 : 3)};
}

/// Of glsl/conv_int8_result.glsl: places of a channel that a group makes together; invocations of
/// a group; and channels that a group makes of a depthwise convolution where they do not begin with
/// words.
constexpr int64_t kMostTogether = 256;
constexpr int64_t kMostInvocations = 64;
constexpr int64_t kDepthwiseTogether = 4;
/// Of glsl/bytes.glsl: products that a float adds up exactly.
constexpr int64_t kMostExact = 512;

int64_t places_of(const Conv& conv) { return conv.out_height * conv.out_width; }

/// Channels do not begin with words, so that a group makes several of them, which do.
bool is_together(const Conv& conv) { return places_of(conv) % kWord != 0; }

bool can_be_together(const Conv& conv) {
  return places_of(conv) <= kMostTogether && (conv.batches == 1 || conv.out_channels % kWord == 0);
}

/// Whether channels of a result can be made four by four: its words begin with a channel, or one
/// group makes four channels, which begin with a word.
bool is_by_blocks(const Conv& conv) {
  const bool fits = conv.groups == 1 || conv.out_channels / conv.groups % kWord == 0;
  return fits && conv.kernel[0] * conv.kernel[1] <= kMostExact &&
         (!is_together(conv) || can_be_together(conv));
}

/// Whether four places of the result lie over three words of a row of the input.
bool is_by_windows(const Conv& conv) {
  return conv.is_3x3() &&
         (conv.out_width % kWord == 0 || (conv.stride[1] == 1 && conv.out_width == conv.width));
}

bool is_depthwise_by_windows(const Conv& conv) {
  const bool is_in_one_group =
      words_of(places_of(conv)) * kDepthwiseTogether <= kMostInvocations && can_be_together(conv);
  return conv.is_depthwise() && is_by_windows(conv) && (!is_together(conv) || is_in_one_group);
}

std::string by_stride(const char* name, const Conv& conv) {
  return std::string(name) + (conv.stride[0] == 1 ? "_s1" : "_s2");
}

void record_depthwise_int8(Call& call, size_t out, const Conv& conv, const Parameters& parameters,
                           uint32_t has_bias) {
  const int64_t words = words_of(places_of(conv));
  const int64_t each = is_together(conv) ? kDepthwiseTogether : 1;
  call.dispatch_grid(by_stride("conv3x3_int8_int_depthwise", conv), buffers_of(call, out),
                     parameters, words * each, (conv.out_channels + each - 1) / each, conv.batches,
                     {has_bias, is_together(conv) ? 1u : 0u});
}

/// The shader, and its constant that says how four places lie in the input.
std::pair<std::string, uint32_t> blocks_shader(const Conv& conv) {
  if (is_by_windows(conv)) {
    return {by_stride("conv3x3_int8_int", conv), 0};
  }
  if (!conv.is_pointwise()) {
    return {"conv_int8_blocks_int", 0};
  }
  const bool is_deep = conv.in_channels % kWord == 0;
  return {is_deep ? "conv_int8_blocks_int_deep" : "conv_int8_blocks_int",
          is_together(conv) ? 2 : 1};
}

/// Whether four channels of the input can be multiplied at once.
bool is_by_dots(const Call& call, const Conv& conv) {
  return call.has_fast_dot() && conv.in_channels / conv.groups % kWord == 0;
}

/// How four places of the result lie in the input; see glsl/conv_int8_dot.glsl.
uint32_t words_of_dots(const Conv& conv) {
  if (conv.is_pointwise()) {
    return is_together(conv) ? 2 : 1;
  }
  const bool is_row = conv.stride[1] == 1 && conv.out_width % kWord == 0;
  const bool is_same = conv.stride[0] == 1 && conv.stride[1] == 1 && conv.out_width == conv.width;
  return is_row || is_same ? 2 : 0;
}

void record_blocks_int8(Call& call, size_t out, const Conv& conv, const Parameters& parameters,
                        uint32_t has_bias) {
  const int64_t channels = channels_each(conv);
  const bool is_dot = is_by_dots(call, conv);
  const auto [shader, words] =
      is_dot ? std::pair<std::string, uint32_t>("conv_int8_dot_int", words_of_dots(conv))
             : blocks_shader(conv);
  call.dispatch_grid(shader, buffers_of(call, out, is_dot ? Packing::Deep : Packing::Blocks),
                     parameters, words_of(places_of(conv)),
                     (conv.out_channels + channels - 1) / channels, conv.batches,
                     {has_bias, is_together(conv) ? 1u : 0u, channels > kWord ? 1u : 0u, words});
}

}  // namespace

void record_quantize(Call& call, int kind) {
  (void)kind;
  const size_t out = call.num_arguments() - 1;
  const GraphTensor& x = call.tensor(0);
  call.take_bytes();
  Parameters parameters;
  if (!call.expect(is_float(x) && is_byte(call.output(out)), "it makes int8 of floats only") ||
      !set_result(call, 1, parameters, 1)) {
    return;
  }
  call.resize(out, x.sizes);
  parameters.set(0, x.numel());
  call.dispatch_elements(shader_for("quantize", x), {call.out(out), call.in(0)}, parameters,
                         words_of(x.numel()));
}

void record_dequantize(Call& call, int kind) {
  (void)kind;
  const size_t out = call.num_arguments() - 1;
  const GraphTensor& x = call.tensor(0);
  call.take_bytes();
  if (!call.expect(is_byte(x) && is_float(call.output(out)), "it makes floats of int8 only")) {
    return;
  }
  call.resize(out, x.sizes);
  Parameters parameters;
  parameters.set(0, x.numel()).set(1, static_cast<float>(call.number(1))).set(2, call.integer(2));
  call.dispatch_elements(shader_for("dequantize", call.output(out)), {call.out(out), call.in(0)},
                         parameters, x.numel());
}

void record_quantize_per_token(Call& call, int kind) {
  (void)kind;
  const GraphTensor& x = call.tensor(0);
  call.take_bytes();
  if (!call.expect(call.num_arguments() == 2 && x.rank() >= 1 && is_float(x),
                   "it quantizes lines of floats only") ||
      !call.expect(is_byte(call.output(1, 0)) && call.output(1, 1).element() == Element::Float &&
                       is_byte(call.output(1, 2)),
                   "its results have another type")) {
    return;
  }
  Sizes sizes = x.sizes;
  call.resize(1, sizes, 0);
  sizes.back() = 1;
  call.resize(1, sizes, 1);
  call.resize(1, sizes, 2);
  const int64_t lines = product_of(sizes);
  Parameters parameters;
  parameters.set(0, {lines, x.sizes.back()});
  call.set_num_written(3);
  call.dispatch_elements(shader_for("quantize_per_token", x),
                         {call.out(1, 0), call.out(1, 1), call.out(1, 2), call.in(0)}, parameters,
                         (lines + kLinesTogether - 1) / kLinesTogether * kInvocations);
}

void record_dequantize_per_token(Call& call, int kind) {
  (void)kind;
  const GraphTensor& x = call.tensor(0);
  const GraphTensor& scales = call.tensor(1);
  const GraphTensor& zeros = call.tensor(2);
  call.take_bytes();
  Sizes sizes = x.sizes;
  if (!call.expect(call.num_arguments() == 4 && x.rank() >= 1 && is_byte(x) && is_byte(zeros) &&
                       scales.element() == Element::Float && is_float(call.output(3)),
                   "it makes floats of lines of int8 only")) {
    return;
  }
  call.resize(3, sizes);
  sizes.back() = 1;
  if (!call.expect(scales.sizes == sizes && zeros.sizes == sizes,
                   "it needs a scale and a zero point for each line")) {
    return;
  }
  Parameters parameters;
  parameters.set(0, {x.numel(), x.sizes.back()});
  call.dispatch_elements(shader_for("dequantize_per_token", call.output(3)),
                         {call.out(3), call.in(0), call.in(1), call.in(2)}, parameters, x.numel());
}

void record_add_int8(Call& call, int kind) {
  (void)kind;
  constexpr size_t kOut = 10;
  const GraphTensor& a = call.tensor(0);
  const GraphTensor& b = call.tensor(3);
  call.take_bytes();
  Parameters parameters;
  if (!call.expect(is_byte(a) && is_byte(b) && is_byte(call.output(kOut)) && a.sizes == b.sizes,
                   "it adds tensors of int8 of one shape only") ||
      !set_result(call, 6, parameters, 5)) {
    return;
  }
  call.resize(kOut, a.sizes);
  parameters.set(0, a.numel());
  parameters.set(1, static_cast<float>(call.number(1))).set(2, call.integer(2));
  parameters.set(3, static_cast<float>(call.number(4))).set(4, call.integer(5));
  call.dispatch_elements("add_int8_int", {call.out(kOut), call.in(0), call.in(3)}, parameters,
                         words_of(a.numel()));
}

void record_linear_int8(Call& call, int kind) {
  (void)kind;
  constexpr size_t kOut = 9;
  const GraphTensor& x = call.tensor(0);
  const GraphTensor& weights = call.tensor(2);
  call.take_bytes();
  Parameters parameters;
  if (!call.expect(x.rank() >= 1 && weights.rank() == 2 && is_byte(x) &&
                       is_byte(call.output(kOut)) && x.sizes.back() == weights.sizes[1],
                   "the shapes or types of its arguments do not fit") ||
      !are_weights(call, 2, weights.sizes[0]) || !set_result(call, 5, parameters, 4)) {
    return;
  }
  const int64_t columns = weights.sizes[0];
  const int64_t depth = weights.sizes[1];
  Sizes sizes = x.sizes;
  sizes.back() = columns;
  call.resize(kOut, sizes);
  parameters.set(0, {product_of(sizes), columns, depth, call.integer(1)});
  call.dispatch_elements(std::string("linear_int8_int") + call.dot_suffix(), buffers_of(call, kOut),
                         parameters, words_of(product_of(sizes)),
                         {call.is_none(4) ? 0u : 1u, depth % kWord == 0 ? 1u : 0u});
}

void record_conv_int8(Call& call, int kind) {
  (void)kind;
  constexpr size_t kOut = 13;
  const GraphTensor& x = call.tensor(0);
  call.take_bytes();
  Conv conv = {};
  if (!call.expect(is_byte(x) && is_byte(call.output(kOut)), "it takes and makes int8 only") ||
      !describe_conv(call, {2, 9, 10, 11, 12}, conv) || !are_weights(call, 2, conv.out_channels)) {
    return;
  }
  Parameters parameters = parameters_of(conv);
  if (!set_result(call, 5, parameters, 18)) {
    return;
  }
  const Sizes sizes = sizes_of(conv, x.rank());
  call.resize(kOut, sizes);
  parameters.set(0, product_of(sizes)).set(17, call.integer(1));
  parameters.set(22, words_of(product_of(x.sizes)) - 1);
  const uint32_t has_bias = call.is_none(4) ? 0 : 1;
  if (is_depthwise_by_windows(conv)) {
    record_depthwise_int8(call, kOut, conv, parameters, has_bias);
    return;
  }
  if (is_by_blocks(conv)) {
    record_blocks_int8(call, kOut, conv, parameters, has_bias);
    return;
  }
  call.dispatch_elements("conv_int8_int", buffers_of(call, kOut), parameters,
                         words_of(product_of(sizes)), {has_bias});
}

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch

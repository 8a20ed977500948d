#include <limits>

#include <executorch/backends/vulkan/runtime/graph/ops/ops.h>

namespace executorch {
namespace backends {
namespace vulkan {
namespace {

/// Channels of a group of glsl/conv2d.glsl; places of an invocation, where there are more than a
/// few.
constexpr int64_t kChannels = 4;
constexpr int64_t kPlaces = 4;
constexpr int64_t kFewPlaces = 256;
/// Places of an invocation of glsl/conv3x3.glsl, one below the other.
constexpr int64_t kRows = 4;

/// The last of a list, and the one before it or what stands for it.
void take(const Sizes& from, int64_t otherwise, int64_t (&into)[2]) {
  into[1] = from.empty() ? otherwise : from.back();
  into[0] = from.size() > 1 ? from[from.size() - 2] : otherwise;
}

int64_t out_size(const Conv& conv, size_t d, int64_t size) {
  const int64_t reach = conv.dilation[d] * (conv.kernel[d] - 1) + 1;
  return conv.is_transposed
             ? (size - 1) * conv.stride[d] - 2 * conv.padding[d] + reach + conv.extra[d]
             : (size + 2 * conv.padding[d] - reach) / conv.stride[d] + 1;
}

bool is_sane(const Conv& conv) {
  bool fits = conv.groups > 0 && conv.in_channels % conv.groups == 0 &&
              conv.out_channels % conv.groups == 0;
  for (size_t d = 0; d < 2; ++d) {
    constexpr int64_t kMost = 1 << 20;
    fits = fits && conv.stride[d] > 0 && conv.stride[d] < kMost && conv.dilation[d] > 0 &&
           conv.dilation[d] < kMost && conv.padding[d] >= 0 && conv.padding[d] < kMost &&
           conv.kernel[d] > 0 && conv.kernel[d] < kMost && conv.extra[d] >= 0 &&
           conv.extra[d] < kMost;
  }
  return fits;
}

/// What a convolution of floats is given beside its geometry.
bool describe(Call& call, int kind, Conv& conv) {
  conv.is_transposed = call.integer(6) != 0;
  take(call.integers(7), 0, conv.extra);
  if (!describe_conv(call, {1, 3, 4, 5, 8}, conv)) {
    return false;
  }
  const GraphTensor& x = call.tensor(0);
  conv.has_bias = !call.is_none(2);
  const bool is_float = x.element() != Element::Int && x.element() == call.tensor(1).element() &&
                        (!conv.has_bias || call.tensor(2).element() == x.element());
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  conv.is_clamped = kind == kConvWithClamp;
  conv.least = conv.is_clamped ? static_cast<float>(call.number_or(9, -kInfinity)) : 0;
  conv.most = conv.is_clamped ? static_cast<float>(call.number_or(10, kInfinity)) : 0;
  return call.expect(!conv.has_bias || call.tensor(2).numel() == conv.out_channels,
                     "the shapes of its arguments do not fit") &&
         call.expect(is_float, "its arguments are not of one type of floats");
}

void record_pointwise(Call& call, const Conv& conv, size_t out) {
  Product product;
  product.batches = conv.batches;
  product.rows = conv.out_channels;
  product.columns = conv.height * conv.width;
  product.depth = conv.in_channels;
  product.batch_b = product.depth * product.columns;
  product.row_a = product.depth;
  product.depth_b = product.columns;
  product.row_bias = 1;
  product.is_clamped = conv.is_clamped;
  product.least = conv.least;
  product.most = conv.most;
  record_product(call, call.tensor(0), call.out(out), call.in(1), call.in(0),
                 conv.has_bias ? call.in(2) : nullptr, product);
}

void record_3x3(Call& call, const Conv& conv, const GraphTensor& x, const Buffers& buffers,
                const Parameters& parameters, std::vector<uint32_t> constants) {
  const int64_t group_out = conv.out_channels / conv.groups;
  const int64_t blocks_of_places = (conv.out_height + kRows - 1) / kRows * conv.out_width;
  const std::string stride = conv.stride[0] == 1 ? "_s1" : "_s2";
  if (conv.is_depthwise()) {
    call.dispatch_grid(shader_for("conv3x3", x) + "_depthwise" + stride, buffers, parameters,
                       blocks_of_places, conv.out_channels, conv.batches, std::move(constants));
    return;
  }
  const int64_t channels = channels_each(conv);
  constants.push_back(channels > kChannels ? 1 : 0);
  call.dispatch_grid(shader_for("conv3x3", x) + stride, buffers, parameters, blocks_of_places,
                     (group_out + channels - 1) / channels * conv.groups, conv.batches,
                     std::move(constants));
}

}  // namespace

int64_t channels_each(const Conv& conv) {
  const int64_t group_out = conv.out_channels / conv.groups;
  const bool is_twice =
      group_out > kChannels && (conv.groups == 1 || group_out % (2 * kChannels) == 0);
  return is_twice ? 2 * kChannels : kChannels;
}

bool describe_conv(Call& call, const ConvPlaces& at, Conv& conv) {
  const GraphTensor& x = call.tensor(0);
  const GraphTensor& w = call.tensor(at.weight);
  const size_t rank = x.rank();
  if (!call.expect((rank == 3 || rank == 4) && w.rank() == rank,
                   "only convolutions of one and two dimensions are there")) {
    return false;
  }
  conv.batches = x.sizes[0];
  conv.in_channels = x.sizes[1];
  conv.height = rank == 4 ? x.sizes[2] : 1;
  conv.width = x.sizes[rank - 1];
  conv.kernel[0] = rank == 4 ? w.sizes[2] : 1;
  conv.kernel[1] = w.sizes[rank - 1];
  take(call.integers(at.stride), 1, conv.stride);
  take(call.integers(at.padding), 0, conv.padding);
  take(call.integers(at.dilation), 1, conv.dilation);
  conv.groups = call.integer(at.groups);
  conv.out_channels = conv.is_transposed ? w.sizes[1] * conv.groups : w.sizes[0];
  if (rank == 3) {
    conv.stride[0] = conv.dilation[0] = 1;
    conv.padding[0] = conv.extra[0] = 0;
  }
  if (!call.expect(is_sane(conv), "its strides, paddings or groups are out of range")) {
    return false;
  }
  const int64_t w_channels = conv.is_transposed ? w.sizes[0] : w.sizes[1] * conv.groups;
  conv.out_height = out_size(conv, 0, conv.height);
  conv.out_width = out_size(conv, 1, conv.width);
  return call.expect(w_channels == conv.in_channels, "the shapes of its arguments do not fit") &&
         call.expect(conv.out_height > 0 && conv.out_width > 0,
                     "its kernel is larger than its input");
}

Parameters parameters_of(const Conv& conv) {
  Parameters parameters;
  parameters.set(
      0, {conv.batches, conv.in_channels, conv.height, conv.width, conv.out_channels,
          conv.out_height, conv.out_width, conv.kernel[0], conv.kernel[1], conv.stride[0],
          conv.stride[1], conv.padding[0], conv.padding[1], conv.dilation[0], conv.dilation[1],
          conv.in_channels / conv.groups, conv.out_channels / conv.groups});
  return parameters;
}

Sizes sizes_of(const Conv& conv, size_t rank) {
  return rank == 4 ? Sizes{conv.batches, conv.out_channels, conv.out_height, conv.out_width}
                   : Sizes{conv.batches, conv.out_channels, conv.out_width};
}

void record_conv(Call& call, int kind) {
  const size_t out = call.num_arguments() - 1;
  Conv conv = {};
  if (!call.expect(call.num_arguments() == (kind == kConvWithClamp ? 12u : 10u),
                   "it has another number of arguments") ||
      !describe(call, kind, conv)) {
    return;
  }
  const GraphTensor& x = call.tensor(0);
  call.resize(out, sizes_of(conv, x.rank()));
  if (!call.expect(call.output(out).element() == x.element(), "its result has another type")) {
    return;
  }
  if (conv.is_pointwise()) {
    record_pointwise(call, conv, out);
    return;
  }
  const int64_t group_out = conv.out_channels / conv.groups;
  Parameters parameters = parameters_of(conv);
  parameters.set(17, conv.least).set(18, conv.most);
  const int64_t places = conv.out_height * conv.out_width;
  const bool is_depthwise = conv.is_depthwise();
  const bool is_packed = !conv.is_transposed && !is_depthwise && call.is_constant(1) &&
                         (conv.groups == 1 || group_out % kChannels == 0);
  const Buffers buffers = {call.out(out), call.in(0),
                           call.in(1, is_packed ? Packing::Blocks : Packing::Plain),
                           call.in(conv.has_bias ? 2 : 0)};
  std::vector<uint32_t> constants = {conv.has_bias ? 1u : 0u, conv.is_clamped ? 1u : 0u};
  if (conv.is_transposed) {
    call.dispatch_grid(shader_for("conv_transpose2d", x), buffers, parameters, places,
                       conv.out_channels, conv.batches, constants);
    return;
  }
  if (conv.is_3x3() && (is_depthwise || is_packed)) {
    record_3x3(call, conv, x, buffers, parameters, constants);
    return;
  }
  const int64_t places_each = places > kFewPlaces ? kPlaces : 1;
  constants.push_back(static_cast<uint32_t>(places_each));
  const int64_t channels = is_depthwise ? 1 : (is_packed ? channels_each(conv) : kChannels);
  constants.push_back(channels > kChannels ? 1 : 0);
  constants.push_back(static_cast<uint32_t>(conv.kernel[0]));
  constants.push_back(static_cast<uint32_t>(conv.kernel[1]));
  const int64_t blocks = (group_out + channels - 1) / channels * conv.groups;
  call.dispatch_grid(
      shader_for("conv2d", x) + (is_depthwise ? "_depthwise" : (is_packed ? "_packed" : "")),
      buffers, parameters, (places + places_each - 1) / places_each, blocks, conv.batches,
      constants);
}

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch

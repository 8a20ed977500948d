#include <executorch/backends/cortex_m/kernels/library.h>

namespace cortex_m::native {

namespace {

/// One factor of each list for all channels, or one each; at most this many channels' are copied.
bool read_lists(KernelRuntimeContext& ctx, IntArrayRef multipliers, IntArrayRef shifts,
                size_t channels) {
  if (!require(ctx,
               multipliers.size() == shifts.size() &&
                   (multipliers.size() == 1 || multipliers.size() == channels),
               "one multiplier and shift for all outputs, or one each")) {
    return false;
  }
  for (size_t i = 0; i < multipliers.size(); ++i) {
    Factor factor;
    if (!read_factor(ctx, multipliers[i], shifts[i], factor)) {
      return false;
    }
  }
  return true;
}

/// Ints, one for each output; null if absent.
bool read_sums(KernelRuntimeContext& ctx, const optional<Tensor>& sums, size_t channels,
               const int32_t*& values) {
  return read_bias(ctx, sums, channels, values);
}

/// Outputs [first, first + n) of all rows; `layer` describes these alone.
template <typename T>
void multiply_rows(const Layer& layer, const T* in, size_t rows, size_t channels, T* out) {
  for (size_t row = 0; row < rows; ++row) {
    multiply_row(layer, in + row * layer.depth, out + row * channels);
  }
}

/// Requires a contiguous [..., k] and [n, k]; sets weight and sizes of the layer.
bool read_operands(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& weights,
                   Layer& layer) {
  if (!require_int8(ctx, weights) ||
      !require(ctx,
               input.dim() >= 1 && weights.dim() == 2 &&
                   input.size(input.dim() - 1) == weights.size(1) && is_contiguous(input) &&
                   is_contiguous(weights),
               "linear takes a contiguous [..., k] and a contiguous [n, k]")) {
    return false;
  }
  layer.weight = weights.const_data_ptr<int8_t>();
  layer.channels = static_cast<size_t>(weights.size(0));
  layer.depth = static_cast<size_t>(weights.size(1));
  return true;
}

/// Gives `out` a row of `channels` for each of the input's rows.
bool resize_rows(KernelRuntimeContext& ctx, const Tensor& input, size_t channels, Tensor& out) {
  Shape shape(input);
  shape.sizes[shape.rank - 1] = static_cast<executorch::aten::SizesType>(channels);
  return resize(ctx, shape, out) &&
         require(ctx, is_contiguous(out), "the output must be contiguous");
}

/// Channels whose seeds and factors are made at a time, on the stack.
constexpr size_t kBlock = 32;

}  // namespace

Tensor& quantized_linear_out(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& weights,
                             const optional<Tensor>& bias, const optional<Tensor>& kernel_sum,
                             int64_t input_offset, int64_t filter_offset, int64_t output_offset,
                             IntArrayRef requantize_multipliers, IntArrayRef requantize_shifts,
                             int64_t activation_max, int64_t activation_min, Tensor& out) {
  Layer layer;
  if (!require_int8(ctx, input) || !require_int8(ctx, out) ||
      !read_operands(ctx, input, weights, layer) ||
      !require(ctx, filter_offset == 0, "weights are symmetric: filter_offset is 0") ||
      !require_offset(ctx, input_offset) ||
      !read_output(ctx, output_offset, activation_min, activation_max, layer.output)) {
    return out;
  }
  const size_t channels = layer.channels;
  const int32_t* constants = nullptr;
  const int32_t* sums = nullptr;
  if (!read_lists(ctx, requantize_multipliers, requantize_shifts, channels) ||
      !read_bias(ctx, bias, channels, constants) || !read_sums(ctx, kernel_sum, channels, sums) ||
      !resize_rows(ctx, input, channels, out) || out.numel() == 0) {
    return out;
  }
  const size_t rows = static_cast<size_t>(out.numel()) / channels;
  const bool per_channel = requantize_multipliers.size() > 1;
  const auto* const in = input.const_data_ptr<int8_t>();
  const auto first_multiplier = static_cast<int32_t>(requantize_multipliers[0]);
  const auto first_shift = static_cast<int32_t>(requantize_shifts[0]);
  const library::Weights whole = {weights.const_data_ptr<int8_t>(),
                                  constants,
                                  static_cast<int32_t>(input_offset),
                                  {&first_multiplier, &first_shift, per_channel},
                                  layer.output};
  if (library::multiply(ctx, in, rows, layer.depth, channels, whole, sums,
                        out.mutable_data_ptr<int8_t>()) != library::Outcome::kNone) {
    return out;
  }
  int32_t seeds[kBlock];
  int32_t multipliers[kBlock];
  int32_t shifts[kBlock];
  for (size_t first = 0; first < channels; first += kBlock) {
    layer.channels = channels - first < kBlock ? channels - first : kBlock;
    layer.weight = weights.const_data_ptr<int8_t>() + first * layer.depth;
    for (size_t i = 0; i < layer.channels; ++i) {
      const size_t at = per_channel ? first + i : 0;
      multipliers[i] = static_cast<int32_t>(requantize_multipliers[at]);
      shifts[i] = static_cast<int32_t>(requantize_shifts[at]);
    }
    // kernel_sum has the bias and the offset's part, made ahead of time.
    layer.seeds = seeds;
    if (sums != nullptr) {
      for (size_t i = 0; i < layer.channels; ++i) {
        seeds[i] = sums[first + i] + (constants == nullptr ? 0 : constants[first + i]);
      }
    } else {
      make_seeds(layer.weight, layer.channels, layer.depth,
                 constants == nullptr ? nullptr : constants + first,
                 static_cast<int32_t>(input_offset), seeds);
    }
    layer.factors = {multipliers, shifts, per_channel};
    layer.narrow = is_narrow(layer);
    multiply_rows(layer, in, rows, channels, out.mutable_data_ptr<int8_t>() + first);
  }
  return out;
}

Tensor& quantized_linear_int16_out(KernelRuntimeContext& ctx, const Tensor& input,
                                   const Tensor& weights, const optional<Tensor>& bias,
                                   const Tensor& requantize_multipliers,
                                   const Tensor& requantize_shifts, int64_t activation_min,
                                   int64_t activation_max, Tensor& out) {
  Layer layer;
  if (!require_integers<int16_t>(ctx, input) || !require_integers<int16_t>(ctx, out) ||
      !read_operands(ctx, input, weights, layer) ||
      !read_output(ctx, 0, activation_min, activation_max, layer.output, ScalarType::Short) ||
      !read_factors(ctx, requantize_multipliers, requantize_shifts, layer.channels,
                    layer.factors) ||
      !require_wide(ctx, layer.factors, layer.channels) ||
      !read_bias(ctx, bias, layer.channels, layer.seeds) ||
      !resize_rows(ctx, input, layer.channels, out) || out.numel() == 0) {
    return out;
  }
  const size_t rows = static_cast<size_t>(out.numel()) / layer.channels;
  multiply_rows(layer, input.const_data_ptr<int16_t>(), rows, layer.channels,
                out.mutable_data_ptr<int16_t>());
  return out;
}

Tensor& quantized_batch_matmul_out(KernelRuntimeContext& ctx, const Tensor& lhs,
                                   int64_t lhs_zero_point, const Tensor& rhs_transposed,
                                   int64_t rhs_zero_point, int64_t output_zero_point,
                                   int64_t output_multiplier, int64_t output_shift,
                                   const Tensor& scratch, Tensor& out) {
  Layer layer;
  Factor factor;
  const Tensor& rhs = rhs_transposed;
  if (!require_int8(ctx, lhs) || !require_int8(ctx, rhs) || !require_int8(ctx, out) ||
      !require(ctx,
               lhs.dim() == 3 && rhs.dim() == 3 && lhs.size(0) == rhs.size(0) &&
                   lhs.size(2) == rhs.size(2) && is_contiguous(lhs) && is_contiguous(rhs),
               "contiguous [b, m, k] and [b, n, k] are needed") ||
      !require_offset(ctx, lhs_zero_point) || !require_offset(ctx, rhs_zero_point) ||
      !read_output(ctx, output_zero_point, -128, 127, layer.output) ||
      !read_factor(ctx, output_multiplier, output_shift, factor)) {
    return out;
  }
  const int64_t sizes[] = {lhs.size(0), lhs.size(1), rhs.size(1)};
  if (!resize(ctx, IntArrayRef(sizes, 3), out) ||
      !require(ctx, is_contiguous(out), "the output must be contiguous") || out.numel() == 0) {
    return out;
  }
  layer.channels = static_cast<size_t>(rhs.size(1));
  layer.depth = static_cast<size_t>(lhs.size(2));
  layer.factors = {&factor.multiplier, &factor.shift, false};
  uint8_t* const memory = scratch_memory(ctx, &scratch, 2 * Scratch::bytes(4 * layer.channels));
  if (memory == nullptr) {
    return out;
  }
  Scratch parts(memory);
  auto* const columns = parts.take<int32_t>(layer.channels);
  auto* const seeds = parts.take<int32_t>(layer.channels);
  layer.seeds = seeds;
  const auto rows = static_cast<size_t>(lhs.size(1));
  const auto left = static_cast<int32_t>(lhs_zero_point);
  const auto right = static_cast<int32_t>(rhs_zero_point);
  // (x + l)(y + r) summed up: x * y + l * y + r * x + l * r.
  for (size_t b = 0; b < static_cast<size_t>(lhs.size(0)); ++b) {
    layer.weight = rhs.const_data_ptr<int8_t>() + b * layer.channels * layer.depth;
    make_seeds(layer.weight, layer.channels, layer.depth, nullptr, left, columns);
    for (size_t row = b * rows; row < (b + 1) * rows; ++row) {
      const int8_t* const from = lhs.const_data_ptr<int8_t>() + row * layer.depth;
      const int32_t of_row =
          right * (sum_of(from, layer.depth) + left * static_cast<int32_t>(layer.depth));
      for (size_t c = 0; c < layer.channels; ++c) {
        seeds[c] = columns[c] + of_row;
      }
      multiply_row(layer, from, out.mutable_data_ptr<int8_t>() + row * layer.channels);
    }
  }
  return out;
}

}  // namespace cortex_m::native

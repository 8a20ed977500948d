// Kernels of CMSIS-NN, by its documented functions. Where one of its versions has another meaning
// for an argument than the next, the loops here calculate.
#include <arm_nnfunctions.h>

#include <executorch/backends/cortex_m/kernels/library.h>

namespace cortex_m::native::library {

namespace {

cmsis_nn_tile tile(const int32_t (&pair)[2]) { return {pair[1], pair[0]}; }

cmsis_nn_dims dims(const Images& images) {
  return {images.batch, images.height, images.width, images.channels};
}

cmsis_nn_dims vector_of(size_t channels) { return {1, 1, 1, static_cast<int32_t>(channels)}; }

/// The library writes to neither.
cmsis_nn_per_channel_quant_params factors_of(const Factors& factors) {
  return {const_cast<int32_t*>(factors.multipliers), const_cast<int32_t*>(factors.shifts)};
}

/// Memory to work in: what the program planned if that is enough. @returns false after failing.
bool find_memory(KernelRuntimeContext& ctx, const Tensor* planned, int32_t bytes,
                 cmsis_nn_context& context) {
  context = {nullptr, bytes};
  if (bytes > 0) {
    context.buf = scratch_memory(ctx, planned, static_cast<size_t>(bytes));
  }
  return bytes <= 0 || context.buf != nullptr;
}

Outcome told(KernelRuntimeContext& ctx, arm_cmsis_nn_status status) {
  const bool done = status == ARM_CMSIS_NN_SUCCESS;
  return require(ctx, done, "CMSIS-NN takes the arguments") ? Outcome::kDone : Outcome::kFailed;
}

}  // namespace

Outcome convolve(KernelRuntimeContext& ctx, const Convolution& conv, const Weights& weights,
                 const Tensor& scratch, int8_t* out) {
  if (conv.transposed) {
    return Outcome::kNone;
  }
  const cmsis_nn_conv_params params = {
      weights.input_offset, weights.output.offset, tile(conv.stride),
      tile(conv.padding),   tile(conv.dilation),   {weights.output.min, weights.output.max}};
  const cmsis_nn_per_channel_quant_params factors = factors_of(weights.factors);
  const cmsis_nn_dims in = dims(conv.in);
  const cmsis_nn_dims made = dims(conv.out);
  const cmsis_nn_dims filter = {conv.out.channels, conv.kernel[0], conv.kernel[1],
                                conv.in.channels};
  const cmsis_nn_dims bias = vector_of(static_cast<size_t>(conv.out.channels));
  cmsis_nn_context context;
  const int32_t bytes = arm_convolve_wrapper_s8_get_buffer_size(&params, &in, &filter, &made);
  if (!find_memory(ctx, &scratch, bytes, context)) {
    return Outcome::kFailed;
  }
  return told(ctx, arm_convolve_wrapper_s8(&context, &params, &factors, &in, conv.in.data, &filter,
                                           weights.values, &bias, weights.bias, &made, out));
}

Outcome convolve_depthwise(KernelRuntimeContext& ctx, const Convolution& conv,
                           const Weights& weights, int32_t multiplier, const Tensor& scratch,
                           int8_t* out) {
  // It reads a bias.
  if (weights.bias == nullptr) {
    return Outcome::kNone;
  }
  const cmsis_nn_dw_conv_params params = {weights.input_offset,
                                          weights.output.offset,
                                          multiplier,
                                          tile(conv.stride),
                                          tile(conv.padding),
                                          tile(conv.dilation),
                                          {weights.output.min, weights.output.max}};
  const cmsis_nn_per_channel_quant_params factors = factors_of(weights.factors);
  const cmsis_nn_dims in = dims(conv.in);
  const cmsis_nn_dims made = dims(conv.out);
  const cmsis_nn_dims filter = {1, conv.kernel[0], conv.kernel[1], conv.out.channels};
  const cmsis_nn_dims bias = vector_of(static_cast<size_t>(conv.out.channels));
  cmsis_nn_context context;
  const int32_t bytes = arm_depthwise_conv_wrapper_s8_get_buffer_size(&params, &in, &filter, &made);
  if (!find_memory(ctx, &scratch, bytes, context)) {
    return Outcome::kFailed;
  }
  return told(ctx,
              arm_depthwise_conv_wrapper_s8(&context, &params, &factors, &in, conv.in.data, &filter,
                                            weights.values, &bias, weights.bias, &made, out));
}

Outcome multiply(KernelRuntimeContext& ctx, const int8_t* in, size_t rows, size_t depth,
                 size_t channels, const Weights& weights, const int32_t* sums, int8_t* out) {
  const cmsis_nn_fc_params params = {
      weights.input_offset, 0, weights.output.offset, {weights.output.min, weights.output.max}};
  const auto inputs = static_cast<int32_t>(depth);
  const auto outputs = static_cast<int32_t>(channels);
  const cmsis_nn_dims from = {static_cast<int32_t>(rows), 1, 1, inputs};
  const cmsis_nn_dims filter = {inputs, 1, 1, outputs};
  const cmsis_nn_dims made = {static_cast<int32_t>(rows), 1, 1, outputs};
  const cmsis_nn_dims bias = vector_of(channels);
  const int32_t bytes = arm_fully_connected_s8_get_buffer_size(&filter);
  // With Helium the buffer has the sums of weights times the offset, and the bias; otherwise there
  // is none.
  const bool wants_sums = bytes == 4 * outputs;
  if (weights.factors.per_channel || (!wants_sums && (bytes != 0 || sums != nullptr))) {
    return Outcome::kNone;
  }
  cmsis_nn_context context = {nullptr, 0};
  if (wants_sums) {
    if (!find_memory(ctx, nullptr, bytes, context)) {
      return Outcome::kFailed;
    }
    auto* const seeds = static_cast<int32_t*>(context.buf);
    if (sums == nullptr) {
      make_seeds(weights.values, channels, depth, weights.bias, weights.input_offset, seeds);
    }
    for (size_t i = 0; sums != nullptr && i < channels; ++i) {
      seeds[i] = sums[i] + (weights.bias == nullptr ? 0 : weights.bias[i]);
    }
  }
  const cmsis_nn_per_tensor_quant_params factor = {weights.factors.multipliers[0],
                                                   weights.factors.shifts[0]};
  return told(ctx, arm_fully_connected_s8(&context, &params, &factor, &from, in, &filter,
                                          weights.values, &bias, weights.bias, &made, out));
}

namespace {

/// Image by image: versions differ in what they do with several.
template <typename Pool>
Outcome image_by_image(KernelRuntimeContext& ctx, const Windows& windows, Output output,
                       const cmsis_nn_context& context, int8_t* out, const Pool& pool) {
  const cmsis_nn_pool_params params = {
      tile(windows.stride), tile(windows.padding), {output.min, output.max}};
  const cmsis_nn_dims filter = {1, windows.kernel[0], windows.kernel[1], 1};
  cmsis_nn_dims in = dims(windows.in);
  cmsis_nn_dims made = dims(windows.out);
  in.n = made.n = 1;
  Outcome outcome = Outcome::kDone;
  const int8_t* from = windows.in.data;
  for (int32_t n = 0; n < windows.in.batch && outcome == Outcome::kDone; ++n) {
    outcome = told(ctx, pool(&context, &params, &in, from, &filter, &made, out));
    from += in.h * in.w * in.c;
    out += made.h * made.w * made.c;
  }
  return outcome;
}

}  // namespace

Outcome max_pool(KernelRuntimeContext& ctx, const Windows& windows, Output output, int8_t* out) {
  if (windows.dilation[0] != 1 || windows.dilation[1] != 1) {
    return Outcome::kNone;
  }
  return image_by_image(ctx, windows, output, {nullptr, 0}, out, arm_max_pool_s8);
}

Outcome average_pool(KernelRuntimeContext& ctx, const Windows& windows, const Tensor& scratch,
                     int8_t* out) {
  cmsis_nn_context context;
  const int32_t bytes = arm_avgpool_s8_get_buffer_size(windows.out.width, windows.in.channels);
  if (!find_memory(ctx, &scratch, bytes, context)) {
    return Outcome::kFailed;
  }
  return image_by_image(ctx, windows, {0, INT8_MIN, INT8_MAX}, context, out, arm_avgpool_s8);
}

Outcome softmax(const int8_t* in, size_t rows, size_t n, int32_t multiplier, int32_t shift,
                int32_t diff_min, int8_t* out) {
  arm_softmax_s8(in, static_cast<int32_t>(rows), static_cast<int32_t>(n), multiplier, shift,
                 diff_min, out);
  return Outcome::kDone;
}

}  // namespace cortex_m::native::library

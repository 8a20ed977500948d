#include <executorch/backends/cadence/kernels/common.h>

namespace impl::generic::native {

namespace {

/// Weights [3 * size, inputs] and a bias of bytes: those of the reset, update and new gates.
struct Gates {
  const Tensor& weight;
  const Tensor& bias;
  float weight_scale;
  float bias_scale;

  bool check(KernelRuntimeContext& ctx, int64_t size, int64_t inputs) const {
    return require_plain(ctx, weight, ScalarType::Char) &&
           require_plain(ctx, bias, ScalarType::Char) &&
           require(ctx, weight.dim() == 2 && weight.size(0) == 3 * size && weight.size(1) == inputs,
                   "weights are [3 * size, inputs]") &&
           require(ctx, bias.numel() == 3 * size, "one bias for each row of the weights");
  }

  /// What a row gives, before the activation.
  float of(int64_t row, const float* x) const {
    const int8_t* const w = weight.const_data_ptr<int8_t>() + row * weight.size(1);
    float sum = 0;
    for (ssize_t i = 0; i < weight.size(1); ++i) {
      sum += x[i] * w[i];
    }
    return sum * weight_scale + static_cast<float>(bias.const_data_ptr<int8_t>()[row]) * bias_scale;
  }
};

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

Tensor& quantized_w8a32_gru_out(KernelRuntimeContext& ctx, const Tensor& inputs,
                                const Tensor& hidden, const Tensor& weights_inputs,
                                double w_i_scale, const Tensor& weights_hidden, double w_h_scale,
                                const Tensor& bias_inputs, double b_scale,
                                const Tensor& bias_hidden, Tensor& out) {
  const ssize_t last = hidden.dim() - 1;
  if (!require_plain(ctx, inputs, ScalarType::Float) ||
      !require_plain(ctx, hidden, ScalarType::Float) ||
      !require_plain(ctx, out, ScalarType::Float) ||
      !require(ctx, inputs.dim() == 3 && inputs.size(0) == 1 && inputs.size(1) == 1,
               "the input is one step, [1, 1, inputs]") ||
      !require(ctx, last >= 0 && hidden.numel() == hidden.size(last) && hidden.size(last) % 4 == 0,
               "the state is one row of a multiple of four")) {
    return out;
  }
  const int64_t size = hidden.size(last);
  const auto offset_scale = static_cast<float>(b_scale);
  const Gates read = {weights_inputs, bias_inputs, static_cast<float>(w_i_scale), offset_scale};
  const Gates kept = {weights_hidden, bias_hidden, static_cast<float>(w_h_scale), offset_scale};
  const int64_t sizes[4] = {2, 1, 1, size};
  if (!read.check(ctx, size, inputs.size(2)) || !kept.check(ctx, size, size) ||
      !resize(ctx, IntArrayRef(sizes, 4), out)) {
    return out;
  }
  const float* const x = inputs.const_data_ptr<float>();
  const float* const h = hidden.const_data_ptr<float>();
  float* const to = out.mutable_data_ptr<float>();
  for (int64_t i = 0; i < size; ++i) {
    const float reset = sigmoid(read.of(i, x) + kept.of(i, h));
    const float update = sigmoid(read.of(size + i, x) + kept.of(size + i, h));
    const float fresh = std::tanh(read.of(2 * size + i, x) + reset * kept.of(2 * size + i, h));
    // As output and as state.
    to[i] = to[size + i] = (h[i] - fresh) * update + fresh;
  }
  return out;
}

}  // namespace impl::generic::native

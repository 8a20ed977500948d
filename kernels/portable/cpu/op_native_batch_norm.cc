#include <cmath>
#include <tuple>

#include <executorch/kernels/portable/cpu/internal/moments.h>
#include <executorch/kernels/portable/cpu/internal/norm.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
namespace {

using Outputs = std::tuple<Tensor&, Tensor&, Tensor&>;

/// A dense tensor seen from its channel dimension: outer x channels x inner, whatever its dim
/// order.
struct Channels {
  size_t outer;
  size_t count;
  size_t inner;
};

Channels channels_of(const Tensor& in) {
  Channels c = {static_cast<size_t>(in.numel()), static_cast<size_t>(in.size(1)), 1};
  if (in.numel() > 0) {
    c.inner = c.count == 1 ? 1 : static_cast<size_t>(in.strides()[1]);
    c.outer /= c.count * c.inner;
  }
  return c;
}

bool check(KernelRuntimeContext& ctx, const Tensor& in, const optional<Tensor>& weight,
           const optional<Tensor>& bias, Tensor& out) {
  if (!util::require_floating(ctx, in) || !util::require_same_dtype(ctx, in, out) ||
      !util::require(ctx, in.dim() >= 2, "batch norm needs an input [n, c, ...]") ||
      !util::resize_like(ctx, in, out) ||
      !util::require(ctx, util::same_layout(in, out), "input and output must have one dim order")) {
    return false;
  }
  const size_t channels = static_cast<size_t>(in.size(1));
  return util::require_parameter(ctx, weight, channels) &&
         util::require_parameter(ctx, bias, channels);
}

/// Channels whose elements lie apart: blocks of the scales and shifts of neighbouring channels.
template <typename C>
void normalize_interleaved(const Tensor& in, const Channels& shape, const util::Parameter& mean,
                           const util::Parameter& var, bool var_is_rstd, double eps,
                           const util::Parameter& weight, const util::Parameter& bias,
                           Tensor& out) {
  constexpr util::Compute kC = util::ComputeOf<C>::value;
  constexpr size_t kBlock = util::kChunkBytes / sizeof(C);
  const size_t size = static_cast<size_t>(in.element_size());
  const char* from = static_cast<const char*>(in.const_data_ptr());
  char* to = static_cast<char*>(out.mutable_data_ptr());
  C scale[kBlock];
  C shift[kBlock];
  C line[kBlock];
  for (size_t first = 0; first < shape.count; first += kBlock) {
    const size_t n = shape.count - first < kBlock ? shape.count - first : kBlock;
    for (size_t i = 0; i < n; ++i) {
      const double v = var.at(first + i, 1);
      const double factor = (var_is_rstd ? v : 1.0 / std::sqrt(v + eps)) * weight.at(first + i, 1);
      scale[i] = static_cast<C>(factor);
      shift[i] = static_cast<C>(bias.at(first + i, 0) - mean.at(first + i, 0) * factor);
    }
    for (size_t o = 0; o < shape.outer; ++o) {
      const size_t offset = (o * shape.count + first) * size;
      util::load(kC, in.scalar_type(), from + offset, 1, n, line);
      for (size_t i = 0; i < n; ++i) {
        line[i] = line[i] * scale[i] + shift[i];
      }
      util::store(kC, out.scalar_type(), line, n, to + offset);
    }
  }
}

void normalize(const Tensor& in, const util::Parameter& mean, const util::Parameter& var,
               bool var_is_rstd, double eps, const optional<Tensor>& weight,
               const optional<Tensor>& bias, Tensor& out) {
  if (in.numel() == 0) {
    return;
  }
  const Channels shape = channels_of(in);
  const util::Parameter weights(weight);
  const util::Parameter biases(bias);
  if (shape.inner == 1) {
    if (in.scalar_type() == ScalarType::Double) {
      normalize_interleaved<double>(in, shape, mean, var, var_is_rstd, eps, weights, biases, out);
    } else {
      normalize_interleaved<float>(in, shape, mean, var, var_is_rstd, eps, weights, biases, out);
    }
    return;
  }
  const size_t bytes = shape.inner * static_cast<size_t>(in.element_size());
  const char* from = static_cast<const char*>(in.const_data_ptr());
  char* to = static_cast<char*>(out.mutable_data_ptr());
  for (size_t c = 0; c < shape.count; ++c) {
    const double v = var.at(c, 1);
    const double scale = (var_is_rstd ? v : 1.0 / std::sqrt(v + eps)) * weights.at(c, 1);
    const double shift = biases.at(c, 0) - mean.at(c, 0) * scale;
    for (size_t o = 0; o < shape.outer; ++o) {
      const size_t offset = (o * shape.count + c) * bytes;
      util::affine(in.scalar_type(), from + offset, shape.inner, scale, shift, to + offset);
    }
  }
}

/// Inference: normalises by the running statistics; the saved ones are empty.
void infer(KernelRuntimeContext& ctx, const Tensor& in, const optional<Tensor>& weight,
           const optional<Tensor>& bias, const Tensor& running_mean, const Tensor& running_var,
           double eps, const Outputs& outputs) {
  Tensor& out = std::get<0>(outputs);
  const util::Shape empty = [] {
    util::Shape shape;
    shape.push(0);
    return shape;
  }();
  if (!check(ctx, in, weight, bias, out)) {
    return;
  }
  const size_t channels = static_cast<size_t>(in.size(1));
  if (util::require_parameter(ctx, running_mean, channels) &&
      util::require_parameter(ctx, running_var, channels) &&
      util::resize(ctx, empty, std::get<1>(outputs)) &&
      util::resize(ctx, empty, std::get<2>(outputs))) {
    normalize(in, util::Parameter(running_mean), util::Parameter(running_var), false, eps, weight,
              bias, out);
  }
}

/// Running statistics that training moves towards those of the batch; there may be none.
struct Running {
  Tensor* mean;
  Tensor* var;
  double momentum;

  /// @param count Elements that a channel's moments came from.
  void update(size_t channel, double batch_mean, double batch_var, size_t count) const {
    if (mean == nullptr) {
      return;
    }
    // The running variance is that of a sample.
    const double n = static_cast<double>(count);
    const double sample_var = batch_var * n / (n - 1);
    const auto move = [&](Tensor& running, double towards) {
      const double old = util::Parameter(running).at(channel, 0);
      util::write_element((1 - momentum) * old + momentum * towards, channel, running);
    };
    move(*mean, batch_mean);
    move(*var, sample_var);
  }
};

/// Training: normalises by the statistics of the batch, which are saved.
void train(KernelRuntimeContext& ctx, const Tensor& in, const optional<Tensor>& weight,
           const optional<Tensor>& bias, const Running& running, double eps,
           const Outputs& outputs) {
  Tensor& mean_out = std::get<1>(outputs);
  Tensor& invstd_out = std::get<2>(outputs);
  if (!check(ctx, in, weight, bias, std::get<0>(outputs))) {
    return;
  }
  const size_t channels = static_cast<size_t>(in.size(1));
  int64_t dims[util::kMaxRank];
  size_t count = 0;
  for (ssize_t d = 0; d < in.dim(); ++d) {
    if (d != 1) {
      dims[count++] = d;
    }
  }
  // Variance first, into invstd_out; then its reciprocal root in place.
  const IntArrayRef all_but_channels(dims, count);
  if ((running.mean != nullptr && (!util::require_parameter(ctx, *running.mean, channels) ||
                                   !util::require_parameter(ctx, *running.var, channels))) ||
      !util::mean(ctx, in, all_but_channels, false, mean_out) ||
      !util::variance(ctx, in, all_but_channels, 0, false, invstd_out)) {
    return;
  }
  for (size_t c = 0; c < channels; ++c) {
    const double var = util::Parameter(invstd_out).at(c, 0);
    running.update(c, util::Parameter(mean_out).at(c, 0), var,
                   static_cast<size_t>(in.numel()) / channels);
    util::write_element(1.0 / std::sqrt(var + eps), c, invstd_out);
  }
  normalize(in, util::Parameter(mean_out), util::Parameter(invstd_out), true, eps, weight, bias,
            std::get<0>(outputs));
}

}  // namespace

Outputs _native_batch_norm_legit_no_training_out(
    KernelRuntimeContext& ctx, const Tensor& in, const optional<Tensor>& weight,
    const optional<Tensor>& bias, const Tensor& running_mean, const Tensor& running_var,
    double momentum, double eps, Tensor& out, Tensor& mean_out, Tensor& invstd_out) {
  (void)momentum;
  const Outputs outputs(out, mean_out, invstd_out);
  infer(ctx, in, weight, bias, running_mean, running_var, eps, outputs);
  return outputs;
}

Outputs _native_batch_norm_legit_out(KernelRuntimeContext& ctx, const Tensor& in,
                                     const optional<Tensor>& weight, const optional<Tensor>& bias,
                                     Tensor& running_mean, Tensor& running_var, bool training,
                                     double momentum, double eps, Tensor& out, Tensor& mean_out,
                                     Tensor& invstd_out) {
  const Outputs outputs(out, mean_out, invstd_out);
  if (training) {
    train(ctx, in, weight, bias, {&running_mean, &running_var, momentum}, eps, outputs);
  } else {
    infer(ctx, in, weight, bias, running_mean, running_var, eps, outputs);
  }
  return outputs;
}

Outputs _native_batch_norm_legit_no_stats_out(KernelRuntimeContext& ctx, const Tensor& in,
                                              const optional<Tensor>& weight,
                                              const optional<Tensor>& bias, bool training,
                                              double momentum, double eps, Tensor& out,
                                              Tensor& mean_out, Tensor& invstd_out) {
  const Outputs outputs(out, mean_out, invstd_out);
  if (util::require(ctx, training, "without running statistics training must be true")) {
    train(ctx, in, weight, bias, {nullptr, nullptr, momentum}, eps, outputs);
  }
  return outputs;
}

}  // namespace torch::executor::native

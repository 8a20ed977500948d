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

/// What a channel is multiplied by, and what is added then.
struct Affine {
  double scale;
  double shift;
};

/// By neighbouring channels; out = in * scale + shift, with what `affine_of(channel)` gives.
/// @param affine_of Called for each channel once, in their order.
template <typename C, typename AffineOf>
void normalize_as(const Tensor& in, Tensor& out, AffineOf&& affine_of) {
  constexpr size_t kBlock = util::kChunkBytes / sizeof(C);
  const Channels shape = channels_of(in);
  const size_t bytes = shape.inner * static_cast<size_t>(in.element_size());
  const char* from = static_cast<const char*>(in.const_data_ptr());
  char* to = static_cast<char*>(out.mutable_data_ptr());
  C scale[kBlock];
  C shift[kBlock];
  C line[kBlock];
  for (size_t first = 0; first < shape.count; first += kBlock) {
    const size_t n = shape.count - first < kBlock ? shape.count - first : kBlock;
    for (size_t i = 0; i < n; ++i) {
      const Affine one = affine_of(first + i);
      scale[i] = static_cast<C>(one.scale);
      shift[i] = static_cast<C>(one.shift);
    }
    for (size_t o = 0; o < (in.numel() > 0 ? shape.outer : 0); ++o) {
      const size_t offset = (o * shape.count + first) * bytes;
      if (shape.inner == 1) {
        util::load(util::ComputeOf<C>::value, in.scalar_type(), from + offset, 1, n, line);
        for (size_t i = 0; i < n; ++i) {
          line[i] = line[i] * scale[i] + shift[i];
        }
        util::store(util::ComputeOf<C>::value, out.scalar_type(), line, n, to + offset);
        continue;
      }
      for (size_t i = 0; i < n; ++i) {
        util::affine(in.scalar_type(), from + offset + i * bytes, shape.inner, scale[i], shift[i],
                     to + offset + i * bytes);
      }
    }
  }
}

template <typename AffineOf>
void normalize(const Tensor& in, Tensor& out, AffineOf&& affine_of) {
  if (in.scalar_type() == ScalarType::Double) {
    normalize_as<double>(in, out, affine_of);
  } else {
    normalize_as<float>(in, out, affine_of);
  }
}

Affine affine(double mean, double rstd, double weight, double bias) {
  const double scale = rstd * weight;
  return {scale, bias - mean * scale};
}

/// Inference: normalises by the running statistics; the saved ones are empty.
void infer(KernelRuntimeContext& ctx, const Tensor& in, const optional<Tensor>& weight,
           const optional<Tensor>& bias, const Tensor& running_mean, const Tensor& running_var,
           double eps, const Outputs& outputs) {
  Tensor& out = std::get<0>(outputs);
  util::Shape empty;
  empty.push(0);
  if (!check(ctx, in, weight, bias, out)) {
    return;
  }
  const size_t channels = static_cast<size_t>(in.size(1));
  if (!util::require_parameter(ctx, running_mean, channels) ||
      !util::require_parameter(ctx, running_var, channels) ||
      !util::resize(ctx, empty, std::get<1>(outputs)) ||
      !util::resize(ctx, empty, std::get<2>(outputs))) {
    return;
  }
  const util::Parameter mean(running_mean);
  const util::Parameter var(running_var);
  const util::Parameter weights(weight);
  const util::Parameter biases(bias);
  normalize(in, out, [&](size_t c) {
    return affine(mean.at(c, 0), 1.0 / std::sqrt(var.at(c, 1) + eps), weights.at(c, 1),
                  biases.at(c, 0));
  });
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

/// Training: normalises by the statistics of the batch, which are saved. Those of a half may not be
/// a half: a variance is a square.
void train(KernelRuntimeContext& ctx, const Tensor& in, const optional<Tensor>& weight,
           const optional<Tensor>& bias, const Running& running, double eps,
           const Outputs& outputs) {
  Tensor& out = std::get<0>(outputs);
  Tensor& mean_out = std::get<1>(outputs);
  Tensor& invstd_out = std::get<2>(outputs);
  if (!check(ctx, in, weight, bias, out)) {
    return;
  }
  const size_t channels = static_cast<size_t>(in.size(1));
  util::Shape per_channel;
  per_channel.push(in.size(1));
  if ((running.mean != nullptr && (!util::require_parameter(ctx, *running.mean, channels) ||
                                   !util::require_parameter(ctx, *running.var, channels))) ||
      !util::require_floating(ctx, mean_out) || !util::require_floating(ctx, invstd_out) ||
      !util::resize(ctx, per_channel, mean_out) || !util::resize(ctx, per_channel, invstd_out)) {
    return;
  }
  const util::ChannelMoments moments(in, mean_out);
  const util::Parameter weights(weight);
  const util::Parameter biases(bias);
  normalize(in, out, [&](size_t c) {
    const util::Moments batch = moments.of(c);
    const double var = batch.squares / static_cast<double>(moments.count());
    const double rstd = 1.0 / std::sqrt(var + eps);
    running.update(c, batch.mean, var, moments.count());
    util::write_element(batch.mean, c, mean_out);
    util::write_element(rstd, c, invstd_out);
    return affine(batch.mean, rstd, weights.at(c, 1), biases.at(c, 0));
  });
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

#include <cmath>
#include <cstring>

#include <executorch/extension/tensor/tensor_ptr.h>
#include <executorch/extension/training/optimizer/adamw.h>

namespace executorch {
namespace extension {
namespace training {
namespace optimizer {

using ::executorch::aten::Tensor;
using ::executorch::runtime::Error;

namespace {

/// One step on `n` elements, the `count`th (from 1) of these means.
template <typename CTYPE, typename Wide>
void step_elements(const AdamWOptions& options, int64_t count, size_t n, CTYPE* parameter,
                   const CTYPE* gradient, CTYPE* mean, CTYPE* mean_of_squares) {
  const double steps = static_cast<double>(count);
  // Means start at zero: without these two the first steps would be too small.
  const double correction1 = 1 - std::pow(options.beta1(), steps);
  const double correction2 = std::sqrt(1 - std::pow(options.beta2(), steps));
  const Wide keep = static_cast<Wide>(1 - options.lr() * options.weight_decay());
  const Wide take1 = static_cast<Wide>(1 - options.beta1());
  const Wide keep2 = static_cast<Wide>(options.beta2());
  const Wide take2 = static_cast<Wide>(1 - options.beta2());
  const Wide rate = static_cast<Wide>(options.lr() / correction1);
  const Wide root = static_cast<Wide>(correction2);
  const Wide eps = static_cast<Wide>(options.eps());
  for (size_t i = 0; i < n; ++i) {
    const Wide g = static_cast<Wide>(gradient[i]);
    Wide m = static_cast<Wide>(mean[i]);
    m += take1 * (g - m);
    const Wide v = keep2 * static_cast<Wide>(mean_of_squares[i]) + take2 * g * g;
    mean[i] = static_cast<CTYPE>(m);
    mean_of_squares[i] = static_cast<CTYPE>(v);
    const Wide value = keep * static_cast<Wide>(parameter[i]);
    parameter[i] = static_cast<CTYPE>(value - rate * m / (std::sqrt(v) / root + eps));
  }
}

TensorPtr zeros_like(const Tensor& tensor) {
  TensorPtr zeros = clone_tensor_ptr(tensor);
  std::memset(zeros->mutable_data_ptr(), 0, zeros->nbytes());
  return zeros;
}

}  // namespace

struct AdamW::Means {
  explicit Means(const Tensor& like)
      : mean(zeros_like(like)), mean_of_squares(zeros_like(like)), state(*mean, *mean_of_squares) {}

  TensorPtr mean;
  TensorPtr mean_of_squares;
  AdamWParamState state;
};

AdamW::AdamW(const std::vector<AdamWParamGroup>& param_groups, const AdamWOptions& defaults)
    : ParamGroups(param_groups, defaults) {}

AdamW::~AdamW() = default;

Error AdamW::update(const AdamWOptions& options, Tensor parameter, const Tensor& gradient) {
  std::unique_ptr<Means>& means = means_[parameter.const_data_ptr()];
  if (means == nullptr) {
    means = std::make_unique<Means>(gradient);
  }
  AdamWParamState& state = means->state;
  state.increment_step();
  return visit_floating(parameter.scalar_type(), [&](auto element, auto wide) {
    using CTYPE = decltype(element);
    step_elements<CTYPE, decltype(wide)>(
        options, state.step_count(), static_cast<size_t>(parameter.numel()),
        parameter.mutable_data_ptr<CTYPE>(), gradient.const_data_ptr<CTYPE>(),
        state.exp_avg().mutable_data_ptr<CTYPE>(), state.exp_avg_sq().mutable_data_ptr<CTYPE>());
  });
}

Error AdamW::step(const NamedTensors& named_gradients) {
  return step_groups(
      param_groups(), named_gradients,
      [this](const AdamWOptions& options, const Tensor& parameter, const Tensor& gradient) {
        return update(options, parameter, gradient);
      });
}

}  // namespace optimizer
}  // namespace training
}  // namespace extension
}  // namespace executorch

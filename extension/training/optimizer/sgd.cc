#include <executorch/extension/tensor/tensor_ptr.h>
#include <executorch/extension/training/optimizer/sgd.h>

namespace executorch {
namespace extension {
namespace training {
namespace optimizer {

using ::executorch::aten::Tensor;
using ::executorch::runtime::Error;

namespace {

/// One step on `n` elements; `momentum` is null without momentum, and not filled yet at `first`.
template <typename CTYPE, typename Wide>
void step_elements(const SGDOptions& options, size_t n, CTYPE* parameter, const CTYPE* gradient,
                   CTYPE* momentum, bool first) {
  const Wide rate = static_cast<Wide>(options.lr());
  const Wide decay = static_cast<Wide>(options.weight_decay());
  const Wide keep = static_cast<Wide>(options.momentum());
  const Wide take = static_cast<Wide>(1 - options.dampening());
  for (size_t i = 0; i < n; ++i) {
    const Wide value = static_cast<Wide>(parameter[i]);
    Wide change = static_cast<Wide>(gradient[i]) + decay * value;
    if (momentum != nullptr) {
      const Wide kept = first ? change : keep * static_cast<Wide>(momentum[i]) + take * change;
      momentum[i] = static_cast<CTYPE>(kept);
      change = options.nesterov() ? change + keep * kept : kept;
    }
    parameter[i] = static_cast<CTYPE>(value - rate * change);
  }
}

}  // namespace

struct SGD::Buffer {
  explicit Buffer(const Tensor& like) : memory(clone_tensor_ptr(like)), state(*memory) {}

  TensorPtr memory;
  SGDParamState state;
};

SGD::SGD(const std::vector<SGDParamGroup>& param_groups, const SGDOptions& defaults)
    : ParamGroups(param_groups, defaults) {}

SGD::~SGD() = default;

Error SGD::update(const SGDOptions& options, Tensor parameter, const Tensor& gradient) {
  Tensor* momentum = nullptr;
  bool first = false;
  if (options.momentum() != 0) {
    std::unique_ptr<Buffer>& buffer = buffers_[parameter.const_data_ptr()];
    first = buffer == nullptr;
    if (first) {
      buffer = std::make_unique<Buffer>(gradient);
    }
    momentum = &buffer->state.momentum_buffer();
  }
  return visit_floating(parameter.scalar_type(), [&](auto element, auto wide) {
    using CTYPE = decltype(element);
    step_elements<CTYPE, decltype(wide)>(
        options, static_cast<size_t>(parameter.numel()), parameter.mutable_data_ptr<CTYPE>(),
        gradient.const_data_ptr<CTYPE>(),
        momentum == nullptr ? nullptr : momentum->mutable_data_ptr<CTYPE>(), first);
  });
}

Error SGD::step(const NamedTensors& named_gradients) {
  return step_groups(
      param_groups(), named_gradients,
      [this](const SGDOptions& options, const Tensor& parameter, const Tensor& gradient) {
        return update(options, parameter, gradient);
      });
}

}  // namespace optimizer
}  // namespace training
}  // namespace extension
}  // namespace executorch

#include <type_traits>
#include <utility>

#include <executorch/extension/tensor/tensor_ptr.h>
#include <executorch/extension/training/optimizer/sgd.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {
namespace training {
namespace optimizer {

using ::executorch::aten::ScalarType;
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

template <typename CTYPE>
void step_tensor(const SGDOptions& options, Tensor& parameter, const Tensor& gradient,
                 Tensor* momentum, bool first) {
  using Wide = std::conditional_t<std::is_same_v<CTYPE, double>, double, float>;
  step_elements<CTYPE, Wide>(options, static_cast<size_t>(parameter.numel()),
                             parameter.mutable_data_ptr<CTYPE>(), gradient.const_data_ptr<CTYPE>(),
                             momentum == nullptr ? nullptr : momentum->mutable_data_ptr<CTYPE>(),
                             first);
}

/// Whether a gradient can change a parameter.
bool belongs(std::string_view name, const Tensor& parameter, const Tensor& gradient) {
  const bool fits = executorch::runtime::tensors_have_same_shape_and_dtype(parameter, gradient) &&
                    executorch::runtime::tensors_have_same_strides(parameter, gradient) &&
                    executorch::runtime::isFloatingType(parameter.scalar_type());
  if (!fits) {
    ET_LOG(Error, "the gradient of %.*s has another shape, dtype or memory order",
           static_cast<int>(name.size()), name.data());
  }
  return fits;
}

}  // namespace

struct SGD::Buffer {
  explicit Buffer(const Tensor& like) : memory(clone_tensor_ptr(like)), state(*memory) {}

  TensorPtr memory;
  SGDParamState state;
};

SGD::SGD(const std::vector<SGDParamGroup>& param_groups, const SGDOptions& defaults)
    : defaults_(defaults.clone()) {
  for (const SGDParamGroup& group : param_groups) {
    add_param_group(group);
  }
}

SGD::~SGD() = default;

void SGD::add_param_group(const SGDParamGroup& param_group) {
  param_groups_.push_back(param_group);
  if (!param_groups_.back().has_options()) {
    param_groups_.back().set_options(defaults_->clone());
  }
}

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
  switch (parameter.scalar_type()) {
    case ScalarType::Float:
      step_tensor<float>(options, parameter, gradient, momentum, first);
      return Error::Ok;
    case ScalarType::Double:
      step_tensor<double>(options, parameter, gradient, momentum, first);
      return Error::Ok;
    case ScalarType::Half:
      step_tensor<executorch::aten::Half>(options, parameter, gradient, momentum, first);
      return Error::Ok;
    case ScalarType::BFloat16:
      step_tensor<executorch::aten::BFloat16>(options, parameter, gradient, momentum, first);
      return Error::Ok;
    default:
      return Error::InvalidArgument;
  }
}

Error SGD::step(const NamedTensors& named_gradients) {
  for (const SGDParamGroup& group : param_groups_) {
    for (const auto& [name, parameter] : group.named_parameters()) {
      const auto gradient = named_gradients.find(name);
      if (gradient != named_gradients.end() && !belongs(name, parameter, gradient->second)) {
        return Error::InvalidArgument;
      }
    }
  }
  for (const SGDParamGroup& group : param_groups_) {
    for (const auto& [name, parameter] : group.named_parameters()) {
      const auto gradient = named_gradients.find(name);
      if (gradient == named_gradients.end()) {
        continue;
      }
      const Error error = update(group.options(), parameter, gradient->second);
      if (error != Error::Ok) {
        return error;
      }
    }
  }
  return Error::Ok;
}

}  // namespace optimizer
}  // namespace training
}  // namespace extension
}  // namespace executorch

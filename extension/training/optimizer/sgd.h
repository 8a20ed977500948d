#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include <executorch/extension/training/optimizer/param_group.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>

namespace executorch {
namespace extension {
namespace training {
namespace optimizer {

/// What is kept for a parameter between steps.
class SGDParamState {
 public:
  /// @param momentum_buffer Borrowed.
  explicit SGDParamState(executorch::aten::Tensor& momentum_buffer)
      : momentum_buffer_(momentum_buffer) {}

  executorch::aten::Tensor& momentum_buffer() { return momentum_buffer_; }

 private:
  executorch::aten::Tensor momentum_buffer_;
};

/// The settings of torch.optim.SGD.
class SGDOptions {
 public:
  explicit SGDOptions(double lr, double momentum = 0, double dampening = 0, double weight_decay = 0,
                      bool nesterov = false)
      : lr_(lr),
        momentum_(momentum),
        dampening_(dampening),
        weight_decay_(weight_decay),
        nesterov_(nesterov) {}

  std::unique_ptr<SGDOptions> clone() const { return std::make_unique<SGDOptions>(*this); }

  /// Learning rate.
  double lr() const { return lr_; }
  void lr(double value) { lr_ = value; }

  double momentum() const { return momentum_; }
  double dampening() const { return dampening_; }
  double weight_decay() const { return weight_decay_; }
  bool nesterov() const { return nesterov_; }

 private:
  double lr_;
  double momentum_;
  double dampening_;
  double weight_decay_;
  bool nesterov_;
};

using SGDParamGroup = ParamGroup<SGDOptions>;

/// Stochastic gradient descent, step by step what torch.optim.SGD does. Parameters and gradients
/// are of one floating dtype and in one memory order; sums of half types are rounded once a step.
class SGD : public ParamGroups<SGDOptions> {
 public:
  /// @param param_groups Their tensors are written to; they are borrowed, and so are the names.
  explicit SGD(const std::vector<SGDParamGroup>& param_groups, const SGDOptions& defaults);
  explicit SGD(const NamedTensors& named_parameters, const SGDOptions& defaults)
      : SGD(std::vector<SGDParamGroup>{SGDParamGroup(named_parameters)}, defaults) {}
  ~SGD();

  /// Changes every parameter that has a gradient. InvalidArgument, after a message and before
  /// anything is changed, if a gradient does not belong to its parameter.
  [[nodiscard]] runtime::Error step(const NamedTensors& named_gradients);

 private:
  struct Buffer;

  runtime::Error update(const SGDOptions& options, executorch::aten::Tensor parameter,
                        const executorch::aten::Tensor& gradient);

  // By the parameter's data; a Buffer is what an SGDParamState refers to.
  std::unordered_map<const void*, std::unique_ptr<Buffer>> buffers_;
};

}  // namespace optimizer
}  // namespace training
}  // namespace extension
}  // namespace executorch

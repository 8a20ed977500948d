#pragma once

#include <map>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

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

/// Parameters with settings of their own, or with the optimizer's.
class SGDParamGroup {
 public:
  using NamedTensors = std::map<std::string_view, executorch::aten::Tensor>;

  explicit SGDParamGroup(const NamedTensors& named_parameters)
      : named_parameters_(named_parameters) {}
  SGDParamGroup(const NamedTensors& named_parameters, std::unique_ptr<SGDOptions> options)
      : named_parameters_(named_parameters), options_(std::move(options)) {}
  SGDParamGroup(const SGDParamGroup& other)
      : named_parameters_(other.named_parameters_),
        options_(other.has_options() ? other.options_->clone() : nullptr) {}
  SGDParamGroup& operator=(const SGDParamGroup& other) {
    named_parameters_ = other.named_parameters_;
    options_ = other.has_options() ? other.options_->clone() : nullptr;
    return *this;
  }

  bool has_options() const { return options_ != nullptr; }

  /// Only if has_options().
  SGDOptions& options() { return *options_; }
  const SGDOptions& options() const { return *options_; }
  void set_options(std::unique_ptr<SGDOptions> options) { options_ = std::move(options); }

  const NamedTensors& named_parameters() const { return named_parameters_; }

 private:
  NamedTensors named_parameters_;
  std::unique_ptr<SGDOptions> options_;
};

/// Stochastic gradient descent, step by step what torch.optim.SGD does. Parameters and gradients
/// are of one floating dtype and in one memory order; sums of half types are rounded once a step.
class SGD {
 public:
  using NamedTensors = SGDParamGroup::NamedTensors;

  /// @param param_groups Their tensors are written to; they are borrowed, and so are the names.
  explicit SGD(const std::vector<SGDParamGroup>& param_groups, const SGDOptions& defaults);
  explicit SGD(const NamedTensors& named_parameters, const SGDOptions& defaults)
      : SGD(std::vector<SGDParamGroup>{SGDParamGroup(named_parameters)}, defaults) {}
  SGD(const SGD&) = delete;
  SGD& operator=(const SGD&) = delete;
  ~SGD();

  /// Adds a group; without settings it gets a copy of the optimizer's.
  void add_param_group(const SGDParamGroup& param_group);

  /// The groups, whose settings may be changed between steps.
  std::vector<SGDParamGroup>& param_groups() { return param_groups_; }

  /// Changes every parameter that has a gradient. InvalidArgument, after a message and before
  /// anything is changed, if a gradient does not belong to its parameter.
  [[nodiscard]] runtime::Error step(const NamedTensors& named_gradients);

 private:
  struct Buffer;

  runtime::Error update(const SGDOptions& options, executorch::aten::Tensor parameter,
                        const executorch::aten::Tensor& gradient);

  std::vector<SGDParamGroup> param_groups_;
  std::unique_ptr<SGDOptions> defaults_;
  // By the parameter's data; a Buffer is what a SGDParamState refers to.
  std::unordered_map<const void*, std::unique_ptr<Buffer>> buffers_;
};

}  // namespace optimizer
}  // namespace training
}  // namespace extension
}  // namespace executorch

#pragma once

#include <cstdint>
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
class AdamWParamState {
 public:
  /// @param exp_avg, exp_avg_sq Running means of gradients and of their squares. Borrowed.
  AdamWParamState(executorch::aten::Tensor& exp_avg, executorch::aten::Tensor& exp_avg_sq)
      : exp_avg_(exp_avg), exp_avg_sq_(exp_avg_sq) {}

  executorch::aten::Tensor& exp_avg() { return exp_avg_; }
  executorch::aten::Tensor& exp_avg_sq() { return exp_avg_sq_; }

  /// How many steps went into the means.
  int64_t step_count() const { return step_count_; }
  void increment_step() { ++step_count_; }

 private:
  executorch::aten::Tensor exp_avg_;
  executorch::aten::Tensor exp_avg_sq_;
  int64_t step_count_ = 0;
};

/// The settings of torch.optim.AdamW.
class AdamWOptions {
 public:
  explicit AdamWOptions(double lr = 1e-3, double beta1 = 0.9, double beta2 = 0.999,
                        double eps = 1e-8, double weight_decay = 1e-2)
      : lr_(lr), beta1_(beta1), beta2_(beta2), eps_(eps), weight_decay_(weight_decay) {}

  std::unique_ptr<AdamWOptions> clone() const { return std::make_unique<AdamWOptions>(*this); }

  /// Learning rate.
  double lr() const { return lr_; }
  void lr(double value) { lr_ = value; }

  double beta1() const { return beta1_; }
  double beta2() const { return beta2_; }
  double eps() const { return eps_; }
  double weight_decay() const { return weight_decay_; }

 private:
  double lr_;
  double beta1_;
  double beta2_;
  double eps_;
  double weight_decay_;
};

using AdamWParamGroup = ParamGroup<AdamWOptions>;

/// Adam with decoupled weight decay (Loshchilov and Hutter, 2019), step by step what
/// torch.optim.AdamW does. Parameters and gradients are of one floating dtype and in one memory
/// order; the means are of that dtype too, and half types are calculated with as floats.
class AdamW : public ParamGroups<AdamWOptions> {
 public:
  /// @param param_groups Their tensors are written to; they are borrowed, and so are the names.
  explicit AdamW(const std::vector<AdamWParamGroup>& param_groups, const AdamWOptions& defaults);
  explicit AdamW(const NamedTensors& named_parameters, const AdamWOptions& defaults)
      : AdamW(std::vector<AdamWParamGroup>{AdamWParamGroup(named_parameters)}, defaults) {}
  ~AdamW();

  /// Changes every parameter that has a gradient. InvalidArgument, after a message and before
  /// anything is changed, if a gradient does not belong to its parameter.
  [[nodiscard]] runtime::Error step(const NamedTensors& named_gradients);

 private:
  struct Means;

  runtime::Error update(const AdamWOptions& options, executorch::aten::Tensor parameter,
                        const executorch::aten::Tensor& gradient);

  // By the parameter's data; Means are what an AdamWParamState refers to.
  std::unordered_map<const void*, std::unique_ptr<Means>> means_;
};

}  // namespace optimizer
}  // namespace training
}  // namespace extension
}  // namespace executorch

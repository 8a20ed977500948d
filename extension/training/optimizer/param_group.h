#pragma once

#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>

namespace executorch {
namespace extension {
namespace training {
namespace optimizer {

/// Tensors by name; tensors and names are borrowed.
using NamedTensors = std::map<std::string_view, executorch::aten::Tensor>;

/// Parameters with settings of their own, or with the optimizer's. `Options` has clone().
template <typename Options>
class ParamGroup {
 public:
  using NamedTensors = ::executorch::extension::training::optimizer::NamedTensors;

  explicit ParamGroup(const NamedTensors& named_parameters) : named_parameters_(named_parameters) {}
  ParamGroup(const NamedTensors& named_parameters, std::unique_ptr<Options> options)
      : named_parameters_(named_parameters), options_(std::move(options)) {}
  ParamGroup(const ParamGroup& other)
      : named_parameters_(other.named_parameters_),
        options_(other.has_options() ? other.options_->clone() : nullptr) {}
  ParamGroup& operator=(const ParamGroup& other) {
    named_parameters_ = other.named_parameters_;
    options_ = other.has_options() ? other.options_->clone() : nullptr;
    return *this;
  }

  bool has_options() const { return options_ != nullptr; }

  /// Only if has_options().
  Options& options() { return *options_; }
  const Options& options() const { return *options_; }
  void set_options(std::unique_ptr<Options> options) { options_ = std::move(options); }

  const NamedTensors& named_parameters() const { return named_parameters_; }

 private:
  NamedTensors named_parameters_;
  std::unique_ptr<Options> options_;
};

/// An optimizer's groups, each with settings.
template <typename Options>
class ParamGroups {
 public:
  using Group = ParamGroup<Options>;
  using NamedTensors = ::executorch::extension::training::optimizer::NamedTensors;

  ParamGroups(const std::vector<Group>& groups, const Options& defaults)
      : defaults_(defaults.clone()) {
    for (const Group& group : groups) {
      add_param_group(group);
    }
  }
  ParamGroups(const ParamGroups&) = delete;
  ParamGroups& operator=(const ParamGroups&) = delete;

  /// Adds a group; without settings it gets a copy of the optimizer's.
  void add_param_group(const Group& group) {
    groups_.push_back(group);
    if (!groups_.back().has_options()) {
      groups_.back().set_options(defaults_->clone());
    }
  }

  /// The groups, whose settings may be changed between steps.
  std::vector<Group>& param_groups() { return groups_; }

 private:
  std::unique_ptr<Options> defaults_;
  std::vector<Group> groups_;
};

/// Whether a gradient can change its parameter: one floating dtype, one shape, one memory order.
/// Says in a message why not.
bool gradient_fits(std::string_view name, const executorch::aten::Tensor& parameter,
                   const executorch::aten::Tensor& gradient);

/// Calls `update(options, parameter, gradient)` for every parameter that has a gradient, after all
/// of them were found to fit.
///
/// @returns InvalidArgument, before anything is changed, if one does not; else what `update` says.
template <typename Options, typename Update>
[[nodiscard]] runtime::Error step_groups(const std::vector<ParamGroup<Options>>& groups,
                                         const NamedTensors& named_gradients, Update&& update) {
  const auto visit = [&](auto&& visitor) {
    for (const ParamGroup<Options>& group : groups) {
      for (const auto& [name, parameter] : group.named_parameters()) {
        const auto gradient = named_gradients.find(name);
        if (gradient == named_gradients.end()) {
          continue;
        }
        const runtime::Error error = visitor(group, name, parameter, gradient->second);
        if (error != runtime::Error::Ok) {
          return error;
        }
      }
    }
    return runtime::Error::Ok;
  };
  const runtime::Error fit =
      visit([](const auto&, std::string_view name, const auto& parameter, const auto& gradient) {
        return gradient_fits(name, parameter, gradient) ? runtime::Error::Ok
                                                        : runtime::Error::InvalidArgument;
      });
  if (fit != runtime::Error::Ok) {
    return fit;
  }
  return visit([&](const auto& group, std::string_view, const auto& parameter,
                   const auto& gradient) { return update(group.options(), parameter, gradient); });
}

/// Calls `visitor(CTYPE{}, Wide{})`: the element's type, and the type to calculate in.
///
/// @returns InvalidArgument if the dtype is no floating one.
template <typename Visitor>
[[nodiscard]] runtime::Error visit_floating(executorch::aten::ScalarType type, Visitor&& visitor) {
  switch (type) {
    case executorch::aten::ScalarType::Float:
      visitor(float{}, float{});
      return runtime::Error::Ok;
    case executorch::aten::ScalarType::Double:
      visitor(double{}, double{});
      return runtime::Error::Ok;
    case executorch::aten::ScalarType::Half:
      visitor(executorch::aten::Half{}, float{});
      return runtime::Error::Ok;
    case executorch::aten::ScalarType::BFloat16:
      visitor(executorch::aten::BFloat16{}, float{});
      return runtime::Error::Ok;
    default:
      return runtime::Error::InvalidArgument;
  }
}

}  // namespace optimizer
}  // namespace training
}  // namespace extension
}  // namespace executorch

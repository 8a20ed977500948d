#pragma once

#include <string>
#include <vector>

#include <executorch/backends/vulkan/runtime/graph/call.h>

namespace executorch {
namespace backends {
namespace vulkan {

/// An operator by its name and overload, as in the table of operators.cc.
struct Operator {
  const char* name;
  /// Gives the outputs of a call their sizes, and records what makes their elements.
  void (*record)(Call& call, int kind);
  int kind;
};

/// Null for what is not implemented.
const Operator* find_operator(const std::string& name);

std::vector<std::string> operator_names();

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch

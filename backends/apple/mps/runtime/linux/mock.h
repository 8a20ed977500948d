/// @file
/// What tests ask of the Metal that is not here.
#pragma once

#include <string>

namespace executorch {
namespace backends {
namespace mps {

struct Mock {
  bool has_device = true;
  bool has_memory = true;
  bool compiles_fail = false;
  bool commands_fail = false;
  bool commands_raise = false;
  int compiles = 0;
  /// The calls that made the graph that was compiled last: JSON, one call a line.
  std::string calls;
};

Mock& mock();

}  // namespace mps
}  // namespace backends
}  // namespace executorch

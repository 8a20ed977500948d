/// @file
/// What tests ask of the Core ML that is not here.
#pragma once

#include <string>
#include <vector>

namespace executorch {
namespace backends {
namespace coreml {

/// Counts, and failures to come.
struct Mock {
  int compiles = 0;
  int loads = 0;
  long last_units = -1;
  /// Calls that fail before one does not.
  int failing_loads = 0;
  bool predictions_fail = false;
  bool predictions_raise = false;
  /// Outputs come in arrays of Core ML's own, whose rows have a gap, whatever is asked for.
  bool ignores_backings = false;
};

Mock& mock();

}  // namespace coreml
}  // namespace backends
}  // namespace executorch

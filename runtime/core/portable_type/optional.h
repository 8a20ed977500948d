/// @file
/// std::optional under its runtime name.
#pragma once

#include <optional>

namespace executorch {
namespace runtime {
namespace etensor {
using std::nullopt;
using std::nullopt_t;
using std::optional;
}  // namespace etensor
}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using std::nullopt;
using std::nullopt_t;
using std::optional;
}  // namespace executor
}  // namespace torch

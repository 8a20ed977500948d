/// @file
/// std::string_view under its runtime name.
#pragma once

#include <string_view>

namespace executorch {
namespace runtime {
namespace etensor {
using std::string_view;
}  // namespace etensor
}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using std::string_view;
}  // namespace executor
}  // namespace torch

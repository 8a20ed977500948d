/// @file
/// What element types are that hold an integer and calculate nothing.
#pragma once

namespace executorch {
namespace runtime {
namespace etensor {

/// An integer that only backends and quantized kernels understand.
template <typename Integer>
struct StoredInteger {
  using underlying = Integer;
  Integer val_;
  StoredInteger() = default;
  explicit StoredInteger(Integer val) : val_(val) {}
};

}  // namespace etensor
}  // namespace runtime
}  // namespace executorch

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace executorch {
namespace backends {
namespace xnnpack {

/// The floats that `count` numbers of bfloat16 are.
void widen(const uint16_t* narrow, size_t count, float* wide);

/// `count` floats rounded to bfloat16, to the even one of two that are as near.
void narrow(const float* wide, size_t count, uint16_t* narrow);

/// Memory for an argument of bfloat16 as floats, which is what XNNPACK calculates with.
class WideArgument {
 public:
  /// Room for `count` floats and XNNPACK's margin, until the next call; null without memory.
  float* of(size_t count);

 private:
  struct Free {
    void operator()(float* data) const;
  };

  std::unique_ptr<float, Free> wide_;
  size_t capacity_ = 0;
};

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch

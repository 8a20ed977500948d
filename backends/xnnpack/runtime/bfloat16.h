#pragma once

#include <cstddef>
#include <cstdint>

namespace executorch {
namespace backends {
namespace xnnpack {

/// The floats that `count` numbers of bfloat16 are.
void widen(const uint16_t* narrow, size_t count, float* wide);

/// `count` floats rounded to bfloat16, to the even one of two that are as near.
void narrow(const float* wide, size_t count, uint16_t* narrow);

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch

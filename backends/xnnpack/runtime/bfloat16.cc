#include <cstdlib>
#include <cstring>
#include <limits>

#include <executorch/backends/xnnpack/runtime/bfloat16.h>
#include <executorch/backends/xnnpack/runtime/margin.h>

namespace executorch {
namespace backends {
namespace xnnpack {

void widen(const uint16_t* narrow, size_t count, float* wide) {
  for (size_t i = 0; i < count; ++i) {
    const uint32_t bits = uint32_t{narrow[i]} << 16;
    std::memcpy(&wide[i], &bits, sizeof(bits));
  }
}

void narrow(const float* wide, size_t count, uint16_t* narrow) {
  for (size_t i = 0; i < count; ++i) {
    uint32_t bits = 0;
    std::memcpy(&bits, &wide[i], sizeof(bits));
    const uint32_t rounded = bits + 0x7FFF + ((bits >> 16) & 1);
    // A sum with a NaN may be an infinity.
    const bool is_nan = (bits & 0x7FFFFFFF) > 0x7F800000;
    narrow[i] = static_cast<uint16_t>((is_nan ? bits | 0x00400000 : rounded) >> 16);
  }
}

float* WideArgument::of(size_t count) {
  if (count > capacity_ || wide_ == nullptr) {
    const bool fits = count <= std::numeric_limits<size_t>::max() / sizeof(float);
    wide_.reset();
    wide_.reset(fits ? static_cast<float*>(allocate_with_margin(count * sizeof(float))) : nullptr);
    capacity_ = wide_ == nullptr ? 0 : count;
  }
  return wide_.get();
}

void WideArgument::Free::operator()(float* data) const { std::free(data); }

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch

#include <executorch/backends/xnnpack/runtime/bfloat16.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>

namespace executorch {
namespace backends {
namespace xnnpack {

using executorch::aten::BFloat16;

void widen(const uint16_t* narrow, size_t count, float* wide) {
  for (size_t i = 0; i < count; ++i) {
    wide[i] = BFloat16(narrow[i], BFloat16::from_bits());
  }
}

void narrow(const float* wide, size_t count, uint16_t* narrow) {
  for (size_t i = 0; i < count; ++i) {
    narrow[i] = BFloat16(wide[i]).x;
  }
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch

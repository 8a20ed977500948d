#include <cstring>

#include <executorch/backends/vulkan/runtime/graph/device.h>

namespace executorch {
namespace backends {
namespace vulkan {

Parameters& Parameters::set(size_t at, float value) {
  std::memcpy(&words_[at], &value, sizeof(value));
  return *this;
}

Parameters& Parameters::set(size_t at, const std::vector<int64_t>& values) {
  for (size_t i = 0; i < values.size() && at + i < kCount; ++i) {
    set(at + i, values[i]);
  }
  return *this;
}

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch

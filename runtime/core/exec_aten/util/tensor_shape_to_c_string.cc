#include <cinttypes>
#include <cstdio>

#include <executorch/runtime/core/exec_aten/util/tensor_shape_to_c_string.h>

namespace executorch {
namespace runtime {

std::array<char, kTensorShapeStringSizeLimit> tensor_shape_to_c_string(Span<const int32_t> shape) {
  std::array<char, kTensorShapeStringSizeLimit> text{};
  char* out = text.data();
  size_t room = text.size();
  if (shape.size() > kTensorDimensionLimit) {
    std::snprintf(out, room, "(ERR: tensor ndim exceeds limit)");
    return text;
  }
  // The buffer holds the longest possible text, so no snprintf() below is cut off.
  const auto advance = [&](int written) {
    out += written;
    room -= static_cast<size_t>(written);
  };
  advance(std::snprintf(out, room, "("));
  for (size_t i = 0; i < shape.size(); ++i) {
    advance(std::snprintf(out, room, "%s%" PRId32, i == 0 ? "" : ", ", shape[i]));
  }
  std::snprintf(out, room, ")");
  return text;
}

}  // namespace runtime
}  // namespace executorch

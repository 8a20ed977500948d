#include <cinttypes>
#include <cstdio>
#include <cstring>

#include <executorch/runtime/core/exec_aten/util/tensor_shape_to_c_string.h>

namespace executorch {
namespace runtime {
namespace {

template <typename Size>
std::array<char, kTensorShapeStringSizeLimit> shape_to_text(Span<const Size> shape) {
  constexpr char kRest[] = "...)";
  std::array<char, kTensorShapeStringSizeLimit> text{};
  if (shape.size() > kTensorDimensionLimit) {
    std::snprintf(text.data(), text.size(), "(ERR: tensor ndim exceeds limit)");
    return text;
  }
  size_t used = 1;
  text[0] = '(';
  for (size_t i = 0; i < shape.size(); ++i) {
    char size[sizeof(", -9223372036854775808")];
    const int length = std::snprintf(size, sizeof(size), "%s%" PRId64, i == 0 ? "" : ", ",
                                     static_cast<int64_t>(shape[i]));
    // Only shapes that are damaged get here: 16 sizes of 32 bits have room.
    if (used + static_cast<size_t>(length) + sizeof(kRest) > text.size() &&
        (i + 1 < shape.size() || used + static_cast<size_t>(length) + 2 > text.size())) {
      std::memcpy(&text[used], kRest, sizeof(kRest));
      return text;
    }
    std::memcpy(&text[used], size, static_cast<size_t>(length));
    used += static_cast<size_t>(length);
  }
  text[used] = ')';
  return text;
}

}  // namespace

std::array<char, kTensorShapeStringSizeLimit> tensor_shape_to_c_string(Span<const int32_t> shape) {
  return shape_to_text(shape);
}

std::array<char, kTensorShapeStringSizeLimit> tensor_shape_to_c_string(Span<const int64_t> shape) {
  return shape_to_text(shape);
}

}  // namespace runtime
}  // namespace executorch

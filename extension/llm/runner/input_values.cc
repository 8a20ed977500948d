#include <cstddef>
#include <utility>

#include <executorch/extension/llm/runner/input_values.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {
namespace llm {

using executorch::aten::ScalarType;
using executorch::aten::SizesType;

runtime::Result<TensorPtr> tensor_over(const InputValues& values, std::vector<int32_t> sizes,
                                       const char* what) {
  const size_t there = std::visit([](const auto& held) { return held.size(); }, values);
  // Division, since a product of sizes may be more than a number holds.
  size_t left = there;
  bool fits = there > 0;
  for (const int32_t size : sizes) {
    fits = fits && size > 0 && left % static_cast<size_t>(size) == 0;
    left = fits ? left / static_cast<size_t>(size) : 0;
  }
  if (!fits || left != 1) {
    ET_LOG(Error, "%s of %zu values does not have the sizes that it says, the last of them %d",
           what, there, static_cast<int>(sizes.back()));
    return runtime::Error::InvalidArgument;
  }
  return std::visit(
      [&](const auto& held) {
        using Value = typename std::decay_t<decltype(held)>::value_type;
        // Inputs of methods are tensors that could be written; methods do not.
        auto* const data = const_cast<Value*>(held.data());
        return from_blob(data, std::vector<SizesType>(sizes.begin(), sizes.end()),
                         std::is_same_v<Value, float> ? ScalarType::Float : ScalarType::Byte);
      },
      values);
}

}  // namespace llm
}  // namespace extension
}  // namespace executorch

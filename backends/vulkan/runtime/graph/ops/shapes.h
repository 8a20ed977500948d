#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace executorch {
namespace backends {
namespace vulkan {

using Sizes = std::vector<int64_t>;

int64_t product_of(const Sizes& sizes, size_t begin, size_t end);
inline int64_t product_of(const Sizes& sizes) { return product_of(sizes, 0, sizes.size()); }

/// Of elements in row-major order without gaps.
Sizes strides_of(const Sizes& sizes);

/// Elements of int8 that lie in a word, and the words that so many elements take.
constexpr int64_t kWord = 4;
inline int64_t words_of(int64_t elements) { return (elements + kWord - 1) / kWord; }

/// The shape that two shapes broadcast to; empty with `is_ok` false if they do not.
Sizes broadcast(const Sizes& a, const Sizes& b, bool& is_ok);

/// Strides over `whole`, to which a tensor of these sizes is broadcast: 0 where it is repeated.
Sizes strides_over(const Sizes& sizes, const Sizes& whole);

/// Places in several tensors, one for each index of a box.
struct Box {
  Sizes sizes;
  std::vector<Sizes> strides;

  /// Makes one dimension of neighbours that lie so in all tensors, and leaves out those of size 1.
  /// At least one dimension stays.
  void collapse();
};

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch

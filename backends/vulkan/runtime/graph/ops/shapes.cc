#include <algorithm>

#include <executorch/backends/vulkan/runtime/graph/ops/shapes.h>

namespace executorch {
namespace backends {
namespace vulkan {

int64_t product_of(const Sizes& sizes, size_t begin, size_t end) {
  int64_t result = 1;
  for (size_t i = begin; i < end && i < sizes.size(); ++i) {
    result *= sizes[i];
  }
  return result;
}

Sizes strides_of(const Sizes& sizes) {
  Sizes strides(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * sizes[i];
  }
  return strides;
}

Sizes broadcast(const Sizes& a, const Sizes& b, bool& is_ok) {
  Sizes whole(std::max(a.size(), b.size()), 1);
  is_ok = true;
  for (size_t i = 0; i < whole.size(); ++i) {
    const int64_t u = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t v = i < b.size() ? b[b.size() - 1 - i] : 1;
    is_ok = is_ok && (u == v || u == 1 || v == 1);
    whole[whole.size() - 1 - i] = u == 1 ? v : u;
  }
  return whole;
}

Sizes strides_over(const Sizes& sizes, const Sizes& whole) {
  const Sizes own = strides_of(sizes);
  Sizes strides(whole.size(), 0);
  for (size_t i = 0; i < sizes.size() && i < whole.size(); ++i) {
    const size_t from = sizes.size() - 1 - i;
    strides[whole.size() - 1 - i] = sizes[from] == 1 ? 0 : own[from];
  }
  return strides;
}

void Box::collapse() {
  Box made;
  made.strides.resize(strides.size());
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 1) {
      continue;
    }
    bool is_joined = !made.sizes.empty();
    for (size_t t = 0; is_joined && t < strides.size(); ++t) {
      is_joined = made.strides[t].back() == strides[t][d] * sizes[d];
    }
    if (is_joined) {
      made.sizes.back() *= sizes[d];
    } else {
      made.sizes.push_back(sizes[d]);
    }
    for (size_t t = 0; t < strides.size(); ++t) {
      if (is_joined) {
        made.strides[t].back() = strides[t][d];
      } else {
        made.strides[t].push_back(strides[t][d]);
      }
    }
  }
  if (made.sizes.empty()) {
    made.sizes = {1};
    for (Sizes& one : made.strides) {
      one = {0};
    }
  }
  *this = made;
}

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch

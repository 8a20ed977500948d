#include <algorithm>

#include <executorch/kernels/portable/cpu/internal/order.h>
#include <executorch/kernels/portable/cpu/internal/temp_memory.h>

namespace torch::executor::native::util {

void order_keys(ScalarType dtype, const char* from, ptrdiff_t stride, size_t n, int64_t* keys) {
  const Compute c = arithmetic_compute(dtype);
  if (c == Compute::kInt64) {
    load(c, dtype, from, stride, n, keys);
    return;
  }
  constexpr size_t kMost = 64;
  double values[kMost];
  const ptrdiff_t bytes = stride * static_cast<ptrdiff_t>(executorch::runtime::elementSize(dtype));
  for (size_t done = 0; done < n; done += kMost) {
    const size_t count = n - done < kMost ? n - done : kMost;
    load(Compute::kDouble, dtype, from + static_cast<ptrdiff_t>(done) * bytes, stride, count,
         values);
    for (size_t i = 0; i < count; ++i) {
      keys[done + i] = order_key(values[i]);
    }
  }
}

void sort_ranked(Ranked* ranked, size_t n, bool descending) {
  // Indices are distinct: no two elements are equal, and the order is that of a stable sort.
  if (descending) {
    std::sort(ranked, ranked + n, [](const Ranked& a, const Ranked& b) {
      return a.key != b.key ? a.key > b.key : a.index < b.index;
    });
  } else {
    std::sort(ranked, ranked + n, [](const Ranked& a, const Ranked& b) {
      return a.key != b.key ? a.key < b.key : a.index < b.index;
    });
  }
}

Ranked* ranked_memory(KernelRuntimeContext& ctx, size_t n, Ranked* small, size_t small_count) {
  return n <= small_count ? small : temp_memory<Ranked>(ctx, n, "sorted lines");
}

}  // namespace torch::executor::native::util

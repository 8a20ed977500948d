// One header of the core, and what code that includes it alone takes from it.
#include <executorch/runtime/core/array_ref.h>

int64_t sum_over_array_ref(executorch::runtime::ArrayRef<int64_t> values);

int64_t sum_over_array_ref(executorch::runtime::ArrayRef<int64_t> values) {
  int64_t sum = 0;
  for (const auto i : c10::irange(values.size())) {
    if (c10::add_overflows(sum, values[i], &sum)) {
      return -1;
    }
  }
  return sum;
}

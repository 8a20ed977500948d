// The loop over threads, for kernels.
#include <executorch/runtime/kernel/thread_parallel_interface.h>

int64_t count_in_parallel(int64_t end);

int64_t count_in_parallel(int64_t end) {
  int64_t count = 0;
  const bool ok = executorch::extension::parallel_for(
      0, end, executorch::extension::internal::GRAIN_SIZE, [&](int64_t first, int64_t last) {
        for (const auto i : c10::irange(first, last)) {
          count += i >= 0 ? 1 : 0;
        }
      });
  return ok ? count : static_cast<int64_t>(executorch::runtime::Error::InvalidArgument);
}

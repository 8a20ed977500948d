#pragma once

#include <cstdint>
#include <functional>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/function_ref.h>
#include <executorch/runtime/core/portable_type/c10/c10/util/irange.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {
namespace internal {

/// A grain size that pays for elementwise work, as PyTorch has it.
constexpr int64_t GRAIN_SIZE = 32768;

/// Runs the whole range on the calling thread.
///
/// Chunks no larger than `grain_size` would only cost time here, but the arguments are checked as
/// strictly as with a thread pool, so that a caller's mistake shows on every build.
template <typename Func>
inline bool parallel_for_no_threadpool(const int64_t begin, const int64_t end,
                                       const int64_t grain_size, const Func& f) {
  if (begin < 0 || end < begin || grain_size < 1) {
    ET_LOG(Error, "parallel_for: bad range [%lld, %lld) or grain size %lld",
           static_cast<long long>(begin), static_cast<long long>(end),
           static_cast<long long>(grain_size));
    return false;
  }
  if (begin < end) {
    f(begin, end);
  }
  return true;
}

}  // namespace internal

#ifdef ET_USE_THREADPOOL

/// Splits `[begin, end)` into chunks of at least `grain_size` (but the last one) and calls
/// `f(chunk_begin, chunk_end)` for each, possibly concurrently. Returns when all are done.
///
/// Defined by `extension/threadpool`; a binary built with ET_USE_THREADPOOL must link it.
///
/// @return False if the arguments make no sense (`begin < 0`, `end < begin`, `grain_size < 1`);
///     then `f` was not called.
bool parallel_for(const int64_t begin, const int64_t end, const int64_t grain_size,
                  ::executorch::runtime::FunctionRef<void(int64_t, int64_t)> f);

/// Index of the calling thread within the pool; 0 for the thread that called `parallel_for`.
int64_t get_thread_num();

/// Sets what `get_thread_num` gives on the calling thread. For the implementation and for tests.
void set_thread_num(int64_t thread_num);

/// How many threads `parallel_for` may use.
int64_t get_thread_count();

#else  // ET_USE_THREADPOOL

// Of another name to the linker: a binary may have sources of both kinds, and neither gets the
// other's.
inline namespace without_threadpool {

/// Calls `f(begin, end)` on the calling thread. See the declaration above for the contract with a
/// thread pool.
template <typename Func>
bool parallel_for(const int64_t begin, const int64_t end, const int64_t grain_size, const Func& f) {
  return internal::parallel_for_no_threadpool(begin, end, grain_size, f);
}

inline int64_t get_thread_num() { return 0; }

inline void set_thread_num([[maybe_unused]] int64_t thread_num) {
  ET_DCHECK_MSG(false, "This build has no thread pool, there is one thread, number 0");
}

inline int64_t get_thread_count() { return 1; }

}  // namespace without_threadpool

#endif  // ET_USE_THREADPOOL

}  // namespace extension
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::extension::get_thread_count;
using ::executorch::extension::get_thread_num;
using ::executorch::extension::parallel_for;
using ::executorch::extension::set_thread_num;
}  // namespace executor
}  // namespace torch

#include <algorithm>
#include <atomic>

#include <executorch/kernels/optimized/cpu/engine.h>
#include <executorch/runtime/kernel/thread_parallel_interface.h>

namespace torch::executor::native::optimized {
namespace {

/// Pieces of a thread's share: how far the last thread may be behind, against what a piece costs.
constexpr size_t kPieces = 4;
constexpr size_t kMostThreads = 64;

/// The part of a range that one thread begins with; others help when theirs is done.
struct Share {
  alignas(64) std::atomic<size_t> next;
  size_t end;
};

/// Work of [0, count) in shares that lie at the same place for each call, so that a thread finds
/// in its cache what it has written before.
class Shares {
 public:
  Shares(size_t count, size_t threads)
      : threads_(threads), piece_(std::max<size_t>(1, count / threads / kPieces)) {
    for (size_t i = 0; i < threads; ++i) {
      shares_[i].next.store(count / threads * i + std::min(i, count % threads),
                            std::memory_order_relaxed);
      shares_[i].end = count / threads * (i + 1) + std::min(i + 1, count % threads);
    }
  }

  /// The next piece for thread `thread`, in [begin, end). @returns false when all are taken.
  bool take(size_t thread, size_t& begin, size_t& end) {
    for (size_t i = 0; i < threads_; ++i) {
      Share& share = shares_[(thread + i) % threads_];
      begin = share.next.load(std::memory_order_relaxed);
      if (begin < share.end) {
        begin = share.next.fetch_add(piece_, std::memory_order_relaxed);
      }
      if (begin < share.end) {
        end = std::min(begin + piece_, share.end);
        return true;
      }
    }
    return false;
  }

 private:
  const size_t threads_;
  const size_t piece_;
  Share shares_[kMostThreads];
};

}  // namespace

void parallel(size_t count, size_t grain, void (*run)(const void* self, size_t begin, size_t end),
              const void* self) {
  const auto most = static_cast<size_t>(::executorch::extension::get_thread_count());
  const size_t threads = std::min({most, kMostThreads, (count + grain - 1) / grain});
  if (threads <= 1) {
    run(self, 0, count);
    return;
  }
  Shares shares(count, threads);
  ::executorch::extension::parallel_for(
      0, static_cast<int64_t>(threads), 1, [&](int64_t first, int64_t last) {
        for (int64_t thread = first; thread < last; ++thread) {
          size_t begin = 0;
          size_t end = 0;
          while (shares.take(static_cast<size_t>(thread), begin, end)) {
            run(self, begin, end);
          }
        }
      });
}

}  // namespace torch::executor::native::optimized

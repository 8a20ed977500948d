#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {

/// Memory from the heap that is kept for the next run: reset() takes all blocks back, and a later
/// allocate() of the same size and alignment gets one of them instead of asking the heap again.
///
/// For temporary memory of kernels, which ask for the same sizes in every run. At most `max_size`
/// bytes are kept; what is beyond goes back to the heap. May be used by several threads, except
/// that reset() must not run while memory is in use.
class CPUCachingAllocator : public runtime::MemoryAllocator {
 public:
  /// Blocks are aligned to at least this, a cache line.
  static constexpr size_t kMinAlignment = 64;

  explicit CPUCachingAllocator(uint32_t max_size)
      : MemoryAllocator(0, nullptr), max_size_(max_size) {}

  CPUCachingAllocator(const CPUCachingAllocator&) = delete;
  CPUCachingAllocator& operator=(const CPUCachingAllocator&) = delete;

  ~CPUCachingAllocator() override {
    CPUCachingAllocator::reset();
    for (const auto& [key, blocks] : kept_) {
      for (void* block : blocks) {
        release(key, block);
      }
    }
  }

  /// Returns null, after a message, when the alignment is no power of two or the heap is exhausted.
  void* allocate(size_t size, size_t alignment = kMinAlignment) override {
    if (!isPowerOf2(alignment)) {
      ET_LOG(Error, "The alignment has to be a power of two, not %zu", alignment);
      return nullptr;
    }
    alignment = alignment < kMinAlignment ? kMinAlignment : alignment;
    if (size > SIZE_MAX - alignment) {
      ET_LOG(Error, "%zu bytes aligned to %zu do not fit into the address space", size, alignment);
      return nullptr;
    }
    const Key key{(size + alignment - 1) / alignment * alignment, alignment};
    const std::lock_guard<std::mutex> lock(mutex_);
    void* block = take(key);
    if (block == nullptr) {
      block = ::operator new(key.first, std::align_val_t{alignment}, std::nothrow);
    }
    if (block == nullptr) {
      ET_LOG(Error, "No memory for %zu bytes", key.first);
      return nullptr;
    }
    used_.emplace_back(key, block);
    return block;
  }

  void reset() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [key, block] : used_) {
      if (key.first <= max_size_ - kept_bytes_) {
        kept_[key].push_back(block);
        kept_bytes_ += key.first;
      } else {
        release(key, block);
      }
    }
    used_.clear();
  }

 private:
  using Key = std::pair<size_t, size_t>;  // Size and alignment.

  static void release(const Key& key, void* block) {
    ::operator delete(block, std::align_val_t{key.second});
  }

  void* take(const Key& key) {
    const auto blocks = kept_.find(key);
    if (blocks == kept_.end() || blocks->second.empty()) {
      return nullptr;
    }
    void* block = blocks->second.back();
    blocks->second.pop_back();
    kept_bytes_ -= key.first;
    return block;
  }

  const size_t max_size_;
  std::mutex mutex_;
  size_t kept_bytes_ = 0;
  std::map<Key, std::vector<void*>> kept_;
  std::vector<std::pair<Key, void*>> used_;
};

}  // namespace extension
}  // namespace executorch

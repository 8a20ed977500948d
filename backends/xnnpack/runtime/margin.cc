#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <xnnpack.h>

#include <executorch/backends/xnnpack/runtime/margin.h>

namespace executorch {
namespace backends {
namespace xnnpack {

namespace {

/// The least that a system maps or protects at once.
constexpr uintptr_t kPage = 4096;

// AddressSanitizer is to see that no kernel reads further, and takes the end of an allocation for
// the end of what can be read.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define XNNPACK_EVERY_END_COUNTS 1
#endif
#endif
#ifdef XNNPACK_EVERY_END_COUNTS
constexpr bool kEveryEndCounts = true;
#else
constexpr bool kEveryEndCounts = false;
#endif

}  // namespace

bool has_margin(const void* data, size_t size) {
  if (kEveryEndCounts || size == 0) {
    return false;
  }
  const uintptr_t last = reinterpret_cast<uintptr_t>(data) + size - 1;
  return last / kPage == (last + XNN_EXTRA_BYTES) / kPage;
}

void* allocate_with_margin(size_t size) {
  return size > SIZE_MAX - XNN_EXTRA_BYTES ? nullptr : std::malloc(size + XNN_EXTRA_BYTES);
}

void MarginMemory::Free::operator()(void* data) const { std::free(data); }

void* MarginMemory::of(size_t size) {
  if (memory_ == nullptr || capacity_ < size) {
    memory_.reset();
    memory_.reset(allocate_with_margin(size));
    capacity_ = size;
  }
  return memory_.get();
}

const void* MarginCopy::of(const void* data, size_t size) {
  if (has_margin(data, size)) {
    return data;
  }
  void* const copy = copy_.of(size);
  return copy == nullptr ? nullptr : std::memcpy(copy, data, size);
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch

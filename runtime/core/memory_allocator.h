/// @file
/// MemoryAllocator: a bump allocator over memory of the caller, and macros to use it.
#pragma once

#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/portable_type/c10/c10/util/safe_numerics.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/profiler.h>

namespace executorch {
namespace runtime {

/// Hands out pieces of one buffer; they are given back all at once, by reset(). Destructors of
/// objects inside are not called. Not thread safe. Subclasses may take the memory elsewhere.
class MemoryAllocator {
 public:
  /// Alignment of allocations that do not ask for another.
  static constexpr size_t kDefaultAlignment = alignof(void*);

  /// @param size         Bytes at `base_address`; what exceeds 4 GiB - 1 is left unused.
  /// @param base_address Start of the memory, of any alignment.
  MemoryAllocator(size_t size, uint8_t* base_address)
      : begin_(base_address),
        cur_(base_address),
        size_(size > std::numeric_limits<uint32_t>::max() ? std::numeric_limits<uint32_t>::max()
                                                          : static_cast<uint32_t>(size)) {
    ET_CHECK_MSG(base_address != nullptr || size == 0, "allocator of %zu bytes without memory",
                 size);
  }

  virtual ~MemoryAllocator() = default;
  MemoryAllocator(const MemoryAllocator&) = default;
  MemoryAllocator& operator=(const MemoryAllocator&) = default;

  /// `size` bytes, uninitialized, or null if there is not enough room or `alignment` is not a power
  /// of two; both are logged.
  virtual void* allocate(size_t size, size_t alignment = kDefaultAlignment) {
    return bump(size, alignment);
  }

  /// Room for one T, not constructed; null if there is not enough.
  template <typename T>
  T* allocateInstance(size_t alignment = alignof(T)) {
    return static_cast<T*>(allocate(sizeof(T), alignment));
  }

  /// Room for `size` Ts, not constructed; null if there is not enough or the size overflows.
  template <typename T>
  T* allocateList(size_t size, size_t alignment = alignof(T)) {
    if (size > std::numeric_limits<size_t>::max() / sizeof(T)) {
      ET_LOG(Error, "a list of %zu elements of %zu bytes overflows", size, sizeof(T));
      return nullptr;
    }
    return static_cast<T*>(allocate(size * sizeof(T), alignment));
  }

  /// Start of the memory; null for subclasses without one buffer.
  virtual uint8_t* base_address() const { return begin_; }

  /// Bytes of the memory.
  virtual uint32_t size() const { return size_; }

  /// Bytes used since construction or reset(), padding included.
  virtual size_t used_size() const { return static_cast<size_t>(cur_ - begin_); }

  /// Bytes left, before padding.
  virtual size_t free_size() const { return size_ - used_size(); }

  /// Takes everything back.
  virtual void reset() { cur_ = begin_; }

  /// Kept for source compatibility; allocations are observed through the event tracer.
  void enable_profiling(const char* name) { (void)name; }

 protected:
  /// A number of the former profiler; always -1.
  int32_t prof_id() const { return -1; }

  static bool isPowerOf2(size_t value) { return value != 0 && (value & (value - 1)) == 0; }

  /// `ptr` moved up to a multiple of `alignment`, a power of two. The caller must know that the
  /// address space has room for that.
  static uint8_t* alignPointer(void* ptr, size_t alignment) {
    const uintptr_t address = reinterpret_cast<uintptr_t>(ptr);
    return static_cast<uint8_t*>(ptr) + padding(address, alignment);
  }

 private:
  // Apart from allocate(), which is inline as all virtual functions of the core are: a class whose
  // first virtual function lived in a file compiled without RTTI would have no typeinfo, and
  // subclasses in code compiled with RTTI could not be linked.
  void* bump(size_t size, size_t alignment);

  static size_t padding(uintptr_t address, size_t alignment) {
    return static_cast<size_t>(-address & (alignment - 1));
  }

  uint8_t* begin_;
  uint8_t* cur_;
  uint32_t size_;
};

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::MemoryAllocator;
}  // namespace executor
}  // namespace torch

/// Evaluates to `nbytes__` bytes from `allocator__`; runs the remaining statements if there are
/// none (e.g. `return nullptr`).
#define ET_TRY_ALLOCATE_OR(allocator__, nbytes__, ...)                  \
  ({                                                                    \
    void* et_try_allocate_result__ = (allocator__)->allocate(nbytes__); \
    if (et_try_allocate_result__ == nullptr && (nbytes__) > 0) {        \
      __VA_ARGS__                                                       \
      /* The statements above must leave. */                            \
      ET_UNREACHABLE();                                                 \
    }                                                                   \
    et_try_allocate_result__;                                           \
  })

/// As ET_TRY_ALLOCATE_OR, for one object, not constructed.
#define ET_TRY_ALLOCATE_INSTANCE_OR(allocator__, type__, ...)                              \
  ({                                                                                       \
    type__* et_try_allocate_result__ = (allocator__)->template allocateInstance<type__>(); \
    if (et_try_allocate_result__ == nullptr) {                                             \
      __VA_ARGS__                                                                          \
      ET_UNREACHABLE();                                                                    \
    }                                                                                      \
    et_try_allocate_result__;                                                              \
  })

/// As ET_TRY_ALLOCATE_OR, for `nelem__` objects, not constructed.
#define ET_TRY_ALLOCATE_LIST_OR(allocator__, type__, nelem__, ...)                            \
  ({                                                                                          \
    type__* et_try_allocate_result__ = (allocator__)->template allocateList<type__>(nelem__); \
    if (et_try_allocate_result__ == nullptr && (nelem__) > 0) {                               \
      __VA_ARGS__                                                                             \
      ET_UNREACHABLE();                                                                       \
    }                                                                                         \
    et_try_allocate_result__;                                                                 \
  })

/// Evaluates to `nbytes__` bytes, or returns Error::MemoryAllocationFailed from the function.
#define ET_ALLOCATE_OR_RETURN_ERROR(allocator__, nbytes__) \
  ET_TRY_ALLOCATE_OR(allocator__, nbytes__,                \
                     return ::executorch::runtime::Error::MemoryAllocationFailed;)

/// Evaluates to room for one object, or returns Error::MemoryAllocationFailed from the function.
#define ET_ALLOCATE_INSTANCE_OR_RETURN_ERROR(allocator__, type__) \
  ET_TRY_ALLOCATE_INSTANCE_OR(allocator__, type__,                \
                              return ::executorch::runtime::Error::MemoryAllocationFailed;)

/// Evaluates to room for a list, or returns Error::MemoryAllocationFailed from the function.
#define ET_ALLOCATE_LIST_OR_RETURN_ERROR(allocator__, type__, nelem__) \
  ET_TRY_ALLOCATE_LIST_OR(allocator__, type__, nelem__,                \
                          return ::executorch::runtime::Error::MemoryAllocationFailed;)

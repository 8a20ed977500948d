/// @file
/// DynamicMemory: what tensors take their bytes from whose size has no bound ahead of time.
#pragma once

#include <cstddef>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/portable_type/tensor_impl.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace runtime {
namespace internal {

#ifdef ET_NO_UNBOUNDED_SIZES
/// Tensors keep to the memory that was planned: //runtime/core:enable_unbounded_sizes.
constexpr bool kUnboundedSizes = false;
#else
constexpr bool kUnboundedSizes = true;
#endif

/// Bytes for the tensors of one place in a memory plan, no two of which are in use at a time. When
/// one of them outgrows what is there, an allocator gives more.
///
/// Nothing is given back: what the tensors held before stays valid, so that no tensor that still
/// points there can read or write what is no longer its own. What is asked for grows by half at
/// least, so all of it together is at most three times what was asked for last.
class DynamicMemory {
 public:
  /// Alignment of what it allocates, in bytes.
  static constexpr size_t kAlignment = 16;

  /// Bytes behind what it allocates: kernels that work on vectors may read one beyond the end.
  static constexpr size_t kSlack = 16;

  /// @param allocator Where more comes from; null if nothing does.
  /// @param data      What is there to begin with, `capacity` bytes.
  DynamicMemory(MemoryAllocator* allocator, void* data, size_t capacity)
      : allocator_(allocator),
        data_(data),
        capacity_(capacity),
        own_data_(data),
        own_capacity_(capacity) {}

  /// The memory that a tensor takes its bytes from; null for tensors with bounds.
  static DynamicMemory* of(const etensor::TensorImpl& tensor) {
    return kUnboundedSizes && tensor.has_dynamic_memory_ ? tensor.dynamic_memory_ : nullptr;
  }

  /// Lets a tensor outgrow its data, which this object must describe.
  void serve(etensor::TensorImpl& tensor) {
    tensor.dynamic_memory_ = this;
    tensor.has_dynamic_memory_ = true;
  }

  /// Bytes that a tensor may come to use where it lies.
  static size_t most_bytes(const etensor::TensorImpl& tensor) {
    return of(tensor) != nullptr ? tensor.nbytes()
                                 : static_cast<size_t>(tensor.numel_bound_) *
                                       static_cast<size_t>(tensor.element_size());
  }

  void* data() const { return data_; }
  size_t capacity() const { return capacity_; }

  /// Uses memory of somebody else's, for tensors that show it and for those that the application
  /// gives memory to, until one of the tensors outgrows it. Resize the tensors afterwards.
  void use(void* data, size_t capacity) {
    data_ = data;
    // Its own may be larger than what a tensor shows of it.
    capacity_ = data == own_data_ ? own_capacity_ : capacity;
  }

 private:
  friend class etensor::TensorImpl;

  bool holds(const void* data, size_t nbytes) const { return data == data_ && nbytes <= capacity_; }

  /// Makes room for `nbytes`.
  ///
  /// @retval Error::MemoryAllocationFailed There is not so much; all is as it was.
  ET_NODISCARD Error reserve(size_t nbytes);

  MemoryAllocator* allocator_;
  void* data_;
  size_t capacity_;
  /// What is left of it when it uses somebody else's.
  void* own_data_;
  size_t own_capacity_;
};

}  // namespace internal
}  // namespace runtime
}  // namespace executorch

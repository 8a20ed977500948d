#pragma once

#include <cstddef>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/event_tracer_hooks.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/kernel/tensor_access.h>
#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace runtime {

/// What a kernel sees of the runtime while it runs: where to report failure, where to get scratch
/// memory, and the event tracer.
///
/// Every kernel takes one by reference as its first parameter. It belongs to one `Method` execution
/// and must not be kept after the kernel returns.
class KernelRuntimeContext {
 public:
  /// @param event_tracer Receives profiling and debugging events; null when nobody listens.
  /// @param temp_allocator Gives scratch memory that lives until the kernel returns; null if there
  ///     is none, then `allocate_temp` fails with `Error::NotFound`.
  /// @param tensor_access For the executor.
  /* implicit */ KernelRuntimeContext(EventTracer* event_tracer = nullptr,
                                      MemoryAllocator* temp_allocator = nullptr,
                                      const internal::TensorAccess* tensor_access = nullptr)
      : event_tracer_(event_tracer),
        temp_allocator_(temp_allocator),
        tensor_access_(tensor_access) {}

  /// Tells the runtime that the kernel failed. The kernel should return soon afterwards; its result
  /// is not used. Without a call to `fail` a kernel counts as successful.
  void fail(Error error) { failure_state_ = error; }

  /// The error of the latest `fail`, `Error::Ok` if there was none.
  ET_NODISCARD Error failure_state() const { return failure_state_; }

  /// The event tracer, may be null. Not part of the stable interface: use the hooks of
  /// `runtime/core/event_tracer_hooks.h`.
  EventTracer* internal_event_tracer() { return event_tracer_; }

  /// Whether a kernel may write the elements of this argument and resize it. Kernels that are
  /// registered through `boxing.h` need not ask, it was done for them; a kernel that takes its
  /// arguments from the stack itself has to.
  ///
  /// False for constants of the program, for tensors that only view another tensor's memory, and
  /// for inputs whose memory is smaller than the input's bound.
  bool may_write(const executorch::aten::Tensor& tensor) const {
    return tensor_access_ == nullptr || tensor_access_->may_write(tensor.unsafeGetTensorImpl());
  }

  /// Whether the tensor keeps the memory that it was loaded with: planned, or a constant's. For
  /// kernels that make one tensor show the memory of another.
  bool is_fixed(const executorch::aten::Tensor& tensor) const {
    return tensor_access_ != nullptr && tensor_access_->is_fixed(tensor.unsafeGetTensorImpl());
  }

  /// Whether `allocate_temp` has where to take memory from: for kernels that can do without,
  /// slower.
  bool has_temp_allocator() const { return temp_allocator_ != nullptr; }

  /// Allocates scratch memory that becomes invalid as soon as the kernel returns.
  ///
  /// @param size Bytes.
  /// @param alignment Of the result, a power of two.
  /// @retval Error::NotFound There is no temporary allocator.
  /// @retval Error::MemoryAllocationFailed The allocator has not enough room.
  Result<void*> allocate_temp(size_t size, size_t alignment = MemoryAllocator::kDefaultAlignment) {
    if (temp_allocator_ == nullptr) {
      ET_LOG(Error, "No temp allocator: a kernel wants %zu bytes of scratch memory", size);
      return Error::NotFound;
    }
    void* memory = temp_allocator_->allocate(size, alignment);
    if (memory == nullptr) {
      ET_LOG(Error, "Temp allocator could not give %zu bytes, alignment %zu", size, alignment);
      return Error::MemoryAllocationFailed;
    }
    return memory;
  }

 private:
  EventTracer* event_tracer_;
  MemoryAllocator* temp_allocator_;
  const internal::TensorAccess* tensor_access_;
  Error failure_state_ = Error::Ok;
};

}  // namespace runtime
}  // namespace executorch

namespace executorch {
namespace aten {
// Older name.
using RuntimeContext = ::executorch::runtime::KernelRuntimeContext;
}  // namespace aten
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::KernelRuntimeContext;
/// The older name, still common in kernel signatures.
using RuntimeContext = ::executorch::runtime::KernelRuntimeContext;
}  // namespace executor
}  // namespace torch

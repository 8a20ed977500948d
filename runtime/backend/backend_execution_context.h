#pragma once

#include <cstddef>

#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/function_ref.h>
#include <executorch/runtime/core/memory_allocator.h>

namespace executorch {
namespace runtime {

/// What the runtime offers a backend while it executes one delegate.
class BackendExecutionContext final {
 public:
  /// Answers `may_write`; the executor's own.
  using MayWrite = FunctionRef<bool(const executorch::aten::Tensor&)>;

  /* implicit */ BackendExecutionContext(EventTracer* event_tracer = nullptr,
                                         MemoryAllocator* temp_allocator = nullptr,
                                         const char* method_name = nullptr,
                                         MayWrite may_write = nullptr)
      : event_tracer_(event_tracer),
        temp_allocator_(temp_allocator),
        method_name_(method_name),
        may_write_(may_write) {}

  /// The event tracer, null when nobody listens.
  EventTracer* event_tracer() { return event_tracer_; }

  /// Allocates scratch memory that becomes invalid when `BackendInterface::execute` returns.
  ///
  /// @return Null if there is no temporary allocator or not enough room.
  void* allocate(size_t size, size_t alignment = MemoryAllocator::kDefaultAlignment) {
    return temp_allocator_ == nullptr ? nullptr : temp_allocator_->allocate(size, alignment);
  }

  /// The allocator behind `allocate`; may be null.
  MemoryAllocator* get_temp_allocator() { return temp_allocator_; }

  /// Name of the method that runs, null if unknown.
  const char* get_method_name() const { return method_name_; }

  /// Whether the delegate may write the elements of an argument, and resize it up to its bound.
  /// What the file names as an output may be a constant in read-only memory, or a tensor that shows
  /// the memory of a smaller one: ask before writing.
  bool may_write(const executorch::aten::Tensor& tensor) const {
    return !may_write_ || may_write_(tensor);
  }

 private:
  EventTracer* event_tracer_;
  MemoryAllocator* temp_allocator_;
  const char* method_name_;
  MayWrite may_write_;
};

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::BackendExecutionContext;
}  // namespace executor
}  // namespace torch

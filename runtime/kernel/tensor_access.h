#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/exec_aten/exec_aten.h>

namespace executorch {
namespace runtime {
namespace internal {

/// Which tensors of a method kernels may write.
///
/// The arguments of a call come from a file, and nothing in it says which of them a kernel writes.
/// A program could pass a constant, whose bytes may lie in read-only memory, or a tensor that only
/// views the memory of a smaller one. The executor keeps all tensors of a method in one array and
/// one flag beside each, and kernels are asked to look before they write (`boxing.h` does it for
/// them).
class TensorAccess {
 public:
  TensorAccess() = default;
  TensorAccess(const executorch::aten::TensorImpl* first, uint8_t* writable, size_t count)
      : first_(first), writable_(writable), count_(count) {}

  /// Whether a kernel may write the tensor's elements and resize it up to its bound. True for a
  /// tensor that does not belong to the method: its owner knows.
  bool may_write(const executorch::aten::TensorImpl* tensor) const {
    const size_t index = index_of(tensor);
    return index >= count_ || writable_[index] != 0;
  }

  /// Sets the flag of one of the method's tensors; ignores others.
  void set_may_write(const executorch::aten::TensorImpl* tensor, bool writable) {
    const size_t index = index_of(tensor);
    if (index < count_) {
      writable_[index] = writable ? 1 : 0;
    }
  }

 private:
  // Some number of at least count_ for a tensor that is not one of ours. Computed on integers,
  // since pointers into different arrays have no difference.
  size_t index_of(const executorch::aten::TensorImpl* tensor) const {
    return (reinterpret_cast<uintptr_t>(tensor) - reinterpret_cast<uintptr_t>(first_)) /
           sizeof(executorch::aten::TensorImpl);
  }

  const executorch::aten::TensorImpl* first_ = nullptr;
  uint8_t* writable_ = nullptr;
  size_t count_ = 0;
};

}  // namespace internal
}  // namespace runtime
}  // namespace executorch

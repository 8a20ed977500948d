#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/exec_aten/exec_aten.h>

namespace executorch {
namespace runtime {
namespace internal {

/// What may become of the tensors of a method.
///
/// The arguments of a call come from a file, and nothing in it says which of them a kernel writes.
/// A program could pass a constant, whose bytes may lie in read-only memory, or a tensor that only
/// views the memory of a smaller one. The executor keeps all tensors of a method in one array and
/// one flag beside each, and kernels are asked to look before they write (`boxing.h` does it for
/// them).
class TensorAccess {
 public:
  TensorAccess() = default;
  /// @param flags One for each tensor, all zero.
  TensorAccess(const executorch::aten::TensorImpl* first, uint8_t* flags, size_t count)
      : first_(first), flags_(flags), count_(count) {}

  /// Whether a kernel may write the tensor's elements and resize it up to its bound. True for a
  /// tensor that does not belong to the method: its owner knows.
  bool may_write(const executorch::aten::TensorImpl* tensor) const {
    const size_t index = index_of(tensor);
    return index >= count_ || (flags_[index] & kMayWrite) != 0;
  }

  /// Sets the flag of one of the method's tensors; ignores others.
  void set_may_write(const executorch::aten::TensorImpl* tensor, bool writable) {
    set(tensor, kMayWrite, writable);
  }

  /// Whether the tensor has had its memory since loading and keeps it: planned, or a constant's.
  bool is_fixed(const executorch::aten::TensorImpl* tensor) const {
    const size_t index = index_of(tensor);
    return index < count_ && (flags_[index] & kFixed) != 0;
  }
  void set_fixed(const executorch::aten::TensorImpl* tensor) { set(tensor, kFixed, true); }

  /// Whether the value that the tensor was loaded into may come to hold another one.
  bool is_replaced(const executorch::aten::TensorImpl* tensor) const {
    const size_t index = index_of(tensor);
    return index >= count_ || (flags_[index] & kReplaced) != 0;
  }
  void set_replaced(const executorch::aten::TensorImpl* tensor) { set(tensor, kReplaced, true); }

 private:
  static constexpr uint8_t kMayWrite = 1;
  static constexpr uint8_t kFixed = 2;
  static constexpr uint8_t kReplaced = 4;

  void set(const executorch::aten::TensorImpl* tensor, uint8_t flag, bool on) {
    const size_t index = index_of(tensor);
    if (index < count_) {
      flags_[index] = static_cast<uint8_t>(on ? flags_[index] | flag : flags_[index] & ~flag);
    }
  }

  // Some number of at least count_ for a tensor that is not one of ours. Computed on integers,
  // since pointers into different arrays have no difference.
  size_t index_of(const executorch::aten::TensorImpl* tensor) const {
    return (reinterpret_cast<uintptr_t>(tensor) - reinterpret_cast<uintptr_t>(first_)) /
           sizeof(executorch::aten::TensorImpl);
  }

  const executorch::aten::TensorImpl* first_ = nullptr;
  uint8_t* flags_ = nullptr;
  size_t count_ = 0;
};

}  // namespace internal
}  // namespace runtime
}  // namespace executorch

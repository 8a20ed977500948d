/// @file
/// BoxedEvalueList: a list in a program, whose elements are EValues of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/assert.h>

namespace executorch {
namespace runtime {

struct EValue;

/// A list of int64_t, Tensor or std::optional<Tensor> whose elements other instructions may change
/// between two uses (symbolic sizes, views), so that they are read anew at every access.
///
/// Refers to two arrays of the same length that must outlive it: pointers to the elements, and room
/// for the unpacked values. get() writes the latter, so a list must not be read by two threads.
template <typename T>
class BoxedEvalueList {
 public:
  BoxedEvalueList() = default;

  /// @param wrapped_vals   `size` elements. An entry may be null only if T is optional; it then
  ///                       stands for a missing value.
  /// @param unwrapped_vals Room for `size` values, initialized.
  BoxedEvalueList(EValue** wrapped_vals, T* unwrapped_vals, int size)
      : wrapped_vals_(wrapped_vals), unwrapped_vals_(unwrapped_vals), size_(size) {
    ET_CHECK_MSG(size >= 0 && (size == 0 || (wrapped_vals != nullptr && unwrapped_vals != nullptr)),
                 "list of %d elements without its arrays", size);
  }

  /// The present values; valid until the next call. Aborts if an element has another type.
  ::executorch::aten::ArrayRef<T> get() const;

  /// The present values; valid until the next call.
  ///
  /// @retval Error::InvalidType  An element has another type.
  /// @retval Error::InvalidState An element is null.
  Result<::executorch::aten::ArrayRef<T>> tryGet() const;

  size_t size() const { return static_cast<size_t>(size_); }

  /// The value behind an element, below `size()`; null if it is missing.
  const EValue* element(size_t index) const { return wrapped_vals_[index]; }

 private:
  EValue** wrapped_vals_ = nullptr;
  mutable T* unwrapped_vals_ = nullptr;
  int size_ = 0;
};

// Defined in evalue.cc for the three types that programs have.
extern template class BoxedEvalueList<int64_t>;
extern template class BoxedEvalueList<::executorch::aten::Tensor>;
extern template class BoxedEvalueList<std::optional<::executorch::aten::Tensor>>;

}  // namespace runtime
}  // namespace executorch

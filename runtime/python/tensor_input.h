#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/python/dlpack_abi.h>
#include <executorch/runtime/python/py_abi.h>
#include <executorch/runtime/python/py_ref.h>

namespace executorch {
namespace runtime {
namespace python {

/// Somebody else's array: where it lies and how it is laid out. Strides are in bytes and may be
/// negative.
struct ArrayView {
  void* data = nullptr;
  executorch::aten::ScalarType dtype = executorch::aten::ScalarType::Undefined;
  size_t rank = 0;
  std::array<int64_t, kTensorDimensionLimit> sizes;
  std::array<int64_t, kTensorDimensionLimit> strides;
  bool read_only = false;

  /// Like `float32[2, 3]`, with strides when the elements are not in row-major order.
  std::string describe() const;
};

/// An object that is an array but not one that the runtime can use; says what it is.
class UnusableArray : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A Python array for as long as its memory is needed.
///
/// Understands, in this order: the DLPack exchange interface of torch, Python buffers (NumPy
/// arrays, array.array, memoryview), and `__dlpack__` (everything else). Nothing is copied.
class BorrowedArray {
 public:
  /// Nothing if `object` is no array at all; throws UnusableArray for one on another device, of an
  /// unknown dtype and so on. The caller holds the GIL.
  static std::unique_ptr<BorrowedArray> from(PyObject* object);

  BorrowedArray(const BorrowedArray&) = delete;
  BorrowedArray& operator=(const BorrowedArray&) = delete;
  ~BorrowedArray();

  const ArrayView& view() const { return view_; }

 private:
  BorrowedArray() = default;

  bool try_exchange_api(PyObject* object);
  bool try_buffer(PyObject* object);
  bool try_dlpack_method(PyObject* object);
  void adopt(const dlpack::Tensor& tensor, bool read_only);

  ArrayView view_;
  PyRef owner_;
  Py_buffer buffer_ = {};
  bool has_buffer_ = false;
  dlpack::ManagedTensor* managed_ = nullptr;
  dlpack::ManagedTensorVersioned* versioned_ = nullptr;
};

/// What the runtime gets for a borrowed array: a Tensor over its memory, or over a copy of it when
/// the memory is not laid out as the program expects. Stays where it is made.
class TensorInput {
 public:
  /// `dim_order` is what the program expects; its length is the rank of `array`.
  ///
  /// Throws UnusableArray when sizes do not fit into the runtime's.
  ///
  /// @param copy_if_read_only For inputs whose memory the program works on directly and might write
  /// to.
  TensorInput(std::unique_ptr<BorrowedArray> array, Span<const uint8_t> dim_order,
              bool copy_if_read_only);

  TensorInput(const TensorInput&) = delete;
  TensorInput& operator=(const TensorInput&) = delete;

  /// What the caller passed.
  std::string describe() const { return array_->view().describe(); }

  EValue value() { return EValue(executorch::aten::Tensor(&*impl_)); }

 private:
  std::unique_ptr<BorrowedArray> array_;
  std::unique_ptr<uint8_t[]> copy_;
  std::array<executorch::aten::SizesType, kTensorDimensionLimit> sizes_;
  std::array<executorch::aten::DimOrderType, kTensorDimensionLimit> dim_order_;
  std::array<executorch::aten::StridesType, kTensorDimensionLimit> strides_;
  std::optional<executorch::aten::TensorImpl> impl_;
};

/// The DLPack exchange interface of an object's type; null if it has none. The caller holds the
/// GIL.
const dlpack::ExchangeApi* exchange_api_of(PyTypeObject* type);

/// The DLPack element type for a dtype; nothing for those that DLPack does not know.
std::optional<dlpack::DataType> to_dlpack_dtype(executorch::aten::ScalarType type);

}  // namespace python
}  // namespace runtime
}  // namespace executorch

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h>
#include <executorch/runtime/python/dlpack_abi.h>
#include <executorch/runtime/python/py_object.h>

namespace executorch {
namespace runtime {
namespace python {

/// The library that outputs are made for.
enum class ArrayLibrary { kNumpy, kTorch };

/// The memory of an output that the program does not plan: handed to the method before it runs, and
/// to Python afterwards, without a copy.
struct OutputMemory {
  std::shared_ptr<void> data;
  size_t size = 0;

  /// `size` bytes, aligned for any kernel and zero. Throws Failure when there is not that much.
  static OutputMemory allocate(size_t size);
};

/// One output, no longer tied to the method that made it (or tied to it by `owner`, for a view).
/// Made without the GIL.
class OutputValue {
 public:
  /// Copies the value, data included, out of the method.
  static OutputValue copy_of(const EValue& value);

  /// Refers to the data where it lies; `owner` keeps it alive.
  static OutputValue view_of(const EValue& value, const std::shared_ptr<void>& owner);

  /// The Python object. Needs the GIL. Throws Failure for a dtype that `library` does not have.
  Object to_python(ArrayLibrary library) const;

 private:
  struct TensorData {
    executorch::aten::ScalarType dtype = executorch::aten::ScalarType::Undefined;
    size_t rank = 0;
    std::array<int64_t, kTensorDimensionLimit> sizes;
    std::array<int64_t, kTensorDimensionLimit> strides;  // In elements.
    std::shared_ptr<void> data;  // Owns, or shares ownership of, the memory.
  };

  static OutputValue make(const EValue& value, const std::shared_ptr<void>* owner);
  void take_tensor(const executorch::aten::Tensor& tensor, const std::shared_ptr<void>* owner);

  Object tensor_to_torch() const;
  Object tensor_to_numpy() const;

  Tag tag_ = Tag::None;
  TensorData tensor_;
  int64_t int_ = 0;
  double double_ = 0;
  std::string string_;
  std::vector<OutputValue> items_;
};

/// Where outputs should go when no input says so: to torch if the process has imported it.
ArrayLibrary default_array_library();

}  // namespace python
}  // namespace runtime
}  // namespace executorch

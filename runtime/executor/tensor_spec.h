/// @file
/// A serialized tensor's shape, checked once. Internal to the executor.
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/portable_type/device.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/tensor_shape_dynamism.h>
#include <executorch/schema/program_generated.h>

namespace executorch {
namespace runtime {
namespace internal {

/// What `check_tensor` has proven about a serialized tensor: the dtype is known, the rank is within
/// the limit, no size is negative, the dim order is a permutation, and neither the number of
/// elements, the number of bytes nor a stride overflows its type.
///
/// The pointers lead into the program's bytes.
struct TensorSpec {
  executorch::aten::ScalarType scalar_type;
  TensorShapeDynamism dynamism;
  size_t dim;
  const executorch::aten::SizesType* sizes;
  const executorch::aten::DimOrderType* dim_order;
  size_t element_size;
  /// Bytes with the serialized sizes, which are the upper bounds of a dynamic tensor.
  size_t nbytes;
};

/// Checks everything about a serialized tensor but where its data lives.
///
/// @retval Error::InvalidProgram Something is wrong; the log says what.
/// @retval Error::NotSupported A layout, storage offset or device that this runtime does not have.
Result<TensorSpec> check_tensor(const executorch_flatbuffer::Tensor* tensor);

#ifdef ET_NO_DEVICE_MEMORY
/// Programs that want a device's memory are refused: //runtime/executor:enable_device_memory.
constexpr bool kDeviceMemory = false;
#else
constexpr bool kDeviceMemory = true;
#endif

/// Where planned buffer `memory_id` (from 1) of a method lies, which lists those not on the CPU.
etensor::Device planned_buffer_device(const executorch_flatbuffer::ExecutionPlan& plan,
                                      size_t memory_id);

/// Where the memory of a tensor lies. What the tensor itself says of its device counts only if the
/// caller supplies the memory: without planned device memory, values just say where they are used.
etensor::Device memory_device(const executorch_flatbuffer::ExecutionPlan& plan,
                              const executorch_flatbuffer::Tensor& tensor);

/// Whether programs may use a kind of device with this number.
inline bool is_known_device(executorch_flatbuffer::DeviceType type) {
  constexpr int kKnown = kDeviceMemory ? etensor::kNumDeviceTypes : 1;
  return static_cast<int>(type) >= 0 && static_cast<int>(type) < kKnown;
}

/// Whether tensors can have this dtype. Programs number dtypes like `ScalarType` does.
bool is_serializable(executorch::aten::ScalarType type);

/// Alignment that reading elements of this size takes; complex numbers are aligned as a whole.
inline size_t data_alignment(size_t element_size) { return element_size < 16 ? element_size : 16; }

}  // namespace internal
}  // namespace runtime
}  // namespace executorch

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/portable_type/device.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/core/tag.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch_flatbuffer {
struct ExecutionPlan;
struct Tensor;
}  // namespace executorch_flatbuffer

namespace executorch {
namespace runtime {

namespace testing {
// Lets tests make a TensorInfo of their own.
class TensorInfoTestFriend;
}  // namespace testing

class Program;

/// Describes a tensor of a method. Valid as long as the program.
class TensorInfo final {
 public:
  TensorInfo() = delete;

  /// Sizes; for a tensor with a dynamic shape the upper bounds.
  Span<const int32_t> sizes() const { return sizes_; }

  /// Dimensions from outermost to innermost.
  Span<const uint8_t> dim_order() const { return dim_order_; }

  /// Dtype of the elements.
  executorch::aten::ScalarType scalar_type() const { return scalar_type_; }

  /// Whether the program provides the tensor's memory, in its plan or as a constant. If not, an
  /// input takes over the memory of the tensor that is set, and an output needs
  /// `Method::set_output_data_ptr`.
  bool is_memory_planned() const { return is_memory_planned_; }

  /// Bytes of a tensor with these sizes.
  size_t nbytes() const { return nbytes_; }

  /// Fully qualified name, such as that of a parameter; empty if it has none.
  std::string_view name() const { return name_; }

 private:
  friend class MethodMeta;
  friend class testing::TensorInfoTestFriend;

  TensorInfo(Span<const int32_t> sizes, Span<const uint8_t> dim_order,
             executorch::aten::ScalarType scalar_type, bool is_memory_planned,
             std::string_view name, size_t nbytes)
      : sizes_(sizes),
        dim_order_(dim_order),
        name_(name),
        nbytes_(nbytes),
        scalar_type_(scalar_type),
        is_memory_planned_(is_memory_planned) {}

  static Result<TensorInfo> create(const executorch_flatbuffer::Tensor* tensor);

  Span<const int32_t> sizes_;
  Span<const uint8_t> dim_order_;
  std::string_view name_;
  size_t nbytes_;
  executorch::aten::ScalarType scalar_type_;
  bool is_memory_planned_;
};

/// Describes a method, without loading it. Valid as long as the program.
class MethodMeta final {
 public:
  MethodMeta() = delete;

  /// Name of the method.
  const char* name() const;

  /// Number of inputs.
  size_t num_inputs() const;

  /// What kind of value an input is.
  ///
  /// @retval Error::InvalidArgument `index` is not below `num_inputs()`.
  Result<Tag> input_tag(size_t index) const;

  /// Describes an input that is a tensor.
  ///
  /// @retval Error::InvalidArgument `index` is not below `num_inputs()`, or the input is not a
  ///     tensor.
  Result<TensorInfo> input_tensor_meta(size_t index) const;

  /// Number of outputs.
  size_t num_outputs() const;

  /// What kind of value an output is. Errors as with `input_tag`.
  Result<Tag> output_tag(size_t index) const;

  /// Describes an output that is a tensor. Errors as with `input_tensor_meta`.
  Result<TensorInfo> output_tensor_meta(size_t index) const;

  /// Number of attributes: named tensors with state, such as buffers of the module.
  size_t num_attributes() const;

  /// Describes an attribute.
  ///
  /// @retval Error::InvalidArgument `index` is not below `num_attributes()`.
  Result<TensorInfo> attribute_tensor_meta(size_t index) const;

  /// Number of planned buffers that the caller has to provide through a `HierarchicalAllocator`.
  size_t num_memory_planned_buffers() const;

  /// Bytes of a planned buffer.
  ///
  /// @retval Error::InvalidArgument `index` is not below `num_memory_planned_buffers()`.
  /// @retval Error::InvalidProgram The size is negative.
  Result<int64_t> memory_planned_buffer_size(size_t index) const;

  /// Whether a planned buffer may be left out, or have 0 bytes: before each execution the method
  /// then takes from `MemoryManager::dynamic_allocator()` what the sizes of its inputs need.
  bool memory_planned_buffer_follows_sizes(size_t index) const;

  /// The device on which a planned buffer has to lie; CPU 0 unless the program says otherwise.
  ///
  /// @retval Error::InvalidArgument `index` is not below `num_memory_planned_buffers()`.
  Result<etensor::Device> memory_planned_buffer_device(size_t index) const;

  /// Whether the method needs the backend `backend_name`.
  bool uses_backend(const char* backend_name) const;

  /// Number of different backends that the method needs.
  size_t num_backends() const;

  /// Name of one of them.
  ///
  /// @retval Error::InvalidArgument `index` is not below `num_backends()`.
  Result<const char*> get_backend_name(size_t index) const;

  /// Number of instructions.
  size_t num_instructions() const;

  /// @deprecated Use `num_memory_planned_buffers()`.
  ET_DEPRECATED size_t num_non_const_buffers() const { return num_memory_planned_buffers(); }

  /// @deprecated Use `memory_planned_buffer_size()`.
  ET_DEPRECATED Result<int64_t> non_const_buffer_size(size_t index) const {
    return memory_planned_buffer_size(index);
  }

 private:
  friend class Program;
  friend class Method;

  explicit MethodMeta(const executorch_flatbuffer::ExecutionPlan* plan) : plan_(plan) {}

  const executorch_flatbuffer::ExecutionPlan* plan_;
};

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::MethodMeta;
using ::executorch::runtime::TensorInfo;
}  // namespace executor
}  // namespace torch

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <executorch/runtime/backend/backend_options_map.h>
#include <executorch/runtime/core/array_ref.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/executor/memory_manager.h>
#include <executorch/runtime/executor/method_meta.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace runtime {

class KernelRuntimeContext;

namespace internal {
class MethodLoader;
struct MethodState;
}  // namespace internal

/// A loaded method of a program: set inputs, execute, get outputs, and again.
///
/// Belongs to one thread at a time; methods of the same program are independent of each other. The
/// program, the memory manager with its memory, the event tracer and external data must outlive it.
/// Everything that could be decided when it was loaded is decided: executing only calls kernels and
/// delegates.
class Method final {
 public:
  /// `rhs` may only be destroyed afterwards.
  Method(Method&& rhs) noexcept;
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;
  Method& operator=(Method&&) = delete;

  /// Destroys the delegates and frees what the data loader gave.
  ~Method();

  /// Sets an input.
  ///
  /// A tensor must have the dtype that the program says, order its elements in memory as it says
  /// (its dim order), and have a shape that it allows: each dimension of a dynamic tensor is at
  /// most as large as the program says, and exactly so if the exporter marked it as fixed.
  ///
  /// If the input's memory is planned, the elements are copied there; a tensor without data only
  /// sets the shape, for callers who write the elements there themselves (see `get_inputs`).
  /// Otherwise the method works on the caller's memory, which must stay valid until the method has
  /// run.
  ///
  /// Other inputs were fixed when the program was exported: they must have that value.
  ///
  /// @retval Error::InvalidArgument No such input, or a value that does not fit; the log says what
  ///     was expected.
  /// @retval Error::NotSupported A shape that the input cannot take.
  /// @retval Error::InvalidState The method is in the middle of a step-wise execution.
  ET_NODISCARD Error set_input(const EValue& input_evalue, size_t input_idx);

  /// Sets all inputs, in order. Errors as with `set_input`, and `Error::InvalidArgument` if their
  /// number is wrong.
  ET_NODISCARD Error set_inputs(const executorch::aten::ArrayRef<EValue>& input_evalues);

  /// Lets an output tensor that has no planned memory write to `buffer`, which must stay valid
  /// until the output is no longer used.
  ///
  /// @param size Bytes in `buffer`; enough for the largest shape that the output can have.
  /// @retval Error::InvalidState The output's memory is planned, or it is a constant.
  /// @retval Error::InvalidArgument No such output, not a tensor, or `size` does not suffice.
  ET_NODISCARD Error set_output_data_ptr(void* buffer, size_t size, size_t output_idx);

  /// Copies all outputs to `output_evalues`; entries beyond them become None. Tensors share the
  /// method's memory: they change with the next execution.
  ///
  /// @retval Error::InvalidArgument `length` is less than the number of outputs.
  ET_NODISCARD Error get_outputs(EValue* output_evalues, size_t length);

  /// Copies all inputs to `input_evalues`; otherwise as `get_outputs`.
  ET_NODISCARD Error get_inputs(EValue* input_evalues, size_t length);

  /// The tensor with this fully qualified name, such as a buffer of the exported module.
  ///
  /// @retval Error::NotFound There is none.
  ET_NODISCARD Result<executorch::aten::Tensor> get_attribute(std::string_view name);

  /// Runs the method from its start to its end.
  ///
  /// @retval Error::InvalidState `step` has begun and not reached the end.
  /// @retval Error::InvalidArgument An input was never set.
  /// @retval Error::InvalidProgram The program does something that makes no sense, or takes more
  /// than
  ///     10,000,000 instructions.
  /// Errors of kernels and delegates come back as they are; the log names the instruction. After an
  /// error the method can be used again.
  ET_NODISCARD Error execute();

  /// Runs one instruction.
  ///
  /// @retval Error::EndOfMethod There was no instruction left; call `reset_execution`.
  /// Other errors as with `execute`; after them the method is at its first instruction again.
  ET_NODISCARD ET_EXPERIMENTAL Error step();

  /// The older name of `step`.
  ET_NODISCARD ET_DEPRECATED Error experimental_step() { return step(); }

  /// Goes back to the first instruction, once `step` has reached the end.
  ///
  /// @retval Error::InvalidState The end is not reached.
  ET_NODISCARD ET_EXPERIMENTAL Error reset_execution();

  /// The older name of `reset_execution`.
  ET_NODISCARD ET_DEPRECATED Error experimental_reset_execution() { return reset_execution(); }

  /// Whether `step` has begun with the instructions and has not reached the end.
  ET_EXPERIMENTAL bool in_progress() const;

  /// Describes the method.
  MethodMeta method_meta() const;

  size_t inputs_size() const;
  size_t outputs_size() const;
  /// Number of all values, inputs and outputs among them.
  size_t values_size() const;

  /// An output. Aborts if `i` is not below `outputs_size()`.
  const EValue& get_output(size_t i) const;

  /// An input. Aborts if `i` is not below `inputs_size()`.
  ET_DEPRECATED const EValue& get_input(size_t i) const;

  /// An input to change in place; counts as set. Aborts if `i` is not below `inputs_size()`.
  ET_DEPRECATED EValue& mutable_input(size_t i);

  /// An output to change in place. Aborts if `i` is not below `outputs_size()`.
  ET_DEPRECATED EValue& mutable_output(size_t i);

  /// A value. Aborts if `i` is not below `values_size()`.
  const EValue& get_value(size_t i) const;

  /// The event tracer given to `load_method`, may be null.
  EventTracer* get_event_tracer();

 private:
  friend class internal::MethodLoader;

  explicit Method(internal::MethodState* state) : state_(state) {}

  Error set_tensor_input(const executorch::aten::Tensor& source, size_t input_idx);
  Error check_inputs_are_set() const;
  Error run(KernelRuntimeContext& context);
  void log_outputs();

  // In the method allocator's memory; null if moved from.
  internal::MethodState* state_;
};

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::Method;
}  // namespace executor
}  // namespace torch

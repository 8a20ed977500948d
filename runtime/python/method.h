#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <executorch/extension/log_capture/log_capture.h>
#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/extension/memory_allocator/planned_memory.h>
#include <executorch/runtime/backend/backend_options_map.h>
#include <executorch/runtime/executor/memory_manager.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/method_meta.h>
#include <executorch/runtime/python/program.h>
#include <executorch/runtime/python/py_object.h>
#include <executorch/runtime/python/tensor_input.h>
#include <executorch/runtime/python/tensor_output.h>

namespace executorch {
namespace runtime {
namespace python {

using extension::LogCapture;

/// A loaded method with its memory. Calls from several threads wait for each other; the GIL is free
/// while the method runs.
class MethodState : public std::enable_shared_from_this<MethodState> {
 public:
  /// Loads a method. Needs the GIL, and releases it meanwhile. Throws Failure.
  ///
  /// @param backend_options For the method's backends; may be null.
  static std::shared_ptr<MethodState> load(std::shared_ptr<ProgramState> program,
                                           const std::string& name,
                                           const LoadBackendOptionsMap* backend_options = nullptr);

  MethodState(const MethodState&) = delete;
  MethodState& operator=(const MethodState&) = delete;

  /// Sets all inputs, runs, and returns the outputs as a list, as one step that no other thread can
  /// divide.
  ///
  /// @param clone_outputs Whether outputs own their data. If not, they show the method's memory,
  /// which
  ///     the next run overwrites; they keep it alive all the same.
  Object call(const Object& inputs, bool clone_outputs);

  /// The same in three steps, for callers that run several times with the same inputs.
  void set_inputs(const Object& inputs);
  void execute();
  Object get_outputs(bool clone_outputs);

  /// Runs with the inputs of a test case of the program's bundle and compares the outputs with the
  /// expected ones. Returns the outputs.
  Object verify_bundled(size_t testset_idx, double rtol, double atol);

  /// A named tensor with state; see MethodMeta::num_attributes().
  Object get_attribute(const std::string& name);

  const std::shared_ptr<ProgramState>& program() const { return program_; }
  const std::string& name() const { return name_; }

 private:
  /// What an input has to look like.
  struct InputSpec {
    Tag tag = Tag::None;
    std::optional<TensorInfo> tensor;
    std::string describe() const;
  };

  /// One input on its way to the runtime.
  struct InputValue {
    std::unique_ptr<TensorInput> tensor;
    EValue value;
    std::string given;  // What the caller passed, if it is no tensor.

    std::string describe() const;
  };
  using Inputs = std::vector<InputValue>;

  MethodState(std::shared_ptr<ProgramState> program, std::string name)
      : program_(std::move(program)), name_(std::move(name)) {}

  void load_method();
  void read_specs();
  std::string title() const { return "method '" + name_ + "' of " + program_->name(); }

  std::shared_ptr<Inputs> convert_inputs(const Object& inputs) const;
  InputValue convert_input(PyObject* object, size_t index) const;
  InputValue convert_tensor(PyObject* object, size_t index) const;
  [[noreturn]] void refuse_input(size_t index, const std::string& given, bool wrong_type) const;

  /// Held by whoever uses the method. Methods that are traced share their program's recording, so
  /// that one of them runs at a time.
  std::mutex& mutex() {
    return program_->tracer() == nullptr ? mutex_ : program_->tracer()->mutex();
  }

  // Below: without the GIL, with the mutex.
  void set_outputs_locked();
  void set_inputs_locked(const std::shared_ptr<Inputs>& inputs, LogCapture& log);
  void execute_locked(LogCapture& log);
  void verify_bundled_locked(size_t testset_idx, double rtol, double atol, LogCapture& log);
  std::vector<OutputValue> outputs_locked(bool clone_outputs);

  /// Whether data lies where the caller may write without harm to the program: an output can also
  /// be a constant of the program, which may be read-only memory, or an input of the caller's.
  bool is_own_memory(const void* data) const;

  std::shared_ptr<ProgramState> program_;
  std::string name_;
  std::vector<InputSpec> specs_;
  std::vector<size_t> unplanned_outputs_;  // Indices of outputs that need memory from us.
  extension::MallocMemoryAllocator method_allocator_;
  extension::MallocMemoryAllocator temp_allocator_;
  std::unique_ptr<extension::PlannedMemory> planned_memory_;
  std::optional<MemoryManager> memory_manager_;
  // What the method points to from outside: inputs that it reads in place, memory for its outputs.
  std::shared_ptr<Inputs> inputs_;
  std::vector<OutputMemory> output_memory_;
  bool reads_inputs_in_place_ = false;
  bool inputs_are_set_ = false;
  std::mutex mutex_;
  std::optional<Method> method_;  // Last: goes first.
};

}  // namespace python
}  // namespace runtime
}  // namespace executorch

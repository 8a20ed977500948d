/// @file
/// Turns a serialized method into a `Method`. Internal to the executor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <executorch/runtime/backend/backend_options_map.h>
#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/executor/call_plan.h>
#include <executorch/runtime/executor/memory_manager.h>
#include <executorch/runtime/executor/method_state.h>
#include <executorch/runtime/executor/tensor_spec.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/schema/program_generated.h>

namespace executorch {
namespace runtime {

class Method;
class Program;

namespace internal {

/// The arguments of `Program::load_method`, and the plan that they lead to.
struct MethodLoadRequest {
  const executorch_flatbuffer::ExecutionPlan* plan;
  const Program* program;
  MemoryManager* memory_manager;
  EventTracer* event_tracer;
  const NamedDataMap* named_data_map;
  const LoadBackendOptionsMap* backend_options;
  Span<const Kernel> kernels;
};

/// Loads one method. Works on a plan that `validate_plan` has accepted, so indices and types within
/// the plan are taken as they are.
class MethodLoader final {
 public:
  static Result<Method> load(const MethodLoadRequest& request);

 private:
  MethodLoader(const MethodLoadRequest& request, MethodState& state)
      : request_(request), plan_(*request.plan), state_(state), call_plan_(state.tensor_access) {}

  // What has to be counted before memory can be allocated.
  struct Counts {
    size_t tensors = 0;
    size_t dims = 0;
    size_t dynamic_dims = 0;
    size_t external_tensors = 0;
  };

  // method_loader.cc
  Error load_all();
  Error check_planned_devices() const;
  Error load_temp_allocator();
  Error load_named_data();
  Error load_delegates();
  Error load_delegate(const executorch_flatbuffer::BackendDelegate& serialized,
                      LoadedDelegate* delegate);
  Result<FreeableBuffer> load_delegate_data(
      const executorch_flatbuffer::BackendDelegate& serialized);
  Error plan_delegates();
  Error load_io();
  Error load_io_list(const flatbuffers::Vector<int32_t>* indices, Span<MethodIo>* list);

  // method_values.cc
  Counts count_values();
  Error load_values();
  Error load_value(const executorch_flatbuffer::EValue& serialized, EValue* value);
  Error load_string(const flatbuffers::String& serialized, EValue* value);
  template <typename Item, typename SerializedItem>
  Error load_inline_list(const flatbuffers::Vector<SerializedItem>& items, EValue* value);
  Error load_element_list(const executorch_flatbuffer::EValue& serialized, EValue* value);
  template <typename Element, typename Index>
  Error load_elements(const flatbuffers::Vector<Index>& items, const Element& empty, EValue* value);

  // method_tensors.cc
  Error allocate_tensors(const Counts& counts);
  Error load_tensor(const executorch_flatbuffer::Tensor& serialized, EValue* value);
  bool is_unbounded(const executorch_flatbuffer::Tensor& serialized, const TensorSpec& spec) const;
  executorch::aten::SizesType* load_sizes(const TensorSpec& spec, bool with_bounds);
  Error serve_dynamic_memory(executorch::aten::TensorImpl& tensor);
  Error load_arena(size_t num_tensors);
  Result<void*> load_tensor_data(const executorch_flatbuffer::Tensor& serialized,
                                 const TensorSpec& spec);
  Result<void*> get_planned_memory(const executorch_flatbuffer::AllocationDetails& place,
                                   const TensorSpec& spec) const;
  Result<void*> get_arena_memory(uint64_t offset, const TensorSpec& spec) const;
  Result<void*> get_external_constant(const char* key, const TensorSpec& spec);
  Error check_external_layout(const char* key, const TensorSpec& spec) const;

  // method_instructions.cc
  Error load_chains();
  Error load_chain(const executorch_flatbuffer::Chain& serialized, LoadedChain* chain);
  void load_instruction(const executorch_flatbuffer::Instruction& serialized,
                        EValue*** next_argument, LoadedInstruction* instruction);
  void load_arguments(const flatbuffers::Vector<int32_t>& indices, EValue*** next_argument,
                      LoadedInstruction* instruction);
  Error resolve_kernels();
  void expect_move(const EValue& from, const EValue& to);
  Error decide_calls(InstructionKind kind, InstructionKind checked);

  // Uninitialized memory for `count` objects; `what` goes into the log if there is not enough.
  template <typename T>
  Error allocate(size_t count, const char* what, T** memory) {
    *memory = nullptr;
    if (count == 0) {
      return Error::Ok;
    }
    *memory = request_.memory_manager->method_allocator()->allocateList<T>(count);
    return *memory != nullptr ? Error::Ok : fail_allocation(count, sizeof(T), what);
  }
  static Error fail_allocation(size_t count, size_t size, const char* what);

  EValue* value_at(int64_t index) const { return &state_.values[static_cast<size_t>(index)]; }

  const MethodLoadRequest& request_;
  const executorch_flatbuffer::ExecutionPlan& plan_;
  MethodState& state_;
  CallPlan call_plan_;

  // Memory that is handed out to tensors one after the other.
  size_t num_loaded_tensors_ = 0;
  size_t num_loaded_dims_ = 0;
  bool is_loading_input_ = false;
  executorch::aten::StridesType* next_strides_ = nullptr;
  executorch::aten::SizesType* next_sizes_ = nullptr;
  ExternalConstant* external_constants_ = nullptr;

  // Mark the dimensions of inputs that have one size only, and those that nothing bounds; refer to
  // the program.
  std::string_view static_dims_;
  std::string_view unbounded_dims_;
  // How the first planned buffer is laid out for other sizes.
  std::string_view arena_text_;
};

}  // namespace internal
}  // namespace runtime
}  // namespace executorch

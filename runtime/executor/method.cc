#include <cinttypes>
#include <cstdio>
#include <utility>

#include <executorch/runtime/core/event_tracer_hooks.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_shape_to_c_string.h>
#include <executorch/runtime/core/portable_type/dynamic_memory.h>
#include <executorch/runtime/executor/call_plan.h>
#include <executorch/runtime/executor/flatbuffer_util.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/method_state.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace runtime {

namespace fb = executorch_flatbuffer;
using internal::InstructionKind;
using internal::LoadedInstruction;
using internal::MethodState;

namespace {

// Ends programs that loop forever, which a few changed bytes can cause.
constexpr size_t kMaxInstructionsPerExecution = 10'000'000;

// Longest event name: "native_call_", an operator and its overload.
constexpr size_t kMaxEventName = 128;

const fb::KernelCall* serialized_kernel_call(const MethodState& state) {
  return state.plan->chains()
      ->Get(static_cast<uint32_t>(state.chain_index))
      ->instructions()
      ->Get(static_cast<uint32_t>(state.instruction_index))
      ->instr_args_as_KernelCall();
}

const fb::Operator* current_operator(const MethodState& state) {
  return state.plan->operators()->Get(
      static_cast<uint32_t>(serialized_kernel_call(state)->op_index()));
}

// The name under which profiling tools look for a kernel, by the way that it was registered, as
// released runtimes write it: "native_call_" and the operator without its namespace, of generated
// libraries; the operator's whole name, of EXECUTORCH_LIBRARY, by which released ones have "llama".
// False for what is registered as it is: prim ops have none, sources of the documented generators
// and of users report their own.
bool write_event_name(const fb::Operator& op, char (&name)[kMaxEventName]) {
  const std::string_view full = internal::view_of(op.name());
  const std::string_view overload = internal::view_of(op.overload());
  const internal::OperatorKernels found(full.data(), full.size(), overload.data(), overload.size());
  const size_t colons = full.rfind("::");
  const std::string_view space = full.substr(0, colons == std::string_view::npos ? 0 : colons);
  // Specialized kernels alone are those of a generated library.
  const Kernel* kernel = found.fallback();
  if (space == "executorch_prim" || (kernel != nullptr && !kernel->written_.is_known())) {
    return false;
  }
  const bool is_whole =
      space == "llama" || (kernel != nullptr && kernel->written_.has_whole_event_name());
  const size_t skipped = is_whole || colons == std::string_view::npos ? 0 : colons + 2;
  std::snprintf(name, sizeof(name), "%s%s%s%s", is_whole ? "" : "native_call_",
                full.data() + skipped, overload.empty() ? "" : ".",
                overload.empty() ? "" : overload.data());
  return true;
}

void log_argument(size_t index, const EValue& value) {
  switch (value.tag) {
    case Tag::Tensor: {
      const auto& tensor = value.payload.as_tensor;
      ET_LOG(Error, "  argument %zu: tensor %s%s", index, toString(tensor.scalar_type()),
             tensor_shape_to_c_string({tensor.sizes().data(), tensor.sizes().size()}).data());
      return;
    }
    case Tag::Int:
      ET_LOG(Error, "  argument %zu: %" PRId64, index, value.toInt());
      return;
    case Tag::Double:
      ET_LOG(Error, "  argument %zu: %g", index, value.toDouble());
      return;
    case Tag::Bool:
      ET_LOG(Error, "  argument %zu: %s", index, value.toBool() ? "true" : "false");
      return;
    default:
      ET_LOG(Error, "  argument %zu: %s", index, tag_name(value.tag));
  }
}

// What has to be there before the first instruction runs, once the inputs are set.
Error prepare_memory(MethodState& state) {
  return internal::kUnboundedSizes && state.arena != nullptr
             ? state.arena->prepare(state.inputs, state.tensors)
             : Error::Ok;
}

ET_NOINLINE void log_kernel_failure(const MethodState& state, const LoadedInstruction& instruction,
                                    Error error) {
  const fb::Operator* op = current_operator(state);
  const bool has_overload = !internal::view_of(op->overload()).empty();
  ET_LOG(Error, "Kernel %s%s%s failed with %#x (%s), instruction %zu of method %s",
         op->name()->c_str(), has_overload ? "." : "", has_overload ? op->overload()->c_str() : "",
         static_cast<unsigned>(error), to_string(error), state.instruction_index,
         state.plan->name()->c_str());
  for (uint32_t i = 0; i < instruction.num_arguments; ++i) {
    log_argument(i, *instruction.arguments[i]);
  }
}

Error call_kernel(const MethodState& state, const LoadedInstruction& instruction,
                  KernelRuntimeContext& context) {
  instruction.kernel(context, {instruction.arguments, instruction.num_arguments});
  state.temp_allocator->reset();
  const Error error = context.failure_state();
  if (ET_UNLIKELY(error != Error::Ok)) {
    log_kernel_failure(state, instruction, error);
  }
  return error;
}

// The same with events around it. Kept apart so that nobody pays for what nobody listens to.
ET_NOINLINE Error call_kernel_traced(const MethodState& state, const LoadedInstruction& instruction,
                                     KernelRuntimeContext& context) {
  internal::EventTracerProfileInstructionScope instruction_scope(
      state.event_tracer, static_cast<ChainID>(state.chain_index),
      static_cast<DebugHandle>(state.instruction_index));
  internal::EventTracerProfileOpScope call_scope(state.event_tracer, "OPERATOR_CALL");
  char name[kMaxEventName];
  Error error = Error::Ok;
  {
    const bool is_named = write_event_name(*current_operator(state), name);
    internal::EventTracerProfileOpScope kernel_scope(is_named ? state.event_tracer : nullptr, name);
    error = call_kernel(state, instruction, context);
  }
  if (error == Error::Ok && instruction.num_arguments > 0) {
    internal::event_tracer_log_evalue(state.event_tracer,
                                      *instruction.arguments[instruction.num_arguments - 1]);
  }
  return error;
}

Error call_delegate(const MethodState& state, const LoadedInstruction& instruction) {
  internal::EventTracerProfileInstructionScope instruction_scope(
      state.event_tracer, static_cast<ChainID>(state.chain_index),
      static_cast<DebugHandle>(state.instruction_index));
  internal::EventTracerProfileOpScope call_scope(state.event_tracer, "DELEGATE_CALL");
  const Span<EValue*> arguments(instruction.arguments, instruction.num_arguments);
  for (size_t i = 0; i < arguments.size(); ++i) {
    ET_CHECK_OR_RETURN_ERROR(
        !arguments[i]->isTensor() || arguments[i]->payload.as_tensor.const_data_ptr() != nullptr ||
            arguments[i]->payload.as_tensor.numel() == 0,
        InvalidState,
        "Argument %zu of a delegate is a tensor without memory. If it is an output of the method, "
        "call set_output_data_ptr() first",
        i);
  }
  const auto may_write = [&state](const executorch::aten::Tensor& tensor) {
    return state.tensor_access.may_write(tensor.unsafeGetTensorImpl());
  };
  BackendExecutionContext context(state.event_tracer, state.temp_allocator,
                                  state.plan->name()->c_str(), may_write);
  const Error error =
      instruction.delegate->backend->execute(context, instruction.delegate->handle, arguments);
  state.temp_allocator->reset();
  ET_CHECK_OK_OR_RETURN_ERROR(error,
                              "A delegate failed with %#x (%s), instruction %zu of method %s",
                              static_cast<unsigned>(error), to_string(error),
                              state.instruction_index, state.plan->name()->c_str());
  for (const EValue* argument : arguments) {
    internal::event_tracer_log_evalue(state.event_tracer, *argument);
  }
  return Error::Ok;
}

// Of a call whose arguments had not all their memory when the method was loaded.
ET_NOINLINE Error check_arguments(const MethodState& state, const LoadedInstruction& call) {
  ET_CHECK_OK_OR_RETURN_ERROR(
      internal::check_call(state.tensor_access, {call.arguments, call.num_arguments},
                           internal::written_places(call)),
      "Instruction %zu of method %s cannot be called with this memory", state.instruction_index,
      state.plan->name()->c_str());
  return Error::Ok;
}

// A bool, or a tensor of bools that is true if none of its elements is false.
Result<bool> is_true(const EValue& condition) {
  if (condition.isBool()) {
    return condition.toBool();
  }
  ET_CHECK_OR_RETURN_ERROR(condition.isTensor(), InvalidProgram,
                           "The condition of a jump is a %s, expected Bool or Tensor",
                           tag_name(condition.tag));
  const auto& tensor = condition.payload.as_tensor;
  ET_CHECK_OR_RETURN_ERROR(tensor.scalar_type() == executorch::aten::ScalarType::Bool,
                           InvalidProgram, "The condition of a jump is a tensor of %s, not of bool",
                           toString(tensor.scalar_type()));
  // Read as bytes: planned memory may hold anything, and not every byte is a bool.
  const auto* elements = static_cast<const uint8_t*>(tensor.const_data_ptr());
  ET_CHECK_OR_RETURN_ERROR(elements != nullptr || tensor.numel() == 0, InvalidState,
                           "The condition of a jump is a tensor without memory");
  for (ssize_t i = 0; i < tensor.numel(); ++i) {
    if (elements[i] == 0) {
      return false;
    }
  }
  return true;
}

// Runs one instruction of the state's chain. `next` is the one after it, and changes with a jump.
inline Error run_instruction(const MethodState& state, const LoadedInstruction& instruction,
                             KernelRuntimeContext& context, size_t& next) {
  switch (instruction.kind) {
    case InstructionKind::kCheckedKernel:
      ET_CHECK_OK_OR_RETURN_ERROR(check_arguments(state, instruction));
      ET_FALLTHROUGH;
    case InstructionKind::kKernel:
      return internal::kEventTracerEnabled && state.event_tracer != nullptr
                 ? call_kernel_traced(state, instruction, context)
                 : call_kernel(state, instruction, context);
    case InstructionKind::kCheckedDelegate:
      ET_CHECK_OK_OR_RETURN_ERROR(check_arguments(state, instruction));
      ET_FALLTHROUGH;
    case InstructionKind::kDelegate:
      return call_delegate(state, instruction);
    case InstructionKind::kMove:
      *instruction.destination = *instruction.source;
      break;
    case InstructionKind::kJumpIfFalse: {
      const Result<bool> condition = is_true(*instruction.source);
      if (!condition.ok()) {
        return condition.error();
      }
      if (!*condition) {
        next = instruction.target;
      }
      break;
    }
    case InstructionKind::kFree:
      // Dynamic memory stays for the next time, and is where the tensor looks for it then.
      if (internal::DynamicMemory::of(*instruction.freed) == nullptr) {
        instruction.freed->set_data(nullptr);
      }
      break;
  }
  return Error::Ok;
}

// Runs the state's chain from where it stands, `instructions_left` instructions at most.
Error run_chain(MethodState& state, KernelRuntimeContext& context, size_t& instructions_left) {
  const internal::LoadedChain chain = state.chains[state.chain_index];
  // The state's index is for who asks meanwhile; the loop does not wait for it to come from memory.
  size_t next = state.instruction_index;
  while (next < chain.num_instructions && instructions_left > 0) {
    --instructions_left;
    state.instruction_index = next;
    const LoadedInstruction& instruction = chain.instructions[next++];
    const Error error = run_instruction(state, instruction, context, next);
    if (ET_UNLIKELY(error != Error::Ok)) {
      return error;
    }
  }
  state.instruction_index = next;
  return Error::Ok;
}

}  // namespace

namespace internal {

MethodState::~MethodState() {
  for (LoadedDelegate& delegate : delegates) {
    delegate.backend->destroy(delegate.handle);
    delegate.data.Free();
  }
  for (ExternalConstant& constant : external_constants) {
    constant.data.Free();
  }
  if (merged_data != nullptr) {
    merged_data->~MergedDataMap();
  }
  if (own_temp_allocator != nullptr) {
    own_temp_allocator->~PlatformMemoryAllocator();
  }
}

}  // namespace internal

Method::Method(Method&& rhs) noexcept : state_(std::exchange(rhs.state_, nullptr)) {}

Method::~Method() {
  if (state_ != nullptr) {
    state_->~MethodState();
  }
}

Error Method::run(KernelRuntimeContext& context) {
  MethodState& state = *state_;
  size_t instructions_left = kMaxInstructionsPerExecution;
  for (state.chain_index = 0; state.chain_index < state.chains.size(); ++state.chain_index) {
    state.instruction_index = 0;
    ET_CHECK_OK_OR_RETURN_ERROR(run_chain(state, context, instructions_left));
    ET_CHECK_OR_RETURN_ERROR(
        state.instruction_index >= state.chains[state.chain_index].num_instructions, InvalidProgram,
        "Method %s takes more than %zu instructions, it may never end", state.plan->name()->c_str(),
        kMaxInstructionsPerExecution);
  }
  return Error::Ok;
}

Error Method::execute() {
  ET_CHECK_OR_RETURN_ERROR(state_ != nullptr, InvalidState, "The method was moved from");
  ET_CHECK_OR_RETURN_ERROR(!in_progress(), InvalidState,
                           "step() is at instruction %zu of method %s: go on with it to the end",
                           state_->instruction_index, state_->plan->name()->c_str());
  internal::event_tracer_create_event_block(state_->event_tracer, "Execute");
  internal::EventTracerProfileMethodScope scope(state_->event_tracer, "Method::execute");
  ET_CHECK_OK_OR_RETURN_ERROR(check_inputs_are_set());
  ET_CHECK_OK_OR_RETURN_ERROR(prepare_memory(*state_));
  KernelRuntimeContext context(state_->event_tracer, state_->temp_allocator,
                               &state_->tensor_access);
  const Error error = run(context);
  // Whether or not it worked, the next execution starts at the start.
  state_->chain_index = 0;
  state_->instruction_index = 0;
  if (error == Error::Ok) {
    log_outputs();
  }
  return error;
}

bool Method::in_progress() const {
  if (state_ == nullptr) {
    return false;
  }
  const MethodState& state = *state_;
  return (state.chain_index != 0 || state.instruction_index != 0) &&
         state.chain_index < state.chains.size();
}

Error Method::step() {
  ET_CHECK_OR_RETURN_ERROR(state_ != nullptr, InvalidState, "The method was moved from");
  MethodState& state = *state_;
  if (state.chain_index == state.chains.size()) {
    return Error::EndOfMethod;
  }
  if (state.chain_index == 0 && state.instruction_index == 0) {
    ET_CHECK_OK_OR_RETURN_ERROR(check_inputs_are_set());
    ET_CHECK_OK_OR_RETURN_ERROR(prepare_memory(state));
  }
  KernelRuntimeContext context(state.event_tracer, state.temp_allocator, &state.tensor_access);
  // A chain may be empty, for instance if the method returns its input.
  size_t instructions_left = 1;
  const Error error = run_chain(state, context, instructions_left);
  if (ET_UNLIKELY(error != Error::Ok)) {
    // As after execute(): the next execution starts at the start.
    state.chain_index = 0;
    state.instruction_index = 0;
    return error;
  }
  if (state.instruction_index >= state.chains[state.chain_index].num_instructions) {
    state.instruction_index = 0;
    ++state.chain_index;
    if (state.chain_index == state.chains.size()) {
      log_outputs();
    }
  }
  return Error::Ok;
}

Error Method::reset_execution() {
  ET_CHECK_OR_RETURN_ERROR(state_ != nullptr, InvalidState, "The method was moved from");
  ET_CHECK_OR_RETURN_ERROR(state_->chain_index == state_->chains.size(), InvalidState,
                           "Method %s is at instruction %zu, step() has not reached the end",
                           state_->plan->name()->c_str(), state_->instruction_index);
  state_->chain_index = 0;
  state_->instruction_index = 0;
  return Error::Ok;
}

void Method::log_outputs() {
  for (const internal::MethodIo& output : state_->outputs) {
    internal::event_tracer_log_evalue_output(state_->event_tracer, *output.slot);
  }
}

}  // namespace runtime
}  // namespace executorch

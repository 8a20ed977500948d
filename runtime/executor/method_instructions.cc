#include <cstring>
#include <limits>
#include <new>
#include <string_view>

#include <executorch/runtime/executor/flatbuffer_util.h>
#include <executorch/runtime/executor/method_loader.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace runtime {
namespace internal {

namespace fb = executorch_flatbuffer;

using executorch::aten::DimOrderType;

namespace {

// The argument list of a call, null for other instructions.
const flatbuffers::Vector<int32_t>* arguments_of(const fb::Instruction& instruction) {
  if (const auto* call = instruction.instr_args_as_KernelCall()) {
    return call->args();
  }
  if (const auto* call = instruction.instr_args_as_DelegateCall()) {
    return call->args();
  }
  return nullptr;
}

// Finds kernels by operator, and remembers the last few operators, since a program calls the same
// ones over and over. Also remembers what was missing, so that each is reported once.
class KernelResolver {
 public:
  // `given` go before the registered kernels.
  KernelResolver(const flatbuffers::Vector<flatbuffers::Offset<fb::Operator>>* operators,
                 Span<const Kernel> given)
      : operators_(*operators), given_(given) {}

  // The kernel for a call, null if there is none.
  const Kernel* resolve(uint32_t op_index, Span<EValue*> arguments) {
    if (const Kernel* given = find_given(op_index, arguments)) {
      return given;
    }
    CacheEntry& entry = cache_[op_index % kCacheSize];
    if (!entry.used || entry.op_index != op_index) {
      const std::string_view name = view_of(operators_.Get(op_index)->name());
      const std::string_view overload = view_of(operators_.Get(op_index)->overload());
      entry = {true, op_index,
               OperatorKernels(name.data(), name.size(), overload.data(), overload.size())};
    }
    if (!entry.kernels.has_specialized()) {
      return report_if_null(op_index, entry.kernels.fallback(), entry.kernels, "");
    }
    char key[KernelKey::MAX_SIZE];
    if (!make_key(arguments, key)) {
      // More tensors than a key has room for: nothing can be specialized on them.
      return report_if_null(op_index, entry.kernels.fallback(), entry.kernels, "");
    }
    return report_if_null(op_index, entry.kernels.find(key), entry.kernels, key);
  }

  size_t num_missing() const { return num_missing_; }

 private:
  static constexpr size_t kCacheSize = 16;
  static constexpr size_t kMaxTensors = 16;

  struct CacheEntry {
    bool used = false;
    uint32_t op_index = 0;
    OperatorKernels kernels;
  };

  // Of the given kernels the one specialized on the arguments, otherwise the one for all.
  const Kernel* find_given(uint32_t op_index, Span<EValue*> arguments) const {
    const std::string_view name = view_of(operators_.Get(op_index)->name());
    const std::string_view overload = view_of(operators_.Get(op_index)->overload());
    char key[KernelKey::MAX_SIZE];
    const bool has_key = !given_.empty() && make_key(arguments, key);
    const Kernel* fallback = nullptr;
    for (const Kernel& kernel : given_) {
      if (kernel.name_ == nullptr || !is_named(kernel.name_, name, overload)) {
        continue;
      }
      if (kernel.kernel_key_.is_fallback()) {
        fallback = &kernel;
      } else if (has_key && std::strcmp(kernel.kernel_key_.data(), key) == 0) {
        return &kernel;
      }
    }
    return fallback;
  }

  static bool is_named(std::string_view full, std::string_view name, std::string_view overload) {
    if (overload.empty()) {
      return full == name;
    }
    // Not substr(), which can throw: firmware has nothing for that.
    return full.size() == name.size() + 1 + overload.size() &&
           std::string_view(full.data(), name.size()) == name && full[name.size()] == '.' &&
           std::string_view(full.data() + name.size() + 1, full.size() - name.size() - 1) ==
               overload;
  }

  static bool make_key(Span<EValue*> arguments, char (&key)[KernelKey::MAX_SIZE]) {
    TensorMeta metas[kMaxTensors];
    size_t count = 0;
    for (const EValue* argument : arguments) {
      if (!argument->isTensor()) {
        continue;
      }
      if (count == kMaxTensors) {
        return false;
      }
      const auto& tensor = argument->payload.as_tensor;
      const auto dim_order = tensor.dim_order();
      metas[count++] = TensorMeta(tensor.scalar_type(),
                                  {const_cast<DimOrderType*>(dim_order.data()), dim_order.size()});
    }
    return make_kernel_key_string({metas, count}, key, sizeof(key)) == Error::Ok;
  }

  const Kernel* report_if_null(uint32_t op_index, const Kernel* kernel,
                               const OperatorKernels& kernels, const char* key) {
    if (kernel != nullptr) {
      return kernel;
    }
    ++num_missing_;
    // Exact for the first operators; more than these in one program may be reported once together.
    const uint32_t bit = op_index % (8 * sizeof(reported_));
    if ((reported_[bit / 8] >> (bit % 8) & 1u) != 0) {
      return nullptr;
    }
    reported_[bit / 8] = static_cast<uint8_t>(reported_[bit / 8] | 1u << (bit % 8));
    const fb::Operator* op = operators_.Get(op_index);
    const bool has_overload = !view_of(op->overload()).empty();
    ET_LOG(Error, "Missing operator: [%u] %s%s%s%s%s", static_cast<unsigned>(op_index),
           op->name()->c_str(), has_overload ? "." : "",
           has_overload ? op->overload()->c_str() : "", kernels.empty() ? "" : " for tensors ",
           kernels.empty() ? "" : key);
    kernels.log_registered();
    return nullptr;
  }

  const flatbuffers::Vector<flatbuffers::Offset<fb::Operator>>& operators_;
  Span<const Kernel> given_;
  CacheEntry cache_[kCacheSize];
  uint8_t reported_[32] = {};
  size_t num_missing_ = 0;
};

}  // namespace

Error MethodLoader::load_chains() {
  const uint32_t count = plan_.chains()->size();
  LoadedChain* chains = nullptr;
  ET_CHECK_OK_OR_RETURN_ERROR(allocate(count, "chains", &chains));
  for (uint32_t i = 0; i < count; ++i) {
    new (&chains[i]) LoadedChain{nullptr, 0};
    ET_CHECK_OK_OR_RETURN_ERROR(load_chain(*plan_.chains()->Get(i), &chains[i]));
  }
  state_.chains = {chains, count};
  ET_CHECK_OK_OR_RETURN_ERROR(resolve_kernels());
  return decide_calls(InstructionKind::kKernel, InstructionKind::kCheckedKernel);
}

// Whether a value of one kind may become one of the other without any tensor changing its place.
void MethodLoader::expect_move(const EValue& from, const EValue& to) {
  const bool is_number = (from.isScalar() || from.isString()) && from.tag == to.tag;
  if (!is_number && &from != &to) {
    call_plan_.expect_replacement(to);
  }
}

// Looks at what the calls write, as far as it is known now; see call_plan.h.
Error MethodLoader::decide_calls(InstructionKind kind, InstructionKind checked) {
  for (size_t c = 0; c < state_.chains.size(); ++c) {
    const LoadedChain& chain = state_.chains[c];
    for (size_t i = 0; i < chain.num_instructions; ++i) {
      LoadedInstruction& call = chain.instructions[i];
      if (call.kind != kind) {
        continue;
      }
      const Span<EValue* const> arguments(call.arguments, call.num_arguments);
      const Result<bool> is_open = call_plan_.decide(arguments, written_places(call));
      if (!is_open.ok()) {
        ET_LOG(Error, "Instruction %zu of chain %zu of method %s cannot be called", i, c,
               plan_.name()->c_str());
        return is_open.error();
      }
      call.kind = *is_open ? checked : kind;
    }
  }
  return Error::Ok;
}

Error MethodLoader::load_chain(const fb::Chain& serialized, LoadedChain* chain) {
  const uint32_t count = serialized.instructions()->size();
  uint64_t num_arguments = 0;
  for (uint32_t i = 0; i < count; ++i) {
    num_arguments += size_of(arguments_of(*serialized.instructions()->Get(i)));
  }
  ET_CHECK_OR_RETURN_ERROR(num_arguments <= std::numeric_limits<size_t>::max() / sizeof(EValue*),
                           MemoryAllocationFailed,
                           "A chain has too many arguments for this device");
  LoadedInstruction* instructions = nullptr;
  EValue** arguments = nullptr;
  ET_CHECK_OK_OR_RETURN_ERROR(allocate(count, "instructions", &instructions));
  ET_CHECK_OK_OR_RETURN_ERROR(
      allocate(static_cast<size_t>(num_arguments), "arguments", &arguments));
  for (uint32_t i = 0; i < count; ++i) {
    load_instruction(*serialized.instructions()->Get(i), &arguments,
                     new (&instructions[i]) LoadedInstruction{});
  }
  *chain = {instructions, count};
  return Error::Ok;
}

void MethodLoader::load_instruction(const fb::Instruction& serialized, EValue*** next_argument,
                                    LoadedInstruction* instruction) {
  switch (serialized.instr_args_type()) {
    case fb::InstructionArguments::KernelCall:
      instruction->kind = InstructionKind::kKernel;
      instruction->kernel = nullptr;  // See resolve_kernels.
      load_arguments(*serialized.instr_args_as_KernelCall()->args(), next_argument, instruction);
      return;
    case fb::InstructionArguments::DelegateCall: {
      const auto* call = serialized.instr_args_as_DelegateCall();
      instruction->kind = InstructionKind::kDelegate;
      instruction->delegate = state_.delegates.data() + call->delegate_index();
      load_arguments(*call->args(), next_argument, instruction);
      return;
    }
    case fb::InstructionArguments::MoveCall: {
      const auto* call = serialized.instr_args_as_MoveCall();
      instruction->kind = InstructionKind::kMove;
      instruction->source = value_at(call->move_from());
      instruction->destination = value_at(call->move_to());
      expect_move(*instruction->source, *instruction->destination);
      return;
    }
    case fb::InstructionArguments::JumpFalseCall: {
      const auto* call = serialized.instr_args_as_JumpFalseCall();
      instruction->kind = InstructionKind::kJumpIfFalse;
      instruction->source = value_at(call->cond_value_index());
      instruction->target = static_cast<size_t>(call->destination_instruction());
      return;
    }
    default: {
      // The tensor itself, not the value's place: a MoveCall may put another tensor there.
      const auto* call = serialized.instr_args_as_FreeCall();
      instruction->kind = InstructionKind::kFree;
      instruction->freed = value_at(call->value_index())->payload.as_tensor.unsafeGetTensorImpl();
      return;
    }
  }
}

void MethodLoader::load_arguments(const flatbuffers::Vector<int32_t>& indices,
                                  EValue*** next_argument, LoadedInstruction* instruction) {
  instruction->arguments = *next_argument;
  instruction->num_arguments = indices.size();
  for (uint32_t i = 0; i < indices.size(); ++i) {
    (*next_argument)[i] = value_at(indices.Get(i));
  }
  *next_argument += indices.size();
}

// Goes on after a missing kernel, so that the log names all of them.
Error MethodLoader::resolve_kernels() {
  if (size_of(plan_.operators()) == 0) {
    return Error::Ok;  // Then there is no kernel call either.
  }
  KernelResolver resolver(plan_.operators(), request_.kernels);
  for (uint32_t c = 0; c < plan_.chains()->size(); ++c) {
    const auto& serialized = *plan_.chains()->Get(c)->instructions();
    for (uint32_t i = 0; i < serialized.size(); ++i) {
      const auto* call = serialized.Get(i)->instr_args_as_KernelCall();
      if (call != nullptr) {
        LoadedInstruction& instruction = state_.chains[c].instructions[i];
        const Span<EValue*> arguments(instruction.arguments, instruction.num_arguments);
        const Kernel* kernel = resolver.resolve(static_cast<uint32_t>(call->op_index()), arguments);
        if (kernel != nullptr) {
          instruction.kernel = kernel->op_;
          instruction.written = written_by_kernel(kernel->written_, arguments);
          if (kernel->written_.has_new_result() && !arguments.empty()) {
            call_plan_.expect_replacement(*arguments[arguments.size() - 1]);
          }
        }
      }
    }
  }
  ET_CHECK_OR_RETURN_ERROR(resolver.num_missing() == 0, OperatorMissing,
                           "Method %s has %zu calls of operators without a kernel; link the kernel "
                           "library that has them",
                           plan_.name()->c_str(), resolver.num_missing());
  return Error::Ok;
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch

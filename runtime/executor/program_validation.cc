#include <cinttypes>
#include <string_view>

#include <executorch/runtime/executor/flatbuffer_util.h>
#include <executorch/runtime/executor/program_validation.h>
#include <executorch/runtime/executor/tensor_spec.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace runtime {
namespace internal {
namespace {

namespace fb = executorch_flatbuffer;

using Indices = flatbuffers::Vector<int32_t>;

bool is_index(int64_t index, size_t size) {
  return index >= 0 && static_cast<uint64_t>(index) < size;
}

// Checks the methods of one program; `plan_` is the one that is being looked at.
class PlanValidator {
 public:
  PlanValidator(const fb::Program* program, const fb::ExecutionPlan* plan)
      : program_(program), plan_(plan), num_values_(size_of(plan->values())) {}

  Error validate() {
    ET_CHECK_OR_RETURN_ERROR(is_name(plan_->name()), InvalidProgram, "A method has no valid name");
    ET_CHECK_OK_OR_RETURN_ERROR(check_buffers());
    for (uint32_t i = 0; i < num_values_; ++i) {
      ET_CHECK_OK_OR_RETURN_ERROR(check_value(plan_->values()->Get(i)),
                                  "Value %u of method %s is not valid", static_cast<unsigned>(i),
                                  plan_->name()->c_str());
    }
    ET_CHECK_OK_OR_RETURN_ERROR(check_io());
    ET_CHECK_OK_OR_RETURN_ERROR(check_operators());
    ET_CHECK_OK_OR_RETURN_ERROR(check_delegates());
    return check_chains();
  }

 private:
  // Planned buffers: sizes and devices.
  Error check_buffers() const {
    const auto* sizes = plan_->non_const_buffer_sizes();
    ET_CHECK_OR_RETURN_ERROR(is_aligned(sizes), InvalidProgram, "Buffer sizes are not aligned");
    for (uint32_t i = 0; i < size_of(sizes); ++i) {
      ET_CHECK_OR_RETURN_ERROR(sizes->Get(i) >= 0, InvalidProgram,
                               "Planned buffer %u has size %" PRId64, static_cast<unsigned>(i),
                               sizes->Get(i));
    }
    const auto* devices = plan_->non_const_buffer_device();
    for (uint32_t i = 0; i < size_of(devices); ++i) {
      ET_CHECK_OR_RETURN_ERROR(is_known_device(devices->Get(i)->device_type()), NotSupported,
                               "Planned buffer %d is on device type %d, which is not known",
                               static_cast<int>(devices->Get(i)->buffer_idx()),
                               static_cast<int>(devices->Get(i)->device_type()));
    }
    return Error::Ok;
  }

  Error check_value(const fb::EValue* value) const {
    const auto type = value->val_type();
    ET_CHECK_OR_RETURN_ERROR(type == fb::KernelTypes::Null || value->val() != nullptr,
                             InvalidProgram, "A value of type %d is missing",
                             static_cast<int>(type));
    switch (type) {
      case fb::KernelTypes::Null:
      case fb::KernelTypes::Int:
      case fb::KernelTypes::Bool:
      case fb::KernelTypes::Double:
        return Error::Ok;
      case fb::KernelTypes::String:
        return require(value->val_as_String()->string_val() != nullptr, "A string is missing");
      case fb::KernelTypes::Tensor:
        return check_tensor_value(value->val_as_Tensor());
      case fb::KernelTypes::IntList: {
        const auto* items = value->val_as_IntList()->items();
        ET_CHECK_OK_OR_RETURN_ERROR(check_list(items));
        return check_elements(items, fb::KernelTypes::Int, false);
      }
      case fb::KernelTypes::DoubleList:
        return check_list(value->val_as_DoubleList()->items());
      case fb::KernelTypes::BoolList:
        return check_bools(value->val_as_BoolList()->items());
      case fb::KernelTypes::TensorList: {
        const auto* items = value->val_as_TensorList()->items();
        ET_CHECK_OK_OR_RETURN_ERROR(check_list(items));
        return check_elements(items, fb::KernelTypes::Tensor, false);
      }
      case fb::KernelTypes::OptionalTensorList: {
        const auto* items = value->val_as_OptionalTensorList()->items();
        ET_CHECK_OK_OR_RETURN_ERROR(check_list(items));
        return check_elements(items, fb::KernelTypes::Tensor, true);
      }
      default:
        ET_LOG(Error, "There is no value type %d", static_cast<int>(type));
        return Error::InvalidProgram;
    }
  }

  static Error require(bool condition, const char* what_is_wrong) {
    ET_CHECK_OR_RETURN_ERROR(condition, InvalidProgram, "%s", what_is_wrong);
    return Error::Ok;
  }

  template <typename T>
  static Error check_list(const flatbuffers::Vector<T>* items) {
    ET_CHECK_OR_RETURN_ERROR(items != nullptr, InvalidProgram, "A list has no items");
    return require(is_aligned(items), "The items of a list are not aligned");
  }

  static Error check_bools(const flatbuffers::Vector<uint8_t>* items) {
    ET_CHECK_OK_OR_RETURN_ERROR(check_list(items));
    for (uint32_t i = 0; i < items->size(); ++i) {
      // They are going to be read as bool, where any other bit pattern is undefined behaviour.
      ET_CHECK_OR_RETURN_ERROR(items->Get(i) <= 1, InvalidProgram, "A list of bools holds %u",
                               static_cast<unsigned>(items->Get(i)));
    }
    return Error::Ok;
  }

  // Lists whose items are indices of other values.
  template <typename T>
  Error check_elements(const flatbuffers::Vector<T>* items, fb::KernelTypes type,
                       bool optional) const {
    for (uint32_t i = 0; i < items->size(); ++i) {
      const auto index = static_cast<int64_t>(items->Get(i));
      if (optional && index == -1) {
        continue;
      }
      ET_CHECK_OR_RETURN_ERROR(is_index(index, num_values_), InvalidProgram,
                               "A list refers to value %" PRId64 " of %zu", index, num_values_);
      const auto actual = plan_->values()->Get(static_cast<uint32_t>(index))->val_type();
      ET_CHECK_OR_RETURN_ERROR(actual == type || (optional && actual == fb::KernelTypes::Null),
                               InvalidProgram,
                               "A list refers to value %" PRId64 " of type %d, expected type %d",
                               index, static_cast<int>(actual), static_cast<int>(type));
    }
    return Error::Ok;
  }

  Error check_tensor_value(const fb::Tensor* tensor) const {
    Result<TensorSpec> spec = check_tensor(tensor);
    if (!spec.ok()) {
      return spec.error();
    }
    const auto* extra = tensor->extra_tensor_info();
    const bool external = extra != nullptr && extra->location() == fb::TensorDataLocation::EXTERNAL;
    ET_CHECK_OR_RETURN_ERROR(
        extra == nullptr || external || extra->location() == fb::TensorDataLocation::SEGMENT,
        InvalidProgram, "Tensor has unknown data location %d",
        extra == nullptr ? 0 : static_cast<int>(extra->location()));
    ET_CHECK_OR_RETURN_ERROR(!external || is_name(extra->fully_qualified_name()), InvalidProgram,
                             "A tensor with external data has no name");

    const fb::AllocationDetails* place = tensor->allocation_info();
    if (place != nullptr) {
      ET_CHECK_OK_OR_RETURN_ERROR(check_place(*place, *spec));
    }
    if (external || tensor->data_buffer_idx() == 0) {
      return Error::Ok;
    }
    if (place == nullptr) {
      return check_data(program_->constant_segment(), tensor->data_buffer_idx(), *spec);
    }
    const uint64_t index = extra == nullptr ? 0 : extra->mutable_data_segments_idx();
    ET_CHECK_OR_RETURN_ERROR(index < size_of(program_->mutable_data_segments()), InvalidProgram,
                             "Tensor has its data in mutable data segment %" PRIu64 " of %zu",
                             index, size_of(program_->mutable_data_segments()));
    return check_data(program_->mutable_data_segments()->Get(static_cast<uint32_t>(index)),
                      tensor->data_buffer_idx(), *spec);
  }

  // The place in planned memory.
  Error check_place(const fb::AllocationDetails& place, const TensorSpec& spec) const {
    const auto* sizes = plan_->non_const_buffer_sizes();
    const uint32_t id = place.memory_id();
    ET_CHECK_OR_RETURN_ERROR(id >= 1 && id < size_of(sizes), InvalidProgram,
                             "Tensor has memory id %u, valid are 1 to %zu",
                             static_cast<unsigned>(id), size_of(sizes) - 1);
    const uint64_t offset =
        static_cast<uint64_t>(place.memory_offset_high()) << 32 | place.memory_offset_low();
    ET_CHECK_OR_RETURN_ERROR(
        in_bounds(offset, spec.nbytes, static_cast<uint64_t>(sizes->Get(id))), InvalidProgram,
        "Tensor of %zu bytes at offset %" PRIu64 " exceeds planned buffer %u of %" PRId64 " bytes",
        spec.nbytes, offset, static_cast<unsigned>(id), sizes->Get(id));
    ET_CHECK_OR_RETURN_ERROR(offset % data_alignment(spec.element_size) == 0, InvalidProgram,
                             "Planned offset %" PRIu64 " is not aligned for elements of %zu bytes",
                             offset, spec.element_size);
    return Error::Ok;
  }

  // The place in a segment of constants or of mutable data.
  Error check_data(const fb::SubsegmentOffsets* data, uint32_t buffer_index,
                   const TensorSpec& spec) const {
    const size_t num_buffers = data == nullptr ? 0 : size_of(data->offsets());
    ET_CHECK_OR_RETURN_ERROR(buffer_index < num_buffers, InvalidProgram,
                             "Tensor refers to data buffer %u of %zu",
                             static_cast<unsigned>(buffer_index), num_buffers);
    ET_CHECK_OR_RETURN_ERROR(is_aligned(data->offsets()), InvalidProgram,
                             "Offsets of data buffers are not aligned");
    ET_CHECK_OR_RETURN_ERROR(data->segment_index() < size_of(program_->segments()), InvalidProgram,
                             "Data is in segment %u, the program has %zu",
                             static_cast<unsigned>(data->segment_index()),
                             size_of(program_->segments()));
    const uint64_t size = program_->segments()->Get(data->segment_index())->size();
    const uint64_t offset = data->offsets()->Get(buffer_index);
    ET_CHECK_OR_RETURN_ERROR(in_bounds(offset, spec.nbytes, size), InvalidProgram,
                             "Tensor of %zu bytes at offset %" PRIu64
                             " exceeds its data segment of %" PRIu64 " bytes",
                             spec.nbytes, offset, size);
    return Error::Ok;
  }

  Error check_io() const {
    const Indices* inputs = plan_->inputs();
    for (uint32_t i = 0; i < size_of(inputs); ++i) {
      ET_CHECK_OR_RETURN_ERROR(is_index(inputs->Get(i), num_values_), InvalidProgram,
                               "Input %u of method %s is value %d of %zu", static_cast<unsigned>(i),
                               plan_->name()->c_str(), static_cast<int>(inputs->Get(i)),
                               num_values_);
      const fb::EValue* value = plan_->values()->Get(static_cast<uint32_t>(inputs->Get(i)));
      const fb::Tensor* tensor = value->val_as_Tensor();
      const auto* extra = tensor == nullptr ? nullptr : tensor->extra_tensor_info();
      const bool is_constant =
          tensor != nullptr &&
          (tensor->data_buffer_idx() != 0 ||
           (extra != nullptr && extra->location() == fb::TensorDataLocation::EXTERNAL)) &&
          tensor->allocation_info() == nullptr;
      ET_CHECK_OR_RETURN_ERROR(!is_constant, InvalidProgram, "Input %u of method %s is a constant",
                               static_cast<unsigned>(i), plan_->name()->c_str());
    }
    const Indices* outputs = plan_->outputs();
    for (uint32_t i = 0; i < size_of(outputs); ++i) {
      ET_CHECK_OR_RETURN_ERROR(is_index(outputs->Get(i), num_values_), InvalidProgram,
                               "Output %u of method %s is value %d of %zu",
                               static_cast<unsigned>(i), plan_->name()->c_str(),
                               static_cast<int>(outputs->Get(i)), num_values_);
    }
    return Error::Ok;
  }

  Error check_operators() const {
    for (uint32_t i = 0; i < size_of(plan_->operators()); ++i) {
      ET_CHECK_OR_RETURN_ERROR(is_name(plan_->operators()->Get(i)->name()), InvalidProgram,
                               "Operator %u of method %s has no valid name",
                               static_cast<unsigned>(i), plan_->name()->c_str());
    }
    return Error::Ok;
  }

  Error check_delegates() const {
    for (uint32_t i = 0; i < size_of(plan_->delegates()); ++i) {
      const fb::BackendDelegate* delegate = plan_->delegates()->Get(i);
      ET_CHECK_OR_RETURN_ERROR(is_name(delegate->id()), InvalidProgram,
                               "Delegate %u of method %s names no backend",
                               static_cast<unsigned>(i), plan_->name()->c_str());
      ET_CHECK_OK_OR_RETURN_ERROR(check_delegate(*delegate),
                                  "Delegate %u of method %s is not valid", static_cast<unsigned>(i),
                                  plan_->name()->c_str());
    }
    return Error::Ok;
  }

  Error check_delegate(const fb::BackendDelegate& delegate) const {
    for (uint32_t i = 0; i < size_of(delegate.compile_specs()); ++i) {
      ET_CHECK_OR_RETURN_ERROR(is_name(delegate.compile_specs()->Get(i)->key()), InvalidProgram,
                               "Compile spec %u has no valid key", static_cast<unsigned>(i));
    }
    const fb::BackendDelegateDataReference* data = delegate.processed();
    ET_CHECK_OR_RETURN_ERROR(data != nullptr, InvalidProgram, "The data is missing");
    size_t count = 0;
    switch (data->location()) {
      case fb::DataLocation::INLINE:
        count = size_of(program_->backend_delegate_data());
        break;
      case fb::DataLocation::SEGMENT:
        count = size_of(program_->segments());
        break;
      default:
        ET_LOG(Error, "Unknown data location %d", static_cast<int>(data->location()));
        return Error::InvalidProgram;
    }
    ET_CHECK_OR_RETURN_ERROR(data->index() < count, InvalidProgram, "The data is entry %u of %zu",
                             static_cast<unsigned>(data->index()), count);
    return Error::Ok;
  }

  Error check_chains() {
    ET_CHECK_OR_RETURN_ERROR(plan_->chains() != nullptr, InvalidProgram,
                             "Method %s has no instructions", plan_->name()->c_str());
    for (uint32_t c = 0; c < plan_->chains()->size(); ++c) {
      const auto* instructions = plan_->chains()->Get(c)->instructions();
      ET_CHECK_OR_RETURN_ERROR(instructions != nullptr, InvalidProgram,
                               "Chain %u of method %s has no instructions",
                               static_cast<unsigned>(c), plan_->name()->c_str());
      for (uint32_t i = 0; i < instructions->size(); ++i) {
        ET_CHECK_OK_OR_RETURN_ERROR(check_instruction(instructions->Get(i), instructions->size()),
                                    "Instruction %u of chain %u of method %s is not valid",
                                    static_cast<unsigned>(i), static_cast<unsigned>(c),
                                    plan_->name()->c_str());
      }
    }
    return Error::Ok;
  }

  Error check_instruction(const fb::Instruction* instruction, size_t chain_length) {
    ET_CHECK_OR_RETURN_ERROR(instruction->instr_args() != nullptr, InvalidProgram,
                             "The arguments are missing");
    switch (instruction->instr_args_type()) {
      case fb::InstructionArguments::KernelCall: {
        const auto* call = instruction->instr_args_as_KernelCall();
        ET_CHECK_OK_OR_RETURN_ERROR(
            check_index("operator", call->op_index(), size_of(plan_->operators())));
        ET_CHECK_OK_OR_RETURN_ERROR(check_arguments(call->args()));
        return check_host_memory(*call);
      }
      case fb::InstructionArguments::DelegateCall: {
        const auto* call = instruction->instr_args_as_DelegateCall();
        ET_CHECK_OK_OR_RETURN_ERROR(
            check_index("delegate", call->delegate_index(), size_of(plan_->delegates())));
        return check_arguments(call->args());
      }
      case fb::InstructionArguments::MoveCall: {
        const auto* call = instruction->instr_args_as_MoveCall();
        ET_CHECK_OK_OR_RETURN_ERROR(check_index("value", call->move_from(), num_values_));
        ET_CHECK_OK_OR_RETURN_ERROR(check_index("value", call->move_to(), num_values_));
        return require(is_on_device(call->move_from()) == is_on_device(call->move_to()),
                       "It moves a tensor between host and device");
      }
      case fb::InstructionArguments::JumpFalseCall: {
        const auto* call = instruction->instr_args_as_JumpFalseCall();
        ET_CHECK_OK_OR_RETURN_ERROR(check_index("value", call->cond_value_index(), num_values_));
        ET_CHECK_OK_OR_RETURN_ERROR(check_condition(call->cond_value_index()));
        // One past the end is fine, it ends the chain.
        return check_index("instruction", call->destination_instruction(), chain_length + 1);
      }
      case fb::InstructionArguments::FreeCall: {
        const auto* call = instruction->instr_args_as_FreeCall();
        ET_CHECK_OK_OR_RETURN_ERROR(check_index("value", call->value_index(), num_values_));
        return check_freed(call->value_index());
      }
      default:
        ET_LOG(Error, "There is no instruction type %d",
               static_cast<int>(instruction->instr_args_type()));
        return Error::InvalidProgram;
    }
  }

  static Error check_index(const char* what, int64_t index, size_t size) {
    ET_CHECK_OR_RETURN_ERROR(is_index(index, size), InvalidProgram,
                             "It refers to %s %" PRId64 " of %zu", what, index, size);
    return Error::Ok;
  }

  Error check_arguments(const Indices* arguments) {
    ET_CHECK_OR_RETURN_ERROR(arguments != nullptr, InvalidProgram, "It has no arguments");
    // Lists of their own lie beside each other. A writer may share equal ones; a few long lists for
    // all instructions make a small file cost as much as a large one.
    constexpr uint64_t kMostShared = 16;
    const auto begin = reinterpret_cast<uintptr_t>(arguments);
    const uintptr_t end = begin + arguments->size() * sizeof(int32_t);
    first_argument_ = begin < first_argument_ ? begin : first_argument_;
    last_argument_ = end > last_argument_ ? end : last_argument_;
    argument_bytes_ += end - begin;
    ET_CHECK_OR_RETURN_ERROR(
        argument_bytes_ <= kMostShared * uint64_t{last_argument_ - first_argument_}, InvalidProgram,
        "It shares its arguments with too many others");
    for (uint32_t i = 0; i < arguments->size(); ++i) {
      ET_CHECK_OK_OR_RETURN_ERROR(check_index("value", arguments->Get(i), num_values_));
    }
    return Error::Ok;
  }

  // Only says what can never work: the condition may get its value from another instruction.
  Error check_condition(int32_t index) const {
    const auto type = plan_->values()->Get(static_cast<uint32_t>(index))->val_type();
    ET_CHECK_OR_RETURN_ERROR(type == fb::KernelTypes::Bool || type == fb::KernelTypes::Tensor ||
                                 type == fb::KernelTypes::Null,
                             InvalidProgram, "The condition is a value of type %d",
                             static_cast<int>(type));
    return require(!is_on_device(index), "The condition is in the memory of a device");
  }

  // Whether a value is a tensor planned in the memory of a device, where the host cannot look.
  bool is_on_device(int64_t index) const {
    if (!kDeviceMemory) {
      return false;
    }
    const fb::Tensor* tensor = plan_->values()->Get(static_cast<uint32_t>(index))->val_as_Tensor();
    return tensor != nullptr && tensor->allocation_info() != nullptr &&
           !memory_device(*plan_, *tensor).is_cpu();
  }

  // Kernels work on the host's memory, but for those that copy between it and a device's.
  Error check_host_memory(const fb::KernelCall& call) const {
    constexpr std::string_view kCopies = "et_copy::";
    const auto* op = plan_->operators()->Get(static_cast<uint32_t>(call.op_index()));
    if (!kDeviceMemory || size_of(plan_->non_const_buffer_device()) == 0 ||
        view_of(op->name()).substr(0, kCopies.size()) == kCopies) {
      return Error::Ok;
    }
    for (uint32_t i = 0; i < call.args()->size(); ++i) {
      const fb::EValue* value = plan_->values()->Get(static_cast<uint32_t>(call.args()->Get(i)));
      bool on_device = is_on_device(call.args()->Get(i));
      if (const auto* list = value->val_as_TensorList()) {
        on_device = any_on_device(*list->items());
      } else if (const auto* optional = value->val_as_OptionalTensorList()) {
        on_device = any_on_device(*optional->items());
      }
      ET_CHECK_OR_RETURN_ERROR(!on_device, NotSupported,
                               "Argument %u of kernel %s is in the memory of a device",
                               static_cast<unsigned>(i), op->name()->c_str());
    }
    return Error::Ok;
  }

  bool any_on_device(const Indices& items) const {
    for (uint32_t i = 0; i < items.size(); ++i) {
      if (items.Get(i) >= 0 && is_on_device(items.Get(i))) {
        return true;
      }
    }
    return false;
  }

  // Freeing drops the tensor's memory for good, so it must be memory that the tensor gets anew.
  Error check_freed(int32_t index) const {
    const fb::Tensor* tensor = plan_->values()->Get(static_cast<uint32_t>(index))->val_as_Tensor();
    ET_CHECK_OR_RETURN_ERROR(tensor != nullptr, InvalidProgram, "It frees what is not a tensor");
    return require(tensor->allocation_info() == nullptr && tensor->data_buffer_idx() == 0,
                   "It frees planned or constant memory");
  }

  const fb::Program* program_;
  const fb::ExecutionPlan* plan_;
  size_t num_values_;

  // Where the argument lists lie, and how long they are together.
  uintptr_t first_argument_ = UINTPTR_MAX;
  uintptr_t last_argument_ = 0;
  uint64_t argument_bytes_ = 0;
};

}  // namespace

Error validate_plan(const executorch_flatbuffer::Program* program,
                    const executorch_flatbuffer::ExecutionPlan* plan) {
  return PlanValidator(program, plan).validate();
}

}  // namespace internal

Error validate_tensor(const executorch_flatbuffer::Tensor* tensor) {
  return internal::check_tensor(tensor).error();
}

Error validate_program(const executorch_flatbuffer::Program* program) {
  ET_CHECK_OR_RETURN_ERROR(program != nullptr && program->execution_plan() != nullptr,
                           InvalidProgram, "The program has no methods");
  for (uint32_t i = 0; i < program->execution_plan()->size(); ++i) {
    const Error error = internal::validate_plan(program, program->execution_plan()->Get(i));
    if (error != Error::Ok) {
      return error;
    }
  }
  return Error::Ok;
}

}  // namespace runtime
}  // namespace executorch

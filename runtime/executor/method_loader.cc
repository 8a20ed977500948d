#include <new>
#include <utility>

#include <executorch/runtime/core/event_tracer_hooks.h>
#include <executorch/runtime/executor/flatbuffer_util.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/method_loader.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/executor/program_validation.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace runtime {
namespace internal {

namespace fb = executorch_flatbuffer;

/* static */ Result<Method> MethodLoader::load(const MethodLoadRequest& request) {
  EventTracerProfileMethodScope scope(request.event_tracer, "Method::init");
  ET_CHECK_OR_RETURN_ERROR(
      request.memory_manager != nullptr && request.memory_manager->method_allocator() != nullptr,
      InvalidArgument, "Loading a method needs a memory manager with a method allocator");
  ET_CHECK_OK_OR_RETURN_ERROR(validate_plan(request.program->internal_program_, request.plan));

  MethodState* state = request.memory_manager->method_allocator()->allocateInstance<MethodState>();
  if (state == nullptr) {
    return fail_allocation(1, sizeof(MethodState), "the method");
  }
  new (state) MethodState();
  Method method(state);  // Tears down what was loaded if something fails.
  MethodLoader loader(request, *state);
  ET_CHECK_OK_OR_RETURN_ERROR(loader.load_all());
  return method;
}

Error MethodLoader::fail_allocation(size_t count, size_t size, const char* what) {
  ET_LOG(Error, "The method allocator has no room for %s: %zu objects of %zu bytes", what, count,
         size);
  return Error::MemoryAllocationFailed;
}

Error MethodLoader::load_all() {
  state_.program = request_.program;
  state_.plan = request_.plan;
  state_.event_tracer = request_.event_tracer;
  ET_CHECK_OK_OR_RETURN_ERROR(check_planned_devices());
  ET_CHECK_OK_OR_RETURN_ERROR(load_temp_allocator());
  ET_CHECK_OK_OR_RETURN_ERROR(load_named_data());
  ET_CHECK_OK_OR_RETURN_ERROR(load_values());
  ET_CHECK_OK_OR_RETURN_ERROR(load_io());
  // Instructions refer to delegates, so these have their place before they are initialized.
  LoadedDelegate* delegates = nullptr;
  ET_CHECK_OK_OR_RETURN_ERROR(allocate(size_of(plan_.delegates()), "delegates", &delegates));
  state_.delegates = {delegates, size_t{0}};
  ET_CHECK_OK_OR_RETURN_ERROR(load_chains());
  // Last, since backends may take long and use much memory.
  return load_delegates();
}

// If the caller says where the planned memory lies, it has to be where the program wants it.
Error MethodLoader::check_planned_devices() const {
  if (!kDeviceMemory) {
    return Error::Ok;
  }
  const Span<const etensor::Device> given = request_.memory_manager->planned_buffer_devices();
  for (size_t i = 0; i < given.size(); ++i) {
    const etensor::Device wanted = planned_buffer_device(plan_, i + 1);
    ET_CHECK_OR_RETURN_ERROR(
        given[i] == wanted || i + 1 >= size_of(plan_.non_const_buffer_sizes()), InvalidArgument,
        "Planned buffer %zu is on device type %d, index %d, but the program is planned for %d, %d",
        i, static_cast<int>(given[i].type()), static_cast<int>(given[i].index()),
        static_cast<int>(wanted.type()), static_cast<int>(wanted.index()));
  }
  return Error::Ok;
}

Error MethodLoader::load_temp_allocator() {
  state_.temp_allocator = request_.memory_manager->temp_allocator();
  if (state_.temp_allocator != nullptr) {
    return Error::Ok;
  }
  PlatformMemoryAllocator* allocator = nullptr;
  ET_CHECK_OK_OR_RETURN_ERROR(allocate(1, "a temp allocator", &allocator));
  state_.own_temp_allocator = new (allocator) PlatformMemoryAllocator();
  state_.temp_allocator = allocator;
  return Error::Ok;
}

// The program's own named data and the caller's, as one map.
Error MethodLoader::load_named_data() {
  Result<const NamedDataMap*> own = request_.program->get_named_data_map();
  if (!own.ok()) {
    state_.named_data = request_.named_data_map;
    return own.error() == Error::NotFound ? Error::Ok : own.error();
  }
  if (request_.named_data_map == nullptr) {
    state_.named_data = *own;
    return Error::Ok;
  }
  Result<MergedDataMap> merged = MergedDataMap::load(*own, request_.named_data_map);
  if (!merged.ok()) {
    return merged.error();
  }
  MergedDataMap* memory = nullptr;
  ET_CHECK_OK_OR_RETURN_ERROR(allocate(1, "the map of named data", &memory));
  state_.merged_data = new (memory) MergedDataMap(std::move(*merged));
  state_.named_data = state_.merged_data;
  return Error::Ok;
}

Error MethodLoader::load_delegates() {
  const size_t count = size_of(plan_.delegates());
  for (size_t i = 0; i < count; ++i) {
    LoadedDelegate* delegate = state_.delegates.data() + i;
    new (delegate) LoadedDelegate{nullptr, nullptr, FreeableBuffer()};
    const Error error = load_delegate(*plan_.delegates()->Get(static_cast<uint32_t>(i)), delegate);
    if (error != Error::Ok) {
      delegate->data.Free();
      return error;
    }
    state_.delegates = {state_.delegates.data(), i + 1};
  }
  return count == 0 ? Error::Ok : plan_delegates();
}

// Now that the backends can say what their delegates write.
Error MethodLoader::plan_delegates() {
  constexpr size_t kMostOutputs = (1u << 24) - 1;
  for (const LoadedChain& chain : state_.chains) {
    for (size_t i = 0; i < chain.num_instructions; ++i) {
      LoadedInstruction& call = chain.instructions[i];
      if (call.kind != InstructionKind::kDelegate) {
        continue;
      }
      const size_t outputs = call.delegate->backend->num_outputs(call.delegate->handle);
      call.written = outputs < kMostOutputs ? static_cast<uint32_t>(outputs) : kMostOutputs;
    }
  }
  return decide_calls(InstructionKind::kDelegate, InstructionKind::kCheckedDelegate);
}

Error MethodLoader::load_delegate(const fb::BackendDelegate& serialized, LoadedDelegate* delegate) {
  const char* id = serialized.id()->c_str();
  delegate->backend = get_backend_class(id);
  if (delegate->backend == nullptr) {
    ET_LOG(Error, "The method needs backend %s, which is not registered; link its library", id);
    for (size_t i = 0; i < get_num_registered_backends(); ++i) {
      ET_LOG(Error, "  registered: %s", *get_backend_name(i));
    }
    return Error::NotFound;
  }
  ET_CHECK_OR_RETURN_ERROR(delegate->backend->is_available(), NotFound,
                           "The method needs backend %s, which is not available on this device",
                           id);

  const uint32_t num_specs = static_cast<uint32_t>(size_of(serialized.compile_specs()));
  CompileSpec* specs = nullptr;
  ET_CHECK_OK_OR_RETURN_ERROR(allocate(num_specs, "compile specs", &specs));
  for (uint32_t i = 0; i < num_specs; ++i) {
    const fb::CompileSpec* spec = serialized.compile_specs()->Get(i);
    const uint8_t* bytes = spec->value() == nullptr ? nullptr : spec->value()->data();
    new (&specs[i])
        CompileSpec{spec->key()->c_str(), {const_cast<uint8_t*>(bytes), size_of(spec->value())}};
  }

  Result<FreeableBuffer> data = load_delegate_data(serialized);
  if (!data.ok()) {
    ET_LOG(Error, "Could not load the data of a delegate for backend %s", id);
    return data.error();
  }
  delegate->data = std::move(*data);
  BackendInitContext context(request_.memory_manager->method_allocator(), request_.event_tracer,
                             plan_.name()->c_str(), state_.named_data,
                             request_.backend_options == nullptr
                                 ? Span<const BackendOption>()
                                 : request_.backend_options->get_options(id));
  Result<DelegateHandle*> handle =
      delegate->backend->init(context, &delegate->data, {specs, num_specs});
  if (!handle.ok()) {
    ET_LOG(Error, "Backend %s failed to initialize a delegate: %#x (%s)", id,
           static_cast<unsigned>(handle.error()), to_string(handle.error()));
    return handle.error();
  }
  delegate->handle = *handle;
  return Error::Ok;
}

Result<FreeableBuffer> MethodLoader::load_delegate_data(const fb::BackendDelegate& serialized) {
  const size_t index = serialized.processed()->index();
  if (serialized.processed()->location() == fb::DataLocation::SEGMENT) {
    return request_.program->LoadSegment(DataLoader::SegmentInfo(
        DataLoader::SegmentInfo::Type::Backend, index, serialized.id()->c_str()));
  }
  const void* data = nullptr;
  size_t size = 0;
  const Error error = request_.program->get_backend_delegate_data(index, &data, &size);
  if (error != Error::Ok) {
    return error;
  }
  // Belongs to the program, so there is nothing to free.
  return FreeableBuffer(data, size, /*free_fn=*/nullptr);
}

Error MethodLoader::load_io() {
  ET_CHECK_OK_OR_RETURN_ERROR(load_io_list(plan_.inputs(), &state_.inputs));
  return load_io_list(plan_.outputs(), &state_.outputs);
}

Error MethodLoader::load_io_list(const flatbuffers::Vector<int32_t>* indices,
                                 Span<MethodIo>* list) {
  const auto count = static_cast<uint32_t>(size_of(indices));
  MethodIo* entries = nullptr;
  ET_CHECK_OK_OR_RETURN_ERROR(allocate(count, "inputs and outputs", &entries));
  for (uint32_t i = 0; i < count; ++i) {
    EValue* slot = value_at(indices->Get(i));
    new (&entries[i]) MethodIo{slot, *slot, 0, false, false};
    if (slot->isTensor()) {
      const fb::Tensor* tensor =
          plan_.values()->Get(static_cast<uint32_t>(indices->Get(i)))->val_as_Tensor();
      const auto* extra = tensor->extra_tensor_info();
      entries[i].nbytes_bound = slot->payload.as_tensor.nbytes();
      entries[i].has_memory =
          tensor->allocation_info() != nullptr || tensor->data_buffer_idx() != 0 ||
          (extra != nullptr && extra->location() == fb::TensorDataLocation::EXTERNAL);
    }
  }
  *list = {entries, count};
  return Error::Ok;
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch

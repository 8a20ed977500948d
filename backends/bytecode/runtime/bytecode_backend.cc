// The run-time half of the backend. Link this library and `BytecodeBackend` is registered.

#include <cinttypes>
#include <new>

#include <executorch/backends/bytecode/runtime/bytecode.h>
#include <executorch/backends/bytecode/runtime/interpreter.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/core/event_tracer_hooks_delegate.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace bytecode {
namespace {

using aten::ScalarType;
using aten::Tensor;
using runtime::ArrayRef;
using runtime::BackendExecutionContext;
using runtime::BackendInitContext;
using runtime::CompileSpec;
using runtime::DelegateHandle;
using runtime::Error;
using runtime::EValue;
using runtime::FreeableBuffer;
using runtime::MemoryAllocator;
using runtime::NamedDataMap;
using runtime::Result;
using runtime::Span;

// What one delegate needs, all of it made by `init`: `execute` only computes.
struct Delegate {
  Code code;
  float* registers = nullptr;
  const float** inputs = nullptr;
  float** outputs = nullptr;
  // The named tensors and how many are loaded.
  FreeableBuffer* buffers = nullptr;
  const float** data = nullptr;
  size_t num_loaded = 0;
};

// Room for `size` Ts; for one at least, since an allocator may answer nothing with null.
template <typename T>
T* list(MemoryAllocator& memory, size_t size) {
  return memory.allocateList<T>(size > 0 ? size : 1);
}

Error load_data(Delegate& delegate, const NamedDataMap* map) {
  for (size_t i = 0; i < delegate.code.num_data(); ++i) {
    const std::string_view key = delegate.code.data_key(i);
    if (map == nullptr) {
      ET_LOG(Error, "No named data to find %.*s in", static_cast<int>(key.size()), key.data());
      return Error::NotFound;
    }
    Result<FreeableBuffer> found = map->get_data(key);
    if (!found.ok()) {
      ET_LOG(Error, "Named data %.*s: error 0x%" PRIx32, static_cast<int>(key.size()), key.data(),
             static_cast<uint32_t>(found.error()));
      return found.error();
    }
    if (reinterpret_cast<uintptr_t>(found->data()) % alignof(float) != 0) {
      ET_LOG(Error, "Named data %.*s is not aligned for float", static_cast<int>(key.size()),
             key.data());
      return Error::InvalidProgram;
    }
    new (&delegate.buffers[i]) FreeableBuffer(std::move(*found));
    delegate.data[i] = static_cast<const float*>(delegate.buffers[i].data());
    ++delegate.num_loaded;
  }
  return Error::Ok;
}

void release(Delegate& delegate) {
  for (size_t i = 0; i < delegate.num_loaded; ++i) {
    delegate.buffers[i].~FreeableBuffer();
  }
  delegate.~Delegate();
}

Result<Tensor> float_tensor(const EValue* value, size_t index) {
  if (value == nullptr || !value->isTensor()) {
    ET_LOG(Error, "Argument %zu of the bytecode delegate is not a tensor", index);
    return Error::InvalidArgument;
  }
  const Tensor& tensor = value->toTensor();
  if (tensor.scalar_type() != ScalarType::Float || !runtime::tensor_is_default_dim_order(tensor)) {
    ET_LOG(Error, "Argument %zu of the bytecode delegate is not a contiguous float32 tensor",
           index);
    return Error::InvalidArgument;
  }
  return tensor;
}

// Checks the arguments, gives the outputs the shape of the inputs, and notes where all of them lie.
Result<size_t> bind(Delegate& delegate, Span<EValue*> args) {
  const size_t num_inputs = delegate.code.num_inputs();
  if (args.size() != num_inputs + delegate.code.num_outputs()) {
    ET_LOG(Error, "The bytecode delegate takes %zu inputs and %zu outputs, but got %zu arguments",
           num_inputs, delegate.code.num_outputs(), args.size());
    return Error::InvalidArgument;
  }
  size_t count = 0;
  for (size_t i = 0; i < args.size(); ++i) {
    Result<Tensor> tensor = float_tensor(args[i], i);
    if (!tensor.ok()) {
      return tensor.error();
    }
    if (i == 0) {
      count = tensor->numel();
    } else if (i < num_inputs && tensor->sizes() != args[0]->toTensor().sizes()) {
      ET_LOG(Error, "Inputs 0 and %zu of the bytecode delegate differ in shape", i);
      return Error::InvalidArgument;
    }
    if (i < num_inputs) {
      delegate.inputs[i] = tensor->const_data_ptr<float>();
      continue;
    }
    if (num_inputs > 0) {
      const Error error = runtime::resize_tensor(*tensor, args[0]->toTensor().sizes());
      if (error != Error::Ok) {
        ET_LOG(Error, "Output %zu of the bytecode delegate has no room for its inputs' shape", i);
        return error;
      }
    }
    if (static_cast<size_t>(tensor->numel()) != count) {
      ET_LOG(Error, "Outputs of the bytecode delegate differ in size");
      return Error::InvalidArgument;
    }
    delegate.outputs[i - num_inputs] = tensor->mutable_data_ptr<float>();
  }
  for (size_t i = 0; i < delegate.code.num_data(); ++i) {
    if (delegate.buffers[i].size() != count * sizeof(float)) {
      ET_LOG(Error, "Named tensor %zu of the bytecode delegate has %zu bytes, not %zu", i,
             delegate.buffers[i].size(), count * sizeof(float));
      return Error::InvalidArgument;
    }
  }
  return count;
}

class BytecodeBackend final : public runtime::BackendInterface {
 public:
  bool is_available() const override { return true; }

  // tutorial: init
  Result<DelegateHandle*> init(BackendInitContext& context, FreeableBuffer* processed,
                               ArrayRef<CompileSpec> compile_specs) const override {
    (void)compile_specs;
    Code code;
    const Error valid = Code::parse(processed->data(), processed->size(), code);
    if (valid != Error::Ok) {
      return valid;
    }
    MemoryAllocator& memory = *context.get_runtime_allocator();
    Delegate* const delegate = memory.allocateInstance<Delegate>();
    float* const registers = list<float>(memory, code.num_registers() * kBlock);
    const float** const inputs = list<const float*>(memory, code.num_inputs());
    float** const outputs = list<float*>(memory, code.num_outputs());
    FreeableBuffer* const buffers = list<FreeableBuffer>(memory, code.num_data());
    const float** const data = list<const float*>(memory, code.num_data());
    if (delegate == nullptr || registers == nullptr || inputs == nullptr || outputs == nullptr ||
        buffers == nullptr || data == nullptr) {
      return Error::MemoryAllocationFailed;
    }
    new (delegate) Delegate{code, registers, inputs, outputs, buffers, data};
    const Error loaded = load_data(*delegate, context.get_named_data_map());
    if (loaded != Error::Ok) {
      release(*delegate);
      return loaded;
    }
    return delegate;
  }
  // tutorial: end

  // tutorial: execute
  Error execute(BackendExecutionContext& context, DelegateHandle* handle,
                Span<EValue*> args) const override {
    Delegate& delegate = *static_cast<Delegate*>(handle);
    Result<size_t> count = bind(delegate, args);
    if (!count.ok()) {
      return count.error();
    }
    // Identifier 0 of the debug handle map that `preprocess` returned.
    const runtime::EventTracerEntry event =
        runtime::event_tracer_start_profiling_delegate(context.event_tracer(), nullptr, 0);
    run(delegate.code, {delegate.inputs, delegate.data, delegate.outputs}, *count,
        delegate.registers);
    runtime::event_tracer_end_profiling_delegate(context.event_tracer(), event);
    return Error::Ok;
  }
  // tutorial: end

  // tutorial: destroy
  void destroy(DelegateHandle* handle) const override {
    if (handle != nullptr) {
      release(*static_cast<Delegate*>(handle));
    }
  }
  // tutorial: end

  // tutorial: num_outputs
  size_t num_outputs(DelegateHandle* handle) const override {
    return static_cast<Delegate*>(handle)->code.num_outputs();
  }
  // tutorial: end
};

// tutorial: registration
BytecodeBackend backend;
const Error registered = runtime::register_backend({"BytecodeBackend", &backend});
// tutorial: end

}  // namespace
}  // namespace bytecode
}  // namespace backends
}  // namespace executorch

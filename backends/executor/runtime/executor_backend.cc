// The run-time half: a program inside a delegate, run by a runtime of its own in the memory of the
// method around it.

#include <cinttypes>
#include <cstring>
#include <new>
#include <optional>

#include <executorch/runtime/backend/backend_options_map.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/executor/memory_manager.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace executor {
namespace {

using aten::Tensor;
using runtime::ArrayRef;
using runtime::BackendExecutionContext;
using runtime::BackendInitContext;
using runtime::BackendOptions;
using runtime::CompileSpec;
using runtime::DataLoader;
using runtime::DelegateHandle;
using runtime::Error;
using runtime::EValue;
using runtime::FreeableBuffer;
using runtime::HierarchicalAllocator;
using runtime::LoadBackendOptionsMap;
using runtime::MemoryAllocator;
using runtime::MemoryManager;
using runtime::Method;
using runtime::MethodMeta;
using runtime::Program;
using runtime::Result;
using runtime::Span;

constexpr char kName[] = "ExecutorBackend";
// Programs within programs come from a file: how deep they may go must not depend on it.
constexpr int kMaxDepth = 4;

// Reads the program where the delegate's blob lies.
class BlobLoader final : public DataLoader {
 public:
  explicit BlobLoader(const FreeableBuffer& blob)
      : bytes_(static_cast<const uint8_t*>(blob.data())), size_(blob.size()) {}

  Result<FreeableBuffer> load(size_t offset, size_t size, const SegmentInfo&) const override {
    if (offset > size_ || size > size_ - offset) {
      ET_LOG(Error, "%zu bytes at %zu are not in a blob of %zu", size, offset, size_);
      return Error::InvalidArgument;
    }
    return FreeableBuffer(bytes_ + offset, size, /*free_fn=*/nullptr);
  }
  Result<size_t> size() const override { return size_; }

 private:
  const uint8_t* bytes_;
  size_t size_;
};

// Hands on the scratch memory of the call that runs; the inner method is loaded before there is
// any.
class CallersScratch final : public MemoryAllocator {
 public:
  CallersScratch() : MemoryAllocator(0, nullptr) {}
  void* allocate(size_t size, size_t alignment = kDefaultAlignment) override {
    return current == nullptr ? nullptr : current->allocate(size, alignment);
  }
  // The memory is the caller's, who resets it after the call.
  void reset() override {}

  MemoryAllocator* current = nullptr;
};

// Everything lives in the runtime allocator of the outer method.
struct Delegate {
  explicit Delegate(const FreeableBuffer& blob) : loader(blob) {}

  BlobLoader loader;
  CallersScratch scratch;
  std::optional<Program> program;
  std::optional<HierarchicalAllocator> planned;
  std::optional<MemoryManager> memory;
  std::optional<Method> method;
};

// The arenas that the inner method's memory plan asks for.
Result<Span<Span<uint8_t>>> arenas_of(const MethodMeta& meta, MemoryAllocator& memory) {
  const size_t count = meta.num_memory_planned_buffers();
  Span<uint8_t>* const arenas = memory.allocateList<Span<uint8_t>>(count > 0 ? count : 1);
  if (arenas == nullptr) {
    return Error::MemoryAllocationFailed;
  }
  for (size_t i = 0; i < count; ++i) {
    Result<int64_t> size = meta.memory_planned_buffer_size(i);
    if (!size.ok() || *size < 0) {
      return Error::InvalidProgram;
    }
    void* const bytes = memory.allocate(*size > 0 ? static_cast<size_t>(*size) : 1);
    if (bytes == nullptr) {
      return Error::MemoryAllocationFailed;
    }
    new (&arenas[i]) Span<uint8_t>(static_cast<uint8_t*>(bytes), static_cast<size_t>(*size));
  }
  return Span<Span<uint8_t>>(arenas, count);
}

Error load(Delegate& delegate, BackendInitContext& context, int depth) {
  Result<Program> program = Program::load(&delegate.loader);
  if (!program.ok()) {
    return program.error();
  }
  delegate.program.emplace(std::move(*program));
  Result<MethodMeta> meta = delegate.program->method_meta("forward");
  if (!meta.ok()) {
    return meta.error();
  }
  MemoryAllocator& memory = *context.get_runtime_allocator();
  Result<Span<Span<uint8_t>>> arenas = arenas_of(*meta, memory);
  if (!arenas.ok()) {
    return arenas.error();
  }
  delegate.planned.emplace(*arenas);
  delegate.memory.emplace(&memory, &*delegate.planned, &delegate.scratch);
  BackendOptions<1> options;
  LoadBackendOptionsMap inner;
  if (options.set_option("depth", depth + 1) != Error::Ok ||
      inner.set_options(kName, options.view()) != Error::Ok) {
    return Error::Internal;
  }
  Result<Method> method = delegate.program->load_method("forward", &*delegate.memory,
                                                        context.event_tracer(), nullptr, &inner);
  if (!method.ok()) {
    return method.error();
  }
  delegate.method.emplace(std::move(*method));
  return Error::Ok;
}

// Copies one output of the inner method to the delegate's.
Error hand_out(const EValue& from, EValue& to) {
  if (!from.isTensor()) {
    // The elements would be the inner method's tensors, which nobody outside knows.
    if (from.isTensorList() || from.isListOptionalTensor()) {
      ET_LOG(Error, "The program inside the delegate gives a list of tensors");
      return Error::NotSupported;
    }
    to = from;
    return Error::Ok;
  }
  if (!to.isTensor() || to.toTensor().scalar_type() != from.toTensor().scalar_type()) {
    ET_LOG(Error, "An output of the program inside the delegate has another type than outside");
    return Error::InvalidArgument;
  }
  const Error resized = runtime::resize_tensor(to.toTensor(), from.toTensor().sizes());
  if (resized != Error::Ok) {
    return resized;
  }
  if (from.toTensor().nbytes() > 0) {
    std::memcpy(to.toTensor().mutable_data_ptr(), from.toTensor().const_data_ptr(),
                from.toTensor().nbytes());
  }
  return Error::Ok;
}

class ExecutorBackend final : public runtime::BackendInterface {
 public:
  bool is_available() const override { return true; }

  Result<DelegateHandle*> init(BackendInitContext& context, FreeableBuffer* processed,
                               ArrayRef<CompileSpec>) const override {
    const Result<int> given = context.get_runtime_spec<int>("depth");
    const int depth = given.ok() ? *given : 0;
    if (depth >= kMaxDepth) {
      ET_LOG(Error, "Programs within programs go deeper than %d", kMaxDepth);
      return Error::NotSupported;
    }
    Delegate* const delegate = context.get_runtime_allocator()->allocateInstance<Delegate>();
    if (delegate == nullptr) {
      return Error::MemoryAllocationFailed;
    }
    new (delegate) Delegate(*processed);
    const Error loaded = load(*delegate, context, depth);
    if (loaded != Error::Ok) {
      ET_LOG(Error, "The program inside the delegate does not load: error 0x%" PRIx32,
             static_cast<uint32_t>(loaded));
      delegate->~Delegate();
      return loaded;
    }
    return delegate;
  }

  Error execute(BackendExecutionContext& context, DelegateHandle* handle,
                Span<EValue*> args) const override {
    Delegate& delegate = *static_cast<Delegate*>(handle);
    Method& method = *delegate.method;
    const size_t inputs = method.inputs_size();
    if (args.size() != inputs + method.outputs_size()) {
      ET_LOG(Error,
             "The program inside the delegate takes %zu inputs and gives %zu outputs, not %zu",
             inputs, method.outputs_size(), args.size());
      return Error::InvalidArgument;
    }
    for (size_t i = 0; i < inputs; ++i) {
      const Error error = method.set_input(*args[i], i);
      if (error != Error::Ok) {
        return error;
      }
    }
    delegate.scratch.current = context.get_temp_allocator();
    const Error executed = method.execute();
    delegate.scratch.current = nullptr;
    if (executed != Error::Ok) {
      return executed;
    }
    for (size_t i = inputs; i < args.size(); ++i) {
      if (args[i]->isTensor() && !context.may_write(args[i]->toTensor())) {
        ET_LOG(Error, "Output %zu of the delegate is a constant, or shows memory that is smaller",
               i - inputs);
        return Error::InvalidProgram;
      }
      const Error error = hand_out(method.get_output(i - inputs), *args[i]);
      if (error != Error::Ok) {
        return error;
      }
    }
    return Error::Ok;
  }

  void destroy(DelegateHandle* handle) const override {
    if (handle != nullptr) {
      static_cast<Delegate*>(handle)->~Delegate();
    }
  }

  size_t num_outputs(DelegateHandle* handle) const override {
    const Method& method = *static_cast<const Delegate*>(handle)->method;
    size_t tensors = 0;
    for (size_t i = 0; i < method.outputs_size(); ++i) {
      tensors += method.get_output(i).isTensor() ? 1 : 0;
    }
    return tensors;
  }
};

ExecutorBackend backend;
const Error registered = runtime::register_backend({kName, &backend});

}  // namespace
}  // namespace executor
}  // namespace backends
}  // namespace executorch

// The run-time half: gives the driver a command stream, and memory for its regions.

#include <new>
#include <utility>

#include <executorch/backends/arm/runtime/command_stream.h>
#include <executorch/backends/arm/runtime/ethosu_driver.h>
#include <executorch/backends/arm/runtime/fast_scratch.h>
#include <executorch/backends/arm/runtime/io_copy.h>
#include <executorch/backends/arm/runtime/vela_blob.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/core/event_tracer_hooks_delegate.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace arm {
namespace {

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
using runtime::Result;
using runtime::Span;

// What the NPU's bus asks of command streams and regions.
constexpr size_t kAlignment = 16;

bool is_aligned(const void* address) {
  return reinterpret_cast<uintptr_t>(address) % kAlignment == 0;
}

// Behind the handle; lives in the runtime allocator and owns what stands beside the blob.
struct Delegate {
  VelaBlob blob;
  bool needs_fast_scratch;
  Span<FreeableBuffer> beside;
};

// Where the method lives, for programs that have some.
Error keep(MemoryAllocator& allocator, VelaExternal& external, Delegate& delegate) {
  if (external.size == 0) {
    return Error::Ok;
  }
  auto* const kept = allocator.allocateList<FreeableBuffer>(external.size);
  ET_CHECK_OR_RETURN_ERROR(kept != nullptr, MemoryAllocationFailed,
                           "Ethos-U: no memory for what stands beside the delegate");
  for (size_t i = 0; i < external.size; ++i) {
    new (kept + i) FreeableBuffer(std::move(external.buffers[i]));
  }
  delegate.beside = {kept, external.size};
  return Error::Ok;
}

Error check_fast_scratch(const Delegate& delegate) {
  if (!delegate.needs_fast_scratch) {
    return Error::Ok;
  }
  ET_CHECK_OR_RETURN_ERROR(
      ethosu_fast_scratch != nullptr && is_aligned(ethosu_fast_scratch) &&
          ethosu_fast_scratch_size >= delegate.blob.fast_scratch_used,
      MemoryAllocationFailed,
      "Ethos-U: the program was compiled with dedicated SRAM, and the firmware has %zu bytes of "
      "it. "
      "Define ethosu_fast_scratch and ethosu_fast_scratch_size, or compile with memory_mode "
      "Shared_Sram",
      ethosu_fast_scratch_size);
  return Error::Ok;
}

Error check_args(const VelaBlob& blob, Span<EValue*> args) {
  const size_t inputs = blob.inputs.size;
  ET_CHECK_OR_RETURN_ERROR(args.size() == inputs + blob.outputs.size, InvalidArgument,
                           "Ethos-U: the delegate has %zu inputs and %zu outputs, not %zu values",
                           inputs, blob.outputs.size, args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    const bool is_input = i < inputs;
    const char* const kind = is_input ? "input" : "output";
    const size_t index = is_input ? i : i - inputs;
    ET_CHECK_OR_RETURN_ERROR(args[i]->isTensor(), InvalidArgument, "Ethos-U: %s %zu is no tensor",
                             kind, index);
    const VelaIo io = is_input ? blob.inputs[index] : blob.outputs[index];
    ET_CHECK_OK_OR_RETURN_ERROR(check_tensor(args[i]->toTensor(), io, kind, index));
  }
  return Error::Ok;
}

class EthosUBackend final : public runtime::BackendInterface {
 public:
  bool is_available() const override { return true; }

  Result<DelegateHandle*> init(BackendInitContext& context, FreeableBuffer* processed,
                               ArrayRef<CompileSpec>) const override {
    VelaExternal external;
    external.data = context.get_named_data_map();
    const Result<VelaBlob> blob = read_vela_blob(processed->data(), processed->size(), external);
    if (!blob.ok()) {
      return blob.error();
    }
    const Result<uint32_t> regions = check_command_stream(blob->commands, blob->commands_size);
    if (!regions.ok()) {
      return regions.error();
    }
    ET_CHECK_OR_RETURN_ERROR(
        is_aligned(blob->commands) && is_aligned(blob->weights), InvalidProgram,
        "Ethos-U: the delegate's bytes do not begin at a multiple of %zu. Place the program and "
        "its files at one, and lower with ExecutorchBackendConfig(extract_delegate_segments=False) "
        "or load its "
        "segments so",
        kAlignment);
    const bool fast = (*regions >> kFastScratch) != 0 || blob->fast_scratch_used != 0;
    Delegate made{*blob, fast, {}};
    ET_CHECK_OK_OR_RETURN_ERROR(check_fast_scratch(made));
    MemoryAllocator& allocator = *context.get_runtime_allocator();
    auto* const delegate = allocator.allocateInstance<Delegate>();
    if (delegate == nullptr) {
      return Error::MemoryAllocationFailed;
    }
    ET_CHECK_OK_OR_RETURN_ERROR(keep(allocator, external, made));
    new (delegate) Delegate(made);
    return delegate;
  }

  void destroy(DelegateHandle* handle) const override {
    for (FreeableBuffer& one : static_cast<Delegate*>(handle)->beside) {
      one.Free();
    }
  }

  Error execute(BackendExecutionContext& context, DelegateHandle* handle,
                Span<EValue*> args) const override {
    const Delegate& delegate = *static_cast<const Delegate*>(handle);
    const VelaBlob& blob = delegate.blob;
    ET_CHECK_OK_OR_RETURN_ERROR(check_args(blob, args));
    ET_CHECK_OK_OR_RETURN_ERROR(check_fast_scratch(delegate));
    auto* const scratch = static_cast<uint8_t*>(context.allocate(blob.scratch_size, kAlignment));
    ET_CHECK_OR_RETURN_ERROR(
        scratch != nullptr, MemoryAllocationFailed,
        "Ethos-U: no %zu bytes of scratch memory. Give MemoryManager a temporary allocator that "
        "has them",
        blob.scratch_size);
    uint8_t* const bases[kRegions] = {const_cast<uint8_t*>(blob.weights), scratch,
                                      ethosu_fast_scratch};
    runtime::EventTracer* const tracer = context.event_tracer();
    auto event = begin(tracer, "EthosU::copy_in");
    for (size_t i = 0; i < blob.inputs.size; ++i) {
      const VelaIo io = blob.inputs[i];
      copy_in(args[i]->toTensor(), io, bases[io.region] + io.offset);
    }
    end(tracer, event);
    event = begin(tracer, "EthosU::npu");
    const Error invoked = invoke(delegate, bases);
    end(tracer, event);
    ET_CHECK_OK_OR_RETURN_ERROR(invoked);
    event = begin(tracer, "EthosU::copy_out");
    for (size_t i = 0; i < blob.outputs.size; ++i) {
      const VelaIo io = blob.outputs[i];
      copy_out(args[blob.inputs.size + i]->toTensor(), io, bases[io.region] + io.offset);
    }
    end(tracer, event);
    return Error::Ok;
  }

  size_t num_outputs(DelegateHandle* handle) const override {
    return static_cast<const Delegate*>(handle)->blob.outputs.size;
  }

 private:
  static runtime::EventTracerEntry begin(runtime::EventTracer* tracer, const char* name) {
    return runtime::event_tracer_start_profiling_delegate(tracer, name,
                                                          runtime::kUnsetDelegateDebugIntId);
  }

  static void end(runtime::EventTracer* tracer, runtime::EventTracerEntry event) {
    runtime::event_tracer_end_profiling_delegate(tracer, event);
  }

  static Error invoke(const Delegate& delegate, uint8_t* const (&bases)[kRegions]) {
    const VelaBlob& blob = delegate.blob;
    uint64_t addresses[kRegions];
    for (size_t i = 0; i < kRegions; ++i) {
      addresses[i] = reinterpret_cast<uintptr_t>(bases[i]);
    }
    const size_t sizes[kRegions] = {blob.weights_size, blob.scratch_size, ethosu_fast_scratch_size};
    struct ethosu_driver* const driver = ethosu_reserve_driver();
    ET_CHECK_OR_RETURN_ERROR(driver != nullptr, AccessFailed,
                             "Ethos-U: there is no NPU; the firmware calls ethosu_init first");
    const int count = delegate.needs_fast_scratch ? kRegions : kFastScratch;
    const int status = ethosu_invoke_v3(driver, blob.commands, static_cast<int>(blob.commands_size),
                                        addresses, sizes, count, nullptr);
    ethosu_release_driver(driver);
    ET_CHECK_OR_RETURN_ERROR(status == 0, Internal,
                             "Ethos-U: the driver ends the command stream with %d", status);
    return Error::Ok;
  }
};

EthosUBackend backend;
[[maybe_unused]] const Error registered = runtime::register_backend({"EthosUBackend", &backend});

}  // namespace
}  // namespace arm
}  // namespace backends
}  // namespace executorch

// The run-time half: negates, and checks on the way that everything has arrived that was sent.

#include <algorithm>
#include <cstring>
#include <new>

#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/core/event_tracer_hooks_delegate.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace plumbing {
namespace {

using aten::ScalarType;
using aten::Tensor;
using runtime::ArrayRef;
using runtime::BackendExecutionContext;
using runtime::BackendInitContext;
using runtime::BackendOption;
using runtime::BackendOptionContext;
using runtime::CompileSpec;
using runtime::DelegateHandle;
using runtime::Error;
using runtime::EValue;
using runtime::FreeableBuffer;
using runtime::Result;
using runtime::Span;

constexpr char kSharedKey[] = "plumbing/shared";
constexpr size_t kChecksumSize = 4;

uint32_t checksum(const uint8_t* bytes, size_t size) {
  uint32_t value = 2166136261u;
  for (size_t i = 0; i < size; ++i) {
    value = (value ^ bytes[i]) * 16777619u;
  }
  return value;
}

// Behind the handle; lives in the runtime allocator and owns nothing.
struct Delegate {
  const char* name;  // Within the blob.
  Error error;       // What call number `failing_call` returns.
  int failing_call;  // -1: none.
  int calls;
};

// The spec of this name, null if there is none or it is too short.
const uint8_t* find_spec(ArrayRef<CompileSpec> specs, const char* key, size_t size) {
  for (const CompileSpec& spec : specs) {
    if (std::strcmp(spec.key, key) == 0 && spec.value.nbytes >= size) {
      return static_cast<const uint8_t*>(spec.value.buffer);
    }
  }
  return nullptr;
}

Error check_shared_data(const BackendInitContext& context, const uint8_t* expected) {
  if (context.get_named_data_map() == nullptr) {
    ET_LOG(Error, "Plumbing: there is no named data map");
    return Error::NotFound;
  }
  Result<FreeableBuffer> shared = context.get_named_data_map()->get_data(kSharedKey);
  if (!shared.ok()) {
    ET_LOG(Error, "Plumbing: no named data %s", kSharedKey);
    return shared.error();
  }
  const uint32_t found = checksum(static_cast<const uint8_t*>(shared->data()), shared->size());
  uint32_t wanted = 0;
  for (size_t i = 0; i < kChecksumSize; ++i) {
    wanted |= static_cast<uint32_t>(expected[i]) << (8 * i);
  }
  if (found != wanted) {
    ET_LOG(Error, "Plumbing: named data %s is not what was stored", kSharedKey);
    return Error::DelegateInvalidCompatibility;
  }
  return Error::Ok;
}

class PlumbingBackend final : public runtime::BackendInterface {
 public:
  bool is_available() const override { return available_; }

  Result<DelegateHandle*> init(BackendInitContext& context, FreeableBuffer* processed,
                               ArrayRef<CompileSpec> compile_specs) const override {
    const char* const blob = static_cast<const char*>(processed->data());
    if (processed->size() <= kChecksumSize || blob[processed->size() - 1] != '\0') {
      ET_LOG(Error, "Plumbing: a blob of %zu bytes is none of ours", processed->size());
      return Error::DelegateInvalidCompatibility;
    }
    // Options of the program first, then those of the caller of load_method.
    const uint8_t* const planned = find_spec(compile_specs, "fail_init", 1);
    Result<int> asked = context.get_runtime_spec<int>("fail_init");
    if (planned != nullptr || asked.ok()) {
      ET_LOG(Error, "Plumbing: init fails as asked");
      return static_cast<Error>(planned != nullptr ? planned[0] : *asked);
    }
    const Error shared = check_shared_data(context, reinterpret_cast<const uint8_t*>(blob));
    if (shared != Error::Ok) {
      return shared;
    }
    Delegate* const delegate = context.get_runtime_allocator()->allocateInstance<Delegate>();
    if (delegate == nullptr) {
      return Error::MemoryAllocationFailed;
    }
    new (delegate) Delegate{blob + kChecksumSize, Error::Ok, -1, 0};
    if (const uint8_t* failing = find_spec(compile_specs, "fail_execute", 2)) {
      delegate->error = static_cast<Error>(failing[0]);
      delegate->failing_call = failing[1];
    }
    ++live_;
    return delegate;
  }

  Error execute(BackendExecutionContext& context, DelegateHandle* handle,
                Span<EValue*> args) const override {
    Delegate& delegate = *static_cast<Delegate*>(handle);
    if (delegate.calls++ == delegate.failing_call) {
      ET_LOG(Error, "Plumbing: execute of %s fails as asked", delegate.name);
      return delegate.error;
    }
    if (args.size() != 2 || !args[0]->isTensor() || !args[1]->isTensor()) {
      ET_LOG(Error, "Plumbing: %s takes one tensor and gives one", delegate.name);
      return Error::InvalidArgument;
    }
    const Tensor& in = args[0]->toTensor();
    Tensor& out = args[1]->toTensor();
    if (in.scalar_type() != ScalarType::Float || out.scalar_type() != ScalarType::Float) {
      ET_LOG(Error, "Plumbing: %s takes and gives float32", delegate.name);
      return Error::InvalidArgument;
    }
    const Error resized = runtime::resize_tensor(out, in.sizes());
    if (resized != Error::Ok) {
      return resized;
    }
    const runtime::EventTracerEntry event = runtime::event_tracer_start_profiling_delegate(
        context.event_tracer(), delegate.name, runtime::kUnsetDelegateDebugIntId);
    const float* const from = in.const_data_ptr<float>();
    std::transform(from, from + in.numel(), out.mutable_data_ptr<float>(),
                   [](float x) { return -x; });
    runtime::event_tracer_end_profiling_delegate(context.event_tracer(), event);
    return Error::Ok;
  }

  // "available": whether the backend says that it is.
  Error set_option(BackendOptionContext&, const Span<BackendOption>& options) override {
    for (const BackendOption& option : options) {
      const bool* const value = std::get_if<bool>(&option.value);
      if (std::strcmp(option.key, "available") != 0 || value == nullptr) {
        ET_LOG(Error, "Plumbing: the only option to set is \"available\", a bool");
        return Error::InvalidArgument;
      }
      available_ = *value;
    }
    return Error::Ok;
  }

  // "available", and "live": how many delegates are initialized and not destroyed.
  Error get_option(BackendOptionContext&, Span<BackendOption>& options) override {
    for (BackendOption& option : options) {
      if (std::strcmp(option.key, "available") == 0) {
        option.value = available_;
      } else if (std::strcmp(option.key, "live") == 0) {
        option.value = live_;
      } else {
        return Error::NotFound;
      }
    }
    return Error::Ok;
  }

  size_t num_outputs(DelegateHandle*) const override { return 1; }

  void destroy(DelegateHandle* handle) const override {
    if (handle != nullptr) {
      --live_;
    }
  }

 private:
  bool available_ = true;
  // Of the process, for tests: a real backend keeps nothing here that calls change.
  mutable int live_ = 0;
};

PlumbingBackend backend;
const Error registered = runtime::register_backend({"PlumbingBackend", &backend});

}  // namespace
}  // namespace plumbing
}  // namespace backends
}  // namespace executorch

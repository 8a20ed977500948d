#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include <sys/mman.h>

#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/executor/testing/method_harness.h>
#include <executorch/runtime/executor/testing/run_all.h>
#include <executorch/runtime/executor/testing/sample_programs.h>
#include <executorch/runtime/platform/assert.h>

namespace executorch {
namespace runtime {
namespace testing {

namespace {

using executorch::aten::Tensor;
using executorch::aten::TensorImpl;

// A damaged program may ask for any amount of memory; no application would grant it more.
constexpr int64_t kMaxPlannedBytes = 1 << 20;

// Something to do with bytes that the compiler cannot leave out: a running digest (FNV-1a).
volatile uint64_t sink;

void read_all(const void* data, size_t size) {
  uint64_t digest = sink;
  for (size_t i = 0; i < size; ++i) {
    digest = (digest ^ static_cast<const uint8_t*>(data)[i]) * 0x100000001b3u;
  }
  sink = digest;
}

// Small numbers that differ, so that an output that depends on another element shows.
void fill(const TensorInfo& info, uint8_t* data) {
  using executorch::aten::ScalarType;
  for (size_t i = 0; i < info.nbytes(); ++i) {
    data[i] = 0;
  }
  if (info.scalar_type() == ScalarType::Float) {
    for (size_t i = 0; i < info.nbytes() / sizeof(float); ++i) {
      reinterpret_cast<float*>(data)[i] = 0.25f * static_cast<float>(i % 7 + 1);
    }
  } else if (info.scalar_type() == ScalarType::Long) {
    for (size_t i = 0; i < info.nbytes() / sizeof(int64_t); ++i) {
      reinterpret_cast<int64_t*>(data)[i] = static_cast<int64_t>(i % 3);
    }
  } else if (info.scalar_type() == ScalarType::Bool || info.scalar_type() == ScalarType::Byte) {
    for (size_t i = 0; i < info.nbytes(); ++i) {
      data[i] = i % 2;
    }
  }
}

class SampleBackend final : public BackendInterface {
 public:
  bool is_available() const override { return true; }

  Result<DelegateHandle*> init(BackendInitContext& context, FreeableBuffer* processed,
                               ArrayRef<CompileSpec> compile_specs) const override {
    read_all(processed->data(), processed->size());
    for (const CompileSpec& spec : compile_specs) {
      read_all(spec.key, std::strlen(spec.key));
      read_all(spec.value.buffer, spec.value.nbytes);
    }
    if (context.get_named_data_map() != nullptr) {
      const uint32_t num_keys = *context.get_named_data_map()->get_num_keys();
      for (uint32_t i = 0; i < num_keys; ++i) {
        (void)context.get_named_data_map()->get_data(*context.get_named_data_map()->get_key(i));
      }
    }
    void* handle = context.get_runtime_allocator()->allocate(16);
    if (handle == nullptr) {
      return Error::MemoryAllocationFailed;
    }
    std::memset(handle, 1, 16);
    processed->Free();
    return handle;
  }

  Error execute(BackendExecutionContext&, DelegateHandle* handle,
                Span<EValue*> args) const override {
    read_all(handle, 16);
    for (const EValue* arg : args) {
      if (arg->isTensor()) {
        read_all(arg->toTensor().const_data_ptr(), arg->toTensor().nbytes());
      }
    }
    return Error::Ok;
  }

  void destroy(DelegateHandle* handle) const override { read_all(handle, 16); }
};

// Hands out copies of exactly the requested size, those of constants read-only.
class StrictLoader final : public DataLoader {
 public:
  explicit StrictLoader(const PteFile& file) : file_(file) {}

  Result<FreeableBuffer> load(size_t offset, size_t size,
                              const SegmentInfo& segment_info) const override {
    if (offset > file_.size() || size > file_.size() - offset) {
      return Error::InvalidArgument;
    }
    if (segment_info.segment_type == SegmentInfo::Type::Constant && size > 0) {
      void* pages = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      ET_CHECK(pages != MAP_FAILED);
      std::memcpy(pages, file_.data() + offset, size);
      ET_CHECK(mprotect(pages, size, PROT_READ) == 0);
      return FreeableBuffer(pages, size, [](void*, void* data, size_t n) { munmap(data, n); });
    }
    auto* copy = new uint8_t[size];
    std::memcpy(copy, file_.data() + offset, size);
    return FreeableBuffer(copy, size,
                          [](void*, void* data, size_t) { delete[] static_cast<uint8_t*>(data); });
  }

  Result<size_t> size() const override { return file_.size(); }

 private:
  const PteFile& file_;
};

// Planned memory, each buffer an allocation of its own.
struct PlannedMemory {
  std::vector<std::unique_ptr<uint8_t[]>> buffers;
  std::vector<Span<uint8_t>> spans;

  bool allocate(const MethodMeta& meta) {
    int64_t total = 0;
    for (size_t i = 0; i < meta.num_memory_planned_buffers(); ++i) {
      const Result<int64_t> size = meta.memory_planned_buffer_size(i);
      if (!size.ok() || *size > kMaxPlannedBytes || (total += *size) > kMaxPlannedBytes) {
        return false;
      }
      buffers.emplace_back(new uint8_t[static_cast<size_t>(*size)]());
      spans.emplace_back(buffers.back().get(), static_cast<size_t>(*size));
    }
    return true;
  }
};

// Tensors that fit the method's inputs, and memory for outputs that need some.
class Io {
 public:
  Error set_inputs(Method& method) {
    const MethodMeta meta = method.method_meta();
    std::vector<EValue> current(method.inputs_size());
    Error error = method.get_inputs(current.data(), current.size());
    for (size_t i = 0; i < current.size() && error == Error::Ok; ++i) {
      const Result<TensorInfo> info = meta.input_tensor_meta(i);
      if (!info.ok()) {
        error = method.set_input(current[i], i);
      } else if (info->nbytes() > static_cast<size_t>(kMaxPlannedBytes)) {
        error = Error::MemoryAllocationFailed;
      } else {
        error = method.set_input(make_tensor(*info), i);
      }
    }
    return error;
  }

  void set_outputs(Method& method) {
    const MethodMeta meta = method.method_meta();
    for (size_t i = 0; i < method.outputs_size(); ++i) {
      const Result<TensorInfo> info = meta.output_tensor_meta(i);
      if (info.ok() && !info->is_memory_planned() &&
          info->nbytes() <= static_cast<size_t>(kMaxPlannedBytes)) {
        (void)method.set_output_data_ptr(allocate(info->nbytes()), info->nbytes(), i);
      }
    }
  }

 private:
  uint8_t* allocate(size_t size) {
    memory_.emplace_back(new uint8_t[size]());
    return memory_.back().get();
  }

  EValue make_tensor(const TensorInfo& info) {
    sizes_.emplace_back(info.sizes().begin(), info.sizes().end());
    dim_orders_.emplace_back(info.dim_order().begin(), info.dim_order().end());
    uint8_t* data = allocate(info.nbytes());
    fill(info, data);
    tensors_.push_back(
        std::make_unique<TensorImpl>(info.scalar_type(), static_cast<ssize_t>(info.sizes().size()),
                                     sizes_.back().data(), data, dim_orders_.back().data()));
    return EValue(Tensor(tensors_.back().get()));
  }

  std::vector<std::unique_ptr<uint8_t[]>> memory_;
  std::vector<std::vector<int32_t>> sizes_;
  std::vector<std::vector<uint8_t>> dim_orders_;
  std::vector<std::unique_ptr<TensorImpl>> tensors_;
};

void read_value(const EValue& value) {
  switch (value.tag) {
    case Tag::Tensor:
      if (value.toTensor().const_data_ptr() != nullptr) {
        read_all(value.toTensor().const_data_ptr(), value.toTensor().nbytes());
      }
      return;
    case Tag::String:
      read_all(value.toString().data(), value.toString().size());
      return;
    case Tag::Int: {
      const int64_t number = value.toInt();
      read_all(&number, sizeof(number));
      return;
    }
    case Tag::Bool: {
      const bool truth = value.toBool();
      read_all(&truth, sizeof(truth));
      return;
    }
    case Tag::Double: {
      const double number = value.toDouble();
      read_all(&number, sizeof(number));
      return;
    }
    case Tag::ListInt:
      (void)value.tryToIntList();
      return;
    case Tag::ListTensor:
      (void)value.tryToTensorList();
      return;
    case Tag::ListOptionalTensor:
      (void)value.tryToListOptionalTensor();
      return;
    case Tag::ListDouble:
      read_all(value.toDoubleList().data(), value.toDoubleList().size() * sizeof(double));
      return;
    default:
      return;
  }
}

void describe(const MethodMeta& meta) {
  for (size_t i = 0; i < meta.num_inputs(); ++i) {
    (void)meta.input_tag(i);
    (void)meta.input_tensor_meta(i);
  }
  for (size_t i = 0; i < meta.num_outputs(); ++i) {
    (void)meta.output_tag(i);
    (void)meta.output_tensor_meta(i);
  }
  for (size_t i = 0; i < meta.num_attributes(); ++i) {
    (void)meta.attribute_tensor_meta(i);
  }
  for (size_t i = 0; i < meta.num_backends(); ++i) {
    (void)meta.get_backend_name(i);
  }
  (void)meta.num_instructions();
}

Error step_through(Method& method) {
  for (int i = 0; i < 1000; ++i) {
    const Error error = method.step();
    if (error != Error::Ok) {
      return error == Error::EndOfMethod ? method.reset_execution() : error;
    }
  }
  return Error::Ok;
}

void digest_outputs(const Method& method, uint64_t* digest) {
  if (digest == nullptr) {
    return;
  }
  sink = *digest;
  for (size_t i = 0; i < method.outputs_size(); ++i) {
    const EValue& value = method.get_output(i);
    const auto tag = static_cast<uint32_t>(value.tag);
    read_all(&tag, sizeof(tag));
    if (value.isTensor()) {
      const auto sizes = value.toTensor().sizes();
      read_all(sizes.data(), sizes.size() * sizeof(sizes[0]));
      const auto dtype = value.toTensor().scalar_type();
      read_all(&dtype, sizeof(dtype));
    }
    read_value(value);
  }
  *digest = sink;
}

Error run_method(const Program& program, const char* name, uint64_t* digest) {
  const Result<MethodMeta> meta = program.method_meta(name);
  if (!meta.ok()) {
    return meta.error();
  }
  describe(*meta);
  PlannedMemory planned;
  if (!planned.allocate(*meta)) {
    return Error::MemoryAllocationFailed;
  }
  HierarchicalAllocator planned_memory({planned.spans.data(), planned.spans.size()});
  constexpr size_t kMethodBytes = 64 * 1024;
  const std::unique_ptr<uint8_t[]> method_bytes(new uint8_t[kMethodBytes]);
  MemoryAllocator method_allocator(kMethodBytes, method_bytes.get());
  MemoryManager manager(&method_allocator, &planned_memory);
  manager.set_dynamic_allocator(&method_allocator);
  Result<Method> method = program.load_method(name, &manager);
  if (!method.ok()) {
    return method.error();
  }
  Io io;
  io.set_outputs(*method);
  Error error = io.set_inputs(*method);
  if (error != Error::Ok) {
    return error;
  }
  error = method->execute();
  digest_outputs(*method, digest);
  if (io.set_inputs(*method) == Error::Ok) {
    const Error step_error = step_through(*method);
    error = error == Error::Ok ? step_error : error;
  }
  for (size_t i = 0; i < method->outputs_size(); ++i) {
    read_value(method->get_output(i));
  }
  return error;
}

}  // namespace

void register_sample_backend() {
  static SampleBackend backend;
  static const Error registered = register_backend({kSampleBackend, &backend});
  ET_CHECK(registered == Error::Ok);
}

std::vector<Error> run_all(const PteFile& file, Program::Verification verification,
                           uint64_t* digest) {
  if (digest != nullptr) {
    *digest = 0xcbf29ce484222325u;
  }
  const StrictLoader loader(file);
  const Result<Program> program = Program::load(const_cast<StrictLoader*>(&loader), verification);
  if (!program.ok()) {
    return {program.error()};
  }
  std::vector<Error> errors;
  for (size_t i = 0; i < program->num_methods() && i < 10; ++i) {
    const Result<const char*> name = program->get_method_name(i);
    errors.push_back(name.ok() ? run_method(*program, *name, digest) : name.error());
  }
  return errors;
}

}  // namespace testing
}  // namespace runtime
}  // namespace executorch

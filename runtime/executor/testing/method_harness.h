#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/executor/memory_manager.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/executor/testing/program_builder.h>

namespace executorch {
namespace runtime {
namespace testing {

/// Loads from memory without copying. Counts what it handed out and what was freed again.
class MemoryLoader final : public DataLoader {
 public:
  explicit MemoryLoader(const PteFile& file) : data_(file.data()), size_(file.size()) {}

  Result<FreeableBuffer> load(size_t offset, size_t size, const SegmentInfo&) const override {
    if (offset > size_ || size > size_ - offset) {
      return Error::InvalidArgument;
    }
    ++num_loaded;
    return FreeableBuffer(
        data_ + offset, size, [](void* context, void*, size_t) { ++*static_cast<int*>(context); },
        &num_freed);
  }

  Result<size_t> size() const override { return size_; }

  mutable int num_loaded = 0;
  mutable int num_freed = 0;

 private:
  const uint8_t* data_;
  size_t size_;
};

/// A dense tensor with its memory.
template <typename T>
class TestTensor {
 public:
  TestTensor(executorch::aten::ScalarType type, std::vector<int32_t> sizes, std::vector<T> data,
             std::vector<uint8_t> dim_order = {})
      : sizes_(std::move(sizes)), dim_order_(std::move(dim_order)), data_(std::move(data)) {
    for (size_t i = dim_order_.size(); i < sizes_.size(); ++i) {
      dim_order_.push_back(static_cast<uint8_t>(i));
    }
    impl_ = std::make_unique<executorch::aten::TensorImpl>(
        type, static_cast<ssize_t>(sizes_.size()), sizes_.data(), data_.data(), dim_order_.data());
  }

  EValue value() const { return EValue(executorch::aten::Tensor(impl_.get())); }
  const std::vector<T>& data() const { return data_; }

 private:
  std::vector<int32_t> sizes_;
  std::vector<uint8_t> dim_order_;
  std::vector<T> data_;
  std::unique_ptr<executorch::aten::TensorImpl> impl_;
};

inline TestTensor<float> float_tensor(std::vector<int32_t> sizes, std::vector<float> data,
                                      std::vector<uint8_t> dim_order = {}) {
  return {executorch::aten::ScalarType::Float, std::move(sizes), std::move(data),
          std::move(dim_order)};
}

/// The elements of a float tensor.
inline std::vector<float> floats(const EValue& value) {
  const executorch::aten::Tensor tensor = value.toTensor();
  const float* data = tensor.const_data_ptr<float>();
  return std::vector<float>(data, data + tensor.numel());
}

/// Memory for one method, of exactly the planned sizes.
class MethodMemory {
 public:
  explicit MethodMemory(const MethodMeta& meta, size_t method_bytes = 256 * 1024)
      : method_bytes_(new uint64_t[method_bytes / 8 + 1]()),
        method_allocator(method_bytes, reinterpret_cast<uint8_t*>(method_bytes_.get())),
        temp_allocator(sizeof(temp_bytes_), reinterpret_cast<uint8_t*>(temp_bytes_)) {
    for (size_t i = 0; i < meta.num_memory_planned_buffers(); ++i) {
      const auto size = static_cast<size_t>(*meta.memory_planned_buffer_size(i));
      planned_bytes_.emplace_back(static_cast<uint8_t*>(::operator new(size + 1, kAlignment)));
      std::memset(planned_bytes_.back().get(), 0, size + 1);
      spans_.emplace_back(planned_bytes_.back().get(), size);
    }
    planned_memory =
        std::make_unique<HierarchicalAllocator>(Span<Span<uint8_t>>(spans_.data(), spans_.size()));
    manager =
        std::make_unique<MemoryManager>(&method_allocator, planned_memory.get(), &temp_allocator);
  }

 private:
  /// What plans count on; 32-bit systems give out half of it by themselves.
  static constexpr std::align_val_t kAlignment{16};

  struct Free {
    void operator()(uint8_t* block) const { ::operator delete(block, kAlignment); }
  };

  std::unique_ptr<uint64_t[]> method_bytes_;
  uint64_t temp_bytes_[64];
  std::vector<std::unique_ptr<uint8_t, Free>> planned_bytes_;
  std::vector<Span<uint8_t>> spans_;

 public:
  MemoryAllocator method_allocator;
  MemoryAllocator temp_allocator;
  std::unique_ptr<HierarchicalAllocator> planned_memory;
  std::unique_ptr<MemoryManager> manager;
};

/// A file, its program and one loaded method, with everything that they need.
class MethodHarness {
 public:
  explicit MethodHarness(PteFile pte, const char* method_name = "forward",
                         const NamedDataMap* named_data = nullptr,
                         EventTracer* event_tracer = nullptr,
                         const LoadBackendOptionsMap* backend_options = nullptr,
                         Program::Verification verification = Program::Verification::Minimal)
      : file(std::move(pte)), loader(file), program(Program::load(&loader, verification)) {
    error = program.error();
    if (!program.ok()) {
      return;
    }
    Result<MethodMeta> meta = program->method_meta(method_name);
    error = meta.error();
    if (!meta.ok()) {
      return;
    }
    memory = std::make_unique<MethodMemory>(*meta);
    loaded = std::make_unique<Result<Method>>(program->load_method(
        method_name, memory->manager.get(), event_tracer, named_data, backend_options));
    error = loaded->error();
  }

  explicit MethodHarness(const ProgramBuilder& builder) : MethodHarness(builder.build()) {}

  bool ok() const { return error == Error::Ok; }
  Method& method() { return loaded->get(); }

  PteFile file;
  MemoryLoader loader;
  Result<Program> program;
  std::unique_ptr<MethodMemory> memory;
  std::unique_ptr<Result<Method>> loaded;
  /// Of whatever failed first.
  Error error = Error::Ok;
};

}  // namespace testing
}  // namespace runtime
}  // namespace executorch

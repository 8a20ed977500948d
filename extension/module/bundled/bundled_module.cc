#include <utility>

#include <executorch/devtools/bundled_program/bundled_program.h>
#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/data_loader/shared_ptr_data_loader.h>
#include <executorch/extension/module/bundled_module.h>
#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/platform/log.h>
#include <executorch/schema/bundled_program_generated.h>

namespace executorch {
namespace extension {
namespace ET_BUNDLED_MODULE_NAMESPACE {

using runtime::DataLoader;
using runtime::Error;
using runtime::EValue;
using runtime::EventTracer;
using runtime::FreeableBuffer;
using runtime::MemoryAllocator;
using runtime::Method;
using runtime::Result;

namespace {

/// What a bundle aligns its program to.
constexpr size_t kBundleAlignment = 32;

}  // namespace

/// The bundle and the program inside it.
struct BundledModule::Contents {
  const void* bundle = nullptr;
  const void* program = nullptr;
  size_t program_size = 0;
  // Whoever holds on to the program holds on to its bytes; null when they are the caller's.
  std::shared_ptr<void> owner;
};

BundledModule::BundledModule(std::unique_ptr<Contents> contents,
                             std::unique_ptr<MemoryAllocator> memory_allocator,
                             std::unique_ptr<MemoryAllocator> temp_allocator,
                             std::unique_ptr<EventTracer> event_tracer,
                             std::unique_ptr<DataLoader> data_map_loader)
    : Module(std::make_unique<SharedPtrDataLoader>(
                 std::shared_ptr<void>(contents->owner, const_cast<void*>(contents->program)),
                 contents->program_size),
             std::move(memory_allocator), std::move(temp_allocator), std::move(event_tracer),
             std::move(data_map_loader)),
      contents_(std::move(contents)) {}

BundledModule::BundledModule(const void* bundled_program_ptr,
                             std::unique_ptr<MemoryAllocator> memory_allocator,
                             std::unique_ptr<MemoryAllocator> temp_allocator,
                             std::unique_ptr<EventTracer> event_tracer,
                             std::unique_ptr<DataLoader> data_map_loader)
    : BundledModule(
          [bundled_program_ptr] {
            auto contents = std::make_unique<Contents>();
            if (bundled_program_ptr != nullptr &&
                bundled_program_flatbuffer::BundledProgramBufferHasIdentifier(
                    bundled_program_ptr)) {
              const auto* program =
                  bundled_program_flatbuffer::GetBundledProgram(bundled_program_ptr)->program();
              contents->bundle = bundled_program_ptr;
              contents->program = program == nullptr ? nullptr : program->data();
              contents->program_size = program == nullptr ? 0 : program->size();
            } else {
              // Whoever loads this hears that it is no program.
              ET_LOG(Error, "No bundled program at %p", bundled_program_ptr);
            }
            return contents;
          }(),
          std::move(memory_allocator), std::move(temp_allocator), std::move(event_tracer),
          std::move(data_map_loader)) {}

BundledModule::~BundledModule() = default;

Result<std::unique_ptr<BundledModule::Contents>> BundledModule::read(const void* data, size_t size,
                                                                     std::shared_ptr<void> owner) {
  auto contents = std::make_unique<Contents>();
  // Nothing below writes to it.
  auto* const bytes = const_cast<void*>(data);
  if (!executorch::bundled_program::is_bundled_program(bytes, size)) {
    ET_LOG(Error, "The %zu bytes are no bundled program", size);
    return Error::NotSupported;
  }
  const Error error = executorch::bundled_program::get_program_data(bytes, size, &contents->program,
                                                                    &contents->program_size);
  if (error != Error::Ok) {
    return error;
  }
  contents->bundle = data;
  contents->owner = std::move(owner);
  return contents;
}

Result<std::unique_ptr<BundledModule>> BundledModule::from_buffer(
    const void* bundled_program_ptr, size_t size, std::unique_ptr<MemoryAllocator> memory_allocator,
    std::unique_ptr<MemoryAllocator> temp_allocator, std::unique_ptr<EventTracer> event_tracer,
    std::unique_ptr<DataLoader> data_map_loader) {
  Result<std::unique_ptr<Contents>> contents = read(bundled_program_ptr, size, nullptr);
  if (!contents.ok()) {
    return contents.error();
  }
  return std::unique_ptr<BundledModule>(new BundledModule(
      std::move(*contents), std::move(memory_allocator), std::move(temp_allocator),
      std::move(event_tracer), std::move(data_map_loader)));
}

Result<std::unique_ptr<BundledModule>> BundledModule::from_file(
    const std::string& file_path, std::unique_ptr<MemoryAllocator> memory_allocator,
    std::unique_ptr<MemoryAllocator> temp_allocator, std::unique_ptr<EventTracer> event_tracer,
    std::unique_ptr<DataLoader> data_map_loader) {
  const Result<FileDataLoader> loader = FileDataLoader::from(file_path.c_str(), kBundleAlignment);
  if (!loader.ok()) {
    return loader.error();
  }
  const Result<size_t> size = loader->size();
  if (!size.ok()) {
    return size.error();
  }
  Result<FreeableBuffer> bytes =
      loader->load(0, *size, DataLoader::SegmentInfo(DataLoader::SegmentInfo::Type::Program));
  if (!bytes.ok()) {
    return bytes.error();
  }
  auto owner = std::make_shared<FreeableBuffer>(std::move(*bytes));
  Result<std::unique_ptr<Contents>> contents = read(owner->data(), owner->size(), owner);
  if (!contents.ok()) {
    return contents.error();
  }
  return std::unique_ptr<BundledModule>(new BundledModule(
      std::move(*contents), std::move(memory_allocator), std::move(temp_allocator),
      std::move(event_tracer), std::move(data_map_loader)));
}

Result<std::vector<EValue>> BundledModule::execute(const std::string& method_name,
                                                   const size_t testset_idx) {
  const Result<Method*> loaded = method(method_name);
  if (!loaded.ok()) {
    return loaded.error();
  }
  Error error =
      executorch::bundled_program::load_bundled_input(**loaded, contents_->bundle, testset_idx);
  if (error == Error::Ok) {
    error = (*loaded)->execute();
  }
  if (error != Error::Ok) {
    return error;
  }
  return get_outputs(method_name);
}

Error BundledModule::verify_method_outputs(const std::string& method_name, const size_t testset_idx,
                                           double rtol, double atol) {
  const Result<Method*> loaded = method(method_name);
  if (!loaded.ok()) {
    return loaded.error();
  }
  return executorch::bundled_program::verify_method_outputs(**loaded, contents_->bundle,
                                                            testset_idx, rtol, atol);
}

}  // namespace ET_BUNDLED_MODULE_NAMESPACE
}  // namespace extension
}  // namespace executorch

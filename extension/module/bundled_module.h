#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <executorch/extension/module/module.h>

/// The namespace inside executorch::extension in which the documents have BundledModule.
#define ET_BUNDLED_MODULE_NAMESPACE bundled_module

namespace executorch {
namespace extension {
namespace ET_BUNDLED_MODULE_NAMESPACE {

/// A Module of a program that comes with test cases (a `.bpte` file): runs them and checks the
/// outputs.
///
/// Linked from `//extension/module:bundled_module`.
class BundledModule : public Module {
 public:
  /// The bundled program at `bundled_program_ptr`, which has to outlive this object. Its length is
  /// what the flatbuffer says itself, so the bytes have to be trusted, as any pointer without a
  /// length; from_file() checks them. The other parameters are those of Module.
  explicit BundledModule(const void* bundled_program_ptr,
                         std::unique_ptr<runtime::MemoryAllocator> memory_allocator = nullptr,
                         std::unique_ptr<runtime::MemoryAllocator> temp_allocator = nullptr,
                         std::unique_ptr<runtime::EventTracer> event_tracer = nullptr,
                         std::unique_ptr<runtime::DataLoader> data_map_loader = nullptr);

  /// The same for a bundle of known length, which is checked first. InvalidProgram when it is
  /// damaged, NotSupported when it is no bundled program.
  [[nodiscard]] static runtime::Result<std::unique_ptr<BundledModule>> from_buffer(
      const void* bundled_program_ptr, size_t size,
      std::unique_ptr<runtime::MemoryAllocator> memory_allocator = nullptr,
      std::unique_ptr<runtime::MemoryAllocator> temp_allocator = nullptr,
      std::unique_ptr<runtime::EventTracer> event_tracer = nullptr,
      std::unique_ptr<runtime::DataLoader> data_map_loader = nullptr);

  /// Reads a bundled program into memory that lives as long as the module and its program(), and
  /// checks it. What FileDataLoader says of a file that cannot be read; otherwise as from_buffer().
  [[nodiscard]] static runtime::Result<std::unique_ptr<BundledModule>> from_file(
      const std::string& file_path,
      std::unique_ptr<runtime::MemoryAllocator> memory_allocator = nullptr,
      std::unique_ptr<runtime::MemoryAllocator> temp_allocator = nullptr,
      std::unique_ptr<runtime::EventTracer> event_tracer = nullptr,
      std::unique_ptr<runtime::DataLoader> data_map_loader = nullptr);

  BundledModule(const BundledModule&) = delete;
  BundledModule& operator=(const BundledModule&) = delete;
  BundledModule(BundledModule&&) = delete;
  BundledModule& operator=(BundledModule&&) = delete;
  ~BundledModule() override;

  using Module::execute;

  /// Runs a method with the inputs of its test case number `testset_idx` and returns the outputs,
  /// which stay valid until the method runs again. InvalidArgument when there is no such test case.
  [[nodiscard]] runtime::Result<std::vector<runtime::EValue>> execute(
      const std::string& method_name, const size_t testset_idx);

  /// Compares the outputs of the last run with what the test case expects; see
  /// bundled_program::verify_method_outputs(). NotFound when they differ.
  [[nodiscard]] runtime::Error verify_method_outputs(const std::string& method_name,
                                                     const size_t testset_idx, double rtol = 1e-5,
                                                     double atol = 1e-8);

 private:
  struct Contents;

  BundledModule(std::unique_ptr<Contents> contents,
                std::unique_ptr<runtime::MemoryAllocator> memory_allocator,
                std::unique_ptr<runtime::MemoryAllocator> temp_allocator,
                std::unique_ptr<runtime::EventTracer> event_tracer,
                std::unique_ptr<runtime::DataLoader> data_map_loader);

  /// Finds the program in a bundle, after checking the bundle.
  static runtime::Result<std::unique_ptr<Contents>> read(const void* data, size_t size,
                                                         std::shared_ptr<void> owner);

  std::unique_ptr<Contents> contents_;
};

}  // namespace ET_BUNDLED_MODULE_NAMESPACE

using ET_BUNDLED_MODULE_NAMESPACE::BundledModule;

}  // namespace extension
}  // namespace executorch

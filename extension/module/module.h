#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <executorch/extension/memory_allocator/planned_memory.h>
#include <executorch/runtime/backend/backend_options_map.h>
#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/device_memory_buffer.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/executor/memory_manager.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/method_meta.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/kernel/operator_registry.h>

/// The namespace inside executorch::extension in which the documents have Module as well.
#define ET_MODULE_NAMESPACE module

namespace executorch {
namespace extension {

/// A program with everything it takes to run it: loader, allocators, memory for the plan.
///
/// Constructing one is cheap. The program and its methods load when they are first needed or asked
/// for; loading again after a success does nothing. A Module belongs to one thread at a time;
/// several Modules may share one Program.
class Module {
 public:
  /// How the bytes of files come into memory.
  enum class LoadMode {
    /// Read into heap memory.
    File,
    /// Map, and leave paging to the operating system.
    Mmap,
    /// Map and pin; loading fails where that is not possible.
    MmapUseMlock,
    /// Map and try to pin.
    MmapUseMlockIgnoreErrors,
    /// Map, pin nothing, and have the operating system read ahead.
    MmapUseMadvise,
  };

  /// The program in `file_path`.
  ///
  /// @param event_tracer Told what happens while methods run; may be null.
  /// @param memory_allocator For what methods need as long as they live; if null, each method has a
  ///     MallocMemoryAllocator of its own.
  /// @param temp_allocator For what an instruction needs while it runs; a MallocMemoryAllocator if
  /// null.
  /// @param share_memory_arenas Whether all methods plan in the same memory, as large as the
  /// largest of
  ///     them needs, instead of memory of their own. Then a method's outputs are gone once another
  ///     runs.
  explicit Module(const std::string& file_path, LoadMode load_mode = LoadMode::File,
                  std::unique_ptr<runtime::EventTracer> event_tracer = nullptr,
                  std::unique_ptr<runtime::MemoryAllocator> memory_allocator = nullptr,
                  std::unique_ptr<runtime::MemoryAllocator> temp_allocator = nullptr,
                  bool share_memory_arenas = false);

  /// The program in `file_path` with the external data in `data_map_path` (a `.ptd` file).
  explicit Module(const std::string& file_path, const std::string& data_map_path,
                  LoadMode load_mode = LoadMode::File,
                  std::unique_ptr<runtime::EventTracer> event_tracer = nullptr,
                  std::unique_ptr<runtime::MemoryAllocator> memory_allocator = nullptr,
                  std::unique_ptr<runtime::MemoryAllocator> temp_allocator = nullptr,
                  bool share_memory_arenas = false);

  /// The program in `file_path` with the external data in several files that share no key.
  explicit Module(const std::string& file_path, std::vector<std::string> data_files,
                  LoadMode load_mode = LoadMode::File,
                  std::unique_ptr<runtime::EventTracer> event_tracer = nullptr,
                  std::unique_ptr<runtime::MemoryAllocator> memory_allocator = nullptr,
                  std::unique_ptr<runtime::MemoryAllocator> temp_allocator = nullptr,
                  bool share_memory_arenas = false);

  /// The program behind `data_loader`, with the external data behind `data_map_loader` if there is
  /// one.
  explicit Module(std::unique_ptr<runtime::DataLoader> data_loader,
                  std::unique_ptr<runtime::MemoryAllocator> memory_allocator = nullptr,
                  std::unique_ptr<runtime::MemoryAllocator> temp_allocator = nullptr,
                  std::unique_ptr<runtime::EventTracer> event_tracer = nullptr,
                  std::unique_ptr<runtime::DataLoader> data_map_loader = nullptr,
                  bool share_memory_arenas = false);

  /// A program that is loaded already, for example another Module's. Whoever loaded it has to keep
  /// its DataLoader alive; Module::program() does so by itself.
  explicit Module(std::shared_ptr<runtime::Program> program,
                  std::unique_ptr<runtime::MemoryAllocator> memory_allocator = nullptr,
                  std::unique_ptr<runtime::MemoryAllocator> temp_allocator = nullptr,
                  std::unique_ptr<runtime::EventTracer> event_tracer = nullptr,
                  std::unique_ptr<runtime::DataLoader> data_map_loader = nullptr,
                  bool share_memory_arenas = false);

  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  Module(Module&&) = delete;
  Module& operator=(Module&&) = delete;
  virtual ~Module();

  /// Loads the program and the external data. Afterwards is_loaded() is true unless this fails with
  /// what the loader or Program::load() says.
  [[nodiscard]] virtual runtime::Error load(
      runtime::Program::Verification verification = runtime::Program::Verification::Minimal);

  /// The same, with options for the backends of every method that is loaded from then on without
  /// options of its own. They are copied, so the caller may let go of them. After a failure the
  /// Module keeps the options that it had.
  [[nodiscard]] virtual runtime::Error load(
      const runtime::LoadBackendOptionsMap& backend_options,
      runtime::Program::Verification verification = runtime::Program::Verification::Minimal);

  /// The options given to load(); empty if there were none.
  const runtime::LoadBackendOptionsMap& backend_options() const;

  virtual bool is_loaded() const;

  /// The program, kept alive together with its loader; null before it is loaded.
  std::shared_ptr<runtime::Program> program() const { return program_; }

  /// The number of methods; loads the program.
  runtime::Result<size_t> num_methods();

  /// The names of all methods; loads the program.
  runtime::Result<std::unordered_set<std::string>> method_names();

  /// Loads a method, and the program before it. `planned_memory` and `event_tracer`, where given,
  /// take the place of the Module's own for this method and have to outlive it. `backend_options`
  /// take the place of those given to load(), and are needed during this call only. `kernels` go
  /// before the registered ones for this method; names and keys have to outlive the call only.
  [[nodiscard]] virtual runtime::Error load_method(
      const std::string& method_name, runtime::HierarchicalAllocator* planned_memory = nullptr,
      runtime::EventTracer* event_tracer = nullptr,
      const runtime::LoadBackendOptionsMap* backend_options = nullptr,
      std::vector<runtime::Kernel> kernels = {});

  /// The same with a tracer only.
  [[nodiscard]] runtime::Error load_method(const std::string& method_name,
                                           runtime::EventTracer* event_tracer) {
    return load_method(method_name, nullptr, event_tracer);
  }

  [[nodiscard]] runtime::Error load_forward(runtime::EventTracer* event_tracer) {
    return load_method("forward", nullptr, event_tracer);
  }

  [[nodiscard]] inline runtime::Error load_forward(
      runtime::HierarchicalAllocator* planned_memory = nullptr,
      runtime::EventTracer* event_tracer = nullptr,
      const runtime::LoadBackendOptionsMap* backend_options = nullptr,
      std::vector<runtime::Kernel> kernels = {}) {
    return load_method("forward", planned_memory, event_tracer, backend_options,
                       std::move(kernels));
  }

  /// Gives a method's memory back; false when it was not loaded.
  bool unload_method(const std::string& method_name);
  bool unload_forward() { return unload_method("forward"); }

  bool is_method_loaded(const std::string& method_name) const;

  /// The method itself, for what this class does not offer; loads it. Owned by the Module.
  runtime::Result<runtime::Method*> method(const std::string& method_name);

  /// What a method takes and gives; loads the method.
  runtime::Result<runtime::MethodMeta> method_meta(const std::string& method_name);

  /// Runs a method and returns its outputs, which stay valid until it runs again or is unloaded.
  ///
  /// `input_values` go to the inputs in order; inputs that are missing or None take what
  /// set_input() has stored. InvalidArgument when neither is there or there are too many; otherwise
  /// what loading, setting inputs or Method::execute() says.
  [[nodiscard]] virtual runtime::Result<std::vector<runtime::EValue>> execute(
      const std::string& method_name, const std::vector<runtime::EValue>& input_values);

  [[nodiscard]] runtime::Result<std::vector<runtime::EValue>> execute(
      const std::string& method_name, const runtime::EValue& input_value) {
    return execute(method_name, std::vector<runtime::EValue>{input_value});
  }

  [[nodiscard]] runtime::Result<std::vector<runtime::EValue>> execute(
      const std::string& method_name) {
    return execute(method_name, std::vector<runtime::EValue>{});
  }

  /// execute(), for a caller who wants the first output only. InvalidState when there is none.
  [[nodiscard]] runtime::Result<runtime::EValue> get(
      const std::string& method_name, const std::vector<runtime::EValue>& input_values);

  [[nodiscard]] runtime::Result<runtime::EValue> get(const std::string& method_name,
                                                     const runtime::EValue& input_value) {
    return get(method_name, std::vector<runtime::EValue>{input_value});
  }

  [[nodiscard]] runtime::Result<runtime::EValue> get(const std::string& method_name) {
    return get(method_name, std::vector<runtime::EValue>{});
  }

  /// Text is the name of a method, not an input.
  [[nodiscard]] runtime::Result<runtime::EValue> get(const char* method_name) {
    return get(std::string(method_name), std::vector<runtime::EValue>{});
  }

  [[nodiscard]] runtime::Result<runtime::EValue> get(
      const std::vector<runtime::EValue>& input_values) {
    return get("forward", input_values);
  }

  [[nodiscard]] runtime::Result<runtime::EValue> get(const runtime::EValue& input_value) {
    return get("forward", std::vector<runtime::EValue>{input_value});
  }

  [[nodiscard]] runtime::Result<runtime::EValue> get() {
    return get("forward", std::vector<runtime::EValue>{});
  }

  /// execute("forward", ...).
  [[nodiscard]] runtime::Result<std::vector<runtime::EValue>> forward(
      const std::vector<runtime::EValue>& input_values) {
    return execute("forward", input_values);
  }

  [[nodiscard]] runtime::Result<std::vector<runtime::EValue>> forward(
      const runtime::EValue& input_value) {
    return forward(std::vector<runtime::EValue>{input_value});
  }

  [[nodiscard]] runtime::Result<std::vector<runtime::EValue>> forward() {
    return forward(std::vector<runtime::EValue>{});
  }

  /// Stores an input for all later executions; a default-constructed EValue takes it back. The
  /// Module keeps the value, not the memory a tensor points to. InvalidArgument for an index out of
  /// range.
  [[nodiscard]] runtime::Error set_input(const std::string& method_name,
                                         const runtime::EValue& input_value, size_t input_index);

  [[nodiscard]] runtime::Error set_input(const runtime::EValue& input_value, size_t input_index) {
    return set_input("forward", input_value, input_index);
  }

  /// Stores all inputs. InvalidArgument unless there is one value for each.
  [[nodiscard]] runtime::Error set_inputs(const std::string& method_name,
                                          const std::vector<runtime::EValue>& input_values);

  [[nodiscard]] runtime::Error set_inputs(const std::vector<runtime::EValue>& input_values) {
    return set_inputs("forward", input_values);
  }

  /// Makes a method write an output into the memory of a tensor from now on. The output must not be
  /// memory-planned. InvalidArgument when the value is no tensor, or has another dtype or shape
  /// than the output; otherwise what Method::set_output_data_ptr() says.
  [[nodiscard]] runtime::Error set_output(const std::string& method_name,
                                          runtime::EValue output_value, size_t output_index = 0);

  [[nodiscard]] runtime::Error set_output(runtime::EValue output_value, size_t output_index = 0) {
    return set_output("forward", std::move(output_value), output_index);
  }

  /// Sets all outputs. InvalidArgument unless there is one value for each.
  [[nodiscard]] runtime::Error set_outputs(const std::string& method_name,
                                           const std::vector<runtime::EValue>& output_values);

  [[nodiscard]] runtime::Error set_outputs(const std::vector<runtime::EValue>& output_values) {
    return set_outputs("forward", output_values);
  }

  /// The outputs of the last execution, without another one.
  [[nodiscard]] runtime::Result<std::vector<runtime::EValue>> get_outputs(
      const std::string& method_name);

  [[nodiscard]] runtime::Result<std::vector<runtime::EValue>> get_outputs() {
    return get_outputs("forward");
  }

  [[nodiscard]] runtime::Result<runtime::EValue> get_output(const std::string& method_name,
                                                            size_t output_index = 0);

  [[nodiscard]] runtime::Result<runtime::EValue> get_output(size_t output_index = 0) {
    return get_output("forward", output_index);
  }

  /// The tracer given to the constructor; owned by the Module.
  runtime::EventTracer* event_tracer() const { return event_tracer_.get(); }

  /// Always empty: a debug buffer belongs to the event tracer.
  [[nodiscard]] ET_DEPRECATED runtime::Span<uint8_t> debug_buffer() { return {}; }

 protected:
  /// A loaded method with what it stands on.
  struct MethodHolder {
    std::unique_ptr<runtime::MemoryAllocator>
        method_allocator;  // Null when the Module was given one.
    std::unique_ptr<PlannedMemory>
        planned_memory;  // Null when the memory belongs to somebody else.
    // For tensors that outgrow the plan, since their size has no bound.
    std::unique_ptr<runtime::MemoryAllocator> dynamic_allocator;
    std::unique_ptr<runtime::MemoryManager> memory_manager;
    std::unique_ptr<runtime::Method> method;
    std::vector<runtime::EValue> inputs;  // None where nothing is stored.
  };

 private:
  struct LoadedProgram;
  struct OwnedOptions;

  runtime::Error load_external_data();
  runtime::Result<MethodHolder*> loaded_holder(const std::string& method_name);
  runtime::Result<runtime::HierarchicalAllocator*> shared_arenas();

  std::string file_path_;
  std::vector<std::string> data_files_;
  LoadMode load_mode_ = LoadMode::File;
  bool share_memory_arenas_ = false;
  std::unique_ptr<runtime::DataLoader> data_loader_;
  std::unique_ptr<runtime::EventTracer> event_tracer_;
  std::unique_ptr<runtime::MemoryAllocator> memory_allocator_;  // May be null.
  std::unique_ptr<runtime::MemoryAllocator> temp_allocator_;
  std::shared_ptr<runtime::Program> program_;
  std::vector<std::unique_ptr<runtime::DataLoader>> data_map_loaders_;
  std::vector<std::unique_ptr<runtime::NamedDataMap>> data_maps_;
  std::unique_ptr<runtime::NamedDataMap> merged_data_map_;
  std::unique_ptr<PlannedMemory> shared_arenas_;
  std::unique_ptr<OwnedOptions> backend_options_;          // Null when none were given.
  std::unordered_map<std::string, MethodHolder> methods_;  // Last: methods go first.
};

// Names of the runtime that sources with `using namespace executorch::extension` expect.
using ::executorch::ET_RUNTIME_NAMESPACE::Kernel;
using ::executorch::ET_RUNTIME_NAMESPACE::Method;
using ::executorch::ET_RUNTIME_NAMESPACE::MethodMeta;
using ::executorch::ET_RUNTIME_NAMESPACE::NamedDataMap;
using ::executorch::ET_RUNTIME_NAMESPACE::Program;
using ::executorch::runtime::LoadBackendOptionsMap;

namespace ET_MODULE_NAMESPACE {
using ::executorch::extension::Module;
}  // namespace ET_MODULE_NAMESPACE

}  // namespace extension
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::extension::Module;
}  // namespace executor
}  // namespace torch

#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <executorch/extension/module/module.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>

namespace executorch {
namespace extension {
namespace training {

/// A Module for programs with joint graphs: methods that return the loss and other results, then
/// the gradients, then the parameters, which live in the method's planned memory.
///
/// Such a program tells by methods without inputs where the sections begin and what the parameters
/// are called: `__et_training_gradients_index_NAME`, `__et_training_parameters_index_NAME` and
/// `__et_training_fqn_NAME`, for the method NAME.
class TrainingModule final : public Module {
 public:
  /// Parameters as for Module.
  explicit TrainingModule(std::unique_ptr<runtime::DataLoader> data_loader,
                          std::unique_ptr<runtime::MemoryAllocator> memory_allocator = nullptr,
                          std::unique_ptr<runtime::MemoryAllocator> temp_allocator = nullptr,
                          std::unique_ptr<runtime::EventTracer> event_tracer = nullptr,
                          std::unique_ptr<runtime::DataLoader> data_map_data_loader = nullptr);

  /// Runs a method and returns the results in front of the gradients; the loss is the first one.
  /// They stay valid until it runs again. InvalidProgram if the program does not say where the
  /// gradients are; otherwise as Module::execute().
  [[nodiscard]] runtime::Result<std::vector<runtime::EValue>> execute_forward_backward(
      const std::string& method_name, const std::vector<runtime::EValue>& input);

  /// The method's parameters by name; loads the method. The tensors refer to its memory, an
  /// optimizer writes to them. Names and tensors stay valid as long as the module.
  [[nodiscard]] runtime::Result<const std::map<std::string_view, executorch::aten::Tensor>>
  named_parameters(const std::string& method_name);

  /// The gradients of the last run, under their parameters' names. InvalidState before the first.
  [[nodiscard]] runtime::Result<const std::map<std::string_view, executorch::aten::Tensor>>
  named_gradients(const std::string& method_name);

  /// Parameters and buffers by name, for whoever stores a model.
  [[nodiscard]] runtime::Result<const std::map<std::string_view, executorch::aten::Tensor>>
  named_attributes(const std::string& method_name);

 private:
  struct Sections {
    size_t gradients = 0;
    size_t parameters = 0;
    std::vector<std::string> names;  // One for each parameter.
    bool has_run = false;
  };

  runtime::Result<Sections*> sections(const std::string& method_name);
  runtime::Result<size_t> index_from(const std::string& method_name);
  runtime::Result<std::map<std::string_view, executorch::aten::Tensor>> named_outputs(
      const std::string& method_name, const Sections& sections, size_t begin);

  std::map<std::string, Sections> sections_;
};

}  // namespace training
}  // namespace extension
}  // namespace executorch

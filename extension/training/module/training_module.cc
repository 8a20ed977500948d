#include <utility>

#include <executorch/extension/training/module/training_module.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {
namespace training {

using ::executorch::aten::Tensor;
using ::executorch::runtime::Error;
using ::executorch::runtime::EValue;
using ::executorch::runtime::Result;

using NamedTensors = std::map<std::string_view, Tensor>;

namespace {

constexpr char kGradientsIndex[] = "__et_training_gradients_index_";
constexpr char kParametersIndex[] = "__et_training_parameters_index_";
constexpr char kNames[] = "__et_training_fqn_";

/// A Result of a constant map from one of a map.
Result<const NamedTensors> as_constant(Result<NamedTensors> result) {
  if (!result.ok()) {
    return result.error();
  }
  return Result<const NamedTensors>(std::move(result.get()));
}

}  // namespace

TrainingModule::TrainingModule(std::unique_ptr<runtime::DataLoader> data_loader,
                               std::unique_ptr<runtime::MemoryAllocator> memory_allocator,
                               std::unique_ptr<runtime::MemoryAllocator> temp_allocator,
                               std::unique_ptr<runtime::EventTracer> event_tracer,
                               std::unique_ptr<runtime::DataLoader> data_map_data_loader)
    : Module(std::move(data_loader), std::move(memory_allocator), std::move(temp_allocator),
             std::move(event_tracer), std::move(data_map_data_loader)) {}

Result<size_t> TrainingModule::index_from(const std::string& method_name) {
  Result<EValue> value = get(method_name);
  if (!value.ok()) {
    ET_LOG(Error, "the program was not exported for training: it has no usable method %s",
           method_name.c_str());
    return Error::InvalidProgram;
  }
  if (!value->isInt() || value->toInt() < 0) {
    ET_LOG(Error, "%s does not give an index", method_name.c_str());
    return Error::InvalidProgram;
  }
  return static_cast<size_t>(value->toInt());
}

Result<TrainingModule::Sections*> TrainingModule::sections(const std::string& method_name) {
  const auto known = sections_.find(method_name);
  if (known != sections_.end()) {
    return &known->second;
  }
  Result<runtime::Method*> loaded = method(method_name);
  if (!loaded.ok()) {
    return loaded.error();
  }
  const size_t outputs = (*loaded)->outputs_size();
  Sections found;
  Result<size_t> gradients = index_from(kGradientsIndex + method_name);
  if (!gradients.ok()) {
    return gradients.error();
  }
  Result<size_t> parameters = index_from(kParametersIndex + method_name);
  if (!parameters.ok()) {
    return parameters.error();
  }
  found.gradients = *gradients;
  found.parameters = *parameters;
  Result<std::vector<EValue>> names = execute(kNames + method_name);
  if (!names.ok()) {
    ET_LOG(Error, "the program does not name the parameters of %s", method_name.c_str());
    return Error::InvalidProgram;
  }
  for (const EValue& name : *names) {
    if (!name.isString()) {
      ET_LOG(Error, "a parameter's name is no text");
      return Error::InvalidProgram;
    }
    found.names.emplace_back(name.toString());
  }
  const bool fits = found.gradients <= found.parameters && found.parameters <= outputs &&
                    found.parameters - found.gradients == found.names.size() &&
                    outputs - found.parameters >= found.names.size();
  if (!fits) {
    ET_LOG(Error, "%zu names, gradients from %zu and parameters from %zu on do not fit %zu outputs",
           found.names.size(), found.gradients, found.parameters, outputs);
    return Error::InvalidProgram;
  }
  return &sections_.emplace(method_name, std::move(found)).first->second;
}

Result<NamedTensors> TrainingModule::named_outputs(const std::string& method_name,
                                                   const Sections& sections, size_t begin) {
  Result<runtime::Method*> loaded = method(method_name);
  if (!loaded.ok()) {
    return loaded.error();
  }
  NamedTensors named;
  for (size_t i = 0; i < sections.names.size(); ++i) {
    const EValue& value = (*loaded)->get_output(begin + i);
    if (!value.isTensor()) {
      ET_LOG(Error, "output %zu of %s is no tensor", begin + i, method_name.c_str());
      return Error::InvalidProgram;
    }
    named.emplace(sections.names[i], value.toTensor());
  }
  return named;
}

Result<std::vector<EValue>> TrainingModule::execute_forward_backward(
    const std::string& method_name, const std::vector<EValue>& input) {
  Result<Sections*> known = sections(method_name);
  if (!known.ok()) {
    return known.error();
  }
  Result<std::vector<EValue>> outputs = execute(method_name, input);
  if (!outputs.ok()) {
    return outputs.error();
  }
  (*known)->has_run = true;
  outputs->resize((*known)->gradients);
  return outputs;
}

Result<const NamedTensors> TrainingModule::named_parameters(const std::string& method_name) {
  Result<Sections*> known = sections(method_name);
  if (!known.ok()) {
    return known.error();
  }
  return as_constant(named_outputs(method_name, **known, (*known)->parameters));
}

Result<const NamedTensors> TrainingModule::named_gradients(const std::string& method_name) {
  Result<Sections*> known = sections(method_name);
  if (!known.ok()) {
    return known.error();
  }
  if (!(*known)->has_run) {
    ET_LOG(Error, "%s has no gradients before execute_forward_backward", method_name.c_str());
    return Error::InvalidState;
  }
  return as_constant(named_outputs(method_name, **known, (*known)->gradients));
}

Result<const NamedTensors> TrainingModule::named_attributes(const std::string& method_name) {
  Result<runtime::Method*> loaded = method(method_name);
  if (!loaded.ok()) {
    return loaded.error();
  }
  NamedTensors named;
  const auto meta = (*loaded)->method_meta();
  for (size_t i = 0; i < meta.num_attributes(); ++i) {
    const auto info = meta.attribute_tensor_meta(i);
    if (!info.ok()) {
      return info.error();
    }
    Result<Tensor> tensor = (*loaded)->get_attribute(info->name());
    if (!tensor.ok()) {
      return tensor.error();
    }
    named.emplace(info->name(), *tensor);
  }
  return Result<const NamedTensors>(std::move(named));
}

}  // namespace training
}  // namespace extension
}  // namespace executorch
